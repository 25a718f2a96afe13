/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_READ_H
#define DW_REPORT_TRACE_READ_H

/*
 * Reading a trace line by line, in constant memory however long it is:
 *
 *	dw_trace_reader_open() -> dw_trace_reader_head()
 *	-> while (dw_trace_reader_next() == 1) ... -> dw_trace_reader_finish()
 *
 * Strict: what is not as the writer would have written it is an error that names file and
 * line. The one thing forgiven is an end that is missing, in the middle of a line or not:
 * that is what a crash leaves, and what such a trace is good for.
 */
#include "report/record.h"
#include "report/trace.h"

/**
 * struct dw_trace_command - one line; times in ns since the job's start
 * @step: column of the schedule
 * @disk: index in the head's disks
 * @verb: enum dw_verb
 * @class: enum dw_class
 * @lba, @blocks: of all commands of the line; 0 for verbs without an extent
 * @span: from the lowest to the highest block; @blocks where no two commands overlap or leave
 *	a hole
 * @commands: that the line stands for, >= 1
 * @several: of one command after the other, for each of which the following holds
 * @least_ns, @mean_ns, @most_ns: response times
 * @close, @close_ns: commands that followed one at once, and their time; see trace.h
 * @pass: index of the pass
 * @path: which of several paths, from 1; 0 = there is one
 * @submit_ns <= @start_ns <= @end_ns: handed to the transport, sent to the disk, answered
 */
struct dw_trace_command {
	uint64_t step;
	uint32_t disk;
	uint8_t verb;
	uint8_t class;
	uint8_t pass;
	uint8_t path;
	uint64_t lba;
	uint64_t blocks;
	uint64_t span;
	uint32_t commands;
	bool several;
	uint32_t close;
	uint64_t least_ns;
	uint64_t mean_ns;
	uint64_t most_ns;
	uint64_t close_ns;
	uint64_t submit_ns;
	uint64_t start_ns;
	uint64_t end_ns;
};

/** struct dw_trace_finish - how a trace ends; @complete: with the job's end, whose
 *  @outcome and @end_ns are valid then */
struct dw_trace_finish {
	bool complete;
	enum dw_outcome outcome;
	uint64_t end_ns;
};

struct dw_trace_reader;

/**
 * dw_trace_reader_open() - open a trace and read its head
 * @path: a file; "-" is no special name
 * @ret: dw_trace_reader_free()
 * @err: one line, "FILE:LINE: what"
 *
 * Return: 0; -EINVAL (no trace, or a damaged head), -ENOMEM, or the errno of opening.
 */
int dw_trace_reader_open(const char *path, struct dw_trace_reader **ret,
			 char err[DW_ERR_TEXT]);

/** dw_trace_reader_memory() - dw_trace_reader_open() of @len bytes that are borrowed. */
int dw_trace_reader_memory(const char *text, size_t len, struct dw_trace_reader **ret,
			   char err[DW_ERR_TEXT]);

/** dw_trace_reader_free() - close it; NULL is accepted. */
void dw_trace_reader_free(struct dw_trace_reader *r);

/** dw_trace_reader_head() - the head; borrowed; a trace that was cut off in it has no
 *  disks, or not all. Disks that joined are added to it by dw_trace_reader_next(), at the
 *  latest by the call that returns their first command; its lists may move then. */
const struct dw_trace_head *dw_trace_reader_head(const struct dw_trace_reader *r);

/**
 * dw_trace_reader_next() - the next command, in the order in which they ended on a disk
 * @ret: filled when 1 is returned
 * @err: as above
 *
 * Return: 1; 0 after the last; -EINVAL, -EIO, -ENOMEM.
 */
int dw_trace_reader_next(struct dw_trace_reader *r, struct dw_trace_command *ret,
			 char err[DW_ERR_TEXT]);

/** dw_trace_reader_finish() - how the trace ended; after the last command. */
struct dw_trace_finish dw_trace_reader_finish(const struct dw_trace_reader *r);

/** dw_trace_is() - do these first bytes of a file begin a trace, of any version? */
bool dw_trace_is(const char *text, size_t len);

#endif
