/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_MARKER_H
#define DW_TRANSPORT_MARKER_H

/*
 * Proof that several nodes lead to one medium. Equal names prove nothing: clones and cheap
 * bridges share serial numbers and WWNs. A random block that is written through one node and read
 * back through another proves it: the chance that another medium has it is 2^-4096.
 */
#include <stdbool.h>
#include <stdint.h>

#include "scsi/cmd.h"

#define DW_MARKER_BLOCK_MAX 8192

/**
 * struct dw_marker_io - how blocks are reached
 * @send: carry a command over a path and wait; 0 when it did all it should, else a negative
 *	errno. Nothing was carried out after -ESTALE (another disk is there by now, and nothing
 *	was sent to it), -EOPNOTSUPP (the disk does not know the command), -EACCES (it refuses
 *	it) and -EPERM (the opcode guard does).
 * @quiet: wait until no command that @send gave up can reach a disk any more
 * @ctx: for both
 * @block_size: bytes of a logical block, at most DW_MARKER_BLOCK_MAX
 * @rw16, @sync16: the disk knows the 16-byte commands
 */
struct dw_marker_io {
	int (*send)(void *ctx, uint32_t path, struct dw_cmd *cmd);
	void (*quiet)(void *ctx);
	void *ctx;
	uint32_t block_size;
	bool rw16;
	bool sync16;
};

/**
 * struct dw_marker_result - result of a proof
 * @writer, @reader: of a failure: what was written through @writer was not seen by @reader
 * @touched: something was written, or may have been
 * @restored: every block that was written has its old contents again, as read back; true also if
 *	nothing was written
 */
struct dw_marker_result {
	uint32_t writer;
	uint32_t reader;
	bool touched;
	bool restored;
};

/**
 * dw_marker_prove() - paths 0..@n-1 lead to one medium; the block is put back in every case
 * @io: how
 * @n: number of paths, 2..
 * @lba: a block that may be written
 * @ret: what came of it
 *
 * A marker is written and flushed through path 0 and read through every other one. Only
 * when all have seen it are they written through themselves, each with another marker that
 * all others must see: so nothing is written to a disk that merely has the same name. After
 * a path that did not do it, all is quiet before the block is put back.
 *
 * Return: 0 proven; 1 not one medium, see @ret; negative errno: a path did not do it.
 */
int dw_marker_prove(const struct dw_marker_io *io, uint32_t n, uint64_t lba,
		    struct dw_marker_result *ret);

/**
 * dw_marker_match() - the same of two paths, without putting back: the caller writes the
 * block next
 * @io: how
 * @sure: a path of the disk
 * @asked: leads where?
 * @lba: a block that is about to be written
 * @ret_path: of a negative return, the path that did not do it
 *
 * Return: 0 to the same medium; 1 elsewhere, and nothing was written there; negative errno,
 * and all is quiet: whatever is written next comes last.
 */
int dw_marker_match(const struct dw_marker_io *io, uint32_t sure, uint32_t asked,
		    uint64_t lba, uint32_t *ret_path);

#endif
