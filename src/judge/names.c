/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/names.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "base/util.h"
#include "device/identity.h"
#include "device/node.h"

#define KEY_LEN 132

/**
 * struct name - a name of a device; one that has several is there several times
 * @key: what kind of name it is, and the name: 'w' wwid, 's' page 80h, 'n' that it has none
 * @address: H:C:T:L
 */
struct name {
	char key[KEY_LEN];
	char address[48];
};

/** struct dw_names - @v is in order of key and address; @error: 0, or why there is none */
struct dw_names {
	const struct dw_machine *m;
	pthread_mutex_t lock;
	bool read;
	int error;
	struct name *v;
	size_t n;
	uint32_t room;
};

struct dw_names *dw_names_new(const struct dw_machine *m)
{
	struct dw_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->m = m;
	pthread_mutex_init(&names->lock, NULL);
	return names;
}

void dw_names_free(struct dw_names *names)
{
	if (!names)
		return;
	pthread_mutex_destroy(&names->lock);
	free(names->v);
	free(names);
}

/* A missing file shows nothing. One for which there was no room might have. */

static int read_serial(const char *dir, char key[KEY_LEN])
{
	char path[PATH_MAX];
	dw_autoclose int fd = -1;
	ssize_t n;

	memset(key, 0, KEY_LEN);
	key[0] = 's';
	if (dw_path(path, "%s/vpd_pg80", dir))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return dw_lacks_room(-errno) ? -errno : 0;
	n = read(fd, key + 1, KEY_LEN - 1);
	/* byte 1 of the page is its code, 80h */
	return n > 4 && key[2] ? (int)n : 0;
}

static int read_wwid(const char *dir, char key[KEY_LEN])
{
	int r;

	memset(key, 0, KEY_LEN);
	key[0] = 'w';
	r = dw_sysfs_text(dir, "wwid", key + 1, KEY_LEN - 1);
	if (r)
		return dw_lacks_room(r) ? r : 0;
	return key[1] != '\0';
}

static void set_looks(char key[KEY_LEN], const char *vendor, const char *model,
		      const char *revision)
{
	memset(key, 0, KEY_LEN);
	snprintf(key, KEY_LEN, "n%s\n%s\n%s", vendor, model, revision);
}

static void read_looks(const char *dir, char key[KEY_LEN])
{
	char vendor[24], model[48], revision[16];

	dw_sysfs_text(dir, "vendor", vendor, sizeof(vendor));
	dw_sysfs_text(dir, "model", model, sizeof(model));
	dw_sysfs_text(dir, "rev", revision, sizeof(revision));
	set_looks(key, vendor, model, revision);
}

static int append_name(struct dw_names *names, const char key[KEY_LEN],
		       const char *address)
{
	struct name *name;

	if (dw_room(&names->v, names->n, &names->room, sizeof(*names->v)))
		return -ENOMEM;
	name = &names->v[names->n++];
	memcpy(name->key, key, KEY_LEN);
	snprintf(name->address, sizeof(name->address), "%s", address);
	return 0;
}

static int add_device(void *ctx, const char *dir, const char *address)
{
	char path[PATH_MAX], wwid[KEY_LEN], key[KEY_LEN];
	struct dw_names *names = ctx;
	int named, r;

	if (dw_path(path, "%s/%s/device", dir, address))
		return 0;
	named = read_wwid(path, wwid);
	r = named < 0 ? named : read_serial(path, key);
	if (r > 0)
		r = append_name(names, key, address) ? -ENOMEM : 1;
	if (r >= 0 && named)
		return append_name(names, wwid, address);
	if (r)
		return r < 0 ? r : 0;
	read_looks(path, key);
	return append_name(names, key, address);
}

static int compare(const void *x, const void *y)
{
	const struct name *a = x, *b = y;
	int r = memcmp(a->key, b->key, KEY_LEN);

	return r ? r : strcmp(a->address, b->address);
}

static int read_names(struct dw_names *names)
{
	char dir[PATH_MAX];
	int r;

	pthread_mutex_lock(&names->lock);
	if (!names->read) {
		dw_sysfs_starved();
		r = dw_path(dir, "%s/class/scsi_device", names->m->sys);
		if (!r)
			r = dw_sysfs_each(dir, add_device, names);
		names->error = dw_sysfs_starved();
		if (!names->error && r != -ENOENT)
			names->error = r;
		if (names->n)
			qsort(names->v, names->n, sizeof(*names->v), compare);
		names->read = true;
	}
	pthread_mutex_unlock(&names->lock);
	return names->error;
}

/* The first that is not before @want. */
static size_t lower_bound(const struct dw_names *names, const struct name *want)
{
	size_t from = 0, to = names->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare(&names->v[middle], want) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool has(const struct dw_names *names, const struct name *want)
{
	size_t i = lower_bound(names, want);

	return i < names->n && !compare(&names->v[i], want);
}

/** struct alike_search - who looks; @but: a name by which they have been found before, or empty */
struct alike_search {
	struct dw_names *names;
	const char *own;
	const char *but;
	int (*fn)(void *ctx, const char *dir);
	void *ctx;
};

static int each_of(const struct alike_search *s, const char key[KEY_LEN])
{
	const struct dw_names *names = s->names;
	struct name want = { .address = "" }, other = { .address = "" };
	char dir[PATH_MAX];
	int r = 0;

	memcpy(want.key, key, KEY_LEN);
	memcpy(other.key, s->but, KEY_LEN);
	for (size_t i = lower_bound(names, &want); i < names->n && !r; i++) {
		const struct name *name = &names->v[i];

		if (memcmp(name->key, key, KEY_LEN) != 0)
			break;
		memcpy(other.address, name->address, sizeof(other.address));
		if (!strcmp(name->address, s->own) || has(names, &other))
			continue;
		r = dw_path(dir, "%s/class/scsi_device/%s/device", names->m->sys,
			    name->address);
		if (!r)
			r = s->fn(s->ctx, dir);
	}
	return r;
}

int dw_names_alike(struct dw_names *names, const struct dw_disk_info *info,
		   int (*fn)(void *ctx, const char *dir), void *ctx)
{
	static const char nothing[KEY_LEN];
	char dir[PATH_MAX], own[48], wwid[KEY_LEN], key[KEY_LEN];
	struct alike_search s = {
		.names = names, .own = own, .but = nothing, .fn = fn, .ctx = ctx
	};
	int named, r = dw_node_scsi_dir(names->m, info, dir);

	if (r)
		return 0;
	r = read_names(names);
	if (r)
		return r;
	snprintf(own, sizeof(own), "%u:%u:%u:%llu", info->host, info->channel,
		 info->target, (unsigned long long)info->lun);
	if (dw_identity_unnamed(info)) {
		set_looks(key, info->vendor, info->model, info->revision);
		return each_of(&s, key);
	}
	named = read_wwid(dir, wwid);
	if (named > 0)
		r = each_of(&s, wwid);
	if (named < 0 || r)
		return named < 0 ? named : r;
	s.but = wwid;
	r = read_serial(dir, key);
	return r > 0 ? each_of(&s, key) : r;
}
