/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PROOF_WIRE_H
#define DW_PROOF_WIRE_H

/* Data types of the SSH protocol (RFC 4251, 5), and armour around base 64. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_WIRE_MAX 4096

/** struct dw_wire - bytes that are put together; @full: there were more than fit */
struct dw_wire {
	uint8_t data[DW_WIRE_MAX];
	size_t len;
	bool full;
};

/** dw_wire_bytes() - as they are. */
void dw_wire_bytes(struct dw_wire *w, const void *data, size_t len);

/** dw_wire_u32() - 4 bytes, the highest first. */
void dw_wire_u32(struct dw_wire *w, uint32_t v);

/** dw_wire_string() - with their number before them. */
void dw_wire_string(struct dw_wire *w, const void *data, size_t len);

/** dw_wire_text() - the same of a text, without its 0. */
void dw_wire_text(struct dw_wire *w, const char *text);

/** struct dw_wire_in - bytes that are taken apart; @bad: they were not of that form */
struct dw_wire_in {
	const uint8_t *at;
	size_t left;
	bool bad;
};

/** dw_wire_take() - @len bytes as they are; NULL when there are fewer. */
const uint8_t *dw_wire_take(struct dw_wire_in *in, size_t len);

/** dw_wire_take_u32() - 0 when there is none. */
uint32_t dw_wire_take_u32(struct dw_wire_in *in);

/** dw_wire_take_string() - a part of the input; empty and @in->bad when there is none. */
struct dw_wire_in dw_wire_take_string(struct dw_wire_in *in);

/** dw_wire_is() - is that part this text, and nothing else? */
bool dw_wire_is(const struct dw_wire_in *in, const char *text);

/** dw_armour() - "-----BEGIN @name-----", lines of 70 characters, "-----END ..."; malloc'd, NULL
 *  without memory. */
char *dw_armour(const char *name, const void *data, size_t len);

/** dw_armour_parse() - the only text that dw_armour() makes of some bytes, at most DW_WIRE_MAX;
 *  0, -EINVAL, -ENOMEM. */
int dw_armour_parse(const char *name, const char *text, size_t len, struct dw_wire *ret);

#endif
