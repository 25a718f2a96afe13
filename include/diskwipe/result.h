/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_RESULT_H
#define DISKWIPE_RESULT_H

/*
 * The result of a job as a document: what `diskwipe erase --json` prints, read back.
 */
#include <diskwipe/error.h>
#include <diskwipe/predict.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct dw_result_doc - all that a result document says
 * @job: as dw_job_result() has it, its lists owned. Of @job.spec only the strategy, the pattern,
 *	and the share of a job in the background are told, of each disk's facts those that the
 *	result has: names, capacity, block size
 * @forecast: of the job, and of its first @forecast.n disks; 0 and no method = none
 * @tool: version of the program that wrote it
 * @outcome: in words; also "refused", "invalid" or "planned" of a job that never began
 * @controller, @command, @method, @verify: in words, as they were in force
 * @verify_asked: "auto" if @verify was chosen for the job; else empty
 * @state_error, @trace_error: why a file is not whole; empty = it is, or was not asked for
 * @asked_response: of others that was to be kept, seconds; 0 = none
 * @error: why it did not begin; empty = it did
 */
struct dw_result_doc {
	struct dw_job_result job;
	struct dw_forecast forecast;
	char tool[32];
	char outcome[32];
	char controller[24];
	char command[32];
	char method[32];
	char verify[24];
	char verify_asked[24];
	char state_error[128];
	char trace_error[128];
	double asked_response;
	char error[256];
};

/**
 * dw_result_parse() - a result document in memory, like that of dw_job_result_json()
 * @ret: dw_result_free()
 * @err: on failure the key where one is wrong; it has no file
 *
 * Every key has to be there, of its type and in its range; keys of later versions are passed
 * over. Thread-safe.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
DW_PUBLIC int dw_result_parse(const char *text, size_t len, struct dw_result_doc **ret,
			      struct dw_error *err);

/** dw_result_free() - free it; NULL is allowed. */
DW_PUBLIC void dw_result_free(struct dw_result_doc *doc);

#ifdef __cplusplus
}
#endif

#endif
