/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts, and the two forms that programs read. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "print/tally.h"
#include "print/text.h"
#include "print/verdict.h"

#define DAY 10 /* characters of a date */

static const char *const by_names[] = {
	[PAPER_BY_OUTCOME] = "outcome", [PAPER_BY_LEVEL] = "level",
	[PAPER_BY_METHOD] = "method",   [PAPER_BY_OPERATOR] = "operator",
	[PAPER_BY_DAY] = "day",         [PAPER_BY_CUSTOMER] = "customer",
	[PAPER_BY_ORDER] = "order",
};

const char *paper_by_name(enum paper_by by)
{
	return by_names[by];
}

static void group_name(enum paper_by by, const struct dw_paper_record *r,
		       char buf[sizeof(((struct paper_group *)0)->name)])
{
	const struct dw_proof *p = &r->proof;
	size_t size = sizeof(((struct paper_group *)0)->name);
	char day[DW_UNIT_TEXT];

	switch (by) {
	case PAPER_BY_OUTCOME:
		snprintf(buf, size, "%s%s", p->simulation[0] ? "simulated: " : "",
			 p->outcome);
		break;
	case PAPER_BY_LEVEL:
		snprintf(buf, size, "%s", paper_level(r));
		break;
	case PAPER_BY_METHOD:
		snprintf(buf, size, "%s", p->method);
		break;
	case PAPER_BY_OPERATOR:
		snprintf(buf, size, "%s", p->operator_name);
		break;
	case PAPER_BY_CUSTOMER:
		snprintf(buf, size, "%s", p->customer);
		break;
	case PAPER_BY_ORDER:
		snprintf(buf, size, "%s", p->order_number);
		break;
	default:
		dw_time_format(&p->written, 0, day, sizeof(day));
		snprintf(buf, size, "%.*s", DAY, day);
	}
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int count_in(struct paper_summary *s, enum paper_by by,
		    const struct dw_paper_record *r)
{
	char name[sizeof(s->group[by]->name)];
	struct paper_group *g = s->group[by];
	size_t i = 0;

	group_name(by, r, name);
	while (i < s->n_groups[by] && strcmp(g[i].name, name) != 0)
		i++;
	if (i == s->n_groups[by]) {
		if (dw_grow(&s->group[by], i, i + 1, sizeof(*g)))
			return -ENOMEM;
		s->n_groups[by]++;
		g = s->group[by];
		snprintf(g[i].name, sizeof(g[i].name), "%s", name);
	}
	g[i].n++;
	g[i].bytes = sum(g[i].bytes, paper_bytes(&r->proof));
	return 0;
}

static int compare_days(const void *a, const void *b)
{
	const struct paper_group *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_counts(const void *a, const void *b)
{
	const struct paper_group *x = a, *y = b;

	return x->n == y->n ? strcmp(x->name, y->name) : (x->n < y->n) - (x->n > y->n);
}

static int compare_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static int compare_gaps(const void *a, const void *b)
{
	return dw_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The hash of what is before the first record. */
static bool is_none(const char *hash)
{
	return strspn(hash, "0") == DW_PROOF_HASH - 1;
}

/* A record whose forerunner is not here; of several ledgers, too, as hashes name them. */
static int find_gaps(struct paper_summary *s)
{
	const struct dw_paper_records *in = s->in;
	const char **hash = calloc(in->n + 1, sizeof(*hash));

	if (!hash)
		return -ENOMEM;
	for (size_t i = 0; i < in->n; i++)
		hash[i] = in->record[i].hash;
	qsort(hash, in->n, sizeof(*hash), compare_text);
	for (size_t i = 0; i < in->n; i++) {
		const struct dw_proof *p = &in->record[i].proof;
		const char *key = in->record[i].before;

		if (p->sequence == 1 || is_none(key) ||
		    bsearch(&key, hash, in->n, sizeof(*hash), compare_text))
			continue;
		if (dw_grow(&s->gap, s->n_gaps, s->n_gaps + 1, sizeof(*s->gap))) {
			free(hash);
			return -ENOMEM;
		}
		s->gap[s->n_gaps++] = p->sequence;
	}
	free(hash);
	if (s->n_gaps)
		qsort(s->gap, s->n_gaps, sizeof(*s->gap), compare_gaps);
	return 0;
}

static void count_disk(struct paper_summary *s, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	s->own_signers |= r->own_signers;
	s->simulated += p->simulation[0] != '\0';
	s->earlier += r->superseded;
	if (!r->superseded) {
		s->kind[dw_paper_kind(r)]++;
		s->bytes = sum(s->bytes, paper_erased(r) ? paper_bytes(p) : 0);
	}
	if (!s->first.tv_sec || p->written.tv_sec < s->first.tv_sec)
		s->first = p->written;
	if (p->written.tv_sec > s->last.tv_sec)
		s->last = p->written;
}

size_t paper_not_erased(const struct paper_summary *s)
{
	return s->kind[DW_PAPER_EXCEPTIONS] + s->kind[DW_PAPER_NOT_ERASED];
}

int paper_summary(const struct dw_paper_records *in, struct paper_summary *ret)
{
	int r = 0;

	*ret = (struct paper_summary){ .in = in };
	for (size_t i = 0; i < in->n && !r; i++) {
		count_disk(ret, &in->record[i]);
		for (int by = 0; by < PAPER_BY_COUNT && !r; by++)
			r = count_in(ret, (enum paper_by)by, &in->record[i]);
	}
	if (!r)
		r = find_gaps(ret);
	for (int by = 0; by < PAPER_BY_COUNT && !r; by++)
		if (ret->n_groups[by])
			qsort(ret->group[by], ret->n_groups[by], sizeof(**ret->group),
			      by == PAPER_BY_DAY ? compare_days : compare_counts);
	if (r)
		paper_summary_free(ret);
	return r;
}

void paper_summary_free(struct paper_summary *s)
{
	for (int by = 0; by < PAPER_BY_COUNT; by++)
		free(s->group[by]);
	free(s->gap);
	*s = (struct paper_summary){ .in = NULL };
}

static void csv_number(FILE *f, uint64_t v)
{
	fprintf(f, ",%" PRIu64, v);
}

static void csv_text(FILE *f, const char *text)
{
	fputc(',', f);
	paper_csv(f, text);
}

static void csv_time(FILE *f, const struct timespec *t)
{
	char text[DW_UNIT_TEXT] = "";

	if (t->tv_sec)
		dw_time_format(t, 0, text, sizeof(text));
	csv_text(f, text);
}

static void csv_record(FILE *f, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	fprintf(f, "%" PRIu64, p->sequence);
	csv_time(f, &p->written);
	csv_text(f, dw_paper_kind(r) == DW_PAPER_AS_EXPECTED ? "check"
		    : paper_erased(r)                        ? "yes"
							     : "no");
	csv_text(f, p->outcome);
	csv_text(f, p->level);
	csv_text(f, p->level_limit);
	csv_text(f, p->medium);
	csv_text(f, paper_reason(r));
	csv_text(f, p->method);
	csv_text(f, p->info.vendor);
	csv_text(f, p->info.model);
	csv_text(f, p->info.serial);
	csv_text(f, p->info.wwn);
	csv_number(f, paper_bytes(p));
	csv_number(f, p->info.hidden_blocks);
	csv_text(f, p->operator_name);
	csv_text(f, p->bay);
	csv_text(f, p->label);
	csv_text(f, p->host.name);
	csv_text(f, p->device);
	csv_time(f, &p->started);
	csv_time(f, &p->finished);
	csv_number(f, p->microseconds);
	csv_number(f, p->forecast_microseconds);
	csv_number(f, p->bytes_written);
	csv_number(f, p->bytes_verified);
	csv_number(f, p->verify.mismatches);
	csv_number(f, p->verify.bound_ppb);
	csv_number(f, p->n_exceptions);
	csv_text(f, p->simulation);
	csv_text(f, p->id);
	csv_text(f, r->hash);
	csv_number(f, p->second.draw ? p->second.compared : r->second.record);
	csv_text(f, p->second.draw ? p->second.erased_by : r->second.by);
	csv_text(f, r->superseded ? "no" : "yes");
	csv_text(f, !p->purge_requested ? "" : p->purge_attested ? "yes" : "no");
	csv_text(f, p->customer);
	csv_text(f, p->order_number);
	csv_text(f, p->asset);
	csv_text(f, p->asked_by);
	csv_text(f, p->station);
	csv_text(f, r->signer);
	fputs("\r\n", f);
}

void paper_summary_csv(FILE *f, const struct paper_summary *s)
{
	fputs("sequence,written,erased,outcome,level,level_limit,medium,"
	      "reason,method,vendor,model,serial,wwn,"
	      "capacity_bytes,hidden_blocks,operator,bay,label,host,device,started,finished,"
	      "microseconds,forecast_microseconds,bytes_written,bytes_verified,mismatches,"
	      "bound_ppb,exceptions,simulation,id,sha256,second_record,second_person,"
	      "last_attempt,purge_attested,customer,order,asset,asked_by,station,"
	      "signer\r\n",
	      f);
	for (size_t i = 0; i < s->in->n; i++)
		csv_record(f, &s->in->record[i]);
}

static void json_groups(FILE *f, const struct paper_summary *s, enum paper_by by)
{
	fprintf(f, ",\"by_%s\":[", by_names[by]);
	for (size_t i = 0; i < s->n_groups[by]; i++) {
		const struct paper_group *g = &s->group[by][i];

		fputs(i ? ",{\"name\":" : "{\"name\":", f);
		paper_json(f, g->name);
		fprintf(f, ",\"records\":%zu,\"capacity_bytes\":%" PRIu64 "}", g->n,
			g->bytes);
	}
	fputc(']', f);
}

void paper_summary_json(FILE *f, const struct paper_summary *s)
{
	fprintf(f,
		"{\"document\":\"record-summary\",\"schema\":1,\"count\":%zu,"
		"\"disks\":%zu,\"earlier_attempts\":%zu,"
		"\"erased\":%zu,\"not_erased\":%zu,\"as_expected\":%zu,"
		"\"erased_bytes\":%" PRIu64 ",\"missing_before\":[",
		s->in->n, s->kind[DW_PAPER_ERASED] + paper_not_erased(s), s->earlier,
		s->kind[DW_PAPER_ERASED], paper_not_erased(s),
		s->kind[DW_PAPER_AS_EXPECTED], s->bytes);
	for (size_t i = 0; i < s->n_gaps; i++)
		fprintf(f, i ? ",%" PRIu64 : "%" PRIu64, s->gap[i]);
	fputc(']', f);
	for (int by = 0; by < PAPER_BY_COUNT; by++)
		json_groups(f, s, (enum paper_by)by);
	fputs(",\"records\":[\n", f);
	for (size_t i = 0; i < s->in->n; i++)
		fprintf(f, "%s{\"sha256\":\"%s\",\"record\":%.*s}", i ? ",\n" : "",
			s->in->record[i].hash, (int)s->in->record[i].len - 1,
			s->in->record[i].text);
	fputs("\n]}\n", f);
}
