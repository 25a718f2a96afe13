/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long one transfer may be. The kernel, the host adapter and the disk each have their
 * limit, none of them tells the whole truth, and the contiguity of the buffer counts too;
 * so `inspect` finds it by reading ever longer extents into the kind of buffer that a job
 * uses. A job only takes the known limits and learns the rest on the way.
 *
 * Only what is said before the disk was reached (EINVAL, EIO, ENOMEM) or a field error
 * (5/24/00) speaks of length. A medium error does not: the read is tried elsewhere.
 */
#include <errno.h>
#include <sys/mman.h>

#include "base/util.h"
#include "device/node.h"
#include "device/open.h"
#include "device/profile.h"
#include "scsi/cdb.h"

#define FIRST_BYTES     (64 * DW_KIB)
#define HUGE_PAGE       (2 * DW_MIB)
#define READ_TIMEOUT_MS 30000

enum outcome {
	FITS,
	TOO_LONG,
	TELLS_NOTHING, /* about the length */
};

static uint32_t kib(const char *dir, const char *attr)
{
	uint64_t value;

	if (!dw_sysfs_u64(dir, attr, &value))
		return 0;
	return (uint32_t)dw_min_u64(value * DW_KIB, UINT32_MAX);
}

static uint32_t read_number(const char *dir, const char *attr)
{
	uint64_t value;

	return dw_sysfs_u64(dir, attr, &value) ? (uint32_t)dw_min_u64(value, UINT32_MAX)
					       : 0;
}

static void read_host(const struct dw_machine *m, struct dw_device *d)
{
	char dir[PATH_MAX];

	if (!dw_node_scsi_dir(m, &d->info, dir))
		d->caps.limit.queue_depth = read_number(dir, "queue_depth");
	if (!d->caps.limit.max_segments &&
	    !dw_path(dir, "%s/class/scsi_host/host%u", m->sys, d->info.host))
		d->caps.limit.max_segments = read_number(dir, "sg_tablesize");
}

void dw_device_read_queue(const struct dw_machine *m, struct dw_device *d)
{
	struct dw_transfer_limits *c = &d->caps.limit;
	char dir[PATH_MAX], queue[PATH_MAX];
	uint64_t mask;

	/* libata wants whole sectors, others less; too much alignment does no harm */
	c->dma_align = 512;
	if (!dw_node_block_dir(m, &d->info, dir) && !dw_path(queue, "%s/queue", dir)) {
		c->max_hw_bytes = kib(queue, "max_hw_sectors_kb");
		c->soft_bytes = kib(queue, "max_sectors_kb");
		c->max_segments = read_number(queue, "max_segments");
		c->max_segment_bytes = read_number(queue, "max_segment_size");
		if (dw_sysfs_u64(queue, "dma_alignment", &mask) && mask < 65536)
			c->dma_align = (uint32_t)mask + 1;
		if (!d->info.scsi)
			c->queue_depth = read_number(queue, "nr_requests");
	}
	if (d->info.scsi)
		read_host(m, d);
}

/* What is known before trying: the least of all limits. */
static uint32_t known_limit(const struct dw_device *d, uint32_t bytes)
{
	const struct dw_caps *c = &d->caps;
	uint64_t limit = bytes;

	if (c->limit.soft_bytes && dw_profile_of(&d->info)->soft_length)
		limit = dw_min_u64(limit, c->limit.soft_bytes);

	if (c->limit.max_hw_bytes)
		limit = dw_min_u64(limit, c->limit.max_hw_bytes);
	if (c->limit.max_transfer)
		limit = dw_min_u64(limit,
				   (uint64_t)c->limit.max_transfer * c->block_size);
	if (c->block_size)
		limit = dw_min_u64(limit, c->blocks * c->block_size);
	return (uint32_t)limit;
}

static enum outcome outcome_of(int r, const struct dw_answer *a)
{
	if (!r)
		return FITS;
	if (r == -EINVAL || r == -ENOMEM || (r == -EIO && a->done.err == -EIO))
		return TOO_LONG;
	return r == 1 && dw_answer_unsupported(a) && a->sense.asc == 0x24 ? TOO_LONG
									  : TELLS_NOTHING;
}

static int fill_read(const struct dw_caps *c, uint64_t lba, uint32_t nlb,
		     struct dw_cmd *cmd)
{
	struct dw_cdb_extent x = { .verb = DW_EXTENT_READ, .lba = lba, .nlb = nlb };
	int len = dw_cdb_fill_extent(cmd->cdb, c->rw16 ? 16 : 10, &x);

	if (len < 0)
		return len;
	cmd->cdb_len = (uint8_t)len;
	return 0;
}

static enum outcome try_at(struct dw_device *d, uint64_t lba, uint32_t nlb, void *buffer)
{
	struct dw_cmd cmd = { .data = buffer,
			      .data_len = nlb * d->caps.block_size,
			      .timeout_ms = READ_TIMEOUT_MS };
	struct dw_answer a;

	if (fill_read(&d->caps, lba, nlb, &cmd))
		return TELLS_NOTHING;
	return outcome_of(dw_ask(d, &cmd, &a), &a);
}

int dw_device_read(struct dw_device *d, uint64_t lba, uint32_t nlb, void *buffer)
{
	struct dw_cmd cmd = { .data = buffer,
			      .data_len = nlb * d->caps.block_size,
			      .timeout_ms = READ_TIMEOUT_MS };
	struct dw_answer a;
	int r = fill_read(&d->caps, lba, nlb, &cmd);

	if (!r)
		r = dw_ask(d, &cmd, &a);
	return r > 0 ? -EIO : r;
}

/* At the start, in the middle, at the end: until one place tells something. */
static enum outcome try_length(struct dw_device *d, uint32_t bytes, void *buffer)
{
	uint32_t nlb = bytes / d->caps.block_size;
	uint64_t last = d->caps.blocks - nlb;
	uint64_t at[] = { 0, last / 2, last };
	enum outcome o = TELLS_NOTHING;

	for (size_t i = 0; i < DW_ARRAY_SIZE(at) && o == TELLS_NOTHING; i++)
		o = try_at(d, at[i], nlb, buffer);
	return o;
}

/* Whether READ(16) is there is asked by reading a block; what RSOC says is no proof. */
static void find_read16(struct dw_device *d, void *buffer)
{
	struct dw_cmd cmd = { .data = buffer, .data_len = d->caps.block_size };
	struct dw_answer a;

	if (d->caps.narrow || (d->caps.rsoc && !d->caps.rw16))
		return;
	d->caps.rw16 = true;
	if (!fill_read(&d->caps, 0, 1, &cmd) && dw_ask(d, &cmd, &a) == 1 &&
	    a.sense.key == DW_KEY_ILLEGAL_REQUEST && a.sense.asc == 0x20)
		d->caps.rw16 = false;
}

static uint32_t whole_blocks(const struct dw_caps *c, uint64_t bytes)
{
	return (uint32_t)(bytes / c->block_size * c->block_size);
}

/* Doubling, and last the known limit itself; returns the longest that worked. */
static uint32_t climb(struct dw_device *d, uint32_t limit, void *buffer)
{
	uint32_t best = 0, bytes;
	uint64_t next;

	for (next = FIRST_BYTES; best < limit; next *= 2) {
		bytes = whole_blocks(&d->caps, dw_min_u64(next, limit));
		if (bytes <= best || try_length(d, bytes, buffer) != FITS)
			break;
		best = bytes;
	}
	return best;
}

/* Below the first step: an adapter that takes very little. */
static uint32_t descend(struct dw_device *d, void *buffer)
{
	uint64_t bytes;

	for (bytes = FIRST_BYTES / 2; bytes >= d->caps.block_size; bytes /= 2)
		if (try_length(d, whole_blocks(&d->caps, bytes), buffer) == FITS)
			return whole_blocks(&d->caps, bytes);
	return 0;
}

/* The job also sends through the block node: what fits there may be less. */
static uint32_t climb_nodes(struct dw_device *d, uint32_t limit, void *buffer)
{
	uint32_t best = climb(d, limit, buffer);
	int sg_fd = d->sg_fd;

	if (!best)
		return descend(d, buffer);
	if (sg_fd < 0 || d->blk_fd < 0)
		return best;
	d->sg_fd = -1;
	while (best > FIRST_BYTES && try_length(d, best, buffer) == TOO_LONG)
		best = whole_blocks(&d->caps, best / 2);
	d->sg_fd = sg_fd;
	return best;
}

static void *map_buffer(size_t size, void **ret_aligned)
{
	void *buffer = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (buffer == MAP_FAILED)
		return NULL;
	madvise(buffer, size + HUGE_PAGE, MADV_HUGEPAGE);
	*ret_aligned = (void *)(((uintptr_t)buffer + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	return buffer;
}

void dw_device_assume_length(struct dw_device *d, uint32_t max_bytes)
{
	struct dw_caps *c = &d->caps;
	void *aligned, *buffer;

	if (!c->block_size || !c->blocks)
		return;
	/* the kernel cuts requests of a block node itself */
	c->limit.max_bytes =
		whole_blocks(c, c->scsi ? known_limit(d, max_bytes) : max_bytes);
	buffer = c->scsi ? map_buffer(c->block_size, &aligned) : NULL;
	if (!buffer)
		return;
	find_read16(d, aligned);
	munmap(buffer, c->block_size + HUGE_PAGE);
}

void dw_device_probe_length(struct dw_device *d, uint32_t max_bytes)
{
	struct dw_caps *c = &d->caps;
	uint32_t limit = known_limit(d, max_bytes), best;
	size_t size = (limit + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
	void *aligned, *buffer;

	if (!c->block_size || !c->blocks || !c->scsi)
		return;
	buffer = map_buffer(size, &aligned);
	if (!buffer)
		return;
	find_read16(d, aligned);
	best = climb_nodes(d, limit, aligned);
	if (best) {
		c->limit.max_bytes = best;
		c->limit.max_bytes_probed = true;
	}
	munmap(buffer, size + HUGE_PAGE);
}
