/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_VIRTUAL_H
#define DW_ENGINE_VIRTUAL_H

/*
 * Virtual disks: a transport is passed in, and disks are added that exist in it. From then on the
 * job runs as any other. If the transport has no descriptor, its own function waits. If it has one,
 * time is that of this machine, and disks are found and opened as real ones are.
 */
#include <time.h>

#include "core/core.h"
#include "codec/caps.h"
#include "device/iostat.h"
#include "diskwipe/job.h"
#include "report/trace.h"
#include "transport/transport.h"

/**
 * struct dw_virtual_disk - a disk that lives in the transport
 * @info, @caps: what it is and can do
 * @unit: its number there, given to attach as dw_target.sg_fd
 * @pass_ns: about what a pass over it takes, for the order of longest-first
 */
struct dw_virtual_disk {
	struct dw_disk_info info;
	struct dw_caps caps;
	uint32_t unit;
	uint64_t pass_ns;
};

/**
 * struct dw_virtual - a transport that is handed in, and what a job must know of it
 * @transport: carries the commands of all virtual disks
 * @path: how the commands travel, for the result; static text
 * @mode: what kind of simulation it is, for the result; static text
 * @between: called before each wait, with @transport and the engine, which it may let leap; NULL
 *	= every command is sent. 0 or negative errno
 * @others: what else is going on at its controllers; NULL = nothing
 * @epoch: the time of day when the transport's clock showed 0
 * @wiring: adds to the head of a trace the station's title, its nodes, and what each disk hangs
 *	on; @units are the disks' numbers in the transport; 0 or -ENOMEM; NULL = not known
 * @adapter: number of what disk @unit hangs on; NULL = they share all
 * @ctx: for @wiring and @adapter; borrowed
 * @open: find the disk that is wanted and is there, for a job with @spec; -ENODEV. Off the loop.
 *	NULL = time is virtual, and disks are added by dw_job_add_virtual()
 * @discover: as dw_world_ops.discover, with @open
 */
struct dw_virtual {
	struct dw_transport *transport;
	const char *path;
	const char *mode;
	int (*between)(struct dw_transport *t, struct dw_engine *e);
	void (*others)(struct dw_transport *t, struct dw_io_count *ret);
	struct timespec epoch;
	int (*wiring)(const void *ctx, const uint32_t *units, struct dw_trace_head *head);
	uint32_t (*adapter)(const void *ctx, uint32_t unit);
	const void *ctx;
	int (*open)(struct dw_transport *t, const struct dw_disk_info *want,
		    const struct dw_job_spec *spec, struct dw_virtual_disk *ret);
	int (*discover)(struct dw_transport *t, const char *path, struct dw_disk **ret,
			size_t *ret_n);
};

/**
 * dw_engine_take_virtual() - let an engine run on a transport that is handed in
 * @e: without disks
 * @v: copied; with success the transport is the engine's, who frees it
 *
 * Return: 0; -EBUSY when it has disks or another transport; -ENOMEM.
 */
int dw_engine_take_virtual(struct dw_engine *e, const struct dw_virtual *v);

/**
 * dw_job_virtual() - a job of such an engine, before it has disks
 *
 * Its secret is derived from its seed, so that equal seeds give equal runs: no data of these
 * disks exist that it could protect.
 *
 * Return: 0; -EBUSY when the job has disks, or the engine's are real; -EOPNOTSUPP where a job
 *	in the background would be leapt over.
 */
int dw_job_virtual(struct dw_job *job);

/**
 * dw_job_add_virtual() - add a disk that lives in the transport
 * @job: after dw_job_virtual()
 * @disk: copied
 * @ret_verdict: why not, when 1 is returned
 *
 * Its blocks have no contents: writes carry none, and a read that ends well counts as compared.
 *
 * Return: 0; 1 refused; negative errno.
 */
int dw_job_add_virtual(struct dw_job *job, const struct dw_virtual_disk *disk,
		       struct dw_verdict *ret_verdict);

/** dw_virtual_wake() - end the next wait at @ns of the transport's time at the latest, even if no
 *  disk is at work. */
void dw_virtual_wake(struct dw_engine *e, uint64_t ns);

/** dw_virtual_count() - upper bound of the numbers of disks. */
uint32_t dw_virtual_count(const struct dw_engine *e);

/** dw_virtual_changes() - dw_core_changes() of the engine's core. */
uint64_t dw_virtual_changes(const struct dw_engine *e);

/** dw_virtual_pace() - dw_core_pace() of disk number @i; @ret_unit: its number in the transport.
 *  false: there is none. */
bool dw_virtual_pace(const struct dw_engine *e, uint32_t i, uint32_t *ret_unit,
		     struct dw_core_pace *ret);

/** dw_virtual_still() - dw_core_still() of the engine's core. */
uint64_t dw_virtual_still(const struct dw_engine *e);

/** dw_virtual_links() - upper bound of the numbers of links. */
uint32_t dw_virtual_links(const struct dw_engine *e);

/** dw_virtual_link() - the link of disk number @i; UINT32_MAX = there is no such disk. */
uint32_t dw_virtual_link(const struct dw_engine *e, uint32_t i);

/** dw_virtual_leapt() - dw_core_leapt() of the engine's core. */
uint64_t dw_virtual_leapt(struct dw_engine *e, uint32_t link, uint64_t ns, double rate);

/** dw_virtual_leap() - dw_core_leap() of disk number @i, also in the trace; the transport shows
 *  the time after it. */
void dw_virtual_leap(struct dw_engine *e, uint32_t i, const struct dw_core_leap *leap);

#endif
