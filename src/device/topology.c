/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The device tree is read from the disk upward, component by component of its path:
 *
 *	pci0000:00/0000:00:01.0/0000:03:00.0/host6/port-6:0/expander-6:0/port-6:0:3/
 *	  bridges			     HBA    host  wide port	 expander   the disk's port
 *
 * An expander's data pass the wide port above it, whose phys add up. Of a PCIe path the
 * narrowest part counts, and of equally narrow ones the one nearest to the host, which
 * adapters behind one switch then have in common.
 */
#include "device/topology.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/node.h"
#include "device/open.h"
#include "scsi/vpd.h"

#define PARTS 40

/** struct topology_way - a disk's path, cut into its components; @part[i] ends at @end[i] */
struct topology_way {
	const struct dw_machine *m;
	char path[PATH_MAX];
	char text[PATH_MAX];
	const char *part[PARTS];
	size_t end[PARTS];
	uint32_t n;
};

uint64_t dw_topology_lane(const char *speed)
{
	char unit[8] = "";
	double giga;

	if (sscanf(speed, "%lf %7s", &giga, unit) != 2 || !(giga > 0) || giga > 1000)
		return 0;
	if (!strcmp(unit, "Gbit") || !strcmp(unit, "Gbps")) /* SAS, SATA */
		return (uint64_t)llround(giga * 1e9 *
					 (giga > 12.5 ? 128.0 / 150 / 8 : 0.1));
	if (strcmp(unit, "GT/s") != 0)
		return 0;
	if (giga < 6)
		return (uint64_t)llround(giga * 1e8);
	return (uint64_t)llround(giga * 1e9 / 8 *
				 (giga > 40 ? 242.0 / 256 : 128.0 / 130));
}

static int cut(struct topology_way *w)
{
	size_t skip = strlen(w->m->sys);

	strcpy(w->text, w->path);
	if (strncmp(w->text, w->m->sys, skip) != 0)
		skip = 0;
	for (char *save, *p = strtok_r(w->text + skip, "/", &save); p;
	     p = strtok_r(NULL, "/", &save)) {
		if (w->n == PARTS)
			return -ENAMETOOLONG;
		w->part[w->n] = p;
		w->end[w->n++] = (size_t)(p - w->text) + strlen(p);
	}
	return 0;
}

/* the folder of component @i */
static void folder(const struct topology_way *w, uint32_t i, char ret[PATH_MAX])
{
	memcpy(ret, w->path, w->end[i]);
	ret[w->end[i]] = '\0';
}

/* "host6", "ata3": the word with a number and nothing else behind it */
static bool is_numbered(const char *part, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(part, word, n) && part[n] &&
	       strspn(part + n, "0123456789") == strlen(part + n);
}

/* the last component of that kind, -1 = none */
static int find_component(const struct topology_way *w, const char *word)
{
	int i = (int)w->n - 1;

	while (i >= 0 && !is_numbered(w->part[i], word))
		i--;
	return i;
}

/* "0000:03:00.0" */
static bool is_pci(const char *part)
{
	unsigned int domain, bus, device, function;
	int end = 0;

	return sscanf(part, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &end) ==
		       4 &&
	       !part[end];
}

static struct dw_topology_node *add_level(struct dw_topology *t, uint8_t kind,
					  const char *name)
{
	struct dw_topology_node *n = &t->node[t->n];

	if (t->n == DW_TOPOLOGY_NODES)
		return NULL;
	t->n++;
	n->kind = kind;
	snprintf(n->name, sizeof(n->name), "%s", name);
	for (char *p = n->name; *p; p++)
		if (strchr(" ,;=#[]", *p))
			*p = '-';
	return n;
}

struct sum {
	const struct dw_machine *m;
	uint64_t rate;
};

static int add_phy(void *ctx, const char *dir, const char *name)
{
	struct sum *s = ctx;
	char path[PATH_MAX], speed[32];

	if (!strncmp(name, "phy-", 4) &&
	    !dw_path(path, "%s/class/sas_phy/%s", s->m->sys, name) &&
	    !dw_sysfs_text(path, "negotiated_linkrate", speed, sizeof(speed)))
		s->rate += dw_topology_lane(speed);
	return 0;
}

/* the phys of a port together; the kernel puts a link to each into the port's folder */
static uint64_t port_rate(const struct topology_way *w, uint32_t i)
{
	struct sum s = { w->m, 0 };
	char dir[PATH_MAX];

	folder(w, i, dir);
	dw_sysfs_each(dir, add_phy, &s);
	return s.rate;
}

static void read_sas(const struct topology_way *w, struct dw_topology *t)
{
	for (uint32_t i = w->n - 1; i > 0; i--) {
		struct dw_topology_node *n;

		if (strncmp(w->part[i - 1], "port-", 5) != 0)
			continue;
		if (!strncmp(w->part[i], "end_device-", 11))
			t->link = port_rate(w, i - 1);
		if (strncmp(w->part[i], "expander-", 9) != 0)
			continue;
		n = add_level(t, DW_TOPOLOGY_BUS, w->part[i]);
		if (n)
			n->rate = port_rate(w, i - 1);
	}
}

static void read_sata(const struct topology_way *w, struct dw_topology *t, int ata)
{
	char dir[PATH_MAX], speed[32];

	if (!dw_path(dir, "%s/class/ata_link/link%s", w->m->sys, w->part[ata] + 3) &&
	    !dw_sysfs_text(dir, "sata_spd", speed, sizeof(speed)))
		t->link = dw_topology_lane(speed);
}

/* SPI: a period in ns, and 16 bits at a time when wide */
static void read_spi(const struct topology_way *w, const struct dw_disk_info *info,
		     struct dw_topology *t)
{
	char dir[PATH_MAX], period[32], name[DW_TOPOLOGY_NAME];
	struct dw_topology_node *n;
	uint64_t wide = 0;
	double ns;

	snprintf(name, sizeof(name), "scsi%u-%u", info->host, info->channel);
	n = add_level(t, DW_TOPOLOGY_BUS, name);
	if (!n)
		return;
	n->parallel = true;
	if (dw_path(dir, "%s/class/spi_transport/target%u:%u:%u", w->m->sys, info->host,
		    info->channel, info->target) ||
	    dw_sysfs_text(dir, "period", period, sizeof(period)) ||
	    sscanf(period, "%lf", &ns) != 1 || !(ns >= 1))
		return;
	dw_sysfs_u64(dir, "width", &wide);
	t->link = (uint64_t)llround(1e9 / ns * (wide ? 2 : 1));
	n->rate = t->link;
}

/* USB 2 loses about 30 % to its protocol, USB 3.0 has 8b/10b, later ones 128b/132b */
static void read_usb(const struct topology_way *w, struct dw_topology *t)
{
	char dir[PATH_MAX];
	uint64_t mbit;

	for (uint32_t i = w->n; i-- > 0;) {
		folder(w, i, dir);
		if (!strchr(w->part[i], '-') || !dw_sysfs_u64(dir, "speed", &mbit))
			continue;
		t->link = mbit < 5000    ? mbit * 87500
			  : mbit == 5000 ? mbit * 100000
					 : mbit * 1000000 / 8 * 128 / 132;
		return;
	}
}

/* a host without a bus of its own kind still is one thing that its disks share */
static void read_host_bus(const struct topology_way *w, const struct dw_disk_info *info,
			  struct dw_topology *t)
{
	char dir[PATH_MAX], name[DW_TOPOLOGY_NAME], speed[32];
	struct dw_topology_node *n;

	snprintf(name, sizeof(name), "host%u", info->host);
	n = add_level(t, DW_TOPOLOGY_BUS, name);
	if (n && !dw_path(dir, "%s/class/fc_host/%s", w->m->sys, name) &&
	    !dw_sysfs_text(dir, "speed", speed, sizeof(speed)))
		n->rate = dw_topology_lane(speed);
}

static void read_buses(const struct topology_way *w, const struct dw_disk_info *info,
		       struct dw_topology *t)
{
	int ata = find_component(w, "ata");

	if (!info->scsi)
		return;
	read_sas(w, t);
	if (!strcmp(info->transport, "usb"))
		read_usb(w, t);
	else if (ata >= 0)
		read_sata(w, t, ata);
	else if (!strcmp(info->transport, "spi"))
		read_spi(w, info, t);
	else if (!t->n)
		read_host_bus(w, info, t);
}

/* the function on the PCI bus that drives the disk, else what stands above its host */
static int controller_part(const struct topology_way *w)
{
	int i = (int)w->n - 1, host = find_component(w, "host");

	while (i >= 0 && !is_pci(w->part[i]))
		i--;
	return i >= 0 ? i : host - 1;
}

static void read_controller(const struct topology_way *w, const struct dw_disk_info *info,
			    struct dw_topology *t, int at)
{
	char name[80], dir[PATH_MAX];
	struct dw_topology_node *n;

	if (!info->scsi || at < 0)
		return;
	snprintf(name, sizeof(name), "%.16s%s%.24s", info->host_driver,
		 info->host_driver[0] ? "-" : "", w->part[at]);
	n = add_level(t, DW_TOPOLOGY_CONTROLLER, name);
	if (n && find_component(w, "ata") < 0 && /* libata has a host for each port */
	    !dw_path(dir, "%s/class/scsi_host/host%u", w->m->sys, info->host))
		dw_sysfs_u64(dir, "can_queue", &n->queue);
}

static uint64_t pcie_rate(const char *dir)
{
	char speed[32];
	uint64_t width;

	if (dw_sysfs_text(dir, "current_link_speed", speed, sizeof(speed)) ||
	    !dw_sysfs_u64(dir, "current_link_width", &width) || width > 32)
		return 0;
	return dw_topology_lane(speed) * width;
}

static void read_pcie(const struct topology_way *w, struct dw_topology *t, int at)
{
	char dir[PATH_MAX], name[DW_TOPOLOGY_NAME];
	struct dw_topology_node *n;
	uint64_t least = 0, rate;
	int where = -1;

	for (int i = 0; i <= at; i++) {
		if (!is_pci(w->part[i]))
			continue;
		folder(w, (uint32_t)i, dir);
		rate = pcie_rate(dir);
		if (!rate || (least && rate >= least))
			continue;
		least = rate;
		where = i;
	}
	if (where < 0)
		return;
	snprintf(name, sizeof(name), "pcie-%.24s", w->part[where]);
	n = add_level(t, DW_TOPOLOGY_LINK, name);
	if (n)
		n->rate = least;
}

static void read_limits(const char *dir, struct dw_topology *t, uint32_t block_size)
{
	struct dw_vpd_limits limits;
	uint8_t page[64];
	char path[PATH_MAX];
	dw_autoclose int fd = -1;
	ssize_t len;

	if (dw_path(path, "%s/vpd_pgb0", dir))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, page, sizeof(page));
	if (len < 0 || dw_vpd_limits(page, (size_t)len, &limits))
		return;
	if (limits.max_transfer) {
		uint64_t bytes = (uint64_t)limits.max_transfer * block_size;

		t->max_bytes = t->max_bytes ? dw_min_u64(t->max_bytes, bytes) : bytes;
	}
	t->ws_max = limits.max_write_same;
	if (t->ws_max)
		t->ws = DW_YES;
}

/* what the sd driver found out: the cache, and whether it would send WRITE SAME */
static void read_sd(const char *dir, struct dw_topology *t)
{
	char sub[PATH_MAX], name[64], path[PATH_MAX], text[48];
	uint64_t blocks;

	if (dw_path(sub, "%s/scsi_disk", dir) ||
	    !dw_sysfs_first(sub, "", name, sizeof(name)) ||
	    dw_path(path, "%s/%s", sub, name))
		return;
	if (!dw_sysfs_text(path, "cache_type", text, sizeof(text)) && text[0])
		t->wce = !strncmp(text, "write back", 10) ? DW_YES : DW_NO;
	if (dw_sysfs_u64(path, "max_write_same_blocks", &blocks) && t->ws == DW_UNKNOWN)
		t->ws = blocks ? DW_YES : DW_NO;
}

static void read_disk(const struct dw_machine *m, const struct dw_disk_info *info,
		      struct dw_topology *t)
{
	struct dw_device d = { .info = *info };
	char dir[PATH_MAX], text[32];

	dw_device_read_queue(m, &d);
	t->queue_depth = d.caps.limit.queue_depth;
	t->max_bytes = d.caps.limit.max_hw_bytes;
	if (!dw_node_scsi_dir(m, info, dir)) {
		read_limits(dir, t, info->block_size);
		read_sd(dir, t);
		return;
	}
	t->ws = DW_NO;
	if (!dw_node_block_dir(m, info, dir) &&
	    !dw_sysfs_text(dir, "queue/write_cache", text, sizeof(text)))
		t->wce = !strcmp(text, "write back") ? DW_YES : DW_NO;
}

int dw_topology_read(const struct dw_machine *m, const struct dw_disk_info *info,
		     struct dw_topology *ret)
{
	bool block = !info->sg_dev;
	struct topology_way w = { .m = m };
	struct dw_topology t = { .ws = DW_UNKNOWN, .wce = DW_UNKNOWN };
	int at, r;

	r = dw_sysfs_real(m, block, block ? info->block_dev : info->sg_dev, w.path);
	if (!r)
		r = cut(&w);
	if (r)
		return r;
	at = controller_part(&w);
	read_buses(&w, info, &t);
	read_controller(&w, info, &t, at);
	read_pcie(&w, &t, at);
	read_disk(m, info, &t);
	*ret = t;
	return 0;
}
