/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk is asked only for log pages that it reports it has, and an ATA disk behind a translation,
 * which the kernel reports by its copy of VPD page 89h, for SMART data, since many translations
 * know
 * no log pages. Nearly all of these end GOOD, which matters: every answer that does not adds to the
 * kernel's count of errors, and a job that erases the disk takes the count for news of lost writes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/health.h>

#include "base/util.h"
#include "device/health.h"
#include "device/open.h"
#include "device/nvme.h"
#include "device/node.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/log.h"
#include "scsi/smart.h"
#include "transport/meter.h"

#define TIMEOUT_MS    3000
#define PATIENCE_NS   (60 * DW_NS_PER_S) /* of who asks for nothing else */
#define PAGE_LEN      512
#define UNCORRECTED   0x0006
#define ASC_PREDICTED 0x5d
#define ASCQ_SMART    0x10 /* as SAT has it of SMART */

/** struct checkup - a disk that is being asked; @gone: a command did not come back; @until_ns: no
 *  other is sent after that */
struct checkup {
	struct dw_device *d;
	struct dw_health *h;
	uint64_t until_ns;
	bool gone;
	uint8_t buf[PAGE_LEN];
	size_t got;
};

static bool ask(struct checkup *c, struct dw_cmd *cmd, int cdb_len, struct dw_answer *a)
{
	int r;

	if (c->gone || dw_clock_ns() >= c->until_ns)
		return false;
	cmd->cdb_len = (uint8_t)cdb_len;
	cmd->timeout_ms = TIMEOUT_MS;
	r = dw_ask(c->d, cmd, a);
	c->gone = r < 0;
	c->h->refused |= r == 1;
	c->got = r ? 0 : a->got;
	return !r;
}

static bool ask_log(struct checkup *c, uint8_t page)
{
	struct dw_cmd cmd = { .data = c->buf, .data_len = sizeof(c->buf) };
	struct dw_answer a;

	return ask(c, &cmd, dw_cdb_log_sense(cmd.cdb, page, sizeof(c->buf)), &a);
}

static void report(struct dw_health *h, uint8_t asc, uint8_t ascq)
{
	const char *text = dw_sense_code_name(asc, ascq);

	h->asc = asc;
	h->ascq = ascq;
	snprintf(h->text, sizeof(h->text), "%.80s (%02X/%02X)",
		 text ? text : "additional sense code", asc, ascq);
}

static void read_exception(struct checkup *c)
{
	struct dw_log_exception e;

	if (dw_log_exception(c->buf, c->got, &e))
		return;
	c->h->state = e.asc == ASC_PREDICTED ? DW_HEALTH_FAILING : DW_HEALTH_GOOD;
	if (e.asc)
		report(c->h, e.asc, e.ascq);
	if (c->h->temperature == DW_TEMPERATURE_UNKNOWN)
		c->h->temperature = e.temperature;
}

static void read_temperature(struct checkup *c)
{
	dw_log_temperature(c->buf, c->got, false, &c->h->temperature);
	dw_log_temperature(c->buf, c->got, true, &c->h->temperature_limit);
}

static void read_hours(struct checkup *c)
{
	uint64_t minutes;

	if (!dw_log_minutes(c->buf, c->got, &minutes))
		c->h->power_on_hours = (int64_t)(minutes / 60);
}

static int64_t read_counter(const struct checkup *c, uint8_t page)
{
	uint64_t n;

	return dw_log_counter(c->buf, c->got, page, UNCORRECTED, &n) || n > INT64_MAX
		       ? -1
		       : (int64_t)n;
}

static void read_read_errors(struct checkup *c)
{
	c->h->read_errors = read_counter(c, DW_LOG_READ_ERRORS);
}

static void read_write_errors(struct checkup *c)
{
	c->h->write_errors = read_counter(c, DW_LOG_WRITE_ERRORS);
}

static void ask_logs(struct checkup *c)
{
	static const struct {
		uint8_t page;
		void (*read)(struct checkup *c);
	} pages[] = {
		{ DW_LOG_TEMPERATURE, read_temperature },
		{ DW_LOG_EXCEPTIONS, read_exception },
		{ DW_LOG_BACKGROUND_SCAN, read_hours },
		{ DW_LOG_READ_ERRORS, read_read_errors },
		{ DW_LOG_WRITE_ERRORS, read_write_errors },
	};
	uint8_t list[PAGE_LEN];
	size_t len;

	if (!ask_log(c, DW_LOG_SUPPORTED))
		return;
	memcpy(list, c->buf, sizeof(list));
	len = c->got;
	for (size_t i = 0; i < DW_ARRAY_SIZE(pages); i++)
		if (dw_log_has_page(list, len, pages[i].page) &&
		    ask_log(c, pages[i].page))
			pages[i].read(c);
}

/* The length of the list is asked for, and no more; (12) counts further, (10) is older. */
static void ask_defects(struct checkup *c)
{
	for (unsigned int size = 12; size >= 10; size -= 2) {
		uint32_t room = size == 12 ? 8 : 4;
		struct dw_cmd cmd = { .data = c->buf, .data_len = room };
		struct dw_answer a;
		uint64_t n;

		if (!ask(c, &cmd, dw_cdb_read_defects(cmd.cdb, size, room), &a) ||
		    dw_defects_count(c->buf, c->got, size == 12, &n))
			continue;
		c->h->grown_defects = (int64_t)n;
		return;
	}
}

static bool ask_smart(struct checkup *c, enum dw_ata_question question, uint8_t *data)
{
	struct dw_cmd cmd = { .data = data, .data_len = DW_ATA_SECTOR };
	struct dw_answer a;

	return ask(c, &cmd, dw_cdb_ata(cmd.cdb, question), &a) && c->got == DW_ATA_SECTOR;
}

static void ask_attributes(struct checkup *c)
{
	uint8_t data[DW_ATA_SECTOR], thresholds[DW_ATA_SECTOR];
	struct dw_health *h = c->h;
	struct dw_smart s;
	bool both;

	if (!ask_smart(c, DW_ATA_SMART_DATA, data))
		return;
	both = ask_smart(c, DW_ATA_SMART_THRESHOLDS, thresholds);
	if (dw_smart_read(data, both ? thresholds : NULL, &s))
		return;
	h->temperature = s.temperature;
	h->power_on_hours = s.hours;
	h->grown_defects = s.reallocated;
	if (!both)
		return;
	h->state = s.failing ? DW_HEALTH_FAILING : DW_HEALTH_GOOD;
	if (s.failing)
		snprintf(h->text, sizeof(h->text),
			 "SMART attribute %u is at its threshold", s.failing);
}

/* The disk's own verdict, which comes as CHECK CONDITION whatever it is. */
static void ask_verdict(struct checkup *c)
{
	struct dw_cmd cmd = { 0 };
	struct dw_answer a;
	bool failing;

	if (!ask(c, &cmd, dw_cdb_ata(cmd.cdb, DW_ATA_SMART_STATUS), &a) ||
	    dw_ata_smart_status(a.done.sense, a.done.sense_len, &failing))
		return;
	if (failing && c->h->state != DW_HEALTH_FAILING)
		report(c->h, ASC_PREDICTED, ASCQ_SMART);
	c->h->state = failing ? DW_HEALTH_FAILING : DW_HEALTH_GOOD;
}

/* The kernel's copy of VPD page 89h: an ATA disk whose SMART is on. */
static bool has_smart(const struct dw_machine *m, const struct dw_disk_info *info,
		      bool *ret_ata)
{
	char dir[PATH_MAX], path[PATH_MAX];
	uint8_t page[DW_ATA_PAGE_LEN];
	struct dw_ata_identity id;
	dw_autoclose int fd = -1;
	ssize_t n;

	*ret_ata = false;
	if (dw_node_scsi_dir(m, info, dir) || dw_path(path, "%s/vpd_pg89", dir))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, page, sizeof(page));
	*ret_ata = n > 0 && !dw_ata_identify(page, (size_t)n, &id);
	return *ret_ata && id.smart;
}

static void check_up(struct checkup *c, uint32_t flags)
{
	bool ata, smart = has_smart(&dw_machine_self, &c->d->info, &ata);

	if (smart)
		ask_attributes(c);
	if (smart && (flags & DW_HEALTH_THOROUGH))
		ask_verdict(c);
	if (!ata)
		ask_logs(c);
	if (!ata && (flags & DW_HEALTH_THOROUGH))
		ask_defects(c);
}

static bool is_nvme(const struct dw_disk_info *info)
{
	return !info->scsi && !strcmp(info->transport, "nvme");
}

static int find_patient(const char *path, struct dw_disk_info *ret)
{
	const struct dw_machine *m = &dw_machine_self;
	enum dw_node_kind kind;
	char below[80];
	bool block;
	dev_t dev;
	int r = dw_node_of_path(path, &block, &dev);

	if (!r && block && !dw_node_map_path(m, dev, below, sizeof(below)))
		r = dw_node_of_path(below, &block, &dev);
	if (!r)
		r = dw_node_resolve(m, block, dev, ret, &kind);
	if (!r && kind != DW_NODE_DISK)
		r = -ENOTBLK;
	return !r && !ret->scsi && !is_nvme(ret) ? -EOPNOTSUPP : r;
}

int dw_device_health(struct dw_device *d, uint32_t flags, uint64_t within_ns,
		     struct dw_health *ret)
{
	struct dw_health h = { .temperature = DW_TEMPERATURE_UNKNOWN,
			       .temperature_limit = DW_TEMPERATURE_UNKNOWN,
			       .power_on_hours = -1,
			       .grown_defects = -1,
			       .read_errors = -1,
			       .write_errors = -1 };
	struct checkup c = { .d = d, .h = &h, .until_ns = dw_clock_ns() + within_ns };

	int r = 0;

	if (d->info.scsi)
		check_up(&c, flags);
	else if (is_nvme(&d->info))
		r = dw_nvme_ask_health(d, &h);
	else
		return -EOPNOTSUPP;
	if (!r || h.refused)
		*ret = h;
	return h.refused ? 0 : r;
}

int dw_disk_health(const char *path, uint32_t flags, struct dw_health *ret)
{
	struct dw_device *d = NULL;
	struct dw_disk_info info;
	int r = find_patient(path, &info);

	if (!r)
		r = dw_device_peek(&info, O_RDONLY, &d);
	if (r)
		return r;
	r = dw_device_health(d, flags, PATIENCE_NS, ret);
	dw_device_close(d);
	return r;
}

const char *dw_health_text(const struct dw_health *h, char *buf, size_t size)
{
	static const char *const states[] = { "", "good", "failing" };

	snprintf(buf, size, "%s%s%s",
		 h->state <= DW_HEALTH_FAILING ? states[h->state] : "",
		 h->state && h->text[0] ? ": " : "", h->state ? h->text : "");
	return buf;
}
