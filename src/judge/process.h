/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_PROCESS_H
#define DW_JUDGE_PROCESS_H

/* What the kernel says of another process: what the process says of itself is nobody's word. */
#include "device/sysfs.h"

/**
 * dw_process_apart() - does a command of this machine not reach the mounts of a process?
 * @m: the machine
 * @pid: the name of its folder below /proc
 *
 * It does not where another user namespace owns the mount namespace, in which its owner mounts
 * what he wants, and where the process has a root of its own, from which it sees its paths. What
 * cannot be told is apart.
 */
bool dw_process_apart(const struct dw_machine *m, const char *pid);

/** dw_process_foreign() - is it known that its mounts belong to another user namespace, as those of
 *  an unprivileged user do? */
bool dw_process_foreign(const struct dw_machine *m, const char *pid);

struct dw_rights;

/** dw_rights_new() - who may open a disk, by the nodes of this machine. NULL = no memory. */
struct dw_rights *dw_rights_new(const struct dw_machine *m);
void dw_rights_free(struct dw_rights *r);

/**
 * dw_process_may_open() - could a process have opened any disk by itself?
 * @r: the rights
 * @pid: the name of its folder below /proc
 *
 * By its capabilities where they are of our user namespace, or by its users and groups and the
 * nodes of disks here or in a /dev of its own. One that could not may have been given a descriptor,
 * or have given up its rights: what counts by itself, as a descriptor does, needs no such question.
 * What cannot be told is a yes.
 */
bool dw_process_may_open(const struct dw_rights *r, const char *pid);

#endif
