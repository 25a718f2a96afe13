/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_SMART_H
#define DW_SCSI_SMART_H

/*
 * SMART data of ATA disks. Their form is of the time before ACS: attributes with a value that
 * falls toward a threshold, and six raw bytes whose meaning is the maker's. Of those, only what all
 * makers agree on is read.
 */
#include <stddef.h>
#include <stdint.h>

/**
 * struct dw_smart - what the attributes tell
 * @temperature: degrees Celsius, -274 = not reported
 * @hours: powered on, -1 = not reported
 * @reallocated: sectors, -1 = not reported
 * @failing: the first attribute that foretells a failure, and whose value is at its threshold
 *	or below; 0 = none
 */
struct dw_smart {
	int32_t temperature;
	int64_t hours;
	int64_t reallocated;
	uint8_t failing;
};

/**
 * dw_smart_read() - put attributes and thresholds together
 * @data: SMART READ DATA, 512 bytes
 * @thresholds: SMART READ THRESHOLDS, 512 bytes; NULL = not known
 * @ret: filled
 *
 * Return: 0; -EBADMSG when a checksum is wrong or there is no attribute.
 */
int dw_smart_read(const uint8_t *data, const uint8_t *thresholds, struct dw_smart *ret);

#endif
