/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of an enclosure laid out by hand from SES-3: two power supplies, then four slots, of which
 * the third is empty. Every prefix is read from a heap block of the exact length.
 */
#include "unit.h"

#include "base/util.h"
#include "scsi/ses.h"

static const char configuration[] =
	"01 00 0047 00000007"
	"11 00 02 24 5000c50000000800"
	"4143 4d45 2020 2020 5348454c4620202020202020 20202020 31202020 "
	"02 02 00 05 17 04 00 05"
	"506f776572 536c6f7473 000000000000000000";

static const char status[] = "02 00 0024 00000007"
			     "01000000 01000000 01000000" /* power supplies */
			     "01000000"                   /* slots, over all */
			     "01000200 01000020 05000000 41000000";

static const char names[] = "07 00 0047 00000007"
			    "0000 0000 0000 0002 5031 0000 0002 5032"
			    "0000 0005 536c6f7473"
			    "0000 0004 42617931 0000 0006 426179322020 0000 0000"
			    "0000 0004 42617934 00000000000000000000000000000000";

/* slot 0 has two phys; slot 1 sees what slot 3 sees; the descriptor of slot 2 is not valid */
static const char addresses[] =
	"0a 00 00b0 00000007"
	"16 3e 00 02 02 00 00 0a"
	"10000008 0000000000000000 5000c50000000011 0000000000000000"
	"10000008 0000000000000000 5000c50000000012 0000000000000000";

static struct dw_ses *read_all(void)
{
	struct dw_ses *s = malloc(sizeof(*s));
	uint8_t buf[256];
	size_t n = unhex(configuration, buf, sizeof(buf));

	assert_non_null(s);
	assert_int_equal(dw_ses_configuration(buf, n, s), 0);
	n = unhex(status, buf, sizeof(buf));
	assert_int_equal(dw_ses_status(buf, n, s), 0);
	n = unhex(names, buf, sizeof(buf));
	assert_int_equal(dw_ses_names(buf, n, s), 0);
	return s;
}

static void test_slots(void **state)
{
	struct dw_ses *s = read_all();

	assert_true(s->id == 0x5000c50000000800u);
	assert_int_equal(s->n, 4);
	assert_int_equal(s->slot[0].at, 8 + 4 * 4);
	assert_int_equal(s->slot[0].element, 2);
	assert_int_equal(s->slot[0].overall, 4);
	assert_string_equal(s->slot[0].name, "Bay1");
	assert_string_equal(s->slot[1].name, "Bay2");
	assert_string_equal(s->slot[2].name, "2");
	assert_string_equal(s->slot[3].name, "Bay4");
	assert_int_equal(s->slot[0].presence, DW_SES_OCCUPIED);
	assert_int_equal(s->slot[2].presence, DW_SES_EMPTY);
	assert_true(s->slot[0].locate && !s->slot[0].fault);
	assert_true(!s->slot[1].locate && s->slot[1].fault);
	free(s);
}

static void put_phy(uint8_t *d, uint8_t element, uint64_t address, uint8_t invalid)
{
	memset(d, 0, 36);
	d[0] = 0x16 | invalid;
	d[1] = 34;
	d[3] = element;
	d[4] = 1;
	d[7] = (uint8_t)(element + 10);
	for (unsigned int i = 0; i < 8; i++)
		d[20 + i] = (uint8_t)(address >> (56 - 8 * i));
}

static const struct dw_ses_slot *find(const struct dw_ses *s, uint64_t a, uint64_t b)
{
	return dw_ses_find(s, (const uint64_t[]){ a, b }, 2);
}

static void test_addresses(void **state)
{
	struct dw_ses *s = read_all();
	uint8_t buf[256];
	size_t n = unhex(addresses, buf, sizeof(buf));

	put_phy(buf + n, 3, 0x5000c50000000021, 0);
	put_phy(buf + n + 36, 4, 0x5000c50000000099, 0x80);
	put_phy(buf + n + 72, 5, 0x5000c50000000021, 0);
	assert_int_equal(dw_ses_addresses(buf, n + 108, s), 0);
	assert_int_equal(s->slot[0].number, 10);
	assert_int_equal(s->slot[2].number, -1);
	assert_ptr_equal(find(s, 0x5000c50000000011, 0), &s->slot[0]);
	assert_ptr_equal(find(s, 0, 0x5000c50000000012), &s->slot[0]);
	assert_null(find(s, 0x5000c50000000021, 0)); /* two slots see it */
	assert_null(find(s, 0x5000c50000000099, 0)); /* it does not count */
	assert_null(find(s, 0, 0));
	buf[n + 72 + 27] = 0x22;
	dw_ses_addresses(buf, n + 108, s);
	assert_ptr_equal(find(s, 0x5000c50000000022, 0), &s->slot[3]);
	free(s);
}

/* EIIOE: the overall elements are counted; no EIP: in the order of the elements */
static void test_other_addresses(void **state)
{
	struct dw_ses *s = read_all();
	uint8_t buf[256] = { 0x0a, 0, 0, 0x28 };

	put_phy(buf + 8, 6, 0x5000c50000000031, 0);
	buf[10] = 1;
	assert_int_equal(dw_ses_addresses(buf, 8 + 36, s), 0);
	assert_ptr_equal(find(s, 0x5000c50000000031, 0), &s->slot[2]);
	free(s);
	for (unsigned int eiioe = 0; eiioe < 4; eiioe++) {
		s = read_all();
		put_phy(buf + 8,
			(uint8_t)(eiioe == 1 ? s->slot[2].overall : s->slot[2].element),
			0x5000c50000000031, 0);
		buf[10] = (uint8_t)eiioe;
		assert_int_equal(dw_ses_addresses(buf, 8 + 36, s), 0);
		assert_ptr_equal(find(s, 0x5000c50000000031, 0), &s->slot[2]);
		free(s);
	}
	s = read_all();
	memset(buf, 0, sizeof(buf));
	memcpy(buf, (uint8_t[]){ 0x0a, 0, 0, 4 + 2 * 32, 0, 0, 0, 7 }, 8);
	memcpy(buf + 8, (uint8_t[]){ 0x06, 30, 1, 0 }, 4);
	memcpy(buf + 40, (uint8_t[]){ 0x06, 30, 1, 0 }, 4);
	buf[8 + 4 + 19] = 0x41;
	buf[40 + 4 + 19] = 0x42;
	assert_int_equal(dw_ses_addresses(buf, 72, s), 0);
	assert_ptr_equal(find(s, 0x41, 0), &s->slot[0]);
	assert_ptr_equal(find(s, 0x42, 0), &s->slot[1]);
	free(s);
}

static void test_control(void **state)
{
	struct dw_ses *s = read_all();
	uint8_t now[64], page[64];
	size_t n = unhex(status, now, sizeof(now));

	assert_int_equal(dw_ses_control(now, n, &s->slot[1], DW_SES_LOCATE, true, page),
			 n);
	assert_memory_equal(page, ((uint8_t[]){ 2, 0, 0, 0x24, 0, 0, 0, 7 }), 8);
	for (size_t i = 8; i < n; i++)
		if (i < s->slot[1].at || i >= s->slot[1].at + 4u)
			assert_int_equal(page[i], 0);
	assert_memory_equal(page + s->slot[1].at, ((uint8_t[]){ 0x80, 0, 2, 0x20 }), 4);
	dw_ses_control(now, n, &s->slot[1], DW_SES_FAULT, false, page);
	assert_memory_equal(page + s->slot[1].at, ((uint8_t[]){ 0x80, 0, 0, 0 }), 4);
	dw_ses_control(now, n, &s->slot[3], DW_SES_FAULT, true, page);
	assert_memory_equal(page + s->slot[3].at, ((uint8_t[]){ 0xc0, 0, 0, 0x20 }), 4);
	assert_int_equal(
		dw_ses_control(now, n - 1, &s->slot[3], DW_SES_FAULT, true, page),
		-EBADMSG);
	free(s);
}

static uint8_t *prefix(const char *hex, size_t cut)
{
	uint8_t buf[256];
	size_t n = unhex(hex, buf, sizeof(buf));
	uint8_t *p = malloc(cut ? cut : 1);

	assert_non_null(p);
	assert_true(cut <= n);
	memcpy(p, buf, cut);
	return p;
}

static void test_cut(void **state)
{
	struct dw_ses *s = read_all(), *other = malloc(sizeof(*other));

	assert_non_null(other);
	for (size_t cut = 0; cut <= 56; cut++) {
		uint8_t *p = prefix(configuration, cut);

		assert_int_equal(dw_ses_configuration(p, cut, other),
				 cut < 56 ? -EBADMSG : 0);
		free(p);
	}
	for (size_t cut = 0; cut <= 40; cut++) {
		uint8_t *p = prefix(status, cut);

		assert_int_equal(dw_ses_status(p, cut, s), cut < 40 ? -EBADMSG : 0);
		free(p);
	}
	for (size_t cut = 0; cut <= 70; cut++) {
		uint8_t *p = prefix(names, cut), *q = prefix(addresses, cut);

		assert_int_equal(dw_ses_names(p, cut, s), cut < 8 ? -EBADMSG : 0);
		assert_int_equal(dw_ses_addresses(q, cut, s), cut < 8 ? -EBADMSG : 0);
		free(p);
		free(q);
	}
	for (uint8_t says = 0; says <= 4;
	     says++) { /* as long as the device says, in bytes */
		uint8_t *p = prefix(names, 8);

		p[2] = 0;
		p[3] = says;
		assert_int_equal(dw_ses_names(p, 8, s), says < 4 ? -EBADMSG : 0);
		free(p);
	}
	free(s);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_other_addresses),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
