/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of configuration that name disks. A line whose file system is mounted by now, or
 * whose swap or encrypted volume is active, is served: its disk is refused for that use, and
 * another disk with the same tag is a copy.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/be.h"
#include "base/util.h"
#include "file/file.h"
#include "judge/wants.h"

#define CACHE_BYTES_MAX (16u << 20)

struct config {
	const struct dw_machine *m;
	struct dw_uses *u;
	const char *path; /* as it is called */
	unsigned int line;
};

/* Comments the line out. */
static int want_line(const struct config *c, const char *spec, const char *for_what)
{
	char by[144], verb[40], command[640];

	snprintf(by, sizeof(by), "line %u of %.60s, for %.60s", c->line, c->path,
		 for_what);
	snprintf(verb, sizeof(verb), "sed -i '%us/^/#/'", c->line);
	dw_shell_command(verb, c->path, command, sizeof(command));
	return dw_want_spec(c->m, c->u, spec, by, command);
}

static bool is_used(const struct dw_uses *u, enum dw_use_kind kind, const char *text)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->v[i].kind == kind && !strcmp(u->v[i].text, text) &&
		    (kind != DW_USE_MOUNT || !u->v[i].pid))
			return true;
	return false;
}

static bool is_swap_dev(const struct config *c, dev_t dev)
{
	for (size_t i = 0; dev && i < c->u->n; i++)
		if (c->u->v[i].kind == DW_USE_SWAP && c->u->v[i].dev == dev)
			return true;
	return false;
}

static bool is_active_swap(const struct config *c, const char *spec)
{
	return spec[0] == '/' && is_swap_dev(c, dw_use_dev_of_path(c->m, spec));
}

/* Where the kernel would read an image of its memory; "" = nowhere. */
static dev_t resume_dev(const struct config *c, char *ret, size_t len)
{
	unsigned int major, minor;
	char dir[PATH_MAX];

	if (dw_path(dir, "%s/power", c->m->sys) ||
	    dw_sysfs_text(dir, "resume", ret, len) ||
	    sscanf(ret, "%u:%u", &major, &minor) != 2)
		return 0;
	return makedev(major, minor);
}

static char *next_word(char **at)
{
	char *word;

	*at += strspn(*at, " \t\n");
	word = *at;
	*at += strcspn(*at, " \t\n");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* Calls @fn for each line that is no comment. */
static int each_line(struct config *c, const char *path,
		     int (*fn)(struct config *c, char *line))
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (!f) {
		if (errno != ENOENT && errno != ENOTDIR)
			dw_uses_unseen(c->u, "", "%s cannot be read (%s)", c->path,
				       strerror(errno));
		return 0;
	}
	for (c->line = 1; !r && getline(&line, &size, f) > 0; c->line++)
		if (line[strspn(line, " \t")] != '#')
			r = fn(c, line);
	free(line);
	fclose(f);
	return r;
}

static int read_file(struct config *c, const char *name,
		     int (*fn)(struct config *c, char *line))
{
	char path[PATH_MAX], called[80];
	int r = 0;

	snprintf(called, sizeof(called), "/etc/%.70s", name);
	c->path = called;
	if (!dw_path(path, "%s/%s", c->m->etc, name))
		r = each_line(c, path, fn);
	c->path = NULL;
	return r;
}

/* btrfs, xfs, ext4 and jfs have further devices among their options. */
static int fstab_option(struct config *c, const char *word, const char *target)
{
	static const char *const keys[] = { "device=", "logdev=", "rtdev=",
					    "journal_path=" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(keys); i++)
		if (!strncmp(word, keys[i], strlen(keys[i])))
			return want_line(c, word + strlen(keys[i]), target);
	return 0;
}

/* "SPEC TARGET TYPE OPTIONS"; a device may stand among the options too */
static int fstab_line(struct config *c, char *line)
{
	char *spec = next_word(&line), *target = next_word(&line),
	     *type = next_word(&line);
	char *options = next_word(&line), *word, *save;
	int r;

	dw_proc_unescape(spec);
	dw_proc_unescape(target);
	if (is_used(c->u, DW_USE_MOUNT, target) || is_active_swap(c, spec))
		return 0;
	r = want_line(c, spec, strcmp(type, "swap") ? target : "swap");
	for (word = strtok_r(options, ",", &save); !r && word;
	     word = strtok_r(NULL, ",", &save))
		r = fstab_option(c, word, target);
	return r;
}

/* An encrypted volume that is open. */
static int find_mapping(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX], text[130];

	return !strncmp(name, "dm-", 3) && !dw_path(path, "%s/%s", dir, name) &&
	       !dw_sysfs_text(path, "dm/name", text, sizeof(text)) && !strcmp(text, ctx);
}

/* "NAME SPEC KEY OPTIONS"; KEY may be FILE:SPEC, the header stands among the options */
static int crypttab_line(struct config *c, char *line)
{
	char *name = next_word(&line), *spec = next_word(&line), *key = next_word(&line);
	char *options = next_word(&line), *at, dir[PATH_MAX], text[80];
	int r;

	if (!dw_path(dir, "%s/class/block", c->m->sys) &&
	    dw_sysfs_each(dir, find_mapping, name) == 1)
		return 0;
	snprintf(text, sizeof(text), "encrypted volume %.50s", name);
	r = want_line(c, spec, text);
	if (!r)
		r = want_line(c, key, text);
	at = strchr(key, ':');
	if (!r && at)
		r = want_line(c, at + 1, text);
	at = strstr(options, "header=");
	if (r || !at)
		return r;
	at += strlen("header=");
	at[strcspn(at, ",")] = '\0';
	r = want_line(c, at, text);
	return !r && strchr(at, ':') ? want_line(c, strchr(at, ':') + 1, text) : r;
}

/* "ARRAY DEVICE ... UUID=a:b:c:d"; served arrays are looked at by what they lack */
static int mdadm_line(struct config *c, char *line)
{
	char *word = next_word(&line), *device, hex[33];
	char by[144], verb[40], command[640];
	size_t n;

	if (strcasecmp(word, "ARRAY"))
		return 0;
	device = next_word(&line);
	while (strcmp(device, "<ignore>") && *(word = next_word(&line))) {
		if (strncasecmp(word, "UUID=", 5))
			continue;
		n = 0;
		for (const char *p = word + 5; *p && n < sizeof(hex) - 1; p++)
			if (strchr("0123456789abcdefABCDEF", *p))
				hex[n++] = *p;
		hex[n] = '\0';
		for (size_t i = 0; i < c->u->n_wants; i++)
			if (c->u->want[i].tag.kind == DW_TAG_ARRAY &&
			    !strcasecmp(c->u->want[i].tag.value, hex))
				return 0;
		snprintf(by, sizeof(by), "line %u of %.60s, array %.60s", c->line,
			 c->path, device);
		snprintf(verb, sizeof(verb), "sed -i '%us/^/#/'", c->line);
		dw_shell_command(verb, c->path, command, sizeof(command));
		return dw_want_add(c->u, DW_TAG_ARRAY, hex, by, command);
	}
	return 0;
}

static int what_line(struct config *c, char *line)
{
	line += strspn(line, " \t");
	line[strcspn(line, "\n")] = '\0';
	return strncmp(line, "What=", 5) ? 0 : want_line(c, line + 5, "that unit");
}

/* Units for mounts and swap that somebody wrote by hand; a mount that is served is known by
 * its name, which is the path with dashes. */
static int read_units(struct config *c)
{
	static const char *const kinds[] = { "systemd/system/*.mount",
					     "systemd/system/*.swap" };
	char pattern[PATH_MAX], called[120], where[PATH_MAX];
	glob_t found;
	int r = 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(kinds) && !r; i++) {
		if (dw_path(pattern, "%s/%s", c->m->etc, kinds[i]) ||
		    glob(pattern, GLOB_NOSORT, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc && !r; k++) {
			const char *name = dw_path_base(found.gl_pathv[k]);

			snprintf(called, sizeof(called), "/etc/systemd/system/%.80s",
				 name);
			c->path = called;
			snprintf(where, sizeof(where), "/%.*s", (int)strcspn(name, "."),
				 name);
			for (char *p = where; *p; p++)
				*p = *p == '-' ? '/' : *p;
			if (!is_used(c->u, DW_USE_MOUNT, where))
				r = each_line(c, found.gl_pathv[k], what_line);
		}
		globfree(&found);
	}
	c->path = NULL;
	return r;
}

static bool is_served(const struct config *c, const char *key, const char *value)
{
	char text[32];

	if (!strcmp(key, "root="))
		return is_used(c->u, DW_USE_MOUNT, "/");
	if (!strcmp(key, "mount.usr="))
		return is_used(c->u, DW_USE_MOUNT, "/usr");
	return !strcmp(key, "resume=") &&
	       (is_active_swap(c, value) ||
		is_swap_dev(c, resume_dev(c, text, sizeof(text))));
}

/* Words of the kernel's command line. No command takes them back: the boot loader wrote
 * them. */
static int command_line_word(const struct config *c, const char *word)
{
	static const struct {
		const char *key;
		const char *prefix; /* what is missing before the value */
	} rows[] = {
		{ "root=", "" },
		{ "resume=", "" },
		{ "mount.usr=", "" },
		{ "rd.luks.uuid=", "UUID=" },
		{ "rd.luks.name=", "UUID=" },
		{ "luks.uuid=", "UUID=" },
		{ "cryptdevice=", "" },
		{ "rd.lvm.lv=", "/dev/" },
	};
	char spec[160], by[144];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		const char *value = word + strlen(rows[i].key);

		if (strncmp(word, rows[i].key, strlen(rows[i].key)))
			continue;
		if (is_served(c, rows[i].key, value))
			return 0;
		if (!strncmp(value, "luks-", 5))
			value += 5;
		snprintf(spec, sizeof(spec), "%s%.120s", rows[i].prefix, value);
		if (rows[i].prefix[0] == 'U')
			spec[strcspn(spec + 5, "=") + 5] = '\0';
		snprintf(by, sizeof(by),
			 "%.60s of the kernel command line (change the boot "
			 "loader's configuration, boot again)",
			 word);
		return dw_want_spec(c->m, c->u, spec, by, "");
	}
	return 0;
}

static int command_line(struct config *c, char *line)
{
	char *word;
	int r = 0;

	while (!r && *(word = next_word(&line)))
		r = command_line_word(c, word);
	return r;
}

static int read_resume(const struct config *c)
{
	char text[32];
	dev_t dev = resume_dev(c, text, sizeof(text));

	if (!dev || is_swap_dev(c, dev))
		return 0;
	return dw_want_spec(c->m, c->u, text, "/sys/power/resume, to wake up from it",
			    "echo 0:0 > /sys/power/resume");
}

/* A pair of the list in XDR: the name padded, type, one element, value. */
static int add_pool(struct dw_uses *u, const uint8_t *at, size_t left)
{
	static const char release[] = "mv /etc/zfs/zpool.cache /etc/zfs/zpool.cache.old";
	static const char by[] = "pool in /etc/zfs/zpool.cache";
	char text[DW_TAG_MAX];
	uint32_t len;

	if (left >= 28 && !memcmp(at, "pool_guid\0\0\0\0\0\0\x08\0\0\0\x01", 20)) {
		snprintf(text, sizeof(text), "%" PRIu64, dw_get_be64(at + 20));
		return dw_want_add(u, DW_TAG_POOL_ID, text, by, release);
	}
	if (left < 16 || memcmp(at, "name\0\0\0\x09\0\0\0\x01", 12))
		return 0;
	len = dw_get_be32(at + 12);
	if (!len || len >= sizeof(text) || len > left - 16)
		return 0;
	memcpy(text, at + 16, len);
	text[len] = '\0';
	return dw_want_add(u, DW_TAG_POOL, text, by, release);
}

static int read_pools(const struct config *c)
{
	dw_autofree uint8_t *all = NULL;
	char path[PATH_MAX];
	size_t n;
	int r = dw_path(path, "%s/zfs/zpool.cache", c->m->etc);
	FILE *f = r ? NULL : fopen(path, "re");

	if (!f)
		return r;
	all = malloc(CACHE_BYTES_MAX);
	n = all ? fread(all, 1, CACHE_BYTES_MAX, f) : 0;
	fclose(f);
	for (size_t i = 0; i + 4 <= n && !r; i += 4)
		r = add_pool(c->u, all + i, n - i);
	return all ? r : -ENOMEM;
}

int dw_wants_files(const struct dw_machine *m, struct dw_uses *u)
{
	struct config c = { .m = m, .u = u };
	char path[PATH_MAX];
	int r = read_file(&c, "fstab", fstab_line);

	if (!r)
		r = read_file(&c, "crypttab", crypttab_line);
	if (!r)
		r = read_file(&c, "mdadm/mdadm.conf", mdadm_line);
	if (!r)
		r = read_file(&c, "mdadm.conf", mdadm_line);
	if (!r)
		r = read_units(&c);
	c.path = "/proc/cmdline";
	if (!r && !dw_path(path, "%s/cmdline", m->proc))
		r = each_line(&c, path, command_line);
	if (!r)
		r = read_resume(&c);
	return r ? r : read_pools(&c);
}
