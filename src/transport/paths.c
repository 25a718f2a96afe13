/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk with several paths, seen from above as one disk: a sender in front of the sender. Order,
 * fence and preparation are the lane's, so that there is one line of commands for each disk
 * whatever the paths do. The path of a command is chosen in the disk's thread at the moment it is
 * sent.
 *
 * Fixed uses one path as long as it works. Dynamic uses the path whose connection will first have
 * transferred what was sent over it, if its rate is known; then the one with the fewest bytes in
 * flight, counted over all disks; and among equals the least used.
 *
 * A path that fails a command (no such device, no connection, the transport disrupted, no answer
 * in time, port not accessible) is taken out of use, and the same command is sent over another.
 * Its fate on the first is not known: the host has ended it, but a copy may still be on its way
 * to the disk. A late copy writes what this pass writes there anyway. It could do harm only to a
 * later pass, or after the end. Both come after a flush, and the flush waits until no copy can be
 * on its way any more (@quiet_ns after the last such failure). A marker is not what this pass
 * writes there: if one may be late, the command that follows waits as well.
 *
 * The last path in use is given up only if the disk is gone. Any other failure of it is reported
 * to the core, as for a disk with one path.
 *
 * A path that is back is first identified, and then proven by a marker, in a block of the next
 * writing command, which is overwritten right after. During reads alone it stays unused. After a
 * unit attention a path is identified before data are sent over it, as the core has the disk as a
 * whole identified over any of its paths. A marker counts as data.
 */
#include "transport/paths.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"
#include "transport/guard.h"
#include "transport/marker.h"
#include "transport/meter.h"
#include "transport/path_end.h"
#include "transport/path_load.h"
#include "transport/stamp.h"
#include "transport/threaded.h"

#define RETRY_NS    (500 * DW_NS_PER_MS)
#define RETRY_SHIFT 3                    /* the most that its doubling goes */
#define BUSY_NS     (100 * DW_NS_PER_MS) /* a failed path is still busy: check again */

struct lead {
	struct dw_target end;
	uint32_t link;
	bool open; /* the inner sender knows it */
	uint32_t busy;
	uint32_t tries;
	uint64_t retry_ns;
	struct dw_lead_news news;
};

/**
 * struct unit - a disk
 * @answered: signalled when a path that is being identified has answered
 * @quiet_ns: before that time no flush is sent, nor what follows a failed proof
 */
struct unit {
	struct paths *all;
	uint32_t handle;
	const struct dw_target *target;
	const struct dw_path_set *set;
	uint32_t n;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	uint64_t quiet_ns;
	uint32_t changes;
	struct lead lead[DW_LEADS_MAX];
};

/**
 * struct paths - all of them
 * @lock: guards the table
 * @load: what the connections have to carry
 */
struct paths {
	struct dw_sender inner;
	pthread_mutex_t lock;
	struct unit **unit;
	uint32_t n;
	struct dw_path_load load;
};

uint32_t dw_paths_handle(uint32_t handle, uint32_t lead)
{
	return handle * DW_LEADS_MAX + lead;
}

static struct unit *unit_of(struct paths *p, uint32_t handle)
{
	struct unit *u;

	pthread_mutex_lock(&p->lock);
	u = handle < p->n ? p->unit[handle] : NULL;
	pthread_mutex_unlock(&p->lock);
	return u;
}

/* Unit locked. */
static void set_state(struct unit *u, uint32_t i, uint8_t state)
{
	u->lead[i].news.state = state;
	u->changes++;
}

static bool is_usable(const struct lead *l)
{
	return l->news.state == DW_LEAD_UP || l->news.state == DW_LEAD_DOUBTED;
}

/* Is @a the better path for the next command? Unit locked. */
static bool is_better(struct unit *u, const struct lead *a, const struct lead *b,
		      uint64_t now)
{
	int r = dw_path_load_compare(&u->all->load, a->link, b->link, now);

	return r ? r < 0 : a->news.commands < b->news.commands;
}

/* Unit locked. */
static void enter(struct unit *u, struct lead *l, const struct dw_cmd *cmd, uint64_t now)
{
	uint64_t ns = (uint64_t)(u->set->ns_per_byte * cmd->data_len);

	l->busy++;
	l->news.commands++;
	dw_path_load_add(&u->all->load, l->link, cmd->data_len, ns, now);
}

/* The path for a command, entered as busy; -1 when none is left. Unit locked. */
static int choose_path(struct unit *u, const struct dw_cmd *cmd, uint32_t tried)
{
	uint64_t now = dw_clock_ns();
	int best = -1;

	for (uint32_t i = 0; i < u->n; i++) {
		if ((tried & 1u << i) || !is_usable(&u->lead[i]))
			continue;
		if (!u->set->dynamic && i == u->set->home) {
			best = (int)i;
			break;
		}
		if (best < 0 || is_better(u, &u->lead[i], &u->lead[best], now))
			best = (int)i;
	}
	if (best >= 0)
		enter(u, &u->lead[best], cmd, now);
	return best;
}

/* Unit locked. */
static void leave_path(struct unit *u, uint32_t i, const struct dw_cmd *cmd)
{
	u->lead[i].busy--;
	dw_path_load_sub(&u->all->load, u->lead[i].link, cmd->data_len);
}

/* Unit locked. */
static void take_down(struct unit *u, uint32_t i)
{
	struct lead *l = &u->lead[i];
	uint64_t now = dw_clock_ns();

	u->quiet_ns = dw_max_u64(u->quiet_ns, now + u->set->quiet_ns);
	l->retry_ns = now + RETRY_NS;
	if (is_usable(l) || l->news.state == DW_LEAD_ASKED ||
	    l->news.state == DW_LEAD_PROVEN)
		set_state(u, i, DW_LEAD_DOWN);
}

/* Unit locked. */
static bool is_last(const struct unit *u, uint32_t i)
{
	for (uint32_t j = 0; j < u->n; j++)
		if (j != i && is_usable(&u->lead[j]))
			return false;
	return true;
}

/* What a completion tells about its path; unit locked. */
static void judge_path(struct unit *u, uint32_t i, const struct dw_completion *done)
{
	bool failed = dw_path_failed(done);

	u->lead[i].news.failures += failed;
	if (failed && (dw_path_gone(done) || !is_last(u, i)))
		take_down(u, i);
	else if ((failed || dw_path_attention(done)) &&
		 u->lead[i].news.state == DW_LEAD_UP)
		set_state(u, i, DW_LEAD_DOUBTED);
}

/* One command over one path, waited for. */
static void carry(struct unit *u, uint32_t i, uint32_t worker, struct dw_cmd *cmd,
		  struct dw_completion *ret)
{
	struct dw_sender *inner = &u->all->inner;
	uint64_t start_ns = ret->start_ns;

	ret->err = 0;
	ret->status = 0;
	ret->sense_len = 0;
	ret->host_status = 0;
	ret->driver_status = 0;
	ret->resid = 0;
	ret->path = i;
	/* a failed path, or an identification, may have taken long: the lease has to read the
	 * clock */
	ret->start_ns = 0;
	dw_stamp(cmd); /* what another path left there is not what this one brings */
	inner->send(inner->ctx, dw_paths_handle(u->handle, i), worker, cmd, ret);
	ret->start_ns = start_ns;
}

/* Lock held before and after, not while the path is asked. */
static void ask_path(struct unit *u, uint32_t i)
{
	int r;

	set_state(u, i, DW_LEAD_ASKED);
	pthread_mutex_unlock(&u->lock);
	r = u->set->identify(u->set->ctx, i);
	pthread_mutex_lock(&u->lock);
	pthread_cond_broadcast(&u->answered);
	if (u->lead[i].news.state != DW_LEAD_ASKED)
		return;
	if (r < 0)
		take_down(u, i);
	else
		set_state(u, i, r ? DW_LEAD_FOREIGN : DW_LEAD_UP);
}

static bool is_flush(const struct dw_cmd *cmd)
{
	struct dw_cdb_extent x;

	return !dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) && x.verb == DW_EXTENT_SYNC;
}

/* Waits until nothing that failed so far can reach the disk any more. Lock held before and after,
 * not in between. */
static void keep_quiet(struct unit *u)
{
	uint64_t until = u->quiet_ns;
	struct timespec ts = { .tv_sec = (time_t)(until / DW_NS_PER_S),
			       .tv_nsec = (long)(until % DW_NS_PER_S) };

	if (dw_clock_ns() >= until)
		return;
	pthread_mutex_unlock(&u->lock);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
	pthread_mutex_lock(&u->lock);
}

/**
 * struct proof - a proof by a marker, through the inner sender
 * @worker: the thread of the disk that makes it
 * @sure: the path in use
 * @end: of the command that waits for the proof
 * @ended: @end is the disk's own error over @sure
 */
struct proof {
	struct unit *u;
	uint32_t worker;
	uint32_t sure;
	struct dw_completion *end;
	bool ended;
};

/* The device has not said how it ended: it may be on its way to it still. */
static void proof_failed(struct unit *u, const struct dw_completion *done)
{
	if (!done->err && !done->host_status)
		return;
	pthread_mutex_lock(&u->lock);
	u->quiet_ns = dw_max_u64(u->quiet_ns, dw_clock_ns() + u->set->quiet_ns);
	pthread_mutex_unlock(&u->lock);
}

static void proof_quiet(void *ctx)
{
	struct proof *p = ctx;

	pthread_mutex_lock(&p->u->lock);
	keep_quiet(p->u);
	pthread_mutex_unlock(&p->u->lock);
}

/* Whether the state of the path is unchanged since the proof began. */
static bool still_known(const struct proof *p, uint32_t path)
{
	uint8_t state;

	pthread_mutex_lock(&p->u->lock);
	state = p->u->lead[path].news.state;
	pthread_mutex_unlock(&p->u->lock);
	return state == (path == p->sure ? DW_LEAD_UP : DW_LEAD_PROVEN);
}

/* Sent once, and not repeated after a unit attention: the disk is identified before a marker is
 * written. A unit attention over the path in use is reported to the core, which identifies the
 * disk. */
static int proof_send(void *ctx, uint32_t path, struct dw_cmd *cmd)
{
	struct proof *p = ctx;
	struct dw_completion done = *p->end;
	struct dw_sense s = { 0 };

	if (dw_guard_check(p->u->target, cmd))
		return -EPERM;
	if (!still_known(p, path))
		return -EAGAIN;
	done.cmd = cmd;
	carry(p->u, path, p->worker, cmd, &done);
	if (dw_guard_good(&done))
		return 0;
	proof_failed(p->u, &done);
	if (dw_path_failed(&done))
		return -ENODEV;
	if (path == p->sure && dw_path_attention(&done)) {
		done.cmd = p->end->cmd;
		*p->end = done;
		p->ended = true;
	}
	if (done.sense_len)
		dw_sense_parse(done.sense, done.sense_len, &s);
	return s.key == DW_KEY_ILLEGAL_REQUEST && s.asc == 0x20 ? -EOPNOTSUPP : -EIO;
}

/* The first block of a writing command; false for any other. */
static bool writes_at(const struct dw_cmd *cmd, uint64_t *ret_lba)
{
	struct dw_cdb_extent x;

	if (dw_opcode_class(cmd->cdb, cmd->cdb_len) != DW_OPCLASS_WRITE ||
	    dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x))
		return false;
	*ret_lba = x.lba;
	return x.nlb > 0;
}

static int find_state(const struct unit *u, uint8_t state)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (u->lead[i].news.state == state)
			return (int)i;
	return -1;
}

/* What a proof tells of the path that came back; unit locked. */
static void conclude(struct unit *u, uint32_t asked, int r, bool by_asked)
{
	if (r < 0 && !by_asked) {
		set_state(u, asked, DW_LEAD_BACK);
	} else if (r < 0) {
		take_down(u, asked);
	} else {
		u->lead[asked].news.returns += !r;
		set_state(u, asked, r ? DW_LEAD_FOREIGN : DW_LEAD_UP);
	}
}

/*
 * A path that came back is matched with one in use, on a block that this thread overwrites
 * next. Lock held before and after, not in between. True: the command ends here, with what
 * the disk reported meanwhile.
 */
static bool prove(struct unit *u, uint32_t worker, const struct dw_cmd *cmd,
		  struct dw_completion *ret)
{
	int asked = find_state(u, DW_LEAD_BACK), sure = find_state(u, DW_LEAD_UP), r;
	struct proof proof = {
		.u = u, .worker = worker, .sure = (uint32_t)sure, .end = ret
	};
	const struct dw_marker_io io = { .send = proof_send,
					 .quiet = proof_quiet,
					 .ctx = &proof,
					 .block_size = u->target->block_size,
					 .rw16 = u->set->rw16,
					 .sync16 = u->set->sync16 };
	uint32_t failed = 0;
	uint64_t lba;

	if (asked < 0 || sure < 0 || !writes_at(cmd, &lba))
		return false;
	set_state(u, (uint32_t)asked, DW_LEAD_PROVEN);
	u->lead[sure].busy++;
	pthread_mutex_unlock(&u->lock);
	r = dw_marker_match(&io, (uint32_t)sure, (uint32_t)asked, lba, &failed);
	pthread_mutex_lock(&u->lock);
	u->lead[sure].busy--;
	conclude(u, (uint32_t)asked, r, failed == (uint32_t)asked);
	if (proof.ended)
		judge_path(u, (uint32_t)sure, ret);
	return proof.ended;
}

/* The next path to try; one in doubt is identified first. Unit locked. */
static int next_path(struct unit *u, const struct dw_cmd *cmd, uint32_t tried)
{
	for (;;) {
		int i = choose_path(u, cmd, tried);

		if (i < 0 && find_state(u, DW_LEAD_ASKED) >= 0) {
			pthread_cond_wait(&u->answered, &u->lock);
			continue;
		}
		if (i < 0 || u->lead[i].news.state == DW_LEAD_UP ||
		    dw_guard_passes_fence(cmd))
			return i;
		leave_path(u, (uint32_t)i, cmd);
		u->lead[i].news.commands--;
		ask_path(u, (uint32_t)i);
	}
}

static void paths_send(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		       struct dw_completion *ret)
{
	struct unit *u = unit_of(ctx, handle);
	uint32_t tried = 0;
	bool failed = true;
	int i;

	if (u->n == 1) {
		carry(u, 0, worker, cmd, ret);
		return;
	}
	pthread_mutex_lock(&u->lock);
	if (prove(u, worker, cmd, ret)) {
		pthread_mutex_unlock(&u->lock);
		return;
	}
	ret->err = -EHOSTUNREACH; /* where no path is left to try */
	while (failed && (i = next_path(u, cmd, tried)) >= 0) {
		if (is_flush(cmd))
			keep_quiet(u);
		pthread_mutex_unlock(&u->lock);
		carry(u, (uint32_t)i, worker, cmd, ret);
		failed = dw_path_failed(ret);
		pthread_mutex_lock(&u->lock);
		leave_path(u, (uint32_t)i, cmd);
		tried |= 1u << i;
		judge_path(u, (uint32_t)i, ret);
	}
	pthread_mutex_unlock(&u->lock);
}

static void close_leads(struct unit *u)
{
	struct dw_sender *inner = &u->all->inner;

	for (uint32_t i = 0; i < u->n; i++)
		if (u->lead[i].open && inner->close)
			inner->close(inner->ctx, dw_paths_handle(u->handle, i));
}

/* A disk without a set has its one path in the target itself. */
static int open_leads(struct unit *u, const struct dw_target *target)
{
	struct dw_sender *inner = &u->all->inner;
	int r = 0;

	u->n = u->set ? u->set->n : 1;
	if (u->n < 1 || u->n > DW_LEADS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < u->n && !r; i++) {
		struct lead *l = &u->lead[i];

		l->end = *target;
		if (u->set) {
			l->end.sg_fd = u->set->lead[i].sg_fd;
			l->end.blk_fd = u->set->lead[i].blk_fd;
			l->end.errors = u->set->lead[i].errors;
			l->end.spared = u->set->lead[i].spared;
			l->link = u->set->lead[i].link % DW_LINKS_MAX;
			memcpy(l->news.name, u->set->lead[i].name, sizeof(l->news.name));
		}
		r = inner->open ? inner->open(inner->ctx, dw_paths_handle(u->handle, i),
					      &l->end)
				: 0;
		l->open = !r;
	}
	if (r)
		close_leads(u);
	return r;
}

static int seat(struct paths *p, struct unit *u)
{
	struct unit **table;
	uint32_t n = u->handle + 1;

	if (n > p->n) {
		table = reallocarray(p->unit, n, sizeof(struct unit *));
		if (!table)
			return -ENOMEM;
		memset(table + p->n, 0, (n - p->n) * sizeof(struct unit *));
		p->unit = table;
		p->n = n;
	}
	p->unit[u->handle] = u;
	return 0;
}

static void unit_free(struct unit *u)
{
	pthread_cond_destroy(&u->answered);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

static int paths_open(void *ctx, uint32_t handle, const struct dw_target *target)
{
	struct unit *u = calloc(1, sizeof(*u));
	struct paths *p = ctx;
	int r;

	if (!u)
		return -ENOMEM;
	u->all = p;
	u->handle = handle;
	u->target = target;
	u->set = target->paths;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->answered, NULL);
	r = open_leads(u, target);
	if (!r) {
		pthread_mutex_lock(&p->lock);
		r = seat(p, u);
		pthread_mutex_unlock(&p->lock);
		if (r)
			close_leads(u);
	}
	if (r) {
		unit_free(u);
	}
	return r;
}

static void paths_close(void *ctx, uint32_t handle)
{
	struct paths *p = ctx;
	struct unit *u = unit_of(p, handle);

	if (!u)
		return;
	pthread_mutex_lock(&p->lock);
	p->unit[handle] = NULL;
	pthread_mutex_unlock(&p->lock);
	close_leads(u);
	unit_free(u);
}

static void paths_free(void *ctx)
{
	struct paths *p = ctx;

	if (p->inner.free)
		p->inner.free(p->inner.ctx);
	pthread_mutex_destroy(&p->lock);
	free(p->unit);
	free(p);
}

int dw_paths_new(const struct dw_sender *inner, const struct dw_executor *executor,
		 struct dw_transport **ret)
{
	struct paths *p = calloc(1, sizeof(*p));
	const struct dw_sender sender = { .open = paths_open,
					  .send = paths_send,
					  .close = paths_close,
					  .free = paths_free,
					  .ctx = p };
	int r;

	if (!p)
		return -ENOMEM;
	pthread_mutex_init(&p->lock, NULL);
	p->inner = *inner;
	r = dw_threaded_new(&sender, executor, ret);
	if (r < 0) {
		p->inner = (struct dw_sender){ 0 };
		paths_free(p);
	}
	return r;
}

static struct paths *paths_of(struct dw_transport *t)
{
	return dw_threaded_ctx(t);
}

void *dw_paths_inner(struct dw_transport *t)
{
	return paths_of(t)->inner.ctx;
}

uint32_t dw_paths_changes(struct dw_transport *t, uint32_t handle)
{
	struct unit *u = unit_of(paths_of(t), handle);
	uint32_t n;

	if (!u)
		return 0;
	pthread_mutex_lock(&u->lock);
	n = u->changes;
	pthread_mutex_unlock(&u->lock);
	return n;
}

void dw_paths_news(struct dw_transport *t, uint32_t handle, uint32_t lead,
		   struct dw_lead_news *ret)
{
	struct unit *u = unit_of(paths_of(t), handle);

	*ret = (struct dw_lead_news){ 0 };
	if (!u || lead >= u->n)
		return;
	pthread_mutex_lock(&u->lock);
	*ret = u->lead[lead].news;
	pthread_mutex_unlock(&u->lock);
}

int dw_paths_retry(struct dw_transport *t, uint32_t handle, uint64_t now_ns,
		   uint64_t *ret_next_ns)
{
	struct unit *u = unit_of(paths_of(t), handle);
	int found = -1;

	*ret_next_ns = UINT64_MAX;
	if (!u)
		return -1;
	pthread_mutex_lock(&u->lock);
	for (uint32_t i = 0; i < u->n && found < 0; i++) {
		struct lead *l = &u->lead[i];

		if (l->news.state != DW_LEAD_DOWN)
			continue;
		if (!l->busy && l->retry_ns <= now_ns) {
			found = (int)i;
			set_state(u, i, DW_LEAD_REVIVED);
			continue;
		}
		*ret_next_ns = dw_min_u64(*ret_next_ns,
					  dw_max_u64(l->retry_ns, now_ns + BUSY_NS));
	}
	pthread_mutex_unlock(&u->lock);
	return found;
}

void dw_paths_let_go(struct dw_transport *t, uint32_t handle, uint32_t lead)
{
	struct unit *u = unit_of(paths_of(t), handle);
	struct dw_sender *inner = &u->all->inner;
	struct lead *l = &u->lead[lead];

	if (l->open && inner->close)
		inner->close(inner->ctx, dw_paths_handle(u->handle, lead));
	l->open = false;
}

/* a path that is back, with its present facts */
static int open_again(struct unit *u, uint32_t lead, const struct dw_lead_fds *fds)
{
	struct dw_sender *inner = &u->all->inner;
	struct lead *l = &u->lead[lead];
	int r;

	l->end.sg_fd = fds->sg_fd;
	l->end.blk_fd = fds->blk_fd;
	l->end.errors = fds->errors;
	l->end.spared = fds->spared;
	l->link = fds->link % DW_LINKS_MAX;
	r = inner->open
		    ? inner->open(inner->ctx, dw_paths_handle(u->handle, lead), &l->end)
		    : 0;
	l->open = !r;
	return r;
}

void dw_paths_revived(struct dw_transport *t, uint32_t handle, uint32_t lead, int r,
		      const struct dw_lead_fds *fds)
{
	struct unit *u = unit_of(paths_of(t), handle);
	struct lead *l = &u->lead[lead];

	if (!r)
		r = open_again(u, lead, fds);
	pthread_mutex_lock(&u->lock);
	if (!r)
		memcpy(l->news.name, fds->name, sizeof(l->news.name));
	l->tries = r < 0 ? l->tries + 1 : 0;
	l->retry_ns = dw_clock_ns() + (RETRY_NS << dw_min_u64(l->tries, RETRY_SHIFT));
	set_state(u, lead, r < 0 ? DW_LEAD_DOWN : r ? DW_LEAD_FOREIGN : DW_LEAD_BACK);
	pthread_mutex_unlock(&u->lock);
}
