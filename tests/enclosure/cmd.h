/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_CMD_H
#define DW_ENCLOSURE_CMD_H

#include "rack.h"

#define SAM_GOOD          0x00
#define SAM_CHECK         0x02
#define SAM_BUSY          0x08
#define SAM_CONFLICT      0x18
#define SAM_TASK_SET_FULL 0x28

/* How a command stands toward reservations, readiness and device types. */
#define OPF_ANY_PDT     0x01u /* every device type knows it */
#define OPF_NO_UA       0x02u /* answers in spite of a unit attention */
#define OPF_RESERVED_OK 0x04u /* allowed to everybody */
#define OPF_READS       0x08u /* a reservation for writing does not stop it */
#define OPF_READY       0x10u /* needs a disk that is ready */
#define OPF_ON          0x20u /* offered only when configured so */
#define OPF_ERASES      0x40u /* begins what may be wanted after one that failed */
#define OPF_ALWAYS      0x80u /* answers while the disk erases itself */

struct dw_cmd;
typedef void dw_cmd_fn(struct dw_cmd *c);

struct dw_opcode {
	uint8_t code;
	int sa; /* service action, -1: none */
	uint8_t cdb_len;
	unsigned int flags;
	unsigned int op; /* class for faults */
	dw_cmd_fn *run;
	uint8_t usage[16]; /* bits of the CDB that are looked at */
};

/* A command while it is carried out. */
struct dw_cmd {
	struct dw_rack *rack;
	struct dw_port *port;
	struct dw_lu *lu;
	struct dw_task *task;
	const struct dw_opcode *opcode;
	const uint8_t *cdb;
	struct dw_fault fault; /* kind is meaningful when faulty */
	bool faulty;
	bool by_lba;
	uint64_t lba, nlb; /* of media commands */
	uint64_t limit;    /* blocks that may be carried out (torn commands) */
};

void dw_cmd_sense(struct dw_cmd *c, const struct dw_sense *s);
void dw_cmd_check(struct dw_cmd *c, enum dw_key key, uint16_t asc);
void dw_cmd_field(struct dw_cmd *c, uint16_t byte);
void dw_cmd_list_field(struct dw_cmd *c, uint16_t byte);
void dw_cmd_reply(struct dw_cmd *c, const void *buf, size_t len, size_t alloc);
bool dw_cmd_params(struct dw_cmd *c, void *buf, size_t want);

bool dw_opcode_offered(const struct dw_lu *lu, const struct dw_opcode *o);
const struct dw_opcode *dw_opcode_at(size_t i);
const struct dw_opcode *dw_opcode_find(const uint8_t *cdb);

void dw_run_inquiry(struct dw_cmd *c);
void dw_run_report_luns(struct dw_cmd *c);
void dw_run_request_sense(struct dw_cmd *c);
void dw_run_rsoc(struct dw_cmd *c);
void dw_run_tur(struct dw_cmd *c);
void dw_run_start_stop(struct dw_cmd *c);
void dw_run_read_capacity10(struct dw_cmd *c);
void dw_run_read_capacity16(struct dw_cmd *c);
void dw_run_log_sense(struct dw_cmd *c);
void dw_run_read_defects(struct dw_cmd *c);
void dw_run_security_in(struct dw_cmd *c);
void dw_run_elements(struct dw_cmd *c);
bool dw_tcg_forbids(struct dw_cmd *c);
void dw_run_receive_diagnostic(struct dw_cmd *c);
void dw_run_send_diagnostic(struct dw_cmd *c);
void dw_run_mode_sense(struct dw_cmd *c);
void dw_run_mode_select(struct dw_cmd *c);
void dw_run_read(struct dw_cmd *c);
void dw_run_write(struct dw_cmd *c);
void dw_run_write_same(struct dw_cmd *c);
void dw_run_verify(struct dw_cmd *c);
void dw_run_sync(struct dw_cmd *c);
void dw_run_unmap(struct dw_cmd *c);
void dw_run_format(struct dw_cmd *c);
void dw_run_sanitize(struct dw_cmd *c);
void dw_run_report_zones(struct dw_cmd *c);
void dw_run_reset_zone(struct dw_cmd *c);
bool dw_zoned_may(struct dw_cmd *c, bool write);
uint64_t dw_zoned_written(const struct dw_cmd *c);
void dw_zoned_wrote(struct dw_cmd *c, uint64_t nlb);
void dw_run_pr_in(struct dw_cmd *c);
void dw_run_pr_out(struct dw_cmd *c);

uint64_t dw_sanitize_ms(const struct dw_lu *lu, unsigned int method);
uint64_t dw_sanitize_plan(struct dw_lu *lu, unsigned int method,
			  struct dw_firmware *ret_f);
bool dw_firmware_wait(struct dw_cmd *c);
bool dw_same_device(const struct dw_rack *r, unsigned int a, unsigned int b);
/* A command for an ATA disk, however it got through. */
struct dw_ata_cmd {
	bool extend, check; /* 48 bits; registers are wanted back */
	uint16_t feature, count;
	uint64_t lba;
	uint8_t command;
};

/* What it answers in its registers. */
struct dw_ata_regs {
	uint16_t count;
	uint64_t lba;
	bool wide; /* 48 bits */
};

bool dw_ata_occupied(struct dw_cmd *c);
void dw_ata_answer(struct dw_cmd *c, const struct dw_ata_cmd *a,
		   const struct dw_ata_regs *regs);
void dw_ata_abort(struct dw_cmd *c, const struct dw_ata_cmd *a, uint64_t lba);
void dw_ata_sanitize(struct dw_cmd *c, const struct dw_ata_cmd *a);
void dw_ata_security(struct dw_cmd *c, const struct dw_ata_cmd *a);
void dw_ata_limits(struct dw_cmd *c, const struct dw_ata_cmd *a, bool native_read);
void dw_ata_words(const struct dw_lu *lu, uint8_t *id);
void dw_ata_put(uint8_t *id, unsigned int n, uint64_t v, unsigned int words);
void dw_ata_sum(uint8_t *id);
uint64_t dw_ata_sector(const struct dw_lu *lu);
void dw_run_ata(struct dw_cmd *c);

void dw_ata_smart(const struct dw_lu *lu, bool thresholds, uint8_t *b);
size_t dw_ata_page(const struct dw_cmd *c, uint8_t *b);
void dw_media_range(struct dw_cmd *c);
bool dw_pr_conflict(const struct dw_cmd *c);

#endif
