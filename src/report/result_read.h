/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_RESULT_READ_H
#define DW_REPORT_RESULT_READ_H

/*
 * A result document read back, as far as a report needs it. Keys may be added to a result, so
 * unknown ones are passed over; those that are read must be of their type.
 */
#include "report/record.h"

#define DW_RESULT_BYTES_MAX (256u << 20)

/**
 * struct dw_result_disk - one disk; text is empty where it is unknown
 * @seconds: from its first command to its end
 * @pass_seconds: of these, writing
 * @exceptions: runs of blocks
 * @predicted, @low, @high, @predicted_start: forecast of its end, with the interval, and of its
 *	first command; seconds after the job's start; no number = none
 */
struct dw_result_disk {
	char device[64];
	char model[48];
	char serial[72];
	char outcome[32];
	uint64_t capacity_bytes;
	uint64_t bytes_written;
	uint64_t bytes_verified;
	uint64_t commands;
	double seconds;
	double pass_seconds;
	uint64_t exceptions;
	uint64_t retried;
	uint64_t timeouts;
	double predicted;
	double low;
	double high;
	double predicted_start;
};

/** struct dw_result_doc - the document; @disk is owned */
struct dw_result_doc {
	char strategy[24];
	char controller[24];
	char method[32];
	char started[40];
	char simulation[16];
	char outcome[32];
	double seconds;
	double predicted;
	double low;
	double high;
	struct dw_result_disk *disk;
	size_t n;
};

/** dw_result_read() - from a file; 0; -EINVAL or another negative errno with @err, one line
 *  "FILE: what". */
int dw_result_read(const char *path, struct dw_result_doc *ret, char err[DW_ERR_TEXT]);

/** dw_result_parse() - dw_result_read() from memory, @err without the file. */
int dw_result_parse(const char *text, size_t len, struct dw_result_doc *ret,
		    char err[DW_ERR_TEXT]);

/** dw_result_deinit() - free the disks. */
void dw_result_deinit(struct dw_result_doc *doc);

#endif
