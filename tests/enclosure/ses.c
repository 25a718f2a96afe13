/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The enclosure's own processor, a logical unit of type 0Dh (SES-3). Slot N is the bay of port N:
 * it is occupied while a disk is there, and tells the SAS address of that disk's port. What
 * SEND DIAGNOSTIC asks of the lights of a slot is kept and shown.
 */
#include "cmd.h"

#include "be.h"

#include <stdio.h>
#include <string.h>

#define PAGE_MAX   (8 + DW_PORTS_MAX * 36)
#define ARRAY      0x17 /* element type: array device slot */
#define GENERATION 1
#define OK         0x01
#define NOT_THERE  0x05

static unsigned int slots(const struct dw_cmd *c)
{
	return (unsigned int)c->lu->conf.ses;
}

static const struct dw_port *bay(const struct dw_cmd *c, unsigned int i)
{
	const struct dw_port *p = &c->rack->port[i];

	return p->lu && !p->gone && p != c->port ? p : NULL;
}

static size_t supported(const struct dw_cmd *c, uint8_t *b)
{
	static const uint8_t list[] = { 0x00, 0x01, 0x02, 0x07, 0x0a };

	memcpy(b + 4, list, sizeof(list));
	return 4 + sizeof(list);
}

/* one enclosure with one type of element, and a text for it */
static size_t configuration(const struct dw_cmd *c, uint8_t *b)
{
	static const char text[] = "Drive Slots";
	uint8_t *e = b + 8, *t = e + 40;

	be_put32(b + 4, GENERATION);
	e[0] = 0x11; /* process 1 of 1 */
	e[2] = 1;
	e[3] = 36;
	be_put64(e + 4, c->lu->conf.wwn);
	memcpy(e + 12, c->lu->conf.vendor, 8);
	memcpy(e + 20, c->lu->conf.model, 16);
	memcpy(e + 36, c->lu->conf.rev, 4);
	t[0] = ARRAY;
	t[1] = (uint8_t)slots(c);
	t[3] = sizeof(text) - 1;
	memcpy(t + 4, text, sizeof(text) - 1);
	return (size_t)(t + 4 - b) + sizeof(text) - 1;
}

static size_t status(const struct dw_cmd *c, uint8_t *b)
{
	unsigned int i;

	be_put32(b + 4, GENERATION);
	b[8] = OK; /* over all, then one by one */
	for (i = 0; i < slots(c); i++) {
		uint8_t *e = b + 12 + 4 * (size_t)i;

		e[0] = bay(c, i) ? OK : NOT_THERE;
		e[2] = c->lu->leds[i] & DW_LED_LOCATE ? 0x02 : 0;
		e[3] = c->lu->leds[i] & DW_LED_FAULT ? 0x20 : 0; /* requested */
	}
	return 12 + 4 * slots(c);
}

static size_t names(const struct dw_cmd *c, uint8_t *b)
{
	uint8_t *e = b + 12; /* no text for all of them */
	unsigned int i;

	be_put32(b + 4, GENERATION);
	for (i = 0; i < slots(c); i++) {
		char text[16];
		int n = snprintf(text, sizeof(text), "Slot %02u", i);

		be_put16(e + 2, (uint16_t)n);
		memcpy(e + 4, text, (size_t)n);
		e += 4 + n;
	}
	return (size_t)(e - b);
}

/* with EIP: index and slot, one phy with the address of the disk's port */
static size_t additional(const struct dw_cmd *c, uint8_t *b)
{
	unsigned int i;

	be_put32(b + 4, GENERATION);
	for (i = 0; i < slots(c); i++) {
		const struct dw_port *p = bay(c, i);
		uint8_t *e = b + 8 + 36 * (size_t)i;

		e[0] = (uint8_t)(0x16 | (p ? 0 : 0x80));
		e[1] = 34;
		e[3] = (uint8_t)i;
		e[4] = 1;
		e[7] = (uint8_t)i;
		e[8] = 0x10; /* end device */
		if (!p || c->lu->conf.ses_blind)
			continue;
		e[11] = 0x08; /* SSP target */
		be_put64(e + 20, p->lu->conf.wwn + p->rel_port);
	}
	return 8 + 36 * slots(c);
}

/**
 * dw_run_receive_diagnostic - RECEIVE DIAGNOSTIC RESULTS (SPC-4, 6.26; SES-3, 6.1)
 * @c: command
 */
void dw_run_receive_diagnostic(struct dw_cmd *c)
{
	static const struct {
		uint8_t code;
		size_t (*fill)(const struct dw_cmd *c, uint8_t *b);
	} pages[] = {
		{ 0x00, supported }, { 0x01, configuration }, { 0x02, status },
		{ 0x07, names },     { 0x0a, additional },
	};
	uint8_t b[PAGE_MAX] = { c->cdb[2] };
	size_t i, n = 0;

	if (!(c->cdb[1] & 0x01)) { /* PCV */
		dw_cmd_field(c, 1);
		return;
	}
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (pages[i].code == c->cdb[2])
			n = pages[i].fill(c, b);
	if (!n) {
		dw_cmd_field(c, 2);
		return;
	}
	be_put16(b + 2, (uint16_t)(n - 4));
	dw_cmd_reply(c, b, n, be_get16(c->cdb + 3));
}

/**
 * dw_run_send_diagnostic - SEND DIAGNOSTIC with the Enclosure Control page (SES-3, 6.1.4)
 * @c: command
 *
 * Elements whose SELECT bit is clear stay as they are.
 */
void dw_run_send_diagnostic(struct dw_cmd *c)
{
	uint8_t b[PAGE_MAX];
	size_t n = be_get16(c->cdb + 3);
	unsigned int i;

	if (c->cdb[1] != 0x10) { /* PF, and no self-test */
		dw_cmd_field(c, 1);
		return;
	}
	if (n < 12 || n > sizeof(b)) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return;
	}
	if (!dw_cmd_params(c, b, n))
		return;
	if (b[0] != 0x02 || be_get32(b + 4) != GENERATION) {
		dw_cmd_list_field(c, b[0] == 0x02 ? 4 : 0);
		return;
	}
	for (i = 0; i < slots(c) && 16 + 4 * (size_t)i <= n; i++) {
		const uint8_t *e = b + 12 + 4 * (size_t)i;

		if (e[0] & 0x80)
			c->lu->leds[i] = (uint8_t)((e[2] & 0x02 ? DW_LED_LOCATE : 0) |
						   (e[3] & 0x20 ? DW_LED_FAULT : 0));
	}
}
