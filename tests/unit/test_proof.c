/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records: ssh-keygen believes what we sign and we what it signs; what was changed, taken away,
 * repeated or put elsewhere is found; what was cut off is finished.
 */
#include "unit.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <diskwipe/diskwipe.h>

#include "base/rng.h"
#include "base/util.h"
#include "docs.h"
#include "error_line.h"
#include "file/file.h"
#include "proof/proof.h"

#define RECORDS 12
#define KILLS   60

struct fixture {
	char dir[48];
	char key[64];
	char ledger[64];
	char spare[64];
};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int shell(const char *command)
{
	int status = system(command); /* NOLINT(cert-env33-c) */

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (shell(command))
		fail_msg("failed: %s", command);
}

static unsigned int naps; /* who waits for a lock is told that the time has passed */

int nanosleep(const struct timespec *time, struct timespec *left)
{
	naps++;
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_non_null(mkdtemp(scratch_name(f->dir, sizeof(f->dir), "proof")));
	snprintf(f->key, sizeof(f->key), "%s/key", f->dir);
	snprintf(f->ledger, sizeof(f->ledger), "%s/ledger", f->dir);
	snprintf(f->spare, sizeof(f->spare), "%s/spare", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	run("rm -rf %s", f->dir);
	free(f);
	return 0;
}

static void make_key(struct fixture *f)
{
	struct dw_error err = { 0 };
	char *line = NULL;

	if (dw_record_key(f->key, "station@example.org", &line, &err))
		fail_msg("%s", error_line(&err));
	assert_non_null(strstr(line, "station@example.org namespaces=\"diskwipe-record\" "
				     "ssh-ed25519 AAAA"));
	free(line);
}

static void some_record(struct dw_rng *rng, int n, struct dw_proof *p)
{
	static struct dw_disk_result disk;
	static struct dw_pass_result pass = {
		.pattern = "00", .command = "write", .seconds = 1.5, .bytes = 4096
	};
	static struct dw_exception bad = { .lba = 7, .blocks = 2, .sense = "3/0c/00" };
	struct dw_job_result r = { .disk = &disk, .n_disks = 1 };

	disk = (struct dw_disk_result){
		.outcome = DW_OUTCOME_EXCEPTIONS,
		.pass = &pass,
		.n_passes = 1,
		.exception = &bad,
		.n_exceptions = 1,
		.seconds = 12.25,
		.verify = { .bound = 0.0046000002, .done = DW_VERIFIED_SAMPLE },
		.restored = { { .by = DW_HIDDEN_HPA, .blocks = 8 } },
		.n_restored = 1,
		.health_before = { .state = DW_HEALTH_GOOD, .grown_defects = -1 },
		.health_after = { .state = DW_HEALTH_FAILING, .grown_defects = 3 },
	};
	random_text(rng, disk.info.serial, sizeof(disk.info.serial), false);
	random_text(rng, disk.reason, sizeof(disk.reason), true);
	disk.info.blocks = random_bits(rng, 40);
	disk.info.password_left = true;
	disk.purge_requested = true;
	disk.purge_attested = n % 2;
	snprintf(r.id, sizeof(r.id), "%08d-0000-4000-8000-000000000000", n);
	assert_int_equal(0, dw_proof_of(&r, 0, NULL, p));
	assert_true(p->purge_requested);
	assert_int_equal(n % 2, p->purge_attested);
}

static void fill(struct fixture *f, int from, int n)
{
	struct dw_error err = { 0 };
	struct dw_ledger *l;
	struct dw_rng rng;

	dw_rng_seed(&rng, (uint64_t)from + 1);
	if (dw_ledger_open(f->ledger, f->key, &l, &err))
		fail_msg("%s", error_line(&err));
	for (int i = from; i < from + n; i++) {
		struct dw_proof p;

		some_record(&rng, i, &p);
		if (dw_ledger_add(l, &p, &err))
			fail_msg("%s", error_line(&err));
		assert_int_equal(1, dw_ledger_add(l, &p, &err)); /* once is enough */
		dw_proof_deinit(&p);
	}
	dw_ledger_close(l);
}

/* faults, or -1 when it cannot be looked at */
static int faults_of(struct fixture *f, uint64_t *ret_records)
{
	struct dw_proof_check c;
	struct dw_error err = { 0 };
	char signers[80];
	int n;

	snprintf(signers, sizeof(signers), "%s/allowed_signers", f->ledger);
	if (dw_ledger_check(f->ledger, signers, &c, &err))
		return -1;
	n = (int)c.n;
	if (ret_records)
		*ret_records = c.records;
	dw_proof_check_deinit(&c);
	return n;
}

static void whole(struct fixture *f, uint64_t records)
{
	uint64_t n = 0;

	assert_int_equal(0, faults_of(f, &n));
	assert_int_equal(records, n);
}

static void signatures_are_those_of_the_standard(void **state)
{
	/* RFC 8032, 7.1, TEST 2 */
	uint8_t seed[32], key[32], want[64], got[64], message = 0x72;

	(void)state;
	unhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", seed,
	      sizeof(seed));
	unhex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
	      want, sizeof(want));
	assert_int_equal(0, dw_ed25519_public(seed, key));
	assert_int_equal(0, dw_ed25519_sign(seed, &message, 1, got));
	assert_memory_equal(want, got, sizeof(want));
	assert_int_equal(0, dw_ed25519_verify(key, &message, 1, got));
	got[63] ^= 0x10;
	assert_int_equal(1, dw_ed25519_verify(key, &message, 1, got));
}

static void base_64_has_one_form(void **state)
{
	static const char *const wrong[] = { "",     "QQ",   "QR==", "QQ= ",
					     "Q Q=", "QQ=A", "Q===", "QUJD\n" };
	uint8_t *data;
	size_t len;

	(void)state;
	assert_int_equal(0, dw_base64_parse("QUI=", 4, &data, &len));
	assert_int_equal(2, len);
	assert_memory_equal("AB", data, 2);
	free(data);
	for (size_t i = 0; i < DW_ARRAY_SIZE(wrong); i++)
		assert_int_equal(-EINVAL, dw_base64_parse(wrong[i], strlen(wrong[i]),
							  &data, &len));
}

static void ssh_keygen_agrees(void **state)
{
	struct fixture *f = *state;
	struct dw_error err = { 0 };
	char theirs[80];

	if (shell("command -v ssh-keygen >/dev/null"))
		skip();
	make_key(f);
	fill(f, 0, 3);
	/* it reads our keys, and believes our signatures, those of this purpose only */
	run("ssh-keygen -y -f %s | cut -d' ' -f1,2 >%s/a && cut -d' ' -f1,2 %s.pub | cmp - "
	    "%s/a",
	    f->key, f->dir, f->key, f->dir);
	for (int i = 1; i <= 3; i++)
		run("ssh-keygen -Y verify -f %s/allowed_signers -I station@example.org -n "
		    "diskwipe-record -s %s/record-%08d.json.sig <%s/record-%08d.json "
		    ">/dev/null",
		    f->ledger, f->ledger, i, f->ledger, i);
	run("! ssh-keygen -Y verify -f %s/allowed_signers -I station@example.org -n file -s "
	    "%s/record-00000001.json.sig <%s/record-00000001.json >/dev/null 2>&1",
	    f->ledger, f->ledger, f->ledger);
	/* we read its keys, and believe its signatures */
	snprintf(theirs, sizeof(theirs), "%s/theirs", f->dir);
	run("ssh-keygen -q -t ed25519 -N '' -C other -f %s", theirs);
	run("rm %s %s.pub; mv %s %s; mv %s.pub %s.pub", f->key, f->key, theirs, f->key,
	    theirs, f->key);
	run("sed 's/^/other /' %s.pub >>%s/allowed_signers", f->key, f->ledger);
	run("cd %s && ssh-keygen -q -Y sign -f %s -n diskwipe-record <record-00000002.json "
	    ">record-00000002.json.sig",
	    f->ledger, f->key);
	whole(f, 3);
	fill(f, 3, 2);
	whole(f, 5);
	/* one with a passphrase is not ours to open */
	run("ssh-keygen -q -p -N secret -f %s >/dev/null", f->key);
	struct dw_ledger *l;

	assert_int_equal(-EINVAL, dw_ledger_open(f->ledger, f->key, &l, &err));
	assert_non_null(strstr(err.reason, "passphrase"));
}

static void an_agent_signs(void **state)
{
	struct fixture *f = *state;
	struct dw_error err = { 0 };
	struct dw_ledger *l;
	char socket[80], pid[80];

	if (shell("command -v ssh-agent >/dev/null"))
		skip();
	make_key(f);
	snprintf(socket, sizeof(socket), "%s/agent", f->dir);
	snprintf(pid, sizeof(pid), "%s/pid", f->dir);
	run("ssh-agent -a %s | sed -n 's/^SSH_AGENT_PID=\\([0-9]*\\);.*/\\1/p' >%s",
	    socket, pid);
	setenv("SSH_AUTH_SOCK", socket, 1);
	run("ssh-add -q %s 2>/dev/null && rm %s", f->key, f->key);
	snprintf(f->key, sizeof(f->key), "%s/key.pub", f->dir);
	fill(f, 0, 2);
	whole(f, 2);
	/* it removes its socket as it ends; until then it may still sign */
	run("kill $(cat %s); for i in $(seq 1000); do test -e %s || exit 0; sleep 0.01; "
	    "done; exit 1",
	    pid, socket);
	assert_int_equal(0, dw_ledger_open(f->ledger, f->key, &l, &err));
	struct dw_proof p = { .id = "x" };

	assert_int_equal(-ENOKEY, dw_ledger_add(l, &p, &err));
	dw_ledger_close(l);
	unsetenv("SSH_AUTH_SOCK");
}

static void records_come_back(void **state)
{
	struct dw_rng rng;

	(void)state;
	dw_rng_seed(&rng, 3);
	for (int i = 0; i < 200; i++) {
		struct dw_error err = { 0 };
		struct dw_proof p, back;
		char *text, *again;

		some_record(&rng, i, &p);
		p.sequence = 1 + random_bits(&rng, 62);
		text = dw_proof_json(&p);
		assert_non_null(text);
		for (const char *c = text; *c; c++)
			assert_true(*c == '\n' ? !c[1] : *c >= 0x20 && *c < 0x7f);
		if (dw_proof_parse(text, strlen(text), &back, &err))
			fail_msg("%s", error_line(&err));
		again = dw_proof_json(&back);
		assert_string_equal(text, again);
		assert_string_equal(p.info.serial, back.info.serial);
		assert_int_equal(4600001, back.verify.bound_ppb);
		assert_int_equal(12250000, back.microseconds);
		assert_int_equal(1, back.n_exceptions);
		assert_int_equal(7, back.exception[0].lba);
		assert_string_equal("none", back.level);
		dw_proof_deinit(&back);
		/* blanks, another order, a key twice: not the form that is signed */
		text[0] = ' ';
		assert_int_equal(-EINVAL,
				 dw_proof_parse(text, strlen(text), &back, &err));
		free(text);
		free(again);
		dw_proof_deinit(&p);
	}
}

/* The part of diskwipe-record(5) that lists the keys. */
static char *read_page(void)
{
	char path[4096], *text = calloc(1, 65536), *at;
	FILE *f;

	assert_non_null(getenv("DW_TEST_DATA"));
	snprintf(path, sizeof(path), "%s/../../man/diskwipe-record.5",
		 getenv("DW_TEST_DATA"));
	f = fopen(path, "re");
	assert_non_null(f);
	assert_true(text && fread(text, 1, 65535, f) > 1000);
	fclose(f);
	at = strstr(text, ".Ss Form of a record");
	assert_non_null(at);
	memmove(text, at, strlen(at) + 1);
	at = strstr(text, ".Ss Form of other documents");
	if (!at)
		at = strstr(text, ".Sh EXAMPLES");
	assert_non_null(at);
	*at = '\0';
	return text;
}

/* Is @key a word of a line of the page that begins with @macro? */
static bool page_names(const char *page, const char *macro, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = page; line; line = strchr(line, '\n')) {
		const char *end, *at;

		line += *line == '\n';
		end = line + strcspn(line, "\n");
		if (strncmp(line, macro, strlen(macro)))
			continue;
		for (at = strstr(line, key); at && at < end; at = strstr(at + 1, key))
			if (at[-1] == ' ' && (at[len] == ' ' || at[len] == '\n'))
				return true;
	}
	return false;
}

static void keys_are_on_the_page(const json_t *v, const char *page)
{
	const char *key;
	json_t *inner;
	size_t i;

	json_object_foreach((json_t *)v, key, inner)
	{
		if (!page_names(page, ".Li ", key) && !page_names(page, ".It Li ", key))
			fail_msg("diskwipe-record(5) does not have %s", key);
		keys_are_on_the_page(inner, page);
	}
	json_array_foreach((json_t *)v, i, inner) keys_are_on_the_page(inner, page);
}

static void the_page_has_all_keys_and_no_other(void **state)
{
	struct dw_rng rng;
	char *page = read_page(), *text, *rest = NULL, *word, *line;
	struct dw_proof p;
	json_t *doc;

	dw_rng_seed(&rng, 5);
	some_record(&rng, 1, &p);
	snprintf(p.previous, sizeof(p.previous), "0");
	snprintf(p.key_check, sizeof(p.key_check), "0");
	snprintf(p.simulation, sizeof(p.simulation), "s");
	snprintf(p.asked_by, sizeof(p.asked_by), "a");
	p.level_table = 1;
	snprintf(p.station, sizeof(p.station), "s");
	snprintf(p.customer, sizeof(p.customer), "c");
	snprintf(p.order_number, sizeof(p.order_number), "o");
	snprintf(p.asset, sizeof(p.asset), "t");
	p.started = p.finished = p.written = (struct timespec){ .tv_sec = 1 };
	p.sequence = 1;
	p.second = (struct dw_second){ .draw = 1, .drawn.sequence = 1, .compared = 1 };
	text = dw_proof_json(&p);
	assert_non_null(text);
	doc = json_loads(text, 0, NULL);
	assert_non_null(doc);
	keys_are_on_the_page(doc, page);
	for (line = strstr(page, "\n.It Li "); line; line = strstr(line, "\n.It Li ")) {
		char words[256];

		line += strlen("\n.It Li ");
		snprintf(words, sizeof(words), "%.*s", (int)strcspn(line, "\n"), line);
		rest = words;
		while ((word = strsep(&rest, " ,")))
			if (word[0] && !json_object_get(doc, word))
				fail_msg("no record has %s", word);
	}
	json_decref(doc);
	free(text);
	free(page);
	dw_proof_deinit(&p);
}

static void an_attempt_is_found_behind_others(void **state)
{
	struct fixture *f = *state;
	char id[64] = "00000002-0000-4000-8000-000000000000/0";
	struct dw_ledger *l, *other;
	uint64_t n = 0;

	make_key(f);
	fill(f, 1, 5);
	assert_int_equal(0, dw_ledger_open_now(f->ledger, f->key, &l, NULL));
	assert_int_equal(1, dw_ledger_find(l, id, 0, &n, NULL));
	assert_int_equal(2, n);
	assert_int_equal(1, dw_ledger_find(l, id, 1, &n, NULL));
	assert_int_equal(0, dw_ledger_find(l, id, 2, &n, NULL));
	assert_int_equal(0, dw_ledger_find(l, id, 5, &n, NULL));
	assert_int_equal(1, dw_ledger_find(l, id, 6, &n, NULL));
	assert_int_equal(0, dw_ledger_find(l, "other/0", 0, &n, NULL));
	naps = 0;
	assert_int_equal(-EBUSY, dw_ledger_open_now(f->ledger, f->key, &other, NULL));
	assert_in_range(naps, 0, 1);
	assert_int_equal(-EBUSY, dw_ledger_open(f->ledger, f->key, &other, NULL));
	assert_in_range(naps, 10, 100000); /* it waits for who has the lock */
	run("cd %s && sed -i s/schema/schemb/ record-00000004.json", f->ledger);
	assert_int_equal(-EINVAL, dw_ledger_find(l, id, 0, &n, NULL));
	dw_ledger_close(l);
}

static void refused_disks_have_records(void **state)
{
	struct dw_refused refused = { .device = "/dev/sg3",
				      .verdict = { .reason = "it is mounted" } };
	struct dw_job_result r = { .refused = &refused, .n_refused = 1, .id = "job" };
	struct dw_proof p;

	(void)state;
	assert_int_equal(0, dw_proof_of(&r, 0, NULL, &p));
	assert_string_equal("refused", p.outcome);
	assert_string_equal("none", p.level);
	assert_string_equal("/dev/sg3", p.device);
	assert_string_equal("job/r0", p.id);
	dw_proof_deinit(&p);
	assert_int_equal(-EINVAL, dw_proof_of(&r, 1, NULL, &p));
}

/* One byte of one of the ledger's files is another. */
static void change_a_byte(struct fixture *f, struct dw_rng *rng)
{
	char *names[256], path[400];
	size_t n = 0;
	DIR *d = opendir(f->ledger);
	struct dirent *e;
	uint64_t at;
	struct stat st;
	FILE *file;
	int c;

	assert_non_null(d);
	while ((e = readdir(d)) && n < DW_ARRAY_SIZE(names))
		if (strstr(e->d_name, ".json"))
			names[n++] = strdup(e->d_name);
	closedir(d);
	qsort(names, n, sizeof(*names), (int (*)(const void *, const void *))alphasort);
	snprintf(path, sizeof(path), "%s/%s", f->ledger, names[dw_rng_below(rng, n)]);
	while (n)
		free(names[--n]);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(0, fstat(fileno(file), &st));
	at = dw_rng_below(rng, (uint64_t)st.st_size);
	fseek(file, (long)at, SEEK_SET);
	c = fgetc(file);
	fseek(file, (long)at, SEEK_SET);
	fputc(c ^ (int)(1 + dw_rng_below(rng, 255)), file);
	fclose(file);
}

static void restore(struct fixture *f)
{
	run("rm -rf %s && cp -a %s %s", f->ledger, f->spare, f->ledger);
}

static void every_changed_byte_is_found(void **state)
{
	struct fixture *f = *state;
	struct dw_rng rng;

	make_key(f);
	fill(f, 0, RECORDS);
	whole(f, RECORDS);
	run("cp -a %s %s", f->ledger, f->spare);
	dw_rng_seed(&rng, 5);
	for (int i = 0; i < 200; i++) {
		change_a_byte(f, &rng);
		if (!faults_of(f, NULL))
			fail_msg("change %d is not found", i);
		restore(f);
		assert_int_equal(0, faults_of(f, NULL));
	}
}

static void what_is_missing_or_misplaced_is_found(void **state)
{
	static const char *const acts[] = {
		"rm %1$s/record-%2$08d.json",
		"rm %1$s/record-%2$08d.json.sig",
		"rm %1$s/record-%2$08d.json*",
		"rm %1$s/head-*",
		"rm %1$s/head-*.sig",
		/* the last record and its head: no head says that the one before was last */
		"rm %1$s/head-* %1$s/record-00000012.json*",
		"for s in '' .sig; do cp %1$s/record-%2$08d.json$s "
		"%1$s/record-00000013.json$s; done",
		"for s in '' .sig; do cp %1$s/record-%2$08d.json$s "
		"%1$s/record-%3$08d.json$s; done",
		"for s in '' .sig; do mv %1$s/record-%2$08d.json$s %1$s/x$s; mv "
		"%1$s/record-%3$08d.json$s %1$s/record-%2$08d.json$s; mv %1$s/x$s "
		"%1$s/record-%3$08d.json$s; done",
		"for s in '' .sig; do mv %1$s/head-00000012.json$s "
		"%1$s/head-00000011.json$s; rm %1$s/record-00000012.json$s; done",
		"echo '# nobody' >%1$s/allowed_signers",
	};
	struct fixture *f = *state;

	make_key(f);
	fill(f, 0, RECORDS);
	run("cp -a %s %s", f->ledger, f->spare);
	for (size_t i = 0; i < DW_ARRAY_SIZE(acts); i++) {
		for (int a = 1; a <= RECORDS; a += 4) {
			char command[512];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(command, sizeof(command), acts[i], f->ledger, a,
				 a % RECORDS + 1);
#pragma GCC diagnostic pop
			run("%s", command);
			if (!faults_of(f, NULL))
				fail_msg("not found: %s", command);
			restore(f);
		}
	}
	whole(f, RECORDS);
}

/* The reason of the only fault that there is to be; a record that is not whole makes more. */
static void found_is(struct fixture *f, const char *reason)
{
	struct dw_proof_check c;
	char signers[80];

	snprintf(signers, sizeof(signers), "%s/allowed_signers", f->ledger);
	assert_int_equal(0, dw_ledger_check(f->ledger, signers, &c, NULL));
	assert_true(c.n > 0);
	if (!strstr(c.fault[0].reason, reason))
		fail_msg("'%s', not '%s'", c.fault[0].reason, reason);
	dw_proof_check_deinit(&c);
}

/* All of these are signed by the right key, and stand in a ledger of it: the chain alone tells. */
static void what_is_of_another_ledger_is_found(void **state)
{
	struct fixture *f = *state;
	char here[64];

	memcpy(here, f->ledger, sizeof(here));
	make_key(f);
	fill(f, 0, 4);
	run("cp -a %s %s/fork", here, f->dir);
	fill(f, 4, 1);
	run("cp -a %s %s", here, f->spare);
	snprintf(f->ledger, sizeof(f->ledger), "%s/fork", f->dir);
	fill(f, 50, 1);
	snprintf(f->ledger, sizeof(f->ledger), "%s/other", f->dir);
	fill(f, 90, 5);
	memcpy(f->ledger, here, sizeof(here));
	run("cp %s/other/record-00000003.json* %s", f->dir, here);
	found_is(f, "the record before it is not the one that it names");
	restore(f);
	run("cp %s/fork/record-00000005.json* %s", f->dir, here);
	found_is(f, "record 5 is not the one that it names");
	restore(f);
	run("for s in '' .sig; do cp %s/record-00000002.json$s %s/record-00000003.json$s; done",
	    here, here);
	found_is(f, "it is record 2, not 3");
	restore(f);
	/* the same signature in lines of another length */
	run("sed -i '2{h;s/.*\\(.\\)$/\\1/;x;s/.$//;G}' %s/record-00000002.json.sig",
	    here);
	found_is(f, "its signature is none");
}

static void signers_have_their_time_and_purpose(void **state)
{
	static const struct {
		const char *line;
		bool good;
	} rows[] = {
		{ "a %s", true },
		{ "a namespaces=\"diskwipe-*\" %s", true },
		{ "a namespaces=\"git,file\" %s", false },
		{ "a valid-after=\"20200101\" %s", true },
		{ "a valid-after=\"20990101\" %s", false },
		{ "a valid-before=\"20200101120000Z\" %s", false },
		{ "a valid-before=\"20990101\",namespaces=\"diskwipe-record\" %s x",
		  true },
	};
	struct fixture *f = *state;

	make_key(f);
	fill(f, 0, 2);
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		run("printf '%s\\n' \"$(cut -d' ' -f1,2 %s.pub)\" >%s/allowed_signers",
		    rows[i].line, f->key, f->ledger);
		if ((faults_of(f, NULL) == 0) != rows[i].good)
			fail_msg("row %zu", i);
	}
	run("echo 'a cert-authority ssh-ed25519 AAAA' >%s/allowed_signers", f->ledger);
	assert_int_equal(-1, faults_of(f, NULL));
}

/* Adds records until it is killed; each is told through the pipe when it is there. */
static void add_for_ever(const struct fixture *f, int pipe_end, int from)
{
	struct dw_ledger *l;
	struct dw_rng rng;

	dw_rng_seed(&rng, (uint64_t)from);
	if (dw_ledger_open(f->ledger, f->key, &l, NULL))
		_exit(1);
	for (int i = from;; i++) {
		struct dw_proof p;

		some_record(&rng, i, &p);
		if (dw_ledger_add(l, &p, NULL) || write(pipe_end, "x", 1) != 1)
			_exit(1);
		dw_proof_deinit(&p);
	}
}

/* What was told to be there is, and no more than the one that was being written; none is half. */
static void a_kill_at_any_moment_loses_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t records = 0, told = 0;
	struct dw_rng rng;
	char buf[4096];

	make_key(f);
	dw_rng_seed(&rng, 77);
	for (int k = 0; k < KILLS; k++) {
		struct timespec nap = { .tv_nsec = (long)dw_rng_below(&rng, 1000000) };
		int ends[2], status, made = pipe(ends);
		pid_t child = fork();
		ssize_t n;

		assert_true(!made && child >= 0);
		if (!child)
			add_for_ever(f, ends[1], 1000 * (k + 1));
		close(ends[1]);
		if (k % 2) { /* while records are written; else at any moment */
			assert_int_equal(1, read(ends[0], buf, 1));
			told++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		kill(child, SIGKILL);
		assert_int_equal(child, waitpid(child, &status, 0));
		assert_true(WIFSIGNALED(status));
		while ((n = read(ends[0], buf, sizeof(buf))) > 0)
			told += (uint64_t)n;
		close(ends[0]);
		fill(f, 100 * KILLS * 1000 + k, 1); /* what was cut off is finished */
		told++;
		assert_int_equal(0, faults_of(f, &records));
		assert_true(records >= told && records <= told + 1);
		told = records;
	}
}

/* Killed after its record was written, and before the head was: the record is kept. */
static void a_record_without_its_head_is_kept(void **state)
{
	struct fixture *f = *state;

	make_key(f);
	fill(f, 0, 2);
	run("cp %1$s/head-00000002.json %1$s.head && "
	    "cp %1$s/head-00000002.json.sig %1$s.head.sig",
	    f->ledger);
	fill(f, 2, 1);
	run("for s in '' .sig; do mv %1$s.head$s %1$s/head-00000002.json$s && "
	    "rm %1$s/head-00000003.json$s; done",
	    f->ledger);
	fill(f, 3, 1);
	whole(f, 4);
}

/* Yesterday's last head stays as the mark of its day, and is none that the ledger could end in. */
static void each_day_leaves_its_mark(void **state)
{
	struct fixture *f = *state;
	struct dw_ssh_key key;
	struct dw_signed s;
	struct dw_head head;
	char path[100], *text;

	make_key(f);
	fill(f, 0, 2);
	snprintf(path, sizeof(path), "%s/head-00000002.json", f->ledger);
	assert_int_equal(0, dw_ssh_key_load(f->key, &key, NULL));
	assert_int_equal(0, dw_signed_read(path, 4096, &s));
	assert_int_equal(0, dw_head_parse(DW_LEDGER_HEAD, s.text, s.len, &head, NULL));
	assert_int_equal(-EINVAL,
			 dw_head_parse(DW_LEDGER_DAY, s.text, s.len, &head, NULL));
	dw_signed_deinit(&s);
	assert_int_equal(0, dw_signed_read(path, 4096, &s));
	assert_int_equal(0, dw_head_parse(DW_LEDGER_HEAD, s.text, s.len, &head, NULL));
	head.written.tv_sec -= 86400;
	text = dw_head_json(DW_LEDGER_HEAD, &head);
	assert_int_equal(0, dw_signed_write(path, text, &key));
	free(text);
	dw_signed_deinit(&s);
	fill(f, 2, 1);
	run("test -e %s/day-00000002.json -a ! -e %s", f->ledger, path);
	whole(f, 3);
	run("cd %s; cp head-*3.json head-00000002.json; mv day-*2.json x", f->ledger);
	assert_int_equal(1, faults_of(f, NULL)); /* the day, not the unsigned head */
	/* back to that day: nothing says that it was the end */
	run("cd %s; rm record-*3.json* head-*; mv x day-00000002.json", f->ledger);
	assert_true(faults_of(f, NULL) > 0);
	run("for s in '' .sig; do mv %s/day-00000002.json$s %s$s; done", f->ledger, path);
	assert_true(faults_of(f, NULL) > 0);
}

static void bad_keys_are_refused(void **state)
{
	struct fixture *f = *state;
	struct dw_error err = { 0 };
	struct dw_ledger *l;
	char *line;

	make_key(f);
	assert_int_equal(-EEXIST, dw_record_key(f->key, "a", &line, &err));
	assert_non_null(strstr(error_line(&err), "no key is written over"));
	assert_int_equal(-EINVAL, dw_record_key(f->spare, "a b", &line, &err));
	assert_int_equal(-EINVAL, dw_record_key(f->spare, "", &line, &err));
	run("chmod 644 %s", f->key);
	assert_int_equal(-EPERM, dw_ledger_open(f->ledger, f->key, &l, &err));
	run("chmod 600 %s; echo x >%s", f->key, f->key);
	assert_int_equal(-EINVAL, dw_ledger_open(f->ledger, f->key, &l, &err));
	assert_int_equal(-ENOENT, dw_ledger_open(f->ledger, f->spare, &l, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_are_those_of_the_standard),
		cmocka_unit_test(base_64_has_one_form),
		cmocka_unit_test(records_come_back),
		cmocka_unit_test(the_page_has_all_keys_and_no_other),
		cmocka_unit_test(refused_disks_have_records),
		TEST(an_attempt_is_found_behind_others),
		TEST(ssh_keygen_agrees),
		TEST(an_agent_signs),
		TEST(every_changed_byte_is_found),
		TEST(what_is_missing_or_misplaced_is_found),
		TEST(what_is_of_another_ledger_is_found),
		TEST(signers_have_their_time_and_purpose),
		TEST(a_kill_at_any_moment_loses_nothing),
		TEST(a_record_without_its_head_is_kept),
		TEST(each_day_leaves_its_mark),
		TEST(bad_keys_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
