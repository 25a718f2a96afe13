/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of /proc and /sys that are parsed: the first byte says which file of a recorded machine
 * has the rest of the input as its content. Who can mount, or set up a target or a loop device,
 * chooses part of these.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "../unit/machine.h"
#include "../unit/unit.h"
#include "fuzz.h"

#include "base/util.h"
#include "device/inuse.h"
#include "device/iostat.h"
#include "device/node.h"
#include "device/stripe.h"
#include "device/topology.h"
#include "device/verdict.h"

#define SDA "sys/devices/pseudo_0/adapter0/host0/target0:0:0/0:0:0:0"
#define MD  "sys/devices/virtual/block/md0"
#define LIO "sys/kernel/config/target/core"

static struct machine machine;

static void uses(const struct dw_machine *m)
{
	struct dw_uses u = { 0 };
	struct dw_disk_info info;
	enum dw_node_kind kind;
	struct dw_verdict v = { 0 };

	FUZZ_CHECK(dw_uses_mounts(m, &u) == 0 && dw_uses_kernel(m, &u) == 0);
	for (size_t i = 0; i < u.n; i++)
		FUZZ_CHECK(u.v[i].dev && u.v[i].text);
	if (dw_node_resolve(m, true, makedev(8, 0), &info, &kind) == 0) {
		int r = dw_inuse_judge(m, &u, &info, &v);

		FUZZ_CHECK(r < 0 || r == (v.refusal != DW_REFUSAL_NONE));
		FUZZ_CHECK(memchr(v.reason, 0, sizeof(v.reason)));
		FUZZ_CHECK(memchr(v.release, 0, sizeof(v.release)));
	}
	dw_uses_free(&u);
}

static void nodes(const struct dw_machine *m)
{
	struct dw_disk_info *list = NULL;
	struct dw_topology topology;
	size_t n = 0;

	if (dw_nodes_list(m, &list, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(memchr(list[i].vendor, 0, sizeof(list[i].vendor)));
		FUZZ_CHECK(memchr(list[i].model, 0, sizeof(list[i].model)));
		if (dw_topology_read(m, &list[i], &topology) == 0)
			FUZZ_CHECK(topology.n <= DW_TOPOLOGY_NODES);
	}
	free(list);
}

static void sets(const struct dw_machine *m)
{
	struct dw_stripe *s;

	if (dw_stripe_read(m, makedev(9, 0), &s) != 0)
		return;
	FUZZ_CHECK(s->n >= 1);
	dw_stripe_free(s);
}

static const struct {
	const char *path;
	const char *usual;
	void (*read)(const struct dw_machine *m);
} files[] = {
	{ "proc/self/mountinfo", "22 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n", uses },
	{ "proc/swaps", "Filename\tType\n/dev/sda2 partition 1 0 -2\n", uses },
	{ LIO "/iblock_0/b0/info", "Status: ACTIVATED\n", uses },
	{ LIO "/iblock_0/b0/udev_path", "/dev/sda\n", uses },
	{ LIO "/pscsi_0/p0/info", "Status: ACTIVATED\n", uses },
	{ LIO "/fileio_0/f0/info", "Status: ACTIVATED\n", uses },
	{ "sys/devices/virtual/block/loop0/loop/backing_file", "/dev/sda\n", uses },
	{ SDA "/block/sda/dev", "8:0\n", uses },
	{ SDA "/block/sda/size", "32768\n", nodes },
	{ SDA "/vendor", "LIO\n", nodes },
	{ SDA "/type", "0\n", nodes },
	{ SDA "/queue_depth", "16\n", nodes },
	{ SDA "/block/sda/queue/write_cache", "write back\n", nodes },
	{ MD "/md/level", "raid0\n", sets },
	{ MD "/md/chunk_size", "65536\n", sets },
	{ MD "/md/raid_disks", "1\n", sets },
	{ MD "/md/dev-sdb/slot", "0\n", sets },
	{ MD "/md/dev-sdb/offset", "2048\n", sets },
};

static void put_usual(size_t i)
{
	machine_file(&machine, files[i].path, files[i].usual);
}

static void remove_machine(void)
{
	machine_free(&machine);
}

static void make_machine(void)
{
	machine_new(&machine);
	atexit(remove_machine);
	machine_load(&machine, "stacks.tree");
	machine_block(&machine, "virtual/block/loop0", "7:0");
	machine_link(&machine, MD "/md/dev-sdb/block",
		     "../../../../../../class/block/sdb");
	for (size_t i = 0; i < DW_ARRAY_SIZE(files); i++)
		put_usual(i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t which = size ? data[0] % DW_ARRAY_SIZE(files) : 0;
	char *text = calloc(1, size + 1);

	FUZZ_CHECK(text);
	if (!machine.root[0])
		make_machine();
	if (size)
		memcpy(text, data + 1, size - 1);
	machine_file(&machine, files[which].path, text);
	free(text);
	files[which].read(&machine.m);
	put_usual(which);
	return 0;
}
