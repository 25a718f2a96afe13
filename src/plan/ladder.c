/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels by NIST SP 800-88r1, Appendix A, "Magnetic Media" and "Flash Memory-Based Storage
 * Devices": purge of a magnetic disk is SANITIZE by overwrite or by crypto erase, purge of flash
 * is SANITIZE by block erase or by crypto erase, and writes of the host are clear. What the
 * tables do not name for a medium is clear here. r2 has no such tables and points to IEEE 2883.
 * A crypto erase purges only what the disk has encrypted, which only its maker knows. The same
 * tables name the enhanced SECURITY ERASE UNIT among the ways to purge an ATA disk that is
 * magnetic, and the normal one as clear. Format NVM is clear, as it need not reach what no
 * namespace shows.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "plan/ladder.h"

struct ladder_rung {
	enum dw_level level;
	const char *limit; /* why it is not purge */
};

#define PURGE                                                                            \
	{                                                                                \
		DW_LEVEL_PURGE, NULL                                                     \
	}
#define CLEAR(why)                                                                       \
	{                                                                                \
		DW_LEVEL_CLEAR, why                                                      \
	}
#define NOT_KNOWN "what stores its blocks is not known"
#define NORMAL    "a normal erase does not reach replaced blocks"
#define OF_FORMAT "a format need not reach what no namespace shows"

/* of any medium */
#define BLOCKING                                                                         \
	[DW_OPERATION_ATA_NORMAL] = CLEAR(NORMAL),                                       \
	[DW_OPERATION_FORMAT_USER] = CLEAR(OF_FORMAT),                                   \
	[DW_OPERATION_FORMAT_CRYPTO] = CLEAR(OF_FORMAT)

static const struct ladder_rung rungs[DW_MEDIUM_COUNT][DW_OPERATION_COUNT] = {
	[DW_MEDIUM_UNKNOWN] = {
		[DW_OPERATION_NONE] = CLEAR(NOT_KNOWN),
		[DW_OPERATION_OVERWRITE] = CLEAR(NOT_KNOWN ", it may be flash"),
		[DW_OPERATION_BLOCK_ERASE] = CLEAR(NOT_KNOWN ", it may be magnetic"),
		[DW_OPERATION_CRYPTO_ERASE] = PURGE,
		[DW_OPERATION_ATA_ENHANCED] = CLEAR(NOT_KNOWN ", it may be flash"),
		BLOCKING,
	},
	[DW_MEDIUM_MAGNETIC] = {
		[DW_OPERATION_NONE] = CLEAR("writes do not reach replaced blocks"),
		[DW_OPERATION_OVERWRITE] = PURGE,
		[DW_OPERATION_BLOCK_ERASE] = CLEAR("NIST names it for flash alone"),
		[DW_OPERATION_CRYPTO_ERASE] = PURGE,
		[DW_OPERATION_ATA_ENHANCED] = PURGE,
		BLOCKING,
	},
	[DW_MEDIUM_FLASH] = {
		[DW_OPERATION_NONE] = CLEAR("flash has blocks that writes do not reach"),
		[DW_OPERATION_OVERWRITE] = CLEAR("NIST names it for magnetic media alone"),
		[DW_OPERATION_BLOCK_ERASE] = PURGE,
		[DW_OPERATION_CRYPTO_ERASE] = PURGE,
		[DW_OPERATION_ATA_ENHANCED] = CLEAR("NIST names it for magnetic media alone"),
		BLOCKING,
	},
	[DW_MEDIUM_THIN] = {
		[DW_OPERATION_NONE] = CLEAR(NOT_KNOWN),
		[DW_OPERATION_OVERWRITE] = CLEAR(NOT_KNOWN),
		[DW_OPERATION_BLOCK_ERASE] = CLEAR(NOT_KNOWN),
		[DW_OPERATION_CRYPTO_ERASE] = CLEAR(NOT_KNOWN),
		[DW_OPERATION_ATA_ENHANCED] = CLEAR(NOT_KNOWN),
		BLOCKING,
	},
};

static const struct {
	const char *method;
	uint32_t allow; /* it is taken only if that is allowed */
	const char *word;
} ways[DW_OPERATION_COUNT] = {
	[DW_OPERATION_NONE] = { "zero", 0, NULL },
	[DW_OPERATION_OVERWRITE] = { "sanitize-overwrite", 0, NULL },
	[DW_OPERATION_BLOCK_ERASE] = { "sanitize-block", 0, NULL },
	[DW_OPERATION_CRYPTO_ERASE] = { "sanitize-crypto", DW_ALLOW_CRYPTO, "crypto" },
	[DW_OPERATION_ATA_NORMAL] = { "ata-normal", DW_ALLOW_ATA_SECURITY,
				      "ata-security" },
	[DW_OPERATION_ATA_ENHANCED] = { "ata-enhanced", DW_ALLOW_ATA_SECURITY,
					"ata-security" },
	[DW_OPERATION_FORMAT_USER] = { "nvme-format", 0, NULL },
	[DW_OPERATION_FORMAT_CRYPTO] = { "nvme-format-crypto", DW_ALLOW_CRYPTO,
					 "crypto" },
};

const char *dw_medium_name(enum dw_medium medium)
{
	static const char *const names[DW_MEDIUM_COUNT] = {
		[DW_MEDIUM_UNKNOWN] = "unknown",
		[DW_MEDIUM_MAGNETIC] = "magnetic",
		[DW_MEDIUM_FLASH] = "flash",
		[DW_MEDIUM_THIN] = "thin",
	};

	return names[medium];
}

enum dw_medium dw_medium_of(uint16_t rotation, bool thin)
{
	if (rotation > 1)
		return DW_MEDIUM_MAGNETIC;
	if (rotation == 1)
		return DW_MEDIUM_FLASH;
	return thin ? DW_MEDIUM_THIN : DW_MEDIUM_UNKNOWN;
}

static uint32_t allowed_by(const char *word, size_t len)
{
	for (size_t i = 0; i < DW_OPERATION_COUNT; i++)
		if (ways[i].word && len == strlen(ways[i].word) &&
		    !strncmp(word, ways[i].word, len))
			return ways[i].allow;
	return 0;
}

int dw_allow_parse(const char *list, uint32_t *ret)
{
	uint32_t bits = 0;

	for (const char *at = list; *list; at++) {
		size_t len = strcspn(at, ",");
		uint32_t bit = allowed_by(at, len);

		if (!bit)
			return -EINVAL;
		bits |= bit;
		at += len;
		if (!*at)
			break;
	}
	*ret = bits;
	return 0;
}

const char *dw_level_name(enum dw_level level)
{
	return level == DW_LEVEL_PURGE ? "purge" : "clear";
}

enum dw_level dw_ladder_level(enum dw_medium medium, enum dw_operation operation)
{
	return rungs[medium][operation].level;
}

const char *dw_ladder_limit(enum dw_medium medium, enum dw_operation operation)
{
	return rungs[medium][operation].limit;
}

const char *dw_ladder_method(enum dw_operation operation)
{
	return ways[operation].method;
}

const char *dw_ladder_allow(enum dw_operation operation)
{
	return ways[operation].word;
}

/* Gravest first. A rule without a level leaves none. Without a witness nothing is known of what a
 * disk reports that it did. */
bool dw_level_reached(const struct dw_level_case *c, enum dw_level *ret,
		      const char **ret_limit)
{
	bool own = c->operation != DW_OPERATION_NONE;
	bool read = c->verified == DW_VERIFIED_SAMPLE || c->verified == DW_VERIFIED_FULL;
	const struct {
		bool applies;
		bool none;
		const char *limit;
	} rules[] = {
		{ c->ended == DW_COMPLETE_NOT, true, "it is not erased" },
		{ c->ended == DW_COMPLETE_PARTS, true,
		  "not all of its blocks are known to be erased" },
		{ own && !c->witnessed, true,
		  "what the disk did by itself was not proven by reading" },
		{ !own && c->mapped, true,
		  "zeros that are mapped are not written over anything" },
		{ c->verified == DW_VERIFIED_PART, true,
		  "it was not read back as far as was asked" },
		{ c->hidden, false, "blocks are hidden that were not reached" },
		{ !own && !read, false, "it was not read back" },
		{ rungs[c->medium][c->operation].level == DW_LEVEL_CLEAR, false,
		  rungs[c->medium][c->operation].limit },
	};

	*ret_limit = NULL;
	for (size_t i = 0; i < DW_ARRAY_SIZE(rules) && !*ret_limit; i++) {
		if (!rules[i].applies)
			continue;
		*ret_limit = rules[i].limit;
		if (rules[i].none)
			return false;
	}
	*ret = *ret_limit ? DW_LEVEL_CLEAR : DW_LEVEL_PURGE;
	return true;
}

static bool is_there(const struct dw_ladder_disk *disk, const struct dw_ladder_want *want,
		     unsigned int o)
{
	return disk->offered & ~want->barred & 1u << o;
}

static bool is_allowed(const struct dw_ladder_want *want, unsigned int o)
{
	return !(ways[o].allow & ~want->allow);
}

static bool is_better(const struct dw_ladder_disk *disk, unsigned int o,
		      const struct dw_ladder_choice *than)
{
	if (disk->ns[o] != disk->ns[than->operation])
		return disk->ns[o] < disk->ns[than->operation];
	return dw_ladder_level(disk->medium, o) > than->level;
}

/* the shortest way that reaches @level */
static bool choose_of(const struct dw_ladder_disk *disk,
		      const struct dw_ladder_want *want, enum dw_level level,
		      struct dw_ladder_choice *ret)
{
	bool found = false;

	for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++) {
		if (!is_there(disk, want, o) || !is_allowed(want, o) ||
		    dw_ladder_level(disk->medium, o) < level ||
		    (found && !is_better(disk, o, ret)))
			continue;
		*ret = (struct dw_ladder_choice){
			.operation = (uint8_t)o, .level = dw_ladder_level(disk->medium, o)
		};
		found = true;
	}
	return found;
}

bool dw_ladder_choose(const struct dw_ladder_disk *disk,
		      const struct dw_ladder_want *want, struct dw_ladder_choice *ret)
{
	return choose_of(disk, want, want->level, ret) ||
	       (want->or_clear && choose_of(disk, want, DW_LEVEL_CLEAR, ret));
}

const char *dw_ladder_way(const struct dw_ladder_disk *disk, enum dw_operation operation,
			  char *buf, size_t size)
{
	char time[DW_UNIT_TEXT];

	snprintf(buf, size, "%s by %s, %s%s%s",
		 dw_level_name(dw_ladder_level(disk->medium, operation)),
		 ways[operation].method, disk->stated & 1u << operation ? "" : "about ",
		 dw_duration_format(disk->ns[operation], time, sizeof(time)),
		 disk->stated & 1u << operation ? " stated" : "");
	return buf;
}

/* one more way, as far as there is room for the whole of it */
static void append_way(char *buf, size_t size, const char *text)
{
	size_t used = strlen(buf);

	if (used + strlen(text) + 3 <= size)
		snprintf(buf + used, size - used, "; %s", text);
}

/* what is there and was not taken, and why */
static void add_other(const struct dw_ladder_disk *disk,
		      const struct dw_ladder_want *want, unsigned int o, char *buf,
		      size_t size)
{
	const char *limit = dw_ladder_limit(disk->medium, o);
	char text[160];

	if (limit && (want->level == DW_LEVEL_PURGE || !o))
		snprintf(text, sizeof(text), "%s reaches clear only: %s", ways[o].method,
			 limit);
	else if (!is_allowed(want, o))
		snprintf(text, sizeof(text), "by %s if %s is allowed", ways[o].method,
			 ways[o].word);
	else
		snprintf(text, sizeof(text), "or by %s", ways[o].method);
	append_way(buf, size, text);
}

/* whatever of it is barred or not allowed */
static bool can_purge(const struct dw_ladder_disk *disk)
{
	for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++)
		if (disk->offered & 1u << o &&
		    dw_ladder_level(disk->medium, o) == DW_LEVEL_PURGE)
			return true;
	return false;
}

const char *dw_ladder_reason(const struct dw_ladder_disk *disk,
			     const struct dw_ladder_want *want,
			     const struct dw_ladder_choice *choice, char *buf,
			     size_t size)
{
	if (choice)
		dw_ladder_way(disk, choice->operation, buf, size);
	else if (want->level == DW_LEVEL_PURGE && !can_purge(disk))
		snprintf(buf, size, "this disk cannot purge itself here");
	else
		snprintf(buf, size, "no allowed way to %s it",
			 dw_level_name(want->level));
	if (choice && choice->level < want->level)
		append_way(buf, size, "no purge is available, clear was accepted");
	for (unsigned int o = DW_OPERATION_COUNT; o-- > 0;)
		if (is_there(disk, want, o) && !(choice && choice->operation == o))
			add_other(disk, want, o, buf, size);
	return buf;
}
