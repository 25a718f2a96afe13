/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_H
#define DW_REPORT_TRACE_H

/* The trace, written; what stands in it: <diskwipe/trace.h>. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/trace.h>

#include "base/util.h"
#include "plan/op.h"

#define DW_TRACE_FIRST_LINE "# diskwipe trace 3"
#define DW_TRACE_DISKS_MAX  100000
/* Between two commands of a disk that is kept busy. */
#define DW_TRACE_PAUSE_NS (DW_NS_PER_MS / 2)

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
 * is longer than its first minutes; see struct trace_run.
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
