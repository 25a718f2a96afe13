/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-enc - a command to an emulated enclosure, from inside the guest.
 *
 *   guest-enc [-m REGEX | -u REGEX [-p PID]] FOLDER WORD...
 *
 * tests/enclosure/ctlio.c says what the folder is.  The answer's first line has to be
 * "ok"; the others are printed.
 *
 *   -m  nothing is printed: 0 if a line of the answer matches, else 1
 *   -u  asks again and again until one does, for two minutes at most, and as long as the
 *       process PID lives
 *
 * Tests ask hundreds of times, and in the guest each program that is started costs 25 ms:
 * this one, static, is all of a question, and of a wait.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define STEP_MS     5
#define UNTIL_S     120
#define AGAIN_MS    20

struct wanted {
	regex_t regex;
	bool any;
	bool until;
	pid_t while_lives;
};

static int give_up(const char *what)
{
	fprintf(stderr, "guest-enc: %s: %s\n", what, strerror(errno));
	return 2;
}

static void nap(long ms)
{
	const struct timespec step = { .tv_nsec = ms * 1000000L };

	nanosleep(&step, NULL);
}

/* The whole command under a name that is not looked at, then under its own. */
static int ask(const char *name, char **words)
{
	char tmp[512];
	int fd;

	snprintf(tmp, sizeof(tmp), "%s.tmp", name);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	for (; *words; words++)
		dprintf(fd, "%s%s", *words, words[1] ? " " : "\n");
	/* the guest's file system writes back late */
	if (fsync(fd) || close(fd))
		return -1;
	return rename(tmp, name);
}

static FILE *await(const char *name)
{
	char out[512];
	FILE *f;

	snprintf(out, sizeof(out), "%s.out", name);
	for (int i = 0; i < PATIENCE_MS / STEP_MS; i++) {
		f = fopen(out, "re");
		if (f)
			unlink(out); /* a later process may have this number */
		if (f || errno != ENOENT)
			return f;
		nap(STEP_MS);
	}
	return NULL;
}

/* 0 if the answer is as wanted, 1 if not, 2 if there is none */
static int once(const char *name, char **words, const struct wanted *w)
{
	char line[65536];
	int result = w->any ? 0 : 1;
	FILE *f;

	if (ask(name, words))
		return give_up(name);
	f = await(name);
	if (!f)
		return give_up("no answer");
	if (!fgets(line, sizeof(line), f) || strcmp(line, "ok\n") != 0) {
		fputs(line, stderr);
		fclose(f);
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		if (w->any) {
			fputs(line, stdout);
			continue;
		}
		line[strcspn(line, "\n")] = '\0';
		if (!regexec(&w->regex, line, 0, NULL, 0))
			result = 0;
	}
	fclose(f);
	return result;
}

static int usage(void)
{
	fputs("usage: guest-enc [-m REGEX | -u REGEX [-p PID]] FOLDER WORD...\n", stderr);
	return 64;
}

static int parse(int argc, char **argv, struct wanted *w)
{
	int c;

	while ((c = getopt(argc, argv, "+m:u:p:")) != -1) {
		if (c == 'p') {
			w->while_lives = (pid_t)strtol(optarg, NULL, 10);
		} else if (c == '?' || !w->any ||
			   regcomp(&w->regex, optarg, REG_EXTENDED | REG_NOSUB)) {
			return -1;
		} else {
			w->any = false;
			w->until = c == 'u';
		}
	}
	return argc - optind < 2 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct wanted w = { .any = true };
	const time_t end = time(NULL) + UNTIL_S;
	char name[384];
	bool last;
	int result;

	if (parse(argc, argv, &w))
		return usage();
	snprintf(name, sizeof(name), "%s/ctl/%d", argv[optind], (int)getpid());
	for (;;) {
		/* it may have ended because of what is waited for */
		last = !w.until || time(NULL) >= end ||
		       (w.while_lives && kill(w.while_lives, 0));
		result = once(name, argv + optind + 1, &w);
		if (result != 1 || last)
			break;
		nap(AGAIN_MS);
	}
	return fflush(stdout) ? 2 : result;
}
