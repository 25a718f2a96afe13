/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a ledger: what they are called, how they are written and read. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "file/file.h"
#include "proof/proof.h"

#define SIG_MAX 4096

static const char *const heads[] = {
	[DW_LEDGER_RECORD] = "record-",
	[DW_LEDGER_HEAD] = "head-",
	[DW_LEDGER_DAY] = "day-",
};

const char *dw_ledger_name(enum dw_ledger_file kind, uint64_t sequence, bool sig,
			   char buf[DW_LEDGER_NAME])
{
	snprintf(buf, DW_LEDGER_NAME, "%s%08" PRIu64 ".json%s", heads[kind], sequence,
		 sig ? ".sig" : "");
	return buf;
}

enum dw_ledger_file dw_ledger_file(const char *name, uint64_t *ret_sequence,
				   bool *ret_sig)
{
	char again[DW_LEDGER_NAME];

	for (int kind = DW_LEDGER_RECORD; kind <= DW_LEDGER_DAY; kind++) {
		size_t n = strlen(heads[kind]);

		if (strncmp(name, heads[kind], n) != 0)
			continue;
		*ret_sequence = strtoull(name + n, NULL, 10);
		for (int sig = 0; sig < 2; sig++) {
			*ret_sig = sig;
			if (*ret_sequence &&
			    !strcmp(name, dw_ledger_name((enum dw_ledger_file)kind,
							 *ret_sequence, sig, again)))
				return (enum dw_ledger_file)kind;
		}
	}
	return DW_LEDGER_OTHER;
}

static int compare_numbers(const void *a, const void *b)
{
	return dw_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

bool dw_numbers_has(const struct dw_numbers *l, uint64_t v)
{
	return l->n && bsearch(&v, l->v, l->n, sizeof(v), compare_numbers);
}

static struct dw_numbers *list_of(struct dw_ledger_files *f, enum dw_ledger_file kind,
				  bool sig)
{
	switch (kind) {
	case DW_LEDGER_RECORD:
		return sig ? NULL : &f->record;
	case DW_LEDGER_HEAD:
		return sig ? &f->head : NULL;
	case DW_LEDGER_DAY:
		return sig ? &f->day_sig : &f->day;
	default:
		return NULL;
	}
}

int dw_ledger_files_list(const char *dir, struct dw_ledger_files *ret)
{
	struct dw_numbers *const all[] = { &ret->record, &ret->head, &ret->day,
					   &ret->day_sig };
	DIR *d = opendir(dir);
	struct dirent *e;
	int r = 0;

	*ret = (struct dw_ledger_files){ .record.n = 0 };
	if (!d)
		return -errno;
	while (!r && (e = readdir(d))) {
		uint64_t n = 0;
		bool sig = false;
		enum dw_ledger_file kind = dw_ledger_file(e->d_name, &n, &sig);
		struct dw_numbers *l = list_of(ret, kind, sig);

		if (!l)
			continue;
		r = dw_grow(&l->v, l->n, l->n + 1, sizeof(n));
		if (!r)
			l->v[l->n++] = n;
	}
	closedir(d);
	for (size_t i = 0; i < DW_ARRAY_SIZE(all); i++)
		if (all[i]->n)
			qsort(all[i]->v, all[i]->n, sizeof(*all[i]->v), compare_numbers);
	return r;
}

void dw_ledger_files_deinit(struct dw_ledger_files *f)
{
	free(f->record.v);
	free(f->head.v);
	free(f->day.v);
	free(f->day_sig.v);
	*f = (struct dw_ledger_files){ .record.n = 0 };
}

bool dw_same_day(time_t a, time_t b)
{
	struct tm x, y;

	gmtime_r(&a, &x);
	gmtime_r(&b, &y);
	return x.tm_year == y.tm_year && x.tm_yday == y.tm_yday;
}

void dw_hash_none(char ret[DW_PROOF_HASH])
{
	snprintf(ret, DW_PROOF_HASH, "%064d", 0);
}

char *dw_ledger_path(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

void dw_signed_deinit(struct dw_signed *s)
{
	free(s->text);
	*s = (struct dw_signed){ .len = 0 };
}

int dw_signed_read(const char *path, size_t max, struct dw_signed *ret)
{
	dw_autofree char *sig = NULL, *name = NULL;
	size_t len;
	int r;

	*ret = (struct dw_signed){ .len = 0 };
	if (asprintf(&name, "%s.sig", path) < 0)
		return -ENOMEM;
	r = dw_file_read(path, max, &ret->text, &ret->len);
	if (!r)
		r = dw_file_read(name, SIG_MAX, &sig, &len);
	if (!r)
		r = dw_ssh_check(sig, len, DW_PROOF_NAMESPACE, ret->text, ret->len,
				 ret->key);
	if (!r)
		r = dw_sha256_hex(ret->text, ret->len, ret->hash);
	if (r)
		dw_signed_deinit(ret);
	return r;
}

int dw_signed_write(const char *path, const char *text, const struct dw_ssh_key *key)
{
	dw_autofree char *sig = NULL, *name = NULL;
	size_t len = strlen(text);
	int r = dw_ssh_sign(key, DW_PROOF_NAMESPACE, text, len, &sig);

	if (r)
		return r;
	if (asprintf(&name, "%s.sig", path) < 0)
		return -ENOMEM;
	r = dw_file_replace(path, text, len, 0644);
	return r ? r : dw_file_replace(name, sig, strlen(sig), 0644);
}
