/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders for a moment. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/file.h"

char *dw_scratch_new(void)
{
	const char *top = getenv("TMPDIR");
	char *dir;

	if (asprintf(&dir, "%s/diskwipe-XXXXXX", top && top[0] == '/' ? top : "/tmp") < 0)
		return NULL;
	if (mkdtemp(dir))
		return dir;
	free(dir);
	return NULL;
}

/* The folder itself has level 0. */
static int remove_below(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return at->level && remove(path) ? -1 : 0;
}

int dw_scratch_empty(const char *dir)
{
	return nftw(dir, remove_below, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) ? -errno : 0;
}

void dw_scratch_free(char *dir)
{
	if (!dir)
		return;
	dw_scratch_empty(dir);
	remove(dir);
	free(dir);
}
