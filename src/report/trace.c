/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffered text: a line costs a microsecond or so and no system call. */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct dw_trace {
	FILE *f;
	uint64_t origin_ns;
};

int dw_trace_open(const char *path, uint64_t origin_ns, struct dw_trace **ret)
{
	struct dw_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->f = fopen(path, "we");
	if (!t->f) {
		int r = -errno;

		free(t);
		return r;
	}
	t->origin_ns = origin_ns;
	fputs("# diskwipe trace 1\n# step disk verb lba blocks submitted done class\n",
	      t->f);
	*ret = t;
	return 0;
}

void dw_trace_disk(struct dw_trace *t, uint32_t disk, const char *text)
{
	fprintf(t->f, "# disk %" PRIu32 " %s\n", disk, text);
}

static uint64_t since(const struct dw_trace *t, uint64_t ns)
{
	return ns > t->origin_ns ? ns - t->origin_ns : 0;
}

void dw_trace_line(struct dw_trace *t, const struct dw_op *op,
		   const struct dw_result *result)
{
	fprintf(t->f,
		"%" PRIu64 " %" PRIu32 " %s %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64
		" %s\n",
		op->step, op->disk, dw_verb_name(op->verb), op->lba, op->nlb,
		since(t, result->submit_ns), since(t, result->end_ns),
		dw_class_name(result->class));
}

int dw_trace_close(struct dw_trace *t)
{
	int r = 0;

	if (!t)
		return 0;
	if (ferror(t->f))
		r = -EIO;
	if (fclose(t->f) && !r)
		r = -errno;
	free(t);
	return r;
}
