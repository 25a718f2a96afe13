/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A folder that gets a copy of the ledger. How far it has come is what is in it: one stick may be
 * taken away and another put in. A file comes to its name when it is whole and on the medium; the
 * head comes last, and the one before it goes after that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "data/sign.h"
#include "file/file.h"
#include "send/send.h"

/**
 * struct copied - what is in a folder
 * @n: of each record, bit 0: it is there, bit 1: its signature is; owned
 * @most: the highest number of any file of a ledger
 * @head, @day: the highest numbers of those whose signature is there
 */
struct copied {
	uint8_t *has;
	size_t room;
	uint64_t most;
	uint64_t head;
	uint64_t day;
};

static void note_file(struct copied *c, const char *name)
{
	uint64_t n;
	bool sig;
	enum dw_ledger_file kind = dw_ledger_file(name, &n, &sig);

	if (kind == DW_LEDGER_OTHER)
		return;
	c->most = dw_max_u64(c->most, n);
	if (kind == DW_LEDGER_HEAD && sig)
		c->head = dw_max_u64(c->head, n);
	if (kind == DW_LEDGER_DAY && sig)
		c->day = dw_max_u64(c->day, n);
	if (kind == DW_LEDGER_RECORD && n < c->room)
		c->has[n] |= sig ? 2 : 1;
}

/* What dw_file_replace() was writing when it was killed: the name, a dot and 16 digits. */
static bool is_unfinished(const char *name)
{
	const char *dot = strrchr(name, '.');
	char whole[DW_LEDGER_NAME];
	uint64_t n;
	bool sig;

	if (!dot || strlen(dot) != 17 || strspn(dot + 1, "0123456789abcdef") != 16 ||
	    (size_t)(dot - name) >= sizeof(whole))
		return false;
	snprintf(whole, sizeof(whole), "%.*s", (int)(dot - name), name);
	return dw_ledger_file(whole, &n, &sig) != DW_LEDGER_OTHER ||
	       !strcmp(whole, DW_PROOF_SIGNERS);
}

static int look_into(const char *dir, uint64_t last, struct copied *ret)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return -errno;
	*ret = (struct copied){ .room = last + 1 };
	ret->has = calloc(ret->room, 1);
	while (ret->has && (e = readdir(d))) {
		if (is_unfinished(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
		else
			note_file(ret, e->d_name);
	}
	closedir(d);
	return ret->has ? 0 : -ENOMEM;
}

/* The folder lies on a file system of its own, or within one that was mounted for it. */
static bool is_mounted(const char *dir)
{
	struct stat here, root;

	return !stat(dir, &here) && !stat("/", &root) && here.st_dev != root.st_dev;
}

static int same_bytes(const char *path, const char *text, size_t len)
{
	dw_autofree char *there = NULL;
	size_t n;
	int r = dw_file_read(path, DW_RECORD_MAX, &there, &n);

	if (r)
		return r;
	return n == len && !memcmp(there, text, len) ? 0 : 1;
}

static int hash_of(const char *dir, uint64_t n, char ret[DW_PROOF_HASH])
{
	char name[DW_LEDGER_NAME];
	dw_autofree char *path =
		dw_ledger_path(dir, dw_ledger_name(DW_LEDGER_RECORD, n, false, name));
	dw_autofree char *text = NULL;
	size_t len;
	int r = path ? dw_file_read(path, DW_RECORD_MAX, &text, &len) : -ENOMEM;

	return r ? r : dw_sha256_hex(text, len, ret);
}

static int copy_signers(const char *ledger, const char *dir)
{
	dw_autofree char *from = dw_ledger_path(ledger, DW_PROOF_SIGNERS);
	dw_autofree char *to = dw_ledger_path(dir, DW_PROOF_SIGNERS);
	dw_autofree char *text = NULL;
	size_t len;
	int r = from && to ? dw_file_read(from, 1 << 20, &text, &len) : -ENOMEM;

	if (r == -ENOENT || (!r && !same_bytes(to, text, len)))
		return 0;
	return r ? r : dw_file_replace(to, text, len, 0644);
}

int send_directory_begin(const char *ledger, uint64_t last, struct send_target *t,
			 struct send_failure *f)
{
	struct send_state *s = &t->state;
	struct copied there = { .has = NULL };
	int r;

	if (t->require_mount && !is_mounted(t->where))
		return send_fail(f, "%.150s: nothing is mounted there", t->where);
	r = look_into(t->where, last, &there);
	if (r)
		return send_fail(f, "%.150s: %s", t->where, strerror(-r));
	s->sequence = 0;
	s->head = there.head;
	s->day = there.day;
	while (there.has && s->sequence < last && there.has[s->sequence + 1] == 3)
		s->sequence++;
	free(there.has);
	if (there.most > last)
		return send_fail(f,
				 "%.100s: it has record %" PRIu64 ", but the ledger ends "
				 "with %" PRIu64 ": it is of another ledger, or records "
				 "were taken away here",
				 t->where, there.most, last);
	r = s->sequence ? hash_of(t->where, s->sequence, s->hash) : 0;
	if (!r)
		r = copy_signers(ledger, t->where);
	return r ? send_fail(f, "%.150s: %s", t->where, strerror(-r)) : 0;
}

/* What is there is never written over by something else. */
static int put_file(const struct send_target *t, const char *name, const char *text,
		    size_t len, struct send_failure *f)
{
	dw_autofree char *path = dw_ledger_path(t->where, name);
	int r = path ? same_bytes(path, text, len) : -ENOMEM;

	if (!r)
		return 0;
	if (r == 1)
		return send_fail(f,
				 "%.150s: %s is there, and is another: it is of another "
				 "ledger, or was changed",
				 t->where, name);
	if (r == -ENOENT)
		r = dw_file_replace(path, text, len, 0644);
	return r ? send_fail(f, "%.150s: %s: %s", t->where, name, strerror(-r)) : 0;
}

static void drop_heads_before(const struct send_target *t, uint64_t head)
{
	DIR *d = opendir(t->where);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		uint64_t n;
		bool sig;

		if (dw_ledger_file(e->d_name, &n, &sig) == DW_LEDGER_HEAD && n < head)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}

int send_to_directory(const struct send_target *t, const struct send_item *i,
		      struct send_failure *f)
{
	char name[DW_LEDGER_NAME];

	/* a head without its signature is no head */
	if (put_file(t, dw_ledger_name(i->kind, i->sequence, false, name), i->text,
		     i->len, f) ||
	    put_file(t, dw_ledger_name(i->kind, i->sequence, true, name), i->sig,
		     strlen(i->sig), f))
		return -1;
	if (i->kind == DW_LEDGER_HEAD)
		drop_heads_before(t, i->sequence);
	return 0;
}

int send_directory_end(const struct send_target *t, struct send_failure *f)
{
	dw_autoclose int fd = open(t->where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || syncfs(fd))
		return send_fail(f, "%.150s: %s", t->where, strerror(errno));
	return 0;
}
