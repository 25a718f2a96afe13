/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The medium is a sparse file (byte offset = LBA x logical block length), so a
 * test can look at it from outside. The volatile cache is a second sparse file
 * laid over it: the ranges in the dirty set are newer there. A flush moves them
 * to the medium; a reset forgets them, and what was on the medium before is
 * back. When more than the cache's size is dirty the disk destages by itself,
 * sweeping upward from where it stopped.
 */
#include "lu.h"

#include "be.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK (1u << 20)

/* leaves both fields blank-padded where the standard wants that */
static void pad(char *s, size_t width)
{
	size_t n = strlen(s);

	memset(s + n, ' ', width - n);
	s[width] = 0;
}

/**
 * dw_lu_conf_init - a plain 64 MiB disk with its cache on
 * @c: configuration to fill
 * @id: number of the disk, part of serial number and WWN
 * @enclosure: number of the enclosure, part of both too
 */
void dw_lu_conf_init(struct dw_lu_conf *c, unsigned int id, unsigned int enclosure)
{
	*c = (struct dw_lu_conf){
		.size_bytes = 64 << 20,
		.block_bytes = 512,
		.vendor = "ENCLOS",
		.model = "EMULATED DISK",
		.rev = "0001",
		.rpm = 7200,
		.cache_bytes = 16 << 20,
		.slow_permille = 1000,
		.ws_max = 65535,
		.wce = true,
		.is_volatile = true,
		.ws10 = true,
		.ws16 = true,
		.ndob = true,
		.rsoc = true,
		.dpofua = true,
		.bytchk = true,
		.lbprz = true,
		.write_and_verify = true,
		.log = true,
		.progress = true,
		.overwrite_ms = 1000,
		.block_ms = 1000,
		.crypto_ms = 1000,
		.format_ms = 1000,
		.erase_ms = 1000,
		.enhanced_ms = 1000,
		.lbabits = 64,
		.rc_basis = true,
		.urswrz = true,
		.lbacut = DW_CUT_READ | DW_CUT_WRITE | DW_CUT_SAME,
		.temp = 31,
		.temp_limit = 60,
		.hours = 1000,
		.present = true,
		.same_as = -1,
		.lun_of = -1,
	};
	snprintf(c->serial, sizeof(c->serial), "ENC%02uD%04u", enclosure % 100,
		 id % 10000);
	c->wwn = 0x3000000000000000u | (uint64_t)enclosure << 32 | (id + 1u) << 8;
}

static int file_open(int dir_fd, const char *kind, unsigned int id)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "disk-%02u.%s", id, kind);
	if (dir_fd < 0)
		fd = memfd_create(name, MFD_CLOEXEC);
	else
		fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	/* a disk of terabytes is holes, and to read ahead in those is to zero memory */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

static int file_shape(struct dw_lu *lu)
{
	off_t size = (off_t)dw_lu_bytes(lu);

	if (!lu->conf.keep && ftruncate(lu->data_fd, 0) < 0)
		return -errno;
	if (ftruncate(lu->cache_fd, 0) < 0 || ftruncate(lu->cache_fd, size) < 0 ||
	    ftruncate(lu->data_fd, size) < 0)
		return -errno;
	size = (off_t)(lu->conf.remapped * lu->conf.block_bytes);
	if (size && ((!lu->conf.keep && ftruncate(lu->spare_fd, 0) < 0) ||
		     ftruncate(lu->spare_fd, size) < 0))
		return -errno;
	return 0;
}

static void stamp(uint8_t *p, size_t bs, uint64_t lba)
{
	size_t i;

	for (i = 0; i + 8 <= bs; i += 8)
		be_put64(p + i, lba);
}

static void noise(uint8_t *p, size_t bs, uint64_t seed)
{
	size_t i;

	for (i = 0; i + 8 <= bs; i += 8)
		be_put64(p + i, dw_rng_next(&seed));
}

/* old content straight into a file */
static int plant_file(const struct dw_lu *lu, int fd, uint64_t lba, uint64_t nlb,
		      const char *what)
{
	size_t bs = lu->conf.block_bytes, per = CHUNK / bs, i, n;
	static uint8_t buf[CHUNK];
	bool by_lba = !strcmp(what, "lba"), by_rng = !strcmp(what, "random");
	char *end;
	long byte = strtol(what, &end, 0);

	if (!by_lba && !by_rng && (*end || end == what || byte < 0 || byte > 255))
		return -EINVAL;
	if (!by_lba && !by_rng)
		memset(buf, (int)byte, sizeof(buf));
	for (; nlb; lba += n, nlb -= n) {
		n = nlb < per ? (size_t)nlb : per;
		for (i = 0; i < n && by_lba; i++)
			stamp(buf + i * bs, bs, lba + i);
		for (i = 0; i < n && by_rng; i++)
			noise(buf + i * bs, bs, (lba + i) << 8 | lu->id);
		if (pwrite(fd, buf, n * bs, (off_t)(lba * bs)) != (ssize_t)(n * bs))
			return -EIO;
	}
	return 0;
}

/**
 * dw_lu_init - open the medium and power on
 * @lu: logical unit to fill
 * @c: configuration, copied
 * @id: number, part of the file names
 * @dir_fd: folder for the files, borrowed; -1 for memory
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_init(struct dw_lu *lu, const struct dw_lu_conf *c, unsigned int id, int dir_fd)
{
	int r;

	memset(lu, 0, sizeof(*lu));
	lu->conf = *c;
	lu->id = id;
	lu->blocks = c->blocks ? c->blocks : c->size_bytes / c->block_bytes;
	lu->native = lu->blocks;
	lu->key_rng = c->wwn;
	lu->medium_bytes = dw_lu_bytes(lu);
	lu->spare_block = c->block_bytes;
	lu->pi_native = c->pi_type;
	lu->ata = (struct dw_ata){ .kept = lu->native, .master_id = 0xfffe };
	lu->ata.overlay = c->dco && c->dco < lu->native ? c->dco : lu->native;
	lu->ata.enabled = c->password[0];
	memcpy(lu->ata.user, c->password, DW_PASSWORD);
	lu->device = lu;
	lu->mode = (struct dw_mode){
		.wce = c->wce, .dsense = c->dsense, .awre = true, .arre = true
	};
	lu->saved = lu->mode;
	lu->stopped = c->stopped;
	pad(lu->conf.vendor, 8);
	pad(lu->conf.model, 16);
	pad(lu->conf.rev, 4);
	if (c->foreign_pr)
		lu->pr = (struct dw_pr){ .reg = { { DW_PR_FOREIGN, c->foreign_key } },
					 .n = 1,
					 .generation = 1,
					 .held = true,
					 .holder = DW_PR_FOREIGN,
					 .key = c->foreign_key,
					 .type = (uint8_t)c->foreign_pr };
	lu->data_fd = file_open(dir_fd, "img", id);
	lu->cache_fd = file_open(dir_fd, "cache", id);
	lu->spare_fd = c->remapped ? file_open(dir_fd, "spare", id) : -1;
	if (lu->data_fd < 0 || lu->cache_fd < 0)
		return lu->data_fd < 0 ? lu->data_fd : lu->cache_fd;
	if (c->remapped && lu->spare_fd < 0)
		return lu->spare_fd;
	r = file_shape(lu);
	if (r >= 0)
		r = dw_zoned_init(lu) ? -ENOMEM : r;
	if (r >= 0 && c->ata)
		dw_ata_power(lu);
	if (r < 0 || c->keep || !c->fill[0])
		return r;
	r = plant_file(lu, lu->spare_fd, 0, c->remapped, c->fill);
	return r ? r : dw_lu_plant(lu, 0, lu->native, c->fill);
}

/**
 * dw_lu_deinit - power off and close
 * @lu: logical unit
 * @keep_cache: flush first; else what was only in the cache is lost
 */
void dw_lu_deinit(struct dw_lu *lu, bool keep_cache)
{
	if (keep_cache)
		dw_lu_sync(lu, 0, dw_lu_bytes(lu));
	else
		dw_lu_lose(lu);
	dw_extents_clear(&lu->dirty);
	if (lu->data_fd >= 0)
		close(lu->data_fd);
	if (lu->cache_fd >= 0)
		close(lu->cache_fd);
	if (lu->spare_fd >= 0)
		close(lu->spare_fd);
	dw_extents_clear(&lu->unwritten);
	free(lu->pointer);
	lu->pointer = NULL;
	lu->data_fd = lu->cache_fd = lu->spare_fd = -1;
}

/**
 * dw_lu_bytes - capacity
 * @lu: logical unit
 *
 * Return: bytes.
 */
uint64_t dw_lu_bytes(const struct dw_lu *lu)
{
	return lu->blocks * lu->conf.block_bytes;
}

static size_t slice(const struct dw_iov *iov, size_t len, struct iovec *to, size_t n_to)
{
	size_t n = 0, at = iov->at, off = iov->off;

	for (; n < n_to && at < iov->n && len; at++, off = 0) {
		size_t part = iov->v[at].iov_len - off;

		if (!part)
			continue;
		if (part > len)
			part = len;
		to[n++] = (struct iovec){ (uint8_t *)iov->v[at].iov_base + off, part };
		len -= part;
	}
	return n;
}

/**
 * dw_iov_skip - move the position on
 * @iov: list and position
 * @len: bytes
 */
void dw_iov_skip(struct dw_iov *iov, size_t len)
{
	while (len && iov->at < iov->n) {
		size_t part = iov->v[iov->at].iov_len - iov->off;

		if (part > len) {
			iov->off += len;
			return;
		}
		len -= part;
		iov->at++;
		iov->off = 0;
	}
}

static int pump(int fd, uint64_t off, struct dw_iov *iov, size_t len, bool to_file)
{
	struct iovec v[64];

	while (len) {
		size_t n = slice(iov, len, v, 64);
		ssize_t done;

		if (!n)
			return -EIO;
		done = to_file ? pwritev(fd, v, (int)n, (off_t)off)
			       : preadv(fd, v, (int)n, (off_t)off);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		dw_iov_skip(iov, (size_t)done);
		off += (uint64_t)done;
		len -= (size_t)done;
	}
	return 0;
}

/**
 * dw_iov_copy_in - bytes out of a scatter list
 * @iov: list and position, moved on
 * @to: destination
 * @len: bytes wanted
 *
 * Return: bytes copied, fewer at the end of the list.
 */
size_t dw_iov_copy_in(struct dw_iov *iov, void *to, size_t len)
{
	size_t done = 0;
	struct iovec v;

	while (done < len && slice(iov, len - done, &v, 1)) {
		memcpy((uint8_t *)to + done, v.iov_base, v.iov_len);
		dw_iov_skip(iov, v.iov_len);
		done += v.iov_len;
	}
	return done;
}

/**
 * dw_iov_copy_out - bytes into a scatter list
 * @iov: list and position, moved on
 * @from: source
 * @len: bytes
 *
 * Return: bytes copied, fewer at the end of the list.
 */
size_t dw_iov_copy_out(struct dw_iov *iov, const void *from, size_t len)
{
	size_t done = 0;
	struct iovec v;

	while (done < len && slice(iov, len - done, &v, 1)) {
		memcpy(v.iov_base, (const uint8_t *)from + done, v.iov_len);
		dw_iov_skip(iov, v.iov_len);
		done += v.iov_len;
	}
	return done;
}

static int punch(int fd, uint64_t off, uint64_t len)
{
	if (!len)
		return 0;
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off,
		      (off_t)len) < 0)
		return -errno;
	return 0;
}

static int copy(struct dw_lu *lu, uint64_t off, uint64_t end)
{
	static uint8_t buf[CHUNK];

	while (off < end) {
		size_t part = end - off < CHUNK ? (size_t)(end - off) : CHUNK;
		ssize_t n = pread(lu->cache_fd, buf, part, (off_t)off);

		if (n <= 0)
			return n ? -errno : -EIO;
		if (pwrite(lu->data_fd, buf, (size_t)n, (off_t)off) != n)
			return -EIO;
		off += (uint64_t)n;
	}
	return 0;
}

/* one dirty range goes to the medium; holes stay holes */
static int destage(struct dw_lu *lu, struct dw_cdb_extent e)
{
	uint64_t at = e.start;
	int r = 0;

	while (at < e.end && !r) {
		off_t data = lseek(lu->cache_fd, (off_t)at, SEEK_DATA);
		uint64_t d = data < 0 || (uint64_t)data > e.end ? e.end : (uint64_t)data;
		uint64_t h = e.end;

		if (d > at)
			r = punch(lu->data_fd, at, d - at);
		if (d < e.end) {
			off_t hole = lseek(lu->cache_fd, (off_t)d, SEEK_HOLE);

			if (hole >= 0 && (uint64_t)hole < e.end)
				h = (uint64_t)hole;
			if (!r)
				r = copy(lu, d, h);
		}
		at = h;
	}
	return r ? r : dw_extents_remove(&lu->dirty, e.start, e.end);
}

/* a full cache makes room for itself */
static int bound(struct dw_lu *lu)
{
	int r = 0;

	while (!r && lu->dirty.total > lu->conf.cache_bytes) {
		uint64_t excess = lu->dirty.total - lu->conf.cache_bytes;
		struct dw_cdb_extent e;

		if (!dw_extents_next(&lu->dirty, lu->sweep, &e)) {
			lu->sweep = 0;
			continue;
		}
		if (e.end - e.start > excess)
			e.end = e.start + excess;
		r = destage(lu, e);
		lu->sweep = e.end;
	}
	return r;
}

static bool cached(const struct dw_lu *lu, bool through)
{
	return lu->device->mode.wce && lu->conf.is_volatile && !through;
}

/* the bytes at off..end are the newest now, in the cache or on the medium */
static int written(struct dw_lu *lu, uint64_t off, uint64_t end, bool in_cache)
{
	int r;

	lu->bytes_written += end - off;
	r = dw_extents_remove(&lu->unwritten, off, end);
	if (!r && lu->unwritten_stays && off < lu->medium_bytes / 3 * 2 &&
	    end > lu->medium_bytes / 5 * 3)
		r = dw_extents_add(&lu->unwritten, lu->medium_bytes / 5 * 3,
				   lu->medium_bytes / 3 * 2);
	if (r)
		return r;
	if (!in_cache)
		return dw_extents_remove(&lu->dirty, off, end);
	r = dw_extents_add(&lu->dirty, off, end);
	return r ? r : bound(lu);
}

/**
 * dw_lu_write - new content
 * @lu: logical unit
 * @off: first byte
 * @iov: data, moved on
 * @len: bytes, within the capacity
 * @through: past the cache (FUA)
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_write(struct dw_lu *lu, uint64_t off, struct dw_iov *iov, size_t len,
		bool through)
{
	bool in_cache = cached(lu, through);
	int r = pump(in_cache ? lu->cache_fd : lu->data_fd, off, iov, len, true);

	return r ? r : written(lu, off, off + len, in_cache);
}

/**
 * dw_lu_read - content, the newest
 * @lu: logical unit
 * @off: first byte
 * @iov: where to, moved on
 * @len: bytes, within the capacity
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_read(struct dw_lu *lu, uint64_t off, struct dw_iov *iov, size_t len)
{
	uint64_t end = off + len;
	int r = 0;

	while (off < end && !r) {
		struct dw_cdb_extent e = { end, end };
		uint64_t stop;
		bool dirty;

		if (!dw_extents_next(&lu->dirty, off, &e) || e.start > end)
			e = (struct dw_cdb_extent){ end, end };
		dirty = e.start == off && e.end > off;
		stop = dirty ? e.end : e.start;
		if (stop > end)
			stop = end;
		r = pump(dirty ? lu->cache_fd : lu->data_fd, off, iov, stop - off, false);
		off = stop;
	}
	lu->bytes_read += len;
	return r;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

static int fill_file(int fd, uint64_t off, uint64_t len, const uint8_t *block, size_t bs)
{
	static uint8_t buf[CHUNK];
	size_t have = CHUNK / bs * bs, i;

	for (i = 0; i < have && i < len; i += bs)
		memcpy(buf + i, block, bs);
	while (len) {
		size_t part = len < have ? (size_t)len : have;

		if (pwrite(fd, buf, part, (off_t)off) != (ssize_t)part)
			return -EIO;
		off += part;
		len -= part;
	}
	return 0;
}

/**
 * dw_lu_fill - the same block over and over
 * @lu: logical unit
 * @off: first byte
 * @len: bytes, a multiple of @block_len, within the capacity
 * @block: content
 * @block_len: its length in bytes, at most 1 MiB
 * @through: past the cache (FUA)
 *
 * Zeros become a hole in the file, so filling a huge disk costs nothing.
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_fill(struct dw_lu *lu, uint64_t off, uint64_t len, const uint8_t *block,
	       size_t block_len, bool through)
{
	bool in_cache = cached(lu, through);
	int fd = in_cache ? lu->cache_fd : lu->data_fd, r;

	if (all_zero(block, block_len))
		r = punch(fd, off, len);
	else
		r = fill_file(fd, off, len, block, block_len);
	return r ? r : written(lu, off, off + len, in_cache);
}

/**
 * dw_lu_unmap - give blocks back: they read as zeros from now on
 * @lu: logical unit
 * @off: first byte
 * @len: bytes
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_unmap(struct dw_lu *lu, uint64_t off, uint64_t len)
{
	int r = punch(lu->data_fd, off, len);

	return r ? r : dw_extents_remove(&lu->dirty, off, off + len);
}

/**
 * dw_lu_sync - what is in the cache goes to the medium
 * @lu: logical unit
 * @off: first byte
 * @len: bytes
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_sync(struct dw_lu *lu, uint64_t off, uint64_t len)
{
	uint64_t end = off + len;
	struct dw_cdb_extent e;
	int r = 0;

	while (!r && dw_extents_next(&lu->dirty, off, &e) && e.start < end) {
		if (e.end > end)
			e.end = end;
		r = destage(lu, e);
		off = e.end;
	}
	return r;
}

/**
 * dw_lu_lose - power fails: the cache is gone, the old content is back
 * @lu: logical unit
 */
void dw_lu_lose(struct dw_lu *lu)
{
	lu->bytes_lost += lu->dirty.total;
	dw_extents_clear(&lu->dirty);
	lu->sweep = 0;
}

/**
 * dw_lu_resize - another capacity
 * @lu: logical unit
 * @blocks: new capacity in logical blocks
 *
 * Return: 0 or a negative errno.
 */
int dw_lu_resize(struct dw_lu *lu, uint64_t blocks)
{
	uint64_t old = dw_lu_bytes(lu), now = blocks * lu->conf.block_bytes;
	int r = dw_extents_remove(&lu->dirty, now, old);

	if (r)
		return r;
	lu->blocks = lu->native = blocks;
	lu->medium_bytes = now;
	lu->ata.kept = lu->ata.overlay = blocks;
	if (ftruncate(lu->cache_fd, (off_t)now) < 0 ||
	    ftruncate(lu->data_fd, (off_t)now) < 0)
		return -errno;
	return 0;
}

/**
 * dw_lu_clip - show fewer blocks, or all again; nothing is lost
 * @lu: logical unit
 * @blocks: capacity in logical blocks, at most what the medium has
 */
void dw_lu_clip(struct dw_lu *lu, uint64_t blocks)
{
	lu->blocks = lu->ata.kept = blocks;
}

/**
 * dw_lu_plant - old content, put straight onto the medium
 * @lu: logical unit
 * @lba: first block, also of those that are hidden
 * @nlb: blocks
 * @what: "lba" (each block its own number), "random", or a byte such as "0xaa"
 *
 * Return: 0 or a negative errno; -EINVAL for an unknown @what or range.
 */
int dw_lu_plant(struct dw_lu *lu, uint64_t lba, uint64_t nlb, const char *what)
{
	if (nlb > lu->native || lba > lu->native - nlb)
		return -EINVAL;
	return plant_file(lu, lu->data_fd, lba, nlb, what);
}
