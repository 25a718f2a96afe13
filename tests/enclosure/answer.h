/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_ANSWER_H
#define DW_ENCLOSURE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_ANSWER_MAX 65536
#define DW_SENSE_MAX  32

/* What a rule answers in the disk's place, or changes in what the disk answers. */
struct dw_answer {
	uint8_t *bytes,
		*mask; /* of the parameter data; bits that are not in @mask stay */
	size_t len;
	bool given;                /* @bytes are all of it */
	bool whole;                /* the disk is not asked */
	bool checks;               /* CHECK CONDITION */
	size_t room;               /* no more bytes than this arrive; SIZE_MAX: all */
	uint8_t raw[DW_SENSE_MAX]; /* sense data, byte for byte */
	size_t raw_len;
};

/* The bytes of a CDB that a rule is about. */
struct dw_cdb_pattern {
	uint8_t byte[16], mask[16];
};

bool dw_bytes_parse(const char *text, uint8_t **ret_bytes, size_t *ret_len);
bool dw_pattern_parse(const char *text, struct dw_cdb_pattern *p);
bool dw_pattern_byte(struct dw_cdb_pattern *p, unsigned int at, uint8_t mask,
		     const char *text);
bool dw_pattern_fits(const struct dw_cdb_pattern *p, const uint8_t *cdb);

struct dw_answer *dw_answer_new(void);
bool dw_answer_key(const char *key, const char *value, struct dw_answer *a, bool *ret_ok);
size_t dw_answer_edit(const struct dw_answer *a, uint8_t *buf, size_t len, size_t max);
void dw_answer_free(struct dw_answer *a);

#endif
