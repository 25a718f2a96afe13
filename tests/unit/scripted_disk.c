/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripted_disk.h"

#include <scsi/sg.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "scsi/cmd.h"
#include "transport/spared.h"
#include "unit.h"

#define HUNG 3

struct scripted_disk *scripted;

const struct scripted_disk scripted_plain = {
	.answer = {
		{ .cdb = "12 00", .data = "00 00 06 12 5b 00 00 02 53 45 41 47 41 54 45 20"
			"53 54 34 30 30 30 4e 4d 30 30 32 33 20 20 20 20 30 30 30 34" },
		{ .cdb = "12 01 00", .data = "00 00 00 05 00 80 83 b0 b1" },
		{ .cdb = "12 01 80", .data = "00 80 00 08 5a 31 5a 38 41 42 43 44" },
		{ .cdb = "12 01 83", .data = "00 83 00 0c 01 03 00 08 50 00 c5 00 a1 b2 c3 d4" },
		{ .cdb = "12", .sense = "5/24/00" },
		{ .cdb = "00" },
		{ .cdb = "9e 10", .data = "00 00 00 00 00 01 ff ff 00 00 02 00 00 03 00 00"
			"00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
		{ .cdb = "25", .data = "00 01 ff ff 00 00 02 00" },
		{ .cdb = "5a .. 08", .data = "00 1a 00 10 00 00 00 00 08 12 04 00 00 00 00 00"
			"00 00 00 00 00 00 00 00 00 00 00 00" },
		{ .cdb = "35" },
	},
};

static bool begins(const char *cdb, const uint8_t *bytes)
{
	for (; *cdb; cdb += 2) {
		while (*cdb == ' ')
			cdb++;
		if (cdb[0] != '.' &&
		    strtoul((char[]){ cdb[0], cdb[1], 0 }, NULL, 16) != *bytes)
			return false;
		bytes++;
	}
	return true;
}

static struct scripted_answer *find_answer(struct scripted_disk *disk, const uint8_t *cdb)
{
	for (size_t i = 0; i < SCRIPT_MAX && disk->answer[i].cdb; i++)
		if (begins(disk->answer[i].cdb, cdb))
			return &disk->answer[i];
	return NULL;
}

static void put_sense(struct sg_io_hdr *hdr, const char *text)
{
	unsigned int key, asc, ascq;

	assert_int_equal(3, sscanf(text, "%x/%x/%x", &key, &asc, &ascq));
	memset(hdr->sbp, 0, 18);
	hdr->sbp[0] = 0x70;
	hdr->sbp[2] = (uint8_t)key;
	hdr->sbp[7] = 10;
	hdr->sbp[12] = (uint8_t)asc;
	hdr->sbp[13] = (uint8_t)ascq;
	hdr->sb_len_wr = 18;
	hdr->status = DW_STATUS_CHECK_CONDITION;
}

static void answer(struct sg_io_hdr *hdr)
{
	struct scripted_answer *a = find_answer(scripted, hdr->cmdp);
	uint8_t data[4096];
	size_t n = 0;

	scripted->commands++;
	if (hdr->cmdp[0] == 0x12 && hdr->dxfer_len > scripted->longest_inquiry)
		scripted->longest_inquiry = hdr->dxfer_len;
	hdr->status = hdr->sb_len_wr = 0;
	hdr->host_status = hdr->driver_status = 0;
	hdr->resid = (int)hdr->dxfer_len;
	if (a)
		a->asked++;
	if (!a || a->sense)
		put_sense(hdr, a ? a->sense : "5/20/00");
	hdr->duration = a ? a->ms : 0;
	if (a && a->host) {
		hdr->host_status = a->host;
		scripted->hung += a->host == HUNG;
	}
	if (!a || a->sense || a->host || !a->data)
		return;
	n = unhex(a->data, data, sizeof(data));
	n = n < hdr->dxfer_len ? n : hdr->dxfer_len;
	memcpy(hdr->dxferp, data, n);
	hdr->resid -= (int)n;
}

/* the C library's declaration */
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;

	va_start(ap, request);
	if (request == SG_IO)
		answer(va_arg(ap, struct sg_io_hdr *));
	va_end(ap);
	return 0;
}

void scripted_device(struct scripted_disk *disk, const char *transport,
		     struct dw_device *ret)
{
	static unsigned int number;
	char name[32];

	scripted = disk;
	*ret = (struct dw_device){ .sg_fd = 900, .blk_fd = -1, .map_fd = -1 };
	ret->info.scsi = ret->caps.scsi = true;
	ret->changed.wce = ret->caps.cache.wce = DW_UNKNOWN;
	snprintf(ret->info.transport, sizeof(ret->info.transport), "%s", transport);
	snprintf(name, sizeof(name), "scripted %u", number++);
	ret->spared = dw_spared_get(name);
	assert_non_null(ret->spared);
}

void scripted_close(struct dw_device *d)
{
	dw_spared_put(d->spared);
}

void scripted_set(struct scripted_disk *disk, const struct scripted_answer *a)
{
	size_t i = 0;

	while (i < SCRIPT_MAX && disk->answer[i].cdb &&
	       strcmp(disk->answer[i].cdb, a->cdb) != 0)
		i++;
	if (i == SCRIPT_MAX || !disk->answer[i].cdb) {
		assert_null(disk->answer[SCRIPT_MAX - 1].cdb);
		memmove(disk->answer + 1, disk->answer,
			(SCRIPT_MAX - 1) * sizeof(disk->answer[0]));
		i = 0;
	}
	disk->answer[i] = *a;
}

unsigned int scripted_asked(const struct scripted_disk *disk, const char *cdb)
{
	unsigned int n = 0;

	for (size_t i = 0; i < SCRIPT_MAX && disk->answer[i].cdb; i++)
		if (!strncmp(disk->answer[i].cdb, cdb, strlen(cdb)))
			n += disk->answer[i].asked;
	return n;
}
