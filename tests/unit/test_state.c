/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State files: what is written is read back, and what has been cut, changed or never was
 * one does not load; above all it does not load as another state.
 */
#include "docs.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/util.h"
#include "file/file.h"
#include "report/planfile.h"
#include "report/record.h"
#include "report/state.h"
#include "error_line.h"

#define DISKS  4
#define FAULTS 5

struct fixture {
	char dir[32];
	char path[64];
	struct dw_state_doc doc;
	struct dw_state_entry entry[DISKS];
	struct dw_fault fault[DISKS][FAULTS];
};

/* --- want of memory --------------------------------------------------------- */

/* the call from now on that has none; 0: each has */
static unsigned fail_strdup, fail_dumps;

char *__real_strdup(const char *text);
char *__real_json_dumps(const json_t *v, size_t flags);
char *__wrap_strdup(const char *text);
char *__wrap_json_dumps(const json_t *v, size_t flags);

char *__wrap_strdup(const char *text)
{
	return fail_strdup && !--fail_strdup ? NULL : __real_strdup(text);
}

char *__wrap_json_dumps(const json_t *v, size_t flags)
{
	return fail_dumps && !--fail_dumps ? NULL : __real_json_dumps(v, flags);
}

/* --- states ------------------------------------------------------------------- */

static void random_state(struct fixture *f, struct dw_rng *rng)
{
	static char witness[] = "1 0123", result[] = "{\"outcome\":\"erased\"}";

	memset(f->entry, 0, sizeof(f->entry));
	memset(f->fault, 0, sizeof(f->fault));
	f->doc = (struct dw_state_doc){
		.spec = random_spec(rng),
		.entry = f->entry,
		.n = 1 + dw_rng_below(rng, DISKS),
	};
	if (dw_rng_below(rng, 2))
		strcpy(f->doc.key_check, "34bf352781da11f0");
	for (size_t i = 0; i < f->doc.n; i++) {
		struct dw_state_entry *e = &f->entry[i];
		uint64_t blocks;

		e->disk = random_entry(rng);
		e->disk.serial[0] = (char)('0' + i);
		blocks = e->disk.capacity_bytes / e->disk.block_size;
		e->pass = (uint32_t)dw_rng_below(rng, 2);
		e->lba = dw_rng_below(rng, blocks + 1);
		e->bytes_written = random_bits(rng, 63);
		e->outcome = (enum dw_outcome)dw_rng_below(rng, 6);
		e->operating = dw_rng_below(rng, 2);
		e->power_cycle = dw_rng_below(rng, 2);
		e->longest = (uint32_t)random_bits(rng, 32);
		e->witness = dw_rng_below(rng, 2) ? witness : NULL;
		e->result = dw_rng_below(rng, 2) ? result : NULL;
		e->fault = f->fault[i];
		e->n_faults = (uint32_t)dw_rng_below(rng, FAULTS + 1);
		for (uint32_t k = 0; k < e->n_faults; k++) {
			uint64_t lba = dw_rng_below(rng, blocks);

			e->fault[k] = (struct dw_fault){
				.lba = lba,
				.nlb = 1 + dw_rng_below(rng, blocks - lba),
				.kind = (uint8_t)dw_rng_below(rng, 3),
				.sense_key = (uint8_t)random_bits(rng, 8),
				.asc = (uint8_t)random_bits(rng, 8),
				.ascq = (uint8_t)random_bits(rng, 8),
				.pass = (uint8_t)dw_rng_below(rng, 2),
			};
		}
	}
}

static void same_state(const struct dw_state_doc *a, const struct dw_state_doc *b)
{
	same_spec(&a->spec, &b->spec);
	assert_string_equal(a->key_check, b->key_check);
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct dw_state_entry *x = &a->entry[i], *y = &b->entry[i];

		same_entry(&x->disk, &y->disk);
		assert_int_equal(x->pass, y->pass);
		assert_int_equal(x->lba, y->lba);
		assert_int_equal(x->bytes_written, y->bytes_written);
		assert_int_equal(x->outcome, y->outcome);
		assert_int_equal(x->operating, y->operating);
		assert_int_equal(x->power_cycle, y->power_cycle);
		assert_int_equal(x->longest, y->longest);
		assert_true(!x->witness == !y->witness);
		if (x->witness)
			assert_string_equal(x->witness, y->witness);
		assert_true(!x->result == !y->result);
		if (x->result)
			assert_string_equal(x->result, y->result);
		assert_int_equal(x->n_faults, y->n_faults);
		for (uint32_t k = 0; k < x->n_faults; k++) {
			const struct dw_fault *p = &x->fault[k], *q = &y->fault[k];

			assert_true(p->lba == q->lba && p->nlb == q->nlb);
			assert_true(p->kind == q->kind && p->pass == q->pass);
			assert_true(p->sense_key == q->sense_key && p->asc == q->asc &&
				    p->ascq == q->ascq);
		}
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(mkdtemp(scratch_name(f->dir, sizeof(f->dir), "state")));
	snprintf(f->path, sizeof(f->path), "%s/state", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int r;

	unlink(f->path);
	r = rmdir(f->dir); /* fails when something was left lying about */
	free(f);
	return r;
}

static char *written(struct fixture *f, size_t *ret_len)
{
	char *text;

	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_file_read(f->path, 1 << 20, &text, ret_len), 0);
	return text;
}

static void round_trip(void **state)
{
	struct fixture *f = *state;
	struct dw_rng rng;
	struct stat st;

	for (uint64_t seed = 0; seed < 200; seed++) {
		struct dw_state_doc back;
		struct dw_error err = { 0 };

		dw_rng_seed(&rng, seed);
		random_state(f, &rng);
		assert_int_equal(dw_state_write(f->path, &f->doc), 0);
		if (dw_state_read(f->path, &back, &err) != 0)
			fail_msg("seed %d: %s", (int)seed, error_line(&err));
		same_state(&f->doc, &back);
		dw_state_deinit(&back);
		assert_int_equal(back.n, 0);
	}
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void truncated(void **state)
{
	struct fixture *f = *state;
	struct dw_state_doc back;
	struct dw_rng rng;
	struct dw_error err = { 0 };
	char *text;
	size_t len;

	dw_rng_seed(&rng, 6);
	random_state(f, &rng);
	text = written(f, &len);
	for (size_t cut = 0; cut < len; cut++) {
		char *part = malloc(cut +
				    1); /* its own memory, so that tools see an overrun */

		memcpy(part, text, cut);
		assert_int_equal(dw_state_parse(part, cut, &back, &err), -EINVAL);
		assert_true(is_whole_error(&err, -EINVAL));
		free(part);
	}
	free(text);
}

/* Bits turned, bytes replaced, removed, doubled, pieces swapped: either the file says
 * exactly the same as before (white space, escapes), or it is refused. */
static void corrupted(void **state)
{
	struct fixture *f = *state;
	unsigned loaded = 0;
	struct dw_rng rng;

	for (uint64_t seed = 0; seed < 4000; seed++) {
		struct dw_state_doc back;
		struct dw_error err = { 0 };
		char *text;
		size_t len, at, n;

		dw_rng_seed(&rng, seed);
		if (seed % 100 == 0) {
			random_state(f, &rng);
			assert_int_equal(dw_state_write(f->path, &f->doc), 0);
		}
		assert_int_equal(dw_file_read(f->path, 1 << 20, &text, &len), 0);
		at = dw_rng_below(&rng, len);
		n = 1 + dw_rng_below(&rng, dw_min_u64(8, len - at));
		switch (dw_rng_below(&rng, 5)) {
		case 0:
			text[at] ^= (char)(1 << dw_rng_below(&rng, 8));
			break;
		case 1:
			text[at] = (char)('0' + dw_rng_below(&rng, 10));
			break;
		case 2:
			memmove(text + at, text + at + n, len - at - n);
			len -= n;
			break;
		case 3:
			memmove(text + at, text, n);
			break;
		case 4:
			memset(text + at, 0, len - at);
			break;
		}
		if (dw_state_parse(text, len, &back, &err) == 0) {
			same_state(&f->doc, &back);
			dw_state_deinit(&back);
			loaded++;
		}
		free(text);
	}
	/* some changes put the same digit where it was; most must be refused */
	assert_in_range(loaded, 0, 400);
}

/* The checksum is right, but what stands there cannot be. */
static void impossible(void **state)
{
	struct fixture *f = *state;
	struct dw_rng rng;
	struct dw_state_doc back;
	struct dw_state_entry *e = &f->entry[0];
	static char list[] = "[]";
	static const char *const want[] = {
		"disks[0].pass: more than the method has",
		"disks[0].lba: beyond the end",
		"disks[0].faults[0]: beyond the end",
		"disks[0].faults[0]: beyond the end",
		"disks[0].identity.capacity_bytes: no multiple",
		"disks[0].result: not an object",
		"job.method: 'eod-short' is not known",
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(want); i++) {
		struct dw_error err = { 0 };
		uint64_t blocks;

		dw_rng_seed(&rng, 7);
		random_state(f, &rng);
		strcpy(f->doc.spec.method, "dod-short");
		f->doc.spec.pattern[0] = '\0';
		blocks = e->disk.capacity_bytes / e->disk.block_size;
		e->n_faults = 1;
		e->fault[0] = (struct dw_fault){ .nlb = 1 };
		e->pass = i == 0 ? 4 : 3;
		e->lba = i == 1 ? blocks + 1 : blocks;
		e->fault[0].lba = i == 2 ? blocks : blocks - 1;
		e->fault[0].nlb = i == 3 ? 2 : 1;
		e->disk.capacity_bytes += i == 4;
		if (i == 5)
			e->result = list;
		f->doc.spec.method[0] += i == 6;
		assert_int_equal(dw_state_write(f->path, &f->doc), 0);
		assert_int_equal(dw_state_read(f->path, &back, &err), -EINVAL);
		if (!strstr(error_line(&err), want[i]))
			fail_msg("\"%s\" instead of \"%s\"", error_line(&err), want[i]);
	}
	e->disk.capacity_bytes = UINT64_MAX;
	assert_int_equal(dw_state_write(f->path, &f->doc), -ERANGE);
}

/* the same with so many times its first disk, and the checksum of that */
static char *with_disks(const char *text, size_t n)
{
	json_t *doc = json_loads(text, 0, NULL), *disks = json_object_get(doc, "disks");
	json_t *first = json_incref(json_array_get(disks, 0));
	char *rest, sum[17];

	assert_non_null(first);
	json_array_clear(disks);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(json_array_append(disks, first), 0);
	json_decref(first);
	json_object_del(doc, "checksum");
	rest = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	assert_non_null(rest);
	snprintf(sum, sizeof(sum), "%016llx",
		 (unsigned long long)dw_crc64(rest, strlen(rest)));
	free(rest);
	json_object_set_new(doc, "checksum", json_string(sum));
	rest = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(doc);
	assert_non_null(rest);
	return rest;
}

static void number_of_disks(void **state)
{
	static const size_t n[] = { 0, DW_DOC_DISKS_MAX + 1 };
	struct fixture *f = *state;
	struct dw_rng rng;
	struct dw_error err = { 0 };
	struct dw_state_doc back;
	char *text, *other;
	size_t len;

	dw_rng_seed(&rng, 10);
	random_state(f, &rng);
	text = written(f, &len);
	other = with_disks(text, 1);
	assert_int_equal(dw_state_parse(other, strlen(other), &back, &err), 0);
	dw_state_deinit(&back);
	free(other);
	for (size_t i = 0; i < DW_ARRAY_SIZE(n); i++) {
		other = with_disks(text, n[i]);
		assert_int_equal(dw_state_parse(other, strlen(other), &back, &err),
				 -EINVAL);
		assert_string_equal(error_line(&err), "disks: not 1 to 4096 items");
		free(other);
	}
	free(text);
}

/* It is not taken for content that is no state: who reads it would remove it. */
static void no_memory_to_read(void **state)
{
	struct fixture *f = *state;
	struct dw_rng rng;
	char *text;
	size_t len;

	dw_rng_seed(&rng, 11);
	do
		random_state(f, &rng);
	while (!f->entry[0].witness || !f->entry[0].result);
	text = written(f, &len);
	for (unsigned i = 0; i < 3; i++) {
		struct dw_error err = { 0 };
		struct dw_state_doc back;

		fail_strdup = i == 0;
		fail_dumps = i; /* the checksum's, a result's */
		assert_int_equal(dw_state_parse(text, len, &back, &err), -ENOMEM);
		assert_true(is_whole_error(&err, -ENOMEM));
		assert_int_equal(fail_strdup + fail_dumps, 0);
	}
	free(text);
}

/* as a copy is for which there was no memory */
static void faults_without_memory(void **state)
{
	struct dw_state_doc doc = { .n = 1 };

	doc.entry = calloc(1, sizeof(*doc.entry));
	assert_non_null(doc.entry);
	doc.entry->n_faults = FAULTS;
	dw_state_deinit(&doc);
	assert_null(doc.entry);
}

static void resume(void **state)
{
	struct fixture *f = *state;
	struct dw_plan_doc plan = { .n = 77 };
	struct dw_rng rng;
	struct dw_error err = { 0 };

	dw_rng_seed(&rng, 8);
	do
		random_state(f, &rng);
	while (f->doc.n < 4);
	f->entry[0].outcome = DW_OUTCOME_ERASED;
	f->entry[1].outcome = DW_OUTCOME_STOPPED;
	f->entry[2].outcome = DW_OUTCOME_FAILED;
	f->entry[2].operating = true; /* it was left at work */
	f->entry[2].power_cycle = false;
	f->entry[3].outcome = DW_OUTCOME_REMOVED;
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), -ENOENT);
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), 0);
	assert_int_equal(plan.n, 3);
	assert_int_equal(plan.ended[DW_OUTCOME_ERASED], 1);
	assert_int_equal(plan.ended[DW_OUTCOME_FAILED], 0);
	same_entry(&plan.entry[1], &f->entry[2].disk);
	dw_plan_deinit(&plan);
	f->entry[2].operating = false;
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), 0);
	assert_int_equal(plan.n, 2);
	assert_int_equal(plan.ended[DW_OUTCOME_FAILED], 1);
	same_entry(&plan.entry[0], &f->entry[1].disk);
	same_entry(&plan.entry[1], &f->entry[3].disk);
	same_spec(&plan.spec, &f->doc.spec);
	dw_plan_deinit(&plan);
	f->entry[2].power_cycle = true; /* nobody unplugged it */
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), 0);
	assert_int_equal(plan.n, 3);
	dw_plan_deinit(&plan);
}

/* Of a state with disks that have no name of their own the others are resumed. */
static void without_name(void **state)
{
	struct fixture *f = *state;
	struct dw_plan_doc plan;
	struct dw_error err;
	struct dw_rng rng;

	dw_rng_seed(&rng, 9);
	do
		random_state(f, &rng);
	while (f->doc.n < 4);
	f->doc.n = 4;
	for (int i = 0; i < 4; i++)
		f->entry[i].outcome = i ? DW_OUTCOME_STOPPED : DW_OUTCOME_ERASED;
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), 0);
	assert_int_equal(plan.n, 3);
	dw_plan_deinit(&plan);
	memset(f->entry[3].disk.serial, 0, sizeof(f->entry[3].disk.serial));
	memset(f->entry[3].disk.wwn, 0, sizeof(f->entry[3].disk.wwn));
	f->entry[2].name_shared = true;
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), 0);
	assert_int_equal(plan.n, 1);
	same_entry(&plan.entry[0], &f->entry[1].disk);
	dw_plan_deinit(&plan);
	f->entry[1].name_shared = true;
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	assert_int_equal(dw_resume_disks(f->path, &plan, &err), -EINVAL);
	assert_non_null(strstr(error_line(&err), "no name of their own"));
}

/* A failed write leaves the old state, and nothing else, behind. */
static void failed_write(void **state)
{
	struct fixture *f = *state;
	struct dw_state_doc back;
	struct dw_rng rng;
	struct dw_error err = { 0 };

	dw_rng_seed(&rng, 9);
	random_state(f, &rng);
	assert_int_equal(dw_state_write(f->path, &f->doc), 0);
	f->doc.spec.depth = 99;
	assert_int_equal(dw_state_write(f->path, &f->doc), -ERANGE);
	assert_int_equal(dw_state_read(f->path, &back, &err), 0);
	assert_int_not_equal(back.spec.depth, 99);
	dw_state_deinit(&back);
}

static void crc(void **state)
{
	assert_true(dw_crc64("123456789", 9) == UINT64_C(0x995dc9bbdf1939fa));
	assert_true(dw_crc64("", 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc),
		cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(truncated, setup, teardown),
		cmocka_unit_test_setup_teardown(corrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(impossible, setup, teardown),
		cmocka_unit_test_setup_teardown(number_of_disks, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory_to_read, setup, teardown),
		cmocka_unit_test(faults_without_memory),
		cmocka_unit_test_setup_teardown(resume, setup, teardown),
		cmocka_unit_test_setup_teardown(without_name, setup, teardown),
		cmocka_unit_test_setup_teardown(failed_write, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
