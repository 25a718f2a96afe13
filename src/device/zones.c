/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones come in the order of their addresses, a thousand in an answer. What is not understood about
 * one of them is a reason to write to none.
 */
#include "device/zones.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/open.h"
#include "scsi/inquiry.h"

/* bytes of an answer: some 1,000 zones; a multiple of 512, as translations for ATA want it */
#define REPORT_LEN UINT32_C(65536)
#define REPORT_MS  30000

/* What did not arrive is zeros, which is no zone. The capacity that a disk reports may end before
 * its
 * zones that are written in order (SBC, RC BASIS): these would stay as they are. */
static int report(const struct dw_zones_reader *reader, uint64_t lba, uint8_t *buf)
{
	struct dw_cmd cmd = { .dir = DW_DIR_IN,
			      .data = buf,
			      .data_len = REPORT_LEN,
			      .timeout_ms = REPORT_MS };
	int r;

	cmd.cdb_len = (uint8_t)dw_cdb_report_zones(cmd.cdb, lba, REPORT_LEN);
	r = reader->send(reader->ctx, &cmd);
	if (r)
		return r;
	return dw_zbc_last(buf) + 1 == reader->blocks && dw_zbc_count(buf, REPORT_LEN)
		       ? 0
		       : -EPROTO;
}

int dw_zones_read(const struct dw_zones_reader *reader)
{
	dw_autofree uint8_t *buf = malloc(REPORT_LEN);
	uint64_t next = 0;
	int r = buf ? 0 : -ENOMEM;

	while (!r && next < reader->blocks) {
		size_t n;

		r = report(reader, next, buf);
		n = r ? 0 : dw_zbc_count(buf, REPORT_LEN);
		for (size_t i = 0; i < n && !r; i++) {
			struct dw_zbc_zone zone;

			dw_zbc_zone(buf, i, &zone);
			if (zone.first != next || !zone.nlb ||
			    zone.nlb > reader->blocks - next)
				return -EPROTO;
			next += zone.nlb;
			r = reader->each(reader->ctx, &zone);
		}
	}
	return r;
}

/** struct found_zones - the zones so far; @why: what cannot be written to, text or NULL */
struct found_zones {
	struct dw_device *device;
	struct dw_caps *caps;
	const char *why;
};

static int ask(void *ctx, struct dw_cmd *cmd)
{
	const struct found_zones *f = ctx;
	struct dw_answer a;
	int r = dw_ask(f->device, cmd, &a);

	return r > 0 ? -EIO : r;
}

static uint8_t kind_of(const struct dw_zbc_zone *z)
{
	if (z->condition == DW_ZBC_READ_ONLY)
		return DW_ZONE_READ_ONLY;
	if (z->condition == DW_ZBC_OFFLINE)
		return DW_ZONE_OFFLINE;
	return z->type == DW_ZBC_SEQUENTIAL || z->type == DW_ZBC_BEFORE
		       ? DW_ZONE_SEQUENTIAL
		       : DW_ZONE_CONVENTIONAL;
}

static int add(void *ctx, const struct dw_zbc_zone *z)
{
	struct found_zones *f = ctx;
	struct dw_zone zone = { .first = z->first, .nlb = z->nlb, .kind = kind_of(z) };

	if (z->type == DW_ZBC_GAP)
		f->why = "has gap zones (ZBC-2), whose addresses cannot be written";
	else if (z->type < DW_ZBC_CONVENTIONAL || z->type > DW_ZBC_BEFORE)
		f->why = "has zones of a kind that is not known here";
	else if (zone.nlb > UINT32_MAX)
		f->why = "has zones that are too long";
	else if (zone.nlb % (UINT64_C(1) << f->caps->physical_exp))
		f->why = "has zones that end within a physical block";
	else if (dw_zones_add(f->device->zones, &zone))
		f->why = "has too many different zones";
	return f->why ? -ENOTSUP : 0;
}

void dw_device_probe_zones(struct dw_device *d)
{
	struct dw_caps *c = &d->caps;
	struct found_zones f = { .device = d, .caps = c };
	const struct dw_zones_reader reader = {
		.blocks = c->blocks, .send = ask, .each = add, .ctx = &f
	};
	int r;

	c->zones = NULL;
	c->not_zoned[0] = '\0';
	if (d->info.peripheral_type == DW_TYPE_ZONED)
		d->info.zoned = DW_ZONED_MANAGED;
	if (d->info.zoned != DW_ZONED_MANAGED)
		return;
	c->zoned = DW_ZONED_MANAGED;
	if (!d->zones)
		d->zones = malloc(sizeof(*d->zones));
	if (d->zones)
		*d->zones = (struct dw_zones){ .n = 0 };
	r = d->zones ? dw_zones_read(&reader) : -ENOMEM;
	if (!r) {
		c->zones = d->zones;
		return;
	}
	if (f.why)
		snprintf(c->not_zoned, sizeof(c->not_zoned), "it %s", f.why);
	else
		snprintf(c->not_zoned, sizeof(c->not_zoned),
			 "its zones cannot be read: %s",
			 r == -EPROTO ? "they are not those of its blocks"
				      : strerror(-r));
}
