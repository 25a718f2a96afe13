/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of diskwipe-send. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "file/file.h"
#include "send/send.h"

#define EVERY_MAX 3600

struct config_reader {
	struct send_config *c;
	struct dw_error *err;
	const char *file;
	bool failed;
};

static int complain(struct config_reader *r, const char *section, const char *name,
		    const char *why)
{
	if (!r->failed)
		dw_error_set(r->err, -EINVAL, DW_ERROR_CONTENT, NULL, "[%.80s] %.40s: %s",
			     section, name, why);
	r->failed = true;
	return 0;
}

static bool set_text(char *to, size_t size, const char *value)
{
	return (size_t)snprintf(to, size, "%s", value) < size;
}

static bool set_path(char *to, const char *value)
{
	return value[0] == '/' && set_text(to, PATH_MAX, value);
}

static bool set_yes(bool *to, const char *value)
{
	*to = !strcmp(value, "yes");
	return *to || !strcmp(value, "no");
}

static int take_general(struct config_reader *r, const char *name, const char *value)
{
	char *end;
	unsigned long every;

	if (!strcmp(name, "ledger"))
		return set_path(r->c->ledger, value)
			       ? 1
			       : complain(r, "send", name, "not an absolute path");
	if (!strcmp(name, "state"))
		return set_path(r->c->folder, value)
			       ? 1
			       : complain(r, "send", name, "not an absolute path");
	if (strcmp(name, "every") != 0)
		return complain(r, "send", name, "no such key");
	every = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)value[0]) || *end || !every || every > EVERY_MAX)
		return complain(r, "send", name, "not a number of seconds, 1 to 3600");
	r->c->every = (unsigned int)every;
	return 1;
}

/* its state is a file of that name */
static bool is_name(const char *name)
{
	return name[0] && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._-") == strlen(name);
}

static struct send_target *target_of(struct config_reader *r, const char *section)
{
	const char *name = section + strlen("target ");
	struct send_config *c = r->c;
	struct send_target *t;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->target[i].name, name))
			return &c->target[i];
	if (!is_name(name) || strlen(name) >= sizeof(t->name) ||
	    dw_grow(&c->target, c->n, c->n + 1, sizeof(*t))) {
		complain(r, section, "",
			 "not a name for a target: letters, digits and ._- are");
		return NULL;
	}
	t = &c->target[c->n++];
	*t = (struct send_target){ .require_mount = false };
	snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static int set_where(struct config_reader *r, const char *section, struct send_target *t,
		     enum send_kind kind, const char *name, const char *value)
{
	if (t->kind != SEND_NOWHERE)
		return complain(r, section, name, "the target has another place already");
	t->kind = kind;
	if (kind == SEND_DIRECTORY && value[0] != '/')
		return complain(r, section, name, "not an absolute path");
	if (kind == SEND_URL && strncmp(value, "https://", 8) != 0 &&
	    strncmp(value, "http://", 7) != 0)
		return complain(r, section, name, "neither https:// nor http://");
	return set_text(t->where, sizeof(t->where), value)
		       ? 1
		       : complain(r, section, name, "too long");
}

static int take_target(struct config_reader *r, const char *section, const char *name,
		       const char *value)
{
	struct send_target *t = target_of(r, section);
	const struct {
		const char *name;
		char *to;
	} paths[] = { { "ca-file", t ? t->ca_file : NULL },
		      { "client-cert", t ? t->client_cert : NULL },
		      { "client-key", t ? t->client_key : NULL },
		      { "token-file", t ? t->token_file : NULL } };

	if (!t)
		return 0;
	if (!strcmp(name, "directory"))
		return set_where(r, section, t, SEND_DIRECTORY, name, value);
	if (!strcmp(name, "url"))
		return set_where(r, section, t, SEND_URL, name, value);
	if (!strcmp(name, "syslog"))
		return set_where(r, section, t, SEND_SYSLOG, name, value);
	if (!strcmp(name, "require-mount"))
		return set_yes(&t->require_mount, value)
			       ? 1
			       : complain(r, section, name, "neither yes nor no");
	if (!strcmp(name, "plain"))
		return set_yes(&t->plain, value)
			       ? 1
			       : complain(r, section, name, "neither yes nor no");
	for (size_t i = 0; i < DW_ARRAY_SIZE(paths); i++)
		if (!strcmp(name, paths[i].name))
			return set_path(paths[i].to, value)
				       ? 1
				       : complain(r, section, name,
						  "not an absolute path");
	return complain(r, section, name, "no such key");
}

static int take_key(void *ctx, const char *section, const char *name, const char *value)
{
	struct config_reader *r = ctx;

	if (!strcmp(section, "send"))
		return take_general(r, name, value);
	if (!strncmp(section, "target ", strlen("target ")))
		return take_target(r, section, name, value);
	return complain(r, section, name,
			"no such section: [send] and [target NAME] are");
}

static int judge_target(struct config_reader *r, const struct send_target *t)
{
	char section[80];

	snprintf(section, sizeof(section), "target %.63s", t->name);
	if (t->kind == SEND_NOWHERE)
		return complain(r, section, "",
				"no directory=, url= or syslog= says where to");
	if (t->kind == SEND_URL && !strncmp(t->where, "http://", 7) && !t->plain)
		return complain(r, section, "url",
				"anybody between could read it; use https://, or say "
				"plain=yes");
	if (!t->client_cert[0] != !t->client_key[0])
		return complain(r, section, "client-cert",
				"it and client-key belong together");
	return 1;
}

int send_config_read(const char *path, struct send_config *ret, struct dw_error *err)
{
	struct config_reader r = { .c = ret, .err = err, .file = path };
	dw_autofree char *text = NULL;
	size_t len;
	int e, line;

	*ret = (struct send_config){ .every = 10 };
	snprintf(ret->folder, sizeof(ret->folder), "/var/lib/diskwipe-send");
	dw_error_clear(err);
	e = dw_file_read(path, 1 << 20, &text, &len);
	if (e)
		return dw_error_file(err, e, path, dw_file_error(e));
	line = ini_parse_string(text, take_key, &r);
	for (size_t i = 0; i < ret->n && !r.failed && !line; i++)
		judge_target(&r, &ret->target[i]);
	if (!r.failed && line)
		complain(&r, "", "", "a line that is neither [section] nor key = value");
	if (!r.failed && !ret->ledger[0])
		complain(&r, "send", "ledger", "it is missing: where are the records?");
	if (!r.failed && !ret->n)
		complain(&r, "target NAME", "", "there is none: where to?");
	if (r.failed)
		return dw_error_in(err, path, line > 0 ? (uint64_t)line : 0), -EINVAL;
	return 0;
}

void send_config_deinit(struct send_config *c)
{
	for (size_t i = 0; i < c->n; i++)
		send_url_end(&c->target[i]);
	free(c->target);
	*c = (struct send_config){ .n = 0 };
}
