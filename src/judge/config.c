/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The configuration files, by inih. A table says which keys exist; anything else stops
 * the program with file and line.
 */
#include "diskwipe/config.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/util.h"
#include "judge/protect.h"
#include "judge/verdict.h"
#include "file/file.h"

#define DEFAULT_PATH "/etc/diskwipe/diskwipe.conf"

struct dw_config {
	char **protect;
	size_t n_protect;
};

struct config_reading {
	struct dw_config *c;
	FILE *f;
	char what[100];
};

static int append_protected(struct dw_config *c, const char *item)
{
	char **v = reallocarray(c->protect, c->n_protect + 2, sizeof(*v));

	if (!v)
		return -ENOMEM;
	c->protect = v;
	v[c->n_protect + 1] = NULL;
	v[c->n_protect] = strdup(item);
	return v[c->n_protect++] ? 0 : -ENOMEM;
}

static int take_item(struct config_reading *r, char *item)
{
	const char *wrong;
	size_t n;

	item += strspn(item, " \t");
	n = strlen(item);
	while (n && (item[n - 1] == ' ' || item[n - 1] == '\t'))
		n--;
	item[n] = '\0';
	if (!n)
		return 0;
	wrong = dw_protect_check(item);
	if (!wrong)
		return append_protected(r->c, item);
	snprintf(r->what, sizeof(r->what), "%.40s: %s", item, wrong);
	return -EINVAL;
}

/* Items are separated by commas; the key may be repeated. */
static int take_protect(struct config_reading *reading, const char *value)
{
	dw_autofree char *copy = strdup(value);
	char *save, *item;
	int r = copy ? 0 : -ENOMEM;

	for (item = copy ? strtok_r(copy, ",", &save) : NULL; item && !r;
	     item = strtok_r(NULL, ",", &save))
		r = take_item(reading, item);
	return r;
}

static const struct key {
	const char *section;
	const char *name;
	int (*take)(struct config_reading *r, const char *value);
} keys[] = {
	{ "safety", "protect", take_protect },
};

static int handle(void *user, const char *section, const char *name, const char *value)
{
	struct config_reading *r = user;
	bool known_section = false;

	if (r->what[0]) /* what is said first is what counts */
		return 0;
	for (size_t i = 0; i < DW_ARRAY_SIZE(keys); i++) {
		if (strcmp(section, keys[i].section))
			continue;
		known_section = true;
		if (strcmp(name, keys[i].name))
			continue;
		if (!keys[i].take(r, value))
			return 1;
		if (!r->what[0])
			snprintf(r->what, sizeof(r->what), "out of memory");
		return 0;
	}
	if (known_section)
		snprintf(r->what, sizeof(r->what), "unknown key %.60s", name);
	else
		snprintf(r->what, sizeof(r->what), "unknown section [%.60s]", section);
	return 0;
}

/* A list that anybody may shorten protects nothing. */
static int check_trust(int fd, const char *path, struct dw_error *err)
{
	char mend[128], reason[sizeof(mend) + 48];
	struct stat st;
	bool foreign, open_to_all;

	if (fstat(fd, &st))
		return -errno;
	foreign = !dw_file_owned(st.st_uid);
	open_to_all = st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && st.st_gid != 0);
	if (geteuid() != 0 || S_ISCHR(st.st_mode) || !(foreign || open_to_all))
		return 0;
	dw_shell_command(foreign ? "chown root" : "chmod go-w", path, mend, sizeof(mend));
	snprintf(reason, sizeof(reason), "%s; to mend it: %s",
		 foreign ? "owned by another user" : "writable by others", mend);
	return dw_error_file(err, -EPERM, path, reason);
}

static char *read_line(char *buf, int size, void *user)
{
	struct config_reading *r = user;
	size_t n;

	if (r->what[0] || !fgets(buf, size, r->f))
		return NULL;
	n = strlen(buf);
	if (n + 1 == (size_t)size && buf[n - 1] != '\n')
		snprintf(r->what, sizeof(r->what),
			 "the line is too long; a key may be repeated");
	return buf;
}

static int parse_config(struct config_reading *r, const char *path, struct dw_error *err)
{
	int line = ini_parse_stream(read_line, r, handle, r);

	if (!line && ferror(r->f))
		line = -1;
	if (!line && !r->what[0])
		return 0;
	if (line < 0)
		return dw_error_file(err, -EINVAL, path, "cannot be read");
	dw_error_content(err, NULL, "%s", r->what[0] ? r->what : "not understood");
	dw_error_in(err, path, (uint64_t)line);
	return -EINVAL;
}

static int read_file(struct dw_config *c, const char *path, struct dw_error *err)
{
	struct config_reading reading = { .c = c };
	int fd = dw_file_open(path, false), r;

	if (fd < 0)
		return dw_error_file(err, fd, path, dw_file_error(fd));
	r = check_trust(fd, path, err);
	reading.f = r ? NULL : fdopen(fd, "r");
	if (!reading.f) {
		close(fd);
		return r ? r : -ENOMEM;
	}
	r = parse_config(&reading, path, err);
	fclose(reading.f);
	return r;
}

static int is_conf(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".conf");
}

static int read_folder(struct dw_config *c, const char *dir, struct dw_error *err)
{
	struct dirent **names;
	char path[PATH_MAX];
	int n = scandir(dir, &names, is_conf, alphasort), r = 0;

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return dw_error_file(err, -errno, dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!r && snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name) <
				  (int)sizeof(path))
			r = read_file(c, path, err);
		free(names[i]);
	}
	free(names);
	return r;
}

int dw_config_load(const char *path, struct dw_config **ret, struct dw_error *err)
{
	struct dw_config *c = calloc(1, sizeof(*c));
	char dir[PATH_MAX];
	int r;

	dw_error_clear(err);
	if (!c)
		return dw_error_system(err, -ENOMEM, NULL);
	r = read_file(c, path ? path : DEFAULT_PATH, err);
	if (r == -ENOENT && !path)
		r = 0;
	snprintf(dir, sizeof(dir), "%s.d", path ? path : DEFAULT_PATH);
	if (!r)
		r = read_folder(c, dir, err);
	if (r) {
		dw_config_free(c);
		return dw_error_system(err, r, NULL);
	}
	dw_error_clear(err); /* of a file that need not be there */
	*ret = c;
	return 0;
}

void dw_config_free(struct dw_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_protect; i++)
		free(c->protect[i]);
	free(c->protect);
	free(c);
}

bool dw_config_protects(const char *entry, const struct dw_disk_info *info)
{
	return dw_protect_means(&dw_machine_self, entry, info);
}

const char *const *dw_config_protect(const struct dw_config *c)
{
	static const char *const none[] = { NULL };

	return c->protect ? (const char *const *)c->protect : none;
}
