/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hook as a child of the service, in a process group of its own: for a service in the foreground,
 * without a system bus. It needs the rights to become another user and to kill its processes, which
 * the unit of the service does not have.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "hook_run.h"

#define US_PER_S UINT64_C(1000000)

/** struct child_run - a process that runs; @late: it was killed */
struct child_run {
	pid_t pid;
	bool late;
	sd_event_source *child;
	sd_event_source *timer;
};

static void leave_child(struct hook *h, bool kill_it)
{
	struct child_run *c = h->run;

	(void)kill_it; /* without its parent nobody would end it */
	if (c->pid > 0)
		kill(-c->pid, SIGKILL);
	sd_event_source_unref(c->child);
	sd_event_source_unref(c->timer);
	free(c);
}

/* with its death goes what it has left behind: leave_child() */
static int ended_hook(sd_event_source *source, const siginfo_t *si, void *ctx)
{
	struct hook *h = ctx;
	const struct child_run *c = h->run;

	(void)source;
	hook_judge(h, c->late, si->si_code, si->si_status);
	return 0;
}

static int too_late(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct hook *h = ctx;
	struct child_run *c = h->run;

	(void)source;
	(void)usec;
	c->late = true;
	kill(-c->pid, SIGKILL);
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

/* Whether it may be run as that user, and killed; or what is missing. */
static bool may_become(char why[128])
{
	static const struct {
		unsigned bit;
		const char *name;
	} needed[] = { { CAP_SETUID, " CAP_SETUID" },
		       { CAP_SETGID, " CAP_SETGID" },
		       { CAP_KILL, " CAP_KILL" } };
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct have[2] = { 0 };
	char missing[64] = "";

	(void)syscall(SYS_capget, &head, have); /* without an answer there are none */
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!(have[0].effective & (1U << needed[i].bit)))
			strcat(missing, needed[i].name);
	snprintf(why, 128,
		 "no system bus to have it run by systemd, and no right to it:%s",
		 missing);
	return !missing[0];
}

static int watch_child(struct hook *h, struct child_run *c)
{
	int r = sd_event_add_child(h->s->event, &c->child, c->pid, WEXITED, ended_hook,
				   h);

	if (r < 0)
		return r;
	return sd_event_add_time_relative(h->s->event, &c->timer, CLOCK_MONOTONIC,
					  h->seconds * US_PER_S, 0, too_late, h);
}

static int run_child(struct hook *h, const struct passwd *user)
{
	struct child_run *c = calloc(1, sizeof(*c));
	int input = c ? input_of(h->text) : -ENOMEM;

	if (input < 0) {
		free(c);
		return input;
	}
	h->run = c;
	h->leave = leave_child;
	c->pid = fork();
	if (!c->pid)
		become(h->program, user, input);
	close(input);
	return c->pid < 0 ? -errno : watch_child(h, c);
}

void child_start(struct hook *h)
{
	const struct passwd *user = getpwnam(h->user);
	char why[128];
	int r;

	if (!user || !user->pw_uid) {
		snprintf(why, sizeof(why), "its user %.60s %s", h->user,
			 user ? "is root, which no hook may be" : "does not exist");
	} else if (may_become(why)) {
		r = run_child(h, user);
		if (r >= 0)
			return;
		snprintf(why, sizeof(why), "%s", strerror(-r));
	}
	hook_ended(h, why);
}
