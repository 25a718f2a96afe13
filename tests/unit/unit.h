/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_UNIT_H
#define DW_TESTS_UNIT_H

/* What every unit test needs: cmocka in the order it wants its headers. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/**
 * unhex() - bytes from text
 * @text: pairs of hexadecimal digits; blanks between pairs are skipped
 * @buf: where they go
 * @size: of @buf in bytes
 *
 * Fails the test when the text is malformed or longer than @buf.
 *
 * Return: number of bytes.
 */
static inline size_t unhex(const char *text, uint8_t *buf, size_t size)
{
	size_t n = 0;

	for (; *text; text++) {
		char pair[3] = { text[0], text[1], 0 };
		char *end;

		if (*text == ' ' || *text == '\n')
			continue;
		assert_true(n < size);
		buf[n++] = (uint8_t)strtoul(pair, &end, 16);
		assert_ptr_equal(end, pair + 2);
		text++;
	}
	return n;
}

/**
 * scratch_name() - what mkdtemp() and mkstemp() want, in @buf: in memory where that can be.
 *
 * Hundreds of small files are made and removed. On a disk each waits for its journal.
 */
static inline char *scratch_name(char *buf, size_t size, const char *what)
{
	const char *in = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	assert_in_range(snprintf(buf, size, "%s/dw-%s-XXXXXX", in, what), 1, size - 1);
	return buf;
}

/** await_asleep() - until a thread or a process waits for something, as /proc tells, or has ended. */
static inline void await_asleep(pid_t id)
{
	char path[32], text[512] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)id);
	for (;;) {
		FILE *f = fopen(path, "r");
		const char *name;

		if (!f)
			return;
		name = fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
		fclose(f);
		if (!name || strchr("SZX", name[2]))
			return;
		sched_yield();
	}
}

/** remove_tree() - what a test has made, with all that is in it. */
static inline void remove_tree(const char *path)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(
		0, system(command)); /* NOLINT(cert-env33-c,concurrency-mt-unsafe) */
}

#endif
