/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk keeps about its health: log pages, defect lists, and SMART data of ATA disks. */
#include <string.h>

#include "fuzz.h"

#include "scsi/log.h"
#include "scsi/smart.h"

#define SECTOR  512
#define UNKNOWN (-274)

static void log_pages(const uint8_t *data, size_t size)
{
	struct dw_log_exception e;
	uint64_t n = UINT64_MAX;
	int32_t degrees;

	for (int limit = 0; limit < 2; limit++)
		if (dw_log_temperature(data, size, limit, &degrees) == 0)
			FUZZ_CHECK(size >= 10 && degrees >= 0 && degrees < 255);
	if (dw_log_exception(data, size, &e) == 0)
		FUZZ_CHECK(size >= 10 &&
			   (e.temperature == UNKNOWN || e.temperature > 0) &&
			   e.temperature < 255);
	if (dw_log_minutes(data, size, &n) == 0)
		FUZZ_CHECK(size >= 12 && n <= UINT32_MAX);
	for (int wide = 0; wide < 2; wide++)
		if (dw_defects_count(data, size, wide, &n) == 0)
			FUZZ_CHECK(n <= UINT32_MAX / 4);
}

/* The checksum is made right, else hardly an input would be looked at. */
static void sector_of(uint8_t ret[SECTOR], const uint8_t *data, size_t size)
{
	uint8_t sum = 0;

	memset(ret, 0, SECTOR);
	memcpy(ret, data, size < SECTOR - 1 ? size : SECTOR - 1);
	for (size_t i = 0; i < SECTOR - 1; i++)
		sum = (uint8_t)(sum + ret[i]);
	ret[SECTOR - 1] = (uint8_t)-sum;
}

static void smart(const uint8_t *data, size_t size)
{
	uint8_t values[SECTOR], thresholds[SECTOR];
	size_t half = size / 2;
	struct dw_smart s;

	sector_of(values, data, half);
	sector_of(thresholds, data + half, size - half);
	if (dw_smart_read(values, NULL, &s) == 0)
		FUZZ_CHECK(s.failing == 0);
	if (dw_smart_read(values, thresholds, &s) != 0)
		return;
	FUZZ_CHECK(s.temperature >= UNKNOWN && s.temperature <= 127);
	FUZZ_CHECK(s.hours >= -1 && s.hours < INT64_C(1) << 24);
	FUZZ_CHECK(s.reallocated >= -1 && s.reallocated < INT64_C(1) << 32);
	values[SECTOR - 1]++;
	FUZZ_CHECK(dw_smart_read(values, thresholds, &s) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	log_pages(data, size);
	smart(data, size);
	return 0;
}
