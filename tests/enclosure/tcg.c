/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A self-encrypting disk, as far as one can ask without a session (TCG Core 2.01, 3.3.6). */
#include "cmd.h"

#include "be.h"

#define SHUT 2

static void put_feature(uint8_t *to, uint16_t code, uint8_t len)
{
	be_put16(to, code);
	to[2] = 0x10; /* version 1 */
	to[3] = len;
}

/**
 * dw_run_security_in - SECURITY PROTOCOL IN: protocol 01h, ComID 0001h, and nothing else
 * @c: command
 */
void dw_run_security_in(struct dw_cmd *c)
{
	uint8_t b[100] = { 0 };

	if (c->cdb[1] != 0x01 || be_get16(c->cdb + 2) != 0x0001) {
		dw_cmd_field(c, c->cdb[1] != 0x01 ? 1 : 2);
		return;
	}
	be_put32(b, sizeof(b) - 4);
	be_put16(b + 6, 1); /* revision 0.1 */
	put_feature(b + 48, 0x0001, 12);
	b[52] = 0x11; /* streaming, synchronous */
	put_feature(b + 64, 0x0002, 12);
	b[68] = c->lu->conf.tcg == SHUT ? 0x0f : 0x09;
	put_feature(b + 80, 0x0203, 16); /* Opal 2 */
	be_put16(b + 84, 0x1000);
	be_put16(b + 86, 1);
	dw_cmd_reply(c, b, sizeof(b), be_get32(c->cdb + 6));
}

/**
 * dw_tcg_forbids - blocks of a locked disk are neither read nor written
 * @c: command
 *
 * Return: whether it has ended with that.
 */
bool dw_tcg_forbids(struct dw_cmd *c)
{
	if (c->lu->conf.tcg != SHUT ||
	    !(c->opcode->op & (DW_OP_READ | DW_OP_WRITE | DW_OP_WS | DW_OP_VERIFY |
			       DW_OP_UNMAP) ||
	      c->opcode->flags & OPF_ERASES))
		return false;
	dw_cmd_check(c, KEY_PROTECT, ASC_ACCESS_DENIED);
	return true;
}
