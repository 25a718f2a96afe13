/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A regular file is replaced by writing a neighbour, making it durable and renaming it, so
 * that a reader, or the same program after a power failure, never finds half of one, and
 * nobody's link is written through. Other things are written to as they are, if they are
 * pipes or terminals: a slip of the hand that names a disk must not cost its content.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"

#define FIRST_FREE    3
#define READER_TRIES  100
#define READER_WAIT   20000000L /* ns */
#define MAJOR_MEM     1
#define MAJOR_TTY     4
#define MAJOR_TTY_AUX 5
#define MAJOR_PTS     136
#define MAJOR_PTS_END 143

/* By number, because opening some devices does something to them. */
static bool may_be_written(const struct stat *st)
{
	unsigned int major = major(st->st_rdev), minor = minor(st->st_rdev);

	if (!S_ISCHR(st->st_mode))
		return S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode) ||
		       S_ISSOCK(st->st_mode);
	return (major == MAJOR_MEM && (minor == 3 || minor == 7)) || /* null, full */
	       major == MAJOR_TTY || major == MAJOR_TTY_AUX ||
	       (major >= MAJOR_PTS && major <= MAJOR_PTS_END);
}

static int open_descriptor(int given)
{
	int fd = fcntl(given, F_DUPFD_CLOEXEC, FIRST_FREE);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && may_be_written(&st))
		return fd;
	close(fd);
	return -EMEDIUMTYPE;
}

/* Who reads from a pipe may need a moment. */
static int open_writer(const struct dw_place *at)
{
	static const struct timespec wait = { .tv_nsec = READER_WAIT };
	int fd = -1;

	for (int i = 0; fd < 0 && i < READER_TRIES; i++) {
		if (i)
			nanosleep(&wait, NULL);
		fd = openat(at->dir, at->name,
			    O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && (errno != ENXIO || !S_ISFIFO(at->st.st_mode)))
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* A pipe or a terminal, and still the one that was found. */
static int open_special(const struct dw_place *at)
{
	struct stat st;
	int fd;

	if (!may_be_written(&at->st))
		return -EMEDIUMTYPE;
	if (S_ISFIFO(at->st.st_mode) && !dw_file_owned(at->st.st_uid))
		return -EPERM;
	fd = open_writer(at);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && st.st_dev == at->st.st_dev &&
	    st.st_ino == at->st.st_ino && st.st_rdev == at->st.st_rdev &&
	    fcntl(fd, F_SETFL, O_WRONLY) == 0)
		return fd;
	close(fd);
	return -EMEDIUMTYPE;
}

/* As open as the file that is replaced was, never more. */
static int take_over_mode(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!dw_file_owned(old->st_uid))
		mode &= st.st_mode;
	if (st.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid))
		mode &= ~(mode_t)S_IRWXG;
	/* a file system without modes has nothing to keep */
	return fchmod(fd, mode) && errno != EPERM ? -errno : 0;
}

static int create_neighbour(struct dw_output *o, mode_t mode)
{
	uint64_t random;
	int fd, r;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint64_t)getpid();
	if (snprintf(o->temp, sizeof(o->temp), "%s.%016llx", o->at.name,
		     (unsigned long long)random) >= (int)sizeof(o->temp)) {
		o->temp[0] = '\0';
		return -ENAMETOOLONG;
	}
	fd = openat(o->at.dir, o->temp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		r = -errno;
		o->temp[0] = '\0';
		return r;
	}
	r = o->at.exists ? take_over_mode(fd, &o->at.st) : 0;
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

static int show(struct dw_output *o)
{
	if (renameat(o->at.dir, o->temp, o->at.dir, o->at.name) < 0)
		return -errno;
	o->temp[0] = '\0';
	return 0;
}

/* What is not at its name yet goes. */
static void end(struct dw_output *o)
{
	if (o->temp[0])
		unlinkat(o->at.dir, o->temp, 0);
	dw_closep(&o->at.dir);
	*o = (struct dw_output){ .at.dir = -1 };
}

static int open_any(struct dw_output *o, const char *path, mode_t mode, bool regular)
{
	int given = dw_file_descriptor(path), r;

	if (given >= 0)
		return regular ? -EINVAL : open_descriptor(given);
	r = dw_place_find(path, &o->at);
	if (r < 0)
		return regular && r == -EISDIR ? -EINVAL : r;
	if (!o->at.exists || S_ISREG(o->at.st.st_mode))
		return create_neighbour(o, mode);
	return regular ? -EINVAL : open_special(&o->at);
}

static int open_output(struct dw_output *o, const char *path, mode_t mode, bool regular,
		       bool at_once)
{
	int fd, r = 0;

	*o = (struct dw_output){ .at.dir = -1 };
	fd = open_any(o, path, mode, regular);
	if (fd >= 0) {
		o->f = fdopen(fd, "w");
		r = o->f ? 0 : -ENOMEM;
		if (r)
			close(fd);
	} else {
		r = fd;
	}
	if (!r && at_once && o->temp[0])
		r = show(o);
	if (r) {
		if (o->f)
			fclose(o->f);
		end(o);
	}
	return r;
}

int dw_output_open(struct dw_output *o, const char *path, mode_t mode, bool at_once)
{
	return open_output(o, path, mode, false, at_once);
}

int dw_output_close(struct dw_output *o, bool keep)
{
	bool pending = o->temp[0];
	int r = ferror(o->f) ? -EIO : 0;

	errno = 0;
	if (fflush(o->f) || (pending && keep && fsync(fileno(o->f))))
		r = errno ? -errno : -EIO;
	errno = 0;
	if (fclose(o->f) && !r)
		r = errno ? -errno : -EIO;
	if (!r && pending && keep) {
		r = show(o);
		if (!r)
			r = dw_place_sync(&o->at);
	}
	end(o);
	return r;
}

static int write_all(const char *path, const char *text, size_t len, mode_t mode,
		     bool regular)
{
	struct dw_output o;
	int r = open_output(&o, path, mode, regular, false), closed;

	if (r)
		return r;
	errno = 0;
	if (fwrite(text, 1, len, o.f) != len)
		r = errno ? -errno : -EIO;
	closed = dw_output_close(&o, !r);
	return r ? r : closed;
}

int dw_file_check(const char *path)
{
	struct dw_output o;
	int r = open_output(&o, path, 0600, true, false);

	return r ? r : dw_output_close(&o, false);
}

int dw_file_write(const char *path, const char *text, size_t len)
{
	return write_all(path, text, len, 0644, false);
}

int dw_file_replace(const char *path, const char *text, size_t len, mode_t mode)
{
	return write_all(path, text, len, mode, true);
}

int dw_file_secret(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!dw_file_owned(st.st_uid))
		return -EKEYREJECTED;
	return st.st_mode & (S_IRWXG | S_IRWXO) ? -EPERM : 0;
}

static int put_all(int fd, const char *text, size_t len)
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

/* It stands at its name at once, so that of two who make it one is told that it is there. */
int dw_file_make(const char *path, const char *text, size_t len, mode_t mode)
{
	struct dw_place at;
	int r = dw_place_find(path, &at);
	dw_autoclose int dir = r ? -1 : at.dir, fd = -1;

	if (r || at.exists)
		return r ? r : -EEXIST;
	fd = openat(dir, at.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    mode);
	if (fd < 0)
		return -errno;
	r = put_all(fd, text, len);
	if (!r)
		r = dw_place_sync(&at);
	if (r)
		unlinkat(dir, at.name, 0);
	return r;
}
