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

/** job_paths_renew() - the paths were asked anew: what they are now, and what one command may do
 *  over each of them is in @d->caps. */
void job_paths_renew(struct job_disk *d);

/** job_paths_prove() - by a marker; 0, 1 refused with @v, -errno. */
int job_paths_prove(struct job_disk *d, struct dw_verdict *v);

/** job_paths_refuse() - remember every node of the disk as refused; 0, -ENOMEM. */
int job_paths_refuse(struct dw_job *job, const struct job_disk *d,
		     const struct dw_verdict *v);

/** job_paths_node() - path @path as it was when it was claimed; NULL = not so many, or none. */
const struct dw_disk_info *job_paths_node(const struct job_disk *d, uint32_t path);

/** job_paths_nodes() - its nodes, for the result. */
void job_paths_nodes(const struct job_disk *d, struct dw_disk_result *ret);

/** job_paths_devices() - all its paths, or the only one; their number. */
size_t job_paths_devices(const struct job_disk *d, struct dw_device *ret[DW_PATHS_MAX]);

/** job_paths_sound() - the first of its paths that is in use and not in doubt, or the only one;
 *  NULL = none is. */
struct dw_device *job_paths_sound(const struct job_disk *d);

/** job_paths_reserve() - register all paths and reserve; as dw_device_reserve(). */
int job_paths_reserve(struct job_disk *d, struct dw_verdict *v);

/** job_paths_set() - what the transport has to know; NULL for a disk with one path. */
const struct dw_path_set *job_paths_set(struct dw_job *job, struct job_disk *d);

/** job_paths_watch() - see what became of its paths: tell the user, and ask those that failed
 *  again; 0, -ENOMEM. */
int job_paths_watch(struct dw_job *job, struct job_disk *d);

/** job_paths_look() - ask paths that have failed again, off the loop, when it is time to. */
void job_paths_look(struct dw_job *job, uint64_t now_ns);

/** job_paths_busy() - the disk was done at @done_ns, but one of its paths is being asked: then
 *  job_end_begin() is called again after that. */
bool job_paths_busy(struct job_disk *d, uint64_t done_ns);

/** job_paths_trace() - name its paths in the trace. */
void job_paths_trace(struct dw_job *job, const struct job_disk *d);

/** job_paths_way() - how most of its commands travelled; static text. */
const char *job_paths_way(const struct job_disk *d);

/** job_paths_result() - what each path did. */
void job_paths_result(const struct job_disk *d, struct dw_disk_result *ret);

/** job_paths_release() - as dw_device_release() for all but the first; before that one. */
int job_paths_release(struct job_disk *d);

/** job_paths_free() - close all but the first. */
void job_paths_free(struct job_disk *d);

#endif
