/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signed records of the week. At its end the ledger is whole, the store says the same, and no
 * row of the audit trail has waited for its signature longer than it may while a service lived.
 */
#include "week.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/service/prove.h"

#define ROWS  500  /* of an audit record, at most */
#define WAITS HOUR /* of a row, at most */
#define MARGIN                                                                           \
	(20 * MINUTE) /* jumps of the clock, a full medium, a folder that was busy */
#define IS_LONG (2 * HOUR)

bool proof_build(void)
{
	struct dw_error err = { 0 };
	char path[160], *line = NULL;

	week->records = week->seed % 2;
	if (!week->records)
		return true;
	snprintf(path, sizeof(path), "%s/record.key", week->folder);
	if (dw_record_key(path, "week@here", &line, &err))
		return false;
	free(line);
	return true;
}

void proof_life(void)
{
	struct week_life *l = &week->life[week->n_lives];

	if (week->n_lives == LIVES || !week->life_began)
		return;
	*l = (struct week_life){ week_wall(week->life_began), week_wall(week->now) };
	week->n_lives += l->until > l->from + IS_LONG - MARGIN;
}

/* A life that began before the row and went on for longer than it may wait. */
static bool had_time(uint64_t at)
{
	for (unsigned i = 0; i < week->n_lives; i++)
		if (at > week->life[i].from + MARGIN &&
		    at + WAITS + MARGIN < week->life[i].until)
			return true;
	return false;
}

static void judge_audit(const struct dw_audit *a)
{
	uint64_t written = (uint64_t)a->written.tv_sec * SECOND;

	if (a->n_rows > ROWS)
		week_wrong("audit record %" PRIu64 " has %u rows", a->sequence,
			   a->n_rows);
	for (uint32_t i = 0; i < a->n_rows; i++)
		if (written > a->row[i].at + WAITS + MARGIN && had_time(a->row[i].at))
			week_wrong("row %" PRIu64
				   " of the audit trail waited for its signature "
				   "for %" PRIu64 " minutes",
				   a->row[i].row, (written - a->row[i].at) / MINUTE);
}

static bool judge_entry(const char *folder, uint64_t n)
{
	char path[224], *text = NULL;
	struct dw_audit a;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/record-%08" PRIu64 ".json", folder, n);
	f = fopen(path, "re");
	if (!f)
		return false;
	len = getline(&text, &size, f);
	fclose(f);
	if (len > 0 && !dw_audit_parse(text, (size_t)len, &a, NULL)) {
		week->count.audits++;
		judge_audit(&a);
		dw_audit_deinit(&a);
	}
	free(text);
	return true;
}

void judge_proof(void)
{
	char db[160], folder[160], signers[192];

	if (!week->records)
		return;
	snprintf(db, sizeof(db), "%s/state/station.db", week->folder);
	snprintf(folder, sizeof(folder), "%s/records", week->folder);
	snprintf(signers, sizeof(signers), "%s/allowed_signers", folder);
	fflush(stdout);
	if (compare_all(db, folder, signers))
		week_wrong("the signed records are not what the store says");
	for (uint64_t n = 1; judge_entry(folder, n); n++)
		week->count.records++;
}
