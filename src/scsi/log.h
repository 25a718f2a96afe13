/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_LOG_H
#define DW_SCSI_LOG_H

/* LOG SENSE replies (SPC): counters that a disk keeps about itself. */
#include <stddef.h>
#include <stdint.h>

enum dw_log_page {
	DW_LOG_WRITE_ERRORS = 0x02,
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

#endif
