/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result document. Its keys are an interface: they are always there, byte counts are
 * integers, times carry their zone, and only serial, wwn and reason may be null.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "report/json.h"

static json_t *time_value(const struct timespec *t)
{
	char text[DW_UNIT_TEXT];
	struct tm tm = { 0 };

	localtime_r(&t->tv_sec, &tm);
	return json_string(dw_time_format(t, (int32_t)tm.tm_gmtoff, text, sizeof(text)));
}

static json_t *seconds_value(double seconds)
{
	return json_real(round(seconds * 1e6) / 1e6);
}

static json_t *passes_value(const struct dw_disk_result *d)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < d->n_passes; i++) {
		const struct dw_pass_result *p = &d->pass[i];
		json_t *item = json_pack(
			"{s:o, s:o, s:o, s:I}", "pattern", dw_json_text(p->pattern),
			"command", dw_json_text(p->command), "seconds",
			seconds_value(p->seconds), "bytes", (json_int_t)p->bytes);

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *exception_value(const struct dw_exception *e)
{
	return json_pack("{s:I, s:I, s:s, s:o}", "lba", (json_int_t)e->lba, "blocks",
			 (json_int_t)e->blocks, "kind", dw_exception_name(e->kind),
			 "sense", dw_json_text(e->sense));
}

static json_t *exceptions_value(const struct dw_disk_result *d)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < d->n_exceptions; i++) {
		if (json_array_append_new(array, exception_value(&d->exception[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *notes_value(const struct dw_disk_result *d)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < d->n_notes; i++) {
		if (json_array_append_new(array, dw_json_text(d->notes[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *paths_value(const struct dw_disk_result *d)
{
	json_t *array = json_array();

	if (!d->n_paths) {
		json_decref(array);
		return dw_json_paths(&d->info);
	}
	for (uint32_t i = 0; i < d->n_paths; i++) {
		if (json_array_append_new(array, dw_json_text(d->paths[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *path_use_value(const struct dw_disk_result *d)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < d->n_path_use; i++) {
		const struct dw_path_use *u = &d->path_use[i];
		json_t *item = json_pack("{s:o, s:s, s:I, s:I, s:I}", "device",
					 dw_json_text(u->device), "state", u->state,
					 "commands", (json_int_t)u->commands, "failures",
					 (json_int_t)u->failures, "returns",
					 (json_int_t)u->returns);

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *verify_value(const struct dw_disk_result *d)
{
	char text[160];
	json_t *v = json_pack(
		"{s:s, s:I, s:I, s:I, s:f, s:b, s:s, s:I, s:I, s:s}", "mode",
		d->verify.mode[0] ? d->verify.mode : "off", "samples",
		(json_int_t)d->verify.samples, "blocks", (json_int_t)d->verify.blocks,
		"mismatches", (json_int_t)d->verify.mismatches, "bound", d->verify.bound,
		"fua", (int)d->verify.fua, "done", dw_verified_name(d->verify.done),
		"read", (json_int_t)d->verify.read, "of", (json_int_t)d->info.blocks,
		"text", dw_verified_text(d, text, sizeof(text)));

	if (v && d->verify.copies[0]) {
		json_t *more = json_pack("{s:s, s:i, s:f}", "policy", d->verify.copies,
					 "sweeps", (int)d->verify.sweeps,
					 "simulated_gain", d->verify.simulated);

		if (!more || json_object_update(v, more) < 0) {
			json_decref(v);
			v = NULL;
		}
		json_decref(more);
	}
	return v;
}

static json_t *errors_value(const struct dw_disk_result *d)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "retried", (json_int_t)d->errors.retried,
			 "split", (json_int_t)d->errors.split, "timeouts",
			 (json_int_t)d->errors.timeouts, "resets",
			 (json_int_t)d->errors.resets);
}

/* Keys of a disk beyond the interface: where it stopped, and what the job did to it. */
static int add_particulars(json_t *disk, const struct dw_disk_result *d)
{
	json_t *more = json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "bytes_compared",
		(json_int_t)d->bytes_compared, "revision", dw_json_text(d->info.revision),
		"signatures", dw_json_text(d->signatures), "path", dw_json_text(d->path),
		"notes", notes_value(d), "path_mode", dw_json_text(d->path_mode),
		"path_use", path_use_value(d), "flush_refused", (int)d->flush_refused,
		"write_cache_switched", (int)d->write_cache_switched);
	int r = more ? json_object_update(disk, more) : -1;

	json_decref(more);
	if (!r && d->commands && d->outcome != DW_OUTCOME_NONE) {
		r = json_object_set_new(disk, "started", time_value(&d->started));
		r |= json_object_set_new(disk, "finished", time_value(&d->finished));
	}
	if (!r && d->outcome == DW_OUTCOME_STOPPED)
		r = json_object_set_new(disk, "stopped",
					json_pack("{s:I, s:I}", "pass",
						  (json_int_t)d->stopped_pass, "lba",
						  (json_int_t)d->stopped_lba));
	return r;
}

static json_t *disk_value(const struct dw_disk_result *d, bool verify_only)
{
	const struct dw_disk_info *i = &d->info;
	json_t *disk = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:s, s:o, s:o,"
		" s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"device", dw_json_device(i), "paths", paths_value(d), "vendor",
		dw_json_text(i->vendor), "model", dw_json_text(i->model), "serial",
		dw_json_text_or_null(i->serial), "wwn", dw_json_text_or_null(i->wwn),
		"capacity_bytes", (json_int_t)(i->blocks * i->block_size), "block_size",
		(json_int_t)i->block_size, "method", dw_json_text(d->method), "command",
		dw_json_text(d->command), "outcome",
		dw_outcome_name(d->outcome, verify_only), "reason",
		dw_json_text_or_null(d->reason), "seconds", seconds_value(d->seconds),
		"bytes_written", (json_int_t)d->bytes_written, "bytes_verified",
		(json_int_t)d->bytes_verified, "commands", (json_int_t)d->commands,
		"mean_bytes_per_second", (json_int_t)llround(d->mean_bytes_per_second),
		"transfer_blocks", (json_int_t)d->transfer_blocks, "depth",
		(json_int_t)d->depth, "passes", passes_value(d), "exceptions",
		exceptions_value(d), "verify", verify_value(d), "errors",
		errors_value(d));

	if (disk && add_particulars(disk, d) < 0) {
		json_decref(disk);
		return NULL;
	}
	return disk;
}

static json_t *disks_value(const struct dw_job_result *result)
{
	const struct dw_forecast *f = result ? result->forecast : NULL;
	json_t *array = json_array();

	for (size_t i = 0; result && i < result->n_disks; i++) {
		json_t *disk = disk_value(&result->disk[i], result->spec.verify_only);

		if (disk && f && i < f->n &&
		    json_object_set_new(disk, "forecast",
					dw_json_forecast_disk(&f->disk[i])) < 0) {
			json_decref(disk);
			disk = NULL;
		}
		if (json_array_append_new(array, disk) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* What a method asks for is known when the first disk has its plan. */
static json_t *verify_asked(const struct dw_job_result *r)
{
	const struct dw_job_spec *spec = &r->spec;

	switch (spec->verify) {
	case DW_VERIFY_KIND_OFF:
		return json_string("off");
	case DW_VERIFY_KIND_FULL:
		return json_string("full");
	case DW_VERIFY_KIND_SAMPLE:
		return json_sprintf("sample:%g%%", spec->verify_percent);
	case DW_VERIFY_KIND_DEFAULT:
		break;
	}
	if (r->n_disks && r->disk[0].verify.mode[0])
		return dw_json_text(r->disk[0].verify.mode);
	return json_string("default");
}

static json_t *controller_value(const struct dw_job_spec *spec)
{
	if (!strcmp(spec->controller, "fixed") && spec->fixed_blocks)
		return json_sprintf("fixed:%u", spec->fixed_blocks);
	return dw_json_text(spec->controller);
}

static json_t *paths_forecast_value(const struct dw_paths_forecast *f)
{
	return json_pack(
		"{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:o}",
		"devices", (int)f->devices, "paths", (int)f->paths, "transfer",
		(int)f->transfer, "media_rate", f->media_rate, "path_rate", f->path_rate,
		"revolution_ms", f->revolution_ms, "fixed_rate", f->fixed_rate,
		"dynamic_rate", f->dynamic_rate, "fixed_misses", f->fixed_misses,
		"dynamic_misses", f->dynamic_misses, "gain", f->gain, "mode",
		f->dynamic ? "dynamic" : "fixed", "why", dw_json_text(f->why));
}

static json_t *host_value(const struct dw_host *h)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "name", dw_json_text(h->name), "serial",
			 dw_json_text(h->serial), "asset_tag", dw_json_text(h->asset_tag),
			 "kernel", dw_json_text(h->kernel));
}

static json_t *job_value(const struct dw_job_result *r, const char *outcome)
{
	const struct dw_job_spec *spec = &r->spec;
	const char *method = spec->pattern[0] ? "custom" : spec->method;
	int bad;
	json_t *job = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "strategy",
		dw_json_text(spec->strategy), "controller", controller_value(spec),
		"command",
		dw_json_text(r->command[0] ? r->command : dw_spec_word(spec, "command")),
		"method", dw_json_text(method), "verify", verify_asked(r), "started",
		time_value(&r->started), "finished", time_value(&r->finished), "seconds",
		seconds_value(r->seconds), "outcome",
		outcome ? outcome : dw_outcome_name(r->outcome, spec->verify_only));

	bad = job ? 0 : -1;
	if (!bad && r->id[0]) {
		bad |= json_object_set_new(job, "id", dw_json_text(r->id));
		bad |= json_object_set_new(job, "host", host_value(&r->host));
	}
	if (!bad && r->key_check[0])
		bad |= json_object_set_new(job, "key_check", dw_json_text(r->key_check));
	if (!bad && r->state_error)
		bad |= json_object_set_new(job, "state_error",
					   json_string(strerror(-r->state_error)));
	if (!bad && r->trace_error)
		bad |= json_object_set_new(job, "trace_error",
					   json_string(strerror(-r->trace_error)));
	if (!bad && r->paths.devices)
		bad |= json_object_set_new(job, "paths", paths_forecast_value(&r->paths));
	if (!bad && r->simulation[0])
		bad |= json_object_set_new(job, "simulation",
					   dw_json_text(r->simulation));
	if (!bad && spec->background.kind != DW_BACKGROUND_OFF)
		bad |= json_object_set_new(
			job, "background",
			dw_json_background(&spec->background, &r->background));
	if (!bad && r->forecast)
		bad |= json_object_set_new(job, "forecast",
					   dw_json_forecast(r->forecast));
	if (!bad && spec->pattern[0])
		bad |= json_object_set_new(job, "pattern", dw_json_text(spec->pattern));
	if (bad) {
		json_decref(job);
		return NULL;
	}
	return job;
}

/* A document without a job, or without a start, still says when it was made. */
static struct dw_job_result *dated(const struct dw_job_result *result,
				   struct dw_job_result *copy)
{
	if (result)
		*copy = *result;
	else
		dw_job_spec_init(&copy->spec);
	if (!copy->started.tv_sec && !copy->simulation[0])
		clock_gettime(CLOCK_REALTIME, &copy->started);
	if (!copy->finished.tv_sec)
		copy->finished = copy->started;
	return copy;
}

char *dw_job_report_json(const struct dw_job_result *result, const char *outcome,
			 const char *error, bool line)
{
	struct dw_job_result copy = { 0 };
	json_t *doc = json_object(), *body;
	int r = 0;

	result = dated(result, &copy);
	if (line)
		r |= json_object_set_new(doc, "event", json_string("result"));
	body = json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema", 1, "tool", dw_json_tool(),
			 "job", job_value(result, outcome), "disks", disks_value(result),
			 "refused", dw_json_refused(result->refused, result->n_refused));
	r |= body ? json_object_update(doc, body) : -1;
	json_decref(body);
	if (error)
		r |= json_object_set_new(doc, "error", dw_json_text(error));
	if (r) {
		json_decref(doc);
		return NULL;
	}
	return dw_json_dump(doc, line);
}

char *dw_job_result_json(const struct dw_job_result *result)
{
	return dw_job_report_json(result, NULL, NULL, false);
}
