/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Discovery on recorded and made-up machines. */
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/lun.h"
#include "device/node.h"
#include "machine.h"
#include "transport/open.h"
#include "unit.h"

#define PCI "pci0000:00/0000:00:01.0/0000:03:00.0/"

static const struct machine_disk sas = {
	.host_path = PCI "host6",
	.middle = "/port-6:0/expander-6:0/port-6:0:3/end_device-6:0:3",
	.address = "6:0:3:0",
	.sd = "sdc",
	.sd_dev = "8:32",
	.sg = "sg4",
	.sg_dev = "21:4",
	.driver = "mpt3sas",
	.vendor = "SEAGATE",
	.model = "ST4000NM0023",
	.type = "0",
};

/* The short way and the long one lead to the same nodes. */
static void assert_found_alike(const struct machine *t, bool block, dev_t dev)
{
	struct dw_disk_info brief, whole;
	enum dw_node_kind brief_kind, whole_kind;

	assert_int_equal(0, dw_node_find(&t->m, block, dev, &brief, &brief_kind));
	assert_int_equal(0, dw_node_resolve(&t->m, block, dev, &whole, &whole_kind));
	assert_int_equal(whole_kind, brief_kind);
	assert_true(dw_disk_same_node(&whole, &brief));
	assert_string_equal(whole.sg, brief.sg);
	assert_string_equal(whole.block, brief.block);
	assert_int_equal(whole.host, brief.host);
	assert_int_equal(whole.lun, brief.lun);
}

static void load_stacks(void **state)
{
	struct dw_disk_info *disks;
	struct machine t;
	size_t n;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	assert_int_equal(0, dw_nodes_list(&t.m, &disks, &n));
	assert_int_equal(5, n);
	for (size_t i = 0; i < n; i++) {
		char sg[32], sd[32];

		snprintf(sg, sizeof(sg), "/dev/sg%zu", i);
		snprintf(sd, sizeof(sd), "/dev/sd%c", (char)('a' + i));
		assert_string_equal(sg, disks[i].sg);
		assert_string_equal(sd, disks[i].block);
		assert_int_equal(makedev(21, i), disks[i].sg_dev);
		assert_int_equal(makedev(8, 16 * i), disks[i].block_dev);
		assert_int_equal(i, disks[i].host);
		assert_true(disks[i].scsi);
		assert_int_equal(32768, disks[i].blocks);
		assert_int_equal(512, disks[i].block_size);
		assert_string_equal("scsi_debug", disks[i].host_driver);
		assert_string_equal("Linux", disks[i].vendor);
		assert_false(disks[i].logical_volume);
		for (int block = 0; block < 2; block++)
			assert_found_alike(&t, block,
					   block ? disks[i].block_dev : disks[i].sg_dev);
	}
	free(disks);
	assert_int_equal(0, dw_nodes_enclosures(&t.m, &disks, &n));
	assert_int_equal(0, n);
	free(disks);
	machine_free(&t);
}

/* a controller with one namespace and generic nodes are the disk */
static void resolve_nvme(void **state)
{
	static const char *const pci = "pci0000:00/0000:00:02.0/nvme/nvme0";
	struct dw_disk_info disk, other;
	enum dw_node_kind kind;
	struct machine t;
	char path[PATH_MAX];

	machine_new(&t);
	snprintf(path, sizeof(path), "%s/nvme0n1", pci);
	machine_block(&t, path, "259:0");
	machine_link(&t, "sys/dev/char/246:0",
		     "../../devices/pci0000:00/0000:00:02.0/nvme/nvme0");
	machine_link(&t, "sys/dev/char/245:0",
		     "../../devices/pci0000:00/0000:00:02.0/nvme/nvme0/ng0n1");
	machine_file(&t, "sys/devices/pci0000:00/0000:00:02.0/nvme/nvme0/ng0n1/dev",
		     "245:0\n");
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(259, 0), &disk, &kind));
	assert_string_equal("/dev/nvme0n1", disk.block);
	assert_string_equal("nvme", disk.transport);
	for (unsigned int major = 245; major <= 246; major++) {
		assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(major, 0),
						    &other, &kind));
		assert_int_equal(DW_NODE_DISK, kind);
		assert_memory_equal(&disk, &other, sizeof(disk));
	}
	/* two namespaces: the controller names neither */
	snprintf(path, sizeof(path), "%s/nvme0n2", pci);
	machine_block(&t, path, "259:1");
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(246, 0), &other, &kind));
	assert_int_equal(DW_NODE_OTHER, kind);
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(245, 0), &other, &kind));
	assert_string_equal("/dev/nvme0n1", other.block);
	machine_free(&t);
}

/* Two controllers of one subsystem by the kernel's multipath, of which the second reaches the disk
 * or nothing: what is of the first is not the second's. */
static void resolve_nvme_multipath(void **state)
{
#define NVME(n) "pci0000:00/0000:00:0" #n ".0/nvme/nvme" #n
#define SUBSYS  "virtual/nvme-subsystem/nvme-subsys0"
	struct dw_disk_info disk, other;
	enum dw_node_kind kind;
	struct machine t;

	(void)state;
	machine_new(&t);
	machine_link(&t, "sys/class/nvme-subsystem/nvme-subsys0",
		     "../../devices/" SUBSYS);
	machine_link(&t, "sys/devices/" SUBSYS "/nvme0", "../../../" NVME(0));
	machine_link(&t, "sys/devices/" SUBSYS "/nvme1", "../../../" NVME(1));
	machine_block(&t, SUBSYS "/nvme0n1", "259:0");
	machine_file(&t, "sys/devices/" NVME(0) "/nvme0c0n1/hidden", "1");
	machine_file(&t, "sys/devices/" NVME(0) "/dev", "246:0\n");
	machine_file(&t, "sys/devices/" NVME(1) "/dev", "246:1\n");
	machine_link(&t, "sys/dev/char/246:0", "../../devices/" NVME(0));
	machine_link(&t, "sys/dev/char/246:1", "../../devices/" NVME(1));
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(259, 0), &disk, &kind));
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(246, 0), &other, &kind));
	assert_int_equal(DW_NODE_DISK, kind);
	assert_memory_equal(&disk, &other, sizeof(disk));
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(246, 1), &other, &kind));
	assert_int_equal(DW_NODE_OTHER, kind);
	machine_file(&t, "sys/devices/" NVME(1) "/nvme0c1n1/hidden", "1");
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(246, 1), &other, &kind));
	assert_int_equal(DW_NODE_DISK, kind);
	assert_memory_equal(&disk, &other, sizeof(disk));
	machine_free(&t);
}

static void resolve_every_spelling(void **state)
{
	struct dw_disk_info sg, sd, part, bsg, dm;
	enum dw_node_kind kind;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(21, 0), &sg, &kind));
	assert_int_equal(DW_NODE_DISK, kind);
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(8, 0), &sd, &kind));
	assert_int_equal(DW_NODE_DISK, kind);
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(253, 0), &bsg, &kind));
	assert_int_equal(DW_NODE_DISK, kind);
	assert_memory_equal(&sg, &sd, sizeof(sg));
	assert_memory_equal(&sg, &bsg, sizeof(sg));
	assert_string_equal("/dev/bsg/0:0:0:0", sg.bsg);
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(8, 2), &part, &kind));
	assert_int_equal(DW_NODE_PARTITION, kind);
	assert_string_equal("/dev/sda", part.block);
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(253, 0), &dm, &kind));
	assert_int_equal(DW_NODE_STACKED, kind);
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(9, 0), &dm, &kind));
	assert_int_equal(DW_NODE_STACKED, kind);
	assert_int_equal(-ENODEV,
			 dw_node_resolve(&t.m, true, makedev(8, 99), &dm, &kind));
	machine_free(&t);
}

static void expander_and_slot(void **state)
{
	struct dw_disk_info info;
	enum dw_node_kind kind;
	struct machine t;
	char dir[PATH_MAX], path[PATH_MAX];

	machine_new(&t);
	machine_scsi(&t, &sas, dir);
	assert_int_equal(0, dw_path(path, "%s/enclosure_device:Slot 07", dir));
	machine_link(&t, path, "../encl/enclosure/6:0:9:0/Slot 07");
	dw_path_parent(dir);
	assert_int_equal(0,
			 dw_path(path, "%s/encl/enclosure/6:0:9:0/Slot 07/status", dir));
	machine_file(&t, path, "OK");
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(21, 4), &info, &kind));
	assert_int_equal(DW_NODE_DISK, kind);
	assert_string_equal("sas", info.transport);
	assert_string_equal("6:0:9:0:Slot 07", info.slot);
	assert_string_equal("mpt3sas", info.host_driver);
	assert_int_equal(4096, info.physical_block_size);
	/* the enclosure's own name, where it has one */
	assert_int_equal(0, dw_path(path, "%s/encl/enclosure/6:0:9:0/id", dir));
	machine_file(&t, path, "0x500304801f3e5a3d\n");
	/* a SATA disk behind the same expander */
	machine_file(&t, "sys/class/sas_device/end_device-6:0:3/target_port_protocols",
		     "sata\n");
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(21, 4), &info, &kind));
	assert_string_equal("0x500304801f3e5a3d:Slot 07", info.slot);
	assert_string_equal("sata", info.transport);
	machine_free(&t);
}

static void add_phy(struct machine *t, const char *name, const char *address,
		    const char *number)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "sys/class/sas_phy/%s/sas_address", name));
	machine_file(t, path, address);
	assert_int_equal(0, dw_path(path, "sys/class/sas_phy/%s/phy_identifier", name));
	machine_file(t, path, number);
}

/* a disk behind an expander by two phys, whose links may be listed in any order; one at the
 * adapter; ports without phys, or with one of which the kernel tells nothing */
static void phys(void **state)
{
	static const struct {
		const char *middle;
		const char *link[2];
		const char *phy;
	} rows[] = {
		{ "/port-6:0/expander-6:0/port-6:0:3/end_device-6:0:3",
		  { "phy-6:0:11", "phy-6:0:7" },
		  "0x500304801f3e5a3f:7" },
		{ "/port-6:0/expander-6:0/port-6:0:3/end_device-6:0:3",
		  { "phy-6:0:7", "phy-6:0:11" },
		  "0x500304801f3e5a3f:7" },
		{ "/port-6:3/end_device-6:3", { "phy-6:3" }, "0x500605b000000001:3" },
		{ "/port-6:3/end_device-6:3", { "phy-6:9" }, "" },
		{ "/port-6:3/end_device-6:3", { NULL }, "" },
		{ "", { NULL }, "" },
	};
	struct dw_disk_info info;
	enum dw_node_kind kind;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine_disk d = sas;
		char dir[PATH_MAX], path[PATH_MAX], *port;
		struct machine t;

		machine_new(&t);
		d.middle = rows[i].middle;
		machine_scsi(&t, &d, dir);
		port = strstr(dir, "/end_device-");
		if (port)
			*port = '\0';
		for (size_t k = 0; k < 2 && rows[i].link[k]; k++) {
			assert_int_equal(0, dw_path(path, "%s/%s", dir, rows[i].link[k]));
			machine_link(&t, path, "../there");
		}
		add_phy(&t, "phy-6:0:7", "0x500304801f3e5a3f\n", "7\n");
		add_phy(&t, "phy-6:0:11", "0x500304801f3e5a3f\n", "11\n");
		add_phy(&t, "phy-6:3", "0x500605b000000001\n", "3\n");
		assert_int_equal(
			0, dw_node_resolve(&t.m, true, makedev(8, 32), &info, &kind));
		assert_string_equal(info.phy, rows[i].phy);
		machine_free(&t);
	}
}

static void transports(void **state)
{
	static const struct {
		const char *dir;
		const char *name;
	} rows[] = {
		{ PCI "ata3/host2/target2:0:0/2:0:0:0", "sata" },
		{ PCI "usb2/2-1/2-1:1.0/host7/target7:0:0/7:0:0:0", "usb" },
		{ PCI "host8/rport-8:0-2/target8:0:1/8:0:1:3", "fc" },
		{ "platform/host9/session4/target9:0:0/9:0:0:1", "iscsi" },
		{ PCI "virtio3/host1/target1:0:0/1:0:0:0", "virtio" },
		{ PCI "virtio1/block/vda", "virtio" },
		{ PCI "nvme/nvme0/nvme0n1", "nvme" },
		{ "platform/emmc/mmc_host/mmc1/mmc1:0001/block/mmcblk1", "mmc" },
		{ "vbd-51712/block/xvda", "xen" },
		{ "pseudo_0/adapter0/host0/target0:0:0/0:0:0:0", "" },
		/* words that only begin alike */
		{ "platform/atapi-bridge/usbish/host0/target0:0:0/0:0:0:0", "" },
	};
	struct dw_machine m = { .sys = "/sys", .proc = "/proc", .dev = "/dev" };
	char real[PATH_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(0, dw_path(real, "/sys/devices/%s", rows[i].dir));
		assert_string_equal(rows[i].name, dw_node_transport(&m, real));
	}
}

static void parallel_scsi(void **state)
{
	struct machine_disk d = sas;
	struct dw_disk_info info;
	enum dw_node_kind kind;
	struct machine t;
	char dir[PATH_MAX];

	machine_new(&t);
	d.middle = "";
	machine_scsi(&t, &d, dir);
	machine_file(&t, "sys/class/spi_transport/target6:0:3/offset", "127");
	assert_int_equal(0, dw_node_resolve(&t.m, true, makedev(8, 32), &info, &kind));
	assert_string_equal("spi", info.transport);
	machine_free(&t);
}

static void logical_volumes(void **state)
{
	static const struct {
		struct dw_logical_hints h;
		bool logical;
	} rows[] = {
		{ { "hpsa", 1, "HP", "LOGICAL VOLUME", "RAID 5" }, true },
		{ { "hpsa", 1, "HP", "Any", "RAID UNKNOWN" }, true },
		{ { "hpsa", 0, "HP", "EG0600FBVFP", "N/A" }, false },
		{ { "hpsa", 0, "HP", "EG0600FBVFP", NULL }, true },
		{ { "smartpqi", 1, "ADAPTEC", "Volume 1", "RAID-1(ADM)" }, true },
		{ { "smartpqi", 1, "HPE", "Thing", "RAID UNKNOWN" }, true },
		{ { "smartpqi", 0, "SEAGATE", "ST1200MM0009", "N/A" }, false },
		{ { "smartpqi", 0, "ATA", "MK000480GWSSC", "N/A" }, false },
		{ { "megaraid_sas", 2, "DELL", "PERC H730P Mini", NULL }, true },
		{ { "megaraid_sas", 2, "LSI", "MR9271-8i", NULL }, true },
		{ { "megaraid_sas", 3, "Any", "Thing", NULL }, true },
		{ { "megaraid_sas", 0, "SEAGATE", "ST4000NM0023", NULL }, false },
		{ { "megaraid_sas", 1, "ATA", "RAID EDITION", NULL }, false },
		{ { "megaraid_legacy", 0, "MegaRAID", "LD 0 RAID1", NULL }, true },
		{ { "megaraid", 0, "Any", "Thing", NULL }, true },
		{ { "mpt3sas", 1, "LSI", "Logical Volume", NULL }, true },
		{ { "mpt3sas", 1, "Any", "Thing", NULL }, true },
		{ { "mpt3sas", 0, "HGST", "HUS726040AL5210", NULL }, false },
		{ { "mpt3sas", 2, "NVMe", "INTEL SSDPE2KX01", NULL }, false },
		{ { "mpi3mr", 1, "BROADCOM", "MR9660-16i", NULL }, true },
		{ { "mpi3mr", 1, "Any", "Thing", NULL }, true },
		{ { "mpi3mr", 0, "Any", "Thing", NULL }, true },
		{ { "mpi3mr", 0, "SEAGATE", "ST16000NM004J", NULL, true }, false },
		{ { "mpi3mr", 1, "NVMe", "KIOXIA KCD61LUL", NULL }, false },
		{ { "aacraid", 0, "ServeRA", "Drive 1", NULL }, true },
		{ { "aacraid", 1, "SEAGATE", "ST3450857SS", NULL }, false },
		{ { "3w-9xxx", 0, "AMCC", "9650SE-16M DISK", NULL }, true },
		{ { "arcmsr", 0, "Areca", "ARC-1880-VOL#00", NULL }, true },
		{ { "arcmsr", 0, "SEAGATE", "ST3450857SS", NULL }, true },
		{ { "usb-storage", 0, "H/W", "RAID0", NULL }, true },
		{ { "ips", 0, "IBM", "SERVERAID", NULL }, true },
		{ { "ahci", 0, "ATA", "WDC WD40EFRX-68N", NULL }, false },
		{ { "virtio_scsi", 0, "QEMU", "QEMU HARDDISK", NULL }, false },
		{ { "scsi_debug", 0, "Linux", "scsi_debug", NULL }, false },
		{ { "mpt3sas", 0, "LSI", "INF-01-00", NULL, true, true }, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (dw_node_logical(&rows[i].h) != rows[i].logical)
			fail_msg("row %zu: %s %s", i, rows[i].h.driver, rows[i].h.model);
}

/* Trees as the drivers make them: a volume and a bare disk of each. */
static void volumes_in_trees(void **state)
{
	static const struct {
		const char *driver, *address, *middle, *attribute, *content;
		bool logical;
	} rows[] = {
		{ "smartpqi", "6:1:0:0", "", "raid_level", "RAID-6\n", true },
		{ "smartpqi", "6:0:3:0", "/port-6:3/end_device-6:3", "raid_level",
		  "N/A\n", false },
		{ "hpsa", "6:1:0:0", "", "raid_level", "RAID 1(+0)\n", true },
		{ "hpsa", "6:0:3:0", "/port-6:3/end_device-6:3", "raid_level", "N/A\n",
		  false },
		{ "megaraid_sas", "6:2:0:0", "", NULL, NULL, true },
		{ "megaraid_sas", "6:0:38:0", "", NULL, NULL, false },
		{ "aacraid", "6:0:0:0", "", "level", "RAID5\n", true },
		{ "aacraid", "6:1:3:0", "", "level", "JBOD\n", false },
		{ "mpi3mr", "6:1:0:0", "", "sas_address", "", true },
		{ "mpi3mr", "6:0:3:0", "", "sas_address", "0x5000c500a1b2c3d5\n", false },
		{ "mpi3mr", "6:0:3:0", "/port-6:3/end_device-6:3", NULL, NULL, false },
		{ "mpt3sas", "6:1:0:0", "", NULL, NULL, true },
		{ "mpt3sas", "6:0:3:0", "/port-6:3/end_device-6:3", NULL, NULL, false },
	};
	struct dw_disk_info info;
	enum dw_node_kind kind;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine_disk d = sas;
		char dir[PATH_MAX], path[PATH_MAX];
		struct machine t;

		machine_new(&t);
		d.middle = rows[i].middle;
		d.driver = rows[i].driver;
		d.address = rows[i].address;
		machine_scsi(&t, &d, dir);
		if (rows[i].attribute) {
			assert_int_equal(0,
					 dw_path(path, "%s/%s", dir, rows[i].attribute));
			machine_file(&t, path, rows[i].content);
		}
		assert_int_equal(
			0, dw_node_resolve(&t.m, true, makedev(8, 32), &info, &kind));
		if (info.logical_volume != rows[i].logical)
			fail_msg("row %zu: %s %s", i, rows[i].driver, rows[i].address);
		machine_free(&t);
	}
}

/* Units that are no disks: the access LUN of an array, and what says nothing of itself. */
static void units_that_are_no_disks(void **state)
{
	static const uint8_t nothing[36];
	char dir[PATH_MAX], path[PATH_MAX], full[PATH_MAX];
	struct machine t;
	FILE *f;

	machine_new(&t);
	machine_scsi(&t, &sas, dir);
	assert_int_equal(0, dw_path(full, "%s/../%s", t.m.sys, dir));
	assert_false(dw_lun_of_array(full));
	assert_false(dw_lun_phantom(full));
	assert_int_equal(0, dw_path(path, "%s/../6:0:3:31/model", dir));
	machine_file(&t, path, "INF-01-00       ");
	assert_false(dw_lun_of_array(full));
	machine_file(&t, path, "Universal Xport ");
	assert_true(dw_lun_of_array(full));
	assert_int_equal(0, dw_path(path, "%s/vendor", dir));
	machine_file(&t, path, "        ");
	assert_int_equal(0, dw_path(path, "%s/model", dir));
	machine_file(&t, path, "                ");
	assert_false(
		dw_lun_phantom(full)); /* nameless, but what it answered is not known */
	assert_int_equal(0, dw_path(path, "%s/inquiry", dir));
	machine_file(&t, path, "abcdefgh");
	assert_false(dw_lun_phantom(full));
	assert_int_equal(0, dw_path(path, "%s/inquiry", full));
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(1, fwrite(nothing, sizeof(nothing), 1, f));
	assert_int_equal(0, fclose(f));
	assert_true(dw_lun_phantom(full));
	machine_free(&t);
}

static void disks_without_scsi(void **state)
{
	struct dw_disk_info *disks;
	struct machine t;
	size_t n;

	machine_new(&t);
	machine_block(&t, PCI "virtio1/block/vda", "254:0");
	machine_file(&t, "sys/devices/" PCI "virtio1/block/vda/serial", "VD-0001");
	machine_link(&t, "sys/devices/" PCI "virtio1/block/vda/device", "../..");
	machine_block(&t, PCI "nvme/nvme0/nvme0n1", "259:0");
	machine_link(&t, "sys/devices/" PCI "nvme/nvme0/nvme0n1/device", "..");
	machine_file(&t, "sys/devices/" PCI "nvme/nvme0/nvme0n1/wwid",
		     "eui.0025385b71b1d1f0");
	machine_file(&t, "sys/devices/" PCI "nvme/nvme0/serial", "S3X9NX0K");
	machine_file(&t, "sys/devices/" PCI "nvme/nvme0/model", "Fast SSD  ");
	machine_block(&t, PCI "nvme/nvme0/nvme0c0n1", "259:9");
	machine_link(&t, "sys/devices/" PCI "nvme/nvme0/nvme0c0n1/device", "..");
	machine_file(&t, "sys/devices/" PCI "nvme/nvme0/nvme0c0n1/hidden", "1");
	machine_block(&t, "virtual/block/loop0", "7:0");
	machine_block(&t, "platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0", "179:0");
	machine_link(
		&t,
		"sys/devices/platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0/device",
		"../..");
	machine_block(&t, "platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0boot0",
		      "179:8");
	machine_link(
		&t,
		"sys/devices/platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0boot0/device",
		"../..");
	assert_int_equal(0, dw_nodes_list(&t.m, &disks, &n));
	assert_int_equal(3, n);
	assert_string_equal("/dev/mmcblk0", disks[0].block);
	assert_string_equal("mmc", disks[0].transport);
	assert_string_equal("/dev/nvme0n1", disks[1].block);
	assert_string_equal("S3X9NX0K", disks[1].serial);
	assert_string_equal("Fast SSD", disks[1].model);
	assert_string_equal("eui.0025385b71b1d1f0", disks[1].wwn);
	assert_string_equal("/dev/vda", disks[2].block);
	assert_string_equal("VD-0001", disks[2].serial);
	assert_false(disks[2].scsi);
	free(disks);
	machine_free(&t);
}

static void other_devices_are_left_out(void **state)
{
	struct machine_disk d = sas;
	struct dw_disk_info *disks, info;
	enum dw_node_kind kind;
	struct machine t;
	char dir[PATH_MAX];
	size_t n;

	machine_new(&t);
	d.type = "13";
	d.sd = NULL;
	machine_scsi(&t, &d, dir);
	assert_int_equal(0, dw_nodes_list(&t.m, &disks, &n));
	assert_int_equal(0, n);
	free(disks);
	assert_int_equal(0, dw_nodes_enclosures(&t.m, &disks, &n));
	assert_int_equal(1, n);
	assert_int_equal(makedev(21, 4), disks[0].sg_dev);
	free(disks);
	/* named explicitly it is found, with its type */
	assert_int_equal(0, dw_node_resolve(&t.m, false, makedev(21, 4), &info, &kind));
	assert_int_equal(13, info.peripheral_type);
	/* an empty machine has no disks, and that is no error */
	machine_free(&t);
	machine_new(&t);
	assert_int_equal(0, dw_nodes_list(&t.m, &disks, &n));
	assert_int_equal(0, n);
	free(disks);
	machine_free(&t);
}

static void paths_that_are_no_disks(void **state)
{
	struct dw_disk disk;
	bool block;
	dev_t dev;

	assert_int_equal(-ENOTBLK, dw_node_of_path("/etc/passwd", &block, &dev));
	assert_int_equal(-ENOTBLK, dw_node_of_path("/", &block, &dev));
	assert_int_equal(-ENOENT, dw_node_of_path("/dev/no-such-disk", &block, &dev));
	assert_int_equal(0, dw_disk_examine("/etc/passwd", NULL, &disk));
	assert_int_equal(DW_REFUSAL_NOT_A_DISK, disk.verdict.refusal);
	assert_int_equal(0, dw_disk_examine("/dev/null", NULL, &disk));
	assert_int_equal(DW_REFUSAL_NOT_A_DISK, disk.verdict.refusal);
	assert_int_equal(0, dw_disk_examine("/dev/no-such-disk", NULL, &disk));
	assert_int_equal(DW_REFUSAL_MISSING, disk.verdict.refusal);
}

/* A caller may have closed its standard descriptors; no disk takes their place. */
static void never_a_standard_descriptor(void **state)
{
	for (int closed = 0; closed < 8; closed++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			int fd;

			for (int i = 0; i < 3; i++)
				if (closed & 1 << i)
					close(i);
			fd = dw_disk_open("/dev/zero", O_RDWR);
			for (int i = 0; i < 3; i++)
				if (closed & 1 << i && write(i, "text", 4) >= 0)
					_exit(1);
			_exit(fd < 3 || fcntl(fd, F_GETFD) != FD_CLOEXEC);
		}
		assert_int_equal(pid, waitpid(pid, &status, 0));
		assert_int_equal(0, status);
	}
}

/* A node that says that there is no such device is looked for before that is believed. */
static void listed(void **state)
{
	struct machine t;
	struct dw_disk_info info = { .scsi = true, .host = 6, .sg_dev = makedev(21, 7) };
	static const char at[] = "sys/devices/pci0000:00/host6/target6:0:0/6:0:0:0/"
				 "scsi_generic/sg7/dev";

	machine_new(&t);
	assert_false(dw_node_listed(&t.m, &info));
	machine_link(&t, "sys/dev/char/21:7",
		     "../../devices/pci0000:00/host6/target6:0:0/"
		     "6:0:0:0/scsi_generic/sg7");
	assert_false(dw_node_listed(&t.m, &info)); /* a link that leads to nothing */
	machine_file(&t, at, "21:7\n");
	assert_true(dw_node_listed(&t.m, &info));
	info.target = 1; /* the number is another's by now */
	assert_false(dw_node_listed(&t.m, &info));
	info = (struct dw_disk_info){ .block_dev = makedev(259, 0) };
	assert_false(dw_node_listed(&t.m, &info));
	machine_block(&t, "sys/devices/pci0000:00/nvme0n1", "259:0");
	assert_true(dw_node_listed(&t.m, &info));
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_stacks),
		cmocka_unit_test(resolve_every_spelling),
		cmocka_unit_test(resolve_nvme),
		cmocka_unit_test(resolve_nvme_multipath),
		cmocka_unit_test(expander_and_slot),
		cmocka_unit_test(phys),
		cmocka_unit_test(transports),
		cmocka_unit_test(parallel_scsi),
		cmocka_unit_test(logical_volumes),
		cmocka_unit_test(volumes_in_trees),
		cmocka_unit_test(units_that_are_no_disks),
		cmocka_unit_test(disks_without_scsi),
		cmocka_unit_test(other_devices_are_left_out),
		cmocka_unit_test(paths_that_are_no_disks),
		cmocka_unit_test(listed),
		cmocka_unit_test(never_a_standard_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
