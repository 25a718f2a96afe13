/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of /proc, /sys and /etc that are parsed: the first byte says which file of a recorded
 * machine has the rest of the input as its content. Who can mount, or set up a target or a loop
 * device, chooses part of these.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "../unit/machine.h"
#include "../unit/unit.h"
#include "fuzz.h"

#include "base/util.h"
#include "judge/inuse.h"
#include "device/iostat.h"
#include "device/node.h"
#include "judge/stripe.h"
#include "device/topology.h"
#include "judge/verdict.h"
#include "judge/wants.h"

#define SDA "sys/devices/pseudo_0/adapter0/host0/target0:0:0/0:0:0:0"
#define MD  "sys/devices/virtual/block/md0"
#define LIO "sys/kernel/config/target/core"

#define EFI    "sys/firmware/efi/efivars"
#define GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"

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

/* What lines of configuration, the firmware and what is active ask for. */
static void wants(const struct dw_machine *m)
{
	struct dw_uses u = { 0 };

	FUZZ_CHECK(dw_wants_files(m, &u) == 0 && dw_wants_boot(m, &u) == 0);
	for (size_t i = 0; i < u.n_wants; i++) {
		FUZZ_CHECK(memchr(u.want[i].tag.value, 0, DW_TAG_MAX));
		FUZZ_CHECK(memchr(u.want[i].by, 0, sizeof(u.want[i].by)));
		FUZZ_CHECK(memchr(u.want[i].release, 0, sizeof(u.want[i].release)));
	}
	dw_uses_free(&u);
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
	{ "etc/fstab", "", wants },
	{ "etc/crypttab", "", wants },
	{ "etc/mdadm.conf", "", wants },
	{ "etc/systemd/system/srv-x.mount", "", wants },
	{ "etc/zfs/zpool.cache", "", wants },
	{ "proc/cmdline", "", wants },
	{ EFI "/Boot0001-" GLOBAL, "", wants },
};

static void put_usual(size_t i)
{
	machine_file(&machine, files[i].path, files[i].usual);
}

static void put(size_t i, const uint8_t *data, size_t size)
{
	char path[PATH_MAX];
	FILE *f;

	FUZZ_CHECK(dw_path(path, "%s/%s", machine.root, files[i].path) == 0);
	f = fopen(path, "w");
	FUZZ_CHECK(f && fwrite(data, 1, size, f) == size);
	FUZZ_CHECK(fclose(f) == 0);
}

static void remove_machine(void)
{
	machine_free(&machine);
}

static void make_machine(void)
{
	char path[PATH_MAX];
	FILE *f;

	machine_new(&machine);
	atexit(remove_machine);
	machine_load(&machine, "stacks.tree");
	machine_block(&machine, "virtual/block/loop0", "7:0");
	machine_link(&machine, MD "/md/dev-sdb/block",
		     "../../../../../../class/block/sdb");
	for (size_t i = 0; i < DW_ARRAY_SIZE(files); i++)
		put_usual(i);
	machine_file(&machine, EFI "/BootCurrent-" GLOBAL, "");
	FUZZ_CHECK(dw_path(path, "%s/" EFI "/BootCurrent-" GLOBAL, machine.root) == 0);
	f = fopen(path, "w");
	FUZZ_CHECK(f && fwrite("\6\0\0\0\1\0", 1, 6, f) == 6 && fclose(f) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t which = size ? data[0] % DW_ARRAY_SIZE(files) : 0;

	if (!machine.root[0])
		make_machine();
	if (size)
		put(which, data + 1, size - 1);
	files[which].read(&machine.m);
	put_usual(which);
	return 0;
}
