/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A seal says how a file was when nobody used it any more. It has the form of sha256sum and a
 * signature of ssh-keygen, so that both can be checked without this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"
#include "proof/proof.h"

#define SEAL_MAX 1024

/* What a seal says of the file as it is now; malloc'd. */
static int describe_file(const char *file, char **ret)
{
	const char *slash = strrchr(file, '/');
	char hash[DW_PROOF_HASH];
	int fd = dw_file_open(file, false), r;

	if (fd < 0)
		return fd;
	r = dw_sha256_read(fd, hash);
	close(fd);
	if (!r && asprintf(ret, "%s  %s\n", hash, slash ? slash + 1 : file) < 0)
		r = -ENOMEM;
	return r;
}

static char *name_seal(const char *file)
{
	char *name;

	return asprintf(&name, "%s.sha256", file) < 0 ? NULL : name;
}

int dw_seal_write(const char *file, const char *key, struct dw_error *err)
{
	dw_autofree char *seal = name_seal(file), *text = NULL;
	struct dw_ssh_key k;
	int r;

	dw_error_clear(err);
	if (!seal)
		return dw_error_system(err, -ENOMEM, NULL);
	r = dw_ssh_key_load(key, &k, err);
	if (r)
		return r;
	r = describe_file(file, &text);
	if (!r)
		r = dw_signed_write(seal, text, &k);
	dw_ssh_key_wipe(&k);
	return r ? dw_error_system(err, r, seal) : 0;
}

int dw_seal_break(const char *file)
{
	dw_autofree char *seal = name_seal(file), *sig = NULL;
	int r = 0;

	if (!seal || asprintf(&sig, "%s.sig", seal) < 0)
		return -ENOMEM;
	if (unlink(seal) && errno != ENOENT)
		r = -errno;
	if (unlink(sig) && errno != ENOENT && !r)
		r = -errno;
	return r;
}

/* 0, 1 and @ret_why, negative errno */
static int compare_seal(const char *file, const struct dw_signed *s,
			const struct dw_signers *signers, time_t at, const char **ret_why)
{
	dw_autofree char *now = NULL;
	int r;

	if (!dw_signers_find(signers, s->key, DW_PROOF_NAMESPACE, at, ret_why))
		return 1;
	r = describe_file(file, &now);
	if (r || (s->len == strlen(now) && !memcmp(s->text, now, s->len)))
		return r;
	*ret_why = "it is not as it was sealed";
	return 1;
}

int dw_seal_check(const char *file, const char *signers, time_t at, struct dw_error *err)
{
	dw_autofree char *seal = name_seal(file);
	struct dw_signers list = { .n = 0 };
	const char *why = "its seal is not as it was signed";
	struct dw_signed s = { .len = 0 };
	int r;

	dw_error_clear(err);
	if (!seal)
		return dw_error_system(err, -ENOMEM, NULL);
	if (access(seal, F_OK) && errno == ENOENT)
		return -ENOENT;
	r = dw_signers_read(signers, &list, err);
	if (r)
		return r;
	r = dw_signed_read(seal, SEAL_MAX, &s);
	if (r == -EINVAL || r == -ENOENT || r == -EFBIG)
		r = 1;
	if (!r)
		r = compare_seal(file, &s, &list, at, &why);
	dw_signed_deinit(&s);
	dw_signers_free(&list);
	if (r == 1)
		dw_error_file(err, -EBADMSG, file, why);
	else if (r)
		dw_error_system(err, r, file);
	return r;
}
