/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_STREAMS_H
#define DW_FORECAST_STREAMS_H

/*
 * Reading in order to measure: streams of reads, several at once where sharing is to be seen.
 * Groups of disks that have nothing in common go through their steps side by side.
 */
#include "transport/transport.h"

/**
 * struct probe_disk - a disk that may be read
 * @transport, @handle: attached with the read class at least
 * @blocks, @block_size: capacity
 * @max_blocks: of a read
 * @rw16: READ(16), else READ(10)
 */
struct probe_disk {
	struct dw_transport *transport;
	uint32_t handle;
	uint64_t blocks;
	uint32_t block_size;
	uint32_t max_blocks;
	bool rw16;
};

/** enum probe_walk - which block comes next; none is read twice while there are others */
enum probe_walk {
	PROBE_FORWARD, /* one extent after the other */
	PROBE_JUMP,    /* a stride back each time, round the whole disk */
	PROBE_ENDS,    /* from the one end to the other and back, closing in */
};

/** struct probe_sample - one read; end 0 = it failed */
struct probe_sample {
	uint64_t start_ns;
	uint64_t end_ns;
};

/** enum probe_purpose - what a stream is to tell */
enum probe_purpose {
	PROBE_ZONE,   /* the rate of the medium at a place */
	PROBE_LENGTH, /* the time of a command of that length, in sequence */
	PROBE_NEAR,   /* seeks to a place nearby */
	PROBE_FAR,    /* seeks from edge to edge */
	PROBE_SHARED, /* how much passes a node that several disks read through */
	PROBE_HELD,   /* how many commands are served at once behind a node */
};

/**
 * struct probe_stream - reads of one disk
 * @purpose: enum probe_purpose
 * @node: PROBE_SHARED, PROBE_HELD: index in the station
 * @disk: index
 * @walk: enum probe_walk
 * @lba: the first one
 * @stride: PROBE_JUMP, PROBE_ENDS: blocks
 * @nlb: blocks of a read
 * @depth: reads at the disk at once
 * @most: that many reads, 2..
 * @limit_ns: and that long
 * @least: continue for so many reads, but not for longer than five times the limit
 * @sample, @n: the reads, in their order; the rest is the runner's
 */
struct probe_stream {
	uint8_t purpose;
	uint32_t node;
	uint32_t disk;
	uint8_t walk;
	uint64_t lba;
	uint64_t stride;
	uint32_t nlb;
	uint32_t depth;
	uint32_t most;
	uint64_t limit_ns;
	uint32_t least;

	struct probe_sample *sample;
	uint32_t n;
	uint32_t failed;
	uint32_t out;
	uint64_t began_ns;
	bool fenced;
};

/**
 * struct probe_group - steps, one after the other
 * @stream, @n_streams: all streams; owned
 * @first: of each step its first stream, @n_steps + 1 entries; owned
 * @at: the step at work
 */
struct probe_group {
	struct probe_stream *stream;
	uint32_t n_streams;
	uint32_t *first;
	uint32_t n_steps;
	uint32_t at;
};

/**
 * struct probe_run - what the runner works on
 * @disk, @n_disks: borrowed
 * @group, @n_groups: borrowed
 * @buffer, @buffer_bytes: where everything is read to; contents are of no use
 * @stopped: asked now and then; true ends the run; may be NULL
 * @ctx: for @stopped
 */
struct probe_run {
	const struct probe_disk *disk;
	uint32_t n_disks;
	struct probe_group *group;
	uint32_t n_groups;
	void *buffer;
	uint32_t buffer_bytes;
	bool (*stopped)(void *ctx);
	void *ctx;
};

/** probe_stream_lba() - where read number @i of a stream begins. */
uint64_t probe_stream_lba(const struct probe_stream *s, uint64_t blocks, uint32_t i);

/** probe_run() - all steps of all groups. 0; -EINTR when stopped; -ENOMEM; the errno of a
 *  transport. Reads that fail are marked; a stream ends at the eighth. */
int probe_run(struct probe_run *run);

/** probe_group_add() - append a stream; to the last step, or with @step to a new one. 0 or
 *  -ENOMEM. */
int probe_group_add(struct probe_group *g, const struct probe_stream *s, bool step);

/** probe_group_deinit() - free what it holds. */
void probe_group_deinit(struct probe_group *g);

#endif
