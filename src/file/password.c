/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file for each disk, for people as well as for programs. Its name is the checksum of what names
 * the disk; what counts is what stands in it.
 */
#include "file/password.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/util.h"
#include "file/file.h"

#define RECORD_MAX 1024

/* What the record of a disk begins with; a line each. Of which disk the rest is. */
static int name_lines(const struct dw_disk_info *info, char *buf, size_t size)
{
	if (!info->serial[0] && !info->wwn[0])
		return -EINVAL;
	snprintf(buf, size, "diskwipe-password 1\nserial %s\nwwn %s\n", info->serial,
		 info->wwn);
	return 0;
}

static int record_path(const struct dw_disk_info *info, char *path, size_t size)
{
	char names[RECORD_MAX];
	int r = name_lines(info, names, sizeof(names));

	if (!r)
		snprintf(path, size, DW_PASSWORD_FOLDER "/%016" PRIx64,
			 dw_crc64(names, strlen(names)));
	return r;
}

/* what was done in the folder is durable */
static int sync_folder(const char *path)
{
	dw_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* each folder, and that it is in the one above */
static int make_folders(void)
{
	static const char *const folders[] = { "/var", "/var/lib", "/var/lib/diskwipe",
					       DW_PASSWORD_FOLDER };
	int r = 0;

	for (size_t i = 1; i < DW_ARRAY_SIZE(folders) && !r; i++) {
		if (!mkdir(folders[i], 0700))
			r = sync_folder(folders[i - 1]);
		else if (errno != EEXIST)
			r = -errno;
	}
	return r;
}

int dw_password_store(const struct dw_disk_info *info)
{
	char text[RECORD_MAX], path[PATH_MAX], now[32] = "";
	time_t t = time(NULL);
	struct tm tm;
	size_t n;
	int r = name_lines(info, text, sizeof(text));

	if (!r)
		r = record_path(info, path, sizeof(path));
	if (!r)
		r = make_folders();
	if (r)
		return r;
	if (gmtime_r(&t, &tm))
		strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &tm);
	n = strlen(text);
	snprintf(text + n, sizeof(text) - n, "model %s\ntime %s\npassword diskwipe\n",
		 info->model, now);
	return dw_file_replace(path, text, strlen(text), 0600);
}

bool dw_password_known(const struct dw_disk_info *info)
{
	char names[RECORD_MAX], path[PATH_MAX];
	dw_autofree char *text = NULL;
	size_t len;

	return !name_lines(info, names, sizeof(names)) &&
	       !record_path(info, path, sizeof(path)) &&
	       !dw_file_read(path, RECORD_MAX, &text, &len) && len >= strlen(names) &&
	       !memcmp(text, names, strlen(names));
}

int dw_password_forget(const struct dw_disk_info *info)
{
	char path[PATH_MAX];
	int r = record_path(info, path, sizeof(path));

	if (r)
		return r;
	if (unlink(path))
		return errno == ENOENT ? 0 : -errno;
	return sync_folder(DW_PASSWORD_FOLDER);
}
