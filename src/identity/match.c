/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "Is this the same disk?" is asked at many places, of which each may trust other words: a format
 * changes the length, a power cycle in the midst of an operation takes the capacity away, another
 * firmware has another revision. What each compares is a row of one table.
 */
#include <diskwipe/identity.h>

#include <string.h>

/**
 * enum need - of one word of both
 * @ANY: it is not looked at
 * @EQUAL: it is equal, also where neither reports it
 * @REPORTED: it is equal, and reported
 * @IF_ASKED: it is equal if the second reports it
 * @IF_BOTH: it is equal if both report it
 * @NAMELESS: EQUAL of a first that has no name
 * @NAMELESS_IF_ASKED: IF_ASKED of a second that has no name
 */
enum need { ANY, EQUAL, REPORTED, IF_ASKED, IF_BOTH, NAMELESS, NAMELESS_IF_ASKED };

/** enum name_need - has it a serial number or a WWN? */
enum name_need { ANY_NAME, SOME_NAME, NO_NAME };

/**
 * struct rule - a row
 * @bytes: of blocks times their size
 * @names: of both
 */
struct rule {
	enum need serial, wwn, vendor, model, revision, designators, blocks, block_size,
		bytes;
	enum name_need names;
};

#define NAME_EQUAL .serial = EQUAL, .wwn = EQUAL

static const struct rule rules[] = {
	[DW_SAME_NAME] = { NAME_EQUAL },
	[DW_SAME_NAMED] = { NAME_EQUAL, .names = SOME_NAME },
	[DW_SAME_PRODUCT] = { NAME_EQUAL, .names = SOME_NAME, .model = EQUAL },
	[DW_SAME_MEDIUM] = { NAME_EQUAL, .names = SOME_NAME, .bytes = EQUAL },
	[DW_SAME_UNIT] = { .serial = REPORTED,
			   .wwn = EQUAL,
			   .vendor = EQUAL,
			   .model = EQUAL,
			   .designators = REPORTED,
			   .blocks = EQUAL,
			   .block_size = REPORTED },
	[DW_SAME_LOOKS] = { NAME_EQUAL, .names = NO_NAME, .vendor = EQUAL, .model = EQUAL,
			    .revision = EQUAL, .blocks = REPORTED, .block_size = EQUAL },
	[DW_SAME_CAPACITY] = { NAME_EQUAL, .blocks = EQUAL, .block_size = EQUAL },
	[DW_SAME_BUT_BLOCKS] = { NAME_EQUAL, .designators = EQUAL },
	[DW_SAME_BUT_CAPACITY] = { NAME_EQUAL, .vendor = EQUAL, .model = EQUAL,
				   .designators = EQUAL, .block_size = EQUAL },
	[DW_SAME_AT_NODE] = { NAME_EQUAL, .designators = IF_BOTH, .vendor = NAMELESS,
			      .model = NAMELESS, .revision = NAMELESS },
	[DW_SAME_SHOWN] = { NAME_EQUAL, .vendor = NAMELESS_IF_ASKED,
			    .model = NAMELESS_IF_ASKED, .revision = NAMELESS_IF_ASKED },
	[DW_SAME_GIVEN] = { .serial = IF_ASKED, .wwn = IF_ASKED },
};

struct dw_identity dw_identity_of(const struct dw_disk_info *info)
{
	return (struct dw_identity){ .serial = info->serial,
				     .wwn = info->wwn,
				     .vendor = info->vendor,
				     .model = info->model,
				     .revision = info->revision,
				     .designators = info->designators,
				     .blocks = info->blocks,
				     .block_size = info->block_size,
				     .name_shared = info->name_shared };
}

struct dw_identity dw_identity_named(const char *serial, const char *wwn)
{
	return (struct dw_identity){
		.serial = serial, .wwn = wwn, .vendor = "", .model = "", .revision = ""
	};
}

static bool is_named(const struct dw_identity *i)
{
	return i->serial[0] || i->wwn[0];
}

/** struct pair - what is compared */
struct pair {
	const struct dw_identity *a;
	const struct dw_identity *b;
};

/* @equal: that word of both; @first, @second: do they tell it? */
static bool is_met(const struct pair *p, enum need need, bool equal, bool first,
		   bool second)
{
	bool nameless = false;

	switch (need) {
	case ANY:
		return true;
	case EQUAL:
		return equal;
	case REPORTED:
		return equal && first;
	case IF_ASKED:
		return equal || !second;
	case IF_BOTH:
		return equal || !first || !second;
	case NAMELESS:
		nameless = !is_named(p->a) || p->a->name_shared;
		return equal || !nameless;
	case NAMELESS_IF_ASKED:
		nameless = !is_named(p->b) || p->b->name_shared;
		return equal || !nameless || !second;
	}
	return false;
}

static bool text_fits(const struct pair *p, enum need need, const char *a, const char *b)
{
	return is_met(p, need, !strcmp(a, b), a[0], b[0]);
}

static bool number_fits(const struct pair *p, enum need need, uint64_t a, uint64_t b)
{
	return is_met(p, need, a == b, a, b);
}

static bool names_fit(const struct pair *p, enum name_need names)
{
	return names == ANY_NAME || (is_named(p->a) == (names == SOME_NAME) &&
				     is_named(p->b) == (names == SOME_NAME));
}

bool dw_identity_match(const struct dw_identity *a, const struct dw_identity *b,
		       enum dw_identity_policy policy)
{
	const struct rule *r = &rules[policy];
	const struct pair p = { a, b };

	return names_fit(&p, r->names) &&
	       text_fits(&p, r->serial, a->serial, b->serial) &&
	       text_fits(&p, r->wwn, a->wwn, b->wwn) &&
	       text_fits(&p, r->vendor, a->vendor, b->vendor) &&
	       text_fits(&p, r->model, a->model, b->model) &&
	       text_fits(&p, r->revision, a->revision, b->revision) &&
	       number_fits(&p, r->designators, a->designators, b->designators) &&
	       number_fits(&p, r->blocks, a->blocks, b->blocks) &&
	       number_fits(&p, r->block_size, a->block_size, b->block_size) &&
	       number_fits(&p, r->bytes, a->blocks * a->block_size,
			   b->blocks * b->block_size);
}

bool dw_disk_match(const struct dw_disk_info *a, const struct dw_disk_info *b,
		   enum dw_identity_policy policy)
{
	const struct dw_identity x = dw_identity_of(a), y = dw_identity_of(b);

	return dw_identity_match(&x, &y, policy);
}
