/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_SECURITY_H
#define DW_OWN_SECURITY_H

/*
 * SECURITY ERASE UNIT of an ATA disk, with the password that it needs, and the end of one that
 * was interrupted.
 */
#include "device/device.h"

/** enum dw_secured - how it ended */
enum dw_secured {
	DW_SECURED_ERASED,  /* its command ended well, and no password is set any more */
	DW_SECURED_UNTOLD,  /* the answer was lost, but no password is set any more */
	DW_SECURED_REFUSED, /* not erased; a password is left only if @text says so */
	DW_SECURED_CUT_OFF, /* not erased: the answer was lost; the same */
	DW_SECURED_GONE, /* it was removed: it may be locked, and has an entry in the file */
};

/**
 * struct dw_security_end - how an erase ended
 * @how: enum dw_secured
 * @sent: SECURITY ERASE UNIT was sent, and @done is its completion: @begun_ns to @ended_ns of
 *	CLOCK_MONOTONIC
 * @stranger: another disk answers
 * @text: why not, with what to do
 */
struct dw_security_end {
	uint8_t how;
	bool sent;
	bool stranger;
	struct dw_completion done;
	struct dw_cmd cmd;
	uint64_t begun_ns;
	uint64_t ended_ns;
	char text[224];
};

/**
 * dw_security_erase() - have the disk erase itself, and wait for that, for hours
 * @d: claimed
 * @enhanced: the enhanced erase
 * @ret: how it ended
 *
 * The disk reports who it is; the password is on record before it is set, and the disk has to say
 * that
 * it has one; ERASE PREPARE and ERASE UNIT follow each other directly. In the end the disk has to
 * say that it has none any more, which only an erase that ended well brings about. Where it has, it
 * is cleared, and the record with it.
 */
void dw_security_erase(struct dw_device *d, bool enhanced, struct dw_security_end *ret);

/**
 * dw_security_release() - clear our password of an erase that was interrupted
 * @d: its node is held
 * @ret_verdict: why that fails, set if 1 is returned
 *
 * Does nothing to a disk without an entry in the file of passwords. The entry of a disk that
 * reports no password is removed.
 *
 * Return: 0, 1.
 */
int dw_security_release(struct dw_device *d, struct dw_verdict *ret_verdict);

#endif
