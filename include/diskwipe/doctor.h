/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_DOCTOR_H
#define DISKWIPE_DOCTOR_H

/* What of a machine keeps it from erasing disks, or from erasing them as fast as it could. */
#include <stddef.h>

#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct dw_finding - something that is not as it should be
 * @key: stable: "sg-module", "permission", "raid-adapter", "frozen", "write-cache", "sas-link",
 *	"pcie-link", "io-uring", "udev", "clock"; of the program, not of this library: "service",
 *	"records"
 * @subject: what it is about, "host0", "/dev/sdb"; empty = the machine
 * @text: one line for people
 * @advice: what to do: a command, or a line in words
 */
struct dw_finding {
	char key[24];
	char subject[64];
	char text[160];
	char advice[160];
};

/**
 * dw_doctor() - look over the machine
 * @ret: findings, what stops the work first; free(); NULL when there are none
 * @ret_n: their number
 *
 * Files of the kernel are read. No disk is opened, and nothing is sent or changed.
 *
 * Return: 0 or negative errno.
 */
DW_PUBLIC int dw_doctor(struct dw_finding **ret, size_t *ret_n);

/** dw_doctor_json() - the findings as a document, schema 1; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_doctor_json(const struct dw_finding *findings, size_t n);

#ifdef __cplusplus
}
#endif

#endif
