/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All keys of all documents, for the test of the man page: rows of the tables, a line each
 *	row SECTION|PATH|TYPE|FLAGS|WORDS
 * and, where no table says it, documents of a whole and of an empty thing, a line each
 *	doc SECTION|JSON
 * and the words of keys that have no table of them
 *	words SECTION|PATH|WORDS
 * SECTION is the title in diskwipe-json(5) that describes them. Argument: a file to write to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/bench.h>
#include <diskwipe/diskwipe.h>
#include <diskwipe/file.h>
#include <diskwipe/planfile.h>

#include "base/util.h"
#include "core/spec.h"
#include "report/json.h"
#include "report/record.h"
#include "report/result.h"
#include "report/state.h"
#include "report/trace_head.h"

#define ROOM (1 << 20) /* more than any struct that a table describes */

static char *zero; /* a struct of nothing, for members with a form of their own */

static const char *type_name(const struct dw_field *f)
{
	switch (f->type) {
	case DW_FIELD_NUMBER:
	case DW_FIELD_WHOLE:
		return "integer";
	case DW_FIELD_REAL:
	case DW_FIELD_SHARE:
		return "number";
	case DW_FIELD_BOOL:
		return "boolean";
	case DW_FIELD_RECORD:
	case DW_FIELD_OTHER:
		return "object";
	case DW_FIELD_NUMBERS:
	case DW_FIELD_TEXTS:
	case DW_FIELD_LIST:
		return "array";
	default:
		return "string";
	}
}

static const char *json_name(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "object";
	case JSON_ARRAY:
		return "array";
	case JSON_STRING:
		return "string";
	case JSON_INTEGER:
		return "integer";
	case JSON_REAL:
		return "number";
	case JSON_NULL:
		return "null";
	default:
		return "boolean";
	}
}

static void print_words(const struct dw_field *f)
{
	const char *const *names = f->type == DW_FIELD_NAME ? f->names() : NULL;
	const char *join = "|";

	for (size_t i = f->min; f->type == DW_FIELD_WORD && i <= f->max; i++, join = ",")
		printf("%s%s", join, f->words[i]);
	for (; names && *names; names++, join = ",")
		printf("%s%s", join, *names);
	printf("%s\n", *join == '|' ? join : "");
}

static void print_rows(const char *section, const char *prefix,
		       const struct dw_field *field, size_t n);

/* What a member with a form of its own is, can be seen of it alone. */
static void print_coded(const char *section, const char *path, const struct dw_field *f)
{
	json_t *v = f->codec->pack(zero);
	const json_t *item = json_is_array(v) ? json_array_get(v, 0) : v;
	const char *key;
	json_t *inner;

	printf("%s|%s|\n", json_name(v), f->null ? "null" : "");
	json_object_foreach((json_t *)item, key, inner)
		printf("row %s|%s[].%s|%s||\n", section, path, key, json_name(inner));
	json_decref(v);
}

static void print_row(const char *section, const char *prefix, const struct dw_field *f)
{
	char path[160];

	snprintf(path, sizeof(path), "%s%s", prefix, f->key);
	printf("row %s|%s|", section, path);
	if (f->type == DW_FIELD_CODED) {
		print_coded(section, path, f);
		return;
	}
	printf("%s|%s%s", type_name(f), f->null ? "null" : "",
	       f->optional || f->when ? "optional" : "");
	print_words(f);
	strcat(path, f->type == DW_FIELD_LIST ? "[]." : ".");
	print_rows(section, path, f->fields, f->n_fields);
}

static void print_rows(const char *section, const char *prefix,
		       const struct dw_field *field, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!field[i].one_run)
			print_row(section, prefix, &field[i]);
}

static void print_table(const char *section, const char *prefix,
			const struct dw_table *table)
{
	print_rows(section, prefix, table->field, table->n);
}

static void print_doc(const char *section, char *text)
{
	json_t *doc = text ? json_loads(text, 0, NULL) : NULL;
	char *line = doc ? json_dumps(doc, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (!line)
		abort();
	printf("doc %s|%s\n", section, line);
	free(line);
	free(text);
	json_decref(doc);
}

/* The lines of events; what is common to all is told once. */
static void print_events(void)
{
	static const struct {
		const char *section;
		enum dw_event_kind kind;
	} kinds[] = {
		{ "Progress of a disk", DW_EVENT_PROGRESS },
		{ "Remaining time of a job", DW_EVENT_REMAINING },
		{ "Extent of an exception", DW_EVENT_EXCEPTION },
		{ "The end of a disk", DW_EVENT_DISK_DONE },
		{ "The end of the job", DW_EVENT_JOB_DONE },
	};
	struct dw_event_doc doc = { .event = { .kind = DW_EVENT_NOTICE } };
	struct dw_table table[4];
	size_t common = dw_event_tables(&doc, table);

	for (size_t i = 0; i < common; i++)
		print_table("Keys of all events", "", &table[i]);
	for (size_t k = 0; k < DW_ARRAY_SIZE(kinds); k++) {
		size_t n;

		doc.event.kind = kinds[k].kind;
		n = dw_event_tables(&doc, table);
		for (size_t i = kinds[k].kind == DW_EVENT_JOB_DONE ? 1 : common; i < n;
		     i++)
			print_table(kinds[k].section, "", &table[i]);
	}
}

static void print_format(const struct dw_disk *full)
{
	const struct dw_refused refused = { .device = "d" };
	const struct dw_format_disk disk[] = {
		{ .info = full->info, .reason = "r", .seconds = 1.5 },
		{ .info = full->info, .outcome = DW_FORMAT_FORMATTED },
	};

	print_doc("FORMAT",
		  dw_format_json(&(struct dw_format_report){ .disk = disk,
							     .n = DW_ARRAY_SIZE(disk),
							     .refused = &refused,
							     .n_refused = 1 }));
}

static void print_lists(const struct dw_disk *full)
{
	static const struct dw_disk none;
	static const struct dw_stripe_member no_member;
	const struct dw_stripe empty_set = {
		.member = (struct dw_stripe_member *)&no_member, .n = 1
	};
	struct dw_stripe_member member = { .disk = full->info, .part = "/dev/sda2" };
	const struct dw_stripe set = {
		.node = "n", .release = "r", .member = &member, .n = 1
	};
	const struct dw_set_report none_said = { .set = &empty_set }, said = {
		.set = &set, .advice = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }
	};
	const struct dw_refused refused = { .device = "d" };
	const struct dw_inspected whole = {
		.disk = *full,
		.ways = { .n = 1,
			  .way = { { .method = "m", .allow = "a", .limit = "l" } },
			  .method = "m" },
		.can = { .n = 1, .line = { { "x", "v", "s" } } }
	};
	const struct dw_inspected unable = { .disk = *full,
					     .ways = { .n = 1 },
					     .can = whole.can };
	const struct dw_finding finding = { .key = "clock" };
	struct dw_inspect_report report = { .disk = &whole,
					    .n = 1,
					    .refused = &refused,
					    .n_refused = 1,
					    .set = &said,
					    .n_sets = 1 };

	print_doc("LIST", dw_disks_json(full, 1));
	print_doc("LIST", dw_disks_json(&none, 1));
	print_doc("FINDINGS", dw_doctor_json(&finding, 1));
	print_doc("INSPECTION", dw_inspected_json(&report));
	report.disk = &unable;
	print_doc("INSPECTION", dw_inspected_json(&report));
	report.set = &none_said;
	print_doc("INSPECTION", dw_inspected_json(&report));
}

static void print_files(const char *path, struct dw_forecast *f)
{
	struct dw_plan_entry entry = { .device = "d",
				       .vendor = "v",
				       .model = "m",
				       .serial = "s",
				       .wwn = "w",
				       .capacity_bytes = 512,
				       .block_size = 512 };
	struct dw_fault fault = { .nlb = 1 };
	struct dw_state_entry saved = { .disk = entry, .fault = &fault, .n_faults = 1 };
	const struct dw_disk_result ended = { .outcome = DW_OUTCOME_ERASED };
	struct dw_plan_doc plan = { .entry = &entry, .n = 1 };
	struct dw_state_doc state = { .entry = &saved, .n = 1 };
	char *text;
	size_t len;

	dw_job_spec_init(&plan.spec);
	state.spec = plan.spec;
	print_doc("PLAN", dw_plan_json(&plan));
	plan.forecast = f;
	print_doc("PLAN", dw_plan_json(&plan));
	print_doc("FORECAST", dw_forecast_json(f));
	for (int i = 0; i < 2; i++) {
		saved.operating = saved.power_cycle = i;
		snprintf(saved.method, sizeof(saved.method), "%s", i ? "m" : "");
		saved.witness = i ? (char[]){ "1 0" } : NULL;
		saved.result = i ? dw_disk_result_text(&ended) : NULL;
		if (dw_state_write(path, &state) < 0 ||
		    dw_file_read(path, ROOM, &text, &len) < 0)
			abort();
		print_doc("STATE FILE", text);
		free(saved.result);
	}
}

static void print_trace_head(const char *path)
{
	struct dw_trace_disk disk = { .blocks = 1, .block_size = 512 };
	struct dw_trace_node node = { .name = "n" };
	const struct dw_trace_head head = {
		.node = &node, .n_nodes = 1, .disk = &disk, .n_disks = 1
	};
	struct dw_trace_head copy = head;
	char line[4096], word[8];
	FILE *f = fopen(path, "w+");

	dw_job_spec_init(&copy.spec);
	if (!f || dw_trace_head_write(f, &copy) < 0)
		abort();
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		const char *object = strchr(line, '{');

		if (!object || sscanf(line, "# %7s", word) != 1 || !strcmp(word, "job"))
			continue;
		printf("doc The %s of a trace|%s", word, object);
	}
	fclose(f);
}

static void print_job(const struct dw_disk *full, const struct dw_forecast *f)
{
	struct dw_disk_result disk = { .info = full->info };
	struct dw_job_result result = { .disk = &disk, .n_disks = 1 };

	dw_job_spec_init(&result.spec);
	print_doc("The job begins", dw_job_begin_json(&result));
	disk.info.wwn[0] = disk.info.serial[0] = '\0';
	result.forecast = f;
	print_doc("The job begins", dw_job_begin_json(&result));
	result.n_disks = 0;
	print_doc("RESULT", dw_job_report_json(&result, NULL, "e", false));
	print_doc("RESULT", dw_job_report_json(&result, NULL, NULL, true));
}

static void print_known_words(void)
{
	printf("words A disk|outcome|");
	for (int o = DW_OUTCOME_NONE; o <= DW_OUTCOME_REMOVED; o++)
		printf("%s,%s,", dw_outcome_name((enum dw_outcome)o, false),
		       dw_outcome_name((enum dw_outcome)o, true));
	printf("\nwords A refused node|kind|");
	for (int r = DW_REFUSAL_NONE + 1; r < DW_REFUSAL_COUNT; r++)
		printf("%s,", dw_refusal_name((enum dw_refusal)r));
	putchar('\n');
}

int main(int argc, char **argv)
{
	const struct dw_disk full = {
		.info = { .sg = "g",
			  .block = "b",
			  .serial = "s",
			  .wwn = "w",
			  .hidden_by = 1 },
		.verdict = { .reason = "r" },
	};
	struct dw_forecast_disk disk = { .device = "d" };
	struct dw_forecast f = { .method = "closed form", .n = 1, .disk = &disk };

	zero = argc == 2 ? calloc(1, ROOM) : NULL;
	if (!zero)
		return 1;
	print_table("The job", "", &dw_job_table);
	print_table("A disk", "", &dw_disk_table);
	print_table("A disk", "stopped.", &dw_stopped_table);
	print_rows("A refused node", "", dw_refused_table.field->fields,
		   dw_refused_table.field->n_fields);
	print_table("The forecast of a job", "", &dw_forecast_table);
	print_table("The forecast of a disk", "", &dw_forecast_disk_table);
	print_table("MEASUREMENT", "", &dw_bench_tables[DW_BENCH_LOAD]);
	print_rows("The options of a job", "", dw_spec_table, dw_spec_rows);
	print_known_words();
	print_events();
	print_lists(&full);
	print_format(&full);
	print_files(argv[1], &f);
	print_trace_head(argv[1]);
	print_job(&full, &f);
	free(zero);
	return 0;
}
