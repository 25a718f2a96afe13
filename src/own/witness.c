/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks that prove an erasure by the disk itself. If a disk erased nothing but reports success,
 * most of its blocks are unchanged, and a sample shows that. If it left a part out, the sample's
 * share in that part shows it. Markers, which no disk had before, are used where the disk
 * contained nothing but zeros.
 */
#include "own/witness.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/crc.h"
#include "base/rng.h"
#include "base/util.h"
#include "device/open.h"
#include "own/claim.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

#define ANY_READ_ERROR 2 /* WABEREQ and WACEREQ 10b, VPD B1h (SBC-4) */
#define ALL            (DW_WITNESS_BLOCKS + DW_WITNESS_MARKERS)
#define WRITES_REFUSED 4 /* then no more markers are tried */

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Chooses @n blocks at random, in the order of the medium; a block may be chosen twice. */
static void choose(const struct dw_device *d, struct dw_rng *rng, uint64_t *lba,
		   uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		lba[i] = dw_rng_below(rng, d->caps.blocks);
	qsort(lba, n, sizeof(*lba), by_number);
}

static bool is_one_byte(const uint8_t *block, uint32_t len)
{
	return !memcmp(block, block + 1, len - 1);
}

/* Sent once: a unit attention may be that of another disk, which is identified first. */
static int write_block(struct dw_device *d, uint64_t lba, uint8_t *block)
{
	struct dw_cdb_extent x = { .verb = DW_EXTENT_WRITE, .lba = lba, .nlb = 1 };
	struct dw_cmd cmd = { .dir = DW_DIR_OUT,
			      .data = block,
			      .data_len = d->caps.block_size,
			      .timeout_ms = DW_ASK_TIMEOUT_MS };
	struct dw_completion done;
	int r = dw_cdb_fill_extent(cmd.cdb, d->caps.rw16 ? 16 : 10, &x);

	if (r < 0)
		return r;
	cmd.cdb_len = (uint8_t)r;
	r = dw_device_command(d, DW_OPCLASS_WRITE, &cmd, &done);
	return r || dw_guard_good(&done) ? r : -EIO;
}

static int flush_markers(struct dw_device *d)
{
	static const struct dw_cdb_extent all = { .verb = DW_EXTENT_SYNC };
	struct dw_cmd cmd = { .timeout_ms = 9 * DW_ASK_TIMEOUT_MS };
	struct dw_answer a;

	if (!dw_caps_flush(&d->caps))
		return 0;
	cmd.cdb_len = (uint8_t)dw_cdb_fill_extent(cmd.cdb, d->caps.cache.sync16 ? 16 : 10,
						  &all);
	return dw_ask(d, &cmd, &a);
}

/* The disk is identified before each write, as no lease covers these. */
static int plant(struct dw_device *d, struct dw_rng *rng, struct dw_witness *w,
		 uint8_t *block)
{
	uint32_t refused = 0;

	choose(d, rng, w->lba, DW_WITNESS_MARKERS);
	for (uint32_t i = 0; i < DW_WITNESS_MARKERS && refused < WRITES_REFUSED; i++) {
		uint64_t lba = w->lba[i];
		int r = dw_device_identity(d);

		if (r)
			return r > 0 ? -ESTALE : r;
		if (getrandom(block, d->caps.block_size, 0) != d->caps.block_size ||
		    write_block(d, lba, block)) {
			refused++;
			continue;
		}
		w->lba[w->n] = lba;
		w->sum[w->n++] = dw_crc64(block, d->caps.block_size);
	}
	return 0;
}

/* one of two in the same place was overwritten; others may never have been written */
static void keep_markers(struct dw_device *d, struct dw_witness *w, uint8_t *block)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		if (dw_device_read(d, w->lba[i], 1, block) ||
		    dw_crc64(block, d->caps.block_size) != w->sum[i])
			continue;
		w->lba[n] = w->lba[i];
		w->sum[n++] = w->sum[i];
	}
	w->n = w->markers = n;
}

/* Reads twice. Blocks that read differently each time would differ afterwards in any case. */
static int read_steady(struct dw_device *d, uint64_t lba, uint8_t *block, uint64_t *ret)
{
	uint64_t sum[2];

	for (size_t i = 0; i < DW_ARRAY_SIZE(sum); i++) {
		int r = dw_device_read(d, lba, 1, block);

		if (r)
			return r;
		sum[i] = dw_crc64(block, d->caps.block_size);
	}
	*ret = sum[0];
	return sum[0] == sum[1] ? 0 : -EIO;
}

static int sample(struct dw_device *d, struct dw_rng *rng, struct dw_witness *w,
		  uint8_t *block)
{
	uint64_t *lba = w->lba + w->n;
	uint32_t n = 0;

	choose(d, rng, lba, DW_WITNESS_BLOCKS);
	for (uint32_t i = 0; i < DW_WITNESS_BLOCKS; i++) {
		uint64_t sum;
		int r = read_steady(d, lba[i], block, &sum);

		if (r == -ENODEV || r == -ENXIO)
			return r;
		if (r || is_one_byte(block, d->caps.block_size))
			continue;
		lba[n] = lba[i];
		w->sum[w->markers + n++] = sum;
	}
	w->n += n;
	return w->n ? 0 : -ENODATA;
}

/* room for all that there can be */
static int make_room(struct dw_witness *w)
{
	w->lba = calloc(ALL, sizeof(*w->lba));
	w->sum = calloc(ALL, sizeof(*w->sum));
	return w->lba && w->sum ? 0 : -ENOMEM;
}

static int take_witness(struct dw_device *d, struct dw_witness *w)
{
	dw_autofree uint8_t *block = calloc(1, d->caps.block_size);
	struct dw_rng rng;
	uint64_t seed;
	int r;

	if (!block || make_room(w))
		return -ENOMEM;
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		return -EIO;
	dw_rng_seed(&rng, seed);
	r = plant(d, &rng, w, block);
	if (r)
		return r;
	if (flush_markers(d))
		w->n = 0;
	keep_markers(d, w, block);
	return sample(d, &rng, w, block);
}

int dw_witness_take(struct dw_device *d, struct dw_witness **ret)
{
	struct dw_witness *w = calloc(1, sizeof(*w));
	int r = w ? take_witness(d, w) : -ENOMEM;

	if (r)
		dw_witness_free(w);
	else
		*ret = w;
	return r;
}

static bool is_withheld(const struct dw_sense *s, uint8_t announced)
{
	return s->key == DW_KEY_MEDIUM_ERROR && s->asc == 0x11 &&
	       (s->ascq == 0x15 || announced == ANY_READ_ERROR);
}

/* guard, application tag, reference tag: block and crypto erase may leave any */
static bool is_guarded(const struct dw_sense *s, uint8_t pi_type)
{
	return pi_type && s->asc == 0x10 && s->ascq >= 0x01 && s->ascq <= 0x03 &&
	       (s->key == DW_KEY_ABORTED_COMMAND || s->key == DW_KEY_ILLEGAL_REQUEST);
}

enum seen { SEEN_OTHER, SEEN_SAME, SEEN_WITHHELD, SEEN_GUARDED };

/* Reads a block. enum seen, SEEN_OTHER: it was read; negative errno. */
static int read_again(struct dw_device *d, uint64_t lba, uint8_t announced,
		      uint8_t *block)
{
	struct dw_cdb_extent x = { .verb = DW_EXTENT_READ, .lba = lba, .nlb = 1 };
	struct dw_cmd cmd = { .data = block, .data_len = d->caps.block_size };
	struct dw_answer a;
	int r = dw_cdb_fill_extent(cmd.cdb, d->caps.rw16 ? 16 : 10, &x);

	if (r < 0)
		return r;
	cmd.cdb_len = (uint8_t)r;
	r = dw_ask(d, &cmd, &a);
	if (r <= 0)
		return r < 0 || a.got == cmd.data_len ? r : -EIO;
	if (is_withheld(&a.sense, announced))
		return SEEN_WITHHELD;
	return is_guarded(&a.sense, d->caps.pi_type) ? SEEN_GUARDED : -EIO;
}

/* Reads twice; once as before is enough. enum seen; negative errno, also if the results
 * differ. */
static int look_at(struct dw_device *d, uint64_t lba, uint64_t before, uint8_t announced,
		   uint8_t *block)
{
	uint64_t sum[2];

	for (size_t i = 0; i < DW_ARRAY_SIZE(sum); i++) {
		int r = read_again(d, lba, announced, block);

		if (r)
			return r;
		sum[i] = dw_crc64(block, d->caps.block_size);
		if (sum[i] == before)
			return SEEN_SAME;
	}
	return sum[0] == sum[1] ? SEEN_OTHER : -EIO;
}

int dw_witness_look(struct dw_device *d, const struct dw_witness *w, uint8_t announced,
		    struct dw_witness_found *ret)
{
	dw_autofree uint8_t *block = calloc(1, d->caps.block_size);

	*ret = (struct dw_witness_found){ 0 };
	if (!block)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->n; i++) {
		int r = look_at(d, w->lba[i], w->sum[i], announced, block);

		if (r == -ENODEV || r == -ENXIO)
			return r;
		if (r < 0)
			continue;
		ret->read++;
		ret->withheld += r == SEEN_WITHHELD;
		ret->guarded += r == SEEN_GUARDED;
		if (r != SEEN_SAME)
			continue;
		ret->same++;
		ret->first = w->lba[i];
	}
	return 0;
}

#define ENTRY_LEN 32 /* hexadecimal digits of a block and its sum */

char *dw_witness_text(const struct dw_witness *w)
{
	char *text = malloc(sizeof("64 ") + ENTRY_LEN * (size_t)w->n), *at = text;

	if (!text)
		return NULL;
	at += sprintf(at, "%u ", w->markers);
	for (uint32_t i = 0; i < w->n; i++)
		at += sprintf(at, "%016" PRIx64 "%016" PRIx64, w->lba[i], w->sum[i]);
	return text;
}

static int parse_digits(const char *text, uint64_t *ret)
{
	char digits[17], *end;

	memcpy(digits, text, 16);
	digits[16] = '\0';
	if (strspn(digits, "0123456789abcdef") != 16)
		return -EINVAL;
	*ret = strtoull(digits, &end, 16);
	return 0;
}

static int parse_blocks(const char *text, uint64_t blocks, struct dw_witness *w)
{
	size_t n = strlen(text) / ENTRY_LEN;

	if (!n || n > ALL || strlen(text) % ENTRY_LEN || w->markers > n)
		return -EINVAL;
	for (; w->n < n; w->n++, text += ENTRY_LEN)
		if (parse_digits(text, &w->lba[w->n]) || w->lba[w->n] >= blocks ||
		    parse_digits(text + ENTRY_LEN / 2, &w->sum[w->n]))
			return -EINVAL;
	return 0;
}

int dw_witness_parse(const char *text, uint64_t blocks, struct dw_witness **ret)
{
	struct dw_witness *w = calloc(1, sizeof(*w));
	size_t len = strspn(text, "0123456789");
	int r = w ? make_room(w) : -ENOMEM;

	if (!r && (!len || len > 2 || text[len] != ' '))
		r = -EINVAL;
	if (!r) {
		w->markers = (uint32_t)strtoul(text, NULL, 10);
		r = parse_blocks(text + len + 1, blocks, w);
	}
	if (r)
		dw_witness_free(w);
	else
		*ret = w;
	return r;
}

void dw_witness_free(struct dw_witness *w)
{
	if (!w)
		return;
	free(w->lba);
	free(w->sum);
	free(w);
}
