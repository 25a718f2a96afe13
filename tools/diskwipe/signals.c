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
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "exit_status.h"
#include "signals.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t stop_count;
static volatile time_t second_at; /* handlers of requests exclude each other */
static volatile sig_atomic_t status_wanted;
static volatile sig_atomic_t size_changed;
static volatile sig_atomic_t continued;
static volatile sig_atomic_t on_screen;
static volatile sig_atomic_t waiting;
static struct termios before_screen;
static struct dw_engine *volatile wake;

static void say_now(const char *text, size_t size)
{
	ssize_t n = write(STDERR_FILENO, text, size);

	(void)n; /* there is nobody else to tell */
}

static time_t now_seconds(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/*
 * A command that the kernel does not end would keep the program for ever: a third request, when
 * the second has had its time, ends it at once. A key that is held is one request.
 */
static void insist(int sig)
{
	static const char waits[] =
		"\ndiskwipe: waits for a disk or a file; Ctrl-C once more, after 5 s, ends it "
		"at once, without a result\n";
	static const char ends[] =
		"\ndiskwipe: ended at once, without a result; commands at the disks may still be "
		"carried out; 'diskwipe erase --resume=FILE' continues a job with a state file\n";

	if (stop_count == 2) {
		second_at = now_seconds();
		if (!wake && !on_screen) /* else the loop says what it does */
			say_now(waits, sizeof(waits) - 1);
		return;
	}
	if (now_seconds() - second_at <= CLI_INSIST_S)
		return;
	if (on_screen)
		tcsetattr(STDIN_FILENO, TCSANOW, &before_screen);
	say_now(ends, sizeof(ends) - 1);
	cli_signals_raise(sig);
	_exit(CLI_EXIT_STOPPED); /* where no signal can end a process */
}

/* Where no loop runs, a request would stay without an answer as long as a disk does. */
static void answer_first(void)
{
	static const char stops[] =
		"\ndiskwipe: stopping, as soon as the disks have answered; nothing more is "
		"begun\n";

	if (waiting && !wake && !on_screen)
		say_now(stops, sizeof(stops) - 1);
}

static void note(int sig)
{
	if (sig == SIGUSR1) {
		status_wanted = 1;
	} else if (sig == SIGWINCH) {
		size_changed = 1;
	} else if (sig == SIGCONT) {
		continued = 1;
	} else {
		if (!stop_signal)
			stop_signal = sig;
		stop_count = stop_count + 1;
		if (stop_count > 1)
			insist(sig);
		else
			answer_first();
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
	sigaddset(&new.sa_mask, SIGINT);
	sigaddset(&new.sa_mask, SIGTERM);
	sigaddset(&new.sa_mask, SIGHUP);
	sigaction(sig, &new, NULL);
}

void cli_signals_begin(void)
{
	catch (SIGINT, 0);
	catch (SIGTERM, 0);
	catch (SIGHUP, 0);
	catch (SIGUSR1, SA_RESTART);
	catch (SIGWINCH, SA_RESTART);
	catch (SIGCONT, SA_RESTART);
}

void cli_signals_screen(bool on)
{
	on_screen = on && !tcgetattr(STDIN_FILENO, &before_screen);
}

void cli_signals_wake(struct dw_engine *engine)
{
	wake = engine;
}

void cli_signals_waiting(bool on)
{
	waiting = on;
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
	bool terminal = isatty(fd) || errno == EIO; /* the error of one that has gone */
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
	if (terminal && r > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL) &&
	    !stop_signal)
		stop_signal = SIGHUP; /* it may come later */
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

bool cli_signals_continued(void)
{
	return take(&continued);
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
