/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whoever needs a slot first asks all enclosures, and others wait for that: a shelf answers slowly,
 * and each disk that asked it by itself would ask for as much as all of them.
 */
#include "device/shelves.h"

#include <pthread.h>
#include <stdio.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "device/enclosure.h"
#include "device/node.h"

/** struct shelf - an enclosure that answered, and the host that it is behind */
struct shelf {
	uint32_t host;
	struct dw_ses ses;
};

struct dw_shelves {
	const struct dw_machine *m;
	pthread_mutex_t lock;
	bool read;
	struct shelf *v;
	size_t n;
};

struct dw_shelves *dw_shelves_new(const struct dw_machine *m)
{
	struct dw_shelves *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->m = m;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void dw_shelves_free(struct dw_shelves *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	free(s->v);
	free(s);
}

/* One that does not answer, or of which there is no room to keep the answer, has no slots. */
static void ask_enclosures(struct dw_shelves *s)
{
	dw_autofree struct dw_disk_info *info = NULL;
	size_t n;

	if (dw_nodes_enclosures(s->m, &info, &n) || !n)
		return;
	s->v = calloc(n, sizeof(*s->v));
	for (size_t i = 0; s->v && i < n; i++) {
		s->v[s->n].host = info[i].host;
		if (!dw_enclosure_read(&info[i], false, &s->v[s->n].ses))
			s->n++;
	}
}

static void read_once(struct dw_shelves *s)
{
	pthread_mutex_lock(&s->lock);
	if (!s->read)
		ask_enclosures(s);
	s->read = true;
	pthread_mutex_unlock(&s->lock);
}

void dw_shelves_fill_slot(struct dw_shelves *s, struct dw_disk_info *info)
{
	const struct dw_ses_slot *slot = NULL;
	uint64_t address[2];
	char id[40];

	if (info->slot[0] || !s->m->live)
		return;
	dw_disk_addresses(s->m, info, address);
	if (!address[0] && !address[1])
		return;
	read_once(s);
	for (size_t i = 0; i < s->n && !slot; i++) {
		if (s->v[i].host != info->host)
			continue;
		slot = dw_ses_find(&s->v[i].ses, address, 2);
		dw_enclosure_id(&s->v[i].ses, id);
	}
	if (!slot)
		return;
	if (snprintf(info->slot, sizeof(info->slot), "%s:%s", id, slot->name) >=
	    (int)sizeof(info->slot))
		info->slot[0] = '\0';
	dw_text_printable(info->slot);
}
