/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes are one line each and small, folders are links into one device tree: a
 * handful of helpers is all that a reader of sysfs needs.
 */
#include "device/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <diskwipe/units.h>

#include "base/util.h"

const struct dw_machine dw_machine_self = {
	.sys = "/sys", .proc = "/proc", .dev = "/dev", .etc = "/etc", .live = true
};

int dw_path(char ret[PATH_MAX], const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(ret, PATH_MAX, format, ap);
	va_end(ap);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

const char *dw_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void dw_path_parent(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

static void trim(char *s)
{
	size_t n = strcspn(s, "\n"), skip;

	while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	s[n] = '\0';
	skip = strspn(s, " \t");
	memmove(s, s + skip, n - (skip < n ? skip : n) + 1);
}

static _Thread_local int starved;

int dw_sysfs_starved(void)
{
	int r = starved;

	starved = 0;
	return r;
}

/* errno of an open that failed */
static int not_opened(void)
{
	if (dw_lacks_room(-errno))
		starved = -errno;
	return -errno;
}

int dw_sysfs_text(const char *dir, const char *attr, char *ret, size_t len)
{
	char path[PATH_MAX];
	dw_autoclose int fd = -1;
	ssize_t n;
	int r;

	ret[0] = '\0';
	r = dw_path(path, "%s/%s", dir, attr);
	if (r)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return not_opened();
	n = read(fd, ret, len - 1);
	if (n < 0) {
		ret[0] = '\0';
		return -errno;
	}
	ret[n] = '\0';
	trim(ret);
	dw_text_printable(ret);
	return 0;
}

bool dw_sysfs_u64(const char *dir, const char *attr, uint64_t *ret)
{
	char text[32], *end;
	uint64_t value;

	if (dw_sysfs_text(dir, attr, text, sizeof(text)) || !text[0] || text[0] == '-')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}

dev_t dw_sysfs_dev(const char *dir)
{
	char text[32];
	unsigned int major, minor;

	if (dw_sysfs_text(dir, "dev", text, sizeof(text)) ||
	    sscanf(text, "%u:%u", &major, &minor) != 2)
		return 0;
	return makedev(major, minor);
}

bool dw_sysfs_has(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return !dw_path(path, "%s/%s", dir, name) && !access(path, F_OK);
}

int dw_sysfs_write(const char *dir, const char *attr, uint64_t value)
{
	char path[PATH_MAX], text[24];
	dw_autoclose int fd = -1;
	int r, n;

	r = dw_path(path, "%s/%s", dir, attr);
	if (r)
		return r;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%" PRIu64, value);
	return write(fd, text, (size_t)n) == n ? 0 : -errno;
}

/* The kernel's link is relative to a folder without links, and names no other link: it is read,
 * where realpath() would look at each folder on the way. */
int dw_sysfs_real(const struct dw_machine *m, bool block, dev_t dev, char ret[PATH_MAX])
{
	static const char up[] = "../../";
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t n;
	int r = dw_path(path, "%s/dev/%s/%u:%u", m->sys, block ? "block" : "char",
			major(dev), minor(dev));

	if (r)
		return r;
	n = m->live ? readlink(path, link, sizeof(link) - 1) : -1;
	if (n > 0) {
		link[n] = '\0';
		if (!strncmp(link, up, sizeof(up) - 1))
			return dw_path(ret, "%s/%s", m->sys, link + sizeof(up) - 1);
	}
	if (!realpath(path, ret))
		return errno == ENOENT ? -ENODEV : -errno;
	return 0;
}

struct first {
	const char *prefix;
	char *ret;
	size_t len;
};

static int first_entry(void *ctx, const char *dir, const char *name)
{
	struct first *f = ctx;

	if (strncmp(name, f->prefix, strlen(f->prefix)) || strlen(name) >= f->len)
		return 0;
	strcpy(f->ret, name);
	return 1;
}

bool dw_sysfs_first(const char *dir, const char *prefix, char *ret, size_t len)
{
	struct first f = { .prefix = prefix, .ret = ret, .len = len };

	ret[0] = '\0';
	return dw_sysfs_each(dir, first_entry, &f) == 1;
}

/* Not every file system says it with the name. */
static bool is_folder(const char *dir, const struct dirent *e)
{
	char path[PATH_MAX];
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return !dw_path(path, "%s/%s", dir, e->d_name) && !lstat(path, &st) &&
	       S_ISDIR(st.st_mode);
}

static int each(const char *dir, bool folders,
		int (*fn)(void *ctx, const char *dir, const char *name), void *ctx)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	int r = 0;

	if (!d)
		return not_opened();
	while (!r && (e = readdir(d)))
		if (e->d_name[0] != '.' && (!folders || is_folder(dir, e)))
			r = fn(ctx, dir, e->d_name);
	closedir(d);
	return r;
}

int dw_sysfs_each(const char *dir,
		  int (*fn)(void *ctx, const char *dir, const char *name), void *ctx)
{
	return each(dir, false, fn, ctx);
}

int dw_sysfs_each_folder(const char *dir,
			 int (*fn)(void *ctx, const char *dir, const char *name),
			 void *ctx)
{
	return each(dir, true, fn, ctx);
}
