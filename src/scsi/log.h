/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_LOG_H
#define DW_SCSI_LOG_H

/* LOG SENSE replies (SPC): what a disk keeps about itself. And the length of its defect list. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dw_log_page {
	DW_LOG_SUPPORTED = 0x00,
	DW_LOG_WRITE_ERRORS = 0x02,
	DW_LOG_READ_ERRORS = 0x03,
	DW_LOG_TEMPERATURE = 0x0d,
	DW_LOG_BACKGROUND_SCAN = 0x15,
	DW_LOG_EXCEPTIONS = 0x2f,
};

/**
 * dw_log_counter() - one counter of a log page
 * @data, @len: the reply as far as it came
 * @page: enum dw_log_page; a subpage of it is another page
 * @code: of the parameter
 * @ret: its value
 *
 * Parameters may come in any order, and be of 1 to 8 bytes.
 *
 * Return: 0; -EBADMSG when that is no reply with that page; -ENODATA when it has no such
 * parameter, this does not fit, or does not count any more (DU, or all ones).
 */
int dw_log_counter(const uint8_t *data, size_t len, uint8_t page, uint16_t code,
		   uint64_t *ret);

/** dw_log_write_errors() - the write errors that were not corrected, of page 02h; as
 *  dw_log_counter(). */
int dw_log_write_errors(const uint8_t *data, size_t len, uint64_t *ret);

/** dw_log_has_page() - the list of pages (00h) names that one. */
bool dw_log_has_page(const uint8_t *data, size_t len, uint8_t page);

/** dw_log_temperature() - of page 0Dh the temperature, or with @limit the reference temperature,
 *  degrees Celsius. Return: as dw_log_counter(). */
int dw_log_temperature(const uint8_t *data, size_t len, bool limit, int32_t *ret);

/**
 * struct dw_log_exception - informational exceptions, of page 2Fh
 * @asc, @ascq: what the disk would report; 0 = nothing
 * @temperature: degrees Celsius, -274 = not reported
 */
struct dw_log_exception {
	uint8_t asc;
	uint8_t ascq;
	int32_t temperature;
};

/** dw_log_exception() - read page 2Fh. Return: as dw_log_counter(). */
int dw_log_exception(const uint8_t *data, size_t len, struct dw_log_exception *ret);

/** dw_log_minutes() - minutes powered on, of page 15h. Return: as dw_log_counter(). */
int dw_log_minutes(const uint8_t *data, size_t len, uint64_t *ret);

/**
 * dw_defects_count() - how many defects a list has, from its header (SBC, READ DEFECT DATA)
 * @wide: of READ DEFECT DATA (12), else (10)
 *
 * Return: 0; -EBADMSG when it is no grown list, or in a format of unknown size.
 */
int dw_defects_count(const uint8_t *data, size_t len, bool wide, uint64_t *ret);

#endif
