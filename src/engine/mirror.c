/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of copies. The user names them by node. Plan and state files keep the serial number
 * or WWN, as nodes change at each boot.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "engine/mirror.h"

#define NOBODY  (-1)
#define SEVERAL (-2)

int job_mirror_wrong(struct dw_error *err, const char *name, const char *what)
{
	return dw_error_member(err, "mirror", "%.120s %s", name, what);
}

/* A node, a serial number or a WWN; of the latter two, only if it is that of one disk. */
static int find_source(const struct dw_disk_info *const *info, size_t n, const char *name)
{
	int found = NOBODY;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(info[i]->sg, name) || !strcmp(info[i]->block, name))
			return (int)i;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(info[i]->serial, name) || !strcmp(info[i]->wwn, name))
			found = found == NOBODY ? (int)i : SEVERAL;
	return found;
}

/* The name by which the disk is found when its nodes are others. It must not contain the
 * separator of a list. */
static const char *lasting_name(const struct dw_disk_info *const *info, size_t n, int i,
				const char *node)
{
	const char *names[] = { info[i]->serial, info[i]->wwn };

	for (size_t k = 0; k < DW_ARRAY_SIZE(names); k++)
		if (names[k][0] && !strpbrk(names[k], ",;/") &&
		    find_source(info, n, names[k]) == i)
			return names[k];
	return node;
}

int job_mirror_pair(const struct dw_disk_info *const *info, size_t n, char *text,
		    const char *name[2], int ret[2], struct dw_error *err)
{
	char *comma = strchr(text, ',');

	if (!comma || !comma[1] || comma == text || strchr(comma + 1, ','))
		return job_mirror_wrong(err, text, "is not DEV,DEV");
	*comma = '\0';
	name[0] = text;
	name[1] = comma + 1;
	for (int i = 0; i < 2; i++) {
		ret[i] = find_source(info, n, name[i]);
		if (ret[i] == SEVERAL)
			return job_mirror_wrong(err, name[i],
						"is the name of several disks");
		if (ret[i] == NOBODY && name[i][0] == '/')
			return job_mirror_wrong(err, name[i], "is no disk of this job");
	}
	return 0;
}

int dw_mirror_names(char mirror[DW_MIRROR_MAX], const struct dw_disk_info *const *info,
		    size_t n, struct dw_error *err)
{
	char copy[DW_MIRROR_MAX], with[DW_MIRROR_MAX], *save, *item;
	const char *name[2];
	int disk[2], r;
	size_t len = 0;

	dw_error_clear(err);
	memcpy(copy, mirror, sizeof(copy));
	with[0] = '\0';
	for (item = strtok_r(copy, ";", &save); item; item = strtok_r(NULL, ";", &save)) {
		r = job_mirror_pair(info, n, item, name, disk, err);
		if (r < 0)
			return r;
		for (int i = 0; i < 2; i++)
			if (disk[i] >= 0)
				name[i] = lasting_name(info, n, disk[i], name[i]);
		len += (size_t)snprintf(with + len, sizeof(with) - len, "%s%s,%s",
					len ? ";" : "", name[0], name[1]);
		if (len >= sizeof(with))
			return job_mirror_wrong(err, mirror, "names too many disks");
	}
	memcpy(mirror, with, sizeof(with));
	return 0;
}
