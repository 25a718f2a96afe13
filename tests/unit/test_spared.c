/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions that break a device: each goes out once, and what follows is as if it said no. */
#include "device/ask.h"
#include "device/identity.h"
#include "scripted_disk.h"
#include "scsi/mode.h"
#include "scsi/vpd.h"
#include "transport/spared.h"
#include "unit.h"

#define TIME_OUT   3
#define NO_CONNECT 1
#define ABORT      5
#define ERROR      7
#define RESET      8

static struct dw_device device;
static struct scripted_disk disk;

static void begin(void)
{
	disk = scripted_plain;
	scripted_device(&disk, "sas", &device);
}

static void end(void)
{
	scripted_close(&device);
}

static int ask_rsoc(uint8_t opcode)
{
	struct dw_rsoc_one one;

	return dw_ask_opcode(&device, opcode, -1, &one);
}

/* One hang tells of the whole operation code, as long as none of its questions was answered. */
static void hang_is_met_once(void **state)
{
	static const uint16_t ends[] = { TIME_OUT, ERROR, RESET, ABORT };

	for (size_t i = 0; i < 4; i++) {
		begin();
		scripted_set(&disk, &(struct scripted_answer){
					    .cdb = "a3", .host = ends[i], .ms = 300 });
		for (uint8_t opcode = 0x80; opcode < 0xa0; opcode++)
			assert_true(ask_rsoc(opcode) < 0);
		assert_int_equal(1, scripted_asked(&disk, "a3"));
		end();
	}
}

static void nobody_there_is_no_hang(void **state)
{
	static const uint16_t ends[] = { NO_CONNECT, ABORT };

	for (size_t i = 0; i < 2; i++) {
		begin();
		scripted_set(&disk,
			     &(struct scripted_answer){ .cdb = "a3", .host = ends[i] });
		assert_true(ask_rsoc(0x88) < 0);
		scripted_set(&disk, &(struct scripted_answer){ .cdb = "a3",
							       .sense = "5/20/00" });
		ask_rsoc(0x88);
		assert_true(scripted_asked(&disk, "a3") > 0);
		end();
	}
}

/* MODE SENSE(10) hangs sticks to which (6) is well known. */
static void six_after_ten_hung(void **state)
{
	uint8_t buf[DW_ASK_MODE_LEN];
	size_t got;

	begin();
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "5a", .host = TIME_OUT });
	scripted_set(
		&disk,
		&(struct scripted_answer){
			.cdb = "1a",
			.data = "17 00 10 00 08 12 04 00 00 00 00 00 00 00 00 00 00 00 00 00"
				"00 00 00 00" });
	for (int i = 0; i < 3; i++)
		assert_int_equal(6, dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got));
	assert_int_equal(1, scripted_asked(&disk, "5a"));
	assert_int_equal(3, scripted_asked(&disk, "1a"));
	end();
}

/* A page that breaks a device keeps nobody from those that it has answered. */
static void other_pages_are_asked_for(void **state)
{
	uint8_t buf[DW_ASK_MODE_LEN];
	size_t got;

	begin();
	assert_int_equal(0, dw_ask_page(&device, DW_VPD_SERIAL, buf, 252, &got));
	scripted_set(&disk,
		     &(struct scripted_answer){ .cdb = "12 01 b1", .host = RESET });
	assert_true(dw_ask_page(&device, DW_VPD_CHARACTER, buf, 252, &got) < 0);
	assert_int_equal(1, dw_ask_page(&device, DW_VPD_CHARACTER, buf, 252, &got));
	assert_int_equal(1, scripted_asked(&disk, "12 01 b1"));
	assert_int_equal(0, dw_ask_page(&device, DW_VPD_SERIAL, buf, 252, &got));
	assert_int_equal(2, scripted_asked(&disk, "12 01 80"));
	/* standard data are always asked for, whatever became of it */
	scripted_set(&disk,
		     &(struct scripted_answer){ .cdb = "12 00", .host = TIME_OUT });
	for (int i = 0; i < 3; i++)
		assert_true(dw_ask_page(&device, -1, buf, 96, &got) < 0);
	assert_int_equal(3, scripted_asked(&disk, "12 00"));
	end();
}

/* A name that was told once is asked for again: else the disk would have lost it. */
static void names_that_were_told(void **state)
{
	static const char *const cdbs[] = { "12 01 80", "12 01 83" };
	uint8_t buf[252];
	size_t got;

	for (size_t i = 0; i < 2; i++) {
		int page = i ? DW_VPD_DESIGNATORS : DW_VPD_SERIAL;

		begin();
		assert_int_equal(0, dw_ask_page(&device, page, buf, 252, &got));
		scripted_set(&disk, &(struct scripted_answer){ .cdb = cdbs[i],
							       .host = TIME_OUT });
		for (int n = 1; n < 4; n++) {
			assert_true(dw_ask_page(&device, page, buf, 252, &got) < 0);
			assert_int_equal(n, scripted_asked(&disk, cdbs[i]));
		}
		end();
		/* one that never was is not */
		begin();
		scripted_set(&disk, &(struct scripted_answer){ .cdb = cdbs[i],
							       .host = TIME_OUT });
		assert_true(dw_ask_page(&device, page, buf, 252, &got) < 0);
		assert_int_equal(1, dw_ask_page(&device, page, buf, 252, &got));
		assert_int_equal(1, scripted_asked(&disk, cdbs[i]));
		end();
	}
}

/* The caching page tells whether a reset may have lost something: it is asked for after one. */
static void cache_that_was_told(void **state)
{
	uint8_t buf[DW_ASK_MODE_LEN];
	size_t got;

	begin();
	scripted_set(&disk,
		     &(struct scripted_answer){
			     .cdb = "5a",
			     .data = "00 1a 00 10 00 00 00 00 08 12 04 00 00 00 00 00 00 "
				     "00 00 00 00 00 00 00 00 00 00 00" });
	assert_int_equal(10, dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got));
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "5a", .host = RESET });
	for (int n = 1; n < 4; n++) {
		dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got);
		assert_int_equal(n, scripted_asked(&disk, "5a"));
	}
	end();
}

/* 4/00/00, from a bridge that does not know the command; another hardware error is one. */
static void hardware_error_for_unknown(void **state)
{
	uint8_t buf[DW_ASK_MODE_LEN];
	size_t got;

	begin();
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "5a", .sense = "4/00/00" });
	assert_int_equal(0, dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got));
	assert_int_equal(0, dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got));
	assert_int_equal(1, scripted_asked(&disk, "5a"));
	assert_int_equal(2, disk.commands - 1); /* (6) was tried after it, both times */
	end();
	begin();
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "5a", .sense = "4/44/00" });
	assert_int_equal(0, dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got));
	assert_int_equal(0, dw_ask_mode(&device, DW_MODE_CACHING, 0, buf, &got));
	assert_int_equal(2, scripted_asked(&disk, "5a"));
	end();
}

/* What a list met is known to the job that follows: the process remembers it. */
static void remembered_by_device(void **state)
{
	struct dw_spared *first = dw_spared_get("port 1"),
			 *other = dw_spared_get("port 2"), *again;
	struct dw_cmd cmd = { .cdb = { 0x4d, 0, 0x0d }, .cdb_len = 10 };
	struct dw_completion done = { .cmd = &cmd, .host_status = TIME_OUT };
	char text[40];

	dw_spared_note(first, &cmd, &done);
	dw_spared_put(first);
	again = dw_spared_get("port 1");
	assert_true(dw_spared_keeps(again, &cmd, &done));
	assert_int_equal(DW_STATUS_CHECK_CONDITION, done.status);
	assert_int_equal(0, done.host_status);
	assert_string_equal("4Dh 0Dh", dw_spared_text(again, text, sizeof(text)));
	assert_false(dw_spared_keeps(other, &cmd, &done));
	assert_string_equal("", dw_spared_text(other, text, sizeof(text)));
	assert_false(dw_spared_keeps(NULL, &cmd, &done));
	dw_spared_put(again);
	dw_spared_put(other);
}

/* Moving blocks is never given up here: that is the core's to decide. */
static void blocks_are_no_question(void **state)
{
	static const uint8_t opcodes[] = { 0x00, 0x03, 0x25, 0x28, 0x88,
					   0x2a, 0x8a, 0x35, 0x91, 0x93 };
	struct dw_spared *s = dw_spared_get("blocks");

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct dw_cmd cmd = { .cdb = { opcodes[i] }, .cdb_len = 16 };
		struct dw_completion done = { .cmd = &cmd, .host_status = TIME_OUT };

		dw_spared_note(s, &cmd, &done);
		assert_false(dw_spared_keeps(s, &cmd, &done));
	}
	dw_spared_put(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hang_is_met_once),
		cmocka_unit_test(nobody_there_is_no_hang),
		cmocka_unit_test(six_after_ten_hung),
		cmocka_unit_test(other_pages_are_asked_for),
		cmocka_unit_test(names_that_were_told),
		cmocka_unit_test(cache_that_was_told),
		cmocka_unit_test(hardware_error_for_unknown),
		cmocka_unit_test(remembered_by_device),
		cmocka_unit_test(blocks_are_no_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
