/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Erases disks that come and go, by libdiskwipe:
 *	rack [-l BLOCKS] [-t TRACE] [-b HOW] [NODE...]
 * with WRITE commands of that length, a trace, and in the background (HOW as share:20%), if they
 * are given. The disks named are first; then each line of the standard input says what else is to
 * be done:
 *	add NODE | pause NODE | resume NODE | cancel NODE
 * It ends when that has ended and every disk is done. Nobody is asked: a disk that is named, and
 * not in use, loses its data.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

static const char *node_of(const struct dw_job_result *r, uint32_t disk)
{
	const struct dw_disk_info *i = &r->disk[disk].info;

	return i->sg[0] ? i->sg : i->block;
}

/* what was done, or why it was not */
static void tell(struct dw_job *job, const struct dw_event *e)
{
	const struct dw_job_result *r = dw_job_result(job);
	const char *what = e->kind == DW_EVENT_ADDED     ? "added"
			   : e->kind == DW_EVENT_PAUSED  ? "paused"
			   : e->kind == DW_EVENT_RESUMED ? "resumed"
			   : e->kind == DW_EVENT_PASS ? dw_phase_name(e->progress.phase)
						      : NULL;

	if (e->kind == DW_EVENT_REFUSED)
		printf("refused %s\n", e->text);
	else if (e->kind == DW_EVENT_DISK_DONE)
		printf("%s: %s %s\n", node_of(r, e->disk),
		       dw_outcome_name(e->progress.outcome, false), e->text);
	else if (what)
		printf("%s: %s\n", node_of(r, e->disk), what);
	fflush(stdout);
}

static int find(const char *node, struct dw_disk *ret)
{
	int r = dw_disk_examine(node, NULL, ret);

	if (r < 0)
		printf("refused %s: %s\n", node, strerror(-r));
	else if (ret->verdict.refusal != DW_REFUSAL_NONE)
		printf("refused %s: %s\n", node, ret->verdict.reason);
	fflush(stdout);
	return r < 0 || ret->verdict.refusal != DW_REFUSAL_NONE;
}

struct rack {
	struct dw_engine *engine;
	struct dw_job *job;
	unsigned looking; /* for disks that are to be added */
};

/* whether it may be erased is asked once more when it is claimed */
static void found(void *ctx, const char *path, int r, struct dw_disk *disk, size_t n)
{
	struct rack *rack = ctx;

	rack->looking--;
	if (r < 0)
		printf("refused %s: %s\n", path, strerror(-r));
	else if (disk->verdict.refusal != DW_REFUSAL_NONE)
		printf("refused %s: %s\n", path, disk->verdict.reason);
	else
		dw_task_add(rack->job, disk);
	fflush(stdout);
	free(disk);
}

/* the disk in the job that has the node, the latest if several had */
static uint32_t number_of(struct dw_job *job, const char *node)
{
	const struct dw_job_result *r = dw_job_result(job);
	size_t i = r->n_disks;

	while (i && strcmp(r->disk[i - 1].info.sg, node) != 0 &&
	       strcmp(r->disk[i - 1].info.block, node) != 0)
		i--;
	return i ? (uint32_t)i - 1 : UINT32_MAX;
}

static void obey(struct rack *rack, const char *line)
{
	char word[16] = "", node[64] = "";
	struct dw_job *job = rack->job;

	if (sscanf(line, "%15s %63s", word, node) != 2)
		return;
	if (!strcmp(word, "add")) {
		if (!dw_engine_discover(rack->engine, node, NULL, found, rack))
			rack->looking++;
	} else if (!strcmp(word, "pause")) {
		dw_task_pause(job, number_of(job, node));
	} else if (!strcmp(word, "resume")) {
		dw_task_resume(job, number_of(job, node));
	} else if (!strcmp(word, "cancel")) {
		dw_task_cancel(job, number_of(job, node));
	}
}

/* what there is of the input, line by line; 0 when it has ended */
static int listen(struct rack *rack)
{
	static char text[256];
	static size_t n;
	ssize_t got = read(STDIN_FILENO, text + n, sizeof(text) - 1 - n);
	char *end;

	if (got <= 0)
		return 0;
	n += (size_t)got;
	text[n] = 0;
	while ((end = strchr(text, '\n'))) {
		*end = 0;
		obey(rack, text);
		n -= (size_t)(end + 1 - text);
		memmove(text, end + 1, n + 1);
	}
	return n < sizeof(text) - 1;
}

static int run(struct rack *rack)
{
	struct dw_job *job = rack->job;
	struct pollfd fd[2] = { { .fd = dw_engine_fd(rack->engine), .events = POLLIN },
				{ .fd = STDIN_FILENO, .events = POLLIN } };
	struct dw_event e;
	bool held = true;
	int r;

	while ((r = dw_engine_step(rack->engine, 0)) == 1) {
		while (dw_job_next_event(job, &e))
			tell(job, &e);
		if (held && fd[1].fd < 0 && !rack->looking) {
			dw_job_hold(job, held = false);
			continue;
		}
		if (poll(fd, 2, -1) > 0 && fd[1].revents && !listen(rack))
			fd[1].fd = -1;
	}
	while (dw_job_next_event(job, &e))
		tell(job, &e);
	return r;
}

int main(int argc, char **argv)
{
	struct dw_job_spec spec;
	struct dw_verdict why = { 0 };
	struct dw_disk disk;
	struct dw_engine *engine = NULL;
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	int r, code = 1, first = 1;

	dw_job_spec_init(&spec);
	if (argc > first + 1 && !strcmp(argv[first], "-l")) {
		spec.command = DW_COMMAND_WRITE;
		strcpy(spec.controller, "fixed");
		spec.fixed_blocks = (uint32_t)atoi(argv[first + 1]);
		first += 2;
	}
	if (argc > first + 1 && !strcmp(argv[first], "-t")) {
		snprintf(spec.trace_file, sizeof(spec.trace_file), "%s", argv[first + 1]);
		first += 2;
	}
	if (argc > first + 1 && !strcmp(argv[first], "-b")) {
		if (dw_background_parse(argv[first + 1], &spec.background))
			return code;
		first += 2;
	}
	r = dw_engine_new(&engine);
	if (!r)
		r = dw_job_new(engine, &spec, &job, &err);
	for (int i = first; i < argc && !r; i++)
		r = find(argv[i], &disk) ? -1 : dw_job_add(job, &disk, &why);
	if (!r) {
		dw_job_hold(job, true);
		r = dw_job_start(job, &err);
	}
	if (!r)
		r = run(&(struct rack){ engine, job, 0 });
	if (!r)
		code = dw_job_exit_code(dw_job_result(job));
	else
		fprintf(stderr, "not begun, or cut off: %s%s\n",
			dw_error_text(&err, text), why.reason);
	dw_job_free(job);
	dw_engine_free(engine);
	return code;
}
