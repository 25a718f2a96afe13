/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests by path: ENDPOINT/BUCKET/KEY, which Amazon and what speaks like it understand. Only
 * characters that need no escape are in a key, so that what is signed is what is sent.
 */
#include "fleet/s3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <curl/curl.h>

#include "base/util.h"
#include "data/sign.h"

#define CONNECT_S  15L
#define WHOLE_S    120L
#define ANSWER_MAX 4194304 /* bytes: of a list some hundred thousand */

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

int s3_ask(struct fleet_bucket *b, struct s3_request *q, struct dw_error *err)
{
	if (!b->curl)
		b->curl = curl_easy_init();
	if (!b->curl)
		return dw_error_system(err, -ENOMEM, NULL);
	return perform(b->curl, b, q, err);
}

int s3_refused(const struct s3_request *q, struct dw_error *err)
{
	size_t len = 0;
	const char *code = q->text ? s3_tag(q->text, "Code", &len) : NULL;

	return dw_error_set(err, -EPROTO, DW_ERROR_FILE, NULL, "it answered %ld%s%.*s",
			    q->status, code ? " " : "", (int)(len < 60 ? len : 60),
			    code ? code : "");
}

const char *s3_escape(const char *text, char *buf, size_t size)
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

const char *s3_tag(const char *at, const char *name, size_t *ret_len)
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

void s3_request_deinit(struct s3_request *q)
{
	free(q->text);
	q->text = NULL;
}

void s3_end(struct fleet_bucket *b)
{
	curl_easy_cleanup(b->curl);
	b->curl = NULL;
}
