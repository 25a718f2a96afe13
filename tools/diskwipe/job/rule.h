/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_RULE_H
#define DISKWIPE_RULE_H

/*
 * Disks by a rule: "transport=sas and size>=2TB and model~ST*".
 *
 *	rule := term { "or" term };  term := factor { "and" factor }
 *	factor := "not" factor | "(" rule ")" | KEY OP VALUE
 *	OP := = != ~ < <= > >=
 *
 * A value is a word, or anything between quotes. "~" compares with a pattern of the shell.
 */
#include <diskwipe/disk.h>

struct cli_rule;

/** struct cli_rule_error - what is wrong, and where: so many characters into the text */
struct cli_rule_error {
	size_t at;
	char reason[160];
};

/** cli_rule_parse() - @ret: cli_rule_free(). 0; -EINVAL with @err; -ENOMEM. */
int cli_rule_parse(const char *text, struct cli_rule **ret, struct cli_rule_error *err);

/** cli_rule_matches() - whether it is true of @disk; what a disk does not say is an empty text,
 *  or no number, of which nothing but "!=" is true. */
bool cli_rule_matches(const struct cli_rule *rule, const struct dw_disk *disk);

/** cli_rule_free() - NULL is accepted. */
void cli_rule_free(struct cli_rule *rule);

#endif
