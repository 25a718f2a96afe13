/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mirrored disks under ten policies (Towsley, Chen and Yu). S-PSSQ and MR-ESQ serve one
 * request at a time and are M/G/1 queues,
 *
 *	Wq = rho E[X] (1 + c^2) / (2 (1 - rho)) = lambda E[X^2] / (2 (1 - rho))
 *
 * where the paper prints 2 (1 - p_r) and c^2 without its "- 1"; both are computed. The
 * policies with one queue are quasi birth-and-death chains, solved by the matrix-geometric
 * method in plain C; those with several are truncated chains. MR-DMQ without abort sends
 * every request to both disks: the fork-join queue, whose larger response is known exactly
 * (Nelson and Tantawi). MR-DMQA that aborts at the start is CMQ.
 */
#include <errno.h>
#include <math.h>

#include "base/util.h"
#include "papers/mirror.h"
#include "papers/random.h"

static bool serial(enum dw_mirror_policy policy)
{
	return policy == DW_S_PSSQ || policy == DW_MR_ESQ;
}

/* Mean service of a request when one is served at a time, and its second moment. */
static double serial_moment(const struct dw_mirror *m, int i)
{
	const struct dw_service_time *s = &m->service;
	double read = m->policy == DW_MR_ESQ ? s->smaller[i] : s->one[i];

	return m->pr * read + (1 - m->pr) * s->larger[i];
}

static double max_throughput(const struct dw_mirror *m)
{
	double pr = m->pr, mu = m->mu;
	double share = m->alpha > 0.5 ? m->alpha : 1 - m->alpha;

	switch (m->policy) {
	case DW_S_PSSQ:
	case DW_MR_ESQ:
		return 1 / serial_moment(m, 0);
	case DW_C_PSSQ:
		return mu * (2 - pr) / (3 - 3 * pr + pr * pr);
	case DW_CR_ESQ:
		return 2 * mu / (3 - pr - pr * pr);
	case DW_CRU_ESQ:
		return 2 * mu / (3 - 2 * pr);
	case DW_R_DMQ:
		return mu / (share * pr + 1 - pr);
	case DW_MR_DMQ:
		return mu;
	default:
		return 2 * mu / (2 - pr);
	}
}

static void solve_serial(const struct dw_mirror *m, struct dw_mirror_waits *w)
{
	const struct dw_service_time *s = &m->service;
	double x = serial_moment(m, 0), x2 = serial_moment(m, 1), rho = m->lambda * x;
	double wait = m->lambda * x2 / (2 * (1 - rho));
	double printed = rho * x * (1 + x2 / (x * x)) / (2 * (1 - m->pr));
	double read = m->policy == DW_MR_ESQ ? s->smaller[0] : s->one[0];

	w->read = wait + read;
	w->update = wait + s->larger[0];
	w->read_printed = printed + read;
	w->update_printed = printed + s->larger[0];
}

/* Both disks get every request: the larger and the smaller of two responses. */
static void solve_fork_join(const struct dw_mirror *m, struct dw_mirror_waits *w)
{
	double rho = m->lambda / m->mu, one = 1 / (m->mu - m->lambda);

	w->update = (12 - rho) / 8 * one;
	w->read = 2 * one - w->update;
}

static int solve_mirror(const struct dw_mirror *m, struct dw_mirror_waits *w)
{
	*w = (struct dw_mirror_waits){ .read_printed = NAN,
				       .update_printed = NAN,
				       .lower = { NAN, NAN },
				       .upper = { NAN, NAN } };
	if (serial(m->policy)) {
		solve_serial(m, w);
		return 0;
	}
	if (m->policy == DW_MR_DMQ) {
		solve_fork_join(m, w);
		return 0;
	}
	return m->policy < DW_MR_ESQ ? dw_mirror_single(m, w) : dw_mirror_multiple(m, w);
}

static void report_mirror(struct dw_model_call *call, const struct dw_mirror *m,
			  const struct dw_mirror_waits *w)
{
	dw_out_number(call, "max_throughput", max_throughput(m));
	dw_out_number(call, "read_ms", 1e3 * w->read);
	dw_out_number(call, "update_ms", 1e3 * w->update);
	dw_out_number(call, "read_ms_printed", 1e3 * w->read_printed);
	dw_out_number(call, "update_ms_printed", 1e3 * w->update_printed);
	dw_out_number(call, "read_ms_lower", 1e3 * w->lower[0]);
	dw_out_number(call, "read_ms_upper", 1e3 * w->upper[0]);
	dw_out_number(call, "update_ms_lower", 1e3 * w->lower[1]);
	dw_out_number(call, "update_ms_upper", 1e3 * w->upper[1]);
	dw_out_number(call, "service_ms", 1e3 * m->service.one[0]);
	dw_out_number(call, "service_m2_ms2", 1e6 * m->service.one[1]);
	dw_out_text(call, "service_model",
		    !m->service.real    ? "exponential"
		    : serial(m->policy) ? "as given"
					: "exponential of the mean given");
}

static int read_inputs(struct dw_model_call *call, struct dw_mirror *m)
{
	m->policy = (enum dw_mirror_policy)dw_call_word(call, "policy");
	m->lambda = dw_call_number(call, "lambda");
	m->pr = dw_call_number(call, "read_fraction");
	m->alpha = dw_call_number(call, "alpha");
	m->abort_start = dw_call_word(call, "abort") == 0;
	m->truncation = (size_t)dw_call_number(call, "truncation");
	if (dw_call_form(call)) {
		m->service.seek = dw_call_number(call, "seek_ms") / 1e3;
		m->service.latency = dw_call_number(call, "latency_ms") / 1e3;
		m->service.transfer = dw_call_number(call, "transfer_ms") / 1e3;
		m->service.sequential = dw_call_number(call, "sequential");
		dw_service_real(&m->service);
	} else {
		dw_service_exponential(&m->service, dw_call_number(call, "mu"));
	}
	if (m->service.one[0] <= 0)
		return dw_call_fail(call, "the service takes no time at all");
	m->mu = 1 / m->service.one[0];
	if (dw_call_has(call, "simulate") != dw_call_has(call, "seed"))
		return dw_call_fail(call, "%s is missing",
				    dw_call_has(call, "seed") ? "simulate" : "seed");
	return 0;
}

static int run_mirror(struct dw_model_call *call)
{
	struct dw_mirror m = { 0 }, as;
	struct dw_mirror_waits w;
	int r = read_inputs(call, &m);

	if (r)
		return r;
	if (m.lambda >= max_throughput(&m))
		return dw_call_fail(call, "unstable: lambda %.9g is not below %.9g",
				    m.lambda, max_throughput(&m));
	as = m;
	if (m.policy == DW_MR_DMQA && m.abort_start)
		as.policy = DW_CMQ;
	r = solve_mirror(&as, &w);
	if (r == -EINVAL)
		return dw_call_fail(call, "unstable: lambda is too close to %.9g",
				    max_throughput(&m));
	if (r)
		return r;
	report_mirror(call, &m, &w);
	if (dw_call_has(call, "simulate") &&
	    dw_call_number(call, "simulate") * 1.2 + 2000 > DW_LONGEST * m.lambda)
		return dw_call_fail(call, "lambda is too small to simulate so many");
	if (dw_call_has(call, "simulate"))
		r = dw_mirror_simulate(call, &m, dw_call_number(call, "simulate"),
				       (uint64_t)dw_call_number(call, "seed"));
	return r;
}

static const struct dw_model_key keys[] = {
	{ "policy", "", DW_MODEL_WORD, .needed = 3,
	  .words = "S-PSSQ|C-PSSQ|CR-ESQ|CRU-ESQ|MR-ESQ|R-DMQ|SQ-DMQ|MR-DMQ|MR-DMQA|CMQ",
	  .help = "how requests are queued" },
	{ "lambda", "1/s", .above = true, .needed = 3, .help = "requests" },
	{ "read_fraction", "", .max = 1, .needed = 3, .help = "of them that read" },
	{ "mu", "1/s", .above = true, .forms = 1, .needed = 1,
	  .help = "rate of exponential service at a disk" },
	{ "seek_ms", "ms", .forms = 2, .needed = 2, .help = "average seek" },
	{ "latency_ms", "ms", .forms = 2, .needed = 2, .help = "average latency" },
	{ "transfer_ms", "ms", .forms = 2, .needed = 2, .help = "transfer" },
	{ "sequential", "", .max = 1, .forms = 2, .needed = 2,
	  .help = "share of requests without a seek" },
	{ "abort", "", DW_MODEL_WORD, .words = "start|completion",
	  .fallback = "completion", .help = "MR-DMQA: when the second read is given up" },
	{ "alpha", "", .max = 1, .fallback = "0.5",
	  .help = "R-DMQ: reads to the first disk" },
	{ "truncation", "", DW_MODEL_WHOLE, .min = 1, .max = 400,
	  .help = "of the chains (default: until the bounds agree)" },
	{ "simulate", "", DW_MODEL_WHOLE, .min = 100, .max = 1e9, .help = "requests" },
	{ "seed", "", DW_MODEL_WHOLE, .max = 9007199254740992.0,
	  .help = "of the simulation" },
};

const struct dw_model dw_model_mirror = {
	.name = "mirror",
	.paper = "Towsley, Chen and Yu",
	.summary = "Reads and updates of mirrored disks under ten policies.",
	.outputs = "max_throughput read_ms update_ms read_ms_printed update_ms_printed"
		   " read_ms_lower read_ms_upper update_ms_lower update_ms_upper"
		   " service_ms service_m2_ms2 service_model",
	.forms = { "exponential service", "seek, latency and transfer" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_mirror,
};
