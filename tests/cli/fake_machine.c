/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Discovery on the machine made of words. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <diskwipe/doctor.h>

#include "fake.h"

#define MAX_DISKS 256

static struct fake_disk disks[MAX_DISKS];
static size_t n_disks;
static bool was_read;
static struct stat read_as; /* when it was */

static void copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
}

static enum dw_refusal refusal_of(const char *name)
{
	for (int i = 0; i < DW_REFUSAL_COUNT; i++)
		if (!strcmp(dw_refusal_name((enum dw_refusal)i), name))
			return (enum dw_refusal)i;
	fprintf(stderr, "fake: no refusal '%s'\n", name);
	exit(99);
}

static enum dw_outcome outcome_of(const char *name)
{
	for (int i = 0; i <= DW_OUTCOME_REMOVED; i++)
		if (!strcmp(dw_outcome_name((enum dw_outcome)i, false), name))
			return (enum dw_outcome)i;
	fprintf(stderr, "fake: no outcome '%s'\n", name);
	exit(99);
}

static void take_text(struct fake_disk *f, const char *key, const char *value)
{
	const struct {
		const char *key;
		char *to;
		size_t size;
	} texts[] = {
		{ "sg", f->disk.info.sg, sizeof(f->disk.info.sg) },
		{ "block", f->disk.info.block, sizeof(f->disk.info.block) },
		{ "vendor", f->disk.info.vendor, sizeof(f->disk.info.vendor) },
		{ "model", f->disk.info.model, sizeof(f->disk.info.model) },
		{ "serial", f->disk.info.serial, sizeof(f->disk.info.serial) },
		{ "wwn", f->disk.info.wwn, sizeof(f->disk.info.wwn) },
		{ "reason", f->disk.verdict.reason, sizeof(f->disk.verdict.reason) },
		{ "release", f->disk.verdict.release, sizeof(f->disk.verdict.release) },
		{ "signatures", f->disk.verdict.signatures,
		  sizeof(f->disk.verdict.signatures) },
		{ "claim", f->claim, sizeof(f->claim) },
		{ "clone", f->clone, sizeof(f->clone) },
		{ "until", f->until, sizeof(f->until) },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i].key, key)) {
			copy(texts[i].to, texts[i].size, value);
			return;
		}
	fprintf(stderr, "fake: no key '%s'\n", key);
	exit(99);
}

static void take(struct fake_disk *f, const char *key, const char *value)
{
	if (!strcmp(key, "blocks"))
		f->disk.info.blocks = strtoull(value, NULL, 10);
	else if (!strcmp(key, "designators"))
		f->disk.info.designators = strtoull(value, NULL, 16);
	else if (!strcmp(key, "refusal"))
		f->disk.verdict.refusal = refusal_of(value);
	else if (!strcmp(key, "outcome"))
		f->outcome = outcome_of(value);
	else if (!strcmp(key, "bad"))
		f->bad = strtoull(value, NULL, 10);
	else if (!strcmp(key, "places"))
		f->places = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(key, "differ"))
		f->differ = strtoull(value, NULL, 10);
	else if (!strcmp(key, "password"))
		f->disk.info.password_left = !strcmp(value, "left");
	else if (!strcmp(key, "name"))
		f->disk.info.name_shared = !strcmp(value, "shared");
	else if (!strcmp(key, "seconds"))
		f->seconds = strtod(value, NULL);
	else
		take_text(f, key, value);
}

static void read_line(char *line)
{
	struct fake_disk *f = &disks[n_disks];
	char *word, *save = NULL;

	line[strcspn(line, "\n")] = '\0';
	if (!line[0] || n_disks == MAX_DISKS)
		return;
	*f = (struct fake_disk){ .outcome = DW_OUTCOME_ERASED, .seconds = 0.05 };
	f->disk.info.blocks = 2048;
	f->disk.info.block_size = 512;
	f->disk.info.physical_block_size = 512;
	f->disk.info.scsi = true;
	f->disk.info.wce = -1;
	for (word = strtok_r(line, "\t", &save); word;
	     word = strtok_r(NULL, "\t", &save)) {
		char *eq = strchr(word, '=');

		if (eq) {
			*eq = '\0';
			take(f, word, eq + 1);
		}
	}
	n_disks++;
	if (f->disk.info.sg[0])
		f->disk.info.sg_dev = 1000 + n_disks;
	if (f->disk.info.block[0])
		f->disk.info.block_dev = 2000 + n_disks;
}

struct fake_disk *fake_disks(size_t *ret_n)
{
	const char *path = getenv("DISKWIPE_FAKE");
	char line[1024];
	FILE *f;

	if (!was_read && path && (f = fopen(path, "r"))) {
		fstat(fileno(f), &read_as);
		while (fgets(line, sizeof(line), f))
			read_line(line);
		fclose(f);
	}
	was_read = true;
	*ret_n = n_disks;
	return disks;
}

struct fake_disk *fake_find(const char *path)
{
	size_t n;
	struct fake_disk *all = fake_disks(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].disk.info.sg, path) ||
		    !strcmp(all[i].disk.info.block, path))
			return &all[i];
	return NULL;
}

void fake_log(const char *what, const char *device)
{
	const char *path = getenv("DISKWIPE_FAKE_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%s %s\n", what, device);
	fclose(f);
}

/* A file that another has replaced: disks came, went, or have other nodes now. */
static void look_again(void)
{
	const char *path = getenv("DISKWIPE_FAKE");
	struct stat now;

	if (!was_read || !path || stat(path, &now) || !S_ISREG(now.st_mode) ||
	    now.st_ino == read_as.st_ino)
		return;
	was_read = false;
	n_disks = 0;
}

int dw_disks_list(const struct dw_rules *rules, struct dw_disk **ret, size_t *ret_n)
{
	struct fake_disk *all;
	struct dw_disk *list;
	size_t n;

	look_again();
	all = fake_disks(&n);
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		list[i] = all[i].disk;
	*ret = list;
	*ret_n = n;
	return 0;
}

int dw_disk_examine(const char *path, const struct dw_rules *rules, struct dw_disk *ret)
{
	const struct fake_disk *f = fake_find(path);
	bool there = strstr(path, "cdrom");

	*ret = (struct dw_disk){ 0 };
	if (f) {
		*ret = f->disk;
		return 0;
	}
	ret->verdict.refusal = there ? DW_REFUSAL_NOT_A_DISK : DW_REFUSAL_MISSING;
	copy(ret->verdict.reason, sizeof(ret->verdict.reason),
	     there ? "not a disk" : "no such node");
	return 0;
}

int dw_disk_capture(const char *path, bool anonymous, char **ret)
{
	const struct fake_disk *f = fake_find(path);

	if (!f)
		return -ENODEV;
	if (!f->disk.info.scsi)
		return -EOPNOTSUPP;
	*ret = strdup(anonymous ? "about: somebody's\n" : "about: ours\n");
	return *ret ? 0 : -ENOMEM;
}

int dw_disk_inspect(const char *path, struct dw_disk_info *ret_info,
		    struct dw_inspection *ret)
{
	const struct fake_disk *f = fake_find(path);

	if (!f)
		return -ENODEV;
	*ret_info = f->disk.info;
	*ret = (struct dw_inspection){ .n = 1 };
	copy(ret->line[0].key, sizeof(ret->line[0].key), "write-16");
	copy(ret->line[0].value, sizeof(ret->line[0].value), "yes");
	copy(ret->line[0].source, sizeof(ret->line[0].source), "RSOC");
	return 0;
}

/* One finding, when the test wants one. */
int dw_doctor(struct dw_finding **ret, size_t *ret_n)
{
	const char *key = getenv("DISKWIPE_FAKE_FINDING");

	*ret = NULL;
	*ret_n = 0;
	if (!key)
		return 0;
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	copy((*ret)->key, sizeof((*ret)->key), key);
	copy((*ret)->subject, sizeof((*ret)->subject), "host0");
	copy((*ret)->text, sizeof((*ret)->text), "it is slow");
	copy((*ret)->advice, sizeof((*ret)->advice), "seat it again");
	*ret_n = 1;
	return 0;
}
