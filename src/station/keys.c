/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys of a topology file, in the order in which they are written, and what a disk is
 * when it has none of them.
 */
#include "station/keys.h"

#include "base/util.h"

#define NODES     "controller|bus"
#define ALL_NODES "link|controller|bus"

#define NODE(sections, name, kind, member, ...)                                          \
	DW_INI_KEY(sections, name, kind, struct station_node, member, __VA_ARGS__)
#define STATION(name, kind, member, ...)                                                 \
	DW_INI_KEY("station", name, kind, struct dw_station, member, __VA_ARGS__)
#define DISK(name, kind, member, ...)                                                    \
	DW_INI_KEY("disk", name, kind, struct station_disk, member, __VA_ARGS__)
#define LOAD(name, kind, member, ...)                                                    \
	DW_INI_KEY("load", name, kind, struct station_load, member, __VA_ARGS__)

static const char *const off_on[] = { "off", "on", NULL };
static const char *const serial_parallel[] = { "serial", "parallel", NULL };
static const char *const queue_retry[] = { "queue", "retry", NULL };

const struct dw_ini_key station_keys[] = {
	STATION("title", TEXT, title),
	STATION("host", TIME, host_ns),
	NODE(NODES, "on", OWN, on_name, .own = KEY_ON),
	NODE(ALL_NODES, "rate", RATE, rate),
	NODE(NODES, "command", TIME, command_ns),
	NODE("controller", "buffer", SIZE, buffer),
	NODE("controller", "queue", NUMBER, queue),
	NODE("controller", "overflow", TIME, overflow_ns),
	NODE("bus", "mode", WORD, parallel, .words = serial_parallel),
	NODE("bus", "busy", WORD, retry, .words = queue_retry),
	NODE(ALL_NODES, "assumed", TEXT, assumed),
	NODE(ALL_NODES, "note", TEXT, note),
	DISK("on", OWN, on_name, .own = KEY_ON),
	DISK("count", NUMBER, count),
	DISK("vendor", TEXT, vendor),
	DISK("model", TEXT, model),
	DISK("serial", TEXT, serial),
	DISK("wwn", TEXT, wwn),
	DISK("capacity", SIZE, capacity),
	DISK("sector", SIZE, sector),
	DISK("physical", SIZE, physical),
	DISK("outer", RATE, outer),
	DISK("inner", RATE, inner),
	DISK("rpm", NUMBER, rpm),
	DISK("actuators", NUMBER, actuators),
	DISK("cache", WORD, cache, .words = off_on),
	DISK("cache-changeable", WORD, cache_changeable, .words = dw_ini_no_yes),
	DISK("buffer", SIZE, buffer),
	DISK("seek", OWN, seek_track_ns, .own = KEY_SEEK),
	DISK("overhead", TIME, overhead_ns),
	DISK("link", RATE, link),
	DISK("write-same", OWN, ws, .own = KEY_WS),
	DISK("write-same-max", NUMBER, ws_max),
	DISK("compare", WORD, compare, .words = dw_ini_no_yes),
	DISK("sanitize", TIME, sanitize_ns),
	DISK("sanitize-block", TIME, block_erase_ns),
	DISK("sanitize-crypto", TIME, crypto_erase_ns),
	DISK("tagged", NUMBER, tagged),
	DISK("max-transfer", SIZE, max_transfer),
	DISK("jitter", SHARE, jitter),
	DISK("temperature", NUMBER, temperature),
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of a list, which KEY_FAULT appends to */
	DISK("fault", OWN, fault, .own = KEY_FAULT, .many = true),
	DISK("assumed", TEXT, assumed),
	DISK("note", TEXT, note),
	LOAD("on", OWN, on_name, .own = KEY_ON),
	LOAD("users", NUMBER, users),
	LOAD("think", TIME, think_ns),
	LOAD("size", SIZE, size),
	LOAD("service", TIME, service_ns),
	LOAD("varies", WORD, random, .words = dw_ini_no_yes),
};

const size_t station_n_keys = DW_ARRAY_SIZE(station_keys);

_Static_assert(DW_ARRAY_SIZE(station_keys) <= DW_INI_KEYS_MAX, "struct dw_ini.given");

const struct station_word station_faults[7] = {
	{ "unwritable", STATION_UNWRITABLE, "unwritable LBA [BLOCKS]" },
	{ "unreadable", STATION_UNREADABLE, "unreadable LBA [BLOCKS]" },
	{ "stall", STATION_STALL, "stall AT FOR" },
	{ "reset", STATION_RESET, "reset AT" },
	{ "remove", STATION_REMOVE, "remove AT" },
	{ "slow", STATION_SLOW, "slow SHARE AT" },
	{ "abort", STATION_ABORT, "abort SHARE" },
};

const char *const station_node_words[3] = {
	[STATION_LINK] = "link",
	[STATION_CONTROLLER] = "controller",
	[STATION_BUS] = "bus",
};

void station_disk_init(struct station_disk *d)
{
	*d = (struct station_disk){
		.count = 1,
		.vendor = "SIM",
		.model = "DISK",
		.sector = 512,
		.buffer = 16 * DW_MIB,
		.seek_track_ns = DW_NS_PER_MS,
		.seek_full_ns = 16 * DW_NS_PER_MS,
		.overhead_ns = 50000,
		.tagged = 64,
		.max_transfer = 4 * DW_MIB,
	};
}
