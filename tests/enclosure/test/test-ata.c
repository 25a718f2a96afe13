/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ATA disk behind its translation: hidden areas, SANITIZE DEVICE, passwords, registers. */
#include "config.h"
#include "rig.h"

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

#define DISK "disk 0 blocks=1000 fill=0xaa remapped=4 ata=119 "
#define TUR  RIG_CDB(0)

/* what came back, whatever the format */
struct regs {
	uint8_t key, error, status;
	uint16_t count;
	uint64_t lba;
	bool descriptor;
};

static struct regs registers(const struct rig *g)
{
	const uint8_t *s = g->task.sense, *d = s + 8;

	assert_int_equal(g->task.status, 2);
	if ((s[0] & 0x7f) == 0x70)
		return (struct regs){ s[2],
				      s[3],
				      s[4],
				      s[6],
				      (uint64_t)s[11] << 16 | (uint64_t)s[10] << 8 | s[9],
				      false };
	assert_int_equal(s[0], 0x72);
	assert_int_equal(d[0], 9);
	return (struct regs){ s[1],
			      d[3],
			      d[13],
			      be_get16(d + 4),
			      (uint64_t)d[10] << 40 | (uint64_t)d[8] << 32 |
				      (uint64_t)d[6] << 24 | (uint64_t)d[11] << 16 |
				      (uint64_t)d[9] << 8 | d[7],
			      true };
}

/* a 48-bit command without data that wants its registers back */
static struct regs ask(struct rig *g, uint8_t command, uint8_t feature, uint16_t count,
		       uint64_t lba)
{
	uint8_t cdb[16] = { 0x85, 0x07, 0x20, 0, feature };

	be_put16(cdb + 5, count);
	cdb[7] = (uint8_t)(lba >> 24);
	cdb[8] = (uint8_t)lba;
	cdb[9] = (uint8_t)(lba >> 32);
	cdb[10] = (uint8_t)(lba >> 8);
	cdb[11] = (uint8_t)(lba >> 40);
	cdb[12] = (uint8_t)(lba >> 16);
	cdb[13] = 0x40;
	cdb[14] = command;
	rig_none(g, 0, cdb);
	return registers(g);
}

static void done(struct regs r)
{
	assert_int_equal(r.key, 1);
	assert_int_equal(r.status, 0x50);
}

static void aborted(struct regs r, uint64_t lba)
{
	assert_int_equal(r.key, 0xb);
	assert_int_equal(r.status, 0x51);
	assert_int_equal(r.error, 0x04);
	assert_int_equal(r.lba, lba);
}

static uint16_t word(struct rig *g, unsigned int n)
{
	uint8_t b[512], sum = 0;
	size_t i;

	rig_in(g, 0, RIG_CDB(0x85, 0x08, 0x0e, 0, 0, 0, 1, [14] = 0xec), b, 512);
	rig_good(g);
	for (i = 0; i < 512; i++)
		sum = (uint8_t)(sum + b[i]);
	assert_int_equal(sum, 0);
	return (uint16_t)(b[2 * (size_t)n] | b[2 * (size_t)n + 1] << 8);
}

static struct regs secure(struct rig *g, uint8_t command, uint16_t bits, const char *key)
{
	uint8_t b[512] = { (uint8_t)bits, (uint8_t)(bits >> 8) };

	memcpy(b + 2, key, strlen(key));
	rig_out(g, 0, RIG_CDB(0x85, 0x0a, 0x26, 0, 0, 0, 1, [13] = 0x40, command), b,
		512);
	return registers(g);
}

static struct regs plain(struct rig *g, uint8_t command)
{
	rig_none(g, 0, RIG_CDB(0x85, 0x06, 0x20, [13] = 0x40, command));
	return registers(g);
}

static void words(void **state)
{
	START(DISK "sanitize=overwrite,crypto satl=descriptor erase_ms=3600000 "
		   "enhanced_ms=40000000");

	assert_int_equal(word(&g, 59), 0x7400);
	assert_int_equal(word(&g, 82), 0x0403);
	assert_int_equal(word(&g, 83) & 0x0800, 0x0800);
	assert_int_equal(word(&g, 85), 0x0401);
	assert_int_equal(word(&g, 89), 30);
	assert_int_equal(word(&g, 90), 0x8000 | 334);
	assert_int_equal(word(&g, 92), 0xfffe);
	assert_int_equal(word(&g, 128), 0x21);
	assert_int_equal(word(&g, 100), 1000);
	rig_stop(&g);
}

static void sanitize(void **state)
{
	START(DISK
	      "sanitize=block,overwrite block_ms=1000 overwrite_ms=0 satl=descriptor");
	uint8_t b[512];
	struct regs r;

	done(ask(&g, 0xb4, 0, 0, 0));
	aborted(ask(&g, 0xb4, 0x12, 0, 0x426b4573), 0); /* another signature */
	aborted(ask(&g, 0xb4, 0x11, 0, 0x43727970), 2);
	r = ask(&g, 0xb4, 0x12, 0x10, 0x426b4572);
	done(r);
	assert_int_equal(r.count, 0x4000);
	rig_after_ms(&g, 500);
	r = ask(&g, 0xb4, 0, 0, 0);
	done(r);
	assert_int_equal(r.count, 0x4000);
	assert_in_range(r.lba, 0x7f00, 0x8100);
	aborted(ask(&g, 0xb4, 0x12, 0, 0x426b4572), 0);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	assert_int_equal(g.task.sense[1], 0xb);
	rig_none(&g, 0, TUR);
	assert_memory_equal(g.task.sense, ((uint8_t[]){ 0x70, 0, 2 }), 3);
	rig_in(&g, 0, RIG_CDB(0x25), b, 8); /* the translation knows that itself */
	rig_good(&g);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	rig_after_ms(&g, 500);
	r = ask(&g, 0xb4, 0, 0, 0);
	assert_int_equal(r.count, 0x8000);
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0x00\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0x00\n");
	/* two passes, inverted between them, the last one as it was asked for */
	done(ask(&g, 0xb4, 0x14, 0xc2, 0x4f5704030201));
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	assert_memory_equal(b, "\1\2\3\4\1\2", 6);
	done(ask(&g, 0xb4, 0x14, 0x82, 0x4f5704030201));
	assert_int_equal(rig_byte(&g, 0, 0), 0xfe);
	rig_stop(&g);
}

static void sanitize_fails(void **state)
{
	START(DISK "sanitize=block block_ms=0 fail_at=50 satl=descriptor");
	struct regs r;
	uint8_t b[18];

	ask(&g, 0xb4, 0x12, 0, 0x426b4572);
	aborted(ask(&g, 0xb4, 0, 0, 0), 1);
	rig_in(&g, 0, RIG_CDB(0x03, [4] = 18), b, 18);
	assert_int_equal(be_get16(b + 12), 0x3103);
	aborted(ask(&g, 0xb4, 0, 1, 0), 1);                /* may not be left */
	aborted(ask(&g, 0xb4, 0x12, 0x10, 0x426b4572), 1); /* nor so */
	rig_told(&g, "set 0 fail_at=0", "ok\n");
	r = ask(&g, 0xb4, 0x12, 0, 0x426b4572);
	done(r);
	assert_int_equal(r.count, 0x8000);
	rig_told(&g, "set 0 fail_at=50", "ok\n");
	ask(&g, 0xb4, 0x12, 0x10, 0x426b4572);
	aborted(ask(&g, 0xb4, 0, 0, 0), 1);
	r = ask(&g, 0xb4, 0, 1, 0);
	done(r);
	assert_int_equal(r.count, 0);
	rig_stop(&g);
}

static void sanitize_frozen(void **state)
{
	START(DISK "sanitize=block block_ms=0 satl=descriptor");

	assert_int_equal(ask(&g, 0xb4, 0x20, 0, 0x46724c6b).count, 0x2000);
	aborted(ask(&g, 0xb4, 0x12, 0, 0x426b4572), 3);
	aborted(ask(&g, 0xb4, 0x40, 0, 0x416e7469), 3);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	assert_int_equal(ask(&g, 0xb4, 0x40, 0, 0x416e7469).count, 0x1000);
	aborted(ask(&g, 0xb4, 0x20, 0, 0x46724c6b), 4);
	done(ask(&g, 0xb4, 0x12, 0, 0x426b4572));
	rig_stop(&g);
}

/* a password locks it without power; five wrong ones and it is over until the next time */
static void locked(void **state)
{
	START(DISK "satl=descriptor");
	uint8_t b[512];
	int i;

	done(secure(&g, 0xf1, 0, "secret"));
	assert_int_equal(word(&g, 128), 0x23);
	assert_int_equal(word(&g, 85), 0x0403);
	assert_int_equal(rig_byte(&g, 0, 0), 0xaa);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	assert_int_equal(word(&g, 128), 0x27);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	assert_int_equal(g.task.sense[1], 0xb);
	aborted(secure(&g, 0xf6, 0, "secret"), 0);
	aborted(plain(&g, 0xf5), 0);
	for (i = 0; i < 5; i++)
		aborted(secure(&g, 0xf2, 0, "wrong"), 0);
	assert_int_equal(word(&g, 128), 0x37);
	aborted(secure(&g, 0xf2, 0, "secret"), 0);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	done(secure(&g, 0xf2, 0, "secret"));
	assert_int_equal(rig_byte(&g, 0, 0), 0xaa);
	aborted(secure(&g, 0xf6, 0, "wrong"), 0);
	done(secure(&g, 0xf6, 0, "secret"));
	assert_int_equal(word(&g, 128), 0x21);
	done(plain(&g, 0xf5));
	assert_int_equal(word(&g, 128), 0x29);
	aborted(secure(&g, 0xf1, 0, "secret"), 0);
	aborted(plain(&g, 0xf3), 0);
	rig_stop(&g);
}

/* the maximum level, a lock and a freeze that were there before */
static void as_found(void **state)
{
	START(DISK "satl=descriptor password=owner");

	assert_int_equal(word(&g, 128), 0x27);
	done(secure(&g, 0xf2, 1, "")); /* the master password, as it was made */
	done(secure(&g, 0xf1, 0x100, "owner"));
	rig_told(&g, "set 0 frozen=1", "ok\n");
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	assert_int_equal(word(&g, 128), 0x12f);
	aborted(secure(&g, 0xf2, 0, "owner"), 0);
	rig_told(&g, "set 0 frozen=0", "ok\n");
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	aborted(secure(&g, 0xf2, 1, ""), 0);
	done(plain(&g, 0xf3));
	done(secure(&g, 0xf4, 1, "")); /* but it may erase */
	assert_int_equal(word(&g, 128), 0x21);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_stop(&g);
}

static void erase_unit(void **state)
{
	START(DISK "satl=descriptor erase_ms=500 erased=0x11");
	uint64_t t0;

	rig_told(&g, "clip 0 600", "ok\n");
	rig_quiet(&g);
	done(secure(&g, 0xf1, 0, "secret"));
	aborted(secure(&g, 0xf4, 0, "secret"), 0);
	done(plain(&g, 0xf3));
	word(&g, 0); /* comes between */
	aborted(secure(&g, 0xf4, 0, "secret"), 0);
	done(plain(&g, 0xf3));
	aborted(secure(&g, 0xf4, 0, "wrong"), 0);
	done(plain(&g, 0xf3));
	t0 = g.now;
	done(secure(&g, 0xf4, 0, "secret"));
	assert_int_equal(g.now - t0, 500000000);
	assert_int_equal(word(&g, 128), 0x21);
	rig_told(&g, "holds 0 0 1000", "ok\n0-599 0x00\n600-999 0xaa\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0xaa\n");
	done(secure(&g, 0xf1, 0, "secret"));
	done(plain(&g, 0xf3));
	done(secure(&g, 0xf4, 2, "secret"));
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0x11\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0x11\n");
	rig_told(&g, "set 0 fail_at=20", "ok\n");
	done(secure(&g, 0xf1, 0, "secret"));
	done(plain(&g, 0xf3));
	aborted(secure(&g, 0xf4, 0, "secret"), 0);
	assert_int_equal(word(&g, 128), 0x23);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_stop(&g);
}

/* the port is taken; without power it ends, and the password stays */
static void erase_interrupted(void **state)
{
	START(DISK "satl=descriptor erase_ms=1000");
	uint8_t list[512] = { [2] = 's' }, b[512];
	struct iovec v = { list, 512 };
	struct dw_task t;

	done(secure(&g, 0xf1, 0, "s"));
	done(plain(&g, 0xf3));
	rig_send(&g, &t, 0, RIG_CDB(0x85, 0x0a, 0x26, 0, 0, 0, 1, [13] = 0x40, 0xf4), &v,
		 NULL);
	rig_after_ms(&g, 250);
	assert_false(g.done);
	rig_told(&g, "firmware 0", "ok\nrunning erase 16384\n");
	rig_in(&g, 0, RIG_CDB(0x12, [4] = 96), b, 96);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	assert_int_equal(g.task.status, 0x08);
	rig_none(&g, 0, TUR);
	assert_int_equal(g.task.status, 0x08);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	rig_after_ms(&g, 10000);
	rig_told(&g, "holds 0 0 1000", "ok\n0-249 0x00\n250-999 0xaa\n");
	assert_int_equal(word(&g, 128), 0x27);
	done(secure(&g, 0xf2, 0, "s"));
	done(secure(&g, 0xf6, 0, "s"));
	assert_int_equal(rig_byte(&g, 0, 999), 0xaa);
	rig_stop(&g);
}

static unsigned int last_block(struct rig *g)
{
	uint8_t b[8];

	rig_in(g, 0, RIG_CDB(0x25), b, 8);
	rig_good(g);
	return be_get32(b);
}

static void hidden(void **state)
{
	START(DISK "satl=descriptor dco=900");
	uint8_t b[512];

	assert_int_equal(last_block(&g), 899);
	assert_int_equal(ask(&g, 0x27, 0, 0, 0).lba, 899);
	aborted(ask(&g, 0x37, 0, 1, 900), 0); /* more than the overlay leaves */
	aborted(ask(&g, 0x37, 0, 1, 599), 0); /* not right after */
	ask(&g, 0x27, 0, 0, 0);
	done(ask(&g, 0x37, 0, 0, 599)); /* until the power is cut */
	assert_int_equal(last_block(&g), 599);
	aborted(ask(&g, 0xb1, 0xc0, 0, 0), 0);
	ask(&g, 0x27, 0, 0, 0);
	aborted(ask(&g, 0x37, 0, 0, 899), 0); /* once is enough */
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	assert_int_equal(last_block(&g), 899);
	ask(&g, 0x27, 0, 0, 0);
	done(ask(&g, 0x37, 0, 1, 699)); /* for good */
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	assert_int_equal(last_block(&g), 699);
	assert_int_equal(ask(&g, 0x78, 0, 0, 0).lba, 899);
	done(ask(&g, 0x78, 1, 0, 899));
	rig_in(&g, 0, RIG_CDB(0x85, 0x08, 0x0e, 0, 0xc2, 0, 1, [14] = 0xb1), b, 512);
	rig_good(&g);
	assert_int_equal(b[6] | b[7] << 8, 999);
	aborted(ask(&g, 0xb1, 0xc0, 0, 0), 0); /* the max was set in this power cycle */
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	done(ask(&g, 0xb1, 0xc0, 0, 0));
	assert_int_equal(last_block(&g), 999);
	assert_int_equal(rig_byte(&g, 0, 999), 0xaa);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	done(ask(&g, 0x78, 2, 0, 0)); /* frozen */
	aborted(ask(&g, 0x78, 1, 0, 599), 0);
	done(ask(&g, 0xb1, 0xc1, 0, 0));
	aborted(ask(&g, 0xb1, 0xc0, 0, 0), 0);
	rig_stop(&g);
}

static void is_format(struct rig *g, bool of_success, bool of_abort)
{
	assert_int_equal(ask(g, 0x27, 0, 0, 0).descriptor, of_success);
	assert_int_equal(ask(g, 0x37, 0, 0, 5000).descriptor, of_abort);
}

static void translations(void **state)
{
	START(DISK "sanitize=block block_ms=1000");
	uint8_t b[512];

	is_format(&g, false, false);
	assert_memory_equal(g.task.sense,
			    ((uint8_t[]){ 0xf0, 0, 0xb, 0x04, 0x51, 0x40, 0, 10 }), 8);
	rig_told(&g, "set 0 satl=libata", "ok\n");
	is_format(&g, true, false);
	rig_told(&g, "set 0 dsense=1", "ok\n");
	is_format(&g, true, true);
	rig_told(&g, "set 0 satl=fixed", "ok\n");
	is_format(&g, false, false);
	rig_told(&g, "set 0 satl=libata,ignorant", "ok\n");
	done(ask(&g, 0xb4, 0x12, 0, 0x426b4572));
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x03, [4] = 18), b, 18);
	assert_int_equal(b[2], 0);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	assert_int_equal(g.task.sense[1], 0xb);
	rig_told(&g, "set 0 satl=twelve dsense=0", "ok\n");
	rig_none(&g, 0, RIG_CDB(0x85, 0x07, 0x20, [14] = 0x27));
	rig_sense(&g, 5, 0x2000);
	rig_in(&g, 0, RIG_CDB(0xa1, 0x08, 0x0e, 0, 1, [9] = 0xec), b, 512);
	rig_good(&g);
	assert_int_equal(b[510], 0xa5);
	rig_in(&g, 0, RIG_CDB(0xa1, 0x08, 0x0e, 0xd0, 1, 0, 0x4f, 0xc2, [9] = 0xb0), b,
	       512);
	rig_good(&g);
	rig_told(&g, "set 0 satl=refused", "ok\n");
	rig_in(&g, 0, RIG_CDB(0xa1, 0x08, 0x0e, 0, 1, [9] = 0xec), b, 512);
	rig_sense(&g, 5, 0x2000);
	rig_in(&g, 0, RIG_CDB(0x85, 0x08, 0x0e, 0, 0, 0, 1, [14] = 0xec), b, 512);
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

/* a translation that swallows registers: good and aborted are all that is told */
static void mute(void **state)
{
	START("disk 0 blocks=1000 fill=0xaa ata=25 sanitize=block block_ms=1000");
	uint8_t b[512];

	rig_none(&g, 0,
		 RIG_CDB(0x85, 7, 0x20, 0, 0x12, 0, 0, 0x42, 0x72, 0, 0x45, 0, 0x6b, 0x40,
			 0xb4));
	rig_good(&g);
	rig_none(&g, 0, RIG_CDB(0x85, 7, 0x20, [13] = 0x40, 0xb4));
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	rig_sense(&g, 0xb, 0);
	rig_after_ms(&g, 1000);
	assert_int_equal(rig_byte(&g, 0, 999), 0);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),          cmocka_unit_test(sanitize),
		cmocka_unit_test(sanitize_fails), cmocka_unit_test(sanitize_frozen),
		cmocka_unit_test(locked),         cmocka_unit_test(as_found),
		cmocka_unit_test(erase_unit),     cmocka_unit_test(erase_interrupted),
		cmocka_unit_test(hidden),         cmocka_unit_test(translations),
		cmocka_unit_test(mute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
