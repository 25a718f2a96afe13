/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what came of a job to what a record says of one of its disks. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/timex.h>

#include <diskwipe/diskwipe.h>

#include "device/host.h"
#include "plan/ladder.h"
#include "proof/proof.h"

#define COPY(to, from) snprintf((to), sizeof(to), "%s", (from))

static uint64_t whole(double v, double unit)
{
	return v > 0 && isfinite(v) ? (uint64_t)llround(v * unit) : 0;
}

static uint64_t us(double seconds)
{
	return whole(seconds, 1e6);
}

static int copy_passes(const struct dw_disk_result *d, struct dw_proof *p)
{
	p->pass = d->n_passes ? calloc(d->n_passes, sizeof(*p->pass)) : NULL;
	if (d->n_passes && !p->pass)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n_passes; i++) {
		COPY(p->pass[i].pattern, d->pass[i].pattern);
		COPY(p->pass[i].command, d->pass[i].command);
		p->pass[i].microseconds = us(d->pass[i].seconds);
		p->pass[i].bytes = d->pass[i].bytes;
	}
	p->n_passes = d->n_passes;
	return 0;
}

static int copy_exceptions(const struct dw_disk_result *d, struct dw_proof *p)
{
	size_t size = d->n_exceptions * sizeof(*p->exception);

	p->exception = size ? malloc(size) : NULL;
	if (size && !p->exception)
		return -ENOMEM;
	if (size)
		memcpy(p->exception, d->exception, size);
	p->n_exceptions = d->n_exceptions;
	return 0;
}

static void copy_verify(const struct dw_disk_result *d, struct dw_proof *p)
{
	COPY(p->verify.mode, d->verify.mode[0] ? d->verify.mode : "off");
	p->verify.done = d->verify.done;
	p->verify.read = d->verify.read;
	p->verify.samples = d->verify.samples;
	COPY(p->verify.seed, d->verify.seed);
	p->verify.mismatches = d->verify.mismatches;
	/* rounded up: it is a bound */
	p->verify.bound_ppb = whole(ceil(d->verify.bound * 1e9 - 1e-6), 1);
	p->verify.fua = d->verify.fua;
	p->verify.places = d->verify.places;
	p->verify.planted = d->verify.planted;
	p->verify.found = d->verify.found;
	p->verify.compared = d->verify.compared;
	p->verify.skipped_ppb = whole(ceil(d->verify.skipped * 1e9 - 1e-6), 1);
	COPY(p->verify.not_compared, d->verify.not_compared);
	p->errors.retried = d->errors.retried;
	p->errors.split = d->errors.split;
	p->errors.timeouts = d->errors.timeouts;
	p->errors.resets = d->errors.resets;
}

static int of_disk(const struct dw_job_result *r, size_t disk, struct dw_proof *p)
{
	const struct dw_disk_result *d = &r->disk[disk];
	int error;

	snprintf(p->id, sizeof(p->id), "%s/%zu", r->id, disk);
	p->info = d->info;
	COPY(p->device, d->info.sg[0] ? d->info.sg : d->info.block);
	COPY(p->outcome, dw_outcome_name(d->outcome, d->verify_only));
	COPY(p->reason, d->reason);
	COPY(p->method, d->method);
	COPY(p->level, d->level[0] ? d->level : "none");
	COPY(p->level_reason, d->level_reason);
	COPY(p->command, d->command);
	COPY(p->signatures, d->signatures);
	memcpy(p->notes, d->notes, sizeof(p->notes));
	p->n_notes = d->n_notes;
	COPY(p->level_limit, d->level_limit);
	p->level_table = DW_LEVEL_TABLE;
	p->purge_requested = d->purge_requested;
	p->purge_attested = d->purge_attested;
	COPY(p->medium, d->medium);
	COPY(p->hidden_reason, d->hidden_reason);
	COPY(p->path, d->path);
	memcpy(p->restored, d->restored, sizeof(p->restored));
	p->n_restored = d->n_restored;
	p->health_before = d->health_before;
	p->health_after = d->health_after;
	p->bytes_per_second = whole(d->mean_bytes_per_second, 1);
	p->started = d->started;
	p->finished = d->finished;
	p->microseconds = us(d->seconds);
	p->flush_microseconds = us(d->flush_seconds);
	p->verify_microseconds = us(d->verify_seconds);
	p->waited_microseconds = us(d->waited_seconds);
	if (r->forecast && disk < r->forecast->n && !r->forecast->disk[disk].vague)
		p->forecast_microseconds = us(r->forecast->disk[disk].finish);
	p->bytes_written = d->bytes_written;
	p->bytes_verified = d->bytes_verified;
	p->bytes_compared = d->bytes_compared;
	p->commands = d->commands;
	copy_verify(d, p);
	error = copy_passes(d, p);
	return error ? error : copy_exceptions(d, p);
}

/* Of a job that never began there is no other name. */
static int name_attempt(char *buf, size_t size)
{
	uint64_t bits[2];

	if (getrandom(bits, sizeof(bits), 0) != sizeof(bits))
		return -EIO;
	snprintf(buf, size, "%016" PRIx64 "%016" PRIx64, bits[0], bits[1]);
	return 0;
}

static int of_refused(const struct dw_job_result *r, size_t i, struct dw_proof *p)
{
	const struct dw_refused *f = &r->refused[i];
	char name[40] = "";
	int error = r->id[0] ? 0 : name_attempt(name, sizeof(name));

	snprintf(p->id, sizeof(p->id), "%s/r%zu", r->id[0] ? r->id : name, i);
	COPY(p->device, f->device);
	COPY(p->info.serial, f->serial);
	COPY(p->info.wwn, f->wwn);
	COPY(p->outcome, "refused");
	COPY(p->reason, f->verdict.reason);
	COPY(p->level, "none");
	COPY(p->verify.mode, "off");
	return error;
}

/* by NTP or the like; not of a container, which does not see it */
static bool is_clock_synchronised(void)
{
	struct timex t = { .modes = 0 };

	return adjtimex(&t) >= 0 && !(t.status & STA_UNSYNC);
}

int dw_proof_of(const struct dw_job_result *result, size_t disk,
		const struct dw_proof_place *place, struct dw_proof *ret)
{
	int r = 0;

	*ret = (struct dw_proof){ .max_temperature = DW_TEMPERATURE_UNKNOWN };
	if (disk >= result->n_disks + result->n_refused)
		return -EINVAL;
	COPY(ret->tool, dw_version());
	ret->host = result->host;
	if (!result->id[0]) /* there was no job that would know it */
		dw_host_read(&dw_machine_self, &ret->host);
	dw_build_id(ret->build, sizeof(ret->build));
	ret->clock_synchronised = is_clock_synchronised();
	COPY(ret->asked_method, result->spec.pattern[0] ? "custom" : result->spec.method);
	COPY(ret->asked_level, dw_level_name(result->spec.level));
	ret->or_clear = result->spec.or_clear;
	COPY(ret->job, result->id);
	COPY(ret->strategy, result->spec.strategy);
	COPY(ret->simulation, result->simulation);
	COPY(ret->key_check, result->key_check);
	COPY(ret->customer, result->spec.customer);
	COPY(ret->order_number, result->spec.order_number);
	if (place && place->asset)
		COPY(ret->asset, place->asset);
	if (place && place->operator_name)
		COPY(ret->operator_name, place->operator_name);
	if (place && place->bay)
		COPY(ret->bay, place->bay);
	if (place && place->label)
		COPY(ret->label, place->label);
	if (disk < result->n_disks)
		r = of_disk(result, disk, ret);
	else
		r = of_refused(result, disk - result->n_disks, ret);
	if (r)
		dw_proof_deinit(ret);
	return r;
}
