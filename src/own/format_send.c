/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is sent to a disk that is formatted: its block length (MODE SELECT) and FORMAT UNIT. A
 * block length that was sent stays set until a format, or a loss of power, and the next format
 * makes such blocks, whoever begins it. So the former length is set again if the format is known
 * not to have begun, and the disk is at rest and reports its former blocks. If it may have begun,
 * or the device has other units, whose pages and work these may be, nothing more is sent.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/capacity.h"
#include "device/node.h"
#include "own/format_unit.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"
#include "transport/guard.h"

#define SEND_TRIES 4
#define SEND_MS    60000

/** struct format_answer - of a command that changes something; @sense: if it was refused; @status:
 *  by which it was refused without sense data; @unclear: it may have been carried out */
struct format_answer {
	struct dw_sense sense;
	uint8_t status;
	bool unclear;
};

/* After these keys, and after an error of an earlier command, it was not carried out. */
static bool is_refusal(const struct dw_sense *s)
{
	return s->deferred || s->key == DW_KEY_ILLEGAL_REQUEST ||
	       s->key == DW_KEY_DATA_PROTECT || s->key == DW_KEY_UNIT_ATTENTION ||
	       (s->key == DW_KEY_NOT_READY && s->asc != 0x31);
}

/* The kernel refused it for want of memory or as an argument, before the adapter had it. */
static bool is_unsent(int err)
{
	return err == -ENOMEM || err == -EINVAL || err == -EIO || err == -ECANCELED ||
	       err == -EPERM;
}

/* Neither a good answer nor one that says that it was not carried out. */
static bool is_unclear(const struct dw_completion *done)
{
	if (done->err)
		return !is_unsent(done->err);
	return done->host_status || (done->status != DW_STATUS_BUSY &&
				     done->status != DW_STATUS_RESERVATION_CONFLICT &&
				     done->status != DW_STATUS_TASK_SET_FULL &&
				     done->status != DW_STATUS_ACA_ACTIVE);
}

/* Sends a command that changes something. 0 done; 1 refused, see @ret; -ESTALE: another disk
 * answers, and the unit has ended; negative errno. */
static int send_change(struct format_unit *u, struct dw_cmd *cmd,
		       struct format_answer *ret)
{
	struct dw_device *d = u->device[0];
	struct dw_completion done = { 0 };
	int r = 0;

	cmd->dir = DW_DIR_OUT;
	cmd->timeout_ms = SEND_MS;
	*ret = (struct format_answer){ 0 };
	for (int i = 0; i < SEND_TRIES; i++) {
		r = dw_device_names(d);
		if (r)
			return r < 0 || dw_format_same(u) ? -EIO : -ESTALE;
		d->permit.formats = true;
		r = dw_device_command(d, DW_OPCLASS_CONTROL | DW_OPCLASS_FORMAT, cmd,
				      &done);
		d->permit.formats = false;
		if (r || (!done.err && dw_guard_good(&done)))
			return r;
		ret->unclear = is_unclear(&done);
		if (done.err)
			return done.err;
		if (dw_sense_parse(done.sense, done.sense_len, &ret->sense) < 0) {
			ret->status = ret->unclear ? 0 : done.status;
			return -EIO;
		}
		ret->unclear = done.host_status || !is_refusal(&ret->sense);
		if (ret->sense.key != DW_KEY_UNIT_ATTENTION)
			break;
	}
	return 1;
}

static void fail_command(struct format_unit *u, const char *name, int r,
			 const struct format_answer *a)
{
	const struct dw_sense *s = &a->sense;
	char what[96];

	if (r == -ESTALE)
		return;
	/* another unit of its device began meanwhile: this one is asked again after that */
	if (r == 1 && dw_format_working(s) && !u->deferred) {
		u->deferred = true;
		dw_format_begun(u);
		return;
	}
	snprintf(what, sizeof(what), "the disk refused %s", name);
	if (r == 1)
		dw_format_end_sense(u, what, s);
	else if (a->status)
		dw_format_end(u, DW_FORMAT_FAILED, "%s: %s", what,
			      a->status == DW_STATUS_RESERVATION_CONFLICT
				      ? "reserved by another host"
				      : "busy");
	else if (r == -ENODEV || r == -ENXIO)
		dw_format_end(u, DW_FORMAT_REMOVED, "it was removed before %s", name);
	else
		dw_format_end(u, DW_FORMAT_FAILED, "%s could not be sent: %s", name,
			      strerror(-r));
}

/* Reads the block descriptor. If there is none, the short form is used. */
static struct dw_block_descriptor ask_length(struct dw_device *d)
{
	struct dw_block_descriptor b = { .size = 10 };
	uint8_t buf[DW_ASK_MODE_LEN];
	size_t got;
	int size = dw_ask_current_blocks(d, buf, &got);

	if (size > 0 && dw_block_descriptor_parse(buf, got, (unsigned int)size, &b))
		b = (struct dw_block_descriptor){ .size = (uint8_t)size };
	return b;
}

/* Sends the block length; returns as send_change(). Some disks save every length, and refuse one
 * that is not to be saved. What was sent once is set back in the same way. */
static int send_length(struct format_unit *u, const struct dw_block_descriptor *b,
		       struct format_answer *ret)
{
	uint8_t list[DW_LENGTH_LIST_MAX];
	struct dw_cmd cmd = { .data = list };
	bool again = u->length_sent;
	int r = dw_block_descriptor_list(b, list);

	*ret = (struct format_answer){ 0 };
	if (r < 0)
		return r;
	u->length_sent = true;
	cmd.data_len = (uint32_t)r;
	cmd.cdb_len = (uint8_t)dw_cdb_mode_select(cmd.cdb, b->size, (uint16_t)r);
	if (u->length_saved)
		cmd.cdb[1] |= DW_MODE_SELECT_SP;
	r = send_change(u, &cmd, ret);
	if (again || r != 1 || ret->sense.key != DW_KEY_ILLEGAL_REQUEST ||
	    ret->sense.asc == 0x20)
		return r;
	u->length_saved = true;
	cmd.cdb[1] |= DW_MODE_SELECT_SP;
	return send_change(u, &cmd, ret);
}

/* Is at rest, and reports its former blocks? A corrupt one that told none before tells none now.
 * Units of one device may share their pages, and format while one of them is ready. */
static bool is_as_before(struct format_unit *u)
{
	struct dw_device *d = u->device[0];
	struct dw_sense s;
	int r = u->shown.info.units > 1 ? -EBUSY : dw_format_ready(d, &s);

	if (r && (r < 0 || !dw_format_corrupt(&s)))
		return false;
	if (r && !u->shown.info.block_size)
		return u->former;
	return u->former && !dw_device_probe_capacity(&dw_machine_self, d) &&
	       d->caps.block_size == u->former;
}

/* Sets the former block length again if the disk is as it was. @u may have ended then, as another
 * disk answers. */
static void reset_length(struct format_unit *u)
{
	struct dw_block_descriptor b;
	struct format_answer a;
	uint32_t now;
	int r;

	u->length = FORMAT_LENGTH_SET;
	if (!dw_format_same(u) || !is_as_before(u))
		return;
	b = ask_length(u->device[0]);
	b.block_size = u->former;
	r = send_length(u, &b, &a);
	if (r == -ESTALE)
		return;
	now = ask_length(u->device[0]).block_size;
	if (!dw_format_same(u))
		return;
	if (!r && now == u->former)
		u->length = FORMAT_LENGTH_RESET;
	else if (r == 1 && !a.unclear && !dw_format_working(&a.sense))
		u->length = FORMAT_LENGTH_STAYS;
}

/* Sets the block length if the disk has another. A disk that keeps reporting its present length
 * may report the new one after the format; any third length is an error. */
static bool select_length(struct format_unit *u, uint32_t bytes)
{
	const struct dw_caps *c = &u->device[0]->caps;
	struct dw_block_descriptor b = ask_length(u->device[0]);
	uint32_t before = b.block_size, found;
	struct format_answer a;
	int r = 0;

	u->former = c->blocks ? c->block_size : before;
	u->next = bytes;
	b.block_size = bytes;
	if (before != bytes)
		r = send_length(u, &b, &a);
	if (r) {
		if (a.unclear)
			reset_length(u);
		if (!dw_format_over(u))
			fail_command(u, "the block length (MODE SELECT)", r, &a);
		return false;
	}
	u->length = u->former == bytes ? FORMAT_LENGTH_OWN : FORMAT_LENGTH_SET;
	if (before == bytes)
		return true;
	found = ask_length(u->device[0]).block_size;
	if (found == bytes || (before && found == before))
		return true;
	u->next = found ? found : bytes;
	reset_length(u);
	if (dw_format_over(u))
		return false;
	if (found)
		dw_format_end(u, DW_FORMAT_FAILED,
			      "it took MODE SELECT, but was set to blocks of %u bytes by "
			      "that",
			      found);
	else
		dw_format_end(u, DW_FORMAT_FAILED,
			      "it took MODE SELECT, but does not report the block length "
			      "that it set");
	return false;
}

/* Works on a format, and has no other unit whose format that could be. */
static bool is_at_work(const struct format_unit *u)
{
	struct dw_sense s;

	return u->shown.info.units <= 1 && dw_format_ready(u->device[0], &s) == 1 &&
	       dw_format_working(&s);
}

/* FORMAT UNIT may have been carried out. */
static void fail_unclear(struct format_unit *u, int r, const struct dw_sense *s)
{
	char text[160];

	if (r == -ENODEV || r == -ENXIO)
		dw_format_end(u, DW_FORMAT_REMOVED,
			      "it was removed while FORMAT UNIT was sent, and may have "
			      "begun: plug it in, and look again with the same command, "
			      "without asking to format again");
	else
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"FORMAT UNIT may have begun (%.50s): look again with the same "
			"command, without asking to format again",
			r == 1 ? dw_sense_text(s, text, sizeof(text)) : strerror(-r));
}

bool dw_format_send(struct format_unit *u, const struct dw_format_spec *spec)
{
	uint8_t list[DW_FORMAT_LIST_LEN];
	struct dw_cmd cmd = { .data = list, .data_len = sizeof(list) };
	struct format_answer a;
	int r;

	if (!select_length(u, spec->block_size))
		return false;
	cmd.cdb_len = (uint8_t)dw_cdb_format(cmd.cdb, spec->pi_type);
	dw_format_list(list, spec->pi_type);
	r = send_change(u, &cmd, &a);
	if (!r || (a.unclear && is_at_work(u))) {
		u->length = FORMAT_LENGTH_OWN;
		return true;
	}
	if (a.unclear) {
		fail_unclear(u, r, &a.sense);
		return false;
	}
	/* what formats takes no MODE SELECT */
	if (u->length == FORMAT_LENGTH_SET && r != -ESTALE &&
	    !(r == 1 && dw_format_working(&a.sense)))
		reset_length(u);
	if (!dw_format_over(u))
		fail_command(u, "FORMAT UNIT", r, &a);
	return false;
}

bool dw_format_forget_length(struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;
	uint32_t set = ask_length(u->device[0]).block_size;

	if (c->pi_type || set == c->block_size || !dw_format_length_known(set))
		return true;
	u->former = c->block_size;
	u->next = set;
	reset_length(u);
	return !dw_format_over(u);
}
