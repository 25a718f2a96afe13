/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identification as a list of commands, so that whoever can send commands can identify:
 * standard INQUIRY data (is anybody there?), VPD 83h, VPD 80h, READ CAPACITY(16), and (10)
 * where that tells nothing, or what cannot be believed by itself. A disk without a
 * page simply has no such name. What else is wanted comes last, since it does not identify
 * the disk; a disk that does not answer it the first time is not asked for it again.
 */
#include <diskwipe/identity.h>

#include "device/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/encode.h"
#include "device/capacity.h"
#include "device/profile.h"
#include "scsi/capacity.h"
#include "scsi/cdb.h"
#include "scsi/inquiry.h"
#include "scsi/log.h"
#include "scsi/mode.h"
#include "scsi/sense.h"
#include "scsi/vpd.h"

#define ATTENTIONS_MAX 8
#define TIMEOUT_MS     20000
#define LEN_CAPACITY16 32
#define LEN_CAPACITY10 8

enum step {
	STEP_INQUIRY,
	STEP_DESIGNATORS,
	STEP_SERIAL,
	STEP_CAPACITY16,
	STEP_CAPACITY10,
	STEP_COUNTS,
	STEP_CACHE10,
	STEP_CACHE6,
	STEP_DONE,
};

void dw_identity_serial(const uint8_t *page, size_t len, char ret[DW_SERIAL_MAX])
{
	char text[256];

	if (dw_vpd_serial(page, len, text, sizeof(text)))
		text[0] = '\0';
	snprintf(ret, DW_SERIAL_MAX, "%.*s", DW_SERIAL_MAX - 1, text);
}

void dw_identity_wwn(const uint8_t *page, size_t len, char ret[DW_WWN_MAX])
{
	char text[DW_VPD_WWN_MAX];

	if (dw_vpd_wwn(page, len, text, sizeof(text)))
		text[0] = '\0';
	snprintf(ret, DW_WWN_MAX, "%.*s", DW_WWN_MAX - 1, text);
}

bool dw_identity_unnamed(const struct dw_disk_info *info)
{
	return !info->serial[0] && !info->wwn[0];
}

bool dw_identity_nameless(const struct dw_disk_info *info)
{
	return info->name_shared || dw_identity_unnamed(info);
}

const char *dw_identity_lacks(const struct dw_disk_info *info)
{
	return info->name_shared ? "the serial number of another disk"
				 : "neither serial number nor WWN";
}

bool dw_identity_exchanged(uint8_t asc)
{
	return asc == 0x28 || asc == 0x29 || asc == 0x3f;
}

void dw_identify_start(struct dw_identify *id, const struct dw_disk_info *info)
{
	*id = (struct dw_identify){ .info = info, .found.wce = DW_UNKNOWN };
}

static uint8_t page_of_step(uint8_t step)
{
	return step == STEP_SERIAL ? DW_VPD_SERIAL : DW_VPD_DESIGNATORS;
}

bool dw_identify_next(struct dw_identify *id, struct dw_cmd *ret)
{
	int len;

	if (id->failed || id->step >= (id->names_only ? STEP_CAPACITY16 : STEP_DONE))
		return false;
	*ret = (struct dw_cmd){ .dir = DW_DIR_IN,
				.flags = DW_CMD_PASS_FENCE,
				.data = id->buf,
				.data_len = sizeof(id->buf),
				.timeout_ms = TIMEOUT_MS };
	switch ((enum step)id->step) {
	case STEP_INQUIRY:
		ret->data_len = dw_profile_of(id->info)->inquiry_len;
		len = dw_cdb_inquiry(ret->cdb, -1, (uint16_t)ret->data_len);
		break;
	case STEP_DESIGNATORS:
	case STEP_SERIAL:
		ret->data_len = id->longer ? id->longer : DW_VPD_FIRST_LEN;
		len = dw_cdb_inquiry(ret->cdb, page_of_step(id->step),
				     (uint16_t)ret->data_len);
		break;
	case STEP_CAPACITY16:
		ret->data_len = LEN_CAPACITY16;
		len = dw_cdb_read_capacity16(ret->cdb, LEN_CAPACITY16);
		break;
	case STEP_CAPACITY10:
		ret->data_len = LEN_CAPACITY10;
		len = dw_cdb_read_capacity10(ret->cdb);
		break;
	case STEP_COUNTS:
		len = dw_cdb_log_sense(ret->cdb, DW_LOG_WRITE_ERRORS, sizeof(id->buf));
		break;
	default:
		dw_encode_cache(id->step == STEP_CACHE10 ? 10 : 6, id->buf, ret);
		id->room = DW_CACHE_LEN;
		return true;
	}
	memset(id->buf, 0, sizeof(id->buf));
	ret->cdb_len = (uint8_t)len;
	id->room = (uint16_t)ret->data_len;
	return true;
}

static void fail_identify(struct dw_identify *id, const struct dw_completion *done)
{
	id->failed = true;
	id->last = *done;
	id->last.cmd = NULL;
}

/* The next step that is wanted, @step or one behind it. */
static void next_step(struct dw_identify *id, int step)
{
	if (step == STEP_COUNTS && !(id->wanted & DW_WANT_COUNTS))
		step++;
	if (step == STEP_CACHE10 &&
	    (!(id->wanted & DW_WANT_CACHE) || dw_profile_of(id->info)->mode_once))
		step = STEP_DONE;
	id->step = (uint8_t)step;
	id->longer = 0;
}

/* A page of names; one that is longer than the first question is asked for once more, whole, and
 * an answer to that which is no longer is none. */
static void take_page(struct dw_identify *id, size_t got)
{
	bool again = id->longer;

	if (!again || got > DW_VPD_FIRST_LEN) {
		if (id->step == STEP_DESIGNATORS) {
			dw_identity_wwn(id->buf, got, id->wwn);
			id->designators = dw_vpd_unit_digest(id->buf, got);
		} else {
			dw_identity_serial(id->buf, got, id->serial);
		}
	}
	if (!again)
		id->longer = dw_vpd_longer(id->buf, got, page_of_step(id->step),
					   sizeof(id->buf));
	if (again || !id->longer)
		next_step(id, id->step + 1);
}

/* As the disk tells it. */
static uint64_t planned_blocks(const struct dw_disk_info *info)
{
	return info->blocks + info->one_too_many;
}

/* (16), and (10) where that tells nothing or what is in doubt: as in device/capacity.h. */
static void take_long(struct dw_identify *id, int r, const struct dw_capacity *c)
{
	bool is_planned = c->blocks == planned_blocks(id->info) &&
			  c->block_size == id->info->block_size;
	bool doubtful = dw_capacity_is_doubtful(c->blocks) ||
			dw_profile_of(id->info)->short_capacity;

	if (!r) {
		id->blocks = c->blocks;
		id->block_size = c->block_size;
	}
	next_step(id, r || (doubtful && !is_planned) ? STEP_CAPACITY10 : STEP_COUNTS);
}

static void take_short(struct dw_identify *id, int r, const struct dw_capacity *c,
		       const struct dw_completion *done)
{
	if (r && !id->blocks) {
		fail_identify(id, done);
		return;
	}
	if (!r) {
		id->blocks = c->blocks;
		id->block_size = c->block_size;
	}
	next_step(id, STEP_COUNTS);
}

static void take_answer(struct dw_identify *id, const struct dw_completion *done,
			size_t got)
{
	struct dw_mode_caching caching;
	struct dw_inquiry inq;
	struct dw_capacity c = { 0 };
	int r;

	switch ((enum step)id->step) {
	case STEP_INQUIRY:
		if (dw_inquiry_parse(id->buf, got, &inq) || inq.qualifier)
			fail_identify(id, done);
		snprintf(id->vendor, sizeof(id->vendor), "%s", inq.vendor);
		snprintf(id->model, sizeof(id->model), "%s", inq.product);
		snprintf(id->revision, sizeof(id->revision), "%s", inq.revision);
		break;
	case STEP_DESIGNATORS:
	case STEP_SERIAL:
		take_page(id, got);
		return;
	case STEP_CAPACITY16:
		r = dw_capacity16(id->buf, got, &c);
		take_long(id, r, &c);
		return;
	case STEP_CAPACITY10:
		r = dw_capacity10(id->buf, got, &c);
		take_short(id, r, &c, done);
		return;
	case STEP_COUNTS:
		id->found.counts =
			!dw_log_write_errors(id->buf, got, &id->found.write_errors);
		break;
	default:
		if (!dw_mode_caching(id->buf, got, id->step == STEP_CACHE10 ? 10 : 6,
				     &caching))
			id->found.wce = caching.wce ? DW_YES : DW_NO;
		id->step = STEP_DONE;
		return;
	}
	next_step(id, id->step + 1);
}

/*
 * From the first step: what was learnt before a unit attention may be of another disk, all
 * the more since INQUIRY never reports one.
 */
static void begin_anew(struct dw_identify *id)
{
	uint8_t attentions = id->attentions, exchanges = id->exchanges,
		wanted = id->wanted;

	dw_identify_start(id, id->info);
	id->attentions = attentions;
	id->exchanges = exchanges;
	id->wanted = wanted;
}

/* To what is wanted besides that is an answer too, of one who is asked for the first time; not
 * every adapter passes on MODE SENSE(10); and READ CAPACITY(10) tells the same as (16), or that it
 * cannot. */
static void no_answer(struct dw_identify *id, const struct dw_completion *done)
{
	if (id->step == STEP_CACHE10 || id->step == STEP_CAPACITY16 ||
	    (id->step == STEP_CAPACITY10 && id->blocks) ||
	    (id->step >= STEP_COUNTS && !(id->wanted & DW_WANT_AGAIN)))
		next_step(id, id->step + 1);
	else
		fail_identify(id, done);
}

/* The disk refused. Which of the steps may be missing? */
static void take_refusal(struct dw_identify *id, const struct dw_sense *s,
			 const struct dw_completion *done)
{
	bool unknown = s->key == DW_KEY_ILLEGAL_REQUEST;
	bool attention = s->key == DW_KEY_UNIT_ATTENTION;

	if (attention && !id->names_only && id->attentions++ < ATTENTIONS_MAX) {
		id->exchanges += dw_identity_exchanged(s->asc);
		begin_anew(id);
		return;
	}
	if (unknown && (id->step == STEP_DESIGNATORS || id->step == STEP_SERIAL ||
			id->step >= STEP_COUNTS))
		next_step(id, id->step + 1);
	else if (attention)
		fail_identify(id, done);
	else
		no_answer(id, done);
}

void dw_identify_feed(struct dw_identify *id, const struct dw_completion *done)
{
	struct dw_sense sense = { 0 };

	if (id->failed || id->step >= STEP_DONE)
		return;
	if (done->err || done->host_status || done->resid < 0 || done->resid > id->room) {
		no_answer(id, done);
		return;
	}
	if (done->sense_len)
		dw_sense_parse(done->sense, done->sense_len, &sense);
	if (done->status == 0 ||
	    (done->status == 2 && done->sense_len && sense.key <= DW_KEY_RECOVERED_ERROR))
		take_answer(id, done, id->room - (size_t)done->resid);
	else if (done->status == 2)
		take_refusal(id, &sense, done);
	else
		no_answer(id, done);
}

/* Does it say of itself what @info says? */
static bool looks_the_same(const struct dw_identify *id, const struct dw_disk_info *info)
{
	const struct dw_identity was = dw_identity_of(info),
				 is = { .serial = id->serial,
					.wwn = id->wwn,
					.vendor = id->vendor,
					.model = id->model,
					.revision = id->revision,
					.designators = id->designators };

	return dw_identity_match(&was, &is, DW_SAME_AT_NODE);
}

enum dw_identified dw_identify_compare(const struct dw_identify *id,
				       const struct dw_disk_info *info)
{
	if (id->failed || id->step < STEP_DONE)
		return DW_IDENTITY_UNKNOWN;
	if (!looks_the_same(id, info))
		return DW_IDENTITY_CHANGED;
	if (planned_blocks(info) != id->blocks || info->block_size != id->block_size)
		return DW_IDENTITY_CAPACITY;
	if (dw_identity_nameless(info) && id->exchanges)
		return DW_IDENTITY_NAMELESS;
	return DW_IDENTITY_SAME;
}

int dw_identity_renew(const struct dw_disk_info *info, dw_lease_send send, void *ctx)
{
	struct dw_identify id;
	struct dw_completion done;
	struct dw_cmd cmd;

	dw_identify_start(&id, info);
	id.names_only = true;
	while (dw_identify_next(&id, &cmd)) {
		send(ctx, &cmd, &done);
		dw_identify_feed(&id, &done);
	}
	if (id.failed)
		return -EIO;
	return !looks_the_same(&id, info);
}
