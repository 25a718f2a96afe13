/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_HEALTH_H
#define DISKWIPE_HEALTH_H

/*
 * How a disk is, which bay of an enclosure it is in, the lights of that bay, and the disk's motor.
 * Each function is by itself: no engine, no job. They wait for the devices, so a program that must
 * not wait calls them in a thread of its own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_TEMPERATURE_UNKNOWN (-274)

enum dw_health_state { DW_HEALTH_UNKNOWN, DW_HEALTH_GOOD, DW_HEALTH_FAILING };

/* What to ask, for dw_disk_health(). */
enum dw_health_flags {
	/* also what a disk may refuse, or answers with CHECK CONDITION even when all is well: the
	 * number of its defects, SMART RETURN STATUS. Not while the disk is erased: the kernel
	 * counts such answers, and a job that sees the count rise writes again what it cannot
	 * vouch for */
	DW_HEALTH_THOROUGH = 1 << 0,
};

/**
 * struct dw_health - what a disk tells of itself
 * @state: enum dw_health_state
 * @asc, @ascq: of log page 2Fh: why, also of a warning that foretells no failure; 0 = none
 * @text: the same in words, empty = nothing to say
 * @temperature, @temperature_limit: now, and that up to which the disk may be used: degrees
 *	Celsius, DW_TEMPERATURE_UNKNOWN
 * @power_on_hours: -1 = unknown
 * @grown_defects: blocks or sectors that were replaced since the disk was made, -1 = unknown
 * @read_errors, @write_errors: that the disk could not correct, -1 = unknown
 * @refused: it refused a question: while it is erased, do not ask it again
 */
struct dw_health {
	uint8_t state;
	uint8_t asc;
	uint8_t ascq;
	bool refused;
	char text[96];
	int32_t temperature;
	int32_t temperature_limit;
	int64_t power_on_hours;
	int64_t grown_defects;
	int64_t read_errors;
	int64_t write_errors;
};

/**
 * dw_disk_health() - ask a disk how it is
 * @path: any of its nodes, or a dm-multipath map over it
 * @flags: bits of enum dw_health_flags
 * @ret: the answer; what the disk does not tell is unknown
 *
 * The node is opened read-only, and only commands that read are sent: LOG SENSE, of an ATA disk
 * behind a translation SMART READ DATA and READ THRESHOLDS. Each may take 3 s, and the first that
 * does not come back is the last. Also while the disk is erased, by whomever.
 *
 * Return: 0; -EOPNOTSUPP for a disk that speaks neither SCSI nor NVMe; -ENOTBLK, -ENODEV, -EBUSY (a
 * disk without a block node that somebody claims), or another negative errno.
 */
DW_PUBLIC int dw_disk_health(const char *path, uint32_t flags, struct dw_health *ret);

/** dw_health_text() - "good", "failing: Hardware impending failure ...", "" when unknown; returns
 *  @buf. */
DW_PUBLIC const char *dw_health_text(const struct dw_health *h, char *buf, size_t size);

/**
 * dw_disk_spin() - start or stop a disk's motor: START STOP UNIT
 * @path: any of its nodes
 * @up: start it, which may take half a minute; else stop it, after its cache is written
 *
 * Only a disk that nobody has claimed: O_EXCL on its block node, held meanwhile, must succeed.
 *
 * Return: 0; -EBUSY claimed or mounted; -EIO when the disk refuses; -EOPNOTSUPP for a disk without
 * SCSI; another negative errno.
 */
DW_PUBLIC int dw_disk_spin(const char *path, bool up);

enum dw_bay_state { DW_BAY_UNKNOWN, DW_BAY_EMPTY, DW_BAY_OCCUPIED };
enum dw_bay_light { DW_LIGHT_LOCATE, DW_LIGHT_FAULT };

/**
 * struct dw_bay - a slot of an enclosure
 * @slot: "ENCLOSURE:SLOT", as struct dw_disk_info has it
 * @enclosure, @name: the parts of it
 * @number: the enclosure's number for it, -1 = not reported
 * @state: enum dw_bay_state
 * @locate, @fault: its lights: 1 on, 0 off, -1 unknown
 * @sg, @block: nodes of the disk in it; empty = none known, which is not the same as no disk
 * @processor: sg node of the enclosure, empty = none
 */
struct dw_bay {
	char slot[64];
	char enclosure[40];
	char name[32];
	int32_t number;
	uint8_t state;
	int8_t locate;
	int8_t fault;
	char sg[32];
	char block[64];
	char processor[32];
};

/**
 * dw_bays_list() - the slots of all enclosures of this machine
 * @ret: array, enclosure by enclosure in the order of their slots; free()
 * @ret_n: their number
 *
 * As the kernel has them (modules ses and enclosure), and as the enclosures tell by SCSI. Which
 * disk is where is the kernel's word, else that of the only slot which sees the SAS address of
 * the disk's port.
 *
 * Return: 0 or negative errno.
 */
DW_PUBLIC int dw_bays_list(struct dw_bay **ret, size_t *ret_n);

/**
 * dw_bay_light() - switch a light of a slot
 * @slot: "ENCLOSURE:SLOT"
 * @light: enum dw_bay_light
 * @on: what it shall be
 *
 * Through sysfs, else by the Enclosure Control page. All other lights stay as they are.
 *
 * Return: 0; -ENOENT when there is no such slot; another negative errno.
 */
DW_PUBLIC int dw_bay_light(const char *slot, enum dw_bay_light light, bool on);

#ifdef __cplusplus
}
#endif

#endif
