/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/notes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/util.h"

static int reserve(struct dw_notes *o, uint32_t places)
{
	size_t n = dw_max_u64(places, UINT64_C(2) * o->n);

	if (places <= o->n)
		return 0;
	if (dw_grow(&o->last, o->n, n, sizeof(*o->last)) < 0 ||
	    dw_grow(&o->silent, o->n, n, sizeof(*o->silent)) < 0 ||
	    dw_grow(&o->got, o->n, n, sizeof(*o->got)) < 0)
		return -ENOMEM;
	o->n = (uint32_t)n;
	return 0;
}

int dw_notes_in(struct dw_notes *notes, uint32_t places, uint32_t disk)
{
	int r = reserve(notes, places);

	if (r < 0)
		return r;
	notes->last[disk] = (struct dw_last_verb){ 0 };
	notes->silent[disk] = (struct dw_unheard){ 0 };
	notes->got[disk] = (struct dw_late){ 0 };
	return 0;
}

void dw_notes_deinit(struct dw_notes *notes)
{
	free(notes->last);
	free(notes->silent);
	free(notes->got);
}
