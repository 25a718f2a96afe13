/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys of a topology file, in the order in which they are written, and what a disk is
 * when it has none of them.
 */
#include "station/keys.h"

#include "base/util.h"

#define NODE(m)       offsetof(struct station_node, m), sizeof(((struct station_node *)0)->m)
#define OF_LOAD(m)    offsetof(struct station_load, m), sizeof(((struct station_load *)0)->m)
#define OF_DISK(m)    offsetof(struct station_disk, m), sizeof(((struct station_disk *)0)->m)
#define OF_STATION(m) offsetof(struct dw_station, m), sizeof(((struct dw_station *)0)->m)

const struct station_key station_keys[] = {
	{ IN_STATION, "title", KEY_TEXT, OF_STATION(title), { 0 } },
	{ IN_STATION, "host", KEY_TIME, OF_STATION(host_ns), { 0 } },
	{ IN_CONTROLLER | IN_BUS, "on", KEY_ON, NODE(on_name), { 0 } },
	{ IN_LINK | IN_CONTROLLER | IN_BUS, "rate", KEY_RATE, NODE(rate), { 0 } },
	{ IN_CONTROLLER | IN_BUS, "command", KEY_TIME, NODE(command_ns), { 0 } },
	{ IN_CONTROLLER, "buffer", KEY_SIZE, NODE(buffer), { 0 } },
	{ IN_CONTROLLER, "queue", KEY_NUMBER, NODE(queue), { 0 } },
	{ IN_CONTROLLER, "overflow", KEY_TIME, NODE(overflow_ns), { 0 } },
	{ IN_BUS, "mode", KEY_WORD, NODE(parallel), { "serial", "parallel" } },
	{ IN_BUS, "busy", KEY_WORD, NODE(retry), { "queue", "retry" } },
	{ IN_LINK | IN_CONTROLLER | IN_BUS, "assumed", KEY_TEXT, NODE(assumed), { 0 } },
	{ IN_LINK | IN_CONTROLLER | IN_BUS, "note", KEY_TEXT, NODE(note), { 0 } },
	{ IN_DISK, "on", KEY_ON, OF_DISK(on_name), { 0 } },
	{ IN_DISK, "count", KEY_NUMBER, OF_DISK(count), { 0 } },
	{ IN_DISK, "vendor", KEY_TEXT, OF_DISK(vendor), { 0 } },
	{ IN_DISK, "model", KEY_TEXT, OF_DISK(model), { 0 } },
	{ IN_DISK, "serial", KEY_TEXT, OF_DISK(serial), { 0 } },
	{ IN_DISK, "wwn", KEY_TEXT, OF_DISK(wwn), { 0 } },
	{ IN_DISK, "capacity", KEY_SIZE, OF_DISK(capacity), { 0 } },
	{ IN_DISK, "sector", KEY_SIZE, OF_DISK(sector), { 0 } },
	{ IN_DISK, "physical", KEY_SIZE, OF_DISK(physical), { 0 } },
	{ IN_DISK, "outer", KEY_RATE, OF_DISK(outer), { 0 } },
	{ IN_DISK, "inner", KEY_RATE, OF_DISK(inner), { 0 } },
	{ IN_DISK, "rpm", KEY_NUMBER, OF_DISK(rpm), { 0 } },
	{ IN_DISK, "actuators", KEY_NUMBER, OF_DISK(actuators), { 0 } },
	{ IN_DISK, "cache", KEY_WORD, OF_DISK(cache), { "off", "on" } },
	{ IN_DISK,
	  "cache-changeable",
	  KEY_WORD,
	  OF_DISK(cache_changeable),
	  { "no", "yes" } },
	{ IN_DISK, "buffer", KEY_SIZE, OF_DISK(buffer), { 0 } },
	{ IN_DISK, "seek", KEY_SEEK, OF_DISK(seek_track_ns), { 0 } },
	{ IN_DISK, "overhead", KEY_TIME, OF_DISK(overhead_ns), { 0 } },
	{ IN_DISK, "link", KEY_RATE, OF_DISK(link), { 0 } },
	{ IN_DISK, "write-same", KEY_WS, OF_DISK(ws), { 0 } },
	{ IN_DISK, "write-same-max", KEY_NUMBER, OF_DISK(ws_max), { 0 } },
	{ IN_DISK, "sanitize", KEY_TIME, OF_DISK(sanitize_ns), { 0 } },
	{ IN_DISK, "sanitize-block", KEY_TIME, OF_DISK(block_erase_ns), { 0 } },
	{ IN_DISK, "sanitize-crypto", KEY_TIME, OF_DISK(crypto_erase_ns), { 0 } },
	{ IN_DISK, "tagged", KEY_NUMBER, OF_DISK(tagged), { 0 } },
	{ IN_DISK, "max-transfer", KEY_SIZE, OF_DISK(max_transfer), { 0 } },
	{ IN_DISK, "jitter", KEY_SHARE, OF_DISK(jitter), { 0 } },
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of a list, which KEY_FAULT appends to */
	{ IN_DISK, "fault", KEY_FAULT, OF_DISK(fault), { 0 } },
	{ IN_DISK, "assumed", KEY_TEXT, OF_DISK(assumed), { 0 } },
	{ IN_DISK, "note", KEY_TEXT, OF_DISK(note), { 0 } },
	{ IN_LOAD, "on", KEY_ON, OF_LOAD(on_name), { 0 } },
	{ IN_LOAD, "users", KEY_NUMBER, OF_LOAD(users), { 0 } },
	{ IN_LOAD, "think", KEY_TIME, OF_LOAD(think_ns), { 0 } },
	{ IN_LOAD, "size", KEY_SIZE, OF_LOAD(size), { 0 } },
	{ IN_LOAD, "service", KEY_TIME, OF_LOAD(service_ns), { 0 } },
	{ IN_LOAD, "varies", KEY_WORD, OF_LOAD(random), { "no", "yes" } },
};

const size_t station_n_keys = DW_ARRAY_SIZE(station_keys);

const struct station_word station_sections[6] = {
	{ "station", IN_STATION, 0, NULL },
	{ "link", IN_LINK, STATION_LINK, NULL },
	{ "controller", IN_CONTROLLER, STATION_CONTROLLER, NULL },
	{ "bus", IN_BUS, STATION_BUS, NULL },
	{ "disk", IN_DISK, 0, NULL },
	{ "load", IN_LOAD, 0, NULL },
};

const struct station_word station_faults[7] = {
	{ "unwritable", 0, STATION_UNWRITABLE, "unwritable LBA [BLOCKS]" },
	{ "unreadable", 0, STATION_UNREADABLE, "unreadable LBA [BLOCKS]" },
	{ "stall", 0, STATION_STALL, "stall AT FOR" },
	{ "reset", 0, STATION_RESET, "reset AT" },
	{ "remove", 0, STATION_REMOVE, "remove AT" },
	{ "slow", 0, STATION_SLOW, "slow SHARE AT" },
	{ "abort", 0, STATION_ABORT, "abort SHARE" },
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
