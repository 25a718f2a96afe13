/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_PROCESS_H
#define DW_JUDGE_PROCESS_H

/* What the kernel says of another process: what the process says of itself is nobody's word. */
#include "find/sysfs.h"

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

#endif
