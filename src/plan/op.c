/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/util.h"
#include "plan/op.h"

static const char *const class_names[DW_CLASS_COUNT] = {
	[DW_CLASS_OK] = "ok",
	[DW_CLASS_GIVEN_BACK] = "given-back",
	[DW_CLASS_RETRY] = "retry",
	[DW_CLASS_QUEUE_FULL] = "queue-full",
	[DW_CLASS_ATTENTION] = "attention",
	[DW_CLASS_RESET] = "reset",
	[DW_CLASS_MEDIUM] = "medium",
	[DW_CLASS_NOT_READY] = "not-ready",
	[DW_CLASS_NEEDS_START] = "needs-start",
	[DW_CLASS_TOO_BIG] = "too-big",
	[DW_CLASS_UNSUPPORTED] = "unsupported",
	[DW_CLASS_RANGE] = "range",
	[DW_CLASS_TIMEOUT] = "timeout",
	[DW_CLASS_HARDWARE] = "hardware",
	[DW_CLASS_RESERVED] = "reserved",
	[DW_CLASS_PROTECTED] = "protected",
	[DW_CLASS_GONE] = "gone",
	[DW_CLASS_FAILED] = "failed",
	[DW_CLASS_BUG] = "bug",
	[DW_CLASS_RUNNING] = "running",
	[DW_CLASS_UNSEEN] = "unseen",
};

static const char *const verb_names[DW_VERB_COUNT] = {
	[DW_VERB_WRITE] = "write",     [DW_VERB_WRITE_SAME] = "write-same",
	[DW_VERB_READ] = "read",       [DW_VERB_FLUSH] = "flush",
	[DW_VERB_SETTLE] = "settle",   [DW_VERB_IDENTIFY] = "identify",
	[DW_VERB_READY] = "ready",     [DW_VERB_START] = "start",
	[DW_VERB_LIFT] = "lift",       [DW_VERB_DEPTH] = "depth",
	[DW_VERB_OPERATE] = "operate", [DW_VERB_POLL] = "poll",
	[DW_VERB_RESET] = "reset",     [DW_VERB_CYCLE] = "power-cycle",
	[DW_VERB_COMPARE] = "compare",
};

static const uint8_t verb_flags[DW_VERB_COUNT] = {
	[DW_VERB_WRITE] = DW_VERB_HAS_EXTENT | DW_VERB_IS_WORK,
	[DW_VERB_WRITE_SAME] = DW_VERB_HAS_EXTENT | DW_VERB_IS_WORK,
	[DW_VERB_READ] = DW_VERB_HAS_EXTENT | DW_VERB_IS_WORK,
	[DW_VERB_RESET] = DW_VERB_HAS_EXTENT,
	[DW_VERB_COMPARE] = DW_VERB_HAS_EXTENT,
	[DW_VERB_FLUSH] = DW_VERB_IS_WORK,
	[DW_VERB_IDENTIFY] = DW_VERB_IS_ASKED,
	[DW_VERB_READY] = DW_VERB_IS_ASKED,
	[DW_VERB_START] = DW_VERB_IS_ASKED,
	[DW_VERB_LIFT] = DW_VERB_IS_NOTE,
	[DW_VERB_DEPTH] = DW_VERB_IS_NOTE,
	[DW_VERB_OPERATE] = DW_VERB_IS_OPERATION,
	[DW_VERB_POLL] = DW_VERB_IS_OPERATION,
};

static const char *const operation_names[DW_OPERATION_COUNT] = {
	[DW_OPERATION_NONE] = "none",
	[DW_OPERATION_OVERWRITE] = "overwrite",
	[DW_OPERATION_BLOCK_ERASE] = "block erase",
	[DW_OPERATION_CRYPTO_ERASE] = "crypto erase",
	[DW_OPERATION_ATA_NORMAL] = "normal security erase",
	[DW_OPERATION_ATA_ENHANCED] = "enhanced security erase",
	[DW_OPERATION_FORMAT_USER] = "NVMe format",
	[DW_OPERATION_FORMAT_CRYPTO] = "NVMe crypto format",
};

const char *dw_operation_name(enum dw_operation o)
{
	return (unsigned int)o < DW_ARRAY_SIZE(operation_names) ? operation_names[o]
								: "?";
}

bool dw_operation_blocks(enum dw_operation o)
{
	return o >= DW_OPERATION_ATA_NORMAL && o < DW_OPERATION_COUNT;
}

bool dw_operation_secures(enum dw_operation o)
{
	return o == DW_OPERATION_ATA_NORMAL || o == DW_OPERATION_ATA_ENHANCED;
}

bool dw_operation_foretold(enum dw_operation o)
{
	return o == DW_OPERATION_OVERWRITE || o == DW_OPERATION_ATA_NORMAL;
}

unsigned int dw_verb_flags(unsigned int verb)
{
	return verb < DW_ARRAY_SIZE(verb_flags) ? verb_flags[verb] : 0;
}

const char *dw_class_name(enum dw_class c)
{
	return (unsigned int)c < DW_ARRAY_SIZE(class_names) ? class_names[c] : "?";
}

const char *dw_verb_name(enum dw_verb verb)
{
	return (unsigned int)verb < DW_ARRAY_SIZE(verb_names) ? verb_names[verb] : "?";
}
