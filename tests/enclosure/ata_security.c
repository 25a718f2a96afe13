/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Security feature set of an ATA disk (ACS-2, 4.19). A user password locks it at each
 * power cycle. Five wrong ones, and the next try is after another. SECURITY ERASE UNIT takes
 * the port until it ends; without power in the middle the disk is locked, with its password.
 */
#include "cmd.h"

#include <string.h>

/* the parameter list: word 0, and a password */
struct key {
	bool master, enhanced, maximum;
	uint8_t password[DW_PASSWORD];
	uint16_t id;
};

static bool take_key(struct dw_cmd *c, struct key *ret_k)
{
	uint8_t b[512];

	if (!dw_cmd_params(c, b, sizeof(b)))
		return false;
	ret_k->master = b[0] & 0x01;
	ret_k->enhanced = b[0] & 0x02;
	ret_k->maximum = b[1] & 0x01;
	memcpy(ret_k->password, b + 2, DW_PASSWORD);
	ret_k->id = (uint16_t)(b[34] | b[35] << 8);
	return true;
}

static bool fits(const struct dw_ata *d, const struct key *k)
{
	return !memcmp(k->password, k->master ? d->master : d->user, DW_PASSWORD);
}

static bool set_password(struct dw_ata *d, const struct key *k)
{
	if (d->locked)
		return false;
	if (k->master) {
		memcpy(d->master, k->password, DW_PASSWORD);
		d->master_id = k->id;
		return true;
	}
	memcpy(d->user, k->password, DW_PASSWORD);
	d->enabled = true;
	d->maximum = k->maximum;
	return true;
}

/* with the maximum level the master password opens nothing, but may erase */
static bool unlock(struct dw_ata *d, const struct key *k)
{
	if (!d->tries)
		return false;
	if (!fits(d, k) || (k->master && d->maximum)) {
		if (d->locked)
			d->tries--;
		return false;
	}
	d->locked = false;
	d->tries = 5;
	return true;
}

static bool disable(struct dw_ata *d, const struct key *k)
{
	if (d->locked || !fits(d, k) || (k->master && d->maximum))
		return false;
	d->enabled = d->maximum = false;
	return true;
}

/* the normal mode reaches what can be addressed, the enhanced one everything */
static bool erase(struct dw_cmd *c, const struct key *k)
{
	struct dw_lu *lu = c->lu;
	struct dw_firmware *f = &lu->firmware;
	bool prepared = lu->ata.prepared;

	lu->ata.prepared = false;
	if (!prepared || !lu->ata.tries || (!k->master && !lu->ata.enabled) ||
	    (k->enhanced && !(lu->conf.ata & DW_ATA_ENHANCED)))
		return false;
	if (!fits(&lu->ata, k)) {
		lu->ata.tries -= lu->ata.locked;
		return false;
	}
	memset(f, 0, sizeof(*f));
	f->kind = DW_FIRMWARE_ERASE;
	f->deep = k->enhanced;
	f->block_bytes = lu->conf.block_bytes;
	f->bytes = (f->deep ? lu->native : lu->blocks) * f->block_bytes;
	f->passes = f->pattern_len = 1;
	f->pattern[0] = f->deep ? (uint8_t)lu->conf.erased : 0;
	dw_firmware_start(c->rack, lu,
			  f->deep ? lu->conf.enhanced_ms : lu->conf.erase_ms);
	return dw_firmware_wait(c);
}

static bool with_key(struct dw_cmd *c, uint8_t command, const struct key *k)
{
	switch (command) {
	case 0xf1:
		return set_password(&c->lu->ata, k);
	case 0xf2:
		return unlock(&c->lu->ata, k);
	case 0xf4:
		return erase(c, k);
	default:
		return disable(&c->lu->ata, k);
	}
}

/**
 * dw_ata_security - SECURITY SET PASSWORD, UNLOCK, ERASE PREPARE, ERASE UNIT, FREEZE LOCK,
 *	DISABLE PASSWORD (F1h to F6h)
 * @c: command
 * @a: what it is for the disk
 */
void dw_ata_security(struct dw_cmd *c, const struct dw_ata_cmd *a)
{
	bool plain = a->command == 0xf3 || a->command == 0xf5;
	struct dw_ata *d = &c->lu->ata;
	struct key k;
	bool good;

	if (!(c->lu->conf.ata & DW_ATA_SECURITY) ||
	    (c->lu->firmware.state == DW_FIRMWARE_RUNNING)) {
		dw_ata_abort(c, a, 0);
		return;
	}
	if (!plain && !take_key(c, &k))
		return;
	if (a->command == 0xf5) {
		good = !d->locked;
		d->frozen |= good;
	} else if (a->command == 0xf3) {
		good = d->prepared = !d->frozen;
	} else {
		good = !d->frozen && with_key(c, a->command, &k);
	}
	if (good)
		dw_ata_answer(c, a, &(struct dw_ata_regs){ 0 });
	else
		dw_ata_abort(c, a, 0);
}
