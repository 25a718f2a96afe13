/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_SPARED_H
#define DW_TRANSPORT_SPARED_H

/*
 * Commands that a device does not survive. Bridges and old disks hang at commands that they do
 * not know, reset themselves, or disappear from the bus. Each time costs the timeout of a
 * command, and whatever the kernel does to recover the device. So a command that ended that way
 * is not sent to that device again as long as the process lives. It is answered here, as by a
 * device that does not know it, and callers handle it like that.
 *
 * Every command outside of a job and every query of a job passes here. Some commands are always
 * sent, as a device is of no use without them: INQUIRY for standard data, TEST UNIT READY,
 * REQUEST SENSE, READ CAPACITY(10), and all that transfer blocks.
 */
#include <stdbool.h>
#include <stdint.h>

#include "scsi/cmd.h"

/* What is known of one device; the process has it, callers borrow it. */
struct dw_spared;

/**
 * dw_spared_get() - what is known of a device
 * @device: its name as long as it is plugged in
 *
 * Return: to be given back by dw_spared_put(); NULL without memory: then nothing is remembered.
 */
struct dw_spared *dw_spared_get(const char *device);

/** dw_spared_put() - it is used no more; what is known of it stays. @s may be NULL. */
void dw_spared_put(struct dw_spared *s);

/**
 * dw_spared_keeps() - is this a question that the device is spared?
 * @s: NULL = it is spared nothing
 * @cmd: what is about to be sent
 * @ret: if so: CHECK CONDITION, invalid command operation code, as if the device had said it
 *
 * One that broke it once, and, until it has answered any question of that operation code, all the
 * others of it: the pages of MODE SENSE, of LOG SENSE, of vital product data ...
 */
bool dw_spared_keeps(struct dw_spared *s, const struct dw_cmd *cmd,
		     struct dw_completion *ret);

/** dw_spared_never() - questions of that operation code are never sent to it; of INQUIRY, those for
 *  pages. @s may be NULL. */
void dw_spared_never(struct dw_spared *s, uint8_t opcode);

/**
 * dw_spared_note() - how a command ended
 * @s: NULL does nothing
 * @cmd, @done: it, and its end
 *
 * It broke the device if no answer came, or the host reports an error other than that nobody is
 * there or that it was not sent; or if the answer is the hardware error 4/00/00, which devices give
 * to what they do not know. Names and the capacity that it has reported before are asked for again,
 * whatever happens, since an erase without them is none: that is trouble of another kind.
 */
void dw_spared_note(struct dw_spared *s, const struct dw_cmd *cmd,
		    const struct dw_completion *done);

/** dw_spared_text() - the questions that broke it, operation code and page, "4Dh 0Dh, A3h 88h";
 *  empty for none. */
const char *dw_spared_text(struct dw_spared *s, char *buf, uint32_t size);

#endif
