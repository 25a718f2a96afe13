/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a trace: lines into commands, strictly, in constant memory. */
#include <diskwipe/trace.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/file.h"
#include "report/pack.h"
#include "report/trace_head.h"

#define LINE_MAX_BYTES 8192
#define MAGIC          "# diskwipe trace "

struct dw_trace_reader {
	FILE *f;
	char name[96];
	uint64_t line;
	char text[LINE_MAX_BYTES];
	bool held; /* @text is the first command, met behind the head */
	struct dw_trace_head head;
	struct dw_trace_finish finish;
};

/* what is wrong with the line that was read last */
__attribute__((format(printf, 3, 4))) static int
wrong(const struct dw_trace_reader *r, struct dw_error *err, const char *format, ...)
{
	char text[sizeof(err->reason)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dw_error_content(err, NULL, "%s", text);
	dw_error_in(err, r->name, r->line);
	return -EINVAL;
}

/* 1 a line without its newline; 0 the end, also in the middle of a line; negative errno. */
static int get_line(struct dw_trace_reader *r, struct dw_error *err)
{
	size_t n;

	if (r->held) {
		r->held = false;
		return 1;
	}
	r->line++;
	if (!fgets(r->text, sizeof(r->text), r->f)) {
		if (!ferror(r->f))
			return 0;
		return dw_error_file(err, -EIO, r->name, strerror(EIO));
	}
	n = strlen(r->text);
	if (n && r->text[n - 1] == '\n') {
		r->text[n - 1] = '\0';
		return 1;
	}
	if (n == sizeof(r->text) - 1)
		return wrong(r, err, "the line is too long");
	return feof(r->f) ? 0 : wrong(r, err, "a byte 0 in the line");
}

static bool begins_trace(const char *text, size_t len)
{
	return len >= strlen(MAGIC) && !memcmp(text, MAGIC, strlen(MAGIC));
}

bool dw_trace_is(const char *text, size_t len)
{
	return begins_trace(text, len) || dw_pack_is(text, len);
}

static int first_line(struct dw_trace_reader *r, struct dw_error *err)
{
	int n = get_line(r, err);

	if (n < 0)
		return n;
	if (n && !strcmp(r->text, DW_TRACE_FIRST_LINE))
		return 0;
	if (n && begins_trace(r->text, strlen(r->text)))
		return wrong(r, err,
			     "a trace of another version (%.20s); this program reads %s",
			     &r->text[2], &DW_TRACE_FIRST_LINE[2]);
	return wrong(r, err, "not a trace: its first line is not '%s'",
		     DW_TRACE_FIRST_LINE);
}

static int end_line(struct dw_trace_reader *r, struct dw_error *err)
{
	char word[32], rest;

	if (sscanf(r->text, "# end %31s %" SCNu64 "%c", word, &r->finish.end_ns, &rest) !=
		    2 ||
	    r->finish.end_ns > INT64_MAX)
		return wrong(r, err, "not of the form '# end OUTCOME NS'");
	for (int i = 0; i <= DW_OUTCOME_REMOVED; i++) {
		if (strcmp(word, dw_outcome_name((enum dw_outcome)i,
						 r->head.run.verify_only)) != 0)
			continue;
		r->finish.outcome = (enum dw_outcome)i;
		r->finish.complete = true;
		return 0;
	}
	return wrong(r, err, "'%s' is no outcome", word);
}

static int head_line(struct dw_trace_reader *r, struct dw_error *err)
{
	int n = dw_trace_head_line(&r->head, r->text, err);

	if (n < 0)
		dw_error_in(err, r->name, r->line);
	return n;
}

static int read_head(struct dw_trace_reader *r, struct dw_error *err)
{
	int n = first_line(r, err);

	if (n < 0)
		return n;
	while ((n = get_line(r, err)) > 0) {
		if (r->text[0] != '#' || !strncmp(r->text, "# end ", 6)) {
			r->held = true;
			return 0;
		}
		n = head_line(r, err);
		if (n < 0)
			return n;
	}
	return n;
}

static int open_stream(FILE *f, const char *name, struct dw_trace_reader **ret,
		       struct dw_error *err)
{
	struct dw_trace_reader *r = calloc(1, sizeof(*r));
	int n;

	if (!r) {
		fclose(f);
		return dw_error_system(err, -ENOMEM, NULL);
	}
	n = dw_unpack(f, &r->f);
	if (n) {
		free(r);
		if (n == -ENOTSUP)
			return dw_error_file(err, n, name,
					     "compressed, and this program has no "
					     "libzstd; unpack it with zstd -d");
		return dw_error_system(err, n, NULL);
	}
	snprintf(r->name, sizeof(r->name), "%s", name);
	n = read_head(r, err);
	if (n < 0) {
		dw_trace_reader_free(r);
		return n;
	}
	*ret = r;
	return 0;
}

int dw_trace_reader_open(const char *path, struct dw_trace_reader **ret,
			 struct dw_error *err)
{
	int fd = dw_file_open(path, true);
	FILE *f;

	dw_error_clear(err);
	if (fd < 0)
		return dw_error_file(err, fd, path, dw_file_error(fd));
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return dw_error_system(err, -ENOMEM, NULL);
	}
	return open_stream(f, path, ret, err);
}

void dw_trace_reader_free(struct dw_trace_reader *r)
{
	if (!r)
		return;
	fclose(r->f);
	dw_trace_head_deinit(&r->head);
	free(r);
}

const struct dw_trace_head *dw_trace_reader_head(const struct dw_trace_reader *r)
{
	return &r->head;
}

struct dw_trace_finish dw_trace_reader_finish(const struct dw_trace_reader *r)
{
	return r->finish;
}

/* A decimal number up to @max and the blank after it (the last field: the line's end). */
static bool number(const char **at, uint64_t max, bool last, uint64_t *ret)
{
	const char *c = *at;
	uint64_t v = 0;

	if (*c < '0' || *c > '9' || (*c == '0' && c[1] >= '0' && c[1] <= '9'))
		return false;
	for (; *c >= '0' && *c <= '9'; c++) {
		if ((uint64_t)(*c - '0') > max || v > (max - (uint64_t)(*c - '0')) / 10)
			return false;
		v = v * 10 + (uint64_t)(*c - '0');
	}
	if (*c != (last ? '\0' : ' '))
		return false;
	*at = c + !last;
	*ret = v;
	return true;
}

static const char *verb_at(unsigned int i)
{
	return i < DW_VERB_COUNT ? dw_verb_name((enum dw_verb)i) : NULL;
}

static const char *class_at(unsigned int i)
{
	return i < DW_CLASS_COUNT ? dw_class_name((enum dw_class)i) : NULL;
}

/* One of the words of a table and the blank after it. */
static bool word(const char **at, const char *(*table)(unsigned int), uint8_t *ret)
{
	size_t n = strcspn(*at, " ");
	const char *w;

	if ((*at)[n] != ' ')
		return false;
	for (unsigned int i = 0; (w = table(i)); i++) {
		if (strncmp(*at, w, n) != 0 || w[n])
			continue;
		*ret = (uint8_t)i;
		*at += n + 1;
		return true;
	}
	return false;
}

/* The fields of a line of several commands, or of one without an extent. */
static const char *parse_several(const char *at, struct dw_trace_command *c)
{
	uint64_t v;

	if (c->commands < 2 && c->blocks)
		return "commands";
	if (!number(&at, INT64_MAX, false, &c->least_ns))
		return "least";
	if (!number(&at, INT64_MAX, false, &c->mean_ns) || c->mean_ns < c->least_ns)
		return "mean";
	if (!number(&at, INT64_MAX, false, &c->most_ns) || c->most_ns < c->mean_ns)
		return "most";
	if (!number(&at, INT64_MAX, false, &c->span))
		return "span";
	if (!number(&at, c->commands, false, &v))
		return "close";
	c->close = (uint32_t)v;
	if (!number(&at, INT64_MAX, false, &c->close_ns))
		return "close_ns";
	return number(&at, INT64_MAX, true, &c->busy_ns) ? NULL : "busy";
}

/* NULL, or the name of the field that is wrong. */
static const char *parse(const char *at, const struct dw_trace_head *head,
			 struct dw_trace_command *c)
{
	const char *more;
	uint64_t v;

	*c = (struct dw_trace_command){ 0 };
	if (!number(&at, INT64_MAX, false, &c->step))
		return "step";
	if (!number(&at, UINT32_MAX, false, &v) || v >= head->n_disks)
		return "disk";
	c->disk = (uint32_t)v;
	if (!word(&at, verb_at, &c->verb))
		return "verb";
	if (!number(&at, INT64_MAX, false, &c->lba))
		return "lba";
	if (!number(&at, INT64_MAX, false, &c->blocks))
		return "blocks";
	if (!number(&at, INT64_MAX, false, &c->submit_ns))
		return "submitted";
	if (!number(&at, INT64_MAX, false, &c->end_ns))
		return "done";
	if (!word(&at, class_at, &c->end_class))
		return "class";
	if (!number(&at, INT64_MAX, false, &c->start_ns))
		return "started";
	if (!number(&at, UINT32_MAX, false, &v) || !v)
		return "commands";
	c->commands = (uint32_t)v;
	more = strchr(at, ' ');
	if (!number(&at, UINT8_MAX, !more, &v))
		return "pass";
	c->pass = (uint8_t)v;
	v = 0;
	c->several = more && strchr(more + 1, ' ');
	if (more && (!number(&at, DW_PATHS_MAX, !c->several, &v) || (!v && !c->several)))
		return "path";
	c->path = (uint8_t)v;
	if (c->several)
		return parse_several(at, c);
	c->span = c->blocks;
	c->least_ns = c->most_ns = c->mean_ns = (c->end_ns - c->start_ns) / c->commands;
	return NULL;
}

static int take(struct dw_trace_reader *r, struct dw_trace_command *c,
		struct dw_error *err)
{
	const char *field = parse(r->text, &r->head, c);
	uint64_t blocks;

	if (field)
		return wrong(r, err, "%s: missing, or not what it should be", field);
	blocks = r->head.disk[c->disk].blocks;
	if (c->lba > blocks || c->span > blocks - c->lba ||
	    c->blocks / c->commands > c->span)
		return wrong(r, err, "lba, blocks: beyond the end of the disk");
	if (c->submit_ns > c->start_ns || c->start_ns > c->end_ns)
		return wrong(r, err, "submitted, started, done: not in this order");
	return 1;
}

int dw_trace_reader_next(struct dw_trace_reader *r, struct dw_trace_command *ret,
			 struct dw_error *err)
{
	struct dw_trace_command c;
	int n;

	dw_error_clear(err);
	while ((n = get_line(r, err)) > 0) {
		if (r->finish.complete)
			return wrong(r, err, "more after the end");
		if (!strncmp(r->text, "# end ", 6))
			n = end_line(r, err);
		else if (!strncmp(r->text, "# joined ", 9))
			n = head_line(r, err);
		else if (r->text[0] == '#')
			n = 0;
		else
			n = take(r, &c, err);
		if (n > 0)
			*ret = c;
		if (n)
			return n;
	}
	return n;
}
