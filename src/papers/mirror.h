/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_MIRROR_H
#define DW_PAPERS_MIRROR_H

/* Two disks with the same data (Towsley, Chen and Yu). Times in seconds. */
#include "papers/model.h"

enum dw_mirror_policy {
	DW_S_PSSQ,
	DW_C_PSSQ,
	DW_CR_ESQ,
	DW_CRU_ESQ,
	DW_MR_ESQ,
	DW_R_DMQ,
	DW_SQ_DMQ,
	DW_MR_DMQ,
	DW_MR_DMQA,
	DW_CMQ,
};

/** struct dw_service_time - of one disk and of two at once: first two moments */
struct dw_service_time {
	bool real;
	double seek;
	double latency;
	double transfer;
	double sequential;
	double one[2];
	double larger[2];
	double smaller[2];
};

/** struct dw_mirror - a system; @mu is one over the mean service time */
struct dw_mirror {
	enum dw_mirror_policy policy;
	double lambda;
	double pr;
	double mu;
	double alpha;
	bool abort_start;
	size_t truncation; /* 0 = by itself */
	struct dw_service_time service;
};

/** struct dw_mirror_waits - responses; NAN = not defined. @upper and @lower are those of the
 *  truncated chains, of read and update. */
struct dw_mirror_waits {
	double read;
	double update;
	double read_printed;
	double update_printed;
	double lower[2];
	double upper[2];
};

/** dw_service_exponential() - moments of exponential service at rate @mu. */
void dw_service_exponential(struct dw_service_time *s, double mu);

/** dw_service_real() - moments of seek, latency and transfer, which are set: seek uniform
 *  from nothing unless sequential, latency uniform, transfer constant. */
void dw_service_real(struct dw_service_time *s);

/** dw_mirror_single() - C-PSSQ, CR-ESQ and CRU-ESQ, exactly; 0, -EINVAL (unstable), -ENOMEM. */
int dw_mirror_single(const struct dw_mirror *m, struct dw_mirror_waits *ret);

/** dw_mirror_multiple() - R-DMQ, SQ-DMQ, MR-DMQA and CMQ by truncated chains; 0, -EINVAL,
 *  -ENOMEM. */
int dw_mirror_multiple(const struct dw_mirror *m, struct dw_mirror_waits *ret);

/** dw_mirror_simulate() - @count requests; leaves "simulated" outputs; 0, -ENOMEM. */
int dw_mirror_simulate(struct dw_model_call *call, const struct dw_mirror *m,
		       double count, uint64_t seed);

#endif
