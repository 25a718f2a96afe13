/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options and what each does with its argument. A value that does not read
 * as what it should be is told in one line, with the nearest word where words are asked
 * for; what fits together is checked later, where the whole is known.
 */
#include <errno.h>
#include <string.h>

#include "options.h"
#include "plot/plot.h"

static int bad_value(struct cli *c, const struct cli_option *o, const char *arg,
		     const char *expected)
{
	return cli_fail(c, CLI_EXIT_USAGE, "--%s: '%s' is not %s", o->name, arg,
			expected);
}

static int bad_word(struct cli *c, const struct cli_option *o, const char *arg,
		    const char *const *words)
{
	const char *near = cli_nearest(arg, words);
	char list[160] = "";
	size_t len = 0, next;

	if (near)
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: no '%s'; did you mean '%s'?",
				o->name, arg, near);
	for (; *words; words++) {
		next = len + strlen(*words) + strlen(", ");
		if (next + sizeof("...") > sizeof(list))
			break;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s, ", *words);
	}
	if (*words)
		snprintf(list + len, sizeof(list) - len, "...");
	else if (len)
		list[len - strlen(", ")] = '\0';
	return cli_fail(c, CLI_EXIT_USAGE, "--%s: no '%s'; there is %s", o->name, arg,
			list);
}

static int find_word(const char *arg, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(arg, words[i]))
			return i;
	return -1;
}

static int copy(struct cli *c, const struct cli_option *o, const char *arg, char *to,
		size_t size)
{
	size_t len = strlen(arg);

	if (!len)
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: its value is empty", o->name);
	if (len >= size)
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: longer than %zu characters",
				o->name, size - 1);
	memcpy(to, arg, len + 1);
	return 0;
}

static int number(struct cli *c, const struct cli_option *o, const char *arg,
		  uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (dw_number_parse(arg, &value) < 0 || value < min || value > max)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--%s: '%s' is not a whole number from %llu to %llu",
				o->name, arg, (unsigned long long)min,
				(unsigned long long)max);
	*ret = value;
	return 0;
}

static int set_number(struct cli *c, const struct cli_option *o, const char *arg,
		      const struct dw_field *f)
{
	void *at = (char *)&c->spec + f->offset;
	uint64_t n = 0;
	int r;

	if (f->type == DW_FIELD_BITS)
		return number(c, o, arg, 1, UINT64_MAX, at);
	r = number(c, o, arg, f->min, f->max, &n);
	if (!r && f->size == sizeof(uint64_t))
		*(uint64_t *)at = n;
	else if (!r)
		*(uint32_t *)at = (uint32_t)n;
	return r;
}

/* The library's table says what the member may be. */
static int set_spec(struct cli *c, const struct cli_option *o, const char *arg)
{
	const struct dw_field *f = dw_spec_find(o->member);
	const char *const *words = f->type == DW_FIELD_NAME ? f->names() : f->words;
	char *at = (char *)&c->spec + f->offset;
	int i;

	if (f->type == DW_FIELD_TEXT)
		return copy(c, o, arg, at, f->size);
	if (!words)
		return set_number(c, o, arg, f);
	i = find_word(arg, words);
	if (i < 0)
		return bad_word(c, o, arg, words);
	if (f->type == DW_FIELD_NAME)
		return copy(c, o, arg, at, f->size);
	*(uint32_t *)(void *)at = (uint32_t)i;
	return 0;
}

static int set_controller(struct cli *c, const struct cli_option *o, const char *arg)
{
	const char *const *words = dw_controller_names();
	const char *colon = strchr(arg, ':');
	char name[24] = "";
	uint64_t blocks = 0;

	snprintf(name, sizeof(name), "%.*s", (int)(colon ? colon - arg : 23), arg);
	if (find_word(name, words) < 0)
		return bad_word(c, o, name, words);
	if (colon && strcmp(name, "fixed"))
		return bad_value(c, o, arg, "a tuning; only fixed takes a number");
	if (colon &&
	    (dw_number_parse(colon + 1, &blocks) < 0 || !blocks || blocks > UINT32_MAX))
		return bad_value(c, o, arg, "fixed:BLOCKS");
	c->spec.fixed_blocks = (uint32_t)blocks;
	return copy(c, o, name, c->spec.controller, sizeof(c->spec.controller));
}

static int set_active(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->spec.active = 0;
	c->active_auto = !strcmp(arg, "auto");
	return c->active_auto ? 0 : set_spec(c, o, arg);
}

static int set_station(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (!arg[0])
		return cli_fail(c, CLI_EXIT_USAGE, "--topology: its value is empty");
	c->station_file = arg;
	return 0;
}

static int set_replace(struct cli *c, const struct cli_option *o, const char *arg)
{
	const char *is = strchr(arg, '=');

	if (!is || is == arg || !is[1])
		return bad_value(c, o, arg, "DISK=KIND");
	if (c->n_replace == CLI_ARRAY_SIZE(c->replace))
		return cli_fail(c, CLI_EXIT_USAGE, "--replace: at most %zu times",
				c->n_replace);
	c->replace[c->n_replace++] = arg;
	return 0;
}

static int set_without(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (c->n_without == CLI_ARRAY_SIZE(c->without))
		return cli_fail(c, CLI_EXIT_USAGE, "--without: at most %zu times",
				c->n_without);
	c->without[c->n_without++] = arg;
	return 0;
}

static int set_controller_buffer(struct cli *c, const struct cli_option *o,
				 const char *arg)
{
	uint64_t bytes;

	if (dw_size_parse(arg, &bytes) < 0 || bytes < 512)
		return bad_value(c, o, arg, "a size of at least 512 bytes, like 2M");
	c->spec.controller_buffer = bytes;
	return 0;
}

static int set_method(struct cli *c, const struct cli_option *o, const char *arg)
{
	const char *words[64] = { 0 };
	struct dw_method_info m;
	size_t n = 0;

	while (n + 1 < CLI_ARRAY_SIZE(words) && dw_method_info_get(n, &m))
		words[n++] = m.name;
	if (find_word(arg, words) < 0)
		return bad_word(c, o, arg, words);
	return copy(c, o, arg, c->spec.method, sizeof(c->spec.method));
}

static int set_verify(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "off", "sample", "full", NULL };
	static const enum dw_verify_kind kinds[] = { DW_VERIFY_KIND_OFF,
						     DW_VERIFY_KIND_SAMPLE,
						     DW_VERIFY_KIND_FULL };
	static const char sample[] = "sample:";
	int i = find_word(arg, words);

	if (!strncmp(arg, sample, sizeof(sample) - 1)) {
		if (dw_percent_parse(arg + sizeof(sample) - 1, &c->spec.verify_percent))
			return bad_value(c, o, arg, "sample:N% with N up to 100");
		i = 1;
	}
	if (i < 0)
		return bad_word(c, o, arg, words);
	if (c->verb->bit == CLI_VERIFY && kinds[i] == DW_VERIFY_KIND_OFF)
		return bad_value(c, o, arg, "possible here; sample:N% or full");
	c->spec.verify = kinds[i];
	return 0;
}

/* "64G" and "64GiB" are sizes, "5min" and "300s" are times; of "5M" and "5m" the first is
 * a size and the second a time; a bare number could be either and is neither. */
static int set_flush_every(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint64_t bytes = 0, ns = 0;
	bool bare = !dw_number_parse(arg, &bytes);
	bool size = !bare && !dw_size_parse(arg, &bytes) && bytes;
	bool time = !bare && !dw_duration_parse(arg, &ns) && ns >= 1000000000;

	if (size && time)
		*(strpbrk(arg, upper) ? &time : &size) = false;
	if (!size && !time)
		return bad_value(c, o, arg, "a size like 64GiB or a time like 5min");
	if (size)
		c->spec.flush_bytes = bytes;
	else
		c->spec.flush_seconds = (uint32_t)(ns / 1000000000);
	return 0;
}

static int set_write_cache(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "auto", "keep", "on", NULL };
	int i = find_word(arg, words);

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->spec.write_cache = (enum dw_write_cache)i;
	return 0;
}

static int set_background(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (dw_background_parse(arg, &c->spec.background) < 0)
		return bad_value(c, o, arg,
				 "share:20%, keep-response:30ms (any time) or off");
	return 0;
}

static int set_others(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (dw_others_parse(arg, &c->spec.background) < 0)
		return bad_value(c, o, arg, "like users:20,think:10s,demands:.16s/.39s");
	return 0;
}

/* given again, it names another pair */
static int set_mirror(struct cli *c, const struct cli_option *o, const char *arg)
{
	char *to = c->spec.mirror;
	size_t used = strlen(to), size = sizeof(c->spec.mirror);
	const char *comma = strchr(arg, ',');

	if (!comma || comma == arg || !comma[1] || strpbrk(comma + 1, ",;"))
		return bad_value(c, o, arg, "two devices, DEV,DEV");
	if (used + strlen(arg) + 2 > size)
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: too many of them", o->name);
	snprintf(to + used, size - used, "%s%s", used ? ";" : "", arg);
	return 0;
}

static int set_order(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "ascending", "near-first", NULL };
	int i = find_word(arg, words);

	if (i < 0)
		return bad_word(c, o, arg, words);
	snprintf(c->spec.order, sizeof(c->spec.order), "%s", i ? words[i] : "");
	return 0;
}

static int set_stall_budget(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t ns;

	if (dw_duration_parse(arg, &ns) < 0 || ns / 1000000000 > UINT32_MAX)
		return bad_value(c, o, arg, "a time like 10min");
	c->spec.stall_seconds = (uint32_t)(ns / 1000000000);
	return 0;
}

static int set_plan(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->plan_file = arg;
	return 0;
}

static int set_config(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->config_file = arg;
	return 0;
}

static int set_output(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->output = arg;
	return 0;
}

/* What cannot be written is told before anything is done. */
static int set_report(struct cli *c, const struct cli_option *o, const char *arg)
{
	struct dw_error err = { 0 };

	c->report_file = arg;
	return dw_report_check(arg, &err) < 0 ? cli_error(c, CLI_EXIT_USAGE, &err) : 0;
}

static int set_seconds(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t n = 0;
	int r = number(c, o, arg, 1, 3600, &n);

	c->seconds = (double)n;
	return r;
}

static int set_sweep(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->sweep = arg;
	return 0;
}

/* "250MB/s", or a size without its "/s". */
static int set_rate(struct cli *c, const struct cli_option *o, const char *arg)
{
	size_t len = strlen(arg);
	char text[40];

	if (len > 2 && !strcmp(arg + len - 2, "/s"))
		len -= 2;
	snprintf(text, sizeof(text), "%.*s", (int)(len < 39 ? len : 39), arg);
	if (dw_size_parse(text, (uint64_t *)((char *)c + o->rate)) < 0 ||
	    !*(uint64_t *)((char *)c + o->rate))
		return bad_value(c, o, arg, "a rate like 250MB/s");
	return 0;
}

static int set_paths(struct cli *c, const struct cli_option *o, const char *arg)
{
	const char *comma = strchr(arg, ',');
	char word[16];
	int r;

	snprintf(word, sizeof(word), "%.*s", (int)(comma ? comma - arg : 15), arg);
	r = set_spec(c, o, word);
	return r || !comma ? r : set_rate(c, o, comma + 1);
}

static int set_misalign(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (dw_size_parse(arg, &c->misalign) < 0 || c->misalign > 1 << 30)
		return bad_value(c, o, arg, "a number of bytes, up to 1GiB");
	return 0;
}

static int set_exclude(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->exclude[c->n_exclude++] = arg;
	return 0;
}

static int set_expect_count(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->have_expect_count = true;
	return number(c, o, arg, 1, UINT32_MAX, &c->expect_count);
}

static int set_color(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "auto", "always", "never", NULL };
	int i = arg ? find_word(arg, words) : CLI_ALWAYS;

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->color = (enum cli_when)i;
	return 0;
}

static int set_progress(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "auto", "bars", "plain", "none", NULL };
	int i = find_word(arg, words);

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->progress = (enum cli_progress)i;
	return 0;
}

#define RUN          (JOB | CLI_SIMULATE)
#define HOW          (WHAT | CLI_SIMULATE)
#define JOB          (CLI_ERASE | CLI_VERIFY)
#define WHAT         (CLI_ERASE | CLI_VERIFY | CLI_PLAN)
#define STATIONS     (CLI_STATION | CLI_PROBE | CLI_FIT)
#define NODES        (CLI_LIST | CLI_INSPECT | WHAT)
#define ALL          (NODES | CLI_HELP | CLI_MODEL | CLI_DOCTOR)
#define FLAG(member) .flag = offsetof(struct cli, member)
#define MEMBER(name) .set = set_spec, .member = #name

static const struct cli_option options[] = {
	{ .name = "method",
	  .argument = "NAME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "what is written (default zero; see diskwipe help methods)",
	  .set = set_method },
	{ .name = "pattern",
	  .argument = "LIST",
	  .verbs = HOW,
	  .planned = true,
	  .help = "passes of your own instead of a method, like 00,ff,random",
	  MEMBER(pattern) },
	{ .name = "command",
	  .argument = "NAME",
	  .verbs = CLI_ERASE | CLI_PLAN | CLI_SIMULATE,
	  .planned = true,
	  .help = "auto (default), write or write-same",
	  MEMBER(command) },
	{ .name = "verify",
	  .argument = "HOW",
	  .verbs = HOW,
	  .planned = true,
	  .help = "off, sample:N% (default sample:1%) or full",
	  .set = set_verify },
	{ .name = "strategy",
	  .argument = "NAME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "sequential, round-robin, parallel or longest-first",
	  MEMBER(strategy) },
	{ .name = "active",
	  .argument = "N",
	  .verbs = HOW,
	  .planned = true,
	  .help = "at most N disks at once; auto: as a forecast finds best",
	  .set = set_active,
	  .member = "active" },
	{ .name = "depth",
	  .argument = "N",
	  .verbs = HOW,
	  .planned = true,
	  .help = "up to N commands at one disk at once, 1 to 32 (default: found out)",
	  MEMBER(depth) },
	{ .name = "tuning",
	  .alias = "controller",
	  .argument = "NAME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "transfer length: adaptive (default), fixed, fixed:BLOCKS or cache",
	  .set = set_controller },
	{ .name = "tuning-buffer",
	  .alias = "controller-buffer",
	  .argument = "SIZE",
	  .verbs = HOW,
	  .planned = true,
	  .help = "buffer to be shared out (default for cache: 2MiB)",
	  .set = set_controller_buffer },
	{ .name = "flush-every",
	  .argument = "SIZE|TIME",
	  .verbs = CLI_ERASE | CLI_PLAN | CLI_SIMULATE,
	  .planned = true,
	  .help = "flush at least that often (default 64GiB, 5min)",
	  .set = set_flush_every },
	{ .name = "write-cache",
	  .argument = "MODE",
	  .verbs = CLI_ERASE | CLI_PLAN | CLI_SIMULATE,
	  .planned = true,
	  .help = "auto (default), keep, or on for the time of the task",
	  .set = set_write_cache },
	{ .name = "reserve",
	  .verbs = CLI_ERASE | CLI_PLAN,
	  .planned = true,
	  .help = "hold a persistent reservation on each disk during the job",
	  FLAG(spec.reserve) },
	{ .name = "background",
	  .argument = "HOW",
	  .verbs = HOW,
	  .planned = true,
	  .help = "beside other work: keep-response:TIME or share:N%",
	  .set = set_background },
	{ .name = "others",
	  .argument = "LIST",
	  .verbs = HOW,
	  .planned = true,
	  .help = "that work: users:N,think:TIME,demands:TIME/TIME (default: measured)",
	  .set = set_others },
	{ .name = "mirror",
	  .argument = "DEV,DEV",
	  .verbs = HOW,
	  .planned = true,
	  .help = "these two are copies of the same data; may be repeated",
	  .set = set_mirror },
	{ .name = "verify-policy",
	  .argument = "NAME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "which of two copies serves a sample: both (default), common or auto",
	  MEMBER(verify_policy) },
	{ .name = "order",
	  .argument = "NAME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "ascending (default) or near-first: what is --near other load last",
	  .set = set_order },
	{ .name = "near",
	  .argument = "WHERE",
	  .verbs = HOW,
	  .planned = true,
	  .help = "where that load falls on these disks: LBA, LBA-LBA, start or end",
	  MEMBER(near) },
	{ .name = "paths",
	  .argument = "MODE[,RATE]",
	  .verbs = CLI_ERASE | CLI_PLAN,
	  .planned = true,
	  .help = "of disks with several: auto (default), fixed, dynamic; a path's rate",
	  .set = set_paths,
	  .member = "paths",
	  .rate = offsetof(struct cli, spec.path_rate) },
	{ .name = "stall-budget",
	  .argument = "TIME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "what a disk may lose to errors and waits (default 10min)",
	  .set = set_stall_budget },
	{ .name = "logical",
	  .verbs = NODES,
	  .help = "allow logical volumes of RAID controllers",
	  FLAG(spec.rules.logical) },
	{ .name = "exclude",
	  .argument = "DEV",
	  .verbs = WHAT | CLI_STATION | CLI_PROBE,
	  .help = "leave this disk out; may be repeated",
	  .set = set_exclude },
	{ .name = "plan",
	  .argument = "FILE",
	  .verbs = CLI_ERASE,
	  .help = "erase the disks of a plan, found by serial, WWN and capacity",
	  .set = set_plan },
	{ .name = "state",
	  .argument = "FILE",
	  .verbs = CLI_ERASE,
	  .help = "keep there how far each disk is, at every flush",
	  MEMBER(state_file) },
	{ .name = "resume",
	  .argument = "FILE",
	  .verbs = CLI_ERASE,
	  .help = "go on where this state file ends",
	  MEMBER(resume_file) },
	{ .name = "key-file",
	  .argument = "FILE",
	  .verbs = JOB,
	  .help = "erase: keep the key of random passes there; verify: read it",
	  MEMBER(key_file) },
	{ .name = "trace",
	  .argument = "FILE",
	  .verbs = RUN,
	  .help = "write what was sent there, in lines; NAME.zst: compressed",
	  MEMBER(trace_file) },
	{ .name = "trace-full",
	  .verbs = RUN,
	  .help = "with --trace: one line per command, also after two minutes",
	  FLAG(spec.trace_full) },
	{ .name = "report",
	  .argument = "FILE",
	  .verbs = RUN,
	  .help = "draw the report there at the end; .html, .svg, .pdf or .png",
	  .set = set_report },
	{ .name = "seed",
	  .argument = "N",
	  .verbs = HOW,
	  .help = "which blocks a sample takes (default: from the kernel)",
	  MEMBER(seed) },
	{ .name = "yes",
	  .verbs = CLI_ERASE,
	  .help = "do not ask; enough when exactly one disk is named",
	  FLAG(yes) },
	{ .name = "expect-count",
	  .argument = "N",
	  .verbs = CLI_ERASE,
	  .help = "with --yes and several disks: how many there are to erase",
	  .set = set_expect_count },
	{ .name = "dry-run",
	  .letter = 'n',
	  .verbs = JOB,
	  .help = "say what would be done; send commands that read, only",
	  FLAG(dry_run) },
	{ .name = "no-act",
	  .verbs = JOB,
	  .help = "the same as --dry-run",
	  FLAG(dry_run) },
	{ .name = "print-schedule",
	  .verbs = RUN,
	  .help = "print the matrix H and the order Q of the commands sent",
	  FLAG(spec.print_schedule) },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "COLUMNS",
	  .verbs = CLI_LIST,
	  .help = "columns to show; +NAME,... adds to the usual ones",
	  .set = set_output },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .verbs = CLI_PLAN,
	  .help = "write the plan there instead of to the standard output",
	  .set = set_output },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .verbs = CLI_MODEL,
	  .help = "draw the sweep there; .svg, .html, .pdf or .png",
	  .set = set_output },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .verbs = STATIONS,
	  .help = "write the topology there instead of to the standard output",
	  .set = set_output },
	{ .name = "topology",
	  .alias = "station",
	  .argument = "FILE",
	  .verbs = CLI_PROBE | CLI_FIT,
	  .help = "begin with what this topology file says",
	  .set = set_station },
	{ .name = "seconds",
	  .argument = "N",
	  .verbs = CLI_PROBE,
	  .help = "time for each disk (default 10)",
	  .set = set_seconds },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .verbs = CLI_BENCH,
	  .help = "draw the measurement there; .svg, .html, .pdf or .png",
	  .set = set_output },
	{ .name = "contiguous",
	  .verbs = CLI_BENCH,
	  .help = "rate over transfer length, one block after the other",
	  FLAG(contiguous) },
	{ .name = "random",
	  .verbs = CLI_BENCH,
	  .help = "rate over transfer length, at random places",
	  FLAG(random) },
	{ .name = "load",
	  .verbs = CLI_BENCH,
	  .help = "operations per second over the response time, by depth",
	  FLAG(load) },
	{ .name = "misalign",
	  .argument = "BYTES",
	  .verbs = CLI_BENCH,
	  .help = "begin so far past a page in memory and an aligned block",
	  .set = set_misalign },
	{ .name = "sweep",
	  .argument = "blocks=FROM:TO:STEP",
	  .verbs = CLI_BENCH,
	  .help = "transfer lengths (default: powers of two, and one less)",
	  .set = set_sweep },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .verbs = CLI_REPORT,
	  .help = "draw there; .html, .svg, .pdf or .png",
	  .set = set_output },
	{ .name = "sweep",
	  .argument = "KEY=FROM:TO:STEP",
	  .verbs = CLI_MODEL,
	  .help = "a table over the values of one key",
	  .set = set_sweep },
	{ .name = "bytes",
	  .verbs = CLI_LIST | RUN,
	  .help = "sizes and rates in bytes",
	  FLAG(bytes) },
	{ .name = "noheadings",
	  .verbs = CLI_LIST | CLI_INSPECT | RUN,
	  .help = "no line of headings",
	  FLAG(no_headings) },
	{ .name = "rate",
	  .argument = "RATE",
	  .verbs = CLI_INSPECT,
	  .help = "of one member of a stripe set, like 250MB/s",
	  .set = set_rate,
	  .rate = offsetof(struct cli, member_rate) },
	{ .name = "link",
	  .argument = "RATE",
	  .verbs = CLI_INSPECT,
	  .help = "of what the members of a stripe set share",
	  .set = set_rate,
	  .rate = offsetof(struct cli, link_rate) },
	{ .name = "erasable",
	  .verbs = CLI_LIST,
	  .help = "only disks that may be erased",
	  FLAG(erasable) },
	{ .name = "coarse",
	  .verbs = CLI_SIMULATE,
	  .help = "leap over even stretches of time (default: above 1 TB)",
	  FLAG(coarse) },
	{ .name = "exact",
	  .verbs = CLI_SIMULATE,
	  .help = "every command, however long that takes",
	  FLAG(exact) },
	{ .name = "json",
	  .verbs = NODES | CLI_SIMULATE | CLI_MODEL | CLI_BENCH | CLI_DOCTOR,
	  .help = "one JSON document on standard output",
	  FLAG(json) },
	{ .name = "json-lines",
	  .verbs = RUN,
	  .help = "events as lines of JSON, the result as the last",
	  FLAG(json_lines) },
	{ .name = "progress",
	  .argument = "HOW",
	  .verbs = RUN,
	  .help = "auto (default), bars, plain or none",
	  .set = set_progress },
	{ .name = "color",
	  .argument = "[WHEN]",
	  .verbs = NODES | CLI_SIMULATE,
	  .help = "auto (default), always or never",
	  .set = set_color },
	{ .name = "topology",
	  .alias = "station",
	  .argument = "FILE",
	  .verbs = CLI_ERASE | CLI_VERIFY | CLI_PLAN,
	  .help = "topology file to forecast from, instead of this machine's own",
	  .set = set_station },
	{ .name = "compare",
	  .verbs = CLI_PLAN,
	  .help = "forecast every strategy, command and transfer length",
	  FLAG(compare) },
	{ .name = "replace",
	  .argument = "DISK=KIND",
	  .verbs = CLI_PLAN,
	  .help = "with --topology: what it gains if DISK were like KIND, a section or model",
	  .set = set_replace },
	{ .name = "without",
	  .argument = "DISK",
	  .verbs = CLI_PLAN,
	  .help = "with --topology: what it gains to leave DISK out",
	  .set = set_without },
	{ .name = "config",
	  .argument = "FILE",
	  .verbs = NODES,
	  .help = "configuration with the list of protected disks",
	  .set = set_config },
	{ .name = "quiet",
	  .letter = 'q',
	  .verbs = HOW | STATIONS | CLI_BENCH | CLI_REPORT,
	  .help = "errors, questions and results only",
	  FLAG(quiet) },
	{ .name = "verbose",
	  .letter = 'v',
	  .verbs = NODES | CLI_SIMULATE,
	  .help = "say more",
	  FLAG(verbose) },
	{ .name = "help",
	  .letter = 'h',
	  .verbs = ALL | CLI_SIMULATE | STATIONS | CLI_BENCH | CLI_REPORT,
	  .help = "this text",
	  FLAG(help) },
	{ .name = "version",
	  .letter = 'V',
	  .verbs = ALL | CLI_SIMULATE | STATIONS | CLI_BENCH | CLI_REPORT,
	  .help = "the version",
	  FLAG(version) },
};

_Static_assert(CLI_ARRAY_SIZE(options) <= CLI_OPTIONS_MAX,
	       "struct cli has a flag for each option");

const struct cli_option *cli_option_at(size_t i)
{
	return i < CLI_ARRAY_SIZE(options) ? &options[i] : NULL;
}
