/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each line of the head is a word, a number where there are several, and a JSON object of a
 * table of members. A key that is unknown belongs to another version.
 */
#include "report/trace_head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "report/planfile.h"

#define NODES_MAX 10000

static const char *const kind_words[] = { "link", "controller", "bus" };
static const char *const cache_words[] = { "unknown", "off", "on" };

#define RUN(type, member, ...)  DW_FIELD(type, struct dw_trace_run, member, __VA_ARGS__)
#define NODE(type, member, ...) DW_FIELD(type, struct dw_trace_node, member, __VA_ARGS__)
#define DISK(type, member, ...) DW_FIELD(type, struct dw_trace_disk, member, __VA_ARGS__)

static const struct dw_field run_fields[] = {
	RUN(TEXT, version), RUN(TEXT, started),     RUN(TEXT, simulation),
	RUN(TEXT, station), RUN(BOOL, verify_only),
};

static const struct dw_field node_fields[] = {
	NODE(TEXT, name),
	NODE(WORD, kind, .max = 2, .words = kind_words),
	NODE(TEXT, on),
	NODE(NUMBER, rate, .max = INT64_MAX),
};

static const struct dw_field disk_fields[] = {
	DISK(TEXT, device),
	DISK(TEXT, vendor),
	DISK(TEXT, model),
	DISK(TEXT, serial),
	DISK(TEXT, wwn),
	DISK(NUMBER, blocks, .min = 1, .max = INT64_MAX),
	DISK(NUMBER, block_size, .min = 1, .max = 65536),
	DISK(NUMBER, physical_block_size, .max = 1 << 30),
	DISK(NUMBER, rotation, .max = UINT16_MAX),
	DISK(WORD, write_cache, .max = 2, .words = cache_words),
	DISK(TEXT, transport),
	DISK(TEXT, slot),
	DISK(TEXT, host_driver),
	DISK(TEXT, on),
};

static int write_object(FILE *f, json_t *object)
{
	dw_autofree char *text = json_dumps(object, JSON_COMPACT);

	json_decref(object);
	if (!text)
		return -ENOMEM;
	fprintf(f, "%s\n", text);
	return 0;
}

static int write_record(FILE *f, const struct dw_field *field, size_t n, const void *base)
{
	json_t *object = NULL;
	int r = dw_record_pack(field, n, base, &object);

	return r ? r : write_object(f, object);
}

int dw_trace_head_write(FILE *f, const struct dw_trace_head *h)
{
	json_t *spec = NULL;
	int r;

	fputs(DW_TRACE_FIRST_LINE "\n# run ", f);
	r = write_record(f, run_fields, DW_ARRAY_SIZE(run_fields), &h->run);
	if (!r)
		r = dw_spec_pack(&h->spec, &spec);
	fputs("# job ", f);
	if (!r)
		r = write_object(f, spec);
	for (uint32_t i = 0; i < h->n_nodes && !r; i++) {
		fprintf(f, "# node %u ", i);
		r = write_record(f, node_fields, DW_ARRAY_SIZE(node_fields), &h->node[i]);
	}
	for (uint32_t i = 0; i < h->n_disks && !r; i++) {
		fprintf(f, "# disk %u ", i);
		r = write_record(f, disk_fields, DW_ARRAY_SIZE(disk_fields), &h->disk[i]);
	}
	fputs("# step disk verb lba blocks submitted done class started commands pass\n",
	      f);
	return r;
}

int dw_trace_head_joined(FILE *f, uint32_t number, const struct dw_trace_disk *disk)
{
	fprintf(f, "# joined %" PRIu32 " %" PRIu64 " ", number, disk->joined_ns);
	return write_record(f, disk_fields, DW_ARRAY_SIZE(disk_fields), disk);
}

/* An array that has @n elements gets room for one more: its size is a power of two. */
static int grow(void *array_at, uint32_t n, size_t size)
{
	void **array = array_at, *v;

	if (n & (n - 1))
		return 0;
	v = realloc(*array, (n ? 2 * (size_t)n : 1) * size);
	if (!v)
		return -ENOMEM;
	*array = v;
	return 0;
}

static int take_node(struct dw_trace_head *h, const json_t *object, struct dw_error *err)
{
	struct dw_trace_node node = { 0 };
	int r = dw_record_unpack(node_fields, DW_ARRAY_SIZE(node_fields), object, "node",
				 &node, err);

	if (!r)
		r = grow(&h->node, h->n_nodes, sizeof(node));
	if (!r)
		h->node[h->n_nodes++] = node;
	return r;
}

static int take_disk(struct dw_trace_head *h, const json_t *object, uint64_t joined_ns,
		     struct dw_error *err)
{
	struct dw_trace_disk disk = { .joined_ns = joined_ns };
	int r = dw_record_unpack(disk_fields, DW_ARRAY_SIZE(disk_fields), object, "disk",
				 &disk, err);

	if (!r && disk.blocks > INT64_MAX / disk.block_size)
		r = dw_error_content(err, "disk.blocks", "out of range");
	if (!r)
		r = grow(&h->disk, h->n_disks, sizeof(disk));
	if (!r)
		h->disk[h->n_disks++] = disk;
	return r;
}

/*
 * An option that a trace does not know is younger than it, and had its default; one that this
 * program does not know is an error.
 */
static int take_spec(struct dw_trace_head *h, const json_t *object, struct dw_error *err)
{
	struct dw_job_spec spec;
	json_t *all = NULL;
	int r;

	dw_job_spec_init(&spec);
	r = dw_spec_pack(&spec, &all);
	if (!r && json_is_object(object) && json_object_update(all, (json_t *)object))
		r = -ENOMEM;
	if (!r)
		r = dw_spec_unpack(json_is_object(object) ? all : object, &h->spec, err);
	json_decref(all);
	return r;
}

static int take_object(struct dw_trace_head *h, const char *word, uint64_t joined_ns,
		       const char *text, struct dw_error *err)
{
	json_error_t e;
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &e);
	int r;

	if (!object)
		return dw_error_content(err, word, "%s", e.text);
	if (!strcmp(word, "run"))
		r = dw_record_unpack(run_fields, DW_ARRAY_SIZE(run_fields), object, word,
				     &h->run, err);
	else if (!strcmp(word, "job"))
		r = take_spec(h, object, err);
	else if (!strcmp(word, "node"))
		r = take_node(h, object, err);
	else
		r = take_disk(h, object, joined_ns, err);
	json_decref(object);
	return r;
}

/* "# disk 3 {...}": the number is the next one, so that none is missing. */
static int check_number(const char *word, const char *number, uint32_t next, uint32_t max,
			struct dw_error *err)
{
	char want[16];

	snprintf(want, sizeof(want), "%u", next);
	if (!strcmp(number, want) && next < max)
		return 0;
	return dw_error_content(err, NULL, "%s %s: expected %s %s", word, number, word,
				next < max ? want : "no more");
}

/* Of "# joined 3 5000000 {...}" the time. */
static int take_time(const char **at, uint64_t *ret, struct dw_error *err)
{
	char digits[20] = "";
	int n = 0;

	if (sscanf(*at, " %19[0-9]%n", digits, &n) == 1)
		*ret = strtoull(digits, NULL, 10);
	*at += n;
	if (n && *ret <= INT64_MAX)
		return 0;
	return dw_error_content(err, "joined", "no time in nanoseconds after the number");
}

int dw_trace_head_line(struct dw_trace_head *h, const char *line, struct dw_error *err)
{
	char word[8] = "", number[12] = "";
	bool joined, disk, numbered;
	uint64_t joined_ns = 0;
	int at = 0, r = 0;

	if (sscanf(line, "# %7[a-z]%n", word, &at) != 1 || line[at] != ' ')
		return 0;
	joined = !strcmp(word, "joined");
	disk = joined || !strcmp(word, "disk");
	numbered = disk || !strcmp(word, "node");
	if (!numbered && strcmp(word, "run") != 0 && strcmp(word, "job") != 0)
		return 0;
	line += at;
	if (numbered) {
		at = 0;
		if (sscanf(line, " %11[0-9]%n", number, &at) != 1)
			number[0] = '\0';
		line += at;
		r = check_number(word, number, disk ? h->n_disks : h->n_nodes,
				 disk ? DW_TRACE_DISKS_MAX : NODES_MAX, err);
	}
	if (!r && joined)
		r = take_time(&line, &joined_ns, err);
	if (!r)
		r = take_object(h, word, joined_ns, line, err);
	return dw_error_system(err, r, NULL);
}

void dw_trace_head_deinit(struct dw_trace_head *head)
{
	free(head->node);
	free(head->disk);
	*head = (struct dw_trace_head){ 0 };
}
