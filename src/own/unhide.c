/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shows hidden blocks, in the order in which one setting hides another: first the host protected
 * area or the accessible max address, then the configuration overlay, which a disk does not
 * remove while the former is set. A disk obeys each of these commands once between two power
 * cycles, some only after one, and a freeze lasts as long. So a disk that refuses, or obeys
 * without a change of capacity, is not used further: it is to be unplugged and plugged in again,
 * and the same command continues with what is left.
 *
 * Good status proves nothing, and a disk may forget after the command what it reported before.
 * What counts is the capacity that it reports then, compared with all that it had reported.
 */
#include "own/unhide.h"

#include <diskwipe/identity.h>
#include <diskwipe/units.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/hidden.h"
#include "judge/verdict.h"
#include "own/claim.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

#define RAISE_TRIES 4
#define RAISE_MS    60000
#define MAX_BYTES   (4 * DW_MIB) /* longest transfer of a job */

#define AGAIN                                                                            \
	"pull it, plug it in again, and do the same once more; if that does not help, "  \
	"have hidden blocks only reported, which erases the rest"

/**
 * struct unhiding - a disk whose blocks are shown
 * @d, @n: its paths; commands are sent over the first
 * @was: its facts before
 * @all: number of blocks that it had reported, shown or hidden
 * @reported: it had reported hidden ones
 */
struct unhiding {
	struct dw_device *const *d;
	size_t n;
	struct dw_disk_info was;
	uint64_t all;
	bool reported;
	struct dw_unhidden *ret;
	struct dw_verdict *verdict;
};

/** struct raise - a command that shows blocks: its permit, what had hidden them, its name;
 *  @native: it has to follow READ NATIVE MAX ADDRESS EXT */
struct raise {
	struct dw_cmd cmd;
	uint32_t permit;
	enum dw_hidden by;
	const char *name;
	bool native;
};

__attribute__((format(printf, 2, 3))) static void leave_hidden(struct unhiding *u,
							       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(u->ret->reason, sizeof(u->ret->reason), format, args);
	va_end(args);
	dw_text_printable(u->ret->reason);
}

static int refuse_stranger(struct unhiding *u, struct dw_device *d)
{
	d->stranger = true;
	return dw_verdict_set(u->verdict, DW_REFUSAL_CHANGED,
			      DW_ANOTHER_DISK "; nothing more was sent to it");
}

/* All facts but the capacity, and what follows from that. */
static bool is_same_disk(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return dw_disk_match(a, b, DW_SAME_BUT_CAPACITY) && a->pi_type == b->pi_type;
}

static int ask_unit_again(struct unhiding *u, struct dw_device *d)
{
	int r = dw_device_probe(&dw_machine_self, d);

	if (r)
		return dw_verdict_set(
			u->verdict, DW_REFUSAL_ERROR,
			"hidden blocks were to be restored, and now it does "
			"not tell its capacity: %s",
			strerror(-r));
	if (!is_same_disk(&u->was, &d->info))
		return refuse_stranger(u, d);
	dw_device_try_flush(d);
	dw_device_assume_length(d, MAX_BYTES);
	return 0;
}

static int check_size(struct unhiding *u, uint64_t before)
{
	uint64_t now = u->d[0]->info.blocks;

	for (size_t i = 1; i < u->n; i++)
		if (u->d[i]->info.blocks != now)
			return dw_verdict_set(u->verdict, DW_REFUSAL_CHANGED,
					      "its paths tell different capacities now");
	if (now < before || (u->reported && now > u->all))
		return dw_verdict_set(
			u->verdict, DW_REFUSAL_CHANGED,
			"hidden blocks were to be restored, and it tells %llu blocks now, "
			"not %llu as it said before",
			(unsigned long long)now, (unsigned long long)u->all);
	u->all = dw_max_u64(u->all, now);
	return 0;
}

/* Reads identity and abilities again, over each path. */
static int renew_all(struct unhiding *u, uint64_t before)
{
	int r = 0;

	for (size_t i = 0; i < u->n && !r; i++)
		r = ask_unit_again(u, u->d[i]);
	return r ? r : check_size(u, before);
}

/* Updates the capacity in the kernel; an earlier run that was killed may have left that
 * undone. */
static int rescan_all(struct unhiding *u)
{
	const struct dw_caps *c = &u->d[0]->caps;
	bool power = !(c->block_size & (c->block_size - 1)), seen = true;

	for (size_t i = 0; i < u->n; i++)
		seen &= dw_device_rescan(u->d[i], power ? c->blocks * c->block_size : 0);
	for (size_t i = 0; i < u->n; i++)
		if (dw_device_identity(u->d[i]) == 1)
			return refuse_stranger(u, u->d[i]);
	if (seen)
		return 0;
	return dw_verdict_set(
		u->verdict, DW_REFUSAL_CHANGED,
		"the kernel has not taken its capacity of %llu blocks: " AGAIN,
		(unsigned long long)c->blocks);
}

static bool ask_native_max(struct dw_device *d)
{
	struct dw_cmd cmd = { .cdb_len = (uint8_t)dw_cdb_ata(
				      cmd.cdb, DW_ATA_READ_NATIVE_MAX_EXT) };
	struct dw_answer a;

	return !dw_ask(d, &cmd, &a);
}

/* 0 done; 1 refused, see @ret; -ESTALE another disk, then all is said; negative errno */
static int send_raise(struct unhiding *u, struct raise *x, struct dw_sense *ret)
{
	struct dw_device *d = u->d[0];
	struct dw_completion done = { 0 };

	x->cmd.timeout_ms = RAISE_MS;
	*ret = (struct dw_sense){ 0 };
	for (int i = 0; i < RAISE_TRIES; i++) {
		int r = dw_device_names(d);

		if (r == 1)
			refuse_stranger(u, d);
		if (r || (x->native && !ask_native_max(d)))
			return r == 1 ? -ESTALE : -EIO;
		d->permit.granted = x->permit;
		r = dw_device_command(d, DW_OPCLASS_CONTROL | x->permit, &x->cmd, &done);
		d->permit.granted = 0;
		if (r || done.err || dw_guard_good(&done))
			return r ? r : done.err;
		if (dw_sense_parse(done.sense, done.sense_len, ret) < 0)
			return -EIO;
		if (ret->key != DW_KEY_UNIT_ATTENTION)
			break;
	}
	return 1;
}

static void note_restored(struct unhiding *u, enum dw_hidden by, uint64_t blocks)
{
	struct dw_unhidden *ret = u->ret;

	if (blocks && ret->n_restored < DW_RESTORED_MAX)
		ret->restored[ret->n_restored++] =
			(struct dw_restored){ .by = (uint8_t)by, .blocks = blocks };
}

static int fail_raise(struct unhiding *u, const struct raise *x, int r)
{
	if (r == -ESTALE)
		return 1;
	return dw_verdict_set(u->verdict, DW_REFUSAL_ERROR,
			      "hidden blocks were to be restored by %s, and it does not "
			      "answer: %s",
			      x->name, strerror(-r));
}

/* 0 sent, and all facts are read again; 2 refused, see @ret; else as dw_device_unhide(). */
static int carry_out(struct unhiding *u, struct raise *x, struct dw_sense *ret)
{
	uint64_t before = u->d[0]->info.blocks;
	int r = send_raise(u, x, ret);

	if (r == 1)
		return 2;
	r = r ? fail_raise(u, x, r) : renew_all(u, before);
	if (!r)
		note_restored(u, x->by, u->d[0]->info.blocks - before);
	return r;
}

/* ---- SCSI ----------------------------------------------------------------- */

static int unclip(struct unhiding *u)
{
	struct dw_device *d = u->d[0];
	uint8_t buf[DW_ASK_MODE_LEN], list[DW_LENGTH_LIST_MAX];
	struct dw_block_descriptor b;
	struct raise x = { .cmd = { .dir = DW_DIR_OUT, .data = list },
			   .permit = DW_OPCLASS_UNCLIP,
			   .by = DW_HIDDEN_MODE_SELECT,
			   .name = "MODE SELECT" };
	char text[96];
	struct dw_sense s;
	size_t got;
	int size = dw_ask_current_blocks(d, buf, &got), r;

	if (size <= 0 || dw_block_descriptor_parse(buf, got, (unsigned int)size, &b) ||
	    b.block_size != d->info.block_size) {
		leave_hidden(
			u,
			"it does not tell the block descriptor that MODE SELECT needs");
		return 0;
	}
	b.unclips = true;
	r = dw_block_descriptor_list(&b, list);
	if (r < 0)
		return r;
	x.cmd.data_len = (uint32_t)r;
	x.cmd.cdb_len = (uint8_t)dw_cdb_mode_select(x.cmd.cdb, b.size, (uint16_t)r);
	r = carry_out(u, &x, &s);
	if (r == 2)
		leave_hidden(u, "it refuses MODE SELECT: %s",
			     dw_sense_text(&s, text, sizeof(text)));
	else if (!r && u->d[0]->info.blocks < u->all)
		leave_hidden(u, "it took MODE SELECT, and shows no more than %llu blocks",
			     (unsigned long long)u->d[0]->info.blocks);
	return r == 2 ? 0 : r;
}

/* ---- ATA ------------------------------------------------------------------ */

static int need_power_cycle(struct unhiding *u, const char *what)
{
	const struct dw_unhidden *ret = u->ret;
	char done[64] = "";

	if (ret->n_restored)
		snprintf(done, sizeof(done), "%llu hidden blocks were restored, but ",
			 (unsigned long long)ret->restored[0].blocks);
	return dw_verdict_set(u->verdict, DW_REFUSAL_CHANGED, "%s%s: " AGAIN, done, what);
}

/* If a translation does not pass the command on, a power cycle does not help. */
static int raise_ata(struct unhiding *u, struct raise *x)
{
	uint64_t before = u->d[0]->info.blocks;
	char what[96];
	struct dw_sense s;
	int r = carry_out(u, x, &s);

	if (r == 2 && s.key != DW_KEY_ABORTED_COMMAND) {
		leave_hidden(u, "its translation does not pass on %s", x->name);
		return 0;
	}
	if (r == 2)
		snprintf(what, sizeof(what), "it refuses %s until it has lost power",
			 x->name);
	else if (!r && u->d[0]->info.blocks == before)
		snprintf(what, sizeof(what), "it took %s, and shows what it showed",
			 x->name);
	else
		return r;
	return need_power_cycle(u, what);
}

/* Half of the address may be missing; another format of sense data has all of it. */
static bool knows_address(struct dw_device *d)
{
	if (!d->caps.ata.at_least)
		return true;
	dw_device_whole_sense(d);
	dw_device_probe_hidden(d);
	return !d->caps.ata.at_least;
}

/* The host protected area, or the accessible max address that took its place. */
static int raise_max(struct unhiding *u)
{
	struct dw_device *d = u->d[0];
	bool ama = d->caps.ata.max[DW_HIDDEN_AMA] > d->caps.ata.sectors;
	enum dw_hidden by = ama ? DW_HIDDEN_AMA : DW_HIDDEN_HPA;
	struct raise x = { .permit = ama ? DW_OPCLASS_ACCESSIBLE_MAX : DW_OPCLASS_SET_MAX,
			   .by = by,
			   .name = ama ? "SET ACCESSIBLE MAX ADDRESS EXT"
				       : "SET MAX ADDRESS EXT",
			   .native = !ama };

	if (d->caps.ata.max[by] <= d->caps.ata.sectors)
		return 0;
	if (!knows_address(d)) {
		leave_hidden(u, "its sense data leave out half of the highest address");
		return 0;
	}
	u->all = dw_max_u64(u->all, d->info.blocks + d->info.hidden_blocks);
	d->permit.raise_last = d->caps.ata.max[by] - 1;
	x.cmd.cdb_len = (uint8_t)dw_cdb_ata_raise(
		x.cmd.cdb, ama ? DW_ATA_SET_ACCESSIBLE_MAX : DW_ATA_SET_MAX_EXT,
		d->permit.raise_last);
	return raise_ata(u, &x);
}

static int drop_overlay(struct unhiding *u)
{
	struct dw_device *d = u->d[0];
	struct raise x = { .permit = DW_OPCLASS_OVERLAY_OFF,
			   .by = DW_HIDDEN_DCO,
			   .name = "DEVICE CONFIGURATION RESTORE" };

	if (d->caps.ata.dco_unknown && !strcmp(d->caps.ata.dco_unknown, DW_DCO_REFUSED))
		return need_power_cycle(u,
					"it does not tell what a configuration overlay "
					"(DCO) hides, which may be frozen");
	if (d->caps.ata.max[DW_HIDDEN_DCO] <= d->caps.ata.sectors || u->ret->reason[0])
		return 0;
	x.cmd.cdb_len = (uint8_t)dw_cdb_ata_raise(x.cmd.cdb, DW_ATA_DCO_RESTORE, 0);
	return raise_ata(u, &x);
}

static int unhide_ata(struct unhiding *u)
{
	int r;

	if (!u->d[0]->caps.ata.sectors)
		return 0; /* its capacity cannot be asked for; the result says so */
	r = raise_max(u);
	return r ? r : drop_overlay(u);
}

/* Blocks that it reported before count as hidden, even if it does not report them any more. */
static void count_left(struct unhiding *u)
{
	struct dw_disk_info *i = &u->d[0]->info;
	uint64_t left = u->all - i->blocks;

	if (left > i->hidden_blocks) {
		i->hidden_blocks = left;
		if (i->hidden_by == DW_HIDDEN_NONE)
			i->hidden_by = u->was.hidden_by;
	}
	if (!i->hidden_blocks)
		u->ret->reason[0] = '\0';
	else if (!u->ret->reason[0] || i->hidden_by == DW_HIDDEN_ELEMENT ||
		 i->hidden_by == DW_HIDDEN_ADAPTER)
		leave_hidden(u, "no command shows them again here");
	for (size_t k = 1; k < u->n; k++) {
		u->d[k]->info.hidden_blocks = i->hidden_blocks;
		u->d[k]->info.hidden_by = i->hidden_by;
	}
}

int dw_device_unhide(struct dw_device *const *d, size_t n, struct dw_unhidden *ret,
		     struct dw_verdict *ret_verdict)
{
	const struct dw_disk_info *i = &d[0]->info;
	struct unhiding u = { .d = d,
			      .n = n,
			      .was = *i,
			      .all = i->blocks + i->hidden_blocks,
			      .reported = i->hidden_blocks,
			      .ret = ret,
			      .verdict = ret_verdict };
	int r;

	*ret = (struct dw_unhidden){ 0 };
	*ret_verdict = (struct dw_verdict){ 0 };
	if (!d[0]->claim.held)
		return -EPERM;
	if (!i->scsi || i->logical_volume || d[0]->sanitize.running) {
		leave_hidden(&u, "no command shows them again here");
		return 0;
	}
	r = d[0]->caps.ata.sat ? unhide_ata(&u) : unclip(&u);
	if (r)
		return r;
	count_left(&u);
	return rescan_all(&u);
}
