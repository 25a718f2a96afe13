/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ATA passwords of a disk behind a SCSI translation. The IDENTIFY DEVICE data in VPD page 89h may
 * be a copy that the host made when the disk came (libata), and a password that was set since then
 * is not in it: the disk itself is asked, by ATA PASS-THROUGH(16). Nothing here changes anything.
 *
 * SECURITY ERASE UNIT is not offered over USB: bridges have set the password, and lost the command
 * after it.
 */
#include "device/security.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "device/hidden.h"
#include "device/open.h"
#include "file/password.h"
#include "scsi/ata.h"

#define NS_PER_MIN (60 * DW_NS_PER_S)

int dw_device_ask_security(struct dw_device *d)
{
	uint8_t data[DW_ATA_SECTOR];
	struct dw_cmd cmd = { .data = data, .data_len = sizeof(data) };
	struct dw_ata_identity id;
	struct dw_answer a;
	int r;

	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, DW_ATA_IDENTIFY);
	r = dw_ask(d, &cmd, &a);
	if (r)
		return r;
	if (a.got < sizeof(data) || dw_ata_identify_data(data, &id) || !id.serial[0] ||
	    strcmp(id.serial, d->info.serial))
		return 1;
	d->caps.self.security = id.security;
	return 0;
}

void dw_device_probe_security(struct dw_device *d)
{
	struct dw_caps *c = &d->caps;
	struct dw_ata_identity id;
	bool in_use;

	c->self.security = (struct dw_ata_security){ 0 };
	c->self.not_secure = NULL;
	d->info.password_left = dw_password_known(&d->info);
	if (!c->ata.sat || d->info.logical_volume || dw_device_ata_identity(d, &id) ||
	    !id.security.supported)
		return;
	c->self.security = id.security;
	/* IDENTIFY DEVICE makes queued writes of some disks vanish (SpinPoint F4) */
	in_use = dw_device_in_use(d);
	if (c->narrow || (!in_use && dw_device_ask_security(d))) {
		c->self.not_secure = "its translation passes on no ATA PASS-THROUGH(16)";
		return;
	}
	/* what the translation keeps is of the time when the disk came; nobody uses a locked one */
	c->self.security.locked &= !in_use;
	if (!c->self.security.supported)
		return;
	c->self.not_secure =
		dw_ata_security_bar(&c->self.security, !strcmp(d->info.transport, "usb"),
				    d->info.password_left);
	if (c->self.not_secure)
		return;
	c->self.operations |= 1u << DW_OPERATION_ATA_NORMAL;
	c->self.ns[DW_OPERATION_ATA_NORMAL] = c->self.security.minutes * NS_PER_MIN;
	if (!c->self.security.enhanced)
		return;
	c->self.operations |= 1u << DW_OPERATION_ATA_ENHANCED;
	c->self.ns[DW_OPERATION_ATA_ENHANCED] =
		c->self.security.enhanced_minutes * NS_PER_MIN;
}

static void append_time(char *buf, size_t size, const char *what, uint32_t minutes)
{
	size_t n = strlen(buf);

	if (minutes)
		snprintf(buf + n, size - n, ", %s %u min", what, minutes);
	else
		snprintf(buf + n, size - n, ", %s of untold time", what);
}

const char *dw_device_security_text(const struct dw_self_erase *c, char *buf, size_t size)
{
	const struct dw_ata_security *s = &c->security;

	snprintf(buf, size, "supported%s%s%s%s%s", s->enabled ? ", password set" : "",
		 s->locked ? ", locked" : "", s->frozen ? ", frozen" : "",
		 s->expired ? ", tries used up" : "",
		 s->maximum && s->enabled ? ", level maximum" : "");
	append_time(buf, size, "normal", s->minutes);
	if (s->enhanced)
		append_time(buf, size, "enhanced", s->enhanced_minutes);
	return buf;
}
