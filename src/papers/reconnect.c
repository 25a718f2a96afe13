/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dynamic reconnection (Brandwajn): what it gains at a load, and from which load on it gains
 * so much. The equations are in paths.c. The gain is nothing without load and goes to one
 * where the fixed path is overloaded, so the lowest load with a given gain is looked for
 * from below.
 */
#include <math.h>
#include <stdint.h>

#include "base/util.h"
#include "papers/paths_sim.h"
#include "papers/random.h"

enum { USE, RATE, RATE_BYTES, GAIN, GAIN_BYTES };

#define STEPS 200
#define SCAN  2000

static int read_topology(struct dw_model_call *call, struct dw_paths *p)
{
	bool dual = dw_call_word(call, "topology") == 0;
	bool sub = dw_call_has(call, "substrings"),
	     per = dw_call_has(call, "per_substring");
	double devices = dw_call_number(call, "devices");

	if (dual && (sub || per))
		return dw_call_fail(call, "%s goes with topology=substring",
				    sub ? "substrings" : "per_substring");
	if (dual && !dw_call_has(call, "devices"))
		return dw_call_fail(call, "devices is missing");
	if (!dual && (!sub || !per))
		return dw_call_fail(call, "%s is missing",
				    sub ? "per_substring" : "substrings");
	p->units = dual ? devices : dw_call_number(call, "substrings");
	p->per_unit = dual ? 0 : dw_call_number(call, "per_substring");
	if (dw_call_has(call, "devices") && devices != dw_paths_devices(p))
		return dw_call_fail(call, "devices is not substrings * per_substring");
	p->paths = (size_t)dw_call_number(call, "paths");
	p->dynamic = dw_call_number(call, "dynamic") != 0;
	return 0;
}

static void read_times(struct dw_model_call *call, struct dw_paths *p)
{
	unsigned form = dw_call_form(call);

	p->seek = dw_call_number(call, "seek_ms");
	p->no_seek = dw_call_number(call, "no_seek");
	p->turn = dw_call_number(call, "revolution_ms");
	p->overhead = dw_call_number(call, "overhead_ms");
	p->transfer = dw_call_number(call, "transfer_ms");
	if (form == RATE_BYTES || form == GAIN_BYTES)
		p->transfer = dw_call_number(call, "bytes") /
				      (1e3 * dw_call_number(call, "rate_mb_s")) +
			      dw_call_number(call, "search_ms");
}

static void leave_misses(struct dw_model_call *call, const struct dw_paths *p,
			 const struct dw_misses *at)
{
	dw_out_array(call, "path_busy_p", at->busy, p->paths + 1);
	dw_out_number(call, "x", at->x);
	dw_out_number(call, "p_substring", at->substring);
	dw_out_number(call, "p_unit", at->unit);
	dw_out_number(call, "p_miss_first", at->first);
}

/* Gain of any path over a fixed one; NAN where one of them is overloaded. @ret_printed: by the
 * service time that the paper prints, without the overhead; may be NULL. */
static double gain_at(const struct dw_paths *p, double rate, double *ret_printed)
{
	struct dw_paths fixed = *p, dynamic = *p;
	struct dw_service a, b;

	if (ret_printed)
		*ret_printed = NAN;

	fixed.dynamic = false;
	dynamic.dynamic = true;
	if (!dw_paths_service(&fixed, rate, &a) || !dw_paths_service(&dynamic, rate, &b))
		return NAN;
	if (ret_printed)
		*ret_printed = 1 - b.response_printed / a.response_printed;
	return 1 - b.response / a.response;
}

/* Least upper bound of the rates at which the fixed path is stable. */
static double rate_limit(const struct dw_paths *p)
{
	struct dw_paths fixed = *p;
	struct dw_service s;
	double lo = 0, hi = 1 / (p->transfer + p->overhead);

	fixed.dynamic = false;
	for (int i = 0; i < STEPS; i++) {
		double mid = (lo + hi) / 2;

		if (dw_paths_service(&fixed, mid, &s))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static double find_rate(const struct dw_paths *p, double target)
{
	double limit = rate_limit(p), lo = 0, hi = limit;

	for (int i = 1; i <= SCAN; i++) {
		hi = limit * i / SCAN;
		if (gain_at(p, hi, NULL) >= target)
			break;
		lo = hi;
	}
	if (!(gain_at(p, hi, NULL) >= target))
		return NAN;
	for (int i = 0; i < 100; i++) {
		double mid = (lo + hi) / 2;

		if (gain_at(p, mid, NULL) >= target)
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

static int leave_service(struct dw_model_call *call, const struct dw_paths *p,
			 double rate)
{
	struct dw_service s;
	double gain, printed;

	if (!dw_paths_service(p, rate, &s))
		return dw_call_fail(call, "unstable: %s",
				    s.service > 0 ? "the devices are overloaded"
						  : "the paths are overloaded");
	leave_misses(call, p, &s.at);
	dw_out_number(call, "misses", s.misses);
	dw_out_number(call, "reconnect_ms", s.misses * p->turn);
	dw_out_number(call, "service_ms", s.service);
	dw_out_number(call, "cv2", s.cv2);
	dw_out_number(call, "device_utilisation", s.device);
	dw_out_number(call, "response_ms", s.response);
	dw_out_number(call, "service_ms_printed", s.service_printed);
	dw_out_number(call, "response_ms_printed", s.response_printed);
	gain = gain_at(p, rate, &printed);
	dw_out_number(call, "gain_dynamic", gain);
	dw_out_number(call, "gain_dynamic_printed", printed);
	return 0;
}

static int run_use(struct dw_model_call *call, const struct dw_paths *p)
{
	struct dw_misses at;

	if (!dw_paths_misses(p, dw_call_number(call, "utilisation"), &at))
		return dw_call_fail(call, "unstable: the devices cannot keep the paths so"
					  " busy");
	if (at.substring <= 0)
		return dw_call_fail(call, "unstable: the substrings are overloaded");
	leave_misses(call, p, &at);
	return 0;
}

static int run_gain(struct dw_model_call *call, const struct dw_paths *p)
{
	double rate = find_rate(p, dw_call_number(call, "target_gain"));

	if (!isfinite(rate))
		return dw_call_fail(call,
				    "no load with a stable fixed path gains so much");
	dw_out_number(call, "rate_for_gain", 1e3 * rate);
	return 0;
}

static int run_reconnect(struct dw_model_call *call)
{
	struct dw_paths p = { 0 };
	unsigned form = dw_call_form(call);
	double rate = dw_call_number(call, "rate_per_channel") / 1e3;
	int r = read_topology(call, &p);

	if (r)
		return r;
	if (form == USE)
		return run_use(call, &p);
	read_times(call, &p);
	if (form == RATE_BYTES || form == GAIN_BYTES)
		dw_out_number(call, "transfer_ms", p.transfer);
	if (form == GAIN || form == GAIN_BYTES)
		return run_gain(call, &p);
	if (dw_call_has(call, "simulate") != dw_call_has(call, "seed"))
		return dw_call_fail(call, "%s is missing",
				    dw_call_has(call, "seed") ? "simulate" : "seed");
	if (dw_call_number(call, "simulate") * 1.2 >
	    DW_LONGEST * 1e3 * rate * (double)p.paths)
		return dw_call_fail(call, "the rate is too small to simulate so many");
	r = leave_service(call, &p, rate);
	if (!r && dw_call_has(call, "simulate"))
		r = dw_paths_simulate(call, &p, rate, dw_call_number(call, "simulate"),
				      (uint64_t)dw_call_number(call, "seed"));
	return r;
}

#define F(form) (1u << (form))
#define RATES   (F(RATE) | F(RATE_BYTES))
#define GAINS   (F(GAIN) | F(GAIN_BYTES))
#define TIMES   (RATES | GAINS)
#define BYTES   (F(RATE_BYTES) | F(GAIN_BYTES))
#define GIVEN   (F(RATE) | F(GAIN))

static const struct dw_model_key keys[] = {
	{ "topology", "", DW_MODEL_WORD, .needed = 31, .words = "dual|substring",
	  .help = "dual-ported devices, or strings that share a path" },
	{ "devices", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6, .help = "dual: how many" },
	{ "substrings", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6,
	  .help = "substring: how many strings" },
	{ "per_substring", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6,
	  .help = "substring: devices of a string" },
	{ "paths", "", DW_MODEL_WHOLE, .min = 1, .max = DW_PATHS_MOST, .fallback = "2",
	  .help = "that they share" },
	{ "dynamic", "", DW_MODEL_FLAG, .needed = F(USE) | RATES,
	  .help = "any free path will do" },
	{ "utilisation", "", .max = 1, .below = true, .forms = F(USE), .needed = F(USE),
	  .help = "of a path" },
	{ "rate_per_channel", "1/s", .above = true, .forms = RATES, .needed = RATES,
	  .help = "transfers of a path" },
	{ "target_gain", "", .above = true, .max = 1, .below = true, .forms = GAINS,
	  .needed = GAINS, .help = "of response, whose lowest rate is sought" },
	{ "seek_ms", "ms", .forms = TIMES, .needed = TIMES, .help = "average seek" },
	{ "revolution_ms", "ms", .above = true, .forms = TIMES, .needed = TIMES,
	  .help = "of a device" },
	{ "transfer_ms", "ms", .above = true, .forms = GIVEN, .needed = GIVEN,
	  .help = "average transfer" },
	{ "bytes", "bytes", .above = true, .forms = BYTES, .needed = BYTES,
	  .help = "of a transfer, in place of transfer_ms" },
	{ "rate_mb_s", "MB/s", .above = true, .forms = BYTES, .needed = BYTES,
	  .help = "of a device" },
	{ "search_ms", "ms", .forms = BYTES, .fallback = "0",
	  .help = "before a transfer" },
	{ "overhead_ms", "ms", .forms = TIMES, .fallback = "1",
	  .help = "that the path is held as well" },
	{ "no_seek", "", .max = 1, .below = true, .forms = TIMES, .fallback = "0.4",
	  .help = "share of transfers without a seek" },
	{ "simulate", "", DW_MODEL_WHOLE, .min = 100, .max = 1e9, .forms = RATES,
	  .help = "transfers" },
	{ "seed", "", DW_MODEL_WHOLE, .max = 9007199254740992.0, .forms = RATES,
	  .help = "of the simulation" },
};

const struct dw_model dw_model_reconnect = {
	.name = "reconnect",
	.paper = "Brandwajn",
	.summary = "Missed reconnections and I/O time with fixed and dynamic paths.",
	.outputs = "path_busy_p[] x p_substring p_unit p_miss_first misses reconnect_ms"
		   " service_ms cv2 device_utilisation response_ms service_ms_printed"
		   " response_ms_printed gain_dynamic gain_dynamic_printed transfer_ms"
		   " rate_for_gain",
	.forms = { "utilisation", "rate", "rate and bytes", "gain", "gain and bytes" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_reconnect,
};
