/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By what a disk erases itself. A command that it does not name is never tried: the answer to the
 * trial would be an erased disk. SANITIZE of one logical unit may reach the others of its device,
 * so these are counted, as the device itself reports them. An ATA disk behind a translation names
 * its ways in IDENTIFY DEVICE data; whether the translation passes commands on, and gives back the
 * registers that tell how an operation ends, is found out by SANITIZE STATUS EXT, which changes
 * nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "device/ask.h"
#include "device/hidden.h"
#include "device/security.h"
#include "scsi/ata.h"
#include "device/lun.h"
#include "device/sysfs.h"
#include "scsi/cdb.h"
#include "scsi/inquiry.h"

#define LUNS_HEADER 8
#define LUNS_MAX    64
#define LUN_LEN     8

/* 1 where it is not told. Well known logical units (SAM, address method 11b) have no medium. */
static uint32_t reported_units(struct dw_device *d)
{
	uint8_t buf[LUNS_HEADER + LUNS_MAX * LUN_LEN];
	struct dw_cmd cmd = { .data = buf, .data_len = sizeof(buf) };
	struct dw_answer a;
	uint32_t units = 0;
	size_t end;

	cmd.cdb_len = (uint8_t)dw_cdb_report_luns(cmd.cdb, sizeof(buf));
	if (dw_ask(d, &cmd, &a) || a.got < LUNS_HEADER)
		return 1;
	end = dw_min_u64(a.got, LUNS_HEADER + (uint64_t)dw_get_be32(buf));
	for (size_t at = LUNS_HEADER; at + LUN_LEN <= end; at += LUN_LEN)
		units += buf[at] >> 6 != 3;
	return units ? units : 1;
}

static void explain_busy(struct dw_device *d)
{
	d->not_ready =
		(struct dw_sense){ .key = DW_KEY_NOT_READY, .asc = 0x04, .ascq = 0x1b };
}

/* Why what it answered keeps it from an operation, or NULL. */
static const char *read_state(struct dw_device *d, const struct dw_answer *a)
{
	struct dw_ata_sanitize_state s;
	int r = dw_ata_sanitize_state(a->done.sense, a->done.sense_len, &s);

	d->caps.self.end_unknown = r || (s.fixed && !s.aborted);
	if ((!r || r == -ERANGE) && s.running)
		explain_busy(d);
	if (r == -EIO)
		return "what it tells of SANITIZE DEVICE cannot be true";
	if (!r && s.aborted && s.reason != DW_ATA_REASON_LAST_FAILED)
		return "it refuses to tell of SANITIZE DEVICE";
	if (!r && s.frozen)
		return "its SANITIZE is frozen until power is off: pull it, and plug it in "
		       "again";
	return NULL;
}

const char *dw_device_ask_sanitize(struct dw_device *d)
{
	struct dw_cmd cmd = { .data = NULL };
	struct dw_answer a;
	int r;

	cmd.cdb_len = (uint8_t)dw_cdb_ata_sanitize(cmd.cdb, DW_ATA_SANITIZE_STATUS, 0);
	r = dw_ask(d, &cmd, &a);
	if (r < 0)
		return "ATA PASS-THROUGH(16) does not reach the disk";
	if (r && a.sense.key != DW_KEY_ABORTED_COMMAND)
		return "its translation passes on no ATA PASS-THROUGH(16)";
	return read_state(d, &a);
}

/*
 * The page by which the translation names the disk is its own; what is passed through has to reach
 * the same. A bridge with two disks may pass all of it on to the first, which also answers for the
 * other's SANITIZE. A disk in use is not asked, as some lose queued writes to IDENTIFY DEVICE.
 */
static const char *ask_who_is_reached(struct dw_device *d)
{
	uint8_t data[DW_ATA_SECTOR];
	struct dw_cmd cmd = { .data = data, .data_len = sizeof(data) };
	struct dw_ata_identity id;
	struct dw_answer a;

	if (dw_device_in_use(d))
		return "it is in use, so it is not asked";
	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, DW_ATA_IDENTIFY);
	if (dw_ask(d, &cmd, &a) || a.got < sizeof(data) ||
	    dw_ata_identify_data(data, &id) < 0 || !id.serial[0])
		return "ATA PASS-THROUGH does not say which disk it reaches";
	return strcmp(id.serial, d->info.serial) ? "ATA PASS-THROUGH reaches another disk"
						 : NULL;
}

static void probe_ata_operations(struct dw_device *d)
{
	struct dw_caps *c = &d->caps;
	struct dw_ata_identity id;
	unsigned int named;

	if (!c->ata.sat || c->narrow || d->info.logical_volume ||
	    dw_device_ata_identity(d, &id))
		return;
	named = (unsigned int)id.overwrite << DW_OPERATION_OVERWRITE |
		(unsigned int)id.block_erase << DW_OPERATION_BLOCK_ERASE |
		(unsigned int)id.crypto_erase << DW_OPERATION_CRYPTO_ERASE;
	if (!named)
		return;
	c->self.not_offered = dw_device_ask_sanitize(d);
	if (!c->self.not_offered)
		c->self.not_offered = ask_who_is_reached(d);
	c->self.ata = !c->self.not_offered;
	c->self.operations = c->self.ata ? (uint8_t)named : 0;
}

/** struct unit_search - nodes of the other logical units of @d's device; @n: their number,
 * @phantoms: of those that are none */
struct unit_search {
	struct dw_device *d;
	uint32_t n, phantoms;
};

static int add_unit(void *ctx, const char *dir, const char *name)
{
	struct unit_search *s = ctx;
	const struct dw_disk_info *i = &s->d->info;
	size_t used = strlen(s->d->units);
	unsigned int host, channel, target;
	unsigned long long lun;
	char path[PATH_MAX], sg[64];
	uint64_t type;

	if (sscanf(name, "%u:%u:%u:%llu", &host, &channel, &target, &lun) != 4 ||
	    host != i->host || channel != i->channel || target != i->target ||
	    lun == i->lun || dw_path(path, "%s/%s/device", dir, name) ||
	    !dw_sysfs_u64(path, "type", &type) ||
	    (type != DW_TYPE_DISK && type != DW_TYPE_ZONED))
		return 0;
	if (dw_lun_phantom(path)) {
		s->phantoms++;
		return 0;
	}
	s->n++;
	if (dw_path(path, "%s/%s/device/scsi_generic", dir, name) ||
	    !dw_sysfs_first(path, "", sg, sizeof(sg)))
		return 0;
	snprintf(s->d->units + used, sizeof(s->d->units) - used, "%s/dev/%s",
		 used ? ", " : "", sg);
	return 0;
}

/* What the device reports, and what the kernel sees: either may leave some out. */
uint32_t dw_device_count_units(const struct dw_machine *m, struct dw_device *d)
{
	struct unit_search s = { .d = d };
	uint32_t reported = reported_units(d);
	char dir[PATH_MAX];

	d->units[0] = '\0';
	if (!dw_path(dir, "%s/class/scsi_device", m->sys))
		dw_sysfs_each(dir, add_unit, &s);
	return (uint32_t)dw_max_u64(reported - dw_min_u64(s.phantoms, reported), s.n + 1);
}

void dw_device_probe_operations(const struct dw_machine *m, struct dw_device *d)
{
	static const uint8_t sa[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = DW_SA_SANITIZE_OVERWRITE,
		[DW_OPERATION_BLOCK_ERASE] = DW_SA_SANITIZE_BLOCK_ERASE,
		[DW_OPERATION_CRYPTO_ERASE] = DW_SA_SANITIZE_CRYPTO_ERASE,
	};
	struct dw_caps *c = &d->caps;
	struct dw_rsoc_one one;

	d->n_units = 1;
	for (unsigned int o = 1; o < DW_OPERATION_COUNT && c->rsoc; o++)
		if (dw_ask_opcode(d, DW_OPCODE_SANITIZE, sa[o], &one) == 1 &&
		    !one.vendor) {
			c->self.operations |= (uint8_t)(1u << o);
			c->self.ns[o] = one.nominal_s * DW_NS_PER_S;
		}
	if (!c->self.operations)
		probe_ata_operations(d);
	dw_device_probe_security(d);
	if (c->self.operations)
		d->n_units = dw_device_count_units(m, d);
}
