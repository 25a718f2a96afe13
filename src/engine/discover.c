/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Discovery of disks, off the loop: a disk that does not answer delays neither the others nor the
 * jobs that run.
 */
#include <stdlib.h>
#include <string.h>

#include <diskwipe/engine.h>

#include "base/util.h"
#include "engine/engine.h"

struct discovery {
	struct dw_work work;
	struct dw_engine *engine;
	const struct dw_rules *rules;
	dw_discovered *done;
	void *ctx;
	char *path;
	struct dw_disk *disk;
	size_t n;
	int r;
};

static struct discovery *discovery_of(struct dw_work *w)
{
	return dw_container_of(w, struct discovery, work);
}

static void look_for_disks(struct dw_work *w)
{
	struct discovery *d = discovery_of(w);
	struct dw_world *world = d->engine->world;

	if (world->ops->discover) {
		d->r = world->ops->discover(world, d->path, &d->disk, &d->n);
		return;
	}
	if (!d->path) {
		d->r = dw_disks_list(d->rules, &d->disk, &d->n);
		return;
	}
	d->disk = calloc(1, sizeof(*d->disk));
	d->r = d->disk ? dw_disk_examine(d->path, d->rules, d->disk) : -ENOMEM;
	d->n = d->r == 0;
}

static void drop_discovery(struct dw_work *w)
{
	struct discovery *d = discovery_of(w);

	d->engine->discoveries--;
	free(d->disk);
	free(d->path);
	free(d);
}

static int hand_over(struct dw_work *w)
{
	struct discovery *d = discovery_of(w);
	struct dw_disk *disk = NULL;

	if (d->r == 0) {
		disk = d->disk;
		d->disk = NULL;
	}
	d->done(d->ctx, d->path, d->r, disk, d->n);
	d->engine->actionable++;
	drop_discovery(w);
	return 0;
}

int dw_engine_discover(struct dw_engine *engine, const char *path,
		       const struct dw_rules *rules, dw_discovered *done, void *ctx)
{
	struct discovery *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct discovery){ .work = { look_for_disks, hand_over, drop_discovery },
				 .engine = engine,
				 .rules = rules,
				 .done = done,
				 .ctx = ctx,
				 .path = path ? strdup(path) : NULL };
	if (path && !d->path) {
		free(d);
		return -ENOMEM;
	}
	engine->discoveries++;
	dw_loop_begin(engine->loop, &d->work);
	return 0;
}
