/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_LEDGER_H
#define DW_TESTS_LEDGER_H

/* A ledger in a folder of its own, for tests of what is put into it. Include unit.h first. */
#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "error_line.h"
#include "proof/proof.h"

/** struct fixture - @dir: all of it; @key: "station@example.org" */
struct fixture {
	char dir[48];
	char key[64];
	char ledger[64];
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char *line = NULL;

	assert_non_null(f);
	assert_non_null(mkdtemp(scratch_name(f->dir, sizeof(f->dir), "ledger")));
	snprintf(f->key, sizeof(f->key), "%s/key", f->dir);
	snprintf(f->ledger, sizeof(f->ledger), "%s/ledger", f->dir);
	assert_int_equal(0, dw_record_key(f->key, "station@example.org", &line, NULL));
	free(line);
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	remove_tree(f->dir);
	free(f);
	return 0;
}

/** open_ledger() - dw_ledger_close(). */
static inline struct dw_ledger *open_ledger(const struct fixture *f)
{
	struct dw_error err = { 0 };
	struct dw_ledger *l;

	if (dw_ledger_open(f->ledger, f->key, &l, &err))
		fail_msg("%s", error_line(&err));
	return l;
}

/** told() - is @reason told of @file? NULL: is nothing told? */
static inline bool told(const struct fixture *f, const char *file, const char *reason)
{
	struct dw_proof_check c;
	bool found;

	assert_int_equal(0, dw_ledger_check(f->ledger, NULL, &c, NULL));
	found = !file && !c.n;
	for (size_t i = 0; file && i < c.n; i++)
		found |= !strcmp(c.fault[i].file, file) &&
			 strstr(c.fault[i].reason, reason);
	dw_proof_check_deinit(&c);
	return found;
}

/** path_of() - of a file of the ledger. */
static inline void path_of(const struct fixture *f, enum dw_ledger_file kind, uint64_t n,
			   char path[160])
{
	char name[DW_LEDGER_NAME];

	snprintf(path, 160, "%s/%s", f->ledger, dw_ledger_name(kind, n, false, name));
}

/** forge() - @text as a record, and the head with it, signed as by who has the key. */
static inline void forge(const struct fixture *f, uint64_t sequence, const char *text,
			 const struct timespec *written)
{
	struct dw_head h = { .sequence = sequence, .written = *written };
	dw_autofree char *head = NULL;
	struct dw_ssh_key key;
	char path[160];

	assert_non_null(text);
	assert_int_equal(0, dw_ssh_key_load(f->key, &key, NULL));
	assert_int_equal(0, dw_sha256_hex(text, strlen(text), h.record));
	head = dw_head_json(DW_LEDGER_HEAD, &h);
	assert_non_null(head);
	path_of(f, DW_LEDGER_RECORD, sequence, path);
	assert_int_equal(0, dw_signed_write(path, text, &key));
	path_of(f, DW_LEDGER_HEAD, sequence, path);
	assert_int_equal(0, dw_signed_write(path, head, &key));
	dw_ssh_key_wipe(&key);
}

#endif
