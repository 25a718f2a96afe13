/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How control commands come in. From the machine: RUNDIR/ctl.sock, a line a
 * command. From inside a guest that mounts RUNDIR: a file RUNDIR/ctl/NAME whose
 * text ends with a newline (NAME.tmp is left alone, so that a writer can rename);
 * the answer appears, whole, as RUNDIR/ctl/NAME.out and NAME is gone. The guest's
 * file system writes back late, so NAME must be synced; inotify on the machine's
 * side then sees it at once.
 */
#include "ctl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void drop(struct dw_ctl_conn *k)
{
	int fd = k->src.fd;

	dw_loop_remove(k->ctl->loop, &k->src);
	close(fd);
}

static void answer(struct dw_ctl_conn *k)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f) {
		drop(k);
		return;
	}
	k->ctl->rack->now_ns = dw_loop_now();
	dw_ctl_exec(k->ctl->rack, k->line, f);
	fclose(f);
	if (send(k->src.fd, text, len, MSG_NOSIGNAL) < 0)
		k->n = 0;
	free(text);
	drop(k); /* the end of the answer is the end of the connection */
}

static void readable(void *arg)
{
	struct dw_ctl_conn *k = arg;
	ssize_t n =
		recv(k->src.fd, k->line + k->n, sizeof(k->line) - 1 - k->n, MSG_DONTWAIT);
	char *nl;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		drop(k);
		return;
	}
	k->n += (size_t)n;
	k->line[k->n] = 0;
	nl = strchr(k->line, '\n');
	if (nl) {
		*nl = 0;
		answer(k);
	} else if (k->n == sizeof(k->line) - 1) {
		drop(k);
	}
}

static void accepted(void *arg)
{
	struct timeval patience = { .tv_sec = 2 };
	struct dw_ctl *c = arg;
	int fd = accept4(c->listen.fd, NULL, NULL, SOCK_CLOEXEC);
	size_t i;

	for (i = 0; i < DW_CTL_CONNS && fd >= 0; i++) {
		struct dw_ctl_conn *k = &c->conn[i];

		if (k->src.fd >= 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		*k = (struct dw_ctl_conn){ .ctl = c, .src = { fd, readable, k } };
		if (!dw_loop_add(c->loop, &k->src))
			return;
		k->src.fd = -1;
		break;
	}
	if (fd >= 0)
		close(fd);
}

static bool is_command(const char *name)
{
	size_t n = strlen(name);

	const char *end = name + (n > 4 ? n - 4 : 0);

	return name[0] != '.' && n < 200 && strcmp(end, ".out") != 0 &&
	       strcmp(end, ".tmp") != 0;
}

/* 1 when there is a whole command */
static int slurp(int dir_fd, const char *name, char *line, size_t size)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, line, size - 1);
	close(fd);
	if (n <= 0 || line[n - 1] != '\n')
		return 0;
	line[n - 1] = 0;
	line[strcspn(line, "\n")] = 0;
	return 1;
}

static void one_file(struct dw_ctl *c, const char *name)
{
	char line[8192], tmp[256], out[256];
	FILE *f;
	int fd;

	if (!slurp(c->dir_fd, name, line, sizeof(line)))
		return;
	snprintf(tmp, sizeof(tmp), ".%.200s.tmp", name);
	snprintf(out, sizeof(out), "%.200s.out", name);
	fd = openat(c->dir_fd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return;
	unlinkat(c->dir_fd, name, 0);
	c->rack->now_ns = dw_loop_now();
	dw_ctl_exec(c->rack, line, f);
	fclose(f);
	renameat(c->dir_fd, tmp, c->dir_fd, out);
}

static void scan(struct dw_ctl *c)
{
	struct dirent *e;
	DIR *d;
	int fd = openat(c->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return;
	while ((e = readdir(d)))
		if (is_command(e->d_name))
			one_file(c, e->d_name);
	closedir(d);
}

static void noticed(void *arg)
{
	struct dw_ctl *c = arg;
	char buf[4096];

	while (read(c->notify.fd, buf, sizeof(buf)) > 0)
		;
	scan(c);
}

static int init_socket(struct dw_ctl *c, const char *dir)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd;

	if (snprintf(c->path, sizeof(c->path), "%s/ctl.sock", dir) >=
	    (int)sizeof(c->path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, c->path, sizeof(c->path));
	unlink(c->path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	c->listen = (struct dw_source){ fd, accepted, c };
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 4) < 0)
		return -errno;
	return dw_loop_add(c->loop, &c->listen);
}

static int init_files(struct dw_ctl *c, const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/ctl", dir);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	c->dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (c->dir_fd < 0 || fd < 0)
		return -errno;
	c->notify = (struct dw_source){ fd, noticed, c };
	if (inotify_add_watch(fd, path,
			      IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
		return -errno;
	return dw_loop_add(c->loop, &c->notify);
}

/**
 * dw_ctl_init - listen for control commands
 * @c: control to fill; deinit it even after a failure
 * @l: loop, borrowed
 * @r: enclosure, borrowed
 * @dir: run folder, existing
 *
 * Return: 0 or a negative errno.
 */
int dw_ctl_init(struct dw_ctl *c, struct dw_loop *l, struct dw_rack *r, const char *dir)
{
	size_t i;
	int e;

	memset(c, 0, sizeof(*c));
	c->loop = l;
	c->rack = r;
	c->listen.fd = c->notify.fd = c->dir_fd = -1;
	for (i = 0; i < DW_CTL_CONNS; i++)
		c->conn[i].src.fd = -1;
	e = init_socket(c, dir);
	return e ? e : init_files(c, dir);
}

/**
 * dw_ctl_deinit - close, and remove the socket
 * @c: control
 */
void dw_ctl_deinit(struct dw_ctl *c)
{
	int fds[3] = { c->listen.fd, c->notify.fd, c->dir_fd };
	size_t i;

	for (i = 0; i < DW_CTL_CONNS; i++)
		if (c->conn[i].src.fd >= 0)
			drop(&c->conn[i]);
	dw_loop_remove(c->loop, &c->listen);
	dw_loop_remove(c->loop, &c->notify);
	for (i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	unlink(c->path);
}

static int by_socket(const char *path, const char *line)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), first = 0;
	struct timeval patience = { .tv_sec = 10 };
	char buf[65536];
	ssize_t n;

	if (fd < 0 || strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    dprintf(fd, "%s\n", line) < 0) {
		n = -errno;
		close(fd);
		return (int)n;
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		if (!first)
			first = buf[0];
		fwrite(buf, 1, (size_t)n, stdout);
	}
	close(fd);
	return n < 0 ? -ETIMEDOUT : first == 'o' ? 0 : -EINVAL;
}

static int put_file(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int e = 0;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%s\n", line) < 0 || fsync(fd) < 0)
		e = -errno;
	close(fd);
	return e;
}

static int by_file(const char *dir, const char *line)
{
	char path[4096], out[4200], buf[65536];
	int e, i, first = 0;
	FILE *f = NULL;
	size_t n;

	snprintf(path, sizeof(path), "%s/ctl/c%d", dir, (int)getpid());
	snprintf(out, sizeof(out), "%s.out", path);
	e = put_file(path, line);
	for (i = 0; i < 2000 && !e && !f; i++) {
		f = fopen(out, "re");
		if (!f)
			poll(NULL, 0, 5);
	}
	if (e || !f)
		return e ? e : -ETIMEDOUT;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0) {
		if (!first)
			first = buf[0];
		fwrite(buf, 1, n, stdout);
	}
	fclose(f);
	unlink(out);
	return first == 'o' ? 0 : -EINVAL;
}

/**
 * dw_ctl_client - send one command and print the answer
 * @where: the socket, or the run folder (also from inside a guest)
 * @line: command
 *
 * Return: 0, or a negative errno; -EINVAL when the enclosure says "error".
 */
int dw_ctl_client(const char *where, const char *line)
{
	struct stat st;

	if (stat(where, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? by_file(where, line) : by_socket(where, line);
}
