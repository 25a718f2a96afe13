/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PROOF_SSH_H
#define DW_PROOF_SSH_H

/*
 * Keys and signatures in the forms of OpenSSH, so that ssh-keygen alone can make, read and check
 * them: private keys (PROTOCOL.key), agents (draft-miller-ssh-agent), signatures
 * (PROTOCOL.sshsig), and lists of who may sign (ssh-keygen(1), ALLOWED SIGNERS). Ed25519 only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <diskwipe/error.h>

#include "data/sign.h"
#include "proof/wire.h"

#define DW_FINGERPRINT 52 /* "SHA256:", 43 characters, 0 */
#define DW_SSH_COMMENT 64

/**
 * struct dw_ssh_key - a key that signs
 * @key: the public one
 * @seed: the private one, unless @agent has it
 * @comment: what the file calls it
 */
struct dw_ssh_key {
	uint8_t key[DW_ED25519_KEY];
	uint8_t seed[DW_ED25519_KEY];
	bool agent;
	char comment[DW_SSH_COMMENT];
};

/**
 * dw_ssh_key_load() - read a key file
 * @path: a private key without a passphrase, which only its owner may read, or a public key, of
 *	which the agent at $SSH_AUTH_SOCK has the private one
 * @ret: dw_ssh_key_wipe()
 * @err: on failure why
 *
 * Return: 0; -EPERM: others may read it; -EINVAL: it is no such key; another negative errno.
 */
int dw_ssh_key_load(const char *path, struct dw_ssh_key *ret, struct dw_error *err);

/**
 * dw_ssh_key_make() - a new pair of keys, in @path and @path.pub, durable
 * @comment: whose it is
 * Return: 0; -EEXIST; another negative errno. Nothing is left behind on failure.
 */
int dw_ssh_key_make(const char *path, const char *comment, struct dw_ssh_key *ret,
		    struct dw_error *err);

/** dw_ssh_key_wipe() - forget it. */
void dw_ssh_key_wipe(struct dw_ssh_key *k);

/** dw_ssh_public() - "ssh-ed25519 AAAA..."; malloc'd, NULL without memory. */
char *dw_ssh_public(const uint8_t key[DW_ED25519_KEY]);

/** dw_ssh_fingerprint() - as ssh-keygen -l tells it. Returns @buf, empty if libcrypto fails. */
const char *dw_ssh_fingerprint(const uint8_t key[DW_ED25519_KEY],
			       char buf[DW_FINGERPRINT]);

/** dw_ssh_blob() - the public key as the protocol has it, appended to @w. */
void dw_ssh_blob(struct dw_wire *w, const uint8_t key[DW_ED25519_KEY]);

/** dw_ssh_blob_parse() - 0; -EINVAL: it is not that of an Ed25519 key. */
int dw_ssh_blob_parse(const struct dw_wire_in *blob, uint8_t ret[DW_ED25519_KEY]);

/**
 * dw_ssh_sign() - a signature as ssh-keygen -Y sign makes it
 * @space: what it is for; who checks it has to name the same
 * @ret: armoured, malloc'd
 *
 * Return: 0; -ENOKEY: the agent has not that key, or there is none; another negative errno.
 */
int dw_ssh_sign(const struct dw_ssh_key *k, const char *space, const void *data,
		size_t len, char **ret);

/**
 * dw_ssh_check() - is it a signature of these bytes, byte for byte as dw_ssh_sign() makes it?
 * @text, @text_len: armoured
 * @ret_key: whose; whether that is to be believed is another question
 *
 * Return: 0; 1 it is of other bytes, or for something else; -EINVAL: it is no such signature;
 * another negative errno.
 */
int dw_ssh_check(const char *text, size_t text_len, const char *space, const void *data,
		 size_t len, uint8_t ret_key[DW_ED25519_KEY]);

/** dw_agent_sign() - have the agent at $SSH_AUTH_SOCK sign; 0, -ENOKEY, another negative errno. */
int dw_agent_sign(const uint8_t key[DW_ED25519_KEY], const void *data, size_t len,
		  uint8_t ret[DW_ED25519_SIG]);

/**
 * struct dw_signer - who may sign
 * @name: of whom
 * @after, @before: from when, until when; 0 = no limit
 * @spaces: for what, separated by commas, with * and ?; empty = for everything
 */
struct dw_signer {
	char name[64];
	char spaces[128];
	uint8_t key[DW_ED25519_KEY];
	time_t after;
	time_t before;
};

struct dw_signers {
	struct dw_signer *signer;
	size_t n;
};

/** dw_signers_read() - an allowed_signers file, at most 1 MiB; keys of other kinds are passed
 *  over. 0; -EINVAL; another negative errno. dw_signers_free(). */
int dw_signers_read(const char *path, struct dw_signers *ret, struct dw_error *err);

/** dw_signers_free() - its list. */
void dw_signers_free(struct dw_signers *s);

/** dw_signers_find() - who may sign with @key for @space at that time; NULL = nobody, and
 *  @ret_why says why not, static text. */
const struct dw_signer *dw_signers_find(const struct dw_signers *s,
					const uint8_t key[DW_ED25519_KEY],
					const char *space, time_t at,
					const char **ret_why);

#endif
