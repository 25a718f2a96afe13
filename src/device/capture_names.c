/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names are found where the standards have them: the Unit Serial Number page, the designators of
 * the Device Identification page, IDENTIFY DEVICE data. Each gets another of the same length and
 * the same letters and digits, which takes its place in every answer, also in hexadecimal
 * digits, as SCSI name strings have numbers. ATA has the first of two letters in the second
 * byte. Of a number that IEEE assigns, what tells the company stays.
 */
#include "device/capture_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/vpd.h"

#define NAMES_MAX       64
#define NAME_MAX_LEN    64
#define SHORTEST        4  /* what is shorter is everywhere */
#define IDENTIFY_AT     60 /* of VPD 89h */
#define IDENTIFY        512
#define IDENTIFY_DEVICE 0xec
#define VENDOR_PAGE     0xc0
#define VENDOR_LOG      0x30
#define PAGE_SERIAL     0x80
#define PAGE_NAMES      0x83
#define PAGE_ATA        0x89

/** struct names - @from is to become @to, @len bytes of it */
struct names {
	struct {
		uint8_t from[NAME_MAX_LEN], to[NAME_MAX_LEN];
		size_t len;
	} v[NAMES_MAX];
	size_t n;
};

static bool is_page(const struct capture_answer *a, uint8_t page)
{
	return a->cdb[0] == DW_OPCODE_INQUIRY && a->cdb[1] & 1 && a->cdb[2] == page;
}

static uint8_t other_letter(uint8_t c, uint8_t random)
{
	if (isdigit(c))
		return (uint8_t)('0' + random % 10);
	if (isupper(c))
		return (uint8_t)('A' + random % 26);
	return islower(c) ? (uint8_t)('a' + random % 26) : c;
}

static void add_pair(struct names *s, const uint8_t *from, const uint8_t *to, size_t len)
{
	if (s->n == NAMES_MAX || len > NAME_MAX_LEN)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].len == len && !memcmp(s->v[i].from, from, len))
			return;
	memcpy(s->v[s->n].from, from, len);
	memcpy(s->v[s->n].to, to, len);
	s->v[s->n++].len = len;
}

static void add_digits(struct names *s, const uint8_t *from, const uint8_t *to,
		       size_t len, const char digits[16])
{
	uint8_t a[NAME_MAX_LEN], b[NAME_MAX_LEN];

	for (size_t i = 0; i < len; i++) {
		a[2 * i] = (uint8_t)digits[from[i] >> 4];
		a[2 * i + 1] = (uint8_t)digits[from[i] & 15];
		b[2 * i] = (uint8_t)digits[to[i] >> 4];
		b[2 * i + 1] = (uint8_t)digits[to[i] & 15];
	}
	add_pair(s, a, b, 2 * len);
}

static int add_text(struct names *s, const uint8_t *text, size_t len)
{
	uint8_t to[NAME_MAX_LEN], random[NAME_MAX_LEN];

	while (len && (text[len - 1] == ' ' || !text[len - 1]))
		len--;
	for (; len && (*text == ' ' || !*text); text++)
		len--;
	if (len < SHORTEST || len > NAME_MAX_LEN)
		return 0;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (size_t i = 0; i < len; i++)
		to[i] = other_letter(text[i], random[i]);
	add_pair(s, text, to, len);
	return 0;
}

static int add_number(struct names *s, const uint8_t *id, size_t len)
{
	uint8_t to[NAME_MAX_LEN];
	size_t company = id[0] >> 4 == 5 || id[0] >> 4 == 6 ? 4 : 3;

	if (len < 8 || len > NAME_MAX_LEN / 2)
		return 0;
	if (getrandom(to, len, 0) != (ssize_t)len)
		return -EIO;
	memcpy(to, id, company);
	if (company == 4) /* the last digit of the company is in the next byte's place */
		to[3] = (uint8_t)((id[3] & 0xf0) | (to[7] & 0x0f));
	add_pair(s, id, to, len);
	add_digits(s, id, to, len, "0123456789abcdef");
	add_digits(s, id, to, len, "0123456789ABCDEF");
	return 0;
}

/* A text that may consist of names that are known already. */
static int add_unknown(struct names *s, const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < s->n; i++)
		if (memmem(text, len, s->v[i].from, s->v[i].len))
			return 0;
	return add_text(s, text, len);
}

static int add_designators(struct names *s, const uint8_t *page, size_t len)
{
	struct dw_designator d;
	size_t pos = 0;
	int r = 0;

	while (!r && dw_vpd_designator_next(page, len, &pos, &d) == 1) {
		if (d.type == DW_DESIGNATOR_NAA || d.type == DW_DESIGNATOR_EUI64 ||
		    d.type == DW_DESIGNATOR_UUID)
			r = add_number(s, d.id, d.len);
		else if (d.type == DW_DESIGNATOR_T10 && d.len > 8) /* after the vendor */
			r = add_unknown(s, d.id + 8, d.len - 8u);
		else if (d.type == DW_DESIGNATOR_NAME && d.len > 4) /* "naa.", "iqn." */
			r = add_unknown(s, d.id + 4, d.len - 4u);
	}
	return r;
}

/* The bytes of each word. */
static void exchange(uint8_t *id)
{
	for (size_t i = 0; i < IDENTIFY; i += 2) {
		uint8_t first = id[i];

		id[i] = id[i + 1];
		id[i + 1] = first;
	}
}

/* Serial number and world wide name, in the order of bytes that ATA has. */
static int add_identify(struct names *s, const uint8_t *id)
{
	uint8_t b[IDENTIFY];
	int r;

	memcpy(b, id, sizeof(b));
	exchange(b);
	r = add_text(s, b + 20, 20);
	return r || !b[216] ? r : add_number(s, b + 216, 8);
}

/* IDENTIFY DEVICE data, by the translation's page or from the disk; NULL = it is something else. */
static uint8_t *identify_of(const struct capture_answer *a)
{
	if (is_page(a, PAGE_ATA) && a->len >= IDENTIFY_AT + IDENTIFY)
		return a->data + IDENTIFY_AT;
	if (a->cdb[0] == DW_OPCODE_ATA_16 && a->cdb[14] == IDENTIFY_DEVICE &&
	    a->len >= IDENTIFY)
		return a->data;
	return NULL;
}

/* Serial numbers first: other names have them in them. */
static int collect(struct names *s, const struct capture_answer *a, bool first)
{
	const uint8_t *id;

	if (!first && is_page(a, PAGE_NAMES))
		return add_designators(s, a->data, a->len);
	if (!first)
		return 0;
	if (is_page(a, PAGE_SERIAL) && a->len > 4)
		return add_text(s, a->data + 4, a->len - 4);
	id = identify_of(a);
	return id ? add_identify(s, id) : 0;
}

static void replace(const struct names *s, uint8_t *b, size_t len)
{
	for (size_t at = 0; at < len; at++)
		for (size_t i = 0; i < s->n; i++) {
			size_t n = s->v[i].len;

			if (n > len - at || memcmp(b + at, s->v[i].from, n) != 0)
				continue;
			memcpy(b + at, s->v[i].to, n);
			at += n - 1;
			break;
		}
}

/* The last byte makes the sum of all 0, if it did so before. */
static bool sums_up(const uint8_t *id)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < IDENTIFY; i++)
		sum = (uint8_t)(sum + id[i]);
	return !sum;
}

static void put_sum(uint8_t *id)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < IDENTIFY - 1; i++)
		sum = (uint8_t)(sum + id[i]);
	id[IDENTIFY - 1] = (uint8_t)-sum;
}

/* What nobody but the vendor, or the owner, can read. */
static bool is_private(const struct capture_answer *a)
{
	return (a->cdb[0] == DW_OPCODE_INQUIRY && a->cdb[1] & 1 &&
		a->cdb[2] >= VENDOR_PAGE) ||
	       (a->cdb[0] == DW_OPCODE_LOG_SENSE && (a->cdb[2] & 0x3f) >= VENDOR_LOG) ||
	       a->cdb[0] == DW_OPCODE_PERSISTENT_RESERVE_IN;
}

static void hide(const struct names *s, struct capture_answer *a)
{
	uint8_t *id = identify_of(a);
	bool sum = id && sums_up(id);

	if (is_private(a))
		a->len = 0;
	if (a->cdb[0] == DW_OPCODE_INQUIRY && !(a->cdb[1] & 1) && a->len > 36)
		memset(a->data + 36, 0,
		       dw_min_u64(a->len - 36, 20)); /* vendor specific */
	replace(s, a->data, a->len);
	replace(s, a->sense, a->sense_len);
	if (!id)
		return;
	exchange(id);
	replace(s, id, IDENTIFY);
	exchange(id);
	if (sum)
		put_sum(id);
}

int capture_hide_names(struct capture_answer *v, size_t n)
{
	struct names s = { .n = 0 };
	int r = 0;

	for (size_t i = 0; i < n && !r; i++)
		r = collect(&s, &v[i], true);
	for (size_t i = 0; i < n && !r; i++)
		r = collect(&s, &v[i], false);
	for (size_t i = 0; i < n && !r; i++)
		hide(&s, &v[i]);
	return r;
}
