/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is true of each verb, as text. */
#include "unit.h"

#include "plan/op.h"

static const char golden[] = "write: extent work\n"
			     "write-same: extent work\n"
			     "read: extent work\n"
			     "flush: work\n"
			     "settle:\n"
			     "identify: asked\n"
			     "ready: asked\n"
			     "start: asked\n"
			     "lift: note\n"
			     "depth: note\n"
			     "operate: operation\n"
			     "poll: operation\n"
			     "reset: extent\n"
			     "power-cycle:\n"
			     "compare: extent\n";

static void verbs(void **state)
{
	char text[512] = "";
	size_t n = 0;

	(void)state;
	for (unsigned int v = 0; v < DW_VERB_COUNT; v++) {
		unsigned int f = dw_verb_flags(v);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s:%s%s%s%s%s\n",
				      dw_verb_name((enum dw_verb)v),
				      f & DW_VERB_HAS_EXTENT ? " extent" : "",
				      f & DW_VERB_IS_WORK ? " work" : "",
				      f & DW_VERB_IS_ASKED ? " asked" : "",
				      f & DW_VERB_IS_NOTE ? " note" : "",
				      f & DW_VERB_IS_OPERATION ? " operation" : "");
	}
	assert_string_equal(text, golden);
	assert_int_equal(dw_verb_flags(DW_VERB_COUNT), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
