/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's options as text, from a caller or from the configuration, by the library's table. What
 * that does not offer is refused; so is a member that it will have one day, until somebody has
 * thought about it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"

static int wrong(const struct dw_field *f, const char *value, struct dw_error *err)
{
	return dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, f->key,
			    "'%.60s' is not a value of it", value);
}

static int set_text(const struct dw_field *f, char *at, const char *value,
		    struct dw_error *err)
{
	if (strlen(value) >= f->size)
		return dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, f->key, "too long");
	snprintf(at, f->size, "%s", value);
	return 0;
}

static int set_word(const struct dw_field *f, void *at, const char *value,
		    const char *const *words, struct dw_error *err)
{
	for (uint32_t i = 0; words[i]; i++) {
		if (strcmp(words[i], value) != 0)
			continue;
		if (f->type == DW_FIELD_NAME)
			return set_text(f, at, value, err);
		if (f->size == 1)
			*(uint8_t *)at = (uint8_t)i;
		else
			*(uint32_t *)at = i;
		return 0;
	}
	return wrong(f, value, err);
}

static int set_whole(const struct dw_field *f, void *at, const char *value,
		     struct dw_error *err)
{
	uint64_t n;

	if (dw_number_parse(value, &n) < 0 ||
	    ((n < f->min || n > f->max) && !(f->or_none && !n)))
		return wrong(f, value, err);
	if (f->size == sizeof(uint64_t))
		*(uint64_t *)at = n;
	else if (f->size == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)n;
	else
		*(uint8_t *)at = (uint8_t)n;
	return 0;
}

static int set_bool(const struct dw_field *f, bool *at, const char *value,
		    struct dw_error *err)
{
	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return wrong(f, value, err);
	*at = value[0] == 't';
	return 0;
}

int spec_option(struct dw_job_spec *spec, const char *key, const char *value,
		struct dw_error *err)
{
	const struct dw_field *f = dw_spec_find(key);
	char *at = f ? (char *)spec + f->offset : NULL;

	dw_error_clear(err);
	if (!f || !f->offered)
		return dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, key,
				    "the service has no such option");
	switch (f->type) {
	case DW_FIELD_NAME:
		return set_word(f, at, value, f->names(), err);
	case DW_FIELD_WORD:
		return set_word(f, at, value, f->words, err);
	case DW_FIELD_TEXT:
		return set_text(f, at, value, err);
	case DW_FIELD_NUMBER:
		return set_whole(f, at, value, err);
	case DW_FIELD_BOOL:
		return set_bool(f, (bool *)(void *)at, value, err);
	case DW_FIELD_SHARE:
		if (dw_percent_parse(value, (double *)(void *)at) < 0)
			return wrong(f, value, err);
		return 0;
	default:
		return wrong(f, value, err);
	}
}

int spec_options(struct dw_job_spec *spec, const char *lines, struct dw_error *err)
{
	char key[48], value[600];
	int r = 0;

	while (*lines && !r) {
		size_t len = strcspn(lines, "\n");
		const char *equals = memchr(lines, '=', len);

		if (!equals)
			return dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, NULL,
					    "'%.*s' is no option", (int)len, lines);
		snprintf(key, sizeof(key), "%.*s", (int)(equals - lines), lines);
		snprintf(value, sizeof(value), "%.*s", (int)(lines + len - equals - 1),
			 equals + 1);
		r = spec_option(spec, key, value, err);
		lines += len + (lines[len] == '\n');
	}
	return r;
}
