/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is read is looked at before it is opened, and again afterwards: opening a device can do
 * something to it, and opening a pipe that nobody writes to never ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"

#define FIRST_FREE 3
#define READ_STEP  65536

int dw_file_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(path, names[i]))
			return i;
	for (size_t i = 0; i < DW_ARRAY_SIZE(folders); i++) {
		const char *n = path + strlen(folders[i]);
		size_t digits;

		if (strncmp(path, folders[i], strlen(folders[i])) != 0)
			continue;
		digits = strspn(n, "0123456789");
		if (digits && digits < 9 && !n[digits])
			return (int)strtol(n, NULL, 10);
	}
	return -1;
}

static bool is_plain(const struct stat *st)
{
	return S_ISREG(st->st_mode) ||
	       (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3)); /* /dev/null */
}

static bool is_stream(int fd, const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) ||
	       (S_ISCHR(st->st_mode) && isatty(fd));
}

static int open_plain(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -errno;
	if (!is_plain(&st))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int dw_file_open(const char *path, bool streams)
{
	int given = streams ? dw_file_descriptor(path) : -1, fd;
	struct stat st;

	fd = given < 0 ? open_plain(path) : fcntl(given, F_DUPFD_CLOEXEC, FIRST_FREE);
	if (fd < 0)
		return given < 0 ? fd : -errno;
	if (fstat(fd, &st) == 0 && (is_plain(&st) || (given >= 0 && is_stream(fd, &st))))
		return fd;
	close(fd);
	return -EINVAL;
}

/* Up to @max bytes and a final 0. */
static int read_whole(int fd, size_t max, char **text, size_t *ret_len)
{
	size_t got = 0, size = 0;
	ssize_t n = 1;

	while (n) {
		if (size - got < 2) {
			char *more;

			size = dw_min_u64(size ? 2 * size : READ_STEP, max + 2);
			more = size - got < 2 ? NULL : realloc(*text, size);
			if (!more)
				return size - got < 2 ? -EFBIG : -ENOMEM;
			*text = more;
		}
		n = read(fd, *text + got, size - got - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		got += (size_t)n;
	}
	(*text)[got] = '\0';
	*ret_len = got;
	return 0;
}

int dw_file_read(const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	dw_autoclose int fd = dw_file_open(path, true);
	char *text = NULL;
	int r;

	if (fd < 0)
		return fd;
	r = read_whole(fd, max, &text, ret_len);
	if (r < 0)
		free(text);
	else
		*ret_text = text;
	return r;
}

const char *dw_file_error(int r)
{
	switch (-r) {
	case EINVAL:
		return "not a regular file";
	case ELOOP:
		return "the way to it leads over a link of another user; name the file itself";
	case ENOLINK:
		return "a link that leads nowhere";
	case EMEDIUMTYPE:
		return "a device; a regular file, a pipe or a terminal can be written";
	case ENXIO:
		return "nobody reads from this pipe";
	default:
		return strerror(-r);
	}
}
