/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffered text: a line costs a microsecond or so and no system call. */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "file/file.h"
#include "report/trace_head.h"

struct dw_trace {
	struct dw_output out;
	FILE *f; /* of out */
	uint64_t origin_ns;
	bool verify_only;
	int error; /* the first one; nothing is written after it */
};

int dw_trace_open(const char *path, uint64_t origin_ns, const struct dw_trace_head *head,
		  struct dw_trace **ret)
{
	struct dw_trace *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	r = dw_output_open(&t->out, path, 0644, true);
	if (r) {
		free(t);
		return r;
	}
	t->f = t->out.f;
	r = dw_trace_head_write(t->f, head);
	if (r) {
		dw_output_close(&t->out, false);
		free(t);
		return r;
	}
	t->origin_ns = origin_ns;
	t->verify_only = head->run.verify_only;
	*ret = t;
	return 0;
}

static uint64_t since(const struct dw_trace *t, uint64_t ns)
{
	return ns > t->origin_ns ? ns - t->origin_ns : 0;
}

/* An identification is several commands: it began with the first, its start is the last's. */
void dw_trace_line(struct dw_trace *t, const struct dw_op *op,
		   const struct dw_result *result)
{
	uint64_t done = since(t, result->end_ns);
	uint64_t started = dw_min_u64(since(t, result->start_ns), done);
	uint64_t submitted = dw_min_u64(since(t, result->submit_ns), started);

	if (t->error)
		return;
	errno = 0;
	fprintf(t->f,
		"%" PRIu64 " %" PRIu32 " %s %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64
		" %s %" PRIu64 " %" PRIu32 " %u",
		op->step, op->disk, dw_verb_name(op->verb), op->lba, op->nlb, submitted,
		done, dw_class_name(result->class), started, op->run ? op->run : 1,
		op->pass);
	if (result->path)
		fprintf(t->f, " %u", result->path);
	if (fputc('\n', t->f) == EOF || ferror(t->f))
		t->error = errno ? -errno : -EIO;
}

int dw_trace_error(const struct dw_trace *t)
{
	return t->error;
}

void dw_trace_path(struct dw_trace *t, uint32_t disk, uint32_t path, const char *node)
{
	fprintf(t->f, "# path %" PRIu32 " %" PRIu32 " %s\n", disk, path, node);
}

void dw_trace_end(struct dw_trace *t, enum dw_outcome outcome, uint64_t now_ns)
{
	if (t->error)
		return;
	fprintf(t->f, "# end %s %" PRIu64 "\n", dw_outcome_name(outcome, t->verify_only),
		since(t, now_ns));
}

int dw_trace_close(struct dw_trace *t)
{
	int r;

	if (!t)
		return 0;
	r = dw_output_close(&t->out, true);
	if (t->error)
		r = t->error;
	free(t);
	return r;
}
