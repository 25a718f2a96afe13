/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_LADDER_H
#define DW_PLAN_LADDER_H

/*
 * Which way of erasing reaches which level on which medium, and which of them is taken: one
 * that reaches the level that is asked for, then the shortest. The levels are those of NIST
 * SP 800-88r1.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/job.h>
#include <diskwipe/level.h>

#include "plan/op.h"

/** enum dw_medium - what stores the blocks */
enum dw_medium {
	DW_MEDIUM_UNKNOWN,  /* it states no rotation rate */
	DW_MEDIUM_MAGNETIC, /* it rotates */
	DW_MEDIUM_FLASH,    /* it states that it does not rotate */
	DW_MEDIUM_THIN, /* no rotation rate, and blocks that are provisioned as needed */
	DW_MEDIUM_COUNT,
};

/** dw_medium_name() - "magnetic"; static. */
const char *dw_medium_name(enum dw_medium medium);

/** dw_medium_of() - @rotation as of struct dw_caps; @thin: provisioning is managed. */
enum dw_medium dw_medium_of(uint16_t rotation, bool thin);

#define DW_ALLOW_CRYPTO       1u
#define DW_ALLOW_ATA_SECURITY 2u

/**
 * dw_allow_parse() - what a choice may use beyond what is used unasked
 * @list: words, separated by commas: "crypto", "ata-security"; empty = nothing
 * @ret: DW_ALLOW_..., ORed; not written on error
 *
 * Return: 0, -EINVAL.
 */
int dw_allow_parse(const char *list, uint32_t *ret);

/**
 * struct dw_ladder_disk - a disk and the ways to erase it; way DW_OPERATION_NONE, with bit 0, is
 * overwriting by the host
 * @medium: enum dw_medium
 * @offered: bits 1 << enum dw_operation
 * @stated: of these, the disk states the time
 * @ns: time of each way, stated or forecast
 */
struct dw_ladder_disk {
	enum dw_medium medium;
	uint32_t offered;
	uint32_t stated;
	uint64_t ns[DW_OPERATION_COUNT];
};

/**
 * struct dw_ladder_want - what is asked for
 * @level: the least
 * @or_clear: where no way reaches that level, clear will do
 * @allow: DW_ALLOW_..., ORed
 * @barred: bits 1 << enum dw_operation that cannot be used
 */
struct dw_ladder_want {
	enum dw_level level;
	bool or_clear;
	uint32_t allow;
	uint32_t barred;
};

/** struct dw_ladder_choice - enum dw_operation, and the level that it reaches */
struct dw_ladder_choice {
	uint8_t operation;
	enum dw_level level;
};

/** enum dw_completeness - how a disk came to its end */
enum dw_completeness {
	DW_COMPLETE_NOT,   /* failed, stopped, pulled, refused, only compared */
	DW_COMPLETE_PARTS, /* blocks remain that are not known to be erased */
	DW_COMPLETE_WHOLE,
};

/**
 * struct dw_level_case - what became of a disk, as far as its level depends on it
 * @medium, @operation: DW_OPERATION_NONE is overwriting by the host
 * @ended: enum dw_completeness
 * @mapped: zeros came by WRITE SAME on flash or on thin blocks, which may only have been unmapped
 * @hidden: blocks are hidden that were not shown again
 * @witnessed: DW_OPERATION_NONE is not meant: what the disk did was proven by reading, before and
 *	after it
 * @verified: enum dw_verified of the last pass
 */
struct dw_level_case {
	enum dw_medium medium;
	enum dw_operation operation;
	enum dw_completeness ended;
	bool mapped;
	bool hidden;
	bool witnessed;
	enum dw_verified verified;
};

/**
 * dw_level_reached() - the level that a disk has in the end; the only place where that is decided
 * @ret: the level; not written when none is reached
 * @ret_limit: why it is no higher; static, NULL = it is purge
 *
 * Of several reasons the gravest is reported. docs/records.md has the cases as a table.
 *
 * Return: true when a level is reached.
 */
bool dw_level_reached(const struct dw_level_case *c, enum dw_level *ret,
		      const char **ret_limit);

/** dw_level_name() - "clear", "purge"; static. */
const char *dw_level_name(enum dw_level level);

/** dw_ladder_level() - the level that a way reaches on a medium. */
enum dw_level dw_ladder_level(enum dw_medium medium, enum dw_operation operation);

/** dw_ladder_limit() - why a way does not reach purge on a medium; static, NULL = it does. */
const char *dw_ladder_limit(enum dw_medium medium, enum dw_operation operation);

/** dw_ladder_method() - name of the method that erases by @operation, "zero" of
 *  DW_OPERATION_NONE; static. */
const char *dw_ladder_method(enum dw_operation operation);

/** dw_ladder_allow() - word of dw_allow_parse() without which a way is not chosen; static, NULL =
 *  it is. */
const char *dw_ladder_allow(enum dw_operation operation);

/**
 * dw_ladder_choose() - the way that is taken
 * @ret: not written when there is none
 *
 * Of equal times the higher level counts, then the order of enum dw_operation. A crypto erase, and
 * a security erase, which sets a password, are taken only if @want allows them.
 *
 * Return: true when a way reaches the level, or clear if that will do.
 */
bool dw_ladder_choose(const struct dw_ladder_disk *disk,
		      const struct dw_ladder_want *want, struct dw_ladder_choice *ret);

/**
 * dw_ladder_way() - a way in words: "purge by sanitize-block, 2 min stated"
 * @buf: at least 160 bytes; returned
 */
const char *dw_ladder_way(const struct dw_ladder_disk *disk, enum dw_operation operation,
			  char *buf, size_t size);

/**
 * dw_ladder_reason() - the choice and what else there is, in one line
 * @choice: as dw_ladder_choose() made it; NULL = there is none
 * @buf: at least 256 bytes; returned
 */
const char *dw_ladder_reason(const struct dw_ladder_disk *disk,
			     const struct dw_ladder_want *want,
			     const struct dw_ladder_choice *choice, char *buf,
			     size_t size);

#endif
