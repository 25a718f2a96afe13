/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel knows which slot a disk is in only behind SAS adapters that tell it their addresses.
 * Elsewhere the enclosure is asked: its page 0Ah has the SAS address that each slot sees, and the
 * disk's own Device Identification page has that of the port it is asked through. An address that
 * two slots see tells nothing.
 */
#include "device/enclosure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/be.h"
#include "base/util.h"
#include "device/open.h"
#include "device/node.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/vpd.h"

#define PAGE_LEN   16384
#define TIMEOUT_MS 5000
#define NAA_LEN    8

/* Return: 0; 1 it has no such page; negative errno. */
static int ask_diagnostic(struct dw_device *d, uint8_t page, uint8_t *buf,
			  size_t *ret_got)
{
	struct dw_cmd cmd = { .data = buf,
			      .data_len = PAGE_LEN,
			      .timeout_ms = TIMEOUT_MS };
	struct dw_answer a;
	int r;

	*ret_got = 0;
	cmd.cdb_len = (uint8_t)dw_cdb_receive_diagnostic(cmd.cdb, page, PAGE_LEN);
	r = dw_ask(d, &cmd, &a);
	if (!r)
		*ret_got = a.got;
	return r;
}

static int read_pages(struct dw_device *d, bool whole, uint8_t *buf, struct dw_ses *ret)
{
	size_t got;
	int r = ask_diagnostic(d, DW_SES_CONFIGURATION, buf, &got);

	if (!r)
		r = dw_ses_configuration(buf, got, ret);
	if (!r && whole) {
		r = ask_diagnostic(d, DW_SES_STATUS, buf, &got);
		if (!r)
			r = dw_ses_status(buf, got, ret);
	}
	if (r)
		return r < 0 ? r : -EOPNOTSUPP;
	r = ask_diagnostic(d, DW_SES_NAMES, buf, &got);
	if (!r)
		dw_ses_names(buf, got, ret);
	if (r >= 0)
		r = ask_diagnostic(d, DW_SES_ADDITIONAL, buf, &got);
	if (!r)
		dw_ses_addresses(buf, got, ret);
	return r < 0 ? r : 0;
}

int dw_enclosure_read(const struct dw_disk_info *info, bool whole, struct dw_ses *ret)
{
	dw_autofree uint8_t *buf = malloc(PAGE_LEN);
	struct dw_device *d;
	int r;

	if (!buf)
		return -ENOMEM;
	r = dw_device_peek(info, O_RDONLY, &d);
	if (r)
		return r;
	r = read_pages(d, whole, buf, ret);
	dw_device_close(d);
	return r;
}

static const struct dw_ses_slot *find_slot(const struct dw_ses *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->slot[i].name, name))
			return &s->slot[i];
	return NULL;
}

static int send_page(struct dw_device *d, uint8_t *page, int len)
{
	struct dw_cmd cmd = { .data = page,
			      .data_len = (uint32_t)len,
			      .dir = DW_DIR_OUT,
			      .timeout_ms = TIMEOUT_MS };
	struct dw_completion done;
	int r;

	cmd.cdb_len = (uint8_t)dw_cdb_send_diagnostic(cmd.cdb, (uint16_t)len);
	d->permit.steerable = true;
	r = dw_device_command(d, DW_OPCLASS_CONTROL, &cmd, &done);
	if (r)
		return r;
	if (done.err)
		return done.err;
	return done.host_status || done.status != DW_STATUS_GOOD ? -EIO : 0;
}

static int set_light(struct dw_device *d, const struct dw_ses_slot *slot,
		     enum dw_ses_light light, bool on)
{
	dw_autofree uint8_t *status = malloc(2 * (size_t)PAGE_LEN);
	size_t got;
	int r;

	if (!status)
		return -ENOMEM;
	r = ask_diagnostic(d, DW_SES_STATUS, status, &got);
	if (r)
		return r < 0 ? r : -EOPNOTSUPP;
	r = dw_ses_control(status, got, slot, light, on, status + PAGE_LEN);
	return r < 0 ? r : send_page(d, status + PAGE_LEN, r);
}

int dw_enclosure_light(const struct dw_disk_info *info, const char *name,
		       enum dw_ses_light light, bool on)
{
	dw_autofree struct dw_ses *s = malloc(sizeof(*s));
	const struct dw_ses_slot *slot;
	struct dw_device *d;
	int r;

	if (!s)
		return -ENOMEM;
	r = dw_enclosure_read(info, false, s);
	if (r)
		return r;
	slot = find_slot(s, name);
	if (!slot)
		return -ENOENT;
	r = dw_device_peek(info, O_RDWR, &d);
	if (r)
		return r;
	r = set_light(d, slot, light, on);
	dw_device_close(d);
	return r;
}

void dw_enclosure_id(const struct dw_ses *s, char ret[40])
{
	snprintf(ret, 40, "%#" PRIx64, s->id);
}

static uint64_t port_name(const uint8_t *page, size_t len)
{
	struct dw_designator d;
	size_t pos = 0;

	while (dw_vpd_designator_next(page, len, &pos, &d) == 1)
		if (d.association == DW_ASSOC_PORT && d.type == DW_DESIGNATOR_NAA &&
		    d.len == NAA_LEN)
			return dw_get_be64(d.id);
	return 0;
}

void dw_disk_addresses(const struct dw_machine *m, const struct dw_disk_info *info,
		       uint64_t ret[2])
{
	char dir[PATH_MAX], path[PATH_MAX], text[32];
	dw_autoclose int fd = -1;
	uint8_t page[1024];
	ssize_t n;

	ret[0] = ret[1] = 0;
	if (dw_node_scsi_dir(m, info, dir) || dw_path(path, "%s/vpd_pg83", dir))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, page, sizeof(page));
	if (n > 0)
		ret[0] = port_name(page, (size_t)n);
	if (!dw_sysfs_text(dir, "sas_address", text, sizeof(text)))
		ret[1] = strtoull(text, NULL, 16);
}
