/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Claims disks. O_EXCL on the block node is what mounts, swap, md, device-mapper and LIO hold
 * too, and it sees claimed partitions. O_EXCL on an sg node excludes nobody but other users of
 * sg, so it is used only for disks without a block node. Paths of a dm-multipath map are held by
 * the map, so the map is held instead. The BSD lock keeps udevd from probing and rescanning.
 *
 * The order matters. First the node is held, then the disk is judged, as nobody can come in
 * between. Then cached pages are written back and dropped, so that none of them can bring old
 * data back. Last the disk is identified. Only then may write-class commands be sent.
 */
#include <diskwipe/identity.h>

#include "own/claim.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/util.h"
#include "device/identity.h"
#include "device/shelves.h"
#include "device/node.h"
#include "device/open.h"
#include "own/restore.h"
#include "own/security.h"
#include "own/settle.h"
#include "judge/reading.h"
#include "judge/snapshot.h"
#include "judge/verdict.h"
#include "scsi/opcodes.h"

#define TRANSIENT_TRIES 20
#define TRANSIENT_MS    100
#define IDENTITY_TRIES  3
#define READERS_S       30

/**
 * struct group - the paths that are claimed together
 * @d, @n: all of them
 */
struct group {
	struct dw_device *const *d;
	size_t n;
	const struct dw_rules *rules;
};

static void nap(unsigned int ms)
{
	struct timespec t = { .tv_nsec = (long)(ms * DW_NS_PER_MS) };

	nanosleep(&t, NULL);
}

/* The held descriptor, or negative errno. */
static int open_held(const struct dw_node_ref *ref)
{
	int fd = dw_node_open(ref, O_RDWR | O_EXCL), r;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
		close(fd);
		return r;
	}
	return fd;
}

/* One descriptor of the map is for all its paths: the kernel permits only one. */
static int hold_map(struct dw_device *d, const struct group *g)
{
	struct dw_node_ref ref = dw_device_holdable(&d->info);
	int fd = -1;

	for (size_t i = 0; i < g->n && fd < 0; i++)
		if (g->d[i]->map_fd >= 0 && g->d[i]->info.map_dev == ref.dev)
			fd = fcntl(g->d[i]->map_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		fd = open_held(&ref);
	if (fd < 0)
		return fd;
	d->map_fd = fd;
	snprintf(d->claim.by, sizeof(d->claim.by), "O_EXCL on %s", d->info.map);
	return 0;
}

static int hold_block(struct dw_device *d, const struct group *g)
{
	struct dw_node_ref ref = dw_device_holdable(&d->info);
	int fd;

	if (d->info.map_dev)
		return hold_map(d, g);
	fd = open_held(&ref);
	if (fd < 0)
		return fd;
	dw_closep(&d->blk_fd);
	d->blk_fd = fd;
	snprintf(d->claim.by, sizeof(d->claim.by), "O_EXCL on %s", d->info.block);
	return 0;
}

/* sg counts our own plain descriptor as somebody else's: close that first. */
static int hold_sg(struct dw_device *d)
{
	struct dw_node_ref ref = { .path = d->info.sg, .dev = d->info.sg_dev };
	int fd, r;

	dw_closep(&d->sg_fd);
	d->sg_fd = -1;
	r = fd = dw_node_open(&ref, O_RDWR | O_EXCL);
	if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB)) {
		d->sg_fd = fd;
		snprintf(d->claim.by, sizeof(d->claim.by),
			 "O_EXCL on %s (no block device)", d->info.sg);
		return 0;
	}
	if (fd >= 0) {
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
		close(fd);
	}
	fd = dw_node_open(&ref, O_RDWR);
	d->sg_fd = fd < 0 ? -1 : fd;
	return r;
}

/* Replaces the exclusive descriptor by a plain one. */
static void let_go(struct dw_device *d)
{
	struct dw_node_ref sg = { .path = d->info.sg, .dev = d->info.sg_dev };
	struct dw_node_ref blk = { .path = d->info.block,
				   .block = true,
				   .dev = d->info.block_dev };
	int *fd = d->info.block_dev ? &d->blk_fd : &d->sg_fd;

	if (!d->claim.by[0])
		return;
	d->claim.by[0] = '\0';
	if (d->map_fd >= 0) {
		dw_closep(&d->map_fd);
		d->map_fd = -1;
		return;
	}
	dw_closep(fd);
	*fd = d->info.block_dev ? dw_node_open(&blk, O_RDONLY)
				: dw_node_open(&sg, O_RDWR);
	if (*fd < 0)
		*fd = -1;
}

/* Signatures are read as well: they may be a reason to refuse, and the result names them. */
static int judge_group(struct dw_device *d, const struct group *g, struct dw_verdict *ret)
{
	struct dw_known_paths claimed = { .device = g->d, .n = g->n };
	struct dw_disk disk = { .info = d->info };
	struct dw_snapshot *now;
	int r = dw_snapshot_take(&dw_snapshots_self, &now);

	if (!r) {
		claimed.names = now->uses.names;
		dw_shelves_fill_slot(now->uses.shelves, &d->info);
		r = dw_verdict_judge(&dw_machine_self, d, &now->uses, g->rules,
				     !d->sanitize.running, &disk.verdict);
	}
	if (!r && disk.verdict.refusal == DW_REFUSAL_NONE)
		r = dw_unique_check(&dw_machine_self, d, &claimed, &disk);
	dw_snapshot_give_back(&dw_snapshots_self, now);
	*ret = disk.verdict;
	d->info.name_shared = disk.info.name_shared;
	return r < 0 ? r : ret->refusal != DW_REFUSAL_NONE;
}

static bool may_pass(const struct dw_verdict *v)
{
	return v->refusal == DW_REFUSAL_OPEN || v->refusal == DW_REFUSAL_BUSY;
}

/* Holds the node, then judges the disk. udevd and others open a disk for a moment only, so that
 * is worth a short wait. Other reasons are not. */
static int hold_and_judge(struct dw_device *d, const struct group *g,
			  struct dw_verdict *ret)
{
	int held, r;

	for (int i = 0;; i++) {
		held = d->claim.by[0]      ? 0
		       : d->info.block_dev ? hold_block(d, g)
					   : hold_sg(d);
		if (held && held != -EBUSY)
			return held;
		r = held ? 0 : dw_security_release(d, ret);
		if (!r)
			r = judge_group(d, g, ret);
		if (!r && held) {
			dw_verdict_set(
				ret, DW_REFUSAL_BUSY,
				"held by the kernel or a process that could not be found");
			r = 1;
		}
		if (r <= 0 || !may_pass(ret) || i == TRANSIENT_TRIES)
			return r;
		nap(TRANSIENT_MS);
	}
}

/* The kernel writes its pages and flushes the disk's cache. A disk that cannot do that at the
 * beginning could not prove an erasure at the end. The kernel uses SYNCHRONIZE CACHE(10) only: if
 * the disk does not know it, the pages have been written all the same, and the plan decides. */
static int drop_cache(const struct dw_device *d, int fd, struct dw_verdict *ret)
{
	bool flushed;

	if (fd < 0)
		return 0;
	flushed = !fsync(fd) || (errno == EREMOTEIO && d->caps.cache.sync_tried &&
				 !d->caps.cache.sync10);
	if (flushed && !ioctl(fd, BLKFLSBUF))
		return 0;
	if (errno != EIO && errno != EREMOTEIO && errno != ENODATA)
		return -errno;
	dw_verdict_set(ret, DW_REFUSAL_ERROR,
		       "its write cache cannot be flushed (%s); switch the cache off, "
		       "for instance with sdparm --clear=WCE",
		       strerror(errno));
	return 1;
}

struct slave_search {
	const struct group *g;
	dev_t stranger;
};

static int find_stranger(void *ctx, const char *dir, const char *name)
{
	struct slave_search *s = ctx;
	char path[PATH_MAX];

	s->stranger = dw_path(path, "%s/%s", dir, name) ? 0 : dw_sysfs_dev(path);
	for (size_t i = 0; i < s->g->n; i++)
		if (s->g->d[i]->info.block_dev == s->stranger)
			return 0;
	return 1;
}

/* A held map leads to the paths of this claim and to nothing else. */
static int check_map(const struct dw_device *d, const struct group *g,
		     struct dw_verdict *ret)
{
	struct slave_search s = { .g = g };
	char real[PATH_MAX], slaves[PATH_MAX];
	int r;

	if (d->map_fd < 0)
		return 0;
	r = dw_sysfs_real(&dw_machine_self, true, d->info.map_dev, real);
	if (!r)
		r = dw_path(slaves, "%s/slaves", real);
	if (!r)
		r = dw_sysfs_each(slaves, find_stranger, &s);
	if (r == 1)
		dw_verdict_set(
			ret, DW_REFUSAL_HOLDER,
			"multipath map %s leads to device %u:%u as well, which does"
			" not say that it is this disk",
			d->info.map, major(s.stranger), minor(s.stranger));
	return r;
}

static enum dw_identified ask_once(struct dw_device *d, uint8_t wanted)
{
	struct dw_identify id;
	struct dw_completion done;
	struct dw_cmd cmd;

	if (!d->info.scsi)
		return dw_identify_block(d);
	dw_identify_start(&id, &d->info);
	id.wanted = wanted;
	while (dw_identify_next(&id, &cmd)) {
		if (dw_device_command(d, DW_OPCLASS_READ, &cmd, &done))
			return DW_IDENTITY_UNKNOWN;
		dw_identify_feed(&id, &done);
	}
	if (wanted)
		d->watch = id.found;
	return dw_identify_compare(&id, &d->info);
}

/* One aborted command says nothing about the identity. */
static enum dw_identified ask_identity(struct dw_device *d, uint8_t wanted)
{
	enum dw_identified who = ask_once(d, wanted);

	for (int i = 1; i < IDENTITY_TRIES && who == DW_IDENTITY_UNKNOWN; i++) {
		nap(TRANSIENT_MS);
		who = ask_once(d, wanted);
	}
	return who;
}

int dw_device_identity(struct dw_device *d)
{
	switch (ask_identity(d, 0)) {
	case DW_IDENTITY_SAME:
		return 0;
	case DW_IDENTITY_CHANGED:
	case DW_IDENTITY_CAPACITY:
	case DW_IDENTITY_NAMELESS:
		return 1;
	default:
		return -EIO;
	}
}

static void send_plain(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret)
{
	if (dw_device_command(ctx, DW_OPCLASS_READ, cmd, ret))
		*ret = (struct dw_completion){ .cmd = cmd, .err = -EPERM };
}

int dw_device_names(struct dw_device *d)
{
	enum dw_identified who;

	if (d->info.scsi)
		return dw_identity_renew(&d->info, send_plain, d);
	who = dw_identify_block(d);
	if (who == DW_IDENTITY_UNKNOWN)
		return -EIO;
	return who != DW_IDENTITY_SAME;
}

/* A disk that is to be formatted, and answers few commands before that. */
static bool is_raw(const struct dw_device *d, const struct group *g)
{
	return g->rules && g->rules->unformatted && dw_device_unformatted(d);
}

static int check_names(struct dw_device *d, struct dw_verdict *ret)
{
	int r = dw_device_names(d);

	if (r == 1)
		dw_verdict_set(ret, DW_REFUSAL_CHANGED, DW_ANOTHER_DISK);
	else if (r)
		dw_verdict_set(ret, DW_REFUSAL_ERROR, "it does not say who it is");
	return r ? 1 : 0;
}

static int check_identity(struct dw_device *d, struct dw_verdict *ret)
{
	switch (ask_identity(d, DW_WANT_COUNTS | DW_WANT_CACHE)) {
	case DW_IDENTITY_SAME:
		return 0;
	case DW_IDENTITY_CHANGED:
		dw_verdict_set(ret, DW_REFUSAL_CHANGED, DW_ANOTHER_DISK);
		return 1;
	case DW_IDENTITY_CAPACITY:
		dw_verdict_set(ret, DW_REFUSAL_CHANGED, "its capacity has changed");
		return 1;
	case DW_IDENTITY_NAMELESS:
		dw_verdict_set(ret, DW_REFUSAL_CHANGED,
			       "it has %s and told of a reset just now: another disk may "
			       "answer; begin again",
			       dw_identity_lacks(&d->info));
		return 1;
	default:
		dw_verdict_set(ret, DW_REFUSAL_ERROR, "it does not say who it is");
		return 1;
	}
}

/* A disk that came while it erased itself has no capacity in the kernel, which has to read it
 * again. */
static int rescan(const struct dw_device *d)
{
	char dir[PATH_MAX];
	uint64_t size;

	if (!d->info.scsi || !d->info.block_dev ||
	    dw_node_block_dir(&dw_machine_self, &d->info, dir) ||
	    !dw_sysfs_u64(dir, "size", &size) || size)
		return 0;
	if (dw_node_scsi_dir(&dw_machine_self, &d->info, dir))
		return -ENODEV;
	return dw_sysfs_write(dir, "rescan", 1);
}

/* The kernel's pages are dropped, and then the disk is identified. */
static int take_over(struct dw_device *d, struct dw_verdict *ret)
{
	int r = rescan(d);

	if (r)
		return r;
	dw_device_try_flush(d);
	r = drop_cache(d, d->map_fd, ret); /* the map has a cache of its own */
	if (!r)
		r = drop_cache(d, d->blk_fd, ret);
	return r ? r : check_identity(d, ret);
}

/* A disk that erases itself accepts neither a flush nor READ CAPACITY. */
static int take_over_operating(struct dw_device *d, struct dw_verdict *ret)
{
	d->watch = (struct dw_watch){ .wce = DW_UNKNOWN };
	if (dw_identity_nameless(&d->info))
		return dw_verdict_set(
			ret, DW_REFUSAL_CHANGED,
			"it works on a SANITIZE and has %s: another disk may "
			"answer; wait until it has ended",
			dw_identity_lacks(&d->info));
	return check_names(d, ret);
}

static int claim_one(struct dw_device *d, const struct group *g, struct dw_verdict *ret)
{
	int r = hold_and_judge(d, g, ret);
	bool raw = is_raw(d, g);

	if (!r)
		r = check_map(d, g, ret);
	if (!r && raw)
		r = check_names(d, ret);
	else if (!r)
		r = d->sanitize.running ? take_over_operating(d, ret) : take_over(d, ret);
	if (r)
		let_go(d);
	return r;
}

/* What a discovery reads meanwhile would be held up by an operation of the disk, and would hold up
 * whoever waits for that discovery. */
static int own(struct dw_device *d, struct dw_verdict *ret)
{
	int r = dw_reading_bar(d->info.block_dev, READERS_S);

	if (!r) {
		d->claim.held = true;
		d->claim.release = dw_device_release;
		return 0;
	}
	let_go(d);
	if (r != -EBUSY)
		return r;
	return dw_verdict_set(
		ret, DW_REFUSAL_BUSY,
		"a discovery of this program has read it for %u s, and still "
		"waits for an answer; try again when that has ended",
		READERS_S);
}

static void disown(struct dw_device *d)
{
	d->claim.held = false;
	d->claim.release = NULL;
	dw_reading_unbar(d->info.block_dev);
	let_go(d);
}

int dw_device_claim_paths(struct dw_device *const *d, size_t n,
			  const struct dw_rules *rules, struct dw_verdict *ret_verdict)
{
	const struct group g = { .d = d, .n = n, .rules = rules };
	size_t done = 0;
	int r = 0;

	*ret_verdict = (struct dw_verdict){ 0 };
	for (size_t i = 0; i < n; i++)
		if (d[i]->claim.held)
			return -EALREADY;
	while (done < n && !(r = claim_one(d[done], &g, ret_verdict)))
		done++;
	for (size_t i = 0; i < done && !r; i++)
		r = own(d[i], ret_verdict);
	for (size_t i = 0; i < done && r; i++) {
		if (d[i]->claim.held)
			disown(d[i]);
		else
			let_go(d[i]);
	}
	if (r >= 0)
		return r;
	dw_verdict_of_error(r, ret_verdict);
	return r == -ENOMEM ? r : 1;
}

int dw_device_claim_more(struct dw_device *d, struct dw_device *const *claimed, size_t n,
			 const struct dw_rules *rules, struct dw_verdict *ret_verdict)
{
	struct dw_device *all[DW_PATHS_MAX] = { d };
	const struct group g = { .d = all, .n = n + 1, .rules = rules };
	int r;

	if (n + 1 > DW_PATHS_MAX)
		return -EINVAL;
	memcpy(all + 1, claimed, n * sizeof(struct dw_device *));
	*ret_verdict = (struct dw_verdict){ 0 };
	r = claim_one(d, &g, ret_verdict);
	return r ? r : own(d, ret_verdict);
}

int dw_device_claim(struct dw_device *d, const struct dw_rules *rules,
		    struct dw_verdict *ret_verdict)
{
	return dw_device_claim_paths(&d, 1, rules, ret_verdict);
}

int dw_device_operated(struct dw_device *d, struct dw_verdict *ret_verdict)
{
	struct dw_disk_info was = d->info;
	int r;

	*ret_verdict = (struct dw_verdict){ 0 };
	r = check_identity(d, ret_verdict);
	if (!r)
		r = dw_device_probe(&dw_machine_self, d);
	if (!r && d->info.operating)
		r = dw_verdict_set(ret_verdict, DW_REFUSAL_NO_MEDIUM,
				   "it works on a SANITIZE again");
	d->info = was; /* keep the identity that was claimed, whoever answered just now */
	if (!r)
		r = take_over(d, ret_verdict);
	if (r)
		return r;
	d->sanitize.running = d->info.operating = false;
	d->info.wce = d->caps.cache.wce;
	return 0;
}

static int find_users(struct dw_device *const *d, size_t n, struct dw_verdict *ret)
{
	struct dw_snapshot *now;
	int r = dw_snapshot_take(&dw_snapshots_self, &now);

	for (size_t i = 0; i < n && !r; i++)
		r = dw_inuse_judge(&dw_machine_self, &now->uses, &d[i]->info, ret);
	if (!r)
		r = dw_inuse_judge_unseen(&now->uses, ret);
	dw_snapshot_give_back(&dw_snapshots_self, now);
	return r;
}

int dw_device_look_again(struct dw_device *const *d, size_t n,
			 struct dw_verdict *ret_verdict)
{
	int r;

	*ret_verdict = (struct dw_verdict){ 0 };
	for (int i = 0; (r = find_users(d, n, ret_verdict)) == 1; i++) {
		if (!may_pass(ret_verdict) || i == TRANSIENT_TRIES)
			break;
		nap(TRANSIENT_MS);
	}
	return r;
}

/* The nodes of the old partition table go. A disk that was settled is left alone, as that may
 * have been reported. */
static void reread_table(const struct dw_device *d)
{
	if (d->blk_fd >= 0 && !d->claim.settled)
		ioctl(d->blk_fd, BLKFLSBUF);
	dw_device_drop_partitions(d);
}

int dw_device_release(struct dw_device *d)
{
	int r;

	if (!d || !d->claim.held)
		return 0;
	r = dw_device_restore(d);
	reread_table(d);
	disown(d);
	return r;
}
