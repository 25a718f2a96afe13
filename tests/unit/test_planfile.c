/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plan files: what is written is read back; what is not exactly a plan is refused with a
 * line that names the place; nothing but a regular file is touched.
 */
#include "docs.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"
#include "report/planfile.h"
#include "error_line.h"

static const char plan_text[] =
	"{\"document\": \"plan\", \"schema\": 1, \"tool\": {\"name\": \"x\"},\n"
	" \"job\": {\"strategy\": \"parallel\", \"active\": 0, \"depth\": 1,\n"
	"  \"controller\": \"fixed\", \"fixed_blocks\": 0, \"controller_buffer\": 2097152,\n"
	"  \"command\": \"auto\", \"method\": \"zero\", \"pattern\": \"\",\n"
	"  \"verify\": \"sample\", \"verify_percent\": 1, \"flush_bytes\": 68719476736,\n"
	"  \"flush_seconds\": 300, \"write_cache\": \"keep\", \"reserve\": true,\n"
	"  \"paths\": \"dynamic\", \"path_rate\": 1200000000,\n"
	"  \"stall_seconds\": 600, \"seed\": \"00000000000000ff\"},\n"
	" \"disks\": [{\"device\": \"/dev/sg3\", \"vendor\": \"SEAGATE\", \"model\": \"ST18\",\n"
	"  \"serial\": \"ZA1\", \"wwn\": \"0x5000c500a1b2c3d4\", \"block_size\": 512,\n"
	"  \"capacity_bytes\": 18000207937536}]}\n";

static int parse(const char *text, struct dw_plan_doc *ret_plan, struct dw_error *err)
{
	return dw_plan_parse(text, strlen(text), ret_plan, err);
}

static void golden(void **state)
{
	struct dw_plan_doc p;
	struct dw_error err = { 0 };

	assert_int_equal(parse(plan_text, &p, &err), 0);
	assert_int_equal(p.n, 1);
	assert_string_equal(p.spec.strategy, "parallel");
	assert_int_equal(p.spec.command, DW_COMMAND_AUTO);
	assert_int_equal(p.spec.verify, DW_VERIFY_SAMPLE);
	assert_true(p.spec.verify_percent == 1);
	assert_int_equal(p.spec.flush_bytes, UINT64_C(64) << 30);
	assert_true(p.spec.reserve && p.spec.write_cache == DW_WRITE_CACHE_KEEP);
	assert_int_equal(DW_PATHS_DYNAMIC, p.spec.paths);
	assert_int_equal(p.spec.seed, 255);
	assert_string_equal(p.entry[0].serial, "ZA1");
	assert_string_equal(p.entry[0].wwn, "0x5000c500a1b2c3d4");
	assert_int_equal(p.entry[0].capacity_bytes, 18000207937536);
	dw_plan_deinit(&p);
	assert_null(p.entry);
}

static void refused(void **state)
{
	static const struct {
		const char *old, *new, *err;
	} row[] = {
		{ "\"plan\"", "\"state\"", "not a plan" },
		{ "\"document\": \"plan\", ", "", "not a plan" },
		{ "\"schema\": 1", "\"schema\": 2", "schema" },
		{ "\"schema\": 1, ", "", "schema" },
		{ "\"schema\": 1", "\"schema\": \"1\"", "schema" },
		{ "\"schema\": 1", "\"schema\": 1, \"schema\": 1", "duplicate" },
		{ "\"tool\"", "\"tools\"", "tool: missing" },
		{ "\"schema\": 1", "\"schema\": 1, \"note\": 1", "note: unknown key" },
		{ "\"schema\": 1", "\"schema\": 1, \"a\\nb\": 1", "a?b: unknown key" },
		{ "\"depth\": 1", "\"depth\": 33", "job.depth: out of range" },
		{ "\"depth\": 1", "\"depth\": -1", "job.depth: out of range" },
		{ "\"depth\": 1", "\"depth\": 1.0", "job.depth: not a whole number" },
		{ "\"depth\": 1", "\"depth\": \"1\"", "job.depth: not a whole number" },
		{ "\"depth\": 1", "\"dept\": 1", "job.depth: missing" },
		{ "\"depth\": 1", "\"depth\": 1, \"dept\": 1", "job.dept: unknown key" },
		{ "\"active\": 0", "\"active\": 4294967296", "job.active: out of range" },
		{ "\"auto\"", "\"unmap\"", "job.command: not one of" },
		{ "\"sample\"", "null", "job.verify: not text" },
		{ "\"verify_percent\": 1", "\"verify_percent\": 0",
		  "verify_percent: out" },
		{ "\"verify_percent\": 1", "\"verify_percent\": 100.1",
		  "verify_percent: out" },
		{ "\"verify_percent\": 1", "\"verify_percent\": \"1\"", "not a number" },
		{ "\"zero\"", "\"zeros\"", "job.method: 'zeros'" },
		{ "\"pattern\": \"\"", "\"pattern\": \"0\"",
		  "job.pattern: '0': not a list" },
		{ "\"reserve\": true", "\"reserve\": 1", "neither true nor false" },
		{ "00000000000000ff", "0x000000000000ff", "16 hexadecimal" },
		{ "00000000000000ff", "ff", "16 hexadecimal" },
		{ "\"parallel\"", "\"parallel-parallel-parall\"",
		  "job.strategy: too long" },
		{ "\"ZA1\"", "\"ZA\\u0000\"", "line 10" },
		{ "\"ZA1\"", "\"ZA\xff\"", "line 10" },
		{ "\"ZA1\"", "17", "disks[0].serial: not text" },
		{ "\"block_size\": 512", "\"block_size\": 0",
		  "disks[0].block_size: out" },
		{ "\"block_size\": 512", "\"block_size\": 520", "no multiple" },
		{ "18000207937536", "18000207937537", "no multiple" },
		{ "18000207937536", "18446744073709551616", "line" },
		{ "18000207937536", "0", "capacity_bytes: out of range" },
		{ "}]}", "}, 7]}", "disks[1]: not an object" },
		{ "}]}", "}]} x", "end of file expected" },
		{ "}]}", "}]", "line" },
		{ "[{", "{\"a\": [{", "line" },
		{ "\"job\": {", "\"job\": [], \"joke\": {", "joke: unknown key" },
		{ "{\"document\"", "[{\"document\"", "line" },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		char *text = replaced(plan_text, row[i].old, row[i].new);
		struct dw_plan_doc p = { .n = 77 };
		struct dw_error err = { 0 };

		assert_int_equal(parse(text, &p, &err), -EINVAL);
		if (!strstr(error_line(&err), row[i].err) ||
		    strchr(error_line(&err), '\n'))
			fail_msg("%s -> %s: \"%s\"", row[i].old, row[i].new,
				 error_line(&err));
		assert_int_equal(p.n, 77);
		free(text);
	}
}

/* none is no plan, and neither are more than anybody can have looked at */
static void number_of_disks(void **state)
{
	static const size_t n[] = { 0, DW_DOC_DISKS_MAX + 1 };
	const char *disk = strstr(plan_text, "[{") + 1;
	size_t head = (size_t)(disk - plan_text), len = strlen(disk) - strlen("]}\n");

	for (size_t i = 0; i < DW_ARRAY_SIZE(n); i++) {
		struct dw_plan_doc p = { .n = 77 };
		struct dw_error err = { 0 };
		char *text = calloc(1, head + n[i] * (len + 1) + 8), *at = text + head;

		assert_non_null(text);
		memcpy(text, plan_text, head);
		for (size_t k = 0; k < n[i]; k++) {
			memcpy(at, disk, len);
			at += len;
			*at++ = ',';
		}
		strcpy(n[i] ? at - 1 : at, "]}");
		assert_int_equal(parse(text, &p, &err), -EINVAL);
		assert_string_equal(error_line(&err), "disks: not 1 to 4096 items");
		assert_int_equal(p.n, 77);
		free(text);
	}
}

static void identities(void **state)
{
	struct dw_plan_entry e[3] = {
		{ .serial = "A", .capacity_bytes = 512, .block_size = 512 },
		{ .wwn = "0x5", .capacity_bytes = 512, .block_size = 512 },
		{ .serial = "A", .capacity_bytes = 1024, .block_size = 512 },
	};
	struct dw_plan_doc p = { .entry = e, .n = 3 };
	struct dw_error err = { 0 };
	char *text;

	dw_job_spec_init(&p.spec);
	text = dw_plan_json(&p);
	assert_non_null(text);
	free(text);
	e[2].capacity_bytes = 512;
	assert_null(dw_plan_json(&p));
	assert_int_equal(dw_entries_check(e, 3, &err), -EINVAL);
	assert_string_equal(error_line(&err),
			    "disks[2]: same serial, WWN and capacity as disks[0]");
	e[2].serial[0] = '\0';
	assert_int_equal(dw_entries_check(e, 3, &err), -EINVAL);
	assert_string_equal(error_line(&err),
			    "disks[2]: neither serial nor WWN: cannot be recognised");
	assert_int_equal(dw_plan_write("/tmp/never-written", &p), -EINVAL);
	assert_int_equal(access("/tmp/never-written", F_OK), -1);
	p.n = 2;
	e[1].capacity_bytes = UINT64_MAX;
	assert_int_equal(dw_plan_write("/tmp/never-written", &p), -ERANGE);
	assert_int_equal(access("/tmp/never-written", F_OK), -1);
}

static void round_trip(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 5);
	for (int round = 0; round < 500; round++) {
		struct dw_plan_entry e[8];
		struct dw_plan_doc p = { .spec = random_spec(&rng),
					 .entry = e,
					 .n = 1 + dw_rng_below(&rng, 8) },
				   q;
		struct dw_error err = { 0 };
		char *text;

		for (size_t i = 0; i < p.n; i++) {
			e[i] = random_entry(&rng);
			e[i].serial[0] = (char)('0' + i);
		}
		text = dw_plan_json(&p);
		assert_non_null(text);
		if (parse(text, &q, &err) != 0)
			fail_msg("%s in: %s", error_line(&err), text);
		same_spec(&p.spec, &q.spec);
		assert_int_equal(p.n, q.n);
		for (size_t i = 0; i < p.n; i++)
			same_entry(&e[i], &q.entry[i]);
		dw_plan_deinit(&q);
		free(text);
	}
}

static void files(void **state)
{
	struct dw_error err = { 0 };
	char dir[] = "/tmp/dw-plan-XXXXXX", path[64], link[64];
	struct dw_plan_doc p, q;
	struct stat st;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/plan", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(parse(plan_text, &p, &err), 0);
	assert_int_equal(dw_plan_read(path, &q, &err), -ENOENT);
	assert_string_equal(err.reason, "No such file or directory");
	assert_string_equal(err.file, path);
	assert_int_equal(dw_plan_read(dir, &q, &err), -EINVAL);
	assert_string_equal(err.reason, "not a regular file");
	umask(027);
	assert_int_equal(dw_plan_write(path, &p), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(dw_plan_write(path, &p), 0);
	assert_int_equal(dw_plan_read(path, &q, &err), 0);
	same_spec(&p.spec, &q.spec);
	same_entry(p.entry, q.entry);
	dw_plan_deinit(&q);
	/* through a link: the link stays, the file is replaced */
	assert_int_equal(symlink("plan", link), 0);
	p.spec.depth = 7;
	assert_int_equal(dw_plan_write(link, &p), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(dw_plan_read(path, &q, &err), 0);
	assert_int_equal(q.spec.depth, 7);
	dw_plan_deinit(&q);
	/* and nothing was left lying about */
	unlink(link);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	dw_plan_deinit(&p);
}

static void not_files(void **state)
{
	char dir[] = "/tmp/dw-plan-XXXXXX", path[64];
	char *text;
	struct stat st;
	size_t len;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	assert_int_equal(dw_file_replace(dir, "x", 1, 0600), -EINVAL);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(dw_file_replace(path, "x", 1, 0600), -EINVAL);
	assert_int_equal(dw_file_read(path, 10, &text, &len), -EINVAL);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(dw_file_replace(path, "x", 1, 0600), -EINVAL);
	unlink(path);
	assert_int_equal(symlink("gone", path), 0);
	assert_int_equal(dw_file_replace(path, "x", 1, 0600), -ENOLINK);
	unlink(path);
	assert_int_equal(dw_file_replace(path, "0123456789", 10, 0600), 0);
	assert_int_equal(dw_file_read(path, 9, &text, &len), -EFBIG);
	assert_int_equal(dw_file_read(path, 10, &text, &len), 0);
	assert_string_equal(text, "0123456789");
	assert_int_equal(len, 10);
	free(text);
	unlink(path);
	snprintf(path, sizeof(path), "%s/gone/x", dir);
	assert_int_equal(dw_file_replace(path, "x", 1, 0600), -ENOENT);
	assert_int_equal(rmdir(dir), 0);
}

/* The disk is full, or may not be used: the old file stands, and nothing beside it. */
static void no_room(void **state)
{
	char dir[] = "/tmp/dw-plan-XXXXXX", path[64], *text;
	struct rlimit before, tight;
	size_t len;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	assert_int_equal(dw_file_replace(path, "old", 3, 0600), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	tight = before;
	tight.rlim_cur = 5;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	assert_int_equal(dw_file_replace(path, "0123456789", 10, 0600), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(dw_file_read(path, 10, &text, &len), 0);
	assert_string_equal(text, "old");
	free(text);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden),     cmocka_unit_test(refused),
		cmocka_unit_test(identities), cmocka_unit_test(round_trip),
		cmocka_unit_test(files),      cmocka_unit_test(not_files),
		cmocka_unit_test(no_room),    cmocka_unit_test(number_of_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
