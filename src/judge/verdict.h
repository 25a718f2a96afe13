/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_VERDICT_H
#define DW_JUDGE_VERDICT_H

/* Whether a disk may be erased. Reasons are tested from the most to the least certain. */
#include <stdarg.h>

#include "device/device.h"
#include "judge/inuse.h"

struct dw_names;

/** dw_verdict_set() - refuse, with a reason in the manner of printf. Return: 1. */
int dw_verdict_set(struct dw_verdict *v, enum dw_refusal refusal, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** dw_verdict_vset() - the same in the manner of vprintf; what a terminal would take for a
 *  control character becomes a question mark. */
void dw_verdict_vset(struct dw_verdict *v, enum dw_refusal refusal, const char *format,
		     va_list ap) __attribute__((format(printf, 3, 0)));

/**
 * dw_verdict_judge() - everything that can be said of an opened and probed disk
 * @m: the machine
 * @d: the disk
 * @uses: snapshot of the machine
 * @rules: NULL = defaults
 * @signatures: read them as well, which takes a disk some dozen seeks
 * @ret: the verdict
 *
 * Whether the disk is the only one of its identity is not looked at: dw_unique_check() for
 * a single disk, dw_disks_refuse_duplicates() for a list.
 *
 * Return: 0 or negative errno.
 */
int dw_verdict_judge(const struct dw_machine *m, struct dw_device *d,
		     const struct dw_uses *uses, const struct dw_rules *rules,
		     bool signatures, struct dw_verdict *ret);

/** dw_verdict_of_error() - the verdict of a node that could not be opened or asked. */
void dw_verdict_of_error(int err, struct dw_verdict *ret);

/** dw_verdict_offline() - the verdict of a disk that the kernel has taken offline, with the
 *  remedy in @release; @ret is unchanged for others. */
void dw_verdict_offline(const struct dw_machine *m, const struct dw_disk_info *info,
			struct dw_verdict *ret);

/** dw_verdict_not_ready() - the verdict of a disk that said that it is not ready, with its
 *  own words and what starts it. */
void dw_verdict_not_ready(const struct dw_device *d, struct dw_verdict *ret);

/** dw_disk_apart() - do their ways to the machine prove that they are two disks, whatever their
 *  names are? */
bool dw_disk_apart(const struct dw_disk_info *a, const struct dw_disk_info *b);

/**
 * dw_reservation_check() - PERSISTENT RESERVE IN, READ RESERVATION
 * Return: 1 somebody holds one, described in @ret; 0 nobody, or the disk knows none;
 * negative errno.
 */
int dw_reservation_check(struct dw_device *d, struct dw_verdict *ret);

/**
 * struct dw_known_paths - known nodes that answer as a disk does
 * @device, @n: other paths of the disk that are known already
 * @names: of the machine
 * @uses, @rules: to judge further paths by; @uses NULL: a further path is another disk
 */
struct dw_known_paths {
	struct dw_device *const *device;
	size_t n;
	struct dw_names *names;
	const struct dw_uses *uses;
	const struct dw_rules *rules;
};

/**
 * dw_unique_check() - does another node of the machine have the identity of this disk?
 * @m: the machine
 * @d: the disk, probed
 * @known: what is known already
 * @ret: its verdict becomes DW_REFUSAL_NOT_UNIQUE if one does that is no path; paths are added to
 *	its others, and refuse it if they are refused
 *
 * Candidates are found in sysfs, which may be stale, and then asked.
 *
 * Return: 1 refused, 0 not, negative errno.
 */
int dw_unique_check(const struct dw_machine *m, struct dw_device *d,
		    const struct dw_known_paths *known, struct dw_disk *ret);

/**
 * dw_device_find_path() - a node of the machine that leads to a disk and is not known yet
 * @known, @n: its known paths; the first that sysfs still has tells what to look for
 * @ret: the new path, opened; dw_device_close()
 *
 * Return: 0; -ENODEV there is none; other negative errno.
 */
int dw_device_find_path(struct dw_device *const *known, size_t n, struct dw_device **ret);

#endif
