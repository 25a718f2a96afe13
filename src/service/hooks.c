/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "json_text.h"

#define US_PER_S UINT64_C(1000000)

/**
 * struct hook - a program that runs
 * @attempt: of the hook before one, which waits for it; 0 = nobody waits
 * @late: it was killed
 */
struct hook {
	struct service *s;
	int64_t attempt;
	char program[256];
	pid_t pid;
	bool late;
	sd_event_source *child;
	sd_event_source *timer;
	struct hook *next;
};

static struct hook *running;

/* what an attempt is, and what came of it */
static char *document(const struct service *s, const struct svc_attempt *a,
		      const char *event)
{
	const struct dw_disk_info *i = &a->row.identity;
	struct json_text t;

	json_begin(&t);
	json_string(&t, "event", event);
	json_string(&t, "station", s->settings->station);
	json_string(&t, "job", a->row.job);
	json_string(&t, "device", a->disk->facts.info.sg);
	json_string(&t, "serial", i->serial);
	json_string(&t, "wwn", i->wwn);
	json_string(&t, "vendor", i->vendor);
	json_string(&t, "model", i->model);
	json_number(&t, "capacity_bytes", i->blocks * i->block_size);
	json_string(&t, "bay", a->row.bay);
	json_string(&t, "outcome", a->row.outcome);
	json_string(&t, "reason", a->row.reason);
	return json_end(&t);
}

static void forget_hook(struct hook *h)
{
	struct hook **at = &running;

	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	sd_event_source_unref(h->child);
	sd_event_source_unref(h->timer);
	free(h);
}

static void judge_hook(struct hook *h, const siginfo_t *si)
{
	char why[256] = "";
	struct service *s = h->s;

	if (h->late)
		snprintf(why, sizeof(why), "hook %.180s: not done within %u s",
			 h->program, s->settings->hook_seconds);
	else if (si->si_code != CLD_EXITED)
		snprintf(why, sizeof(why), "hook %.180s: ended by signal %d", h->program,
			 si->si_status);
	else if (si->si_status)
		snprintf(why, sizeof(why), "hook %.180s: exit code %d", h->program,
			 si->si_status);
	if (why[0])
		service_note(s, "%s", why);
	for (struct svc_job *j = s->jobs; h->attempt && j; j = j->next)
		for (size_t i = 0; i < j->n; i++)
			if (j->attempt[i]->row.id == h->attempt)
				attempt_hooked(s, j->attempt[i], why[0] ? why : NULL);
}

static int ended_hook(sd_event_source *source, const siginfo_t *si, void *ctx)
{
	struct hook *h = ctx;

	(void)source;
	kill(-h->pid, SIGKILL); /* what it has left behind */
	judge_hook(h, si);
	forget_hook(h);
	return 0;
}

static int too_late(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct hook *h = ctx;

	(void)source;
	(void)usec;
	h->late = true;
	kill(-h->pid, SIGKILL);
	return 0;
}

static int input_of(const char *text)
{
	size_t len = strlen(text);
	int fd = memfd_create("diskwipe-hook", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* between fork and exec, where little may be called */
static _Noreturn void become(const char *program, const struct passwd *user, int input)
{
	char *const argv[] = { (char *)program, NULL };
	char *const env[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL };
	int null = open("/dev/null", O_WRONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	if (dup2(input, 0) < 0 || dup2(null, 1) < 0 || close_range(3, ~0U, 0) < 0)
		_exit(126);
	if (setgroups(0, NULL) < 0 ||
	    setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
	    setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
		_exit(126);
	if (chdir("/") < 0)
		_exit(126);
	execve(program, argv, env);
	_exit(127);
}

static int watch_hook(struct service *s, struct hook *h)
{
	int r = sd_event_add_child(s->event, &h->child, h->pid, WEXITED, ended_hook, h);

	if (r < 0)
		return r;
	return sd_event_add_time_relative(s->event, &h->timer, CLOCK_MONOTONIC,
					  s->settings->hook_seconds * US_PER_S, 0,
					  too_late, h);
}

static int run_hook(struct service *s, const char *program, const char *text,
		    int64_t attempt)
{
	const struct passwd *user = getpwnam(s->settings->hook_user);
	struct hook *h = user ? calloc(1, sizeof(*h)) : NULL;
	int input = h ? input_of(text) : -ENOMEM, r;

	if (!user || !user->pw_uid) {
		free(h);
		return -ENOENT;
	}
	if (input < 0) {
		free(h);
		return input;
	}
	*h = (struct hook){ .s = s, .attempt = attempt, .next = running };
	snprintf(h->program, sizeof(h->program), "%s", program);
	h->pid = fork();
	if (!h->pid)
		become(program, user, input);
	r = h->pid < 0 ? -errno : 0;
	close(input);
	running = h;
	if (!r)
		r = watch_hook(s, h);
	if (r < 0) {
		if (h->pid > 0)
			kill(-h->pid, SIGKILL);
		forget_hook(h);
	}
	return r;
}

static int tell_hook(struct service *s, const char *program, const struct svc_attempt *a,
		     const char *event, int64_t waits)
{
	char *text = document(s, a, event);
	int r = text ? run_hook(s, program, text, waits) : -ENOMEM;

	free(text);
	if (r < 0)
		service_note(s, "hook %.160s: %s", program,
			     r == -ENOENT ? "its user does not exist, or is root"
					  : strerror(-r));
	return r;
}

void hooks_before(struct service *s, struct svc_attempt *a)
{
	if (tell_hook(s, s->settings->hook_pre, a, "pre-erase", a->row.id) < 0)
		attempt_hooked(s, a, "the hook before the erase cannot be run");
}

void hooks_begun(struct service *s, const struct svc_attempt *a)
{
	if (s->settings->hook_event[0])
		tell_hook(s, s->settings->hook_event, a, "begin", 0);
}

void hooks_after(struct service *s, const struct svc_attempt *a)
{
	if (s->settings->hook_post[0])
		tell_hook(s, s->settings->hook_post, a, "post-erase", 0);
	if (s->settings->hook_event[0])
		tell_hook(s, s->settings->hook_event, a, "post-erase", 0);
}

void hooks_free(struct service *s)
{
	(void)s;
	while (running) {
		kill(-running->pid, SIGKILL);
		forget_hook(running);
	}
}
