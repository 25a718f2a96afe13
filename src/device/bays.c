/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slots from two sources: the kernel's folders, which exist when its modules are loaded, and the
 * enclosures' own pages, which need an sg node. A slot is known by its name in both. Two processors
 * of one enclosure tell of the same slots, which are then listed once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/health.h>
#include <diskwipe/units.h>

#include "base/util.h"
#include "device/enclosure.h"
#include "device/node.h"

/**
 * struct bay_list - the list in the making
 * @m: the machine
 * @v, @n: the bays
 * @from: first of the enclosure that is being read
 * @ses: what it reports by SCSI; n = 0: nothing
 * @id: what it is called
 * @processor: its sg node
 */
struct bay_list {
	const struct dw_machine *m;
	struct dw_bay *v;
	size_t n;
	size_t from;
	struct dw_ses ses;
	char id[40];
	const char *processor;
};

/* The slot of that name of this enclosure, made when it is new; NULL without memory. */
static struct dw_bay *get_bay(struct bay_list *l, const char *name)
{
	struct dw_bay b = { .number = -1, .locate = -1, .fault = -1 };

	snprintf(b.enclosure, sizeof(b.enclosure), "%s", l->id);
	snprintf(b.name, sizeof(b.name), "%s", name);
	snprintf(b.processor, sizeof(b.processor), "%s", l->processor);
	if (snprintf(b.slot, sizeof(b.slot), "%s:%s", b.enclosure, b.name) >=
	    (int)sizeof(b.slot))
		b.slot[0] = '\0';
	dw_text_printable(b.slot);
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].slot, b.slot))
			return &l->v[i];
	if (dw_grow(&l->v, l->n, l->n + 1, sizeof(b)))
		return NULL;
	l->v[l->n] = b;
	return &l->v[l->n++];
}

static int add_reported(struct bay_list *l)
{
	for (size_t i = 0; i < l->ses.n; i++) {
		const struct dw_ses_slot *slot = &l->ses.slot[i];
		struct dw_bay *b = get_bay(l, slot->name);

		if (!b)
			return -ENOMEM;
		b->number = slot->number;
		b->state = slot->presence;
		b->locate = slot->locate;
		b->fault = slot->fault;
	}
	return 0;
}

static int8_t kernel_light(const char *dir, const char *name)
{
	uint64_t value;

	return dw_sysfs_u64(dir, name, &value) ? value != 0 : -1; /* 2: asked for */
}

static uint8_t kernel_state(const char *dir)
{
	char text[32];

	if (dw_sysfs_text(dir, "status", text, sizeof(text)))
		return DW_BAY_UNKNOWN;
	if (!strcmp(text, "not installed"))
		return DW_BAY_EMPTY;
	return !strcmp(text, "OK") || strstr(text, "critical") ||
			       !strcmp(text, "unrecoverable")
		       ? DW_BAY_OCCUPIED
		       : DW_BAY_UNKNOWN;
}

/* A component of the kernel's folder that is a slot; a name it was given there may have blanks. */
static int add_kernel_slot(void *ctx, const char *dir, const char *name)
{
	struct bay_list *l = ctx;
	char path[PATH_MAX], type[32], trimmed[64];
	struct dw_bay *b;
	uint64_t number;
	size_t n = (size_t)snprintf(trimmed, sizeof(trimmed), "%.63s", name);

	if (dw_path(path, "%s/%s", dir, name) ||
	    dw_sysfs_text(path, "type", type, sizeof(type)) ||
	    (strcmp(type, "array device") != 0 && strcmp(type, "device") != 0))
		return 0;
	while (n && trimmed[n - 1] == ' ')
		trimmed[--n] = '\0';
	b = get_bay(l, trimmed);
	if (!b)
		return -ENOMEM;
	if (!l->ses.n) { /* else it has been asked just now */
		b->state = kernel_state(path);
		b->locate = kernel_light(path, "locate");
		b->fault = kernel_light(path, "fault");
	}
	if (b->number < 0 && dw_sysfs_u64(path, "slot", &number) && number < 0x10000)
		b->number = (int32_t)number;
	return 0;
}

/* The kernel's folder of an enclosure. Return: false when it has none. */
static bool kernel_dir(const struct dw_machine *m, const struct dw_disk_info *info,
		       char ret[PATH_MAX])
{
	char dir[PATH_MAX], sub[PATH_MAX], name[64];

	return !dw_node_scsi_dir(m, info, dir) && !dw_path(sub, "%s/enclosure", dir) &&
	       dw_sysfs_first(sub, "", name, sizeof(name)) &&
	       !dw_path(ret, "%s/%s", sub, name);
}

static int by_name(const void *x, const void *y)
{
	const struct dw_bay *a = x, *b = y;

	return strverscmp(a->name, b->name);
}

static int add_enclosure(struct bay_list *l, const struct dw_disk_info *info)
{
	char dir[PATH_MAX];
	bool kernel = kernel_dir(l->m, info, dir);
	int r = 0;

	l->from = l->n;
	l->processor = info->sg;
	l->ses.n = 0;
	if (!l->m->live || dw_enclosure_read(info, true, &l->ses))
		l->ses.n = 0;
	if (l->ses.n)
		dw_enclosure_id(&l->ses, l->id);
	if (kernel && (dw_sysfs_text(dir, "id", l->id, sizeof(l->id)) || !l->id[0]))
		snprintf(l->id, sizeof(l->id), "%.39s", dw_path_base(dir));
	r = add_reported(l);
	if (!r && kernel)
		r = dw_sysfs_each(dir, add_kernel_slot, l);
	if (!l->ses.n && l->n > l->from) /* a folder has no order */
		qsort(l->v + l->from, l->n - l->from, sizeof(*l->v), by_name);
	return r == -ENOMEM ? r : 0;
}

static void put_disk(struct dw_bay *b, const struct dw_disk_info *info)
{
	if (b->sg[0] || b->block[0]) /* the other path to it */
		return;
	memcpy(b->sg, info->sg, sizeof(b->sg));
	memcpy(b->block, info->block, sizeof(b->block));
}

/* The disks that the enclosure just read can place. */
static void add_disks(struct bay_list *l, const struct dw_disk_info *enclosure,
		      const struct dw_disk_info *disk, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct dw_ses_slot *slot;
		struct dw_bay *b;
		uint64_t address[2];

		if (disk[i].slot[0] || disk[i].host != enclosure->host || !l->ses.n)
			continue;
		dw_disk_addresses(l->m, &disk[i], address);
		slot = dw_ses_find(&l->ses, address, 2);
		b = slot ? get_bay(l, slot->name) : NULL;
		if (b)
			put_disk(b, &disk[i]);
	}
}

/* The disks that the kernel has placed. */
static void add_linked(struct bay_list *l, const struct dw_disk_info *disk, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; disk[i].slot[0] && k < l->n; k++)
			if (!strcmp(l->v[k].slot, disk[i].slot))
				put_disk(&l->v[k], &disk[i]);
}

int dw_bays_read(const struct dw_machine *m, struct dw_bay **ret, size_t *ret_n)
{
	dw_autofree struct dw_disk_info *enclosure = NULL, *disk = NULL;
	dw_autofree struct bay_list *l = calloc(1, sizeof(*l));
	size_t n, n_disks;
	int r = l ? dw_nodes_enclosures(m, &enclosure, &n) : -ENOMEM;

	if (!r)
		r = dw_nodes_list(m, &disk, &n_disks);
	if (r)
		return r;
	l->m = m;
	for (size_t i = 0; i < n && !r; i++) {
		r = add_enclosure(l, &enclosure[i]);
		if (!r)
			add_disks(l, &enclosure[i], disk, n_disks);
	}
	if (r) {
		free(l->v);
		return r;
	}
	add_linked(l, disk, n_disks);
	*ret = l->v;
	*ret_n = l->n;
	return 0;
}

int dw_bays_list(struct dw_bay **ret, size_t *ret_n)
{
	return dw_bays_read(&dw_machine_self, ret, ret_n);
}

/** struct light - what is to be switched, for the search through the kernel's folders */
struct light {
	const char *name;
	const char *attr;
	bool on;
};

static int write_light(void *ctx, const char *dir, const char *name)
{
	const struct light *light = ctx;
	size_t n = strlen(light->name);
	char path[PATH_MAX];

	if (strncmp(name, light->name, n) != 0 || name[n + strspn(name + n, " ")] ||
	    dw_path(path, "%s/%s", dir, name) || !dw_sysfs_has(path, light->attr))
		return 0;
	return dw_sysfs_write(path, light->attr, light->on) ? 0 : 1;
}

static int switch_light(const struct dw_machine *m, const struct dw_disk_info *info,
			const struct dw_bay *bay, enum dw_bay_light light, bool on)
{
	struct light want = { bay->name, light == DW_LIGHT_LOCATE ? "locate" : "fault",
			      on };
	char dir[PATH_MAX];

	if (kernel_dir(m, info, dir) && dw_sysfs_each(dir, write_light, &want) == 1)
		return 0;
	return dw_enclosure_light(info, bay->name,
				  light == DW_LIGHT_LOCATE ? DW_SES_LOCATE : DW_SES_FAULT,
				  on);
}

int dw_bay_light(const char *slot, enum dw_bay_light light, bool on)
{
	const struct dw_machine *m = &dw_machine_self;
	dw_autofree struct dw_disk_info *enclosure = NULL;
	dw_autofree struct dw_bay *bay = NULL;
	const struct dw_bay *found = NULL;
	size_t n, n_bays;
	int r = dw_bays_list(&bay, &n_bays);

	if (!r)
		r = dw_nodes_enclosures(m, &enclosure, &n);
	if (r)
		return r;
	for (size_t i = 0; i < n_bays && !found; i++)
		if (!strcmp(bay[i].slot, slot))
			found = &bay[i];
	r = -ENOENT;
	for (size_t i = 0; found && i < n; i++)
		if (!strcmp(enclosure[i].sg, found->processor))
			r = switch_light(m, &enclosure[i], found, light, on);
	return r;
}
