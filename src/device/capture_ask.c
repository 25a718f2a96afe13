/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A capture: what probing asks, and then the pages that the device itself names. A bridge is asked
 * no more than that, as it hangs at questions that disks answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/be.h"
#include "base/util.h"
#include "device/ask.h"
#include "device/capture.h"
#include "device/profile.h"
#include "scsi/cdb.h"
#include "scsi/mode.h"

#define ROOM       8192
#define SHORT_PAGE 252 /* of one byte, where allocation lengths have one */
#define PAGE_LIST  0x00

/* More only where the page reports that it has more. */
static void ask_vpd(struct dw_device *d, uint8_t page, uint8_t *buf, size_t *ret_got)
{
	size_t whole;

	if (dw_ask_page(d, page, buf, SHORT_PAGE, ret_got) || *ret_got < 4 ||
	    buf[1] != page)
		return;
	whole = 4 + (size_t)dw_get_be16(buf + 2);
	if (whole > *ret_got && whole <= ROOM)
		dw_ask_page(d, page, buf, (uint16_t)whole, ret_got);
}

static void ask_all_vpd(struct dw_device *d, uint8_t *buf)
{
	uint8_t list[256];
	size_t n;

	ask_vpd(d, PAGE_LIST, buf, &n);
	if (n < 4 || buf[1] != PAGE_LIST)
		return;
	n = dw_min_u64(dw_min_u64(n - 4, dw_get_be16(buf + 2)), sizeof(list));
	memcpy(list, buf + 4, n);
	for (size_t i = 0, got; i < n && !dw_capture_silent(d->capture); i++)
		ask_vpd(d, list[i], buf, &got);
}

static bool ask_log(struct dw_device *d, uint8_t page, uint8_t *buf, size_t *ret_got)
{
	struct dw_cmd cmd = { .data = buf, .data_len = ROOM };
	struct dw_answer a;

	cmd.cdb_len = (uint8_t)dw_cdb_log_sense(cmd.cdb, page, ROOM);
	if (dw_ask(d, &cmd, &a))
		return false;
	*ret_got = a.got;
	return a.got >= 4 && (buf[0] & 0x3f) == page;
}

static void ask_all_logs(struct dw_device *d, uint8_t *buf)
{
	uint8_t list[64];
	size_t n, got;

	if (!ask_log(d, PAGE_LIST, buf, &got))
		return;
	n = dw_min_u64(dw_min_u64(got - 4, dw_get_be16(buf + 2)), sizeof(list));
	memcpy(list, buf + 4, n);
	for (size_t i = 0; i < n && !dw_capture_silent(d->capture); i++)
		if (list[i] & 0x3f)
			ask_log(d, list[i] & 0x3f, buf, &got);
}

static void ask_commands(struct dw_device *d, uint8_t *buf)
{
	struct dw_rsoc_request req = { .alloc = ROOM };
	struct dw_cmd cmd = { .data = buf, .data_len = ROOM };
	struct dw_answer a;

	cmd.cdb_len = (uint8_t)dw_cdb_rsoc(cmd.cdb, &req);
	dw_ask(d, &cmd, &a);
}

static void ask_capacity10(struct dw_device *d, uint8_t *buf)
{
	struct dw_cmd cmd = { .data = buf, .data_len = 8 };
	struct dw_answer a;

	cmd.cdb_len = (uint8_t)dw_cdb_read_capacity10(cmd.cdb);
	dw_ask(d, &cmd, &a);
}

static void ask_more(struct dw_device *d)
{
	static void (*const ask[])(struct dw_device * d,
				   uint8_t * buf) = { ask_capacity10, ask_all_vpd,
						      ask_all_logs, ask_commands };
	bool bridge = dw_profile_of(&d->info)->mode_once;
	dw_autofree uint8_t *buf = malloc(ROOM);
	size_t got;

	for (size_t i = 0;
	     buf && i < DW_ARRAY_SIZE(ask) && !dw_capture_silent(d->capture); i++)
		if (!bridge || ask[i] == ask_capacity10)
			ask[i](d, buf);
	for (uint8_t pc = 0; buf && pc < 2 && !bridge && !dw_capture_silent(d->capture);
	     pc++)
		dw_ask_mode(d, DW_MODE_ALL, pc, buf, &got);
}

/* Text of the device between quotation marks, which it may not have itself. */
static void write_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, " %s=\"", key);
	for (; *text; text++)
		fputc(*text == '"' ? '?' : *text, f);
	fputc('"', f);
}

static void write_head(const struct dw_device *d, int probed, FILE *f)
{
	const struct dw_disk_info *i = &d->info;

	fprintf(f, "# Of %s behind %s, by diskwipe %s.%s%s\n", i->transport,
		i->host_driver[0] ? i->host_driver : "an unknown adapter", dw_version(),
		probed ? " It could not be probed to the end: " : "",
		probed ? strerror(-probed) : "");
	fprintf(f, "about: %s %s %s\nsource: a capture by diskwipe\n", i->vendor,
		i->model, i->revision);
	fprintf(f, "disk 0 blocks=%llu block=%u ptype=%u removable=%d",
		i->blocks ? (unsigned long long)i->blocks : 8192ULL,
		i->block_size ? i->block_size : 512, i->peripheral_type, i->removable);
	write_text(f, "vendor", i->vendor);
	write_text(f, "model", i->model);
	write_text(f, "rev", i->revision);
	fputc('\n', f);
}

/* What must become of it is for a person to say; this is only what it is. */
static void write_end(const struct dw_device *d, FILE *f)
{
	fprintf(f, "expect: list blocks=%llu\n", (unsigned long long)d->info.blocks);
}

static int write_capture(const struct dw_device *d, int probed, char **ret)
{
	size_t size;
	FILE *f = open_memstream(ret, &size);

	if (!f)
		return -ENOMEM;
	write_head(d, probed, f);
	dw_capture_write(d->capture, f);
	write_end(d, f);
	if (fclose(f)) {
		free(*ret);
		return -ENOMEM;
	}
	return 0;
}

static int take(struct dw_device *d, bool anonymous, char **ret)
{
	int probed, r = 0;

	d->capture = dw_capture_new();
	if (!d->capture)
		return -ENOMEM;
	probed = dw_device_probe(&dw_machine_self, d);
	if (!probed)
		dw_device_try_flush(d);
	if (!dw_capture_silent(d->capture))
		ask_more(d);
	if (anonymous)
		r = dw_capture_hide(d->capture);
	if (!r)
		r = write_capture(d, probed, ret);
	dw_capture_free(d->capture);
	d->capture = NULL;
	return r;
}

int dw_disk_capture(const char *path, bool anonymous, char **ret)
{
	struct dw_device *d;
	int r = dw_device_attach(&dw_machine_self, path, &d);

	if (r)
		return r;
	r = d->info.scsi ? take(d, anonymous, ret) : -EOPNOTSUPP;
	dw_device_close(d);
	return r;
}
