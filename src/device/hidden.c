/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capacity that a disk has and does not show. MODE SELECT cuts it on a SCSI disk: the default
 * values keep the number of all blocks. On an ATA disk behind a SCSI translation a host protected
 * area or an accessible max address hides sectors: the disk tells its highest native address.
 * Behind that a device configuration overlay may hide more, which the disk reports, too. Some
 * bridges
 * hang at ATA PASS-THROUGH, so it goes only to one that offers the ATA Information page, and whose
 * disk reports there, under its own serial number, that it knows the command. No answer is not the
 * answer "none". Storage elements that were removed hide their blocks from everybody.
 */
#include "device/hidden.h"

#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/profile.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/element.h"
#include "scsi/mode.h"
#include "scsi/vpd.h"

/* The cause that hides most is the one that is told. */
static void found(struct dw_disk_info *info, uint64_t all, enum dw_hidden by)
{
	if (all <= info->blocks || all - info->blocks <= info->hidden_blocks)
		return;
	info->hidden_blocks = all - info->blocks;
	info->hidden_by = by;
}

/* A bridge answers for itself: what it reports is the capacity that it shows. */
static bool speaks_for_the_disk(const struct dw_device *d)
{
	return strcmp(d->info.transport, "usb") != 0;
}

static void by_mode_sense(struct dw_device *d)
{
	uint8_t buf[DW_ASK_MODE_LEN];
	uint64_t all;
	size_t got;
	int size = dw_profile_of(&d->info)->mode_once
			   ? 0
			   : dw_ask_default_blocks(d, buf, &got);

	if (size <= 0 ||
	    dw_mode_blocks(buf, got, (unsigned int)size, d->info.block_size, &all))
		return;
	found(&d->info, all, DW_HIDDEN_MODE_SELECT);
	d->caps.native_unknown = !speaks_for_the_disk(d);
}

/* Nothing reaches those, a SANITIZE neither: so that cause is told, whatever others hide. */
static void by_elements(struct dw_device *d)
{
	uint8_t buf[DW_ELEMENTS_LEN];
	struct dw_cmd cmd = { .data = buf, .data_len = sizeof(buf) };
	struct dw_elements e;
	struct dw_rsoc_one one;
	struct dw_answer a;

	if (dw_ask_opcode(d, DW_OPCODE_SERVICE_ACTION_IN_16, DW_SA_PHYSICAL_ELEMENTS,
			  &one) != 1)
		return;
	cmd.cdb_len = (uint8_t)dw_cdb_elements(cmd.cdb);
	if (dw_ask(d, &cmd, &a) || dw_elements_read(buf, a.got, &e) || !e.removed)
		return;
	d->info.hidden_blocks = dw_max_u64(d->info.hidden_blocks, e.blocks);
	d->info.hidden_by = DW_HIDDEN_ELEMENT;
}

/* A bridge may make blocks of another size of the sectors; a part of a block counts. */
static uint64_t in_blocks(const struct dw_device *d, const struct dw_ata_identity *id,
			  uint64_t sectors)
{
	uint64_t bytes = sectors * id->sector_size;

	return (bytes + d->info.block_size - 1) / d->info.block_size;
}

/* Ask one question. Return: why nothing came of it, NULL when @ret_sectors is known. */
static const char *ask_native(struct dw_device *d, const struct dw_ata_identity *id,
			      enum dw_ata_question question, uint64_t *ret_sectors)
{
	struct dw_cmd cmd = { .cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, question) };
	struct dw_answer a;
	uint64_t last;
	int r = dw_ask(d, &cmd, &a);

	if (r < 0)
		return "ATA PASS-THROUGH does not reach the disk";
	if (r)
		return dw_answer_unsupported(&a) ? "ATA PASS-THROUGH is refused"
						 : "the disk refuses to tell it";
	r = dw_ata_native(question, a.done.sense, a.done.sense_len, &last);
	if (r == -ENODATA)
		return "no ATA registers come back";
	if (r == -ERANGE) {
		*ret_sectors = dw_ata_at_least((uint32_t)last, id->sectors);
		d->caps.ata.at_least = true;
		return *ret_sectors > id->sectors ? NULL
						  : "sense data leave half of it out";
	}
	if (r || last + 1 < id->sectors)
		return "the ATA registers that come back cannot be true";
	*ret_sectors = last + 1;
	return NULL;
}

/* Why nothing came of it, NULL when @ret_sectors is known. */
static const char *ask_overlay(struct dw_device *d, const struct dw_ata_identity *id,
			       uint64_t *ret_sectors)
{
	uint8_t data[DW_ATA_SECTOR];
	struct dw_cmd cmd = { .data = data, .data_len = sizeof(data) };
	struct dw_answer a;
	int r;

	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, DW_ATA_DCO_IDENTIFY);
	r = dw_ask(d, &cmd, &a);
	if (r < 0)
		return "ATA PASS-THROUGH does not reach the disk";
	if (r)
		return dw_answer_unsupported(&a) ? "ATA PASS-THROUGH is refused"
						 : DW_DCO_REFUSED;
	if (dw_ata_overlay(data, a.got, ret_sectors) || *ret_sectors < id->sectors)
		return "what it tells cannot be true";
	return NULL;
}

static void by_overlay(struct dw_device *d, const struct dw_ata_identity *id)
{
	struct dw_ata_caps *c = &d->caps.ata;
	uint64_t n;

	if (!id->dco)
		return;
	c->dco_unknown = ask_overlay(d, id, &n);
	if (c->dco_unknown)
		return;
	c->max[DW_HIDDEN_DCO] = n;
	if (n <= c->native)
		return;
	c->native = n;
	c->at_least = false; /* this address is whole */
	found(&d->info, in_blocks(d, id, n), DW_HIDDEN_DCO);
}

static void ask_all(struct dw_device *d, const struct dw_ata_identity *id)
{
	const struct {
		bool known;
		enum dw_ata_question question;
		enum dw_hidden by;
	} ways[] = {
		{ id->ama, DW_ATA_GET_NATIVE_MAX_EXT, DW_HIDDEN_AMA },
		{ id->hpa, id->wide ? DW_ATA_READ_NATIVE_MAX_EXT : DW_ATA_READ_NATIVE_MAX,
		  DW_HIDDEN_HPA },
	};
	struct dw_ata_caps *c = &d->caps.ata;

	c->native = c->sectors = id->sectors;
	for (size_t i = 0; i < DW_ARRAY_SIZE(ways); i++) {
		const char *why;
		uint64_t n;

		if (!ways[i].known)
			continue;
		why = ask_native(d, id, ways[i].question, &n);
		if (why) {
			c->unknown = why;
			continue;
		}
		if (id->wide) /* the commands of 28 bits that raise it are not sent */
			c->max[ways[i].by] = n;
		c->native = dw_max_u64(c->native, n);
		found(&d->info, in_blocks(d, id, n), ways[i].by);
	}
}

/* @sum: its checksum may be wrong, if the page is the same twice. */
static const char *ask_identity(struct dw_device *d, bool sum,
				struct dw_ata_identity *ret)
{
	static const char not_whole[] = "its ATA Information page is not whole";
	uint8_t buf[DW_ATA_PAGE_LEN], again[DW_ATA_PAGE_LEN];
	size_t got, n;
	int r;

	if (dw_ask_page(d, DW_VPD_ATA, buf, sizeof(buf), &got))
		return not_whole;
	r = dw_ata_identify(buf, got, ret);
	if (r < 0 || (r && !sum))
		return not_whole;
	if (r && (dw_ask_page(d, DW_VPD_ATA, again, sizeof(again), &n) || n != got ||
		  memcmp(buf, again, got)))
		return not_whole;
	/* scsi_debug has that of some disk */
	if (!ret->serial[0] || strcmp(ret->serial, d->info.serial))
		return "its ATA Information page is of another disk";
	d->caps.ata.sum_wrong = r;
	return NULL;
}

const char *dw_device_ata_identity(struct dw_device *d, struct dw_ata_identity *ret)
{
	return ask_identity(d, false, ret);
}

static void by_ata(struct dw_device *d)
{
	struct dw_ata_identity id;
	const char *why = ask_identity(d, true, &id);

	if (why) {
		d->caps.ata.unknown = why;
		return;
	}
	d->caps.ata.dco = id.dco;
	d->caps.native_unknown = false;
	if (id.hpa_off)
		d->caps.ata.unknown = "the HPA feature set is not enabled";
	ask_all(d, &id);
	by_overlay(d, &id);
	if (!d->info.hidden_blocks)
		found(&d->info, in_blocks(d, &id, id.sectors), DW_HIDDEN_ADAPTER);
}

void dw_device_probe_hidden(struct dw_device *d)
{
	struct dw_caps *c = &d->caps;

	d->info.hidden_blocks = 0;
	d->info.hidden_by = DW_HIDDEN_NONE;
	c->ata.native = 0;
	c->ata.unknown = NULL;
	c->ata.dco_unknown = NULL;
	memset(c->ata.max, 0, sizeof(c->ata.max));
	c->ata.sectors = 0;
	c->ata.at_least = c->ata.dco = c->ata.sum_wrong = false;
	c->native_unknown = true;
	by_mode_sense(d);
	if (c->ata.sat && !c->narrow && !d->info.logical_volume)
		by_ata(d);
	by_elements(d);
}
