/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which disks are meant. The machine's disks are listed once; what was named is looked up
 * in that list by device number, so that two spellings of one disk are one, and a second
 * disk with the same identity is seen even when nobody named it. Nodes that are presumed
 * paths to one disk are one disk, whichever of them were named. Everything that is left out
 * stays on record with its reason.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/target.h"
#include "job/await.h"
#include "job/hidden.h"
#include "options.h"
#include "job/rule.h"
#include "job/select.h"
#include "job/sets.h"
#include "job/words.h"

/* A word and what it stands for. */
struct named {
	const char *word;
	struct dw_disk disk;
	const char *excluded;              /* why, NULL = it is not */
	const struct dw_plan_entry *entry; /* of the plan, NULL = the user named it */
};

static void refuse(struct dw_disk *d, enum dw_refusal why, const char *reason)
{
	d->verdict = (struct dw_verdict){ .refusal = why };
	snprintf(d->verdict.reason, sizeof(d->verdict.reason), "%s", reason);
}

static size_t count_words(const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

int cli_config_load(struct cli *c)
{
	const char *const files[] = { NULL, c->pick.config_file };
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	size_t n = 0;

	for (size_t i = 0; i < (c->pick.config_file ? 2 : 1); i++) {
		const char *const *list;
		size_t more;

		if (dw_config_load(files[i], &c->pick.config[i], &err) < 0)
			return cli_fail(c, CLI_EXIT_USAGE, "configuration: %s",
					cli_error_text(&err, text));
		list = dw_config_protect(c->pick.config[i]);
		more = count_words(list);
		c->pick.protect = realloc(c->pick.protect,
					  (n + more + 1) * sizeof(*c->pick.protect));
		if (!c->pick.protect)
			return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
		memcpy(c->pick.protect + n, list, (more + 1) * sizeof(*c->pick.protect));
		n += more;
	}
	c->spec.rules.protect = c->pick.protect;
	return 0;
}

void cli_config_free(struct cli *c)
{
	dw_config_free(c->pick.config[0]);
	dw_config_free(c->pick.config[1]);
	free(c->pick.protect);
}

static const struct dw_disk *find_node(const struct dw_disk *all, size_t n,
				       const struct stat *st)
{
	for (size_t i = 0; i < n; i++) {
		const struct dw_disk_info *info = &all[i].info;

		if (S_ISBLK(st->st_mode) && info->block[0] &&
		    (info->block_dev == st->st_rdev || info->map_dev == st->st_rdev))
			return &all[i];
		if (S_ISCHR(st->st_mode) && info->sg[0] && info->sg_dev == st->st_rdev)
			return &all[i];
	}
	return NULL;
}

/* A disk of the service by what it is called there: nodes and serial. */
static const struct dw_disk *find_word(const struct dw_disk *all, size_t n,
				       const char *word)
{
	const struct dw_disk *known = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct dw_disk_info *d = &all[i].info;

		if (strcmp(d->sg, word) != 0 && strcmp(d->block, word) != 0 &&
		    strcmp(d->serial, word) != 0)
			continue;
		if (known)
			return NULL;
		known = &all[i];
	}
	return known;
}

static void look_up(struct cli *c, const char *word, const struct dw_disk *all, size_t n,
		    struct dw_disk *ret)
{
	const struct dw_disk *known = NULL;
	struct stat st;
	int r;

	if (!stat(word, &st))
		known = find_node(all, n, &st);
	if (!known && c->pick.listed)
		known = find_word(all, n, word);
	if (known) {
		*ret = *known;
		return;
	}
	r = dw_disk_examine(word, &c->spec.rules, ret);
	/* an enclosure among the nodes is no disk that the service may come to know */
	if (c->pick.listed && (r < 0 || ret->verdict.refusal != DW_REFUSAL_NOT_A_DISK)) {
		memset(ret, 0, sizeof(*ret));
		refuse(ret, DW_REFUSAL_MISSING,
		       "the service does not know this disk (yet)");
		return;
	}
	if (r < 0) {
		memset(ret, 0, sizeof(*ret));
		refuse(ret, DW_REFUSAL_ERROR, strerror(-r));
	}
}

static bool same(const struct named *a, const struct named *b)
{
	return !strcmp(a->word, b->word) ||
	       dw_disk_same_node(&a->disk.info, &b->disk.info);
}

/* Look up @word and add it unless its disk is there already. */
static void add_word(struct cli *c, const char *word, const struct dw_disk *all, size_t n,
		     struct named *list, size_t *n_list)
{
	struct named *new = &list[*n_list];

	*new = (struct named){ .word = word };
	look_up(c, word, all, n, &new->disk);
	for (size_t i = 0; i < *n_list; i++)
		if (same(&list[i], new))
			return;
	(*n_list)++;
}

static int exclude(struct cli *c, const struct dw_disk *all, size_t n, struct named *list,
		   size_t n_list)
{
	for (size_t i = 0; i < c->pick.n_exclude; i++) {
		struct named out = { .word = c->pick.exclude[i] };
		bool met = false;

		look_up(c, out.word, all, n, &out.disk);
		if (out.disk.verdict.refusal == DW_REFUSAL_MISSING ||
		    out.disk.verdict.refusal == DW_REFUSAL_NOT_A_DISK)
			return cli_fail(c, CLI_EXIT_USAGE, "--exclude %s: %s", out.word,
					out.disk.verdict.reason);
		for (size_t j = 0; j < n_list; j++)
			if (same(&list[j], &out) ||
			    dw_disk_same_unit(&list[j].disk.info, &out.disk.info)) {
				list[j].excluded = "excluded by --exclude";
				met = true;
			}
		if (!met)
			cli_warn(
				"--exclude %s: it is not among the disks that are named, "
				"and excludes none of them",
				out.word);
	}
	return 0;
}

/* A disk of the machine that nobody named may have the same identity as one that was. */
static void refuse_duplicates(struct named *list, size_t n_list,
			      const struct dw_disk *all, size_t n)
{
	struct dw_disk *union_ = cli_allocate(n_list + n, sizeof(*union_));

	for (size_t i = 0; i < n_list; i++)
		union_[i] = list[i].disk;
	if (n)
		memcpy(union_ + n_list, all, n * sizeof(*all));
	dw_disks_refuse_duplicates(union_, n_list + n);
	for (size_t i = 0; i < n_list; i++)
		list[i].disk = union_[i];
	free(union_);
}

/* Members of a set that is still active can be planned for: the plan names disks, and all is
 * looked at again when it is carried out. */
static bool can_wait(const struct cli *c, const struct dw_disk *d)
{
	enum dw_refusal why = d->verdict.refusal;

	return c->verb->bit == CLI_PLAN && cli_sets_have(c, &d->info) &&
	       (why == DW_REFUSAL_HOLDER || why == DW_REFUSAL_MOUNTED ||
		why == DW_REFUSAL_SWAP);
}

/* Reading harms nobody: who only reads needs no more than a disk that answers. */
static bool stands_in_the_way(const struct cli *c, const struct dw_disk *d)
{
	enum dw_refusal why = d->verdict.refusal;

	if (can_wait(c, d))
		return false;
	if (!(c->verb->bit & (CLI_VERIFY | CLI_BENCH | CLI_STATION | CLI_PROBE)))
		return why != DW_REFUSAL_NONE;
	return why == DW_REFUSAL_MISSING || why == DW_REFUSAL_NOT_A_DISK ||
	       why == DW_REFUSAL_NO_MEDIUM || why == DW_REFUSAL_ERROR ||
	       why == DW_REFUSAL_PERMISSION || why == DW_REFUSAL_CHANGED;
}

enum cli_exit cli_selection_short(const struct cli_selection *s)
{
	for (size_t i = 0; i < s->n_refused; i++)
		if (s->refused[i].verdict.refusal == DW_REFUSAL_PURGE)
			return CLI_EXIT_SOME;
	return CLI_EXIT_OK;
}

enum cli_exit cli_selection_code(const struct cli_selection *s)
{
	if (cli_selection_short(s))
		return CLI_EXIT_SOME;
	for (size_t i = 0; i < s->n_refused; i++)
		if (s->refused[i].verdict.refusal != DW_REFUSAL_PERMISSION)
			return CLI_EXIT_REFUSED;
	return s->n_refused ? CLI_EXIT_PERMISSION : CLI_EXIT_REFUSED;
}

static bool is_held_by_service(const struct dw_refused *r)
{
	return strstr(r->verdict.reason, "(diskwiped)");
}

/* The disk of the service that is refused here, by its node or its names; NULL = it has none. */
static const struct cli_station_disk *find_held(const struct cli_station *s,
						const struct dw_refused *r)
{
	for (size_t i = 0; i < s->n_disks; i++) {
		const struct cli_station_disk *d = &s->disk[i];

		if (!strcmp(d->device, r->device) || !strcmp(d->block, r->device) ||
		    ((r->serial[0] || r->wwn[0]) && !strcmp(d->serial, r->serial) &&
		     !strcmp(d->wwn, r->wwn)))
			return d;
	}
	return NULL;
}

/* A job can be looked at and cancelled; the service also opens disks to look at them. */
static void name_job(const struct cli_station *s, struct dw_refused *r)
{
	const struct cli_station_disk *d = find_held(s, r);
	struct dw_verdict *v = &r->verdict;
	char name[CLI_QUOTED];

	if (!d || !strcmp(d->job, "/") || d->outcome[0]) {
		snprintf(v->reason, sizeof(v->reason),
			 "the service diskwiped looks at it, no job has it; try again in "
			 "a moment");
		return;
	}
	cli_quote(cli_station_disk_name(d), name);
	snprintf(v->reason, sizeof(v->reason),
		 "the service diskwiped works on it; see diskwipe status %.128s", name);
	snprintf(v->release, sizeof(v->release), "diskwipe cancel %.128s", name);
}

void cli_selection_ask_service(const struct cli *c, struct cli_selection *s)
{
	struct cli_station station = { 0 };
	struct cli_client *k;
	bool any = false;

	for (size_t i = 0; i < s->n_refused; i++)
		any |= is_held_by_service(&s->refused[i]);
	if (!any)
		return;
	k = cli_client_find(c);
	if (k && !cli_client_read(k, &station))
		for (size_t i = 0; i < s->n_refused; i++)
			if (is_held_by_service(&s->refused[i]))
				name_job(&station, &s->refused[i]);
	cli_station_deinit(&station);
	cli_client_free(k);
}

static void add_refused(struct cli_selection *s, const char *word, const char *serial,
			const char *wwn, const struct dw_verdict *v)
{
	struct dw_refused *r = &s->refused[s->n_refused++];

	snprintf(r->device, sizeof(r->device), "%s", word);
	snprintf(r->serial, sizeof(r->serial), "%s", serial);
	snprintf(r->wwn, sizeof(r->wwn), "%s", wwn);
	r->verdict = *v;
}

/* Another node of a disk that is taken in already. A verification reads each by itself. */
static bool is_path(const struct cli *c, const struct cli_selection *s,
		    const struct dw_disk *d)
{
	for (size_t i = 0; i < s->n && c->verb->bit != CLI_VERIFY; i++)
		if (dw_disk_same_unit(&s->disk[i].info, &d->info))
			return true;
	return false;
}

static void divide(const struct cli *c, const struct named *list, size_t n,
		   struct cli_selection *s)
{
	s->disk = cli_allocate(n, sizeof(*s->disk));
	s->refused = cli_allocate(n * DW_PATHS_MAX, sizeof(*s->refused));
	for (size_t i = 0; i < n; i++) {
		struct dw_disk d = list[i].disk;

		s->named += d.verdict.refusal != DW_REFUSAL_NOT_A_DISK;
		if (list[i].excluded)
			refuse(&d, DW_REFUSAL_PROTECTED, list[i].excluded);
		if (list[i].excluded || stands_in_the_way(c, &d)) {
			add_refused(s, list[i].word,
				    list[i].entry ? list[i].entry->serial : d.info.serial,
				    list[i].entry ? list[i].entry->wwn : d.info.wwn,
				    &d.verdict);
			continue;
		}
		if (is_path(c, s, &d))
			continue;
		if (can_wait(c, &d))
			cli_warn("%s: planned, though %s; before the erase: %s",
				 list[i].word, d.verdict.reason, d.verdict.release);
		s->disk[s->n++] = d;
	}
	cli_selection_ask_service(c, s);
}

/* An entry that means no disk of the machine is perhaps misspelt. */
void cli_protect_report(const struct cli *c, const struct dw_disk *all, size_t n)
{
	char names[256] = "";
	size_t used = 0, many = 0;

	for (size_t k = 0; c->pick.protect && c->pick.protect[k]; k++) {
		bool found = false;

		for (size_t i = 0; i < n && !found; i++)
			found = dw_config_protects(c->pick.protect[k], &all[i].info);
		if (found)
			continue;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used,
						 "%s%s", many ? ", " : "",
						 c->pick.protect[k]);
		many++;
	}
	if (many)
		cli_warn("configuration: protect: no disk here is %s%s", names,
			 used < sizeof(names) ? "" : " ...");
}

/* The machine's disks; the caller can do without when they cannot be listed. */
static struct dw_disk *list_all(struct cli *c, size_t *ret_n)
{
	struct dw_disk *all = NULL;
	int r;

	if (c->pick.listed) {
		all = cli_allocate(c->pick.n_listed, sizeof(*all));
		memcpy(all, c->pick.listed, c->pick.n_listed * sizeof(*all));
		*ret_n = c->pick.n_listed;
		return all;
	}
	r = dw_disks_list(&c->spec.rules, &all, ret_n);
	if (r < 0) {
		cli_warn("the machine's disks cannot be listed: %s", strerror(-r));
		*ret_n = 0;
		return NULL;
	}
	cli_await(c, all, *ret_n);
	cli_protect_report(c, all, *ret_n);
	return all;
}

/* --select alone takes from the whole machine; of disks that are named it leaves out. */
static void apply_rule(struct cli *c, const struct dw_disk *all, size_t n,
		       struct named *list, size_t *n_list)
{
	for (size_t i = 0; c->pick.rule && i < *n_list; i++)
		if (!cli_rule_matches(c->pick.rule, &list[i].disk))
			list[i].excluded = "excluded by --select";
	for (size_t i = 0; c->pick.rule && !c->n_operands && i < n; i++) {
		if (!cli_rule_matches(c->pick.rule, &all[i]))
			continue;
		list[*n_list] = (struct named){ .word = cli_disk_node(&all[i].info),
						.disk = all[i] };
		(*n_list)++;
	}
}

int cli_select_named(struct cli *c, struct cli_selection *ret)
{
	struct cli_selection s = { 0 };
	struct named *list;
	struct dw_disk *all;
	size_t n, n_list = 0;
	int r = cli_words_resolve(c);

	if (!r)
		r = cli_sets_expand(c);
	if (r)
		return r;
	all = list_all(c, &n);
	list = cli_allocate(c->n_operands + n + 1, sizeof(*list));
	for (size_t i = 0; i < c->n_operands; i++)
		add_word(c, c->operand[i], all, n, list, &n_list);
	apply_rule(c, all, n, list, &n_list);
	r = exclude(c, all, n, list, n_list);
	if (!r) {
		refuse_duplicates(list, n_list, all, n);
		divide(c, list, n_list, &s);
		*ret = s;
	}
	free(all);
	free(list);
	return r;
}

static bool same_words(const struct dw_plan_entry *e, const struct dw_disk_info *i)
{
	const struct dw_identity is = dw_identity_of(i),
				 was = dw_identity_named(e->serial, e->wwn);

	return dw_identity_match(&was, &is, DW_SAME_NAMED);
}

/*
 * A disk that was told to erase itself by the job that is resumed: it reports no capacity, and is
 * waited for. Whether the state knows of that, and who holds the disk, is seen when it is claimed.
 */
static bool works_on(const struct cli *c, const struct dw_plan_entry *e,
		     struct dw_disk *d)
{
	if (!c->spec.resume_file[0] || !d->info.operating ||
	    d->verdict.refusal != DW_REFUSAL_NO_MEDIUM || !e->block_size)
		return false;
	cli_warn("%s: %s; the job waits for its end", cli_disk_node(&d->info),
		 d->verdict.reason);
	d->info.block_size = e->block_size;
	d->info.blocks = e->capacity_bytes / e->block_size;
	d->verdict = (struct dw_verdict){ 0 };
	return true;
}

/* With hidden blocks that are to be restored, or as they were restored already. */
static bool is_as_large(const struct cli *c, const struct dw_plan_entry *e,
			const struct dw_disk_info *i)
{
	uint64_t more = cli_hidden_restored(c, i) * i->block_size;

	return cli_disk_bytes(i) == e->capacity_bytes ||
	       cli_disk_bytes(i) + more == e->capacity_bytes;
}

/* The one disk of the list that an entry means; else why there is none. */
static void find_entry(const struct cli *c, const struct dw_plan_entry *e,
		       const struct dw_disk *all, size_t n, struct dw_disk *ret)
{
	char reason[256];

	memset(ret, 0, sizeof(*ret));
	snprintf(reason, sizeof(reason), "not here: serial %s, WWN %s",
		 e->serial[0] ? e->serial : "unknown", e->wwn[0] ? e->wwn : "unknown");
	refuse(ret, DW_REFUSAL_MISSING, reason);
	for (size_t i = 0; i < n; i++) {
		if (!same_words(e, &all[i].info))
			continue;
		*ret = all[i];
		/* one that is not ready tells no capacity, and is not taken anyway */
		if (works_on(c, e, ret) || ret->verdict.refusal == DW_REFUSAL_NO_MEDIUM)
			return;
		if (!is_as_large(c, e, &ret->info) ||
		    ret->info.block_size != e->block_size) {
			refuse(ret, DW_REFUSAL_CHANGED,
			       "capacity or block size is not what was planned");
			continue;
		}
		if (ret->info.name_shared)
			refuse(ret, DW_REFUSAL_NOT_UNIQUE,
			       "identity not unique: another disk says the same serial "
			       "number, and which of them is meant is not known; unplug "
			       "the other, or name its node");
		return;
	}
}

int cli_select_planned(struct cli *c, const struct dw_plan_doc *plan,
		       struct cli_selection *ret)
{
	struct named *list = cli_allocate(plan->n, sizeof(*list));
	struct cli_selection s = { 0 };
	struct dw_disk *all;
	size_t n;
	int r;

	all = list_all(c, &n);
	for (size_t i = 0; i < plan->n; i++) {
		const struct dw_plan_entry *e = &plan->entry[i];

		list[i].entry = e;
		list[i].word = e->device[0] ? e->device : e->serial;
		find_entry(c, e, all, n, &list[i].disk);
		for (size_t j = 0; j < i; j++)
			if (dw_disk_same_node(&list[j].disk.info, &list[i].disk.info))
				refuse(&list[i].disk, DW_REFUSAL_NOT_UNIQUE,
				       "the plan names it twice");
		if (cli_disk_node(&list[i].disk.info)[0])
			list[i].word = cli_disk_node(&list[i].disk.info);
	}
	r = exclude(c, all, n, list, plan->n);
	if (!r) {
		refuse_duplicates(list, plan->n, all, n);
		divide(c, list, plan->n, &s);
		*ret = s;
	}
	free(list);
	free(all);
	return r;
}

/* With hidden blocks that are to be restored: it is found before and after that. */
void cli_select_entry(const struct cli *c, const struct dw_disk_info *i,
		      struct dw_plan_entry *ret)
{
	*ret = (struct dw_plan_entry){ .capacity_bytes =
					       cli_disk_bytes(i) +
					       cli_hidden_restored(c, i) * i->block_size,
				       .block_size = i->block_size };
	snprintf(ret->device, sizeof(ret->device), "%s", cli_disk_node(i));
	memcpy(ret->vendor, i->vendor, sizeof(ret->vendor));
	memcpy(ret->model, i->model, sizeof(ret->model));
	memcpy(ret->serial, i->serial, sizeof(ret->serial));
	memcpy(ret->wwn, i->wwn, sizeof(ret->wwn));
}

void cli_selection_refuse(struct cli_selection *s, size_t i, const struct dw_verdict *v)
{
	const struct dw_disk *d = &s->disk[i];

	add_refused(s, cli_disk_node(&d->info), d->info.serial, d->info.wwn, v);
	for (uint32_t k = 0; k < d->n_others; k++)
		add_refused(s, d->other[k].sg[0] ? d->other[k].sg : d->other[k].block,
			    d->info.serial, d->info.wwn, v);
	memmove(&s->disk[i], &s->disk[i + 1], (s->n - i - 1) * sizeof(*s->disk));
	s->n--;
}

const struct dw_verdict *cli_nameless(const struct dw_disk_info *info)
{
	static const struct dw_verdict nameless = {
		.refusal = DW_REFUSAL_NOT_UNIQUE,
		.reason = "has neither serial nor WWN: nothing can name it for later",
	};
	static const struct dw_verdict shared = {
		.refusal = DW_REFUSAL_NOT_UNIQUE,
		.reason =
			"has the serial number of another disk: nothing can name it for "
			"later; erase it by its node, or unplug the other",
	};

	if (info->name_shared)
		return &shared;
	return info->serial[0] || info->wwn[0] ? NULL : &nameless;
}

void cli_selection_refuse_nameless(struct cli_selection *s)
{
	for (size_t i = 0; i < s->n;) {
		const struct dw_verdict *v = cli_nameless(&s->disk[i].info);

		if (v)
			cli_selection_refuse(s, i, v);
		else
			i++;
	}
}

void cli_selection_report(const struct cli_selection *s)
{
	for (size_t i = 0; i < s->n_refused; i++) {
		const struct dw_verdict *v = &s->refused[i].verdict;

		if (v->release[0])
			cli_warn("%s: skipped: %s; to release it: %s",
				 s->refused[i].device, v->reason, v->release);
		else if (v->refusal == DW_REFUSAL_PURGE)
			cli_warn("%s: skipped: %s; to overwrite it instead: --or-clear",
				 s->refused[i].device, v->reason);
		else if (v->refusal == DW_REFUSAL_MISSING)
			cli_warn("%s: skipped: %s; what is here: diskwipe list",
				 s->refused[i].device, v->reason);
		else
			cli_warn("%s: skipped: %s", s->refused[i].device, v->reason);
	}
}

void cli_selection_deinit(struct cli_selection *s)
{
	free(s->disk);
	free(s->refused);
	*s = (struct cli_selection){ 0 };
}
