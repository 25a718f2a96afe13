/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces: what is written is read back; what has been changed is refused with its line; what
 * was cut off is read up to there.
 */
#include "docs.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"
#include "report/pack.h"
#include "report/record.h"
#include "report/trace.h"
#include "trace_text.h"
#include "error_line.h"

#define DISKS 3
#define LINES 200

struct fixture {
	char path[48];
	struct dw_trace_disk disk[DISKS];
	struct dw_trace_node node[2];
	struct dw_op op[LINES];
	struct dw_result result[LINES];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	close(mkstemp(scratch_name(f->path, sizeof(f->path), "trace")));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int r = unlink(f->path);

	free(f);
	return r;
}

static void random_disk(struct dw_rng *rng, struct dw_trace_disk *d)
{
	memset(d, 0, sizeof(*d));
	d->blocks = 1 + dw_rng_below(rng, 1 << 30);
	d->block_size = 512;
	d->rotation = (uint32_t)dw_rng_below(rng, 15001);
	d->write_cache = (uint8_t)dw_rng_below(rng, 3);
	random_text(rng, d->device, sizeof(d->device), true);
	random_text(rng, d->vendor, sizeof(d->vendor), true);
	random_text(rng, d->model, sizeof(d->model), true);
	random_text(rng, d->serial, sizeof(d->serial), true);
	strcpy(d->on, "port-1 port-2");
}

static void random_line(struct fixture *f, struct dw_rng *rng, size_t i)
{
	struct dw_op *op = &f->op[i];
	struct dw_result *r = &f->result[i];

	*op = (struct dw_op){
		.disk = (uint32_t)dw_rng_below(rng, DISKS),
		.verb = (uint8_t)dw_rng_below(rng, DW_VERB_COUNT),
		.pass = (uint8_t)dw_rng_below(rng, 64),
		.step = random_bits(rng, 62),
		.run = (uint32_t)dw_rng_below(rng, 3),
	};
	op->lba = dw_rng_below(rng, f->disk[op->disk].blocks);
	op->nlb = (uint32_t)dw_rng_below(rng, f->disk[op->disk].blocks - op->lba);
	r->class = (uint8_t)dw_rng_below(rng, DW_CLASS_COUNT);
	r->path = (uint8_t)dw_rng_below(rng, DW_PATHS_MAX + 1);
	r->submit_ns = 1000 + random_bits(rng, 50);
	r->start_ns = r->submit_ns + random_bits(rng, 40);
	r->end_ns = r->start_ns + random_bits(rng, 40);
}

static struct dw_trace_head random_trace(struct fixture *f, uint64_t seed)
{
	struct dw_rng rng;
	struct dw_trace_head head = {
		.run = { .version = "0.1.0",
			 .started = "1970-01-01T00:00:00+00:00",
			 .simulation = "exact",
			 .verify_only = true },
		.node = f->node,
		.n_nodes = 2,
		.disk = f->disk,
		.n_disks = DISKS,
	};

	dw_rng_seed(&rng, seed);
	head.spec = random_spec(&rng);
	head.spec.trace_full = true;
	f->node[0] = (struct dw_trace_node){ "pcie", DW_TRACE_LINK, "", 15700000000 };
	f->node[1] = (struct dw_trace_node){ "port-1", DW_TRACE_BUS, "pcie", 0 };
	for (size_t i = 0; i < DISKS; i++)
		random_disk(&rng, &f->disk[i]);
	for (size_t i = 0; i < LINES; i++)
		random_line(f, &rng, i);
	return head;
}

static void write_trace(struct fixture *f, const struct dw_trace_head *head)
{
	struct dw_trace *t;

	assert_int_equal(dw_trace_open(f->path, 1000, head, &t), 0);
	for (size_t i = 0; i < LINES; i++)
		dw_trace_line(t, &f->op[i], &f->result[i]);
	dw_trace_end(t, DW_OUTCOME_EXCEPTIONS, 123456);
	assert_int_equal(dw_trace_close(t), 0);
}

static void same_head(const struct dw_trace_head *a, const struct dw_trace_head *b)
{
	assert_memory_equal(&a->run, &b->run, sizeof(a->run));
	same_spec(&a->spec, &b->spec);
	assert_int_equal(a->n_nodes, b->n_nodes);
	for (uint32_t i = 0; i < a->n_nodes; i++) {
		assert_string_equal(a->node[i].name, b->node[i].name);
		assert_string_equal(a->node[i].on, b->node[i].on);
		assert_int_equal(a->node[i].kind, b->node[i].kind);
		assert_true(a->node[i].rate == b->node[i].rate);
	}
	assert_int_equal(a->n_disks, b->n_disks);
	assert_memory_equal(a->disk, b->disk, a->n_disks * sizeof(*a->disk));
}

static void same_line(const struct dw_trace_command *c, const struct dw_op *op,
		      const struct dw_result *r)
{
	assert_true(c->step == op->step && c->lba == op->lba);
	assert_int_equal(c->disk, op->disk);
	assert_int_equal(c->verb, op->verb);
	assert_int_equal(c->blocks, op->nlb);
	assert_int_equal(c->commands, op->run ? op->run : 1);
	assert_int_equal(c->pass, op->pass);
	assert_int_equal(c->path, r->path);
	assert_int_equal(c->end_class, r->class);
	assert_true(c->submit_ns == r->submit_ns - 1000);
	assert_true(c->start_ns == r->start_ns - 1000);
	assert_true(c->end_ns == r->end_ns - 1000);
}

static void round_trip(void **state)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct fixture *f = *state;
		struct dw_trace_head head = random_trace(f, seed);
		struct dw_trace_reader *r;
		struct dw_trace_command c;
		struct dw_error err = { 0 };

		write_trace(f, &head);
		if (dw_trace_reader_open(f->path, &r, &err) < 0)
			fail_msg("%s", error_line(&err));
		same_head(dw_trace_reader_head(r), &head);
		for (size_t i = 0; i < LINES; i++) {
			assert_int_equal(dw_trace_reader_next(r, &c, &err), 1);
			same_line(&c, &f->op[i], &f->result[i]);
		}
		assert_int_equal(dw_trace_reader_next(r, &c, &err), 0);
		assert_true(dw_trace_reader_finish(r).complete);
		assert_int_equal(dw_trace_reader_finish(r).outcome,
				 DW_OUTCOME_EXCEPTIONS);
		assert_true(dw_trace_reader_finish(r).end_ns == 122456);
		dw_trace_reader_free(r);
	}
}

/* Disks that join among the commands of others, before their own. */
static void joined(void **state)
{
	struct fixture *f = *state;
	struct dw_trace_head head = random_trace(f, 1);
	struct dw_error err = { 0 };
	struct dw_trace_command c;
	struct dw_trace_reader *r;
	struct dw_trace *t;
	uint32_t n = head.n_disks = 1;

	for (uint32_t i = 1; i < DISKS; i++)
		f->disk[i].joined_ns = 5 * i;
	assert_int_equal(dw_trace_open(f->path, 1000, &head, &t), 0);
	for (size_t i = 0; i < LINES; i++) {
		f->op[i].disk = (uint32_t)(i * DISKS / LINES);
		f->op[i].lba = f->op[i].nlb = 0;
		if (f->op[i].disk == n)
			dw_trace_joined(t, &f->disk[n++]);
		dw_trace_line(t, &f->op[i], &f->result[i]);
	}
	dw_trace_end(t, DW_OUTCOME_ERASED, 123456);
	assert_int_equal(dw_trace_close(t), 0);
	if (dw_trace_reader_open(f->path, &r, &err) < 0)
		fail_msg("%s", error_line(&err));
	for (size_t i = 0; i < LINES; i++) {
		if (dw_trace_reader_next(r, &c, &err) != 1)
			fail_msg("%zu: %s", i, error_line(&err));
		same_line(&c, &f->op[i], &f->result[i]);
		head.n_disks = f->op[i].disk + 1;
		same_head(dw_trace_reader_head(r), &head);
	}
	assert_int_equal(dw_trace_reader_next(r, &c, &err), 0);
	assert_true(dw_trace_reader_finish(r).complete);
	dw_trace_reader_free(r);
}

/* What could not be read back ends the trace, and nothing else. */
static void joined_unreadable(void **state)
{
	struct fixture *f = *state;
	struct dw_trace_head head = random_trace(f, 2);
	struct dw_trace *t;

	head.n_disks = 1;
	f->disk[1].block_size = 0;
	assert_int_equal(dw_trace_open(f->path, 0, &head, &t), 0);
	dw_trace_joined(t, &f->disk[1]);
	assert_int_equal(dw_trace_error(t), -ERANGE);
	f->op[0].disk = 1;
	dw_trace_line(t, &f->op[0], &f->result[0]);
	assert_int_equal(dw_trace_close(t), -ERANGE);
}

static const char head_text[] =
	"# diskwipe trace 3\n# a remark\n"
	"# disk 0 {\"device\":\"sg0\",\"vendor\":\"\",\"model\":\"\",\"serial\":\"\",\"wwn\":\"\","
	"\"blocks\":1000,\"block_size\":512,\"physical_block_size\":512,\"rotation\":0,"
	"\"write_cache\":\"off\",\"transport\":\"\",\"slot\":\"\","
	"\"host_driver\":\"\",\"on\":\"\"}\n";

/* Lines read, or -1 with @err. */
static int lines(const char *text, size_t len, struct dw_error *err, bool *ret_complete)
{
	struct dw_trace_reader *r;
	struct dw_trace_command c;
	int n = 0, got;

	if (trace_text_open(text, len, &r, err) < 0)
		return -1;
	while ((got = dw_trace_reader_next(r, &c, err)) == 1)
		n++;
	*ret_complete = dw_trace_reader_finish(r).complete;
	dw_trace_reader_free(r);
	return got < 0 ? -1 : n;
}

static void refused(void **state)
{
	static const struct {
		const char *body, *err;
	} cases[] = {
		{ "0 1 write 0 8 0 5 ok 0 1 0\n", ":4: disk:" },
		{ "0 0 wrote 0 8 0 5 ok 0 1 0\n", ":4: verb:" },
		{ "0 0 writ 0 8 0 5 ok 0 1 0\n", ":4: verb:" },
		{ "0 0 write 0 8 0 5 ok 0 1 0\n0 0 write 993 8 0 5 ok 0 1 0\n",
		  ":5: lba, blocks:" },
		{ "0 0 write -1 8 0 5 ok 0 1 0\n", ":4: lba:" },
		{ "0 0 write 18446744073709551617 8 0 5 ok 0 1 0\n", ":4: lba:" },
		{ "0 0 write 01 8 0 5 ok 0 1 0\n", ":4: lba:" },
		{ "0 0 write 0 8 6 5 ok 6 1 0\n", ":4: submitted, started, done:" },
		{ "0 0 write 0 8 0 5 fine 0 1 0\n", ":4: class:" },
		{ "0 0 write 0 8 0 5 ok 0 0 0\n", ":4: commands:" },
		{ "0 0 write 0 8 0 5 ok 0 1 256\n", ":4: pass:" },
		{ "0 0 write 0 8 0 5 ok 0 1 0 \n", ":4: path:" },
		{ "0 0 write 0 8 0 5 ok 0 1 0 0\n", ":4: path:" },
		{ "0 0 write 0 8 0 5 ok 0 1 0 9\n", ":4: path:" },
		{ "0 0 write 0 8 0 5 ok 0 1 0 1 1\n", ":4: commands:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 9 1 1 1 8 1 1\n", ":4: path:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 2 1 1 8 1 1\n", ":4: mean:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 2 1 8 1 1\n", ":4: most:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 1 1 1001 1 1 1\n", ":4: lba, blocks:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 1 1 3 1 1 1\n", ":4: lba, blocks:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 1 1 8 3 1\n", ":4: close:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 1 1 8 1\n", ":4: close:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 1 1 8 1 1\n", ":4: close_ns:" },
		{ "0 0 write 0 8 0 5 ok 0 2 0 0 1 1 1 8 1 1 1 1\n", ":4: busy:" },
		{ "0 0 write 0 8 0 5 ok\n", ":4: class:" },
		{ "\n", ":4: step:" },
		{ "# end well 5\n", ":4: 'well'" },
		{ "# end erased\n", ":4: not of the form" },
		{ "# end erased 5\n0 0 write 0 8 0 5 ok 0 1 0\n", ":5: more after" },
		{ "# disk 0 {}\n", ":4: disk 0: expected disk 1" },
		{ "# disk 1 {}\n", ":4: disk.device: missing" },
		{ "# joined 0 5 {}\n", ":4: joined 0: expected joined 1" },
		{ "# joined 1 {}\n", ":4: joined: no time" },
		{ "# joined 1 9999999999999999999 {}\n", ":4: joined: no time" },
		{ "0 0 write 0 8 0 5 ok 0 1 0\n# joined 1 5 {}\n",
		  ":5: disk.device: missing" },
		{ "# end erased 5\n# joined 1 5 {}\n", ":5: more after" },
		{ "# run {\n", ":4: run:" },
		{ "# job {\"depht\":7}\n", ":4: job.depht: unknown" },
		{ "# job {\"depth\":33}\n", ":4: job.depth: out of range" },
	};
	struct dw_error err = { 0 };
	const char *said;
	char text[2048];
	bool complete;

	for (size_t i = 0; i < DW_ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "%s%s", head_text, cases[i].body);
		err.kind = DW_ERROR_NONE;
		lines(text, strlen(text), &err, &complete);
		said = strchr(error_line(&err), ':'); /* behind the name of the file */
		if (!said || strncmp(said, cases[i].err, strlen(cases[i].err)) != 0)
			fail_msg("%s: %s", cases[i].body, error_line(&err));
	}
	assert_int_equal(lines("# diskwipe trace 1\n", 19, &err, &complete), -1);
	assert_non_null(strstr(error_line(&err), "another version"));
	snprintf(text, sizeof(text), "%s0 0 write 0 8 0 5 ok 0 1 0\n", head_text);
	text[strlen(text) - 2] = '\0';
	assert_int_equal(lines(text,
			       strlen(head_text) + strlen("0 0 write 0 8 0 5 ok 0 1 0\n"),
			       &err, &complete),
			 -1);
	assert_non_null(strstr(error_line(&err), "a byte 0"));
	assert_int_equal(lines("hello\n", 6, &err, &complete), -1);
	assert_int_equal(lines("", 0, &err, &complete), -1);
}

/* Options that are younger than a trace have their defaults. */
static void older_spec(void **state)
{
	static const char text[] = "# diskwipe trace 3\n# job {\"depth\":7}\n";
	struct dw_trace_reader *r;
	struct dw_job_spec spec;
	struct dw_error err = { 0 };

	if (trace_text_open(text, strlen(text), &r, &err) < 0)
		fail_msg("%s", error_line(&err));
	dw_job_spec_init(&spec);
	spec.depth = 7;
	same_spec(&dw_trace_reader_head(r)->spec, &spec);
	dw_trace_reader_free(r);
}

/* Wherever a trace is cut behind its first line, what is there is read. */
static void cut_off(void **state)
{
	struct dw_error err = { 0 };
	char text[2048];
	size_t head = strlen(head_text);
	bool complete;
	int n = 0, last = 0;

	snprintf(
		text, sizeof(text), "%s%s", head_text,
		"0 0 write 0 8 0 5 ok 0 1 0\n1 0 write 8 8 5 9 ok 5 1 0\n# end erased 9\n");
	for (size_t len = strlen("# diskwipe trace 3\n"); len <= strlen(text); len++) {
		n = lines(text, len, &err, &complete);
		if (n < last)
			fail_msg("cut at %zu: %d lines, %s", len, n, error_line(&err));
		assert_int_equal(complete, len == strlen(text));
		assert_true(n == 0 || len > head);
		last = n;
	}
	assert_int_equal(n, 2);
}

#define LENGTH 16384 /* blocks of 512 bytes */

/** struct job - a disk that is written in sequence; @fail: every so many-th command
 *  fails; @alternate: every second one is half as long */
struct job {
	uint64_t blocks;
	uint64_t fail;
	bool full;
	bool alternate;
};

/** struct sums - of all lines of a trace; @complete: single ones of the first two minutes */
struct sums {
	uint64_t lines, complete, commands, failed, blocks, close, close_ns, response_ns;
	uint64_t last_ns, busy_ns;
};

static void write_job(const char *path, const struct job *j)
{
	struct dw_trace_disk disk = { .device = "/dev/sda",
				      .blocks = j->blocks,
				      .block_size = 512 };
	struct dw_trace_head head = { .disk = &disk, .n_disks = 1 };
	struct dw_trace *t;
	uint64_t now = 0, n = 0;
	struct dw_rng rng;
	uint32_t nlb;

	dw_rng_seed(&rng, 1);
	dw_job_spec_init(&head.spec);
	head.spec.trace_full = j->full;
	assert_int_equal(dw_trace_open(path, 0, &head, &t), 0);
	for (uint64_t lba = 0; lba + LENGTH <= j->blocks; lba += nlb, n++) {
		struct dw_op op = { .verb = DW_VERB_WRITE, .lba = lba, .step = n };
		struct dw_op flush = { .verb = DW_VERB_FLUSH, .step = n };
		struct dw_result r = { .submit_ns = now, .start_ns = now };

		nlb = j->alternate && n % 2 ? LENGTH / 2 : LENGTH;
		op.nlb = nlb;
		now += 40000000 + dw_rng_below(&rng, 1000000);
		r.end_ns = now;
		r.class = j->fail && n % j->fail == 1 ? DW_CLASS_MEDIUM : DW_CLASS_OK;
		dw_trace_line(t, &op, &r);
		if (n % 128)
			continue;
		if (dw_trace_take(t, 1 << 20))
			dw_trace_write(t);
		r = (struct dw_result){ .submit_ns = now,
					.start_ns = now,
					.end_ns = now + 1000000 };
		now = r.end_ns;
		dw_trace_line(t, &flush, &r);
	}
	dw_trace_end(t, DW_OUTCOME_ERASED, now);
	assert_int_equal(dw_trace_close(t), 0);
}

/* As the fit adds up: what followed at once, in sequence, alike; no first one of a line. */
static void add_up(struct sums *s, struct dw_trace_command *last,
		   const struct dw_trace_command *c)
{
	s->lines++;
	s->complete += c->commands == 1 && c->end_ns < UINT64_C(120000000000);
	s->commands += c->commands;
	s->failed += c->end_class != DW_CLASS_OK;
	s->blocks += c->blocks;
	s->response_ns += c->mean_ns * c->commands;
	s->close += c->close;
	s->close_ns += c->close_ns;
	s->busy_ns +=
		c->several ? c->busy_ns : c->end_ns - dw_max_u64(c->start_ns, s->last_ns);
	s->last_ns = dw_max_u64(s->last_ns, c->end_ns);
	if (!c->blocks)
		return;
	if (c->commands == 1 && last->commands == 1 && c->lba == last->lba + last->span &&
	    c->start_ns <= last->end_ns + DW_TRACE_PAUSE_NS) {
		s->close++;
		s->close_ns += c->end_ns - last->end_ns;
	}
	*last = *c;
}

static struct sums read_job(const char *path)
{
	struct dw_trace_command c, last = { 0 };
	struct dw_error err = { 0 };
	struct dw_trace_reader *r;
	struct sums s = { 0 };
	int n;

	if (dw_trace_reader_open(path, &r, &err) < 0)
		fail_msg("%s", error_line(&err));
	while ((n = dw_trace_reader_next(r, &c, &err)) > 0)
		add_up(&s, &last, &c);
	if (n)
		fail_msg("%s", error_line(&err));
	assert_true(dw_trace_reader_finish(r).complete);
	dw_trace_reader_free(r);
	return s;
}

/* Runs say in one line what their commands would have said one by one. */
static void runs(void **state)
{
	struct fixture *f = *state;
	struct job j = { .blocks = UINT64_C(60000) * LENGTH, .fail = 5000, .full = true };
	struct sums full, less;

	write_job(f->path, &j);
	full = read_job(f->path);
	j.full = false;
	write_job(f->path, &j);
	less = read_job(f->path);
	assert_true(full.lines == full.commands);
	assert_true(less.lines < full.lines / 5);
	assert_true(less.complete == full.complete && full.complete > 2900);
	assert_true(less.commands == full.commands && less.blocks == full.blocks);
	assert_true(less.failed == full.failed && full.failed == 12);
	assert_true(less.busy_ns == full.busy_ns && full.busy_ns > 2 * full.last_ns / 3);
	assert_true(full.response_ns - less.response_ns < full.commands);
	assert_true(less.close > full.close * 9 / 10);
	assert_float_equal((double)less.close_ns / (double)less.close,
			   (double)full.close_ns / (double)full.close, 20000);
}

/* 24 disks of 20 TB, each 24 times what one of them takes beyond the complete beginning. */
static void size(void **state)
{
	struct fixture *f = *state;
	struct job j = { .blocks = UINT64_C(20000000000000) / 512 };
	struct stat st;

	write_job(f->path, &j);
	assert_int_equal(stat(f->path, &st), 0);
	print_message("one disk of 20 TB: %lld bytes\n", (long long)st.st_size);
	assert_true(st.st_size * 24 + 500000 * 90 < 256000000);
	j.alternate = true;
	write_job(f->path, &j);
	assert_int_equal(stat(f->path, &st), 0);
	print_message("with lengths that alternate: %lld bytes\n", (long long)st.st_size);
	assert_true(st.st_size * 24 + 500000 * 90 < 256000000);
}

/* A compressed trace is read as well, whole and wherever it is cut off. */
static void compressed(void **state)
{
	struct job j = { .blocks = UINT64_C(5000) * LENGTH };
	struct dw_error err = { 0 };
	char path[] = "/tmp/dw-trace-XXXXXX.zst";
	struct dw_trace_command c;
	struct dw_trace_reader *r;
	struct stat st;
	FILE *nothing = fopen("/dev/null", "we"), *packed;
	int built = dw_pack(nothing, &packed);

	if (!built)
		fclose(packed);
	fclose(nothing);
	if (built == -ENOTSUP)
		skip();
	close(mkstemps(path, 4));
	write_job(path, &j);
	assert_true(read_job(path).commands == 5000 + 40);
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = st.st_size - 1; len > 0; len -= 1009) {
		int n = truncate(path, len);

		assert_int_equal(n, 0);
		if (dw_trace_reader_open(path, &r, &err) < 0)
			continue; /* not even the first line */
		while ((n = dw_trace_reader_next(r, &c, &err)) > 0)
			;
		assert_int_equal(n, 0);
		assert_false(dw_trace_reader_finish(r).complete);
		dw_trace_reader_free(r);
	}
	unlink(path);
}

/* nobody writes: lines wait in memory up to a limit, and then the trace has failed */
static void test_hanging_file(void **state)
{
	struct dw_trace_disk disk = { .blocks = 1, .block_size = 512 };
	struct dw_trace_head head = { .disk = &disk, .n_disks = 1 };
	struct dw_result r = { .start_ns = 1, .end_ns = 2, .class = DW_CLASS_OK };
	char path[] = "/tmp/dw-trace.XXXXXX";
	struct dw_op op = { .verb = DW_VERB_WRITE, .nlb = 1 };
	struct dw_trace *t;
	struct stat st;

	dw_job_spec_init(&head.spec);
	head.spec.trace_full = true;
	close(mkstemp(path));
	assert_int_equal(dw_trace_open(path, 0, &head, &t), 0);
	dw_trace_line(t, &op, &r);
	assert_false(dw_trace_take(t, 1 << 20));
	assert_true(dw_trace_take(t, 0));
	for (op.lba = 0; !dw_trace_error(t) && op.lba < 10000000; op.lba++)
		dw_trace_line(t, &op, &r);
	assert_int_equal(dw_trace_error(t), -ENOBUFS);
	assert_in_range(op.lba, 500000, 4000000);
	dw_trace_write(t); /* it comes to itself */
	assert_false(dw_trace_take(t, 0));
	assert_int_equal(dw_trace_close(t), -ENOBUFS);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 4096);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(joined, setup, teardown),
		cmocka_unit_test_setup_teardown(joined_unreadable, setup, teardown),
		cmocka_unit_test(test_hanging_file),
		cmocka_unit_test(refused),
		cmocka_unit_test(older_spec),
		cmocka_unit_test(cut_off),
		cmocka_unit_test_setup_teardown(runs, setup, teardown),
		cmocka_unit_test_setup_teardown(size, setup, teardown),
		cmocka_unit_test(compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
