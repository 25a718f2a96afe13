/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "own/path.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "codec/encode.h"
#include "own/claim.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

#define ATTENTIONS      8
#define TRIES           6
#define BACKOFF_NS      (100 * DW_NS_PER_MS)
#define QUIET_NS        (2 * DW_NS_PER_S)
#define QUIET_FABRIC_NS (10 * DW_NS_PER_S)

uint64_t dw_disk_quiet_ns(const struct dw_disk_info *info)
{
	bool fabric = !strcmp(info->transport, "fc") || !strcmp(info->transport, "iscsi");

	return fabric ? QUIET_FABRIC_NS : QUIET_NS;
}

static void rest(uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / DW_NS_PER_S),
				 .tv_nsec = (long)(ns % DW_NS_PER_S) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void dw_claimed_quiet(const struct dw_claimed_path *p)
{
	rest(dw_disk_quiet_ns(&p->device->info));
}

/* Identifies the disk before anything more is written: 0 the same; -ESTALE another. */
static int ask_again(struct dw_claimed_path *p)
{
	int r = p->doubted ? dw_device_identity(p->device) : 0;

	p->doubted = r != 0;
	return r > 0 ? -ESTALE : r;
}

static enum dw_verb verb_of(const struct dw_cmd *cmd)
{
	struct dw_cdb_extent x = { 0 };

	dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x);
	return x.verb == DW_EXTENT_WRITE        ? DW_VERB_WRITE
	       : x.verb == DW_EXTENT_WRITE_SAME ? DW_VERB_WRITE_SAME
	       : x.verb == DW_EXTENT_READ       ? DW_VERB_READ
						: DW_VERB_FLUSH;
}

/*
 * The meaning of a completion, by the table that data are judged by. Positive: send it again.
 * Only what the disk itself has answered is repeated: a command that was lost may be carried out
 * late, and a marker must not be written after the block was restored.
 */
static int judge_completion(struct dw_claimed_path *p, const struct dw_completion *done,
			    const char **ret_detail)
{
	struct dw_op op = { .verb = verb_of(done->cmd) };
	struct dw_result r;

	if (dw_guard_good(done))
		return 0;
	dw_decode(&p->device->caps, &op, done, &r);
	*ret_detail = r.detail;
	p->lost |= done->err || done->host_status;
	if (done->err || done->host_status)
		return done->err ? done->err : -EIO;
	p->write_errors += dw_sense_of_write(&op, &r);
	if (p->strict &&
	    (r.deferred || (op.verb == DW_VERB_FLUSH && r.class == DW_CLASS_MEDIUM)))
		return -EINTR;
	switch (r.class) {
	case DW_CLASS_ATTENTION:
	case DW_CLASS_RESET:
		p->doubted = true;
		return p->strict ? -EINTR : 1;
	case DW_CLASS_RETRY:
		/* WRITE is used instead of a WRITE SAME that is only tried */
		return op.verb == DW_VERB_WRITE_SAME && !p->strict ? -EBUSY : 1;
	case DW_CLASS_QUEUE_FULL:
	case DW_CLASS_NOT_READY:
		return 1;
	case DW_CLASS_MEDIUM:
		return -ENODATA;
	case DW_CLASS_UNSUPPORTED:
		return r.asc == 0x20 ? -EOPNOTSUPP : -EACCES;
	case DW_CLASS_PROTECTED:
	case DW_CLASS_RESERVED:
	case DW_CLASS_RANGE:
		return -EACCES;
	default:
		return -EIO;
	}
}

int dw_claimed_send(struct dw_claimed_path *p, struct dw_cmd *cmd)
{
	const uint32_t all = DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE;
	struct dw_completion done;
	const char *detail = NULL;
	int attentions = 0, tries = 0, r;

	for (;;) {
		r = ask_again(p);
		if (!r)
			r = dw_device_command(p->device, all, cmd, &done);
		if (!r)
			r = judge_completion(p, &done, &detail);
		if (r <= 0)
			break;
		r = -EBUSY;
		if (p->doubted ? ++attentions == ATTENTIONS : ++tries == TRIES)
			break;
		if (!p->doubted)
			rest(BACKOFF_NS << (tries - 1));
	}
	if (r < 0 && !p->why)
		p->why = detail;
	return r;
}
