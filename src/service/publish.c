/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other users may own the folder: what they have put in the way is removed, and never written
 * through.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "publish.h"

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		len -= (size_t)n;
	}
	return fchmod(fd, 0644) < 0 ? -errno : 0;
}

int publish_file(const char *path, const char *text, size_t len)
{
	char new[PATH_MAX];
	int fd, r;

	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		return -ENAMETOOLONG;
	if (unlink(new) < 0 && errno == EISDIR)
		rmdir(new);
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_all(fd, text, len);
	if (close(fd) < 0 && !r)
		r = -errno;
	if (!r && rename(new, path) < 0)
		r = -errno;
	if (r)
		unlink(new);
	return r;
}
