/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_FORMAT_H
#define DISKWIPE_FORMAT_H

/*
 * Disks that are formatted to another block length or type of protection information: MODE SELECT
 * and FORMAT UNIT (SBC), on many at once. Each disk does the work by itself, for minutes to hours.
 * All data on it are lost, yet a format is no erasure: nothing says that no block can be read any
 * more.
 *
 *	dw_format_new() -> dw_format_add() -> while (dw_format_step()) wait -> dw_format_free()
 *
 * All functions belong to one thread, and wait for the disks for as long as these take to answer.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/job.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct dw_format_spec - what is wanted
 * @block_size: bytes of a logical block: 512, 520, 528, 4096, 4160, 4224
 * @pi_type: protection information: 0 = none, or type 1 to 3
 * @active: disks at once behind one host, 0 = all
 * @stall_seconds: a disk whose progress has not changed for so long is given up, and left alone;
 *	0 = never
 * @again: also disks that are as wanted already
 * @rules: as for an erase; @rules.unformatted is set by dw_format_new()
 */
struct dw_format_spec {
	uint32_t block_size;
	uint8_t pi_type;
	bool again;
	uint32_t active;
	uint32_t stall_seconds;
	struct dw_rules rules;
};

enum dw_format_outcome {
	DW_FORMAT_WAITING,   /* not begun */
	DW_FORMAT_RUNNING,   /* the disk is at work */
	DW_FORMAT_FORMATTED, /* as wanted, and its blocks can be read */
	DW_FORMAT_UNCHANGED, /* it was as wanted, and nothing was done */
	DW_FORMAT_FAILED,
	DW_FORMAT_REMOVED, /* it does not answer any more */
	DW_FORMAT_STOPPED, /* by dw_format_stop(): not begun, or the disk goes on by itself */
	DW_FORMAT_OUTCOMES,
};

/** enum dw_format_content - what a sample of blocks held after the format */
enum dw_format_content {
	DW_FORMAT_CONTENT_UNKNOWN,
	DW_FORMAT_CONTENT_ZEROS, /* all of the sample */
	DW_FORMAT_CONTENT_OTHER,
	DW_FORMAT_CONTENTS,
};

/**
 * struct dw_format_disk - a disk of a format
 * @info: as it was before; a corrupt one has no blocks
 * @outcome: enum dw_format_outcome
 * @corrupt: its format was corrupt when it was claimed
 * @progress: of 65536; only when @progress_known
 * @block_size, @blocks, @pi_type: as it is at the end, 0 = unknown
 * @content: enum dw_format_content, of @sample blocks
 * @seconds: from the command to the end
 * @reason: in words, empty = nothing to say
 */
struct dw_format_disk {
	struct dw_disk_info info;
	uint8_t outcome;
	bool corrupt;
	bool progress_known;
	uint16_t progress;
	uint8_t pi_type;
	uint8_t content;
	uint32_t block_size;
	uint32_t sample;
	uint64_t blocks;
	double seconds;
	char reason[256];
};

struct dw_format;

/** dw_format_new() - a format without disks. @spec: copied, but rules.protect is borrowed. @ret:
 *  dw_format_free(). 0; -EINVAL for a block length or type that is not listed; -ENOMEM. */
DW_PUBLIC int dw_format_new(const struct dw_format_spec *spec, struct dw_format **ret);

/**
 * dw_format_add() - claim disks; none is changed yet
 * @disks: as dw_disks_list() or dw_disk_examine() gave them, with rules.unformatted
 * @n: their number
 * @ret_verdict: @n; why a disk was refused, DW_REFUSAL_NONE for one that was added
 *
 * Disks that are no SCSI disks, volumes of a RAID controller, ATA disks, one of several logical
 * units of a device, without a name or known not to know FORMAT UNIT are refused, as are all that
 * an erase refuses. To be called once.
 *
 * Return: 0; -EALREADY, -ENOMEM.
 */
DW_PUBLIC int dw_format_add(struct dw_format *f, const struct dw_disk *disks, size_t n,
			    struct dw_verdict *ret_verdict);

/** dw_format_disks() - those that were added, in their order; borrowed. */
DW_PUBLIC const struct dw_format_disk *dw_format_disks(const struct dw_format *f,
						       size_t *ret_n);

/** dw_format_step() - begin what may begin, and ask every disk at work once. To be called about
 *  once a second. true = some disk has not ended. */
DW_PUBLIC bool dw_format_step(struct dw_format *f);

/** dw_format_stop() - begin no more, and wait for none. A disk at work goes on by itself; calling
 *  for the same format again waits for it. */
DW_PUBLIC void dw_format_stop(struct dw_format *f);

/** dw_format_free() - give the disks back; as dw_format_stop() when some have not ended. NULL is
 *  accepted. */
DW_PUBLIC void dw_format_free(struct dw_format *f);

/** dw_format_outcome_name() - "formatted", "unchanged", "failed" ...; static. */
DW_PUBLIC const char *dw_format_outcome_name(enum dw_format_outcome o);

/** struct dw_format_report - a format as a document tells of it; all borrowed */
struct dw_format_report {
	struct dw_format_spec spec;
	const struct dw_format_disk *disk;
	size_t n;
	const struct dw_refused *refused;
	size_t n_refused;
};

/** dw_format_json() - the document of a format, schema 1; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_format_json(const struct dw_format_report *report);

#ifdef __cplusplus
}
#endif

#endif
