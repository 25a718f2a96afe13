/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys as ssh-keygen keeps them (PROTOCOL.key), without a passphrase, and public ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "data/crypto.h"
#include "file/file.h"
#include "proof/ssh.h"

#define NAME     "OPENSSH PRIVATE KEY"
#define MAGIC    "openssh-key-v1"
#define TYPE     "ssh-ed25519"
#define FILE_MAX 16384
#define PAD      8
#define PAIR     64 /* bytes of seed and public key */

void dw_ssh_key_wipe(struct dw_ssh_key *k)
{
	dw_crypto_cleanse(k, sizeof(*k));
}

void dw_ssh_blob(struct dw_wire *w, const uint8_t key[DW_ED25519_KEY])
{
	dw_wire_text(w, TYPE);
	dw_wire_string(w, key, DW_ED25519_KEY);
}

int dw_ssh_blob_parse(const struct dw_wire_in *blob, uint8_t ret[DW_ED25519_KEY])
{
	struct dw_wire_in in = *blob, type = dw_wire_take_string(&in);
	struct dw_wire_in key = dw_wire_take_string(&in);

	if (!dw_wire_is(&type, TYPE) || key.bad || in.left || key.left != DW_ED25519_KEY)
		return -EINVAL;
	memcpy(ret, key.at, DW_ED25519_KEY);
	return 0;
}

char *dw_ssh_public(const uint8_t key[DW_ED25519_KEY])
{
	struct dw_wire blob = { .len = 0 };
	dw_autofree char *text = NULL;
	char *line;

	dw_ssh_blob(&blob, key);
	text = dw_base64(blob.data, blob.len);
	return text && asprintf(&line, TYPE " %s", text) >= 0 ? line : NULL;
}

const char *dw_ssh_fingerprint(const uint8_t key[DW_ED25519_KEY],
			       char buf[DW_FINGERPRINT])
{
	struct dw_wire blob = { .len = 0 };
	dw_autofree char *text = NULL;
	uint8_t sum[DW_SHA256];

	buf[0] = '\0';
	dw_ssh_blob(&blob, key);
	if (!dw_sha256(blob.data, blob.len, sum))
		text = dw_base64(sum, sizeof(sum));
	if (text)
		snprintf(buf, DW_FINGERPRINT, "SHA256:%.43s", text);
	return buf;
}

static void take_comment(struct dw_ssh_key *k, const void *text, size_t len)
{
	snprintf(k->comment, sizeof(k->comment), "%.*s",
		 (int)dw_min_u64(len, sizeof(k->comment) - 1), (const char *)text);
	dw_text_printable(k->comment);
}

/* what is private: twice the same number, the key, its comment, and 1, 2, 3 ... */
static int take_private(struct dw_wire_in *in, struct dw_ssh_key *ret)
{
	uint32_t check = dw_wire_take_u32(in);
	struct dw_wire_in type, pub, priv, comment;

	if (dw_wire_take_u32(in) != check)
		return -EINVAL;
	type = dw_wire_take_string(in);
	pub = dw_wire_take_string(in);
	priv = dw_wire_take_string(in);
	comment = dw_wire_take_string(in);
	if (in->bad || !dw_wire_is(&type, TYPE) || pub.left != DW_ED25519_KEY ||
	    priv.left != PAIR)
		return -EINVAL;
	memcpy(ret->seed, priv.at, DW_ED25519_KEY);
	take_comment(ret, comment.at, comment.left);
	if (dw_ed25519_public(ret->seed, ret->key) ||
	    memcmp(ret->key, pub.at, DW_ED25519_KEY) != 0)
		return -EINVAL;
	return 0;
}

static int parse_private(const char *text, size_t len, struct dw_ssh_key *ret,
			 const char **ret_why)
{
	struct dw_wire w;
	struct dw_wire_in in = { .at = w.data }, cipher, kdf, options, pub, priv;
	const uint8_t *magic;
	int r = dw_armour_parse(NAME, text, len, &w);

	*ret_why = "not a key file of OpenSSH with an Ed25519 key";
	in.left = w.len;
	magic = r ? NULL : dw_wire_take(&in, sizeof(MAGIC));
	if (!magic || memcmp(magic, MAGIC, sizeof(MAGIC)) != 0)
		return r == -ENOMEM ? r : -EINVAL;
	cipher = dw_wire_take_string(&in);
	kdf = dw_wire_take_string(&in);
	options = dw_wire_take_string(&in);
	r = dw_wire_take_u32(&in) == 1 ? 0 : -EINVAL;
	pub = dw_wire_take_string(&in);
	priv = dw_wire_take_string(&in);
	if (!dw_wire_is(&cipher, "none") || !dw_wire_is(&kdf, "none")) {
		*ret_why =
			"it has a passphrase; load it into an agent (ssh-add), and name "
			"its .pub file";
		r = -EINVAL;
	}
	if (options.bad || pub.bad || in.bad || in.left)
		r = -EINVAL;
	if (!r)
		r = take_private(&priv, ret);
	dw_crypto_cleanse(&w, sizeof(w));
	return r;
}

/* "ssh-ed25519 AAAA... COMMENT" */
static int parse_public(const char *text, struct dw_ssh_key *ret)
{
	const char *base = text + strlen(TYPE) + 1;
	size_t n = strcspn(base, " \n");
	const char *comment = base + n + (base[n] == ' ');
	dw_autofree uint8_t *data = NULL;
	struct dw_wire_in blob;
	int r = dw_base64_parse(base, n, &data, &blob.left);

	if (r)
		return r;
	blob.at = data;
	blob.bad = false;
	ret->agent = true;
	take_comment(ret, comment, strcspn(comment, "\n"));
	return dw_ssh_blob_parse(&blob, ret->key);
}

static int check_private(const char *path)
{
	dw_autoclose int fd = dw_file_open(path, false);

	return fd < 0 ? fd : dw_file_secret(fd);
}

int dw_ssh_key_load(const char *path, struct dw_ssh_key *ret, struct dw_error *err)
{
	const char *why = NULL;
	char *text = NULL;
	size_t len = 0;
	int r;

	dw_error_clear(err);
	*ret = (struct dw_ssh_key){ .agent = false };
	r = dw_file_read(path, FILE_MAX, &text, &len);
	if (r)
		return dw_error_file(err, r, path, dw_file_error(r));
	if (!strncmp(text, TYPE " ", strlen(TYPE) + 1)) {
		why = "not a public key of OpenSSH";
		r = parse_public(text, ret);
	} else {
		r = check_private(path);
		if (r)
			why = r == -EPERM ? "others may read it; chmod 600 it, and think "
					    "of a new one"
					  : "it belongs to another user";
		else
			r = parse_private(text, len, ret, &why);
	}
	dw_crypto_cleanse(text, len);
	free(text);
	if (r)
		dw_ssh_key_wipe(ret);
	return dw_error_file(err, r, path, why);
}

static char *private_text(const struct dw_ssh_key *k)
{
	struct dw_wire w = { .len = 0 }, pub = { .len = 0 }, priv = { .len = 0 };
	uint32_t check;
	char *text = NULL;

	if (getrandom(&check, sizeof(check), 0) != sizeof(check))
		return NULL;
	dw_ssh_blob(&pub, k->key);
	dw_wire_u32(&priv, check);
	dw_wire_u32(&priv, check);
	dw_ssh_blob(&priv, k->key);
	dw_wire_u32(&priv, PAIR);
	dw_wire_bytes(&priv, k->seed, DW_ED25519_KEY);
	dw_wire_bytes(&priv, k->key, DW_ED25519_KEY);
	dw_wire_text(&priv, k->comment);
	for (uint8_t i = 1; priv.len % PAD; i++)
		dw_wire_bytes(&priv, &i, 1);
	dw_wire_bytes(&w, MAGIC, sizeof(MAGIC));
	dw_wire_text(&w, "none");
	dw_wire_text(&w, "none");
	dw_wire_text(&w, "");
	dw_wire_u32(&w, 1);
	dw_wire_string(&w, pub.data, pub.len);
	dw_wire_string(&w, priv.data, priv.len);
	if (!w.full && !priv.full)
		text = dw_armour(NAME, w.data, w.len);
	dw_crypto_cleanse(&w, sizeof(w));
	dw_crypto_cleanse(&priv, sizeof(priv));
	return text;
}

static const char *why_not_made(int r)
{
	return r == -EEXIST ? "it is there, and no key is written over; name another file"
			    : dw_file_error(r);
}

int dw_ssh_key_make(const char *path, const char *comment, struct dw_ssh_key *ret,
		    struct dw_error *err)
{
	dw_autofree char *text = NULL, *pub = NULL, *line = NULL, *name = NULL;
	int r;

	dw_error_clear(err);
	*ret = (struct dw_ssh_key){ .agent = false };
	take_comment(ret, comment, strlen(comment));
	r = dw_ed25519_new(ret->seed, ret->key);
	if (r)
		return dw_error_system(err, r, "a new key");
	text = private_text(ret);
	pub = dw_ssh_public(ret->key);
	if (!text || !pub || asprintf(&line, "%s %s\n", pub, ret->comment) < 0 ||
	    asprintf(&name, "%s.pub", path) < 0)
		return dw_error_system(err, -ENOMEM, NULL);
	r = dw_file_make(path, text, strlen(text), 0600);
	dw_crypto_cleanse(text, strlen(text));
	if (r)
		return dw_error_file(err, r, path, why_not_made(r));
	r = dw_file_make(name, line, strlen(line), 0644);
	if (r)
		unlink(path);
	return dw_error_file(err, r, name, why_not_made(r));
}
