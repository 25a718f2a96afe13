/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_WORDS_H
#define DW_ENCLOSURE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line cut into words; "key=value" words know where the value begins. */
struct dw_word {
	char *key, *value; /* value is NULL without '=' */
};

#define DW_WORDS_MAX 48

int dw_words_split(char *line, struct dw_word *w, size_t max);
bool dw_number_parse(const char *text, uint64_t *ret_v);
bool dw_range_parse(const char *text, uint64_t *ret_lo, uint64_t *ret_hi);

#endif
