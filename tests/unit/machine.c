/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorded machines: one line per entry, a path, a tab, then "=content" or ">target".
 */
#include "machine.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

void machine_new(struct machine *t)
{
	/* short: a message leaves out a command whose path is long */
	assert_non_null(mkdtemp(scratch_name(t->root, sizeof(t->root), "m")));
	snprintf(t->sys, sizeof(t->sys), "%s/sys", t->root);
	snprintf(t->proc, sizeof(t->proc), "%s/proc", t->root);
	snprintf(t->dev, sizeof(t->dev), "%s/dev", t->root);
	snprintf(t->etc, sizeof(t->etc), "%s/etc", t->root);
	assert_int_equal(0, mkdir(t->sys, 0700));
	assert_int_equal(0, mkdir(t->proc, 0700));
	t->m = (struct dw_machine){
		.sys = t->sys, .proc = t->proc, .dev = t->dev, .etc = t->etc
	};
}

static char *full_path(struct machine *t, const char *path, char *ret)
{
	assert_int_equal(0, dw_path(ret, "%s/%s", t->root, path));
	return ret;
}

static void make_folders(struct machine *t, char *path)
{
	for (char *p = path + strlen(t->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

void machine_file(struct machine *t, const char *path, const char *content)
{
	char full[PATH_MAX];
	FILE *f = fopen(full_path(t, path, full), "w");

	if (!f) {
		make_folders(t, full);
		f = fopen(full, "w");
	}
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

void machine_link(struct machine *t, const char *path, const char *target)
{
	char full[PATH_MAX];

	unlink(full_path(t, path, full));
	if (!symlink(target, full))
		return;
	make_folders(t, full);
	assert_int_equal(0, symlink(target, full));
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\') {
			s++;
			*to++ = *s == 'n' ? '\n' : *s;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

void machine_load(struct machine *t, const char *name)
{
	const char *data = getenv("DW_TEST_DATA");
	char path[PATH_MAX], *line = NULL, *value;
	size_t size = 0;
	FILE *f;

	assert_int_equal(
		0, dw_path(path, "%s/machines/%s", data ? data : "tests/data", name));
	f = fopen(path, "r");
	assert_non_null(f);
	while (getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		value = strchr(line, '\t');
		assert_non_null(value);
		*value++ = '\0';
		unescape(value);
		if (*value == '>')
			machine_link(t, line, value + 1);
		else
			machine_file(t, line, value + 1);
	}
	free(line);
	fclose(f);
}

/* The way up from a folder that many levels below the root of the tree. */
static const char *up(const char *path, char *ret)
{
	ret[0] = '\0';
	for (; (path = strchr(path, '/')); path++)
		strcat(ret, "../");
	return ret;
}

static void link_to(struct machine *t, const char *dir, const char *place,
		    const char *name)
{
	char link[PATH_MAX], target[PATH_MAX], ups[256];

	assert_int_equal(0, dw_path(link, "%s/%s", place, name));
	assert_int_equal(0, dw_path(target, "%s%s", up(link, ups), dir));
	machine_link(t, link, target);
}

static void attribute(struct machine *t, const char *dir, const char *name,
		      const char *text)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "%s/%s", dir, name));
	machine_file(t, path, text);
}

static void add_block(struct machine *t, const char *dir, const char *name,
		      const char *dev)
{
	attribute(t, dir, "dev", dev);
	attribute(t, dir, "size", "2048");
	attribute(t, dir, "queue/logical_block_size", "512");
	attribute(t, dir, "queue/physical_block_size", "4096");
	link_to(t, dir, "sys/class/block", name);
	link_to(t, dir, "sys/dev/block", dev);
}

void machine_block(struct machine *t, const char *dir, const char *dev)
{
	char full[PATH_MAX];

	assert_int_equal(0, dw_path(full, "sys/devices/%s", dir));
	add_block(t, full, dw_path_base(dir), dev);
}

void machine_scsi(struct machine *t, const struct machine_disk *d, char *ret_dir)
{
	char path[PATH_MAX], host[PATH_MAX], target[32];

	snprintf(target, sizeof(target), "%s", d->address);
	*strrchr(target, ':') = '\0';
	assert_int_equal(0, dw_path(ret_dir, "sys/devices/%s%s/target%s/%s", d->host_path,
				    d->middle, target, d->address));
	attribute(t, ret_dir, "vendor", d->vendor);
	attribute(t, ret_dir, "model", d->model);
	attribute(t, ret_dir, "rev", "0001");
	attribute(t, ret_dir, "type", d->type);
	assert_int_equal(0, dw_path(path, "%s/scsi_device/%s", ret_dir, d->address));
	attribute(t, path, "power", "");
	link_to(t, path, "sys/class/scsi_device", d->address);
	assert_int_equal(0,
			 dw_path(path, "%s/scsi_device/%s/device", ret_dir, d->address));
	assert_int_equal(0, dw_path(host, "../../../%s", d->address));
	machine_link(t, path, host);
	assert_int_equal(0, dw_path(host, "sys/devices/%s/scsi_host/%s", d->host_path,
				    dw_path_base(d->host_path)));
	attribute(t, host, "proc_name", d->driver);
	link_to(t, host, "sys/class/scsi_host", dw_path_base(d->host_path));
	if (d->sg) {
		assert_int_equal(0, dw_path(path, "%s/scsi_generic/%s", ret_dir, d->sg));
		attribute(t, path, "dev", d->sg_dev);
		link_to(t, path, "sys/dev/char", d->sg_dev);
	}
	if (d->sd) {
		assert_int_equal(0, dw_path(path, "%s/block/%s", ret_dir, d->sd));
		add_block(t, path, d->sd, d->sd_dev);
		assert_int_equal(0, dw_path(path, "%s/block/%s/device", ret_dir, d->sd));
		assert_int_equal(0, dw_path(host, "../../../%s", d->address));
		machine_link(t, path, host);
	}
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

void machine_free(struct machine *t)
{
	nftw(t->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
