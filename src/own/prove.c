/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Claimed paths are proven to lead to one medium. The block lies at random, away from both
 * ends, where partition tables are; one that cannot be read is no argument either way, so
 * another is taken.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/util.h"
#include "codec/encode.h"
#include "device/open.h"
#include "judge/verdict.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"
#include "transport/marker.h"
#include "own/claim.h"

#define PLACES          4
#define ATTENTIONS      8
#define TRIES           6
#define BACKOFF_NS      (100 * DW_NS_PER_MS)
#define QUIET_NS        (2 * DW_NS_PER_S)
#define QUIET_FABRIC_NS (10 * DW_NS_PER_S)

/**
 * struct claimed_paths - the nodes
 * @doubted: had a unit attention, and has not said since that it is the disk it was
 * @why: how the first command ended that did not do it; NULL = no word of the disk
 */
struct claimed_paths {
	struct dw_device *const *d;
	bool doubted[DW_PATHS_MAX];
	const char *why;
};

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

static void quiet(void *ctx)
{
	const struct claimed_paths *p = ctx;

	rest(dw_disk_quiet_ns(&p->d[0]->info));
}

/* Who is there says so before anything more is written: 0 the same; -ESTALE another. */
static int ask_again(struct claimed_paths *p, uint32_t path)
{
	int r = p->doubted[path] ? dw_device_identity(p->d[path]) : 0;

	p->doubted[path] = r != 0;
	return r > 0 ? -ESTALE : r;
}

static enum dw_verb verb_of(const struct dw_cmd *cmd)
{
	struct dw_cdb_extent x = { 0 };

	dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x);
	return x.verb == DW_EXTENT_WRITE  ? DW_VERB_WRITE
	       : x.verb == DW_EXTENT_READ ? DW_VERB_READ
					  : DW_VERB_FLUSH;
}

/*
 * What a completion means, by the table that data are judged by. Positive: again. Only what
 * the disk has answered itself is repeated: a command that got lost may be carried out late,
 * and the marker must not come after what is put back.
 */
static int judge_completion(struct claimed_paths *p, uint32_t path,
			    const struct dw_completion *done, const char **ret_detail)
{
	struct dw_op op = { .verb = verb_of(done->cmd) };
	struct dw_result r;

	if (dw_guard_good(done))
		return 0;
	dw_decode(&p->d[path]->caps, &op, done, &r);
	*ret_detail = r.detail;
	if (done->err || done->host_status)
		return done->err ? done->err : -EIO;
	switch (r.class) {
	case DW_CLASS_ATTENTION:
	case DW_CLASS_RESET:
		p->doubted[path] = true;
		return 1;
	case DW_CLASS_RETRY:
	case DW_CLASS_QUEUE_FULL:
	case DW_CLASS_NOT_READY:
		return 1;
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

static int send_on_path(void *ctx, uint32_t path, struct dw_cmd *cmd)
{
	const uint32_t all = DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE;
	struct dw_completion done;
	struct claimed_paths *p = ctx;
	const char *detail = NULL;
	int attentions = 0, tries = 0, r;

	for (;;) {
		r = ask_again(p, path);
		if (!r)
			r = dw_device_command(p->d[path], all, cmd, &done);
		if (!r)
			r = judge_completion(p, path, &done, &detail);
		if (r <= 0)
			break;
		r = -EBUSY;
		if (p->doubted[path] ? ++attentions == ATTENTIONS : ++tries == TRIES)
			break;
		if (!p->doubted[path])
			rest(BACKOFF_NS << (tries - 1));
	}
	if (r < 0 && !p->why)
		p->why = detail;
	return r;
}

/* The first block of a physical one, at random in the middle eight tenths. */
static uint64_t random_block(const struct dw_device *d)
{
	uint64_t blocks = d->caps.blocks, at = 0,
		 unit = UINT64_C(1) << d->caps.physical_exp;

	if (getrandom(&at, sizeof(at), 0) != sizeof(at))
		at = blocks / 2;
	at = blocks / 10 + at % (blocks * 8 / 10 + 1);
	return at - at % unit;
}

static const char *node_name(const struct dw_device *d)
{
	return d->info.sg[0] ? d->info.sg : d->info.block;
}

static void refuse_unproven(const struct claimed_paths *p, int r,
			    const struct dw_marker_result *m, uint64_t lba,
			    struct dw_verdict *v)
{
	struct dw_device *const *d = p->d;
	char why[160], after[80] = "nothing was written";

	if (r > 0)
		snprintf(
			why, sizeof(why),
			"identity not unique: what was written through %.32s is not seen "
			"through %.32s",
			node_name(d[m->writer]), node_name(d[m->reader]));
	else if (r == -ESTALE)
		snprintf(why, sizeof(why),
			 "identity not unique: another disk answers now at %.32s",
			 node_name(d[m->reader]));
	else
		snprintf(why, sizeof(why),
			 "paths not proven: %.32s does not carry out the test: %.40s",
			 node_name(d[m->reader]), p->why ? p->why : strerror(-r));
	if (m->touched && m->restored)
		snprintf(after, sizeof(after), "the test block was put back");
	else if (m->touched)
		snprintf(after, sizeof(after),
			 "THE TEST BLOCK COULD NOT BE PUT BACK (LBA %llu)",
			 (unsigned long long)lba);
	dw_verdict_set(v, DW_REFUSAL_NOT_UNIQUE, "%s; %s", why, after);
}

int dw_device_prove(struct dw_device *const *d, size_t n, struct dw_verdict *ret_verdict)
{
	struct claimed_paths p = { .d = d };
	struct dw_marker_io io = { .send = send_on_path,
				   .quiet = quiet,
				   .ctx = &p,
				   .block_size = d[0]->caps.block_size,
				   .rw16 = d[0]->caps.rw16,
				   .sync16 = d[0]->caps.sync16 };
	struct dw_marker_result m = { 0 };
	uint64_t lba = 0;
	int r = -EIO;

	*ret_verdict = (struct dw_verdict){ 0 };
	/* what is not of this block will be the same at another */
	for (int i = 0; i < PLACES && r == -EIO; i++) {
		lba = random_block(d[0]);
		p.why = NULL;
		r = dw_marker_prove(&io, (uint32_t)n, lba, &m);
		if (!m.restored) {
			r = r ? r : -EIO;
			break;
		}
	}
	if (!r)
		return 0;
	refuse_unproven(&p, r, &m, lba, ret_verdict);
	return 1;
}
