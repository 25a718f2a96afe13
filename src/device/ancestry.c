/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What hangs a disk on the machine, and whether it is a disk at all. The transport is
 * read off the device's place in the tree, as the transport classes name their folders
 * (end_device-, rport-, session, ata, usb).
 *
 * No standard marks a RAID controller's logical volume, so the rules are those of the
 * drivers: hpsa, smartpqi and aacraid give each device an attribute raid_level;
 * megaraid_sas puts volumes on channels 2 and up and bare disks on 0 and 1; mpt2sas and
 * mpt3sas put them on channel 1; aacraid keeps its containers on channel 0; some old
 * controllers show nothing else than volumes. Last, the name: controllers like to put
 * their own, or the word RAID, where a disk has its maker's.
 */
#include "device/node.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static bool level_is_volume(const char *level)
{
	static const char *const bare[] = { "N/A",  "JBOD",    "Hidden", "HBA",
					    "NONE", "UNKNOWN", NULL };

	return !is_one_of(level, bare);
}

/* Positive, negative or silent: what the driver's own numbering says. */
static enum { VOLUME, BARE, SILENT } by_driver(const struct dw_logical_hints *h)
{
	static const char *const volumes_only[] = {
		"3w-9xxx", "3w-sas", "3w-xxxx", "ips", "dpt_i2o", "gdth", "cciss", NULL
	};

	if (is_one_of(h->driver, volumes_only))
		return VOLUME;
	if (!strncmp(h->driver, "megaraid", 8))
		return h->channel >= 2 ? VOLUME : SILENT;
	if (!strcmp(h->driver, "mpt3sas") || !strcmp(h->driver, "mpt2sas"))
		return h->channel == 1 ? VOLUME : SILENT;
	if (!strcmp(h->driver, "aacraid") && !h->raid_level)
		return h->channel == 0 ? VOLUME : BARE;
	return SILENT;
}

bool dw_node_logical(const struct dw_logical_hints *h)
{
	static const char *const models[] = { "LOGICAL VOLUME", "LOGICAL DRIVE", "RAID",
					      "PERC", NULL };
	static const char *const vendors[] = { "Areca", "AMCC", "3ware", NULL };

	if (h->raid_level && level_is_volume(h->raid_level))
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
	return !strncmp(h->model, "MR9", 3) || !strncmp(h->model, "MR8", 3) ||
	       !strncmp(h->model, "MRROMB", 6);
}
