/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs for parsers that open a file: in memory where there is such a file system. */
#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include "fuzz.h"

static char folder[64];

static void remove_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/dev/shm/dw-fuzz.XXXXXX");
	if (!mkdtemp(folder)) {
		snprintf(folder, sizeof(folder), "/tmp/dw-fuzz.XXXXXX");
		FUZZ_CHECK(mkdtemp(folder));
	}
	atexit(remove_folder);
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
	static char path[PATH_MAX];
	FILE *f;

	if (!folder[0])
		make_folder();
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	FUZZ_CHECK(f && fwrite(data, 1, size, f) == size);
	FUZZ_CHECK(fclose(f) == 0);
	return path;
}
