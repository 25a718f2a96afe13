/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes about limits: what of a disk was not reached, not proven, or is not known. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/outcome.h"
#include "engine/own.h"
#include "engine/units.h"
#include "scsi/admin.h"

void job_note(struct dw_disk_result *r, const char *fmt, ...)
{
	va_list ap;

	if (r->n_notes == DW_ARRAY_SIZE(r->notes))
		return;
	va_start(ap, fmt);
	vsnprintf(r->notes[r->n_notes++], sizeof(r->notes[0]), fmt, ap);
	va_end(ap);
}

/* what hides a part of the disk, and how it comes back */
static void note_hidden(const struct job_disk *d, struct dw_disk_result *r)
{
	static const struct {
		const char *cause;
		const char *way;
	} words[DW_HIDDEN_COUNT] = {
		[DW_HIDDEN_NONE] = { "", "" },
		[DW_HIDDEN_MODE_SELECT] = { "the capacity was cut by MODE SELECT",
					    "sg_format --resize --count=-1 shows them "
					    "again" },
		[DW_HIDDEN_HPA] = { "a host protected area (HPA)",
				    "hdparm -N shows the native sectors, hdparm "
				    "--yes-i-know-what-i-am-doing -N pNUMBER sets "
				    "them" },
		[DW_HIDDEN_AMA] = { "the accessible max address (AMA) was cut",
				    "ATA SET ACCESSIBLE MAX ADDRESS EXT shows them "
				    "again" },
		[DW_HIDDEN_DCO] = { "a device configuration overlay (DCO)",
				    "hdparm --dco-restore takes it away" },
		[DW_HIDDEN_ADAPTER] = { "the adapter shows less than the disk has",
					"attach the disk to a plain SATA port" },
		[DW_HIDDEN_ELEMENT] = { "they are on storage elements that were removed "
					"and keep what they hold",
					"RESTORE ELEMENTS AND REBUILD brings them back, "
					"where the disk allows it" },
		[DW_HIDDEN_NAMESPACE] = { "detached namespaces have them, or none has",
					  "nvme attach-ns and nvme create-ns show them; "
					  "Sanitize reaches them" },
	};

	for (uint32_t i = 0; i < d->unhidden.n_restored; i++)
		job_note(r, "%llu blocks were hidden and are shown again: %s",
			 (unsigned long long)d->unhidden.restored[i].blocks,
			 words[d->unhidden.restored[i].by].cause);
	if (d->info.hidden_blocks && d->unhidden.reason[0])
		job_note(r, "hidden blocks are not restored: %s", d->unhidden.reason);
	if (d->info.hidden_blocks)
		job_note(r, "%s%llu more blocks are hidden: %s; %s",
			 d->caps.ata.at_least ? "at least " : "",
			 (unsigned long long)d->info.hidden_blocks,
			 words[d->info.hidden_by].cause, words[d->info.hidden_by].way);
	if (d->caps.native_unknown && !d->caps.ata.unknown && !d->info.hidden_blocks &&
	    !d->info.logical_volume)
		job_note(r,
			 "no source tells its native capacity: whether it hides blocks "
			 "is not known");
	if (d->caps.ata.unknown)
		job_note(r, "it is not known whether ATA hides blocks (HPA, AMA): %s",
			 d->caps.ata.unknown);
	if (d->caps.ata.dco_unknown)
		job_note(r, "it is not known what a DCO hides: %s",
			 d->caps.ata.dco_unknown);
}

/* what its own comparison is worth */
static void note_compared(struct dw_disk_result *r)
{
	if (r->verify.not_compared[0])
		job_note(
			r,
			"the disk was not relied on to compare its blocks, so all are read: "
			"%.90s",
			r->verify.not_compared);
	else if (r->verify.skipped > 0)
		job_note(
			r,
			"compared by the disk (%u of %u planted differences found; at most "
			"%g %% of its ranges can have been skipped, 99 %%); %llu blocks read",
			r->verify.found, r->verify.planted,
			ceil(1000 * r->verify.skipped) / 10,
			(unsigned long long)r->verify.read);
}

static void note_actuators(const struct job_disk *d, struct dw_disk_result *r)
{
	if (d->plan.order.turn && !d->plan.operation)
		job_note(
			r,
			"its %u actuators worked at once: the ranges of blocks that they "
			"reach took turns of %u blocks",
			d->plan.order.n, d->plan.order.turn);
}

static void note_zones(const struct job_disk *d, struct dw_disk_result *r)
{
	const struct dw_zones *z = d->plan.zones;
	uint64_t dead = dw_zones_dead_below(z, UINT64_MAX);

	if (z)
		job_note(r, "host-managed: its zones were reset, and written from their "
			    "starts on");
	if (dead)
		job_note(
			r,
			"%llu blocks are in zones that are read-only or offline: what these "
			"held may still be there",
			(unsigned long long)dead);
}

static bool is_alike(const struct job_disk *a, const struct job_disk *b)
{
	return a != b && !strcmp(a->info.vendor, b->info.vendor) &&
	       !strcmp(a->info.model, b->info.model) &&
	       a->plan.operation == b->plan.operation && b->place.entered;
}

/* Whether it is usual for this model that its progress stops. */
static void note_others(const struct dw_job *job, const struct job_disk *d,
			struct dw_disk_result *r)
{
	const struct dw_disk_state *st;
	uint32_t n = 0, ended = 0;
	uint64_t longest = 0;

	for (uint32_t i = 0; i < job->n_disks; i++) {
		if (!is_alike(d, job->disk[i]))
			continue;
		n++;
		st = job_disk_state(job->disk[i]);
		if (!st->passes[0].used_operation)
			continue;
		ended++;
		longest = dw_max_u64(longest, st->operation.reported_ns - st->ns.started);
	}
	if (!n)
		job_note(r, "the job has no other disk of its model to compare it with");
	else
		job_note(
			r,
			"of %u other disks of its model %u ended their work, the slowest in "
			"%llu minutes",
			n, ended, (unsigned long long)(longest / (60 * DW_NS_PER_S)));
}

static void note_cache(const struct dw_job *job, const struct job_disk *d,
		       struct dw_disk_result *r)
{
	if (d->cache.switched && !d->cache.off)
		job_note(r, "the write cache was off, and on for the time of the task");
	if (job->spec.write_cache == DW_WRITE_CACHE_ON && d->caps.cache.wce == DW_NO)
		job_note(r, "the write cache could not be switched on");
	if (d->cache.off)
		job_note(
			r,
			"it does not do SYNCHRONIZE CACHE: erased with the write cache off");
	if (d->caps.cache.write_through)
		job_note(r,
			 "no command flushes its cache: every write went to the medium "
			 "before it ended (FUA), as far as the disk tells");
}

static bool is_sanitize(uint8_t operation)
{
	return operation == DW_OPERATION_OVERWRITE ||
	       operation == DW_OPERATION_BLOCK_ERASE ||
	       operation == DW_OPERATION_CRYPTO_ERASE;
}

static void note_witnesses(const struct job_disk *d, struct dw_disk_result *r)
{
	const struct dw_witness_found *found = job_witness_passed(d);

	if (!found)
		return;
	job_note(r, "checked: %u places were read before and after; all changed",
		 found->read);
	if (found->withheld)
		job_note(
			r,
			"%u of these cannot be read before they are written: that they are "
			"erased is what the disk says",
			found->withheld);
}

static void note_written_over(const struct job_disk *d, struct dw_disk_result *r)
{
	uint32_t guarded = job_witness_guarded(d);

	if (!dw_plan_written_over(&d->plan))
		return;
	job_note(
		r,
		"after its %s it could not be read, as its protection information did not "
		"match (10h/01-03): it was written once with zeros",
		dw_operation_name(d->plan.operation));
	if (guarded)
		job_note(
			r,
			"%u blocks could not be read for that, so that they are erased is "
			"what the disk says of its own work; now they hold zeros",
			guarded);
}

static void note_ends(const struct job_disk *d, struct dw_disk_result *r)
{
	int ends = job_settle_ends(d);

	if (!ends)
		job_note(r, "zeros were written to its first and last MiB and read back, "
			    "as hosts might take what a crypto erase leaves there for a "
			    "partition table");
	else if (ends < 0)
		job_note(r,
			 "zeros could not be written to its first and last MiB (%s): "
			 "hosts may take what is there for a partition table",
			 strerror(-ends));
}

/* what the disk did by itself, and how far that is proven */
static void note_operation(const struct job_disk *d, const struct dw_disk_state *st,
			   struct dw_disk_result *r)
{
	const struct dw_caps *caps = &d->caps;
	uint8_t operation = d->plan.operation;
	bool complete = operation && st->end == DW_END_COMPLETE;

	if (d->choice.method->operation && !operation)
		job_note(r, "it does not sanitize itself: overwritten");
	if (st->operation.touched)
		job_note(r, "its progress stood still: one block was read, as some disks "
			    "go on only after that");
	note_witnesses(d, r);
	note_written_over(d, r);
	note_ends(d, r);
	if (complete && job_units_number(d) > 1)
		job_note(r,
			 "one of the %u logical units or namespaces of its device, which "
			 "%s; each is proven by itself",
			 job_units_number(d),
			 dw_self_commands_each(&caps->self, operation)
				 ? "were told one after the other, as each formats all"
				 : "one command erased");
	if (complete && (st->operation.end_unknown ||
			 (caps->self.end_unknown && !dw_operation_blocks(operation))))
		job_note(r, "its translation does not tell how its operation ended: its "
			    "blocks decided");
	r->purge_requested = st->operation.reported_ns && is_sanitize(operation) &&
			     dw_nvme_attests(caps->self.sanicap);
	r->purge_attested = r->purge_requested && complete;
	if (r->purge_attested)
		job_note(r, "the disk says that it has purged as IEEE 2883 defines that "
			    "(NVMe: PREQ, PRGD)");
	if (operation == DW_OPERATION_CRYPTO_ERASE ||
	    operation == DW_OPERATION_FORMAT_CRYPTO)
		job_note(
			r,
			"crypto erase: as good as the disk's encryption of everything that "
			"was ever written to it, which only its maker knows");
}

void job_notes(const struct dw_job *job, const struct job_disk *d,
	       const struct dw_disk_state *st, struct dw_disk_result *r)
{
	const struct dw_caps *caps = &d->caps;
	bool used_ws = false;

	for (uint32_t i = 0; i < d->plan.n_passes; i++)
		used_ws |= st->passes[i].used_ws;
	if (d->plan.verify_only)
		return;
	if (st->operation.left)
		note_others(job, d, r);
	note_operation(d, st, r);
	if (d->device && d->device->unlocked)
		job_note(r, "an erase of it had been cut off: its password was cleared");
	if (r->signatures[0])
		job_note(r, "carried before: %s", r->signatures);
	if (!caps->scsi)
		job_note(
			r,
			"driven as a block device without SCSI: no sense data, and no more "
			"proof of the flush than the kernel gives");
	if ((caps->rotation == 1 || caps->lbpme) && !d->plan.operation &&
	    d->plan.pass[d->plan.n_passes - 1].kind == DW_PASS_WRITE)
		job_note(r, "flash or thin: an overwrite does not reach spare blocks");
	if (used_ws && (caps->rotation == 1 || caps->lbpme))
		job_note(
			r,
			"logical content only: the disk may have mapped zeros instead of "
			"writing them");
	note_compared(r);
	note_cache(job, d, r);
	note_actuators(d, r);
	note_zones(d, r);
	if (d->earlier.from_the_start)
		job_note(r, "restarted: the contents do not match the state file");
	if (d->info.one_too_many)
		job_note(r,
			 "it tells one block more than it has: block %llu does not exist",
			 (unsigned long long)d->info.blocks);
	if (d->info.name_shared)
		job_note(r,
			 "another disk here says the same serial number: told apart by "
			 "their ports, as long as both stay where they are");
	if (d->choice.same_failed)
		job_note(r, "WRITE SAME failed when it was tried, or did nothing: erased "
			    "by WRITE");
	note_hidden(d, r);
	if (d->info.logical_volume)
		job_note(
			r,
			"logical volume of a RAID controller: member disks not addressed");
}
