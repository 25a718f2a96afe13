/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes zeros to the ends of a disk. A change of the key leaves noise, which some hosts take for
 * the partition table of an Atari or the like. No lease covers these writes: the disk is
 * identified before each.
 */
#include "own/ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "codec/encode.h"
#include "own/claim.h"
#include "own/path.h"

#define END_BYTES   DW_MIB
#define PIECE_BYTES (64 * DW_KIB)

/** struct ends - the first @nlb blocks and the last; @piece: of a command, @buf: of so many */
struct ends {
	struct dw_claimed_path path;
	uint64_t nlb;
	uint32_t piece;
	uint8_t *buf;
};

static size_t bytes_of(const struct ends *e, uint32_t nlb)
{
	return (size_t)nlb * e->path.device->caps.block_size;
}

static int send(struct ends *e, uint8_t verb, uint64_t lba, uint32_t nlb)
{
	const struct dw_op op = { .verb = verb, .lba = lba, .nlb = nlb };
	struct dw_cmd cmd = { 0 };
	int r = dw_encode(&e->path.device->caps, &op, true, &cmd);

	if (r < 0)
		return r;
	cmd.data = cmd.data_len ? e->buf : NULL;
	return dw_claimed_send(&e->path, &cmd);
}

static int write_zeros(struct ends *e, uint64_t lba, uint32_t nlb)
{
	int r = dw_device_names(e->path.device);

	memset(e->buf, 0, bytes_of(e, nlb));
	if (r)
		return r > 0 ? -ESTALE : r;
	return send(e, DW_VERB_WRITE, lba, nlb);
}

static int read_zeros(struct ends *e, uint64_t lba, uint32_t nlb)
{
	int r = send(e, DW_VERB_READ, lba, nlb);

	if (!r && (e->buf[0] || memcmp(e->buf, e->buf + 1, bytes_of(e, nlb) - 1)))
		r = -EIO;
	return r;
}

/* Calls the function for each piece of both ends, which overlap if the disk is small. */
static int each_piece(struct ends *e,
		      int (*go)(struct ends *e, uint64_t lba, uint32_t nlb))
{
	uint64_t blocks = e->path.device->caps.blocks, nlb;
	int r = 0;

	for (uint64_t at = 0; at < blocks && !r; at += nlb) {
		if (at >= e->nlb && blocks - at > e->nlb)
			at = blocks - e->nlb;
		nlb = dw_min_u64(e->piece, blocks - at);
		r = go(e, at, (uint32_t)nlb);
	}
	return r;
}

int dw_device_zero_ends(struct dw_device *d, uint32_t *ret_write_errors)
{
	const struct dw_caps *c = &d->caps;
	uint64_t piece = dw_max_u64(1, PIECE_BYTES / c->block_size);
	struct ends e = { .path = { .device = d },
			  .nlb = dw_max_u64(1, END_BYTES / c->block_size) };
	int r;

	if (c->limit.max_transfer)
		piece = dw_min_u64(piece, c->limit.max_transfer);
	e.piece = (uint32_t)piece;
	e.buf = malloc(bytes_of(&e, e.piece));
	r = e.buf ? each_piece(&e, write_zeros) : -ENOMEM;
	if (!r && dw_caps_flush(c))
		r = send(&e, DW_VERB_FLUSH, 0, 0);
	if (!r)
		r = each_piece(&e, read_zeros);
	free(e.buf);
	*ret_write_errors = e.path.write_errors;
	return r;
}
