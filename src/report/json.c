/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared pieces of the JSON documents, and the list and inspect documents made of them.
 * Disks may answer INQUIRY with any bytes: what is no UTF-8 must not cost the document.
 */
#include <string.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "report/json.h"
#include "report/record.h"

json_t *dw_json_text(const char *text)
{
	dw_autofree char *clean = NULL;
	json_t *value = json_string(text);

	if (value)
		return value;
	clean = strdup(text);
	return clean ? json_string(dw_text_utf8(clean)) : NULL;
}

json_t *dw_json_text_or_null(const char *text)
{
	return *text ? dw_json_text(text) : json_null();
}

json_t *dw_json_tool(void)
{
	return json_pack("{s:s, s:s}", "name", "diskwipe", "version", dw_version());
}

json_t *dw_json_paths(const struct dw_disk_info *info)
{
	json_t *paths = json_array();

	if (info->sg[0] && json_array_append_new(paths, dw_json_text(info->sg)) < 0)
		goto fail;
	if (info->block[0] && json_array_append_new(paths, dw_json_text(info->block)) < 0)
		goto fail;
	return paths;
fail:
	json_decref(paths);
	return NULL;
}

json_t *dw_json_device(const struct dw_disk_info *info)
{
	return dw_json_text(info->sg[0] ? info->sg : info->block);
}

static json_t *disk_address(const struct dw_disk_info *i)
{
	if (!i->scsi)
		return json_string("");
	return json_sprintf("%u:%u:%u:%llu", i->host, i->channel, i->target,
			    (unsigned long long)i->lun);
}

static const char *zoned_name(uint8_t zoned)
{
	static const char *const names[] = { "none", "host-aware", "device-managed",
					     "host-managed" };

	return zoned < DW_ARRAY_SIZE(names) ? names[zoned] : "unknown";
}

static const char *wce_name(int8_t wce)
{
	if (wce < 0)
		return "unknown";
	return wce ? "on" : "off";
}

static json_t *others(const struct dw_disk *disk)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < disk->n_others; i++) {
		const struct dw_path_node *n = &disk->other[i];

		if (json_array_append_new(
			    array, dw_json_text(n->sg[0] ? n->sg : n->block)) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* facts and verdict of a disk, as in the list document */
static json_t *json_disk(const struct dw_disk *disk)
{
	const struct dw_disk_info *i = &disk->info;
	const struct dw_verdict *v = &disk->verdict;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:I, s:I, s:I, s:o, s:i, s:i, s:i, s:i, s:s, s:s, s:b, s:b, s:b, s:b, s:b,"
		" s:o, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:b}",
		"device", dw_json_device(i), "paths", dw_json_paths(i), "address",
		disk_address(i), "vendor", dw_json_text(i->vendor), "model",
		dw_json_text(i->model), "revision", dw_json_text(i->revision), "serial",
		dw_json_text_or_null(i->serial), "wwn", dw_json_text_or_null(i->wwn),
		"capacity_bytes", (json_int_t)(i->blocks * i->block_size), "blocks",
		(json_int_t)i->blocks, "hidden_blocks", (json_int_t)i->hidden_blocks,
		"hidden_by", dw_json_text_or_null(dw_hidden_words[i->hidden_by]),
		"block_size", (int)i->block_size, "physical_block_size",
		(int)i->physical_block_size, "protection_type", (int)i->pi_type,
		"rotation", (int)i->rotation, "write_cache", wce_name(i->wce), "zoned",
		zoned_name(i->zoned), "thin", (int)i->lbpme, "scsi", (int)i->scsi,
		"logical_volume", (int)i->logical_volume, "removable", (int)i->removable,
		"password_left", (int)i->password_left, "transport",
		dw_json_text(i->transport), "slot", dw_json_text(i->slot), "phy",
		dw_json_text(i->phy), "host_driver", dw_json_text(i->host_driver),
		"erasable", v->refusal == DW_REFUSAL_NONE, "verdict",
		v->refusal == DW_REFUSAL_NONE ? "erasable" : dw_refusal_name(v->refusal),
		"reason", dw_json_text_or_null(v->reason), "release",
		dw_json_text(v->release), "signatures", dw_json_text(v->signatures),
		"presumed_paths", others(disk), "map", dw_json_text(i->map),
		"name_shared", (int)i->name_shared);
}

json_t *dw_json_table(const struct dw_table *table, const void *base)
{
	json_t *object;

	return dw_record_pack(table->field, table->n, base, &object) ? NULL : object;
}

json_t *dw_json_refused(const struct dw_refused *refused, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct dw_verdict *v = &refused[i].verdict;
		json_t *item = json_pack(
			"{s:o, s:o, s:s, s:o}", "device", dw_json_text(refused[i].device),
			"reason", dw_json_text(v->reason), "kind",
			dw_refusal_name(v->refusal), "release", dw_json_text(v->release));

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

char *dw_json_dump(json_t *doc, bool line)
{
	size_t flags = JSON_REAL_PRECISION(15) | (line ? JSON_COMPACT : JSON_INDENT(2));
	char *text = doc ? json_dumps(doc, flags) : NULL;

	json_decref(doc);
	return text;
}

char *dw_disks_json(const struct dw_disk *disks, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(array, json_disk(&disks[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return dw_json_dump(json_pack("{s:i, s:o, s:o}", "schema", 1, "tool",
				      dw_json_tool(), "disks", array),
			    false);
}

char *dw_doctor_json(const struct dw_finding *findings, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *item = json_pack("{s:s, s:o, s:o, s:o}", "kind", findings[i].key,
					 "subject", dw_json_text(findings[i].subject),
					 "text", dw_json_text(findings[i].text), "advice",
					 dw_json_text(findings[i].advice));

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return dw_json_dump(json_pack("{s:i, s:o, s:o}", "schema", 1, "tool",
				      dw_json_tool(), "findings", array),
			    false);
}

static json_t *abilities(const struct dw_inspection *can)
{
	json_t *object = json_object();

	for (size_t i = 0; i < can->n; i++) {
		json_t *item =
			json_pack("{s:o, s:o}", "value", dw_json_text(can->line[i].value),
				  "source", dw_json_text(can->line[i].source));

		if (json_object_set_new(object, can->line[i].key, item) < 0) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static json_t *inspected_ways(const struct dw_ways *ways)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < ways->n; i++) {
		const struct dw_way *w = &ways->way[i];
		json_t *item = json_pack("{s:o, s:s, s:f, s:b, s:o, s:o}", "method",
					 dw_json_text(w->method), "level",
					 w->level == DW_LEVEL_PURGE ? "purge" : "clear",
					 "seconds", w->seconds, "stated", w->stated,
					 "allow", dw_json_text_or_null(w->allow), "limit",
					 dw_json_text_or_null(w->limit));

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *number_or_null(double v)
{
	return v > 0 ? json_real(v) : json_null();
}

static json_t *set_members(const struct dw_stripe *s)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct dw_stripe_member *m = &s->member[i];
		json_t *item = json_pack("{s:o, s:o, s:o, s:I}", "device",
					 dw_json_device(&m->disk), "part",
					 dw_json_text_or_null(m->part), "serial",
					 dw_json_text_or_null(m->disk.serial),
					 "start_bytes", (json_int_t)m->start_bytes);

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *set_advice(const struct dw_stripe_advice *a)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:I, s:f, s:f, s:f}",
			 "wanted_bytes_per_second", number_or_null(a->want),
			 "link_bytes_per_second", number_or_null(a->link),
			 "bytes_per_second", number_or_null(a->aggregate), "speedup",
			 number_or_null(a->speedup), "full_at",
			 number_or_null(a->full_at), "run", (json_int_t)a->run,
			 "request_bytes", (json_int_t)a->request_bytes, "balance",
			 a->balance, "whole_stripe_bytes", (json_int_t)a->whole_bytes,
			 "depth", a->depth, "busy", a->busy, "depth_90", a->depth_90);
}

static json_t *inspected_sets(const struct dw_set_report *set, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct dw_stripe *s = set[i].set;
		json_t *item = json_pack(
			"{s:o, s:o, s:o, s:I, s:I, s:b, s:o, s:o}", "device",
			dw_json_text(s->node), "what", dw_json_text(s->what), "release",
			dw_json_text_or_null(s->release), "capacity_bytes",
			(json_int_t)s->bytes, "chunk_bytes", (json_int_t)s->chunk_bytes,
			"aligned", set[i].advice.misaligned == s->n, "members",
			set_members(s), "advice", set_advice(&set[i].advice));

		if (json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

char *dw_inspected_json(const struct dw_inspect_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->n; i++) {
		json_t *item = json_disk(&report->disk[i].disk);

		if (json_object_set_new(item, "abilities",
					abilities(&report->disk[i].can)) < 0 ||
		    json_object_set_new(item, "erase",
					inspected_ways(&report->disk[i].ways)) < 0 ||
		    json_object_set_new(
			    item, "purge",
			    dw_json_text_or_null(report->disk[i].ways.method)) < 0 ||
		    json_array_append_new(array, item) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return dw_json_dump(json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema", 1, "tool",
				      dw_json_tool(), "disks", array, "refused",
				      dw_json_refused(report->refused, report->n_refused),
				      "sets",
				      inspected_sets(report->set, report->n_sets)),
			    false);
}
