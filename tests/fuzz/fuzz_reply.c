/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supported operation codes, reservations, counters, capacity, all from the same bytes. */
#include "fuzz.h"

#include "scsi/capacity.h"
#include "scsi/cdb.h"
#include "scsi/element.h"
#include "scsi/log.h"
#include "scsi/pr.h"
#include "scsi/rsoc.h"

static void operation_codes(const uint8_t *data, size_t size)
{
	struct dw_rsoc_one one;
	uint8_t opcode = size > 4 ? data[4] : 0;

	if (dw_rsoc_one(data, size, opcode, &one) == 0) {
		FUZZ_CHECK(one.cdb_len <= DW_CDB_MAX && one.cdb_len + 4u <= size);
		FUZZ_CHECK(one.cdb_len == 0 || one.usage[0] == opcode);
		FUZZ_CHECK(dw_rsoc_bit(&one, one.cdb_len, 0xff) == -1);
	}
}

static void reservations(const uint8_t *data, size_t size)
{
	struct dw_pr_reservation reservation;

	if (dw_pr_reservation(data, size, &reservation) == 0)
		FUZZ_CHECK(!reservation.held || size >= 24);
}

static void counters(const uint8_t *data, size_t size)
{
	uint64_t n = 0;

	if (dw_log_write_errors(data, size, &n) == 0)
		FUZZ_CHECK(size >= 9 && n != UINT64_MAX);
	else
		FUZZ_CHECK(n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_capacity c;
	struct dw_elements e;

	operation_codes(data, size);
	reservations(data, size);
	counters(data, size);
	if (dw_elements_read(data, size, &e) == 0)
		FUZZ_CHECK(e.removed <= size / 32 && e.blocks >= e.removed);
	if (dw_capacity10(data, size, &c) == 0)
		FUZZ_CHECK(c.blocks > 0 && c.blocks <= UINT32_MAX && c.block_size >= 256);
	if (dw_capacity16(data, size, &c) == 0)
		FUZZ_CHECK(c.blocks > 0 && c.block_size >= 256 && c.pi_type <= 3);
	return 0;
}
