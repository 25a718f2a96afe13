/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_SPEC_H
#define DISKWIPE_SPEC_H

/*
 * The members of struct dw_job_spec as a table: what they are called, what they may be, and
 * whether plan and state files keep them. A program reads its options and names its values by
 * it; the library checks, writes and reads a spec by it.
 *
 * The rows are static and constant; any thread may call the functions at any time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/job.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_field_codec;

enum dw_field_type {
	DW_FIELD_TEXT,    /* char[size], NUL-terminated */
	DW_FIELD_NAME,    /* the same, one of those that names() lists */
	DW_FIELD_NUMBER,  /* unsigned of 1, 4 or 8 bytes, min..max, below 2^63 */
	DW_FIELD_NUMBERS, /* uint64_t[], each min..max; how many: a uint32_t at @count */
	DW_FIELD_BITS,    /* uint64_t, any */
	DW_FIELD_BOOL,
	DW_FIELD_SHARE,  /* double in (0, max] */
	DW_FIELD_WORD,   /* an enum of 1 or 4 bytes, as one of words[min..max] */
	DW_FIELD_RECORD, /* a struct with fields of its own */
	DW_FIELD_OTHER,  /* what no table describes */
	DW_FIELD_REAL, /* double, from 0, or from -@max where @below_zero, to @max; or none */
	DW_FIELD_WHOLE, /* the same, written as a whole number */
	DW_FIELD_TIME,  /* struct timespec, written in seconds with a time zone */
	DW_FIELD_TEXTS, /* char[][@stride]; how many: at @count */
	DW_FIELD_LIST, /* structs of @stride bytes with fields of their own; how many: at @count */
	DW_FIELD_CODED, /* by functions of its own, @codec */
};

/**
 * struct dw_field - one member of a struct
 * @key: its name
 * @type: enum dw_field_type
 * @offset, @size: of the member, in bytes
 * @min, @max: range of numbers and words; of a list that is owned, how many items are read, where a
 *	@max of 0 is no limit
 * @words: of DW_FIELD_WORD, by value
 * @names: of DW_FIELD_NAME: NULL-terminated, static
 * @fields, @n_fields: of DW_FIELD_RECORD and DW_FIELD_LIST
 * @count, @count_size: of the number of a list's items: offset, and size in bytes
 * @stride: of an item, in bytes
 * @owned: of DW_FIELD_LIST: the member is a pointer, and the struct owns what it leads to
 * @below_zero: of reals
 * @decimals: of DW_FIELD_REAL: documents have no more; 0 = all
 * @codec: of DW_FIELD_CODED; opaque
 * @when: the member counts only where the bool at this offset is true; 0 = always
 * @null: an empty text, also of a word, is null in documents
 * @or_none: zero, or empty, is no value of the range and allowed: none, or the default
 * @optional: the same, and documents leave it out then
 * @one_run: it concerns one run on one machine: documents do not keep it
 * @offered: whoever may submit a job to the service may give it. None that names a file of the
 *	machine, changes what others get of an adapter, or changes the capacity of a disk, by which
 *	the service knows it
 */
struct dw_field {
	const char *key;
	enum dw_field_type type;
	size_t offset;
	size_t size;
	uint64_t min;
	uint64_t max;
	const char *const *words;
	const char *const *(*names)(void);
	const struct dw_field *fields;
	size_t n_fields;
	size_t count;
	size_t count_size;
	size_t stride;
	const struct dw_field_codec *codec;
	size_t when;
	uint8_t decimals;
	bool owned;
	bool below_zero;
	bool null;
	bool or_none;
	bool optional;
	bool one_run;
	bool offered;
};

/** dw_spec_field() - row @i of the table, in the order of the members; NULL after the last. */
DW_PUBLIC const struct dw_field *dw_spec_field(size_t i);

/** dw_spec_find() - the row of the member @key; NULL: there is none. */
DW_PUBLIC const struct dw_field *dw_spec_find(const char *key);

/** dw_spec_word() - the value of a member of type DW_FIELD_WORD in words, static; NULL: @key
 *  is no such member, or the value out of its range. */
DW_PUBLIC const char *dw_spec_word(const struct dw_job_spec *spec, const char *key);

/**
 * dw_spec_adopt() - take over what documents keep; the rest of @spec stays
 * @spec: of this run
 * @kept: as a plan or state file has it
 */
DW_PUBLIC void dw_spec_adopt(struct dw_job_spec *spec, const struct dw_job_spec *kept);

#ifdef __cplusplus
}
#endif

#endif
