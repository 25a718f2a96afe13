/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes stamps, flushes the cache, and reads them: what was written last might otherwise come
 * from elsewhere than the block. They are written upwards, so that block 0, which is first, shows
 * a later stamp that was written to it. They are removed downwards, so that blocks shared with a
 * lower address end with its contents.
 *
 * This is done twice. Before the first write, over each path, the old contents are put back: a
 * disk that is refused is unchanged, and blocks that an earlier run erased stay erased. After the
 * last pass, with nothing in flight and before its flush, stamps are erased by the command that
 * erased the disk, and must be gone then: that reads and writes of stamps reach their blocks says
 * nothing about WRITE SAME. If the first check was interrupted, the second erases all of its
 * blocks, and it comes before every verdict: nothing of it needs to be stored.
 *
 * A check around the stamps while the pass is written would also find addresses that wrap at no
 * power of two. It would interrupt the sweep at each of them, and with it every other rule about
 * what is on the medium.
 */
#include "own/stamps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/util.h"
#include "codec/encode.h"
#include "own/claim.h"
#include "own/path.h"

/**
 * struct stamps - one check
 * @caps: of the disk, without what it refuses
 * @then: contents that the blocks had, or are to have, @size bytes each
 * @seen: contents that were read
 * @touched: a stamp was written to the block, or may have been
 * @gone: the stamp was overwritten, as far as the disk reports
 */
struct stamps {
	struct dw_claimed_path path;
	const struct dw_stamp_terms *terms;
	struct dw_stamp_found *found;
	struct dw_caps caps;
	bool fua;
	bool same;
	uint64_t key;
	uint32_t n;
	uint32_t size;
	uint8_t *then;
	uint8_t *block;
	uint8_t *other;
	struct dw_stamp_seen seen[DW_STAMPS_MAX];
	bool touched[DW_STAMPS_MAX];
	bool gone[DW_STAMPS_MAX];
};

static uint8_t *then_of(const struct stamps *s, uint32_t i)
{
	return s->then + (size_t)i * s->size;
}

static int send_once(struct stamps *s, uint8_t verb, uint64_t lba, uint8_t *data)
{
	struct dw_op op = { .verb = verb,
			    .lba = lba,
			    .nlb = data ? 1 : 0,
			    .flags = verb == DW_VERB_READ && s->fua ? DW_OP_FUA : 0 };
	struct dw_cmd cmd = { 0 };
	int r = dw_encode(&s->caps, &op, s->terms->zeros, &cmd);

	if (r < 0)
		return r;
	cmd.data = cmd.data_len ? data : NULL;
	return dw_claimed_send(&s->path, &cmd);
}

/* With less of what it refuses; a disk without a command to flush has nothing to flush. */
static int send(struct stamps *s, uint8_t verb, uint64_t lba, uint8_t *data)
{
	int r = send_once(s, verb, lba, data);

	if (verb == DW_VERB_READ && s->fua && (r == -EACCES || r == -EOPNOTSUPP)) {
		s->fua = false;
		r = send_once(s, verb, lba, data);
	}
	if (r == -EOPNOTSUPP && data && verb != DW_VERB_WRITE_SAME && s->caps.rw16 &&
	    s->caps.blocks <= DW_BLOCKS_10) {
		s->caps.rw16 = false;
		r = send_once(s, verb, lba, data);
	}
	return verb == DW_VERB_FLUSH && (r == -EOPNOTSUPP || r == -EACCES) ? 0 : r;
}

/* Identifies the disk before each write, as no lease covers these, by commands that leave a unit
 * attention pending. */
static int ask_name(struct stamps *s)
{
	int r = dw_device_names(s->path.device);

	return r > 0 ? -ESTALE : r;
}

/* A block that cannot be read or written proves nothing. */
static int let_pass(int r)
{
	return r == -ENODATA ? 0 : r;
}

/* After a pass a block holds its pattern, or a stamp of a check that was interrupted. Other
 * contents are left for the verification to find. */
static int is_written(struct stamps *s, uint32_t i)
{
	uint64_t lba = s->seen[i].lba;
	int r = send(s, DW_VERB_READ, lba, s->block);

	if (r || !memcmp(s->block, then_of(s, i), s->size) || dw_stamp_is(lba, s->block))
		return r;
	s->found->missed_lba = s->found->missed++ ? s->found->missed_lba : lba;
	return -ENODATA;
}

static int prepare_block(struct stamps *s, uint32_t i)
{
	const struct dw_stamp_terms *t = s->terms;
	uint64_t lba = s->seen[i].lba;
	int r;

	if (!t->fill)
		return send(s, DW_VERB_READ, lba, then_of(s, i));
	r = t->fill(t->ctx, lba, then_of(s, i));
	return r ? r : is_written(s, i);
}

/* The final contents of the blocks. */
static int prepare_blocks(struct stamps *s)
{
	const struct dw_stamp_terms *t = s->terms;
	int r = 0;

	for (uint32_t i = 0; i < s->n && !r; i++) {
		if (t->skip && t->skip(t->ctx, s->seen[i].lba))
			continue;
		r = prepare_block(s, i);
		s->seen[i].known = !r;
		r = let_pass(r);
	}
	return r;
}

static int plant(struct stamps *s)
{
	int r = 0;

	for (uint32_t i = 0; i < s->n && !r; i++) {
		if (!s->seen[i].known)
			continue;
		r = ask_name(s);
		if (r)
			break;
		s->touched[i] = true;
		dw_stamp_fill(s->key, s->seen[i].lba, s->size, s->block);
		r = send(s, DW_VERB_WRITE, s->seen[i].lba, s->block);
		s->seen[i].known = !r;
		r = let_pass(r);
	}
	return r ? r : send(s, DW_VERB_FLUSH, 0, NULL);
}

static bool is_stamp_of(struct stamps *s, const uint8_t *block, uint32_t i)
{
	dw_stamp_fill(s->key, s->seen[i].lba, s->size, s->other);
	return !memcmp(block, s->other, s->size);
}

/* The number of the block whose stamp it is, most likely @own; -1 = no stamp. */
static int stamp_of(struct stamps *s, const uint8_t *block, uint32_t own)
{
	if (is_stamp_of(s, block, own))
		return (int)own;
	for (uint32_t i = 0; i < s->n; i++)
		if (is_stamp_of(s, block, i))
			return (int)i;
	return -1;
}

static int look_at_stamps(struct stamps *s)
{
	int r = 0;

	for (uint32_t i = 0; i < s->n && !r; i++) {
		if (!s->seen[i].known)
			continue;
		r = send(s, DW_VERB_READ, s->seen[i].lba, s->block);
		s->seen[i].known = !r;
		if (!r)
			s->seen[i].as = stamp_of(s, s->block, i);
		r = let_pass(r);
	}
	if (!r)
		dw_stamp_judge(s->seen, s->n, &s->found->verdict);
	return r;
}

/* Whether nothing more can be sent, for any command. If a command was interrupted after a pass,
 * the job has to know it first. An error that the disk reports for WRITE SAME each time is no
 * such case. */
static bool is_end(const struct stamps *s, int r)
{
	return r == -ENODEV || r == -ENXIO || r == -ESTALE || r == -EINTR ||
	       (s->terms->strict && s->path.lost);
}

static int overwrite(struct stamps *s, uint32_t i)
{
	uint8_t verb = s->same ? DW_VERB_WRITE_SAME : DW_VERB_WRITE;
	int r = send(s, verb, s->seen[i].lba, then_of(s, i));

	if (r && s->same && !is_end(s, r)) {
		s->same = false;
		/* if the disk is refused, the job reports that */
		s->found->same_fails = r != -EOPNOTSUPP && r != -EACCES;
		if (s->path.lost) /* it may be carried out late */
			dw_claimed_quiet(&s->path);
		r = send(s, DW_VERB_WRITE, s->seen[i].lba, then_of(s, i));
	}
	s->gone[i] = !r;
	return let_pass(r);
}

static int take_away(struct stamps *s)
{
	int r = 0;

	for (uint32_t i = s->n; i-- && !r;) {
		if (!s->touched[i])
			continue;
		r = ask_name(s);
		if (!r)
			r = overwrite(s, i);
	}
	return r ? r : send(s, DW_VERB_FLUSH, 0, NULL);
}

/* A single block that kept its stamp may be an accident. If the last and others with it kept
 * theirs, the command does not reach these addresses. If all did, the command does nothing. */
static int look_after(struct stamps *s)
{
	bool last = false, idle = true;
	uint32_t stamped = 0;
	int r = 0;

	for (uint32_t i = 0; i < s->n && !r; i++) {
		if (!s->touched[i])
			continue;
		r = s->gone[i] ? send(s, DW_VERB_READ, s->seen[i].lba, s->block) : 0;
		last = false;
		if (r || (s->gone[i] && !memcmp(s->block, then_of(s, i), s->size))) {
			idle &= r != 0;
			r = let_pass(r);
			continue;
		}
		last = s->gone[i] && is_stamp_of(s, s->block, i);
		stamped += last;
		if (!s->found->kept++)
			s->found->kept_lba = s->seen[i].lba;
	}
	idle = idle && stamped > 1;
	s->found->same_fails |= s->same && idle;
	s->found->same_wraps = s->same && !idle && last && stamped > 1;
	return r;
}

static int run(struct stamps *s)
{
	int r = prepare_blocks(s), back;

	if (!r)
		r = plant(s);
	if (!r)
		r = look_at_stamps(s);
	/* a lost command must not be carried out after the final contents */
	if (s->path.lost)
		dw_claimed_quiet(&s->path);
	if (r == -EINTR || r == -ESTALE || r == -ENODEV || r == -ENXIO)
		return r;
	back = take_away(s);
	if (!r && !back)
		back = look_after(s);
	s->same = false;
	if (!back && s->found->kept && !s->terms->fill)
		back = take_away(s);
	if (s->path.lost)
		dw_claimed_quiet(&s->path);
	return r ? r : back;
}

int dw_device_stamps(struct dw_device *d, const struct dw_stamp_terms *terms,
		     struct dw_stamp_found *ret)
{
	struct stamps s = { .path = { .device = d, .strict = terms->strict },
			    .terms = terms,
			    .found = ret,
			    .caps = d->caps,
			    .fua = terms->fua,
			    .same = terms->same,
			    .size = d->caps.block_size };
	dw_autofree uint8_t *memory = calloc(DW_STAMPS_MAX + 2, s.size);
	uint64_t lba[DW_STAMPS_MAX];
	int r;

	*ret = (struct dw_stamp_found){ 0 };
	if (!memory)
		return -ENOMEM;
	if (getrandom(&s.key, sizeof(s.key), 0) != sizeof(s.key))
		return -EIO;
	s.then = memory;
	s.block = memory + (size_t)DW_STAMPS_MAX * s.size;
	s.other = s.block + s.size;
	s.n = dw_stamp_lbas(d->caps.blocks, lba);
	for (uint32_t i = 0; i < s.n; i++)
		s.seen[i] = (struct dw_stamp_seen){ .lba = lba[i], .as = -1 };
	r = run(&s);
	ret->write_errors = s.path.write_errors;
	ret->lost = s.path.lost || r == -EINTR;
	return r;
}
