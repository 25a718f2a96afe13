/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_CARE_H
#define DW_SERVICE_CARE_H

/*
 * Questions to disks about their health, lights of bays, motors: each may wait for a device, so
 * threads of their own do it. Values go in and come out. All functions belong to one thread,
 * that of the service.
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/health.h>

struct care;

enum care_kind { CARE_HEALTH, CARE_LIGHT, CARE_MOTOR };

/**
 * struct care_order - something to ask or to do
 * @what: node of the disk, or the slot whose light it is
 * @disk: key of the disk
 * @attempt: for which a disk is asked thoroughly, 0 = for none; @asked_at: and when, by which an
 *	answer belongs to its question
 * @thorough: as DW_HEALTH_THOROUGH has it
 * @light: enum dw_bay_light
 * @on: the light is switched on, the motor is started
 */
struct care_order {
	enum care_kind kind;
	char what[64];
	char disk[40];
	int64_t attempt;
	uint64_t asked_at;
	bool thorough;
	uint8_t light;
	bool on;
};

/** struct care_answer - what came of it; @r: 0 or -errno; @health: of CARE_HEALTH */
struct care_answer {
	struct care_order order;
	int r;
	struct dw_health health;
};

/** care_new() - @ret: care_free(). 0 or -errno. */
int care_new(struct care **ret);

/** care_free() - wait for what is under way, drop the rest. NULL is accepted. */
void care_free(struct care *c);

/** care_fd() - readable when there are answers. */
int care_fd(const struct care *c);

/** care_ask() - one answer comes of each order that returns 0; else -ENOMEM or -EAGAIN. */
int care_ask(struct care *c, const struct care_order *order);

/** care_next() - the oldest answer not yet taken; false = none. */
bool care_next(struct care *c, struct care_answer *ret);

#endif
