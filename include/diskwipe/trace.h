/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_TRACE_H
#define DISKWIPE_TRACE_H

/*
 * The trace: a head that says what was done to which disks, then lines of commands, the same
 * for real and simulated runs. Fields, separated by blanks: step (j), disk (i), verb, lba,
 * blocks, submitted, done (ns since the job's start), class, started (ns: sent to the disk),
 * commands (that the line stands for), pass, and of a disk with several paths the one it took,
 * counted from 1. A line that stands for several commands which really were sent has a path
 * always (0 = there is one) and more fields; so has a single one without an extent that might have
 * shared a line:
 *
 *	least, mean, most	response times in ns, from start to end
 *	span			blocks from the lowest to the highest that the line touches
 *	close, close_ns		how many commands followed the disk's command before without
 *				a pause, at the address where it ended, and the time from
 *				the end of that one to their own, added up
 *	busy			time in ns in which the disk had these commands: of each from the
 *				end of the disk's command before, or from its own start if that
 *				is later, to its own end, added up
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
 *
 * Reading a trace line by line, in constant memory however long it is:
 *
 *	dw_trace_reader_open() -> dw_trace_reader_head()
 *	-> while (dw_trace_reader_next() == 1) ... -> dw_trace_reader_finish()
 *
 * Strict: what is not as the writer would have written it is an error that names file and
 * line. The one thing forgiven is an end that is missing, in the middle of a line or not:
 * that is what a crash leaves, and what such a trace is good for.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/error.h>
#include <diskwipe/job.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_TRACE_ON_MAX 72

enum dw_verb {
	DW_VERB_WRITE,      /* write a pass' pattern */
	DW_VERB_WRITE_SAME, /* the same, one block sent and repeated by the disk */
	DW_VERB_READ,       /* read and compare with a pass' pattern */
	DW_VERB_FLUSH,      /* SYNCHRONIZE CACHE, whole disk, not immediate */
	DW_VERB_SETTLE, /* have the kernel write its pages of the disk back and drop them, and
			       see who wrote or may write besides; no command */
	DW_VERB_IDENTIFY, /* who are you, how large: compared with the plan */
	DW_VERB_READY,    /* TEST UNIT READY */
	DW_VERB_START,    /* START STOP UNIT, start */
	DW_VERB_LIFT,     /* let commands through again: no command, no result */
	DW_VERB_DEPTH,    /* another depth from now on: no command, no result */
	DW_VERB_OPERATE,  /* begin a pass that the device does by itself */
	DW_VERB_POLL,     /* how far is it with that? */
	DW_VERB_RESET,   /* RESET WRITE POINTER: of a zone, or of all without an extent */
	DW_VERB_CYCLE,   /* wait until its power was cut by somebody; no command */
	DW_VERB_COMPARE, /* VERIFY: the disk compares its blocks with one that is sent */
	DW_VERB_COUNT,
};

enum dw_class {
	DW_CLASS_OK,          /* good, or recovered by the disk (sense key 0 or 1) */
	DW_CLASS_GIVEN_BACK,  /* never sent; still to be done */
	DW_CLASS_RETRY,       /* aborted, transport, host busy, residual */
	DW_CLASS_QUEUE_FULL,  /* the disk or host wants less in flight */
	DW_CLASS_ATTENTION,   /* unit attention without loss of data: identify */
	DW_CLASS_RESET,       /* reset, power on, nexus loss: volatile data are gone */
	DW_CLASS_MEDIUM,      /* the medium; bad_lba may name the block */
	DW_CLASS_NOT_READY,   /* becoming ready, wait */
	DW_CLASS_NEEDS_START, /* 2/04/02: START STOP UNIT first */
	DW_CLASS_TOO_BIG,     /* host or disk cannot take this length */
	DW_CLASS_UNSUPPORTED, /* opcode or field not supported: fall back */
	DW_CLASS_RANGE,       /* LBA out of range: has the capacity changed? */
	DW_CLASS_TIMEOUT,     /* no answer; what the medium holds is unknown */
	DW_CLASS_HARDWARE,    /* sense key 4 and the like */
	DW_CLASS_RESERVED,    /* another initiator holds a reservation */
	DW_CLASS_PROTECTED,   /* write protected, locked */
	DW_CLASS_GONE,        /* no connection, or removed */
	DW_CLASS_FAILED,      /* no sense in going on: medium corrupt, operator needed */
	DW_CLASS_BUG,         /* refused by the guard, wrong length: ours */
	DW_CLASS_RUNNING,     /* the device works by itself: no error, and no time lost */
	DW_CLASS_UNSEEN,      /* who else uses the disk cannot be seen just now: wait */
	DW_CLASS_COUNT,
};

/** dw_verb_name() - "write", "write-same", ...: as the trace writes it; static. */
DW_PUBLIC const char *dw_verb_name(enum dw_verb verb);

/** dw_class_name() - "ok", "medium", ...: as the trace writes it; static. */
DW_PUBLIC const char *dw_class_name(enum dw_class c);

/** dw_class_is_bad() - whether the command did not end well; one that was never sent, or tells
 *  progress, did not do so. */
static inline bool dw_class_is_bad(enum dw_class c)
{
	return c != DW_CLASS_OK && c != DW_CLASS_GIVEN_BACK && c != DW_CLASS_RUNNING;
}

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

/**
 * struct dw_trace_command - one line; times in ns since the job's start
 * @step: column of the schedule
 * @disk: index in the head's disks
 * @verb: enum dw_verb
 * @end_class: enum dw_class
 * @lba, @blocks: of all commands of the line; 0 for verbs without an extent
 * @span: from the lowest to the highest block; @blocks where no two commands overlap or leave
 *	a hole
 * @commands: that the line stands for, >= 1
 * @several: of one command after the other, for each of which the following holds; also of a
 *	single one without an extent
 * @least_ns, @mean_ns, @most_ns: response times
 * @close, @close_ns: commands that followed one at once, and their time; see trace.h
 * @busy_ns: time in which the disk had them, with @several; see trace.h
 * @pass: index of the pass
 * @path: which of several paths, from 1; 0 = there is one
 * @submit_ns <= @start_ns <= @end_ns: handed to the transport, sent to the disk, answered
 */
struct dw_trace_command {
	uint64_t step;
	uint32_t disk;
	uint8_t verb;
	uint8_t end_class;
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
	uint64_t busy_ns;
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
 * @err: on failure the file, its line and what is wrong there
 *
 * Return: 0; -EINVAL (no trace, or a damaged head), -ENOMEM, or the errno of opening.
 */
DW_PUBLIC int dw_trace_reader_open(const char *path, struct dw_trace_reader **ret,
				   struct dw_error *err);

/** dw_trace_reader_free() - close it; NULL is accepted. */
DW_PUBLIC void dw_trace_reader_free(struct dw_trace_reader *r);

/** dw_trace_reader_head() - the head; borrowed; a trace that was cut off in it has no
 *  disks, or not all. Disks that joined are added to it by dw_trace_reader_next(), at the
 *  latest by the call that returns their first command; its lists may move then. */
DW_PUBLIC const struct dw_trace_head *
dw_trace_reader_head(const struct dw_trace_reader *r);

/**
 * dw_trace_reader_next() - the next command, in the order in which they ended on a disk
 * @ret: filled when 1 is returned
 * @err: as above
 *
 * Return: 1; 0 after the last; -EINVAL, -EIO, -ENOMEM.
 */
DW_PUBLIC int dw_trace_reader_next(struct dw_trace_reader *r,
				   struct dw_trace_command *ret, struct dw_error *err);

/** dw_trace_reader_finish() - how the trace ended; after the last command. */
DW_PUBLIC struct dw_trace_finish dw_trace_reader_finish(const struct dw_trace_reader *r);

/** dw_trace_is() - do these first bytes of a file begin a trace, of any version, packed or not? */
DW_PUBLIC bool dw_trace_is(const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif
