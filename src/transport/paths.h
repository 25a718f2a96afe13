/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_PATHS_H
#define DW_TRANSPORT_PATHS_H

/*
 * One disk over several paths. See paths.c for the rules, docs/paths.md for the reasons.
 */
#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

#define DW_LEADS_MAX 8
#define DW_LINKS_MAX 256

enum dw_lead_state {
	DW_LEAD_UP,
	DW_LEAD_DOUBTED, /* had a unit attention: it is identified before data are sent */
	DW_LEAD_ASKED,   /* that is being done */
	DW_LEAD_DOWN,    /* failed; tried again from time to time */
	DW_LEAD_REVIVED, /* that is being done */
	DW_LEAD_BACK, /* identified as the same disk; proven by a marker before the next write */
	DW_LEAD_PROVEN,  /* that is being done */
	DW_LEAD_FOREIGN, /* leads to another disk; not used any more */
};

/** struct dw_lead_fds - descriptors of a path, as in struct dw_target; @link: which of the
 *  machine's connections it runs over, below DW_LINKS_MAX: paths of all disks share their
 *  load by that number; @name: its node, for people */
struct dw_lead_fds {
	int sg_fd;
	int blk_fd;
	uint32_t link;
	_Atomic uint64_t *errors;
	struct dw_spared *spared;
	char name[64];
};

/**
 * struct dw_path_set - the paths of a disk
 * @n: their number, 1..DW_LEADS_MAX
 * @lead: their descriptors when the disk is attached
 * @dynamic: the path is chosen for each command, else it is always @home
 * @home: the path of a disk that uses one
 * @rw16, @sync16: the disk knows the 16-byte commands
 * @ns_per_byte: of a connection, 0 = unknown: the path is then used that is free first, as far as
 *	is known from what was sent over it
 * @quiet_ns: how long a command whose path failed may still be on its way to the disk; the flush
 *	that follows waits so long, and so does a write after a failed proof
 * @identify: identify the disk over a path: 0 this disk, 1 another, negative errno: no answer.
 *	Called in one of the disk's threads while nothing else is sent over the path
 * @ctx: for it
 */
struct dw_path_set {
	uint32_t n;
	struct dw_lead_fds lead[DW_LEADS_MAX];
	bool dynamic;
	uint32_t home;
	bool rw16;
	bool sync16;
	double ns_per_byte;
	uint64_t quiet_ns;
	int (*identify)(void *ctx, uint32_t lead);
	void *ctx;
};

/**
 * struct dw_lead_news - the state of a path
 * @state: enum dw_lead_state
 * @name: as it was given
 * @commands: number of commands that ended over it, in any way
 * @failures: number of commands that it failed to carry
 * @returns: number of times it came back into use
 */
struct dw_lead_news {
	uint8_t state;
	char name[64];
	uint64_t commands;
	uint64_t failures;
	uint64_t returns;
};

/**
 * dw_paths_new() - the threaded transport with a choice of paths before a sender
 * @inner: carries a command over one path; its handles are dw_paths_handle(). Copied; freed
 *	with the transport, not when this fails.
 * @executor: as dw_threaded_new()
 * @ret: the transport
 *
 * Return: as dw_threaded_new().
 */
int dw_paths_new(const struct dw_sender *inner, const struct dw_executor *executor,
		 struct dw_transport **ret);

/** dw_paths_handle() - the handle of path @lead of disk @handle in the inner sender. */
uint32_t dw_paths_handle(uint32_t handle, uint32_t lead);

/** dw_paths_inner() - the inner sender's state. */
void *dw_paths_inner(struct dw_transport *t);

/** dw_paths_changes() - a number that grows whenever a path of the disk changes its state. */
uint32_t dw_paths_changes(struct dw_transport *t, uint32_t handle);

/** dw_paths_news() - the present state of path @lead of disk @handle. */
void dw_paths_news(struct dw_transport *t, uint32_t handle, uint32_t lead,
		   struct dw_lead_news *ret);

/**
 * dw_paths_retry() - a failed path that may be tried again now
 * @now_ns: CLOCK_MONOTONIC
 * @ret_next_ns: when another one may be; UINT64_MAX = none has failed
 *
 * Nothing is sent over it until dw_paths_revived(); before the disk is detached.
 *
 * Return: its number; -1: none.
 */
int dw_paths_retry(struct dw_transport *t, uint32_t handle, uint64_t now_ns,
		   uint64_t *ret_next_ns);

/** dw_paths_let_go() - after that the descriptors of such a path may be closed. Any thread. */
void dw_paths_let_go(struct dw_transport *t, uint32_t handle, uint32_t lead);

/**
 * dw_paths_revived() - the result of trying it; may wait, any thread
 * @r: 0: the disk is there, by @fds, and will be proven before the next write; 1: another disk is
 *	there, the path is not used any more; negative errno: no answer yet
 */
void dw_paths_revived(struct dw_transport *t, uint32_t handle, uint32_t lead, int r,
		      const struct dw_lead_fds *fds);

#endif
