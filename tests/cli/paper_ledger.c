/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper-ledger DIR KEY COUNT [FROM]: a ledger for tests of what is printed and sent. Of each ten,
 * one failed, one was stopped, one left blocks out, one is a simulation, one was refused, one has
 * texts that try to be something else; the others are erased. In place of COUNT: "audit": a record
 * of an audit trail is added; "second": all erased disks are drawn, and Bert finds the first as it
 * was left, and the second not; all are drawn again, and the second is as it was left, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/diskwipe.h>

#define BEGIN 1764000000
#define EACH  10

static const char *const hostile[] = {
	"<script>alert(1)</script>\"'&",
	"=cmd|' /C calc'!A0",
	"^XZ^XA^FDERASED^FS~JA_5E",
	("\xe2\x80\xae"
	 "DESARE\x1b[2J\t\r\n"),
	"\xc3\xa4\xe6\xbc\xa2\xc3\xa4\xe6\xbc\xa2\xc3\xa4\xe6\xbc\xa2\xc3\xa4\xe6\xbc\xa2",
	"@SUM(1,2):\x7f;\\&%n",
	"+1\",\"2",
	"-ERASED: 100 %",
	/* 72 bytes, which is more than a label, a model or a serial number can have */
	("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97"
	 "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97"
	 "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97"
	 "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97"),
	/* isolates, a mark of direction, a control character of two bytes, no UTF-8 */
	"\xe2\x81\xa7\xd8\x9c\xc2\x9b"
	"31m\xff\xc3\xf3\xa0\x81\x81 DESARE", /* and a tag */
	"\xef\xbc\x9d"                        /* an equals sign of full width */
	"cmd()",
};

static const char *hostile_text(unsigned i)
{
	return hostile[i % (sizeof(hostile) / sizeof(hostile[0]))];
}

static void fill_disk(unsigned i, struct dw_disk_result *d)
{
	static struct dw_pass_result pass;

	pass = (struct dw_pass_result){ .pattern = "00",
					.command = "write",
					.seconds = 3600 + i % 100,
					.bytes = 18000000000000 };
	*d = (struct dw_disk_result){
		.outcome = DW_OUTCOME_ERASED,
		.pass = &pass,
		.n_passes = 1,
		.seconds = 3600 + i % 100,
		.bytes_written = 18000000000000,
		.started = { .tv_sec = BEGIN + i / 8 * 4000 },
		.finished = { .tv_sec = BEGIN + i / 8 * 4000 + 3600 + i % 100 },
		.verify = { .bound = 0.0046, .done = DW_VERIFIED_SAMPLE }
	};
	d->info.block_size = 512;
	d->info.blocks = 35156656128;
	snprintf(d->info.vendor, sizeof(d->info.vendor), "SEAGATE");
	snprintf(d->info.model, sizeof(d->info.model), "ST18000NM004J");
	snprintf(d->info.serial, sizeof(d->info.serial), "ZR5%05u", i);
	snprintf(d->info.sg, sizeof(d->info.sg), "/dev/sg%u", i % 8);
	if (i % 2 == 0)
		snprintf(pass.command, sizeof(pass.command), "sanitize");
	snprintf(d->method, sizeof(d->method), i % 2 ? "zero" : "sanitize-crypto");
	snprintf(d->level, sizeof(d->level), i % 2 ? "clear" : "purge");
	d->purge_requested = i % 2 == 0;
	d->purge_attested = i % 4 == 0;
}

/* docks with one serial number for all their bays */
static bool shared;

static void spoil(unsigned i, struct dw_job_result *r, struct dw_disk_result *d)
{
	static struct dw_exception bad = { .lba = 7, .blocks = 2, .sense = "3/0c/00" };

	switch (i % EACH) {
	case 3:
		d->outcome = DW_OUTCOME_FAILED;
		snprintf(d->level, sizeof(d->level), "none");
		snprintf(d->reason, sizeof(d->reason),
			 "a write failed at block 7: 3/0c/00");
		break;
	case 5:
		d->outcome = DW_OUTCOME_STOPPED;
		d->info.password_left = i / EACH % 2;
		snprintf(d->level, sizeof(d->level), "none");
		break;
	case 4: /* which no job does: the paper goes by all of the record */
		d->exception = &bad;
		d->n_exceptions = 1;
		break;
	case 6:
		snprintf(r->simulation, sizeof(r->simulation), "virtual");
		break;
	case 8:
		snprintf(d->info.serial, sizeof(d->info.serial), "%s",
			 hostile_text(i / EACH));
		snprintf(d->info.model, sizeof(d->info.model), "%s",
			 hostile_text(i / EACH + 1));
		snprintf(d->notes[0], sizeof(d->notes[0]), "%s",
			 hostile_text(i / EACH + 2));
		d->n_notes = 1;
		break;
	default:
		break;
	}
}

/* @attempt: at the same disk */
static int add(struct dw_ledger *l, unsigned i, unsigned attempt, bool failed)
{
	static struct dw_disk_result disk;
	static struct dw_refused refused;
	struct dw_job_result r = { .disk = &disk, .n_disks = 1 };
	char text[DW_ERROR_TEXT], label[64], bay[32], asset[64];
	struct dw_proof_place place = {
		.operator_name = text, .bay = bay, .label = label, .asset = asset
	};
	struct dw_error err = { 0 };
	struct dw_proof p;
	int e;

	fill_disk(i, &disk);
	spoil(failed ? 3 : i, &r, &disk);
	disk.info.name_shared = shared;
	snprintf(text, sizeof(text), "%s",
		 i % EACH == 8 ? hostile_text(i / EACH + 3)
		 : i % 3       ? "Ada Lovelace"
			       : "Jos\xc3\xa9 Mu\xc3\xb1oz");
	/* a bay that is a shelf, one of its slots with two disks, and bays of one disk */
	if (i % 16 < 8)
		snprintf(disk.info.slot, sizeof(disk.info.slot), "0:0:8:0:%u",
			 i % 8 + 1 - i % 8 / 7);
	snprintf(bay, sizeof(bay), i % 16 < 8 ? "shelf 12" : "shelf 2 bay %u", i % 8 + 1);
	snprintf(label, sizeof(label), "%s",
		 failed          ? "lot 8"
		 : i % EACH == 8 ? hostile_text(i / EACH + 4)
				 : "lot 7");
	snprintf(asset, sizeof(asset), "%s",
		 i % EACH == 8 ? hostile_text(i / EACH + 5)
		 : i % 4       ? "IT-7"
			       : "");
	snprintf(r.spec.customer, sizeof(r.spec.customer), "%s",
		 i % EACH == 8 ? hostile_text(i / EACH + 6)
		 : i % 4 == 1  ? "ACME"
		 : i % 4       ? "M\xc3\xbcller & S\xc3\xb6hne"
			       : "");
	snprintf(r.spec.order_number, sizeof(r.spec.order_number), "%s",
		 i % EACH == 8 ? hostile_text(i / EACH + 7) : "4711");
	snprintf(r.id, sizeof(r.id), "%08u-0000-4000-8000-%012u", i % 100000000, attempt);
	if (i % EACH == 9) {
		refused = (struct dw_refused){ .device = "/dev/sg9" };
		snprintf(refused.verdict.reason, sizeof(refused.verdict.reason),
			 "a file system on it is mounted");
		r.n_disks = 0;
		r.refused = &refused;
		r.n_refused = 1;
	}
	e = dw_proof_of(&r, 0, &place, &p);
	if (e)
		return e;
	if (!p.simulation[0] && p.microseconds)
		p.forecast_microseconds = p.microseconds / 10 * (9 + i % 3);
	e = dw_ledger_add(l, &p, &err);
	if (e < 0)
		fprintf(stderr, "record %u: %s\n", i + 1, dw_error_text(&err, text));
	dw_proof_deinit(&p);
	return e < 0 ? e : 0; /* after a power cut the last one may be asked for twice */
}

static int add_audit(struct dw_ledger *l)
{
	static struct dw_audit_row row = { .at = BEGIN, .what = "submit" };
	struct dw_audit a = { .store = BEGIN, .first = 1, .row = &row, .n_rows = 1 };
	struct dw_audit before = { .store = 0 };
	struct dw_error err = { 0 };
	int r = dw_ledger_audited(l, &before, &err);

	if (r)
		return r;
	row.row = before.last + 1;
	return dw_ledger_audit(l, &a, &err);
}

static int draw_all(struct dw_ledger *l)
{
	struct dw_draw d = { .share_ppm = 1000000, .operator_name = "Carl" };
	struct dw_error err = { 0 };
	int r = dw_ledger_draw(l, &d, &err);

	dw_draw_deinit(&d);
	return r;
}

static int add_check(struct dw_ledger *l, const struct dw_drawn_disk *k,
		     const char *outcome)
{
	struct dw_error err = { 0 };
	struct dw_proof p = {
		.verify = { .done = DW_VERIFIED_FULL, .read = 100, .mode = "full" },
		.max_temperature = DW_TEMPERATURE_UNKNOWN,
		.second = { .draw = k->draw,
			    .drawn = k->drawn.of,
			    .compared = k->last.of.sequence }
	};

	snprintf(p.id, sizeof(p.id), "%08llu-1000-4000-8000-%012llu/0",
		 (unsigned long long)k->drawn.of.sequence, (unsigned long long)k->draw);
	snprintf(p.second.erased_by, sizeof(p.second.erased_by), "%s",
		 k->last.operator_name);
	memcpy(p.info.serial, k->drawn.serial, sizeof(k->drawn.serial));
	snprintf(p.info.model, sizeof(p.info.model), "%s", k->drawn.model);
	snprintf(p.info.vendor, sizeof(p.info.vendor), "SEAGATE");
	snprintf(p.outcome, sizeof(p.outcome), "%s", outcome);
	snprintf(p.level, sizeof(p.level), "none");
	snprintf(p.operator_name, sizeof(p.operator_name), "Bert");
	return dw_ledger_add(l, &p, &err);
}

static int add_seconds(struct dw_ledger *l, const char *dir)
{
	struct dw_proof_check found;
	struct dw_error err = { 0 };
	int r = draw_all(l);

	if (!r)
		r = dw_ledger_check(dir, NULL, &found, &err);
	if (r)
		return r;
	r = add_check(l, &found.pick[0], "as-expected");
	if (!r)
		r = add_check(l, &found.pick[1], "not-as-expected");
	if (!r)
		r = draw_all(l);
	if (!r) {
		struct dw_drawn_disk again = found.pick[1];

		again.draw += 3; /* two checks are between the draws */
		r = add_check(l, &again, "as-expected");
	}
	dw_proof_check_deinit(&found);
	return r;
}

int main(int argc, char **argv)
{
	char text[DW_ERROR_TEXT];
	struct dw_error err = { 0 };
	struct dw_ledger *l;
	int r;

	if (argc < 4 || argc > 6)
		return 2;
	r = dw_ledger_open(argv[1], argv[2], &l, &err);
	if (r) {
		fprintf(stderr, "%s\n", dw_error_text(&err, text));
		return 1;
	}
	if (!strcmp(argv[3], "audit"))
		r = add_audit(l);
	if (!strcmp(argv[3], "second"))
		r = add_seconds(l, argv[1]);
	shared = !strcmp(argv[3], "shared");
	for (unsigned i = 100; shared && i < 102 && !r; i++)
		r = add(l, 1, i, false);
	if (!strcmp(argv[3], "failed"))
		r = add(l, 0, 99, true);
	for (unsigned i = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	     i < (unsigned)strtoul(argv[3], NULL, 10) && !r; i++)
		r = add(l, i, argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 0, false);
	dw_ledger_close(l);
	return r ? 1 : 0;
}
