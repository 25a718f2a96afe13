/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options and what each does with its argument. A value that does not read
 * as what it should be is told in one line, with the nearest word where words are asked
 * for; what fits together is checked later, where the whole is known.
 */
#include <errno.h>
#include <string.h>

#include "options.h"

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
	size_t len = 0;

	if (near)
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: no '%s'; did you mean '%s'?",
				o->name, arg, near);
	for (; *words && len < sizeof(list); words++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					len ? ", " : "", *words);
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

static int set_strategy(struct cli *c, const struct cli_option *o, const char *arg)
{
	const char *const *words = dw_strategy_names();

	if (find_word(arg, words) < 0)
		return bad_word(c, o, arg, words);
	return copy(c, o, arg, c->spec.strategy, sizeof(c->spec.strategy));
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
		return bad_value(c, o, arg, "a controller; only fixed takes a number");
	if (colon &&
	    (dw_number_parse(colon + 1, &blocks) < 0 || !blocks || blocks > UINT32_MAX))
		return bad_value(c, o, arg, "fixed:BLOCKS");
	c->spec.fixed_blocks = (uint32_t)blocks;
	return copy(c, o, name, c->spec.controller, sizeof(c->spec.controller));
}

static int set_active(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t n = 0;
	int r = number(c, o, arg, 1, UINT32_MAX, &n);

	c->spec.active = (uint32_t)n;
	return r;
}

static int set_depth(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t n = 0;
	int r = number(c, o, arg, 1, 32, &n);

	c->spec.depth = (uint32_t)n;
	return r;
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

static int set_command(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "auto", "write", "write-same", NULL };
	int i = find_word(arg, words);

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->spec.command = (enum dw_command_mode)i;
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

static int set_pattern(struct cli *c, const struct cli_option *o, const char *arg)
{
	return copy(c, o, arg, c->spec.pattern, sizeof(c->spec.pattern));
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
	static const char *const words[] = { "keep", "on", NULL };
	int i = find_word(arg, words);

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->spec.write_cache_on = i == 1;
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

static int set_seed(struct cli *c, const struct cli_option *o, const char *arg)
{
	return number(c, o, arg, 1, UINT64_MAX, &c->spec.seed);
}

static int set_file(struct cli *c, const struct cli_option *o, const char *arg)
{
	return copy(c, o, arg, (char *)c + o->file, sizeof(c->spec.state_file));
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

static int set_sweep(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->sweep = arg;
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
#define NODES        (CLI_LIST | CLI_INSPECT | WHAT)
#define ALL          (NODES | CLI_HELP | CLI_MODEL)
#define FLAG(member) .flag = offsetof(struct cli, member)
#define PATH(member) .set = set_file, .file = offsetof(struct cli, spec.member)

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
	  .set = set_pattern },
	{ .name = "command",
	  .argument = "NAME",
	  .verbs = CLI_ERASE | CLI_PLAN | CLI_SIMULATE,
	  .planned = true,
	  .help = "auto (default), write or write-same",
	  .set = set_command },
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
	  .set = set_strategy },
	{ .name = "active",
	  .argument = "N",
	  .verbs = HOW,
	  .planned = true,
	  .help = "at most N disks at once",
	  .set = set_active },
	{ .name = "depth",
	  .argument = "N",
	  .verbs = HOW,
	  .planned = true,
	  .help = "up to N commands at one disk at once, 1 (default) to 32",
	  .set = set_depth },
	{ .name = "controller",
	  .argument = "NAME",
	  .verbs = HOW,
	  .planned = true,
	  .help = "transfer length: fixed (default), fixed:BLOCKS or cache",
	  .set = set_controller },
	{ .name = "controller-buffer",
	  .argument = "SIZE",
	  .verbs = HOW,
	  .planned = true,
	  .help = "buffer that --controller=cache shares out (default 2MiB)",
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
	  .help = "keep (default), or on for the time of the job",
	  .set = set_write_cache },
	{ .name = "reserve",
	  .verbs = CLI_ERASE | CLI_PLAN,
	  .planned = true,
	  .help = "hold a persistent reservation on each disk during the job",
	  FLAG(spec.reserve) },
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
	  .verbs = WHAT,
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
	  PATH(state_file) },
	{ .name = "resume",
	  .argument = "FILE",
	  .verbs = CLI_ERASE,
	  .help = "go on where this state file ends",
	  PATH(resume_file) },
	{ .name = "key-file",
	  .argument = "FILE",
	  .verbs = JOB,
	  .help = "erase: keep the key of random passes there; verify: read it",
	  PATH(key_file) },
	{ .name = "trace",
	  .argument = "FILE",
	  .verbs = RUN,
	  .help = "write one line per command there",
	  PATH(trace_file) },
	{ .name = "seed",
	  .argument = "N",
	  .verbs = HOW,
	  .help = "which blocks a sample takes (default: from the kernel)",
	  .set = set_seed },
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
	  .help = "draw the sweep there, as SVG",
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
	{ .name = "erasable",
	  .verbs = CLI_LIST,
	  .help = "only disks that may be erased",
	  FLAG(erasable) },
	{ .name = "coarse",
	  .verbs = CLI_SIMULATE,
	  .help = "advance runs of identical commands as one: for halls of disks",
	  FLAG(coarse) },
	{ .name = "json",
	  .verbs = NODES | CLI_SIMULATE | CLI_MODEL,
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
	{ .name = "config",
	  .argument = "FILE",
	  .verbs = NODES,
	  .help = "configuration with the list of protected disks",
	  .set = set_config },
	{ .name = "quiet",
	  .letter = 'q',
	  .verbs = HOW,
	  .help = "errors, questions and results only",
	  FLAG(quiet) },
	{ .name = "verbose",
	  .letter = 'v',
	  .verbs = NODES | CLI_SIMULATE,
	  .help = "say more",
	  FLAG(verbose) },
	{ .name = "help",
	  .letter = 'h',
	  .verbs = ALL | CLI_SIMULATE,
	  .help = "this text",
	  FLAG(help) },
	{ .name = "version",
	  .letter = 'V',
	  .verbs = ALL | CLI_SIMULATE,
	  .help = "the version",
	  FLAG(version) },
};

_Static_assert(CLI_ARRAY_SIZE(options) <= 64, "struct cli has one bit for each option");

const struct cli_option *cli_option_at(size_t i)
{
	return i < CLI_ARRAY_SIZE(options) ? &options[i] : NULL;
}
