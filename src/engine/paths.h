/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_PATHS_H
#define DW_ENGINE_PATHS_H

/* The paths of a disk that has several. */
#include "diskwipe/job.h"

struct dw_device;
struct job_disk;

/** job_paths_claim() - open the disk's other paths and claim all, or claim its only one; 0, 1
 *  refused with @v, -errno. */
int job_paths_claim(struct dw_job *job, struct job_disk *d, const struct dw_disk *want,
		    struct dw_verdict *v);

/** job_paths_renew() - the paths were asked for their facts again: update what is known of them,
 *  and in @d->caps what one command may do over each. */
void job_paths_renew(struct job_disk *d);

/** job_paths_prove() - prove by a marker that all paths reach one disk. 0, 1 refused with @v,
 *  -errno. */
int job_paths_prove(struct job_disk *d, struct dw_verdict *v);

/** job_paths_refuse() - remember every node of the disk as refused; 0, -ENOMEM. */
int job_paths_refuse(struct dw_job *job, const struct job_disk *d,
		     const struct dw_verdict *v);

/** job_paths_node() - the facts of path @path at its claim; NULL = there is no such path. */
const struct dw_disk_info *job_paths_node(const struct job_disk *d, uint32_t path);

/** job_paths_nodes() - set the nodes of the disk in its result. */
void job_paths_nodes(const struct job_disk *d, struct dw_disk_result *ret);

/** job_paths_devices() - all paths of the disk, or its only one. Returns their number. */
size_t job_paths_devices(const struct job_disk *d, struct dw_device *ret[DW_PATHS_MAX]);

/** job_paths_sound() - the first path that is in use and whose identity is not in doubt; NULL =
 *  none. */
struct dw_device *job_paths_sound(const struct job_disk *d);

/** job_paths_reserve() - register all paths and reserve; as dw_device_reserve(). */
int job_paths_reserve(struct job_disk *d, struct dw_verdict *v);

/** job_paths_set() - the paths as the transport needs them; NULL for a disk with one path. */
const struct dw_path_set *job_paths_set(struct dw_job *job, struct job_disk *d);

/** job_paths_watch() - check the state of the paths: report changes to the user, and begin to ask
 *  failed ones again. 0, -ENOMEM. */
int job_paths_watch(struct dw_job *job, struct job_disk *d);

/** job_paths_look() - ask failed paths again, off the loop, when it is time to. */
void job_paths_look(struct dw_job *job, uint64_t now_ns);

/** job_paths_busy() - the disk was done at @done_ns, but one of its paths is being asked. Then
 *  job_end_begin() is called again when that has ended. */
bool job_paths_busy(struct job_disk *d, uint64_t done_ns);

/** job_paths_trace() - name its paths in the trace. */
void job_paths_trace(struct dw_job *job, const struct job_disk *d);

/** job_paths_way() - how most of its commands were sent; static text. */
const char *job_paths_way(const struct job_disk *d);

/** job_paths_result() - set what each path did in the result. */
void job_paths_result(const struct job_disk *d, struct dw_disk_result *ret);

/** job_paths_release() - as dw_device_release() for all but the first; before that one. */
int job_paths_release(struct job_disk *d);

/** job_paths_free() - close all but the first. */
void job_paths_free(struct job_disk *d);

#endif
