/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

/* Nobody could have changed @other who could not change this program, @own, as well. */
static bool as_safe(const struct stat *own, const struct stat *other)
{
	if (other->st_uid != 0 && other->st_uid != own->st_uid)
		return false;
	if (other->st_mode & S_IWOTH)
		return false;
	return !(other->st_mode & S_IWGRP) ||
	       (own->st_mode & S_IWGRP && own->st_gid == other->st_gid);
}

/* Whoever can write to a folder could have replaced this program in it, unless the folder is one
 * like /tmp, where everybody adds files and changes none of others. */
static bool folder_is_safe(const struct stat *own, const struct stat *folder)
{
	struct stat st = *folder;

	if (!(st.st_mode & S_ISVTX))
		st.st_mode &= ~(mode_t)S_IWGRP;
	return as_safe(own, &st);
}

/* @path: first the folder of this program, then its neighbour. 0 or negative errno. */
static int look_beside(const char *name, char path[PATH_MAX])
{
	struct stat own, folder, other;
	ssize_t len = readlink(SELF, path, PATH_MAX - 1);
	size_t at;

	if (len < 0 || stat(SELF, &own))
		return -errno;
	path[len] = '\0';
	at = (size_t)(strrchr(path, '/') - path) + 1;
	path[at] = '\0';
	if (stat(path, &folder))
		return -errno;
	if (snprintf(path + at, PATH_MAX - at, "%s", name) >= (int)(PATH_MAX - at))
		return -ENAMETOOLONG;
	if (stat(path, &other))
		return -errno;
	if (!folder_is_safe(&own, &folder) || !as_safe(&own, &other))
		return -EPERM;
	if (!S_ISREG(other.st_mode))
		return -EACCES;
	return access(path, X_OK) ? -errno : 0;
}

/*
 * Where it is, if it can be run and nobody can have put it there who could not change diskwipe
 * itself as well: 0 with its absolute path, or -1 with why, and what to do, in @path.
 */
static int find_program(const struct cli_program *p, char path[PATH_MAX])
{
	char where[CLI_QUOTED];
	int r = look_beside(p->name, path);

	if (!r)
		return 0;
	cli_quote(path, where);
	if (r == -ENOENT)
		snprintf(path, PATH_MAX,
			 "%s %s, which is not at %.3000s: install the package %s",
			 p->what, p->name, where, p->package);
	else if (r == -EPERM)
		snprintf(
			path, PATH_MAX,
			"%s %s, and others could have changed %.3000s or its folder: it is not run",
			p->what, p->name, where);
	else
		snprintf(path, PATH_MAX, "%s %s, and %.3000s cannot be run: %s", p->what,
			 p->name, where, strerror(-r));
	return -1;
}

int cli_program_exec(struct cli *c, const struct cli_program *p, const char **argv)
{
	char path[PATH_MAX];

	if (find_program(p, path))
		return cli_fail(c, CLI_EXIT_USAGE, "%s", path);
	argv[0] = p->name;
	signal(SIGPIPE, SIG_DFL); /* what this program ignores is not for others */
	signal(SIGXFSZ, SIG_DFL);
	execv(path, (char *const *)argv);
	return cli_fail(c, CLI_EXIT_USAGE, "%s cannot be run: %s", path, strerror(errno));
}

/* A file without a name that has @text, to be read from its beginning. */
static int open_input(const char *text)
{
	size_t len = text ? strlen(text) : 0, done = 0;
	int fd = text ? memfd_create("diskwipe", MFD_CLOEXEC)
		      : open("/dev/null", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && done < len) {
		ssize_t n = write(fd, text + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	if (fd >= 0 && text)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* What it reports, up to its last line, which is kept. */
static void hear(int fd, char line[CLI_PROGRAM_TEXT])
{
	char text[4096];
	size_t len = 0;
	bool over = false;
	ssize_t n;

	line[0] = '\0';
	while ((n = read(fd, text, sizeof(text))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		for (ssize_t i = 0; i < n; i++) {
			if (over && text[i] != '\n')
				len = 0;
			over = text[i] == '\n';
			if (!over && len < CLI_PROGRAM_TEXT - 1)
				line[len++] = text[i];
			line[len] = '\0';
		}
	}
}

static int spawn(const char *path, const char **argv, int input, int output, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = posix_spawnattr_init(&attr);
	if (r) {
		posix_spawn_file_actions_destroy(&files);
		return r;
	}
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	sigaddset(&usual, SIGCHLD);
	r = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO) ?:
	    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO) ?:
	    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO) ?:
	    posix_spawnattr_setsigmask(&attr, &none) ?:
	    posix_spawnattr_setsigdefault(&attr, &usual) ?:
	    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) ?:
	    posix_spawn(ret, path, &files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return r;
}

/* How it ended, if not well, before what it reported. */
static int judge(const struct cli_program *p, int status, char reported[CLI_PROGRAM_TEXT])
{
	char printed[CLI_PROGRAM_TEXT];
	size_t len = strlen(p->name);

	snprintf(printed, sizeof(printed), "%s", reported);
	if (!strncmp(printed, p->name, len) && !strncmp(printed + len, ": ", 2))
		memmove(printed, printed + len + 2, strlen(printed + len + 2) + 1);
	if (!status || (WIFEXITED(status) && WEXITSTATUS(status) == 1 && printed[0]))
		snprintf(reported, CLI_PROGRAM_TEXT, "%s", printed);
	else if (WIFSIGNALED(status))
		snprintf(reported, CLI_PROGRAM_TEXT, "%s was ended by signal %d (%s)",
			 p->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(reported, CLI_PROGRAM_TEXT,
			 "%s ended with exit status %d%s%.500s", p->name,
			 WEXITSTATUS(status), printed[0] ? ": " : "", printed);
	return status ? -1 : 0;
}

/* 0 with @ret_status, or an errno. */
static int run(const char *path, const char **argv, int input,
	       char reported[CLI_PROGRAM_TEXT], int *ret_status)
{
	int ends[2], r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit status with it */
	r = spawn(path, argv, input, ends[1], &pid);
	close(ends[1]);
	if (!r)
		hear(ends[0], reported);
	close(ends[0]);
	while (!r && waitpid(pid, ret_status, 0) < 0)
		r = errno == EINTR ? 0 : errno;
	return r;
}

int cli_program_run(const struct cli_program *p, const char **argv, const char *input,
		    char reported[CLI_PROGRAM_TEXT])
{
	char path[PATH_MAX];
	int fd, r, status = 0;

	if (find_program(p, path)) {
		snprintf(reported, CLI_PROGRAM_TEXT, "%.*s", CLI_PROGRAM_TEXT - 1, path);
		return -1;
	}
	argv[0] = p->name;
	fd = open_input(input);
	r = fd < 0 ? errno : run(path, argv, fd, reported, &status);
	if (fd >= 0)
		close(fd);
	if (!r)
		return judge(p, status, reported);
	snprintf(reported, CLI_PROGRAM_TEXT, "%s cannot be run: %s", p->name,
		 strerror(r));
	return -1;
}
