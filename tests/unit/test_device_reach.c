/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes reach a disk, and who uses it by one of them or from inside the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/node.h"
#include "device/reach.h"
#include "judge/inuse.h"
#include "judge/verdict.h"
#include "machine.h"
#include "unit.h"

#define PCI0   "pci0000:00/0000:00:02.0/nvme/nvme0"
#define PCI1   "pci0000:00/0000:00:03.0/nvme/nvme1"
#define PCI2   "pci0000:00/0000:00:04.0/nvme/nvme2"
#define SUBSYS "virtual/nvme-subsystem/nvme-subsys0"

/* "b259:0 nvme0n1, c240:0 nvme0": what is found, in no order of its own. */
static void expect_nodes(struct machine *t, dev_t dev, const char *const *want)
{
	struct dw_disk_info info;
	enum dw_node_kind kind;
	struct dw_reach *node;
	size_t n, wanted = 0;
	char text[128];

	assert_int_equal(0, dw_node_resolve(&t->m, true, dev, &info, &kind));
	assert_int_equal(0, dw_reach_list(&t->m, &info, &node, &n));
	for (; want[wanted]; wanted++) {
		bool found = false;

		for (size_t i = 0; i < n && !found; i++) {
			snprintf(text, sizeof(text), "%c%u:%u %s",
				 node[i].block ? 'b' : 'c', major(node[i].dev),
				 minor(node[i].dev), node[i].name);
			found = !strcmp(text, want[wanted]);
		}
		if (!found)
			print_error("not found: %s\n", want[wanted]);
		assert_true(found);
	}
	assert_int_equal(wanted, n);
	free(node);
}

static void character(struct machine *t, const char *dir, const char *dev)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "sys/devices/%s/dev", dir));
	machine_file(t, path, dev);
}

/* A kind of node that nobody has heard of counts as those that are known. */
static void scsi_disk(void **state)
{
	static const char *const want[] = { "b8:16 sdb",          "c21:1 sg1",
					    "c250:7 bsg/0:0:1:0", "c251:3 odd3",
					    "c252:9 plain9",      NULL };
	struct machine_disk d = { .host_path = "pci/host0",
				  .middle = "",
				  .address = "0:0:1:0",
				  .sd = "sdb",
				  .sd_dev = "8:16",
				  .sg = "sg1",
				  .sg_dev = "21:1",
				  .driver = "x",
				  .vendor = "V",
				  .model = "M",
				  .type = "0" };
	char dir[PATH_MAX], path[PATH_MAX];
	struct machine t;

	machine_new(&t);
	machine_scsi(&t, &d, dir);
	assert_int_equal(0,
			 dw_path(path, "%s/bsg/0:0:1:0", dir + strlen("sys/devices/")));
	character(&t, path, "250:7");
	assert_int_equal(
		0, dw_path(path, "%s/odd_class/odd3", dir + strlen("sys/devices/")));
	character(&t, path, "251:3");
	assert_int_equal(0, dw_path(path, "%s/plain9", dir + strlen("sys/devices/")));
	character(&t, path, "252:9");
	/* another disk of the host */
	d.address = "0:0:2:0";
	d.sd = "sdc";
	d.sd_dev = "8:32";
	d.sg = "sg2";
	d.sg_dev = "21:2";
	machine_scsi(&t, &d, dir);
	expect_nodes(&t, makedev(8, 16), want);
	machine_free(&t);
}

static void block(struct machine *t, const char *dir, const char *name, const char *dev)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	machine_block(t, path, dev);
	snprintf(path, sizeof(path), "sys/devices/%s/%s/device", dir, name);
	machine_link(t, path, "..");
}

/* One controller with two namespaces. */
static void plain_nvme(struct machine *t)
{
	machine_new(t);
	character(t, PCI0, "240:0");
	machine_link(t, "sys/class/nvme/nvme0", "../../devices/" PCI0);
	block(t, PCI0, "nvme0n1", "259:0");
	block(t, PCI0, "nvme0n11", "259:1");
	character(t, PCI0 "/ng0n1", "241:0");
	machine_link(t, "sys/class/nvme-generic/ng0n1", "../../devices/" PCI0 "/ng0n1");
	character(t, PCI0 "/ng0n11", "241:1");
	machine_file(t, "sys/devices/" PCI0 "/hwmon0/name", "nvme");
}

static void nvme_disk(void **state)
{
	static const char *const want[] = { "b259:0 nvme0n1", "c241:0 ng0n1",
					    "c240:0 nvme0", NULL };
	struct machine t;

	plain_nvme(&t);
	expect_nodes(&t, makedev(259, 0), want);
	machine_free(&t);
}

/* Two controllers, a shared namespace 1, which is the subsystem's, and 2, which is not; and a
 * controller of another subsystem. */
static void nvme_subsystem(struct machine *t, const char *dir)
{
	machine_new(t);
	character(t, PCI0, "240:0");
	character(t, PCI1, "240:1");
	character(t, PCI2, "240:2");
	machine_link(t, "sys/class/nvme-subsystem/nvme-subsys0", "../../devices/" SUBSYS);
	machine_link(t, "sys/devices/" SUBSYS "/nvme0", "../../../" PCI0);
	machine_link(t, "sys/devices/" SUBSYS "/nvme1", "../../../" PCI1);
	block(t, dir, "nvme0n1", "259:0");
	block(t, PCI1, "nvme0n2", "259:4");
	block(t, PCI2, "nvme2n1", "259:5");
	character(t, PCI1 "/ng1n2", "241:2");
	character(t, PCI2 "/ng2n1", "241:3");
}

/* By the kernel's multipath: hidden nodes of both controllers, of which some have a number. */
static void nvme_multipath(void **state)
{
	static const char *const want[] = { "b259:0 nvme0n1",
					    "c241:0 ng0n1",
					    "c240:0 nvme0",
					    "c240:1 nvme1",
					    "c241:7 ng0c0n1",
					    "b259:8 nvme0c1n1",
					    NULL };
	struct machine t;

	nvme_subsystem(&t, SUBSYS);
	character(&t, SUBSYS "/ng0n1", "241:0");
	machine_file(&t, "sys/devices/" PCI0 "/nvme0c0n1/hidden", "1");
	character(&t, PCI0 "/ng0c0n1", "241:7");
	block(&t, PCI1, "nvme0c1n1", "259:8");
	character(&t, PCI1 "/ng0c1n2", "241:8");
	expect_nodes(&t, makedev(259, 0), want);
	machine_free(&t);
}

/* Without it each controller has a block node of the shared namespace; a mount by one of them
 * uses the disk that the other is. */
static void nvme_without_multipath(void **state)
{
	static const char *const want[] = { "b259:0 nvme0n1", "b259:1 nvme1n1",
					    "c241:1 ng1n1",   "c240:0 nvme0",
					    "c240:1 nvme1",   NULL };
	struct dw_uses uses = { 0 };
	struct dw_verdict v = { 0 };
	struct dw_disk_info info;
	enum dw_node_kind kind;
	struct machine t;

	nvme_subsystem(&t, PCI0);
	block(&t, PCI1, "nvme1n1", "259:1");
	character(&t, PCI1 "/ng1n1", "241:1");
	expect_nodes(&t, makedev(259, 0), want);
	machine_file(&t, "proc/self/mountinfo",
		     "22 1 259:1 / /srv rw - ext4 /dev/nvme1n1 rw\n");
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(259, 0), &info, &kind));
	assert_int_equal(0, dw_uses_scan(&t.m, &uses));
	assert_int_equal(1, dw_inuse_judge(&t.m, &uses, &info, &v));
	assert_string_equal("mounted at /srv (nvme1n1)", v.reason);
	dw_uses_free(&uses);
	machine_free(&t);
}

static void controller(struct machine *t, const char *pci, const char *transport,
		       const char *serial)
{
	char path[PATH_MAX], link[PATH_MAX];

	snprintf(path, sizeof(path), "sys/devices/%s/transport", pci);
	machine_file(t, path, transport);
	snprintf(path, sizeof(path), "sys/devices/%s/serial", pci);
	machine_file(t, path, serial);
	snprintf(path, sizeof(path), "sys/devices/%s/model", pci);
	machine_file(t, path, "7335943:ICDPC5ED2ORA6.4T\n");
	snprintf(link, sizeof(link), "sys/class/nvme/%s", strrchr(pci, '/') + 1);
	snprintf(path, sizeof(path), "../../devices/%s", pci);
	machine_link(t, link, path);
}

static void expect_silent(struct machine *t, const char *node)
{
	struct dw_disk_info *silent;
	size_t n;

	assert_int_equal(0, dw_nodes_silent(&t->m, &silent, &n));
	assert_int_equal(n, node ? 1 : 0);
	if (node)
		assert_string_equal(node, silent[0].sg);
	free(silent);
}

/* Oracle F640: two disks on one card, of which the kernel shows one (AlmaLinux/almalinux-deploy
 * #199). */
static void nvme_without_namespace(void **state)
{
	struct machine t;

	machine_new(&t);
	expect_silent(&t, NULL);
	controller(&t, PCI0, "pcie\n", "PHLE0001\n");
	controller(&t, PCI1, "pcie\n", "PHLE0002\n");
	block(&t, PCI1, "nvme1n1", "259:0");
	expect_silent(&t, "/dev/nvme0");
	/* a second controller of the drive that is shown */
	machine_file(&t, "sys/devices/" PCI0 "/serial", "PHLE0002\n");
	expect_silent(&t, NULL);
	machine_file(&t, "sys/devices/" PCI0 "/serial", "PHLE0001\n");
	/* one that has no namespaces by its type */
	machine_file(&t, "sys/devices/" PCI0 "/cntrltype", "admin\n");
	expect_silent(&t, NULL);
	machine_file(&t, "sys/devices/" PCI0 "/cntrltype", "io\n");
	expect_silent(&t, "/dev/nvme0");
	/* a disk before NVMe 1.4 does not tell its type */
	machine_file(&t, "sys/devices/" PCI0 "/cntrltype", "reserved\n");
	expect_silent(&t, "/dev/nvme0");
	/* a clone of the other, with its names, is another disk */
	machine_file(&t, "sys/devices/" PCI0 "/serial", "PHLE0002\n");
	machine_file(&t, "sys/devices/" PCI0 "/subsysnqn", "nqn.2014.08:a\n");
	machine_file(&t, "sys/devices/" PCI1 "/subsysnqn", "nqn.2014.08:b\n");
	expect_silent(&t, "/dev/nvme0");
	/* hardware monitors and the like are no namespaces, the hidden node of a path is */
	machine_file(&t, "sys/devices/" PCI0 "/hwmon0/name", "nvme");
	expect_silent(&t, "/dev/nvme0");
	machine_file(&t, "sys/devices/" PCI0 "/nvme0c0n1/hidden", "1");
	expect_silent(&t, NULL);
	/* another machine's */
	controller(&t, PCI2, "tcp\n", "X\n");
	expect_silent(&t, NULL);
	machine_free(&t);
}

/* mtdblock0 is a disk, of which mtd0 is the flash. */
static void device_with_a_node(void **state)
{
	static const char *const want[] = { "b31:0 mtdblock0", "c90:0 mtd0", NULL };
	struct machine t;

	machine_new(&t);
	character(&t, "virtual/mtd/mtd0", "90:0");
	machine_block(&t, "virtual/mtd/mtd0/mtdblock0", "31:0");
	machine_link(&t, "sys/devices/virtual/mtd/mtd0/mtdblock0/device", "../../mtd0");
	machine_block(&t, "virtual/mtd/mtd0/other", "31:1");
	expect_nodes(&t, makedev(31, 0), want);
	machine_free(&t);
}

static void expect_use(struct machine *t, dev_t dev, enum dw_refusal refusal,
		       const char *reason, const char *release)
{
	struct dw_verdict v = { 0 };
	struct dw_uses uses = { 0 };
	struct dw_disk_info info;
	enum dw_node_kind kind;
	int r;

	assert_int_equal(0, dw_node_resolve(&t->m, true, dev, &info, &kind));
	assert_int_equal(0, dw_uses_scan(&t->m, &uses));
	r = dw_inuse_judge(&t->m, &uses, &info, &v);
	if (!r)
		r = dw_inuse_judge_unseen(&uses, &v);
	assert_string_equal(dw_refusal_name(refusal), dw_refusal_name(v.refusal));
	assert_string_equal(reason, v.reason);
	assert_string_equal(release, v.release);
	assert_int_equal(r, refusal != DW_REFUSAL_NONE);
	dw_uses_free(&uses);
}

#define REACHES "which reaches this disk; that process has to end"

static void open_by_another_node(void **state)
{
	static const struct {
		const char *name;
		unsigned int major, minor;
		const char *reason;
	} rows[] = {
		{ "ng0n1", 241, 0,
		  "open in process 4242 (nvme) by /dev/ng0n1, " REACHES },
		{ "nvme0", 240, 0,
		  "open in process 4242 (nvme) by /dev/nvme0, " REACHES },
		{ "ng0n11", 241, 1, NULL },
	};
	char node[128], text[128];
	struct machine t;

	plain_nvme(&t);
	machine_file(&t, "proc/4242/comm", "nvme\n");
	snprintf(node, sizeof(node), "%s/node", t.root);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum dw_refusal why = rows[i].reason ? DW_REFUSAL_OPEN : DW_REFUSAL_NONE;
		const char *reason = rows[i].reason ? rows[i].reason : "";

		if (!mknod(node, S_IFCHR | 0600, makedev(rows[i].major, rows[i].minor))) {
			machine_link(&t, "proc/4242/fd/7", node);
			expect_use(&t, makedev(259, 0), why, reason, "");
			machine_link(&t, "proc/4242/fd/7", "/dev/null");
			unlink(node);
		}
		/* registered with io_uring, of which older kernels tell the name */
		snprintf(text, sizeof(text), "UserFiles:\t1\n    0: %s\nUserBufs:\t0\n",
			 rows[i].name);
		machine_link(&t, "proc/4242/fd/5", "anon_inode:[io_uring]");
		machine_file(&t, "proc/4242/fdinfo/5", text);
		expect_use(&t, makedev(259, 0), why, reason, "");
		machine_link(&t, "proc/4242/fd/5", "/dev/null");
	}
	machine_free(&t);
}

/* The rows of the table that name a disk in other ways than by the path of a block node. */
static void kernel_users(void **state)
{
	static const struct {
		const char *path, *text, *enable, *reason, *release;
	} rows[] = {
		{ "kernel/config/nvmet/subsystems/n.q/passthru/device_path",
		  "/dev/nvme0\n", "kernel/config/nvmet/subsystems/n.q/passthru/enable",
		  "NVMe target n.q/passthru (nvme0)",
		  "echo 0 > ROOT/kernel/config/nvmet/subsystems/n.q/passthru/enable" },
		{ "kernel/config/cluster/c/heartbeat/0AB1/dev", "nvme0n1\n", NULL,
		  "OCFS2 heartbeat c/heartbeat/0AB1 (nvme0n1)",
		  "rmdir ROOT/kernel/config/cluster/c/heartbeat/0AB1" },
		{ "bus/xen-backend/devices/vbd-1-768/physical_device", "103:0\n", NULL,
		  "disk of a Xen domain, to be detached there: vbd-1-768 (nvme0n1)", "" },
		{ "class/udc/dummy/device/gadget.0/lun0/file", "/dev/nvme0n1\n", NULL,
		  "USB gadget dummy/device/gadget.0/lun0 (nvme0n1)",
		  "echo > ROOT/class/udc/dummy/device/gadget.0/lun0/file" },
		{ "module/nandsim/parameters/cache_file", "/dev/nvme0n1\n", NULL,
		  "NAND simulator (nvme0n1)", "rmmod nandsim" },
		{ "kernel/config/target/core/pscsi_0/p/info",
		  "Channel ID: 0 Target ID: 0 LUN: 0 Host ID: 9\n", NULL,
		  "LIO backstore pscsi/p (nvme0n1)",
		  "targetcli /backstores/pscsi delete p" },
	};
	char path[160], release[256];
	const char *at;
	struct machine t;

	plain_nvme(&t);
	machine_link(&t, "sys/class/scsi_device/9:0:0:0/device/block/nvme0n1",
		     "/nowhere");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].enable) {
			snprintf(path, sizeof(path), "sys/%s", rows[i].enable);
			machine_file(&t, path, "0\n");
		}
		snprintf(path, sizeof(path), "sys/%s", rows[i].path);
		machine_file(&t, path, rows[i].text);
		if (rows[i].enable) {
			expect_use(&t, makedev(259, 0), DW_REFUSAL_NONE, "", "");
			snprintf(path, sizeof(path), "sys/%s", rows[i].enable);
			machine_file(&t, path, "1\n");
		}
		at = strstr(rows[i].release, "ROOT");
		snprintf(release, sizeof(release), "%.*s%s%s",
			 at ? (int)(at - rows[i].release) : 0, rows[i].release,
			 at ? t.sys : "", at ? at + 4 : rows[i].release);
		expect_use(&t, makedev(259, 0), DW_REFUSAL_HOLDER, rows[i].reason,
			   release);
		snprintf(path, sizeof(path), "sys/%s", rows[i].path);
		machine_file(&t, path, "");
		expect_use(&t, makedev(259, 0), DW_REFUSAL_NONE, "", "");
	}
	/* a parameter that was never given */
	machine_file(&t, "sys/module/nandsim/parameters/cache_file", "(null)\n");
	expect_use(&t, makedev(259, 0), DW_REFUSAL_NONE, "", "");
	machine_free(&t);
}

/* What it uses cannot be told: it may be this disk. */
static void users_of_an_unknown_disk(void **state)
{
	static const char stats[] =
		"device proc mounted on /proc with fstype proc\n"
		"device s:/x mounted on /my\\040mnt with fstype nfs4 statvers=1.1\n"
		"\tnfsv4:\tbm0=0x1,bm1=0x2,pnfs=%s,lease_time=90\n";
	struct machine t;
	char text[400];

	plain_nvme(&t);
	machine_file(&t, "sys/kernel/config/cluster/c/heartbeat/0AB1/dev", "gone7\n");
	snprintf(text, sizeof(text), "rmdir %s/kernel/config/cluster/c/heartbeat/0AB1",
		 t.sys);
	expect_use(&t, makedev(259, 0), DW_REFUSAL_UNSEEN,
		   "whether it is in use cannot be seen: OCFS2 heartbeat "
		   "c/heartbeat/0AB1 stands on a path that is not there",
		   text);
	machine_file(&t, "sys/kernel/config/cluster/c/heartbeat/0AB1/dev", "");

	machine_file(&t, "sys/module/nfs/parameters/x", "");
	machine_link(&t, "proc/self/ns/mnt", "mnt:[4026531840]");
	machine_link(&t, "proc/77/ns/mnt", "mnt:[4026531999]");
	for (size_t i = 0; i < 3; i++) {
		static const char *const layouts[] = { "LAYOUT_NFSV4_1_FILES",
						       "LAYOUT_BLOCK_VOLUME",
						       "LAYOUT_SCSI" };

		snprintf(text, sizeof(text), stats, layouts[i]);
		machine_file(&t, i == 2 ? "proc/77/mountstats" : "proc/self/mountstats",
			     text);
		expect_use(
			&t, makedev(259, 0), i ? DW_REFUSAL_UNSEEN : DW_REFUSAL_NONE,
			i == 0   ? ""
			: i == 1 ? "whether it is in use cannot be seen: the NFS mount "
				   "at /my mnt (process self) writes to disks by itself "
				   "(pNFS), and the kernel does not say to which"
				 : "whether it is in use cannot be seen: the NFS mount "
				   "at /my mnt (process 77) writes to disks by itself "
				   "(pNFS), and the kernel does not say to which",
			i == 1 ? "umount '/my mnt'" : "");
		machine_file(&t, "proc/self/mountstats", "");
	}
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scsi_disk),
		cmocka_unit_test(nvme_disk),
		cmocka_unit_test(nvme_multipath),
		cmocka_unit_test(nvme_without_multipath),
		cmocka_unit_test(nvme_without_namespace),
		cmocka_unit_test(device_with_a_node),
		cmocka_unit_test(open_by_another_node),
		cmocka_unit_test(kernel_users),
		cmocka_unit_test(users_of_an_unknown_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
