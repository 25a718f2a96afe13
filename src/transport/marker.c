/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proves paths by a marker. The marker is flushed before it is read, so that a path with a cache
 * of its own cannot hide it. The contents of the block are read before and written back after: a
 * refused disk is unchanged.
 *
 * A failed write may be carried out late, by a disk that has not noticed yet that its host gave
 * it up. The next write to the block waits until that is impossible: else the marker could
 * remain.
 */
#include "transport/marker.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "scsi/cdb.h"

#define TIMEOUT_MS 60000

static int send_sized(const struct dw_marker_io *io, uint32_t path,
		      const struct dw_cdb_extent *x, unsigned int size, void *data)
{
	struct dw_cmd cmd = { .dir = DW_DIR_NONE, .timeout_ms = TIMEOUT_MS };
	int len = dw_cdb_fill_extent(cmd.cdb, size, x);

	if (len < 0)
		return len;
	cmd.cdb_len = (uint8_t)len;
	if (data) {
		cmd.dir = x->verb == DW_EXTENT_WRITE ? DW_DIR_OUT : DW_DIR_IN;
		cmd.data = data;
		cmd.data_len = io->block_size;
	}
	return io->send(io->ctx, path, &cmd);
}

/* What the disk knows in 10 bytes alone is done in 10, where those reach. */
static int send_extent(const struct dw_marker_io *io, uint32_t path, uint8_t verb,
		       uint64_t lba, void *data)
{
	struct dw_cdb_extent x = { .verb = verb, .lba = lba, .nlb = data ? 1 : 0 };
	bool wide = verb == DW_EXTENT_SYNC ? io->sync16 : io->rw16;
	int r = send_sized(io, path, &x, wide ? 16 : 10, data);

	if (wide && r == -EOPNOTSUPP)
		r = send_sized(io, path, &x, 10, data);
	return r == -ERANGE ? -EOPNOTSUPP : r;
}

static int read_block(const struct dw_marker_io *io, uint32_t path, uint64_t lba,
		      uint8_t *ret)
{
	memset(ret, 0, io->block_size);
	return send_extent(io, path, DW_EXTENT_READ, lba, ret);
}

/* Did the disk say that it has not carried the command out, or was it not sent? */
static bool nothing_done(int r)
{
	return r == -EOPNOTSUPP || r == -EACCES || r == -ESTALE || r == -EPERM;
}

/* The whole cache, as a job flushes it: LIO reports a residual for a single block. A disk that
 * knows no SYNCHRONIZE CACHE has nothing to flush. @touched: set if the block may be another. */
static int write_block(const struct dw_marker_io *io, uint32_t path, uint64_t lba,
		       uint8_t *data, bool *touched)
{
	int r = send_extent(io, path, DW_EXTENT_WRITE, lba, data);

	*touched |= !nothing_done(r);
	if (r)
		return r;
	r = send_extent(io, path, DW_EXTENT_SYNC, 0, NULL);
	return r == -EOPNOTSUPP ? 0 : r;
}

static int make_marker(const struct dw_marker_io *io, uint8_t *ret)
{
	size_t have = 0;

	while (have < io->block_size) {
		ssize_t n = getrandom(ret + have, io->block_size - have, 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		have += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Is @marker what @path has there? 0 yes, 1 no, -errno. */
static int looks_like(const struct dw_marker_io *io, uint32_t path, uint64_t lba,
		      const uint8_t *marker)
{
	uint8_t seen[DW_MARKER_BLOCK_MAX];
	int r = read_block(io, path, lba, seen);

	return r ? r : memcmp(seen, marker, io->block_size) != 0;
}

/* One round: written through @writer, seen by all the others. @wrote: it may have been. */
static int show(const struct dw_marker_io *io, uint32_t n, uint32_t writer, uint64_t lba,
		bool *wrote, struct dw_marker_result *ret)
{
	uint8_t marker[DW_MARKER_BLOCK_MAX];
	int r = make_marker(io, marker);

	*wrote = false;
	if (r)
		return r;
	ret->writer = ret->reader = writer;
	r = write_block(io, writer, lba, marker, wrote);
	ret->touched |= *wrote;
	for (uint32_t reader = 0; reader < n && !r; reader++) {
		if (reader == writer)
			continue;
		ret->reader = reader;
		r = looks_like(io, reader, lba, marker);
	}
	return r;
}

/* A write that the disk refuses leaves the block alone, and reading tells what is there. */
static bool put_through(const struct dw_marker_io *io, uint32_t path, uint64_t lba,
			uint8_t *before)
{
	bool touched = false;
	int r = write_block(io, path, lba, before, &touched);

	return !(r && touched) && !looks_like(io, path, lba, before);
}

/* Through path 0, and through the one whose write went astray, if one did. One that has another
 * disk since (-ESTALE) wrote, if at all, when it had been seen to lead to that of path 0. */
static bool put_back(const struct dw_marker_io *io, uint64_t lba, uint8_t *before,
		     uint32_t writer)
{
	bool done = put_through(io, 0, lba, before);

	return writer ? put_through(io, writer, lba, before) && done : done;
}

int dw_marker_prove(const struct dw_marker_io *io, uint32_t n, uint64_t lba,
		    struct dw_marker_result *ret)
{
	uint8_t before[DW_MARKER_BLOCK_MAX];
	bool wrote = false;
	int r;

	*ret = (struct dw_marker_result){ .restored = true };
	if (io->block_size > sizeof(before))
		return -EINVAL;
	r = read_block(io, 0, lba, before);
	for (uint32_t writer = 0; writer < n && !r; writer++)
		r = show(io, n, writer, lba, &wrote, ret);
	if (ret->touched && r < 0)
		io->quiet(io->ctx);
	if (ret->touched)
		ret->restored = put_back(io, lba, before,
					 r && r != -ESTALE && wrote ? ret->writer : 0);
	return r;
}

int dw_marker_match(const struct dw_marker_io *io, uint32_t sure, uint32_t asked,
		    uint64_t lba, uint32_t *ret_path)
{
	uint32_t writer[] = { sure, asked }, reader[] = { asked, sure };
	uint8_t marker[DW_MARKER_BLOCK_MAX];
	int r = io->block_size > sizeof(marker) ? -EINVAL : 0;
	bool touched = false;

	for (int i = 0; i < 2 && !r; i++) {
		*ret_path = writer[i];
		r = make_marker(io, marker);
		if (!r)
			r = write_block(io, writer[i], lba, marker, &touched);
		if (r)
			break;
		*ret_path = reader[i];
		r = looks_like(io, reader[i], lba, marker);
	}
	if (r < 0)
		io->quiet(io->ctx);
	return r;
}
