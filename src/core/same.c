/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * WRITE SAME is fast, but disks and bridges fail at it in every way: they abort it, report a
 * hardware or medium error, transfer a part, hang, or reset themselves. Until one has ended well,
 * any error may be due to the command itself. So it is not tried again after an error, and WRITE,
 * which every disk has, shows what is wrong with the blocks or the disk.
 */
#include "core/internal.h"

#define KEY_UNIT_ATTENTION 6 /* SPC, sense key */

static bool has_worked(const struct core_disk *d)
{
	for (uint32_t i = 0; i <= d->state.pass; i++)
		if (d->state.passes[i].used_ws)
			return true;
	return false;
}

/* Whether the command itself failed, and not because of another event. What the device does after
 * it has to be handled as well. */
static bool may_be_its_fault(const struct dw_result *r, bool *ret_recovers)
{
	*ret_recovers = r->class == DW_CLASS_TIMEOUT || r->class == DW_CLASS_RESET;
	if (r->deferred || r->sense_key == KEY_UNIT_ATTENTION)
		return false;
	switch (r->class) {
	case DW_CLASS_RETRY:
	case DW_CLASS_MEDIUM:
	case DW_CLASS_HARDWARE:
	case DW_CLASS_RANGE:
	case DW_CLASS_FAILED:
	case DW_CLASS_TIMEOUT:
	case DW_CLASS_RESET:
	case DW_CLASS_UNSUPPORTED:
		return true;
	default:
		return false;
	}
}

void core_same_failed(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      struct dw_result *r)
{
	char text[120];
	bool recovers;

	if (s->verb != DW_VERB_WRITE_SAME || has_worked(d) ||
	    !may_be_its_fault(r, &recovers))
		return;
	if (d->state.same != DW_SAME_FAILED)
		core_notice(c, d, "%s: using WRITE",
			    r->class == DW_CLASS_UNSUPPORTED
				    ? "WRITE SAME refused"
				    : core_describe(s, r, text, sizeof(text)));
	d->state.same = DW_SAME_FAILED;
	if (!recovers)
		r->class = DW_CLASS_UNSUPPORTED;
}
