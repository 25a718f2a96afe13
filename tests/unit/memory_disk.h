/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_MEMORY_DISK_H
#define DW_TESTS_MEMORY_DISK_H

/* A small disk that carries out CDBs on bytes in memory. */
#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

#define MEMORY_BLOCKS 256u
#define MEMORY_BLOCK  512u

/**
 * struct memory_disk - its blocks, and what goes wrong with them
 * @lost: writes to these blocks are said to be good and are not done
 * @bad: a block that cannot be written, MEMORY_BLOCKS = none
 * @no_data: WRITE SAME that brought no data along
 */
struct memory_disk {
	uint8_t medium[MEMORY_BLOCKS][MEMORY_BLOCK];
	bool lost[MEMORY_BLOCKS];
	uint64_t bad;
	uint32_t no_data;
};

/** memory_disk_init() - full of old data, and sound. */
void memory_disk_init(struct memory_disk *s);

/** memory_disk_carry_out() - reads, writes, flushes; false: status and sense data say no. The
 *  test fails when the command is another one, or leaves the disk. */
bool memory_disk_carry_out(struct memory_disk *s, const struct dw_cmd *cmd,
			   struct dw_completion *done);

#endif
