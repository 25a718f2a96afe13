/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_GATE_H
#define DW_SCHED_GATE_H

/*
 * A gate that lets a job at the controller for a share of the time. It opens for a window:
 * every disk that is ready gets its commands, all at once, and when the last of them has
 * ended the gate stays shut until the share is kept. What the others see is a controller
 * that is away for that share, whatever disks and buses do inside a window.
 *
 *	credit grows by share x time, and shrinks by the time in which a command is on its
 *	way; the gate opens when it is not negative
 *
 * Windows are kept near @quantum_ns by the length of commands, and where short ones do not
 * suffice by their number, so that nobody waits long behind one.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_GATE_QUANTUM_NS UINT64_C(100000000) /* where nothing asks for less */
#define DW_GATE_CLIP_MIN   UINT64_C(65536)
#define DW_GATE_MOST       1000000u

/**
 * struct dw_gate - a gate; start from dw_gate_init()
 * @share: of the time, 0 = shut, 1 = always open
 * @quantum_ns: wanted length of a window, > 0
 * @clip_bytes: longest command now
 * @most: commands in a window now
 * @credit_ns: time that may be used; negative = that is owed
 * @last_ns: until when @credit_ns has been reckoned
 * @opened_ns: when the window began
 * @on_ns: time with a command on its way, in all
 * @largest: bytes of the window's longest command
 * @inside: commands on their way
 * @entered: commands of this window
 * @turn: disk that was served last, for whose turn it is when not all are
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

/** dw_gate_limits() - whether the gate holds anything back. */
bool dw_gate_limits(const struct dw_gate *g);

/** dw_gate_advance() - the time is @now_ns, which never runs backwards. */
void dw_gate_advance(struct dw_gate *g, uint64_t now_ns);

/** dw_gate_open() - whether a window may begin now. */
bool dw_gate_open(const struct dw_gate *g);

/** dw_gate_room() - commands that may still join the window that begins now. */
uint32_t dw_gate_room(const struct dw_gate *g);

/** dw_gate_opens_ns() - when it will open by itself; UINT64_MAX = not before a command has
 *  ended or the share is another, or it is open. */
uint64_t dw_gate_opens_ns(const struct dw_gate *g);

/** dw_gate_enter() - a data command of @bytes goes out to @disk, at the time of the last
 *  advance. */
void dw_gate_enter(struct dw_gate *g, uint32_t disk, uint64_t bytes);

/** dw_gate_leave() - one has ended, at the time of the last advance. */
void dw_gate_leave(struct dw_gate *g);

#endif
