/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a disk: on a recorded machine with everything on it, and on made-up ones. */
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/inuse.h"
#include "device/node.h"
#include "device/verdict.h"
#include "machine.h"
#include "unit.h"

static int judge(struct machine *t, dev_t dev, struct dw_verdict *v)
{
	struct dw_uses uses = { 0 };
	struct dw_disk_info info;
	enum dw_node_kind kind;
	int r;

	*v = (struct dw_verdict){ 0 };
	assert_int_equal(0, dw_node_resolve(&t->m, true, dev, &info, &kind));
	assert_int_equal(0, dw_uses_scan(&t->m, &uses));
	r = dw_inuse_judge(&t->m, &uses, &info, v);
	dw_uses_free(&uses);
	assert_int_equal(r, v->refusal != DW_REFUSAL_NONE);
	return r;
}

static void expect_verdict(struct machine *t, dev_t dev, enum dw_refusal refusal,
			   const char *reason, const char *release)
{
	struct dw_verdict v;

	judge(t, dev, &v);
	assert_string_equal(dw_refusal_name(refusal), dw_refusal_name(v.refusal));
	assert_string_equal(reason, v.reason);
	assert_string_equal(release, v.release);
}

static void recorded_stacks(void **state)
{
	const char *down = "umount '/run/my disk' && vgchange -an data-vg && "
			   "mdadm --stop /dev/md0";
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	expect_verdict(&t, makedev(8, 0), DW_REFUSAL_MOUNTED,
		       "mounted at /run/srv (sda1)",
		       "umount /run/srv && swapoff /dev/sda2");
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
	machine_file(&t, "proc/77/mountinfo",
		     "22 1 8:64 / /data rw - ext4 /dev/sde rw\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /data (sde)",
		       "umount /data");
	machine_free(&t);
}

/* btrfs has a number of its own; the source names one device, sysfs the others. */
static void btrfs_on_two_disks(void **state)
{
	struct dw_verdict v;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_file(&t, "proc/self/mountinfo",
		     "40 22 0:55 / /tank rw - btrfs /dev/sde rw\n");
	machine_file(&t, "proc/swaps", "");
	assert_int_equal(1, judge(&t, makedev(8, 64), &v));
	machine_link(&t, "sys/fs/btrfs/0a1b/devices/sde", "../../../../class/block/sde");
	machine_link(&t, "sys/fs/btrfs/0a1b/devices/sda2",
		     "../../../../class/block/sda2");
	machine_link(&t, "sys/fs/btrfs/9999/devices/sda1",
		     "../../../../class/block/sda1");
	expect_verdict(&t, makedev(8, 0), DW_REFUSAL_MOUNTED, "mounted at /tank (sda2)",
		       "umount /tank");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_MOUNTED, "mounted at /tank (sde)",
		       "umount /tank");
	machine_free(&t);
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
	machine_file(&t, "sys/devices/virtual/block/loop3/loop/backing_file",
		     "/srv/image\n");
	machine_file(&t,
		     "sys/devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/block/sde/"
		     "bcache/state",
		     "clean");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_HOLDER, "in use by bcache (sde)",
		       "");
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

static void open_elsewhere(void **state)
{
	char node[128], target[128];
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	snprintf(node, sizeof(node), "%s/node", t.root);
	machine_file(&t, "proc/4242/comm", "qemu-system-x86\n");
	snprintf(target, sizeof(target), "%s/sg4", t.root);
	if (mknod(target, S_IFCHR | 0600, makedev(21, 4)) ||
	    mknod(node, S_IFBLK | 0600, makedev(8, 64))) {
		machine_free(&t);
		skip();
	}
	machine_link(&t, "proc/4242/fd/0", "/dev/null");
	machine_link(&t, "proc/4242/fd/1", "socket:[123]");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_link(&t, "proc/4242/fd/7", node);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
		       "open in process 4242 (qemu-system-x86)", "");
	machine_link(&t, "proc/4242/fd/7", target);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
		       "open in process 4242 (qemu-system-x86)", "");
	/* character number 253:4 is a bsg node here, block number 253:4 another thing */
	unlink(target);
	assert_int_equal(0, mknod(target, S_IFBLK | 0600, makedev(253, 4)));
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	unlink(target);
	assert_int_equal(0, mknod(target, S_IFCHR | 0600, makedev(253, 4)));
	machine_link(
		&t, "sys/class/bsg/4:0:0:0",
		"../../devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/bsg/4:0:0:0");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
		       "open in process 4242 (qemu-system-x86)", "");
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
	assert_string_equal("umount /mnt/ab && umount /mnt/a", v.release);
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
		cmocka_unit_test(slaves_without_holders),
		cmocka_unit_test(other_mount_namespaces),
		cmocka_unit_test(btrfs_on_two_disks),
		cmocka_unit_test(holders_by_name),
		cmocka_unit_test(multipath),
		cmocka_unit_test(lio_loop_and_bcache),
		cmocka_unit_test(circular_holders),
		cmocka_unit_test(open_elsewhere),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(shell_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
