/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_STATION_KEYS_H
#define DW_STATION_KEYS_H

/* The one table of a topology file's keys: it is read by them, and written by them. */
#include "ini/ini.h"
#include "station/station.h"

/** enum station_own - keys that no other file has */
enum station_own { KEY_ON, KEY_SEEK, KEY_WS, KEY_FAULT };

extern const struct dw_ini_key station_keys[];
extern const size_t station_n_keys;

/** struct station_word - a fault's word and what it stands for */
struct station_word {
	const char *name;
	uint8_t kind;
	const char *usage;
};

extern const struct station_word station_faults[7];

/** station_node_words - sections of nodes, by their kind. */
extern const char *const station_node_words[3];

#endif
