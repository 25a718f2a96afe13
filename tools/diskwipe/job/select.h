/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_SELECT_H
#define DISKWIPE_SELECT_H

/* From the words of a command line, or the entries of a plan, to distinct disks. */
#include "cli.h"

/**
 * struct cli_selection - which disks are meant, and which of them are left in
 * @disk: those left in, each once, in the order they were named; owned
 * @refused: those left out, under the name they were given; owned
 * @named: distinct disks that were named, before any was left out
 */
struct cli_selection {
	struct dw_disk *disk;
	size_t n;
	struct dw_refused *refused;
	size_t n_refused;
	size_t named;
};

/** cli_select_named() - the disks of c->operand without c->pick.exclude, each with its reason if
 *  it is left out. 0, or an exit code after cli_fail(). */
int cli_select_named(struct cli *c, struct cli_selection *ret);

/** cli_select_planned() - the disks of a plan, found by serial, WWN and capacity wherever
 *  they are now. 0, or an exit code after cli_fail(). */
int cli_select_planned(struct cli *c, const struct dw_plan_doc *plan,
		       struct cli_selection *ret);

/** cli_select_entry() - a disk as cli_select_planned() finds it again. */
void cli_select_entry(const struct cli *c, const struct dw_disk_info *i,
		      struct dw_plan_entry *ret);

/** cli_nameless() - why a disk that says neither serial nor WWN, or those of another, cannot be
 *  named for later; NULL = it can. */
const struct dw_verdict *cli_nameless(const struct dw_disk_info *info);

/** cli_selection_code() - the exit code when nothing could be taken. */
enum cli_exit cli_selection_code(const struct cli_selection *s);

/** cli_selection_short() - CLI_EXIT_SOME if the level that is asked for cannot be reached on a
 *  disk that was left out, else 0. */
enum cli_exit cli_selection_short(const struct cli_selection *s);

/** cli_selection_refuse() - move disk @i to the refused, under each of its nodes. */
void cli_selection_refuse(struct cli_selection *s, size_t i, const struct dw_verdict *v);

/** cli_selection_refuse_nameless() - leave out disks that say neither serial nor WWN,
 *  or those of another: they
 *  could not be found again. */
void cli_selection_refuse_nameless(struct cli_selection *s);

/** cli_selection_ask_service() - for what the service holds, say whether a job of it does, and how
 *  to release it; where it does not answer nothing is made up. */
void cli_selection_ask_service(const struct cli *c, struct cli_selection *s);

/** cli_selection_report() - name on stderr what is left out, and why. */
void cli_selection_report(const struct cli_selection *s);

/** cli_selection_facts() - the facts of what is left in and has blocks; what has none is named
 *  on stderr. free() @ret; their number. */
size_t cli_selection_facts(const struct cli_selection *s, struct dw_disk_info **ret);

/** cli_selection_deinit() - free its arrays. */
void cli_selection_deinit(struct cli_selection *s);

/** cli_protect_report() - warn of entries of protect that mean none of the machine's @n disks. */
void cli_protect_report(const struct cli *c, const struct dw_disk *all, size_t n);

/** cli_config_load() - the configuration file and its list of protected disks into
 *  c->spec.rules. 0, or an exit code after cli_fail(). */
int cli_config_load(struct cli *c);

/** cli_config_free() - forget it. */
void cli_config_free(struct cli *c);

#endif
