/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#include <systemd/sd-journal.h>

#define MESSAGE(end) "5e2f3c1a7d944b6a9c1de0b7a4f1" end

enum {
	STARTED,
	SUBMITTED,
	BEGUN,
	ERASED,
	NOT_ERASED,
	REFUSED,
	JOB_ENDED,
	TROUBLE,
	DENIED,
	CONFIGURED,
	MISCONFIGURED,
};

static const char *const message_id[] = {
	[STARTED] = MESSAGE("0001"),       [SUBMITTED] = MESSAGE("0002"),
	[BEGUN] = MESSAGE("0003"),         [ERASED] = MESSAGE("0004"),
	[NOT_ERASED] = MESSAGE("0005"),    [REFUSED] = MESSAGE("0006"),
	[JOB_ENDED] = MESSAGE("0007"),     [TROUBLE] = MESSAGE("0008"),
	[DENIED] = MESSAGE("0009"),        [CONFIGURED] = MESSAGE("000a"),
	[MISCONFIGURED] = MESSAGE("000b"),
};

static bool simulated;

void report_simulated(void)
{
	simulated = true;
}

/* where the journal reads the standard error anyway, nothing is reported twice */
static bool is_in_journal(void)
{
	return getenv("JOURNAL_STREAM") != NULL;
}

static void report(int id, int priority, const struct svc_attempt *a, const char *job,
		   const char *format, ...) __attribute__((format(printf, 5, 6)));

#define FIELDS 8

/** struct journal_entry - fields of a message; each is NAME=VALUE */
struct journal_entry {
	char text[FIELDS][760];
	struct iovec part[FIELDS];
	int n;
};

static void add_field(struct journal_entry *e, const char *name, const char *value)
{
	char *at = e->text[e->n];
	int len = snprintf(at, sizeof(e->text[0]), "%s=%s", name, value);

	e->part[e->n++] = (struct iovec){ .iov_base = at, .iov_len = (size_t)len };
}

static void send_entry(int id, int priority, const struct svc_attempt *a, const char *job,
		       const char *message)
{
	struct journal_entry e = { .n = 0 };
	char level[12];

	snprintf(level, sizeof(level), "%d", priority);
	add_field(&e, "MESSAGE_ID", message_id[id]);
	add_field(&e, "PRIORITY", level);
	add_field(&e, "MESSAGE", message);
	add_field(&e, "DISKWIPE_JOB", job ? job : "");
	add_field(&e, "DISKWIPE_SERIAL", a ? a->row.identity.serial : "");
	add_field(&e, "DISKWIPE_WWN", a ? a->row.identity.wwn : "");
	add_field(&e, "DISKWIPE_BAY", a ? a->row.bay : "");
	add_field(&e, "DISKWIPE_OUTCOME", a ? outcome_word(a->row.outcome) : "");
	sd_journal_sendv(e.part, e.n);
}

static void report(int id, int priority, const struct svc_attempt *a, const char *job,
		   const char *format, ...)
{
	char text[700];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dw_text_printable(text);
	if (!simulated)
		send_entry(id, priority, a, job, text);
	if (simulated || !is_in_journal())
		fprintf(stderr, "diskwiped: %s%s\n", simulated ? "simulated: " : "",
			text);
}

void report_started(const struct service *s)
{
	unsigned disks = 0, jobs = 0;

	for (const struct svc_disk *d = s->disks; d; d = d->next)
		disks += d->present;
	for (const struct svc_job *j = s->jobs; j; j = j->next)
		jobs += !j->row.ended;
	report(STARTED, LOG_NOTICE, NULL, NULL,
	       "started: version %s, %u disk%s, %u job%s", dw_version(), disks,
	       disks == 1 ? "" : "s", jobs, jobs == 1 ? " goes on" : "s go on");
}

void report_settings(const char *text, bool good)
{
	report(good ? CONFIGURED : MISCONFIGURED, good ? LOG_NOTICE : LOG_WARNING, NULL,
	       NULL, "%s", text);
}

void report_note(const char *text)
{
	report(TROUBLE, LOG_WARNING, NULL, NULL, "%s", text);
}

void report_denied(const struct store_caller *who, const char *what)
{
	report(DENIED, LOG_WARNING, NULL, NULL, "%s: denied to user %u, process %u (%s)",
	       what, who->uid, who->pid, who->comm[0] ? who->comm : "unknown");
}

static const char *name_of(const struct svc_attempt *a)
{
	return a->row.identity.serial[0] ? a->row.identity.serial : a->row.identity.wwn;
}

void report_submitted(const struct service *s, const struct svc_job *job,
		      const struct store_caller *who)
{
	char by[96] = "the service itself";

	(void)s;
	if (who->uid != UINT32_MAX) /* else a bay's rule took the disk */
		snprintf(by, sizeof(by), "user %u (%.64s)", who->uid,
			 who->comm[0] ? who->comm : "unknown");
	report(SUBMITTED, LOG_NOTICE, NULL, job->row.id,
	       "job %.8s: %zu disk%s, submitted by %s", job->row.id, job->n,
	       job->n == 1 ? "" : "s", by);
}

void report_begin(const struct service *s, const struct svc_attempt *a)
{
	(void)s;
	report(BEGUN, LOG_INFO, a, a->row.job, "job %.8s: disk %s begins%s%s", a->row.job,
	       name_of(a), a->row.bay[0] ? " in bay " : "", a->row.bay);
}

void report_end(const struct service *s, const struct svc_attempt *a)
{
	bool good = !a->row.code;
	int id = good                                  ? ERASED
		 : outcome_never_began(a->row.outcome) ? REFUSED
						       : NOT_ERASED;

	(void)s;
	report(id, good ? LOG_NOTICE : LOG_WARNING, a, a->row.job,
	       "job %.8s: disk %s: %s%s%s", a->row.job, name_of(a),
	       outcome_word(a->row.outcome), a->row.reason[0] ? ": " : "", a->row.reason);
}

void report_job_end(const struct service *s, const struct svc_job *job)
{
	(void)s;
	report(JOB_ENDED, LOG_NOTICE, NULL, job->row.id,
	       "job %.8s has ended, exit code %d", job->row.id, job_code(job));
}
