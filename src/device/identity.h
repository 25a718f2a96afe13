/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_IDENTITY_H
#define DW_DEVICE_IDENTITY_H

/*
 * Who a disk reports it is, asked afresh: INQUIRY, VPD 83h, VPD 80h, READ CAPACITY; and, where
 * that is wanted, how many writes it counts as failed (LOG SENSE, page 02h) and whether its
 * write cache is on (MODE SENSE, page 08h). The steps are commands for any transport, so that
 * the same sequence serves the claim (waiting) and a running job (asynchronous, through the
 * fence).
 */
#include <stdbool.h>
#include <stdint.h>

#include "codec/caps.h"
#include "device/device.h"
#include "plan/op.h"
#include "scsi/cmd.h"
#include "transport/lease.h"

#define DW_IDENTITY_BUF 512

/** enum dw_identify_wanted - what else is asked */
enum dw_identify_wanted {
	DW_WANT_COUNTS = 1 << 0, /* struct dw_watch, counts */
	DW_WANT_CACHE = 1 << 1,  /* and wce */
	DW_WANT_AGAIN =
		1 << 7, /* it has answered that before: only a refusal is an answer */
};

/**
 * struct dw_identify - one identification under way
 * @info: the disk that was planned, borrowed
 * @step: index of the next command
 * @room: bytes of data that it may bring
 * @longer: bytes to ask for once more, of a page that is longer than the first question; else 0
 * @attentions: unit attentions seen so far
 * @exchanges: those of them after which another disk may be there (28h, 29h, 3Fh)
 * @names_only: no command goes out that takes a unit attention away
 * @wanted: enum dw_identify_wanted bits, set after dw_identify_start()
 * @found: what came of them
 * @failed: an answer without information was received (see @last)
 * @last: the completion that failed, for the record
 * @vendor, @model, @revision, @serial, @wwn, @designators, @blocks, @block_size: what was
 *	learnt
 */
struct dw_identify {
	const struct dw_disk_info *info;
	uint8_t step;
	uint16_t room;
	uint16_t longer;
	uint8_t attentions;
	uint8_t exchanges;
	bool names_only;
	uint8_t wanted;
	struct dw_watch found;
	bool failed;
	struct dw_completion last;
	char vendor[16];
	char model[48];
	char revision[16];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	uint64_t designators;
	uint64_t blocks;
	uint32_t block_size;
	uint8_t buf[DW_IDENTITY_BUF];
};

/** dw_identify_start() - begin; @info: the disk that was planned, borrowed as long as @id is
 *  used. */
void dw_identify_start(struct dw_identify *id, const struct dw_disk_info *info);

/** dw_identify_next() - the next command, flagged DW_CMD_PASS_FENCE, with its buffer in
 *  @id; false when the sequence is over (or failed). */
bool dw_identify_next(struct dw_identify *id, struct dw_cmd *ret);

/** dw_identify_feed() - the completion of that command. After a unit attention the
 *  sequence begins from the start (at most 8 times in all). */
void dw_identify_feed(struct dw_identify *id, const struct dw_completion *done);

/** dw_identity_unnamed() - does it say neither a serial number nor a WWN? */
bool dw_identity_unnamed(const struct dw_disk_info *info);

/** dw_identity_nameless() - does nothing that it reports tell it from others? It has neither
 *  serial nor WWN, or those of another disk. */
bool dw_identity_nameless(const struct dw_disk_info *info);

/** dw_identity_lacks() - what such a disk has instead of a name, after "it has"; static. */
const char *dw_identity_lacks(const struct dw_disk_info *info);

/** dw_identity_exchanged() - does a unit attention of that @asc leave open which disk is there?
 *  Not ready to ready, reset or power on, target operating conditions (SPC). */
bool dw_identity_exchanged(uint8_t asc);

/**
 * dw_identify_compare() - is that the disk that was planned?
 * @id: its answers
 * @info: the disk that was
 *
 * Equal needs the same serial and WWN, also where there was none, no other designators, the
 * same capacity and block size. A disk without a name needs the same vendor, model and
 * revision, and may not have told of anything after which another could be there.
 */
enum dw_identified dw_identify_compare(const struct dw_identify *id,
				       const struct dw_disk_info *info);

/**
 * dw_identity_renew() - for a lease of writing (struct dw_lease_terms)
 * @info: the disk that is meant
 * @send, @ctx: carries a command out and waits
 *
 * Only INQUIRY goes out, which takes no unit attention away from whom it is meant for.
 *
 * Return: 0 it is; 1 it is not; -EIO: no answer.
 */
int dw_identity_renew(const struct dw_disk_info *info, dw_lease_send send, void *ctx);

/** dw_identity_serial() - the serial number of a VPD 80h page as struct dw_disk_info has
 *  it; empty when there is none. */
void dw_identity_serial(const uint8_t *page, size_t len, char ret[DW_SERIAL_MAX]);

/** dw_identity_wwn() - the WWN of a VPD 83h page as struct dw_disk_info has it; empty when
 *  there is none. */
void dw_identity_wwn(const uint8_t *page, size_t len, char ret[DW_WWN_MAX]);

/** dw_identify_block() - the same for a block node without SCSI: ioctls and sysfs, at once. */
enum dw_identified dw_identify_block(const struct dw_device *d);

#endif
