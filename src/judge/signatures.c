/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inactive signatures, by libblkid on a descriptor: what a used disk still carries. They
 * are shown, and no reason to refuse by themselves; the names in them may be. The scan looks
 * at the whole disk and into each partition of its table, and at nothing else.
 */
#include <blkid.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "judge/wants.h"

#define PARTITIONS_MAX 128
#define LVM_BYTES      (1u << 20) /* where LVM keeps its text, unless told otherwise */
#define LVM_ID         38
#define BCACHE_SET     (4096 + 56) /* set_uuid of struct cache_sb */

struct signature_list {
	struct dw_signatures *found;
	struct dw_tags *tags;
	int fd;
	int error;
};

static void add_signature(struct signature_list *l, const char *name)
{
	char *text = l->found->text;
	size_t have = strlen(text), n = strlen(name), len = sizeof(l->found->text);
	const char *at = strstr(text, name);

	/* once each, and whole names only */
	for (; at; at = strstr(at + 1, name))
		if ((at == text || at[-1] == ' ') && (at[n] == ',' || !at[n]))
			return;
	if (have + n + 3 <= len)
		snprintf(text + have, len - have, "%s%s", have ? ", " : "", name);
}

static const char *probe_value(blkid_probe p, const char *key)
{
	const char *value = NULL;

	return blkid_probe_lookup_value(p, key, &value, NULL) ? NULL : value;
}

static void tag(struct signature_list *l, enum dw_tag_kind kind, const char *value)
{
	if (!l->error)
		l->error = dw_tags_add(l->tags, kind, value);
}

static void tag_array(struct signature_list *l, const char *uuid)
{
	char hex[33];
	size_t n = 0;

	for (; uuid && *uuid && n < sizeof(hex) - 1; uuid++)
		if (isxdigit((unsigned char)*uuid))
			hex[n++] = *uuid;
	hex[n] = '\0';
	tag(l, DW_TAG_ARRAY, hex);
}

/* "NAME {\nid = "ID"\nseqno = " is how a group's text begins. */
static void tag_group(struct signature_list *l, const char *text, const char *seqno)
{
	static const char before[] = " {\nid = \"";
	const char *id = seqno - LVM_ID, *name_end = id - strlen(before),
		   *name = name_end;
	char group[DW_TAG_MAX], plain[LVM_ID + 1];
	size_t n = 0;

	if (seqno - text < (ptrdiff_t)(LVM_ID + sizeof(before)) ||
	    memcmp(name_end, before, strlen(before)))
		return;
	while (name > text &&
	       (isalnum((unsigned char)name[-1]) || strchr("_.+-", name[-1])) && name[-1])
		name--;
	snprintf(group, sizeof(group), "%.*s", (int)(name_end - name), name);
	tag(l, DW_TAG_GROUP, group);
	for (const char *p = id; p < seqno; p++)
		if (*p != '-')
			plain[n++] = *p;
	plain[n] = '\0';
	tag(l, DW_TAG_GROUP_ID, plain);
}

static void tag_groups(struct signature_list *l, uint64_t offset)
{
	static const char mark[] = "\"\nseqno = ";
	dw_autofree char *text = malloc(LVM_BYTES);
	const char *at = text;
	ssize_t n = text ? pread(l->fd, text, LVM_BYTES, (off_t)offset) : -1;

	while (n > 0 && (at = memmem(at, (size_t)(text + n - at), mark, strlen(mark)))) {
		tag_group(l, text, at);
		at++;
	}
}

static void tag_cache_set(struct signature_list *l, uint64_t offset)
{
	unsigned char u[16];
	char text[37];

	if (pread(l->fd, u, sizeof(u), (off_t)(offset + BCACHE_SET)) != sizeof(u))
		return;
	snprintf(text, sizeof(text),
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
		 u[12], u[13], u[14], u[15]);
	tag(l, DW_TAG_CACHE_SET, text);
}

static void take_superblock(struct signature_list *l, blkid_probe p, uint64_t offset)
{
	const char *type = probe_value(p, "TYPE"), *uuid = probe_value(p, "UUID");
	const char *label = probe_value(p, "LABEL");

	if (!type)
		return;
	add_signature(l, type);
	tag(l, DW_TAG_UUID, uuid);
	tag(l, DW_TAG_LABEL, label);
	if (!strcmp(type, "linux_raid_member")) {
		tag_array(l, uuid);
	} else if (!strcmp(type, "btrfs")) {
		tag(l, DW_TAG_BTRFS, uuid);
	} else if (!strcmp(type, "LVM2_member")) {
		tag_groups(l, offset);
	} else if (!strcmp(type, "bcache")) {
		tag_cache_set(l, offset);
	} else if (!strcmp(type, "zfs_member")) {
		tag(l, DW_TAG_POOL, label);
		tag(l, DW_TAG_POOL_ID, uuid);
		if (label && !l->found->pool[0])
			snprintf(l->found->pool, sizeof(l->found->pool), "%s", label);
	}
}

/* Every superblock found there: a used disk may carry several. */
static void probe_superblocks(struct signature_list *l, uint64_t offset, uint64_t bytes)
{
	blkid_probe p = blkid_new_probe();

	if (p && !blkid_probe_set_device(p, l->fd, (blkid_loff_t)offset,
					 (blkid_loff_t)bytes)) {
		blkid_probe_enable_superblocks(p, 1);
		blkid_probe_set_superblocks_flags(
			p, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID);
		while (!blkid_do_probe(p))
			take_superblock(l, p, offset);
	}
	blkid_free_probe(p);
}

static void probe_partitions(struct signature_list *l)
{
	blkid_probe p = blkid_new_probe();
	blkid_partlist parts;
	int n;

	if (!p)
		return;
	if (blkid_probe_set_device(p, l->fd, 0, 0) ||
	    blkid_probe_enable_superblocks(p, 0) || blkid_probe_enable_partitions(p, 1) ||
	    blkid_do_probe(p)) {
		blkid_free_probe(p);
		return;
	}
	if (probe_value(p, "PTTYPE"))
		add_signature(l, probe_value(p, "PTTYPE"));
	parts = blkid_probe_get_partitions(p);
	n = parts ? blkid_partlist_numof_partitions(parts) : 0;
	for (int i = 0; i < n && i < PARTITIONS_MAX; i++) {
		blkid_partition part = blkid_partlist_get_partition(parts, i);
		uint64_t start = (uint64_t)blkid_partition_get_start(part) * 512;
		uint64_t bytes = (uint64_t)blkid_partition_get_size(part) * 512;

		tag(l, DW_TAG_PARTUUID, blkid_partition_get_uuid(part));
		tag(l, DW_TAG_PARTLABEL, blkid_partition_get_name(part));
		if (bytes > 1024 && !blkid_partition_is_extended(part))
			probe_superblocks(l, start, bytes);
	}
	blkid_free_probe(p);
}

int dw_signatures_read(int fd, struct dw_signatures *ret, struct dw_tags *ret_tags)
{
	struct signature_list l = { .found = ret, .tags = ret_tags, .fd = fd };

	*ret = (struct dw_signatures){ 0 };
	probe_superblocks(&l, 0, 0);
	probe_partitions(&l);
	return l.error;
}
