/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signatures: PROTOCOL.sshsig of OpenSSH, version 1. The bytes are hashed by SHA-512. */
#include <errno.h>
#include <string.h>

#include "proof/ssh.h"

#define MAGIC "SSHSIG"
#define HASH  "sha512"
#define TYPE  "ssh-ed25519"
#define NAME  "SSH SIGNATURE"

/* what is signed in place of the bytes */
static int envelope(const char *space, const void *data, size_t len, struct dw_wire *ret)
{
	uint8_t sum[DW_SHA512];
	int r = dw_sha512(data, len, sum);

	*ret = (struct dw_wire){ .len = 0 };
	dw_wire_bytes(ret, MAGIC, strlen(MAGIC));
	dw_wire_text(ret, space);
	dw_wire_text(ret, "");
	dw_wire_text(ret, HASH);
	dw_wire_string(ret, sum, sizeof(sum));
	if (ret->full)
		return -EINVAL;
	return r;
}

static void put_signature(struct dw_wire *w, const uint8_t signature[DW_ED25519_SIG])
{
	struct dw_wire inner = { .len = 0 };

	dw_wire_text(&inner, TYPE);
	dw_wire_string(&inner, signature, DW_ED25519_SIG);
	dw_wire_string(w, inner.data, inner.len);
}

int dw_ssh_sign(const struct dw_ssh_key *k, const char *space, const void *data,
		size_t len, char **ret)
{
	struct dw_wire w, blob = { .len = 0 };
	uint8_t signature[DW_ED25519_SIG];
	int r = envelope(space, data, len, &w);

	if (!r && k->agent)
		r = dw_agent_sign(k->key, w.data, w.len, signature);
	else if (!r)
		r = dw_ed25519_sign(k->seed, w.data, w.len, signature);
	if (r)
		return r;
	w = (struct dw_wire){ .len = 0 };
	dw_wire_bytes(&w, MAGIC, strlen(MAGIC));
	dw_wire_u32(&w, 1);
	dw_ssh_blob(&blob, k->key);
	dw_wire_string(&w, blob.data, blob.len);
	dw_wire_text(&w, space);
	dw_wire_text(&w, "");
	dw_wire_text(&w, HASH);
	put_signature(&w, signature);
	*ret = dw_armour(NAME, w.data, w.len);
	return *ret ? 0 : -ENOMEM;
}

static const uint8_t *take_signature(struct dw_wire_in *in)
{
	struct dw_wire_in outer = dw_wire_take_string(in);
	struct dw_wire_in type = dw_wire_take_string(&outer);
	struct dw_wire_in raw = dw_wire_take_string(&outer);

	if (!dw_wire_is(&type, TYPE) || raw.bad || outer.left ||
	    raw.left != DW_ED25519_SIG)
		return NULL;
	return raw.at;
}

/* the parts of a signature; 0, 1 for something else, -EINVAL */
static int take_apart(const struct dw_wire *w, const char *space,
		      uint8_t ret_key[DW_ED25519_KEY],
		      uint8_t ret_signature[DW_ED25519_SIG])
{
	struct dw_wire_in in = { .at = w->data, .left = w->len }, blob, part;
	const uint8_t *magic = dw_wire_take(&in, strlen(MAGIC)), *signature;
	bool elsewhere;

	if (!magic || memcmp(magic, MAGIC, strlen(MAGIC)) != 0 ||
	    dw_wire_take_u32(&in) != 1)
		return -EINVAL;
	blob = dw_wire_take_string(&in);
	if (dw_ssh_blob_parse(&blob, ret_key))
		return -EINVAL;
	part = dw_wire_take_string(&in);
	elsewhere = !dw_wire_is(&part, space);
	part = dw_wire_take_string(&in);
	if (!dw_wire_is(&part, ""))
		return -EINVAL;
	part = dw_wire_take_string(&in);
	if (!dw_wire_is(&part, HASH))
		return -EINVAL;
	signature = take_signature(&in);
	if (!signature || in.bad || in.left)
		return -EINVAL;
	memcpy(ret_signature, signature, DW_ED25519_SIG);
	return elsewhere;
}

int dw_ssh_check(const char *text, size_t text_len, const char *space, const void *data,
		 size_t len, uint8_t ret_key[DW_ED25519_KEY])
{
	uint8_t signature[DW_ED25519_SIG];
	struct dw_wire w;
	int r = dw_armour_parse(NAME, text, text_len, &w);

	if (!r)
		r = take_apart(&w, space, ret_key, signature);
	if (!r)
		r = envelope(space, data, len, &w);
	return r ? r : dw_ed25519_verify(ret_key, w.data, w.len, signature);
}
