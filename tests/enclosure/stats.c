/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics as one JSON document: what each port has seen, what each logical
 * unit holds, how often each fault has fired, and the sums.
 */
#include "rack.h"

#include <inttypes.h>

static void text(FILE *f, const char *key, const char *value)
{
	fprintf(f, "\"%s\": \"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', f);
		if ((unsigned char)*value >= 0x20)
			fputc(*value, f);
	}
	fputs("\", ", f);
}

static void number(FILE *f, const char *key, uint64_t v)
{
	fprintf(f, "\"%s\": %" PRIu64 ", ", key, v);
}

static void counters(FILE *f, const struct dw_stats *s)
{
	const char *comma = "";
	unsigned int i;

	number(f, "commands", s->commands);
	number(f, "bytes_written", s->bytes_out);
	number(f, "bytes_read", s->bytes_in);
	number(f, "write_same_blocks", s->ws_blocks);
	number(f, "largest_bytes", s->largest_bytes);
	number(f, "peak_in_flight", s->peak);
	number(f, "flushes", s->flushes);
	number(f, "check_conditions", s->checks);
	number(f, "unit_attentions", s->uas);
	number(f, "aborted", s->aborted);
	fputs("\"opcodes\": {", f);
	for (i = 0; i < 256; i++) {
		if (!s->by_opcode[i])
			continue;
		fprintf(f, "%s\"%02x\": %" PRIu64, comma, i, s->by_opcode[i]);
		comma = ", ";
	}
	fputs("}", f);
}

/**
 * dw_held - how many commands of a port end only when faults are cleared
 * @r: enclosure
 * @p: port
 */
uint64_t dw_held(const struct dw_rack *r, const struct dw_port *p)
{
	uint64_t n = 0;

	for (const struct dw_task *t = r->tasks; t; t = t->next)
		n += t->port == p->id && t->held_by == DW_HELD_BY_FAULT &&
		     t->op.hold_ns >= DW_HOLD_EVER;
	return n;
}

static void disk(FILE *f, const struct dw_rack *r, const struct dw_port *p)
{
	fprintf(f, "{\"disk\": %u, \"lu\": %u, ", p->id, p->lu->id);
	text(f, "serial", p->lu->conf.serial);
	fprintf(f, "\"wwn\": \"%016" PRIx64 "\", ", p->lu->conf.wwn);
	fprintf(f, "\"gone\": %s, ", p->gone ? "true" : "false");
	number(f, "blocks", p->lu->blocks);
	number(f, "block_bytes", p->lu->conf.block_bytes);
	number(f, "medium_written", p->lu->bytes_written);
	number(f, "cache_bytes", p->lu->dirty.total);
	number(f, "cache_lost", p->lu->bytes_lost);
	number(f, "held", dw_held(r, p));
	counters(f, &p->stats);
	fputs("}", f);
}

static void add(struct dw_stats *sum, const struct dw_stats *s)
{
	unsigned int i;

	sum->commands += s->commands;
	sum->bytes_in += s->bytes_in;
	sum->bytes_out += s->bytes_out;
	sum->checks += s->checks;
	sum->uas += s->uas;
	sum->flushes += s->flushes;
	sum->ws_blocks += s->ws_blocks;
	sum->aborted += s->aborted;
	if (s->largest_bytes > sum->largest_bytes)
		sum->largest_bytes = s->largest_bytes;
	for (i = 0; i < 256; i++)
		sum->by_opcode[i] += s->by_opcode[i];
}

static void faults(FILE *f, const struct dw_faults *s)
{
	size_t i;

	fputs("\"faults\": [", f);
	for (i = 0; i < s->n; i++)
		fprintf(f,
			"%s{\"disk\": %d, \"kind\": %d, \"seen\": %" PRIu64
			", \"fired\": %" PRIu64 "}",
			i ? ", " : "", s->f[i].disk, (int)s->f[i].kind, s->f[i].seen,
			s->f[i].fired);
	fputs("]", f);
}

/**
 * dw_stats_print - everything that was counted
 * @r: enclosure
 * @f: where to
 */
void dw_stats_print(const struct dw_rack *r, FILE *f)
{
	struct dw_stats sum = { .peak = r->peak };
	const char *comma = "";
	unsigned int i;

	fputs("{", f);
	number(f, "seed", r->conf.seed);
	number(f, "elapsed_ns", r->now_ns - r->start_ns);
	fputs("\"disks\": [\n", f);
	for (i = 0; i < r->n_ports; i++) {
		if (!r->port[i].lu)
			continue;
		fputs(comma, f);
		disk(f, r, &r->port[i]);
		add(&sum, &r->port[i].stats);
		comma = ",\n";
	}
	fputs("\n], \"total\": {", f);
	counters(f, &sum);
	fputs("}, ", f);
	faults(f, &r->faults);
	fputs("}\n", f);
}
