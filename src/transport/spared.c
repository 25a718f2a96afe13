/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table belongs to the process, as devices do: a list, a job and a check of health open the
 * same ones. */
#include "transport/spared.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "scsi/opcodes.h"
#include "scsi/cdb.h"
#include "scsi/mode.h"
#include "scsi/sense.h"
#include "scsi/vpd.h"
#include "transport/path_end.h"

#define QUESTIONS_MAX 64   /* of one device; about all there are */
#define UNUSED_MAX    1024 /* devices that are not open: the oldest is removed */

/**
 * struct device_question - what a command asks
 * @opcode: its operation code
 * @about: page, service action, operation code or ATA command that it is about
 * @answered: it has been answered well, or with a plain refusal
 * @broke: it is not sent any more
 */
struct device_question {
	uint8_t opcode;
	uint8_t about;
	bool answered;
	bool broke;
};

struct dw_spared {
	struct dw_spared *next;
	uint64_t name;
	uint32_t users;
	uint32_t n;
	struct device_question question[QUESTIONS_MAX];
	bool never[256]; /* by operation code */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dw_spared *devices; /* the latest first */

static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* Locked. */
static void forget_oldest(void)
{
	struct dw_spared **oldest = NULL;
	uint32_t unused = 0;

	for (struct dw_spared **at = &devices; *at; at = &(*at)->next) {
		unused += !(*at)->users;
		oldest = (*at)->users ? oldest : at;
	}
	if (unused > UNUSED_MAX) {
		struct dw_spared *s = *oldest;

		*oldest = s->next;
		free(s);
	}
}

struct dw_spared *dw_spared_get(const char *device)
{
	uint64_t name = hash_of(device);
	struct dw_spared *s;

	pthread_mutex_lock(&lock);
	for (s = devices; s && s->name != name; s = s->next)
		;
	if (!s && (s = calloc(1, sizeof(*s)))) {
		s->name = name;
		s->next = devices;
		devices = s;
	}
	if (s)
		s->users++;
	pthread_mutex_unlock(&lock);
	return s;
}

void dw_spared_put(struct dw_spared *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	s->users--;
	forget_oldest();
	pthread_mutex_unlock(&lock);
}

/* What a command asks; false when it is none of the questions that a device may be spared. */
static bool read_question(const struct dw_cmd *cmd, struct device_question *ret)
{
	static const struct {
		uint8_t opcode;
		uint8_t byte;
		uint8_t mask;
	} rows[] = {
		{ DW_OPCODE_INQUIRY, 2, 0xff },
		{ DW_OPCODE_MODE_SENSE_6, 2, 0x3f },
		{ DW_OPCODE_MODE_SENSE_10, 2, 0x3f },
		{ DW_OPCODE_LOG_SENSE, 2, 0x3f },
		{ DW_OPCODE_RECEIVE_DIAGNOSTIC, 2, 0xff },
		{ DW_OPCODE_SERVICE_ACTION_IN_16, 1, 0x1f },
		{ DW_OPCODE_MAINTENANCE_IN, 3, 0xff },
		{ DW_OPCODE_REPORT_LUNS, 2, 0xff },
		{ DW_OPCODE_READ_DEFECT_DATA_10, 2, 0x00 },
		{ DW_OPCODE_READ_DEFECT_DATA_12, 1, 0x00 },
		{ DW_OPCODE_SECURITY_PROTOCOL_IN, 1, 0xff },
		{ DW_OPCODE_PERSISTENT_RESERVE_IN, 1, 0x1f },
		{ DW_OPCODE_ATA_16, 14, 0xff },
	};

	if (dw_opcode_class(cmd->cdb, cmd->cdb_len) != DW_OPCLASS_READ ||
	    (cmd->cdb[0] == DW_OPCODE_INQUIRY && !(cmd->cdb[1] & 1)))
		return false;
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		if (rows[i].opcode != cmd->cdb[0])
			continue;
		*ret = (struct device_question){ .opcode = cmd->cdb[0],
						 .about = cmd->cdb[rows[i].byte] &
							  rows[i].mask };
		return true;
	}
	return false;
}

/* Locked. NULL: it has not been asked, or the table is full. */
static struct device_question *find_question(struct dw_spared *s,
					     const struct device_question *q, bool make)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->question[i].opcode == q->opcode &&
		    s->question[i].about == q->about)
			return &s->question[i];
	if (!make || s->n == QUESTIONS_MAX)
		return NULL;
	s->question[s->n] = *q;
	return &s->question[s->n++];
}

/* Locked. One question of its kind broke the device, and none has been answered. */
static bool never_answered(const struct dw_spared *s, uint8_t opcode)
{
	bool broke = false;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->question[i].opcode != opcode)
			continue;
		if (s->question[i].answered)
			return false;
		broke |= s->question[i].broke;
	}
	return broke;
}

static void refuse(struct dw_completion *ret)
{
	ret->err = 0;
	ret->status = DW_STATUS_CHECK_CONDITION;
	ret->host_status = ret->driver_status = 0;
	ret->resid = ret->cmd ? (int32_t)ret->cmd->data_len : 0;
	memset(ret->sense, 0, sizeof(ret->sense));
	ret->sense_len = 18;
	ret->sense[0] = 0x70;
	ret->sense[2] = DW_KEY_ILLEGAL_REQUEST;
	ret->sense[7] = 10;
	ret->sense[12] = 0x20; /* invalid command operation code */
}

bool dw_spared_keeps(struct dw_spared *s, const struct dw_cmd *cmd,
		     struct dw_completion *ret)
{
	const struct device_question *known;
	struct device_question q;
	bool keeps;

	if (!s || !read_question(cmd, &q))
		return false;
	pthread_mutex_lock(&lock);
	known = find_question(s, &q, false);
	keeps = s->never[q.opcode] || (known && known->broke) ||
		(!(known && known->answered) && never_answered(s, q.opcode));
	pthread_mutex_unlock(&lock);
	if (keeps)
		refuse(ret);
	return keeps;
}

void dw_spared_never(struct dw_spared *s, uint8_t opcode)
{
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	s->never[opcode] = true;
	pthread_mutex_unlock(&lock);
}

enum end { END_ANSWERED, END_BROKE, END_NEITHER };

static enum end end_of(const struct dw_completion *done)
{
	struct dw_sense s = { 0 };

	if (done->err || dw_path_gone(done) || dw_path_unsent(done))
		return END_NEITHER;
	if (done->host_status)
		return END_BROKE;
	if (done->status == DW_STATUS_GOOD)
		return END_ANSWERED;
	if (done->status != DW_STATUS_CHECK_CONDITION || !done->sense_len ||
	    dw_sense_parse(done->sense, done->sense_len, &s) || s.deferred)
		return END_NEITHER;
	if (s.key == DW_KEY_HARDWARE_ERROR && !s.asc && !s.ascq)
		return END_BROKE;
	return s.key == DW_KEY_ILLEGAL_REQUEST || s.key <= DW_KEY_RECOVERED_ERROR
		       ? END_ANSWERED
		       : END_NEITHER;
}

/* The disk's identity, what an erase has to reach, whether data are on the medium, and the state
 * of its operation. */
static bool is_needed(const struct device_question *q)
{
	return (q->opcode == DW_OPCODE_INQUIRY &&
		(q->about == DW_VPD_SERIAL || q->about == DW_VPD_DESIGNATORS)) ||
	       (q->opcode == DW_OPCODE_SERVICE_ACTION_IN_16 &&
		q->about == DW_SA_READ_CAPACITY_16) ||
	       ((q->opcode == DW_OPCODE_MODE_SENSE_6 ||
		 q->opcode == DW_OPCODE_MODE_SENSE_10) &&
		q->about == DW_MODE_CACHING) ||
	       q->opcode == DW_OPCODE_ATA_16;
}

void dw_spared_note(struct dw_spared *s, const struct dw_cmd *cmd,
		    const struct dw_completion *done)
{
	enum end end = end_of(done);
	struct device_question q, *known;

	if (!s || end == END_NEITHER || !read_question(cmd, &q))
		return;
	pthread_mutex_lock(&lock);
	known = find_question(s, &q, true);
	if (known && end == END_ANSWERED)
		known->answered = true;
	else if (known && !(known->answered && is_needed(known)))
		known->broke = true;
	pthread_mutex_unlock(&lock);
}

const char *dw_spared_text(struct dw_spared *s, char *buf, uint32_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	if (!s)
		return buf;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < s->n && used < size; i++)
		if (s->question[i].broke)
			used += (size_t)snprintf(buf + used, size - used, "%s%02Xh %02Xh",
						 used ? ", " : "", s->question[i].opcode,
						 s->question[i].about);
	pthread_mutex_unlock(&lock);
	return buf;
}
