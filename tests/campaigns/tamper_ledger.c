/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tamper-ledger FOLDER SEED COUNT [KEY]: what the service leaves, made by its own functions:
 * FOLDER/key, FOLDER/station.db, and FOLDER/ledger with COUNT records of disks, of the audit trail
 * and of draws. Clock and chance follow from the seed: but for keys and signatures, the same seed
 * makes the same bytes. With KEY, that signs, and all is the same but the shelf of the disks.
 * Prints the line of a new key for a list of signers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/rng.h"
#include "service/prove.h"
#include "service/store.h"

#define BEGIN        INT64_C(1795000000)
#define DAY          86400
#define US           1000000u
#define JOB          "%08u-0000-4000-8000-000000000000"
#define DISKS        9 /* each is erased again and again */
#define SET(to, ...) snprintf(to, sizeof(to), __VA_ARGS__)

static struct dw_rng rng;
static int64_t now_s = BEGIN;
static long now_ns;
static const struct store_caller callers[] = {
	{ .uid = 0, .pid = 812, .loginuid = 1000, .comm = "diskwipe" },
	{ .uid = 4242424,
	  .pid = 977,
	  .loginuid = 4242424,
	  .comm = "rack",
	  .bus = ":1.7" },
	{ .uid = UINT32_MAX, .loginuid = UINT32_MAX, .comm = "diskwiped" },
};

/** struct made - what is being made; @rows: of the audit trail are signed; @jobs: there are;
 *  @shelf: where all disks are */
struct made {
	struct dw_ledger *ledger;
	struct store *store;
	uint64_t rows;
	unsigned jobs;
	unsigned shelf;
};

int __wrap_clock_gettime(clockid_t id, struct timespec *ret);
ssize_t __wrap_getrandom(void *buf, size_t len, unsigned flags);

int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
	now_ns = (now_ns + 1000) % 1000000000;
	*ret = (struct timespec){ .tv_sec = now_s, .tv_nsec = now_ns };
	return id < 0 ? -1 : 0;
}

ssize_t __wrap_getrandom(void *buf, size_t len, unsigned flags)
{
	unsigned char *to = buf;

	for (size_t i = 0; i < len; i++)
		to[i] = (unsigned char)dw_rng_next(&rng);
	return flags <= (GRND_RANDOM | GRND_NONBLOCK) ? (ssize_t)len : -1;
}

static uint64_t now(void)
{
	return (uint64_t)now_s * US;
}

static void erase_disk(struct dw_disk_result *d, struct dw_pass_result *pass)
{
	double took = 3600 + (double)dw_rng_below(&rng, 4000);

	*pass = (struct dw_pass_result){ .pattern = "00",
					 .command = "write",
					 .seconds = took,
					 .bytes = d->info.blocks * 512 };
	d->pass = pass;
	d->n_passes = 1;
	d->seconds = took;
	d->bytes_written = pass->bytes;
	d->started.tv_sec = now_s - (time_t)took;
	d->finished.tv_sec = now_s;
	d->outcome = DW_OUTCOME_ERASED;
	d->verify.done = DW_VERIFIED_SAMPLE;
	d->verify.read = d->verify.samples = 60000;
	d->verify.bound = 0.0000768;
	SET(d->verify.mode, "sample");
	SET(d->method, "zero");
	SET(d->level, "clear");
	SET(d->medium, "magnetic");
	SET(d->command, "write");
	d->health_before.state = d->health_after.state = DW_HEALTH_GOOD;
}

/* Of four disks one is not erased. */
static void spoil(struct dw_disk_result *d, struct dw_exception *bad)
{
	switch (dw_rng_below(&rng, 12)) {
	case 0:
		d->outcome = DW_OUTCOME_FAILED;
		SET(d->reason, "a write failed at block %u: 3/0c/00",
		    (unsigned)now_s % 977);
		break;
	case 1:
		d->outcome = DW_OUTCOME_STOPPED;
		break;
	case 2:
		d->outcome = DW_OUTCOME_EXCEPTIONS;
		*bad = (struct dw_exception){ .lba = 7, .blocks = 2, .sense = "3/0c/00" };
		d->exception = bad;
		d->n_exceptions = 1;
		break;
	default:
		return;
	}
	SET(d->level, "none");
}

static int end_attempt(struct made *m, struct store_attempt *a)
{
	struct dw_pass_result pass;
	struct dw_exception bad;
	struct dw_disk_result d = { .info = a->identity };
	struct dw_job_result r = { .disk = &d, .n_disks = 1 };
	char *json = NULL;
	int code;

	SET(r.id, "%s", a->job);
	erase_disk(&d, &pass);
	if (m->jobs > 1) /* the first one can be drawn */
		spoil(&d, &bad);
	a->outcome = outcome_of(d.outcome, false);
	SET(a->reason, "%s", d.reason);
	SET(a->health_before, "good");
	SET(a->health_after, "good");
	a->ended = now();
	a->max_temperature = 30 + (int32_t)dw_rng_below(&rng, 20);
	if (m->jobs == 1 || dw_rng_below(&rng, 8))
		json = dw_job_result_json(&r);
	else /* the engine never had it */
		a->outcome = OUTCOME_REFUSED;
	code = store_end(m->store, a, json);
	free(json);
	return code ? code : store_job_end(m->store, a->job, now());
}

static int submit(struct made *m, const struct store_caller *who, struct store_job *job,
		  struct store_attempt *a)
{
	unsigned n = (unsigned)dw_rng_below(&rng, DISKS);
	struct dw_disk_info *i = &a->identity;
	bool used;
	int r;

	i->blocks = 7814037168;
	i->block_size = 512;
	SET(i->vendor, "SEAGATE");
	SET(i->model, "ST4000NM0025");
	SET(i->revision, "N004");
	SET(i->serial, "ZC1%05u", n);
	SET(i->wwn, "5000c500a1b2%04x", n);
	SET(i->sg, "/dev/sg%u", n);
	SET(job->id, JOB, ++m->jobs);
	SET(job->label, n % 2 ? "lot 7" : "");
	SET(job->options, "method=zero\nverify=sample\n");
	job->uid = who->uid;
	job->loginuid = who->loginuid;
	job->submitted = now();
	memcpy(a->job, job->id, sizeof(a->job));
	SET(a->bay, "shelf %u bay %u", m->shelf, n);
	r = store_disk(m->store, i, a->bay, false, now(), &a->disk, &used);
	return r ? r : store_submit(m->store, job, a, 1, who);
}

static int take_record(void *ctx, const struct store_record *r)
{
	*(struct store_record *)ctx = *r;
	return 0;
}

/* A job of one disk from its submission to its record. */
static int add_disk(struct made *m)
{
	struct store_job job = { .priority = 3 };
	struct store_attempt a = { .expected = 3600 };
	struct store_record row;
	struct dw_error err = { 0 };
	struct dw_proof p = { .sequence = 0 };
	int r = submit(m, &callers[dw_rng_below(&rng, 3)], &job, &a);

	if (!r)
		r = store_begin(m->store, a.id, a.bay, now());
	now_s += 4000;
	if (!r)
		r = end_attempt(m, &a);
	if (!r)
		r = store_each_unproven(m->store, 1, take_record, &row);
	if (!r)
		r = prove_make(m->store, &row, &p);
	p.build[0] = '\0'; /* which no seed decides, as the names of this machine */
	p.host = (struct dw_host){ .name = "station-3", .kernel = "6.1.0" };
	p.clock_synchronised = true;
	if (!r)
		r = dw_ledger_add(m->ledger, &p, &err);
	if (!r)
		r = store_proven(m->store, a.id, p.sequence);
	dw_proof_deinit(&p);
	return r;
}

static int take_row(void *ctx, const struct dw_audit_row *row)
{
	struct dw_audit *a = ctx;

	a->row[a->n_rows++] = *row;
	return 0;
}

static int add_audit(struct made *m)
{
	struct store_trail trail = { 0 };
	struct dw_audit a = { .row = calloc(100, sizeof(*a.row)) };
	int r = a.row ? 0 : -ENOMEM;

	if (!r && dw_rng_below(&rng, 2))
		r = store_audit(m->store, &callers[1], "denied", NULL, "Cancel", now());
	if (!r)
		r = store_trail(m->store, &trail);
	a.store = trail.begun;
	if (!r)
		r = store_each_audit(m->store, m->rows, 100, take_row, &a);
	if (!r)
		r = dw_ledger_audit(m->ledger, &a, NULL);
	m->rows = trail.last;
	dw_audit_deinit(&a);
	return r;
}

static int add_draw(struct made *m)
{
	struct dw_draw d = { .share_ppm = 200000, .operator_name = "Ann Example" };
	int r = dw_ledger_draw(m->ledger, &d, NULL);

	dw_draw_deinit(&d);
	return r == -ENOENT ? add_audit(m) : r;
}

/* Each kind comes early, and a new day; the last signs what is left of the audit trail. */
static int fill(struct made *m, unsigned count)
{
	int r = 0;

	for (unsigned i = 0; i < count && !r; i++) {
		uint64_t kind = dw_rng_below(&rng, 8);

		now_s += i == 2 ? DAY : (int64_t)dw_rng_below(&rng, 20000);
		if (i == 3 || i + 1 == count || (i > 4 && kind == 0))
			r = add_audit(m);
		else if (i == 4 || (i > 4 && kind == 1))
			r = add_draw(m);
		else
			r = add_disk(m);
	}
	return r;
}

static int make_key(const char *path)
{
	char *line = NULL;
	int r = dw_record_key(path, "station@here", &line, NULL);

	if (!r && printf("%s\n", line) < 0)
		r = -EIO;
	free(line);
	return r;
}

/* @by: the key, NULL = a new one */
static int make(const char *folder, uint64_t seed, unsigned count, const char *by)
{
	char key[256], db[256], ledger[256], note[STORE_NOTE] = "";
	struct made m = { .shelf = by ? 2 : 1 };
	int r;

	SET(key, "%s/key", folder);
	SET(db, "%s/station.db", folder);
	SET(ledger, "%s/ledger", folder);
	dw_rng_seed(&rng, seed);
	r = by ? 0 : make_key(key);
	dw_rng_seed(&rng, seed);
	if (!r)
		r = store_open(db, &m.store, note);
	if (!r)
		r = dw_ledger_open(ledger, by ? by : key, &m.ledger, NULL);
	if (!r)
		r = fill(&m, count);
	dw_ledger_close(m.ledger);
	store_close(m.store);
	if (!r)
		r = dw_seal_write(db, by ? by : key, NULL);
	if (r)
		fprintf(stderr, "tamper-ledger: %s %s\n", strerror(-r), note);
	return r;
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5)
		return 2;
	return make(argv[1], strtoull(argv[2], NULL, 10),
		    (unsigned)strtoul(argv[3], NULL, 10), argv[4])
		       ? 1
		       : 0;
}
