/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_SCRIPTED_DISK_H
#define DW_TESTS_SCRIPTED_DISK_H

/*
 * A disk of which a test says what it answers, behind SG_IO: this file's ioctl() takes the place of
 * the C library's. What is not told here is an invalid command operation code.
 */
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

#define SCRIPT_MAX 32

/**
 * struct scripted_answer - to commands that begin so
 * @cdb: bytes of the CDB in hex; ".." fits any
 * @data: what comes back, in hex; NULL = no data
 * @sense: "5/24/00" = CHECK CONDITION with that, NULL = good
 * @host: DID_*
 * @ms: it takes so long
 * @asked: how often it was given
 */
struct scripted_answer {
	const char *cdb;
	const char *data;
	const char *sense;
	uint16_t host;
	unsigned int ms;
	unsigned int asked;
};

/**
 * struct scripted_disk - the first answer that fits is given
 * @hung: commands that ended as DID_TIME_OUT
 * @commands: all of them
 * @longest_inquiry: allocation length, bytes
 */
struct scripted_disk {
	struct scripted_answer answer[SCRIPT_MAX];
	unsigned int hung;
	unsigned int commands;
	unsigned int longest_inquiry;
};

extern struct scripted_disk *scripted;

/** scripted_device() - a device that is @disk, without anything that is known of it before;
 *  scripted_close(). */
void scripted_device(struct scripted_disk *disk, const char *transport,
		     struct dw_device *ret);

/** scripted_close() - what the process remembers of it is forgotten with it. */
void scripted_close(struct dw_device *d);

/** scripted_set() - replace the answer to @cdb, or put one before all others. */
void scripted_set(struct scripted_disk *disk, const struct scripted_answer *answer);

/** scripted_asked() - how often commands that begin so went out. */
unsigned int scripted_asked(const struct scripted_disk *disk, const char *cdb);

/* A disk of 64 MiB that knows all that is asked by every program: INQUIRY, both names,
 * capacity, the caching page, and reads. */
extern const struct scripted_disk scripted_plain;

#endif
