/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_RUN_H
#define DW_PRINT_RUN_H

/*
 * What a report knows of a run: a trace of any length put into bins while it is read, in
 * memory that depends on the number of disks alone.
 */
#include <diskwipe/result.h>
#include <diskwipe/trace.h>
#include <diskwipe/units.h>

#define RUN_PLACES     64  /* bins over a disk's addresses */
#define RUN_SERVICE    90  /* bins of service times: ten a decade from RUN_SERVICE_LO */
#define RUN_LENGTHS    48  /* different transfer lengths that are told apart */
#define RUN_STEPS      256 /* bins over the steps of the schedule */
#define RUN_SERVICE_LO 1e-6

enum run_kind { RUN_WRITE, RUN_SAME, RUN_READ, RUN_FLUSH, RUN_OTHER, RUN_OWN, RUN_KINDS };

/**
 * struct run_disk - one disk
 * @label: last part of its node's name, @device; @vendor, @model, @serial: empty = not known
 * @joined: when it came to the job, seconds since the start of that
 * @begin, @end: seconds since the job's start: first command sent, last one answered
 * @bytes: by kind; RUN_OWN: the disk's, for each time that it ended its own work
 * @rate: of a result, bytes per second; 0 = not known
 * @pace: seconds by kind in which the disk had a command of that kind: the time from the end of
 *	the one before, or from its own start if that is later; RUN_OWN: it worked by itself
 * @sent: commands by kind; @commands: all of them; @bad: that did not end well
 * @class: how many ended how, by enum dw_class
 * @moved, @local, @wrong: by time: bytes over the bus, bytes of WRITE SAME, commands that went
 *	wrong
 * @place_bytes, @place_pace: by address: written, or read when nothing is written
 * @service: commands by the logarithm of their service time
 * @steps: commands by step
 * @predicted, @low, @high: of @end, no number = no forecast
 * @outcome: text, empty = not known
 * @exceptions: runs of blocks not erased, of a result
 * @last_ns, @own_ns: end of the last command, and of the last one about its own work
 */
struct run_disk {
	char label[40];
	char device[64];
	char vendor[16];
	char model[48];
	char serial[DW_SERIAL_MAX];
	uint64_t bytes_total;
	double joined;
	double begin;
	double end;
	double bytes[RUN_KINDS];
	double rate;
	double pace[RUN_KINDS];
	uint64_t sent[RUN_KINDS];
	uint64_t commands;
	uint64_t bad;
	uint64_t class[DW_CLASS_COUNT];
	float *moved;
	float *local;
	float *wrong;
	float place_bytes[RUN_PLACES];
	float place_pace[RUN_PLACES];
	uint32_t service[RUN_SERVICE];
	float *steps;
	double predicted;
	double low;
	double high;
	char outcome[32];
	uint64_t exceptions;
	double last_ns;
	double own_ns;
};

/** struct run_length - commands of one length; @kind: enum run_kind */
struct run_length {
	uint8_t kind;
	double bytes_each;
	double commands;
	double bytes;
	double pace;
};

/**
 * struct run - the whole
 * @head: of the trace; empty for a result
 * @bins, @bin_ns: of time; @n_bins_used of them hold something
 * @step_width: steps in a bin of them
 * @end: seconds; of the job, or of the last command when the trace was cut off
 * @complete: the trace has its end, with @outcome
 * @has_trace: else only what a result contains is known
 * @mixed: the disks wrote, what they read is not in @place_bytes
 */
struct run {
	struct dw_trace_head head;
	struct run_disk *disk;
	size_t n;
	size_t bins;
	double bin_ns;
	size_t n_bins_used;
	uint64_t step_width;
	size_t n_steps_used;
	struct run_length length[RUN_LENGTHS];
	size_t n_lengths;
	uint64_t commands;
	double end;
	bool complete;
	bool has_trace;
	char outcome[32];
	char strategy[24];
	char controller[24];
	char method[32];
	char started[40];
	char simulation[16];
	double predicted;
	double low;
	double high;
};

/** run_from_trace() - read a trace into @ret, freed with run_deinit(); 0 or negative errno. */
int run_from_trace(const char *path, struct run *ret, struct dw_error *err);

/** run_from_reader() - the same from an open reader. */
int run_from_reader(struct dw_trace_reader *r, struct run *ret, struct dw_error *err);

/** run_from_result() - from a result document. 0 or -ENOMEM. */
int run_from_result(const struct dw_result_doc *doc, struct run *ret);

/** run_add_result() - add outcomes and forecasts of a result to the trace of the same run;
 *  -EINVAL when the disks are not the same. */
int run_add_result(struct run *run, const struct dw_result_doc *doc,
		   struct dw_error *err);

/** run_deinit() - free what it owns. */
void run_deinit(struct run *run);

/** run_place_rate() - bytes per second in a bin of addresses, no number = nothing there. */
double run_place_rate(const struct run_disk *d, size_t bin);

/** run_time_rate() - bytes per second of a disk in a bin of time, bus and WRITE SAME. */
double run_time_rate(const struct run *run, const struct run_disk *d, size_t bin);

/**
 * run_fit_zone() - rate as a straight line over the addresses: r(x) = outer - (outer - inner) x,
 *  x in 0..1. The slope is the median of those between all pairs of bins (Theil and Sen), so
 *  that a buffer that fills first, or an error, does not tilt it
 * @ret: outer, inner; bytes per second
 * Return: false when fewer than four bins hold something.
 */
bool run_fit_zone(const struct run_disk *d, double ret[2]);

/** run_disk_took() - seconds from the job's start, or since it joined, to its last answer; of a
 *  disk without one, 0. */
double run_disk_took(const struct run_disk *d);

/** run_write_rate() - mean rate of what a disk was there for: bytes of writing per second in
 *  which it had commands to write or to flush, for what is in a cache is not written; if it did
 *  not write, of its own work, else of reading; no number = nothing. Of a result: as that says. */
double run_write_rate(const struct run_disk *d);

#endif
