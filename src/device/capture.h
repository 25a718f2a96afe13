/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_CAPTURE_H
#define DW_DEVICE_CAPTURE_H

/*
 * What a device answers, kept and written as a file that the emulated shelf plays again
 * (tests/enclosure). The blocks of the disk are not kept.
 */
#include <stdbool.h>
#include <stdio.h>

#include "transport/transport.h"

struct dw_capture;

/** dw_capture_new() - an empty one; NULL without memory. */
struct dw_capture *dw_capture_new(void);

/** dw_capture_free() - @c may be NULL. */
void dw_capture_free(struct dw_capture *c);

/**
 * dw_capture_note() - keep how a command ended
 * @c: capture
 * @cmd: the command, and what it read
 * @done: its end
 *
 * What passes by itself (unit attentions, BUSY) and commands that read blocks are left out. Of two
 * answers to one question the longer stays.
 */
void dw_capture_note(struct dw_capture *c, const struct dw_cmd *cmd,
		     const struct dw_completion *done);

/** dw_capture_silent() - a command got no answer at all, from the device or its adapter. */
bool dw_capture_silent(const struct dw_capture *c);

/**
 * dw_capture_hide() - put other names of the same length in the place of what tells one device
 *	from another, wherever it occurs: serial numbers, world wide names, SAS addresses
 * @c: capture
 *
 * The names are new ones each time. What a vendor has put into pages of his own is left out.
 *
 * Return: 0, -ENOMEM, or negative errno where there are no random numbers.
 */
int dw_capture_hide(struct dw_capture *c);

/**
 * dw_capture_write() - the answers as lines of the shelf's language, of its disk 0
 * @c: capture
 * @f: file
 */
void dw_capture_write(const struct dw_capture *c, FILE *f);

#endif
