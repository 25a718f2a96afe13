/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_CAPTURE_NAMES_H
#define DW_DEVICE_CAPTURE_NAMES_H

/* The answers of a capture, and the names in them. */
#include <stddef.h>
#include <stdint.h>

#define CAPTURE_SENSE 32 /* as much as the shelf plays */

/**
 * struct capture_answer - how a command ended
 * @cdb, @cdb_len: the question
 * @status, @host: SCSI status, and DID_* of the kernel
 * @sense, @sense_len: sense data
 * @data, @len: what arrived; owned
 */
struct capture_answer {
	uint8_t cdb[16];
	uint8_t cdb_len;
	uint8_t status, host, sense_len;
	uint8_t sense[CAPTURE_SENSE];
	uint8_t *data;
	size_t len;
};

/**
 * capture_hide_names() - dw_capture_hide() on these answers
 * @v, @n: answers, changed
 *
 * Return: 0; negative errno.
 */
int capture_hide_names(struct capture_answer *v, size_t n);

#endif
