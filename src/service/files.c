/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of attempts. An attempt is over when the store says so, and its files are removed after
 * that: a service that is killed between, or a power cut that undoes the removal, leaves them. A
 * key would then outlive what it has written, so each start looks for such files. Those of a disk
 * that was pulled stay until it is too late for it to come back, and those of one that was left at
 * work until somebody resumes it or gives it up.
 */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void files_name(const struct service *s, const struct svc_attempt *a, const char *kind,
		char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s-%lld.%s", s->state_dir, a->row.job,
		 (long long)a->row.disk, kind);
}

void files_remove(const struct service *s, const struct svc_attempt *a)
{
	char file[256];

	files_name(s, a, "state", file, sizeof(file));
	unlink(file);
	files_name(s, a, "key", file, sizeof(file));
	unlink(file);
}

int files_has_state(struct service *s, const char *file, struct dw_error *err)
{
	struct dw_plan_doc doc = { 0 };
	char text[DW_ERROR_TEXT];
	int r;

	if (access(file, F_OK) < 0)
		return errno == ENOENT ? 0 : dw_error_system(err, -errno, file);
	r = dw_resume_disks(file, &doc, err);
	dw_plan_deinit(&doc);
	if (!r)
		return 1;
	/* want of memory, or of descriptors: what it holds is not known */
	if (r != -EINVAL)
		return dw_error_file(err, r, file, strerror(-r));
	service_note(s, "%s; its disk is erased from the start",
		     dw_error_text(err, text));
	dw_error_clear(err);
	unlink(file);
	return 0;
}

static bool goes_on(const struct service *s, const struct svc_attempt *a)
{
	return a->state != ATTEMPT_ENDED || attempt_left(a) || attempt_may_continue(s, a);
}

static bool is_wanted(const struct service *s, const char *name)
{
	char start[64];

	for (const struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++) {
			const struct svc_attempt *a = j->attempt[i];
			int len = snprintf(start, sizeof(start), "%s-%lld.", a->row.job,
					   (long long)a->row.disk);

			if (!strncmp(name, start, (size_t)len) && goes_on(s, a))
				return true;
		}
	return false;
}

/* also what was being written when the service was killed, NAME.state.something */
static bool is_of_attempt(const char *name)
{
	return strlen(name) > 37 && name[36] == '-' &&
	       (strstr(name, ".state") || strstr(name, ".key"));
}

static int on_late(sd_event_source *source, uint64_t usec, void *ctx)
{
	(void)source;
	(void)usec;
	files_sweep(ctx);
	return 0;
}

/* By the clock on the wall, as the question whether it continues. */
void files_expect(struct service *s)
{
	uint64_t first = UINT64_MAX;

	for (const struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++) {
			const struct svc_attempt *a = j->attempt[i];

			if (attempt_may_continue(s, a) && attempt_until(s, a) < first)
				first = attempt_until(s, a);
		}
	s->late = sd_event_source_unref(s->late);
	if (first != UINT64_MAX)
		sd_event_add_time(s->event, &s->late, CLOCK_REALTIME, first, 0, on_late,
				  s);
}

void files_sweep(struct service *s)
{
	DIR *dir = opendir(s->state_dir);
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (is_of_attempt(e->d_name) && !is_wanted(s, e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	files_expect(s);
}
