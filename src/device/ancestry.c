/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hangs a disk on the machine, and whether it is a disk at all. The transport is
 * read off the device's place in the tree, as the transport classes name their folders
 * (end_device-, rport-, session, ata, usb).
 *
 * No standard marks a RAID controller's logical volume, so the rules are those of the
 * drivers, as read in the kernel's drivers/scsi:
 *   hpsa, smartpqi	raid_level is "N/A" for what is no volume (raid_level_show(),
 *			pqi_raid_level_show()); a volume of unknown level is a volume
 *   megaraid_sas	bare disks on channels 0 and 1, volumes above: MEGASAS_IS_LOGICAL
 *   aacraid		volumes on channel 0 (CONTAINER_CHANNEL), bare disks above
 *   mpt2sas, mpt3sas	volumes on channel 1 (RAID_CHANNEL); bare disks on 0, NVMe on 2
 *   mpi3mr		volumes and NVMe drives on one channel, since Linux 6.1 channel 1, and
 *			before, or with multipath firmware, all on 0; the attribute
 *			sas_address says something for SAS and SATA disks alone
 * Other RAID drivers show volumes, and bare disks that nothing tells from them: both count
 * as volumes. Last, the name: controllers like to put their own, or the word RAID, where a
 * disk has its maker's.
 */
#include "device/node.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* A SATA disk behind a SAS expander is no SAS disk: the expander knows. */
static bool is_tunnelled_sata(const struct dw_machine *m, const char *end_device)
{
	char dir[PATH_MAX], name[32], protocols[64];
	size_t n = strcspn(end_device, "/");

	if (n >= sizeof(name))
		return false;
	memcpy(name, end_device, n);
	name[n] = '\0';
	return !dw_path(dir, "%s/class/sas_device/%s", m->sys, name) &&
	       !dw_sysfs_text(dir, "target_port_protocols", protocols,
			      sizeof(protocols)) &&
	       strstr(protocols, "sata") && !strstr(protocols, "ssp");
}

static bool is_spi(const struct dw_machine *m, const char *real)
{
	const char *target = strstr(real, "/target");
	char path[PATH_MAX];
	size_t n;

	if (!target)
		return false;
	n = strcspn(++target, "/");
	return !dw_path(path, "%s/class/spi_transport/%.*s", m->sys, (int)n, target) &&
	       !access(path, F_OK);
}

/* A folder of that name with a number behind it is among the ancestors. */
static bool hangs_on(const char *real, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = real; (at = strstr(at, part)); at += n)
		if (at[n] >= '0' && at[n] <= '9')
			return true;
	return false;
}

const char *dw_node_transport(const struct dw_machine *m, const char *real)
{
	static const struct {
		const char *part;
		const char *name;
	} parts[] = {
		{ "/usb", "usb" },       { "/ata", "sata" },  { "/rport-", "fc" },
		{ "/session", "iscsi" }, { "/nvme", "nvme" }, { "/mmc", "mmc" },
		{ "/virtio", "virtio" }, { "/vbd-", "xen" },  { "/fw", "sbp" },
	};
	const char *end_device = strstr(real, "/end_device-");

	if (end_device)
		return is_tunnelled_sata(m, end_device + 1) ? "sata" : "sas";
	for (size_t i = 0; i < DW_ARRAY_SIZE(parts); i++)
		if (hangs_on(real, parts[i].part))
			return parts[i].name;
	return is_spi(m, real) ? "spi" : "";
}

struct first_phy {
	char name[32];
	uint64_t number;
	const struct dw_machine *m;
};

static int lower_phy(void *ctx, const char *port, const char *name)
{
	struct first_phy *f = ctx;
	char dir[PATH_MAX];
	uint64_t number;

	(void)port;
	if (strncmp(name, "phy-", 4) != 0 || strlen(name) >= sizeof(f->name) ||
	    dw_path(dir, "%s/class/sas_phy/%s", f->m->sys, name) ||
	    !dw_sysfs_u64(dir, "phy_identifier", &number) ||
	    (f->name[0] && number > f->number))
		return 0;
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->number = number;
	return 0;
}

/* The number that an end device has itself is, by some drivers, its own phy. That of the adapter or
 * expander is the one whose phy the kernel links to in the folder of the port. */
void dw_node_phy(const struct dw_machine *m, const char *real, char *ret, size_t len)
{
	const char *end_device = strstr(real, "/end_device-");
	struct first_phy f = { .m = m };
	char port[PATH_MAX], dir[PATH_MAX], address[24];

	ret[0] = '\0';
	if (!end_device || dw_path(port, "%.*s", (int)(end_device - real), real))
		return;
	dw_sysfs_each(port, lower_phy, &f);
	if (!f.name[0] || dw_path(dir, "%s/class/sas_phy/%s", m->sys, f.name) ||
	    dw_sysfs_text(dir, "sas_address", address, sizeof(address)) || !address[0])
		return;
	if ((size_t)snprintf(ret, len, "%s:%llu", address,
			     (unsigned long long)f.number) >= len)
		ret[0] = '\0';
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What each driver says of its devices; of one with a list of its own nothing else counts. */
static enum { VOLUME, BARE, SILENT } by_driver(const struct dw_logical_hints *h)
{
	static const char *const volumes[] = { "3w-9xxx", "3w-sas",  "3w-xxxx", "arcmsr",
					       "cciss",   "dpt_i2o", "gdth",    "hptiop",
					       "ips",     "mvumi",   "stex",    NULL };

	if (is_one_of(h->driver, volumes))
		return VOLUME;
	if (!strcmp(h->driver, "hpsa") || !strcmp(h->driver, "smartpqi"))
		return h->raid_level && !strcmp(h->raid_level, "N/A") ? BARE : VOLUME;
	if (!strcmp(h->driver, "megaraid_sas"))
		return h->channel < 2 ? BARE : VOLUME;
	if (starts(h->driver, "megaraid"))
		return VOLUME;
	if (!strcmp(h->driver, "mpt3sas") || !strcmp(h->driver, "mpt2sas"))
		return h->channel == 1 ? VOLUME : SILENT;
	if (!strcmp(h->driver, "mpi3mr"))
		return h->sas_address || starts(h->vendor, "NVMe") ? BARE : VOLUME;
	if (!strcmp(h->driver, "aacraid"))
		return h->channel == 0 ? VOLUME : BARE;
	return SILENT;
}

bool dw_node_logical(const struct dw_logical_hints *h)
{
	static const char *const models[] = { "LOGICAL VOLUME", "LOGICAL DRIVE", "RAID",
					      "PERC", NULL };
	static const char *const vendors[] = { "Areca", "AMCC", "3ware", NULL };

	if (h->of_array)
		return true;
	switch (by_driver(h)) {
	case VOLUME:
		return true;
	case BARE:
		return false;
	default:
		break;
	}
	for (const char *const *p = models; *p; p++)
		if (strcasestr(h->model, *p))
			return true;
	if (is_one_of(h->vendor, vendors))
		return true;
	/* "LSI MR9361-8i", "AVAGO MR9460": the controller's name */
	return starts(h->model, "MR9") || starts(h->model, "MR8") ||
	       starts(h->model, "MRROMB");
}
