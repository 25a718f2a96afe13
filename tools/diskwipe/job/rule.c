/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule is parsed by descent into a tree and evaluated disk by disk. It is read once, and
 * wholly: what follows a rule that is right is an error too. Texts are compared without regard
 * to case, as makers do not agree with themselves on it.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <diskwipe/units.h>

#include "job/rule.h"

#define DEPTH_MAX 64 /* of parentheses and "not" */
#define VALUE_MAX 256
#define TEXTS_MAX 3

enum node_kind { AND, OR, NOT, COMPARE };
enum compare { EQUAL, UNEQUAL, GLOB, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

struct rule_key {
	const char *name;
	/* one of both: texts of a disk, NULL-terminated; or a number, false = it reports none */
	void (*texts)(const struct dw_disk *d, char *buf, size_t size,
		      const char *ret[TEXTS_MAX + 1]);
	bool (*number)(const struct dw_disk *d, uint64_t *ret);
};

struct cli_rule {
	enum node_kind kind;
	struct cli_rule *left;
	struct cli_rule *right;
	const struct rule_key *key;
	enum compare how;
	char value[VALUE_MAX];
	uint64_t number;
};

struct rule_parser {
	const char *text;
	const char *at;
	unsigned depth;
	int r;
	struct cli_rule_error *err;
};

#define ONE_TEXT(name, member)                                                           \
	static void name##_texts(const struct dw_disk *d, char *buf, size_t size,        \
				 const char *ret[TEXTS_MAX + 1])                         \
	{                                                                                \
		ret[0] = d->member;                                                      \
	}

ONE_TEXT(serial, info.serial)
ONE_TEXT(wwn, info.wwn)
ONE_TEXT(vendor, info.vendor)
ONE_TEXT(model, info.model)
ONE_TEXT(revision, info.revision)
ONE_TEXT(transport, info.transport)
ONE_TEXT(slot, info.slot)
ONE_TEXT(signatures, verdict.signatures)

static void device_texts(const struct dw_disk *d, char *buf, size_t size,
			 const char *ret[TEXTS_MAX + 1])
{
	ret[0] = d->info.sg;
	ret[1] = d->info.block;
	ret[2] = d->info.map;
}

static void address_texts(const struct dw_disk *d, char *buf, size_t size,
			  const char *ret[TEXTS_MAX + 1])
{
	buf[0] = '\0';
	if (d->info.scsi)
		snprintf(buf, size, "%u:%u:%u:%llu", d->info.host, d->info.channel,
			 d->info.target, (unsigned long long)d->info.lun);
	ret[0] = buf;
}

static void rotation_texts(const struct dw_disk *d, char *buf, size_t size,
			   const char *ret[TEXTS_MAX + 1])
{
	ret[0] = d->info.rotation > 1 ? "hdd" : d->info.rotation ? "ssd" : "";
}

static bool size_number(const struct dw_disk *d, uint64_t *ret)
{
	*ret = d->info.blocks * d->info.block_size;
	return *ret;
}

static bool block_size_number(const struct dw_disk *d, uint64_t *ret)
{
	*ret = d->info.block_size;
	return *ret;
}

static const struct rule_key keys[] = {
	{ "device", device_texts, NULL },
	{ "serial", serial_texts, NULL },
	{ "wwn", wwn_texts, NULL },
	{ "vendor", vendor_texts, NULL },
	{ "model", model_texts, NULL },
	{ "revision", revision_texts, NULL },
	{ "size", NULL, size_number },
	{ "block-size", NULL, block_size_number },
	{ "transport", transport_texts, NULL },
	{ "slot", slot_texts, NULL },
	{ "address", address_texts, NULL },
	{ "rotation", rotation_texts, NULL },
	{ "signatures", signatures_texts, NULL },
};

__attribute__((format(printf, 3, 4))) static void *
wrong(struct rule_parser *p, const char *at, const char *format, ...)
{
	va_list args;

	if (p->r)
		return NULL;
	p->r = -EINVAL;
	p->err->at = (size_t)(at - p->text);
	va_start(args, format);
	vsnprintf(p->err->reason, sizeof(p->err->reason), format, args);
	va_end(args);
	return NULL;
}

static void skip_space(struct rule_parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static bool is_word(char c)
{
	return c && !strchr(" \t\n()=!~<>\"'", c);
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (is_word(at[n]))
		n++;
	return n;
}

/* "and", "or", "not" as whole words; a value may be called so only in quotes. */
static bool take_keyword(struct rule_parser *p, const char *word)
{
	size_t n;

	skip_space(p);
	n = word_length(p->at);
	if (n != strlen(word) || strncasecmp(p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

static struct cli_rule *new_node(struct rule_parser *p, enum node_kind kind,
				 struct cli_rule *left, struct cli_rule *right)
{
	struct cli_rule *node = p->r ? NULL : calloc(1, sizeof(*node));

	if (!node) {
		p->r = p->r ? p->r : -ENOMEM;
		cli_rule_free(left);
		cli_rule_free(right);
		return NULL;
	}
	node->kind = kind;
	node->left = left;
	node->right = right;
	return node;
}

static const struct rule_key *parse_key(struct rule_parser *p)
{
	size_t n = word_length(p->at);
	const char *at = p->at;
	char list[160] = "";

	for (size_t i = 0; n && i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strlen(keys[i].name) != n || strncasecmp(keys[i].name, at, n) != 0)
			continue;
		p->at += n;
		return &keys[i];
	}
	for (size_t i = 0, len = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					i ? ", " : "", keys[i].name);
	if (!n)
		return wrong(p, at, "a key is missing");
	return wrong(p, at, "no key '%.*s'; there is %s", (int)(n < 20 ? n : 20), at,
		     list);
}

static bool parse_compare(struct rule_parser *p, enum compare *ret)
{
	static const char *const words[] = {
		[EQUAL] = "=",       [UNEQUAL] = "!=",       [GLOB] = "~",
		[LESS_EQUAL] = "<=", [GREATER_EQUAL] = ">=", [LESS] = "<",
		[GREATER] = ">"
	};
	static const enum compare order[] = { LESS_EQUAL, GREATER_EQUAL, UNEQUAL, EQUAL,
					      GLOB,       LESS,          GREATER };

	skip_space(p);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t n = strlen(words[order[i]]);

		if (strncmp(p->at, words[order[i]], n) != 0)
			continue;
		p->at += n;
		*ret = order[i];
		return true;
	}
	wrong(p, p->at, "one of = != ~ < <= > >= is missing");
	return false;
}

static void parse_value(struct rule_parser *p, char *ret)
{
	char quote;
	size_t n;

	skip_space(p);
	quote = *p->at == '"' || *p->at == '\'' ? *p->at : '\0';
	n = quote ? strcspn(p->at + 1, quote == '"' ? "\"" : "'") : word_length(p->at);
	if (quote && !p->at[n + 1])
		wrong(p, p->at, "this quote is not closed");
	else if (!quote && !n)
		wrong(p, p->at, "a value is missing");
	else if (n >= VALUE_MAX)
		wrong(p, p->at, "a value has at most %d characters", VALUE_MAX - 1);
	else
		snprintf(ret, VALUE_MAX, "%.*s", (int)n, p->at + (quote ? 1 : 0));
	p->at += n + (quote && p->at[n + 1] ? 2 : 0);
}

/* What the key can be compared by, and with. */
static void check_compare(struct rule_parser *p, const struct cli_rule *node,
			  const char *how_at, const char *value_at)
{
	if (node->key->texts && node->how > GLOB)
		wrong(p, how_at, "%s is no number: = != or ~", node->key->name);
	else if (node->key->texts && !node->value[0])
		wrong(p, value_at,
		      "the value is empty; write %s~'?*' for any, not %s~'?*' for none",
		      node->key->name, node->key->name);
	else if (node->key->number && node->how == GLOB)
		wrong(p, how_at, "%s is a number: = != < <= > or >=", node->key->name);
	else if (node->key->number &&
		 dw_size_parse(node->value, (uint64_t *)&node->number) < 0)
		wrong(p, value_at, "'%.40s' is not a size like 2TB or 512", node->value);
	else if (!strcmp(node->key->name, "rotation") && node->how != GLOB &&
		 strcasecmp(node->value, "hdd") != 0 &&
		 strcasecmp(node->value, "ssd") != 0)
		wrong(p, value_at, "rotation is hdd or ssd");
}

static struct cli_rule *parse_comparison(struct rule_parser *p)
{
	struct cli_rule *node = new_node(p, COMPARE, NULL, NULL);
	const char *how_at, *value_at;

	if (!node)
		return NULL;
	node->key = parse_key(p);
	skip_space(p);
	how_at = p->at;
	if (!p->r && parse_compare(p, &node->how)) {
		skip_space(p);
		value_at = p->at;
		parse_value(p, node->value);
		if (!p->r)
			check_compare(p, node, how_at, value_at);
	}
	if (!p->r)
		return node;
	cli_rule_free(node);
	return NULL;
}

static struct cli_rule *parse_or(struct rule_parser *p);

static struct cli_rule *parse_factor(struct rule_parser *p)
{
	struct cli_rule *inner;
	const char *open;

	skip_space(p);
	open = p->at;
	if (p->depth == DEPTH_MAX)
		return wrong(p, open, "nested too deeply");
	p->depth++;
	if (take_keyword(p, "not")) {
		inner = parse_factor(p);
		inner = new_node(p, NOT, inner, NULL);
	} else if (*p->at == '(') {
		p->at++;
		inner = parse_or(p);
		skip_space(p);
		if (*p->at == ')')
			p->at++;
		else
			wrong(p, open, "this parenthesis is not closed");
	} else {
		inner = parse_comparison(p);
	}
	p->depth--;
	return inner;
}

static struct cli_rule *parse_and(struct rule_parser *p)
{
	struct cli_rule *left = parse_factor(p);

	while (!p->r && take_keyword(p, "and")) {
		struct cli_rule *right = parse_factor(p);

		left = new_node(p, AND, left, right);
	}
	return left;
}

static struct cli_rule *parse_or(struct rule_parser *p)
{
	struct cli_rule *left = parse_and(p);

	while (!p->r && take_keyword(p, "or")) {
		struct cli_rule *right = parse_and(p);

		left = new_node(p, OR, left, right);
	}
	return left;
}

int cli_rule_parse(const char *text, struct cli_rule **ret, struct cli_rule_error *err)
{
	struct rule_parser p = { .text = text, .at = text, .err = err };
	struct cli_rule *rule = parse_or(&p);

	skip_space(&p);
	if (!p.r && *p.at)
		wrong(&p, p.at, "'and' or 'or' is missing before this");
	if (p.r) {
		cli_rule_free(rule);
		return p.r;
	}
	*ret = rule;
	return 0;
}

void cli_rule_free(struct cli_rule *rule)
{
	if (!rule)
		return;
	cli_rule_free(rule->left);
	cli_rule_free(rule->right);
	free(rule);
}

static bool compare_numbers(uint64_t a, enum compare how, uint64_t b)
{
	switch (how) {
	case EQUAL:
		return a == b;
	case UNEQUAL:
		return a != b;
	case LESS:
		return a < b;
	case LESS_EQUAL:
		return a <= b;
	case GREATER:
		return a > b;
	case GREATER_EQUAL:
		return a >= b;
	case GLOB:
		break;
	}
	return false;
}

/* Of several names one has to be the value. */
static bool text_is(const struct cli_rule *rule, const struct dw_disk *d)
{
	const char *texts[TEXTS_MAX + 1] = { NULL };
	char buf[64];

	rule->key->texts(d, buf, sizeof(buf), texts);
	for (size_t i = 0; texts[i]; i++) {
		if (!texts[i][0])
			continue;
		if (rule->how == GLOB ? !fnmatch(rule->value, texts[i], FNM_CASEFOLD)
				      : !strcasecmp(rule->value, texts[i]))
			return true;
	}
	return false;
}

static bool comparison_matches(const struct cli_rule *rule, const struct dw_disk *d)
{
	uint64_t number;

	if (rule->key->texts)
		return text_is(rule, d) != (rule->how == UNEQUAL);
	if (!rule->key->number(d, &number))
		return rule->how == UNEQUAL;
	return compare_numbers(number, rule->how, rule->number);
}

bool cli_rule_matches(const struct cli_rule *rule, const struct dw_disk *disk)
{
	switch (rule->kind) {
	case AND:
		return cli_rule_matches(rule->left, disk) &&
		       cli_rule_matches(rule->right, disk);
	case OR:
		return cli_rule_matches(rule->left, disk) ||
		       cli_rule_matches(rule->right, disk);
	case NOT:
		return !cli_rule_matches(rule->left, disk);
	case COMPARE:
		break;
	}
	return comparison_matches(rule, disk);
}
