/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every verb needs to speak: one line per failure, on stderr, after the program's
 * name, saying what is wrong and what to do next.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define MAJOR_MEM 1 /* null, zero, full */

/* "diskwipe list >/dev/sdb" */
static bool leads_to_device(int fd)
{
	struct stat st;

	return !fstat(fd, &st) &&
	       (S_ISBLK(st.st_mode) ||
		(S_ISCHR(st.st_mode) && major(st.st_rdev) != MAJOR_MEM && !isatty(fd)));
}

static void refuse_device(int fd)
{
	if (fd == STDOUT_FILENO && !leads_to_device(STDERR_FILENO))
		fprintf(stderr,
			"%s: the standard output leads to a device; nothing was written\n",
			cli_name);
	_exit(CLI_EXIT_USAGE);
}

void cli_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fd != STDIN_FILENO && leads_to_device(fd))
			refuse_device(fd);
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) != fd)
			_exit(CLI_EXIT_USAGE);
	}
}

uint64_t cli_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A disk takes several descriptors; the usual limit of 1,024 is for programs that select(). */
void cli_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int cli_close_output(struct cli *c, int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	cli_fail(c, CLI_EXIT_USAGE, "standard output: cannot write");
	return code ? code : CLI_EXIT_USAGE;
}

int cli_fail(struct cli *c, enum cli_exit code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->error, sizeof(c->error), format, args);
	va_end(args);
	cli_warn("%s", c->error);
	return code;
}

void cli_say(const struct cli *c, const char *format, ...)
{
	va_list args;

	if (c->show.quiet)
		return;
	va_start(args, format);
	cli_say_line(false, format, args);
	va_end(args);
}

void *cli_allocate(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p) {
		fprintf(stderr, "%s: out of memory\n", cli_name);
		exit(CLI_EXIT_USAGE);
	}
	return p;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Levenshtein distance; words longer than the row count as far away. */
static size_t distance(const char *a, const char *b)
{
	size_t row[32], len = strlen(b);

	if (len >= CLI_ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < len; j++) {
			size_t above = row[j + 1];

			row[j + 1] =
				min3(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
			diagonal = above;
		}
	}
	return row[len];
}

const char *cli_quote(const char *name, char buf[CLI_QUOTED])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+:=@,";
	size_t n = 0;

	if (name[0] && name[0] != '-' && !name[strspn(name, plain)]) {
		snprintf(buf, CLI_QUOTED, "%s", name);
		return buf;
	}
	buf[n++] = '\'';
	for (; *name && n < CLI_QUOTED - 6; name++)
		n += (size_t)snprintf(buf + n, CLI_QUOTED - n, "%s%c",
				      *name == '\'' ? "'\\'" : "", *name);
	snprintf(buf + n, CLI_QUOTED - n, "'");
	return buf;
}

const char *cli_nearest(const char *text, const char *const *words)
{
	/* of three characters two are a different word */
	size_t limit = strlen(text) > 3 ? strlen(text) / 3 + 1 : 1, best = limit + 1;
	const char *near = NULL;

	for (; *words; words++) {
		size_t d = distance(text, *words);
		size_t len = strlen(text);

		if (len >= 3 && !strncmp(*words, text, len))
			d = 1;
		if (d < best) {
			best = d;
			near = *words;
		}
	}
	return near;
}

bool cli_color_wanted(const struct cli *c, FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (c->show.color != CLI_AUTO)
		return c->show.color == CLI_ALWAYS;
	if ((no && *no) || !isatty(fileno(f)))
		return false;
	return term && strcmp(term, "dumb");
}

size_t cli_outcomes_text(const size_t count[CLI_OUTCOMES], bool verify_only, char *buf,
			 size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int o = DW_OUTCOME_ERASED; o < CLI_OUTCOMES && len < size; o++)
		if (count[o])
			len += (size_t)snprintf(
				buf + len, size - len, "%s%zu %s", len ? ", " : "",
				count[o],
				dw_outcome_name((enum dw_outcome)o, verify_only));
	return strlen(buf);
}

unsigned cli_environment_number(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);
	uint64_t value;

	if (!text || dw_number_parse(text, &value) < 0 || !value || value > 10000)
		return otherwise;
	return (unsigned)value;
}

unsigned cli_terminal_width(FILE *f)
{
	struct winsize ws = { 0 };

	if (!isatty(fileno(f)))
		return 0;
	if (ioctl(fileno(f), TIOCGWINSZ, &ws) || !ws.ws_col)
		return cli_environment_number("COLUMNS", 80);
	return ws.ws_col;
}

const char *cli_disk_node(const struct dw_disk_info *info)
{
	return info->sg[0] ? info->sg : info->block;
}

uint64_t cli_disk_bytes(const struct dw_disk_info *info)
{
	return info->blocks * info->block_size;
}

static const char *number_text(uint64_t n, char *buf, size_t size)
{
	snprintf(buf, size, "%llu", (unsigned long long)n);
	return buf;
}

const char *cli_size_text(const struct cli *c, uint64_t n, char *buf, size_t size)
{
	return c->show.bytes ? number_text(n, buf, size) : dw_size_format(n, buf, size);
}

const char *cli_rate_text(const struct cli *c, double rate, char *buf, size_t size)
{
	uint64_t n = rate > 0 ? (uint64_t)rate : 0;

	return c->show.bytes ? number_text(n, buf, size)
			     : dw_rate_format(n, 1000000000, buf, size);
}
