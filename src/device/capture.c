/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A person whose disk is treated wrongly sends what it answers. So what probing asks is kept as it
 * is asked, with the care that probing takes: nothing is sent to the device because somebody wants
 * to look at it. A question is the bytes of a CDB without its allocation length, as a later program
 * may have more room; an answer is the data that arrived, sense data, or the word of the adapter.
 */
#include "device/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/capture_names.h"
#include "scsi/cdb.h"
#include "scsi/sense.h"

#define ANSWERS_MAX 1024

struct dw_capture {
	struct capture_answer *v;
	size_t n;
	bool silent;
};

struct dw_capture *dw_capture_new(void)
{
	return calloc(1, sizeof(struct dw_capture));
}

void dw_capture_free(struct dw_capture *c)
{
	for (size_t i = 0; c && i < c->n; i++)
		free(c->v[i].data);
	if (c)
		free(c->v);
	free(c);
}

bool dw_capture_silent(const struct dw_capture *c)
{
	return c->silent;
}

/* The bytes of a CDB that are the question; the rest is room for the answer, or control. */
static uint8_t question_len(const struct dw_cmd *cmd)
{
	switch (cmd->cdb[0]) {
	case DW_OPCODE_INQUIRY:
	case DW_OPCODE_REPORT_LUNS:
	case DW_OPCODE_RECEIVE_DIAGNOSTIC:
		return 3;
	case DW_OPCODE_MODE_SENSE_6:
	case DW_OPCODE_MODE_SENSE_10:
	case DW_OPCODE_LOG_SENSE:
	case DW_OPCODE_SECURITY_PROTOCOL_IN:
		return 4;
	case DW_OPCODE_SERVICE_ACTION_IN_16:
	case DW_OPCODE_PERSISTENT_RESERVE_IN:
	case DW_OPCODE_REQUEST_SENSE:
		return 2;
	case DW_OPCODE_MAINTENANCE_IN:
		return 6;
	case DW_OPCODE_ATA_16:
		return cmd->cdb_len;
	default:
		return 1;
	}
}

static bool reads_blocks(uint8_t opcode)
{
	return opcode == 0x08 || opcode == 0x28 || opcode == 0x88 || opcode == 0xa8;
}

static struct capture_answer *find_answer(struct dw_capture *c, const uint8_t *cdb,
					  uint8_t len)
{
	struct capture_answer *v;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].cdb_len == len && !memcmp(c->v[i].cdb, cdb, len))
			return &c->v[i];
	v = c->n < ANSWERS_MAX ? reallocarray(c->v, c->n + 1, sizeof(*v)) : NULL;
	if (!v)
		return NULL;
	c->v = v;
	v = &v[c->n++];
	*v = (struct capture_answer){ .cdb_len = len };
	memcpy(v->cdb, cdb, len);
	return v;
}

static bool passes(const struct dw_completion *done)
{
	struct dw_sense s;

	return done->status == DW_STATUS_BUSY ||
	       done->status == DW_STATUS_TASK_SET_FULL ||
	       (done->sense_len && !dw_sense_parse(done->sense, done->sense_len, &s) &&
		(s.key == DW_KEY_UNIT_ATTENTION || s.deferred));
}

/* What arrived; an answer that is no shorter takes the place of an earlier one. */
static void keep_data(struct capture_answer *a, const struct dw_cmd *cmd,
		      const struct dw_completion *done)
{
	uint32_t got = 0;
	uint8_t *data;

	if (cmd->dir == DW_DIR_IN && done->resid >= 0 &&
	    (uint32_t)done->resid <= cmd->data_len)
		got = cmd->data_len - (uint32_t)done->resid;
	if (got < a->len || !(data = malloc(got ? got : 1)))
		return;
	if (got)
		memcpy(data, cmd->data, got);
	free(a->data);
	a->data = data;
	a->len = got;
}

void dw_capture_note(struct dw_capture *c, const struct dw_cmd *cmd,
		     const struct dw_completion *done)
{
	struct capture_answer *a;

	c->silent |= done->err == -ETIMEDOUT || done->host_status;
	if (done->err || reads_blocks(cmd->cdb[0]) || passes(done))
		return;
	a = find_answer(c, cmd->cdb, question_len(cmd));
	if (!a)
		return;
	if (!done->host_status && done->status == DW_STATUS_GOOD)
		keep_data(a, cmd, done);
	a->status = done->status;
	a->host = (uint8_t)done->host_status;
	a->sense_len = (uint8_t)dw_min_u64(done->sense_len, sizeof(a->sense));
	memcpy(a->sense, done->sense, a->sense_len);
}

int dw_capture_hide(struct dw_capture *c)
{
	return capture_hide_names(c->v, c->n);
}

static void write_bytes(FILE *f, const char *key, const uint8_t *b, size_t n)
{
	fprintf(f, " %s=\"", key);
	for (size_t i = 0; i < n; i++) {
		if (i && i % 32 == 0)
			fputs(" \\\n\t", f);
		fprintf(f, "%s%02x", i % 32 ? " " : "", b[i]);
	}
	fputc('"', f);
}

/* Host status of Linux, in the shelf's words. */
static const char *host_word(uint8_t status)
{
	static const char *const words[] = {
		[0x01] = "bad_target",        [0x02] = "busy",
		[0x03] = "aborted", /* in vain, after its time */
		[0x05] = "aborted",           [0x08] = "reset",
		[0x0e] = "transport_failure", [0x10] = "target_failure",
		[0x11] = "nexus_failure"
	};

	return status < DW_ARRAY_SIZE(words) && words[status] ? words[status] : "failure";
}

void dw_capture_write(const struct dw_capture *c, FILE *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct capture_answer *a = &c->v[i];

		if (!a->host && a->status == DW_STATUS_GOOD && !a->len)
			continue; /* the shelf says so, too */
		fputs("answer disk=0", f);
		write_bytes(f, "cdb", a->cdb, a->cdb_len);
		if (a->host)
			fprintf(f, " response=%s", host_word(a->host));
		else if (a->sense_len)
			write_bytes(f, "raw", a->sense, a->sense_len);
		else if (a->status != DW_STATUS_GOOD)
			fprintf(f, " status=0x%02x", a->status);
		if (a->len && !a->host && (a->status == DW_STATUS_GOOD))
			write_bytes(f, "data", a->data, a->len);
		fputc('\n', f);
	}
}
