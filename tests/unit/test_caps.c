/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk with several paths can do: what every one of them carries. */
#include "unit.h"

#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "codec/caps.h"

#define FLAG(name)                                                                       \
	{                                                                                \
#name, offsetof(struct dw_caps, name)                                    \
	}

struct member {
	const char *name;
	size_t at;
};

static bool *flag(struct dw_caps *c, const struct member *m)
{
	return (bool *)((char *)c + m->at);
}

static uint32_t *number(struct dw_caps *c, const struct member *m)
{
	return (uint32_t *)((char *)c + m->at);
}

/* joined with each other, either way round: the same is left */
static struct dw_caps join(struct dw_caps a, struct dw_caps b)
{
	struct dw_caps there = a, back = b;

	dw_caps_join(&there, &b);
	dw_caps_join(&back, &a);
	assert_memory_equal(&there, &back, sizeof(there));
	return there;
}

static struct dw_caps blank(void)
{
	struct dw_caps c;

	memset(&c, 0, sizeof(c)); /* what is between the members is compared, too */
	return c;
}

/* only what both paths can do */
static void abilities(void **state)
{
	static const struct member able[] = {
		FLAG(rw16),         FLAG(verify),
		FLAG(fua),          FLAG(same.cdb10),
		FLAG(same.cdb16),   FLAG(same.ndob),
		FLAG(same.unmap),   FLAG(cache.sync10),
		FLAG(cache.sync16), FLAG(limit.max_bytes_probed),
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(able); i++)
		for (int both = 0; both < 4; both++) {
			struct dw_caps a = blank(), b = blank(), c;

			*flag(&a, &able[i]) = both & 1;
			*flag(&b, &able[i]) = both & 2;
			c = join(a, b);
			if (*flag(&c, &able[i]) != (both == 3))
				fail_msg("%s of %d", able[i].name, both);
		}
}

/* what one of them cannot do */
static void restrictions(void **state)
{
	static const struct member unable[] = { FLAG(narrow), FLAG(same.no_zero),
						FLAG(self.end_unknown) };

	for (size_t i = 0; i < DW_ARRAY_SIZE(unable); i++)
		for (int both = 0; both < 4; both++) {
			struct dw_caps a = blank(), b = blank(), c;

			*flag(&a, &unable[i]) = both & 1;
			*flag(&b, &unable[i]) = both & 2;
			c = join(a, b);
			if (*flag(&c, &unable[i]) != (both != 0))
				fail_msg("%s of %d", unable[i].name, both);
		}
}

/* the lesser limit; 0 is none that is known, and limits nothing */
static void limits(void **state)
{
	static const struct member most[] = {
		FLAG(limit.max_transfer),
		FLAG(limit.max_hw_bytes),
		FLAG(limit.soft_bytes),
		FLAG(limit.max_segments),
		FLAG(limit.max_segment_bytes),
		FLAG(limit.max_bytes),
		FLAG(same.max),
	};
	static const uint32_t t[][3] = {
		{ 0, 0, 0 }, { 0, 7, 7 }, { 5, 7, 5 }, { 5, 5, 5 }
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(most); i++)
		for (size_t k = 0; k < DW_ARRAY_SIZE(t); k++) {
			struct dw_caps a = blank(), b = blank(), c;

			*number(&a, &most[i]) = t[k][0];
			*number(&b, &most[i]) = t[k][1];
			c = join(a, b);
			if (*number(&c, &most[i]) != t[k][2])
				fail_msg("%s of %u and %u: %u", most[i].name, t[k][0],
					 t[k][1], *number(&c, &most[i]));
		}
}

/* what must suffice for both is the greater */
static void requirements(void **state)
{
	struct dw_caps a = blank(), b = blank();

	a.timeout_s = 30;
	b.timeout_s = 90;
	a.limit.dma_align = 4;
	b.limit.dma_align = 512;
	a = join(a, b);
	assert_int_equal(a.timeout_s, 90);
	assert_int_equal(a.limit.dma_align, 512);
}

/* an operation that only one path takes is none of the disk's, and the reason is told */
static void operations(void **state)
{
	struct dw_caps a = blank(), b = blank();

	a.self.operations =
		1 << DW_OPERATION_BLOCK_ERASE | 1 << DW_OPERATION_CRYPTO_ERASE;
	b.self.operations = 1 << DW_OPERATION_CRYPTO_ERASE | 1 << DW_OPERATION_OVERWRITE;
	b.self.not_offered = "a reason";
	b.self.not_secure = "another";
	a = join(a, b);
	assert_int_equal(a.self.operations, 1 << DW_OPERATION_CRYPTO_ERASE);
	assert_string_equal(a.self.not_offered, "a reason");
	assert_string_equal(a.self.not_secure, "another");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abilities),  cmocka_unit_test(restrictions),
		cmocka_unit_test(limits),     cmocka_unit_test(requirements),
		cmocka_unit_test(operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
