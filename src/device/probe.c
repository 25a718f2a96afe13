/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking a disk what it is, by read-class commands alone. Of one that is only looked at the
 * kernel's copies of INQUIRY data come first: a list costs a sleeping or a bad disk nothing then.
 * They may be stale, so a job asks the disk itself. A command whose
 * support cannot be learnt that way is assumed to exist from the generation of the
 * standard that the disk claims: the job falls back when the disk refuses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <diskwipe/disk.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/block.h"
#include "device/capacity.h"
#include "device/hidden.h"
#include "device/identity.h"
#include "device/node.h"
#include "device/profile.h"
#include "device/ranges.h"
#include "device/sysfs.h"
#include "device/zones.h"
#include "scsi/cdb.h"
#include "scsi/inquiry.h"
#include "scsi/mode.h"
#include "scsi/rsoc.h"
#include "scsi/tcg.h"
#include "scsi/vpd.h"

/* The kernel's copy of a page of vital product data, of standard INQUIRY data if page is -1; 0 if
 * there is none. It is as old as the device's appearance or the last rescan, and the device may
 * have been exchanged since then: what is to be written to is asked itself, and compared with what
 * was told. */
static size_t vpd_cached(const struct dw_machine *m, const struct dw_disk_info *info,
			 int page, uint8_t *buf, size_t len)
{
	char dir[PATH_MAX], path[PATH_MAX], name[16] = "inquiry";
	dw_autoclose int fd = -1;
	size_t rest;
	ssize_t n;

	memset(buf, 0, len);
	if (page >= 0)
		snprintf(name, sizeof(name), "vpd_pg%x", (unsigned int)page);
	if (dw_node_scsi_dir(m, info, dir) || dw_path(path, "%s/%s", dir, name))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, len);
	if (n <= 0 || (page >= 0 && dw_vpd_check(buf, (size_t)n, (uint8_t)page, &rest)))
		return 0;
	return (size_t)n;
}

#define REPLY_LEN     252
#define ASC_NOT_READY 0x04
#define ASCQ_SANITIZE 0x1b /* sanitize in progress */
#define ASC_CORRUPTED 0x31 /* medium format corrupted, or a sanitize failed */

/* A copy may be of a disk that was exchanged: who it is it reports itself. */
static bool is_name(int page)
{
	return page < 0 || page == DW_VPD_SERIAL || page == DW_VPD_DESIGNATORS;
}

/* The kernel's copy, where that will do and there is one; else the disk's own answer. */
static int ask_page(const struct dw_machine *m, struct dw_device *d, int page,
		    uint8_t *buf, uint16_t len, size_t *ret_got)
{
	*ret_got = d->looked_at && !is_name(page)
			   ? vpd_cached(m, &d->info, page, buf, len)
			   : 0;
	return *ret_got ? 0 : dw_ask_page(d, page, buf, len, ret_got);
}

static int probe_inquiry(const struct dw_machine *m, struct dw_device *d)
{
	struct dw_disk_info *info = &d->info;
	uint8_t buf[96];
	struct dw_inquiry inq;
	size_t got;
	int r = ask_page(m, d, -1, buf, dw_profile_of(info)->inquiry_len, &got);

	if (r)
		return r < 0 ? r : -EIO;
	r = dw_inquiry_parse(buf, got, &inq);
	if (r)
		return r;
	if (inq.qualifier)
		return -ENODEV;
	info->peripheral_type = inq.type;
	info->removable = inq.removable;
	snprintf(info->vendor, sizeof(info->vendor), "%s", inq.vendor);
	snprintf(info->model, sizeof(info->model), "%s", inq.product);
	snprintf(info->revision, sizeof(info->revision), "%s", inq.revision);
	d->caps.version = inq.version;
	return 0;
}

bool dw_device_unformatted(const struct dw_device *d)
{
	const struct dw_sense *s = &d->not_ready;

	if (s->key == DW_KEY_NOT_READY)
		return s->asc == 0x04 && s->ascq == 0x04;
	return s->key == DW_KEY_MEDIUM_ERROR && s->asc == ASC_CORRUPTED &&
	       s->ascq <= 0x01;
}

static int probe_ready(struct dw_device *d)
{
	struct dw_cmd cmd = { .timeout_ms = DW_ASK_TIMEOUT_MS };
	struct dw_answer a;
	int r;

	d->not_ready = (struct dw_sense){ 0 };
	cmd.cdb_len = (uint8_t)dw_cdb_test_unit_ready(cmd.cdb);
	r = dw_ask(d, &cmd, &a);
	if (r == 1 && (a.sense.key == DW_KEY_NOT_READY || a.sense.asc == ASC_CORRUPTED))
		d->not_ready = a.sense;
	d->info.operating = r == 1 && a.sense.key == DW_KEY_NOT_READY &&
			    a.sense.asc == ASC_NOT_READY && a.sense.ascq == ASCQ_SANITIZE;
	/* other refusals may be about this command alone */
	return r < 0 || (r && a.sense.key == DW_KEY_NOT_READY) ? dw_answer_needed(r, &a)
							       : 0;
}

static void read_limits(struct dw_device *d, const uint8_t *buf, size_t got)
{
	struct dw_caps *c = &d->caps;
	struct dw_vpd_limits l;

	if (dw_vpd_limits(buf, got, &l))
		return;
	c->limit.max_transfer = l.max_transfer;
	c->limit.opt_transfer = l.opt_transfer;
	c->limit.opt_granularity = l.granularity;
	c->same.max = (uint32_t)dw_min_u64(l.max_write_same, UINT32_MAX);
	c->same.no_zero = l.wsnz;
}

static void read_character(struct dw_device *d, const uint8_t *buf, size_t got)
{
	struct dw_vpd_character ch;

	if (dw_vpd_character(buf, got, &ch))
		return;
	d->caps.rotation = d->info.rotation = ch.rotation;
	d->caps.self.wabereq = ch.wabereq;
	d->caps.self.wacereq = ch.wacereq;
	d->caps.zoned = ch.zoned;
	if (d->info.zoned != DW_ZONED_MANAGED)
		d->info.zoned = ch.zoned;
}

static void read_provisioning(struct dw_device *d, const uint8_t *buf, size_t got)
{
	struct dw_vpd_provisioning p;

	if (!dw_vpd_provisioning(buf, got, &p))
		d->caps.same.unmap = p.lbpws || p.lbpws10;
}

static void read_serial(struct dw_device *d, const uint8_t *buf, size_t got)
{
	dw_identity_serial(buf, got, d->info.serial);
}

static void read_wwn(struct dw_device *d, const uint8_t *buf, size_t got)
{
	dw_identity_wwn(buf, got, d->info.wwn);
	d->info.designators = dw_vpd_unit_digest(buf, got);
	dw_vpd_unit_names(buf, got, d->info.aliases, sizeof(d->info.aliases));
}

/* @ret_ranges: it has the page about its actuators, which the capacity tells how to read */
static void probe_vpd(const struct dw_machine *m, struct dw_device *d, bool *ret_ranges)
{
	static const struct {
		uint8_t page;
		void (*read)(struct dw_device *d, const uint8_t *buf, size_t got);
	} pages[] = {
		{ DW_VPD_SERIAL, read_serial },
		{ DW_VPD_DESIGNATORS, read_wwn },
		{ DW_VPD_LIMITS, read_limits },
		{ DW_VPD_CHARACTER, read_character },
		{ DW_VPD_PROVISIONING, read_provisioning },
	};
	uint8_t list[REPLY_LEN], buf[DW_IDENTITY_BUF];
	size_t listed, got;

	d->info.serial[0] = d->info.wwn[0] = d->info.aliases[0] = '\0';
	d->info.rotation = 0;
	d->info.designators = 0;
	if (ask_page(m, d, DW_VPD_SUPPORTED, list, sizeof(list), &listed))
		listed = 0;
	d->caps.ata.sat = dw_vpd_has_page(list, listed, DW_VPD_ATA) == 1;
	*ret_ranges = dw_vpd_has_page(list, listed, DW_VPD_RANGES) == 1;
	for (size_t i = 0; i < DW_ARRAY_SIZE(pages); i++) {
		/* serial number and designators are worth asking for without a list */
		if (dw_vpd_has_page(list, listed, pages[i].page) != 1 &&
		    pages[i].page > DW_VPD_DESIGNATORS)
			continue;
		if (!ask_page(m, d, pages[i].page, buf, sizeof(buf), &got))
			pages[i].read(d, buf, got);
	}
}

/* The header comes with any page; the caching page is the one wanted. */
static void probe_mode(struct dw_device *d)
{
	static const uint8_t pages[] = { DW_MODE_CACHING, DW_MODE_CONTROL,
					 DW_MODE_RECOVERY };
	uint8_t buf[DW_ASK_MODE_LEN];
	struct dw_mode_header h;
	struct dw_mode_caching caching;
	bool once = dw_profile_of(&d->info)->mode_once;
	size_t got;
	int size = once ? dw_ask_current_blocks(d, buf, &got) : 0;

	d->caps.cache.wce = d->info.wce = DW_UNKNOWN;
	for (size_t i = 0; !once && i < DW_ARRAY_SIZE(pages) && size <= 0; i++)
		size = dw_ask_mode(d, pages[i], 0, buf, &got);
	if (size <= 0 || dw_mode_header_parse(buf, got, (unsigned int)size, &h))
		return;
	d->caps.write_protect = h.write_protect;
	d->caps.fua = h.dpofua;
	if (dw_mode_caching(buf, got, (unsigned int)size, &caching))
		return;
	d->caps.cache.wce = d->info.wce = caching.wce ? DW_YES : DW_NO;
	if (once)
		return;
	size = dw_ask_mode(d, DW_MODE_CACHING, 1, buf, &got);
	d->caps.cache.changeable =
		size > 0 && !dw_mode_caching(buf, got, (unsigned int)size, &caching) &&
		caching.wce;
}

static bool knows(struct dw_device *d, uint8_t opcode)
{
	struct dw_rsoc_one one;

	return dw_ask_opcode(d, opcode, -1, &one) == 1;
}

/* A reply that denies READ is none that can be believed. */
static bool probe_rsoc(struct dw_device *d)
{
	struct dw_caps *c = &d->caps;
	struct dw_rsoc_one one;
	int r = dw_ask_opcode(d, DW_OPCODE_READ_16, -1, &one);

	if (r < 0 || (!r && !knows(d, DW_OPCODE_READ_10)))
		return false;
	c->rw16 = r && dw_ask_opcode(d, DW_OPCODE_WRITE_16, -1, &one) == 1;
	if (c->rw16)
		c->timeout_s = one.recommended_s;
	c->same.cdb10 = knows(d, DW_OPCODE_WRITE_SAME_10);
	c->same.cdb16 = dw_ask_opcode(d, DW_OPCODE_WRITE_SAME_16, -1, &one) == 1;
	c->same.ndob = c->same.cdb16 && dw_rsoc_bit(&one, 1, 0x01) == 1;
	if (c->same.cdb16 && dw_rsoc_bit(&one, 1, 0x08) >= 0)
		c->same.unmap = dw_rsoc_bit(&one, 1, 0x08) == 1;
	c->cache.sync10 = knows(d, DW_OPCODE_SYNCHRONIZE_CACHE_10);
	c->cache.sync16 = knows(d, DW_OPCODE_SYNCHRONIZE_CACHE_16);
	c->verify = knows(d, DW_OPCODE_VERIFY_16) || knows(d, DW_OPCODE_VERIFY_10);
	return true;
}

/* A bridge that does not know it may hang, so only who names it is asked. */
static void probe_lock(struct dw_device *d)
{
	uint8_t buf[DW_TCG_LEN];
	struct dw_cmd cmd = { .data = buf, .data_len = sizeof(buf) };
	enum dw_lock lock = DW_LOCK_NONE;
	struct dw_answer a;

	if (!knows(d, DW_OPCODE_SECURITY_PROTOCOL_IN))
		return;
	cmd.cdb_len = (uint8_t)dw_cdb_tcg_discovery(cmd.cdb);
	if (!dw_ask(d, &cmd, &a) && !dw_tcg_lock(buf, a.got, &lock))
		d->caps.lock = (uint8_t)lock;
}

static void assume_commands(struct dw_caps *c)
{
	bool recent = c->version >= DW_VERSION_SPC3 || c->blocks > DW_BLOCKS_10;

	c->rw16 = c->same.cdb16 = c->cache.sync16 = recent;
	c->same.cdb10 = c->cache.sync10 = c->verify = true;
	c->same.ndob = false;
}

/* As it was before it began to erase itself, which changes nothing of that. */
void dw_device_assume_capacity(struct dw_device *d)
{
	d->sanitize.running = true;
	d->caps.blocks = d->info.blocks = d->sanitize.blocks;
	d->caps.block_size = d->info.block_size = d->sanitize.block_size;
	d->info.physical_block_size = d->sanitize.block_size;
	d->caps.cache.wce = d->info.wce = DW_UNKNOWN;
}

/* What a disk that erases itself does not tell. */
static int probe_medium(const struct dw_machine *m, struct dw_device *d)
{
	int r = probe_ready(d);

	if (r == -ENOMEDIUM && d->info.operating && d->sanitize.blocks) {
		dw_device_assume_capacity(d);
		return 0;
	}
	if (!r)
		r = dw_device_probe_capacity(m, d);
	if (r) {
		d->info.blocks = 0;
		return r;
	}
	probe_mode(d);
	dw_device_probe_hidden(d);
	return 0;
}

static int probe_scsi(const struct dw_machine *m, struct dw_device *d)
{
	bool ranges;
	int r;

	dw_profile_heed(m, d);
	r = probe_inquiry(m, d);
	if (r)
		return r;
	if (d->info.peripheral_type != DW_TYPE_DISK &&
	    d->info.peripheral_type != DW_TYPE_ZONED)
		return 0;
	probe_vpd(m, d, &ranges);
	r = probe_medium(m, d);
	if (r)
		return r;
	dw_device_probe_ranges(m, d, ranges);
	dw_device_probe_zones(d);
	d->caps.rsoc = probe_rsoc(d);
	d->caps.lock = DW_LOCK_NONE;
	if (d->caps.rsoc)
		probe_lock(d);
	else
		assume_commands(&d->caps);
	dw_device_probe_operations(m, d);
	if (d->caps.self.ata && d->not_ready.key == DW_KEY_NOT_READY) {
		d->info.blocks = 0;
		return -ENOMEDIUM; /* its translation may say that it is ready */
	}
	if (d->caps.zoned == DW_ZONED_MANAGED) {
		d->caps.self.operations = 0;
		d->caps.self.not_offered = d->caps.self.not_secure =
			"a host-managed disk is erased by methods that write alone";
	}
	if (!dw_profile_of(&d->info)->write_same)
		d->caps.same.cdb10 = d->caps.same.cdb16 = d->caps.same.ndob = false;
	/* what the disk knows is no use where the adapter does not pass it on */
	if (d->caps.narrow)
		d->caps.rw16 = d->caps.same.cdb16 = d->caps.same.ndob =
			d->caps.cache.sync16 = false;
	return 0;
}

/* what a choice of the way to erase it has to know */
static void report_operations(struct dw_device *d)
{
	_Static_assert(DW_OPERATION_COUNT <= DW_OPERATIONS_MAX, "each has its time");

	d->info.operations = d->caps.self.operations;
	d->info.units = (uint8_t)dw_min_u64(
		d->caps.self.nvme ? d->caps.self.namespaces : d->n_units, UINT8_MAX);
	d->info.controllers = (uint8_t)dw_min_u64(d->caps.self.controllers, UINT8_MAX);
	d->info.whole = 0;
	for (size_t i = 0; i < DW_OPERATION_COUNT; i++) {
		d->info.whole |= (uint16_t)(dw_self_whole(&d->caps.self, i) << i);
		d->info.operation_seconds[i] =
			(uint32_t)(d->caps.self.ns[i] / DW_NS_PER_S);
	}
}

int dw_device_probe(const struct dw_machine *m, struct dw_device *d)
{
	int r = d->info.scsi ? probe_scsi(m, d) : dw_block_probe(m, d);

	if (!r)
		dw_device_read_queue(m, d);
	if (!r)
		report_operations(d);
	return r;
}
