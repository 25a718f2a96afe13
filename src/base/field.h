/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_FIELD_H
#define DW_BASE_FIELD_H

/* Members of plain structs, described by rows of a table; see <diskwipe/spec.h>. */
#include <diskwipe/spec.h>

/* A member under another name. */
#define DW_FIELD_AS(type_, struct_, member, key_, ...)                                   \
	{                                                                                \
		.key = (key_), .type = DW_FIELD_##type_,                                 \
		.offset = offsetof(struct_, member),                                     \
		.size = sizeof(((struct_ *)0)->member), __VA_ARGS__                      \
	}

#define DW_FIELD(type_, struct_, member, ...)                                            \
	DW_FIELD_AS(type_, struct_, member, #member, __VA_ARGS__)

/* A list that the struct points to and owns. Its size is that of any pointer: of an item, it
   would look as if the item had been meant. */
#define DW_FIELD_OWNED(struct_, member, key_, n, rows, n_rows, ...)                      \
	{                                                                                \
		.key = (key_), .type = DW_FIELD_LIST, .owned = true,                     \
		.offset = offsetof(struct_, member), .size = sizeof(void *),             \
		DW_FIELD_COUNT(struct_, n), .stride = sizeof(*((struct_ *)0)->member),   \
		.fields = (rows), .n_fields = (n_rows), __VA_ARGS__                      \
	}

/* Where the number of a list's items stands. */
#define DW_FIELD_COUNT(struct_, n)                                                       \
	.count = offsetof(struct_, n), .count_size = sizeof(((struct_ *)0)->n)

/** dw_field_number() - an unsigned of 1, 4 or 8 bytes, or an enum. */
uint64_t dw_field_number(const struct dw_field *f, const void *base);

/** dw_field_set_number() - the same, written. */
void dw_field_set_number(const struct dw_field *f, void *base, uint64_t v);

/** dw_field_count() - items of a list. */
size_t dw_field_count(const struct dw_field *f, const void *base);

/** dw_field_set_count() - the same, written. */
void dw_field_set_count(const struct dw_field *f, void *base, size_t n);

/** dw_field_count_fits() - a list that is owned may have @n items. */
bool dw_field_count_fits(const struct dw_field *f, size_t n);

/** dw_field_items() - the first item of a list; NULL: it has none. */
const void *dw_field_items(const struct dw_field *f, const void *base);

/** dw_field_counts() - it is not one of a member that is off. */
bool dw_field_counts(const struct dw_field *f, const void *base);

/** dw_field_is_none() - zero or empty; of a record, all its fields are. */
bool dw_field_is_none(const struct dw_field *f, const void *base);

/** dw_field_wrong() - what is wrong with a value, "out of range"; NULL: nothing. */
const char *dw_field_wrong(const struct dw_field *f, const void *base);

#endif
