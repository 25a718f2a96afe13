/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_FIT_H
#define DW_FORECAST_FIT_H

/*
 * Traces as points: runs of commands in sequence are cut into chunks, each of which says how
 * long a command of that length took at that place. However long a trace is, a disk has a
 * bounded number of them: when there are too many, every other one goes and new ones are
 * twice as long.
 */
#include "report/trace.h"
#include "station/station.h"

#define FIT_CHUNKS  1024 /* of a disk, at most */
#define FIT_JUMPS   512
#define FIT_WINDOWS 256 /* of a trace */

/**
 * struct fit_chunk - commands in sequence
 * @verb: DW_VERB_WRITE, _WRITE_SAME or _READ
 * @overlapped: the next command was at the disk before the one ended
 * @x: where, as a share of the disk
 * @bytes: of a command
 * @ns: from the end of one to the end of the next
 * @trace, @at_ns: when, in which trace
 * @contended: what the disk hangs on was busy with others as well
 */
struct fit_chunk {
	uint8_t verb;
	bool overlapped;
	bool contended;
	double x;
	double bytes;
	double ns;
	uint32_t trace;
	uint64_t at_ns;
};

/** struct fit_jump - a read elsewhere: @far: share of the disk, @bytes, @ns: how long it took */
struct fit_jump {
	double far;
	double x;
	double bytes;
	double ns;
};

/**
 * struct fit_disk - a disk of the traces
 * @facts: of a head
 * @chunk, @n_chunks: owned
 * @chunk_blocks: a chunk has that many at least
 * @jump, @n_jumps: reads out of sequence
 * @commands, @failed: that were looked at; that did not end well
 */
struct fit_disk {
	struct dw_trace_disk facts;
	struct fit_chunk *chunk;
	uint32_t n_chunks;
	uint64_t chunk_blocks;
	struct fit_jump jump[FIT_JUMPS];
	uint32_t n_jumps;
	uint64_t commands;
	uint64_t failed;

	struct {
		uint8_t verb;
		bool overlapped;
		uint64_t next_lba;
		uint64_t first_lba;
		uint32_t blocks;
		uint64_t first_ns;
		uint64_t last_ns;
		uint32_t n;
		bool open;
	} run;
	uint64_t head_lba;
};

/** struct fit_load - what went on in a trace: of each disk and window, bytes on the bus */
struct fit_load {
	uint64_t window_ns;
	uint32_t n_disks;
	double (*bytes)[FIT_WINDOWS]; /* of each disk */
	uint32_t *disk;               /* of the trace's disks those of the fit */
};

/**
 * struct fit_data - all that was read
 * @disk, @n_disks: of all traces, each once
 * @node, @n_nodes: that simulated stations reported
 * @load: of each trace
 */
struct fit_data {
	struct fit_disk *disk;
	uint32_t n_disks;
	struct dw_trace_node *node;
	uint32_t n_nodes;
	struct fit_load *load;
	uint32_t n_loads;
};

/** fit_read() - add a trace to @d. 0; -EINVAL with @err; -ENOMEM; the errno of reading. */
int fit_read(struct fit_data *d, const char *path, struct dw_error *err);

/** fit_data_deinit() - free what it holds. */
void fit_data_deinit(struct fit_data *d);

/** fit_window() - the window of a time; FIT_WINDOWS and more = beyond the last. */
uint32_t fit_window(const struct fit_load *l, uint64_t at_ns);

/**
 * fit_line() - a line through points some of which are wrong: the median slope of all pairs
 *  (Theil, Sen), then least squares of those within three deviations, at least 0.5 %
 * @x, @y: points, y > 0
 * @n: their number, at least 3
 * @ret_at, @ret_slope: y = at + slope x
 *
 * Return: how many points lie on it; 0 = there is no line.
 */
uint32_t fit_line(const double *x, const double *y, uint32_t n, double *ret_at,
		  double *ret_slope);

/** fit_median() - of @n values, which are sorted; 0 without any. */
double fit_median(double *v, uint32_t n);

#endif
