/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_WANTS_H
#define DW_JUDGE_WANTS_H

/*
 * Uses by the configuration of the running system that are not active now: lines of fstab and the
 * like, arrays that lack a member, pools. Such a line names a disk by a tag, and a disk has tags:
 * in its partition table, its file systems, its name.
 */
#include "judge/inuse.h"

enum dw_tag_kind {
	DW_TAG_UUID, /* of a file system, swap, LUKS ... */
	DW_TAG_LABEL,
	DW_TAG_PARTUUID,
	DW_TAG_PARTLABEL,
	DW_TAG_NODE,      /* "8:1" */
	DW_TAG_LINK,      /* a name below /dev/disk/by-id */
	DW_TAG_ARRAY,     /* uuid of an md array, 32 hex digits */
	DW_TAG_BTRFS,     /* uuid of the file system */
	DW_TAG_GROUP,     /* name of an LVM volume group */
	DW_TAG_GROUP_ID,  /* 32 characters */
	DW_TAG_POOL,      /* name of a ZFS pool */
	DW_TAG_POOL_ID,   /* decimal */
	DW_TAG_CACHE_SET, /* uuid of a bcache set */
};

#define DW_TAG_MAX 96

/** struct dw_tag - one name that a disk or a part of it has */
struct dw_tag {
	enum dw_tag_kind kind;
	char value[DW_TAG_MAX];
};

/**
 * struct dw_want - a use of the disk with that tag
 * @tag: the tag
 * @by: the user, for people: "line 4 of /etc/fstab, for /home"; empty = it has what it needs
 * @release: the command that ends that, or empty
 */
struct dw_want {
	struct dw_tag tag;
	char by[144];
	char release[128];
};

/** struct dw_tags - the tags of a disk; zero-initialised, free() of @v */
struct dw_tags {
	struct dw_tag *v;
	size_t n;
};

/** dw_tags_add() - append one; what is empty or too long is left out. 0 or -ENOMEM. */
int dw_tags_add(struct dw_tags *t, enum dw_tag_kind kind, const char *value);

/**
 * dw_want_add() - append to the snapshot
 * @u: the snapshot
 * @kind, @value: the tag
 * @by, @release: see struct dw_want
 * Return: 0 or -ENOMEM.
 */
int dw_want_add(struct dw_uses *u, enum dw_tag_kind kind, const char *value,
		const char *by, const char *release);

/**
 * dw_want_spec() - append what a line of configuration names
 * @m: the machine
 * @u: the snapshot
 * @spec: "UUID=...", "/dev/disk/by-id/...", "/dev/vg/lv", "8:1" ...
 * @by, @release: see struct dw_want
 * Return: 0 or -ENOMEM.
 */
int dw_want_spec(const struct dw_machine *m, struct dw_uses *u, const char *spec,
		 const char *by, const char *release);

/** dw_wants_files() - from fstab, crypttab, mdadm.conf, systemd's units, the kernel command
 *  line, and the pools in zpool.cache. 0 or -ENOMEM. */
int dw_wants_files(const struct dw_machine *m, struct dw_uses *u);

/** dw_wants_boot() - from the boot entry that the firmware used. 0 or -ENOMEM. */
int dw_wants_boot(const struct dw_machine *m, struct dw_uses *u);

/** dw_wants_stacks() - from what is active: arrays, volume groups, pools, file systems on
 *  several devices. 0 or -ENOMEM. */
int dw_wants_stacks(const struct dw_machine *m, struct dw_uses *u);

/**
 * dw_wants_judge() - will the running system use this disk?
 * @m: the machine
 * @u: the snapshot
 * @info: the disk
 * @tags: what was read on it; its nodes and names are added here
 * @ret: refusal, reason, release command; untouched when not
 * Return: 1 it will; 0 not; -ENOMEM.
 */
int dw_wants_judge(const struct dw_machine *m, const struct dw_uses *u,
		   const struct dw_disk_info *info, struct dw_tags *tags,
		   struct dw_verdict *ret);

#endif
