/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces: what is accepted lies within its disks and is ordered in time, and can be judged. */
#include <string.h>

#include "fuzz.h"

#include "print/findings.h"
#include "../unit/error_line.h"

static void check(const struct dw_trace_head *h, const struct dw_trace_command *c)
{
	FUZZ_CHECK(c->disk < h->n_disks);
	FUZZ_CHECK(c->verb < DW_VERB_COUNT && c->end_class < DW_CLASS_COUNT);
	FUZZ_CHECK(c->span <= h->disk[c->disk].blocks);
	FUZZ_CHECK(c->lba <= h->disk[c->disk].blocks - c->span);
	FUZZ_CHECK(c->submit_ns <= c->start_ns && c->start_ns <= c->end_ns);
	FUZZ_CHECK(c->commands >= 1);
}

/* What a report makes of it: bytes are neither lost nor made when they are put in bins. */
static void judge(const uint8_t *data, size_t size)
{
	struct dw_trace_reader *r;
	struct findings f;
	struct run run;
	struct dw_error err = { 0 };

	FUZZ_CHECK(dw_trace_reader_open(fuzz_file("trace", data, size), &r, &err) == 0);
	FUZZ_CHECK(run_from_reader(r, &run, &err) == 0);
	dw_trace_reader_free(r);
	FUZZ_CHECK(findings_new(&run, &f) == 0);
	FUZZ_CHECK(f.headline[0] && memchr(f.headline, 0, sizeof(f.headline)));
	for (size_t i = 0; i < run.n; i++) {
		double sum = 0, bytes = run.disk[i].bytes[RUN_WRITE] +
					run.disk[i].bytes[RUN_SAME] +
					run.disk[i].bytes[RUN_READ];

		for (size_t k = 0; k < run.n_bins_used; k++)
			sum += (double)run.disk[i].moved[k] +
			       (double)run.disk[i].local[k];
		FUZZ_CHECK(sum >= bytes * 0.999 - 1 && sum <= bytes * 1.001 + 1);
	}
	findings_deinit(&f);
	run_deinit(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_trace_reader *r;
	struct dw_trace_command c;
	struct dw_error err = { 0 };
	int n;

	n = dw_trace_reader_open(fuzz_file("trace", data, size), &r, &err);
	if (n == 0) {
		while ((n = dw_trace_reader_next(r, &c, &err)) == 1)
			check(dw_trace_reader_head(r), &c);
		dw_trace_reader_free(r);
		if (n == 0)
			judge(data, size);
	}
	FUZZ_CHECK(n == 0 || is_whole_error(&err, err.code));
	return 0;
}
