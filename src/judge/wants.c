/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tags of a disk against tags that are wanted. Where a line says a path, its number counts,
 * and the name too: without udevd there are no links, and a volume may be inactive.
 */
#include "judge/wants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "judge/verdict.h"

#define LINK_MIN 4 /* characters of a serial that tell anything */

int dw_tags_add(struct dw_tags *t, enum dw_tag_kind kind, const char *value)
{
	struct dw_tag *v;

	if (!value || !value[0] || strlen(value) >= DW_TAG_MAX)
		return 0;
	v = reallocarray(t->v, t->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	t->v = v;
	v[t->n].kind = kind;
	strcpy(v[t->n++].value, value);
	return 0;
}

int dw_want_add(struct dw_uses *u, enum dw_tag_kind kind, const char *value,
		const char *by, const char *release)
{
	struct dw_want *v;

	if (!value || !value[0] || strlen(value) >= DW_TAG_MAX)
		return 0;
	v = reallocarray(u->want, u->n_wants + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	u->want = v;
	v += u->n_wants++;
	v->tag.kind = kind;
	strcpy(v->tag.value, value);
	snprintf(v->by, sizeof(v->by), "%s", by);
	if (snprintf(v->release, sizeof(v->release), "%s", release) >=
	    (int)sizeof(v->release))
		v->release[0] = '\0';
	return 0;
}

/* Names below /dev/disk have what is odd as \x20. */
static void unescape_hex(char *s)
{
	char *to = s;
	unsigned int c;

	for (; *s; s++, to++) {
		*to = *s;
		if (*s == '\\' && s[1] == 'x' && sscanf(s + 2, "%2x", &c) == 1 && c) {
			*to = (char)c;
			s += 3;
		}
	}
	*to = '\0';
}

/* "KEY=VALUE" with VALUE perhaps in quotes, or a link of udev's that says the same. */
static bool parse_tag(const char *spec, struct dw_tag *ret)
{
	static const struct {
		const char *key;
		const char *link;
		enum dw_tag_kind kind;
	} rows[] = {
		{ "UUID=", "/dev/disk/by-uuid/", DW_TAG_UUID },
		{ "LABEL=", "/dev/disk/by-label/", DW_TAG_LABEL },
		{ "PARTUUID=", "/dev/disk/by-partuuid/", DW_TAG_PARTUUID },
		{ "PARTLABEL=", "/dev/disk/by-partlabel/", DW_TAG_PARTLABEL },
		{ "ID=", "/dev/disk/by-id/", DW_TAG_LINK },
	};
	const char *value;
	size_t len;

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		bool link = !strncmp(spec, rows[i].link, strlen(rows[i].link));

		if (!link && strncmp(spec, rows[i].key, strlen(rows[i].key)))
			continue;
		value = spec + strlen(link ? rows[i].link : rows[i].key);
		len = strlen(value);
		if (len > 1 && value[0] == '"' && value[len - 1] == '"') {
			value++;
			len -= 2;
		}
		if (rows[i].kind == DW_TAG_PARTUUID)
			len = strcspn(value, "\"/"); /* .../PARTNROFF=1 */
		ret->kind = rows[i].kind;
		snprintf(ret->value, sizeof(ret->value), "%.*s", (int)len, value);
		if (link)
			unescape_hex(ret->value);
		return true;
	}
	return false;
}

/* /dev/mapper/GROUP-VOLUME, /dev/GROUP/VOLUME */
static bool parse_group(const char *spec, struct dw_tag *ret)
{
	static const char *const others[] = { "disk/", "md/", "mapper/", "block/",
					      "char/" };
	const char *name = spec + 5, *slash;

	ret->kind = DW_TAG_GROUP;
	if (strncmp(spec, "/dev/", 5))
		return false;
	if (!strncmp(name, "mapper/", 7)) {
		dw_lvm_group(name + 7, ret->value, sizeof(ret->value));
		return strlen(ret->value) < strlen(name + 7);
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	slash = strchr(name, '/');
	if (!slash || strchr(slash + 1, '/'))
		return false;
	snprintf(ret->value, sizeof(ret->value), "%.*s", (int)(slash - name), name);
	return true;
}

static int want_node(struct dw_uses *u, dev_t dev, const char *by, const char *release)
{
	char value[32];

	if (!dev)
		return 0;
	snprintf(value, sizeof(value), "%u:%u", major(dev), minor(dev));
	return dw_want_add(u, DW_TAG_NODE, value, by, release);
}

int dw_want_spec(const struct dw_machine *m, struct dw_uses *u, const char *spec,
		 const char *by, const char *release)
{
	unsigned int major, minor;
	struct dw_tag tag;
	char extra;
	int r = 0;

	if (parse_tag(spec, &tag) || parse_group(spec, &tag))
		r = dw_want_add(u, tag.kind, tag.value, by, release);
	if (r)
		return r;
	if (sscanf(spec, "%u:%u%c", &major, &minor, &extra) == 2)
		return want_node(u, makedev(major, minor), by, release);
	return spec[0] == '/' ? want_node(u, dw_use_dev_of_path(m, spec), by, release)
			      : 0;
}

/* A link is made of model and serial, or of a WWN in one of several spellings. */
static bool link_names(const char *link, const struct dw_disk_info *info)
{
	const char *wwn = info->wwn;

	if (wwn[0] == '0' && wwn[1] == 'x')
		wwn += 2;
	return (strlen(info->serial) >= LINK_MIN && strstr(link, info->serial)) ||
	       (strlen(wwn) >= (size_t)2 * LINK_MIN && strcasestr(link, wwn));
}

static bool matches(const struct dw_want *w, const struct dw_tags *tags,
		    const struct dw_disk_info *info)
{
	if (!w->by[0])
		return false;
	if (w->tag.kind == DW_TAG_LINK)
		return link_names(w->tag.value, info);
	for (size_t i = 0; i < tags->n; i++)
		if (tags->v[i].kind == w->tag.kind &&
		    (w->tag.kind == DW_TAG_LABEL || w->tag.kind == DW_TAG_PARTLABEL
			     ? !strcmp(tags->v[i].value, w->tag.value)
			     : !strcasecmp(tags->v[i].value, w->tag.value)))
			return true;
	return false;
}

static int add_number(struct dw_tags *t, dev_t dev)
{
	char value[32];

	snprintf(value, sizeof(value), "%u:%u", major(dev), minor(dev));
	return dev ? dw_tags_add(t, DW_TAG_NODE, value) : 0;
}

static int add_partition(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (dw_path(path, "%s/%s", dir, name) || !dw_sysfs_has(path, "partition"))
		return 0;
	return add_number(ctx, dw_sysfs_dev(path));
}

int dw_wants_judge(const struct dw_machine *m, const struct dw_uses *u,
		   const struct dw_disk_info *info, struct dw_tags *tags,
		   struct dw_verdict *ret)
{
	const struct dw_want *found = NULL;
	char dir[PATH_MAX], release[sizeof(ret->release)] = "";
	size_t have = 0;
	int r = add_number(tags, info->block_dev);

	if (!r)
		r = add_number(tags, info->map_dev);
	if (!r && info->block_dev && !dw_sysfs_real(m, true, info->block_dev, dir))
		r = dw_sysfs_each_folder(dir, add_partition, tags);
	if (r == -ENOMEM)
		return r;
	for (size_t i = 0; i < u->n_wants; i++) {
		const struct dw_want *w = &u->want[i];

		if (!matches(w, tags, info))
			continue;
		found = found ? found : w;
		/* all of them, or none: half of it would not release the disk */
		if (!w->release[0] || have + strlen(w->release) + 5 > sizeof(release))
			have = sizeof(release);
		else if (!strstr(release, w->release))
			have += (size_t)snprintf(release + have, sizeof(release) - have,
						 "%s%s", have ? " && " : "", w->release);
	}
	if (!found)
		return 0;
	dw_verdict_set(ret, DW_REFUSAL_CONFIGURED, "the running system will use it: %s",
		       found->by);
	if (have < sizeof(release))
		strcpy(ret->release, release);
	return 1;
}
