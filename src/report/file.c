/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A document is replaced by writing a neighbour, making it durable and renaming it, so
 * that a reader, or the same program after a power failure, never finds half of one. What
 * is not a regular file is neither read nor replaced: a slip of the hand that names a disk
 * must not cost its node.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "report/file.h"

static int read_whole(int fd, char *text, size_t len, size_t *ret_len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, text + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	*ret_len = got;
	return 0;
}

/**
 * dw_file_read() - the contents of a small file
 * @path: a regular file
 * @max: largest size in bytes
 * @ret_text: its bytes and a terminating 0; free()
 * @ret_len: how many
 *
 * Return: 0, -EINVAL (not a regular file), -EFBIG, -ENOMEM, or another negative errno.
 */
int dw_file_read(const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	dw_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	size_t len = 0;
	char *text;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > max)
		return -EFBIG;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	r = read_whole(fd, text, (size_t)st.st_size, &len);
	if (r < 0) {
		free(text);
		return r;
	}
	text[len] = '\0';
	*ret_text = text;
	*ret_len = len;
	return 0;
}

static int write_whole(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

/* The file itself when @path is a link to it, so that the link stays. */
static int resolve(const char *path, char real[PATH_MAX])
{
	struct stat st;

	if (realpath(path, real))
		return stat(real, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (errno != ENOENT)
		return -errno;
	if (lstat(path, &st) == 0)
		return -EINVAL; /* a link that leads nowhere */
	return snprintf(real, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int create_neighbour(const char *path, mode_t mode, char name[PATH_MAX])
{
	uint64_t random;
	int fd;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint64_t)getpid();
	if (snprintf(name, PATH_MAX, "%s.%016llx", path, (unsigned long long)random) >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return fd < 0 ? -errno : fd;
}

static int sync_folder(char *path)
{
	dw_autoclose int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/**
 * dw_file_replace() - write a file, all of it or nothing, durable before it returns
 * @path: a regular file, a link to one, or nothing yet
 * @text: the new contents
 * @len: their bytes
 * @mode: permissions, less the umask
 *
 * Return: 0, -EINVAL (not a regular file), or another negative errno: then the old file
 * stands as it was (but for a failure to sync the folder).
 */
int dw_file_replace(const char *path, const char *text, size_t len, mode_t mode)
{
	char real[PATH_MAX], name[PATH_MAX];
	int fd, r;

	r = resolve(path, real);
	if (r < 0)
		return r;
	fd = create_neighbour(real, mode, name);
	if (fd < 0)
		return fd;
	r = write_whole(fd, text, len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(name, real) < 0)
		r = -errno;
	if (r < 0) {
		unlink(name);
		return r;
	}
	return sync_folder(real);
}

int dw_file_close(FILE *f)
{
	bool bad = ferror(f);

	errno = 0;
	if (fclose(f))
		return errno ? -errno : -EIO;
	return bad ? -EIO : 0;
}
