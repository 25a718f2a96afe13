/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_PATHS_H
#define DW_BASE_PATHS_H

/* Missed reconnections of devices that share paths (Brandwajn). Times in ms. */
#include <stdbool.h>
#include <stddef.h>

#define DW_PATHS_MOST 64

/**
 * struct dw_paths - devices and the paths they share
 * @units: what reconnects to the paths: devices, or substrings
 * @per_unit: devices of a substring, 0 = the devices are dual-ported
 * @paths: number of them, at most DW_PATHS_MOST
 * @dynamic: any free path will do
 */
struct dw_paths {
	double units;
	double per_unit;
	size_t paths;
	bool dynamic;
	double seek;
	double no_seek;
	double turn;
	double transfer;
	double overhead;
};

/** struct dw_misses - equations (3) to (10) at a utilisation */
struct dw_misses {
	double busy[DW_PATHS_MOST + 1]; /* p(j) */
	double x;
	double substring;
	double unit;
	double first; /* p1 */
};

/** struct dw_service - the rest at a rate; @stable: the device is not overloaded */
struct dw_service {
	struct dw_misses at;
	bool stable;
	double misses;
	double service;
	double cv2;
	double device;
	double response;
	double service_printed;
	double response_printed;
};

/** dw_paths_devices() - number of devices. */
double dw_paths_devices(const struct dw_paths *p);

/** dw_paths_misses() - solve (4) for x, then (3), (5) or (6)-(10) at path utilisation @u;
 *  false when so much cannot be carried. */
bool dw_paths_misses(const struct dw_paths *p, double u, struct dw_misses *ret);

/** dw_paths_count() - mean misses of a transfer, equation (11), of first-miss probability. */
double dw_paths_count(const struct dw_paths *p, double first);

/** dw_paths_service() - equations (2), (11), (12) at @rate per channel and ms; false when a
 *  path or the device is overloaded. */
bool dw_paths_service(const struct dw_paths *p, double rate, struct dw_service *ret);

/** struct dw_closed_paths - devices that write without end; @cycle: ms of a command */
struct dw_closed_paths {
	double use;
	double misses;
	double cycle;
};

/** dw_paths_closed() - the fixed point of closed_paths.c with @base ms of a command; turn > 0;
 *  false when the paths cannot carry it. */
bool dw_paths_closed(const struct dw_paths *p, double base, struct dw_closed_paths *ret);

#endif
