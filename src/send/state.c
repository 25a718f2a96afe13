/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a target has come, in a file of its name: a key and a value on each line. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "file/file.h"
#include "send/send.h"

int send_fail(struct send_failure *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->why, sizeof(f->why), format, args);
	va_end(args);
	return -1;
}

static char *file_of(const char *folder, const struct send_target *t)
{
	char *path;

	return asprintf(&path, "%s/%s.state", folder, t->name) < 0 ? NULL : path;
}

static int take_line(const char *line, struct send_state *s)
{
	uint64_t *const numbers[] = { &s->sequence, &s->head, &s->day, &s->success };
	static const char *const forms[] = { "sequence ", "head ", "day ", "success " };

	for (size_t i = 0; i < DW_ARRAY_SIZE(forms); i++)
		if (!strncmp(line, forms[i], strlen(forms[i]))) {
			char *end;

			*numbers[i] = strtoull(line + strlen(forms[i]), &end, 10);
			return *end ? -EINVAL : 0;
		}
	if (!strncmp(line, "hash ", 5)) {
		snprintf(s->hash, sizeof(s->hash), "%s", line + 5);
		return line[5] && strlen(line + 5) != sizeof(s->hash) - 1 ? -EINVAL : 0;
	}
	if (strncmp(line, "error ", 6) != 0)
		return -EINVAL;
	snprintf(s->error, sizeof(s->error), "%s", line + 6);
	return 0;
}

int send_state_read(const char *folder, struct send_target *target)
{
	dw_autofree char *path = file_of(folder, target), *text = NULL;
	char *line, *rest;
	size_t len;
	int r = path ? dw_file_read(path, 65536, &text, &len) : -ENOMEM;

	target->state = (struct send_state){ .sequence = 0 };
	if (r)
		return r == -ENOENT ? 0 : r;
	for (rest = text; !r && (line = strsep(&rest, "\n"));)
		r = line[0] ? take_line(line, &target->state) : 0;
	if (!r && target->state.sequence && !target->state.hash[0])
		r = -EINVAL;
	return r;
}

int send_state_write(const char *folder, const struct send_target *target)
{
	const struct send_state *s = &target->state;
	dw_autofree char *path = file_of(folder, target), *text = NULL;
	int len;

	if (!path)
		return -ENOMEM;
	len = asprintf(&text,
		       "sequence %" PRIu64 "\nhash %s\nhead %" PRIu64 "\nday %" PRIu64
		       "\nsuccess %" PRIu64 "\nerror %s\n",
		       s->sequence, s->hash, s->head, s->day, s->success, s->error);
	if (len < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return dw_file_replace(path, text, (size_t)len, 0644);
}
