/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_LEVEL_H
#define DISKWIPE_LEVEL_H

/*
 * By what a disk can be erased, what level that reaches on its medium, and how it is verified.
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_job_spec;

/**
 * enum dw_level - what is reached, in the words of NIST SP 800-88
 * @DW_LEVEL_CLEAR: all blocks that a host can address
 * @DW_LEVEL_PURGE: also those that it cannot, as far as a laboratory can tell
 */
enum dw_level { DW_LEVEL_CLEAR, DW_LEVEL_PURGE };

enum dw_verify_kind {
	DW_VERIFY_DEFAULT, /* what the method asks for, else a sample */
	DW_VERIFY_OFF,
	DW_VERIFY_SAMPLE,
	DW_VERIFY_FULL,
	DW_VERIFY_DEVICE, /* a sample, and the disk compares all its blocks, if it can */
	DW_VERIFY_AUTO, /* _DEVICE where the forecast says that a link is the limit, else _FULL */
};

enum dw_verified {
	DW_VERIFIED_NONE,   /* nothing of the last pass was read back */
	DW_VERIFIED_PART,   /* less than was asked for: the disk did not get to the end */
	DW_VERIFIED_SAMPLE, /* the sample that was asked for */
	DW_VERIFIED_FULL,   /* every block */
};

/**
 * struct dw_way - a way to erase a disk
 * @method: its name
 * @level: what it reaches on this disk
 * @seconds: that it takes; @stated: as the disk says, else a guess
 * @allow: word of @allow in a spec without which the method "auto" does not take it, or empty
 * @own: the disk does it by itself
 * @limit: why it does not reach purge; empty = it does
 * @text: method, level and time in words
 */
struct dw_way {
	char method[32];
	enum dw_level level;
	double seconds;
	bool stated;
	bool own;
	char allow[16];
	char limit[96];
	char text[160];
};

#define DW_WAYS_MAX 16

/**
 * struct dw_ways - all of them
 * @way, @n: the disk offers them
 * @method, @level: what a spec comes to on this disk
 * @reason: of the method "auto" why, and else nothing; of a disk that is refused why that
 */
struct dw_ways {
	struct dw_way way[DW_WAYS_MAX];
	uint32_t n;
	char method[32];
	enum dw_level level;
	char reason[256];
};

/**
 * dw_disk_ways() - by what a disk can be erased, and by what it would be
 * @info: the disk, as it was listed or examined
 * @spec: what is asked: method, level, or_clear, allow, verify
 * @ret: filled in any case
 * @ret_verdict: DW_REFUSAL_PURGE when 1 is returned
 *
 * Nothing is sent to the disk. One that erases itself (@info->operating) is not refused here. Any
 * thread.
 *
 * Return: 0; 1: the level that is asked for cannot be reached; -EINVAL: the spec is wrong.
 */
DW_PUBLIC int dw_disk_ways(const struct dw_disk_info *info,
			   const struct dw_job_spec *spec, struct dw_ways *ret,
			   struct dw_verdict *ret_verdict);

/**
 * dw_disks_whole() - SANITIZE erases all logical units of a device, or namespaces of a subsystem:
 *	are all of them among the disks that are meant?
 * @spec: what is asked; a method that erases by blocks has no such question, nor a resumed job
 * @disks: as they were listed or examined; those that have to be left out get a verdict, which
 *	names what is missing, or what keeps another unit of the same device
 * @n: their number
 * @ret_group: @n; for each disk the index of the first that is one device with it, maybe its own
 *
 * Looks at sysfs, and examines what is missing. Any thread.
 *
 * Return: 0; -EINVAL: the spec is wrong; another negative errno.
 */
DW_PUBLIC int dw_disks_whole(const struct dw_job_spec *spec, struct dw_disk *disks,
			     size_t n, uint32_t *ret_group);

#ifdef __cplusplus
}
#endif

#endif
