/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heads as objects of a bucket: their names, their content, who may ask. */
#include "fleet/bucket.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/util.h"
#include "data/crypto.h"
#include "fleet/s3.h"
#include "ini/ini.h"

#define KEY_MAX 512
#define HEX     "0123456789abcdef"

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789-._/";

static int wrong(struct dw_error *err, const char *why)
{
	return dw_error_set(err, -EINVAL, DW_ERROR_FILE, NULL, "%s", why);
}

static int take_names(const char *uri, struct fleet_bucket *ret, struct dw_error *err)
{
	const char *at = uri + 5, *slash;
	size_t n;

	if (strncmp(uri, "s3://", 5) != 0)
		return wrong(err, "it does not begin with s3://");
	slash = strchr(at, '/');
	n = slash ? (size_t)(slash - at) : strlen(at);
	if (!n || n >= sizeof(ret->bucket) || strspn(at, plain) != strlen(at))
		return wrong(err, "not s3://BUCKET/PREFIX of letters, digits and -._/");
	memcpy(ret->bucket, at, n);
	if (slash && (size_t)snprintf(ret->prefix, sizeof(ret->prefix), "%s",
				      slash + 1) >= sizeof(ret->prefix))
		return wrong(err, "its prefix is too long");
	n = strlen(ret->prefix);
	while (n && ret->prefix[n - 1] == '/')
		ret->prefix[--n] = '\0';
	return 0;
}

int fleet_bucket_parse(const char *uri, const char *endpoint, const char *region,
		       bool plain_text, struct fleet_bucket *ret, struct dw_error *err)
{
	const char *own = getenv("AWS_REGION");
	size_t n;
	int r;

	*ret = (struct fleet_bucket){ .curl = NULL };
	r = take_names(uri, ret, err);
	if (r)
		return r;
	if (!region || !region[0])
		region = own && own[0] ? own : "us-east-1";
	n = strlen(region);
	if (n >= sizeof(ret->region) || strspn(region, plain) != n)
		return wrong(err, "its region is not one");
	memcpy(ret->region, region, n + 1);
	if (endpoint && endpoint[0])
		n = (size_t)snprintf(ret->endpoint, sizeof(ret->endpoint), "%s",
				     endpoint);
	else
		n = (size_t)snprintf(ret->endpoint, sizeof(ret->endpoint),
				     "https://s3.%s.amazonaws.com", region);
	if (n >= sizeof(ret->endpoint))
		return wrong(err, "its endpoint is too long");
	if (ret->endpoint[n - 1] == '/')
		ret->endpoint[n - 1] = '\0';
	if (strncmp(ret->endpoint, "https://", 8) != 0 &&
	    (strncmp(ret->endpoint, "http://", 7) != 0 || !plain_text))
		return wrong(err, "its endpoint has to be one of https://");
	return 0;
}

/** struct login - of a file */
struct login {
	char id[128];
	char secret[128];
	char token[2048];
};

static void *object_of(struct dw_ini *ini, const char *section, const char *name)
{
	return ini->data;
}

#define LOGIN(name, member)                                                              \
	DW_INI_KEY("default", name, TEXT, struct login, member, .min = 1)

static int read_login(const char *file, struct login *ret, struct dw_error *err)
{
	static const struct dw_ini_key keys[] = {
		LOGIN("aws_access_key_id", id),
		LOGIN("aws_secret_access_key", secret),
		LOGIN("aws_session_token", token),
	};
	struct dw_ini ini = { .key = keys,
			      .n_keys = DW_ARRAY_SIZE(keys),
			      .object = object_of,
			      .data = ret,
			      .err = err };
	struct stat st;

	if (!stat(file, &st) && st.st_mode & 077)
		return dw_error_file(err, -EPERM, file, "others can read it; chmod 600");
	return dw_ini_read(&ini, file, false);
}

static void take_variable(const char *name, char *ret, size_t size)
{
	const char *v = getenv(name);

	snprintf(ret, size, "%s", v ? v : "");
}

int fleet_bucket_login(struct fleet_bucket *b, const char *file, struct dw_error *err)
{
	struct login l = { .id = "" };
	int r = 0;

	if (file && file[0]) {
		r = read_login(file, &l, err);
	} else {
		take_variable("AWS_ACCESS_KEY_ID", l.id, sizeof(l.id));
		take_variable("AWS_SECRET_ACCESS_KEY", l.secret, sizeof(l.secret));
		take_variable("AWS_SESSION_TOKEN", l.token, sizeof(l.token));
	}
	if (!r && (!l.id[0] || !l.secret[0]))
		r = wrong(err,
			  "there is no key to ask it with: name a file of credentials, "
			  "or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
	if (!r) {
		snprintf(b->login, sizeof(b->login), "%.120s:%.120s", l.id, l.secret);
		memcpy(b->token, l.token, sizeof(b->token));
	}
	dw_crypto_cleanse(&l, sizeof(l));
	return r;
}

void fleet_bucket_deinit(struct fleet_bucket *b)
{
	s3_end(b);
	dw_crypto_cleanse(b->login, sizeof(b->login));
	dw_crypto_cleanse(b->token, sizeof(b->token));
}

static const char *key_of(const struct fleet_bucket *b, const struct fleet_head *h,
			  char buf[KEY_MAX])
{
	snprintf(buf, KEY_MAX, "%s%s%s/head-%08" PRIu64 "-%s.json", b->prefix,
		 b->prefix[0] ? "/" : "", h->chain, h->sequence, h->record);
	return buf;
}

int fleet_head_put(struct fleet_bucket *b, const struct fleet_head *h,
		   struct fleet_answer *a, struct dw_error *err)
{
	json_t *doc = json_pack("{s:s, s:s, s:s}", "chain", h->chain, "signature", h->sig,
				"text", h->text);
	dw_autofree char *body =
		doc ? json_dumps(doc, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_SORT_KEYS)
		    : NULL;
	char key[KEY_MAX];
	struct s3_request q = { .verb = "PUT", .key = key_of(b, h, key), .body = body };
	int r;

	json_decref(doc);
	if (!body)
		return dw_error_system(err, -ENOMEM, NULL);
	r = s3_ask(b, &q, err);
	/* 412: that name was given before, and what has it was never written over */
	if (!r && q.status / 100 != 2 && q.status != 412)
		r = s3_refused(&q, err);
	if (a)
		*a = (struct fleet_answer){ .status = q.status,
					    .retry_after = q.retry_after };
	s3_request_deinit(&q);
	return r;
}

int fleet_head_get(struct fleet_bucket *b, struct fleet_head *h, bool *ret_locked,
		   struct dw_error *err)
{
	const char *text = NULL, *sig = NULL;
	char key[KEY_MAX];
	struct s3_request q = { .verb = "GET", .key = key_of(b, h, key) };
	json_t *doc = NULL;
	int r = s3_ask(b, &q, err);

	if (!r && q.status != 200)
		r = s3_refused(&q, err);
	if (!r && (!(doc = json_loadb(q.text ? q.text : "", q.len, 0, NULL)) ||
		   json_unpack(doc, "{s:s, s:s}", "text", &text, "signature", &sig) ||
		   !text || !sig))
		r = dw_error_set(err, -EBADMSG, DW_ERROR_FILE, NULL, "%s: it is no head",
				 key);
	if (!r && text && sig) {
		h->text = strdup(text);
		h->sig = strdup(sig);
		*ret_locked = q.locked;
		if (!h->text || !h->sig)
			r = dw_error_system(err, -ENOMEM, NULL);
	}
	json_decref(doc);
	s3_request_deinit(&q);
	return r;
}

void fleet_head_deinit(struct fleet_head *h)
{
	free(h->text);
	free(h->sig);
	h->text = h->sig = NULL;
}

/* false: it is no name of a head below the prefix */
static bool parse_key(const struct fleet_bucket *b, const char *key, size_t len,
		      struct fleet_head *ret)
{
	char again[KEY_MAX], name[KEY_MAX];
	size_t skip = strlen(b->prefix) + (b->prefix[0] ? 1 : 0);
	char *end;

	*ret = (struct fleet_head){ .sequence = 0 };
	if (len >= sizeof(name) || len < skip + 64 + 6)
		return false;
	memcpy(name, key, len);
	name[len] = '\0';
	memcpy(ret->chain, name + skip, 64);
	ret->sequence = strtoull(name + skip + 64 + 6, &end, 10);
	if (*end != '-' || strlen(end) < 65)
		return false;
	memcpy(ret->record, end + 1, 64);
	return ret->sequence && strspn(ret->chain, HEX) == 64 &&
	       strspn(ret->record, HEX) == 64 && !strcmp(name, key_of(b, ret, again));
}

static int compare_heads(const void *a, const void *b)
{
	const struct fleet_head *x = a, *y = b;
	int order = strcmp(x->chain, y->chain);

	return order ? order : (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static int take_page(const struct fleet_bucket *b, const char *text,
		     struct fleet_head **ret, size_t *ret_n, size_t *ret_other)
{
	const char *at = text;
	size_t len;

	while ((at = s3_tag(at, "Key", &len))) {
		struct fleet_head h;

		if (parse_key(b, at, len, &h)) {
			if (dw_grow(ret, *ret_n, *ret_n + 1, sizeof(h)))
				return -ENOMEM;
			(*ret)[(*ret_n)++] = h;
		} else {
			++*ret_other;
		}
		at += len;
	}
	return 0;
}

/* One page of the list; @token: of the next one, empty = there is none */
static int list_page(struct fleet_bucket *b, char token[1024], struct fleet_head **ret,
		     size_t *ret_n, size_t *ret_other, struct dw_error *err)
{
	char query[4096], prefix[640], next[3072];
	struct s3_request q = { .verb = "GET", .key = "", .query = query };
	const char *at;
	size_t len;
	int r;

	snprintf(query, sizeof(query), "%s%s%slist-type=2&prefix=%s%s",
		 token[0] ? "continuation-token=" : "",
		 s3_escape(token, next, sizeof(next)), token[0] ? "&" : "",
		 s3_escape(b->prefix, prefix, sizeof(prefix)), b->prefix[0] ? "%2F" : "");
	r = s3_ask(b, &q, err);
	if (!r && q.status != 200)
		r = s3_refused(&q, err);
	token[0] = '\0';
	if (!r && q.text) {
		r = take_page(b, q.text, ret, ret_n, ret_other);
		at = s3_tag(q.text, "NextContinuationToken", &len);
		if (at)
			snprintf(token, 1024, "%.*s", (int)len, at);
		else if (strstr(q.text, "<IsTruncated>true"))
			r = dw_error_set(
				err, -EPROTO, DW_ERROR_FILE, NULL,
				"its list is cut off, and it does not say how to "
				"go on");
		dw_error_system(err, r, NULL);
	}
	s3_request_deinit(&q);
	return r;
}

int fleet_heads_list(struct fleet_bucket *b, struct fleet_head **ret, size_t *ret_n,
		     size_t *ret_other, struct dw_error *err)
{
	char token[1024] = "";
	int r;

	*ret = NULL;
	*ret_n = *ret_other = 0;
	do
		r = list_page(b, token, ret, ret_n, ret_other, err);
	while (!r && token[0]);
	if (r) {
		free(*ret);
		*ret = NULL;
	} else if (*ret_n) {
		qsort(*ret, *ret_n, sizeof(**ret), compare_heads);
	}
	return r;
}

static uint64_t count_of(const char *text, const char *what)
{
	uint64_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* How the list goes on, as a query has it: names of strangers may need an escape of XML. */
static int next_versions(const char *text, char *query, size_t size)
{
	char key[1024], id[1024], key_text[3072], id_text[3072];
	size_t key_len = 0, id_len = 0;
	const char *k = s3_tag(text, "NextKeyMarker", &key_len);
	const char *v = s3_tag(text, "NextVersionIdMarker", &id_len);

	query[0] = '\0';
	if (!strstr(text, "<IsTruncated>true"))
		return 0;
	if (!k || !v || key_len >= sizeof(key) || id_len >= sizeof(id) ||
	    memchr(k, '&', key_len) || memchr(v, '&', id_len))
		return -EPROTO;
	snprintf(key, sizeof(key), "%.*s", (int)key_len, k);
	snprintf(id, sizeof(id), "%.*s", (int)id_len, v);
	snprintf(query, size, "key-marker=%s&version-id-marker=%s",
		 s3_escape(key, key_text, sizeof(key_text)),
		 s3_escape(id, id_text, sizeof(id_text)));
	return 0;
}

/* @from: how it goes on; empty = it is the first page, or there is none behind it */
static int count_page(struct fleet_bucket *b, char from[8192], uint64_t *ret,
		      struct dw_error *err)
{
	char query[12288], prefix[640];
	struct s3_request q = { .verb = "GET", .key = "", .query = query };
	char *id = strstr(from, "&version-id-marker=");
	int r;

	s3_escape(b->prefix, prefix, sizeof(prefix));
	/* sorted: the signature of the request is made of that */
	snprintf(query, sizeof(query),
		 "%.*s%sprefix=%s%s%s&versions=", id ? (int)(id - from) : 0, from,
		 id ? "&" : "", prefix, b->prefix[0] ? "%2F" : "", id ? id : "");
	r = s3_ask(b, &q, err);
	if (!r && q.status != 200)
		r = s3_refused(&q, err);
	from[0] = '\0';
	if (!r && q.text) {
		*ret += count_of(q.text, "<DeleteMarker>") +
			count_of(q.text, "<IsLatest>false</IsLatest>");
		r = next_versions(q.text, from, 8192);
		if (r)
			dw_error_set(err, r, DW_ERROR_FILE, NULL,
				     "its list of versions is cut off, and it does not "
				     "say how to go on");
	}
	s3_request_deinit(&q);
	return r;
}

int fleet_heads_hidden(struct fleet_bucket *b, uint64_t *ret, struct dw_error *err)
{
	char from[8192] = "";
	int r;

	*ret = 0;
	do
		r = count_page(b, from, ret, err);
	while (!r && from[0]);
	return r;
}
