/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules: what is true of which disk, what is refused and where, and that no text whatever does
 * harm: random ones from the letters of the language, each evaluated if it is a rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "job/rule.h"

#define RANDOM_TEXTS 60000

static const struct dw_disk hdd = {
	.info = { .sg = "/dev/sg3",
		  .block = "/dev/sdc",
		  .scsi = true,
		  .host = 2,
		  .target = 5,
		  .vendor = "SEAGATE",
		  .model = "ST4000NM0023",
		  .revision = "0004",
		  .serial = "Z1Z2",
		  .wwn = "0x5000c50012345678",
		  .blocks = 7814037168,
		  .block_size = 512,
		  .rotation = 7200,
		  .transport = "sas",
		  .slot = "5:3" },
	.verdict = { .signatures = "gpt, ext4" },
};
static const struct dw_disk bare = { .info = { .sg = "/dev/sg9" } };

static bool is_true(const char *text, const struct dw_disk *d)
{
	struct cli_rule_error err;
	struct cli_rule *rule = NULL;
	bool yes;

	if (cli_rule_parse(text, &rule, &err)) {
		print_message("%s: at %zu: %s\n", text, err.at, err.reason);
		fail();
	}
	yes = cli_rule_matches(rule, d);
	cli_rule_free(rule);
	return yes;
}

static void test_true(void **state)
{
	static const char *const rules[] = {
		"transport=sas and size>=2TB and model~ST*",
		"TRANSPORT=SAS",
		"device=/dev/sdc",
		"device=/dev/sg3",
		"device~/dev/sd?",
		"size=4000787030016",
		"size<4.1TB and size>4TB",
		"size<=4000787030016 and size>=4000787030016",
		"size!=4TB",
		"block-size=512",
		"rotation=hdd and rotation!=ssd",
		"address=2:0:5:0",
		"slot='5:3'",
		"slot~'?*'",
		"signatures~*ext4*",
		"signatures=\"gpt, ext4\"",
		"not vendor=WDC",
		"not (vendor=WDC or vendor=HGST) and model~'ST*'",
		"vendor=WDC or transport=sas and model~ST*",
		"transport=sas or vendor=WDC and model=none",
		"not not serial=z1z2",
		" ( ( wwn~0x5000c5* ) ) ",
		"revision=0004",
		"vendor='seagate'and model~ST*",
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!is_true(rules[i], &hdd)) {
			print_message("not true: %s\n", rules[i]);
			fail();
		}
}

static void test_false(void **state)
{
	static const char *const rules[] = {
		"transport=sata",
		"transport!=sas",
		"device!=/dev/sdc",
		"size<2TB",
		"size>4000787030016",
		"size<4000787030016",
		"not size>1TB",
		"rotation=ssd",
		"model=ST",
		"model~T4*",
		"(vendor=WDC or transport=sas) and model=none",
		"vendor=SEAGATE and not transport=sas",
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (is_true(rules[i], &hdd)) {
			print_message("true: %s\n", rules[i]);
			fail();
		}
}

/* What a disk does not say is equal to nothing, less and greater than nothing. */
static void test_unknown(void **state)
{
	static const char *const lies[] = {
		"serial=x",   "serial~*", "size<1PB",     "size=0",       "size>=0",
		"address~2*", "slot~*",   "rotation=hdd", "rotation=ssd",
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
		assert_false(is_true(lies[i], &bare));
	assert_true(is_true("size!=1TB and serial!=x and rotation!=hdd", &bare));
	assert_true(is_true("not slot~'?*'", &bare));
}

static void test_errors(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		const char *reason;
	} wrong[] = {
		{ "", 0, "a key is missing" },
		{ "size", 4, "one of = != ~" },
		{ "size>=", 6, "a value is missing" },
		{ "size>=2XB", 6, "'2XB' is not a size" },
		{ "size~2", 4, "size is a number" },
		{ "model<A", 5, "model is no number" },
		{ "colour=red", 0, "no key 'colour'; there is device, serial" },
		{ "model=a b", 8, "'and' or 'or' is missing" },
		{ "model=a and", 11, "a key is missing" },
		{ "model=a and or model=b", 12, "no key 'or'" },
		{ "(model=a", 0, "this parenthesis is not closed" },
		{ "model=a)", 7, "'and' or 'or' is missing" },
		{ "model='a", 6, "this quote is not closed" },
		{ "model==a", 6, "a value is missing" },
		{ "rotation=7200", 9, "rotation is hdd or ssd" },
		{ "not", 3, "a key is missing" },
		{ "slot!=\"\"", 6,
		  "the value is empty; write slot~'?*' for any, not slot~'?*' for none" },
		{ "serial=''", 7, "the value is empty" },
		{ "wwn~''", 4, "the value is empty" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct cli_rule_error err = { 0 };
		struct cli_rule *rule = NULL;

		assert_int_equal(cli_rule_parse(wrong[i].text, &rule, &err), -EINVAL);
		if (err.at != wrong[i].at ||
		    strncmp(err.reason, wrong[i].reason, strlen(wrong[i].reason)) != 0) {
			print_message("%s: at %zu: %s\n", wrong[i].text, err.at,
				      err.reason);
			fail();
		}
	}
}

static void test_long(void **state)
{
	struct cli_rule_error err = { 0 };
	struct cli_rule *rule = NULL;
	char text[4096];

	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(cli_rule_parse(text, &rule, &err), -EINVAL);
	assert_string_equal(err.reason, "nested too deeply");
	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "model=", 6);
	assert_int_equal(cli_rule_parse(text, &rule, &err), -EINVAL);
	assert_string_equal(err.reason, "a value has at most 255 characters");
}

static void make_text(char *buf, size_t size)
{
	static const char *const pieces[] = {
		"size", "model", "transport", "and", "or",  "not", "(",  ")",   "=", "!=",
		"~",    "<",     ">=",        " ",   "'a'", "\"",  "x*", "2TB", " ", "[",
	};
	size_t len = 0, n = (size_t)(rand() % 14);

	buf[0] = '\0';
	for (size_t i = 0; i < n && len + 16 < size; i++) {
		const char *piece =
			pieces[(size_t)rand() % (sizeof(pieces) / sizeof(pieces[0]))];

		len += (size_t)sprintf(buf + len, "%s%s", piece, rand() % 2 ? " " : "");
	}
}

static void test_random(void **state)
{
	size_t good = 0;

	srand(7);
	for (size_t i = 0; i < RANDOM_TEXTS; i++) {
		struct cli_rule_error err = { 0 };
		struct cli_rule *rule = NULL;
		char text[256];
		int r;

		make_text(text, sizeof(text));
		r = cli_rule_parse(text, &rule, &err);
		assert_true(!r == !!rule);
		assert_true(r ? err.at <= strlen(text) && err.reason[0] : true);
		if (!r)
			good += 1 + cli_rule_matches(rule, &hdd);
		cli_rule_free(rule);
	}
	assert_true(good > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_true),    cmocka_unit_test(test_false),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_long),    cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
