/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The boot entry that the firmware used: BootCurrent names Boot####, whose device path names
 * a partition by its GUID. UEFI 2.10, sections 3.1.3 and 10.3.5.1; a variable is preceded by
 * four bytes of attributes. What the firmware reports is not believed to be well-formed.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "judge/wants.h"

#define GLOBAL         "8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define VARIABLE_MAX   4096
#define MEDIA          4
#define HARD_DRIVE     1
#define HARD_DRIVE_LEN 42
#define END            0x7f

static uint32_t le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}

/* Bytes without the attributes; 0 = there is none. */
static size_t read_variable(const struct dw_machine *m, const char *name, uint8_t *ret,
			    size_t size)
{
	char path[PATH_MAX];
	dw_autoclose int fd = -1;
	ssize_t n;

	if (dw_path(path, "%s/firmware/efi/efivars/%s-" GLOBAL, m->sys, name))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, ret, size);
	if (n <= 4)
		return 0;
	memmove(ret, ret + 4, (size_t)n - 4);
	return (size_t)n - 4;
}

/* As udev and libblkid write it: a GUID, or an MBR's signature and the number. */
static bool part_uuid(const uint8_t *node, char *ret, size_t len)
{
	const uint8_t *s = node + 24;

	if (node[41] == 1)
		snprintf(ret, len, "%08x-%02x", le32(s), le32(node + 4));
	else if (node[41] == 2)
		snprintf(ret, len, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			 le32(s), le16(s + 4), le16(s + 6), s[8], s[9], s[10], s[11],
			 s[12], s[13], s[14], s[15]);
	else
		return false;
	return true;
}

/* The first partition in the device path of a load option. */
static bool find_partition(const uint8_t *v, size_t n, char *ret, size_t len)
{
	size_t at = 6, end, node;

	if (n < at)
		return false;
	while (at + 2 <= n && le16(v + at))
		at += 2;
	at += 2;
	end = dw_min_u64(n, at + le16(v + 4));
	for (; at + 4 <= end && v[at] != END; at += node) {
		node = le16(v + at + 2);
		if (node < 4 || node > end - at)
			return false;
		if (v[at] == MEDIA && v[at + 1] == HARD_DRIVE && node >= HARD_DRIVE_LEN)
			return part_uuid(v + at, ret, len);
	}
	return false;
}

int dw_wants_boot(const struct dw_machine *m, struct dw_uses *u)
{
	uint8_t v[VARIABLE_MAX];
	char name[16], uuid[40], by[96];
	size_t n = read_variable(m, "BootCurrent", v, sizeof(v));

	if (n < 2)
		return 0;
	snprintf(name, sizeof(name), "Boot%04X", le16(v));
	n = read_variable(m, name, v, sizeof(v));
	if (!find_partition(v, n, uuid, sizeof(uuid)))
		return 0;
	/* No command: deleting the entry would keep this machine from booting, and a copy of
	 * the disk has the same partition. */
	snprintf(by, sizeof(by),
		 "the firmware booted from it or from its original (%s); erase it on "
		 "another machine",
		 name);
	return dw_want_add(u, DW_TAG_PARTUUID, uuid, by, "");
}
