/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formats disks. The report of a disk that it is done proves nothing: its blocks must have the
 * wanted length and be readable, and its first block must not hold what it held before. Each
 * command that changes something is sent once, right after the disk was identified. If it met a
 * unit attention it was not carried out; then the disk is identified again and the command
 * repeated.
 *
 * A format that was interrupted by a loss of power leaves a corrupt disk (3/31/xx) without a
 * capacity, which is identified by its names alone. A format that another process began is waited
 * for.
 */
#include <diskwipe/identity.h>
#include <diskwipe/units.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/abreast.h"
#include "judge/verdict.h"
#include "own/format_unit.h"
#include "own/unhide.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "scsi/rsoc.h"
#include "transport/guard.h"

#define SEND_TRIES 4
#define SEND_MS    60000
#define SILENT_NS  (60 * DW_NS_PER_S) /* without an answer */
#define SAMPLE     64
#define POWER_CYCLE                                                                          \
	"power-cycle it, then look again with the same command, which begins nothing if it " \
	"has such blocks then"
#define MAX_BYTES DW_MIB

static const char *node_of(const struct format_unit *u)
{
	const struct dw_disk_info *i = &u->shown.info;

	return i->sg[0] ? i->sg : i->block;
}

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * DW_NS_PER_S + (uint64_t)t.tv_nsec;
}

static bool has_ended(const struct format_unit *u)
{
	return u->shown.outcome > DW_FORMAT_RUNNING;
}

const char *dw_format_outcome_name(enum dw_format_outcome o)
{
	static const char *const names[DW_FORMAT_OUTCOMES] = {
		"waiting", "running", "formatted", "unchanged",
		"failed",  "removed", "stopped",
	};

	return (size_t)o < DW_FORMAT_OUTCOMES ? names[o] : "unknown";
}

/* The kernel must not read the partitions of a disk that is formatting: it would wait for
 * minutes. */
void dw_format_close(struct format_unit *u)
{
	bool works = u->shown.outcome == DW_FORMAT_STOPPED ||
		     u->shown.outcome == DW_FORMAT_FAILED;

	for (uint32_t i = 0; i < u->n; i++) {
		struct dw_device *d = u->device[i];

		if (works && d->map_fd < 0) {
			dw_closep(&d->blk_fd);
			d->blk_fd = -1;
			d->claim.by[0] = '\0';
		}
		dw_device_close(d);
	}
	dw_beside_free(u->beside);
	u->beside = NULL;
	u->n = 0;
}

__attribute__((format(printf, 3, 4))) static void
end_unit(struct format_unit *u, enum dw_format_outcome outcome, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(u->shown.reason, sizeof(u->shown.reason), format, args);
	va_end(args);
	dw_text_printable(u->shown.reason);
	u->shown.outcome = (uint8_t)outcome;
	if (u->begun_ns)
		u->shown.seconds = (double)(clock_ns() - u->begun_ns) / 1e9;
	if (!u->leads)
		dw_format_close(u);
}

static void fail_sense(struct format_unit *u, const char *what, const struct dw_sense *s)
{
	char text[160];

	end_unit(u, DW_FORMAT_FAILED, "%s: %s", what,
		 dw_sense_text(s, text, sizeof(text)));
}

static bool still_there(struct format_unit *u)
{
	int r = dw_device_names(u->device[0]);

	if (r == 1) {
		u->device[0]->stranger = true;
		end_unit(u, DW_FORMAT_FAILED,
			 DW_ANOTHER_DISK "; nothing more was sent to it");
	}
	return r != 1;
}

/* TEST UNIT READY. 0 ready; 1 see @ret; negative errno. */
static int ask_ready(struct dw_device *d, struct dw_sense *ret)
{
	struct dw_cmd cmd = { .cdb_len = (uint8_t)dw_cdb_test_unit_ready(cmd.cdb) };
	struct dw_answer a = { 0 };
	int r = dw_ask(d, &cmd, &a);

	*ret = a.sense;
	return r;
}

/* Sends a command that changes something. 0 done; 1 refused, see @ret; -ESTALE: another disk
 * answers, and the unit has ended. */
static int send_change(struct format_unit *u, struct dw_cmd *cmd, struct dw_sense *ret)
{
	struct dw_device *d = u->device[0];
	struct dw_completion done = { 0 };
	int r = 0;

	cmd->dir = DW_DIR_OUT;
	cmd->timeout_ms = SEND_MS;
	*ret = (struct dw_sense){ 0 };
	for (int i = 0; i < SEND_TRIES; i++) {
		r = dw_device_names(d);
		if (r)
			return r < 0 || still_there(u) ? -EIO : -ESTALE;
		d->permit.formats = true;
		r = dw_device_command(d, DW_OPCLASS_CONTROL | DW_OPCLASS_FORMAT, cmd,
				      &done);
		d->permit.formats = false;
		if (r || done.err || dw_guard_good(&done))
			return r ? r : done.err;
		if (dw_sense_parse(done.sense, done.sense_len, ret) < 0)
			return -EIO;
		if (ret->key != DW_KEY_UNIT_ATTENTION)
			break;
	}
	return 1;
}

static void start_running(struct format_unit *u)
{
	u->shown.outcome = DW_FORMAT_RUNNING;
	u->begun_ns = u->changed_ns = u->answered_ns = clock_ns();
}

static bool is_formatting(const struct dw_sense *s)
{
	return s->key == DW_KEY_NOT_READY && s->asc == 0x04 && s->ascq == 0x04;
}

static void fail_command(struct format_unit *u, const char *name, int r,
			 const struct dw_sense *s)
{
	char what[96];

	if (r == -ESTALE)
		return;
	/* another unit of its device began meanwhile: this one is asked again after that */
	if (r == 1 && is_formatting(s) && !u->deferred) {
		u->deferred = true;
		start_running(u);
		return;
	}
	snprintf(what, sizeof(what), "the disk refused %s", name);
	if (r == 1)
		fail_sense(u, what, s);
	else if (r == -ENODEV || r == -ENXIO)
		end_unit(u, DW_FORMAT_REMOVED, "it was removed before %s", name);
	else
		end_unit(u, DW_FORMAT_FAILED, "%s could not be sent: %s", name,
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
 * that is not to be saved. */
static int send_length(struct format_unit *u, const struct dw_block_descriptor *b,
		       struct dw_sense *ret)
{
	uint8_t list[DW_LENGTH_LIST_MAX];
	struct dw_cmd cmd = { .data = list };
	int r = dw_block_descriptor_list(b, list);

	if (r < 0)
		return r;
	cmd.data_len = (uint32_t)r;
	cmd.cdb_len = (uint8_t)dw_cdb_mode_select(cmd.cdb, b->size, (uint16_t)r);
	r = send_change(u, &cmd, ret);
	if (r != 1 || ret->key != DW_KEY_ILLEGAL_REQUEST || ret->asc == 0x20)
		return r;
	cmd.cdb[1] |= DW_MODE_SELECT_SP;
	return send_change(u, &cmd, ret);
}

/* A length that was not asked for would come with the next format, whoever begins it. */
static bool reset_length(struct format_unit *u, uint32_t before)
{
	struct dw_block_descriptor b = ask_length(u->device[0]);
	struct dw_sense s;

	b.block_size = before;
	return before && !send_length(u, &b, &s) &&
	       ask_length(u->device[0]).block_size == before;
}

/* Sets the block length if the disk has another. A disk that keeps reporting its present length
 * may report the new one after the format; any third length is an error. */
static bool select_length(struct format_unit *u, uint32_t bytes)
{
	struct dw_block_descriptor b = ask_length(u->device[0]);
	uint32_t before = b.block_size, found;
	struct dw_sense s;
	bool undone;
	int r;

	if (before == bytes)
		return true;
	b.block_size = bytes;
	r = send_length(u, &b, &s);
	if (r) {
		fail_command(u, "the block length (MODE SELECT)", r, &s);
		return false;
	}
	b = ask_length(u->device[0]);
	if (b.block_size == bytes || (before && b.block_size == before))
		return true;
	found = b.block_size;
	undone = reset_length(u, before);
	if (has_ended(u))
		return false;
	if (!found)
		end_unit(
			u, DW_FORMAT_FAILED,
			"it took MODE SELECT, but does not report the block length that it "
			"set; nothing was formatted");
	else if (undone)
		end_unit(
			u, DW_FORMAT_FAILED,
			"it took MODE SELECT, but was set to blocks of %u bytes by that; its "
			"%u bytes are set again, and nothing was formatted",
			found, before);
	else
		end_unit(
			u, DW_FORMAT_FAILED,
			"it took MODE SELECT, but is set to blocks of %u bytes, and its former "
			"block length could not be set again; nothing was formatted; the next "
			"format, by whatever program, would make such blocks",
			found);
	return false;
}

static bool is_even(const uint8_t *block, uint32_t len)
{
	return !memcmp(block, block + 1, len - 1);
}

/* Reads the first block, which begins at the same place whatever length the blocks get. */
static void take_first(struct format_unit *u)
{
	struct dw_device *d = u->device[0];
	dw_autofree uint8_t *block = calloc(1, d->caps.block_size);

	if (!block || d->caps.block_size < DW_FORMAT_WITNESS ||
	    dw_device_read(d, 0, 1, block) || is_even(block, DW_FORMAT_WITNESS))
		return;
	memcpy(u->witness, block, DW_FORMAT_WITNESS);
	u->witnessed = true;
}

/* The disk is asked at once, so that a short format is not missed. */
static void send_format(struct dw_format *f, struct format_unit *u)
{
	uint8_t list[DW_FORMAT_LIST_LEN];
	struct dw_cmd cmd = { .data = list, .data_len = sizeof(list) };
	struct dw_sense s;
	int r;

	if (!select_length(u, f->spec.block_size))
		return;
	cmd.cdb_len = (uint8_t)dw_cdb_format(cmd.cdb, f->spec.pi_type);
	dw_format_list(list, f->spec.pi_type);
	r = send_change(u, &cmd, &s);
	if (r) {
		fail_command(u, "FORMAT UNIT", r, &s);
		return;
	}
	u->ours = true;
	start_running(u);
	u->seen |= ask_ready(u->device[0], &s) == 1 && is_formatting(&s);
}

static bool is_as_wanted(const struct dw_format *f, const struct dw_device *d)
{
	return d->caps.blocks && d->caps.block_size == f->spec.block_size &&
	       d->caps.pi_type == f->spec.pi_type;
}

static void keep_geometry(struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;

	u->shown.block_size = c->block_size;
	u->shown.blocks = c->blocks;
	u->shown.pi_type = c->pi_type;
}

static bool is_corrupt(const struct dw_sense *s)
{
	return s->key == DW_KEY_MEDIUM_ERROR && s->asc == 0x31;
}

static bool reads_as_before(struct format_unit *u)
{
	struct dw_device *d = u->device[0];
	dw_autofree uint8_t *block = calloc(1, d->caps.block_size);

	return block && u->witnessed && d->caps.block_size >= DW_FORMAT_WITNESS &&
	       !dw_device_read(d, 0, 1, block) &&
	       !memcmp(block, u->witness, DW_FORMAT_WITNESS);
}

/* Reads blocks from the first to the last. False if one cannot be read; then the unit has
 * ended. */
static bool read_sample(struct format_unit *u)
{
	struct dw_device *d = u->device[0];
	dw_autofree uint8_t *block = calloc(1, d->caps.block_size);
	uint64_t last = d->caps.blocks - 1, n = dw_min_u64(SAMPLE, d->caps.blocks);

	if (!block)
		return true;
	u->shown.content = DW_FORMAT_CONTENT_ZEROS;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t lba = i + 1 == n ? last : last / SAMPLE * i;
		int r = dw_device_read(d, lba, 1, block);

		if (r) {
			end_unit(u, DW_FORMAT_FAILED, "its block %llu cannot be read: %s",
				 (unsigned long long)lba, strerror(-r));
			return false;
		}
		u->shown.sample++;
		if (block[0] || !is_even(block, d->caps.block_size))
			u->shown.content = DW_FORMAT_CONTENT_OTHER;
	}
	return true;
}

/* The kernel supports only lengths that are powers of two. */
static bool rescan_unit(const struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;
	bool power = !(c->block_size & (c->block_size - 1)), ok = true;

	for (uint32_t i = 0; i < u->n; i++)
		ok &= dw_device_rescan(u->device[i],
				       power ? c->blocks * c->block_size : 0);
	return ok;
}

static void conclude_unit(struct format_unit *u, enum dw_format_outcome outcome,
			  const char *remark)
{
	if (!read_sample(u))
		return;
	if (!remark[0] && u->shown.content == DW_FORMAT_CONTENT_OTHER)
		remark =
			"blocks hold other data than zeros: erase it, if what was on it is "
			"to be gone";
	end_unit(u, outcome, "%s",
		 rescan_unit(u)
			 ? remark
			 : "the kernel has not taken the new capacity: rescan it by "
			   "hand, or plug it in again");
}

/* Ends a unit that needs no format. It is read all the same, as an earlier format may have
 * failed. */
static void end_unchanged(struct format_unit *u)
{
	keep_geometry(u);
	conclude_unit(u, DW_FORMAT_UNCHANGED, "it has such blocks already");
}

static bool leads(const struct dw_format *f, const struct format_unit *u,
		  const struct format_unit *of)
{
	return &f->unit[of->lead] == u;
}

/* A format of the lead reaches the other units of its device. A unit that is still formatting, by
 * a program that was killed, is no reason to format all again: it is waited for. */
static bool all_as_wanted(const struct dw_format *f, const struct format_unit *u)
{
	for (size_t i = 0; i < f->n; i++)
		if ((&f->unit[i] == u ||
		     (leads(f, u, &f->unit[i]) && !f->unit[i].busy)) &&
		    !is_as_wanted(f, f->unit[i].device[0]))
			return false;
	return true;
}

/* Reads the first blocks of all units of the device, before anything reaches them. */
static void take_firsts(struct dw_format *f, struct format_unit *u)
{
	struct dw_sense s;

	for (size_t i = 0; i < f->n; i++) {
		struct format_unit *of = &f->unit[i];

		if ((of == u || leads(f, u, of)) && !of->witnessed &&
		    !ask_ready(of->device[0], &s))
			take_first(of);
	}
}

static bool is_same_device(const struct format_unit *u, const struct format_unit *other)
{
	const struct dw_disk_info *a = &u->shown.info, *b = &other->shown.info;

	return u->lead == other->lead ||
	       (a->host == b->host && a->channel == b->channel && a->target == b->target);
}

/* The format in progress is its own: it reported so at its claim, and no other unit of its device,
 * whose work it might have meant, did. */
static bool works_itself(const struct dw_format *f, const struct format_unit *u)
{
	if (u->reach == DW_RSOC_ALL)
		return true;
	for (size_t i = 0; i < f->n; i++)
		if (&f->unit[i] != u && f->unit[i].busy && is_same_device(u, &f->unit[i]))
			return false;
	return u->busy;
}

static void begin_unit(struct dw_format *f, struct format_unit *u)
{
	struct dw_device *d = u->device[0];
	struct dw_sense s;
	int r;

	if (!still_there(u))
		return;
	r = ask_ready(d, &s);
	if (r < 0) {
		end_unit(u, r == -ENODEV ? DW_FORMAT_REMOVED : DW_FORMAT_FAILED,
			 "it does not answer: %s; nothing was formatted", strerror(-r));
	} else if (r ? is_formatting(&s) : u->busy) {
		u->seen = works_itself(f, u);
		start_running(u);
	} else if (r && !is_corrupt(&s)) {
		fail_sense(u, "it is not ready, and nothing was formatted", &s);
	} else if (!r && all_as_wanted(f, u) && !f->spec.again) {
		end_unchanged(u);
	} else {
		u->seen = r; /* that it gets ready again is proof enough */
		take_firsts(f, u);
		send_format(f, u);
	}
}

/* Some disks use their new format only after the next power-up. */
static bool reports_former(const struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;
	const struct dw_disk_info *was = &u->shown.info;

	return u->seen && (!c->blocks || (c->block_size == was->block_size &&
					  c->pi_type == was->pi_type));
}

/* Compares the disk at the end with what was wanted and with what it was. */
static bool is_plausible(struct dw_format *f, struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;
	const struct dw_disk_info *was = &u->shown.info;
	double before = (double)was->blocks * was->block_size;
	const char *reached = dw_beside_look(&dw_machine_self, u->beside);

	if (!is_as_wanted(f, u->device[0]) && reports_former(u))
		end_unit(
			u, DW_FORMAT_FAILED,
			"its format has ended, and it tells its former blocks; " POWER_CYCLE);
	else if (!is_as_wanted(f, u->device[0]))
		end_unit(u, DW_FORMAT_FAILED,
			 "it says that its format has ended, but has blocks of %u bytes, "
			 "protection type %u; nothing of what was asked for may have "
			 "happened",
			 c->block_size, c->pi_type);
	else if ((double)c->blocks * c->block_size < 0.9 * before)
		end_unit(u, DW_FORMAT_FAILED,
			 "it was formatted, but has lost more than a tenth of its "
			 "capacity: %llu blocks of %u bytes are left",
			 (unsigned long long)c->blocks, c->block_size);
	else if (reads_as_before(u))
		end_unit(u, DW_FORMAT_FAILED,
			 "IT DID NOT FORMAT: its first block holds what it held before");
	else if (reached)
		end_unit(u, DW_FORMAT_FAILED,
			 "it was formatted, and SO WAS %s, though it had said that its "
			 "format affects no other logical unit: restore that from a copy",
			 reached);
	else if (!u->seen && !u->witnessed && was->block_size == c->block_size &&
		 was->pi_type == c->pi_type)
		end_unit(u, DW_FORMAT_FAILED,
			 "nothing shows that it formatted: it ended at once, and its "
			 "blocks are as they were");
	return !has_ended(u);
}

/* It was not formatted, or nothing shows that it was. */
static bool is_untouched(const struct dw_format *f, struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;
	const struct dw_disk_info *was = &u->shown.info;

	if (!is_as_wanted(f, u->device[0]) || reads_as_before(u))
		return true;
	return !u->seen && !u->witnessed &&
	       (u->busy ||
		(was->block_size == c->block_size && was->pi_type == c->pi_type));
}

/* Sends a unit its own format. Its present state is recorded now, at the latest possible
 * moment. */
static void format_itself(struct dw_format *f, struct format_unit *u)
{
	const struct dw_caps *c = &u->device[0]->caps;

	u->seen = false;
	if (!u->witnessed)
		take_first(u);
	if (u->busy) {
		u->shown.info.block_size = c->block_size;
		u->shown.info.blocks = c->blocks;
		u->shown.info.pi_type = c->pi_type;
	}
	send_format(f, u);
}

/* Reads everything again, names included, as the old facts are no longer true. */
static void finish_unit(struct dw_format *f, struct format_unit *u)
{
	struct dw_device *d = u->device[0];
	const struct dw_disk_info *was = &u->shown.info;
	int r = dw_device_probe(&dw_machine_self, d);

	if (r || !dw_disk_match(was, &d->info, DW_SAME_NAME)) {
		end_unit(
			u, DW_FORMAT_FAILED,
			r ? "its format has ended, but it does not tell its capacity; " POWER_CYCLE
			  : DW_ANOTHER_DISK);
		return;
	}
	dw_device_assume_length(d, MAX_BYTES);
	if (!u->ours && &f->unit[u->lead] == u && !u->seen && is_as_wanted(f, d) &&
	    !f->spec.again) {
		end_unchanged(u);
		return;
	}
	if (!u->ours && is_untouched(f, u)) {
		format_itself(f, u);
		return;
	}
	keep_geometry(u);
	if (is_plausible(f, u))
		conclude_unit(u, DW_FORMAT_FORMATTED, "");
}

static void take_progress(struct dw_format *f, struct format_unit *u,
			  const struct dw_sense *s)
{
	uint64_t now = clock_ns();

	u->seen |= u->ours;
	u->deferred = false;
	if (s->progress_valid &&
	    (!u->shown.progress_known || u->shown.progress != s->progress))
		u->changed_ns = now;
	u->shown.progress_known = s->progress_valid;
	u->shown.progress = s->progress;
	if (s->progress_valid && f->spec.stall_seconds &&
	    now - u->changed_ns >= f->spec.stall_seconds * DW_NS_PER_S)
		end_unit(
			u, DW_FORMAT_FAILED,
			"stalled: no progress for %u s; it was left at work, and neither "
			"reset nor stopped; set it apart",
			f->spec.stall_seconds);
}

static void look_unit(struct dw_format *f, struct format_unit *u)
{
	struct dw_sense s;
	int r;

	if (!still_there(u))
		return;
	r = ask_ready(u->device[0], &s);
	if (r >= 0)
		u->answered_ns = clock_ns();
	if (r == -ENODEV || r == -ENXIO)
		end_unit(
			u, DW_FORMAT_REMOVED,
			"it was removed; its format is corrupt unless it has ended: format "
			"it again");
	else if (r < 0 && clock_ns() - u->answered_ns > SILENT_NS)
		end_unit(u, DW_FORMAT_FAILED, "it does not answer any more: %s",
			 strerror(-r));
	else if (r == 1 && is_formatting(&s))
		take_progress(f, u, &s);
	else if (r == 1 && is_corrupt(&s))
		fail_sense(u, "its format was cut off or failed; format it again", &s);
	else if (r == 1 && s.key != DW_KEY_NOT_READY)
		fail_sense(u, "its format ended badly", &s);
	else if (!r)
		finish_unit(f, u);
}

/* Follows the lead, whose last published outcome says what became of its device. */
static void follow_unit(struct dw_format *f, struct format_unit *u)
{
	const struct format_unit *lead = &f->unit[u->lead];
	const struct dw_format_disk *of = &f->disk[u->lead];

	if (of->outcome <= DW_FORMAT_RUNNING)
		return;
	if (of->outcome == DW_FORMAT_UNCHANGED) {
		begin_unit(f, u);
	} else if (of->outcome != DW_FORMAT_FORMATTED) {
		end_unit(u, DW_FORMAT_FAILED,
			 "its device is formatted by %s, and: %.180s", node_of(lead),
			 of->reason);
	} else {
		start_running(u);
		u->seen = lead->seen && lead->reach == DW_RSOC_ALL;
	}
}

static void step_unit(void *ctx, size_t i)
{
	struct dw_format *f = ctx;
	struct format_unit *u = &f->unit[i];

	if (u->shown.outcome == DW_FORMAT_RUNNING && !u->begun_ns && u->lead != i)
		follow_unit(f, u);
	else if (u->shown.outcome == DW_FORMAT_RUNNING && !u->begun_ns)
		begin_unit(f, u);
	else if (u->shown.outcome == DW_FORMAT_RUNNING)
		look_unit(f, u);
}

/* An adapter and a backplane supply power and air for a limited number of disks. */
static void admit_units(struct dw_format *f)
{
	for (size_t i = 0; i < f->n; i++) {
		uint32_t at_work = 0;

		if (f->unit[i].shown.outcome != DW_FORMAT_WAITING)
			continue;
		if (f->unit[i].lead != i) { /* the lead comes before it */
			f->unit[i].shown.outcome = f->unit[f->unit[i].lead].shown.outcome
							   ? DW_FORMAT_RUNNING
							   : DW_FORMAT_WAITING;
			continue;
		}
		for (size_t k = 0; k < f->n; k++)
			at_work +=
				f->unit[k].shown.outcome == DW_FORMAT_RUNNING &&
				f->unit[k].lead == k &&
				f->unit[k].shown.info.host == f->unit[i].shown.info.host;
		if (!f->spec.active || at_work < f->spec.active)
			f->unit[i].shown.outcome = DW_FORMAT_RUNNING;
	}
}

/* The lead, and all units that follow it, have ended. */
static bool is_over(const struct dw_format *f, size_t lead)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->unit[i].lead == lead && !has_ended(&f->unit[i]))
			return false;
	return true;
}

bool dw_format_publish(struct dw_format *f)
{
	bool some = false;

	for (size_t i = 0; i < f->n; i++) {
		f->disk[i] = f->unit[i].shown;
		some |= !has_ended(&f->unit[i]);
		if (f->unit[i].leads && is_over(f, i))
			dw_format_close(&f->unit[i]);
	}
	return some;
}

bool dw_format_step(struct dw_format *f)
{
	admit_units(f);
	dw_abreast(step_unit, f, f->n);
	return dw_format_publish(f);
}

void dw_format_stop(struct dw_format *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct format_unit *u = &f->unit[i];

		if (!has_ended(u))
			end_unit(
				u, DW_FORMAT_STOPPED, "%s",
				f->unit[u->lead].begun_ns && !u->deferred
					? "stopped waiting for it; it goes on by itself, "
					  "and the same command waits for it again"
					: "not begun");
	}
	dw_format_publish(f);
}

const struct dw_format_disk *dw_format_disks(const struct dw_format *f, size_t *ret_n)
{
	*ret_n = f->n;
	return f->disk;
}

void dw_format_free(struct dw_format *f)
{
	if (!f)
		return;
	if (f->disk)
		dw_format_stop(f);
	free(f->unit);
	free(f->disk);
	free(f);
}
