/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The audit trail of a service in the chain. Which rows come next follows from the last record of
 * the ledger alone: so no row is written twice, and none is lost, whatever is cut off.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "file/file.h"
#include "proof/proof.h"

bool dw_audit_follows(const struct dw_audit *was, const struct dw_audit *a)
{
	return a->first == (a->store == was->store ? was->last + 1 : 1);
}

void dw_audit_deinit(struct dw_audit *a)
{
	free(a->row);
	*a = (struct dw_audit){ .sequence = 0 };
}

/* The record that @at names, and only that. */
static int read_named(const char *dir, const struct dw_head *at, enum dw_entry *ret_kind,
		      struct dw_proof *ret, char **ret_text, size_t *ret_len)
{
	char name[DW_LEDGER_NAME], hash[DW_PROOF_HASH];
	dw_autofree char *path = dw_ledger_path(
		dir, dw_ledger_name(DW_LEDGER_RECORD, at->sequence, false, name));
	int r = path ? dw_file_read(path, DW_RECORD_MAX, ret_text, ret_len) : -ENOMEM;

	if (r)
		return r == -ENOENT ? -EINVAL : r;
	r = dw_sha256_hex(*ret_text, *ret_len, hash);
	if (!r && strcmp(hash, at->record) != 0)
		r = -EINVAL;
	if (!r)
		r = dw_proof_link_parse(*ret_text, *ret_len, ret_kind, ret, NULL);
	if (!r && ret->sequence != at->sequence)
		r = -EINVAL;
	return r;
}

int dw_ledger_back(const char *dir, const struct dw_head *from,
		   const struct dw_entry_wanted *want, struct dw_proof *ret_link,
		   char **ret_text, size_t *ret_len)
{
	struct dw_head at = *from;

	for (; at.sequence > want->after; at.sequence--) {
		dw_autofree char *text = NULL;
		enum dw_entry found;
		size_t len;
		int r = read_named(dir, &at, &found, ret_link, &text, &len);

		if (r)
			return r;
		if (found == want->kind &&
		    (!want->id || !strcmp(want->id, ret_link->id))) {
			if (ret_text) {
				*ret_text = text;
				*ret_len = len;
				text = NULL;
			}
			return 0;
		}
		memcpy(at.record, ret_link->previous, DW_PROOF_HASH);
	}
	*ret_link = (struct dw_proof){ .sequence = 0 };
	return 0;
}
