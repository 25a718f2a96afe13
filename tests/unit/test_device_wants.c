/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running system will use by its own configuration, on made-up machines. */
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "judge/wants.h"
#include "machine.h"
#include "unit.h"

#define U "0b5e55ed-1111-2222-3333-444455556666"

/* Judges a disk 8:64 with one tag. */
static int judge(struct machine *t, enum dw_tag_kind kind, const char *value,
		 struct dw_verdict *ret)
{
	struct dw_disk_info info = { .block_dev = makedev(8, 64),
				     .map_dev = makedev(253, 0),
				     .serial = "Z1D0A",
				     .wwn = "0x5000C500AB12CD34" };
	struct dw_uses uses = { 0 };
	struct dw_tags tags = { 0 };
	int r;

	*ret = (struct dw_verdict){ 0 };
	assert_int_equal(0, dw_tags_add(&tags, kind, value));
	assert_int_equal(0, dw_uses_scan(&t->m, &uses));
	r = dw_wants_judge(&t->m, &uses, &info, &tags, ret);
	assert_int_equal(r, ret->refusal == DW_REFUSAL_CONFIGURED);
	free(tags.v);
	dw_uses_free(&uses);
	return r;
}

static void lines(void **state)
{
	static const struct {
		const char *file, *line;
		enum dw_tag_kind kind;
		const char *value;
		int want;
	} rows[] = {
		{ "etc/fstab", "UUID=" U " /srv ext4 noauto 0 0\n", DW_TAG_UUID, U, 1 },
		{ "etc/fstab", "#UUID=" U " /srv ext4 noauto 0 0\n", DW_TAG_UUID, U, 0 },
		{ "etc/fstab", "UUID=\"" U "\" none swap sw\n", DW_TAG_UUID, U, 1 },
		{ "etc/fstab", "LABEL=a\\040b /srv ext4", DW_TAG_LABEL, "a b", 1 },
		{ "etc/fstab", "LABEL=data /srv ext4", DW_TAG_LABEL, "DATA", 0 },
		{ "etc/fstab", "LABEL=data /srv ext4", DW_TAG_PARTLABEL, "data", 0 },
		{ "etc/fstab", "/dev/disk/by-label/a\\x20b /srv ext4", DW_TAG_LABEL,
		  "a b", 1 },
		{ "etc/fstab", "/dev/sde /srv ext4", DW_TAG_UUID, "x", 1 },
		{ "etc/fstab", "/dev/sda /srv ext4", DW_TAG_UUID, "x", 0 },
		{ "etc/fstab", "/dev/dm-0 /srv ext4", DW_TAG_UUID, "x", 1 },
		{ "etc/fstab", "/home/sde /srv none bind", DW_TAG_UUID, "x", 0 },
		{ "etc/fstab", "/dev/vg/sde /srv ext4", DW_TAG_UUID, "x", 0 },
		{ "etc/fstab", "/dev/x /srv btrfs rw,device=/dev/sde", DW_TAG_UUID, "x",
		  1 },
		{ "etc/fstab", "/dev/disk/by-id/ata-M_Z1D0A-part1 /srv ext4", DW_TAG_UUID,
		  "x", 1 },
		{ "etc/fstab", "/dev/disk/by-id/wwn-0x5000c500ab12cd34 /srv ext4",
		  DW_TAG_UUID, "x", 1 },
		{ "etc/fstab", "/dev/disk/by-id/ata-M_Z1D0B-part1 /srv ext4", DW_TAG_UUID,
		  "x", 0 },
		{ "etc/fstab", "/dev/v--g/lv /srv ext4", DW_TAG_GROUP, "v--g", 1 },
		{ "etc/fstab", "/dev/mapper/v--g-lv /srv ext4", DW_TAG_GROUP, "v-g", 1 },
		{ "etc/crypttab", "c UUID=" U " none luks\n", DW_TAG_UUID, U, 1 },
		{ "etc/crypttab", "c /x /k:PARTUUID=p luks\n", DW_TAG_PARTUUID, "P", 1 },
		{ "etc/crypttab", "c /x none header=/h:LABEL=l,luks\n", DW_TAG_LABEL, "l",
		  1 },
		{ "etc/mdadm.conf",
		  "ARRAY /dev/md/a metadata=1.2 UUID=01234567:89abcdef:"
		  "01234567:89ABCDEF\n",
		  DW_TAG_ARRAY, "0123456789abcdef0123456789abcdef", 1 },
		{ "etc/mdadm/mdadm.conf",
		  "ARRAY <ignore> UUID=01234567:89abcdef:01234567:"
		  "89abcdef\n",
		  DW_TAG_ARRAY, "0123456789abcdef0123456789abcdef", 0 },
		{ "etc/systemd/system/srv.mount", "[Mount]\nWhat=UUID=" U "\n",
		  DW_TAG_UUID, U, 1 },
		{ "proc/cmdline", "quiet resume=UUID=" U " ro\n", DW_TAG_UUID, U, 1 },
		{ "proc/cmdline", "root=PARTUUID=ab/PARTNROFF=1\n", DW_TAG_PARTUUID, "AB",
		  1 },
		{ "proc/cmdline", "rd.luks.uuid=luks-" U "\n", DW_TAG_UUID, U, 1 },
		{ "proc/cmdline", "rd.luks.name=" U "=root\n", DW_TAG_UUID, U, 1 },
		{ "proc/cmdline", "rd.lvm.lv=vg/root\n", DW_TAG_GROUP, "vg", 1 },
		{ "proc/cmdline", "xresume=UUID=" U "\n", DW_TAG_UUID, U, 0 },
		{ "sys/power/resume", "8:64\n", DW_TAG_UUID, "x", 1 },
		{ "sys/power/resume", "0:0\n", DW_TAG_UUID, "x", 0 },
		{ "proc/spl/kstat/zfs/tank/state", "ONLINE\n", DW_TAG_POOL, "tank", 1 },
		{ "proc/spl/kstat/zfs/arcstats", "x\n", DW_TAG_POOL, "arcstats", 0 },
		{ "sys/fs/btrfs/" U "/devinfo/2/missing", "1\n", DW_TAG_BTRFS, U, 1 },
		{ "sys/fs/btrfs/" U "/devinfo/2/missing", "0\n", DW_TAG_BTRFS, U, 0 },
		{ "sys/fs/btrfs/" U "/label", "\n", DW_TAG_BTRFS, U, 1 },
		{ "sys/fs/bcache/" U "/stop", "", DW_TAG_CACHE_SET, U, 1 },
	};
	struct dw_verdict v;
	struct machine t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		machine_file(&t, "proc/self/mountinfo", "");
		machine_file(&t, rows[i].file, rows[i].line);
		if (judge(&t, rows[i].kind, rows[i].value, &v) != rows[i].want)
			fail_msg("%s: %s", rows[i].file, rows[i].line);
		machine_free(&t);
	}
}

/* A line that has what it names needs no other disk of that name. */
static void served(void **state)
{
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "etc/fstab", "UUID=" U " /srv ext4 defaults\n");
	machine_file(&t, "proc/self/mountinfo", "");
	assert_int_equal(1, judge(&t, DW_TAG_UUID, U, &v));
	assert_string_equal(
		"the running system will use it: line 1 of /etc/fstab, for /srv",
		v.reason);
	assert_string_equal("sed -i '1s/^/#/' /etc/fstab", v.release);
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
	assert_int_equal(0, judge(&t, DW_TAG_UUID, U, &v));
	machine_file(&t, "etc/fstab", "");

	machine_file(&t, "sys/devices/virtual/block/md0/md/uuid", "aa00\n");
	machine_file(&t, "sys/devices/virtual/block/md0/md/degraded", "0\n");
	machine_file(&t, "etc/mdadm.conf", "ARRAY /dev/md0 UUID=aa:00\n");
	assert_int_equal(0, judge(&t, DW_TAG_ARRAY, "aa00", &v));
	machine_file(&t, "sys/devices/virtual/block/md0/md/degraded", "1\n");
	assert_int_equal(1, judge(&t, DW_TAG_ARRAY, "aa00", &v));
	assert_string_equal("mdadm --stop /dev/md0", v.release);

	/* the same swap is active from another disk */
	machine_file(&t, "proc/cmdline", "resume=UUID=" U "\n");
	machine_file(&t, "sys/power/resume", "8:2\n");
	machine_file(&t, "proc/swaps", "Filename\n");
	assert_int_equal(1, judge(&t, DW_TAG_UUID, U, &v));
	assert_string_equal("", v.release);
	machine_file(&t, "proc/swaps", "Filename\n/dev/sda2 partition 1 0 -2\n");
	assert_int_equal(0, judge(&t, DW_TAG_UUID, U, &v));
	machine_free(&t);
}

static void active_group(void **state)
{
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "sys/devices/virtual/block/dm-0/dm/name", "v--g-lv");
	machine_file(
		&t, "sys/devices/virtual/block/dm-0/dm/uuid",
		"LVM-abcdefghijklmnopqrstuvwxyz012345ABCDEFGHIJKLMNOPQRSTUVWXYZ012345");
	assert_int_equal(
		1, judge(&t, DW_TAG_GROUP_ID, "abcdefghijklmnopqrstuvwxyz012345", &v));
	assert_string_equal("vgchange -an v-g", v.release);
	assert_int_equal(
		0, judge(&t, DW_TAG_GROUP_ID, "bbcdefghijklmnopqrstuvwxyz012345", &v));
	machine_free(&t);
}

static void write_bytes(struct machine *t, const char *path, const void *data, size_t n)
{
	char full[PATH_MAX];
	FILE *f;

	machine_file(t, path, "");
	assert_int_equal(0, dw_path(full, "%s/%s", t->root, path));
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(n, fwrite(data, 1, n, f));
	fclose(f);
}

static void pool_cache(void **state)
{
	static const char cache[] =
		"\1\1\0\0\0\0\0\0"
		"\0\0\0\x04name\0\0\0\x09\0\0\0\1\0\0\0\4tank"
		"\0\0\0\x09pool_guid\0\0\0\0\0\0\x08\0\0\0\1"
		"\0\0\0\0\0\0\1\2"
		"\0\0\0\x04name\0\0\0\x09\0\0\0\1\xff\xff\xff\xfftank";
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	for (size_t n = 0; n <= sizeof(cache) - 1; n++) {
		write_bytes(&t, "etc/zfs/zpool.cache", cache, n);
		assert_int_equal(n >= 32, judge(&t, DW_TAG_POOL, "tank", &v));
		assert_int_equal(n >= 64, judge(&t, DW_TAG_POOL_ID, "258", &v));
	}
	machine_free(&t);
}

/* A load option as firmware has it, and every way to cut or spoil it. */
static void boot_entry(void **state)
{
	static const char guid[] = "-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	static const unsigned char option[] = {
		7,    0,    0,    0,    1,    0,    0,    0,    46 + 4, 0,    'd',  0,
		0,    0,             /* attributes, "d" */
		2,    1,    4,    0, /* some other node */
		4,    1,    42,   0,    1,    0,    0,    0,    0,      8,    0,    0,
		0,    0,    0,    0,    0,    16,   0,    0,    0,      0,    0,    0,
		0xed, 0x55, 0x5e, 0x0b, 0x11, 0x11, 0x22, 0x22, 0x33,   0x33, 0x44, 0x44,
		0x55, 0x55, 0x66, 0x66, 2,    2,    0x7f, 0xff, 4,      0
	};
	unsigned char spoilt[sizeof(option)];
	char current[96], entry[96];
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	snprintf(current, sizeof(current), "sys/firmware/efi/efivars/BootCurrent%s",
		 guid);
	snprintf(entry, sizeof(entry), "sys/firmware/efi/efivars/Boot001A%s", guid);
	write_bytes(&t, entry, option, sizeof(option));
	assert_int_equal(0, judge(&t, DW_TAG_PARTUUID, U, &v));
	write_bytes(&t, current, "\6\0\0\0\x1a\0", 6);
	assert_int_equal(1, judge(&t, DW_TAG_PARTUUID,
				  "0b5e55ed-1111-2222-3333-444455556666", &v));
	assert_string_equal(
		"the running system will use it: the firmware booted from it or from its "
		"original (Boot001A); erase it on another machine",
		v.reason);
	assert_string_equal("", v.release);
	for (size_t n = 0; n < sizeof(option) - 4; n++) {
		write_bytes(&t, entry, option, n);
		assert_int_equal(0, judge(&t, DW_TAG_PARTUUID, U, &v));
	}
	for (size_t i = 4; i < sizeof(option); i++) {
		memcpy(spoilt, option, sizeof(option));
		spoilt[i] = 0xff;
		write_bytes(&t, entry, spoilt, sizeof(spoilt));
		judge(&t, DW_TAG_PARTUUID, U, &v);
	}
	/* a node that ends before its signature */
	memcpy(spoilt, option, sizeof(option));
	spoilt[20] = 20;
	write_bytes(&t, entry, spoilt, sizeof(spoilt));
	assert_int_equal(0, judge(&t, DW_TAG_PARTUUID, U, &v));
	/* the signature of an MBR */
	memcpy(spoilt, option, sizeof(option));
	spoilt[sizeof(option) - 6] = 1;
	spoilt[sizeof(option) - 5] = 1;
	write_bytes(&t, entry, spoilt, sizeof(spoilt));
	assert_int_equal(1, judge(&t, DW_TAG_PARTUUID, "0b5e55ed-01", &v));
	machine_free(&t);
}

/* The checksum of LVM's label sector: that of Ethernet, begun and ended in another way. */
static void seal(unsigned char *sector)
{
	uint32_t crc = 0xf597a6cf;

	for (size_t i = 20; i < 512; i++) {
		crc ^= sector[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	memcpy(sector + 16, &crc, sizeof(crc));
}

/* Names that libblkid does not tell are read from the disk. */
static void tags_of_disk(void **state)
{
	static const char lvm[] =
		"junk\"\nseqno = 1\n\0v-g.1 {\nid = \"abcdef-ghij-klmn-opqr-"
		"stuv-wxyz-012345\"\nseqno = 7\nformat = \"lvm2\"\n";
	static char disk[4 << 20];
	struct dw_signatures found;
	struct dw_tags tags = { 0 };
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	bool group = false, id = false, uuid = false;

	if (fd < 0)
		skip();
	memcpy(disk + 512, "LABELONE\1\0\0\0\0\0\0\0", 16);
	memcpy(disk + 512 + 20, "\x20\0\0\0LVM2 001", 12);
	memcpy(disk + 512 + 32, "abcdefghijklmnopqrstuvwxyz012345", 32);
	seal((unsigned char *)disk + 512);
	memcpy(disk + 8192, lvm, sizeof(lvm));
	assert_int_equal(sizeof(disk), write(fd, disk, sizeof(disk)));
	assert_int_equal(0, dw_signatures_read(fd, &found, &tags));
	close(fd);
	for (size_t i = 0; i < tags.n; i++) {
		group |= tags.v[i].kind == DW_TAG_GROUP &&
			 !strcmp(tags.v[i].value, "v-g.1");
		id |= tags.v[i].kind == DW_TAG_GROUP_ID &&
		      !strcmp(tags.v[i].value, "abcdefghijklmnopqrstuvwxyz012345");
		uuid |= tags.v[i].kind == DW_TAG_UUID;
	}
	free(tags.v);
	assert_string_equal("LVM2_member", found.text);
	assert_true(group && id && uuid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),        cmocka_unit_test(served),
		cmocka_unit_test(active_group), cmocka_unit_test(pool_cache),
		cmocka_unit_test(boot_entry),   cmocka_unit_test(tags_of_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
