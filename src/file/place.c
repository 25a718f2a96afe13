/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way to a file, step by step. Each folder and each link is opened before it is judged, so
 * that nobody can exchange it afterwards; the kernel's own rule on links in sticky folders may
 * be switched off, and knows the last step only.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"

#define LINKS_MAX 40

struct place_walk {
	struct dw_place *at;
	char rest[PATH_MAX];
	int links;
	bool last_is_link;
};

bool dw_file_owned(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static void go_to(struct dw_place *p, int *fd)
{
	dw_closep(&p->dir);
	p->dir = *fd;
	*fd = -1;
}

static int follow(struct place_walk *w, int link, uid_t owner)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	dw_autoclose int root = -1;

	if (n < 0)
		return -errno;
	if (!dw_file_owned(owner) || ++w->links > LINKS_MAX)
		return -ELOOP;
	target[n] = '\0';
	w->last_is_link |= !w->rest[0];
	if (snprintf(joined, sizeof(joined), "%s%s%s", target, w->rest[0] ? "/" : "",
		     w->rest) >= (int)sizeof(joined))
		return -ENAMETOOLONG;
	memcpy(w->rest, joined, strlen(joined) + 1);
	if (target[0] != '/')
		return 0;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	go_to(w->at, &root);
	return 0;
}

/* The next component into at->name; false at the end. */
static int take_name(struct place_walk *w, bool *ret_last)
{
	const char *begin = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(begin, "/");

	if (!len)
		return -EISDIR;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(w->at->name, begin, len);
	w->at->name[len] = '\0';
	*ret_last = !begin[len];
	memmove(w->rest, begin + len, strlen(begin + len) + 1);
	return 0;
}

/* 1 while there is more to go. */
static int step(struct place_walk *w)
{
	struct dw_place *at = w->at;
	dw_autoclose int fd = -1;
	bool last;
	int r = take_name(w, &last);

	if (r)
		return r;
	fd = openat(at->dir, at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && last)
		return w->last_is_link ? -ENOLINK : 0;
	if (fd < 0 || fstat(fd, &at->st))
		return -errno;
	if (S_ISLNK(at->st.st_mode)) {
		r = follow(w, fd, at->st.st_uid);
		return r ? r : 1;
	}
	if (S_ISDIR(at->st.st_mode)) {
		go_to(at, &fd);
		return last ? -EISDIR : 1;
	}
	at->exists = true;
	return last ? 0 : -ENOTDIR;
}

int dw_place_find(const char *path, struct dw_place *ret)
{
	struct place_walk w = { .at = ret };
	int r = 1;

	*ret = (struct dw_place){ .dir = -1 };
	if (!path[0])
		return -ENOENT;
	if (snprintf(w.rest, sizeof(w.rest), "%s", path) >= (int)sizeof(w.rest))
		return -ENAMETOOLONG;
	ret->dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret->dir < 0)
		return -errno;
	while (r > 0)
		r = step(&w);
	if (r < 0) {
		dw_closep(&ret->dir);
		ret->dir = -1;
	}
	return r;
}

int dw_place_sync(const struct dw_place *p)
{
	dw_autoclose int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}
