/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns an op into a command with its data, and the completion of the command into a result. A
 * slot keeps command, buffer and comparison while the transport has borrowed them. Identification
 * is the one op that takes several commands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "codec/encode.h"
#include "engine/cycle.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/resets.h"
#include "engine/settle.h"
#include "engine/slots.h"
#include "engine/own.h"
#include "engine/units.h"
#include "device/node.h"
#include "plan/plants.h"
#include "scsi/sense.h"

static struct job_slot *slot_get(struct dw_engine *e, uint32_t i)
{
	if (i >= e->n_slots) {
		uint32_t n = i < 64 ? 64 : 2 * i;

		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		if (dw_grow(&e->slot, e->n_slots, n, sizeof(struct job_slot *)) < 0)
			return NULL;
		e->n_slots = n;
	}
	if (!e->slot[i])
		e->slot[i] = calloc(1, sizeof(*e->slot[i]));
	return e->slot[i];
}

static void *buffer_take(struct job_disk *d)
{
	void *p = NULL;

	pthread_mutex_lock(&d->contents.lock);
	if (d->contents.n_buffers)
		p = d->contents.buffer[--d->contents.n_buffers];
	pthread_mutex_unlock(&d->contents.lock);
	return p ? p : dw_buffer_new(d->contents.buffer_bytes);
}

/* @p: NULL does nothing */
static void buffer_put(struct job_disk *d, void *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&d->contents.lock);
	if (!dw_room(&d->contents.buffer, d->contents.n_buffers, &d->contents.cap_buffers,
		     sizeof(void *))) {
		d->contents.buffer[d->contents.n_buffers++] = p;
		p = NULL;
	}
	pthread_mutex_unlock(&d->contents.lock);
	dw_buffer_free(p, d->contents.buffer_bytes); /* there was no memory to keep it */
}

void job_disk_close(struct job_disk *d)
{
	while (d->contents.n_buffers)
		dw_buffer_free(d->contents.buffer[--d->contents.n_buffers],
			       d->contents.buffer_bytes);
	free(d->contents.buffer);
	d->contents.buffer = NULL;
	d->contents.cap_buffers = 0;
	for (uint32_t i = 0; i < DW_PASSES_MAX; i++) {
		dw_source_free(d->contents.source[i]);
		d->contents.source[i] = NULL;
	}
	job_settle_free(d);
	job_paths_free(d);
	dw_device_close(d->device);
	d->device = NULL;
}

struct job_disk *job_disk_new(struct dw_job *job)
{
	struct job_disk *d = calloc(1, sizeof(*d));

	if (d) {
		d->job = job;
		pthread_mutex_init(&d->contents.lock, NULL);
	}
	return d;
}

void job_disk_free(struct job_disk *d)
{
	if (!d)
		return;
	job_disk_close(d);
	job_cycle_free(d);
	free(d->kept.result);
	free(d->choice.zones);
	job_witness_free(d); /* the last state file of a stopped disk needs it */
	pthread_mutex_destroy(&d->contents.lock);
	free(d);
}

/* Runs in a worker or in the disk's thread: makes the keystream. On failure the guard refuses the
 * empty command. */
static void fill_keystream(struct dw_cmd *cmd)
{
	struct job_slot *s = cmd->ctx;

	cmd->data = s->buffer = buffer_take(s->disk);
	if (!s->buffer || dw_source_fill(s->source, s->op.lba, s->op.nlb, s->buffer) < 0)
		cmd->data_len = 0;
}

/* The same of a block that is to differ from what the pass has there. */
static void fill_plant(struct dw_cmd *cmd)
{
	struct job_slot *s = cmd->ctx;

	fill_keystream(cmd);
	if (cmd->data_len)
		dw_plants_alter(s->buffer, cmd->data_len, s->op.lba, s->op.seed);
}

static void release_buffer(struct dw_cmd *cmd)
{
	struct job_slot *s = cmd->ctx;

	buffer_put(s->disk, s->buffer);
	s->buffer = NULL;
}

/* Returns the length of the run of differing blocks that begins at block @at of the extent. */
static int64_t run_length(struct job_slot *s, uint32_t at, uint32_t block_size)
{
	const uint8_t *data = s->buffer;
	uint32_t n = 0, first;

	while (at + n < s->op.nlb) {
		int64_t r = dw_source_check(s->source, s->op.lba + at + n, 1,
					    data + (size_t)(at + n) * block_size, &first);

		if (r < 0)
			return r;
		if (!r)
			break;
		n++;
	}
	return n;
}

/* Runs in a worker: compares, and lists the runs that differ as far as there is room. */
static void compare(struct dw_cmd *cmd, const struct dw_completion *done)
{
	struct job_slot *s = cmd->ctx;
	uint32_t block_size = cmd->data_len / s->op.nlb, at = 0, first;
	const uint8_t *data = s->buffer;

	s->found.n_runs = 0;
	while (at < s->op.nlb && s->found.n_runs < DW_RUNS_MAX) {
		int64_t r = dw_source_check(s->source, s->op.lba + at, s->op.nlb - at,
					    data + (size_t)at * block_size, &first);

		if (r > 0) {
			at += first;
			r = run_length(s, at, block_size);
		} else if (r == 0) {
			at = s->op.nlb;
			break;
		}
		if (r < 0) {
			s->compare_error = (int)r;
			return;
		}
		s->found.run[s->found.n_runs++] =
			(struct dw_run){ .lba = s->op.lba + at, .nlb = (uint32_t)r };
		at += (uint32_t)r;
	}
	s->found.compared = at;
}

/* Data of an op: shared constant bytes, or a buffer to read into, or a buffer that is taken and
 * filled right before the command is sent. */
int job_fill(struct job_disk *d, struct job_slot *s)
{
	struct dw_cmd *cmd = &s->cmd;
	uint32_t pattern;
	const void *shared;

	s->disk = d;
	s->source = d->contents.source[s->op.pass];
	cmd->ctx = s;
	if (s->op.verb == DW_VERB_READ) {
		cmd->finish = compare;
	} else if (s->op.flags & DW_OP_PLANT) {
		cmd->prepare = fill_plant;
		cmd->release = release_buffer;
		return 0;
	} else if (dw_source_is_const(s->source)) {
		shared = dw_source_const(s->source, s->op.lba, cmd->data_len, &pattern);
		if (!shared)
			return -ENOMEM;
		cmd->data = (void *)shared;
		cmd->flags |= DW_CMD_CONST;
		cmd->pattern = pattern;
		return 0;
	} else {
		cmd->prepare = fill_keystream;
		cmd->release = release_buffer;
		return 0;
	}
	s->buffer = buffer_take(d);
	if (!s->buffer)
		return -ENOMEM;
	cmd->data = s->buffer;
	return 0;
}

int job_local_result(struct dw_engine *e, const struct dw_result *result)
{
	if (dw_room(&e->local, e->n_local, &e->cap_local, sizeof(*e->local)) < 0)
		return -ENOMEM;
	e->local[e->n_local++] = *result;
	return 0;
}

static struct dw_result impossible(const struct dw_op *op)
{
	return (struct dw_result){
		.disk = op->disk,
		.slot = op->slot,
		.class = DW_CLASS_UNSUPPORTED,
		.detail = "no command of the disk does this",
	};
}

/* The disk has no command for the op: that fails this disk and not the job. */
static int answer_impossible(struct dw_engine *e, const struct dw_op *op)
{
	struct dw_result r = impossible(op);

	r.submit_ns = r.end_ns = engine_clock(e);
	return job_local_result(e, &r);
}

/* Answers ops that need no command: on a block node without SCSI, and a flush after writes with
 * FUA. */
static int answer_locally(struct dw_engine *e, struct job_disk *d, const struct dw_op *op)
{
	uint64_t now = engine_clock(e);
	struct dw_result r = {
		.disk = op->disk,
		.slot = op->slot,
		.class = DW_CLASS_OK,
		.submit_ns = now,
		.end_ns = now,
	};

	if (op->verb == DW_VERB_IDENTIFY)
		r.identity = (uint8_t)dw_identify_block(d->device);
	return job_local_result(e, &r);
}

static int submit_identify(struct job_disk *d, struct job_slot *s)
{
	if (!s->identify) {
		s->identify = calloc(1, sizeof(*s->identify));
		if (!s->identify)
			return -ENOMEM;
	}
	atomic_store(&d->who.doubted,
		     false); /* a doubt that arises from now on is a new one */
	s->attention = (struct dw_result){ 0 };
	s->first_ns = 0;
	dw_identify_start(s->identify, &d->info);
	s->identify->wanted = DW_WANT_AGAIN;
	if (d->who.watch.counts)
		s->identify->wanted |= DW_WANT_COUNTS;
	if (d->device && d->who.watch.wce != DW_UNKNOWN)
		s->identify->wanted |= DW_WANT_CACHE;
	if (!dw_identify_next(s->identify, &s->cmd))
		return -EINVAL;
	s->cmd.cookie = s->op.slot;
	return d->place.transport->ops->submit(d->place.transport, d->place.handle,
					       &s->cmd);
}

/* Asks for the current caching page; false if it cannot be asked for. */
static bool ask_cache(struct job_disk *d, struct job_slot *s, uint8_t size)
{
	dw_encode_cache(size, s->reply, &s->cmd);
	s->cmd.cookie = s->op.slot;
	s->cache_cdb_len = size;
	if (d->place.transport->ops->submit(d->place.transport, d->place.handle, &s->cmd))
		return false;
	d->place.transport->ops->flush(d->place.transport);
	return true;
}

/* While an ATA disk executes an operation it aborts reads, and after a failed one it continues
 * to. */
static const struct dw_op probe_op = { .verb = DW_VERB_READ,
				       .flags = DW_OP_FUA | DW_OP_RECOVERY,
				       .nlb = 1 };

/* Reads a block of an ATA disk after a poll whose answer, @answer, was not enough; or, with NULL,
 * before a poll. False if that cannot be sent. */
static bool probe_block(struct job_disk *d, struct job_slot *s,
			const struct dw_result *answer)
{
	if (answer)
		s->refused = *answer;
	s->probe = answer ? PROBE_AFTER : PROBE_BEFORE;
	s->cmd = (struct dw_cmd){ .cookie = s->op.slot };
	s->buffer = buffer_take(d);
	s->cmd.data = s->buffer;
	if (s->buffer && !dw_encode(&d->caps, &probe_op, false, &s->cmd) &&
	    !d->place.transport->ops->submit(d->place.transport, d->place.handle,
					     &s->cmd)) {
		d->place.transport->ops->flush(d->place.transport);
		return true;
	}
	buffer_put(d, s->buffer);
	s->buffer = NULL;
	s->probe = PROBE_NONE;
	s->cmd = (struct dw_cmd){ .cookie = s->op.slot };
	return false;
}

/* Sets the parameters of an operation, or the room for the answer of a poll. */
static void fill_operation(const struct job_disk *d, struct job_slot *s)
{
	memset(s->reply, 0, sizeof(s->reply));
	if (s->op.operation == DW_OPERATION_OVERWRITE)
		dw_encode_pattern(&d->caps.self, d->plan.pass[s->op.pass].pattern.byte[0],
				  s->reply, &s->cmd);
	else if (s->cmd.data_len)
		s->cmd.data = s->reply;
}

int job_submit(struct dw_engine *e, const struct dw_op *op)
{
	struct job_disk *d = e->disk[op->disk];
	bool recovers = dw_verb_flags(op->verb) & DW_VERB_IS_ASKED;
	struct job_slot *s;
	int r;

	if (dw_verb_flags(op->verb) & DW_VERB_IS_NOTE) {
		d->place.transport->ops->set_depth(d->place.transport, d->place.handle,
						   job_disk_state(d)->steer.depth);
		if (op->verb == DW_VERB_LIFT)
			d->place.transport->ops->unfence(d->place.transport,
							 d->place.handle);
		return 0;
	}
	if (op->verb == DW_VERB_SETTLE)
		return job_settle_submit(d->job, d, op);
	if (op->verb == DW_VERB_CYCLE)
		return job_cycle_submit(d, op);
	if (op->verb == DW_VERB_OPERATE && job_witness_needed(d))
		return job_witness_submit(d, op);
	if (job_begin_needed(d, op))
		return job_begin_keep(d, op);
	if (op->verb == DW_VERB_OPERATE && job_units_needed(d))
		return job_units_submit(d, op);
	if (op->verb == DW_VERB_OPERATE && d->device &&
	    dw_operation_secures(op->operation))
		return job_security_submit(d, op);
	if (op->verb == DW_VERB_POLL) {
		r = job_units_poll(d, op);
		if (r <= 0)
			return r;
	}
	s = slot_get(e, op->slot);
	if (!s)
		return -ENOMEM;
	s->op = *op;
	s->cmd = (struct dw_cmd){ .cookie = op->slot };
	s->buffer = NULL;
	s->compare_error = 0;
	s->cache_cdb_len = 0;
	s->probe = PROBE_NONE;
	s->found = (struct dw_result){ 0 }; /* not of the slot's previous read */
	if (recovers && !d->caps.scsi)
		return answer_locally(e, d, op);
	if (op->verb == DW_VERB_IDENTIFY)
		return submit_identify(d, s);
	if (op->flags & DW_OP_TOUCH && d->device && d->caps.scsi &&
	    probe_block(d, s, NULL))
		return 0;
	r = dw_encode(&d->caps, op,
		      !recovers && d->contents.source[op->pass] &&
			      dw_source_is_zero(d->contents.source[op->pass]),
		      &s->cmd);
	/* each write was on the medium when it ended, or it stays unknown to the end */
	if (r && op->verb == DW_VERB_FLUSH &&
	    (d->caps.cache.write_through || d->cache.unflushed))
		return answer_locally(e, d, op);
	if (r && op->verb == DW_VERB_FLUSH && d->device) {
		s->refused = impossible(op);
		if (ask_cache(d, s, 10))
			return 0;
	}
	if (r)
		return answer_impossible(e, op);
	if (dw_verb_flags(op->verb) & DW_VERB_IS_OPERATION)
		fill_operation(d, s);
	else if (s->cmd.data_len)
		r = e->world->ops->fill(d, s);
	if (!r)
		r = d->place.transport->ops->submit(d->place.transport, d->place.handle,
						    &s->cmd);
	if (r < 0) {
		buffer_put(d, s->buffer);
		s->buffer = NULL;
	}
	return r;
}

/* A disk without a name is not known to be the same once it may have been exchanged. */
static uint8_t judge_identity(struct job_disk *d, const struct dw_identify *id)
{
	uint8_t who = (uint8_t)dw_identify_compare(id, &d->info);

	if (who == DW_IDENTITY_SAME && d->who.exchangeable &&
	    dw_identity_nameless(&d->info))
		who = DW_IDENTITY_NAMELESS;
	d->who.stranger = who == DW_IDENTITY_CHANGED || who == DW_IDENTITY_NAMELESS;
	return who;
}

/*
 * The disk counts the write errors that it did not correct, whoever they were reported to:
 * another host, another path, a program. If there are more of them than were reported to us, or
 * fewer than before, written data may be lost. It may count more than one error for each that was
 * reported to us.
 */
static void compare_counts(struct job_disk *d, const struct dw_watch *now,
			   struct dw_result *ret)
{
	uint64_t ours = d->who.write_errors,
		 more = now->write_errors - d->who.watch.write_errors;
	bool less = now->write_errors < d->who.watch.write_errors;

	if (d->who.watch.counts && now->counts) {
		ret->write_log =
			more && !less && !ours ? DW_WRITE_LOG_LOST : DW_WRITE_LOG_OPEN;
		if (less)
			more = ours + 1;
		if (more > ours && more - ours > ret->elsewhere)
			ret->elsewhere = (uint32_t)dw_min_u64(more - ours, UINT32_MAX);
	}
	d->who.watch.counts = now->counts;
	d->who.watch.write_errors = now->write_errors;
	d->who.write_errors = 0;
}

/* Another program switched the write cache on. Data written since then and before the next flush
 * may be lost unnoticed, so it counts as lost. */
static void compare_cache(struct job_disk *d, const struct dw_watch *now,
			  struct dw_result *ret)
{
	if (d->who.watch.wce == DW_NO && now->wce == DW_YES)
		ret->cache = DW_CACHE_SWITCHED_ON;
	if (d->who.watch.wce == DW_NO && now->wce == DW_NO)
		ret->cache = DW_CACHE_OFF;
	if (now->wce != DW_UNKNOWN)
		d->who.watch.wce = now->wce;
}

/* Handles one answer of an identification; false when another command was sent. */
static bool identify_answer(struct job_disk *d, struct job_slot *s,
			    const struct dw_completion *done, struct dw_result *ret)
{
	const struct dw_completion *last = done;
	bool reset, same;

	dw_decode(&d->caps, &s->op, done, ret);
	if (ret->class == DW_CLASS_RESET)
		d->who.reset_noticed = true; /* the core has to know it */
	if (ret->class == DW_CLASS_ATTENTION)
		s->attention = *ret;
	if (!s->first_ns)
		s->first_ns = ret->submit_ns;
	dw_identify_feed(s->identify, done);
	if (dw_identify_next(s->identify, &s->cmd)) {
		s->cmd.cookie = s->op.slot;
		if (!d->place.transport->ops->submit(d->place.transport, d->place.handle,
						     &s->cmd)) {
			d->place.transport->ops->flush(d->place.transport);
			return false;
		}
	}
	if (s->identify->failed)
		last = &s->identify->last;
	dw_decode(&d->caps, &s->op, last, ret);
	if (!s->identify->failed)
		ret->class = DW_CLASS_OK;
	if (ret->class == DW_CLASS_OK)
		ret->identity = judge_identity(d, s->identify);
	d->job->engine->resets_ns = 0; /* read the events of the kernel now */
	engine_take_news(d->job->engine, done->end_ns);
	reset = ret->class == DW_CLASS_OK && job_resets_missed(d);
	same = ret->class == DW_CLASS_OK && ret->identity == DW_IDENTITY_SAME;
	if (same && !reset && s->attention.class == DW_CLASS_ATTENTION)
		*ret = s->attention; /* the core has to know it, and identifies again */
	ret->reset_seen = reset;
	ret->elsewhere = (uint32_t)dw_min_u64(job_errors_elsewhere(d), UINT32_MAX);
	if (same) {
		compare_counts(d, &s->identify->found, ret);
		compare_cache(d, &s->identify->found, ret);
	}
	ret->submit_ns = s->first_ns;
	return true;
}

static void read_answer(struct job_slot *s, struct dw_result *ret)
{
	if (ret->class != DW_CLASS_OK)
		return;
	if (s->compare_error < 0) {
		ret->class = DW_CLASS_BUG;
		ret->detail = "the comparison itself failed";
		return;
	}
	if (!s->found.compared) {
		ret->class = DW_CLASS_BUG;
		ret->detail = "what was read has not been compared";
		return;
	}
	ret->compared = s->found.compared;
	ret->n_runs = s->found.n_runs;
	memcpy(ret->run, s->found.run, sizeof(ret->run));
}

/*
 * Some disks know READ(16) and not WRITE(16). If the disk could not be asked before, its first
 * write shows it. What commands of 10 bytes can address is then done with these.
 */
static int fall_back(struct job_disk *d, const struct job_slot *s, struct dw_result *r)
{
	bool refused = r->class == DW_CLASS_UNSUPPORTED && r->asc == 0x20 && !r->deferred;

	if (!refused || (s->op.verb != DW_VERB_WRITE && s->op.verb != DW_VERB_READ) ||
	    s->cmd.cdb_len != 16 || d->caps.blocks > DW_BLOCKS_10)
		return 0;
	r->class = DW_CLASS_RETRY;
	if (!d->caps.rw16)
		return 0;
	d->caps.rw16 = false;
	return job_notice(d->job, d->id, "%s(16) refused: using commands of 10 bytes",
			  s->op.verb == DW_VERB_WRITE ? "WRITE" : "READ");
}

/*
 * A refused flush proves nothing unless the cache is off. Its state at the beginning does not
 * count, as anybody may have switched it on since. False when the disk is being asked.
 */
static bool flush_answer(struct job_disk *d, struct job_slot *s,
			 const struct dw_completion *done, struct dw_result *ret)
{
	struct dw_completion whole = *done;
	uint8_t size = s->cache_cdb_len;

	if (size)
		whole.resid = 0; /* a page may be shorter than the buffer */
	dw_decode(&d->caps, &s->op, &whole, ret);
	if (!size) {
		if (!d->device && d->caps.cache.wce == DW_NO)
			ret->cache = DW_CACHE_OFF;
		if (ret->class != DW_CLASS_UNSUPPORTED || !d->device)
			return true;
		s->refused = *ret;
		return !ask_cache(d, s, 10);
	}
	if (ret->class == DW_CLASS_UNSUPPORTED && size == 10 && ask_cache(d, s, 6))
		return false;
	if (ret->class != DW_CLASS_OK && ret->class != DW_CLASS_UNSUPPORTED)
		return true; /* another flush has to ask again */
	if (ret->class == DW_CLASS_OK && dw_decode_cache(done, size) == DW_NO)
		s->refused.cache = DW_CACHE_OFF;
	*ret = s->refused;
	return true;
}

/* Judges an operation by the read of a block. @s->refused is the answer to the poll before: the
 * disk accepted that, or aborted it. */
static void probe_answer(const struct job_disk *d, struct job_slot *s,
			 const struct dw_completion *done, struct dw_result *ret)
{
	bool took = s->refused.class == DW_CLASS_OK, works, nothing, reported;

	dw_decode(&d->caps, &probe_op, done, ret);
	reported = ret->sense_key == DW_KEY_NOT_READY && ret->asc == 0x04 &&
		   ret->ascq == 0x1b;
	works = ret->sense_key == DW_KEY_ABORTED_COMMAND && ret->class == DW_CLASS_RETRY;
	nothing = ret->sense_key == DW_KEY_MEDIUM_ERROR && ret->asc == 0x11 &&
		  ret->ascq == 0x15;
	if (reported || (works && took)) {
		ret->class = DW_CLASS_RUNNING;
	} else if (works) {
		ret->class = DW_CLASS_OK;
		ret->ended = DW_ENDED_FAILED;
	} else if (took && (nothing || ret->class == DW_CLASS_OK)) {
		ret->class = DW_CLASS_OK;
		ret->ended = DW_ENDED_UNREADABLE;
	} else if (ret->class == DW_CLASS_OK) {
		*ret = s->refused;
	}
}

/* A reset, another medium, or an error of the transport concerns the core. */
static bool is_for_core(const struct dw_completion *done, struct dw_result *ret)
{
	if (ret->sense_key == DW_KEY_UNIT_ATTENTION)
		return true;
	if (!done->err && !done->host_status)
		return false;
	if (ret->class != DW_CLASS_GONE && ret->class != DW_CLASS_TIMEOUT &&
	    ret->class != DW_CLASS_RESET && ret->class != DW_CLASS_GIVEN_BACK)
		ret->class = DW_CLASS_RETRY;
	return true;
}

/* A block was read before a poll. Whether the read succeeded does not matter, and nothing that
 * the core knows of has failed. The poll follows. False when it was sent. */
static bool pre_probe_answer(struct job_disk *d, struct job_slot *s,
			     const struct dw_completion *done, struct dw_result *ret)
{
	dw_decode(&d->caps, &probe_op, done, ret);
	if (is_for_core(done, ret))
		return true;
	buffer_put(d, s->buffer);
	s->buffer = NULL;
	s->probe = PROBE_NONE;
	s->cmd = (struct dw_cmd){ .cookie = s->op.slot };
	ret->class = DW_CLASS_RETRY;
	if (dw_encode(&d->caps, &s->op, false, &s->cmd))
		return true;
	fill_operation(d, s);
	d->place.transport->ops->unfence(d->place.transport, d->place.handle);
	if (d->place.transport->ops->submit(d->place.transport, d->place.handle, &s->cmd))
		return true;
	d->place.transport->ops->flush(d->place.transport);
	return false;
}

/* False when another command was sent. */
static bool poll_answer(struct job_disk *d, struct job_slot *s,
			const struct dw_completion *done, struct dw_result *ret)
{
	bool aborted;

	if (s->probe == PROBE_BEFORE)
		return pre_probe_answer(d, s, done, ret);
	if (s->probe) {
		probe_answer(d, s, done, ret);
		return true;
	}
	dw_decode(&d->caps, &s->op, done, ret);
	aborted =
		ret->class == DW_CLASS_RETRY && ret->sense_key == DW_KEY_ABORTED_COMMAND;
	if (!d->caps.self.ata || !(ret->ended == DW_ENDED_UNREADABLE || aborted))
		return true;
	if (probe_block(d, s, ret))
		return false;
	ret->class = DW_CLASS_RETRY;
	return true;
}

void job_trace_op(const struct job_disk *d, const struct dw_op *op,
		  const struct dw_result *result)
{
	struct dw_op line = *op;

	if (!d->job->trace.file || !result->start_ns)
		return;
	line.disk = d->id;
	dw_trace_line(d->job->trace.file, &line, result);
}

int job_complete(struct dw_engine *e, const struct dw_completion *done)
{
	struct job_slot *s = e->slot[done->cookie];
	struct job_disk *d = e->disk[s->op.disk];
	struct dw_result result = { 0 };
	int r = 0, kept = 0;

	if (s->op.verb == DW_VERB_IDENTIFY) {
		if (!identify_answer(d, s, done, &result))
			return 0;
	} else if (s->op.verb == DW_VERB_FLUSH) {
		if (!flush_answer(d, s, done, &result))
			return 0;
	} else if (s->op.verb == DW_VERB_POLL) {
		if (!poll_answer(d, s, done, &result))
			return 0;
	} else {
		dw_decode(&d->caps, &s->op, done, &result);
		if (s->op.verb == DW_VERB_READ)
			read_answer(s, &result);
		r = fall_back(d, s, &result);
	}
	/* a disk whose link is unstable may say so for a moment */
	if (result.vanished && d->device)
		result.vanished = !dw_node_listed(&dw_machine_self, &d->info);
	result.disk = s->op.disk;
	result.slot = s->op.slot;
	d->who.exchangeable |= result.sense_key == DW_KEY_UNIT_ATTENTION &&
			       dw_identity_exchanged(result.asc);
	if (result.class == DW_CLASS_RESET || result.class == DW_CLASS_TIMEOUT)
		d->who.reset_reported = true;
	d->who.write_errors += dw_sense_of_write(&s->op, &result);
	if (d->device && result.ended == DW_ENDED_FAILED)
		d->device->sanitize.failed = true;
	result.path = d->paths ? (uint8_t)(done->path + 1) : 0;
	buffer_put(d, s->buffer);
	s->buffer = NULL;
	if (result.start_ns)
		job_busy_add(&d->busy, &s->op, &result);
	job_trace_op(d, &s->op, &result);
	if (!r && s->op.verb == DW_VERB_OPERATE)
		kept = job_units_answered(d, &result);
	if (!r && !kept)
		r = dw_core_result(e->core, &result, done->end_ns);
	if (!r && !kept && s->op.verb == DW_VERB_OPERATE)
		r = job_units_commanded(d);
	if (r < 0 || kept < 0)
		return r < 0 ? r : kept;
	return job_paths_watch(d->job, d);
}
