/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stripe set that is named stands for its members: each is examined, and refused while
 * the set is active, under its own name. The set itself is never written to.
 */
#include <stdlib.h>
#include <string.h>

#include "job/sets.h"
#include "own.h"

#define DEEPEST 8 /* sets of sets of sets */

/* What a member is called: a part of a disk by its own node, so that it is refused as every
 * partition is, and nobody erases a whole disk for a part of it. */
static const char *member_node(const struct dw_stripe_member *m)
{
	return m->part[0] ? m->part : cli_disk_node(&m->disk);
}

/* "md array /dev/md0", "/dev/dm-0, LVM volume group vg". */
static const char *label(const struct dw_stripe *s, char *buf, size_t size)
{
	bool named = strstr(s->what, s->node);

	snprintf(buf, size, "%s%s%s", named ? "" : s->node, named ? "" : ", ", s->what);
	return buf;
}

static void say_members(const struct cli *c, const struct dw_stripe *s)
{
	char list[1024] = "", name[256];
	size_t len = 0;

	for (size_t i = 0; i < s->n && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, " %s",
					member_node(&s->member[i]));
	cli_say(c,
		"%s: stands for its %zu members, erased side by side, never through"
		" the set:%s",
		label(s, name, sizeof(name)), s->n, list);
}

static bool same_word(const struct cli *c, const char *word)
{
	for (size_t i = 0; i < c->n_operands; i++)
		if (!strcmp(c->operand[i], word))
			return true;
	return false;
}

/* Put the members of @s in the place of operand @at. */
static void replace(struct cli *c, size_t at, struct dw_stripe *s)
{
	const char **words = cli_allocate(c->n_operands + s->n + 1, sizeof(*words));
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	struct dw_stripe **sets = cli_allocate(c->pick.n_sets + 1, sizeof(*sets));
	const char **before = c->operand;
	size_t n = c->n_operands;

	for (size_t i = 0; i < c->pick.n_sets; i++)
		sets[i] = c->pick.set[i];
	free(c->pick.set);
	c->pick.set = sets;
	c->pick.set[c->pick.n_sets++] = s;
	c->operand = words;
	c->n_operands = 0;
	for (size_t i = 0; i < n; i++) {
		if (i != at) {
			words[c->n_operands++] = before[i];
			continue;
		}
		for (size_t k = 0; k < s->n; k++)
			if (!same_word(c, member_node(&s->member[k])))
				words[c->n_operands++] = member_node(&s->member[k]);
	}
	free(before);
}

int cli_sets_expand(struct cli *c)
{
	for (int depth = 0; depth < DEEPEST; depth++) {
		bool found = false;

		for (size_t i = c->n_operands; i-- > 0;) {
			struct dw_stripe *s = NULL;

			/* what cannot be looked at is reported when it is examined */
			if (dw_stripe_open(c->operand[i], &s))
				continue;
			say_members(c, s);
			replace(c, i, s);
			found = true;
		}
		if (!found)
			return 0;
	}
	return cli_fail(c, CLI_EXIT_USAGE, "%s: a set of sets, too deep to follow",
			c->operand[0]);
}

const struct dw_stripe *cli_sets_have(const struct cli *c,
				      const struct dw_disk_info *info)
{
	for (size_t i = 0; i < c->pick.n_sets; i++)
		for (size_t k = 0; k < c->pick.set[i]->n; k++)
			if (dw_disk_same_node(&c->pick.set[i]->member[k].disk, info))
				return c->pick.set[i];
	return NULL;
}

struct dw_set_report *cli_sets_advise(const struct cli *c)
{
	const struct cli_inspect_options *own = c->own;
	struct dw_set_report *report = cli_allocate(c->pick.n_sets + 1, sizeof(*report));

	for (size_t i = 0; i < c->pick.n_sets; i++) {
		report[i].set = c->pick.set[i];
		dw_stripe_advise(c->pick.set[i], (double)own->member_rate,
				 (double)own->link_rate, &report[i].advice);
	}
	return report;
}

static const char *rate(double bytes, char text[DW_UNIT_TEXT])
{
	return dw_rate_format((uint64_t)(bytes + 0.5), 1000000000, text, DW_UNIT_TEXT);
}

void cli_sets_print_link(size_t n, const struct dw_stripe_advice *a)
{
	char one[DW_UNIT_TEXT], want[DW_UNIT_TEXT], link[DW_UNIT_TEXT];

	if (a->want <= 0)
		return;
	printf("%zu members x %s want %s", n, rate(a->want / (double)n, one),
	       rate(a->want, want));
	if (a->link > 0)
		printf(", link %s: speed-up %.1f, full at %.1f members -> run %zu at once"
		       " (--active=%zu)\n",
		       rate(a->link, link), a->speedup, a->full_at, a->run, a->run);
	else
		printf(": nothing that they share holds them back, run all\n");
}

static void print_members(const struct dw_stripe *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct dw_stripe_member *m = &s->member[i];
		char start[DW_UNIT_TEXT];

		printf("  %s%s%s%s%s, data from %s\n", cli_disk_node(&m->disk),
		       m->disk.sg[0] && m->disk.block[0] ? " = " : "",
		       m->disk.sg[0] ? m->disk.block : "", m->part[0] ? ", " : "",
		       m->part,
		       dw_size_format_binary(m->start_bytes, start, sizeof(start)));
	}
}

static void print_requests(const struct dw_stripe *s, const struct dw_stripe_advice *a)
{
	char request[DW_UNIT_TEXT], whole[DW_UNIT_TEXT];

	if (!s->chunk_bytes)
		return;
	printf("requests through the set: %s reach balance %.2f, whole stripes of %s"
	       " 1.00\n",
	       dw_size_format_binary(a->request_bytes, request, sizeof(request)),
	       a->balance, dw_size_format_binary(a->whole_bytes, whole, sizeof(whole)));
	printf("depth: %.0f requests keep the members %.0f %% busy, %.0f keep 90 %%\n",
	       a->depth, 100 * a->busy, a->depth_90);
	if (a->misaligned < s->n)
		printf("alignment: chunks on %s do not begin at its physical blocks of %u"
		       " bytes\n",
		       cli_disk_node(&s->member[a->misaligned].disk),
		       s->member[a->misaligned].disk.physical_block_size);
	else
		printf("alignment: all chunks begin at a physical block\n");
}

void cli_sets_print(const struct dw_set_report *report)
{
	const struct dw_stripe *s = report->set;
	char size[DW_UNIT_TEXT], chunk[DW_UNIT_TEXT], name[256];

	printf("%s: %s, %zu members, chunk %s\n", label(s, name, sizeof(name)),
	       dw_size_format(s->bytes, size, sizeof(size)), s->n,
	       dw_size_format_binary(s->chunk_bytes, chunk, sizeof(chunk)));
	print_members(s);
	printf("erased by its members, never through the set%s%s\n",
	       s->release[0] ? "; to release them: " : "", s->release);
	cli_sets_print_link(s->n, &report->advice);
	print_requests(s, &report->advice);
	if (report->advice.want <= 0)
		printf("rates: --rate and --link, or measured by diskwipe bench"
		       " --contiguous %s\n",
		       s->node);
}

void cli_sets_free(struct cli *c)
{
	for (size_t i = 0; i < c->pick.n_sets; i++)
		dw_stripe_free(c->pick.set[i]);
	free(c->pick.set);
	c->pick.set = NULL;
	c->pick.n_sets = 0;
}
