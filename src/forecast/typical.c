/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typical disks. Sustained rates at the outer edge are those that data sheets print, rounded:
 * Seagate Barracuda 7200.12, Constellation ES.2 and ES.3, Exos 7E8, X16 and X18 (7,200 rpm);
 * Cheetah 10K.7, Savvio 10K.5 and 10K.6, Exos 10E2400 (10,000 rpm); Cheetah 15K.5 and
 * 15K.7, Exos 15E900 (15,000 rpm). At the inner edge a 3.5-inch disk has about 47 % of that,
 * the small platters of fast disks about 60 %. SSDs: what they keep up in writing.
 */
#include "forecast/typical.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define MB UINT64_C(1000000)
#define GB UINT64_C(1000000000)

enum kind { SLOW, RPM7, RPM10, RPM15, SATA_SSD, SAS_SSD, NVME, VIRTUAL, KINDS };

/**
 * struct kind_facts - what all disks of a kind have in common
 * @rpm: where the disk does not tell
 * @inner: share of the outer rate
 */
static const struct kind_facts {
	uint32_t rpm;
	double inner;
	uint64_t buffer;
	uint64_t track_ns;
	uint64_t full_ns;
	uint64_t overhead_ns;
} facts[KINDS] = {
	[SLOW] = { 5400, 0.47, 64 * DW_MIB, 1500000, 22000000, 100000 },
	[RPM7] = { 7200, 0.47, 128 * DW_MIB, 1000000, 16000000, 100000 },
	[RPM10] = { 10000, 0.6, 32 * DW_MIB, 400000, 8000000, 100000 },
	[RPM15] = { 15000, 0.6, 16 * DW_MIB, 300000, 7000000, 100000 },
	[SATA_SSD] = { 0, 1, 256 * DW_MIB, 50000, 50000, 60000 },
	[SAS_SSD] = { 0, 1, 512 * DW_MIB, 50000, 50000, 40000 },
	[NVME] = { 0, 1, 512 * DW_MIB, 50000, 50000, 20000 },
	[VIRTUAL] = { 0, 1, 16 * DW_MIB, 50000, 50000, 100000 },
};

/* Outer rate by capacity, ascending; the last row of a kind has no end. */
static const struct {
	uint8_t kind;
	uint64_t up_to;
	uint64_t rate;
} rates[] = {
	{ SLOW, 1000 * GB, 110 * MB },      { SLOW, 4000 * GB, 150 * MB },
	{ SLOW, UINT64_MAX, 190 * MB },     { RPM7, 80 * GB, 55 * MB },
	{ RPM7, 250 * GB, 80 * MB },        { RPM7, 500 * GB, 125 * MB },
	{ RPM7, 1500 * GB, 140 * MB },      { RPM7, 3000 * GB, 170 * MB },
	{ RPM7, 6000 * GB, 210 * MB },      { RPM7, 10000 * GB, 245 * MB },
	{ RPM7, UINT64_MAX, 265 * MB },     { RPM10, 20 * GB, 45 * MB },
	{ RPM10, 80 * GB, 65 * MB },        { RPM10, 320 * GB, 85 * MB },
	{ RPM10, 600 * GB, 170 * MB },      { RPM10, 1200 * GB, 205 * MB },
	{ RPM10, UINT64_MAX, 260 * MB },    { RPM15, 40 * GB, 75 * MB },
	{ RPM15, 150 * GB, 95 * MB },       { RPM15, 300 * GB, 130 * MB },
	{ RPM15, 600 * GB, 200 * MB },      { RPM15, UINT64_MAX, 290 * MB },
	{ SATA_SSD, UINT64_MAX, 430 * MB }, { SAS_SSD, UINT64_MAX, 900 * MB },
	{ NVME, UINT64_MAX, 2000 * MB },    { VIRTUAL, UINT64_MAX, 200 * MB },
};

static bool hangs_on(const struct dw_disk_info *info, const char *transport)
{
	return !strcmp(info->transport, transport);
}

/* disks that turned before anybody asked do not tell how fast */
static enum kind silent_kind(const struct dw_disk_info *info)
{
	if (hangs_on(info, "spi") || hangs_on(info, "sas") || hangs_on(info, "fc"))
		return RPM10;
	return hangs_on(info, "sata") || hangs_on(info, "usb") ? RPM7 : VIRTUAL;
}

static enum kind kind_of_disk(const struct dw_disk_info *info)
{
	if (info->rotation == 1) {
		if (hangs_on(info, "nvme"))
			return NVME;
		return hangs_on(info, "sas") || hangs_on(info, "fc") ? SAS_SSD : SATA_SSD;
	}
	if (!info->rotation)
		return silent_kind(info);
	if (info->rotation < 6500)
		return SLOW;
	return info->rotation < 8700 ? RPM7 : info->rotation < 12500 ? RPM10 : RPM15;
}

static uint64_t outer_rate(enum kind kind, uint64_t bytes)
{
	size_t i = 0;

	while (rates[i].kind != kind || bytes > rates[i].up_to)
		i++;
	return rates[i].rate;
}

void typical_fill(const struct dw_disk_info *info, struct station_disk *d)
{
	enum kind kind = kind_of_disk(info);
	const struct kind_facts *f = &facts[kind];

	d->outer = outer_rate(kind, info->blocks * info->block_size);
	d->inner = (uint64_t)((double)d->outer * f->inner);
	d->rpm = info->rotation >= 1000 ? info->rotation : f->rpm;
	d->buffer = f->buffer;
	d->seek_track_ns = f->track_ns;
	d->seek_full_ns = f->full_ns;
	d->overhead_ns = f->overhead_ns;
	typical_assume(d->assumed, "outer");
	if (d->rpm) {
		typical_assume(d->assumed, "inner");
		typical_assume(d->assumed, "seek");
	}
	if (!info->rotation)
		typical_assume(d->assumed, "rpm");
	typical_assume(d->assumed, "buffer");
	typical_assume(d->assumed, "overhead");
}

/* where the key begins in the list, NULL = it is not there */
static char *find_in_list(char *list, const char *key)
{
	size_t len = strlen(key);

	for (char *p = list; *p; p += strcspn(p, ",")) {
		p += strspn(p, ", ");
		if (!strncmp(p, key, len) && (!p[len] || p[len] == ','))
			return p;
	}
	return NULL;
}

void typical_assume(char list[128], const char *key)
{
	size_t n = strlen(list);

	if (!find_in_list(list, key) && n + strlen(key) + 3 <= 128)
		snprintf(list + n, 128 - n, "%s%s", n ? ", " : "", key);
}

void typical_known(char list[128], const char *key)
{
	char *at = find_in_list(list, key), *rest;
	size_t n;

	if (!at)
		return;
	rest = at + strlen(key);
	rest += strspn(rest, ", ");
	memmove(at, rest, strlen(rest) + 1);
	n = strlen(list);
	while (n && strchr(", ", list[n - 1]))
		list[--n] = '\0';
}
