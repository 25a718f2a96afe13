/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_DOCS_H
#define DW_TESTS_DOCS_H

/* Random but valid parts of plan and state files, and damage to their text. */
#include "unit.h"

#include <math.h>

#include <diskwipe/planfile.h>
#include <diskwipe/spec.h>
#include <diskwipe/units.h>

#include "base/field.h"
#include "base/rng.h"

static inline void random_text(struct dw_rng *rng, char *buf, size_t size, bool empty)
{
	static const char alphabet[] = "ABCxyz019 _-\"\\/\t{}[]:,\xc3\xa9";
	size_t n = dw_rng_below(rng, size - !empty) + !empty;

	memset(buf, 0, size);
	for (size_t i = 0; i < n; i++) {
		char c = alphabet[dw_rng_below(rng, sizeof(alphabet) - 1)];

		buf[i] = (unsigned char)c < 0x80 ? c : 'e';
	}
	if (n >= 4 && dw_rng_below(rng, 2))
		memcpy(buf + n - 2, "\xc3\xa9", 2);
}

static inline uint64_t random_bits(struct dw_rng *rng, unsigned bits)
{
	return dw_rng_next(rng) >> (64 - bits) >> dw_rng_below(rng, bits);
}

static inline void random_field(struct dw_rng *rng, const struct dw_field *f, void *base);

static inline void random_fields(struct dw_rng *rng, const struct dw_field *field,
				 size_t n, void *base)
{
	for (size_t i = 0; i < n; i++)
		if (field[i].type != DW_FIELD_OTHER)
			random_field(rng, &field[i], base);
}

static inline void random_list(struct dw_rng *rng, const struct dw_field *f, void *base)
{
	size_t n = 1 + dw_rng_below(rng, f->owned ? 3 : f->size / f->stride);
	char *at = (char *)base + f->offset;

	if (f->owned) {
		at = calloc(n, f->stride);
		assert_non_null(at);
		memcpy((char *)base + f->offset, &at, sizeof(at));
	}
	dw_field_set_count(f, base, n);
	for (size_t i = 0; i < n; i++, at += f->stride) {
		if (f->type == DW_FIELD_TEXTS)
			random_text(rng, at, f->stride, false);
		else
			random_fields(rng, f->fields, f->n_fields, at);
	}
}

/* a value of the field's range, not none */
static inline void random_field(struct dw_rng *rng, const struct dw_field *f, void *base)
{
	char *at = (char *)base + f->offset;
	size_t n = 0;

	if (f->when)
		*(bool *)((char *)base + f->when) = true;
	switch (f->type) {
	case DW_FIELD_TEXT:
		random_text(rng, at, f->size, false);
		break;
	case DW_FIELD_NAME:
		while (f->names()[n])
			n++;
		snprintf(at, f->size, "%s", f->names()[dw_rng_below(rng, n)]);
		break;
	case DW_FIELD_NUMBER:
	case DW_FIELD_WORD:
		n = f->min ? f->min : 1;
		dw_field_set_number(f, base, n + dw_rng_below(rng, f->max - n + 1));
		break;
	case DW_FIELD_NUMBERS:
		n = 1 + dw_rng_below(rng, f->size / sizeof(uint64_t));
		dw_field_set_count(f, base, n);
		while (n--)
			((uint64_t *)(void *)at)[n] = 1 + random_bits(rng, 62);
		break;
	case DW_FIELD_BITS:
		*(uint64_t *)(void *)at = 1 + random_bits(rng, 63);
		break;
	case DW_FIELD_BOOL:
		*(bool *)at = true;
		break;
	case DW_FIELD_SHARE:
		*(double *)(void *)at = (double)f->max * (1 - dw_rng_unit(rng));
		break;
	case DW_FIELD_RECORD:
		random_fields(rng, f->fields, f->n_fields, at);
		break;
	case DW_FIELD_REAL:
	case DW_FIELD_WHOLE:
		*(double *)(void *)at =
			f->max < 2 ? 0.25 : (double)(1 + random_bits(rng, 32));
		break;
	case DW_FIELD_TIME:
		((struct timespec *)(void *)at)->tv_sec =
			(time_t)(1 + random_bits(rng, 32));
		break;
	case DW_FIELD_TEXTS:
	case DW_FIELD_LIST:
		random_list(rng, f, base);
		break;
	case DW_FIELD_CODED: /* made of members that others fill, or of the test */
		break;
	case DW_FIELD_OTHER:
		fail_msg("%s: no value of its type is known", f->key);
	}
}

/* the field of a spec, and what has to be there beside it */
static inline void random_option(struct dw_rng *rng, const struct dw_field *f,
				 struct dw_job_spec *s)
{
	static const char *const methods[] = { "gutmann", "ar-380-19", "dod-short" };

	random_field(rng, f, s);
	if (!strcmp(f->key, "method"))
		snprintf(s->method, sizeof(s->method), "%s",
			 methods[dw_rng_below(rng, 3)]);
	if (!strcmp(f->key, "pattern"))
		snprintf(s->pattern, sizeof(s->pattern), "00,924924,random");
	dw_text_printable(s->customer);
	dw_text_printable(s->order_number);
	dw_text_printable(s->operator_name);
	if (!strcmp(f->key, "allow"))
		snprintf(s->allow, sizeof(s->allow), "crypto");
	if (!strcmp(f->key, "verify_chosen") && s->verify_chosen != DW_VERIFY_DEFAULT) {
		s->verify = DW_VERIFY_AUTO;
		s->verify_chosen =
			dw_rng_below(rng, 2) ? DW_VERIFY_FULL : DW_VERIFY_DEVICE;
	}
	if (!strcmp(f->key, "order") || !strcmp(f->key, "near")) {
		snprintf(s->order, sizeof(s->order), "near-first");
		snprintf(s->near, sizeof(s->near), "%u-", (unsigned)random_bits(rng, 30));
		strcat(s->near, "18446744073709551615");
	}
}

static inline struct dw_job_spec random_spec(struct dw_rng *rng)
{
	struct dw_job_spec s;
	const struct dw_field *f;

	dw_job_spec_init(&s);
	for (size_t i = 0; (f = dw_spec_field(i)); i++)
		if (!f->one_run && dw_rng_below(rng, 3))
			random_option(rng, f, &s);
	return s;
}

static inline struct dw_plan_entry random_entry(struct dw_rng *rng)
{
	struct dw_plan_entry e = {
		.block_size = dw_rng_below(rng, 2) ? 512 : 520,
	};

	e.capacity_bytes = e.block_size * (1 + random_bits(rng, 53));
	random_text(rng, e.device, sizeof(e.device), true);
	random_text(rng, e.vendor, sizeof(e.vendor), true);
	random_text(rng, e.model, sizeof(e.model), true);
	random_text(rng, e.serial, sizeof(e.serial), false);
	random_text(rng, e.wwn, sizeof(e.wwn), true);
	return e;
}

static inline void same_share(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-14 * fabs(b));
}

/* padding differs, so field by field */
static inline void same_field(const struct dw_field *f, const void *a, const void *b)
{
	const char *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;

	if (f->type == DW_FIELD_TEXT || f->type == DW_FIELD_NAME)
		assert_string_equal(x, y);
	else if (f->type == DW_FIELD_SHARE)
		same_share(*(const double *)(const void *)x,
			   *(const double *)(const void *)y);
	else if (f->type == DW_FIELD_RECORD)
		for (size_t i = 0; i < f->n_fields; i++)
			same_field(&f->fields[i], x, y);
	else
		assert_memory_equal(x, y, f->size);
}

static inline void same_spec(const struct dw_job_spec *a, const struct dw_job_spec *b)
{
	const struct dw_field *f;

	for (size_t i = 0; (f = dw_spec_field(i)); i++)
		if (!f->one_run)
			same_field(f, a, b);
}

static inline void same_entry(const struct dw_plan_entry *a,
			      const struct dw_plan_entry *b)
{
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->vendor, b->vendor);
	assert_string_equal(a->model, b->model);
	assert_string_equal(a->serial, b->serial);
	assert_string_equal(a->wwn, b->wwn);
	assert_int_equal(a->capacity_bytes, b->capacity_bytes);
	assert_int_equal(a->block_size, b->block_size);
}

/**
 * replaced() - a text with its first @old replaced
 * @text: in which @old stands
 * @old: what to replace
 * @new: by what
 *
 * Return: malloc'd.
 */
static inline char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *out = malloc(strlen(text) + strlen(new) + 1);

	if (!at)
		fail_msg("no '%s' in: %s", old, text);
	sprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	return out;
}

#endif
