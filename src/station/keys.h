/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_STATION_KEYS_H
#define DW_STATION_KEYS_H

/* The one table of a topology file's keys: it is read by them, and written by them. */
#include "station/station.h"

enum station_section {
	IN_STATION = 1 << 0,
	IN_LINK = 1 << 1,
	IN_CONTROLLER = 1 << 2,
	IN_BUS = 1 << 3,
	IN_DISK = 1 << 4,
	IN_LOAD = 1 << 5
};

enum station_type {
	KEY_TEXT,
	KEY_SIZE,
	KEY_RATE,
	KEY_TIME,
	KEY_NUMBER,
	KEY_WORD,
	KEY_ON,
	KEY_SEEK,
	KEY_SHARE,
	KEY_WS,
	KEY_FAULT
};

/**
 * struct station_key - a row of the table
 * @sections: bits of enum section that have it
 * @offset, @size: where the value goes in the section's struct
 * @words: KEY_WORD: the word for false and the word for true
 */
struct station_key { /* NOLINT(clang-analyzer-optin.performance.Padding): a table, in its order */
	uint8_t sections;
	const char *name;
	uint8_t type;
	size_t offset;
	size_t size;
	const char *words[2];
};

extern const struct station_key station_keys[];
extern const size_t station_n_keys;

/** struct station_word - a word of the file and what it stands for */
struct station_word {
	const char *name;
	uint8_t section;
	uint8_t kind;
	const char *usage;
};

/* Sections: @section and, of nodes, @kind; faults: @kind and @usage. */
extern const struct station_word station_sections[6];
extern const struct station_word station_faults[7];

#endif
