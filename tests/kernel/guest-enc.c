/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-enc - a command to an emulated enclosure, from inside the guest.
 *
 *   guest-enc FOLDER WORD...
 *
 * tests/enclosure/ctlio.c says what the folder is.  The answer's first line has to be
 * "ok"; the others are printed.  Tests ask hundreds of times, and in the guest each
 * program that is started costs 25 ms: this one, static, is all of a question.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000
#define STEP_MS     5

static int give_up(const char *what)
{
	fprintf(stderr, "guest-enc: %s: %s\n", what, strerror(errno));
	return 1;
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
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	char out[512];
	FILE *f;

	snprintf(out, sizeof(out), "%s.out", name);
	for (int i = 0; i < PATIENCE_MS / STEP_MS; i++) {
		f = fopen(out, "re");
		if (f)
			unlink(out); /* a later process may have this number */
		if (f || errno != ENOENT)
			return f;
		nanosleep(&step, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char name[384], text[65536];
	size_t n;
	FILE *f;

	if (argc < 3) {
		fputs("usage: guest-enc FOLDER WORD...\n", stderr);
		return 64;
	}
	snprintf(name, sizeof(name), "%s/ctl/%d", argv[1], (int)getpid());
	if (ask(name, argv + 2))
		return give_up(name);
	f = await(name);
	if (!f)
		return give_up("no answer");
	if (!fgets(text, sizeof(text), f) || strcmp(text, "ok\n") != 0) {
		fputs(text, stderr);
		return 1;
	}
	while ((n = fread(text, 1, sizeof(text), f)) > 0)
		fwrite(text, 1, n, stdout);
	return fflush(stdout) ? 1 : 0;
}
