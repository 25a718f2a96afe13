/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans are found again by what was agreed to: the document, and the tags of its disks. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "service/plans.h"

#define MANY 40 /* more than are kept */

static const char text[] = "{\"disks\": 2}\n";

/* A plan of two disks with these tags, which is kept; its digest. */
static const char *keep(const char *first, const char *second)
{
	struct kept_plan p = { .disk = calloc(2, sizeof(*p.disk)),
			       .asset = calloc(2, sizeof(*p.asset)),
			       .n = 2 };

	assert_non_null(p.disk);
	assert_non_null(p.asset);
	snprintf(p.asset[0].text, sizeof(p.asset[0].text), "%s", first);
	snprintf(p.asset[1].text, sizeof(p.asset[1].text), "%s", second);
	assert_int_equal(plan_digest(&p, text), 0);
	return plan_keep(&p);
}

static void tags_are_agreed_to(void **state)
{
	static const char *const tags[][2] = {
		{ "", "" },   { "A", "" },  { "", "A" },
		{ "A", "B" }, { "B", "A" }, { "AB", "" },
	};
	char digest[sizeof(tags) / sizeof(tags[0])][65];

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		const struct kept_plan *p;

		snprintf(digest[i], sizeof(digest[i]), "%s",
			 keep(tags[i][0], tags[i][1]));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(digest[i], digest[k]);
		p = plan_find(digest[i]);
		assert_non_null(p);
		assert_string_equal(p->asset[0].text, tags[i][0]);
		assert_string_equal(p->asset[1].text, tags[i][1]);
	}
	/* sha256sum of the document alone */
	assert_string_equal(
		digest[0],
		"8725f2dff44db30292e09c4d05f616589815355b557f75a3db593886f14f4a95");
}

static void the_newest_is_found(void **state)
{
	const char *first = keep("A", "B");
	const struct kept_plan *p = plan_find(first);
	char digest[65], other[16];

	snprintf(digest, sizeof(digest), "%s", first);
	keep("A", "B");
	assert_ptr_not_equal(plan_find(digest), p);
	for (int i = 0; i < MANY; i++) {
		snprintf(other, sizeof(other), "%d", i);
		keep("C", other);
	}
	assert_null(plan_find(digest));
	assert_null(plan_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_are_agreed_to),
		cmocka_unit_test(the_newest_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
