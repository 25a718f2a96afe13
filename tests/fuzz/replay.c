/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A main for fuzzers where libFuzzer is not linked: each file named, and each file in a
 * directory named, goes through the fuzzer once. No file at all is an error, so that a
 * lost corpus does not look like a passed test.
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

/* Run one file; the input lies in a heap block of its exact length. */
static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *buf, *exact = NULL;
	size_t n;

	if (!f) {
		perror(path);
		return -1;
	}
	buf = malloc(INPUT_MAX);
	n = buf ? fread(buf, 1, INPUT_MAX, f) : 0;
	fclose(f);
	if (buf)
		exact = realloc(buf, n ? n : 1);
	if (!exact) {
		free(buf);
		return -1;
	}
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 1;
}

/* Run a file, or the files of a directory; returns how many, or -1. */
static int run(const char *path)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int n = 0;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return run_file(path);
	dir = opendir(path);
	if (!dir) {
		perror(path);
		return -1;
	}
	while ((entry = readdir(dir)) && n >= 0) {
		char file[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		n = run_file(file) < 0 ? -1 : n + 1;
	}
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		int n = run(argv[i]);

		if (n < 0)
			return EXIT_FAILURE;
		total += n;
	}
	printf("%d inputs\n", total);
	return total ? EXIT_SUCCESS : EXIT_FAILURE;
}
