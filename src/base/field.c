/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of members that a table describes: read, written, compared with their range. */
#include <math.h>
#include <string.h>

#include "base/field.h"

static const void *member(const struct dw_field *f, const void *base)
{
	return (const char *)base + f->offset;
}

uint64_t dw_field_number(const struct dw_field *f, const void *base)
{
	const void *at = member(f, base);

	if (f->size == sizeof(uint8_t))
		return *(const uint8_t *)at;
	if (f->size == sizeof(uint32_t))
		return *(const uint32_t *)at;
	return *(const uint64_t *)at;
}

void dw_field_set_number(const struct dw_field *f, void *base, uint64_t v)
{
	void *at = (char *)base + f->offset;

	if (f->size == sizeof(uint8_t))
		*(uint8_t *)at = (uint8_t)v;
	else if (f->size == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)v;
	else
		*(uint64_t *)at = v;
}

size_t dw_field_count(const struct dw_field *f, const void *base)
{
	const void *at = (const char *)base + f->count;

	return f->count_size == sizeof(uint32_t) ? *(const uint32_t *)at
						 : *(const size_t *)at;
}

void dw_field_set_count(const struct dw_field *f, void *base, size_t n)
{
	void *at = (char *)base + f->count;

	if (f->count_size == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)n;
	else
		*(size_t *)at = n;
}

bool dw_field_count_fits(const struct dw_field *f, size_t n)
{
	return !f->owned || (n >= f->min && (!f->max || n <= f->max));
}

const void *dw_field_items(const struct dw_field *f, const void *base)
{
	return f->owned ? *(void *const *)member(f, base) : member(f, base);
}

bool dw_field_counts(const struct dw_field *f, const void *base)
{
	return !f->when || *(const bool *)((const char *)base + f->when);
}

bool dw_field_is_none(const struct dw_field *f, const void *base)
{
	const char *at = member(f, base);

	if (f->type == DW_FIELD_TEXT || f->type == DW_FIELD_NAME)
		return !at[0];
	if (f->type == DW_FIELD_RECORD) {
		for (size_t i = 0; i < f->n_fields; i++)
			if (!dw_field_is_none(&f->fields[i], at))
				return false;
		return true;
	}
	if (f->type == DW_FIELD_TEXTS || f->type == DW_FIELD_LIST)
		return !dw_field_count(f, base);
	for (size_t i = 0; i < f->size; i++)
		if (at[i])
			return false;
	return true;
}

static bool in_range(const struct dw_field *f, uint64_t v)
{
	return v >= f->min && v <= f->max && v <= INT64_MAX;
}

static const char *wrong_name(const struct dw_field *f, const char *text)
{
	for (const char *const *name = f->names(); *name; name++)
		if (!strcmp(text, *name))
			return NULL;
	return "not one of the known words";
}

static const char *wrong_numbers(const struct dw_field *f, const void *base)
{
	size_t n = dw_field_count(f, base);
	const uint64_t *v = member(f, base);

	if (n > f->size / sizeof(*v))
		return "too many";
	for (size_t i = 0; i < n; i++)
		if (!in_range(f, v[i]))
			return "out of range";
	return NULL;
}

static const char *wrong_record(const struct dw_field *f, const void *base)
{
	for (size_t i = 0; i < f->n_fields; i++)
		if (dw_field_wrong(&f->fields[i], base))
			return dw_field_wrong(&f->fields[i], base);
	return NULL;
}

static const char *wrong_list(const struct dw_field *f, const void *base)
{
	const char *item = dw_field_items(f, base);
	size_t n = dw_field_count(f, base);

	if (!f->owned && n > f->size / f->stride)
		return "too many";
	for (size_t i = 0; i < n; i++, item += f->stride) {
		if (f->type == DW_FIELD_LIST && wrong_record(f, item))
			return wrong_record(f, item);
		if (f->type == DW_FIELD_TEXTS && !memchr(item, '\0', f->stride))
			return "too long";
	}
	return NULL;
}

static const char *wrong_real(const struct dw_field *f, double v)
{
	if (isnan(v))
		return NULL;
	return v <= (double)f->max && v >= (f->below_zero ? -(double)f->max : 0)
		       ? NULL
		       : "out of range";
}

const char *dw_field_wrong(const struct dw_field *f, const void *base)
{
	const void *at = member(f, base);
	double share;

	if (!dw_field_counts(f, base))
		return NULL;
	if ((f->or_none || f->optional) && dw_field_is_none(f, base))
		return NULL;
	switch (f->type) {
	case DW_FIELD_TEXT:
	case DW_FIELD_NAME:
		if (!memchr(at, '\0', f->size))
			return "too long";
		return f->type == DW_FIELD_NAME ? wrong_name(f, at) : NULL;
	case DW_FIELD_NUMBER:
		return in_range(f, dw_field_number(f, base)) ? NULL : "out of range";
	case DW_FIELD_WORD:
		return in_range(f, dw_field_number(f, base))
			       ? NULL
			       : "not one of the known words";
	case DW_FIELD_NUMBERS:
		return wrong_numbers(f, base);
	case DW_FIELD_SHARE:
		share = *(const double *)at;
		return share > 0 && share <= (double)f->max ? NULL : "out of range";
	case DW_FIELD_RECORD:
		return wrong_record(f, at);
	case DW_FIELD_REAL:
	case DW_FIELD_WHOLE:
		return wrong_real(f, *(const double *)at);
	case DW_FIELD_TEXTS:
	case DW_FIELD_LIST:
		return wrong_list(f, base);
	case DW_FIELD_TIME:
	case DW_FIELD_CODED:
	case DW_FIELD_BITS:
	case DW_FIELD_BOOL:
	case DW_FIELD_OTHER:
		break;
	}
	return NULL;
}
