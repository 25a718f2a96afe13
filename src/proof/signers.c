/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who may sign: an allowed_signers file as ssh-keygen(1) describes it. One key has a line:
 * "NAME [OPTIONS] ssh-ed25519 AAAA... [COMMENT]".
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "file/file.h"
#include "proof/ssh.h"

#define FILE_MAX 1048576
#define TYPE     "ssh-ed25519"

void dw_signers_free(struct dw_signers *s)
{
	free(s->signer);
	*s = (struct dw_signers){ .n = 0 };
}

/* YYYYMMDD[HHMM[SS]][Z], local unless Z */
static int parse_when(const char *text, time_t *ret)
{
	static const char *const forms[] = { "%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S" };
	static const size_t lengths[] = { 8, 12, 14 };
	size_t len = strlen(text), digits = strspn(text, "0123456789");

	for (size_t i = 0; i < DW_ARRAY_SIZE(forms); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *end;

		if (digits != lengths[i] || (len != digits && strcmp(text + digits, "Z")))
			continue;
		end = strptime(text, forms[i], &tm);
		if (!end || end != text + digits)
			return -EINVAL;
		*ret = *end ? timegm(&tm) : mktime(&tm);
		return *ret > 0 ? 0 : -EINVAL;
	}
	return -EINVAL;
}

/* One of a list NAME="VALUE",...; @at behind it. NULL, or what is wrong. */
static const char *take_option(char **at, struct dw_signer *ret)
{
	char *name = *at, *value = strchr(*at, '='), *end;

	if (!value || value[1] != '"')
		return "an option of it is not known";
	*value = '\0';
	value += 2;
	end = strchr(value, '"');
	if (!end)
		return "a quotation mark is missing";
	*end++ = '\0';
	*at = end + (*end == ',');
	if (!strcasecmp(name, "namespaces")) {
		if (strlen(value) >= sizeof(ret->spaces))
			return "its list of namespaces is too long";
		memcpy(ret->spaces, value, strlen(value) + 1);
		return NULL;
	}
	if (!strcasecmp(name, "valid-after"))
		return parse_when(value, &ret->after) ? "not a time" : NULL;
	if (!strcasecmp(name, "valid-before"))
		return parse_when(value, &ret->before) ? "not a time" : NULL;
	return "an option of it is not known";
}

/* The end of a word that may have blanks in quotation marks. */
static char *word_end(char *at)
{
	bool quoted = false;

	while (*at && (quoted || (*at != ' ' && *at != '\t'))) {
		quoted ^= *at == '"';
		at++;
	}
	return at;
}

static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t"), *end = word_end(word);

	*at = end + (*end != '\0');
	*end = '\0';
	return word;
}

/* A name may be anything: the word of a type, and a key after it, are a line without one. */
static bool is_key_alone(const char *word, const char *next)
{
	static const char *const types[] = { "ssh-ed25519", "ssh-rsa", "ssh-dss",
					     "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(types); i++)
		if (!strncmp(word, types[i], strlen(types[i])))
			return !strncmp(next, "AAAA", 4);
	return false;
}

/* NULL: @ret is filled, or it is of another kind, and then its name is empty. */
static const char *parse_line(char *line, struct dw_signer *ret)
{
	char *name = next_word(&line), *word = next_word(&line);
	const char *wrong = NULL;
	dw_autofree uint8_t *data = NULL;
	struct dw_wire_in blob = { 0 };

	*ret = (struct dw_signer){ .after = 0 };
	if (is_key_alone(name, word))
		return "a public key alone; in a list of signers a name stands before it, as "
		       "'diskwipe records key' prints it";
	if (strncmp(word, "ssh-", 4) != 0 && strncmp(word, "ecdsa-", 6) != 0 &&
	    strncmp(word, "sk-", 3) != 0) {
		for (char *at = word; *at && !wrong;)
			wrong = take_option(&at, ret);
		word = next_word(&line);
	}
	if (wrong || strcmp(word, TYPE) != 0)
		return wrong;
	word = next_word(&line);
	if (dw_base64_parse(word, strlen(word), &data, &blob.left))
		return "its key is not whole";
	blob.at = data;
	if (dw_ssh_blob_parse(&blob, ret->key))
		return "its key is not one of Ed25519";
	if (!*name || strlen(name) >= sizeof(ret->name))
		return "its name is too long";
	memcpy(ret->name, name, strlen(name) + 1);
	return NULL;
}

int dw_signers_read(const char *path, struct dw_signers *ret, struct dw_error *err)
{
	dw_autofree char *text = NULL;
	uint64_t number = 0;
	size_t len = 0;
	int r;

	dw_error_clear(err);
	*ret = (struct dw_signers){ .n = 0 };
	r = dw_file_read(path, FILE_MAX, &text, &len);
	if (r)
		return dw_error_file(err, r, path, dw_file_error(r));
	for (char *at = text, *line; !r && (line = strsep(&at, "\n"));) {
		struct dw_signer s;
		const char *wrong;

		number++;
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		wrong = parse_line(line, &s);
		if (wrong) {
			r = dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, NULL, "%s",
					 wrong);
			dw_error_in(err, path, number);
		} else if (s.name[0]) {
			r = dw_grow(&ret->signer, ret->n, ret->n + 1, sizeof(s));
			if (!r)
				ret->signer[ret->n++] = s;
		}
	}
	if (r)
		dw_signers_free(ret);
	return dw_error_system(err, r, path);
}

static bool is_for(const struct dw_signer *s, const char *space)
{
	char list[sizeof(s->spaces)];
	char *at = list;

	if (!s->spaces[0])
		return true;
	memcpy(list, s->spaces, sizeof(list));
	for (char *word; (word = strsep(&at, ","));)
		if (!fnmatch(word, space, FNM_NOESCAPE))
			return true;
	return false;
}

const struct dw_signer *dw_signers_find(const struct dw_signers *s,
					const uint8_t key[DW_ED25519_KEY],
					const char *space, time_t at,
					const char **ret_why)
{
	*ret_why = "its key is not in the list of those who may sign";
	for (size_t i = 0; i < s->n; i++) {
		const struct dw_signer *k = &s->signer[i];

		if (memcmp(k->key, key, DW_ED25519_KEY) != 0)
			continue;
		if (!is_for(k, space))
			*ret_why = "its key may not sign such things";
		else if (k->after && at < k->after)
			*ret_why = "its key was not valid yet";
		else if (k->before && at >= k->before)
			*ret_why = "its key was not valid any more";
		else
			return k;
	}
	return NULL;
}
