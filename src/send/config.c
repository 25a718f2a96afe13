/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of diskwipe-send. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "ini/ini.h"
#include "send/send.h"

#define EVERY_MAX 3600

/* its state is a file of that name */
static bool is_name(const char *name)
{
	return name[0] && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._-") == strlen(name);
}

static struct send_target *target_of(struct dw_ini *ini, const char *name)
{
	struct send_config *c = ini->data;
	struct send_target *t;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->target[i].name, name))
			return &c->target[i];
	if (!is_name(name) || strlen(name) >= sizeof(t->name) ||
	    dw_grow(&c->target, c->n, c->n + 1, sizeof(*t))) {
		dw_ini_wrong(ini, NULL,
			     "[target %.40s]: not a name for a target: letters, digits "
			     "and ._- are",
			     name);
		return NULL;
	}
	t = &c->target[c->n++];
	snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static void *object_of(struct dw_ini *ini, const char *section, const char *name)
{
	return !strcmp(section, "target") ? (void *)target_of(ini, name) : ini->data;
}

static enum send_kind kind_of(const char *url)
{
	static const struct {
		const char *begin;
		enum send_kind kind;
	} kinds[] = {
		{ "https://", SEND_URL },
		{ "http://", SEND_URL },
		{ "postgresql://", SEND_DATABASE },
		{ "s3://", SEND_BUCKET },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(kinds); i++)
		if (!strncmp(url, kinds[i].begin, strlen(kinds[i].begin)))
			return kinds[i].kind;
	return SEND_NOWHERE;
}

static int take_where(struct dw_ini *ini, const struct dw_ini_key *k, const char *name,
		      const char *value, void *at)
{
	struct send_target *t = at;

	if (t->kind != SEND_NOWHERE)
		return dw_ini_wrong(ini, name, "the target has another place already");
	t->kind = (enum send_kind)k->own;
	if (t->kind == SEND_DIRECTORY && value[0] != '/')
		return dw_ini_wrong(ini, name, "not an absolute path");
	if (t->kind == SEND_URL)
		t->kind = kind_of(value);
	if (t->kind == SEND_NOWHERE)
		return dw_ini_wrong(ini, name,
				    "none of https://, http://, postgresql:// and s3://");
	if ((size_t)snprintf(t->where, sizeof(t->where), "%s", value) >= sizeof(t->where))
		return dw_ini_wrong(ini, name, "too long");
	return 0;
}

#define SEND(kind, name, member, ...)                                                    \
	DW_INI_KEY("send", name, kind, struct send_config, member, __VA_ARGS__)
#define TARGET(kind, name, member, ...)                                                  \
	DW_INI_KEY("target", name, kind, struct send_target, member, __VA_ARGS__)
#define WHERE(name_, own_)                                                               \
	{                                                                                \
		.section = "target", .name = (name_), .kind = DW_INI_OWN, .own = (own_)  \
	}

static const struct dw_ini_key keys[] = {
	SEND(PATH, "ledger", ledger, .min = 1),
	SEND(PATH, "state", folder, .min = 1),
	SEND(NUMBER, "every", every, .min = 1, .max = EVERY_MAX),
	WHERE("directory", SEND_DIRECTORY),
	WHERE("url", SEND_URL),
	WHERE("syslog", SEND_SYSLOG),
	TARGET(WORD, "require-mount", require_mount, .words = dw_ini_no_yes),
	TARGET(WORD, "plain", plain, .words = dw_ini_no_yes),
	TARGET(PATH, "ca-file", ca_file, .min = 1),
	TARGET(PATH, "client-cert", client_cert, .min = 1),
	TARGET(PATH, "client-key", client_key, .min = 1),
	TARGET(PATH, "token-file", token_file, .min = 1),
	TARGET(TEXT, "endpoint", endpoint, .min = 1),
	TARGET(TEXT, "region", region, .min = 1),
	TARGET(PATH, "credentials-file", credentials_file, .min = 1),
};

/* What is wrong with the address itself, in @err; NULL = nothing. */
static const char *judge_address(const struct send_target *t, struct dw_error *err)
{
	struct fleet_bucket b;
	int r = 0;

	if (t->kind == SEND_DATABASE)
		r = fleet_db_check(t->where, err);
	if (t->kind == SEND_BUCKET)
		r = fleet_bucket_parse(t->where, t->endpoint, t->region, t->plain, &b,
				       err);
	return r ? err->reason : NULL;
}

/* What is wrong with it as a whole; NULL = nothing. */
static const char *judge_target(const struct send_target *t)
{
	if (t->kind == SEND_NOWHERE)
		return "no directory=, url= or syslog= says where to";
	if (t->kind == SEND_URL && !strncmp(t->where, "http://", 7) && !t->plain)
		return "anybody between could read what goes to url=; use https://, or say "
		       "plain=yes";
	if (!t->client_cert[0] != !t->client_key[0])
		return "client-cert= and client-key= belong together";
	return NULL;
}

static int judge_config(struct dw_ini *ini, const struct send_config *c)
{
	struct dw_error err = { 0 };
	const char *wrong;

	ini->line = 0; /* it is none of a line */
	for (size_t i = 0; i < c->n; i++) {
		wrong = judge_target(&c->target[i]);
		if (!wrong)
			wrong = judge_address(&c->target[i], &err);
		if (wrong)
			return dw_ini_wrong(ini, NULL, "[target %s]: %s",
					    c->target[i].name, wrong);
	}
	if (!c->ledger[0])
		return dw_ini_wrong(
			ini, NULL,
			"[send] ledger: it is missing: where are the records?");
	if (!c->n)
		return dw_ini_wrong(ini, NULL, "[target NAME]: there is none: where to?");
	return 0;
}

int send_config_read(const char *path, struct send_config *ret, struct dw_error *err)
{
	struct dw_ini ini = { .key = keys,
			      .n_keys = DW_ARRAY_SIZE(keys),
			      .named = "target",
			      .object = object_of,
			      .take = take_where,
			      .data = ret,
			      .err = err };
	int r;

	*ret = (struct send_config){ .every = 10 };
	snprintf(ret->folder, sizeof(ret->folder), "/var/lib/diskwipe-send");
	dw_error_clear(err);
	r = dw_ini_read(&ini, path, true);
	return r ? r : judge_config(&ini, ret);
}

void send_config_deinit(struct send_config *c)
{
	for (size_t i = 0; i < c->n; i++) {
		send_url_end(&c->target[i]);
		send_database_end(&c->target[i]);
		send_bucket_end(&c->target[i]);
	}
	free(c->target);
	*c = (struct send_config){ .n = 0 };
}
