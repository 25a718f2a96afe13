/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each option does with its argument. A value that does not read as what it should be
 * is reported in one line, with the nearest word where words are asked for; what fits together
 * is checked later, where the whole is known.
 */
#include <string.h>

#include "option_set.h"
#include "own.h"
#include "job/rule.h"

/* commands that may have records */
#define SAID (CLI_ERASE | CLI_VERIFY | CLI_SUBMIT | CLI_TOP)

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
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: longer than %zu bytes", o->name,
				size - 1);
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

int cli_set_number(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t n = 0;
	int r = number(c, o, arg, o->least, o->most, &n);

	*(uint32_t *)cli_option_place(c, o) = (uint32_t)n;
	return r;
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
int cli_set_spec(struct cli *c, const struct cli_option *o, const char *arg)
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

int cli_set_controller(struct cli *c, const struct cli_option *o, const char *arg)
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

int cli_set_active(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->spec.active = 0;
	c->predict.active_auto = !strcmp(arg, "auto");
	return c->predict.active_auto ? 0 : cli_set_spec(c, o, arg);
}

int cli_set_text(struct cli *c, const struct cli_option *o, const char *arg)
{
	*(const char **)cli_option_place(c, o) = arg;
	return 0;
}

/* What a record would have only the beginning of. */
static int set_short(struct cli *c, const struct cli_option *o, const char *arg,
		     size_t size)
{
	if (strlen(arg) >= size)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--%s: records have at most %zu bytes of it", o->name,
				size - 1);
	return cli_set_text(c, o, arg);
}

int cli_set_label(struct cli *c, const struct cli_option *o, const char *arg)
{
	return set_short(c, o, arg, sizeof(((struct dw_proof *)0)->label));
}

int cli_set_asset(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (!arg[0] || !dw_text_is_printable(arg))
		return bad_value(c, o, arg, "a tag");
	return set_short(c, o, arg, DW_ASSET_MAX);
}

int cli_set_station(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (!arg[0])
		return cli_fail(c, CLI_EXIT_USAGE, "--topology: its value is empty");
	c->predict.file = arg;
	return 0;
}

int cli_set_replace(struct cli *c, const struct cli_option *o, const char *arg)
{
	struct cli_plan_options *own = c->own;
	const char *is = strchr(arg, '=');

	if (!is || is == arg || !is[1])
		return bad_value(c, o, arg, "DISK=KIND");
	if (own->n_replace == CLI_ARRAY_SIZE(own->replace))
		return cli_fail(c, CLI_EXIT_USAGE, "--replace: at most %zu times",
				own->n_replace);
	own->replace[own->n_replace++] = arg;
	return 0;
}

int cli_set_without(struct cli *c, const struct cli_option *o, const char *arg)
{
	struct cli_plan_options *own = c->own;

	if (own->n_without == CLI_ARRAY_SIZE(own->without))
		return cli_fail(c, CLI_EXIT_USAGE, "--without: at most %zu times",
				own->n_without);
	own->without[own->n_without++] = arg;
	return 0;
}

int cli_set_controller_buffer(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t bytes;

	if (dw_size_parse(arg, &bytes) < 0 || bytes < 512)
		return bad_value(c, o, arg, "a size of at least 512 bytes, like 2M");
	c->spec.controller_buffer = bytes;
	return 0;
}

int cli_set_method(struct cli *c, const struct cli_option *o, const char *arg)
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

/* Purge without a method is left to the ladder: the default method never reaches it. */
int cli_set_level(struct cli *c, const struct cli_option *o, const char *arg)
{
	int r = cli_set_spec(c, o, arg);
	bool purge = c->spec.level == DW_LEVEL_PURGE;
	struct dw_job_spec usual;

	dw_job_spec_init(&usual);
	if (!r && !cli_option_given(c, "method"))
		snprintf(c->spec.method, sizeof(c->spec.method), "%s",
			 purge ? "auto" : usual.method);
	return r;
}

int cli_set_verify(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "off",    "sample", "full",
					     "device", "auto",   NULL };
	static const char *const parts[] = { NULL, "sample:", NULL, "device:", "auto:" };
	int i = find_word(arg, words);
	enum dw_verify_kind kind;

	for (int k = 0; k < (int)CLI_ARRAY_SIZE(parts); k++) {
		if (!parts[k] || strncmp(arg, parts[k], strlen(parts[k])) != 0)
			continue;
		if (dw_percent_parse(arg + strlen(parts[k]), &c->spec.verify_percent))
			return bad_value(
				c, o, arg,
				"sample:N%, device:N% or auto:N% with N up to 100");
		i = k;
	}
	if (i < 0)
		return bad_word(c, o, arg, words);
	kind = DW_VERIFY_OFF + (unsigned int)i;
	if (c->verb->bit == CLI_VERIFY && kind == DW_VERIFY_OFF)
		return bad_value(c, o, arg, "possible here; sample:N% or full");
	if (c->verb->bit == CLI_VERIFY && kind >= DW_VERIFY_DEVICE)
		return bad_value(c, o, arg, "for verify, which writes nothing; full is");
	c->spec.verify = kind;
	return 0;
}

/* "64G" and "64GiB" are sizes, "5min" and "300s" are times; of "5M" and "5m" the first is
 * a size and the second a time; a bare number could be either and is neither. */
int cli_set_flush_every(struct cli *c, const struct cli_option *o, const char *arg)
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

int cli_set_background(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (dw_background_parse(arg, &c->spec.background) < 0)
		return bad_value(c, o, arg,
				 "share:20%, keep-response:30ms (any time) or off");
	return 0;
}

int cli_set_others(struct cli *c, const struct cli_option *o, const char *arg)
{
	if (dw_others_parse(arg, &c->spec.background) < 0)
		return bad_value(c, o, arg, "like users:20,think:10s,demands:.16s/.39s");
	return 0;
}

/* given again, it names another pair */
int cli_set_mirror(struct cli *c, const struct cli_option *o, const char *arg)
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

int cli_set_order(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "ascending", "near-first", NULL };
	int i = find_word(arg, words);

	if (i < 0 && !cli_nearest(arg, words) && c->verb->bit & SAID)
		return copy(c, o, arg, c->spec.order_number,
			    sizeof(c->spec.order_number));
	if (i < 0)
		return bad_word(c, o, arg, words);
	snprintf(c->spec.order, sizeof(c->spec.order), "%s", i ? words[i] : "");
	return 0;
}

int cli_set_minutes(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t ns;

	if (dw_duration_parse(arg, &ns) < 0 || ns / 1000000000 > UINT32_MAX)
		return bad_value(c, o, arg, "a time like 10min");
	*(uint32_t *)cli_option_place(c, o) = (uint32_t)(ns / 1000000000);
	return 0;
}

/* "250MB/s", or a size without its "/s". */
int cli_set_rate(struct cli *c, const struct cli_option *o, const char *arg)
{
	size_t len = strlen(arg);
	char text[40];

	if (len > 2 && !strcmp(arg + len - 2, "/s"))
		len -= 2;
	snprintf(text, sizeof(text), "%.*s", (int)(len < 39 ? len : 39), arg);
	if (dw_size_parse(text, cli_option_place(c, o)) < 0 ||
	    !*(uint64_t *)cli_option_place(c, o))
		return bad_value(c, o, arg, "a rate like 250MB/s");
	return 0;
}

int cli_set_paths(struct cli *c, const struct cli_option *o, const char *arg)
{
	const char *comma = strchr(arg, ',');
	char word[16];
	int r;

	snprintf(word, sizeof(word), "%.*s", (int)(comma ? comma - arg : 15), arg);
	r = cli_set_spec(c, o, word);
	return r || !comma ? r : cli_set_rate(c, o, comma + 1);
}

int cli_set_misalign(struct cli *c, const struct cli_option *o, const char *arg)
{
	uint64_t *bytes = cli_option_place(c, o);

	if (dw_size_parse(arg, bytes) < 0 || *bytes > 1 << 30)
		return bad_value(c, o, arg, "a number of bytes, up to 1GiB");
	return 0;
}

int cli_set_exclude(struct cli *c, const struct cli_option *o, const char *arg)
{
	c->pick.exclude[c->pick.n_exclude++] = arg;
	return 0;
}

int cli_set_help(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "all", NULL };

	if (arg && find_word(arg, words) < 0)
		return bad_word(c, o, arg, words);
	c->help = true;
	c->help_all = arg;
	return 0;
}

int cli_set_color(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "auto", "always", "never", NULL };
	int i = arg ? find_word(arg, words) : CLI_ALWAYS;

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->show.color = (enum cli_when)i;
	return 0;
}

int cli_set_progress(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const char *const words[] = { "auto", "bars", "plain", "none", NULL };
	int i = find_word(arg, words);

	if (i < 0)
		return bad_word(c, o, arg, words);
	c->show.progress = (enum cli_progress)i;
	return 0;
}

int cli_set_priority(struct cli *c, const struct cli_option *o, const char *arg)
{
	int32_t *at = cli_option_place(c, o);
	bool below = arg[0] == '-';
	uint64_t n = 0;

	if (dw_number_parse(arg + below, &n) < 0 || n > 1000)
		return bad_value(c, o, arg, "a whole number from -1000 to 1000");
	*at = below ? -(int32_t)n : (int32_t)n;
	return 0;
}

int cli_set_block_size(struct cli *c, const struct cli_option *o, const char *arg)
{
	static const uint32_t known[] = { 512, 520, 528, 4096, 4160, 4224 };
	uint32_t *at = cli_option_place(c, o);
	uint64_t n = 0;

	if (dw_number_parse(arg, &n) < 0)
		n = 0;
	for (size_t i = 0; i < CLI_ARRAY_SIZE(known); i++)
		if (known[i] == n)
			*at = known[i];
	if (!n || *at != n)
		return bad_value(c, o, arg, "512, 520, 528, 4096, 4160 or 4224");
	return 0;
}

int cli_set_select(struct cli *c, const struct cli_option *o, const char *arg)
{
	struct cli_rule_error err = { 0 };

	cli_rule_free(c->pick.rule);
	c->pick.rule = NULL;
	if (!cli_rule_parse(arg, &c->pick.rule, &err))
		return 0;
	return cli_fail(c, CLI_EXIT_USAGE, "--select: at '%.40s' (character %zu): %s",
			arg + err.at, err.at + 1,
			err.reason[0] ? err.reason : "out of memory");
}
