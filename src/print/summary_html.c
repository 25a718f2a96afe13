/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The summary as a page: what is not erased comes first. */
#include <inttypes.h>

#include <diskwipe/units.h>

#include "print/tally.h"
#include "print/markup.h"

#define GAPS_MAX 20 /* more are counted */

static const char style[] =
	":root{color-scheme:light dark;--ink:#1a1d21;--soft:#5d6670;--paper:#fff;"
	"--line:#d9dee3;--good:#00795a;--bad:#c0392b;--band:#f5f7f9;--mark:#0072b2}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa4ae;"
	"--paper:#15181c;--line:#343a41;--good:#3fc79a;--bad:#ff7b6b;--band:#1e2328;"
	"--mark:#56b4e9}}\n"
	"*{box-sizing:border-box}body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);"
	"background:var(--paper);margin:0 auto;max-width:76rem;padding:2rem 1.5rem}\n"
	"h1{font-size:1.9rem;margin:0;letter-spacing:-.01em}h2{font-size:1.2rem;"
	"margin:2.4rem 0 .6rem}p{margin:.3rem 0}.soft{color:var(--soft)}\n"
	".tiles{display:flex;flex-wrap:wrap;gap:1rem;margin:1.6rem 0}.tile{flex:1 1 9rem;"
	"border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem}"
	".tile b{display:block;font-size:1.8rem;line-height:1.2;"
	"font-variant-numeric:tabular-nums}\n"
	".good b,.yes{color:var(--good)}.bad b,.no{color:var(--bad)}"
	".warn{border-left:4px solid var(--bad);padding:.4rem .9rem;background:var(--band);"
	"margin:.8rem 0}\n"
	".wide{overflow-x:auto}.wide table{min-width:80rem}"
	"table{border-collapse:collapse;width:100%;font-size:.87rem}"
	"th,td{text-align:left;padding:.35rem .7rem .35rem 0;vertical-align:top;"
	"border-bottom:1px solid var(--line);overflow-wrap:anywhere}"
	"th{color:var(--soft);font-weight:600;white-space:nowrap}td.n,th.n{text-align:right;"
	"font-variant-numeric:tabular-nums;white-space:nowrap}.no,.yes{font-weight:600}"
	".mono{font-family:ui-monospace,monospace;font-size:.92em;"
	"min-width:15ch}\n"
	".groups{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));"
	"gap:0 2.5rem;align-items:start}\n"
	"svg{width:100%;height:auto;display:block}svg text{fill:var(--ink);"
	"font:11px system-ui,sans-serif}svg .s{fill:var(--soft)}svg .l{stroke:var(--line)}"
	"svg .g{fill:var(--good)}svg .b{fill:var(--bad)}svg .m{fill:var(--mark)}\n"
	"@media print{body{max-width:none;padding:0;font-size:10pt}:root{--ink:#000;"
	"--paper:#fff;--soft:#444;--line:#bbb;--good:#00634a;--bad:#b02a1c;--band:#fff;"
	"--mark:#005a8c}tr,svg,.tile{break-inside:avoid}thead{display:table-header-group}"
	"@page{margin:15mm}}\n";

static void put_cell(FILE *f, const char *class, const char *text)
{
	fprintf(f, "<td%s%s%s>", class[0] ? " class=\"" : "", class,
		class[0] ? "\"" : "");
	/* each text has a direction of its own, and turns no other around */
	fputs("<bdi>", f);
	plot_markup(f, text);
	fputs("</bdi></td>", f);
}

static bool is_bad(enum dw_paper_kind kind)
{
	return kind == DW_PAPER_EXCEPTIONS || kind == DW_PAPER_NOT_ERASED;
}

/* How far it is erased, or of a check what it checked, if that was drawn. */
static void say_level(const struct dw_paper_record *r, char *buf, size_t size)
{
	const struct dw_second *of = &r->proof.second;
	size_t n = 0;

	buf[0] = '\0';
	if (paper_erased(r))
		n = (size_t)snprintf(buf, size, "%s%s%s", paper_level(r),
				     r->proof.level_limit[0] ? ": " : "",
				     r->proof.level_limit);
	if (of->draw)
		snprintf(buf, size, "second check of No. %" PRIu64 ", erased by %s",
			 of->compared, of->erased_by);
	else if (r->second.record)
		snprintf(buf + n, size - n, "; checked by %s, No. %" PRIu64, r->second.by,
			 r->second.record);
}

static void put_record(FILE *f, const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;
	enum dw_paper_kind kind = dw_paper_kind(r);
	bool erased = kind == DW_PAPER_ERASED, bad = is_bad(kind);
	char text[320], bytes[DW_UNIT_TEXT] = "";

	fputs("<tr>", f);
	snprintf(text, sizeof(text), "%" PRIu64, p->sequence);
	put_cell(f, "n", text);
	dw_time_format(&p->written, 0, text, sizeof(text));
	text[16] = '\0';
	text[10] = ' ';
	put_cell(f, "", text);
	snprintf(text, sizeof(text), "%s%s",
		 erased ? "ERASED"
		 : bad  ? "NOT ERASED: "
			: "AS EXPECTED",
		 bad ? paper_outcome(r) : "");
	put_cell(f, bad ? "no" : "yes", text);
	say_level(r, text, sizeof(text));
	put_cell(f, "", bad ? paper_reason(r) : text);
	put_cell(f, "", p->method);
	snprintf(text, sizeof(text), "%s %s", p->info.vendor, p->info.model);
	put_cell(f, "", text);
	put_cell(f, "mono", p->info.serial[0] ? p->info.serial : p->device);
	if (paper_bytes(p))
		dw_size_format(paper_bytes(p), bytes, sizeof(bytes));
	put_cell(f, "n", bytes);
	put_cell(f, "", p->asset);
	put_cell(f, "", p->customer);
	put_cell(f, "", p->order_number);
	put_cell(f, "", paper_place(p, text));
	put_cell(f, "", p->operator_name);
	snprintf(text, sizeof(text), "%.12s", r->hash);
	put_cell(f, "mono", text);
	fputs("</tr>\n", f);
}

/** enum part - a table of the page; each record is in one */
enum part { PART_NOT_ERASED, PART_ERASED, PART_CHECKS, PART_EARLIER };

static enum part part_of(const struct dw_paper_record *r)
{
	enum dw_paper_kind kind = dw_paper_kind(r);

	if (r->superseded)
		return PART_EARLIER;
	if (is_bad(kind))
		return PART_NOT_ERASED;
	return kind == DW_PAPER_ERASED ? PART_ERASED : PART_CHECKS;
}

static void put_records(FILE *f, const struct paper_summary *s, enum part part,
			const char *title, const char *why)
{
	bool begun = false;

	for (size_t i = 0; i < s->in->n; i++) {
		if (part_of(&s->in->record[i]) != part)
			continue;
		if (!begun)
			fprintf(f,
				"<h2>%s</h2>\n<div class=\"wide\"><table><thead><tr>"
				"<th class=\"n\">No.</th><th>Written (UTC)</th>"
				"<th>Outcome</th><th>%s</th><th>Method</th><th>Model</th>"
				"<th>Serial</th><th class=\"n\">Capacity</th>"
				"<th>Asset tag</th><th>Customer</th><th>Order</th>"
				"<th>Bay</th><th>Operator</th><th>SHA-256</th></tr>"
				"</thead><tbody>\n",
				title, why);
		begun = true;
		put_record(f, &s->in->record[i]);
	}
	if (begun)
		fputs("</tbody></table></div>\n", f);
}

static void put_group(FILE *f, const struct paper_summary *s, enum paper_by by)
{
	fprintf(f,
		"<table><thead><tr><th>By %s</th><th class=\"n\">Records</th>"
		"<th class=\"n\">Capacity</th></tr></thead><tbody>\n",
		paper_by_name(by));
	for (size_t i = 0; i < s->n_groups[by]; i++) {
		const struct paper_group *g = &s->group[by][i];
		char bytes[DW_UNIT_TEXT];

		dw_size_format(g->bytes, bytes, sizeof(bytes));
		fputs("<tr>", f);
		put_cell(f, "", g->name[0] ? g->name : "not said");
		fprintf(f, "<td class=\"n\">%zu</td><td class=\"n\">%s</td></tr>\n", g->n,
			bytes);
	}
	fputs("</tbody></table>\n", f);
}

static void put_tile(FILE *f, const char *class, const char *value, const char *what)
{
	fprintf(f, "<div class=\"tile %s\"><b>%s</b>%s</div>\n", class, value, what);
}

static void put_tiles(FILE *f, const struct paper_summary *s)
{
	size_t days = s->n_groups[PAPER_BY_DAY], erased = s->kind[DW_PAPER_ERASED];
	char text[64];

	fputs("<div class=\"tiles\">\n", f);
	dw_count_format(erased, text, sizeof(text));
	put_tile(f, "good", text, erased == 1 ? "disk erased" : "disks erased");
	dw_count_format(paper_not_erased(s), text, sizeof(text));
	put_tile(f, paper_not_erased(s) ? "bad" : "", text, "not erased");
	if (s->kind[DW_PAPER_AS_EXPECTED]) {
		dw_count_format(s->kind[DW_PAPER_AS_EXPECTED], text, sizeof(text));
		put_tile(f, "", text, "checked, as expected");
	}
	if (s->earlier) {
		dw_count_format(s->earlier, text, sizeof(text));
		put_tile(f, "", text,
			 s->earlier == 1 ? "earlier attempt" : "earlier attempts");
	}
	dw_size_format(s->bytes, text, sizeof(text));
	put_tile(f, "", text, "capacity erased");
	snprintf(text, sizeof(text), "%.1f", days ? (double)erased / (double)days : 0);
	put_tile(f, "", text, "erased per day of work");
	fputs("</div>\n", f);
}

static void put_warnings(FILE *f, const struct paper_summary *s)
{
	if (s->own_signers)
		fputs("<p class=\"warn\">The list of signers came with the records. Whoever "
		      "can change the records can change that list, too.</p>\n",
		      f);
	if (s->simulated)
		fprintf(f,
			"<p class=\"warn\">%zu of these records %s. No disk was touched.</p>\n",
			s->simulated,
			s->simulated == 1 ? "is of a simulation" : "are of simulations");
	if (!s->n_gaps)
		return;
	fputs("<p class=\"warn\">This is not all of the ledger. A record is missing here "
	      "before No. ",
	      f);
	for (size_t i = 0; i < s->n_gaps && i < GAPS_MAX; i++)
		fprintf(f, i ? ", %" PRIu64 : "%" PRIu64, s->gap[i]);
	if (s->n_gaps > GAPS_MAX)
		fprintf(f, " and %zu more", s->n_gaps - GAPS_MAX);
	fputs(".</p>\n", f);
}

void paper_summary_html(FILE *f, const struct paper_summary *s)
{
	char first[DW_UNIT_TEXT], last[DW_UNIT_TEXT];

	dw_time_format(&s->first, 0, first, sizeof(first));
	dw_time_format(&s->last, 0, last, sizeof(last));
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<title>Erased disks, %.10s to %.10s</title>\n<style>\n%s</style>\n</head>\n"
		"<body>\n<h1>Erased disks</h1>\n<p class=\"soft\">%zu record%s, %.10s to "
		"%.10s. Each was checked: it is as it was signed.</p>\n",
		first, last, style, s->in->n, s->in->n == 1 ? "" : "s", first, last);
	put_tiles(f, s);
	put_warnings(f, s);
	put_records(f, s, PART_NOT_ERASED, "Not erased", "Reason");
	paper_summary_figures(f, s);
	fputs("<h2>Counts</h2>\n<div class=\"groups\">\n", f);
	for (int by = 0; by < PAPER_BY_COUNT; by++)
		put_group(f, s, (enum paper_by)by);
	fputs("</div>\n", f);
	put_records(f, s, PART_ERASED, "Erased", "Level");
	put_records(f, s, PART_CHECKS, "Checks", "Of");
	put_records(f, s, PART_EARLIER, "Earlier attempts at these disks",
		    "Reason or level");
	fputs("</body>\n</html>\n", f);
}
