/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_RIG_H
#define DW_ENCLOSURE_RIG_H

#include "../be.h"
#include "../cmd.h"
#include "../config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define RIG_T0 1000000000u

/* An enclosure in memory and in virtual time, and one command's answer. */
struct rig {
	struct dw_rack rack;
	uint64_t now;
	struct dw_task task; /* the last command and its answer */
	bool done;
	struct dw_hba_note {
		enum dw_event event;
		unsigned int port;
	} note;
	unsigned int notes;
};

/* A command by its bytes: RIG_CDB(0x12, 0, 0, 0, 96, 0) */
#define RIG_CDB(...) ((const uint8_t[16]){ __VA_ARGS__ })

void rig_start(struct rig *g, const char *const *lines);
void rig_quiet(struct rig *g);
void rig_stop(struct rig *g);
void rig_send(struct rig *g, struct dw_task *t, unsigned int port, const uint8_t *cdb,
	      struct iovec *out, struct iovec *in);
void rig_lun(struct rig *g, uint8_t lun, const uint8_t *cdb, void *b, size_t n);
void rig_in(struct rig *g, unsigned int port, const uint8_t *cdb, void *buf, size_t len);
void rig_out(struct rig *g, unsigned int port, const uint8_t *cdb, const void *buf,
	     size_t len);
void rig_none(struct rig *g, unsigned int port, const uint8_t *cdb);
void rig_write(struct rig *g, unsigned int port, uint64_t lba, uint32_t nlb,
	       uint8_t byte);
uint8_t rig_byte(struct rig *g, unsigned int port, uint64_t lba);
uint8_t rig_medium(struct rig *g, unsigned int lu, uint64_t lba);
void rig_told(struct rig *g, const char *line, const char *want);
void rig_after_ms(struct rig *g, uint64_t ms);
void rig_good(const struct rig *g);
void rig_sense(const struct rig *g, uint8_t key, uint16_t asc);

#endif
