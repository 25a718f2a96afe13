/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thirty entries of twelve bytes, in both sectors; those with the number 0 are unused. */
#include "scsi/smart.h"

#include <errno.h>
#include <stdbool.h>

#define SECTOR      512
#define FIRST       2
#define ENTRY       12
#define ENTRIES     30
#define REALLOCATED 5
#define HOURS       9
#define AIRFLOW     190 /* some disks have their temperature here */
#define TEMPERATURE 194
#define PREFAILURE  0x01
#define UNKNOWN     (-274)

static bool intact(const uint8_t *sector)
{
	uint8_t sum = 0;

	for (unsigned int i = 0; i < SECTOR; i++)
		sum = (uint8_t)(sum + sector[i]);
	return sum == 0;
}

static const uint8_t *find_entry(const uint8_t *sector, uint8_t id)
{
	for (size_t i = 0; i < ENTRIES; i++)
		if (sector[FIRST + ENTRY * i] == id)
			return sector + FIRST + ENTRY * i;
	return NULL;
}

/* The low bytes count; what some makers pack above them is none of that. */
static int64_t raw(const uint8_t *data, uint8_t id, unsigned int bytes)
{
	const uint8_t *a = find_entry(data, id);
	int64_t v = 0;

	if (!a)
		return -1;
	while (bytes--)
		v = v << 8 | a[5 + bytes];
	return v;
}

static int32_t degrees(const uint8_t *data)
{
	int64_t v = raw(data, TEMPERATURE, 1);

	if (v <= 0)
		v = raw(data, AIRFLOW, 1);
	return v <= 0 ? UNKNOWN : (int8_t)v;
}

/* Values of 1 to 253 count; a threshold of 0 is never reached, one of FEh or more is a test's. */
static uint8_t first_failing(const uint8_t *data, const uint8_t *thresholds)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		const uint8_t *a = data + FIRST + ENTRY * i, *t;

		if (!a[0] || !(a[1] & PREFAILURE) || !a[3] || a[3] > 253)
			continue;
		t = find_entry(thresholds, a[0]);
		if (t && t[1] && t[1] < 0xfe && a[3] <= t[1])
			return a[0];
	}
	return 0;
}

int dw_smart_read(const uint8_t *data, const uint8_t *thresholds, struct dw_smart *ret)
{
	bool any = false;

	if (!intact(data) || (thresholds && !intact(thresholds)))
		return -EBADMSG;
	for (size_t i = 0; i < ENTRIES; i++)
		any |= data[FIRST + ENTRY * i] != 0;
	if (!any)
		return -EBADMSG;
	*ret = (struct dw_smart){
		.temperature = degrees(data),
		.hours = raw(data, HOURS, 3),
		.reallocated = raw(data, REALLOCATED, 4),
		.failing = thresholds ? first_failing(data, thresholds) : 0,
	};
	return 0;
}
