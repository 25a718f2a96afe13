/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of protected disks. One disk has many names, and an entry in the wrong spelling would
 * protect nothing. Every entry is brought to a form that all spellings share: a WWN to its
 * digits, other words to lower case with one '_' for whatever udev replaces. In doubt an entry
 * means the disk.
 */
#include "judge/protect.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "device/node.h"

#define WORD_MAX 300

/* What stands before the digits of a WWN; several may follow each other. */
static const char *const heads[] = { "dm-uuid-", "mpath-", "scsi-", "nvme-", "wwn-",
				     "naa.",     "eui.",   "uuid.", "0x" };

static const char *const id_heads[] = { "ata-",    "scsi-", "nvme-",     "usb-",
					"virtio-", "mmc-",  "memstick-", "ieee1394-" };

static const char *after(const char *word, const char *head)
{
	size_t n = strlen(head);

	return strncmp(word, head, n) ? NULL : word + n;
}

/* "-part3" at the end. */
static void cut_partition(char *word)
{
	char *end = strrchr(word, '-');

	if (end && after(end, "-part") && end[5] &&
	    !end[5 + strspn(end + 5, "0123456789")])
		*end = '\0';
}

static void fold(const char *text, char ret[WORD_MAX])
{
	size_t n = 0;

	for (; *text && n < WORD_MAX - 1; text++) {
		unsigned char c = (unsigned char)*text;

		if (!isalnum(c) && !strchr("#+-.:=@/", c))
			c = '_';
		if (c != '_' || (n && ret[n - 1] != '_'))
			ret[n++] = (char)tolower(c);
	}
	while (n && ret[n - 1] == '_')
		n--;
	ret[n] = '\0';
	cut_partition(ret);
}

static const char *skip_heads(const char *word)
{
	const char *rest;

	for (size_t i = 0; i < DW_ARRAY_SIZE(heads); i++) {
		rest = after(word, heads[i]);
		if (rest)
			return skip_heads(rest);
	}
	return word;
}

/* The digits of a WWN, from a folded word; "" when it has none. */
static void wwn_digits(const char *word, char ret[WORD_MAX])
{
	size_t n = 0;

	word = skip_heads(word);
	for (; *word; word++) {
		if (*word == '-' || *word == '_')
			continue;
		if (!isxdigit((unsigned char)*word)) {
			n = 0;
			break;
		}
		ret[n++] = *word;
	}
	ret[n] = '\0';
	/* scsi_id and multipath put the type of the name before it: 2 EUI-64, 3 NAA */
	if ((n == 17 || n == 33) && (ret[0] == '2' || ret[0] == '3'))
		memmove(ret, ret + 1, n--);
	if (n != 16 && n != 24 && n != 32)
		ret[0] = '\0';
}

static bool same_wwn(const char *a, const char *b)
{
	char x[WORD_MAX], y[WORD_MAX];

	wwn_digits(a, x);
	wwn_digits(b, y);
	if (!x[0] || !y[0])
		return false;
	/* the first half of a long one: udev calls it the WWN without its extension */
	return !strcmp(x, y) ||
	       (strlen(x) == 16 && strlen(y) == 32 && y[0] == '6' && !strncmp(x, y, 16));
}

/* "t10.ATA   MODEL   SERIAL" and "scsi-1ATA_MODEL_SERIAL". */
static const char *designator_words(const char *word)
{
	static const char *const before[] = { "t10.", "scsi-1", "scsi-8", "0x" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(before); i++)
		if (after(word, before[i]))
			return after(word, before[i]);
	return word;
}

static bool same_name(const char *entry, const char *name)
{
	char word[WORD_MAX];

	fold(name, word);
	return word[0] && (same_wwn(entry, word) ||
			   !strcmp(designator_words(entry), designator_words(word)));
}

static bool ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), len = strlen(end);

	return n >= len && !strcmp(word + n - len, end) &&
	       (n == len || word[n - len - 1] == '_' || word[n - len - 1] == '-');
}

/* Digits and colons at the end, after @mark: a namespace, or a LUN. */
static void cut_number(char *word, char mark)
{
	char *end = strrchr(word, mark);

	if (end && end[1] && !end[1 + strspn(end + 1, "0123456789:")])
		*end = '\0';
}

/* A link of udev: bus, model, serial, and perhaps a number. */
static bool link_has_serial(const char *entry, const char *serial)
{
	char word[WORD_MAX];
	const char *rest = NULL;

	for (size_t i = 0; i < DW_ARRAY_SIZE(id_heads) && !rest; i++)
		rest = after(entry, id_heads[i]);
	if (!rest || strlen(serial) < 4)
		return false;
	snprintf(word, sizeof(word), "%s", rest);
	if (ends_with(word, serial))
		return true;
	cut_number(word, '-');
	if (ends_with(word, serial))
		return true;
	cut_number(word, '_');
	return ends_with(word, serial);
}

static bool same_serial(const char *entry, const char *serial)
{
	char word[WORD_MAX];

	fold(serial, word);
	return word[0] && (!strcmp(entry, word) || link_has_serial(entry, word));
}

static bool leads_to(const struct dw_machine *m, const char *path,
		     const struct dw_disk_info *info)
{
	struct dw_disk_info other;
	enum dw_node_kind kind;
	bool block;
	dev_t dev;

	if (dw_node_of_path(path, &block, &dev))
		return false;
	if (block && info->map_dev && dev == info->map_dev)
		return true;
	return !dw_node_find(m, block, dev, &other, &kind) &&
	       (kind == DW_NODE_DISK || kind == DW_NODE_PARTITION) &&
	       dw_disk_same_node(&other, info);
}

static bool is_node_of(const struct dw_machine *m, const char *entry,
		       const struct dw_disk_info *info)
{
	static const char *const folders[] = { "", "disk/by-id/", "disk/by-path/" };
	char path[PATH_MAX];

	if (entry[0] == '/')
		return leads_to(m, entry, info);
	for (size_t i = 0; i < DW_ARRAY_SIZE(folders); i++)
		if (!dw_path(path, "%s/%s%s", m->dev, folders[i], entry) &&
		    leads_to(m, path, info))
			return true;
	return false;
}

bool dw_protect_means(const struct dw_machine *m, const char *entry,
		      const struct dw_disk_info *info)
{
	char word[WORD_MAX], slot[WORD_MAX], names[sizeof(info->aliases)], *save;

	fold(entry[0] == '/' ? dw_path_base(entry) : entry, word);
	fold(info->slot, slot);
	if (!word[0])
		return false;
	if (same_serial(word, info->serial) || same_name(word, info->wwn) ||
	    !strcmp(word, slot) || is_node_of(m, entry, info))
		return true;
	memcpy(names, info->aliases, sizeof(names));
	for (char *name = strtok_r(names, "\n", &save); name;
	     name = strtok_r(NULL, "\n", &save))
		if (same_name(word, name))
			return true;
	return false;
}

const char *dw_protect_find(const struct dw_machine *m, const struct dw_disk_info *info,
			    const char *const *protect)
{
	for (; protect && *protect; protect++)
		if (dw_protect_means(m, *protect, info))
			return *protect;
	return NULL;
}

/* Whether what follows a head that promises a WWN can be one. (A slot is the number of an enclosure
 * with a name behind it.) */
static bool broken_wwn(const char *word)
{
	static const char *const promise[] = { "wwn-",      "naa.",  "eui.",
					       "nvme-eui.", "uuid.", "scsi-3" };
	const char *rest = after(word, "0x");
	char digits[WORD_MAX] = "";

	if (rest) {
		size_t n = strspn(rest, "0123456789abcdef");

		return !n || (rest[n] && (rest[n] != ':' || !rest[n + 1]));
	}
	wwn_digits(word, digits);
	for (size_t i = 0; i < DW_ARRAY_SIZE(promise); i++)
		if (after(word, promise[i]))
			return !digits[0];
	return false;
}

/* Names from the contents of the disk no longer apply when it is overwritten, and exist only
 * while udev has links. */
static bool of_content(const char *entry)
{
	static const char *const names[] = { "UUID=",
					     "LABEL=",
					     "PARTUUID=",
					     "PARTLABEL=",
					     "ID=",
					     "/dev/disk/by-uuid/",
					     "/dev/disk/by-label/",
					     "/dev/disk/by-partuuid/",
					     "/dev/disk/by-partlabel/" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(names); i++)
		if (!strncasecmp(entry, names[i], strlen(names[i])))
			return true;
	return false;
}

const char *dw_protect_check(const char *entry)
{
	char word[WORD_MAX] = "";

	for (const char *p = entry; *p; p++)
		if (iscntrl((unsigned char)*p) || strchr("\"'*?[]", *p) ||
		    (*p == '#' && p > entry && isblank((unsigned char)p[-1])))
			return "quotes, wild cards and comments are not understood here";
	if (of_content(entry))
		return "no name of a disk: take serial, WWN, or /dev/disk/by-id";
	if (entry[0] == '/' && !after(entry, "/dev/"))
		return "a path that is not below /dev";
	if (strlen(entry) >= WORD_MAX)
		return "too long";
	fold(entry[0] == '/' ? dw_path_base(entry) : entry, word);
	if (!word[0])
		return "no name";
	return broken_wwn(word) ? "not a WWN: 16, 24 or 32 hexadecimal digits" : NULL;
}
