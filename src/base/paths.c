/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loss system behind missed reconnections (Brandwajn, equations 2 to 12), for any number
 * K of paths. d units, a(j) the chance that an attempt that finds j paths busy succeeds:
 * 1 - j/K on a fixed path, 1 if any free path will do.
 *
 *	(3)  p(j) = x^j/G prod_{i=1..j} (d-i+1) a(i-1)/i
 *	(4)  sum_j j p(j) = K U
 *	(5)  p1 = 1 - sum_{j<K} (d-j) p(j) a(j) / sum_{j<=K} (d-j) p(j)
 *	(6)  ps = (1-Us)/(1-Us/s), Us = K U/h
 *	(10) p1 = 1 - ps pu, pu by (3)-(5) for the h substrings
 *	(11) m = p1/((1-p1)(1-q)), q = exp(-R/T)
 *	(2)  B = S + R/2 + m R + T + overhead
 *	(12) W = B (1 + Ud (1+c^2)/(2 (1-Ud)))
 *
 * The mean of (4) grows with x, so x is found by bisection of its logarithm. The paper's (2)
 * leaves out the overhead, although the device is held; both are computed.
 */
#include <math.h>

#include "base/paths.h"

#define STEPS 200

double dw_paths_devices(const struct dw_paths *p)
{
	return p->per_unit ? p->units * p->per_unit : p->units;
}

static double chance(const struct dw_paths *p, size_t j)
{
	if (j >= p->paths)
		return 0;
	return p->dynamic ? 1 : 1 - (double)j / (double)p->paths;
}

/* p(j) at exp(@log_x), scaled by the largest term; the mean number of busy paths. */
static double distribute(const struct dw_paths *p, double log_x, double *ret_busy)
{
	double log_p[DW_PATHS_MOST + 1] = { 0 }, most = 0, sum = 0, mean = 0;
	size_t n = 0;

	for (size_t j = 1; j <= p->paths; j++) {
		double left = p->units - (double)j + 1;

		if (left <= 0)
			break;
		log_p[j] =
			log_p[j - 1] + log_x + log(left * chance(p, j - 1) / (double)j);
		most = log_p[j] > most ? log_p[j] : most;
		n = j;
	}
	for (size_t j = 0; j <= p->paths; j++) {
		ret_busy[j] = j <= n ? exp(log_p[j] - most) : 0;
		sum += ret_busy[j];
	}
	for (size_t j = 0; j <= p->paths; j++) {
		ret_busy[j] /= sum;
		mean += (double)j * ret_busy[j];
	}
	return mean;
}

/* (5) and (9): how many attempts are made and how many of them succeed, by j. */
static double success(const struct dw_paths *p, const double *busy)
{
	double good = 0, all = 0;

	for (size_t j = 0; j <= p->paths && (double)j < p->units; j++) {
		good += (p->units - (double)j) * busy[j] * chance(p, j);
		all += (p->units - (double)j) * busy[j];
	}
	return good / all;
}

bool dw_paths_misses(const struct dw_paths *p, double u, struct dw_misses *ret)
{
	double want = u * (double)p->paths, lo = -300, hi = 300, us = want / p->units;
	double most = p->units < (double)p->paths ? p->units : (double)p->paths;

	*ret = (struct dw_misses){ .substring = 1 };
	if (u < 0 || want >= most)
		return false;
	if (u > 0) {
		for (int i = 0; i < STEPS; i++) {
			double mid = (lo + hi) / 2;

			if (distribute(p, mid, ret->busy) < want)
				lo = mid;
			else
				hi = mid;
		}
		ret->x = exp((lo + hi) / 2);
		distribute(p, (lo + hi) / 2, ret->busy);
	} else {
		ret->busy[0] = 1;
	}
	ret->unit = success(p, ret->busy);
	if (p->per_unit)
		ret->substring = (1 - us) / (1 - us / p->per_unit);
	ret->first = 1 - ret->substring * ret->unit;
	return true;
}

/* Chance that a retry misses as well, the r of var(k). */
static double again(const struct dw_paths *p, double first)
{
	double q = exp(-p->turn / p->transfer);

	return q + (1 - q) * first;
}

double dw_paths_count(const struct dw_paths *p, double first)
{
	return first / ((1 - first) * -expm1(-p->turn / p->transfer));
}

/* (12) with service @b, its variance and the rate of a device; the variation as well. */
static double wait(double b, double variance, double rate, double *ret_cv2,
		   double *ret_device)
{
	*ret_cv2 = variance / (b * b);
	*ret_device = b * rate;
	return b * (1 + *ret_device * (1 + *ret_cv2) / (2 * (1 - *ret_device)));
}

bool dw_paths_service(const struct dw_paths *p, double rate, struct dw_service *ret)
{
	double per_device = rate * (double)p->paths / dw_paths_devices(p);
	double m, r, variance, printed_cv2, printed_device;

	*ret = (struct dw_service){ 0 };
	if (!dw_paths_misses(p, rate * (p->transfer + p->overhead), &ret->at) ||
	    ret->at.first >= 1)
		return false;
	ret->misses = m = dw_paths_count(p, ret->at.first);
	r = again(p, ret->at.first);
	variance = p->seek * p->seek * p->no_seek / (1 - p->no_seek) +
		   p->turn * p->turn / 12 +
		   p->turn * p->turn *
			   (ret->at.first * (1 + r) / ((1 - r) * (1 - r)) - m * m) +
		   p->transfer * p->transfer;
	ret->service_printed = p->seek + p->turn / 2 + m * p->turn + p->transfer;
	ret->service = ret->service_printed + p->overhead;
	ret->response = wait(ret->service, variance, per_device, &ret->cv2, &ret->device);
	ret->response_printed = wait(ret->service_printed, variance, per_device,
				     &printed_cv2, &printed_device);
	ret->stable = ret->device < 1;
	return ret->stable;
}
