/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses the method of a disk, and finds the level that it reaches. A disk that cannot reach the
 * wanted level is refused before anything is written: it is never erased to a lower level
 * instead.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "core/spec.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/plan.h"
#include "judge/verdict.h"
#include "judge/whole.h"
#include "plan/ladder.h"

#define RATE_MAGNETIC 150e6 /* bytes per second, if nothing better is known */
#define RATE_FLASH    400e6
#define BLOCK_ERASE_S 120
#define CRYPTO_S      2
#define BIT(o)        (UINT32_C(1) << (o))

static uint64_t usual_ns(const struct dw_caps *caps, unsigned int operation)
{
	double bytes = (double)caps->blocks * caps->block_size;

	switch (operation) {
	case DW_OPERATION_ATA_ENHANCED:
	case DW_OPERATION_ATA_NORMAL:
		if (caps->rotation == 1)
			return BLOCK_ERASE_S * DW_NS_PER_S;
		/* fallthrough */
	case DW_OPERATION_NONE:
	case DW_OPERATION_OVERWRITE:
		return (uint64_t)(bytes /
				  (caps->rotation == 1 ? RATE_FLASH : RATE_MAGNETIC) *
				  1e9);
	case DW_OPERATION_BLOCK_ERASE:
	case DW_OPERATION_FORMAT_USER:
		return BLOCK_ERASE_S * DW_NS_PER_S;
	default:
		return CRYPTO_S * DW_NS_PER_S;
	}
}

uint64_t job_operation_ns(const struct dw_caps *caps, unsigned int operation)
{
	return caps->self.ns[operation] ? caps->self.ns[operation]
					: usual_ns(caps, operation);
}

/* @pass_ns: of a pass by the host; 0 = not known */
static void ladder_of(const struct dw_caps *caps, uint64_t pass_ns,
		      struct dw_ladder_disk *ret)
{
	*ret = (struct dw_ladder_disk){
		.medium = dw_medium_of(caps->rotation, caps->lbpme),
		.offered = BIT(DW_OPERATION_NONE) | caps->self.operations,
	};
	for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++) {
		ret->ns[o] = job_operation_ns(caps, o);
		if (caps->self.ns[o])
			ret->stated |= BIT(o);
	}
	if (pass_ns)
		ret->ns[DW_OPERATION_NONE] = pass_ns;
}

/* The contents afterwards cannot always be predicted and compared in full. What a SANITIZE of one
 * of several logical units affects is not known. */
static void want_of(const struct dw_job_spec *spec, uint32_t units,
		    struct dw_ladder_want *ret)
{
	*ret = (struct dw_ladder_want){ .level = spec->level,
					.or_clear = spec->or_clear };
	dw_allow_parse(spec->allow, &ret->allow);
	for (unsigned int o = 1; o < DW_OPERATION_COUNT; o++)
		if (dw_spec_wants_all(spec) && !dw_operation_foretold(o))
			ret->barred |= BIT(o);
	if (units > 1)
		ret->barred |= ~BIT(DW_OPERATION_NONE);
}

static bool is_chosen(const struct dw_job_spec *spec)
{
	const struct dw_method *m =
		spec->pattern[0] ? NULL : dw_method_find(spec->method);

	return m && m->chosen;
}

/* A method that was named reaches its own level: naming it allows that. */
static bool level_of_named(const struct dw_ladder_disk *ladder,
			   const struct dw_ladder_want *want, unsigned int operation,
			   const char *method, struct dw_ladder_choice *ret, char *reason,
			   size_t size)
{
	*ret = (struct dw_ladder_choice){
		.operation = (uint8_t)operation,
		.level = dw_ladder_level(ladder->medium, operation),
	};
	reason[0] = '\0';
	if (ret->level >= want->level || want->or_clear)
		return true;
	snprintf(reason, size, "method %s reaches the level clear only: %s", method,
		 dw_ladder_limit(ladder->medium, operation));
	return false;
}

static bool reach(const struct dw_job_spec *spec, const struct dw_ladder_disk *ladder,
		  const struct dw_ladder_want *want, const struct dw_method *method,
		  struct dw_ladder_choice *ret, char *reason, size_t size)
{
	unsigned int operation = method->operation;
	bool found;

	if (method->optional && !(ladder->offered & BIT(operation)))
		operation = DW_OPERATION_NONE;
	if (!method->chosen)
		return level_of_named(ladder, want, operation,
				      spec->pattern[0] ? "custom" : method->name, ret,
				      reason, size);
	found = dw_ladder_choose(ladder, want, ret);
	dw_ladder_reason(ladder, want, found ? ret : NULL, reason, size);
	return found;
}

/* A resumed disk keeps its method: its marks belong to that. */
static int take_resumed(struct job_disk *d, const struct dw_ladder_disk *ladder,
			struct dw_ladder_choice *ret, struct dw_verdict *v)
{
	const struct dw_method *m = dw_method_find(d->earlier.resume->method);

	if (!m || m->chosen)
		return dw_verdict_set(
			v, DW_REFUSAL_ERROR,
			"the state file does not say by which method it was "
			"to be erased; begin a new job");
	ret->operation = m->operation;
	ret->level = dw_ladder_level(ladder->medium, m->operation);
	return 0;
}

int job_choose_method(const struct dw_job *job, struct job_disk *d, struct dw_verdict *v)
{
	struct dw_ladder_disk ladder;
	struct dw_ladder_want want;
	struct dw_ladder_choice choice = { 0 };
	char reason[256] = "";
	bool reached = true;
	int r = 0;

	if (!d->choice.method)
		d->choice.method = &job->method;
	if (job->spec.verify_only)
		return 0;
	ladder_of(&d->caps, d->place.pass_ns, &ladder);
	want_of(&job->spec, d->device ? d->device->n_units : 1, &want);
	if (d->earlier.resume && d->choice.method->chosen)
		r = take_resumed(d, &ladder, &choice, v);
	else
		reached = reach(&job->spec, &ladder, &want, d->choice.method, &choice,
				reason, sizeof(reason));
	if (r)
		return r;
	if (!reached)
		return dw_verdict_set(v, DW_REFUSAL_PURGE, "%.255s", reason);
	d->choice.level = choice.level;
	if (!d->choice.method->chosen)
		return 0;
	if (!d->earlier.resume)
		memcpy(d->choice.reason, reason, sizeof(d->choice.reason));
	d->choice.method = dw_method_find(dw_ladder_method(choice.operation));
	return 0;
}

static void caps_of(const struct dw_disk_info *info, struct dw_caps *ret)
{
	*ret = (struct dw_caps){
		.blocks = info->blocks,
		.block_size = info->block_size,
		.rotation = info->rotation,
		.lbpme = info->lbpme,
		.self.operations = (uint8_t)info->operations,
	};
	for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++)
		ret->self.ns[o] = info->operation_seconds[o] * DW_NS_PER_S;
}

static void describe_way(const struct dw_ladder_disk *ladder, unsigned int o,
			 struct dw_ways *ret)
{
	struct dw_way *w = &ret->way[ret->n++];
	const char *limit = dw_ladder_limit(ladder->medium, o);
	const char *allow = dw_ladder_allow(o);

	*w = (struct dw_way){
		.level = dw_ladder_level(ladder->medium, o),
		.seconds = (double)ladder->ns[o] / 1e9,
		.stated = ladder->stated & BIT(o),
		.own = o != DW_OPERATION_NONE,
	};
	snprintf(w->method, sizeof(w->method), "%s", dw_ladder_method(o));
	snprintf(w->allow, sizeof(w->allow), "%s", allow ? allow : "");
	snprintf(w->limit, sizeof(w->limit), "%s", limit ? limit : "");
	dw_ladder_way(ladder, o, w->text, sizeof(w->text));
}

int dw_disk_ways(const struct dw_disk_info *info, const struct dw_job_spec *spec,
		 struct dw_ways *ret, struct dw_verdict *ret_verdict)
{
	struct dw_ladder_disk ladder;
	struct dw_ladder_want want;
	struct dw_ladder_choice choice = { 0 };
	struct dw_method method;
	struct dw_caps caps;
	int r = dw_spec_method(spec, &method, NULL);

	*ret = (struct dw_ways){ 0 };
	*ret_verdict = (struct dw_verdict){ 0 };
	if (r < 0)
		return r;
	caps_of(info, &caps);
	ladder_of(&caps, 0, &ladder);
	want_of(spec, (uint32_t)dw_max_u64(info->units, info->controllers), &want);
	for (unsigned int o = DW_OPERATION_COUNT; o-- > 0;)
		if (ladder.offered & BIT(o))
			describe_way(&ladder, o, ret);
	/* a disk that is erasing itself does not report which ways it supports: whoever began it
	 * knows */
	if (spec->verify_only || info->operating)
		return 0;
	if (!reach(spec, &ladder, &want, &method, &choice, ret->reason,
		   sizeof(ret->reason)))
		return dw_verdict_set(ret_verdict, DW_REFUSAL_PURGE, "%.255s",
				      ret->reason);
	ret->level = choice.level;
	snprintf(ret->method, sizeof(ret->method), "%s",
		 is_chosen(spec) ? dw_ladder_method(choice.operation) : method.name);
	return 0;
}

int dw_disks_whole(const struct dw_job_spec *spec, struct dw_disk *disks, size_t n,
		   uint32_t *ret_group)
{
	struct dw_whole w = { .m = &dw_machine_self,
			      .rules = &spec->rules,
			      .disk = disks,
			      .n = n,
			      .group = ret_group };
	struct dw_method m;
	int r = dw_spec_method(spec, &m, NULL);

	for (size_t i = 0; i < n; i++)
		ret_group[i] = (uint32_t)i;
	if (r < 0 || !m.operation || m.optional || spec->verify_only ||
	    spec->resume_file[0])
		return r;
	w.operation = m.operation;
	return dw_whole_check(&w);
}
