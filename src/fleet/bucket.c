/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heads as objects of a bucket: their names, their content, who may ask. */
#include "fleet/bucket.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include <curl/curl.h>
#include <jansson.h>

#include "base/util.h"
#include "data/crypto.h"
#include "data/sign.h"
#include "ini/ini.h"

/*
 * Requests by path: ENDPOINT/BUCKET/KEY, which Amazon and what speaks like it understand. Only
 * characters that need no escape are in a key, so that what is signed is what is sent.
 */

#define CONNECT_S  15L
#define WHOLE_S    120L
#define ANSWER_MAX 4194304 /* bytes: of a list some hundred thousand */

/**
 * struct s3_request - one request; s3_request_deinit()
 * @verb: "GET" or "PUT"
 * @key: of the object, of letters that need no escape; empty = the bucket itself
 * @query: sorted and escaped; NULL = none
 * @body: of a PUT; else NULL
 * @status, @retry_after: of the answer
 * @text, @len: its body; owned, with a 0 behind it
 * @locked: the object is held by a lock of the kind COMPLIANCE, until a time that is to come
 */
struct s3_request {
	const char *verb;
	const char *key;
	const char *query;
	const char *body;
	long status;
	uint64_t retry_after;
	char *text;
	size_t len;
	bool locked;
};

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
	struct s3_request *q = ctx;
	char *more;

	if (size * n > ANSWER_MAX - q->len)
		return 0;
	more = realloc(q->text, q->len + size * n + 1);
	if (!more)
		return 0;
	q->text = more;
	memcpy(q->text + q->len, data, size * n);
	q->len += size * n;
	q->text[q->len] = '\0';
	return size * n;
}

/* "Mon, 29 Nov" or "2036-11-29T10:00:00": the latter is what S3 says of locks */
static bool is_to_come(const char *text)
{
	struct tm tm = { .tm_sec = 0 };

	return strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) && timegm(&tm) > time(NULL);
}

/* The value of a header line, or NULL. */
static const char *header_is(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(line, name, n) != 0 || line[n] != ':')
		return NULL;
	line += n + 1;
	return line + strspn(line, " \t");
}

static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	bool *const lock = ctx; /* kind, time */
	char line[256];
	const char *v;

	snprintf(line, sizeof(line), "%.*s", (int)(size * n), data);
	v = header_is(line, "x-amz-object-lock-mode");
	if (v)
		lock[0] = !strncmp(v, "COMPLIANCE", 10);
	v = header_is(line, "x-amz-object-lock-retain-until-date");
	if (v)
		lock[1] = is_to_come(v);
	return size * n;
}

static int add_header(struct curl_slist **list, const char *name, const char *value)
{
	dw_autofree char *line = NULL;
	struct curl_slist *more;

	if (asprintf(&line, "%s: %s", name, value) < 0)
		return -ENOMEM;
	more = curl_slist_append(*list, line);
	if (!more)
		return -ENOMEM;
	*list = more;
	return 0;
}

/* What is kept under a lock has to come with a sum; "If-None-Match: *" never replaces anything. */
static int make_headers(const struct fleet_bucket *b, const struct s3_request *q,
			struct curl_slist **ret)
{
	const char *body = q->body ? q->body : "";
	char hex[2 * DW_SHA256 + 1];
	uint8_t sum[DW_SHA256];
	dw_autofree char *b64 = NULL;
	int r = dw_sha256_hex(body, strlen(body), hex);

	if (!r)
		r = dw_sha256(body, strlen(body), sum);
	if (!r)
		r = add_header(ret, "x-amz-content-sha256", hex);
	if (!r && b->token[0])
		r = add_header(ret, "x-amz-security-token", b->token);
	if (r || !q->body)
		return r;
	b64 = dw_base64(sum, sizeof(sum));
	r = b64 ? add_header(ret, "x-amz-checksum-sha256", b64) : -ENOMEM;
	if (!r)
		r = add_header(ret, "x-amz-sdk-checksum-algorithm", "SHA256");
	if (!r)
		r = add_header(ret, "Content-Type", "application/json");
	return r ? r : add_header(ret, "If-None-Match", "*");
}

static void set_up(CURL *h, const struct fleet_bucket *b, struct s3_request *q,
		   struct curl_slist *headers, bool lock[2], char *why)
{
	char sign[80];

	snprintf(sign, sizeof(sign), "aws:amz:%s:s3", b->region);
	curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(h, CURLOPT_TIMEOUT, WHOLE_S);
	curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(h, CURLOPT_WRITEDATA, q);
	curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(h, CURLOPT_HEADERDATA, lock);
	curl_easy_setopt(h, CURLOPT_ERRORBUFFER, why);
	curl_easy_setopt(h, CURLOPT_USERAGENT, "diskwipe");
	curl_easy_setopt(h, CURLOPT_AWS_SIGV4, sign);
	curl_easy_setopt(h, CURLOPT_USERPWD, b->login);
	if (b->ca_file[0])
		curl_easy_setopt(h, CURLOPT_CAINFO, b->ca_file);
	if (q->body) {
		curl_easy_setopt(h, CURLOPT_POSTFIELDS, q->body);
		curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)strlen(q->body));
		curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, q->verb);
	}
}

static int perform(CURL *h, struct fleet_bucket *b, struct s3_request *q,
		   struct dw_error *err)
{
	struct curl_slist *headers = NULL;
	char why[CURL_ERROR_SIZE] = "";
	dw_autofree char *url = NULL;
	bool lock[2] = { false, false };
	curl_off_t wait = 0;
	CURLcode code;

	if (asprintf(&url, "%s/%s%s%s%s%s", b->endpoint, b->bucket, q->key[0] ? "/" : "",
		     q->key, q->query ? "?" : "", q->query ? q->query : "") < 0)
		url = NULL;
	if (!url || make_headers(b, q, &headers)) {
		curl_slist_free_all(headers);
		return dw_error_system(err, -ENOMEM, NULL);
	}
	set_up(h, b, q, headers, lock, why);
	curl_easy_setopt(h, CURLOPT_URL, url);
	code = curl_easy_perform(h);
	curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &q->status);
	curl_easy_getinfo(h, CURLINFO_RETRY_AFTER, &wait);
	q->retry_after = wait > 0 ? (uint64_t)wait : 0;
	q->locked = lock[0] && lock[1];
	curl_easy_reset(h);
	curl_slist_free_all(headers);
	return code ? dw_error_set(err, -EIO, DW_ERROR_FILE, NULL, "%.200s",
				   why[0] ? why : curl_easy_strerror(code))
		    : 0;
}

/* 0: it was answered, by whatever status; negative errno. */
static int s3_ask(struct fleet_bucket *b, struct s3_request *q, struct dw_error *err)
{
	if (!b->curl)
		b->curl = curl_easy_init();
	if (!b->curl)
		return dw_error_system(err, -ENOMEM, NULL);
	return perform(b->curl, b, q, err);
}

static const char *s3_tag(const char *at, const char *name, size_t *ret_len)
{
	char open[32], shut[32];
	const char *end;

	snprintf(open, sizeof(open), "<%s>", name);
	snprintf(shut, sizeof(shut), "</%s>", name);
	at = strstr(at, open);
	if (!at)
		return NULL;
	at += strlen(open);
	end = strstr(at, shut);
	if (!end)
		return NULL;
	*ret_len = (size_t)(end - at);
	return at;
}

/* Tell @err of a status that is none of success; returns -EPROTO. */
static int s3_refused(const struct s3_request *q, struct dw_error *err)
{
	size_t len = 0;
	const char *code = q->text ? s3_tag(q->text, "Code", &len) : NULL;

	return dw_error_set(err, -EPROTO, DW_ERROR_FILE, NULL, "it answered %ld%s%.*s",
			    q->status, code ? " " : "", (int)(len < 60 ? len : 60),
			    code ? code : "");
}

/* As a query needs it; returns @buf, cut if it does not fit. */
static const char *s3_escape(const char *text, char *buf, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";
	size_t n = 0;

	for (; *text && n + 4 < size; text++) {
		if (strchr(plain, *text))
			buf[n++] = *text;
		else
			n += (size_t)snprintf(buf + n, size - n, "%%%02X",
					      (unsigned char)*text);
	}
	buf[n] = '\0';
	return buf;
}

/* The text of the first <NAME> at or behind @at, up to its end; NULL = there is none.
 * @ret_len: bytes. */
/* Free what it owns. */
static void s3_request_deinit(struct s3_request *q)
{
	free(q->text);
	q->text = NULL;
}

/* Close the connections. */
static void s3_end(struct fleet_bucket *b)
{
	curl_easy_cleanup(b->curl);
	b->curl = NULL;
}

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
