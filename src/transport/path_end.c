/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One list for all callers: the choice of paths and a proof must agree. */
#include "transport/path_end.h"

#include <errno.h>

#include "base/util.h"
#include "scsi/sense.h"

/* The kernel's own refusal is a matter of microseconds; an adapter has waited for its disk. */
#define UNSENT_NS (100 * DW_NS_PER_MS)

/* the kernel's DID_* that speak of the way, not of the disk */
enum host {
	HOST_NO_CONNECT = 0x01,
	HOST_TIME_OUT = 0x03,
	HOST_BAD_TARGET = 0x04,
	HOST_ABORT = 0x05,
	HOST_DISRUPTED = 0x0e,
	HOST_FAILFAST = 0x0f,
	HOST_MARGINAL = 0x14,
};

static bool has_sense(const struct dw_completion *done, struct dw_sense *ret)
{
	return !done->err && done->status == DW_STATUS_CHECK_CONDITION &&
	       done->sense_len && !dw_sense_parse(done->sense, done->sense_len, ret);
}

/* Port in standby, unavailable, or between states: the disk has not examined the command. */
static bool port_closed(const struct dw_completion *done)
{
	struct dw_sense s;

	return has_sense(done, &s) && !s.deferred && s.key == DW_KEY_NOT_READY &&
	       s.asc == 0x04 && s.ascq >= 0x0a && s.ascq <= 0x0c;
}

bool dw_path_gone(const struct dw_completion *done)
{
	if (done->err)
		return done->err == -ENODEV || done->err == -ENXIO;
	return done->host_status == HOST_NO_CONNECT ||
	       done->host_status == HOST_BAD_TARGET;
}

bool dw_path_failed(const struct dw_completion *done)
{
	if (done->err)
		return dw_path_gone(done);
	switch (done->host_status) {
	case HOST_TIME_OUT:
	case HOST_DISRUPTED:
	case HOST_FAILFAST:
	case HOST_MARGINAL:
		return true;
	default:
		return dw_path_gone(done) || port_closed(done);
	}
}

bool dw_path_unsent(const struct dw_completion *done)
{
	return !done->err && done->host_status == HOST_ABORT && !done->status &&
	       !done->sense_len && done->end_ns - done->start_ns < UNSENT_NS;
}

bool dw_path_attention(const struct dw_completion *done)
{
	struct dw_sense s;

	return done->err == -ESTALE ||
	       (has_sense(done, &s) && s.key == DW_KEY_UNIT_ATTENTION);
}
