/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_PLANFILE_H
#define DISKWIPE_PLANFILE_H

/*
 * A plan on paper: which disks, by serial, WWN and capacity, and how. Node names in it are
 * hints only; a renumbered node cannot be hit.
 */
#include <diskwipe/error.h>
#include <diskwipe/job.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/** struct dw_plan_entry - one disk of a plan */
struct dw_plan_entry {
	char device[64]; /* hint */
	char vendor[16];
	char model[48];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	uint64_t capacity_bytes;
	uint32_t block_size;
};

/**
 * struct dw_plan_doc - the document
 * @forecast: what is written beside it and not read again, disks in the same order; borrowed;
 *	NULL = none
 * @ended: of dw_resume_disks(): how many other disks ended how
 */
struct dw_plan_doc {
	struct dw_job_spec spec; /* strategy ... verify; files and rules are not stored */
	struct dw_plan_entry *entry;
	size_t n;
	const struct dw_forecast *forecast;
	uint32_t ended[DW_OUTCOME_REMOVED + 1];
};

/**
 * dw_plan_write() - a plan as a file, whole and durable before it returns
 * Return: 0; -EINVAL (a disk has neither serial nor WWN, or two are alike); -ERANGE (a number does
 * not fit); another negative errno. The old file stands then.
 */
DW_PUBLIC int dw_plan_write(const char *path, const struct dw_plan_doc *plan);

/**
 * dw_plan_read() - read and check a plan file; strict: unknown or repeated keys are errors
 * @ret_plan: dw_plan_deinit(); not written on error
 * @err: on failure the file, and the key where one is wrong
 * Return: 0; -EINVAL; another negative errno of reading.
 */
DW_PUBLIC int dw_plan_read(const char *path, struct dw_plan_doc *ret,
			   struct dw_error *err);
DW_PUBLIC void dw_plan_deinit(struct dw_plan_doc *plan);

/**
 * dw_resume_disks() - what a state file says about the job it belongs to
 * @path: written by a job with a state file
 * @ret: the spec, and the disks that are pending, stopped, removed or left working and can be
 *	recognised, perhaps none; how the others ended; dw_plan_deinit(); not written on error
 * @err: on failure the file, and the key where one is wrong
 *
 * A disk of it that may be locked by the password of an ATA erase is put on record as such, so that
 * it is unlocked when it is claimed.
 * Return: 0; -EINVAL (no state, damaged, or no disk of it can be recognised); another negative
 * errno of reading.
 */
DW_PUBLIC int dw_resume_disks(const char *path, struct dw_plan_doc *ret,
			      struct dw_error *err);

/** dw_plan_json() - the document as text, indented; malloc'd. NULL: a disk could not be recognised
 *  by it, a number does not fit, or memory is short. */
DW_PUBLIC char *dw_plan_json(const struct dw_plan_doc *plan);

#ifdef __cplusplus
}
#endif

#endif
