/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a job as text, as the service takes them. */
#include "client/job_options.h"

#include <inttypes.h>
#include <string.h>

#include "options.h"

static uint64_t number_at(const void *at, size_t size)
{
	switch (size) {
	case sizeof(uint64_t):
		return *(const uint64_t *)at;
	case sizeof(uint32_t):
		return *(const uint32_t *)at;
	default:
		return *(const uint8_t *)at;
	}
}

/* A member as text; false where the service has no such option. */
static bool member_text(const struct dw_job_spec *spec, const struct dw_field *f,
			char *buf, size_t size)
{
	const void *at = (const char *)spec + f->offset;

	switch (f->type) {
	case DW_FIELD_NAME:
	case DW_FIELD_TEXT:
		snprintf(buf, size, "%s", (const char *)at);
		return f->type == DW_FIELD_TEXT || buf[0];
	case DW_FIELD_WORD:
		snprintf(buf, size, "%s", dw_spec_word(spec, f->key));
		return true;
	case DW_FIELD_NUMBER:
		snprintf(buf, size, "%" PRIu64, number_at(at, f->size));
		return true;
	case DW_FIELD_BOOL:
		snprintf(buf, size, "%s", *(const bool *)at ? "true" : "false");
		return true;
	case DW_FIELD_SHARE:
		snprintf(buf, size, "%.15g%%", *(const double *)at);
		return true;
	default:
		return false;
	}
}

static bool was_asked(const struct cli *c, const char *key)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		if (c->given[i] && o->planned &&
		    !strcmp(o->member ? o->member : o->name, key))
			return true;
	return false;
}

void cli_job_options_collect(const struct cli *c, struct cli_job_options *ret)
{
	const struct dw_field *f;
	struct dw_job_spec usual;

	dw_job_spec_init(&usual);
	ret->n = 0;
	for (size_t i = 0; (f = dw_spec_field(i)) && ret->n < CLI_JOB_OPTIONS_MAX; i++) {
		bool same = !memcmp((const char *)&usual + f->offset,
				    (const char *)&c->spec + f->offset, f->size);
		char *text = ret->text[ret->n];

		if (f->one_run || (same && !was_asked(c, f->key)) ||
		    !member_text(&c->spec, f, text, sizeof(ret->text[0])))
			continue;
		ret->key[ret->n] = f->key;
		ret->value[ret->n++] = text;
	}
}
