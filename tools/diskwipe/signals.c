/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals only leave a note and wake the loop; what they mean is decided there. Calls that
 * wait are interrupted, so that a question can be left with Ctrl-C as well.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "signals.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t stop_count;
static volatile sig_atomic_t status_wanted;
static volatile sig_atomic_t size_changed;
static struct dw_engine *volatile wake;

static void note(int sig)
{
	if (sig == SIGUSR1) {
		status_wanted = 1;
	} else if (sig == SIGWINCH) {
		size_changed = 1;
	} else {
		if (!stop_signal)
			stop_signal = sig;
		stop_count = stop_count + 1;
	}
	if (wake)
		dw_engine_wake(wake);
}

static void catch (int sig, int flags)
{
	struct sigaction old, new = { .sa_handler = note, .sa_flags = flags };

	/* What nohup ignores for us stays ignored; a shell ignores INT for every command in
	 * its background, and there it is still a request to stop. */
	if (sig == SIGHUP && !sigaction(sig, NULL, &old) && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&new.sa_mask);
	sigaction(sig, &new, NULL);
}

void cli_signals_begin(void)
{
	catch (SIGINT, 0);
	catch (SIGTERM, 0);
	catch (SIGHUP, 0);
	catch (SIGUSR1, SA_RESTART);
	catch (SIGWINCH, SA_RESTART);
}

void cli_signals_wake(struct dw_engine *engine)
{
	wake = engine;
}

int cli_signals_stop(void)
{
	return stop_signal;
}

int cli_signals_count(void)
{
	return stop_count;
}

/* The signals are let in only while poll waits: one that came just before it would
 * otherwise leave the question standing. */
bool cli_signals_await(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t hold, before;
	int r = -1;

	sigemptyset(&hold);
	sigaddset(&hold, SIGINT);
	sigaddset(&hold, SIGTERM);
	sigaddset(&hold, SIGHUP);
	sigprocmask(SIG_BLOCK, &hold, &before);
	while (!stop_signal && r < 0) {
		r = ppoll(&p, 1, NULL, &before);
		if (r < 0 && errno != EINTR)
			break;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r > 0 && !stop_signal;
}

static bool take(volatile sig_atomic_t *flag)
{
	bool set = *flag;

	*flag = 0;
	return set;
}

bool cli_signals_status(void)
{
	return take(&status_wanted);
}

bool cli_signals_resized(void)
{
	return take(&size_changed);
}

void cli_signals_raise(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}
