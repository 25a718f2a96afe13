/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines are added to a text in memory, which costs a microsecond or so; the text is written by
 * whoever may wait for the file. The beginning and what does not end well is complete; of the
 * rest like commands share a line.
 */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/util.h"
#include "file/file.h"
#include "plan/op.h"
#include "report/pack.h"
#include "report/trace_head.h"

/* A disk answers the commands that it has in an order of its own. */
#define DISORDER 64 /* commands */

#define TRACE_RUN_SHARE 2000

/**
 * struct trace_times - of a command, in ns since the job's start
 * @submit_ns <= @start_ns <= @end_ns: handed over, sent to the disk, answered
 */
struct trace_times {
	uint64_t submit_ns;
	uint64_t start_ns;
	uint64_t end_ns;
};

/** struct trace_follow - where and when the last command of a disk with an extent ended, and when
 *  the last of all */
struct trace_follow {
	uint64_t next_lba;
	uint64_t end_ns;
	uint64_t last_ns;
};

/**
 * struct trace_run - commands that share a line
 * @n: how many, 0 = none
 * @op: the first one
 * @path: of all of them
 * @low, @high: from the lowest to behind the highest block
 * @blocks: all together
 * @times: of the first one; its end is that of the last
 * @least_ns, @most_ns, @sum_ns: response times
 * @close, @close_ns, @busy_ns: see trace.h
 *
 * A command joins the one before when verb, length, pass and path are the same, both ended
 * well, and its address is not far below the run's end. A run lasts a two-thousandth of the time
 * that the trace has at most: so the number of lines grows with the logarithm of the time, and a
 * line is always short beside the whole. Where lengths alternate all the time, that holds once
 * the disk has many lines: its runs are of any length then.
 */
struct trace_run {
	uint32_t n;
	struct dw_op op;
	uint8_t path;
	uint64_t low;
	uint64_t high;
	uint64_t blocks;
	struct trace_times times;
	uint64_t least_ns;
	uint64_t most_ns;
	uint64_t sum_ns;
	uint32_t close;
	uint64_t close_ns;
	uint64_t busy_ns;
};

/* Does a command which ended well belong to the run, of whatever length if @mixed? */
static bool trace_run_takes(const struct trace_run *r, const struct dw_op *op,
			    uint8_t path, bool mixed, const struct trace_times *times)
{
	return r->n && r->n < UINT32_MAX && op->verb == r->op.verb &&
	       (mixed || op->nlb == r->op.nlb) && op->pass == r->op.pass &&
	       path == r->path && op->lba + DISORDER * (uint64_t)op->nlb >= r->high &&
	       times->end_ns - dw_min_u64(r->times.start_ns, times->end_ns) <=
		       times->end_ns / TRACE_RUN_SHARE;
}

/* Did it follow the disk's command before without a pause? Then their ends are its time. */
static bool follows(const struct dw_op *op, const struct trace_times *times,
		    const struct trace_follow *last)
{
	return op->nlb && op->lba == last->next_lba && times->end_ns >= last->end_ns &&
	       times->start_ns <= last->end_ns + DW_TRACE_PAUSE_NS;
}

/* A command that belongs to it, or begins it; @follow is moved on. */
static void trace_run_add(struct trace_run *r, const struct dw_op *op, uint8_t path,
			  const struct trace_times *times, struct trace_follow *follow)
{
	uint64_t ns = times->end_ns - times->start_ns;
	uint64_t busy_from = dw_max_u64(times->start_ns, follow->last_ns);

	if (!r->n)
		*r = (struct trace_run){ .op = *op,
					 .path = path,
					 .low = op->lba,
					 .times = *times,
					 .least_ns = ns };
	if (r->n && follows(op, times, follow)) {
		r->close++;
		r->close_ns += times->end_ns - follow->end_ns;
	}
	r->busy_ns += times->end_ns - dw_min_u64(busy_from, times->end_ns);
	follow->last_ns = dw_max_u64(follow->last_ns, times->end_ns);
	r->n++;
	r->low = dw_min_u64(r->low, op->lba);
	r->high = dw_max_u64(r->high, op->lba + op->nlb);
	r->blocks += op->nlb;
	r->times.end_ns = dw_max_u64(r->times.end_ns, times->end_ns);
	r->least_ns = dw_min_u64(r->least_ns, ns);
	r->most_ns = dw_max_u64(r->most_ns, ns);
	r->sum_ns += ns;
	if (op->nlb) {
		follow->next_lba = op->lba + op->nlb;
		follow->end_ns = times->end_ns;
	}
}

/* Its line; nothing when it is empty, and it is empty afterwards. */
static void trace_run_print(struct trace_run *r, FILE *f)
{
	if (!r->n)
		return;
	fprintf(f,
		"%" PRIu64 " %" PRIu32 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %s %" PRIu64 " %" PRIu32 " %u",
		r->op.step, r->op.disk, dw_verb_name(r->op.verb), r->low, r->blocks,
		r->times.submit_ns, r->times.end_ns, dw_class_name(DW_CLASS_OK),
		r->times.start_ns, r->n, r->op.pass);
	/* where lines of other verbs came in between, a single flush has to tell its time, too */
	if (r->n > 1 || !r->op.nlb)
		fprintf(f,
			" %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32
			" %" PRIu64 " %" PRIu64,
			r->path, r->least_ns, r->sum_ns / r->n, r->most_ns,
			r->high - r->low, r->close, r->close_ns, r->busy_ns);
	else if (r->path)
		fprintf(f, " %u", r->path);
	fputc('\n', f);
	r->n = 0;
}

#define FIRST_NS    (120 * DW_NS_PER_S)
#define FIRST_LINES 500000 /* some 40 MB */
#define RUNS        8      /* of a disk, of different verbs and paths */
#define ALIKE_LINES 40000  /* of a disk; from then on its runs are of any length */
#define TEXT_MAX    (64 * DW_MIB)

/** struct text - lines that are not in the file yet */
struct text {
	char *byte;
	size_t n;
	size_t cap;
};

/** struct disk - open runs of a disk; @next: the one that goes when none is free; @lines: of
 *  runs that have ended */
struct disk {
	struct trace_run run[RUNS];
	struct trace_follow follow;
	uint32_t next;
	uint32_t lines;
};

struct dw_trace {
	struct dw_output out;
	FILE *f;    /* what lines go to: @come */
	FILE *pack; /* before @out, when that is compressed */
	struct text come;
	struct text taken; /* dw_trace_write()'s */
	uint64_t origin_ns;
	bool verify_only;
	bool full;
	uint32_t lines; /* of the beginning */
	struct disk *disk;
	uint32_t n_disks;
	int error; /* the first one; nothing is written after it */
	int write_error;
};

static void trace_free(struct dw_trace *t)
{
	if (t->f)
		fclose(t->f);
	free(t->come.byte);
	free(t->taken.byte);
	free(t->disk);
	free(t);
}

/* of the stream that lines go to */
static ssize_t add_text(void *cookie, const char *text, size_t len)
{
	struct text *c = &((struct dw_trace *)cookie)->come;
	size_t cap = dw_max_u64(2 * c->cap, c->n + len);

	errno = c->n + len > TEXT_MAX ? ENOBUFS : 0;
	if (!errno && c->n + len > c->cap) {
		if (dw_grow(&c->byte, c->cap, cap, 1) < 0)
			errno = ENOMEM;
		else
			c->cap = cap;
	}
	if (errno)
		return 0;
	memcpy(c->byte + c->n, text, len);
	c->n += len;
	return (ssize_t)len;
}

bool dw_trace_take(struct dw_trace *t, size_t least)
{
	struct text taken = t->taken;

	t->error = t->error ? t->error : t->write_error;
	if (t->error || t->come.n < least || fflush(t->f) || !t->come.n)
		return false;
	t->taken = t->come;
	t->come = (struct text){ .byte = taken.byte, .cap = taken.cap };
	return true;
}

void dw_trace_write(struct dw_trace *t)
{
	FILE *to = t->pack ? t->pack : t->out.f;

	errno = 0;
	if (fwrite(t->taken.byte, 1, t->taken.n, to) != t->taken.n || fflush(to))
		t->write_error = errno ? -errno : -EIO;
	t->taken.n = 0;
}

static int begin(struct dw_trace *t, const char *path, const struct dw_trace_head *head)
{
	static const cookie_io_functions_t io = { .write = add_text };
	int r = 0;

	t->f = fopencookie(t, "w", io);
	if (!t->f)
		return -ENOMEM;
	if (dw_pack_named(path))
		r = dw_pack(t->out.f, &t->pack);
	return r ? r : dw_trace_head_write(t->f, head);
}

/* The end of the compressed stream, then of the file. */
static int finish(struct dw_trace *t, bool keep)
{
	int packed = t->pack && fclose(t->pack) ? -errno : 0;
	int r = dw_output_close(&t->out, keep);

	return packed ? packed : r;
}

int dw_trace_open(const char *path, uint64_t origin_ns, const struct dw_trace_head *head,
		  struct dw_trace **ret)
{
	struct dw_trace *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	t->origin_ns = origin_ns;
	t->verify_only = head->run.verify_only;
	t->full = head->spec.trace_full;
	t->n_disks = head->n_disks;
	r = t->n_disks ? dw_grow(&t->disk, 0, t->n_disks, sizeof(*t->disk)) : 0;
	if (!r)
		r = dw_output_open(&t->out, path, 0644, true);
	if (r) {
		trace_free(t);
		return r;
	}
	r = begin(t, path, head);
	if (r) {
		finish(t, false);
		trace_free(t);
		return r;
	}
	*ret = t;
	return 0;
}

void dw_trace_joined(struct dw_trace *t, const struct dw_trace_disk *disk)
{
	uint32_t n = t->n_disks;
	int r = n < DW_TRACE_DISKS_MAX ? 0 : -ERANGE;

	if (t->error)
		return;
	if (!r)
		r = dw_grow(&t->disk, n, n + 1, sizeof(*t->disk));
	if (!r)
		r = dw_trace_head_joined(t->f, n, disk);
	t->error = r;
	t->n_disks += !r;
}

static uint64_t since(const struct dw_trace *t, uint64_t ns)
{
	return ns > t->origin_ns ? ns - t->origin_ns : 0;
}

/* An identification is several commands: it began with the first, its start is the last's. */
static struct trace_times times_of(const struct dw_trace *t,
				   const struct dw_result *result)
{
	uint64_t done = since(t, result->end_ns);
	uint64_t started = dw_min_u64(since(t, result->start_ns), done);
	uint64_t submitted = dw_min_u64(since(t, result->submit_ns), started);

	return (struct trace_times){ submitted, started, done };
}

static void print_runs(struct dw_trace *t, struct disk *d)
{
	for (uint32_t i = 0; i < RUNS; i++)
		trace_run_print(&d->run[i], t->f);
}

static void print_all(struct dw_trace *t)
{
	for (uint32_t i = 0; i < t->n_disks; i++)
		print_runs(t, &t->disk[i]);
}

/* The open run of that verb and path, else a free one, else one that is free from now on. */
static struct trace_run *run_of(struct dw_trace *t, struct disk *d,
				const struct dw_op *op, uint8_t path)
{
	struct trace_run *unused = NULL;

	for (uint32_t i = 0; i < RUNS; i++) {
		struct trace_run *r = &d->run[i];

		if (r->n && r->op.verb == op->verb && r->path == path)
			return r;
		if (!r->n)
			unused = r;
	}
	if (unused)
		return unused;
	unused = &d->run[d->next++ % RUNS];
	trace_run_print(unused, t->f);
	return unused;
}

static void join(struct dw_trace *t, struct disk *d, const struct dw_op *op, uint8_t path,
		 const struct trace_times *times)
{
	struct trace_run *r = run_of(t, d, op, path);

	if (!trace_run_takes(r, op, path, d->lines >= ALIKE_LINES, times)) {
		d->lines += r->n > 0;
		trace_run_print(r, t->f);
	}
	trace_run_add(r, op, path, times, &d->follow);
}

/* A line by itself; what was before it on the disk comes first. */
static void alone(struct dw_trace *t, struct disk *d, const struct dw_op *op,
		  const struct dw_result *result, const struct trace_times *times)
{
	print_runs(t, d);
	d->follow.last_ns = dw_max_u64(d->follow.last_ns, times->end_ns);
	fprintf(t->f,
		"%" PRIu64 " %" PRIu32 " %s %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64
		" %s %" PRIu64 " %" PRIu32 " %u",
		op->step, op->disk, dw_verb_name(op->verb), op->lba, op->nlb,
		times->submit_ns, times->end_ns, dw_class_name(result->class),
		times->start_ns, op->run ? op->run : 1, op->pass);
	if (result->path)
		fprintf(t->f, " %u", result->path);
	fputc('\n', t->f);
}

void dw_trace_line(struct dw_trace *t, const struct dw_op *op,
		   const struct dw_result *result)
{
	struct trace_times times = times_of(t, result);
	struct disk *d;
	bool early;

	if (t->error)
		return;
	errno = 0;
	d = &t->disk[op->disk];
	early = times.end_ns < FIRST_NS && t->lines < FIRST_LINES;
	t->lines += early;
	if (t->full || early || op->run > 1 || result->class != DW_CLASS_OK)
		alone(t, d, op, result, &times);
	else
		join(t, d, op, result->path, &times);
	if (ferror(t->f))
		t->error = errno ? -errno : -EIO;
}

int dw_trace_error(const struct dw_trace *t)
{
	return t->error ? t->error : t->write_error;
}

void dw_trace_path(struct dw_trace *t, uint32_t disk, uint32_t path, const char *node)
{
	fprintf(t->f, "# path %" PRIu32 " %" PRIu32 " %s\n", disk, path, node);
}

void dw_trace_end(struct dw_trace *t, enum dw_outcome outcome, uint64_t now_ns)
{
	if (t->error)
		return;
	print_all(t);
	fprintf(t->f, "# end %s %" PRIu64 "\n", dw_outcome_name(outcome, t->verify_only),
		since(t, now_ns));
}

int dw_trace_close(struct dw_trace *t)
{
	int r;

	if (!t)
		return 0;
	if (!t->error)
		print_all(t);
	if (dw_trace_take(t, 0))
		dw_trace_write(t);
	r = finish(t, true);
	if (dw_trace_error(t))
		r = dw_trace_error(t);
	trace_free(t);
	return r;
}
