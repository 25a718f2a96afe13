/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of devices that the kernel has built on disks, and the commands that remove them. The
 * prefix of the uuid of a device-mapper map shows what made it: LVM-, CRYPT-, mpath-; multipath
 * without its daemon leaves the uuid empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "judge/inuse.h"

/* LVM joins group and volume by a dash and doubles the dashes inside a name. */
void dw_lvm_group(const char *name, char *ret, size_t len)
{
	size_t n = 0;

	for (; *name && n + 1 < len; name++) {
		if (*name == '-' && *++name != '-')
			break;
		ret[n++] = *name;
	}
	ret[n] = '\0';
}

struct words {
	char *command;
	size_t command_len;
	char *what;
	size_t what_len;
};

static void describe_holder(const struct words *w, const char *what, const char *verb,
			    const char *name)
{
	snprintf(w->what, w->what_len, "%s %s", what, name);
	dw_shell_command(verb, name, w->command, w->command_len);
}

static void describe_node(const struct words *w, const char *what, const char *verb,
			  const char *prefix, const char *name)
{
	char node[80];

	snprintf(node, sizeof(node), "%s%.64s", prefix, name);
	describe_holder(w, what, verb, node);
}

static void describe_dm(const char *dir, const char *kernel_name, const struct words *w)
{
	char name[130], uuid[130], group[130];

	if (dw_sysfs_text(dir, "dm/name", name, sizeof(name)) || !name[0])
		snprintf(name, sizeof(name), "%s", kernel_name);
	dw_sysfs_text(dir, "dm/uuid", uuid, sizeof(uuid));
	if (!strncmp(uuid, "LVM-", 4)) {
		dw_lvm_group(name, group, sizeof(group));
		describe_holder(w, "LVM volume group", "vgchange -an", group);
	} else if (!strncmp(uuid, "CRYPT-", 6)) {
		describe_holder(w, "encrypted volume", "cryptsetup close", name);
	} else if (!strncmp(uuid, "mpath-", 6)) {
		describe_holder(w, "multipath map", "multipath -f", name);
	} else {
		describe_holder(w, "device-mapper map", "dmsetup remove", name);
	}
}

/* A cache belongs to a set, whose number is the target of a link; the rest stops by itself. */
static void describe_bcache(const char *dir, const char *name, const struct words *w)
{
	char link[PATH_MAX], set[PATH_MAX], file[PATH_MAX + 16];

	snprintf(w->what, w->what_len, "bcache (%s)", name);
	if (!dw_path(link, "%s/bcache/set", dir) && realpath(link, set))
		snprintf(file, sizeof(file), "/sys/fs/bcache/%.64s/stop",
			 dw_path_base(set));
	else
		snprintf(file, sizeof(file), "/sys/class/block/%.64s/bcache/stop", name);
	dw_shell_command("echo 1 >", file, w->command, w->command_len);
}

void dw_inuse_release_command(const char *block_dir, char *ret, size_t len,
			      char *ret_what, size_t what_len)
{
	const char *name = dw_path_base(block_dir);
	const struct words w = { ret, len, ret_what, what_len };

	ret[0] = '\0';
	if (dw_sysfs_has(block_dir, "dm"))
		describe_dm(block_dir, name, &w);
	else if (dw_sysfs_has(block_dir, "md"))
		describe_node(&w, "md array", "mdadm --stop", "/dev/", name);
	else if (dw_sysfs_has(block_dir, "bcache"))
		describe_bcache(block_dir, name, &w);
	else
		snprintf(ret_what, what_len, "device %s", name);
}
