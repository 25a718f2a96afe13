/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_BENCH_H
#define DISKWIPE_BENCH_H

/*
 * What disks give, alone and together, measured as the review of disk striping does it (Digital
 * Review, 1990): rate over transfer length, contiguous and at random, and operations per second
 * over the response time. Commands that read are sent, and nothing else ever.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/error.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dw_bench_kind { DW_BENCH_CONTIGUOUS, DW_BENCH_RANDOM, DW_BENCH_LOAD };

/**
 * struct dw_bench_spec - what to measure
 * @kind: enum dw_bench_kind
 * @misalign_bytes: begin so far past an aligned place: in memory past a page, on the disk by
 *	as many whole blocks
 * @blocks: transfer lengths; 0 entries = those of dw_bench_lengths(). A load takes the first,
 *	or 4 KiB
 * @n_blocks: their number
 * @seconds: for each point
 * @depth_max: of a load, 1..64
 * @seed: of random places
 */
struct dw_bench_spec {
	enum dw_bench_kind kind;
	uint64_t misalign_bytes;
	const uint32_t *blocks;
	size_t n_blocks;
	double seconds;
	uint32_t depth_max;
	uint64_t seed;
};

/**
 * struct dw_bench_point - one measurement
 * @blocks, @bytes: transfer length
 * @depth: commands at once
 * @bytes_per_second, @per_second: of all disks that took part
 * @response_s: mean time at the disk; of a load on several disks, from sending to end
 * @commands: counted
 */
struct dw_bench_point {
	uint32_t blocks;
	uint32_t bytes;
	uint32_t depth;
	double bytes_per_second;
	double per_second;
	double response_s;
	uint64_t commands;
};

/** struct dw_bench_series - a disk alone, or all of them: then @name is "together", and nothing is
 *  said of a disk */
struct dw_bench_series {
	char name[64];
	char vendor[16];
	char model[48];
	char serial[DW_SERIAL_MAX];
	uint64_t capacity_bytes;
	struct dw_bench_point *point;
	size_t n;
};

/** struct dw_bench - what was measured; dw_bench_free() */
struct dw_bench {
	struct dw_bench_spec spec;
	struct dw_bench_series *series;
	size_t n;
	size_t n_disks;
};

/**
 * dw_bench_lengths() - lengths in blocks when none are asked for: powers of two, and one less
 * @ret: room for 64
 * Return: their number.
 */
DW_PUBLIC size_t dw_bench_lengths(uint32_t block_size, uint32_t ret[64]);

/**
 * dw_bench_run() - measure disks one after the other, then, of several, all at once
 * @spec: what; borrowed for the call
 * @disks: SCSI disks as they were examined; opened again, to be read only
 * @n: their number, at least one
 * @report: called with the share that is done, may be NULL
 * @ret: the measurement
 * @err: on failure why
 *
 * Lengths that a disk or its path cannot take are left out.
 *
 * Return: 0; -EINVAL, -ENODEV, -EIO and the like; -ENOMEM.
 */
DW_PUBLIC int dw_bench_run(const struct dw_bench_spec *spec,
			   const struct dw_disk_info *disks, size_t n,
			   void (*tell)(void *ctx, double done), void *ctx,
			   struct dw_bench **ret, struct dw_error *err);

/** dw_bench_free() - free it; NULL is allowed. */
DW_PUBLIC void dw_bench_free(struct dw_bench *b);

/**
 * dw_bench_at_response() - operations per second of a load within a response time
 * @s: a load, depths rising
 * @threshold_s: the response time
 * @ret_least: no depth reached it: there may be more
 *
 * The most of any depth up to there; between two depths the rate is taken as linear in the
 * response time. Return: 0 when even one command at a time takes longer.
 */
DW_PUBLIC double dw_bench_at_response(const struct dw_bench_series *s, double threshold_s,
				      bool *ret_least);

/** dw_bench_plateau() - the rate of long transfers, bytes per second: the median over lengths of
 *  at least an eighth of the longest. */
DW_PUBLIC double dw_bench_plateau(const struct dw_bench_series *s);

/** dw_bench_json() - the measurement as a document, schema 1; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_bench_json(const struct dw_bench *b);

/**
 * dw_bench_parse() - a measurement from its document
 * @text, @len: the document
 * @ret: dw_bench_free()
 * @err: on failure the key that is wrong; untouched with -ENOMSG
 *
 * Return: 0; -ENOMSG if it is JSON, but no measurement, or no JSON; -EINVAL; -ENOMEM.
 */
DW_PUBLIC int dw_bench_parse(const char *text, size_t len, struct dw_bench **ret,
			     struct dw_error *err);

#ifdef __cplusplus
}
#endif

#endif
