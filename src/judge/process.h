/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_PROCESS_H
#define DW_JUDGE_PROCESS_H

/* Facts about another process from the kernel. What a process says of itself is not used. */
#include "device/sysfs.h"

/**
 * dw_process_apart() - are the mounts of a process out of reach of a command of this machine?
 * @m: the machine
 * @pid: the name of its folder below /proc
 *
 * They are if another user namespace owns the mount namespace, whose owner mounts what he wants
 * there, or if the process has a root of its own, from which it sees its paths. If that is not
 * known, they are apart.
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
 * By its capabilities if they are of our user namespace, or by its users and groups and the nodes
 * of disks here or in a /dev of its own. A process that could not may have been given a
 * descriptor, or have given up its rights: a descriptor counts by itself and needs no such
 * question. If it is not known, the answer is yes.
 */
bool dw_process_may_open(const struct dw_rights *r, const char *pid);

#endif
