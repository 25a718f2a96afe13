/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ledger for the tests of papers: DIR KEY COUNT. Its first records are of each kind, with names
 * that try to break out of what they are printed in; from OTHERS on each has another outcome, and
 * all else is as if the disk were erased; from BOUNDS on another bound of what a sample proves; the
 * others are of disks that were erased.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/proof.h>

#define EXCEPTIONS 40
#define OTHERS     9
#define BOUNDS     20

static struct dw_exception exceptions[EXCEPTIONS];
static struct dw_proof_pass passes[3] = {
	{ "zeros", "write", 7200000000, 4000787030016 },
	{ "ones", "write", 7300000000, 4000787030016 },
	{ "random", "write", 7400000000, 4000787030016 },
};

#define SET(field, ...) snprintf(field, sizeof(field), __VA_ARGS__)

static struct dw_proof erased(unsigned int i)
{
	struct dw_proof p = { .pass = passes, .n_passes = 3, .commands = 123456 };

	SET(p.id, "0f8fad5b-d9cb-469f-a165-70867728950e/%u", i);
	SET(p.job, "0f8fad5b-d9cb-469f-a165-70867728950e");
	SET(p.tool, "0.1.0");
	SET(p.host.name, "station-3");
	SET(p.host.serial, "CZJ1234ABC");
	SET(p.host.asset_tag, "IT-00417");
	SET(p.host.kernel, "6.1.0-41-amd64");
	SET(p.operator_name, "Ann Example");
	SET(p.bay, "rack 2, bay %u", i);
	SET(p.label, "lot-2026-117");
	SET(p.strategy, "parallel");
	SET(p.info.vendor, "SEAGATE");
	SET(p.info.model, "ST4000NM0025");
	SET(p.info.revision, "N004");
	SET(p.info.serial, "ZC1%05u", i);
	SET(p.info.wwn, "5000c500a1b2%04x", i);
	SET(p.info.transport, "sas");
	p.info.blocks = 7814037168;
	p.info.block_size = 512;
	p.info.physical_block_size = 4096;
	SET(p.device, "/dev/sg%u", i);
	SET(p.outcome, "erased");
	SET(p.method, "dod-short");
	SET(p.level, "clear");
	SET(p.level_reason, "every block was overwritten through the interface");
	SET(p.command, "WRITE(16)");
	SET(p.signatures, "gpt, ext4");
	p.health_before = p.health_after =
		(struct dw_health){ .state = DW_HEALTH_GOOD,
				    .text = "21450 hours, no reallocated blocks" };
	p.max_temperature = 38;
	p.started.tv_sec = 1795600000;
	p.finished.tv_sec = 1795621900;
	p.microseconds = 21900000000;
	p.forecast_microseconds = 21600000000;
	p.bytes_written = 12002361090048;
	SET(p.verify.mode, "sample");
	p.verify.done = DW_VERIFIED_SAMPLE;
	p.verify.read = 60000000;
	p.verify.samples = 60000;
	p.verify.bound_ppb = 76750;
	p.verify.fua = true;
	return p;
}

/* All of the hostile names that a disk, a host or an operator can have. */
static void make_hostile(struct dw_proof *p)
{
	SET(p->info.vendor, "=cmd()");
	SET(p->info.model, "<script>alert(1)</script>");
	SET(p->info.serial, "S:1\"')>>endobj %%");
	SET(p->operator_name, "\u202egro.live\u202c Zoë <b>&amp; Łukasz %%s%%n");
	SET(p->bay, "%s", "äöüäöüäöüäöüäöüäöüäöüäöüäöüäöü"); /* 60 bytes */
	SET(p->label, "(unbalanced \\ parenthesis");
	SET(p->host.name, "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww");
	memset(p->level_reason, 'W', sizeof(p->level_reason) - 1);
	for (p->n_notes = 0; p->n_notes < 8; p->n_notes++)
		SET(p->notes[p->n_notes], "note %u: %0120d", p->n_notes, 0);
}

static void make_exceptions(struct dw_proof *p)
{
	for (unsigned int i = 0; i < EXCEPTIONS; i++) {
		exceptions[i] =
			(struct dw_exception){ .lba = 1000 + 64ull * i, .blocks = 8 };
		SET(exceptions[i].sense, "3/0c/00");
	}
	p->exception = exceptions;
	p->n_exceptions = EXCEPTIONS;
	SET(p->outcome, "erased-with-exceptions");
	SET(p->level, "none");
	SET(p->reason, "%u blocks could not be written", EXCEPTIONS * 8);
}

static const struct {
	const char *outcome;
	const char *level;
	const char *reason;
} others[] = {
	{ "stopped", "clear", "" },
	{ "removed", "purge", "it was pulled" },
	{ "refused", "purge", "a file system on it is mounted" },
	{ "refused", "none", "this disk cannot purge itself here" },
	{ "purge-unavailable", "purge", "" },
	{ "failed", "purge", "" },
	{ "not-as-expected", "clear", "" },
	{ "pending", "clear", "" },
	{ "erased", "none", "" },
	{ "erased", "PURGE", "" },
	{ "as-expected", "clear", "nothing was read" },
};

static void make_other(struct dw_proof *p, unsigned int i)
{
	SET(p->outcome, "%s", others[i].outcome);
	SET(p->level, "%s", others[i].level);
	SET(p->reason, "%s", others[i].reason);
	SET(p->level_limit, "what the disk did by itself was not proven by reading");
	p->verify.done =
		!strcmp(p->outcome, "as-expected") ? DW_VERIFIED_NONE : DW_VERIFIED_FULL;
	if (!strcmp(p->outcome, "refused"))
		p->info = (struct dw_disk_info){ .blocks = 0 };
}

static const uint64_t bounds[] = { 1,      999,      1001,     99801,    99999,
				   100001, 10000000, 10000001, 999999999 };

static void vary(struct dw_proof *p, unsigned int i)
{
	if (i >= BOUNDS && i < BOUNDS + sizeof(bounds) / sizeof(*bounds))
		p->verify.bound_ppb = bounds[i - BOUNDS];
	if (i == BOUNDS + sizeof(bounds) / sizeof(*bounds)) { /* it erased itself */
		SET(p->verify.mode, "off");
		p->verify.done = DW_VERIFIED_NONE;
		p->verify.read = p->verify.samples = 0;
		p->verify.places = 1066;
	}
	if (i > BOUNDS + sizeof(bounds) / sizeof(*bounds)) { /* it compared itself */
		SET(p->verify.mode, "device");
		p->verify.planted = p->verify.found = 517;
		p->verify.compared = 23437499483;
		p->verify.skipped_ppb = i % 2 ? 9982888 : 10000001;
	}
	if (i >= OTHERS && i < OTHERS + sizeof(others) / sizeof(*others)) {
		make_other(p, i - OTHERS);
	} else if (i == 1) {
		p->purge_requested = p->purge_attested = true;
	} else if (i == 2) {
		make_exceptions(p);
	} else if (i == 3) {
		SET(p->outcome, "failed");
		SET(p->level, "none");
		SET(p->reason, "the disk no longer answers: hardware error 4/44/00");
		p->purge_requested = true;
		p->verify.done = DW_VERIFIED_NONE;
		p->verify.read = 0;
	} else if (i == 4) {
		make_hostile(p);
	} else if (i == 5) {
		SET(p->simulation, "simulated");
	} else if (i == 6) {
		SET(p->outcome, "as-expected");
		SET(p->level, "none");
	}
}

int main(int argc, char **argv)
{
	struct dw_ledger *l;
	struct dw_error err = { 0 };
	unsigned int n = argc == 4 ? (unsigned int)atoi(argv[3]) : 0;
	char *line = NULL;
	int r;

	if (!n)
		return 1;
	r = dw_record_key(argv[2], "station@here", &line, &err);
	if (!r && printf("%s", line) > 0)
		r = dw_ledger_open(argv[1], argv[2], &l, &err);
	for (unsigned int i = 1; !r && i <= n; i++) {
		struct dw_proof p = erased(i);

		vary(&p, i);
		r = dw_ledger_add(l, &p, &err);
		if (i == n || r)
			dw_ledger_close(l);
	}
	free(line);
	if (r)
		fprintf(stderr, "%s: %s\n", err.file, err.reason);
	return r != 0;
}
