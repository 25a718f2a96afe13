/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_GATE_H
#define DW_SCHED_GATE_H

/*
 * A gate gives a job the host adapter for a share of the time. It opens for a window: every disk
 * that is ready gets its commands, all at once. When the last of them has ended, the gate stays
 * shut until the share is kept. To others, the adapter is absent for that share of the time,
 * whatever happens inside a window.
 *
 *	credit grows by share x time, and shrinks by the time in which a command is in
 *	flight; the gate opens when it is not negative
 *
 * Windows are kept near @quantum_ns by the length of commands, and if short commands are not
 * enough, by their number, so that nobody waits long for the end of one.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_GATE_QUANTUM_NS UINT64_C(100000000) /* default */
#define DW_GATE_CLIP_MIN   UINT64_C(65536)
#define DW_GATE_MOST       1000000u

/**
 * struct dw_gate - a gate; start from dw_gate_init()
 * @share: of the time, 0 = shut, 1 = always open
 * @quantum_ns: wanted length of a window, > 0
 * @clip_bytes: present limit of the length of a command
 * @most: present limit of the number of commands in a window
 * @credit_ns: time that may be used; negative = time overused
 * @last_ns: time up to which @credit_ns is counted
 * @opened_ns: start of the window
 * @on_ns: total time with a command in flight
 * @largest: bytes of the window's longest command
 * @inside: commands in flight
 * @entered: commands of this window
 * @turn: the disk that was served last; if not all can be served, the next one is first
 */
struct dw_gate {
	double share;
	uint64_t quantum_ns;
	uint64_t clip_bytes;
	uint32_t most;
	double credit_ns;
	uint64_t last_ns;
	uint64_t opened_ns;
	uint64_t on_ns;
	uint64_t largest;
	uint32_t inside;
	uint32_t entered;
	uint32_t turn;
};

/** dw_gate_init() - @share 0..1, @quantum_ns > 0 (0: DW_GATE_QUANTUM_NS). */
void dw_gate_init(struct dw_gate *g, double share, uint64_t quantum_ns);

/** dw_gate_limits() - the gate holds commands back at all. */
bool dw_gate_limits(const struct dw_gate *g);

/** dw_gate_advance() - set the time to @now_ns, which never runs backwards. */
void dw_gate_advance(struct dw_gate *g, uint64_t now_ns);

/** dw_gate_open() - a window may begin now. */
bool dw_gate_open(const struct dw_gate *g);

/** dw_gate_room() - number of commands that the window which begins now may still take. */
uint32_t dw_gate_room(const struct dw_gate *g);

/** dw_gate_opens_ns() - when it opens by itself; UINT64_MAX = only after a command has ended or
 *  the share has changed, or it is open. */
uint64_t dw_gate_opens_ns(const struct dw_gate *g);

/** dw_gate_enter() - a data command of @bytes is sent to @disk, at the time of the last
 *  advance. */
void dw_gate_enter(struct dw_gate *g, uint32_t disk, uint64_t bytes);

/** dw_gate_leave() - a command has ended, at the time of the last advance. */
void dw_gate_leave(struct dw_gate *g);

#endif
