/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A folder of records. The next record is written, then a head that names it; then the head before
 * that is removed, after it has become the mark of its day if a new one has begun. Each file comes
 * to its name when it is whole and on the medium, its signature after it. So whatever is cut off,
 * the last head and all up to the record that it names are whole, and of what is beyond there is
 * one record at most, which is finished when the ledger is opened again. No more than one head
 * stays: who takes the last records away has none that names what is left.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "file/file.h"
#include "device/host.h"
#include "proof/proof.h"

#define LOCK_TRIES 100
#define LOCK_NAP   (100 * DW_NS_PER_MS)

/**
 * struct dw_ledger - an open one
 * @lock: descriptor that holds the lock
 * @head: the last; sequence 0 = none
 * @id: of the last record of a disk; @id_at: its number. There may be others behind it
 */
struct dw_ledger {
	char *dir;
	int lock;
	struct dw_ssh_key key;
	struct dw_head head;
	char id[64];
	uint64_t id_at;
};

void dw_ledger_close(struct dw_ledger *l)
{
	if (!l)
		return;
	if (l->lock >= 0)
		close(l->lock);
	dw_ssh_key_wipe(&l->key);
	free(l->dir);
	free(l);
}

/* The lock of a folder, or negative errno; -EBUSY: another has it, for ten seconds if @wait. */
static int take_lock(const char *dir, int open_flags, int how, bool wait)
{
	dw_autofree char *path = dw_ledger_path(dir, ".lock");
	const struct timespec nap = { .tv_nsec = LOCK_NAP };
	int fd, r = -EBUSY;

	if (!path)
		return -ENOMEM;
	fd = open(path, open_flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	for (int i = wait ? 0 : LOCK_TRIES - 1; i < LOCK_TRIES; i++) {
		if (!flock(fd, how | LOCK_NB))
			return fd;
		if (errno != EWOULDBLOCK) {
			r = -errno;
			break;
		}
		nanosleep(&nap, NULL);
	}
	close(fd);
	return r;
}

int dw_ledger_hold(const char *dir)
{
	return take_lock(dir, O_RDONLY | O_NONBLOCK, LOCK_SH, true);
}

/**
 * struct found - heads whose signature is there: the highest number, and the one before it, which
 * stayed because its end was cut off; 0 = none
 */
struct found {
	uint64_t last;
	uint64_t before;
};

static int find_heads(const char *dir, struct found *ret)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	*ret = (struct found){ 0 };
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		uint64_t n;
		bool sig;

		if (dw_ledger_file(e->d_name, &n, &sig) != DW_LEDGER_HEAD || !sig)
			continue;
		ret->before = n > ret->last ? ret->last : dw_max_u64(ret->before, n);
		ret->last = dw_max_u64(ret->last, n);
	}
	closedir(d);
	return 0;
}

static int read_signed(const struct dw_ledger *l, enum dw_ledger_file kind, uint64_t n,
		       struct dw_signed *ret)
{
	char name[DW_LEDGER_NAME];
	dw_autofree char *path =
		dw_ledger_path(l->dir, dw_ledger_name(kind, n, false, name));

	if (!path)
		return -ENOMEM;
	return dw_signed_read(path, kind == DW_LEDGER_HEAD ? DW_HEAD_MAX : DW_RECORD_MAX,
			      ret);
}

static int write_signed(const struct dw_ledger *l, enum dw_ledger_file kind, uint64_t n,
			const char *text)
{
	char name[DW_LEDGER_NAME];
	dw_autofree char *path =
		dw_ledger_path(l->dir, dw_ledger_name(kind, n, false, name));

	return path ? dw_signed_write(path, text, &l->key) : -ENOMEM;
}

static void remove_head(const struct dw_ledger *l, uint64_t n)
{
	char name[DW_LEDGER_NAME];

	for (int sig = 1; sig >= 0; sig--) {
		dw_autofree char *path = dw_ledger_path(
			l->dir, dw_ledger_name(DW_LEDGER_HEAD, n, sig, name));

		if (path)
			unlink(path);
	}
}

/* A head that is not the last any more. */
static int retire(struct dw_ledger *l, uint64_t n, const struct dw_head *was)
{
	dw_autofree char *text = NULL;
	int r = 0;

	if (!dw_same_day(was->written.tv_sec, l->head.written.tv_sec)) {
		text = dw_head_json(DW_LEDGER_DAY, was);
		r = text ? write_signed(l, DW_LEDGER_DAY, n, text) : -ENOMEM;
	}
	if (!r)
		remove_head(l, n);
	return r;
}

/* The record is on the medium: it is the last one from now on. */
static int move_head(struct dw_ledger *l, enum dw_entry kind, const struct dw_proof *p,
		     const char *hash)
{
	struct dw_head was = l->head;
	dw_autofree char *text = NULL;
	int r;

	l->head = (struct dw_head){ .sequence = p->sequence, .written = p->written };
	memcpy(l->head.record, hash, DW_PROOF_HASH);
	text = dw_head_json(DW_LEDGER_HEAD, &l->head);
	r = text ? write_signed(l, DW_LEDGER_HEAD, l->head.sequence, text) : -ENOMEM;
	if (r) {
		l->head = was;
		return r;
	}
	if (kind == DW_ENTRY_ERASURE) {
		memcpy(l->id, p->id, sizeof(l->id));
		l->id_at = p->sequence;
	}
	return was.sequence ? retire(l, was.sequence, &was) : 0;
}

/* Is what lies beyond the head the next record, whole and ours? */
static int finish_last(struct dw_ledger *l)
{
	enum dw_entry kind;
	struct dw_signed s;
	struct dw_proof p;
	int r = read_signed(l, DW_LEDGER_RECORD, l->head.sequence + 1, &s);

	if (r) /* cut off, or none: it is written again */
		return r == -ENOMEM ? r : 0;
	r = dw_proof_link_parse(s.text, s.len, &kind, &p, NULL);
	if (r || p.sequence != l->head.sequence + 1 ||
	    strcmp(p.previous, l->head.record) != 0 ||
	    memcmp(s.key, l->key.key, DW_ED25519_KEY) != 0)
		r = -EINVAL;
	else
		r = move_head(l, kind, &p, s.hash);
	dw_signed_deinit(&s);
	return r;
}

static int read_head(const struct dw_ledger *l, uint64_t n, struct dw_head *ret)
{
	struct dw_signed s;
	int r = read_signed(l, DW_LEDGER_HEAD, n, &s);

	if (r)
		return r == -ENOMEM ? r : -EINVAL;
	r = dw_head_parse(DW_LEDGER_HEAD, s.text, s.len, ret, NULL);
	dw_signed_deinit(&s);
	return r || ret->sequence != n ? -EINVAL : 0;
}

static bool has_record(const struct dw_ledger *l, uint64_t n)
{
	char name[DW_LEDGER_NAME];
	dw_autofree char *path =
		dw_ledger_path(l->dir, dw_ledger_name(DW_LEDGER_RECORD, n, false, name));

	return path && !access(path, F_OK);
}

/* The end of what is there, which is not to be built on if it is not whole. */
static int read_end(struct dw_ledger *l)
{
	const struct dw_entry_wanted of_disk = { .kind = DW_ENTRY_ERASURE };
	struct dw_signed record;
	struct dw_head was;
	struct dw_proof p;
	struct found f;
	int r = find_heads(l->dir, &f);

	dw_hash_none(l->head.record);
	/* One record may be without a head, after a power cut. Where somebody took heads away, it
	 * would be written on over the records that were behind them. */
	if (!r && has_record(l, f.last + 2))
		return -EINVAL;
	if (r || !f.last)
		return r;
	r = read_head(l, f.last, &l->head);
	if (r || read_signed(l, DW_LEDGER_RECORD, f.last, &record))
		return -EINVAL;
	dw_signed_deinit(&record);
	r = dw_ledger_back(l->dir, &l->head, &of_disk, &p, NULL, NULL);
	if (r)
		return r == -ENOMEM ? r : -EINVAL;
	memcpy(l->id, p.id, sizeof(l->id));
	l->id_at = p.sequence;
	if (!f.before)
		return 0;
	r = read_head(l, f.before, &was);
	return r ? r : retire(l, f.before, &was);
}

/* Who makes a ledger may sign in it; an auditor has the list from elsewhere. */
static int make_signers(const struct dw_ledger *l)
{
	dw_autofree char *path = dw_ledger_path(l->dir, DW_PROOF_SIGNERS);
	dw_autofree char *public = dw_ssh_public(l->key.key), *line = NULL;
	const char *name = l->key.comment[0] && !strpbrk(l->key.comment, " \t,\"*?!")
				   ? l->key.comment
				   : "diskwipe";

	if (!path || !public ||
	    asprintf(&line, "%s namespaces=\"" DW_PROOF_NAMESPACE "\" %s\n", name,
		     public) < 0)
		return -ENOMEM;
	if (l->head.sequence || !access(path, F_OK))
		return 0;
	return dw_file_replace(path, line, strlen(line), 0644);
}

static int open_ledger(const char *dir, const char *key, bool wait,
		       struct dw_ledger **ret, struct dw_error *err)
{
	struct dw_ledger *l;
	int r;

	dw_error_clear(err);
	l = calloc(1, sizeof(*l));
	if (!l)
		return dw_error_system(err, -ENOMEM, NULL);
	l->lock = -1;
	l->dir = strdup(dir);
	r = l->dir ? dw_ssh_key_load(key, &l->key, err) : -ENOMEM;
	if (!r && mkdir(dir, 0755) < 0 && errno != EEXIST)
		r = -errno;
	if (!r) {
		l->lock = take_lock(dir, O_RDWR | O_CREAT, LOCK_EX, wait);
		r = l->lock < 0 ? l->lock : 0;
	}
	if (r == -EBUSY)
		dw_error_file(err, r, dir, "another program adds to it");
	if (!r) {
		r = read_end(l);
		if (!r)
			r = finish_last(l);
		if (r == -EINVAL)
			dw_error_file(err, r, dir,
				      "its end is not whole; diskwipe records verify "
				      "tells more");
	}
	if (!r)
		r = make_signers(l);
	if (!r) {
		*ret = l;
		return 0;
	}
	dw_ledger_close(l);
	if (err && err->kind == DW_ERROR_NONE)
		dw_error_file(err, r, dir, dw_file_error(r));
	return r;
}

int dw_ledger_open(const char *dir, const char *key, struct dw_ledger **ret,
		   struct dw_error *err)
{
	return open_ledger(dir, key, true, ret, err);
}

int dw_ledger_open_now(const char *dir, const char *key, struct dw_ledger **ret,
		       struct dw_error *err)
{
	return open_ledger(dir, key, false, ret, err);
}

int dw_ledger_find(struct dw_ledger *l, const char *id, uint64_t after,
		   uint64_t *ret_sequence, struct dw_error *err)
{
	const struct dw_entry_wanted want = {
		.kind = DW_ENTRY_ERASURE,
		.id = id,
		.after = after > l->head.sequence ? 0 : after,
	};
	struct dw_proof link;
	int r;

	dw_error_clear(err);
	r = dw_ledger_back(l->dir, &l->head, &want, &link, NULL, NULL);
	if (r)
		return dw_error_file(err, r, l->dir,
				     r == -EINVAL
					     ? "a record in it was changed or is missing"
					     : dw_file_error(r));
	*ret_sequence = link.sequence;
	return link.sequence > 0;
}

/* The next place; also of a draw only that is set here. */
static void next_place(const struct dw_ledger *l, struct dw_proof *p)
{
	p->sequence = l->head.sequence + 1;
	memcpy(p->previous, l->head.record, DW_PROOF_HASH);
	clock_gettime(CLOCK_REALTIME, &p->written);
	if (p->written.tv_sec < l->head.written.tv_sec) /* the clock was set back */
		p->written = l->head.written;
}

/* @p: of @text its place and id */
static int append_entry(struct dw_ledger *l, enum dw_entry kind, const struct dw_proof *p,
			const char *text, struct dw_error *err)
{
	char hash[DW_PROOF_HASH];
	int r = text ? dw_sha256_hex(text, strlen(text), hash) : -ENOMEM;

	if (!r)
		r = write_signed(l, DW_LEDGER_RECORD, p->sequence, text);
	if (!r)
		r = move_head(l, kind, p, hash);
	return dw_error_file(err, r, l->dir,
			     r == -ENOKEY ? "the agent does not sign with that key"
					  : dw_file_error(r));
}

int dw_ledger_add(struct dw_ledger *l, struct dw_proof *p, struct dw_error *err)
{
	dw_autofree char *text = NULL;

	dw_error_clear(err);
	if (l->id_at && !strcmp(p->id, l->id)) {
		p->sequence = l->id_at;
		return 1;
	}
	next_place(l, p);
	text = dw_proof_json(p);
	return append_entry(l, DW_ENTRY_ERASURE, p, text, err);
}

/* A draw is no candidate of another one. */
static int read_candidate(const struct dw_ledger *l, uint64_t n, struct dw_candidate *ret)
{
	enum dw_entry kind;
	struct dw_signed s;
	struct dw_proof p;
	int r = read_signed(l, DW_LEDGER_RECORD, n, &s);

	*ret = (struct dw_candidate){ .erased = false };
	if (r)
		return r == -ENOMEM ? r : -EINVAL;
	if (!dw_proof_parse(s.text, s.len, &p, NULL)) {
		dw_candidate_of(&p, s.hash, ret);
		r = p.sequence == n ? 0 : -EINVAL;
		dw_proof_deinit(&p);
	} else {
		r = dw_proof_link_parse(s.text, s.len, &kind, &p, NULL);
		if (!r && kind == DW_ENTRY_ERASURE)
			r = -EINVAL;
	}
	dw_signed_deinit(&s);
	return r;
}

static int draw_among(struct dw_ledger *l, struct dw_draw *d)
{
	uint64_t n = l->head.sequence;
	struct dw_candidate *of = calloc(n + 1, sizeof(*of));
	int r = of ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < n && !r; i++)
		r = read_candidate(l, i + 1, &of[i]);
	if (!r)
		r = dw_draw_pick(d, of, n);
	free(of);
	return r || d->n_picked ? r : -ENOENT;
}

int dw_ledger_draw(struct dw_ledger *l, struct dw_draw *d, struct dw_error *err)
{
	struct dw_proof place = { .sequence = 0 };
	dw_autofree char *text = NULL;
	int r;

	dw_error_clear(err);
	next_place(l, &place);
	snprintf(place.id, sizeof(place.id), "draw/%" PRIu64, place.sequence);
	d->sequence = place.sequence;
	memcpy(d->previous, place.previous, sizeof(d->previous));
	memcpy(d->id, place.id, sizeof(d->id));
	d->written = place.written;
	snprintf(d->tool, sizeof(d->tool), "%s", dw_version());
	dw_host_read(&dw_machine_self, &d->host);
	r = draw_among(l, d);
	if (r)
		return dw_error_file(err, r, l->dir,
				     r == -ENOENT   ? "no erased disk to draw from"
				     : r == -EINVAL ? "the share or a record is not right"
						    : dw_file_error(r));
	text = dw_draw_json(d);
	return append_entry(l, DW_ENTRY_DRAW, &place, text, err);
}

int dw_ledger_audited(struct dw_ledger *l, struct dw_audit *ret, struct dw_error *err)
{
	const struct dw_entry_wanted of_trail = { .kind = DW_ENTRY_AUDIT };
	dw_autofree char *text = NULL;
	struct dw_proof link;
	size_t len;
	int r;

	dw_error_clear(err);
	*ret = (struct dw_audit){ .sequence = 0 };
	r = dw_ledger_back(l->dir, &l->head, &of_trail, &link, &text, &len);
	if (!r && text)
		r = dw_audit_parse(text, len, ret, err);
	free(ret->row);
	ret->row = NULL;
	ret->n_rows = 0;
	if (r && (!err || err->kind == DW_ERROR_NONE))
		dw_error_file(err, r, l->dir,
			      r == -EINVAL ? "a record in it was changed or is missing"
					   : dw_file_error(r));
	return r;
}

int dw_ledger_audit(struct dw_ledger *l, struct dw_audit *a, struct dw_error *err)
{
	struct dw_proof place = { .sequence = 0 };
	dw_autofree char *text = NULL;
	struct dw_audit was;
	int r = dw_ledger_audited(l, &was, err);

	if (r)
		return r;
	next_place(l, &place);
	snprintf(place.id, sizeof(place.id), "audit/%" PRIu64, place.sequence);
	a->sequence = place.sequence;
	memcpy(a->previous, place.previous, sizeof(a->previous));
	memcpy(a->id, place.id, sizeof(a->id));
	a->written = place.written;
	snprintf(a->tool, sizeof(a->tool), "%s", dw_version());
	dw_host_read(&dw_machine_self, &a->host);
	a->first = a->store == was.store ? was.last + 1 : 1;
	a->last = a->first + a->n_rows - 1;
	for (uint32_t i = 0; i < a->n_rows; i++)
		if (a->row[i].row != a->first + i)
			return dw_error_file(err, -EINVAL, l->dir,
					     "the rows of the audit trail do not follow "
					     "upon those that are signed");
	text = dw_audit_json(a);
	return append_entry(l, DW_ENTRY_AUDIT, &place, text, err);
}

int dw_record_key(const char *path, const char *name, char **ret_line,
		  struct dw_error *err)
{
	dw_autofree char *public = NULL;
	struct dw_ssh_key key;
	int r;

	dw_error_clear(err);
	if (!*name || strlen(name) >= DW_SSH_COMMENT || strpbrk(name, " \t\n,\"'*?!#"))
		return dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, "name",
				    "'%s' is no name of a signer: without blanks, commas "
				    "and quotation marks, and at most %d characters",
				    name, DW_SSH_COMMENT - 1);
	r = dw_ssh_key_make(path, name, &key, err);
	if (r)
		return r;
	public = dw_ssh_public(key.key);
	dw_ssh_key_wipe(&key);
	if (!public || asprintf(ret_line, "%s namespaces=\"" DW_PROOF_NAMESPACE "\" %s",
				name, public) < 0)
		return dw_error_system(err, -ENOMEM, NULL);
	return 0;
}
