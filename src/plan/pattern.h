/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_PATTERN_H
#define DW_PLAN_PATTERN_H

/*
 * What a pass writes. A constant pattern has one to three bytes and is anchored to
 * byte 0 of LBA 0, so that its phase does not depend on transfer lengths. A random
 * pattern is a keystream of (job key, disk, pass) with the byte offset as counter.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dw_pattern_kind {
	DW_PATTERN_CONST,
	DW_PATTERN_RANDOM,
	DW_PATTERN_RANDOM_BYTE, /* one random byte for the whole pass */
	DW_PATTERN_COMPLEMENT,  /* the complement of the pass before */
};

/**
 * struct dw_pattern - contents of one pass
 * @kind: enum dw_pattern_kind
 * @len: bytes of @byte in use: 1..3, for DW_PATTERN_CONST
 * @byte: the bytes
 */
struct dw_pattern {
	uint8_t kind;
	uint8_t len;
	uint8_t byte[3];
};

/** dw_pattern_parse() - one item of a list: "00".."ff", a
 *  two- or three-byte item "924924", "random", "random-byte", "complement".
 *  Return: 0, or -EINVAL. */
int dw_pattern_parse(const char *text, struct dw_pattern *ret_pattern);

/** dw_pattern_name() - the text of a valid pattern ("00", "924924", "random"), 16 bytes at most;
 *  returns @buf. */
const char *dw_pattern_name(const struct dw_pattern *p, char *buf, size_t size);

/** dw_pattern_is_const() - true when the pattern alone says what every byte will be: not random
 *  ones, nor a random byte or a complement that has not been resolved yet. */
bool dw_pattern_is_const(const struct dw_pattern *p);

/** dw_pattern_repeats() - true when every block of @block_size bytes holds the same bytes,
 *  so that WRITE SAME can carry the pattern. */
bool dw_pattern_repeats(const struct dw_pattern *p, uint32_t block_size);

#endif
