/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last question. What must be typed differs from job to job, so that no finger learns
 * it: a lone disk's serial, or how many disks there are after reading the list. A program
 * that cannot be asked says how many disks it expects; a wild card that matches one more
 * disk than yesterday then erases none.
 */
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "job/confirm.h"
#include "output/out.h"
#include "signals.h"

#define LAST 4 /* characters of the serial */

/*
 * Whether options alone are consent enough; @ret_why: why not, and what to give.
 *
 * --yes is enough when exactly one disk was named, by its name; with more, or a rule, the
 * number of those left must be given as well, and be right. A number that is given must be
 * right in any case.
 */
static bool check_consent(const struct cli_consent *g, char *ret_why, size_t size)
{
	if (g->have_expect_count && g->expect_count != g->left) {
		snprintf(
			ret_why, size,
			"--expect-count=%llu, but %zu disk%s selected; nothing was written",
			(unsigned long long)g->expect_count, g->left,
			g->left == 1 ? " is" : "s are");
		return false;
	}
	if (!g->yes) {
		snprintf(
			ret_why, size,
			"not confirmed: no terminal to ask on; nothing was written; give --yes%s",
			(g->named > 1 || g->by_rule) && !g->have_expect_count
				? " and --expect-count=N"
				: "");
		return false;
	}
	if (g->by_rule && !g->have_expect_count) {
		snprintf(
			ret_why, size,
			"not confirmed: --select leaves %zu disk%s, and --yes alone confirms"
			" one disk that is named; nothing was written; check with"
			" --dry-run, then add --expect-count=%zu",
			g->left, g->left == 1 ? "" : "s", g->left);
		return false;
	}
	if (g->named > 1 && !g->have_expect_count) {
		snprintf(
			ret_why, size,
			"not confirmed: %zu devices were named, %zu %s left, and --yes alone"
			" confirms one that is named; nothing was written; check with"
			" --dry-run, then add --expect-count=%zu",
			g->named, g->left, g->left == 1 ? "is" : "are", g->left);
		return false;
	}
	return true;
}

const char *cli_confirm_answer(const struct dw_disk *disks, size_t n, char *buf,
			       size_t size)
{
	const char *text = disks[0].info.serial;
	size_t len;

	if (n != 1) {
		snprintf(buf, size, "%zu", n);
		return buf;
	}
	if (!text[0])
		text = disks[0].info.wwn;
	if (!text[0])
		text = cli_disk_node(&disks[0].info);
	len = strlen(text);
	snprintf(buf, size, "%s", len > LAST ? text + len - LAST : text);
	return buf;
}

static const char *what_to_type(const struct dw_disk *disks, size_t n, size_t len,
				char *buf, size_t size)
{
	const char *of = "device name";

	if (n != 1) {
		snprintf(buf, size, "the number of disks above");
		return buf;
	}
	if (disks[0].info.serial[0])
		of = "serial";
	else if (disks[0].info.wwn[0])
		of = "WWN";
	snprintf(buf, size, "the last %zu characters of its %s", len, of);
	return buf;
}

/* A whole line of text, ended by its newline and nothing hidden behind a zero byte. */
static bool is_answer(char *line, ssize_t len, const char *answer)
{
	if (len < 1 || line[len - 1] != '\n' || strlen(line) != (size_t)len)
		return false;
	while (len && strchr(" \t\r\n", line[len - 1]))
		line[--len] = '\0';
	return !strcmp(line + strspn(line, " \t"), answer);
}

/* Put the question on @out and read the answer from @in; @what_for: the verb, "erase". */
static bool ask_person(FILE *in, FILE *out, const char *what_for,
		       const struct dw_disk *disks, size_t n)
{
	char answer[DW_SERIAL_MAX], what[64], *line = NULL;
	size_t size = 0;
	ssize_t len;
	bool yes;

	cli_confirm_answer(disks, n, answer, sizeof(answer));
	/* what was typed before the question does not answer it */
	if (isatty(fileno(in)) && tcflush(fileno(in), TCIFLUSH))
		return false;
	fprintf(out, "To %s %s, type %s: ", what_for,
		n == 1 ? "this disk" : "all of them",
		what_to_type(disks, n, strlen(answer), what, sizeof(what)));
	fflush(out);
	if (!cli_signals_await(fileno(in))) {
		fputc('\n', out);
		return false;
	}
	len = getline(&line, &size, in);
	yes = is_answer(line, len, answer);
	if (!yes && feof(in))
		fputc('\n', out);
	free(line);
	return yes;
}

/* The list stands above the question. */
static int ask(struct cli *c, const struct dw_disk *disks, size_t n)
{
	cli_table_question(c, stderr, disks, n);
	if (ask_person(stdin, stderr, c->verb->bit == CLI_FORMAT ? "format" : "erase",
		       disks, n))
		return 0;
	c->ending.signal = cli_signals_stop();
	return cli_fail(c, CLI_EXIT_REFUSED, "%s; nothing was written",
			c->ending.signal ? "stopped" : "not confirmed");
}

static bool will_ask(const struct cli *c)
{
	return !c->yes && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

int cli_confirm_check(struct cli *c, size_t named, size_t left)
{
	/* an answer stands for --yes, and not for a count that is given and wrong */
	struct cli_consent given = { .yes = c->yes || will_ask(c),
				     .have_expect_count = c->expect_count != 0,
				     .expect_count = c->expect_count,
				     .by_rule = c->pick.rule && !c->n_operands,
				     .named = named,
				     .left = left };
	char why[320];

	if ((will_ask(c) && !given.have_expect_count) ||
	    check_consent(&given, why, sizeof(why)))
		return 0;
	return cli_fail(c, CLI_EXIT_REFUSED, "%s", why);
}

int cli_confirm(struct cli *c, size_t named, const struct dw_disk *disks, size_t n)
{
	int r = cli_confirm_check(c, named, n);

	return !r && will_ask(c) ? ask(c, disks, n) : r;
}
