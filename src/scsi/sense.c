/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks cut sense data short, announce more than they send, and leave bytes of an
 * older reply behind the end. So the usable length is settled first (what came, what
 * the ADDITIONAL SENSE LENGTH covers), and each field is read only when all its bytes
 * lie inside and its own valid bit is set.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/sense.h"

#define HEADER_LEN 8 /* both formats: bytes 0..7, the last one counts what follows */

/* SENSE KEY SPECIFIC, three bytes at @p: a field pointer or a progress (SPC). */
static void parse_specific(const uint8_t *p, struct dw_sense *s)
{
	if (!(p[0] & 0x80)) /* SKSV */
		return;
	if (s->key == DW_KEY_ILLEGAL_REQUEST) {
		s->field_valid = true;
		s->field_in_cdb = p[0] & 0x40; /* C/D */
		s->field = dw_get_be16(p + 1);
	} else if (s->key == DW_KEY_NO_SENSE || s->key == DW_KEY_NOT_READY) {
		s->progress_valid = true;
		s->progress = dw_get_be16(p + 1);
	}
}

static void parse_fixed(const uint8_t *d, size_t len, struct dw_sense *s)
{
	s->key = d[2] & 0x0f;
	if ((d[0] & 0x80) && len >= 7) {
		s->info_valid = true;
		s->information = dw_get_be32(d + 3);
	}
	if (len >= 12) {
		s->specific = dw_get_be32(d + 8);
		s->specific_valid = s->specific != 0;
	}
	if (len >= 13)
		s->asc = d[12];
	if (len >= 14)
		s->ascq = d[13];
	if (len >= 15)
		s->fru = d[14];
	if (len >= 18)
		parse_specific(d + 15, s);
}

/* Type 0Dh unites what the types 00h, 01h, 02h and 03h hold one by one (SBC). */
static void parse_block_device(const uint8_t *d, size_t len, struct dw_sense *s)
{
	if (len < 24)
		return;
	parse_specific(d + 4, s);
	s->fru = d[7];
	if (d[2] & 0x80) {
		s->info_valid = true;
		s->information = dw_get_be64(d + 8);
	}
	s->specific = dw_get_be64(d + 16);
	s->specific_valid = s->specific != 0;
}

/* One descriptor of @len bytes, its two header bytes included. */
static void parse_descriptor(const uint8_t *d, size_t len, struct dw_sense *s)
{
	switch (d[0]) {
	case 0x00: /* information */
		if (len >= 12 && (d[2] & 0x80)) {
			s->info_valid = true;
			s->information = dw_get_be64(d + 4);
		}
		break;
	case 0x01: /* command specific information */
		if (len >= 12) {
			s->specific_valid = true;
			s->specific = dw_get_be64(d + 4);
		}
		break;
	case 0x02: /* sense key specific */
		if (len >= 7)
			parse_specific(d + 4, s);
		break;
	case 0x03: /* field replaceable unit */
		if (len >= 4)
			s->fru = d[3];
		break;
	case 0x0a: /* another progress indication */
		if (len >= 8 && !s->progress_valid) {
			s->progress_valid = true;
			s->progress = dw_get_be16(d + 6);
		}
		break;
	case 0x0d:
		parse_block_device(d, len, s);
		break;
	}
}

static void parse_descriptors(const uint8_t *d, size_t len, struct dw_sense *s)
{
	size_t pos = HEADER_LEN;

	s->key = d[1] & 0x0f;
	s->asc = len >= 3 ? d[2] : 0;
	s->ascq = len >= 4 ? d[3] : 0;
	while (pos + 2 <= len) {
		size_t n = 2 + (size_t)d[pos + 1];

		if (n > len - pos)
			break;
		parse_descriptor(d + pos, n, s);
		pos += n;
	}
}

int dw_sense_parse(const uint8_t *data, size_t len, struct dw_sense *ret)
{
	struct dw_sense s = { 0 };
	uint8_t code;

	if (len < 3)
		return -EINVAL;
	code = data[0] & 0x7f;
	if (code < 0x70 || code > 0x73)
		return -EINVAL;
	if (len >= HEADER_LEN)
		len = dw_min_u64(len, HEADER_LEN + (size_t)data[7]);
	s.descriptor = code >= 0x72;
	s.deferred = code & 1;
	if (s.descriptor)
		parse_descriptors(data, len, &s);
	else
		parse_fixed(data, len, &s);
	*ret = s;
	return 0;
}

const char *dw_sense_key_name(uint8_t key)
{
	static const char *const names[16] = {
		"no sense",       "recovered error", "not ready",      "medium error",
		"hardware error", "illegal request", "unit attention", "data protect",
		"blank check",    "vendor specific", "copy aborted",   "aborted command",
		"reserved (0Ch)", "volume overflow", "miscompare",     "completed",
	};

	return key < DW_ARRAY_SIZE(names) ? names[key] : "?";
}

/* What disks say that matters to writing and reading them; ascending. */
static const struct code {
	uint8_t asc;
	uint8_t ascq;
	const char *text;
} codes[] = {
	{ 0x00, 0x00, "no additional information" },
	{ 0x00, 0x16, "operation in progress" },
	{ 0x00, 0x1d, "ATA pass-through information available" },
	{ 0x02, 0x00, "no seek complete" },
	{ 0x03, 0x00, "write fault" },
	{ 0x04, 0x00, "not ready, cause not reportable" },
	{ 0x04, 0x01, "becoming ready" },
	{ 0x04, 0x02, "start command required" },
	{ 0x04, 0x03, "manual intervention required" },
	{ 0x04, 0x04, "format in progress" },
	{ 0x04, 0x05, "rebuild in progress" },
	{ 0x04, 0x06, "recalculation in progress" },
	{ 0x04, 0x07, "operation in progress" },
	{ 0x04, 0x09, "self-test in progress" },
	{ 0x04, 0x0a, "target port in transition" },
	{ 0x04, 0x0b, "target port in standby" },
	{ 0x04, 0x0c, "target port unavailable" },
	{ 0x04, 0x11, "notify (enable spinup) required" },
	{ 0x04, 0x12, "offline" },
	{ 0x04, 0x1a, "start in progress" },
	{ 0x04, 0x1b, "sanitize in progress" },
	{ 0x04, 0x1c, "additional power not yet granted" },
	{ 0x04, 0x20, "logical unit reset required" },
	{ 0x04, 0x21, "hard reset required" },
	{ 0x04, 0x22, "power cycle required" },
	{ 0x04, 0x24, "depopulation in progress" },
	{ 0x08, 0x00, "communication failure" },
	{ 0x09, 0x00, "track following error" },
	{ 0x0b, 0x00, "warning" },
	{ 0x0b, 0x01, "warning, specified temperature exceeded" },
	{ 0x0c, 0x00, "write error" },
	{ 0x0c, 0x01, "write error recovered by reallocation" },
	{ 0x0c, 0x02, "write error, reallocation failed" },
	{ 0x0c, 0x03, "write error, reassignment recommended" },
	{ 0x0e, 0x00, "invalid information unit" },
	{ 0x0e, 0x01, "information unit too short" },
	{ 0x0e, 0x02, "information unit too long" },
	{ 0x0e, 0x03, "data length does not match the command" },
	{ 0x10, 0x00, "protection information error" },
	{ 0x10, 0x01, "guard check failed" },
	{ 0x10, 0x02, "application tag check failed" },
	{ 0x10, 0x03, "reference tag check failed" },
	{ 0x11, 0x00, "unrecovered read error" },
	{ 0x11, 0x01, "read retries exhausted" },
	{ 0x11, 0x04, "unrecovered read error, reallocation failed" },
	{ 0x11, 0x0b, "unrecovered read error, reassignment recommended" },
	{ 0x11, 0x14, "block marked unreadable by a command" },
	{ 0x11, 0x15, "write after sanitize required" },
	{ 0x13, 0x00, "address mark not found for data field" },
	{ 0x14, 0x00, "recorded entity not found" },
	{ 0x14, 0x01, "record not found" },
	{ 0x15, 0x00, "positioning error" },
	{ 0x16, 0x00, "data synchronization mark error" },
	{ 0x17, 0x00, "data recovered with retries" },
	{ 0x18, 0x00, "data recovered with error correction" },
	{ 0x19, 0x00, "defect list error" },
	{ 0x1a, 0x00, "parameter list length error" },
	{ 0x1c, 0x00, "defect list not found" },
	{ 0x1d, 0x00, "miscompare during verify" },
	{ 0x20, 0x00, "command not supported" },
	{ 0x20, 0x01, "access denied, initiator pending enrolment" },
	{ 0x20, 0x02, "access denied, no access rights" },
	{ 0x21, 0x00, "logical block address out of range" },
	{ 0x21, 0x04, "unaligned write to a zone" },
	{ 0x21, 0x05, "write crosses a zone boundary" },
	{ 0x21, 0x06, "read of invalid data in a zone" },
	{ 0x21, 0x07, "read crosses a zone boundary" },
	{ 0x24, 0x00, "invalid field in the command" },
	{ 0x25, 0x00, "logical unit not supported" },
	{ 0x26, 0x00, "invalid field in the parameter list" },
	{ 0x27, 0x00, "write protected" },
	{ 0x27, 0x01, "hardware write protected" },
	{ 0x27, 0x02, "software write protected" },
	{ 0x27, 0x07, "write protected, space allocation failed" },
	{ 0x28, 0x00, "not ready to ready change, medium may have changed" },
	{ 0x29, 0x00, "power on, reset or bus device reset" },
	{ 0x29, 0x01, "power on" },
	{ 0x29, 0x02, "bus reset" },
	{ 0x29, 0x03, "device reset" },
	{ 0x29, 0x04, "internal reset" },
	{ 0x29, 0x07, "nexus loss" },
	{ 0x2a, 0x00, "parameters changed" },
	{ 0x2a, 0x01, "mode parameters changed" },
	{ 0x2a, 0x02, "log parameters changed" },
	{ 0x2a, 0x03, "reservations preempted" },
	{ 0x2a, 0x04, "reservations released" },
	{ 0x2a, 0x05, "registrations preempted" },
	{ 0x2a, 0x09, "capacity changed" },
	{ 0x2c, 0x00, "command sequence error" },
	{ 0x2f, 0x00, "commands cleared by another initiator" },
	{ 0x30, 0x00, "incompatible medium" },
	{ 0x31, 0x00, "medium format corrupted" },
	{ 0x31, 0x01, "format failed" },
	{ 0x31, 0x03, "sanitize failed" },
	{ 0x32, 0x00, "no defect spare location available" },
	{ 0x32, 0x01, "defect list update failure" },
	{ 0x38, 0x07, "thin provisioning soft threshold reached" },
	{ 0x39, 0x00, "saving parameters not supported" },
	{ 0x3a, 0x00, "no medium" },
	{ 0x3e, 0x00, "not self-configured yet" },
	{ 0x3e, 0x01, "logical unit failure" },
	{ 0x3e, 0x02, "timeout on logical unit" },
	{ 0x3f, 0x00, "operating conditions changed" },
	{ 0x3f, 0x01, "microcode changed" },
	{ 0x3f, 0x03, "inquiry data changed" },
	{ 0x3f, 0x0e, "reported LUNs changed" },
	{ 0x44, 0x00, "internal target failure" },
	{ 0x47, 0x00, "parity error" },
	{ 0x47, 0x01, "data phase CRC error" },
	{ 0x47, 0x03, "information unit CRC error" },
	{ 0x4b, 0x00, "data phase error" },
	{ 0x4b, 0x03, "ACK/NAK timeout" },
	{ 0x4b, 0x04, "NAK received" },
	{ 0x4c, 0x00, "failed self-configuration" },
	{ 0x4e, 0x00, "overlapped commands" },
	{ 0x53, 0x00, "media load or eject failed" },
	{ 0x55, 0x00, "system resource failure" },
	{ 0x55, 0x03, "insufficient resources" },
	{ 0x5d, 0x00, "failure predicted" },
	{ 0x5d, 0x10, "failure predicted, general hard drive failure" },
	{ 0x5e, 0x00, "low power condition" },
	{ 0x65, 0x00, "voltage fault" },
	{ 0x74, 0x00, "security error" },
	{ 0x74, 0x08, "invalid field in security parameter" },
	{ 0x74, 0x71, "access denied, locked" },
};

const char *dw_sense_code_name(uint8_t asc, uint8_t ascq)
{
	const char *general = NULL;

	for (size_t i = 0; i < DW_ARRAY_SIZE(codes); i++) {
		if (codes[i].asc != asc)
			continue;
		if (codes[i].ascq == ascq)
			return codes[i].text;
		if (codes[i].ascq == 0)
			general = codes[i].text;
	}
	/* ASC 00h is a list of unrelated conditions, not one with variants. */
	return asc == 0 ? NULL : general;
}

/* Append to @buf, cutting what does not fit; returns the new length. */
__attribute__((format(printf, 4, 5))) static size_t append(char *buf, size_t size,
							   size_t n, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
	return r < 0 ? n : dw_min_u64(n + (size_t)r, size - 1);
}

const char *dw_sense_text(const struct dw_sense *s, char *buf, size_t size)
{
	const char *code = dw_sense_code_name(s->asc, s->ascq);
	size_t n = 0;

	n = append(buf, size, n, "%s%s", s->deferred ? "deferred " : "",
		   dw_sense_key_name(s->key));
	if (code)
		n = append(buf, size, n, ": %s", code);
	n = append(buf, size, n, " (%X/%02X/%02X)", s->key, s->asc, s->ascq);
	if (s->info_valid)
		n = append(buf, size, n, ", LBA %" PRIu64, s->information);
	if (s->progress_valid)
		n = append(buf, size, n, ", %u%% done", s->progress * 100u / 65536u);
	if (s->field_valid)
		n = append(buf, size, n, ", byte %u of the %s", s->field,
			   s->field_in_cdb ? "CDB" : "parameter list");
	if (s->fru)
		append(buf, size, n, ", FRU %u", s->fru);
	return buf;
}
