/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_BACKGROUND_H
#define DISKWIPE_BACKGROUND_H

/*
 * Erasing beside other work on the same controller: how much of it a job may take. The
 * others are users who think and then pass through stations, the last of which the job
 * shares with them (docs/background.md).
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_BACKGROUND_DEMANDS 8
#define DW_BACKGROUND_USERS   10000

enum dw_background_kind {
	DW_BACKGROUND_OFF,
	DW_BACKGROUND_SHARE,    /* a fixed share of the time */
	DW_BACKGROUND_RESPONSE, /* as much as keeps the others' response */
};

/**
 * struct dw_background - what is asked
 * @kind: enum dw_background_kind
 * @share: of the time, (0, 1], for DW_BACKGROUND_SHARE
 * @response_ns: to be kept, > 0, for DW_BACKGROUND_RESPONSE
 * @users: of the others, with @think_ns and @demand_ns; at most DW_BACKGROUND_USERS; 0 = to be
 *	measured
 * @think_ns: from an answer to the next request
 * @demand_ns, @n_demands: of a request at each station, the shared one last; > 0
 */
struct dw_background {
	enum dw_background_kind kind;
	double share;
	uint64_t response_ns;
	uint32_t users;
	uint64_t think_ns;
	uint64_t demand_ns[DW_BACKGROUND_DEMANDS];
	uint32_t n_demands;
};

/**
 * struct dw_background_forecast - what the closed model says; times in seconds
 * @share: the largest at which the response is kept; of DW_BACKGROUND_SHARE what is asked
 * @response: of the users with that share
 * @response_before: without the job
 * @response_io, @response_io_before: at the shared station alone
 * @knee, @knee_before: users from which on the response grows in proportion
 */
struct dw_background_forecast {
	double share;
	double response;
	double response_before;
	double response_io;
	double response_io_before;
	double knee;
	double knee_before;
};

/**
 * struct dw_background_result - what came of it; times in seconds
 * @n_others: disks on the same controllers that are not the job's
 * @users, @think, @demand: the others, as given or as measured before the start; @users 0 =
 *	nothing was going on. @demand is that on the shared station
 * @measured_before: mean response of an I/O of theirs before the start, 0 = there was none
 * @target: mean response of an I/O that was kept to; 0 = none, the share was fixed
 * @measured: mean response of their I/Os during the job; @answers: their number
 * @share: at the end
 * @used: share of the time with a command of the job on its way, since the start
 */
struct dw_background_result {
	uint32_t n_others;
	uint32_t users;
	double think;
	double demand;
	struct dw_background_forecast forecast;
	double measured_before;
	double target;
	double measured;
	uint64_t answers;
	double share;
	double used;
};

/**
 * dw_background_parse() - "share:20%", "keep-response:30ms" or "off"
 * @ret: kind, share and response are set, the rest is left alone
 * Return: 0 or -EINVAL.
 */
DW_PUBLIC int dw_background_parse(const char *text, struct dw_background *ret);

/**
 * dw_others_parse() - "users:20,think:10.167s,demands:.157s/.394s"
 * @ret: users, think and demands are set, the rest is left alone
 * Return: 0 or -EINVAL.
 */
DW_PUBLIC int dw_others_parse(const char *text, struct dw_background *ret);

/** dw_background_forecast() - from what was given about the others. false: nothing was. */
DW_PUBLIC bool dw_background_forecast(const struct dw_background *b,
				      struct dw_background_forecast *ret);

#ifdef __cplusplus
}
#endif

#endif
