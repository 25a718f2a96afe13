/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records out of a fleet's ledger. This program speaks to no network: diskwipe-ledger does, and
 * makes folders of chains, which are then checked as any other folder is.
 */
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"
#include "print/checked.h"
#include "proof/proof.h"

#define PROGRAM     "diskwipe-ledger"
#define OPTIONS_MAX 8

extern char **environ;

/* Beside the program that runs: whoever could put it there could have changed that as well. */
static int find_program(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (len < 0)
		return -errno;
	path[len] = '\0';
	slash = strrchr(path, '/');
	if ((size_t)(slash + 1 - path) + sizeof(PROGRAM) > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(slash + 1, PROGRAM, sizeof(PROGRAM));
	return access(path, X_OK) ? -errno : 0;
}

static int run(const char *path, char *const *argv)
{
	int status, r;
	pid_t pid;

	r = posix_spawn(&pid, path, NULL, NULL, argv, environ);
	if (r)
		return -r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EPIPE;
}

/* "--serial=..." and so on; what is not said has no option. */
static int make_options(const struct dw_paper_selection *s, char *option[OPTIONS_MAX])
{
	const struct {
		const char *name;
		const char *value;
	} all[] = {
		{ "signers", s->signers },
		{ "serial", s->serial },
		{ "label", s->label },
		{ "customer", s->customer },
		{ "order", s->order },
		{ "asset", s->asset },
		{ "operator", s->operator_name },
	};
	size_t n = 0;

	_Static_assert(DW_ARRAY_SIZE(all) < OPTIONS_MAX, "each and NULL");
	for (size_t i = 0; i < DW_ARRAY_SIZE(all); i++) {
		if (!all[i].value)
			continue;
		if (asprintf(&option[n], "--%s=%s", all[i].name, all[i].value) < 0) {
			option[n] = NULL;
			return -ENOMEM;
		}
		n++;
	}
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static int list_folders(const char *dir, char ***ret, size_t *ret_n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int r = 0;

	if (!d)
		return -errno;
	while (!r && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		r = dw_grow(ret, *ret_n, *ret_n + 1, sizeof(**ret));
		if (r)
			break;
		(*ret)[*ret_n] = dw_ledger_path(dir, e->d_name);
		r = (*ret)[*ret_n] ? 0 : -ENOMEM;
		*ret_n += !r;
	}
	closedir(d);
	if (*ret_n)
		qsort(*ret, *ret_n, sizeof(**ret), compare_paths);
	return r;
}

int dw_paper_fetch(const char *database, const struct dw_paper_selection *s,
		   const char *dir, char ***ret, size_t *ret_n, struct dw_error *err)
{
	char path[PATH_MAX], *option[OPTIONS_MAX] = { NULL }, *argv[OPTIONS_MAX + 6];
	size_t n = 0;
	int r;

	*ret = NULL;
	*ret_n = 0;
	r = find_program(path);
	if (r)
		return dw_error_file(err, r, path,
				     r == -ENOENT ? "install the package diskwipe-ledger"
						  : strerror(-r));
	r = make_options(s, option);
	argv[n++] = (char *)PROGRAM;
	argv[n++] = (char *)"fetch";
	for (size_t i = 0; option[i]; i++)
		argv[n++] = option[i];
	argv[n++] = (char *)"--";
	argv[n++] = (char *)database;
	argv[n++] = (char *)dir;
	argv[n] = NULL;
	if (!r)
		r = run(path, argv);
	for (size_t i = 0; option[i]; i++)
		free(option[i]);
	if (!r)
		r = list_folders(dir, ret, ret_n);
	if (r < 0)
		return dw_error_system(err, r, PROGRAM);
	return r;
}

char *dw_paper_scratch(void)
{
	return dw_scratch_new();
}

void dw_paper_scratch_free(char *dir)
{
	dw_scratch_free(dir);
}

void dw_paper_fetched_free(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}
