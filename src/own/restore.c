/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings of a disk that a job changes, and how they are restored: the write cache, the format
 * of sense data, the kernel's limit of a request, a persistent reservation. The old value is
 * recorded before the change, and forgotten when it is restored.
 */
#include "own/restore.h"

#include <errno.h>
#include <stdio.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/node.h"
#include "judge/verdict.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/mode.h"
#include "scsi/opcodes.h"
#include "scsi/pr.h"
#include "own/claim.h"

/* Sends a control-class command. A unit attention is ignored if the same disk still answers. 0
 * good, 1 not, -errno. */
static int order(struct dw_device *d, struct dw_cmd *cmd, struct dw_completion *ret)
{
	struct dw_sense sense;
	int r;

	cmd->dir = DW_DIR_OUT;
	cmd->timeout_ms = DW_ASK_TIMEOUT_MS;
	for (int i = 0; i < 8; i++) {
		r = dw_device_command(d, DW_OPCLASS_CONTROL, cmd, ret);
		if (r || ret->err)
			return r ? r : ret->err;
		if (ret->host_status)
			return -EIO;
		if (!ret->status)
			return 0;
		if (ret->status != DW_STATUS_CHECK_CONDITION ||
		    dw_sense_parse(ret->sense, ret->sense_len, &sense) ||
		    sense.key != DW_KEY_UNIT_ATTENTION || dw_device_identity(d))
			return 1;
	}
	return 1;
}

/* A disk may take the page and change nothing. */
static int check_wce(struct dw_device *d, bool on)
{
	uint8_t page[DW_ASK_MODE_LEN];
	struct dw_mode_caching caching;
	size_t got;
	int size = dw_ask_mode(d, DW_MODE_CACHING, 0, page, &got);

	if (size <= 0)
		return size < 0 ? size : 1;
	return dw_mode_caching(page, got, (unsigned int)size, &caching) ||
	       caching.wce != on;
}

/* Changes one bit of a page; @fill makes the parameter list. */
static int write_bit(struct dw_device *d, uint8_t code, bool on,
		     int (*fill)(const struct dw_mode_reply *reply, bool on, uint8_t *buf,
				 size_t size))
{
	uint8_t page[DW_ASK_MODE_LEN], list[DW_ASK_MODE_LEN];
	struct dw_mode_reply reply = { .data = page };
	struct dw_cmd cmd = { .data = list };
	struct dw_completion done;
	int size = dw_ask_mode(d, code, 0, page, &reply.len), n;

	if (size <= 0)
		return size < 0 ? size : 1;
	reply.size = (unsigned int)size;
	n = fill(&reply, on, list, sizeof(list));
	if (n < 0)
		return 1;
	cmd.data_len = (uint32_t)n;
	cmd.cdb_len = (uint8_t)size;
	if (dw_cdb_mode_select(cmd.cdb, (unsigned int)size, (uint16_t)n) < 0)
		return 1;
	return order(d, &cmd, &done);
}

static int write_wce(struct dw_device *d, bool on)
{
	int r = write_bit(d, DW_MODE_CACHING, on, dw_mode_fill_wce);

	return r ? r : check_wce(d, on);
}

int dw_device_set_wce(struct dw_device *d, bool on)
{
	int r;

	if (!d->claim.held)
		return -EPERM;
	if (!d->caps.scsi || d->caps.cache.wce == DW_UNKNOWN)
		return 1;
	if (d->caps.cache.wce == (on ? DW_YES : DW_NO))
		return 0;
	if (!d->caps.cache.changeable)
		return 1;
	r = write_wce(d, on);
	if (r)
		return r;
	if (d->changed.wce == DW_UNKNOWN)
		d->changed.wce = d->caps.cache.wce;
	d->caps.cache.wce = d->info.wce = on ? DW_YES : DW_NO;
	return 0;
}

static void restore_wce(struct dw_device *d)
{
	if (d->changed.wce == DW_UNKNOWN)
		return;
	if (d->changed.wce != d->caps.cache.wce &&
	    !write_wce(d, d->changed.wce == DW_YES))
		d->caps.cache.wce = d->info.wce = d->changed.wce;
	d->changed.wce = DW_UNKNOWN;
}

/* Whether the format is fixed now. If that cannot be asked, it is left as it is. */
static bool is_fixed(struct dw_device *d)
{
	uint8_t page[DW_ASK_MODE_LEN];
	struct dw_mode_control control;
	size_t got;
	int size = dw_ask_mode(d, DW_MODE_CONTROL, 0, page, &got);

	return size > 0 && !dw_mode_control(page, got, (unsigned int)size, &control) &&
	       !control.descriptor_sense;
}

int dw_device_whole_sense(struct dw_device *d)
{
	if (!d->claim.held)
		return -EPERM;
	if (!is_fixed(d) || write_bit(d, DW_MODE_CONTROL, true, dw_mode_fill_dsense))
		return 1;
	d->changed.descriptor = true;
	return 0;
}

void dw_device_report_whole(struct dw_device *d)
{
	if (!d->caps.self.ata || !d->caps.self.end_unknown || dw_device_whole_sense(d))
		return;
	d->caps.self.not_offered = dw_device_ask_sanitize(d);
	if (d->caps.self.not_offered)
		d->caps.self.operations = 0;
}

static void restore_format(struct dw_device *d)
{
	if (d->changed.descriptor)
		write_bit(d, DW_MODE_CONTROL, false, dw_mode_fill_dsense);
	d->changed.descriptor = false;
}

static int queue_dir(const struct dw_device *d, char *ret)
{
	char dir[PATH_MAX];
	int r = dw_node_block_dir(&dw_machine_self, &d->info, dir);

	return r ? r : dw_path(ret, "%s/queue", dir);
}

uint32_t dw_device_raise_max_sectors(struct dw_device *d, uint32_t bytes)
{
	uint64_t want = bytes / DW_KIB, now, hardware;
	char dir[PATH_MAX];

	if (!d->claim.held || queue_dir(d, dir) ||
	    !dw_sysfs_u64(dir, "max_sectors_kb", &now) ||
	    !dw_sysfs_u64(dir, "max_hw_sectors_kb", &hardware))
		return d->caps.limit.soft_bytes;
	want = dw_min_u64(want, hardware);
	if (want > now && !dw_sysfs_write(dir, "max_sectors_kb", want)) {
		if (!d->changed.max_sectors_kb)
			d->changed.max_sectors_kb = (uint32_t)now;
		now = want;
	}
	d->caps.limit.soft_bytes = (uint32_t)dw_min_u64(now * DW_KIB, UINT32_MAX);
	return d->caps.limit.soft_bytes;
}

static void restore_max_sectors(struct dw_device *d)
{
	char dir[PATH_MAX];

	if (d->changed.max_sectors_kb && !queue_dir(d, dir) &&
	    !dw_sysfs_write(dir, "max_sectors_kb", d->changed.max_sectors_kb))
		d->caps.limit.soft_bytes = (uint32_t)(d->changed.max_sectors_kb * DW_KIB);
	d->changed.max_sectors_kb = 0;
}

void dw_device_count_io(struct dw_device *d)
{
	char dir[PATH_MAX];
	uint64_t on;

	if (!queue_dir(d, dir) && dw_sysfs_u64(dir, "iostats", &on) && !on)
		d->changed.iostats |= !dw_sysfs_write(dir, "iostats", 1);
}

static void restore_iostats(struct dw_device *d)
{
	char dir[PATH_MAX];

	if (d->changed.iostats && !queue_dir(d, dir))
		dw_sysfs_write(dir, "iostats", 0);
	d->changed.iostats = false;
}

/* Our registration key: a fixed word, so that a key that was left by a crash can be recognised.
 * Which host it was is known to the disk. */
static const uint64_t our_key = UINT64_C(0x6469736b77697065); /* "diskwipe" */

static int reserve_out(struct dw_device *d, uint8_t sa, uint64_t key, uint64_t sa_key,
		       struct dw_completion *ret)
{
	uint8_t list[DW_PR_LIST_LEN];
	struct dw_cmd cmd = { .data = list, .data_len = sizeof(list) };
	uint8_t type = sa == DW_SA_PR_RESERVE || sa == DW_SA_PR_RELEASE
			       ? d->changed.reservation
			       : 0;
	int r = dw_cdb_pr_out(cmd.cdb, sa, type);

	if (r < 0)
		return r;
	cmd.cdb_len = (uint8_t)r;
	dw_pr_fill_list(key, sa_key, list);
	return order(d, &cmd, ret);
}

static int refuse_reserve(const struct dw_completion *done, struct dw_verdict *v)
{
	dw_verdict_set(v, DW_REFUSAL_RESERVED, "%s",
		       done->status == DW_STATUS_RESERVATION_CONFLICT
			       ? "reserved by another initiator"
			       : "the disk does not take a persistent reservation");
	return 1;
}

/* May it be reserved at all? 0, 1 with @v, -EPERM. */
static int check_reservable(const struct dw_device *d, struct dw_verdict *v)
{
	*v = (struct dw_verdict){ 0 };
	if (!d->claim.held)
		return -EPERM;
	if (d->caps.scsi)
		return 0;
	dw_verdict_set(v, DW_REFUSAL_RESERVED, "no persistent reservation without SCSI");
	return 1;
}

int dw_device_register(struct dw_device *d, struct dw_verdict *ret_verdict)
{
	struct dw_completion done;
	int r = check_reservable(d, ret_verdict);

	if (r || d->changed.registered)
		return r;
	r = reserve_out(d, DW_SA_PR_REGISTER_AND_IGNORE, 0, our_key, &done);
	if (r)
		return r < 0 ? r : refuse_reserve(&done, ret_verdict);
	d->changed.registered = true;
	return 0;
}

static void restore_reservation(struct dw_device *d)
{
	struct dw_completion done;

	if (d->changed.reserved)
		reserve_out(d, DW_SA_PR_RELEASE, our_key, 0, &done);
	if (d->changed.registered)
		reserve_out(d, DW_SA_PR_REGISTER, our_key, 0, &done);
	d->changed.reserved = d->changed.registered = false;
}

int dw_device_reserve_paths(struct dw_device *const *d, size_t n,
			    struct dw_verdict *ret_verdict)
{
	struct dw_completion done;
	int r = 0;

	if (d[0]->changed.reserved)
		return 0;
	for (size_t i = 0; i < n && !r; i++)
		r = dw_device_register(d[i], ret_verdict);
	d[0]->changed.reservation =
		n > 1 ? DW_PR_WRITE_EXCLUSIVE_REGISTRANTS : DW_PR_WRITE_EXCLUSIVE;
	if (!r) {
		r = reserve_out(d[0], DW_SA_PR_RESERVE, our_key, 0, &done);
		d[0]->changed.reserved = !r;
		if (r > 0)
			refuse_reserve(&done, ret_verdict);
	}
	for (size_t i = 0; i < n && r; i++)
		restore_reservation(d[i]);
	return r;
}

int dw_device_reserve(struct dw_device *d, struct dw_verdict *ret_verdict)
{
	return dw_device_reserve_paths(&d, 1, ret_verdict);
}

/* The disk accepts no other question in that state, not even for its identity; another disk
 * refuses this one. */
static void exit_failure_mode(struct dw_device *d)
{
	struct dw_cmd cmd = { .dir = DW_DIR_NONE, .timeout_ms = DW_ASK_TIMEOUT_MS };
	struct dw_completion done;

	cmd.cdb_len =
		(uint8_t)(d->caps.self.ata
				  ? dw_cdb_ata_sanitize(cmd.cdb, DW_ATA_SANITIZE_EXIT, 0)
				  : dw_cdb_sanitize_exit(cmd.cdb));
	dw_device_command(d, DW_OPCLASS_CONTROL, &cmd, &done);
	d->sanitize.failed = false;
}

static bool is_changed(const struct dw_device *d)
{
	return (d->changed.wce != DW_UNKNOWN && d->changed.wce != d->caps.cache.wce) ||
	       d->changed.descriptor || d->changed.reserved || d->changed.registered;
}

/* The queue setting belongs to the node. The rest belongs to the disk, and to no other disk. */
int dw_device_restore(struct dw_device *d)
{
	int r = 0;

	restore_max_sectors(d);
	restore_iostats(d);
	if (d->sanitize.failed)
		exit_failure_mode(d);
	if (!is_changed(d))
		return 0;
	r = d->stranger ? 1 : dw_device_identity(d);
	if (r) {
		d->changed.wce = DW_UNKNOWN;
		d->changed.reserved = d->changed.registered = d->changed.descriptor =
			false;
		return r;
	}
	restore_wce(d);
	restore_format(d);
	restore_reservation(d);
	return 0;
}

int dw_reservation_check(struct dw_device *d, struct dw_verdict *ret)
{
	struct dw_pr_reservation res;
	uint8_t buf[24];
	struct dw_cmd cmd = { .data = buf, .data_len = sizeof(buf) };
	const char *node = d->info.sg[0] ? d->info.sg : d->info.block;
	struct dw_answer a;
	int r = dw_cdb_pr_in(cmd.cdb, DW_SA_PR_READ_RESERVATION, sizeof(buf));

	cmd.cdb_len = (uint8_t)r;
	r = dw_ask(d, &cmd, &a);
	if (r == 1 && a.done.status == DW_STATUS_RESERVATION_CONFLICT) {
		dw_verdict_set(ret, DW_REFUSAL_RESERVED, "reserved by another initiator");
		return 1;
	}
	if (r || dw_pr_reservation(buf, a.got, &res) || !res.held)
		return 0;
	dw_verdict_set(ret, DW_REFUSAL_RESERVED, "reservation held (%s, key %016llx)",
		       dw_pr_type_name(res.type), (unsigned long long)res.key);
	/* Only the holder may release; whoever is registered may clear (SPC-4, 5.13.11.2.8) */
	snprintf(ret->release, sizeof(ret->release),
		 "sg_persist --out --register-ignore --param-sark=d15c %s && "
		 "sg_persist --out --clear --param-rk=d15c %s",
		 node, node);
	return 1;
}
