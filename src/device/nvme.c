/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe disks. Sanitize reaches every namespace of the NVM subsystem, attached or not, and Format
 * NVM may (FNA); so what there is besides is counted: allocated namespaces, and controllers, of
 * which another may be another host's. What cannot be counted is not offered.
 */
#include "device/nvme.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <diskwipe/health.h>

#include "base/util.h"
#include "scsi/admin.h"
#include "scsi/data.h"
#include "scsi/tcg.h"
#include "transport/nvme.h"

#define BIT(o)       (1u << (o))
#define KELVIN       273
#define WARN_SPARE   0x01
#define WARN_HEAT    0x02
#define WARN_WORN    0x04
#define WARN_READ    0x08
#define WARN_BACKUP  0x10
#define DETACHED_MAX 32 /* of which the size is asked */

/** struct nvme_probe - what was learnt of @d; @attached: the list of its @active namespaces; @page:
 *  the latest answer */
struct nvme_probe {
	struct dw_device *d;
	struct dw_nvme_controller controller;
	struct dw_nvme_namespace namespace;
	uint32_t active;
	uint8_t attached[DW_NVME_IDENTIFY_LEN];
	uint8_t page[DW_NVME_IDENTIFY_LEN];
};

static const struct {
	uint8_t action;
	uint8_t operation;
} sanitizes[] = {
	{ DW_NVME_OVERWRITE, DW_OPERATION_OVERWRITE },
	{ DW_NVME_BLOCK_ERASE, DW_OPERATION_BLOCK_ERASE },
	{ DW_NVME_CRYPTO_ERASE, DW_OPERATION_CRYPTO_ERASE },
};

/* 0, a status, or negative errno. */
static int identify_nvme(struct nvme_probe *p, uint8_t cns, uint32_t nsid)
{
	struct dw_nvme_admin ask;

	dw_nvme_identify(&ask, cns, nsid);
	return dw_nvme_ask(p->d->blk_fd, &ask, p->page);
}

/* Why it is not told to erase itself, static text; NULL = it can be. */
static const char *ask_names(struct nvme_probe *p)
{
	struct dw_device *d = p->d;
	int nsid = ioctl(d->blk_fd, NVME_IOCTL_ID);

	if (nsid <= 0)
		return "its node has no namespace number";
	if (identify_nvme(p, DW_NVME_CNS_CONTROLLER, 0) ||
	    dw_nvme_controller_parse(p->page, sizeof(p->page), &p->controller))
		return "its controller does not answer admin commands here";
	if (!p->controller.serial[0] || strcmp(p->controller.serial, d->info.serial))
		return "its controller has another serial number than the kernel says";
	if (identify_nvme(p, DW_NVME_CNS_NAMESPACE, (uint32_t)nsid) ||
	    dw_nvme_namespace_parse(p->page, sizeof(p->page), &p->namespace))
		return "its namespace does not answer Identify";
	if (p->namespace.blocks != d->caps.blocks ||
	    p->namespace.block_size != d->caps.block_size)
		return "its namespace has another size than the kernel says";
	d->nvme.nsid = (uint32_t)nsid;
	d->nvme.flbas = p->namespace.flbas;
	d->nvme.dps = p->namespace.dps;
	d->nvme.sanicap = d->caps.self.sanicap = p->controller.sanicap;
	memcpy(d->nvme.serial, p->controller.serial, sizeof(d->nvme.serial));
	return NULL;
}

static bool is_attached(const struct nvme_probe *p, uint32_t nsid)
{
	for (uint32_t i = 0; i < p->active; i++)
		if (dw_nvme_list_entry(p->attached, sizeof(p->attached), i) == nsid)
			return true;
	return false;
}

/* bytes of a namespace that is not attached here, 0 = not told */
static uint64_t detached_bytes(struct nvme_probe *p, uint32_t nsid)
{
	struct dw_nvme_namespace n;

	if (identify_nvme(p, DW_NVME_CNS_ALLOCATED_DATA, nsid) ||
	    dw_nvme_namespace_parse(p->page, sizeof(p->page), &n))
		return 0;
	return n.blocks * n.block_size;
}

static void explain_hidden(struct dw_device *d, uint64_t bytes)
{
	d->info.hidden_blocks = bytes / d->caps.block_size;
	d->info.hidden_by = d->info.hidden_blocks ? DW_HIDDEN_NAMESPACE : DW_HIDDEN_NONE;
}

static void count_detached(struct nvme_probe *p)
{
	uint64_t bytes = p->controller.unallocated;
	uint8_t list[DW_NVME_IDENTIFY_LEN];
	uint32_t n, asked = 0;

	memcpy(list, p->page, sizeof(list));
	n = dw_nvme_list_count(list, sizeof(list));
	for (uint32_t i = 0; i < n && asked < DETACHED_MAX; i++) {
		uint32_t nsid = dw_nvme_list_entry(list, sizeof(list), i);

		if (is_attached(p, nsid))
			continue;
		bytes += detached_bytes(p, nsid);
		asked++;
	}
	p->d->caps.self.namespaces = n;
	explain_hidden(p->d, bytes);
}

static const char *count_namespaces(struct nvme_probe *p)
{
	struct dw_self_erase *c = &p->d->caps.self;

	if (identify_nvme(p, DW_NVME_CNS_ACTIVE, 0))
		return "it does not list its namespaces";
	p->active = dw_nvme_list_count(p->page, sizeof(p->page));
	memcpy(p->attached, p->page, sizeof(p->attached));
	c->namespaces = p->active;
	if (!p->active)
		return "it does not list its namespaces";
	explain_hidden(p->d, p->controller.unallocated);
	if (!p->controller.manages)
		return NULL;
	if (identify_nvme(p, DW_NVME_CNS_ALLOCATED, 0))
		return "it does not list its detached namespaces";
	count_detached(p);
	return c->namespaces < p->active ? "its lists of namespaces contradict each other"
					 : NULL;
}

static const char *count_controllers(struct nvme_probe *p)
{
	struct dw_self_erase *c = &p->d->caps.self;

	c->controllers = 1;
	if (!p->controller.several_controllers)
		return NULL;
	if (identify_nvme(p, DW_NVME_CNS_CONTROLLERS, 0))
		return "it may have other controllers, and does not list them";
	c->controllers = dw_nvme_controllers_count(p->page, sizeof(p->page));
	return c->controllers ? NULL
			      : "it may have other controllers, and does not list them";
}

/** struct sibling_search - namespaces of the same subsystem, by the kernel's name of it */
struct sibling_search {
	struct dw_device *d;
	char prefix[32];
};

static int add_sibling(void *ctx, const char *dir, const char *name)
{
	struct sibling_search *s = ctx;
	size_t used = strlen(s->d->units), n = strlen(s->prefix);

	(void)dir;
	if (strncmp(name, s->prefix, n) ||
	    strspn(name + n, "0123456789") != strlen(name + n) ||
	    !strcmp(name, dw_path_base(s->d->info.block)))
		return 0;
	snprintf(s->d->units + used, sizeof(s->d->units) - used, "%s/dev/%s",
		 used ? ", " : "", name);
	return 0;
}

static void name_siblings(const struct dw_machine *m, struct dw_device *d)
{
	const char *name = dw_path_base(d->info.block), *end = strrchr(name, 'n');
	struct sibling_search s = { .d = d };
	char dir[PATH_MAX];

	d->units[0] = '\0';
	if (!end || end == name || (size_t)(end + 2 - name) > sizeof(s.prefix) ||
	    dw_path(dir, "%s/class/block", m->sys))
		return;
	snprintf(s.prefix, sizeof(s.prefix), "%.*s", (int)(end + 1 - name), name);
	dw_sysfs_each(dir, add_sibling, &s);
}

static void offer_sanitize(struct nvme_probe *p, const struct dw_nvme_sanitize_log *log)
{
	struct dw_self_erase *c = &p->d->caps.self;

	for (size_t i = 0; i < DW_ARRAY_SIZE(sanitizes); i++) {
		if (!(p->controller.sanicap & dw_nvme_bit(sanitizes[i].action)))
			continue;
		c->operations |= (uint8_t)BIT(sanitizes[i].operation);
		c->ns[sanitizes[i].operation] =
			dw_nvme_stated_ns(log->seconds[sanitizes[i].action]);
	}
}

static void offer_format(struct nvme_probe *p)
{
	const struct dw_nvme_controller *k = &p->controller;
	uint32_t ways = BIT(DW_OPERATION_FORMAT_USER);

	if (!k->can_format)
		return;
	if (k->format_crypto)
		ways |= BIT(DW_OPERATION_FORMAT_CRYPTO);
	p->d->caps.self.operations |= (uint8_t)ways;
	p->d->caps.self.formats_all = k->format_all;
	p->d->caps.self.erases_all = k->erase_all;
}

/* One without the log is never told to sanitize: nothing would tell how that ends. */
static int ask_log(struct nvme_probe *p, struct dw_nvme_sanitize_log *ret)
{
	struct dw_nvme_admin ask;

	dw_nvme_get_log(&ask, DW_NVME_PAGE_SANITIZE);
	if (!p->controller.sanicap || dw_nvme_ask(p->d->blk_fd, &ask, p->page))
		return -ENODATA;
	return dw_nvme_sanitize_log_parse(p->page, DW_NVME_LOG_LEN, false, ret);
}

/* An overwrite would meet nothing but what the kernel calls medium errors. With metadata, a block
 * would be longer than what it is read into. */
static bool denies(const struct nvme_probe *p)
{
	const struct dw_nvme_namespace *n = &p->namespace;
	dw_autofree uint8_t *block = n->metadata ? NULL : malloc(n->block_size);

	return block && dw_nvme_denies(p->d->blk_fd, p->d->nvme.nsid, n->blocks, block,
				       n->block_size);
}

/* As SCSI disks have it: one that works has no capacity that could be relied on. */
static int works(struct dw_device *d)
{
	d->info.operating = true;
	d->not_ready =
		(struct dw_sense){ .key = DW_KEY_NOT_READY, .asc = 0x04, .ascq = 0x1b };
	if (d->sanitize.blocks) {
		dw_device_assume_capacity(d);
		return 0;
	}
	d->info.blocks = 0;
	return -ENOMEDIUM;
}

int dw_nvme_probe(const struct dw_machine *m, struct dw_device *d)
{
	struct nvme_probe p = { .d = d };
	struct dw_nvme_sanitize_log log;
	struct dw_self_erase *c = &d->caps.self;
	const char *why;
	int reported;

	if (strcmp(d->info.transport, "nvme"))
		return 0;
	c->nvme = true;
	c->operations = 0;
	c->formats_all = c->erases_all = false;
	d->info.operating = false;
	d->caps.lock = DW_LOCK_NONE;
	d->nvme.nsid = 0;
	why = ask_names(&p);
	if (!why)
		why = count_namespaces(&p);
	if (!why)
		why = count_controllers(&p);
	c->not_offered = why;
	if (why)
		return 0;
	d->n_units = (uint32_t)dw_max_u64(c->namespaces, c->controllers);
	name_siblings(m, d);
	reported = ask_log(&p, &log);
	if (!reported)
		offer_sanitize(&p, &log);
	offer_format(&p);
	if (!reported && log.state == DW_NVME_RUNS)
		return works(d);
	if (denies(&p))
		d->caps.lock = DW_LOCK_DENIES;
	return 0;
}

static const char *warning_text(uint8_t warning)
{
	if (warning & WARN_READ)
		return "it takes no writes any more";
	if (warning & WARN_WORN)
		return "it has become unreliable";
	if (warning & WARN_SPARE)
		return "its spare blocks run out";
	if (warning & WARN_BACKUP)
		return "its backup of volatile memory has failed";
	return warning & WARN_HEAT ? "its temperature is out of bounds" : "";
}

int dw_nvme_ask_health(struct dw_device *d, struct dw_health *ret)
{
	uint8_t page[DW_NVME_LOG_LEN];
	struct dw_nvme_health h;
	struct dw_nvme_admin ask;
	int r;

	dw_nvme_get_log(&ask, DW_NVME_PAGE_HEALTH);
	r = dw_nvme_ask(d->blk_fd, &ask, page);
	if (r) {
		ret->refused = r > 0;
		return r < 0 ? r : -EIO;
	}
	r = dw_nvme_health_parse(page, sizeof(page), &h);
	if (r)
		return r;
	ret->state = h.warning & ~WARN_HEAT ? DW_HEALTH_FAILING : DW_HEALTH_GOOD;
	snprintf(ret->text, sizeof(ret->text), "%s", warning_text(h.warning));
	if (h.kelvin)
		ret->temperature = h.kelvin - KELVIN;
	ret->power_on_hours = (int64_t)dw_min_u64(h.hours, INT64_MAX);
	ret->read_errors = (int64_t)dw_min_u64(h.media_errors, INT64_MAX);
	return 0;
}
