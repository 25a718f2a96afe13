/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An enclosure counts its elements type by type. In the pages of status, control and names each
 * type begins with an overall element, which stands for none. Page 0Ah has descriptors for some
 * types only: with EIP they say which element they are about, else they follow the order of the
 * elements of those types (SES-3, 6.1.13).
 */
#include "scsi/ses.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/inquiry.h"

#define HEADER         DW_SES_HEADER
#define ELEMENT        DW_SES_ELEMENT
#define DEVICE_SLOT    0x01
#define CONTROLLER     0x07
#define TARGET_PORT    0x14
#define INITIATOR_PORT 0x15
#define ARRAY_SLOT     0x17
#define EXPANDER       0x18
#define EIP            0x10
#define INVALID        0x80
#define EIIOE          0x03 /* of byte 2: a number, of which 1 alone counts overall elements */
#define SAS            0x6
#define PHY            28
#define PHY_ADDRESS    12
#define SELECT         0x80
#define IDENT          0x02 /* of byte 2 */
#define FAULT          0x20 /* of byte 3: requested; the next bit: sensed */
#define INVOP          0x10 /* of byte 1 of page 02h */

/* Bytes of the page that are both announced and there, with the whole header; 0 = another page, or
 * less than that. */
static size_t page_end(const uint8_t *data, size_t len, uint8_t page)
{
	size_t end;

	if (len < HEADER || data[0] != page)
		return 0;
	end = dw_min_u64(len, 4 + (size_t)dw_get_be16(data + 2));
	return end < HEADER ? 0 : end;
}

static bool is_slot(uint8_t type)
{
	return type == DEVICE_SLOT || type == ARRAY_SLOT;
}

static void add_slots(struct dw_ses *s, size_t type, unsigned int element)
{
	for (unsigned int i = 0; i < s->type[type].count && s->n < DW_SES_SLOTS; i++) {
		struct dw_ses_slot *slot = &s->slot[s->n];
		unsigned int overall = element + i + (unsigned int)type + 1;

		*slot = (struct dw_ses_slot){ .number = -1,
					      .element = (uint16_t)(element + i),
					      .overall = (uint16_t)overall,
					      .at = (uint16_t)(HEADER +
							       ELEMENT * overall) };
		snprintf(slot->name, sizeof(slot->name), "%zu", s->n);
		s->n++;
	}
}

int dw_ses_configuration(const uint8_t *data, size_t len, struct dw_ses *ret)
{
	size_t end = page_end(data, len, DW_SES_CONFIGURATION), at = HEADER;
	unsigned int types = 0, element = 0;

	if (!end)
		return -EBADMSG;
	memset(ret, 0, sizeof(*ret));
	/* the primary enclosure and its subenclosures; all headers of types come after them */
	for (unsigned int i = 0; i <= data[1]; i++) {
		if (end - at < 12)
			return -EBADMSG;
		if (i == 0)
			ret->id = dw_get_be64(data + at + 4);
		types += data[at + 2];
		at += 4 + (size_t)data[at + 3];
		if (at > end)
			return -EBADMSG;
	}
	if (types > DW_SES_TYPES || (end - at) / 4 < types)
		return -EBADMSG;
	ret->n_types = types;
	for (size_t t = 0; t < types; t++, at += 4) {
		ret->type[t].code = data[at];
		ret->type[t].count = data[at + 1];
		if (is_slot(data[at]))
			add_slots(ret, t, element);
		element += data[at + 1];
	}
	return 0;
}

static uint8_t presence(uint8_t code)
{
	switch (code & 0x0f) {
	case 0x1: /* OK */
	case 0x2: /* critical */
	case 0x3: /* not critical */
	case 0x4: /* unrecoverable */
		return DW_SES_OCCUPIED;
	case 0x5: /* not installed */
		return DW_SES_EMPTY;
	default:
		return DW_SES_UNKNOWN;
	}
}

int dw_ses_status(const uint8_t *data, size_t len, struct dw_ses *s)
{
	size_t end = page_end(data, len, DW_SES_STATUS);

	if (!end || (data[1] & INVOP))
		return -EBADMSG;
	for (size_t i = 0; i < s->n; i++) {
		struct dw_ses_slot *slot = &s->slot[i];
		const uint8_t *e = data + slot->at;

		if (slot->at + (size_t)ELEMENT > end)
			return -EBADMSG;
		slot->presence = presence(e[0]);
		slot->locate = e[2] & IDENT;
		slot->fault = e[3] & (FAULT | FAULT << 1);
	}
	return 0;
}

static struct dw_ses_slot *slot_of(struct dw_ses *s, unsigned int number, bool overall)
{
	for (size_t i = 0; i < s->n; i++)
		if ((overall ? s->slot[i].overall : s->slot[i].element) == number)
			return &s->slot[i];
	return NULL;
}

int dw_ses_names(const uint8_t *data, size_t len, struct dw_ses *s)
{
	size_t end = page_end(data, len, DW_SES_NAMES), at = HEADER, n;
	unsigned int overall = 0, left = 0, type = 0;

	if (!end)
		return -EBADMSG;
	for (; end - at >= 4; at += n, overall++) {
		struct dw_ses_slot *slot = slot_of(s, overall, true);
		char name[DW_SES_NAME];

		n = 4 + (size_t)dw_get_be16(data + at + 2);
		if (n > end - at)
			break;
		dw_scsi_text(data + at + 4, n - 4, name, sizeof(name));
		if (left) /* else it is of all elements of a type */
			left--;
		else if (type < s->n_types)
			left = s->type[type++].count;
		if (slot && name[0])
			memcpy(slot->name, name, sizeof(name));
	}
	return 0;
}

/* The types that page 0Ah has descriptors for, where these do not say which they are. */
static bool is_described(uint8_t type)
{
	return is_slot(type) || type == CONTROLLER || type == TARGET_PORT ||
	       type == INITIATOR_PORT || type == EXPANDER;
}

/* The @nth element of those types, as dw_ses_slot.element has it. */
static unsigned int nth_described(const struct dw_ses *s, unsigned int nth)
{
	unsigned int element = 0;

	for (size_t t = 0; t < s->n_types; t++) {
		if (is_described(s->type[t].code)) {
			if (nth < s->type[t].count)
				return element + nth;
			nth -= s->type[t].count;
		}
		element += s->type[t].count;
	}
	return UINT16_MAX + 1u;
}

/* A descriptor of @n bytes for SAS: type 00b, device slots; then its phys. */
static void read_sas(const uint8_t *d, size_t n, struct dw_ses_slot *slot)
{
	bool eip = d[0] & EIP;
	size_t at = eip ? 4 : 2, used = 0;
	unsigned int phys;

	if (n < at + 4 || d[at + 1] >> 6)
		return;
	phys = d[at];
	if (eip)
		slot->number = d[at + 3];
	for (at = eip ? 8 : 4; phys && at + PHY <= n; phys--, at += PHY) {
		uint64_t address = dw_get_be64(d + at + PHY_ADDRESS);

		if (address && used < DW_ARRAY_SIZE(slot->address))
			slot->address[used++] = address;
	}
}

int dw_ses_addresses(const uint8_t *data, size_t len, struct dw_ses *s)
{
	size_t end = page_end(data, len, DW_SES_ADDITIONAL), at = HEADER, n;
	unsigned int nth = 0;

	if (!end)
		return -EBADMSG;
	for (; end - at >= 4; at += n, nth++) {
		const uint8_t *d = data + at;
		struct dw_ses_slot *slot;

		n = 2 + (size_t)d[1];
		if (n > end - at)
			break;
		slot = d[0] & EIP ? slot_of(s, d[3], (d[2] & EIIOE) == 1)
				  : slot_of(s, nth_described(s, nth), false);
		if (slot && !(d[0] & INVALID) && (d[0] & 0x0f) == SAS)
			read_sas(d, n, slot);
	}
	return 0;
}

static bool sees(const struct dw_ses_slot *slot, const uint64_t *address, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < DW_ARRAY_SIZE(slot->address); k++)
			if (address[i] && slot->address[k] == address[i])
				return true;
	return false;
}

const struct dw_ses_slot *dw_ses_find(const struct dw_ses *s, const uint64_t *address,
				      size_t n)
{
	const struct dw_ses_slot *found = NULL;

	for (size_t i = 0; i < s->n; i++) {
		if (!sees(&s->slot[i], address, n))
			continue;
		if (found)
			return NULL;
		found = &s->slot[i];
	}
	return found;
}

int dw_ses_control(const uint8_t *status, size_t len, const struct dw_ses_slot *slot,
		   enum dw_ses_light light, bool on, uint8_t *ret)
{
	size_t end = page_end(status, len, DW_SES_STATUS);
	uint8_t *e = ret + slot->at, bit = light == DW_SES_LOCATE ? IDENT : FAULT;

	if (!end || slot->at + (size_t)ELEMENT > end)
		return -EBADMSG;
	memset(ret, 0, end);
	ret[0] = DW_SES_STATUS;
	memcpy(ret + 2, status + 2, 6); /* length and generation */
	/* what the slot was asked for already, as bits of status and control agree */
	e[0] = SELECT | (status[slot->at] & 0x40);
	e[1] = status[slot->at + 1];
	e[2] = status[slot->at + 2] & 0xde;
	e[3] = status[slot->at + 3] & 0x3c;
	e = &e[light == DW_SES_LOCATE ? 2 : 3];
	*e = (uint8_t)(on ? *e | bit : *e & ~bit);
	return (int)end;
}
