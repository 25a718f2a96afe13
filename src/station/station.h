/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_STATION_STATION_H
#define DW_STATION_STATION_H

/*
 * A station as its file describes it: links, controllers, buses and disks, and how they hang
 * together. Plain values; nothing here knows about time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diskwipe/simulate.h"

#define STATION_NAME    32
#define STATION_NONE    UINT32_MAX
#define STATION_WS_NONE UINT64_MAX
#define STATION_DISKS   100000 /* at most, counted singly */

enum station_kind { STATION_LINK, STATION_CONTROLLER, STATION_BUS };

/**
 * struct station_node - something that data pass through
 * @name, @line: of its section
 * @kind: enum station_kind
 * @on_name, @on: what it hangs on (next towards the host), STATION_NONE = the host
 * @rate: bytes per second, 0 = no limit
 * @command_ns: controller: its processor's time for a command; bus: arbitration
 * @buffer: controller: bytes, 0 = no limit
 * @queue: controller: commands it holds at once, 0 = no limit
 * @overflow_ns: controller: for each further load of a transfer longer than its buffer
 * @parallel: bus: a transfer lasts as long as the slower of bus and disk needs
 * @retry: bus: who finds it busy loses a revolution (else waits in a queue)
 * @assumed: keys whose values are guesses
 * @note: where values come from
 */
struct station_node {
	char name[STATION_NAME];
	uint32_t line;
	uint8_t kind;
	char on_name[STATION_NAME];
	uint32_t on;
	uint64_t rate;
	uint64_t command_ns;
	uint64_t buffer;
	uint64_t queue;
	uint64_t overflow_ns;
	bool parallel;
	bool retry;
	char assumed[128];
	char note[160];
};

enum station_fault_kind {
	STATION_UNWRITABLE, /* @lba, @nlb */
	STATION_UNREADABLE, /* @lba, @nlb */
	STATION_STALL,      /* from @at_ns for @for_ns nothing moves */
	STATION_RESET,      /* at @at_ns; the volatile cache is lost */
	STATION_REMOVE,     /* at @at_ns */
	STATION_SLOW,       /* from @at_ns the medium has @share of its rate */
	STATION_ABORT,      /* each command with a chance of @share */
};

/** struct station_fault - something that goes wrong with a disk; times since the start */
struct station_fault {
	uint8_t kind;
	uint64_t at_ns;
	uint64_t for_ns;
	uint64_t lba;
	uint64_t nlb;
	double share;
};

/**
 * struct station_disk - a disk, or several of one kind
 * @name, @line: of its section; several are called NAME-1, NAME-2 ...
 * @count: how many
 * @on_name, @on, @n_on: one or two paths
 * @serial, @wwn: of a real disk, empty = any; only where @count is 1
 * @blocks: capacity in sectors
 * @sector, @physical: bytes of a logical and of a physical block
 * @outer, @inner: bytes per second at the first and at the last block
 * @rpm: revolutions per minute, 0 = no rotating medium
 * @actuators: each reaches an equal part of the blocks, in their order; 0 and 1 = all by one
 * @cache: volatile write cache on; @cache_changeable: a job may change that
 * @buffer: bytes
 * @seek_track_ns, @seek_full_ns: to the next track, over the whole disk
 * @overhead_ns: of a command in the disk
 * @link: bytes per second of its interface, 0 = no limit
 * @ws: bytes per second of WRITE SAME, 0 = as the medium, STATION_WS_NONE = not supported
 * @sanitize_ns, @block_erase_ns, @crypto_erase_ns: time in which it overwrites itself, erases its
 *	blocks, or changes its key when it is told to; 0 = not supported
 * @ws_max: longest WRITE SAME in blocks, 0 = not reported
 * @temperature: at rest, degrees Celsius; 0 = not given. In real time alone
 * @compare: VERIFY compares all blocks with one that is sent (BYTCHK 11b)
 * @tagged: commands it takes at once, beyond that TASK SET FULL
 * @max_transfer: longest data transfer in bytes
 * @jitter: media times vary by that share up and down
 * @assumed: keys whose values are guesses
 * @note: where values come from
 *
 * Flat, as the section of the file is: the table of keys.c has a row for each member, and nothing
 * reads a part of them without the rest.
 */
struct station_disk {
	char name[STATION_NAME];
	uint32_t line;
	uint64_t count;
	char on_name[2][STATION_NAME];
	uint32_t on[2];
	uint32_t n_on;
	char vendor[9];
	char model[48];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	uint64_t capacity;
	uint64_t blocks;
	uint64_t sector;
	uint64_t physical;
	uint64_t outer;
	uint64_t inner;
	uint64_t rpm;
	uint64_t actuators;
	bool cache;
	bool cache_changeable;
	uint64_t buffer;
	uint64_t seek_track_ns;
	uint64_t seek_full_ns;
	uint64_t overhead_ns;
	uint64_t link;
	uint64_t ws;
	uint64_t ws_max;
	bool compare;
	uint64_t sanitize_ns;
	uint64_t block_erase_ns;
	uint64_t crypto_erase_ns;
	uint64_t tagged;
	uint64_t max_transfer;
	uint64_t temperature;
	double jitter;
	struct station_fault *fault;
	uint32_t n_faults;
	char assumed[128];
	char note[160];
};

/**
 * struct station_load - other work: users with a disk of their own, which is not erased
 * @name, @line: of its section
 * @on_name, @on: what the disk hangs on
 * @users: how many
 * @think_ns: mean time from an answer to the next request, exponential
 * @size: bytes of a request
 * @service_ns: of the disk for a request; exponential with that mean if @random
 */
struct station_load {
	char name[STATION_NAME];
	uint32_t line;
	char on_name[STATION_NAME];
	uint32_t on;
	uint64_t users;
	uint64_t think_ns;
	uint64_t size;
	uint64_t service_ns;
	bool random;
};

#define STATION_ACTUATORS 8
#define STATION_HOST_NS   10000 /* through SG_IO, with a thread for each disk */

/** struct dw_station - the whole; @n_units: disks counted singly, in the order of the file;
 *  @host_ns: CPU time of the host for a command, 0 = STATION_HOST_NS */
struct dw_station {
	char title[96];
	uint64_t host_ns;
	struct station_node *node;
	uint32_t n_nodes;
	struct station_disk *disk;
	uint32_t n_disks;
	uint32_t n_units;
	struct station_load *load;
	uint32_t n_loads;
};

/**
 * station_adapter() - what disks have to have in common to be scheduled together
 * @s: wired (station_check())
 * @d: a disk of it; of two paths the first counts
 *
 * Return: number of the node nearest to the host that is a controller, else of the one nearest
 *	to the host; @s->n_nodes where the disk hangs on nothing. At most @s->n_nodes.
 */
uint32_t station_adapter(const struct dw_station *s, const struct station_disk *d);

/** station_find_node() - the node of that name, STATION_NONE when there is none. */
uint32_t station_find_node(const struct dw_station *s, const char *name);

/** station_disk_init() - a disk with the values of keys that are not given. */
void station_disk_init(struct station_disk *d);

/** station_sector_ok() - can a disk have such a logical block? 512 to 4224, by 8 (520, 4160 ...) */
bool station_sector_ok(uint64_t bytes);

/** station_physical_ok() - and such a physical one? 2^n of them (READ CAPACITY(16)) */
bool station_physical_ok(uint64_t bytes, uint64_t sector);

/**
 * station_check() - resolve the wiring and refuse what cannot be
 * @s: as read
 * @err: what is wrong, and the line of its section if it was read from a file
 * Return: 0 or -EINVAL.
 */
int station_check(struct dw_station *s, struct dw_error *err);

#endif
