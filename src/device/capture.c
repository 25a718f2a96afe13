/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A person whose disk is treated wrongly sends what it answers. So what probing asks is kept as it
 * is asked, with the care that probing takes: nothing is sent to the device because somebody wants
 * to look at it. A question is the bytes of a CDB without its allocation length, as a later program
 * may have more room; an answer is the data that arrived, sense data, or the word of the adapter.
 */
#include "device/capture.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/sense.h"
#include "scsi/vpd.h"

/*
 * Names are found where the standards have them: the Unit Serial Number page, the designators of
 * the Device Identification page, IDENTIFY DEVICE data. Each gets another of the same length and
 * the same letters and digits, which takes its place in every answer, also in hexadecimal
 * digits, as SCSI name strings have numbers. ATA has the first of two letters in the second
 * byte. Of a number that IEEE assigns, what tells the company stays.
 */

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

#define CAPTURE_SENSE 32 /* as much as the shelf plays */

/**
 * struct capture_answer - how a command ended
 * @cdb, @cdb_len: the question
 * @status, @host: SCSI status, and DID_* of the kernel
 * @sense, @sense_len: sense data
 * @data, @len: what arrived; owned
 */
struct capture_answer {
	uint8_t cdb[16];
	uint8_t cdb_len;
	uint8_t status, host, sense_len;
	uint8_t sense[CAPTURE_SENSE];
	uint8_t *data;
	size_t len;
};

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

/* * capture_hide_names() - dw_capture_hide() on these answers @v, @n: answers, changed *
 * Return: 0; negative errno. */
static int capture_hide_names(struct capture_answer *v, size_t n)
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

#define ANSWERS_MAX 1024

struct dw_capture {
	struct capture_answer *v;
	size_t n;
	bool silent;
};

struct dw_capture *dw_capture_new(void)
{
	return calloc(1, sizeof(struct dw_capture));
}

void dw_capture_free(struct dw_capture *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		free(c->v[i].data);
	if (c)
		free(c->v);
	free(c);
}

bool dw_capture_silent(const struct dw_capture *c)
{
	return c->silent;
}

/* The bytes of a CDB that are the question; the rest is room for the answer, or control. */
static uint8_t question_len(const struct dw_cmd *cmd)
{
	switch (cmd->cdb[0]) {
	case DW_OPCODE_INQUIRY:
	case DW_OPCODE_REPORT_LUNS:
	case DW_OPCODE_RECEIVE_DIAGNOSTIC:
		return 3;
	case DW_OPCODE_MODE_SENSE_6:
	case DW_OPCODE_MODE_SENSE_10:
	case DW_OPCODE_LOG_SENSE:
	case DW_OPCODE_SECURITY_PROTOCOL_IN:
		return 4;
	case DW_OPCODE_SERVICE_ACTION_IN_16:
	case DW_OPCODE_PERSISTENT_RESERVE_IN:
	case DW_OPCODE_REQUEST_SENSE:
		return 2;
	case DW_OPCODE_MAINTENANCE_IN:
		return 6;
	case DW_OPCODE_ATA_16:
		return cmd->cdb_len;
	default:
		return 1;
	}
}

static bool reads_blocks(uint8_t opcode)
{
	return opcode == 0x08 || opcode == 0x28 || opcode == 0x88 || opcode == 0xa8;
}

static struct capture_answer *find_answer(struct dw_capture *c, const uint8_t *cdb,
					  uint8_t len)
{
	struct capture_answer *v;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].cdb_len == len && !memcmp(c->v[i].cdb, cdb, len))
			return &c->v[i];
	v = c->n < ANSWERS_MAX ? reallocarray(c->v, c->n + 1, sizeof(*v)) : NULL;
	if (!v)
		return NULL;
	c->v = v;
	v = &v[c->n++];
	*v = (struct capture_answer){ .cdb_len = len };
	memcpy(v->cdb, cdb, len);
	return v;
}

static bool passes(const struct dw_completion *done)
{
	struct dw_sense s;

	return done->status == DW_STATUS_BUSY ||
	       done->status == DW_STATUS_TASK_SET_FULL ||
	       (done->sense_len && !dw_sense_parse(done->sense, done->sense_len, &s) &&
		(s.key == DW_KEY_UNIT_ATTENTION || s.deferred));
}

/* What arrived; an answer that is no shorter takes the place of an earlier one. */
static void keep_data(struct capture_answer *a, const struct dw_cmd *cmd,
		      const struct dw_completion *done)
{
	uint32_t got = 0;
	uint8_t *data;

	if (cmd->dir == DW_DIR_IN && done->resid >= 0 &&
	    (uint32_t)done->resid <= cmd->data_len)
		got = cmd->data_len - (uint32_t)done->resid;
	if (got < a->len || !(data = malloc(got ? got : 1)))
		return;
	if (got)
		memcpy(data, cmd->data, got);
	free(a->data);
	a->data = data;
	a->len = got;
}

void dw_capture_note(struct dw_capture *c, const struct dw_cmd *cmd,
		     const struct dw_completion *done)
{
	struct capture_answer *a;

	c->silent |= done->err == -ETIMEDOUT || done->host_status;
	if (done->err || reads_blocks(cmd->cdb[0]) || passes(done))
		return;
	a = find_answer(c, cmd->cdb, question_len(cmd));
	if (!a)
		return;
	if (!done->host_status && done->status == DW_STATUS_GOOD)
		keep_data(a, cmd, done);
	a->status = done->status;
	a->host = (uint8_t)done->host_status;
	a->sense_len = (uint8_t)dw_min_u64(done->sense_len, sizeof(a->sense));
	memcpy(a->sense, done->sense, a->sense_len);
}

int dw_capture_hide(struct dw_capture *c)
{
	return capture_hide_names(c->v, c->n);
}

static void write_bytes(FILE *f, const char *key, const uint8_t *b, size_t n)
{
	fprintf(f, " %s=\"", key);
	for (size_t i = 0; i < n; i++) {
		if (i && i % 32 == 0)
			fputs(" \\\n\t", f);
		fprintf(f, "%s%02x", i % 32 ? " " : "", b[i]);
	}
	fputc('"', f);
}

/* Host status of Linux, in the shelf's words. */
static const char *host_word(uint8_t status)
{
	static const char *const words[] = {
		[0x01] = "bad_target",        [0x02] = "busy",
		[0x03] = "aborted", /* in vain, after its time */
		[0x05] = "aborted",           [0x08] = "reset",
		[0x0e] = "transport_failure", [0x10] = "target_failure",
		[0x11] = "nexus_failure"
	};

	return status < DW_ARRAY_SIZE(words) && words[status] ? words[status] : "failure";
}

void dw_capture_write(const struct dw_capture *c, FILE *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct capture_answer *a = &c->v[i];

		if (!a->host && a->status == DW_STATUS_GOOD && !a->len)
			continue; /* the shelf says so, too */
		fputs("answer disk=0", f);
		write_bytes(f, "cdb", a->cdb, a->cdb_len);
		if (a->host)
			fprintf(f, " response=%s", host_word(a->host));
		else if (a->sense_len)
			write_bytes(f, "raw", a->sense, a->sense_len);
		else if (a->status != DW_STATUS_GOOD)
			fprintf(f, " status=0x%02x", a->status);
		if (a->len && !a->host && (a->status == DW_STATUS_GOOD))
			write_bytes(f, "data", a->data, a->len);
		fputc('\n', f);
	}
}
