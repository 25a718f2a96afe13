/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_FAULT_H
#define DW_ENCLOSURE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer.h"
#include "sense.h"

/* Classes of commands a fault can be about (a bit each). */
#define DW_OP_READ   0x01u
#define DW_OP_WRITE  0x02u
#define DW_OP_WS     0x04u
#define DW_OP_VERIFY 0x08u
#define DW_OP_SYNC   0x10u
#define DW_OP_UNMAP  0x20u
#define DW_OP_OTHER  0x40u
#define DW_OP_MEDIA  0x3fu

enum dw_fault_kind {
	DW_FAULT_MEDIUM,
	DW_FAULT_CHECK,
	DW_FAULT_STATUS,
	DW_FAULT_UA,
	DW_FAULT_STALL,
	DW_FAULT_SLOW,
	DW_FAULT_TORN,
	DW_FAULT_DROP,
	DW_FAULT_CORRUPT,
	DW_FAULT_SHORT,
	DW_FAULT_RESPONSE,
	DW_FAULT_RESET,
	DW_FAULT_GONE,
	DW_FAULT_SWAP,
	DW_FAULT_CAPACITY,
	DW_FAULT_ANSWER,
};

/* One configured fault. */
struct dw_fault {
	enum dw_fault_kind kind;
	int disk; /* -1: every disk */
	unsigned int ops;
	bool by_opcode;      /* of operation codes, besides those of a class */
	uint8_t opcodes[32]; /* bit map */
	bool by_cdb;
	struct dw_cdb_pattern cdb;
	bool by_lba;
	uint64_t lo, hi;
	bool working; /* only while the disk does something by itself */
	bool worked;  /* only when it has done so */
	uint64_t nth, every, permille, over, min, max, after_ns, until_ns;
	int64_t left; /* how often it fires, -1 = always */
	struct dw_sense sense;
	bool info, done, lose, quiet;
	uint64_t heal, hold_ns, blocks, arg;
	uint8_t status, response;
	struct dw_answer *answer; /* the rule's */
	uint64_t seen, fired;
};

struct dw_faults {
	struct dw_fault *f;
	size_t n, cap;
	uint64_t rng;
};

/* A command as faults see it. */
struct dw_fault_query {
	unsigned int port, lu;
	unsigned int op;
	const uint8_t *cdb;
	bool by_lba;
	uint64_t lba, nlb;
	bool attention; /* the command will end with one that is pending */
	bool working, worked;
	uint64_t in_flight;
	uint64_t now_ns; /* since the start */
};

int dw_fault_parse(const char *args, struct dw_fault *ret_f);
int dw_answer_parse(const char *args, struct dw_fault *ret_f);
int dw_faults_add(struct dw_faults *s, const struct dw_fault *f);
void dw_faults_clear(struct dw_faults *s, int disk);
void dw_faults_deinit(struct dw_faults *s);
const struct dw_fault *dw_faults_match(struct dw_faults *s,
				       const struct dw_fault_query *q);
const struct dw_fault *dw_faults_bad(struct dw_faults *s, const struct dw_fault_query *q,
				     uint64_t *ret_lba);
int dw_faults_rewritten(struct dw_faults *s, unsigned int lu, uint64_t lba, uint64_t nlb);

#endif
