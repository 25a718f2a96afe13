/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proves that claimed paths lead to one medium. The block is chosen at random, away from both
 * ends, where partition tables are. A block that cannot be read proves nothing, so another is
 * taken.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "judge/verdict.h"
#include "transport/marker.h"
#include "own/claim.h"
#include "own/path.h"

#define PLACES 4

/** struct claimed_paths - the nodes; @why: of the first command that failed */
struct claimed_paths {
	struct dw_claimed_path path[DW_PATHS_MAX];
	const char *why;
};

static void quiet(void *ctx)
{
	const struct claimed_paths *p = ctx;

	dw_claimed_quiet(&p->path[0]);
}

static int send_on_path(void *ctx, uint32_t path, struct dw_cmd *cmd)
{
	struct claimed_paths *p = ctx;
	int r = dw_claimed_send(&p->path[path], cmd);

	if (r < 0 && !p->why)
		p->why = p->path[path].why;
	p->path[path].why = NULL;
	return r == -ENODATA ? -EIO : r;
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
	const struct dw_device *writer = p->path[m->writer].device;
	const struct dw_device *reader = p->path[m->reader].device;
	char why[160], after[80] = "nothing was written";

	if (r > 0)
		snprintf(
			why, sizeof(why),
			"identity not unique: what was written through %.32s is not seen "
			"through %.32s",
			node_name(writer), node_name(reader));
	else if (r == -ESTALE)
		snprintf(why, sizeof(why),
			 "identity not unique: another disk answers now at %.32s",
			 node_name(reader));
	else
		snprintf(why, sizeof(why),
			 "paths not proven: %.32s does not carry out the test: %.40s",
			 node_name(reader), p->why ? p->why : strerror(-r));
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
	struct claimed_paths p = { 0 };
	struct dw_marker_io io = { .send = send_on_path,
				   .quiet = quiet,
				   .ctx = &p,
				   .block_size = d[0]->caps.block_size,
				   .rw16 = d[0]->caps.rw16,
				   .sync16 = d[0]->caps.cache.sync16 };
	struct dw_marker_result m = { 0 };
	uint64_t lba = 0;
	int r = -EIO;

	*ret_verdict = (struct dw_verdict){ 0 };
	for (size_t i = 0; i < n; i++)
		p.path[i].device = d[i];
	/* errors that do not concern this block stay with another */
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
