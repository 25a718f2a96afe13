/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a disk: on a recorded machine with everything on it, and on made-up ones. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/file.h"
#include "judge/inuse.h"
#include "device/node.h"
#include "judge/verdict.h"
#include "machine.h"
#include "unit.h"
#include "users.h"

static void recorded_stacks(void **state)
{
	const char *down = "umount '/run/my disk' && vgchange -an data-vg && "
			   "mdadm --stop /dev/md0";
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	judge(&t, makedev(8, 0), &v);
	assert_int_equal(DW_REFUSAL_MOUNTED, v.refusal);
	assert_string_equal("mounted at /run/srv (sda1)", v.reason);
	/* in the order in which the folder has its partitions */
	assert_true(!strcmp("umount /run/srv && swapoff /dev/sda2", v.release) ||
		    !strcmp("swapoff /dev/sda2 && umount /run/srv", v.release));
	expect_verdict(&t, makedev(8, 16), DW_REFUSAL_MOUNTED,
		       "mounted at /run/my disk (dm-0)", down);
	expect_verdict(&t, makedev(8, 32), DW_REFUSAL_MOUNTED,
		       "mounted at /run/my disk (dm-0)", down);
	expect_verdict(&t, makedev(8, 48), DW_REFUSAL_HOLDER,
		       "LIO backstore block/b0 (sdd)",
		       "targetcli /backstores/block delete b0");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_free(&t);
}

static void system_through_slaves(void **state)
{
	static const char *const points[] = { "/", "/boot", "/boot/efi", "/usr" };
	char info[256];
	struct machine t;
	struct dw_verdict v;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		snprintf(info, sizeof(info),
			 "22 1 253:0 / %s rw - ext4 /dev/mapper/x rw\n", points[i]);
		machine_file(&t, "proc/self/mountinfo", info);
		for (unsigned int minor = 16; minor <= 32; minor += 16) {
			assert_int_equal(1, judge(&t, makedev(8, minor), &v));
			assert_int_equal(DW_REFUSAL_SYSTEM, v.refusal);
			assert_non_null(strstr(v.reason, points[i]));
			assert_string_equal("", v.release);
		}
		assert_int_equal(0, judge(&t, makedev(8, 64), &v));
	}
	machine_free(&t);
}

/* Three octal digits, or what stands there: a line may end in the middle of them. */
static void escapes(void **state)
{
	static const struct {
		const char *text, *is;
	} rows[] = {
		{ "/a\\040b\\134", "/a b\\" }, { "/a\\", "/a\\" },
		{ "/a\\0", "/a\\0" },          { "/a\\04", "/a\\04" },
		{ "/a\\ 40", "/a\\ 40" },      { "/a\\089", "/a\\089" },
	};
	char *text;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = strdup(rows[i].text);
		assert_non_null(text);
		dw_proc_unescape(text);
		assert_string_equal(rows[i].is, text);
		free(text);
	}
}

#define SDE1 "pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/block/sde/sde1"

/* Nothing is mounted, but a partition is part of something. */
static void holder_of_a_partition(void **state)
{
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_block(&t, SDE1, "8:65");
	machine_file(&t, "sys/devices/" SDE1 "/partition", "1");
	assert_int_equal(0, judge(&t, makedev(8, 64), &v));
	machine_block(&t, "virtual/block/dm-7", "253:7");
	machine_link(&t, "sys/devices/" SDE1 "/holders/dm-7",
		     "../../../../../../../../../virtual/block/dm-7");
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	assert_int_equal(DW_REFUSAL_HOLDER, v.refusal);
	machine_free(&t);
}

/* A driver without holders links: only the slaves of what is mounted lead down. */
static void slaves_without_holders(void **state)
{
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_block(&t, "pci/virtio1/block/vda", "254:0");
	machine_link(&t, "sys/devices/pci/virtio1/block/vda/device", "../..");
	machine_block(&t, "pci/virtio1/block/vda/vda3", "254:3");
	machine_file(&t, "sys/devices/pci/virtio1/block/vda/vda3/partition", "3");
	machine_block(&t, "virtual/block/odd1", "250:1");
	machine_block(&t, "virtual/block/odd0", "250:0");
	machine_link(&t, "sys/devices/virtual/block/odd0/slaves/odd1", "../../odd1");
	machine_link(&t, "sys/devices/virtual/block/odd1/slaves/vda3",
		     "../../../../pci/virtio1/block/vda/vda3");
	assert_int_equal(0, judge(&t, makedev(254, 0), &v));
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 250:0 / /boot rw - ext4 /dev/odd0 rw\n");
	assert_int_equal(1, judge(&t, makedev(254, 0), &v));
	assert_int_equal(DW_REFUSAL_SYSTEM, v.refusal);
	machine_file(&t, "proc/self/mountinfo", "");
	machine_file(&t, "proc/swaps",
		     "Filename Type Size Used Priority\n/dev/odd0 partition 1 0 -2\n");
	expect_verdict(&t, makedev(254, 0), DW_REFUSAL_SWAP, "swap (vda3)",
		       "swapoff /dev/odd0");
	machine_free(&t);
}

static void other_mount_namespaces(void **state)
{
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_link(&t, "proc/self/ns/mnt", "mnt:[4026531840]");
	machine_link(&t, "proc/77/ns/mnt", "mnt:[4026531999]");
	machine_link(&t, "proc/77/root", "/");
	machine_file(&t, "proc/77/mountinfo",
		     "22 1 8:64 / /data rw - ext4 /dev/sde rw\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /data (sde)",
		       "umount --namespace=77 /data");
	/* one that came from ours goes away with ours; one that is its own does not */
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 8:64 / /data rw shared:7 - ext4 /dev/sde rw\n");
	machine_file(&t, "proc/77/mountinfo",
		     "92 1 8:64 / /data rw master:7 - ext4 /dev/sde rw\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /data (sde)",
		       "umount /data");
	machine_file(&t, "proc/77/mountinfo",
		     "92 1 8:64 / /data rw - ext4 /dev/sde rw\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /data (sde)",
		       "umount /data && umount --namespace=77 /data");
	machine_free(&t);
}

/* No command reaches into the namespace of another user, and his paths are not repeated. */
static void mounts_of_other_users(void **state)
{
	static const struct {
		const char *user, *root;
		bool apart, foreign;
	} rows[] = {
		{ "user:[4026531837]", "/", false, false },
		{ "user:[4026532777]", "/", true, true },
		{ NULL, "/", true, false }, /* it cannot be told */
		{ "user:[4026531837]", "/srv/jail", true, false },
		{ "user:[4026531837]", NULL, true, false },
	};
	struct dw_verdict v;
	struct machine t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		machine_link(&t, "proc/self/ns/mnt", "mnt:[4026531840]");
		machine_link(&t, "proc/self/ns/user", "user:[4026531837]");
		machine_link(&t, "proc/77/ns/mnt", "mnt:[4026531999]");
		if (rows[i].user)
			machine_link(&t, "proc/77/ns/user", rows[i].user);
		if (rows[i].root)
			machine_link(&t, "proc/77/root", rows[i].root);
		machine_file(&t, "proc/77/mountinfo",
			     "22 1 8:64 / /usr rw - ext4 /dev/sde rw\n");
		if (rows[i].apart)
			expect_verdict(
				&t, makedev(8, 64), DW_REFUSAL_MOUNTED,
				"mounted (sde) where process 77 sees it, which has to end",
				"");
		else
			expect_verdict(&t, makedev(8, 64), DW_REFUSAL_SYSTEM,
				       "holds /usr of the running system (sde)", "");
		assert_int_equal(1, judge(&t, makedev(8, 64), &v));
		assert_int_equal(rows[i].foreign, v.foreign);
		machine_free(&t);
	}
}

/* What the machine itself uses is its own, whoever else does, and whatever is found first. */
static void foreign_mounts_and_own(void **state)
{
	static const char line[] = "22 1 8:64 / /data rw - ext4 /dev/sde rw\n";
	struct dw_verdict v;
	struct machine t;

	for (int jail = 0; jail < 2; jail++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		machine_link(&t, "proc/self/ns/mnt", "mnt:[4026531840]");
		machine_link(&t, "proc/self/ns/user", "user:[4026531837]");
		for (int pid = 77; pid < 80; pid++) {
			char path[64], link[64];

			snprintf(path, sizeof(path), "proc/%d/ns/mnt", pid);
			snprintf(link, sizeof(link), "mnt:[%d]", pid);
			machine_link(&t, path, link);
			snprintf(path, sizeof(path), "proc/%d/ns/user", pid);
			machine_link(&t, path,
				     pid == 78 ? "user:[4026531837]"
					       : "user:[4026532777]");
			snprintf(path, sizeof(path), "proc/%d/root", pid);
			machine_link(&t, path, jail ? "/srv/jail" : "/");
			snprintf(path, sizeof(path), "proc/%d/mountinfo", pid);
			machine_file(&t, path, line);
		}
		assert_int_equal(1, judge(&t, makedev(8, 64), &v));
		assert_int_equal(DW_REFUSAL_MOUNTED, v.refusal);
		assert_false(v.foreign);
		machine_free(&t);
	}
}

/* More than anybody would have thought of, and one mount of a device told where there are many. */
static void many_namespaces(void **state)
{
	enum { NAMESPACES = 1100 };
	char path[64], link[64];
	struct dw_uses uses = { 0 };
	struct dw_verdict v;
	struct machine t;
	size_t n = 0;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "proc/self/mountinfo", "");
	machine_link(&t, "proc/self/ns/mnt", "mnt:[4026531840]");
	for (int i = 1; i <= NAMESPACES; i++) {
		snprintf(path, sizeof(path), "proc/%d/ns/mnt", i);
		snprintf(link, sizeof(link), "mnt:[%u]", 4026532000u + (unsigned int)i);
		machine_link(&t, path, link);
		snprintf(path, sizeof(path), "proc/%d/mountinfo", i);
		machine_file(&t, path,
			     i == NAMESPACES / 2
				     ? "22 1 8:64 / /data rw - ext4 /dev/sde rw\n"
				     : "22 1 8:48 / /a rw - ext4 /dev/sdd rw\n"
				       "23 1 8:48 / /b rw - ext4 /dev/sdd rw\n");
	}
	assert_int_equal(0, dw_uses_scan(&t.m, &uses));
	assert_string_equal("", uses.unseen);
	for (size_t i = 0; i < uses.n; i++)
		n += uses.v[i].kind == DW_USE_MOUNT;
	assert_int_equal(2, n);
	dw_uses_free(&uses);
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	assert_int_equal(DW_REFUSAL_MOUNTED, v.refusal);
	machine_free(&t);
}

/* A source is what whoever mounts says; what holds a device has its number. */
static void sources_are_words(void **state)
{
	static const char *const lines[] = {
		"40 22 0:55 / /mnt rw - tmpfs /dev/sde rw\n",
		"40 22 0:55 / /mnt rw - fuse.btrfs /dev/sde rw\n",
		"40 22 0:55 / /mnt rw - overlay /dev/sde rw\n",
		"40 22 0:55 / /mnt rw - btrfs /dev/sde rw\n", /* none that is open */
		"40 22 0:55 / /mnt rw - btrfs\n",
		"40 22 0:55 / /mnt\n",
	};
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_link(&t, "sys/fs/btrfs/9999/devices/sda1",
		     "../../../../class/block/sda1");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		machine_file(&t, "proc/self/mountinfo", lines[i]);
		assert_int_equal(0, judge(&t, makedev(8, 64), &v));
	}
	machine_free(&t);
}

/* They have a number of their own; the source names one device, sysfs confirms it and has the
 * others. */
static void types_with_devices(void **state)
{
	static const struct {
		const char *line, *one, *other, *stranger;
	} rows[] = {
		{ "40 22 0:55 / /tank rw - btrfs /dev/sde rw\n",
		  "sys/fs/btrfs/0a1b/devices/sde", "sys/fs/btrfs/0a1b/devices/sda2",
		  "sys/fs/btrfs/0a1bc/devices/sda1" },
		{ "40 22 0:55 / /tank rw - bcachefs /dev/sde:/dev/sda2 rw\n",
		  "sys/fs/bcachefs/0a1b/dev-0/block", "sys/fs/bcachefs/0a1b/dev-1/block",
		  "sys/fs/bcachefs/0a1bc/dev-0/block" },
	};
	struct dw_uses uses;
	struct machine t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		machine_file(&t, "proc/swaps", "");
		machine_file(&t, "proc/self/mountinfo", rows[i].line);
		machine_link(&t, rows[i].one, "../../../../class/block/sde");
		machine_link(&t, rows[i].other, "../../../../class/block/sda2");
		machine_link(&t, rows[i].stranger, "../../../../class/block/sda1");
		expect_verdict(&t, makedev(8, 0), DW_REFUSAL_MOUNTED,
			       "mounted at /tank (sda2)", "umount /tank");
		expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED,
			       "mounted at /tank (sde)", "umount /tank");
		/* sda1 is of another file system, which is not mounted */
		snapshot(&t, &uses);
		for (size_t k = 0; k < uses.n; k++)
			assert_false(uses.v[k].kind == DW_USE_MOUNT &&
				     uses.v[k].dev == makedev(8, 1));
		dw_uses_free(&uses);
		machine_free(&t);
	}
}

/* Who is recognised by what, and the command that lets go. */
static void holders_by_name(void **state)
{
	static const struct {
		const char *name;
		const char *uuid;
		const char *reason;
		const char *release;
	} rows[] = {
		{ "vg--a-lv", "LVM-abc", "in use by LVM volume group vg-a",
		  "vgchange -an vg-a" },
		{ "secret", "CRYPT-LUKS2-1", "in use by encrypted volume secret",
		  "cryptsetup close secret" },
		{ "mp0", "", "in use by device-mapper map mp0", "dmsetup remove mp0" },
		{ "it's; rm x", "", "in use by device-mapper map it's; rm x",
		  "dmsetup remove 'it'\\''s; rm x'" },
		{ "-f", "", "in use by device-mapper map -f", "dmsetup remove -- '-f'" },
	};
	struct machine t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		machine_file(&t, "proc/self/mountinfo", "");
		machine_file(&t, "sys/devices/virtual/block/dm-0/dm/name", rows[i].name);
		machine_file(&t, "sys/devices/virtual/block/dm-0/dm/uuid", rows[i].uuid);
		machine_link(&t,
			     "sys/devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/"
			     "block/sde/holders/dm-0",
			     "../../../../../../../../virtual/block/dm-0");
		expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER, rows[i].reason,
			       rows[i].release);
		machine_free(&t);
	}
}

/* A multipath map is claimed with the disk, whatever its daemon has open; what stands on it
 * or has it open keeps it. */
static void multipath(void **state)
{
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "proc/self/mountinfo", "");
	machine_file(&t, "sys/devices/virtual/block/dm-0/dm/name", "mpatha");
	machine_file(&t, "sys/devices/virtual/block/dm-0/dm/uuid", "mpath-35000");
	machine_link(&t,
		     "sys/devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/"
		     "block/sde/holders/dm-0",
		     "../../../../../../../../virtual/block/dm-0");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_file(&t, "proc/self/mountinfo",
		     "30 1 253:0 / /srv rw - ext4 /dev/dm-0 rw\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /srv (dm-0)",
		       "umount /srv");
	machine_file(&t, "proc/self/mountinfo", "");
	/* of no use is a map of another kind */
	machine_file(&t, "sys/devices/virtual/block/dm-0/dm/uuid", "part1-mpath-35000");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER,
		       "in use by device-mapper map mpatha", "dmsetup remove mpatha");
	machine_free(&t);
}

static void lio_loop_and_bcache(void **state)
{
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "sys/kernel/config/target/core/pscsi_1/p0/info",
		     "Status: ACTIVATED\nSCSI Device Bus Location: Channel ID: 0 "
		     "Target ID: 0 LUN: 0 Host ID: 4\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER,
		       "LIO backstore pscsi/p0 (sde)",
		       "targetcli /backstores/pscsi delete p0");
	machine_file(&t, "sys/kernel/config/target/core/pscsi_1/p0/info", "Status: x\n");
	machine_file(
		&t, "sys/kernel/config/target/core/fileio_1/f0/info",
		"Status: ACTIVATED\n TCM FILEIO ID: 0        File: /dev/sde  Size: 1\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER,
		       "LIO backstore fileio/f0 (sde)",
		       "targetcli /backstores/fileio delete f0");
	machine_file(&t, "sys/kernel/config/target/core/fileio_1/f0/info", "");
	machine_block(&t, "virtual/block/loop3", "7:3");
	machine_file(&t, "sys/devices/virtual/block/loop3/loop/backing_file",
		     "/dev/sde\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER,
		       "loop device /dev/loop3 (sde)", "losetup -d /dev/loop3");
	machine_file(&t, "sys/devices/virtual/block/loop3/loop/autoclear", "1\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER,
		       "loop device /dev/loop3 (sde)", "");
	machine_file(&t, "sys/devices/virtual/block/loop3/loop/autoclear", "0\n");
	/* what stands on it comes first */
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 7:3 / /srv rw - ext4 /dev/loop3 rw\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /srv (loop3)",
		       "umount /srv && losetup -d /dev/loop3");
	machine_file(&t, "proc/self/mountinfo", "");
	machine_file(&t, "sys/devices/virtual/block/loop3/loop/backing_file", "/\n");
	machine_file(&t,
		     "sys/devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/block/sde/"
		     "bcache/state",
		     "clean");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER, "in use by bcache (sde)",
		       "echo 1 > /sys/class/block/sde/bcache/stop");
	/* a cache belongs to a set */
	machine_link(&t,
		     "sys/devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/block/sde/"
		     "bcache/set",
		     "../../../../../../../../fs/bcache/0b5e");
	machine_file(&t, "sys/fs/bcache/0b5e/stop", "");
	machine_file(&t, "sys/devices/fs/bcache/0b5e/stop", "");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER, "in use by bcache (sde)",
		       "echo 1 > /sys/fs/bcache/0b5e/stop");
	machine_free(&t);
}

/* A node is its number: it may lie anywhere. One that is gone may have been any disk's. */
static void nodes_elsewhere(void **state)
{
	char node[80], text[200];
	struct dw_verdict v = { 0 };
	struct dw_uses uses;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	snprintf(node, sizeof(node), "/tmp/dw-my-%d  Size: x", (int)getpid());
	if (mknod(node, S_IFBLK | 0600, makedev(8, 64))) {
		machine_free(&t);
		skip();
	}
	snprintf(text, sizeof(text), "TCM FILEIO ID: 0  File: %s  Size: 1  Mode: x\n",
		 node);
	machine_file(&t, "sys/kernel/config/target/core/fileio_1/f0/info", text);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER,
		       "LIO backstore fileio/f0 (sde)",
		       "targetcli /backstores/fileio delete f0");
	unlink(node);
	snapshot(&t, &uses);
	assert_int_equal(1, dw_inuse_judge_unseen(&uses, &v));
	assert_string_equal("unseen", dw_refusal_name(v.refusal));
	assert_non_null(strstr(v.reason, "LIO backstore fileio/f0 stands on a path"));
	assert_string_equal("targetcli /backstores/fileio delete f0", v.release);
	dw_uses_free(&uses);
	/* a loop device that cannot be asked, and says a path that is not there */
	machine_file(&t, "sys/kernel/config/target/core/fileio_1/f0/info", "");
	machine_block(&t, "virtual/block/loop3", "7:3");
	machine_file(&t, "sys/devices/virtual/block/loop3/loop/backing_file",
		     "/run/x (deleted)\n");
	snapshot(&t, &uses);
	assert_int_equal(1, dw_inuse_judge_unseen(&uses, &v));
	assert_string_equal("mknod /dev/loop3 b 7 3", v.release);
	dw_uses_free(&uses);
	machine_free(&t);
}

/* A namespace of its own sees its own processes only. */
static void other_namespaces(void **state)
{
	static const struct {
		const char *kind, *link, *says;
	} rows[] = {
		{ "pid", "pid:[4026531836]", "" },
		{ "user", "user:[4026531837]", "" },
		{ "pid", "pid:[4026532000]", "--pid=host" },
		{ "user", "user:[4026532000]", "without user mapping" },
	};
	struct dw_uses uses;
	struct machine t;
	char path[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		snprintf(path, sizeof(path), "proc/self/ns/%s", rows[i].kind);
		machine_link(&t, path, rows[i].link);
		snapshot(&t, &uses);
		assert_int_equal(rows[i].says[0] != 0, uses.unseen[0] != 0);
		assert_non_null(strstr(uses.unseen, rows[i].says));
		dw_uses_free(&uses);
		machine_free(&t);
	}
}

/* The table of what else is given a disk by its path. */
static void exported(void **state)
{
	static const struct {
		const char *path;
		const char *other;
		const char *reason;
		const char *release;
	} rows[] = {
		{ "kernel/config/nvmet/subsystems/n.q/namespaces/1/device_path",
		  "kernel/config/nvmet/subsystems/n.q/namespaces/1/enable",
		  "NVMe target n.q/namespaces/1 (sde)",
		  "echo 0 > ROOT/kernel/config/nvmet/subsystems/n.q/namespaces/1/enable" },
		{ "kernel/config/usb_gadget/g/functions/mass_storage.0/lun.0/file", NULL,
		  "USB gadget g/functions/mass_storage.0/lun.0 (sde)",
		  "echo > ROOT/kernel/config/usb_gadget/g/functions/mass_storage.0/lun.0/"
		  "file" },
		{ "kernel/scst_tgt/devices/d/filename", NULL, "SCST device d (sde)", "" },
		{ "block/zram0/backing_dev", NULL, "compressed disk zram0 (sde)",
		  "zramctl --reset /dev/zram0" },
	};
	char path[160], release[256];
	const char *at;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(path, sizeof(path), "sys/%s", rows[i].path);
		machine_file(&t, path, "/dev/sde\n");
		if (rows[i].other) {
			char enable[160];

			snprintf(enable, sizeof(enable), "sys/%s", rows[i].other);
			machine_file(&t, enable, "0\n");
			expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
			machine_file(&t, enable, "1\n");
		}
		if ((at = strstr(rows[i].release, "ROOT")))
			snprintf(release, sizeof(release), "%.*s%s%s",
				 (int)(at - rows[i].release), rows[i].release, t.sys,
				 at + 4);
		else
			snprintf(release, sizeof(release), "%s", rows[i].release);
		expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER, rows[i].reason,
			       release);
		machine_file(&t, path, "none\n");
	}
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_free(&t);
}

/* A loop of links must end, and must not pass for a free disk. */
static void circular_holders(void **state)
{
	struct dw_uses uses = { 0 };
	struct dw_verdict v = { 0 };
	struct dw_disk_info info;
	enum dw_node_kind kind;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_link(&t, "sys/devices/virtual/block/dm-0/holders/md0", "../../md0");
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(8, 16), &info, &kind));
	assert_int_equal(-ELOOP, dw_inuse_judge(&t.m, &uses, &info, &v));
	machine_free(&t);
}

/* Names come from strangers: no control characters, no half command. */
static void hostile_names(void **state)
{
	char info[600], long_name[300];
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 8:64 / /a\\033[2Jb rw - ext4 /dev/sde rw\n");
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	assert_string_equal("mounted at /a?[2Jb (sde)", v.reason);
	assert_string_equal("", v.release);
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 8:64 / /x;$(reboot)`id`\\040&'y\" rw - ext4 /dev/sde rw\n");
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	assert_string_equal("umount '/x;$(reboot)`id` &'\\''y\"'", v.release);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	snprintf(
		info, sizeof(info),
		"22 1 8:64 / /%s rw - ext4 /dev/sde rw\n23 1 8:64 / /b rw - ext4 /dev/sde rw\n",
		long_name);
	machine_file(&t, "proc/self/mountinfo", info);
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	assert_int_equal(DW_REFUSAL_MOUNTED, v.refusal);
	assert_string_equal("umount /b", v.release);
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 8:64 / /mnt/ab rw - ext4 /dev/sde rw\n"
		     "23 1 8:64 / /mnt/a rw - ext4 /dev/sde rw\n"
		     "24 1 8:64 / /mnt/a rw - ext4 /dev/sde rw\n");
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	assert_string_equal("umount /mnt/a && umount /mnt/a && umount /mnt/ab",
			    v.release);
	machine_free(&t);
}

static void shell_commands(void **state)
{
	char buf[32];

	assert_string_equal("umount /a",
			    dw_shell_command("umount", "/a", buf, sizeof(buf)));
	assert_string_equal("umount '/a b'",
			    dw_shell_command("umount", "/a b", buf, sizeof(buf)));
	assert_string_equal("umount '$(x)'",
			    dw_shell_command("umount", "$(x)", buf, sizeof(buf)));
	assert_string_equal("umount ''",
			    dw_shell_command("umount", "", buf, sizeof(buf)));
	assert_string_equal("", dw_shell_command("umount", "/a\nb", buf, sizeof(buf)));
	assert_string_equal("",
			    dw_shell_command("umount", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
					     buf, sizeof(buf)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_stacks),
		cmocka_unit_test(system_through_slaves),
		cmocka_unit_test(holder_of_a_partition),
		cmocka_unit_test(escapes),
		cmocka_unit_test(slaves_without_holders),
		cmocka_unit_test(other_mount_namespaces),
		cmocka_unit_test(mounts_of_other_users),
		cmocka_unit_test(foreign_mounts_and_own),
		cmocka_unit_test(many_namespaces),
		cmocka_unit_test(sources_are_words),
		cmocka_unit_test(types_with_devices),
		cmocka_unit_test(holders_by_name),
		cmocka_unit_test(multipath),
		cmocka_unit_test(lio_loop_and_bcache),
		cmocka_unit_test(nodes_elsewhere),
		cmocka_unit_test(other_namespaces),
		cmocka_unit_test(exported),
		cmocka_unit_test(circular_holders),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(shell_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
