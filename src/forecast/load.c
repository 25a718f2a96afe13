/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A user thinks for an exponential time; the request waits for the load's disk, which takes
 * a fixed or an exponential service time, first come, first served; then its data pass the
 * nodes on their way as any other's do.
 */
#include "forecast/load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"

enum { THINKS, AT_DISK, ON_BUS };

struct user {
	uint32_t load;
	uint8_t at;
	uint64_t since_ns;
};

struct sim_loads {
	struct dw_rng rng;
	struct sim_disk *disk; /* of each load: what the bus asks for */
	struct station_disk *spec;
	struct user *user;
	uint32_t n_users;
	struct dw_io_count seen;
};

static uint64_t exponential(struct sim_loads *l, uint64_t mean_ns)
{
	return (uint64_t)(-(double)mean_ns * log1p(-dw_rng_unit(&l->rng)));
}

static void later(struct sim_world *w, uint32_t user, uint64_t ns, uint8_t at)
{
	w->loads->user[user].at = at;
	if (dw_heap_push(&w->due, ns, SIM_LOAD_TAG | user) < 0)
		w->error = -ENOMEM;
}

static void think(struct sim_world *w, uint32_t user)
{
	const struct station_load *s = &w->station->load[w->loads->user[user].load];

	later(w, user, w->now_ns + exponential(w->loads, s->think_ns), THINKS);
}

static void ask_as_user(struct sim_world *w, uint32_t user)
{
	struct sim_loads *l = w->loads;
	const struct station_load *s = &w->station->load[l->user[user].load];
	struct sim_arm *a = l->disk[l->user[user].load].arm;

	l->user[user].since_ns = w->now_ns;
	l->seen.waiting++;
	a->media_free_ns = dw_max_u64(a->media_free_ns, w->now_ns) +
			   (s->random ? exponential(l, s->service_ns) : s->service_ns);
	later(w, user, a->media_free_ns, AT_DISK);
}

static void answer(struct sim_world *w, uint32_t user)
{
	struct sim_loads *l = w->loads;

	l->seen.waiting--;
	l->seen.answers++;
	l->seen.answer_ns += w->now_ns - l->user[user].since_ns;
	think(w, user);
}

void sim_loads_happen(struct sim_world *w, uint32_t user)
{
	struct sim_loads *l = w->loads;
	uint32_t load = l->user[user].load;
	struct sim_op data = { .bus_bytes = w->station->load[load].size };

	switch (l->user[user].at) {
	case THINKS:
		ask_as_user(w, user);
		break;
	case AT_DISK:
		later(w, user, sim_bus_move(w, &l->disk[load], &data), ON_BUS);
		break;
	default:
		answer(w, user);
	}
}

void sim_loads_count(struct dw_transport *t, struct dw_io_count *ret)
{
	*ret = dw_container_of(t, struct sim_world, base)->loads->seen;
}

void sim_loads_free(struct sim_loads *l)
{
	if (!l)
		return;
	free(l->disk);
	free(l->spec);
	free(l->user);
	free(l);
}

static void begin_loads(struct sim_world *w, uint64_t seed)
{
	struct sim_loads *l = w->loads;
	const struct dw_station *s = w->station;

	dw_rng_seed(&l->rng, seed ^ UINT64_C(0x6c6f6164));
	for (uint32_t i = 0; i < s->n_loads; i++) {
		station_disk_init(&l->spec[i]);
		l->spec[i].n_on = 1;
		l->spec[i].on[0] = s->load[i].on;
		l->disk[i] = (struct sim_disk){ .spec = &l->spec[i] };
		for (uint64_t k = 0; k < s->load[i].users; k++) {
			l->user[l->n_users] = (struct user){ .load = i };
			think(w, l->n_users++);
		}
	}
}

int sim_loads_new(struct sim_world *w, uint64_t seed, struct sim_loads **ret)
{
	const struct dw_station *s = w->station;
	struct sim_loads *l;
	uint64_t users = 0;

	*ret = NULL;
	for (uint32_t i = 0; i < s->n_loads; i++)
		users += s->load[i].users;
	if (!users)
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->disk = calloc(s->n_loads, sizeof(*l->disk));
	l->spec = calloc(s->n_loads, sizeof(*l->spec));
	l->user = calloc(users, sizeof(*l->user));
	if (!l->disk || !l->spec || !l->user) {
		sim_loads_free(l);
		return -ENOMEM;
	}
	*ret = w->loads = l;
	begin_loads(w, seed);
	return 0;
}
