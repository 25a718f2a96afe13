/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where files lie on a disk, and how far its arm then goes (Dyal and Draughn, section 2.2).
 * The references of a file are spread evenly over its tracks; the distance of two successive
 * references is
 *
 *	sum_ab p_a p_b |a-b| = 2 sum_c F(c) (1-F(c)),  F the distribution over cylinders
 *
 * Arora and Gallo put the files in falling order of references per track, each on the side
 * of the disk that is shorter so far. The organ pipe does that track by track from the
 * middle and is the best that can be done. With two disks the files are first dealt out so
 * that both get the same references, by moving and swapping files while that helps; figures
 * of two disks are means over the references. Relocation pays when what it stopped has been
 * made up for: relocation (1 + before/(after - before)).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "papers/model.h"

enum { TABLE, ARORA_GALLO, ORGAN_PIPE };

#define MOST_TRACKS 10000000.0
#define TIE         1e-9

struct layout_file {
	const char *name;
	double tracks;
	double share;
	size_t row;
	size_t disk;
};

/* Tracks in a row that belong to one file. */
struct layout_run {
	const struct layout_file *file;
	double tracks;
};

struct layout {
	struct layout_file *file;
	size_t n;
	char *text;
	int order;
	double per_cylinder;
	double tracks;
	struct layout_run *run;
	size_t n_run;
	double *track; /* references of each, then of each cylinder */
	const char **name;
	size_t n_name;
};

static char *field(char **s)
{
	char *begin;

	*s += strspn(*s, " \t,\r");
	begin = *s;
	*s += strcspn(*s, " \t,\r");
	if (**s)
		*(*s)++ = '\0';
	return begin;
}

static bool positive(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return *text && !*end && isfinite(*ret) && *ret >= 0;
}

static int read_entry(struct dw_model_call *call, struct layout *l, char *line, size_t no)
{
	struct layout_file *f = &l->file[l->n];
	char *tracks, *percent;

	line[strcspn(line, "#")] = '\0';
	f->name = field(&line);
	if (!*f->name)
		return 0;
	tracks = field(&line);
	percent = field(&line);
	if (!positive(tracks, &f->tracks) || f->tracks < 1 ||
	    f->tracks != floor(f->tracks) || !positive(percent, &f->share) ||
	    *field(&line))
		return dw_call_fail(call, "file: line %zu is not name, tracks, percent",
				    no);
	f->row = l->n++;
	l->tracks += f->tracks;
	if (l->tracks > MOST_TRACKS)
		return dw_call_fail(call, "file: more than %.0f tracks", MOST_TRACKS);
	return 0;
}

static int read_table(struct dw_model_call *call, struct layout *l)
{
	const char *text = dw_call_text(call, "file");
	size_t lines = 1, len = text ? strlen(text) + 1 : 0;
	double sum = 0;
	int r = 0;

	if (!text)
		return dw_call_fail(call, "file: nothing was read");
	for (size_t i = 0; text[i]; i++)
		lines += text[i] == '\n';
	l->text = malloc(len);
	l->file = calloc(lines, sizeof(*l->file));
	if (!l->text || !l->file)
		return -ENOMEM;
	memcpy(l->text, text, len);
	for (size_t no = 1, at = 0; !r && no <= lines; no++) {
		size_t n = strcspn(l->text + at, "\n");

		l->text[at + n] = '\0';
		r = read_entry(call, l, l->text + at, no);
		at += n + 1;
	}
	for (size_t i = 0; i < l->n; i++)
		sum += l->file[i].share;
	if (!r && sum <= 0)
		return dw_call_fail(call, "file: there are no references");
	for (size_t i = 0; i < l->n; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n files */
		l->file[i].share /= sum;
	return r;
}

static double density(const struct layout_file *f)
{
	return f->share / f->tracks;
}

/* Insertion of each where it belongs: falling density, ties in the order of the table. */
static void sort_files(struct layout_file *file, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct layout_file f = file[i];
		size_t j = i;

		for (; j && density(&file[j - 1]) < density(&f) - TIE * density(&f); j--)
			file[j] = file[j - 1];
		file[j] = f;
	}
}

/* The halves grow from the middle of an array of twice the length. */
static void place_sides(struct layout *l, const struct layout_file *file, size_t n)
{
	double left = 0, right = 0;
	size_t first = 0, lefts = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		bool to_left = left <= right;

		*(to_left ? &left : &right) += file[i].tracks;
		lefts += to_left;
	}
	left = right = 0;
	first = lefts;
	at = lefts;
	for (size_t i = 0; i < n; i++) {
		struct layout_run run = { &file[i], file[i].tracks };

		if (left <= right) {
			left += file[i].tracks;
			l->run[--first] = run;
		} else {
			right += file[i].tracks;
			l->run[at++] = run;
		}
	}
	l->n_run = n;
}

/* The hottest track at floor(n/2), then one to the left, one to the right. */
static int place_tracks(struct layout *l, const struct layout_file *file, size_t n)
{
	size_t tracks = 0, at, done = 0;
	const struct layout_file **owner;

	for (size_t i = 0; i < n; i++)
		tracks += (size_t)file[i].tracks;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	owner = calloc(tracks + 1, sizeof(*owner));
	if (!owner)
		return -ENOMEM;
	at = tracks / 2;
	for (size_t i = 0; i < n; i++) {
		for (size_t t = 0; t < (size_t)file[i].tracks; t++) {
			owner[at] = &file[i];
			done++;
			at = tracks / 2;
			at = done & 1 ? at - (done + 1) / 2 : at + done / 2;
		}
	}
	l->n_run = 0;
	for (size_t t = 0; t < tracks; t++) {
		if (!t || owner[t] != owner[t - 1])
			l->run[l->n_run++] = (struct layout_run){ owner[t], 0 };
		l->run[l->n_run - 1].tracks++;
	}
	free(owner);
	return 0;
}

static int place_files(struct layout *l, struct layout_file *file, size_t n)
{
	if (l->order != TABLE)
		sort_files(file, n);
	if (l->order == ORGAN_PIPE)
		return place_tracks(l, file, n);
	if (l->order == ARORA_GALLO) {
		place_sides(l, file, n);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		l->run[i] = (struct layout_run){ &file[i], file[i].tracks };
	l->n_run = n;
	return 0;
}

/* Add the figures of the disk that was placed, weighted by its references. */
static void measure_disk(struct layout *l, double *same, double *distance)
{
	size_t cylinders = 0, track = 0;
	double sum = 0, below = 0;

	memset(l->track, 0, (size_t)l->tracks * sizeof(*l->track));
	for (size_t i = 0; i < l->n_run; i++) {
		double each = density(l->run[i].file);

		sum += each * l->run[i].tracks;
		for (size_t t = 0; t < (size_t)l->run[i].tracks; t++) {
			cylinders = track++ / (size_t)l->per_cylinder + 1;
			l->track[cylinders - 1] += each;
		}
		l->name[l->n_name++] = l->run[i].file->name;
	}
	for (size_t c = 0; sum > 0 && c < cylinders; c++) {
		double p = l->track[c] / sum;

		*same += sum * p * p;
		below += p;
		*distance += sum * 2 * below * (1 - below);
	}
}

/* The change of disk of @i, and of @j unless it is the same, that brings the references of
 * the disks closest together; the difference that is then left. */
static double try_swap(const struct layout *l, double gap, size_t i, size_t j)
{
	const struct layout_file *a = &l->file[i], *b = &l->file[j];

	gap += 2 * (a->disk ? a->share : -a->share);
	if (i != j)
		gap += 2 * (b->disk ? b->share : -b->share);
	return fabs(gap);
}

/* Deal the files out to two disks, the largest share first, then swap while that helps. */
static void balance(struct layout *l)
{
	double gap = 0;

	for (size_t i = 0; i < l->n; i++) {
		l->file[i].disk = i & 1;
		gap += l->file[i].disk ? -l->file[i].share : l->file[i].share;
	}
	for (;;) {
		double least = fabs(gap);
		size_t a = 0, b = 0;

		for (size_t i = 0; i < l->n; i++) {
			for (size_t j = i; j < l->n; j++) {
				double left = try_swap(l, gap, i, j);

				if (left >= least - 1e-15)
					continue;
				least = left;
				a = i;
				b = j;
			}
		}
		if (least >= fabs(gap) - 1e-15)
			return;
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n files */
		l->file[a].disk ^= 1;
		if (a != b)
			l->file[b].disk ^= 1;
		gap = 0;
		for (size_t i = 0; i < l->n; i++)
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n files */
			gap += l->file[i].disk ? -l->file[i].share : l->file[i].share;
	}
}

/* Files of disk 0 before those of disk 1, in their order; how many are on disk 0. */
static size_t part(struct layout *l, struct layout_file *spare)
{
	size_t first = 0, at;

	for (size_t i = 0; i < l->n; i++)
		first += !l->file[i].disk;
	at = first;
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): n files */
	memcpy(spare, l->file, l->n * sizeof(*spare));
	for (size_t i = 0, head = 0; i < l->n; i++)
		l->file[spare[i].disk ? at++ : head++] = spare[i];
	return first;
}

static int solve_layout(struct dw_model_call *call, struct layout *l, size_t disks,
			struct layout_file *spare)
{
	double same = 0, distance = 0, share[2] = { 0 };
	size_t first = l->n;
	int r;

	if (disks == 2) {
		balance(l);
		first = part(l, spare);
	}
	for (size_t i = 0; i < l->n; i++)
		share[i >= first] += l->file[i].share;
	r = place_files(l, l->file, first);
	if (!r)
		measure_disk(l, &same, &distance);
	if (!r && disks == 2) {
		r = place_files(l, l->file + first, l->n - first);
		if (!r)
			measure_disk(l, &same, &distance);
	}
	if (r)
		return r;
	dw_out_number(call, "p_same_cylinder", same);
	dw_out_number(call, "mean_distance", distance);
	dw_out_texts(call, "placement", l->name, l->n_name);
	dw_out_array(call, "balance", share, disks);
	return 0;
}

static int run_layout(struct dw_model_call *call)
{
	struct layout l = { .order = dw_call_word(call, "order"),
			    .per_cylinder = dw_call_number(call, "per_cylinder") };
	struct layout_file *spare = NULL;
	int r = read_table(call, &l);

	if (!r) {
		size_t most =
			2 * l.n + 2; /* runs: a file has at most two in an organ pipe */

		l.run = calloc(most, sizeof(*l.run));
		l.name = calloc(most, sizeof(char *));
		l.track = calloc((size_t)l.tracks, sizeof(*l.track));
		spare = calloc(l.n + 1, sizeof(*spare));
		r = l.run && l.name && l.track && spare
			    ? solve_layout(call, &l,
					   (size_t)dw_call_number(call, "disks"), spare)
			    : -ENOMEM;
	}
	free(l.text);
	free(l.file);
	free(l.run);
	free(l.name);
	free(l.track);
	free(spare);
	return r;
}

static int run_model(struct dw_model_call *call)
{
	double before = dw_call_number(call, "before"),
	       after = dw_call_number(call, "after");

	if (!dw_call_form(call))
		return run_layout(call);
	if (after <= before)
		return dw_call_fail(call, "after is not above before: it never pays");
	dw_out_number(call, "payback_min",
		      dw_call_number(call, "relocation_min") *
			      (1 + before / (after - before)));
	return 0;
}

static const struct dw_model_key keys[] = {
	{ "file", "", DW_MODEL_FILE, .forms = 1, .needed = 1,
	  .help = "table: name, tracks, percent of the references" },
	{ "order", "", DW_MODEL_WORD, .forms = 1, .needed = 1,
	  .words = "table|arora-gallo|organ-pipe", .help = "how the files are placed" },
	{ "per_cylinder", "tracks", DW_MODEL_WHOLE, .min = 1, .max = 1e7, .forms = 1,
	  .needed = 1, .help = "of a cylinder" },
	{ "disks", "", DW_MODEL_WHOLE, .min = 1, .max = 2, .forms = 1, .fallback = "1",
	  .help = "that the files are dealt out to" },
	{ "before", "1/min", .above = true, .forms = 2, .needed = 2,
	  .help = "throughput before a relocation" },
	{ "after", "1/min", .above = true, .forms = 2, .needed = 2,
	  .help = "throughput after it" },
	{ "relocation_min", "min", .forms = 2, .needed = 2, .help = "that it takes" },
};

const struct dw_model dw_model_layout = {
	.name = "layout",
	.paper = "Dyal and Draughn",
	.summary = "Placement of files on a disk and the distance its arm goes.",
	.outputs = "p_same_cylinder mean_distance placement[] balance[] payback_min",
	.forms = { "table", "payback" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_model,
};
