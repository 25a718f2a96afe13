/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a disk reports of itself is not trusted: a serial number may read like the node of another
 * disk. So all names of all disks are looked at, and a word that means two of them means none. A
 * file that is there goes before any name.
 */
#include "job/words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN   4 /* of the disks that a word means */
#define TELLING 4 /* least characters of a serial number to be recognised misspelt */

static bool is_name(const char *word)
{
	return word[0] && !strchr(word, '/') && access(word, F_OK) < 0;
}

static bool is_last_part(const char *node, const char *word)
{
	const char *slash = strrchr(node, '/');

	return slash && !strcmp(slash + 1, word);
}

static bool means(const char *word, const struct dw_disk *d)
{
	if (is_last_part(d->info.sg, word) || is_last_part(d->info.block, word))
		return true;
	for (uint32_t i = 0; i < d->n_others; i++)
		if (is_last_part(d->other[i].sg, word) ||
		    is_last_part(d->other[i].block, word))
			return true;
	return dw_config_protects(word, &d->info);
}

/* How many of @all a word means; @ret: the first of them. */
static size_t find(const char *word, const struct dw_disk *all, size_t n,
		   const struct dw_disk *ret[SHOWN])
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!means(word, &all[i]))
			continue;
		if (found < SHOWN)
			ret[found] = &all[i];
		found++;
	}
	return found;
}

/* "/dev/sg1 (ACME MODEL1, serial number 0001)". */
static const char *describe(const struct dw_disk *d, char *buf, size_t size)
{
	const struct dw_disk_info *i = &d->info;

	snprintf(buf, size, "%s (%s%s%s%s%s)", cli_disk_node(i), i->vendor,
		 i->vendor[0] ? " " : "", i->model,
		 i->serial[0] ? ", serial number " : "", i->serial);
	return buf;
}

static int several(struct cli *c, enum cli_exit code, const char *word,
		   const struct dw_disk *const disk[SHOWN], size_t n)
{
	char list[SHOWN * 80] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && i < SHOWN && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					i ? ", " : "", cli_disk_node(&disk[i]->info));
	return cli_fail(c, code, "%s: %s%s are called so; name one of them by its node",
			word, list, n > SHOWN ? " ..." : "");
}

/* No disk is called so: perhaps a serial number is misspelt. */
static int none(struct cli *c, enum cli_exit code, const char *word,
		const struct dw_disk *all, size_t n)
{
	const char **serials = cli_allocate(n + 1, sizeof(*serials));
	const char *near;
	size_t many = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].info.serial[0])
			serials[many++] = all[i].info.serial;
	near = strlen(word) < TELLING ? NULL : cli_nearest(word, serials);
	free(serials);
	return near ? cli_fail(c, code,
			       "%s: no disk is called so; did you mean the serial number "
			       "'%s'? see diskwipe list",
			       word, near)
		    : 0;
}

/* Reading harms nobody, and neither does a disk that is left out. */
static bool may_stand(const struct cli *c, bool excluded)
{
	return excluded || !(c->verb->bit & (CLI_ERASE | CLI_FORMAT | CLI_SUBMIT));
}

/* The service's disks have always been called by their serial numbers, too. */
static bool is_known_to_service(const struct cli *c, const struct dw_disk *d,
				const char *word)
{
	return c->pick.listed && !strcmp(d->info.serial, word);
}

/* Disks of a simulated station have nodes that no path leads to; a word that is one means that
 * disk, whatever else it is of another. */
static bool is_node_of_service(const struct cli *c, const char *word)
{
	for (size_t i = 0; c->pick.listed && i < c->pick.n_listed; i++)
		if (!strcmp(c->pick.listed[i].info.sg, word) ||
		    !strcmp(c->pick.listed[i].info.block, word))
			return true;
	return false;
}

static int resolve(struct cli *c, const char **word, bool excluded,
		   const struct dw_disk *all, size_t n)
{
	const struct dw_disk *disk[SHOWN] = { NULL };
	char text[256];
	size_t found;

	if (!is_name(*word) || is_node_of_service(c, *word))
		return 0;
	found = find(*word, all, n, disk);
	if (!found)
		return none(c, CLI_EXIT_REFUSED, *word, all, n);
	if (found > 1)
		return several(c, CLI_EXIT_REFUSED, *word, disk, found);
	if (is_known_to_service(c, disk[0], *word))
		return 0;
	describe(disk[0], text, sizeof(text));
	if (!may_stand(c, excluded))
		return cli_fail(c, CLI_EXIT_REFUSED,
				"%s: it is %s; nothing was written: what is erased is "
				"named by its node; if this disk is meant, type %s",
				*word, text, cli_disk_node(&disk[0]->info));
	cli_say(c, "%s: %s", *word, text);
	*word = cli_disk_node(&disk[0]->info);
	return 0;
}

/* The disks of the service where it is asked, else of the machine; NULL = they cannot be listed. */
static const struct dw_disk *list_disks(struct cli *c, size_t *ret_n)
{
	*ret_n = c->pick.n_listed;
	if (c->pick.listed)
		return c->pick.listed;
	if (!c->pick.named &&
	    dw_disks_list(&c->spec.rules, &c->pick.named, &c->pick.n_named))
		return NULL;
	*ret_n = c->pick.n_named;
	return c->pick.named;
}

int cli_words_resolve(struct cli *c)
{
	const struct dw_disk *all = NULL;
	bool any = false;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < c->n_operands; i++)
		any |= is_name(c->operand[i]);
	for (size_t i = 0; i < c->pick.n_exclude; i++)
		any |= is_name(c->pick.exclude[i]);
	if (any)
		all = list_disks(c, &n);
	if (!all) /* each word is reported when it is examined */
		return 0;
	for (size_t i = 0; i < c->n_operands && !r; i++)
		r = resolve(c, &c->operand[i], false, all, n);
	for (size_t i = 0; i < c->pick.n_exclude && !r; i++)
		r = resolve(c, &c->pick.exclude[i], true, all, n);
	return r;
}

int cli_words_without_command(struct cli *c, const char *word, const char *near)
{
	const struct dw_disk *disk[SHOWN] = { NULL };
	char text[256];
	const char *node;
	size_t n, found = 0;
	const struct dw_disk *all = list_disks(c, &n);

	if (all)
		found = find(word, all, n, disk);
	if (!found && near)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: no such command; did you mean '%s'?", word, near);
	if (!found && none(c, CLI_EXIT_USAGE, word, c->pick.named, c->pick.n_named))
		return CLI_EXIT_USAGE;
	if (!found)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"%s: neither a command nor a device; see diskwipe list and "
			"diskwipe --help",
			word);
	if (found > 1)
		return several(c, CLI_EXIT_USAGE, word, disk, found);
	node = cli_disk_node(&disk[0]->info);
	return cli_fail(c, CLI_EXIT_USAGE,
			"%s: is it %s? to look at it: diskwipe inspect %s; to erase it: "
			"diskwipe erase %s",
			word, describe(disk[0], text, sizeof(text)), node, node);
}

void cli_words_free(struct cli *c)
{
	free(c->pick.named);
	c->pick.named = NULL;
}
