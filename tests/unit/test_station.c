/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stations that are made: described from sysfs trees, written as text and read again, cut to
 * real disks.
 */
#include <errno.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/be.h"
#include "forecast/describe.h"
#include "forecast/typical.h"
#include "device/node.h"
#include "device/topology.h"
#include "machine.h"
#include "unit.h"
#include "error_line.h"

#define SWITCH "pci0000:00/0000:00:01.0/0000:01:00.0/"
#define HBA    SWITCH "0000:02:01.0/0000:03:00.0/"

static void set(struct machine *t, const char *dir, const char *attr, const char *value)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "%s/%s", dir, attr));
	machine_file(t, path, value);
}

static void set_bytes(struct machine *t, const char *dir, const char *attr,
		      const void *bytes, size_t n)
{
	char path[PATH_MAX];
	FILE *f;

	assert_int_equal(0, dw_path(path, "%s/%s/%s", t->root, dir, attr));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(n, fwrite(bytes, 1, n, f));
	fclose(f);
}

static void pcie(struct machine *t, const char *dir, const char *speed, const char *width)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "sys/devices/%s", dir));
	set(t, path, "current_link_speed", speed);
	set(t, path, "current_link_width", width);
}

static void phy(struct machine *t, const char *port, const char *name, const char *rate)
{
	char path[PATH_MAX];

	assert_int_equal(0, dw_path(path, "sys/devices/%s/%s", port, name));
	machine_link(t, path, "../nowhere");
	assert_int_equal(0, dw_path(path, "sys/class/sas_phy/%s", name));
	set(t, path, "negotiated_linkrate", rate);
}

static struct machine_disk sas_disk(const char *middle, const char *address,
				    const char *sg, const char *sg_dev)
{
	return (struct machine_disk){ .host_path = HBA "host6",
				      .middle = middle,
				      .address = address,
				      .sg = sg,
				      .sg_dev = sg_dev,
				      .driver = "mpt3sas",
				      .vendor = "SEAGATE",
				      .model = "ST8000NM001A",
				      .type = "0" };
}

/* a host with a wide port of four lanes to an expander, two disks behind it, one beside */
static void build_sas(struct machine *t)
{
	struct machine_disk d;
	uint8_t limits[64] = { 0, 0xb0, 0, 0x3c };
	char dir[PATH_MAX], lane[16];

	machine_new(t);
	for (int i = 0; i < 4; i++) {
		snprintf(lane, sizeof(lane), "phy-6:%d", i);
		phy(t, HBA "host6/port-6:0", lane, "12.0 Gbit\n");
	}
	phy(t, HBA "host6/port-6:0/expander-6:0/port-6:0:3", "phy-6:0:3", "12.0 Gbit\n");
	phy(t, HBA "host6/port-6:0/expander-6:0/port-6:0:4", "phy-6:0:4", "6.0 Gbit\n");
	phy(t, HBA "host6/port-6:1", "phy-6:4", "3.0 Gbit\n");
	d = sas_disk("/port-6:0/expander-6:0/port-6:0:3/end_device-6:0:3", "6:0:3:0",
		     "sg3", "21:3");
	machine_scsi(t, &d, dir);
	set(t, dir, "queue_depth", "254\n");
	set(t, dir, "scsi_disk/6:0:3:0/cache_type", "write back\n");
	dw_put_be64(limits + 36, 0x10000);
	limits[8 + 2] = 0x40; /* MAXIMUM TRANSFER LENGTH 4000h */
	set_bytes(t, dir, "vpd_pgb0", limits, sizeof(limits));
	d = sas_disk("/port-6:0/expander-6:0/port-6:0:4/end_device-6:0:4", "6:0:4:0",
		     "sg4", "21:4");
	machine_scsi(t, &d, dir);
	d = sas_disk("/port-6:1/end_device-6:1", "6:0:5:0", "sg5", "21:5");
	machine_scsi(t, &d, dir);
	set(t, "sys/class/scsi_host/host6", "can_queue", "9664\n");
	pcie(t, SWITCH, "16.0 GT/s PCIe\n", "8\n");
	pcie(t, "pci0000:00/0000:00:01.0", "8.0 GT/s PCIe\n", "8\n");
	pcie(t, SWITCH "0000:02:01.0", "8.0 GT/s PCIe\n", "8\n");
	pcie(t, HBA, "8.0 GT/s PCIe\n", "8\n");
}

static struct dw_disk_info facts(struct machine *t, unsigned int minor,
				 const char *serial, uint16_t rpm)
{
	struct dw_disk_info info;
	enum dw_node_kind kind;

	assert_int_equal(0,
			 dw_node_resolve(&t->m, false, makedev(21, minor), &info, &kind));
	snprintf(info.serial, sizeof(info.serial), "%s", serial);
	snprintf(info.wwn, sizeof(info.wwn), "0x5000c500%s", serial);
	info.blocks = UINT64_C(8001563222016) / 512;
	info.block_size = 512;
	info.physical_block_size = 4096;
	info.rotation = rpm;
	return info;
}

static const struct station_node *node(const struct dw_station *s, const char *name)
{
	uint32_t i = station_find_node(s, name);

	if (i == STATION_NONE)
		fail_msg("no node %s", name);
	return &s->node[i];
}

static void lanes(void **state)
{
	assert_int_equal(1200000000, dw_topology_lane("12.0 Gbit"));
	assert_int_equal(300000000, dw_topology_lane("3.0 Gbps"));
	assert_int_equal(2400000000, dw_topology_lane("22.5 Gbit"));
	assert_int_equal(250000000, dw_topology_lane("2.5 GT/s PCIe"));
	assert_int_equal(984615385, dw_topology_lane("8.0 GT/s PCIe"));
	assert_int_equal(0, dw_topology_lane("Unknown"));
	assert_int_equal(0, dw_topology_lane("<unknown>"));
	assert_int_equal(0, dw_topology_lane("-1 Gbit"));
}

static void sas_shelf(void **state)
{
	struct dw_disk_info disks[3];
	struct dw_station *s;
	struct machine t;
	struct dw_error err = { 0 };

	build_sas(&t);
	disks[0] = facts(&t, 3, "A", 7200);
	disks[1] = facts(&t, 4, "B", 10500);
	disks[2] = facts(&t, 5, "C", 1);
	disks[1].wce = 0;
	assert_int_equal(0, station_describe(&t.m, disks, 3, &s, &err));
	assert_int_equal(3, dw_station_disks(s));
	assert_int_equal(4, s->n_nodes);
	assert_int_equal(UINT64_C(4800000000), node(s, "expander-6:0")->rate);
	assert_string_equal("mpt3sas-0000:03:00.0", node(s, "expander-6:0")->on_name);
	assert_int_equal(9664, node(s, "mpt3sas-0000:03:00.0")->queue);
	/* the narrowest, and of equal ones the one that others may share */
	assert_int_equal(UINT64_C(7876923080), node(s, "pcie-0000:00:01.0")->rate);
	assert_string_equal("pcie-0000:00:01.0",
			    node(s, "mpt3sas-0000:03:00.0")->on_name);
	assert_string_equal("expander-6:0", s->disk[0].on_name[0]);
	assert_string_equal("expander-6:0", s->disk[1].on_name[0]);
	assert_string_equal("host6", s->disk[2].on_name[0]);
	assert_int_equal(1200000000, s->disk[0].link);
	assert_int_equal(600000000, s->disk[1].link);
	assert_int_equal(300000000, s->disk[2].link);
	assert_int_equal(254, s->disk[0].tagged);
	assert_int_equal(8 * 1024 * 1024, s->disk[0].max_transfer);
	assert_int_equal(0x10000, s->disk[0].ws_max);
	assert_true(s->disk[0].cache);
	assert_false(s->disk[1].cache);
	assert_int_equal(10500, s->disk[1].rpm);
	assert_int_equal(0, s->disk[2].rpm);
	assert_int_equal(4096, s->disk[0].physical);
	assert_string_equal("sg3", s->disk[0].name);
	assert_string_equal("outer, inner, seek, buffer, overhead", s->disk[0].assumed);
	assert_non_null(strstr(s->disk[2].assumed, "tagged"));
	dw_station_free(s);
	machine_free(&t);
}

/* a disk with two ports is there once, whatever the order of its nodes */
static void two_paths(void **state)
{
	struct dw_disk_info disks[3];
	struct dw_station *s;
	struct machine t;
	struct dw_error err = { 0 };

	build_sas(&t);
	disks[0] = facts(&t, 3, "A", 7200);
	disks[1] = facts(&t, 4, "B", 7200);
	disks[2] = facts(&t, 5, "A", 7200);
	assert_int_equal(0, station_describe(&t.m, disks, 3, &s, &err));
	assert_int_equal(2, dw_station_disks(s));
	assert_int_equal(2, s->disk[0].n_on);
	assert_string_equal("expander-6:0", s->disk[0].on_name[0]);
	assert_string_equal("host6", s->disk[0].on_name[1]);
	assert_int_equal(1, s->disk[1].n_on);
	dw_station_free(s);
	machine_free(&t);
}

static void sata_and_spi(void **state)
{
	struct machine_disk d = {
		.host_path = "pci0000:00/0000:00:1f.2/ata3/host2",
		.middle = "",
		.address = "2:0:0:0",
		.sg = "sg0",
		.sg_dev = "21:0",
		.driver = "ahci",
		.vendor = "ATA",
		.model = "WDC WD20EFRX",
		.type = "0",
	};
	struct machine_disk p = d;
	struct dw_disk_info info[2];
	struct dw_station *s;
	struct machine t;
	struct dw_error err = { 0 };
	char dir[PATH_MAX];

	machine_new(&t);
	machine_scsi(&t, &d, dir);
	set(&t, dir, "scsi_disk/2:0:0:0/max_write_same_blocks", "0\n");
	set(&t, "sys/class/ata_link/link3", "sata_spd", "6.0 Gbps\n");
	p.host_path = "pci0000:00/0000:00:05.0/host4";
	p.address = "4:0:2:0";
	p.sg = "sg1";
	p.sg_dev = "21:1";
	p.driver = "aic79xx";
	machine_scsi(&t, &p, dir);
	set(&t, "sys/class/spi_transport/target4:0:2", "period", "12.5\n");
	set(&t, "sys/class/spi_transport/target4:0:2", "width", "1\n");
	info[0] = facts(&t, 0, "A", 5400);
	info[1] = facts(&t, 1, "B", 0);
	info[1].blocks = 18200000000 / 512;
	info[1].wce = 0;
	assert_int_equal(0, station_describe(&t.m, info, 2, &s, &err));
	assert_string_equal("ahci-0000:00:1f.2", s->disk[0].on_name[0]);
	assert_int_equal(600000000, s->disk[0].link);
	assert_true(s->disk[0].ws == STATION_WS_NONE);
	assert_string_equal("scsi4-0", s->disk[1].on_name[0]);
	assert_true(node(s, "scsi4-0")->parallel);
	assert_int_equal(160000000, node(s, "scsi4-0")->rate);
	assert_int_equal(160000000, s->disk[1].link);
	assert_int_equal(10000, s->disk[1].rpm);
	assert_non_null(strstr(s->disk[1].assumed, "rpm"));
	dw_station_free(s);
	machine_free(&t);
}

/* a disk that is gone, or of a kind that a file cannot say, is told as well as possible */
static void odd_disks(void **state)
{
	struct dw_disk_info info = { .scsi = true,
				     .sg = "/dev/sg7",
				     .sg_dev = makedev(21, 7),
				     .vendor = "A;B",
				     .model = "M #1",
				     .blocks = 35000000,
				     .block_size = 520,
				     .physical_block_size = 520,
				     .wce = -1 };
	struct dw_station *s;
	struct machine t;
	struct dw_error err = { 0 };

	machine_new(&t);
	assert_int_equal(0, station_describe(&t.m, &info, 1, &s, &err));
	assert_int_equal(0, s->disk[0].n_on);
	assert_int_equal(520, s->disk[0].sector);
	assert_int_equal(520, s->disk[0].physical);
	assert_int_equal(UINT64_C(35000000) * 520, s->disk[0].capacity);
	assert_null(strstr(s->disk[0].assumed, "sector"));
	assert_string_equal("A-B", s->disk[0].vendor);
	assert_string_equal("M -1", s->disk[0].model);
	dw_station_free(s);
	info.block_size = 16384;
	assert_int_equal(0, station_describe(&t.m, &info, 1, &s, &err));
	assert_int_equal(512, s->disk[0].sector);
	assert_int_equal(UINT64_C(35000000) * 16384, s->disk[0].capacity);
	assert_non_null(strstr(s->disk[0].assumed, "sector"));
	dw_station_free(s);
	info.blocks = 0;
	assert_int_equal(-EINVAL, station_describe(&t.m, &info, 1, &s, &err));
	assert_non_null(strstr(error_line(&err), "capacity"));
	machine_free(&t);
}

static struct dw_station *reload(struct machine *t, const char *text)
{
	struct dw_error err = { 0 };
	char path[PATH_MAX];
	struct dw_station *s;

	machine_file(t, "station", text);
	assert_int_equal(0, dw_path(path, "%s/station", t->root));
	if (dw_station_load(path, &s, &err) < 0)
		fail_msg("%s\n%s", error_line(&err), text);
	return s;
}

static const char all_keys[] =
	"[station]\ntitle = all = of it\n"
	"[link l]\nrate = 1234567\nassumed = rate\nnote = a, b: 3 %\n"
	"[controller c]\non = l\nrate = 1GB/s\ncommand = 1500ns\nbuffer = 2MiB\n"
	"queue = 31\noverflow = 6ms\n"
	"[bus b]\non = c\nmode = parallel\nbusy = retry\ncommand = 0.0005ms\n"
	"[bus b2]\non = c\n[controller bare]\nrate = 0\n"
	"[disk d]\non = b, b2\nvendor = X\nmodel = seventeen letters.\nserial = S 1\n"
	"wwn = 0x5000\ncapacity = 18.2GB\nphysical = 4KiB\nouter = 50312101\n"
	"inner = 30MB/s\nrpm = 10000\ncache = on\nbuffer = 4MiB\nseek = 1ms, 1.5ms\n"
	"overhead = 0\nlink = 160MB/s\nwrite-same = 70MB/s\nwrite-same-max = 65535\ncompare = yes\n"
	"sanitize = 90min\nsanitize-block = 2min\nsanitize-crypto = 3s\n"
	"tagged = 3\nmax-transfer = 512KiB\njitter = 0.125%\n"
	"fault = unwritable 4096\nfault = unreadable 5000 8\nfault = stall 3s 1500ms\n"
	"fault = reset 1min\nfault = remove 2h\nfault = slow 12.5% 4s\n"
	"fault = abort 0.0001%\nassumed = buffer\nnote = by hand\n"
	"[disk e]\nvendor =\ncount = 12\ncapacity = 1TB\nouter = 1MB/s\n"
	"write-same = no\n";

/* The model of a real disk may have a sign in it that begins a remark. */
static void text_like_a_remark(void **state)
{
	struct dw_station *a, *b;
	struct machine t;
	char *text;

	machine_new(&t);
	a = reload(&t, all_keys);
	strcpy(a->disk[0].model, ";A ;B;C");
	text = dw_station_text(a);
	b = reload(&t, text);
	assert_string_equal(",A ,B;C", b->disk[0].model);
	free(text);
	dw_station_free(a);
	dw_station_free(b);
	machine_free(&t);
}

static void text_and_back(void **state)
{
	struct dw_station *a, *b;
	char *first, *second;
	struct machine t;

	machine_new(&t);
	a = reload(&t, all_keys);
	first = dw_station_text(a);
	assert_non_null(first);
	b = reload(&t, first);
	second = dw_station_text(b);
	assert_string_equal(first, second);
	assert_int_equal(a->n_units, b->n_units);
	assert_int_equal(1500000000, b->disk[0].fault[2].for_ns);
	assert_true(b->disk[0].fault[6].share == a->disk[0].fault[6].share);
	assert_true(b->disk[0].jitter == a->disk[0].jitter);
	assert_int_equal(0, b->disk[0].overhead_ns);
	assert_int_equal(1500000, b->disk[0].seek_full_ns);
	assert_int_equal(500, node(b, "b")->command_ns);
	assert_int_equal(0, node(b, "bare")->rate);
	assert_string_equal("", b->disk[1].vendor);
	assert_string_equal("b2", b->disk[0].on_name[1]);
	free(first);
	free(second);
	dw_station_free(a);
	dw_station_free(b);
	machine_free(&t);
}

static void assumed_lists(void **state)
{
	char list[128] = "";

	typical_assume(list, "outer");
	typical_assume(list, "inner");
	typical_assume(list, "outer");
	typical_assume(list, "in");
	assert_string_equal("outer, inner, in", list);
	typical_known(list, "inner");
	typical_known(list, "seek");
	assert_string_equal("outer, in", list);
	typical_known(list, "in");
	assert_string_equal("outer", list);
	typical_known(list, "outer");
	assert_string_equal("", list);
}

static const char known[] =
	"[bus expander-6:0]\nrate = 2GB/s\n"
	"[disk one]\non = expander-6:0\nserial = B\nvendor = SEAGATE\n"
	"model = ST8000NM001A\ncapacity = 8001563222016\nouter = 200MB/s\n"
	"[disk two]\ncount = 1\non = expander-6:0\nvendor = SEAGATE\n"
	"model = ST8000NM001A\ncapacity = 8TB\nouter = 190MB/s\nphysical = 4KiB\n"
	"[disk other]\nmodel = X\nvendor = Y\ncapacity = 8TB\nouter = 3MB/s\n";

static void cut_to_disks(void **state)
{
	struct dw_station *s, *sub;
	struct dw_disk_info disks[3];
	uint8_t match[3];
	struct machine t;

	build_sas(&t);
	disks[0] = facts(&t, 3, "A", 7200);
	disks[1] = facts(&t, 4, "B", 7200);
	disks[2] = facts(&t, 5, "C", 7200);
	disks[0].wce = 1;
	s = reload(&t, known);
	assert_int_equal(0, station_select(&t.m, s, disks, 3, &sub, match, NULL));
	assert_int_equal(3, dw_station_disks(sub));
	assert_int_equal(DW_STATION_BY_MODEL, match[0]);
	assert_int_equal(DW_STATION_BY_IDENTITY, match[1]);
	assert_int_equal(DW_STATION_ASSUMED, match[2]);
	assert_int_equal(190000000, sub->disk[0].outer);
	assert_int_equal(200000000, sub->disk[1].outer);
	assert_int_equal(245000000, sub->disk[2].outer);
	assert_string_equal("sg3", sub->disk[0].name);
	assert_string_equal("A", sub->disk[0].serial);
	assert_int_equal(disks[0].blocks, sub->disk[0].blocks);
	assert_true(sub->disk[0].cache);
	assert_int_equal(2000000000, node(sub, "expander-6:0")->rate);
	assert_string_equal("host6", sub->disk[2].on_name[0]);
	assert_non_null(node(sub, "pcie-0000:00:01.0"));
	dw_station_free(sub);
	dw_station_free(s);
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes),
		cmocka_unit_test(sas_shelf),
		cmocka_unit_test(two_paths),
		cmocka_unit_test(sata_and_spi),
		cmocka_unit_test(odd_disks),
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(text_like_a_remark),
		cmocka_unit_test(assumed_lists),
		cmocka_unit_test(cut_to_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
