/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_CARE_H
#define DW_SERVICE_CARE_H

/*
 * Executes requests to devices: the health of a disk, the lights of a bay, the motor of a disk,
 * and who uses a disk. Each may wait for the device, so threads of its own do it. Requests and
 * answers are values. All
 * functions belong to the main thread of the service.
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/health.h>

struct care;
struct dw_simulation;

enum care_kind { CARE_HEALTH, CARE_LIGHT, CARE_MOTOR, CARE_USERS };

/**
 * struct care_request - something to ask of a device, or to do
 * @kind: what
 * @what: node of the disk, or the slot whose light it is
 * @disk: key of the disk
 * @attempt: number of the attempt that a thorough question is for, 0 = none
 * @asked_at: when that question was asked; answers are matched to questions by it
 * @thorough: ask as DW_HEALTH_THOROUGH
 * @light: enum dw_bay_light
 * @on: switch the light on, start the motor
 */
struct care_request {
	enum care_kind kind;
	char what[64];
	char disk[40];
	int64_t attempt;
	uint64_t asked_at;
	bool thorough;
	uint8_t light;
	bool on;
};

/** struct care_answer - result of a request; @r: 0 or -errno; @health: of CARE_HEALTH; @used: of
 *  CARE_USERS */
struct care_answer {
	struct care_request request;
	int r;
	struct dw_health health;
	enum dw_refusal used;
};

/** care_new() - @simulated: the disks that are asked, outlive it; NULL = the machine's. @ret:
 *  care_free(). 0 or -errno. */
int care_new(struct dw_simulation *simulated, struct care **ret);

/** care_free() - wait for what is under way, drop the rest. NULL is accepted. */
void care_free(struct care *c);

/** care_fd() - descriptor that is readable while there are answers. */
int care_fd(const struct care *c);

/** care_ask() - queue a request. 0: one answer follows; else -ENOMEM or -EAGAIN. */
int care_ask(struct care *c, const struct care_request *request);

/** care_next() - the oldest answer not yet taken; false = none. */
bool care_next(struct care *c, struct care_answer *ret);

#endif
