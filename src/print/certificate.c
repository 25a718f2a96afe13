/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page of a disk. Its upper part is what the record says, in two columns whose type gets
 * smaller until all of it fits; its lower part are the lines to be signed, the code, and the proof.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "print/page.h"
#include "print/qr.h"

#define MARGIN     51.0  /* points */
#define FOOT       226.0 /* points of the lower part */
#define GAP        22.0  /* points between the columns */
#define CODE       104.0 /* points of the code, with its white */
#define LABEL      0.385 /* share of a column */
#define EXCEPTIONS 6     /* lines of the table */
#define PASSES     4     /* passes that are named */

/* A column while it is filled. */
struct column {
	struct dw_page *page;
	double x, y, width, size;
	double label; /* share of the width */
};

static const char *word_of(const struct column *c, enum dw_word w)
{
	return dw_page_word(c->page, w);
}

static void heading(struct column *c, enum dw_word w)
{
	struct dw_type t = dw_page_type(c->size * 1.12, true, &c->page->ink, "H2");

	c->y += c->size * 0.75;
	c->y += dw_pen_text(c->page->pen, &t, c->x, c->y, c->width, word_of(c, w));
	c->y += 1.5;
	dw_pen_box(c->page->pen, c->x, c->y, c->width, 0.6, &c->page->ink);
	c->y += c->size * 0.4;
}

static void row(struct column *c, enum dw_word w, const char *value)
{
	struct dw_type label = dw_page_type(c->size, false, &dw_ink_soft, "TH");
	struct dw_type text = dw_page_type(c->size, false, &dw_ink_dark, "TD");
	double left = c->width * c->label, h, v;

	if (!value[0])
		return;
	dw_pen_tag(c->page->pen, "TR");
	h = dw_pen_text(c->page->pen, &label, c->x, c->y, left - 6, word_of(c, w));
	v = dw_pen_text(c->page->pen, &text, c->x + left, c->y, c->width - left, value);
	dw_pen_end(c->page->pen, "TR");
	c->y += (v > h ? v : h) + c->size * 0.22;
}

static void row_filled(struct column *c, enum dw_word w, enum dw_word pattern,
		       const char *const *value)
{
	char text[320];

	row(c, w, dw_page_fill(text, sizeof(text), word_of(c, pattern), value));
}

/* A row of the words of @pattern with the values. */
#define ROW(c, w, pattern, ...)                                                          \
	row_filled(c, w, pattern, (const char *const[]){ __VA_ARGS__, NULL })

static void begin_rows(struct column *c, enum dw_word w)
{
	heading(c, w);
	dw_pen_tag(c->page->pen, "Table");
}

static void end_rows(struct column *c)
{
	dw_pen_end(c->page->pen, "Table");
}

static void put_drive(struct column *c, const struct dw_proof *p)
{
	char text[192], number[2][DW_PAPER_NUMBER];

	begin_rows(c, DW_WORD_DISK);
	snprintf(text, sizeof(text), "%s %s", p->info.vendor, p->info.model);
	row(c, DW_WORD_MODEL, text[0] == ' ' ? text + 1 : text);
	row(c, DW_WORD_SERIAL, p->info.serial);
	row(c, DW_WORD_DISK_ASSET, p->asset);
	row(c, DW_WORD_WWN, p->info.wwn);
	row(c, DW_WORD_FIRMWARE, p->info.revision);
	row(c, DW_WORD_INTERFACE, p->info.transport);
	if (p->info.blocks) {
		row(c, DW_WORD_CAPACITY,
		    dw_page_size(p->info.blocks, p->info.block_size, text, sizeof(text)));
		ROW(c, DW_WORD_BLOCKS, DW_WORD_BLOCKS_TEXT,
		    dw_page_number(p->info.blocks, number[0]),
		    dw_page_number(p->info.block_size, number[1]));
		ROW(c, DW_WORD_HIDDEN,
		    p->info.hidden_blocks ? DW_WORD_HIDDEN_LEFT : DW_WORD_NO_HIDDEN,
		    dw_page_number(p->info.hidden_blocks, number[0]));
	}
	row(c, DW_WORD_FOUND, p->signatures);
	dw_health_text(&p->health_before, text, sizeof(text));
	row(c, DW_WORD_HEALTH_BEFORE, text[0] ? text : word_of(c, DW_WORD_NOT_KNOWN));
	dw_health_text(&p->health_after, text, sizeof(text));
	row(c, DW_WORD_HEALTH_AFTER, text[0] ? text : word_of(c, DW_WORD_NOT_KNOWN));
	end_rows(c);
}

static void put_passes(struct column *c, const struct dw_proof *p)
{
	char text[256], number[DW_PAPER_NUMBER];
	int n = snprintf(text, sizeof(text), "%" PRIu32, p->n_passes);

	for (uint32_t i = 0; i < p->n_passes && i < PASSES; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", i ? ", " : ": ",
			      p->pass[i].pattern);
	if (p->n_passes > PASSES) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, " ");
		dw_page_fill(
			text + n, sizeof(text) - (size_t)n, word_of(c, DW_WORD_MORE),
			(const char *const[]){
				dw_page_number(p->n_passes - PASSES, number), NULL });
	}
	row(c, DW_WORD_PASSES, p->n_passes ? text : word_of(c, DW_WORD_NONE));
}

/* Only a certificate says of a disk that it is erased, or a level. */
static void put_outcome(struct column *c, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;
	bool own = p->simulation[0] || paper_erased(r);
	const char *reason = own ? p->reason : paper_reason(r);
	enum dw_word level = !paper_erased(r)             ? DW_WORD_NO_LEVEL
			     : !strcmp(p->level, "purge") ? DW_WORD_PURGE
							  : DW_WORD_CLEAR;
	char number[DW_PAPER_NUMBER];

	if (paper_erased(r) || strcmp(p->outcome, "erased") != 0)
		row(c, DW_WORD_OUTCOME, p->outcome);
	if (strcmp(reason, p->outcome) != 0)
		row(c, DW_WORD_REASON, reason);
	row(c, DW_WORD_METHOD, p->method);
	if (paper_erased(r))
		row(c, DW_WORD_WHY_METHOD, p->level_reason);
	row(c, DW_WORD_LEVEL, word_of(c, level));
	row(c, DW_WORD_WHY_LEVEL, p->level_limit);
	if (p->level_table && paper_erased(r)) {
		row(c, DW_WORD_LEVEL_TABLE, dw_page_number(p->level_table, number));
		row(c, DW_WORD_STANDARD_NIST, word_of(c, DW_WORD_STANDARD_NIST_TEXT));
		row(c, DW_WORD_STANDARD_IEEE, word_of(c, DW_WORD_STANDARD_IEEE_TEXT));
	}
	if (p->purge_requested)
		row(c, DW_WORD_ATTESTED,
		    word_of(c, p->purge_attested ? DW_WORD_ATTESTED_YES
						 : DW_WORD_ATTESTED_NO));
}

static void put_erasure(struct column *c, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;
	char n[4][DW_PAPER_NUMBER];

	begin_rows(c, DW_WORD_ERASURE);
	put_outcome(c, r);
	row(c, DW_WORD_COMMAND, p->command);
	put_passes(c, p);
	ROW(c, DW_WORD_AMOUNT, DW_WORD_COMMANDS_TEXT,
	    dw_page_number(p->bytes_written, n[0]), dw_page_number(p->commands, n[1]));
	ROW(c, DW_WORD_ERRORS, DW_WORD_ERRORS_TEXT,
	    dw_page_number(p->errors.retried, n[0]),
	    dw_page_number(p->errors.split, n[1]),
	    dw_page_number(p->errors.timeouts, n[2]),
	    dw_page_number(p->errors.resets, n[3]));
	end_rows(c);
}

/* Of an erasure who checked it, of a check what it checked: each names the other record. */
static void put_second(struct column *c, const struct dw_paper_record *r)
{
	const struct dw_second *of = &r->proof.second;
	char n[2][DW_PAPER_NUMBER];

	if (of->draw)
		ROW(c, DW_WORD_SECOND, DW_WORD_SECOND_OF,
		    dw_page_number(of->compared, n[0]), of->erased_by,
		    dw_page_number(of->draw, n[1]));
	else if (r->second.record)
		ROW(c, DW_WORD_SECOND, DW_WORD_SECOND_BY, r->second.by,
		    dw_page_number(r->second.record, n[0]));
}

/* Of an attempt that was not chosen for this paper. */
static void row_later(struct column *c, const struct dw_paper_record *r)
{
	char n[DW_PAPER_NUMBER];

	if (r->later)
		ROW(c, DW_WORD_LATER, DW_WORD_LATER_TEXT, dw_page_number(r->later, n));
}

/* Blocks of a million, rounded up: it is a bound. */
static const char *bound_text(uint64_t ppb, char buf[DW_PAPER_NUMBER])
{
	if (ppb >= 100000)
		return dw_page_number((ppb + 999) / 1000, buf);
	if (ppb >= 1000)
		ppb = (ppb + 99) / 100 * 100;
	snprintf(buf, DW_PAPER_NUMBER, "%.*f", ppb >= 1000 ? 1 : 3, (double)ppb / 1000);
	return buf;
}

/* The disk's own comparison, where it counts, and only with a bound that says something. */
static void put_compared(struct column *c, const struct dw_proof *p)
{
	char n[4][DW_PAPER_NUMBER];

	if (!p->verify.compared || !p->verify.skipped_ppb ||
	    (double)p->verify.skipped_ppb > DW_PROOF_BOUND * 1e9 ||
	    p->verify.found != p->verify.planted)
		return;
	ROW(c, DW_WORD_COMPARED, DW_WORD_COMPARED_TEXT,
	    dw_page_number(p->verify.compared, n[0]),
	    dw_page_number(p->verify.found, n[1]),
	    dw_page_number(p->verify.planted, n[2]),
	    bound_text(p->verify.skipped_ppb, n[3]));
}

static void put_verification(struct column *c, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;
	static const enum dw_word word[] = {
		[DW_VERIFIED_NONE] = DW_WORD_VERIFIED_NONE,
		[DW_VERIFIED_PART] = DW_WORD_VERIFIED_PART,
		[DW_VERIFIED_SAMPLE] = DW_WORD_VERIFIED_SAMPLE,
		[DW_VERIFIED_FULL] = DW_WORD_VERIFIED_FULL,
	};
	bool places = p->verify.done == DW_VERIFIED_NONE && p->verify.places;
	char n[DW_PAPER_NUMBER];

	begin_rows(c, DW_WORD_VERIFICATION);
	row_later(c, r);
	if (dw_paper_kind(r) == DW_PAPER_AS_EXPECTED)
		row(c, DW_WORD_OUTCOME, p->outcome);
	row(c, DW_WORD_ASKED, p->verify.mode);
	ROW(c, DW_WORD_DONE, places ? DW_WORD_VERIFIED_PLACES : word[p->verify.done],
	    dw_page_number(places ? p->verify.places : p->verify.read, n));
	if (p->verify.done == DW_VERIFIED_SAMPLE &&
	    (double)p->verify.bound_ppb > DW_PROOF_BOUND * 1e9) {
		row(c, DW_WORD_BOUND, word_of(c, DW_WORD_BOUND_TOO_HIGH));
	} else if (p->verify.bound_ppb && p->verify.done == DW_VERIFIED_SAMPLE) {
		ROW(c, DW_WORD_BOUND, DW_WORD_BOUND_TEXT,
		    bound_text(p->verify.bound_ppb, n));
	}
	put_compared(c, p);
	if (p->verify.read) {
		row(c, DW_WORD_MISMATCHES, dw_page_number(p->verify.mismatches, n));
		row(c, DW_WORD_MEDIUM,
		    word_of(c, p->verify.fua ? DW_WORD_FROM_MEDIUM : DW_WORD_FROM_CACHE));
	}
	put_second(c, r);
	end_rows(c);
}

static void put_times(struct column *c, const struct dw_proof *p)
{
	char text[64];

	begin_rows(c, DW_WORD_TIMES);
	row(c, DW_WORD_STARTED, dw_page_time(p->started.tv_sec, text, sizeof(text)));
	row(c, DW_WORD_FINISHED, dw_page_time(p->finished.tv_sec, text, sizeof(text)));
	row(c, DW_WORD_DURATION, dw_page_duration(p->microseconds, text, sizeof(text)));
	row(c, DW_WORD_FORECAST,
	    p->forecast_microseconds
		    ? dw_page_duration(p->forecast_microseconds, text, sizeof(text))
		    : word_of(c, DW_WORD_NOT_KNOWN));
	end_rows(c);
}

static void put_place(struct column *c, const struct dw_proof *p)
{
	char text[192], place[DW_PAPER_PLACE];

	begin_rows(c, DW_WORD_PLACE);
	row(c, DW_WORD_CUSTOMER, p->customer);
	row(c, DW_WORD_ORDER, p->order_number);
	row(c, DW_WORD_LABEL, p->label);
	row(c, DW_WORD_OPERATOR, p->operator_name);
	if (strcmp(p->asked_by, p->operator_name) != 0)
		row(c, DW_WORD_ASKED_BY, p->asked_by);
	row(c, DW_WORD_STATION, p->station);
	row(c, DW_WORD_BAY, paper_place(p, place));
	row(c, DW_WORD_DEVICE, p->device);
	row(c, DW_WORD_HOST, p->host.name);
	row(c, DW_WORD_HOST_SERIAL, p->host.serial);
	row(c, DW_WORD_ASSET, p->host.asset_tag);
	snprintf(text, sizeof(text), "diskwipe %s, Linux %s", p->tool, p->host.kernel);
	row(c, DW_WORD_TOOL, text);
	end_rows(c);
}

static void put_exception(struct column *c, const char *const cell[4], bool head)
{
	struct dw_type t = dw_page_type(c->size, head, &dw_ink_dark, head ? "TH" : "TD");
	double most = 0, h;

	dw_pen_tag(c->page->pen, "TR");
	for (size_t i = 0; i < 4; i++) {
		h = dw_pen_text(c->page->pen, &t, c->x + c->width * (double)i / 4, c->y,
				c->width / 4 - 4, cell[i]);
		most = h > most ? h : most;
	}
	dw_pen_end(c->page->pen, "TR");
	c->y += most + 1;
}

static void put_exceptions(struct column *c, const struct dw_proof *p)
{
	char n[2][DW_PAPER_NUMBER], text[64];
	struct dw_type t = dw_page_type(c->size, true, &c->page->ink, "P");

	if (!p->n_exceptions)
		return;
	begin_rows(c, DW_WORD_EXCEPTIONS);
	put_exception(c,
		      (const char *const[]){
			      word_of(c, DW_WORD_FIRST_BLOCK), word_of(c, DW_WORD_COUNT),
			      word_of(c, DW_WORD_KIND), word_of(c, DW_WORD_SENSE) },
		      true);
	for (uint32_t i = 0; i < p->n_exceptions && i < EXCEPTIONS; i++) {
		const struct dw_exception *e = &p->exception[i];

		put_exception(c,
			      (const char *const[]){ dw_page_number(e->lba, n[0]),
						     dw_page_number(e->blocks, n[1]),
						     dw_exception_name(e->kind),
						     e->sense },
			      false);
	}
	end_rows(c);
	if (p->n_exceptions > EXCEPTIONS) {
		dw_page_fill(text, sizeof(text), word_of(c, DW_WORD_MORE),
			     (const char *const[]){
				     dw_page_number(p->n_exceptions - EXCEPTIONS, n[0]),
				     NULL });
		c->y += dw_pen_text(c->page->pen, &t, c->x, c->y, c->width, text);
	}
}

static void put_notes(struct column *c, const struct dw_proof *p)
{
	struct dw_type t = dw_page_type(c->size, false, &dw_ink_dark, "P");

	if (!p->n_notes)
		return;
	heading(c, DW_WORD_NOTES);
	for (uint32_t i = 0; i < p->n_notes; i++)
		c->y += dw_pen_text(c->page->pen, &t, c->x, c->y, c->width, p->notes[i]) +
			1;
}

/* All that the record says; returns where it ends. */
static double put_body(struct dw_page *page, const struct dw_paper_record *r, double y,
		       double size)
{
	const struct dw_proof *p = &r->proof;
	double width = (page->pen->width - 2 * MARGIN - GAP) / 2;
	struct column left = { page, MARGIN, y, width, size, LABEL };
	struct column right = { page, MARGIN + width + GAP, y, width, size, LABEL };

	put_exceptions(&left, p);
	put_drive(&left, p);
	put_place(&left, p);
	if (dw_paper_kind(r) != DW_PAPER_AS_EXPECTED)
		put_erasure(&right, r);
	put_verification(&right, r);
	put_times(&right, p);
	put_notes(left.y < right.y ? &left : &right, p);
	return left.y > right.y ? left.y : right.y;
}

/* The title; a disk that was not erased has a field of colour, which no certificate has. */
static double put_title(struct dw_page *page, const struct dw_paper_record *r)
{
	const struct dw_page_says *says = dw_page_says(r);
	bool erased = paper_erased(r);
	struct dw_type big = {
		.family = DW_PAPER_SERIF, .size = 29, .ink = page->ink, .tag = "H1"
	};
	struct dw_type loud = dw_page_type(27, true, &(struct dw_ink){ 1, 1, 1 }, "P");
	struct dw_type text = dw_page_type(10, false, &dw_ink_dark, "P");
	double width = page->pen->width - 2 * MARGIN, y = dw_page_head(page, MARGIN);

	if (!erased)
		big.size = 19;
	y += dw_pen_text(page->pen, &big, MARGIN, y, width,
			 dw_page_word(page, says->title)) +
	     6;
	if (!erased) {
		dw_pen_box(page->pen, MARGIN, y, width, 46, &page->ink);
		loud.align = PANGO_ALIGN_CENTER;
		dw_pen_text(page->pen, &loud, MARGIN, y + 7, width,
			    dw_page_word(page, says->loud));
		y += 54;
	}
	y += dw_pen_text(page->pen, &text, MARGIN, y, width,
			 dw_page_word(page, says->sentence)) +
	     2;
	if (erased && page->style->firm.statement[0])
		y += dw_pen_text(page->pen, &text, MARGIN, y, width,
				 page->style->firm.statement) +
		     2;
	return y;
}

/* Lines for a pen: who, what, when, where. */
static void put_signature(struct dw_page *page, double x, double y, double width,
			  size_t who)
{
	static const enum dw_word word[] = { DW_WORD_NAME, DW_WORD_TITLE, DW_WORD_DATE,
					     DW_WORD_LOCATION, DW_WORD_SIGNATURE };
	struct dw_type head = dw_page_type(8.5, true, &page->ink, "P");
	struct dw_type text = dw_page_type(7, false, &dw_ink_soft, "P");
	const char *own = page->style->firm.signer[who];

	dw_pen_text(page->pen, &head, x, y, width,
		    own[0] ? own
			   : dw_page_word(page,
					  who ? DW_WORD_VERIFIED_BY : DW_WORD_ERASED_BY));
	y += 15;
	for (size_t i = 0; i < 5; i++) {
		bool half = i < 4;
		double w = half ? (width - 10) / 2 : width;
		double at = x + (half && i % 2 ? w + 10 : 0);
		double line = y + (i < 2 ? 16 : i < 4 ? 40 : 64);

		dw_pen_box(page->pen, at, line, w, 0.5, &dw_ink_soft);
		dw_pen_text(page->pen, &text, at, line + 1, w,
			    dw_page_word(page, word[i]));
	}
}

static void put_proof(struct dw_page *page, const struct dw_paper_record *r, double y)
{
	struct column c = { page, MARGIN + CODE + 10,
			    y,    page->pen->width - 2 * MARGIN - CODE - 10,
			    6.6,  0.22 };
	struct dw_type t = dw_page_type(6.6, false, &dw_ink_soft, "P");
	char text[PAPER_QR_TEXT], chain[256], number[DW_PAPER_NUMBER];

	if (!dw_pen_code(page->pen, MARGIN - 8, y, CODE, paper_qr_text(r, text)))
		page->failed = true;
	begin_rows(&c, DW_WORD_PROOF);
	row(&c, DW_WORD_RECORD_ID, r->proof.id);
	row(&c, DW_WORD_SEQUENCE, dw_page_number(r->proof.sequence, number));
	row(&c, DW_WORD_HASH, r->hash);
	snprintf(chain, sizeof(chain), "%s%s%s", r->signer, r->signer[0] ? ", " : "",
		 r->key);
	row(&c, DW_WORD_KEY, chain);
	snprintf(chain, sizeof(chain), "%s%s%s",
		 word_of(&c, r->in_chain ? DW_WORD_IN_CHAIN : DW_WORD_BY_ITSELF),
		 r->own_signers ? " " : "",
		 r->own_signers ? word_of(&c, DW_WORD_OWN_SIGNERS) : "");
	row(&c, DW_WORD_CHAIN, chain);
	if (r->head[0])
		row(&c, DW_WORD_HEAD, r->head);
	end_rows(&c);
	dw_pen_text(page->pen, &t, c.x, c.y + 2, c.width,
		    word_of(&c, DW_WORD_HOW_TO_CHECK));
}

bool dw_page_disk(struct dw_page *page, const struct dw_paper_record *r)
{
	static const double sizes[] = { 8.6, 8.0, 7.4, 6.8, 6.2, 5.6, 5.0 };
	double y, foot = page->pen->height - MARGIN - FOOT;
	double width = (page->pen->width - 2 * MARGIN - GAP) / 2;
	size_t i = 0;

	page->ink = dw_page_ink(page->style, dw_paper_kind(r));
	y = put_title(page, r);
	page->pen->dry = true;
	while (i < sizeof(sizes) / sizeof(*sizes) &&
	       put_body(page, r, y, sizes[i]) > foot - 6)
		i++;
	page->pen->dry = false;
	if (i == sizeof(sizes) / sizeof(*sizes))
		return false;
	put_body(page, r, y, sizes[i]);
	dw_pen_box(page->pen, MARGIN, foot, page->pen->width - 2 * MARGIN, 0.5,
		   &dw_ink_hair);
	put_signature(page, MARGIN, foot + 8, width, 0);
	put_signature(page, MARGIN + width + GAP, foot + 8, width, 1);
	put_proof(page, r, foot + 106);
	dw_page_foot(page, MARGIN);
	return !page->failed;
}
