/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_PR_H
#define DW_SCSI_PR_H

/* Persistent reservations: replies and the parameter list. @len is what was really
 * transferred. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reservation types (SPC). */
enum dw_pr_type {
	DW_PR_WRITE_EXCLUSIVE = 1,
	DW_PR_EXCLUSIVE_ACCESS = 3,
	DW_PR_WRITE_EXCLUSIVE_REGISTRANTS = 5,
	DW_PR_EXCLUSIVE_ACCESS_REGISTRANTS = 6,
	DW_PR_WRITE_EXCLUSIVE_ALL = 7,
	DW_PR_EXCLUSIVE_ACCESS_ALL = 8,
};

#define DW_PR_LIST_LEN 24 /* PERSISTENT RESERVE OUT parameter list */

/**
 * struct dw_pr_reservation - who holds the disk
 * @held: a reservation exists; else only @generation is set
 * @generation: PRGENERATION
 * @key: reservation key of the holder; 0 for the types "all registrants"
 * @type: enum dw_pr_type, or what else the disk reports: a reservation of an unknown type is
 *	one too
 */
struct dw_pr_reservation {
	bool held;
	uint32_t generation;
	uint64_t key;
	uint8_t type;
};

/**
 * dw_pr_reservation() - read the reply to PERSISTENT RESERVE IN, READ RESERVATION (SPC)
 * @data: the reply
 * @len: its length in bytes
 * @ret: filled
 *
 * Return: 0; -EBADMSG when it is no such reply.
 */
int dw_pr_reservation(const uint8_t *data, size_t len, struct dw_pr_reservation *ret);

/**
 * dw_pr_fill_list() - the PERSISTENT RESERVE OUT parameter list (SPC)
 * @key: RESERVATION KEY: the one that is registered now, 0 to register the first time
 * @sa_key: SERVICE ACTION RESERVATION KEY: the one to register, 0 to unregister
 * @buf: DW_PR_LIST_LEN bytes; APTPL is 0: the registration does not outlive a power loss
 */
void dw_pr_fill_list(uint64_t key, uint64_t sa_key, uint8_t *buf);

/** dw_pr_type_name() - a reservation type in words, static, never NULL. */
const char *dw_pr_type_name(uint8_t type);

#endif
