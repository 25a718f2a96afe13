/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a device's answers, and how the names in them are hidden. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "device/capture.h"

struct answer {
	const char *cdb;
	const void *data;
	size_t len, room; /* arrived, of so many */
	uint8_t status;
	const char *sense;
	uint16_t host;
};

static void note(struct dw_capture *c, const struct answer *a)
{
	uint8_t buf[1024] = { 0 };
	struct dw_cmd cmd = { .dir = a->room ? DW_DIR_IN : DW_DIR_NONE,
			      .data = buf,
			      .data_len = (uint32_t)a->room };
	struct dw_completion done = { .cmd = &cmd,
				      .status = a->status,
				      .host_status = a->host,
				      .resid = (int32_t)(a->room - a->len) };

	if (a->len)
		memcpy(buf, a->data, a->len);
	cmd.cdb_len = (uint8_t)unhex(a->cdb, cmd.cdb, sizeof(cmd.cdb));
	if (a->sense)
		done.sense_len = (uint8_t)unhex(a->sense, done.sense, sizeof(done.sense));
	dw_capture_note(c, &cmd, &done);
}

static char *text_of(const struct dw_capture *c)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	dw_capture_write(c, f);
	assert_int_equal(0, fclose(f));
	return text;
}

static void test_keeps(void **state)
{
	static const struct answer answers[] = {
		{ "12 01 80 00 fc 00",
		  "\0\x80\0\x02"
		  "AB",
		  6, 252, 0, NULL, 0 },
		{ "12 01 80 00 04 00", "\0\x80\0\x02", 4, 4, 0, NULL, 0 }, /* shorter */
		{ "12 01 83 00 fc 00", NULL, 0, 252, 2,
		  "70 00 05 00 00 00 00 0a 00 00 00 00 24 00", 0 },
		{ "00 00 00 00 00 00", NULL, 0, 0, 0, NULL, 0 }, /* as the shelf */
		{ "4d 00 40 00 00 00 00 00 40 00", NULL, 0, 64, 2,
		  "70 00 06 00 00 00 00 0a 00 00 00 00 29 00", 0 }, /* passes */
		{ "88 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00", "secret!!", 8, 512,
		  0, NULL, 0 },
		{ "28 00 00 00 00 00 00 00 01 00", "secret!!", 8, 512, 0, NULL, 0 },
		{ "5e 00 00 00 00 00 00 00 08 00", NULL, 0, 8, 0x18, NULL, 0 },
	};
	struct dw_capture *c = dw_capture_new();
	char *text;

	assert_non_null(c);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		note(c, &answers[i]);
	assert_false(dw_capture_silent(c));
	text = text_of(c);
	assert_string_equal(
		text,
		"answer disk=0 cdb=\"12 01 80\" data=\"00 80 00 02 41 42\"\n"
		"answer disk=0 cdb=\"12 01 83\" raw=\"70 00 05 00 00 00 00 0a 00 00 00 "
		"00 24 00\"\n"
		"answer disk=0 cdb=\"5e 00\" status=0x18\n");
	free(text);
	note(c, &(struct answer){ .cdb = "a3 0c 00 00 00 00 00 00 20 00 00 00",
				  .room = 32,
				  .host = 8 });
	assert_true(dw_capture_silent(c));
	text = text_of(c);
	assert_non_null(strstr(text, "cdb=\"a3 0c 00 00 00 00\" response=reset\n"));
	free(text);
	dw_capture_free(c);
}

/* hex digits of what follows, with the blanks between bytes as they are written */
static bool has(const char *text, const void *bytes, size_t n)
{
	char *flat = malloc(strlen(text) + 1), hex[128], *to = flat;
	bool found;

	assert_non_null(flat);
	for (; *text; text++)
		if (!strchr(" \\\n\t", *text))
			*to++ = *text;
	*to = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", ((const uint8_t *)bytes)[i]);
	found = strstr(flat, hex);
	free(flat);
	return found;
}

static void test_hides(void **state)
{
	static const char serial[] = "WD-WX72D8K"; /* and one of an odd length */
	static const uint8_t names[] = {
		0,    0x83, 0,    42,   1,   3,   0,   8,   0x50, 1,   0x4e, 0xe2,
		0xb8, 0xf3, 0xa7, 0xc5, 2,   1,   0,   26,  'A',  'T', 'A',  ' ',
		' ',  ' ',  ' ',  ' ',  'W', 'D', 'C', ' ', 'M',  'O', 'D',  ' ',
		'W',  'D',  '-',  'W',  'X', '7', '2', 'D', '8',  'K',
	};
	static const char name[] = "naa.50014EE2B8F3A7C5";
	uint8_t ata[572] = { 0, 0x89, 2, 0x38 }, page[] = "\0\x80\0\x0aWD-WX72D8K";
	uint8_t swapped[10], inquiry[96] = { [4] = 91 }, sum = 0;
	struct dw_capture *c = dw_capture_new();
	char *before, *after;

	assert_non_null(c);
	for (size_t i = 0; i < 10; i++)
		ata[60 + 20 + i] = swapped[i] = (uint8_t)serial[i ^ 1];
	memset(ata + 60 + 30, ' ', 10);
	for (size_t i = 60; i < 571; i++)
		sum = (uint8_t)(sum + ata[i]);
	ata[571] = (uint8_t)-sum;
	memcpy(inquiry + 36, serial, 10);
	note(c, &(struct answer){ "12 01 83 00 fc 00", names, sizeof(names), 252, 0, NULL,
				  0 });
	note(c, &(struct answer){ "12 01 80 00 fc 00", page, 14, 252, 0, NULL, 0 });
	note(c, &(struct answer){ "12 01 89 02 3c 00", ata, 572, 572, 0, NULL, 0 });
	note(c, &(struct answer){ "12 00 00 00 60 00", inquiry, 96, 96, 0, NULL, 0 });
	note(c, &(struct answer){ "4d 00 50 00 00 00 00 00 60 00", name, 20, 96, 0, NULL,
				  0 });
	note(c, &(struct answer){ "12 01 c0 00 fc 00", "vendors!", 8, 252, 0, NULL, 0 });
	note(c, &(struct answer){ "5e 00 00 00 00 00 00 00 10 00", "hostkeys", 8, 16, 0,
				  NULL, 0 });
	before = text_of(c);
	assert_int_equal(0, dw_capture_hide(c));
	after = text_of(c);
	assert_true(has(before, serial, 10) && !has(after, serial, 10));
	assert_true(has(before, swapped, 10) && !has(after, swapped, 10));
	assert_true(has(before, names + 8, 8) && !has(after, names + 8, 8));
	assert_true(has(before, name + 4, 16) && !has(after, name + 4, 16));
	assert_true(has(before, "vendors!", 8) && !has(after, "vendors!", 8));
	assert_true(has(before, "hostkeys", 8) && !has(after, "hostkeys", 8));
	assert_true(has(after, names + 8, 3) &&
		    has(after, "WDC MOD", 7)); /* the company's */
	free(before);
	free(after);
	dw_capture_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps),
		cmocka_unit_test(test_hides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
