/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of patterns. The text is what a result prints and what a command line takes, so
 * parsing and printing are inverse to each other: hexadecimal digits for constants, a
 * word for everything else.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plan/pattern.h"

static const struct {
	const char *word;
	uint8_t kind;
} words[] = {
	{ "random", DW_PATTERN_RANDOM },
	{ "random-byte", DW_PATTERN_RANDOM_BYTE },
	{ "complement", DW_PATTERN_COMPLEMENT },
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int dw_pattern_parse(const char *text, struct dw_pattern *ret_pattern)
{
	struct dw_pattern p = { .kind = DW_PATTERN_CONST };
	size_t len = strlen(text);

	for (size_t i = 0; i < DW_ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i].word)) {
			*ret_pattern = (struct dw_pattern){ .kind = words[i].kind };
			return 0;
		}
	}
	if (len == 0 || len % 2 || len > 2 * sizeof(p.byte))
		return -EINVAL;
	for (size_t i = 0; i < len; i += 2) {
		int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		p.byte[p.len++] = (uint8_t)(high << 4 | low);
	}
	*ret_pattern = p;
	return 0;
}

const char *dw_pattern_name(const struct dw_pattern *p, char *buf, size_t size)
{
	if (p->kind == DW_PATTERN_CONST && p->len == 3)
		snprintf(buf, size, "%02x%02x%02x", p->byte[0], p->byte[1], p->byte[2]);
	else if (p->kind == DW_PATTERN_CONST && p->len == 2)
		snprintf(buf, size, "%02x%02x", p->byte[0], p->byte[1]);
	else if (p->kind == DW_PATTERN_CONST)
		snprintf(buf, size, "%02x", p->byte[0]);
	for (size_t i = 0; i < DW_ARRAY_SIZE(words); i++)
		if (p->kind == words[i].kind)
			snprintf(buf, size, "%s", words[i].word);
	return buf;
}

bool dw_pattern_is_const(const struct dw_pattern *p)
{
	return p->kind == DW_PATTERN_CONST;
}

bool dw_pattern_repeats(const struct dw_pattern *p, uint32_t block_size)
{
	return p->kind == DW_PATTERN_CONST && block_size % p->len == 0;
}
