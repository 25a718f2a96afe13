/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLI_H
#define DISKWIPE_CLI_H

/*
 * What the verbs of the program share: the words of the command line as values, how a
 * failure is reported, and the order in which things happen.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <diskwipe/diskwipe.h>

#include "common/say.h"
#include "exit_status.h"

#define CLI_OPTIONS_MAX   128
#define CLI_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* verbs that speak with the service */
#define CLI_SERVICE                                                                      \
	(CLI_SUBMIT | CLI_STATUS | CLI_QUEUE | CLI_WATCH | CLI_PAUSE | CLI_RESUME |      \
	 CLI_CANCEL | CLI_RECORDS | CLI_TOP)

#define CLI_OUTCOMES (DW_OUTCOME_REMOVED + 1)

enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };
enum cli_progress {
	CLI_PROGRESS_AUTO,
	CLI_PROGRESS_BARS,
	CLI_PROGRESS_PLAIN,
	CLI_PROGRESS_NONE
};

struct cli;
struct cli_papers;
struct cli_recorder;
struct cli_rule;

/**
 * struct cli_verb - a row of the verb table
 * @name: first word of the command line
 * @bit: in the option table's masks
 * @operands: for the usage line
 * @summary: one line
 * @run: does it; returns an exit code
 * @alias: a former name that continues working, NULL = none
 * @foreign: another program does it, which takes the words as they are
 */
struct cli_verb {
	const char *name;
	uint32_t bit;
	const char *operands;
	const char *summary;
	int (*run)(struct cli *c);
	const char *alias;
	bool foreign;
};

enum cli_verb_bit {
	CLI_LIST = 1 << 0,
	CLI_INSPECT = 1 << 1,
	CLI_ERASE = 1 << 2,
	CLI_SIMULATE = 1 << 6,
	CLI_VERIFY = 1 << 3,
	CLI_PLAN = 1 << 4,
	CLI_HELP = 1 << 5,
	CLI_MODEL = 1 << 7,
	CLI_STATION = 1 << 8,
	CLI_PROBE = 1 << 9,
	CLI_BENCH = 1 << 14,
	CLI_REPORT = 1 << 10,
	CLI_FIT = 1 << 11,
	CLI_DOCTOR = 1 << 24,
	CLI_SUBMIT = 1 << 15,
	CLI_STATUS = 1 << 16,
	CLI_QUEUE = 1 << 17,
	CLI_WATCH = 1 << 18,
	CLI_PAUSE = 1 << 19,
	CLI_RESUME = 1 << 20,
	CLI_CANCEL = 1 << 21,
	CLI_RECORDS = 1 << 22,
	CLI_TOP = 1 << 23,
	CLI_FORMAT = 1 << 25,
	CLI_QC = 1 << 26,
};

/**
 * struct cli_show - how it is shown
 * @output: of -o: columns or a file
 */
struct cli_show {
	const char *output;
	enum cli_when color;
	enum cli_progress progress;
	bool json;
	bool json_lines;
	bool quiet;
	bool verbose;
	bool bytes;
	bool no_headings;
};

/**
 * struct cli_pick - which disks are meant
 * @config: the system's configuration and that of --config, which adds to it; owned
 * @protect: what both protect, for spec.rules; owned
 * @exclude: nodes that --exclude named; borrowed from argv
 * @rule: of --select; owned
 * @named: the machine's disks, of whose nodes some stand for words; owned
 * @listed: the disks of the service, instead of those that the library lists; owned
 * @marked: those that are meant, by identity, instead of operands; borrowed, NULL = operands
 * @set: stripe sets that operands stood for; owned
 */
struct cli_pick {
	const char *config_file;
	struct dw_config *config[2];
	const char **protect;
	const char **exclude;
	size_t n_exclude;
	struct cli_rule *rule;
	struct dw_disk *named;
	size_t n_named;
	struct dw_disk *listed;
	size_t n_listed;
	const struct dw_plan_doc *marked;
	struct dw_stripe **set;
	size_t n_sets;
};

/**
 * struct cli_signing - records: @dir, @key, @key_owner and @signers are of --record,
 *	--record-key, --operator of a new key and --signers
 * @certificate: file of --certificate; @papers: places for its key and records; owned
 * @asset, @assets_file: of --asset and --assets; @assets: what is in that; owned
 * @ledger: the folder of records, open; owned
 * @drawn: what its draws drew, for --drawn; owned
 */
struct cli_signing {
	const char *dir;
	const char *key;
	const char *key_owner;
	const char *signers;
	const char *certificate;
	struct cli_papers *papers;
	const char *asset;
	const char *assets_file;
	struct dw_assets assets;
	struct cli_recorder *ledger;
	struct dw_proof_check *drawn;
};

/**
 * struct cli_prediction - what is known of the time before
 * @file: of --topology; @station: what is in it; owned
 * @forecast: of the job; owned
 */
struct cli_prediction {
	const char *file;
	struct dw_station *station;
	struct dw_forecast *forecast;
	bool active_auto;
};

/**
 * struct cli_ending - how a call ended
 * @begun: there was consent: disks were written to, or their job went to the service
 * @signal: the signal that ended the work, 0 = none: the program then ends by it
 * @job: its number at the service; empty = it has none there
 */
struct cli_ending {
	bool begun;
	int signal;
	char job[40];
};

struct cli_option;

/**
 * struct cli - one call of the program: what several commands have, and how far it is
 * @verb: what to do
 * @spec: of the job, filled by options
 * @operand: words that are no options; borrowed from argv
 * @own: what the verb has for itself, by own.h; owned
 * @given: options that were given, by their place in the table
 * @took, @took_node: the last that has a node for its value, and that; NULL = none
 * @bus: of --bus: the address of the service, NULL = the usual places
 * @report_file: of --report
 * @expect_count: 0 = not given
 * @error: what cli_fail() said last
 * @documented: stdout has its JSON document
 * @mute: that stdout takes no more was reported
 * @ending: struct cli_ending
 */
struct cli {
	const struct cli_verb *verb;
	struct dw_job_spec spec;
	const char **operand;
	size_t n_operands;
	void *own;
	bool given[CLI_OPTIONS_MAX];
	const struct cli_option *took;
	const char *took_node;
	struct cli_show show;
	struct cli_pick pick;
	struct cli_signing sign;
	struct cli_prediction predict;
	const char *bus;
	const char *label;
	const char *report_file;
	uint32_t expect_count;
	bool yes;
	bool dry_run;
	bool help;
	bool help_all;
	bool version;
	bool documented;
	bool mute;
	struct cli_ending ending;
	char error[512];
};

/** cli_verb_find() - the verb of that name, or NULL. */
const struct cli_verb *cli_verb_find(const char *name);

/** cli_verb_at() - verb @i of the table, NULL after the last. */
const struct cli_verb *cli_verb_at(size_t i);

/**
 * cli_call() - one call of the program, from its words to its exit code
 * @argv: @argc words, as of main()
 * @marked: the disks that erase and submit are about, if no operand names any; NULL = operands do
 * @ret: what came of it besides
 */
int cli_call(int argc, char **argv, const struct dw_plan_doc *marked,
	     struct cli_ending *ret);

/** cli_standard_descriptors() - first of all, open what is closed of the standard input,
 *  output and error, or end: a disk must not take their place. What would be read there is
 *  at its end, what is written there is dropped. */
void cli_standard_descriptors(void);

/** cli_clock_ns() - the monotonic clock. */
uint64_t cli_clock_ns(void);

/** cli_raise_files() - as many open files as the hard limit allows. */
void cli_raise_files(void);

/** cli_close_output() - flush the standard output: what could not be written is no success.
 *  Returns @code or another. */
int cli_close_output(struct cli *c, int code);

/** cli_fail() - tell on stderr why the program ends, remember it for the JSON document;
 *  returns @code. */
int cli_fail(struct cli *c, enum cli_exit code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** cli_say() - a line on stderr, unless --quiet. */
void cli_say(const struct cli *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** cli_allocate() - zeroed memory for @n times @size bytes; ends the program when there is
 *  none: nothing has begun that could be lost. */
void *cli_allocate(size_t n, size_t size);

#define CLI_QUOTED 4096

/** cli_quote() - a file's name as a shell takes it, in @buf; what does not fit is cut. */
const char *cli_quote(const char *name, char buf[CLI_QUOTED]);

/** cli_nearest() - the word of a NULL-terminated list that @text was probably meant to be,
 *  or NULL. */
const char *cli_nearest(const char *text, const char *const *words);

/** cli_color_wanted() - --color, NO_COLOR, TERM and whether @f is a terminal. */
bool cli_color_wanted(const struct cli *c, FILE *f);

/** cli_outcomes_text() - "40 erased, 1 failed, 3 stopped": those that there are, @count[] by
 *  enum dw_outcome; returns the length. */
size_t cli_outcomes_text(const size_t count[CLI_OUTCOMES], bool verify_only, char *buf,
			 size_t size);

/** cli_environment_number() - a variable from 1 to 10000, or @otherwise. */
unsigned cli_environment_number(const char *name, unsigned otherwise);

/** cli_terminal_width() - places in a row of the terminal that @f is, 0 = it is none. */
unsigned cli_terminal_width(FILE *f);

/** cli_disk_node() - the node a disk is called by: sg, else block. */
const char *cli_disk_node(const struct dw_disk_info *info);

/** cli_disk_bytes() - capacity in bytes. */
uint64_t cli_disk_bytes(const struct dw_disk_info *info);

/** cli_size_text() - @n bytes for people, with --bytes as a number; returns @buf. */
const char *cli_size_text(const struct cli *c, uint64_t n, char *buf, size_t size);

/** cli_rate_text() - the same of bytes a second; below 0 is 0. */
const char *cli_rate_text(const struct cli *c, double rate, char *buf, size_t size);

/** cli_verb_list() ... cli_verb_help() - the verbs; each returns an exit code. */
int cli_verb_list(struct cli *c);
int cli_verb_inspect(struct cli *c);
int cli_verb_erase(struct cli *c);
int cli_verb_format(struct cli *c);
int cli_verb_simulate(struct cli *c);
int cli_verb_verify(struct cli *c);
int cli_verb_plan(struct cli *c);
int cli_verb_model(struct cli *c);
int cli_verb_bench(struct cli *c);
int cli_verb_station(struct cli *c);
int cli_verb_probe(struct cli *c);
int cli_verb_fit(struct cli *c);
int cli_verb_report(struct cli *c);
int cli_verb_doctor(struct cli *c);
int cli_verb_submit(struct cli *c);
int cli_verb_status(struct cli *c);
int cli_verb_queue(struct cli *c);
int cli_verb_watch(struct cli *c);
int cli_verb_control(struct cli *c);
int cli_verb_records(struct cli *c);
int cli_verb_qc(struct cli *c);
int cli_verb_top(struct cli *c);
int cli_verb_help(struct cli *c);

/** cli_write_station() - a station to c->show.output or the standard output. 0 or an exit code. */
int cli_write_station(struct cli *c, const struct dw_station *station);

#endif
