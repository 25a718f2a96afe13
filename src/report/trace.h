/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_H
#define DW_REPORT_TRACE_H

/*
 * The trace: a head that says what was done to which disks, then lines of commands, the same
 * for real and simulated runs. Fields, separated by blanks: step (j), disk (i), verb, lba,
 * blocks, submitted, done (ns since the job's start), class, started (ns: sent to the disk),
 * commands (that the line stands for), pass, and of a disk with several paths the one it took,
 * counted from 1. A line that stands for several commands which really were sent has a path
 * always (0 = there is one) and more fields:
 *
 *	least, mean, most	response times in ns, from start to end
 *	span			blocks from the lowest to the highest that the line touches
 *	close, close_ns		how many commands followed the disk's command before without
 *				a pause, at the address where it ended, and the time from
 *				the end of that one to their own, added up
 *
 * A line of a leap in a coarse simulation has several commands, and none of these fields.
 * Lines that begin with "#" are the head, a disk that joined, the end, or comments:
 *
 *	# diskwipe trace 3
 *	# run {...}	one struct dw_trace_run
 *	# job {...}	one struct dw_job_spec, as in a plan file
 *	# node N {...}	struct dw_trace_node, of simulated stations; numbered from 0
 *	# disk N {...}	struct dw_trace_disk, numbered from 0
 *	# joined N NS {...}	the same of a disk that came to the running job, before its
 *			commands; numbered on, at that time
 *	# end OUTCOME NS	last line of a trace that was not cut off
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "diskwipe/job.h"
#include "plan/op.h"

#define DW_TRACE_FIRST_LINE "# diskwipe trace 3"
#define DW_TRACE_DISKS_MAX  100000
#define DW_TRACE_ON_MAX     72
/* Between two commands of a disk that is kept busy. */
#define DW_TRACE_PAUSE_NS (DW_NS_PER_MS / 2)

/**
 * struct dw_trace_run - the run as a whole
 * @version: of the program that wrote the trace
 * @started: time of day with its zone, "2026-11-21T01:34:05+01:00"
 * @simulation: "exact", "coarse"; empty = real disks
 * @station: title of a simulated station
 * @verify_only: nothing was to be written
 */
struct dw_trace_run {
	char version[32];
	char started[40];
	char simulation[16];
	char station[96];
	bool verify_only;
};

enum dw_trace_node_kind { DW_TRACE_LINK, DW_TRACE_CONTROLLER, DW_TRACE_BUS };

/**
 * struct dw_trace_node - something that the data of several disks pass through
 * @kind: enum dw_trace_node_kind
 * @on: name of the next one towards the host, empty = the host
 * @rate: bytes per second, 0 = no limit
 */
struct dw_trace_node {
	char name[32];
	uint8_t kind;
	char on[32];
	uint64_t rate;
};

/**
 * struct dw_trace_disk - a disk; text is empty where it is unknown
 * @device: the node it is called by
 * @blocks, @block_size: capacity; > 0
 * @physical_block_size: bytes
 * @rotation: RPM; 1 = no rotating medium; 0 = unknown
 * @write_cache: 0 unknown, 1 off, 2 on
 * @on: names of the nodes it hangs on, separated by blanks; simulated stations only
 * @joined_ns: when it came to the job, ns since the start of that; 0 = it was there
 */
struct dw_trace_disk {
	char device[64];
	char vendor[16];
	char model[48];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	uint64_t blocks;
	uint32_t block_size;
	uint32_t physical_block_size;
	uint32_t rotation;
	uint8_t write_cache;
	char transport[16];
	char slot[64];
	char host_driver[24];
	char on[DW_TRACE_ON_MAX];
	uint64_t joined_ns;
};

/** struct dw_trace_head - what stands before the first command; @spec: files and rules are
 *  left out */
struct dw_trace_head {
	struct dw_trace_run run;
	struct dw_job_spec spec;
	struct dw_trace_node *node;
	uint32_t n_nodes;
	struct dw_trace_disk *disk;
	uint32_t n_disks;
};

struct dw_trace;

/** dw_trace_open() - begin a trace file with its head; an existing file is replaced; times
 *  are written since @origin_ns. 0, -ENOMEM, -ERANGE or the errno of opening. */
int dw_trace_open(const char *path, uint64_t origin_ns, const struct dw_trace_head *head,
		  struct dw_trace **ret);

/**
 * dw_trace_joined() - a disk that came to the running job, before its first command
 * @disk: it has the next number, and @joined_ns
 *
 * What fails is an error of the trace: -ENOMEM, or -ERANGE (a value that could not be read back,
 * or DW_TRACE_DISKS_MAX).
 */
void dw_trace_joined(struct dw_trace *t, const struct dw_trace_disk *disk);

/**
 * dw_trace_line() - one command that ended
 *
 * Without spec.trace_full of the head, like commands that end well share a line once the trace
 * is longer than its first minutes; see trace_run.h.
 */
void dw_trace_line(struct dw_trace *t, const struct dw_op *op,
		   const struct dw_result *result);

/** dw_trace_path() - a comment: the node of path @path, from 1, of a disk with several. */
void dw_trace_path(struct dw_trace *t, uint32_t disk, uint32_t path, const char *node);

/** dw_trace_end() - the job has ended at @now_ns; its last line. */
void dw_trace_end(struct dw_trace *t, enum dw_outcome outcome, uint64_t now_ns);

/**
 * dw_trace_take() - have what has come so far written
 * @least: not if it is less than so many bytes
 *
 * Lines wait in memory, 64 MiB at most: where a file hangs, the trace fails and not the job.
 * Not while dw_trace_write() runs.
 *
 * Return: dw_trace_write() is to be called.
 */
bool dw_trace_take(struct dw_trace *t, size_t least);

/** dw_trace_write() - write what was taken. May wait; any thread, while others add lines. */
void dw_trace_write(struct dw_trace *t);

/** dw_trace_error() - the errno of the first failed write, negative; 0 = none yet. Nothing is
 *  written after it. Not while dw_trace_write() runs. */
int dw_trace_error(const struct dw_trace *t);

/** dw_trace_close() - write out and close; may wait. 0, or the errno of the first failed
 *  write; NULL is accepted. */
int dw_trace_close(struct dw_trace *t);

/** dw_trace_head_deinit() - free nodes and disks. */
void dw_trace_head_deinit(struct dw_trace_head *head);

#endif
