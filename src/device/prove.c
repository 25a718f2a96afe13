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
#include "device/open.h"
#include "device/verdict.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"
#include "transport/marker.h"
#include "transport/path_end.h"

#define PLACES          4
#define ATTENTIONS      8
#define QUIET_NS        (2 * DW_NS_PER_S)
#define QUIET_FABRIC_NS (10 * DW_NS_PER_S)

/**
 * struct paths - the nodes
 * @doubted: had a unit attention, and has not said since that it is the disk it was
 */
struct paths {
	struct dw_device *const *d;
	bool doubted[DW_PATHS_MAX];
};

uint64_t dw_disk_quiet_ns(const struct dw_disk_info *info)
{
	bool fabric = !strcmp(info->transport, "fc") || !strcmp(info->transport, "iscsi");

	return fabric ? QUIET_FABRIC_NS : QUIET_NS;
}

static void quiet(void *ctx)
{
	const struct paths *p = ctx;
	uint64_t ns = dw_disk_quiet_ns(&p->d[0]->info);
	struct timespec left = { .tv_sec = (time_t)(ns / DW_NS_PER_S),
				 .tv_nsec = (long)(ns % DW_NS_PER_S) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Who is there says so before anything more is written: 0 the same; -ESTALE another. */
static int ask_again(struct paths *p, uint32_t path)
{
	int r = p->doubted[path] ? dw_device_identity(p->d[path]) : 0;

	p->doubted[path] = r != 0;
	return r > 0 ? -ESTALE : r;
}

static int send(void *ctx, uint32_t path, struct dw_cmd *cmd)
{
	const uint32_t all = DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE;
	struct paths *p = ctx;
	struct dw_completion done;
	struct dw_sense s = { 0 };
	int r;

	for (int i = 0; i < ATTENTIONS; i++) {
		r = ask_again(p, path);
		if (!r)
			r = dw_device_command(p->d[path], all, cmd, &done);
		if (r)
			return r;
		if (dw_guard_good(&done))
			return 0;
		if (!dw_path_attention(&done))
			break;
		p->doubted[path] = true;
	}
	if (done.err)
		return done.err;
	if (done.sense_len)
		dw_sense_parse(done.sense, done.sense_len, &s);
	return s.key == DW_KEY_ILLEGAL_REQUEST && s.asc == 0x20 ? -EOPNOTSUPP : -EIO;
}

/* The first block of a physical one, at random in the middle eight tenths. */
static uint64_t place(const struct dw_device *d)
{
	uint64_t blocks = d->caps.blocks, at = 0,
		 unit = UINT64_C(1) << d->caps.physical_exp;

	if (getrandom(&at, sizeof(at), 0) != sizeof(at))
		at = blocks / 2;
	at = blocks / 10 + at % (blocks * 8 / 10 + 1);
	return at - at % unit;
}

static const char *node_of(const struct dw_device *d)
{
	return d->info.sg[0] ? d->info.sg : d->info.block;
}

static void refuse(struct dw_device *const *d, int r, const struct dw_marker_result *m,
		   struct dw_verdict *v)
{
	char why[120];

	if (r > 0)
		snprintf(why, sizeof(why),
			 "what was written through %.32s is not seen through %.32s",
			 node_of(d[m->writer]), node_of(d[m->reader]));
	else if (r == -ESTALE)
		snprintf(why, sizeof(why), "another disk answers now at %.32s",
			 node_of(d[m->reader]));
	else
		snprintf(why, sizeof(why), "%.32s does not carry out the test: %.40s",
			 node_of(d[m->reader]), strerror(-r));
	dw_verdict_set(v, DW_REFUSAL_NOT_UNIQUE, "identity not unique: %s; %s", why,
		       !m->touched   ? "nothing was written"
		       : m->restored ? "the test block was put back"
				     : "THE TEST BLOCK COULD NOT BE PUT BACK");
}

int dw_device_prove(struct dw_device *const *d, size_t n, struct dw_verdict *ret_verdict)
{
	struct paths p = { .d = d };
	struct dw_marker_io io = { .send = send,
				   .quiet = quiet,
				   .ctx = &p,
				   .block_size = d[0]->caps.block_size,
				   .rw16 = d[0]->caps.rw16,
				   .sync16 = d[0]->caps.sync16 };
	struct dw_marker_result m;
	int r = -EIO;

	*ret_verdict = (struct dw_verdict){ 0 };
	for (int i = 0; i < PLACES && r < 0; i++) {
		r = dw_marker_prove(&io, (uint32_t)n, place(d[0]), &m);
		if (m.touched && !m.restored)
			r = r ? r : -EIO;
		if (r == -ESTALE || (m.touched && !m.restored))
			break;
	}
	if (!r)
		return 0;
	refuse(d, r, &m, ret_verdict);
	return 1;
}
