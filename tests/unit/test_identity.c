/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two descriptions are of one disk, by each policy: pairs are drawn, and what a policy says
 * is compared with what a change of each word must do to it.
 */
#include "unit.h"

#include <diskwipe/identity.h>

#include "base/rng.h"
#include "base/util.h"

#define PAIRS 20000

/** struct described - owns the text of an identity */
struct described {
	char text[5][4];
	uint64_t number[3];
	bool shared;
};

enum { SERIAL, WWN, VENDOR, MODEL, REVISION };
enum { DESIGNATORS, BLOCKS, BLOCK_SIZE };

static struct dw_identity identity(const struct described *d)
{
	return (struct dw_identity){ .serial = d->text[SERIAL],
				     .wwn = d->text[WWN],
				     .vendor = d->text[VENDOR],
				     .model = d->text[MODEL],
				     .revision = d->text[REVISION],
				     .designators = d->number[DESIGNATORS],
				     .blocks = d->number[BLOCKS],
				     .block_size = (uint32_t)d->number[BLOCK_SIZE],
				     .name_shared = d->shared };
}

static bool match(const struct described *a, const struct described *b,
		  enum dw_identity_policy policy)
{
	const struct dw_identity x = identity(a), y = identity(b);

	return dw_identity_match(&x, &y, policy);
}

/* Few values, so that equal ones and those that are not told are frequent. */
static void draw(struct dw_rng *rng, struct described *d)
{
	static const uint64_t sizes[] = { 0, 512, 4096 };

	memset(d, 0, sizeof(*d));
	for (int i = 0; i < 5; i++)
		if (dw_rng_below(rng, 3))
			snprintf(d->text[i], sizeof(d->text[i]), "%c",
				 'a' + (int)dw_rng_below(rng, 2));
	d->number[DESIGNATORS] = dw_rng_below(rng, 3);
	d->number[BLOCKS] = 8 * dw_rng_below(rng, 3);
	d->number[BLOCK_SIZE] = sizes[dw_rng_below(rng, 3)];
	d->shared = !dw_rng_below(rng, 4);
}

static bool is_named(const struct described *d)
{
	return d->text[SERIAL][0] || d->text[WWN][0];
}

static bool same_text(const struct described *a, const struct described *b, int i)
{
	return !strcmp(a->text[i], b->text[i]);
}

static bool same_look(const struct described *a, const struct described *b)
{
	return same_text(a, b, VENDOR) && same_text(a, b, MODEL) &&
	       same_text(a, b, REVISION);
}

static bool not_denied(const struct described *a, const struct described *b, int i)
{
	return !b->text[i][0] || same_text(a, b, i);
}

static uint64_t bytes_of(const struct described *d)
{
	return d->number[BLOCKS] * d->number[BLOCK_SIZE];
}

/* The policies in the words of their description. */
static bool expected(const struct described *a, const struct described *b,
		     enum dw_identity_policy policy)
{
	const uint64_t *m = a->number, *n = b->number;
	bool name = same_text(a, b, SERIAL) && same_text(a, b, WWN);
	bool capacity = m[BLOCKS] == n[BLOCKS] && m[BLOCK_SIZE] == n[BLOCK_SIZE];
	bool product = same_text(a, b, VENDOR) && same_text(a, b, MODEL);
	bool whole = m[DESIGNATORS] == n[DESIGNATORS];

	switch (policy) {
	case DW_SAME_NAME:
		return name;
	case DW_SAME_NAMED:
		return name && is_named(a);
	case DW_SAME_PRODUCT:
		return name && is_named(a) && same_text(a, b, MODEL);
	case DW_SAME_MEDIUM:
		return name && is_named(a) && bytes_of(a) == bytes_of(b);
	case DW_SAME_UNIT:
		return name && a->text[SERIAL][0] && whole && m[DESIGNATORS] && product &&
		       capacity && m[BLOCK_SIZE];
	case DW_SAME_LOOKS:
		return !is_named(a) && !is_named(b) && m[BLOCKS] && capacity &&
		       same_look(a, b);
	case DW_SAME_CAPACITY:
		return name && capacity;
	case DW_SAME_BUT_BLOCKS:
		return name && whole;
	case DW_SAME_BUT_CAPACITY:
		return name && whole && product && m[BLOCK_SIZE] == n[BLOCK_SIZE];
	case DW_SAME_AT_NODE:
		return name && (whole || !m[DESIGNATORS] || !n[DESIGNATORS]) &&
		       ((is_named(a) && !a->shared) || same_look(a, b));
	case DW_SAME_SHOWN:
		return name && ((is_named(b) && !b->shared) ||
				(not_denied(a, b, VENDOR) && not_denied(a, b, MODEL) &&
				 not_denied(a, b, REVISION)));
	case DW_SAME_GIVEN:
		return not_denied(a, b, SERIAL) && not_denied(a, b, WWN);
	}
	return false;
}

static void pairs_that_are_drawn(void **state)
{
	unsigned int same[DW_IDENTITY_POLICIES] = { 0 };
	struct dw_rng rng;

	(void)state;
	dw_rng_seed(&rng, 32);
	for (int i = 0; i < PAIRS; i++) {
		struct described a, b, other;

		draw(&rng, &a);
		b = a;
		draw(&rng, &other);
		/* most of them differ in one word, or two */
		for (int k = (int)dw_rng_below(&rng, 3); k; k--) {
			int w = (int)dw_rng_below(&rng, 8);

			if (w < 5)
				memcpy(b.text[w], other.text[w], sizeof(b.text[w]));
			else
				b.number[w - 5] = other.number[w - 5];
		}
		for (int p = 0; p < DW_IDENTITY_POLICIES; p++) {
			bool is = match(&a, &b, (enum dw_identity_policy)p);

			if (is != expected(&a, &b, (enum dw_identity_policy)p))
				fail_msg("pair %d, policy %d: %d", i, p, is);
			same[p] += is;
		}
	}
	for (int p = 0; p < DW_IDENTITY_POLICIES; p++)
		assert_in_range(same[p], PAIRS / 100, PAIRS * 99 / 100);
}

/* What is one disk by the stricter policy is one by the laxer. */
static void policies_have_an_order(void **state)
{
	static const enum dw_identity_policy order[][2] = {
		{ DW_SAME_UNIT, DW_SAME_MEDIUM },
		{ DW_SAME_MEDIUM, DW_SAME_NAMED },
		{ DW_SAME_PRODUCT, DW_SAME_NAMED },
		{ DW_SAME_NAMED, DW_SAME_NAME },
		{ DW_SAME_CAPACITY, DW_SAME_NAME },
		{ DW_SAME_BUT_CAPACITY, DW_SAME_BUT_BLOCKS },
		{ DW_SAME_BUT_BLOCKS, DW_SAME_NAME },
		{ DW_SAME_AT_NODE, DW_SAME_NAME },
		{ DW_SAME_LOOKS, DW_SAME_AT_NODE },
		{ DW_SAME_NAME, DW_SAME_GIVEN },
	};
	struct dw_rng rng;

	(void)state;
	dw_rng_seed(&rng, 33);
	for (int i = 0; i < PAIRS; i++) {
		struct described a, b;

		draw(&rng, &a);
		draw(&rng, &b);
		b.number[DESIGNATORS] = a.number[DESIGNATORS];
		for (size_t k = 0; k < DW_ARRAY_SIZE(order); k++)
			if (match(&a, &b, order[k][0]))
				assert_true(match(&a, &b, order[k][1]));
	}
}

/* What a disk's own description has is what is compared. */
static void a_disk_is_itself(void **state)
{
	struct dw_disk_info a = { .serial = "S1",
				  .wwn = "0x5000c500a1b2c3d4",
				  .vendor = "ATA",
				  .model = "M",
				  .revision = "1",
				  .designators = 7,
				  .blocks = 1000,
				  .block_size = 512 },
			    b = a;

	(void)state;
	for (int p = 0; p < DW_IDENTITY_POLICIES; p++)
		assert_int_equal(p != DW_SAME_LOOKS,
				 dw_disk_match(&a, &b, (enum dw_identity_policy)p));
	snprintf(b.wwn, sizeof(b.wwn), "0x5000c500a1b2c3d5");
	for (int p = 0; p < DW_IDENTITY_POLICIES; p++)
		assert_false(dw_disk_match(&a, &b, (enum dw_identity_policy)p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_that_are_drawn),
		cmocka_unit_test(policies_have_an_order),
		cmocka_unit_test(a_disk_is_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
