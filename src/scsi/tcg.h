/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_TCG_H
#define DW_SCSI_TCG_H

/*
 * Self-encrypting disks (TCG Storage Architecture Core Specification, 2.01). Of their protocol one
 * question is asked, Level 0 Discovery, which opens no session and changes nothing.
 */
#include <stddef.h>
#include <stdint.h>

#define DW_TCG_LEN 512 /* bytes that are asked for */

/** enum dw_lock - what a self-encrypting disk reports of its locks */
enum dw_lock {
	DW_LOCK_NONE,   /* it reports nothing of them, or that it has none */
	DW_LOCK_OPEN,   /* it has locks, and all are open */
	DW_LOCK_SHUT,   /* it lets some of its blocks, or all, not be read or written */
	DW_LOCK_DENIES, /* it denied its first and its last block when they were read */
};

/**
 * dw_cdb_tcg_discovery() - SECURITY PROTOCOL IN of Level 0 Discovery, DW_TCG_LEN bytes
 * @cdb: DW_CDB_MAX bytes
 *
 * Return: 12.
 */
int dw_cdb_tcg_discovery(uint8_t *cdb);

/**
 * dw_tcg_lock() - the locking feature in a reply to it
 * @data, @len: the reply as far as it came
 * @ret: enum dw_lock
 *
 * A shadow of the first blocks that has not been put away counts as shut: what is read there is not
 * what the disk holds.
 *
 * Return: 0; -EBADMSG when that is no such reply.
 */
int dw_tcg_lock(const uint8_t *data, size_t len, enum dw_lock *ret);

#endif
