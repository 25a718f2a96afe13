/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What probing found, one line each, and where it came from. Keys are an interface.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "device/node.h"
#include "device/open.h"
#include "device/shelves.h"
#include "device/security.h"
#include "scsi/tcg.h"
#include "transport/spared.h"

#define INSPECT_MAX_BYTES (16 * DW_MIB)

__attribute__((format(printf, 4, 5))) static void line(struct dw_inspection *in,
						       const char *source,
						       const char *key,
						       const char *format, ...)
{
	va_list ap;

	if (in->n == DW_ARRAY_SIZE(in->line))
		return;
	snprintf(in->line[in->n].key, sizeof(in->line[0].key), "%s", key);
	snprintf(in->line[in->n].source, sizeof(in->line[0].source), "%s", source);
	va_start(ap, format);
	vsnprintf(in->line[in->n].value, sizeof(in->line[0].value), format, ap);
	va_end(ap);
	in->n++;
}

static void number_line(struct dw_inspection *in, const char *source, const char *key,
			uint64_t value)
{
	if (value)
		line(in, source, key, "%" PRIu64, value);
	else
		line(in, source, key, "not reported");
}

static void yes_no(struct dw_inspection *in, const char *source, const char *key,
		   bool value)
{
	line(in, source, key, "%s", value ? "yes" : "no");
}

static void add_geometry(struct dw_inspection *in, const struct dw_caps *c)
{
	const char *source = c->scsi ? "READ CAPACITY" : "ioctl";

	line(in, source, "blocks", "%" PRIu64, c->blocks);
	line(in, source, "block-size", "%" PRIu32, c->block_size);
	line(in, source, "physical-block-size", "%" PRIu64,
	     (uint64_t)c->block_size << c->physical_exp);
	if (!c->scsi)
		return;
	line(in, source, "lowest-aligned", "%u", c->lowest_aligned);
	line(in, source, "protection-type", "%u", c->pi_type);
	yes_no(in, source, "thin-provisioned", c->lbpme);
}

static void add_operation(struct dw_inspection *in, const struct dw_caps *c,
			  unsigned int o)
{
	static const char *const key[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = "sanitize-overwrite",
		[DW_OPERATION_BLOCK_ERASE] = "sanitize-block",
		[DW_OPERATION_CRYPTO_ERASE] = "sanitize-crypto",
		[DW_OPERATION_ATA_NORMAL] = "ata-normal",
		[DW_OPERATION_ATA_ENHANCED] = "ata-enhanced",
		[DW_OPERATION_FORMAT_USER] = "nvme-format",
		[DW_OPERATION_FORMAT_CRYPTO] = "nvme-format-crypto",
	};
	bool offered = c->self.operations & 1u << o;
	bool secure = dw_operation_secures(o);
	const char *source = secure         ? "ATA"
			     : c->self.ata  ? "VPD 89h"
			     : c->self.nvme ? "Identify"
			     : c->rsoc      ? "RSOC"
					    : "assumed";
	const char *stated = c->self.nvme ? "log 81h" : secure ? source : "RSOC";

	if (offered && c->self.ns[o])
		line(in, stated, key[o], "yes, %llu s stated",
		     (unsigned long long)(c->self.ns[o] / DW_NS_PER_S));
	else
		line(in, source, key[o], offered ? "yes" : "no");
}

static const char *lock_text(const struct dw_caps *c)
{
	static const char *const text[] = {
		[DW_LOCK_NONE] = "not reported",
		[DW_LOCK_OPEN] = "open",
		[DW_LOCK_SHUT] = "locked, PSID needed",
		[DW_LOCK_DENIES] = "it denies every access",
	};

	return text[c->lock];
}

static void add_commands(struct dw_inspection *in, const struct dw_caps *c)
{
	const char *source = c->rsoc ? "RSOC" : "assumed";
	const char *sync = c->cache.sync_tried ? "probe" : source;

	yes_no(in, source, "write-16", c->rw16);
	yes_no(in, source, "write-same-10", c->same.cdb10);
	yes_no(in, source, "write-same-16", c->same.cdb16);
	yes_no(in, source, "write-same-ndob", c->same.ndob);
	yes_no(in, source, "write-same-unmap", c->same.unmap);
	yes_no(in, sync, "synchronize-cache-10", c->cache.sync10);
	yes_no(in, sync, "synchronize-cache-16", c->cache.sync16);
	yes_no(in, source, "verify", c->verify);
	/* those that end with their command are few disks' */
	for (unsigned int o = 1; o < DW_OPERATION_COUNT; o++)
		if (!dw_operation_blocks(o) || c->self.operations & 1u << o)
			add_operation(in, c, o);
	number_line(in, "RSOC", "write-timeout-seconds", c->timeout_s);
	yes_no(in, "MODE SENSE", "fua", c->fua);
	yes_no(in, "MODE SENSE", "write-protect", c->write_protect);
	if (c->ata.sum_wrong)
		line(in, "VPD 89h", "identify-checksum", "wrong, the same twice");
	line(in, "TCG", "lock", "%s", lock_text(c));
}

static void add_vpd(struct dw_inspection *in, const struct dw_caps *c)
{
	number_line(in, "VPD B0h", "max-transfer-blocks", c->limit.max_transfer);
	number_line(in, "VPD B0h", "optimal-transfer-blocks", c->limit.opt_transfer);
	number_line(in, "VPD B0h", "granularity-blocks", c->limit.opt_granularity);
	number_line(in, "VPD B0h", "max-write-same-blocks", c->same.max);
	yes_no(in, "VPD B0h", "write-same-nonzero", c->same.no_zero);
	if (c->rotation > 1)
		line(in, "VPD B1h", "rotation", "%u rpm", c->rotation);
	else
		line(in, "VPD B1h", "rotation", "%s",
		     c->rotation ? "does not rotate" : "not reported");
}

/* Which blocks each of several actuators reaches. */
static void add_ranges(struct dw_inspection *in, const struct dw_caps *c)
{
	const struct dw_ranges *r = &c->ranges;
	char text[sizeof(in->line[0].value)] = "";
	size_t n = 0;

	for (uint8_t i = 0; i < r->n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%s%" PRIu64 "-%" PRIu64, i ? ", " : "",
				      r->first[i],
				      (i + 1 < r->n ? r->first[i + 1] : c->blocks) - 1);
	if (r->n)
		line(in, c->ranges_from, "access-ranges", "%s", text);
}

/* How many zones of each kind a host-managed disk has. */
static void add_zones(struct dw_inspection *in, const struct dw_caps *c)
{
	static const char *const names[] = { [DW_ZONE_CONVENTIONAL] = "conventional",
					     [DW_ZONE_SEQUENTIAL] = "sequential",
					     [DW_ZONE_READ_ONLY] = "read-only",
					     [DW_ZONE_OFFLINE] = "offline" };
	uint64_t n[DW_ARRAY_SIZE(names)] = { 0 };
	char text[sizeof(in->line[0].value)] = "";
	size_t used = 0;

	for (uint32_t i = 0; c->zones && i < c->zones->n; i++) {
		const struct dw_zone *run = &c->zones->run[i];
		uint64_t end = i + 1 < c->zones->n ? run[1].first : c->zones->blocks;

		n[run->kind] += (end - run->first) / run->nlb;
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(names) && used < sizeof(text); i++)
		if (n[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%" PRIu64 " %s", used ? ", " : "",
						 n[i], names[i]);
	if (c->zones || c->not_zoned[0])
		line(in, "REPORT ZONES", "zones", "%s", used ? text : c->not_zoned);
}

static void add_cache(struct dw_inspection *in, const struct dw_caps *c)
{
	const char *source = c->scsi ? "MODE SENSE 08h" : "sysfs";

	line(in, source, "write-cache", "%s",
	     c->cache.wce == DW_YES  ? "on"
	     : c->cache.wce == DW_NO ? "off"
				     : "unknown");
	if (c->scsi)
		yes_no(in, source, "write-cache-changeable", c->cache.changeable);
}

static void add_hidden(struct dw_inspection *in, const struct dw_disk_info *info)
{
	static const char *const source[DW_HIDDEN_COUNT] = {
		[DW_HIDDEN_NONE] = "MODE SENSE", [DW_HIDDEN_MODE_SELECT] = "MODE SENSE",
		[DW_HIDDEN_HPA] = "HPA",         [DW_HIDDEN_AMA] = "AMA",
		[DW_HIDDEN_ADAPTER] = "VPD 89h", [DW_HIDDEN_ELEMENT] = "elements",
		[DW_HIDDEN_DCO] = "DCO",
	};

	if (info->scsi)
		number_line(in, source[info->hidden_by], "hidden-blocks",
			    info->hidden_blocks);
}

/* An unknown address may stand beside one that another command told. */
static void add_ata(struct dw_inspection *in, const struct dw_ata_caps *c)
{
	if (!c->sat)
		return;
	if (c->unknown)
		line(in, "ATA", "ata-native-max", "unknown (%s)", c->unknown);
	else if (c->native)
		line(in, "ATA", "ata-native-max", "%s%" PRIu64,
		     c->at_least ? "at least " : "", c->native - 1);
	else
		line(in, "ATA", "ata-native-max", "not asked");
	if (c->dco_unknown)
		line(in, "ATA", "ata-dco", "unknown (%s)", c->dco_unknown);
	else if (c->dco)
		line(in, "ATA", "ata-dco", "%" PRIu64, c->max[DW_HIDDEN_DCO] - 1);
	else if (c->native)
		line(in, "VPD 89h", "ata-dco", "not supported");
}

/* What ATA says of the ways above. */
static void add_ata_sanitize(struct dw_inspection *in, const struct dw_self_erase *c)
{
	if (c->not_offered)
		line(in, "ATA", "ata-sanitize", "no (%s)", c->not_offered);
	else if (c->ata)
		line(in, "ATA", "ata-sanitize", "yes, %s",
		     c->end_unknown ? "its end is not told here" : "its end is told");
}

static void add_ata_security(struct dw_inspection *in, const struct dw_self_erase *c)
{
	char text[128];

	if (!c->security.supported)
		return;
	line(in, "ATA", "ata-security", "%s",
	     dw_device_security_text(c, text, sizeof(text)));
	if (c->not_secure)
		line(in, "ATA", "ata-erase", "no (%s)", c->not_secure);
}

/* What an NVMe disk does by itself, and what else that would reach. */
static void add_nvme(struct dw_inspection *in, const struct dw_caps *c,
		     const struct dw_disk_info *info)
{
	if (!c->self.nvme)
		return;
	if (c->lock != DW_LOCK_NONE)
		line(in, "Read", "lock", "%s", lock_text(c));
	for (unsigned int o = 1; o < DW_OPERATION_COUNT; o++)
		if (!dw_operation_secures(o))
			add_operation(in, c, o);
	line(in, "Identify", "nvme-sanicap", "%08" PRIx32, c->self.sanicap);
	if (c->self.not_offered) {
		line(in, "Identify", "nvme-subsystem", "unknown (%s)",
		     c->self.not_offered);
		return;
	}
	number_line(in, "Identify", "hidden-blocks", info->hidden_blocks);
	line(in, "Identify", "nvme-subsystem",
	     "%" PRIu32 " namespaces, %" PRIu32 " controllers", c->self.namespaces,
	     c->self.controllers);
}

static void add_kernel(struct dw_inspection *in, const struct dw_transfer_limits *c)
{
	number_line(in, "sysfs", "max-hw-bytes", c->max_hw_bytes);
	number_line(in, "sysfs", "max-soft-bytes", c->soft_bytes);
	number_line(in, "sysfs", "max-segments", c->max_segments);
	number_line(in, "sysfs", "max-segment-bytes", c->max_segment_bytes);
	number_line(in, "sysfs", "dma-alignment", c->dma_align);
	number_line(in, "sysfs", "queue-depth", c->queue_depth);
	number_line(in, c->max_bytes_probed ? "probe" : "computed", "transfer-bytes",
		    c->max_bytes);
}

/* What it was not asked again, since it broke at it. */
static void add_spared(struct dw_inspection *in, const struct dw_device *d)
{
	char text[96];

	if (*dw_spared_text(d->spared, text, sizeof(text)))
		line(in, "probe", "not-asked-again", "%s", text);
}

static void fill_slot(struct dw_disk_info *info)
{
	struct dw_shelves *shelves = dw_shelves_new(&dw_machine_self);

	if (shelves)
		dw_shelves_fill_slot(shelves, info);
	dw_shelves_free(shelves);
}

int dw_disk_inspect(const char *path, struct dw_disk_info *ret_info,
		    struct dw_inspection *ret)
{
	struct dw_device *d;
	int r = dw_device_attach(&dw_machine_self, path, &d);

	if (r)
		return r;
	r = dw_device_probe(&dw_machine_self, d);
	if (!r) {
		dw_device_try_flush(d);
		dw_device_probe_length(d, INSPECT_MAX_BYTES);
		*ret_info = d->info;
		fill_slot(ret_info);
		dw_udev_names(ret_info);
		*ret = (struct dw_inspection){ 0 };
		add_geometry(ret, &d->caps);
		add_hidden(ret, ret_info);
		add_ata(ret, &d->caps.ata);
		if (d->caps.scsi) {
			add_commands(ret, &d->caps);
			add_ata_sanitize(ret, &d->caps.self);
			add_ata_security(ret, &d->caps.self);
			add_vpd(ret, &d->caps);
			add_ranges(ret, &d->caps);
			add_zones(ret, &d->caps);
		}
		add_nvme(ret, &d->caps, ret_info);
		add_cache(ret, &d->caps);
		add_kernel(ret, &d->caps.limit);
		add_spared(ret, d);
	}
	dw_device_close(d);
	return r;
}
