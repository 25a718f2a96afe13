/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inactive signatures, by libblkid on a descriptor: what a used disk still carries. They
 * are shown, never a reason to refuse. The scan looks at the whole disk and into each
 * partition of its table, and at nothing else.
 */
#include <blkid.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "device/inuse.h"

#define PARTITIONS_MAX 128

struct list {
	char *text;
	size_t len;
	char *pool;
	size_t pool_len;
};

static void add(struct list *l, const char *name)
{
	size_t have = strlen(l->text), n = strlen(name);
	const char *at = strstr(l->text, name);

	/* once each, and whole names only */
	for (; at; at = strstr(at + 1, name))
		if ((at == l->text || at[-1] == ' ') && (at[n] == ',' || !at[n]))
			return;
	if (have + n + 3 <= l->len)
		snprintf(l->text + have, l->len - have, "%s%s", have ? ", " : "", name);
}

static void add_value(struct list *l, blkid_probe p, const char *key)
{
	const char *value;

	if (!blkid_probe_lookup_value(p, key, &value, NULL) && value)
		add(l, value);
}

/* Every superblock found there: a used disk may carry several. */
static void probe_superblocks(struct list *l, int fd, uint64_t offset, uint64_t bytes)
{
	blkid_probe p = blkid_new_probe();
	const char *type, *label;

	if (!p)
		return;
	if (!blkid_probe_set_device(p, fd, (blkid_loff_t)offset, (blkid_loff_t)bytes)) {
		blkid_probe_enable_superblocks(p, 1);
		blkid_probe_set_superblocks_flags(p,
						  BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL);
		while (!blkid_do_probe(p)) {
			add_value(l, p, "TYPE");
			if (!blkid_probe_lookup_value(p, "TYPE", &type, NULL) &&
			    !strcmp(type, "zfs_member") && !l->pool[0] &&
			    !blkid_probe_lookup_value(p, "LABEL", &label, NULL))
				snprintf(l->pool, l->pool_len, "%s", label);
		}
	}
	blkid_free_probe(p);
}

static void probe_partitions(struct list *l, int fd)
{
	blkid_probe p = blkid_new_probe();
	blkid_partlist parts;
	int n;

	if (!p)
		return;
	if (blkid_probe_set_device(p, fd, 0, 0) || blkid_probe_enable_superblocks(p, 0) ||
	    blkid_probe_enable_partitions(p, 1) || blkid_do_probe(p)) {
		blkid_free_probe(p);
		return;
	}
	add_value(l, p, "PTTYPE");
	parts = blkid_probe_get_partitions(p);
	n = parts ? blkid_partlist_numof_partitions(parts) : 0;
	for (int i = 0; i < n && i < PARTITIONS_MAX; i++) {
		blkid_partition part = blkid_partlist_get_partition(parts, i);
		uint64_t start = (uint64_t)blkid_partition_get_start(part) * 512;
		uint64_t bytes = (uint64_t)blkid_partition_get_size(part) * 512;

		if (bytes > 1024 && !blkid_partition_is_extended(part))
			probe_superblocks(l, fd, start, bytes);
	}
	blkid_free_probe(p);
}

void dw_signatures_read(int fd, char *ret, size_t len, char *ret_pool, size_t pool_len)
{
	struct list l = {
		.text = ret, .len = len, .pool = ret_pool, .pool_len = pool_len
	};

	ret[0] = ret_pool[0] = '\0';
	probe_superblocks(&l, fd, 0, 0);
	probe_partitions(&l, fd);
}
