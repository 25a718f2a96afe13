/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_STATION_H
#define DISKWIPE_STATION_H

/*
 * A station: disks, what they hang on and how fast all of it is. It is read from a topology
 * file (docs/simulator.md), or made of the disks of this machine.
 */
#include <diskwipe/disk.h>
#include <diskwipe/error.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_station;

/**
 * dw_station_load() - read a topology file
 * @path: the file; strict: an unknown or repeated key is an error
 * @ret: dw_station_free()
 * @err: on failure the file, its line and what is wrong there
 *
 * Return: 0; -EINVAL for what is not understood; negative errno of reading.
 */
DW_PUBLIC int dw_station_load(const char *path, struct dw_station **ret,
			      struct dw_error *err);

/** dw_station_free() - free it; NULL is accepted. */
DW_PUBLIC void dw_station_free(struct dw_station *s);

/** dw_station_disks() - how many disks it has, counted singly. */
DW_PUBLIC uint32_t dw_station_disks(const struct dw_station *s);

/** dw_station_title() - what the file calls it, empty = nothing. */
DW_PUBLIC const char *dw_station_title(const struct dw_station *s);

/**
 * dw_station_text() - a station as its file
 * @s: the station
 *
 * Loading the text gives the same station, and its text is the same again; comments and the
 * order of nodes among disks are not kept.
 *
 * Return: malloc'd text that ends with a newline; NULL without memory.
 */
DW_PUBLIC char *dw_station_text(const struct dw_station *s);

/**
 * dw_station_describe() - the station that these disks of this machine are
 * @disks: as examined or listed; only their facts are used
 * @n: their number, at least 1
 * @ret: dw_station_free()
 * @err: on failure why
 *
 * What the disks hang on comes from sysfs: PCIe links, hosts, SAS expanders and their wide
 * ports, parallel buses. Nothing is sent to a disk. Values that nobody tells are typical ones of
 * their kind and named by the key "assumed". Two of @disks with the same identity are two
 * paths to one disk, which the station then has once.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
DW_PUBLIC int dw_station_describe(const struct dw_disk_info *disks, size_t n,
				  struct dw_station **ret, struct dw_error *err);

/**
 * dw_station_sanitize() - a disk overwrites itself, as the method "sanitize" lets it
 * @s: the station
 * @i: its number, in the order of the disks that the station was made of
 * @seconds: that it takes, up to 10^9; 0 = it does not
 *
 * Return: 0; -ERANGE: there is no such disk, or no such time.
 */
DW_PUBLIC int dw_station_sanitize(struct dw_station *s, size_t i, double seconds);

/** enum dw_station_match - how a real disk was found in a station */
enum dw_station_match {
	DW_STATION_ASSUMED,     /* not: it is as dw_station_describe() has it */
	DW_STATION_BY_MODEL,    /* by vendor, model and capacity */
	DW_STATION_BY_IDENTITY, /* by serial number or WWN */
};

/**
 * dw_station_select() - a station cut to real disks
 * @s: the station
 * @disks: real disks
 * @n: their number, at least 1
 * @ret: a station of exactly @n disks, in this order, each by itself, with the nodes that @s
 *	has; dw_station_free()
 * @ret_match: @n times enum dw_station_match; NULL = not wanted
 * @err: on failure why
 *
 * A disk of @s stands for one real disk at most: first by serial number or WWN, then by vendor,
 * model and capacity (within 1 %). For a disk that is not found there its description
 * by dw_station_describe() is put in, on the nodes of @s that bear the same names.
 * Capacity, sector size and the state of the write cache are always the real disk's.
 *
 * Return: 0; -EINVAL when a disk has no capacity; -ENOMEM.
 */
DW_PUBLIC int dw_station_select(const struct dw_station *s,
				const struct dw_disk_info *disks, size_t n,
				struct dw_station **ret, uint8_t *ret_match,
				struct dw_error *err);

/**
 * struct dw_probe_spec - how to measure
 * @seconds: for each disk, roughly; disks of one controller are measured one after the other
 * @stopped: asked several times a second; true ends the measurement; NULL = never
 * @ctx: for @stopped
 */
struct dw_probe_spec {
	double seconds;
	bool (*stopped)(void *ctx);
	void *ctx;
};

/**
 * dw_station_probe() - measure a station by reading
 * @s: the station of @disks, by dw_station_describe() or dw_station_select(): measured values
 *	replace what it has, and are no longer assumed
 * @disks: the disks; opened here, not claimed
 * @n: their number
 * @spec: how
 * @ret_result: @n times 0, or the negative errno of what could not be opened or read
 *
 * Sends nothing but commands that read. Measures the rate of the medium in five zones, the
 * overhead of a command, seeks, and with several disks the rate and command time of what they
 * share, and the buffer of their controller.
 *
 * Return: 0; -EINTR when stopped, @s is then as it was; -ENODEV when no disk could be read;
 * -ENOMEM, or the errno of a transport.
 */
DW_PUBLIC int dw_station_probe(struct dw_station *s, const struct dw_disk_info *disks,
			       size_t n, const struct dw_probe_spec *spec,
			       int *ret_result);

/**
 * struct dw_fit - how well a station fits the traces it was made from
 * @disks, @commands, @failed: that were looked at; commands that did not end well
 * @points: means over some commands in sequence, which are what is fitted
 * @residual: root mean square error of the points that the fit was made from, in per cent,
 *	without those left out as wrong
 * @left_out: share of them, in per cent
 * @held_out, @held_out_90: median and 90th percentile of the error, in per cent, of every other
 *	point, none of which the fit has seen, and of which none is left out
 */
struct dw_fit {
	uint32_t disks;
	uint64_t commands;
	uint64_t failed;
	uint32_t points;
	double residual;
	double left_out;
	double held_out;
	double held_out_90;
};

/**
 * dw_station_fit() - a station from traces of jobs
 * @traces, @n: files that --trace wrote
 * @base: what is known of the station, or NULL: then the traces' own wiring and typical
 *	values. What it has of disks that no trace has is left out
 * @ret: dw_station_free()
 * @ret_fit: how well it fits
 * @err: on failure why
 *
 * Return: 0; -EINVAL, also when no trace has enough commands in sequence; -ENOMEM;
 * the errno of reading.
 */
DW_PUBLIC int dw_station_fit(const char *const *traces, size_t n,
			     const struct dw_station *base, struct dw_station **ret,
			     struct dw_fit *ret_fit, struct dw_error *err);

#ifdef __cplusplus
}
#endif

#endif
