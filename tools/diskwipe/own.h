/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_OWN_H
#define DISKWIPE_OWN_H

/* The options that a command has for itself, in c->own: rows of the option table point there. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_list_options {
	bool erasable;
};

struct cli_inspect_options {
	const char *capture_file;
	bool anonymous;
	uint64_t member_rate; /* of a stripe set, bytes per second, 0 = not given */
	uint64_t link_rate;
};

struct cli_doctor_options {
	bool fix;
};

struct cli_erase_options {
	const char *plan_file;
};

struct cli_verify_options {
	bool only_drawn;
};

struct cli_format_options {
	uint32_t block_size; /* 0 = not given */
	uint32_t protection; /* 0 = no protection information */
	bool again;
};

struct cli_simulate_options {
	bool coarse;
	bool exact;
};

/* @replace, @without: disks of other topologies, NAME=KIND and NAME */
struct cli_plan_options {
	bool compare;
	const char *replace[8];
	size_t n_replace;
	const char *without[8];
	size_t n_without;
};

struct cli_probe_options {
	uint32_t seconds; /* 0 = not given */
};

struct cli_bench_options {
	bool contiguous;
	bool random;
	bool load;
	uint64_t misalign; /* bytes */
	const char *sweep; /* key=from:to:step */
};

/* of submit and top: the job that is submitted */
struct cli_submit_options {
	int32_t priority;
	const char *note;
	bool wait;
	bool wall;
};

/* of records and qc: which records; @expect: a head; @all: those of the service */
struct cli_records_options {
	const char *since;
	const char *until;
	const char *serial;
	const char *bay;
	const char *outcome;
	const char *expect;
	uint32_t limit;
	bool all;
	bool csv;
};

#endif
