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

#define SILENT_NS (60 * DW_NS_PER_S) /* without an answer */
#define SAMPLE    64
#define POWER_CYCLE                                                                        \
	"power-cycle it, then look again with the same command, without asking to format " \
	"again: it begins nothing if the disk has such blocks then"
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

/* what its next format would make, if that is not what it has */
static void say_length(const struct format_unit *u, char *to, size_t size)
{
	to[0] = '\0';
	if (u->length == FORMAT_LENGTH_RESET)
		snprintf(to, size,
			 "; its %u bytes are set again, and nothing was formatted",
			 u->former);
	else if (u->length == FORMAT_LENGTH_STAYS)
		snprintf(to, size,
			 "; nothing was formatted, but its former block length could not "
			 "be set again: the next format, by whatever program, may make "
			 "blocks of %u bytes",
			 u->next);
	else if (u->length == FORMAT_LENGTH_SET)
		snprintf(
			to, size,
			"; %s may be set to blocks of %u bytes, which the next format, by "
			"whatever program, would make",
			u->device[0]->stranger ? "the disk that was there" : "it",
			u->next);
}

/* What its next format would make is never cut: the rest is. */
void dw_format_end(struct format_unit *u, enum dw_format_outcome outcome,
		   const char *format, ...)
{
	char length[192], *to = u->shown.reason;
	size_t room;
	va_list args;

	say_length(u, length, sizeof(length));
	room = sizeof(u->shown.reason) - strlen(length);
	va_start(args, format);
	if (vsnprintf(to, room, format, args) >= (int)room)
		memcpy(to + room - sizeof("..."), "...", sizeof("..."));
	va_end(args);
	u->said = (uint8_t)strlen(to);
	memcpy(to + u->said, length, strlen(length) + 1);
	dw_text_printable(to);
	u->shown.outcome = (uint8_t)outcome;
	if (u->begun_ns)
		u->shown.seconds = (double)(clock_ns() - u->begun_ns) / 1e9;
	if (!u->leads)
		dw_format_close(u);
}

void dw_format_end_sense(struct format_unit *u, const char *what,
			 const struct dw_sense *s)
{
	char text[160];

	dw_format_end(u, DW_FORMAT_FAILED, "%s: %s", what,
		      dw_sense_text(s, text, sizeof(text)));
}

bool dw_format_same(struct format_unit *u)
{
	int r = dw_device_names(u->device[0]);

	if (r == 1) {
		u->device[0]->stranger = true;
		dw_format_end(u, DW_FORMAT_FAILED,
			      DW_ANOTHER_DISK "; nothing more was sent to it");
	}
	return r != 1;
}

/* TEST UNIT READY. 0 ready; 1 see @ret; negative errno. */
int dw_format_ready(struct dw_device *d, struct dw_sense *ret)
{
	struct dw_cmd cmd = { .cdb_len = (uint8_t)dw_cdb_test_unit_ready(cmd.cdb) };
	struct dw_answer a = { 0 };
	int r = dw_ask(d, &cmd, &a);

	*ret = a.sense;
	return r;
}

void dw_format_begun(struct format_unit *u)
{
	u->shown.outcome = DW_FORMAT_RUNNING;
	u->begun_ns = u->changed_ns = u->answered_ns = clock_ns();
}

bool dw_format_working(const struct dw_sense *s)
{
	return s->key == DW_KEY_NOT_READY && s->asc == 0x04 && s->ascq == 0x04;
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
	struct dw_sense s;

	if (!dw_format_send(u, &f->spec))
		return;
	u->ours = true;
	dw_format_begun(u);
	u->seen |= dw_format_ready(u->device[0], &s) == 1 && dw_format_working(&s);
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

bool dw_format_corrupt(const struct dw_sense *s)
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
			dw_format_end(u, DW_FORMAT_FAILED,
				      "its block %llu cannot be read: %s",
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
	dw_format_end(u, outcome, "%s",
		      rescan_unit(u)
			      ? remark
			      : "the kernel has not taken the new capacity: rescan it by "
				"hand, or plug it in again");
}

/* Ends a unit that needs no format. It is read all the same, as an earlier format may have
 * failed. A program that was killed may have left another length for the next format; if that
 * stays, the disk is not as wanted. */
static void end_unchanged(struct format_unit *u)
{
	bool own;

	keep_geometry(u);
	if (!dw_format_forget_length(u))
		return;
	own = u->length == FORMAT_LENGTH_OWN || u->length == FORMAT_LENGTH_RESET;
	conclude_unit(u, own ? DW_FORMAT_UNCHANGED : DW_FORMAT_FAILED,
		      "it has such blocks already");
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
		    !dw_format_ready(of->device[0], &s))
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

	if (!dw_format_same(u))
		return;
	r = dw_format_ready(d, &s);
	if (r < 0) {
		dw_format_end(u, r == -ENODEV ? DW_FORMAT_REMOVED : DW_FORMAT_FAILED,
			      "it does not answer: %s; nothing was formatted",
			      strerror(-r));
	} else if (r ? dw_format_working(&s) : u->busy) {
		u->seen = works_itself(f, u);
		dw_format_begun(u);
	} else if (r && !dw_format_corrupt(&s)) {
		dw_format_end_sense(u, "it is not ready, and nothing was formatted", &s);
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
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"its format has ended, and it tells its former blocks; " POWER_CYCLE);
	else if (!is_as_wanted(f, u->device[0]))
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"it says that its format has ended, but has blocks of %u bytes, "
			"protection type %u; nothing of what was asked for may have "
			"happened",
			c->block_size, c->pi_type);
	else if ((double)c->blocks * c->block_size < 0.9 * before)
		dw_format_end(u, DW_FORMAT_FAILED,
			      "it was formatted, but has lost more than a tenth of its "
			      "capacity: %llu blocks of %u bytes are left",
			      (unsigned long long)c->blocks, c->block_size);
	else if (reads_as_before(u))
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"IT DID NOT FORMAT: its first block holds what it held before");
	else if (reached)
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"it was formatted, and SO WAS %s, though it had said that its "
			"format affects no other logical unit: restore that from a copy",
			reached);
	else if (!u->seen && !u->witnessed && was->block_size == c->block_size &&
		 was->pi_type == c->pi_type)
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"nothing shows that it formatted: it ended at once, and its "
			"blocks are as they were");
	return !dw_format_over(u);
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
		dw_format_end(
			u, DW_FORMAT_FAILED,
			r ? "its format has ended, but it does not tell its capacity; " POWER_CYCLE
			  : DW_ANOTHER_DISK);
		return;
	}
	dw_device_assume_length(d, MAX_BYTES);
	if (d->caps.blocks && d->caps.block_size == u->next)
		u->length = FORMAT_LENGTH_OWN;
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
		dw_format_end(
			u, DW_FORMAT_FAILED,
			"stalled: no progress for %u s; it was left at work, and neither "
			"reset nor stopped; set it apart",
			f->spec.stall_seconds);
}

static void look_unit(struct dw_format *f, struct format_unit *u)
{
	struct dw_sense s;
	int r;

	if (!dw_format_same(u))
		return;
	r = dw_format_ready(u->device[0], &s);
	if (r >= 0)
		u->answered_ns = clock_ns();
	if (r == -ENODEV || r == -ENXIO)
		dw_format_end(
			u, DW_FORMAT_REMOVED,
			"it was removed; its format is corrupt unless it has ended: format "
			"it again");
	else if (r < 0 && clock_ns() - u->answered_ns > SILENT_NS)
		dw_format_end(u, DW_FORMAT_FAILED, "it does not answer any more: %s",
			      strerror(-r));
	else if (r == 1 && dw_format_working(&s))
		take_progress(f, u, &s);
	else if (r == 1 && dw_format_corrupt(&s))
		dw_format_end_sense(
			u, "its format was cut off or failed; format it again", &s);
	else if (r == 1 && s.key != DW_KEY_NOT_READY)
		dw_format_end_sense(u, "its format ended badly", &s);
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
		/* the length is that of the device, and said again at the end */
		u->length = lead->length;
		u->former = lead->former;
		u->next = lead->next;
		dw_format_end(u, DW_FORMAT_FAILED,
			      "its device is formatted by %s, and: %.*s", node_of(lead),
			      lead->said, of->reason);
	} else {
		dw_format_begun(u);
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
		if (f->unit[i].lead == lead && !dw_format_over(&f->unit[i]))
			return false;
	return true;
}

bool dw_format_publish(struct dw_format *f)
{
	bool some = false;

	for (size_t i = 0; i < f->n; i++) {
		f->disk[i] = f->unit[i].shown;
		some |= !dw_format_over(&f->unit[i]);
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

		if (!dw_format_over(u))
			dw_format_end(
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
