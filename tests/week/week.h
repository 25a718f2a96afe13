/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_WEEK_WEEK_H
#define DW_TESTS_WEEK_WEEK_H

/*
 * A week of an erase station in virtual time. The service is the real one, main() included; it
 * lives in one process after the other. What it has around it is a model in memory that those
 * processes share: a clock (clock.c), bays and what comes into them (station.c), an engine
 * (engine.c), health, lights, motors, hooks and hot-plug (care.c), and callers (callers.c). All of
 * it happens while the service would wait, in one thread, and follows from a seed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/diskwipe.h>

#define SECOND ((uint64_t)1000000) /* times are microseconds of the virtual clock */
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define NEVER  UINT64_MAX

#define BAYS     64
#define PLACES   (BAYS + 2) /* with those of the machine's own disks */
#define DISKS    4096
#define ORDERS   32768
#define JOBS     8192
#define PER_HOST 16
#define START    4096 /* blocks whose loss the service remembers */
#define SAMPLES  (15 * 24)
#define RETURN   (3 * HOUR)
#define LIVES    1024

enum place_action { PLACE_NONE, PLACE_OFFER, PLACE_QUEUE, PLACE_ERASE };

enum disk_kind {
	DISK_USUAL,
	DISK_MOUNTED,
	DISK_PROTECTED,
	DISK_WRITE_PROTECTED,
	DISK_ZONED,
	DISK_NAMELESS, /* neither serial nor WWN: for a person to decide */
};

enum disk_fault { FAULT_NONE, FAULT_BLOCKS, FAULT_DEAD };

/**
 * struct week_disk - a disk
 * @info: who it is, and its nodes while it is somewhere
 * @place: -1 = nowhere; @before: the one before that
 * @signature: what it carries; @at_end: at its end
 * @contents: which these are: 1, 2 ...
 * @done: of its passes, one after the other, so many blocks are on the medium
 * @hole: something before that was never written
 * @fault_at: of its passes; @hot_from, @hot_until: it is too hot then
 * @came, @opened_until, @ready_at: into its place, others look at it, it has spun up; @left it
 * @cut_off: it was pulled at work, and has been in no place since whose disks wait for a person
 * @returns: NEVER = does not; @finished: it was told to be
 * @refits: it comes with other contents
 * @expected: since when it waits to be begun, NEVER = it does not
 * @asked: a caller has named it; @hooked: a hook has refused it
 * @claimed: the engine of this life has it
 * @stopped, @moving: its motor
 * @job, @job_contents, @job_signature: that began on it last, and what it carried then
 */
struct week_disk {
	struct dw_disk_info info;
	enum disk_kind kind;
	int place;
	int before;
	uint64_t rate;
	char signature[32];
	bool at_end;
	uint32_t contents;
	uint64_t done;
	bool hole;
	enum disk_fault fault;
	uint64_t fault_at;
	uint64_t hot_from;
	uint64_t hot_until;
	bool failing;
	uint64_t came;
	uint64_t left;
	uint64_t opened_until;
	uint64_t ready_at;
	bool cut_off;
	uint64_t returns;
	bool finished;
	bool refits;
	uint64_t expected;
	bool asked;
	bool hooked;
	bool claimed;
	bool stopped;
	bool moving;
	char job[37];
	uint32_t job_contents;
	char job_signature[32];
};

/** struct week_place - @disk: -1 = none; @next: when somebody comes by; @pull: and pulls it */
struct week_place {
	enum place_action action;
	int disk;
	uint64_t next;
	uint64_t pull;
	bool light[2];
};

/**
 * struct week_order - what came of an order; an attempt of the service has one in each life
 * @clean: all its blocks were written, on the medium, and read where that was asked for
 * @told: the service took its end
 * @refused_in: in that life a hook has refused it, or the disk has told in time that it fails
 */
struct week_order {
	int64_t id;
	int disk;
	char job[37];
	enum dw_outcome outcome;
	bool clean;
	bool told;
	unsigned refused_in;
};

/**
 * struct week_job - what callers know of a job
 * @name: its UUID
 * @acknowledged, @cancelled: they were told so
 * @touched: they have asked for something that keeps it from going on
 * @over: it has ended, and nothing comes any more that it could go on with
 */
struct week_job {
	char name[37];
	bool acknowledged;
	bool cancelled;
	bool touched;
	bool over;
};

enum life_end { LIFE_KILLED, LIFE_STOPPED, LIFE_BROKEN, LIFE_LAST };

/**
 * struct week_sample - of the process, in a life that is long enough
 * @rss_kib: memory of its own that is resident
 * @blocks: that it has from the heap, without those of SQLite, whose cache has a bound in bytes
 * @fds: descriptors
 */
struct week_sample {
	uint64_t at;
	uint64_t rss_kib;
	uint64_t blocks;
	unsigned fds;
};

/** struct week_life - a long one, by the clock on the wall */
struct week_life {
	uint64_t from;
	uint64_t until;
};

struct week_counts {
	unsigned arrivals;
	unsigned pulls;
	unsigned returns;
	unsigned exchanges;
	unsigned refits;
	unsigned orders;
	unsigned refusals;
	unsigned outcomes[8];
	unsigned lives;
	unsigned kills;
	unsigned stops;
	unsigned breaks;
	unsigned submits;
	unsigned acknowledged;
	unsigned asked;
	unsigned reloads;
	unsigned hooks;
	unsigned examined;
	unsigned motors;
	unsigned full;
	unsigned jumps;
	unsigned records;
	unsigned audits;
};

/**
 * struct week - all that outlives a process
 * @seed, @ends: of the week; @show: print what the service says
 * @quiet: nothing comes or goes any more, and all that waits is let go
 * @now: the clock that nobody sets; @wall: by how much the other one is before it
 * @life_end, @life_ends: how and when this life ends; @fuse: calls until then, 0 = not yet
 * @unattended, @unattended_at: the switch, and since when
 * @summer: many disks are hot, and the switch is turned each hour or two
 * @full_until: the medium of the store is full
 * @records: the service signs what it does
 * @sample, @n_samples: of the long life
 * @life, @n_lives: long enough to judge what comes within an hour
 * @n_wrong: so much was
 */
struct week {
	uint64_t seed;
	uint64_t ends;
	bool show;
	bool quiet;
	uint64_t now;
	uint64_t wall;
	uint64_t rng[4];
	enum life_end life_end;
	uint64_t life_began;
	uint64_t life_ends;
	unsigned fuse;
	bool life_long;
	bool unattended;
	uint64_t unattended_at;
	bool summer;
	bool spin_down;
	bool refuse_failing;
	bool hooks;
	bool metrics;
	bool records;
	bool etas;
	uint64_t switch_at;
	uint64_t full_at;
	uint64_t full_until;
	uint64_t jump_at;
	uint64_t check_at;
	uint64_t sample_at;
	char folder[128];
	struct week_disk disk[DISKS];
	int n_disks;
	struct week_place place[PLACES];
	struct week_order order[ORDERS];
	unsigned n_orders;
	struct week_job job[JOBS];
	unsigned n_jobs;
	struct week_sample sample[SAMPLES];
	unsigned n_samples;
	struct week_life life[LIVES];
	unsigned n_lives;
	struct week_counts count;
	unsigned n_wrong;
};

extern struct week *week;

enum week_stream { OF_STATION, OF_ENGINE, OF_CALLERS, OF_LIVES };

/** week_draw() - 0 ... @n - 1. */
uint64_t week_draw(enum week_stream of, uint64_t n);

/** week_odds() - true in @percent of the cases. */
bool week_odds(enum week_stream of, unsigned percent);

/** week_wrong() - something is not as it has to be. */
void week_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- proof.c ------------------------------------------------------------- */

/** proof_build() - the key, in a week with signed records; false: it cannot be made. */
bool proof_build(void);

/** proof_life() - a life is over. */
void proof_life(void);

/** judge_proof() - the signed records, against the store. */
void judge_proof(void);

/* --- clock.c ------------------------------------------------------------- */

/** week_wall() - what the clock on the wall shows at that time, microseconds since the epoch. */
uint64_t week_wall(uint64_t at);

/** week_life() - this process lives on the virtual clock from now on. */
void week_life(void);

/** week_reload() - the service hears that its configuration has changed, if it lives. */
void week_reload(void);

/** week_pipe() - a descriptor that sd-event can wait for; week_ring(), week_hush(). */
int week_pipe(void);
void week_ring(int fd);
void week_hush(int fd);

/* --- station.c ------------------------------------------------------------ */

/** station_build() - bays, the machine's own disks, and the configuration of the service. */
int station_build(void);

/** station_next() - when something happens there; station_advance() - let it happen. */
uint64_t station_next(void);
void station_advance(void);

/** station_list() - what a discovery finds now; malloc'd. */
struct dw_disk *station_list(size_t *ret);

/** station_disk() - the disk that is there with that identity and node, NULL = none. */
struct week_disk *station_disk(const struct dw_disk_info *info);

/** station_by_serial() - wherever it is; NULL = there is none. */
struct week_disk *station_by_serial(const char *serial);

/** station_erased() - some of it was: what it carried may not be seen any more. */
void station_erased(struct week_disk *d);

/* --- engine.c ------------------------------------------------------------- */

uint64_t engine_next(void);
void engine_advance(void);

/** engine_lost() - a disk was pulled; whether the engine had it. */
bool engine_lost(const struct week_disk *d);

/** engine_break() - the engine fails, as works.h has it. */
void engine_break(void);

/** engine_idle() - it has no order. */
bool engine_idle(void);

/** engine_order() - what is known of that attempt; @make, or NULL = nothing. */
struct week_order *engine_order(int64_t id, bool make);

/* --- care.c --------------------------------------------------------------- */

uint64_t care_next_time(void);
void care_advance(void);

/** hotplug_event() - something came or went. */
void hotplug_event(void);

/* --- callers.c ------------------------------------------------------------ */

/** callers_talk() - read and send what is there; whether there was anything. */
bool callers_talk(void);
uint64_t callers_next(void);
void callers_advance(void);

/** callers_satisfied() - all jobs have ended, and have had their time to go on. */
bool callers_satisfied(void);

/** callers_close() - the service has ended. */
void callers_close(void);

/** callers_job() - what is known of a job, by its UUID or path; made if there is nothing. */
struct week_job *callers_job(const char *name);

/* --- heap.c --------------------------------------------------------------- */

/** week_blocks() - how many the process has from the heap; 0 where a sanitizer has the heap. */
int64_t week_blocks(void);

/* --- judge.c -------------------------------------------------------------- */

/** judge_record() - what the store says, against what has happened. */
void judge_record(void);

/** judge_sample() - how large the process is. */
void judge_sample(void);

/** judge_growth() - whether that has stayed the same: against the mean of day 2, blocks within 2 %
 *  on each day, and what is resident within 5 % on the last. */
void judge_growth(void);

/** judge_mean() - the mean of the samples of the day that begins at @from. @at: the last of
 *  them; @fds: the most; false: that day is not over. */
bool judge_mean(uint64_t from, struct week_sample *ret);

#endif
