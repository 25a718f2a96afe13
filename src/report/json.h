/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_JSON_H
#define DW_REPORT_JSON_H

/*
 * Pieces of the JSON documents that several of them share. All values returned are new
 * references, NULL when memory is short; json_pack() then gives NULL as well.
 */
#include <jansson.h>

#include <diskwipe/disk.h>
#include <diskwipe/job.h>
#include <diskwipe/predict.h>

#include "report/result.h"

/** dw_json_text() - a string; bytes that are not UTF-8 become "?". */
json_t *dw_json_text(const char *text);

/** dw_json_text_or_null() - a string, null when it is empty. */
json_t *dw_json_text_or_null(const char *text);

/** dw_json_tool() - {"name", "version"} of this program. */
json_t *dw_json_tool(void);

/** dw_json_paths() - the nodes of a disk, sg first. */
json_t *dw_json_paths(const struct dw_disk_info *info);

/** dw_json_device() - the node a disk is called by: sg, else block. */
json_t *dw_json_device(const struct dw_disk_info *info);

/** dw_json_refused() - array of the nodes that were left out. */
json_t *dw_json_refused(const struct dw_refused *refused, size_t n);

/** dw_json_forecast_all() - a forecast with its disks under "disks". */
json_t *dw_json_forecast_all(const struct dw_forecast *f);

/** dw_json_table() - an object of the rows of @table; NULL also when a value is out of range. */
json_t *dw_json_table(const struct dw_table *table, const void *base);

/** dw_json_dump() - a document as text: indented, or one line; takes @doc; malloc'd, NULL
 *  when @doc is NULL or memory is short. */
char *dw_json_dump(json_t *doc, bool line);

#endif
