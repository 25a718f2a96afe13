/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Zones as values, as a disk reports them, and what may be sent to reset them. */
#include "unit.h"

#include <errno.h>

#include "base/be.h"
#include "base/util.h"
#include "base/zones.h"
#include "codec/encode.h"
#include "device/zones.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/zbc.h"
#include "transport/guard.h"

static void add(struct dw_zones *z, uint64_t n, uint64_t nlb, uint8_t kind)
{
	while (n--)
		assert_int_equal(
			0, dw_zones_add(z, &(struct dw_zone){ z->blocks, nlb, kind }));
}

/* as a disk of 20 TB: 75,000 zones are a few runs */
static void large(struct dw_zones *z)
{
	*z = (struct dw_zones){ 0 };
	add(z, 750, 65536, DW_ZONE_CONVENTIONAL);
	add(z, 30000, 65536, DW_ZONE_SEQUENTIAL);
	add(z, 2, 65536, DW_ZONE_READ_ONLY);
	add(z, 1, 65536, DW_ZONE_OFFLINE);
	add(z, 44246, 65536, DW_ZONE_SEQUENTIAL);
	add(z, 1, 4096, DW_ZONE_SEQUENTIAL);
}

static void values(void **state)
{
	const uint64_t dead = UINT64_C(30750) * 65536;
	struct dw_zones z;
	struct dw_zone zone;

	(void)state;
	large(&z);
	assert_int_equal(6, z.n);
	assert_int_equal(UINT64_C(74999) * 65536 + 4096, z.blocks);
	assert_true(dw_zones_find(&z, 65535, &zone));
	assert_int_equal(0, zone.first);
	assert_false(dw_zones_sequential(&z, 65535, &zone));
	assert_true(dw_zones_sequential(&z, dead - 1, &zone));
	assert_int_equal(dead - 65536, zone.first);
	assert_int_equal(65536, zone.nlb);
	assert_true(dw_zones_find(&z, z.blocks - 1, &zone));
	assert_int_equal(4096, zone.nlb);
	assert_false(dw_zones_find(&z, z.blocks, &zone));
	assert_true(dw_zones_dead(&z, 0, &zone));
	assert_int_equal(dead, zone.first);
	assert_int_equal(2 * 65536, zone.nlb);
	assert_true(dw_zones_dead(&z, dead + 5, &zone));
	assert_int_equal(2 * 65536 - 5, zone.nlb);
	assert_true(dw_zones_dead(&z, dead + 2 * 65536, &zone));
	assert_int_equal(DW_ZONE_OFFLINE, zone.kind);
	assert_false(dw_zones_dead(&z, dead + 3 * 65536, &zone));
	assert_int_equal(0, dw_zones_dead_below(&z, dead));
	assert_int_equal(7, dw_zones_dead_below(&z, dead + 7));
	assert_int_equal(3 * 65536, dw_zones_dead_below(&z, z.blocks));
}

static void wrong_values(void **state)
{
	struct dw_zones z = { 0 };

	(void)state;
	assert_int_equal(-EINVAL, dw_zones_add(&z, &(struct dw_zone){ 1, 1, 0 }));
	assert_int_equal(-EINVAL, dw_zones_add(&z, &(struct dw_zone){ 0, 0, 0 }));
	for (uint32_t i = 0; i < DW_ZONE_RUNS_MAX; i++)
		add(&z, 1, 8, i % 2);
	assert_int_equal(-ENOSPC, dw_zones_add(&z, &(struct dw_zone){ z.blocks, 8, 0 }));
	assert_int_equal(DW_ZONE_RUNS_MAX * 8, z.blocks);
}

/** struct shelf - a disk that reports @n zones of 100 blocks; @seen were told */
struct shelf {
	uint64_t n;
	uint64_t last;  /* MAXIMUM LBA */
	uint64_t hole;  /* that zone is missing */
	uint64_t asked; /* commands */
	uint64_t seen;
};

static int report(void *ctx, struct dw_cmd *cmd)
{
	uint64_t from = dw_get_be64(cmd->cdb + 2) / 100;
	struct shelf *s = ctx;
	uint8_t *b = cmd->data;
	uint64_t n = dw_min_u64(s->n - from,
				(cmd->data_len - DW_ZBC_HEADER) / DW_ZBC_DESCRIPTOR);

	assert_int_equal(16, cmd->cdb_len);
	assert_memory_equal(cmd->cdb, "\x95", 2);
	assert_int_equal(0x80, cmd->cdb[14]);
	assert_int_equal(cmd->data_len, dw_get_be32(cmd->cdb + 10));
	assert_int_equal(0, cmd->data_len % 512);
	memset(b, 0, cmd->data_len);
	/* some count all that there are */
	dw_put_be32(b, (uint32_t)((s->n - from) * DW_ZBC_DESCRIPTOR));
	dw_put_be64(b + 8, s->last);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *d = b + DW_ZBC_HEADER + i * DW_ZBC_DESCRIPTOR;

		d[0] = DW_ZBC_SEQUENTIAL;
		d[1] = DW_ZBC_FULL << 4;
		dw_put_be64(d + 8, 100);
		dw_put_be64(d + 16, (from + i + (from + i >= s->hole)) * 100);
	}
	s->asked++;
	return 0;
}

static int see(void *ctx, const struct dw_zbc_zone *zone)
{
	struct shelf *s = ctx;

	assert_int_equal(s->seen++ * 100, zone->first);
	assert_int_equal(100, zone->nlb);
	assert_int_equal(DW_ZBC_FULL, zone->condition);
	return 0;
}

static void reports(void **state)
{
	struct shelf s = { .n = 75000, .last = 7499999, .hole = UINT64_MAX };
	struct dw_zones_reader reader = {
		.blocks = 7500000, .send = report, .each = see, .ctx = &s
	};

	(void)state;
	assert_int_equal(0, dw_zones_read(&reader));
	assert_int_equal(75000, s.seen);
	assert_int_equal(74, s.asked);

	/* the capacity is that of the conventional zones (RC BASIS 00b) */
	s.seen = 0;
	reader.blocks = 1000;
	assert_int_equal(-EPROTO, dw_zones_read(&reader));
	assert_int_equal(0, s.seen);

	reader.blocks = 7500000;
	s.hole = 40000;
	assert_int_equal(-EPROTO, dw_zones_read(&reader));
	s = (struct shelf){ .n = 500, .last = 7499999, .hole = UINT64_MAX };
	assert_int_equal(-EPROTO, dw_zones_read(&reader));
}

static int guarded(const struct dw_zones *zones, uint32_t permits, uint64_t lba, bool all)
{
	const struct dw_target target = { .permits = permits,
					  .block_size = 4096,
					  .blocks = zones ? zones->blocks : 1000000,
					  .zones = zones };
	struct dw_cmd cmd = { .cdb_len = 16, .dir = DW_DIR_NONE };

	dw_cdb_reset_zone(cmd.cdb, lba, all);
	return dw_guard_check(&target, &cmd);
}

/* Only of a host-managed disk, with the permit to write, a zone that is written in order, at its
 * start; and no other bit of the command is set. */
static void guard(void **state)
{
	struct dw_zones z;
	struct dw_target target;
	struct dw_cmd cmd = { .cdb_len = 16, .dir = DW_DIR_NONE };

	(void)state;
	large(&z);
	target = (struct dw_target){ .permits = DW_OPCLASS_WRITE,
				     .block_size = 4096,
				     .blocks = z.blocks,
				     .zones = &z };
	assert_int_equal(0, guarded(&z, DW_OPCLASS_WRITE, 0, true));
	assert_int_equal(0, guarded(&z, DW_OPCLASS_WRITE, 800 * 65536, false));
	assert_int_equal(-EPERM, guarded(NULL, DW_OPCLASS_WRITE, 0, true));
	assert_int_equal(-EPERM, guarded(NULL, DW_OPCLASS_WRITE, 65536, false));
	assert_int_equal(-EPERM, guarded(&z, ~(uint32_t)DW_OPCLASS_WRITE, 0, true));
	assert_int_equal(-EPERM, guarded(&z, DW_OPCLASS_WRITE, 65536, false));
	assert_int_equal(-EPERM, guarded(&z, DW_OPCLASS_WRITE, 800 * 65536 + 1, false));
	assert_int_equal(-EPERM,
			 guarded(&z, DW_OPCLASS_WRITE, 30750 * UINT64_C(65536), false));
	assert_int_equal(-EPERM, guarded(&z, DW_OPCLASS_WRITE, z.blocks, false));
	dw_cdb_reset_zone(cmd.cdb, 800 * 65536, false);
	assert_int_equal(65536 * 4096, dw_guard_destroys(&target, &cmd));
	for (unsigned int bit = 0; bit < 128; bit++) {
		cmd.cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(-EPERM,
				 dw_guard_check(&target, &cmd) |
					 (bit / 8 >= 2 && bit / 8 < 10 ? -EPERM : 0));
		cmd.cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	dw_cdb_reset_zone(cmd.cdb, 0, true);
	assert_int_equal(z.blocks * 4096, dw_guard_destroys(&target, &cmd));
}

/* In a zone that is written in order, an error is one of its blocks, or of their order. */
static void errors(void **state)
{
	static const struct {
		uint8_t key, asc, ascq, class;
	} t[] = {
		{ 0x5, 0x21, 0x04, DW_CLASS_MEDIUM },
		{ 0x5, 0x21, 0x05, DW_CLASS_MEDIUM },
		{ 0x5, 0x21, 0x06, DW_CLASS_MEDIUM },
		{ 0x5, 0x21, 0x07, DW_CLASS_MEDIUM },
		{ 0x7, 0x27, 0x08, DW_CLASS_MEDIUM },
		{ 0x7, 0x2c, 0x0e, DW_CLASS_MEDIUM },
		{ 0x7, 0x55, 0x0e, DW_CLASS_RETRY },
		{ 0x5, 0x21, 0x00, DW_CLASS_RANGE },
		{ 0x7, 0x27, 0x00, DW_CLASS_PROTECTED },
	};
	const struct dw_op all = { .verb = DW_VERB_RESET };
	const struct dw_op one = { .verb = DW_VERB_RESET, .lba = 0x1000, .nlb = 0x1000 };
	const struct dw_op write_op = { .verb = DW_VERB_WRITE, .nlb = 8 };
	const struct dw_zones zones = { .n = 1 };
	struct dw_caps zoned = {
		.scsi = true, .rw16 = true, .block_size = 512, .blocks = 100000
	};
	struct dw_cmd cmd = { 0 };
	struct dw_result r;

	(void)state;
	zoned.zoned = 3;
	zoned.zones = &zones;
	for (size_t i = 0; i < DW_ARRAY_SIZE(t); i++) {
		struct dw_completion c = { .cmd = &cmd,
					   .status = 0x02,
					   .sense = { 0x72, t[i].key, t[i].asc,
						      t[i].ascq },
					   .sense_len = 8 };

		dw_decode(&zoned, &write_op, &c, &r);
		assert_int_equal(r.class, t[i].class);
	}
	assert_int_equal(dw_encode(&zoned, &all, false, &cmd), 0);
	assert_memory_equal(cmd.cdb, "\x94\4\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	assert_int_equal(dw_encode(&zoned, &one, false, &cmd), 0);
	assert_memory_equal(cmd.cdb, "\x94\4\0\0\0\0\0\0\x10\0\0\0\0\0\0", 16);
	assert_int_equal(cmd.dir, DW_DIR_NONE);
	assert_int_equal(cmd.data_len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),  cmocka_unit_test(wrong_values),
		cmocka_unit_test(reports), cmocka_unit_test(guard),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
