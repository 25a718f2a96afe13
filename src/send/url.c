/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * POST by HTTP. The body is JSON: the file of the ledger and its signature as text, byte for byte,
 * so that whoever gets it can check it. Its SHA-256 is the key by which a receiver knows what it
 * has already. Nothing but 2xx acknowledges; a redirection is not followed, since it would send
 * records to somebody who was not named.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <curl/curl.h>
#include <jansson.h>

#include "base/util.h"
#include "file/file.h"
#include "send/send.h"

#define CONNECT_S 15L
#define WHOLE_S   120L
#define ANSWER    65536 /* bytes of an answer; more is cut off */

static const char *const kinds[] = {
	[DW_LEDGER_RECORD] = "record",
	[DW_LEDGER_HEAD] = "head",
	[DW_LEDGER_DAY] = "day",
};

static size_t discard(char *data, size_t size, size_t n, void *ctx)
{
	size_t *left = ctx;

	(void)data;
	if (size * n > *left)
		return 0;
	*left -= size * n;
	return size * n;
}

static char *body_of(const struct send_item *i)
{
	char name[DW_LEDGER_NAME];
	json_t *doc = json_pack("{s:s, s:s, s:I, s:s, s:s, s:s}", "kind", kinds[i->kind],
				"file", dw_ledger_name(i->kind, i->sequence, false, name),
				"sequence", (json_int_t)i->sequence, "sha256", i->hash,
				"text", i->text, "signature", i->sig);
	char *text;

	if (doc && i->head[0] && json_object_set_new(doc, "head", json_string(i->head))) {
		json_decref(doc);
		return NULL;
	}
	text = doc ? json_dumps(doc, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(doc);
	return text;
}

/* A token that others can read is none. */
static int add_token(const struct send_target *t, struct curl_slist **headers,
		     struct send_failure *f)
{
	dw_autofree char *token = NULL, *line = NULL;
	struct curl_slist *more;
	struct stat st;
	size_t len;
	int r;

	if (!t->token_file[0])
		return 0;
	if (!stat(t->token_file, &st) && st.st_mode & 077)
		return send_fail(f, "%.150s: others can read it; chmod 600",
				 t->token_file);
	r = dw_file_read(t->token_file, 8192, &token, &len);
	if (r)
		return send_fail(f, "%.150s: %s", t->token_file, strerror(-r));
	token[strcspn(token, "\r\n")] = '\0';
	if (asprintf(&line, "Authorization: Bearer %s", token) < 0)
		return send_fail(f, "%s", strerror(ENOMEM));
	more = curl_slist_append(*headers, line);
	if (!more)
		return send_fail(f, "%s", strerror(ENOMEM));
	*headers = more;
	return 0;
}

static int make_headers(const struct send_target *t, const struct send_item *i,
			struct curl_slist **ret, struct send_failure *f)
{
	char key[96];

	snprintf(key, sizeof(key), "Idempotency-Key: %s", i->hash);
	*ret = curl_slist_append(NULL, "Content-Type: application/json");
	if (*ret) {
		struct curl_slist *more = curl_slist_append(*ret, key);

		if (more)
			return add_token(t, ret, f);
	}
	return send_fail(f, "%s", strerror(ENOMEM));
}

static void set_up(CURL *h, const struct send_target *t, struct curl_slist *headers,
		   const char *body, size_t *left, char *why)
{
	curl_easy_setopt(h, CURLOPT_URL, t->where);
	curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, t->plain ? "http,https" : "https");
	curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(h, CURLOPT_TIMEOUT, WHOLE_S);
	curl_easy_setopt(h, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(h, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
	curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, discard);
	curl_easy_setopt(h, CURLOPT_WRITEDATA, left);
	curl_easy_setopt(h, CURLOPT_ERRORBUFFER, why);
	curl_easy_setopt(h, CURLOPT_USERAGENT, "diskwipe-send");
	if (t->ca_file[0])
		curl_easy_setopt(h, CURLOPT_CAINFO, t->ca_file);
	if (t->client_cert[0]) {
		curl_easy_setopt(h, CURLOPT_SSLCERT, t->client_cert);
		curl_easy_setopt(h, CURLOPT_SSLKEY, t->client_key);
	}
}

static int judge_answer(CURL *h, CURLcode code, const char *why, struct send_failure *f)
{
	curl_off_t wait = 0;
	long status = 0;

	curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, &status);
	/* an answer that is too long was given all the same */
	if (code && !(code == CURLE_WRITE_ERROR && status))
		return send_fail(f, "%.200s", why[0] ? why : curl_easy_strerror(code));
	if (status / 100 == 2)
		return 0;
	curl_easy_getinfo(h, CURLINFO_RETRY_AFTER, &wait);
	f->retry_after = wait > 0 ? (uint64_t)wait : 0;
	if (status / 100 == 3)
		return send_fail(
			f,
			"it answered %ld, another address, which is not followed; "
			"name that one if it is right",
			status);
	return send_fail(f, "it answered %ld", status);
}

/* The handle has nothing of an item when this returns, only connections that may be used again. */
int send_to_url(struct send_target *t, const struct send_item *i, struct send_failure *f)
{
	dw_autofree char *body = body_of(i);
	struct curl_slist *headers = NULL;
	char why[CURL_ERROR_SIZE] = "";
	size_t left = ANSWER;
	int r = -1;

	if (!t->curl)
		t->curl = curl_easy_init();
	if (!t->curl || !body)
		send_fail(f, "%s", strerror(ENOMEM));
	else
		r = make_headers(t, i, &headers, f);
	if (!r) {
		set_up(t->curl, t, headers, body, &left, why);
		r = judge_answer(t->curl, curl_easy_perform(t->curl), why, f);
		curl_easy_reset(t->curl);
	}
	curl_slist_free_all(headers);
	return r;
}

void send_url_end(struct send_target *t)
{
	curl_easy_cleanup(t->curl);
	t->curl = NULL;
}
