/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_CLI_FAKE_H
#define TESTS_CLI_FAKE_H

/*
 * A machine made of words, for the program's own tests: the disks stand in the file that
 * DISKWIPE_FAKE names, one a line of KEY=VALUE separated by tabs; what is done to them is
 * written to the file that DISKWIPE_FAKE_LOG names.
 */
#include <diskwipe/diskwipe.h>

/**
 * struct fake_disk - a line of the file
 * @disk: as listed
 * @claim: why the claim fails, empty = it does not
 * @clone: why its other nodes turn out to be other disks, empty = they do not
 * @outcome: what becomes of it
 * @bad: blocks at LBA 8 that cannot be written, 0 = none
 * @differ: blocks that differ at verification
 * @places: it erased itself, and so many were read before and after
 * @seconds: how long it takes
 * @until: a file that it ends with, when that is there; empty = it ends after its seconds
 */
struct fake_disk {
	struct dw_disk disk;
	char claim[128];
	char clone[128];
	char until[128];
	enum dw_outcome outcome;
	uint64_t bad;
	uint64_t differ;
	uint32_t places;
	double seconds;
};

/** fake_disks() - the machine; read once, and by dw_disks_list() again when another file has taken
 *  the place of that one. */
struct fake_disk *fake_disks(size_t *ret_n);

/** fake_find() - the disk one of whose nodes is @path, or NULL. */
struct fake_disk *fake_find(const char *path);

/** fake_log() - a line into the log. */
void fake_log(const char *what, const char *device);

#endif
