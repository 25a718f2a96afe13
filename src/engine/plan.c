/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the plan of a disk from the spec and the abilities of the disk: passes with resolved
 * patterns, transfer limits, the command, and the data of each pass.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "core/spec.h"
#include "engine/cycle.h"
#include "engine/disk.h"
#include "engine/job.h"
#include "engine/plan.h"
#include "engine/units.h"
#include "device/profile.h"
#include "plan/plants.h"
#include "plan/sample.h"
#include "sched/controller.h"
#include "scsi/opcodes.h"

#define TRANSFER_MAX       (4 * DW_MIB) /* longest data transfer, bytes */
#define TRANSFER_OPTIMAL   DW_MIB       /* if the disk reports no optimum */
#define BUFFER_BUDGET      (3 * DW_MIB) /* for the buffers of one actuator */
#define BUFFER_MIN         (64 * DW_KIB)
#define DATA_DEPTH_AUTO    2
#define WS_BLOCKS_UNSTATED UINT32_C(65535) /* limit of a disk that reports none (as sd) */
/* Regions of the sweep are multiples of this many bytes. The size of a physical block is not
 * used: it may be reported differently when the job is resumed, and the marks would belong to
 * another sweep. */
#define ORDER_GRAIN  4096
#define COMPARE_MOST (UINT32_C(1) << 25) /* blocks of a VERIFY */
/* Bytes of an actuator's turn: long enough for an efficient command, short enough that a few
 * commands reach every actuator. */
#define TURN_BYTES DW_MIB

/* The verification of one pass: the user's choice, but at least what the method demands. */
static uint8_t asked_verify(const struct dw_job *job, const struct dw_method *m,
			    uint32_t pass)
{
	enum dw_verify_kind asked = dw_spec_verify(&job->spec);
	bool last = pass + 1u == m->n_passes;

	if (!last && !m->verify_every_pass)
		return DW_VERIFY_OFF;
	if (asked != DW_VERIFY_DEFAULT && (last || asked != DW_VERIFY_DEVICE))
		return (uint8_t)asked;
	return m->verify == DW_VERIFY_FULL ? DW_VERIFY_FULL : DW_VERIFY_SAMPLE;
}

/* The same for this disk, whose plan has its percentage: a sample of all blocks is no sample. */
static uint8_t pass_verify(const struct job_disk *d, uint32_t pass)
{
	uint8_t verify = asked_verify(d->job, d->choice.method, pass);

	if (verify == DW_VERIFY_DEVICE) /* plan_compare() */
		verify = DW_VERIFY_SAMPLE;
	return verify == DW_VERIFY_SAMPLE && d->plan.percent >= 100 ? DW_VERIFY_FULL
								    : verify;
}

double job_percent_asked(const struct job_disk *d)
{
	return fmax(d->job->spec.verify_percent, d->choice.method->verify_percent);
}

/* random-byte and complement become constants; the byte comes from the job's key */
static int resolve(struct dw_job *job, struct job_disk *d, uint32_t pass,
		   struct dw_pattern *ret)
{
	const struct dw_pattern *before = pass ? &d->plan.pass[pass - 1].pattern : NULL;
	struct dw_pattern random = { .kind = DW_PATTERN_RANDOM };
	struct dw_source *s;
	int r = 0;

	*ret = d->choice.method->pass[pass];
	if (ret->kind == DW_PATTERN_RANDOM_BYTE) {
		dw_autofree uint8_t *block = malloc(d->caps.block_size);

		if (!block)
			return -ENOMEM;
		r = dw_source_new(&random, job->key.secret, d->who.name, pass,
				  d->caps.block_size, &s);
		if (r < 0)
			return r;
		r = dw_source_fill(s, 0, 1, block);
		dw_source_free(s);
		*ret = (struct dw_pattern){ .kind = DW_PATTERN_CONST,
					    .len = 1,
					    .byte = { block[0] } };
	} else if (ret->kind == DW_PATTERN_COMPLEMENT) {
		if (!before || before->kind != DW_PATTERN_CONST)
			return -EINVAL;
		*ret = *before;
		for (uint8_t i = 0; i < ret->len; i++)
			ret->byte[i] = (uint8_t)~ret->byte[i];
	}
	return r;
}

/* WRITE SAME: forced, tried, or not used; the reason is for users who asked for it. */
static const char *plan_command(const struct dw_job *job, const struct dw_caps *caps,
				struct dw_disk_plan *p)
{
	/* (10) addresses 2^32 blocks */
	bool has = caps->same.cdb16 || (caps->same.cdb10 && caps->blocks <= DW_BLOCKS_10);
	bool rotates = caps->rotation > 1 || (caps->rotation == 0 && !caps->lbpme);

	p->command = DW_PLAN_WRITE;
	p->ws_max = 0;
	if (p->zones)
		return "its zones are written by WRITE";
	if (job->spec.command == DW_COMMAND_WRITE || !caps->scsi)
		return caps->scsi ? NULL : "WRITE SAME needs SCSI";
	if (!has && caps->same.cdb10)
		return "WRITE SAME(10), all that the disk has, ends at 2^32 blocks";
	if (!has)
		return "the disk does not support WRITE SAME";
	/* a command that is long enough to pay would keep the other actuators waiting */
	if (job->spec.command == DW_COMMAND_AUTO &&
	    (!rotates || caps->lbpme || p->order.turn))
		return NULL;
	p->ws_max = caps->same.max ? caps->same.max : WS_BLOCKS_UNSTATED;
	if (!caps->same.cdb16)
		p->ws_max = (uint32_t)dw_min_u64(p->ws_max, 65535);
	if (p->order.turn)
		p->ws_max = (uint32_t)dw_min_u64(p->ws_max, p->order.turn);
	p->command =
		job->spec.command == DW_COMMAND_AUTO ? DW_PLAN_TRIAL : DW_PLAN_WRITE_SAME;
	return NULL;
}

/* actuators that work at once */
static uint32_t plan_arms(const struct dw_disk_plan *p)
{
	return p->order.turn ? p->order.n : 1;
}

/* transfer limits in blocks, from what disk, host and memory allow */
static void plan_limits(struct dw_job *job, const struct dw_caps *caps,
			struct dw_disk_plan *p)
{
	uint64_t bytes = dw_min_u64(caps->limit.max_bytes ? caps->limit.max_bytes
							  : TRANSFER_OPTIMAL,
				    TRANSFER_MAX);
	uint64_t room = BUFFER_BUDGET * plan_arms(p) / (p->data_depth + 1);
	uint64_t blocks = dw_max_u64(1, bytes / caps->block_size);

	if (caps->limit.max_transfer)
		blocks = dw_min_u64(blocks, caps->limit.max_transfer);
	if (!caps->rw16 && caps->scsi)
		blocks = dw_min_u64(blocks, 65535);
	if (p->order.turn)
		blocks = dw_min_u64(blocks, p->order.turn);
	p->const_max = (uint32_t)blocks;
	room = dw_min_u64(dw_max_u64(room, BUFFER_MIN), TRANSFER_OPTIMAL);
	p->data_max =
		(uint32_t)dw_max_u64(1, dw_min_u64(blocks, room / caps->block_size));
	blocks = caps->limit.opt_transfer ? caps->limit.opt_transfer
					  : TRANSFER_OPTIMAL / caps->block_size;
	if (p->order.turn)
		blocks = p->order.turn; /* shorter ones leave the others waiting */
	p->reported = caps->limit.opt_transfer > 0 || p->order.turn;
	p->optimal = (uint32_t)dw_max_u64(1, dw_min_u64(blocks, p->const_max));
}

/*
 * Whether another disk can come to the same node, with a unit attention as the only sign: a
 * removable medium, a bay behind a USB bridge, a parallel bus. Other disks lose their node.
 */
static bool swaps_unseen(const struct dw_disk_info *i)
{
	return i->removable || !strcmp(i->transport, "usb") ||
	       !strcmp(i->transport, "spi");
}

/*
 * A disk that was swapped in can be hit by commands that were sent before its unit attention was
 * seen. Then only one is in flight, unless the user set a depth. Commands with data of their own
 * each need a buffer.
 */
static void plan_depth(const struct dw_job *job, const struct job_disk *d,
		       struct dw_disk_plan *p)
{
	bool chosen = dw_controller_find(job->spec.controller)->auto_depth;

	p->depth = p->data_depth = job->spec.depth ? job->spec.depth : 1;
	if (chosen && !job->spec.depth && !swaps_unseen(&d->info)) {
		p->depth = DW_DEPTH_AUTO;
		p->data_depth = DATA_DEPTH_AUTO * plan_arms(p);
	}
}

/*
 * A mark is a position of the sweep, so a resumed job uses the order in which it began, whatever
 * the disk reports then.
 */
static int plan_order(const struct dw_job *job, struct job_disk *d)
{
	struct dw_disk_plan *p = &d->plan;
	uint32_t turn = (uint32_t)dw_max_u64(1, TURN_BYTES / p->block_size);
	struct dw_near near;

	if (p->zones)
		return 0; /* upwards: each is written from its start on */
	turn = (uint32_t)dw_max_u64(turn - turn % p->physical, p->physical);
	if (job->spec.order[0] && !dw_near_parse(job->spec.near, &near))
		dw_order_near(p->blocks,
			      (uint32_t)dw_max_u64(1, ORDER_GRAIN / p->block_size), &near,
			      &p->order);
	else if (!d->earlier.resume)
		dw_order_turns(p->blocks, turn, &d->caps.ranges, &p->order);
	else if (d->earlier.resume->order[0])
		return dw_order_parse(d->earlier.resume->order, p->blocks, &p->order);
	return 0;
}

/* Of what follows an operation; a disk that has erased itself does not compare its blocks. */
static uint8_t over_verify(const struct job_disk *d)
{
	uint32_t last = d->choice.method->n_passes - 1u;

	return asked_verify(d->job, d->choice.method, last) == DW_VERIFY_DEVICE
		       ? DW_VERIFY_FULL
		       : pass_verify(d, last);
}

/* What may follow an operation: zeros, by the host. */
static void plan_over(const struct job_disk *d, struct dw_disk_plan *p)
{
	if (!p->operation || p->verify_only)
		return;
	p->over = (struct dw_pass_plan){
		.kind = DW_PASS_WRITE,
		.pattern = { .kind = DW_PATTERN_CONST, .len = 1 },
		.verify = over_verify(d),
	};
	if (d->earlier.resume && d->earlier.resume->pass == p->n_passes)
		dw_plan_write_over(p);
}

/* What an earlier run has planted is where the seed says if the disk has as many blocks as then.
 * Else all is written again from the mark on, which lies below the first of them. */
static bool are_plants_known(const struct job_disk *d)
{
	const struct dw_disk_plan *p = &d->plan;
	const struct dw_state_entry *e = d->earlier.resume;

	return e->planted && p->first_pass + 1 == p->n_passes && !p->verify_only &&
	       !p->operation && !p->zones && !d->cache.unflushed &&
	       e->disk.capacity_bytes == p->blocks * p->block_size &&
	       dw_plants_strata(p->blocks);
}

static void plan_resume(struct job_disk *d)
{
	if (!d->earlier.resume)
		return;
	/* an operation that ends with its command does not run any more: it is commanded again */
	d->plan.operating =
		d->earlier.resume->operating && !dw_operation_blocks(d->plan.operation);
	d->plan.first_pass =
		(uint8_t)dw_min_u64(d->earlier.resume->pass, d->plan.n_passes - 1u);
	d->plan.first_lba = dw_min_u64(d->earlier.resume->lba, d->plan.blocks);
	if (d->earlier.resume->pass >= d->plan.n_passes)
		d->plan.first_lba = d->plan.blocks; /* only verification was missing */
	if (are_plants_known(d)) {
		d->plan.planted = true;
		d->plan.plant_seed = d->earlier.resume->plant_seed;
		d->plan.first_lba = d->plan.blocks;
	}
}

__attribute__((format(printf, 2, 3))) static int refuse(struct dw_verdict *v,
							const char *fmt, ...)
{
	va_list ap;

	*v = (struct dw_verdict){ .refusal = DW_REFUSAL_ERROR };
	va_start(ap, fmt);
	vsnprintf(v->reason, sizeof(v->reason), fmt, ap);
	va_end(ap);
	return 1;
}

/*
 * What the end of the job needs is decided before its first write: every block can be written and
 * read back, and nothing stays in a cache. If no command flushes the cache, the job switches it
 * off; @d->cache.off says so. If that is impossible, each write bypasses the cache; WRITE SAME
 * has no bit for that. If that is impossible as well, the disk is written all the same, and not
 * called erased.
 */
static int check_abilities(struct job_disk *d, struct dw_verdict *v)
{
	struct dw_caps *c = &d->caps;

	if (c->zones && d->paths)
		return refuse(v,
			      "it is host-managed and has several paths, of which "
			      "nothing proves that they are one disk: leave one of them");
	if (c->scsi && !c->rw16 && c->blocks > DW_BLOCKS_10)
		return refuse(v, "%s, and (10) ends at 2^32 blocks%s",
			      c->narrow ? "its host adapter passes on no READ(16)"
					: "it does not know READ(16) and WRITE(16)",
			      c->narrow ? "; use another adapter" : "");
	d->cache.off = !dw_caps_flush(c) && c->cache.wce != DW_NO;
	if (!d->cache.off || (c->cache.wce == DW_YES && c->cache.changeable))
		return 0;
	d->cache.off = c->same.cdb10 = c->same.cdb16 = false;
	c->cache.write_through = c->fua;
	d->cache.unflushed = !c->fua;
	return 0;
}

/* The contents after an overwrite are known. A block erase leaves what the maker chose, and a
 * change of the key leaves unknown contents. */
static bool can_compare(const struct dw_disk_plan *p)
{
	return !p->operation || dw_operation_foretold(p->operation);
}

/* If the device does not report how it ended, every block with predictable contents is read. */
static bool ends_untold(const struct job_disk *d)
{
	return d->plan.operation == DW_OPERATION_OVERWRITE && d->caps.self.end_unknown &&
	       !d->plan.verify_only;
}

static uint8_t own_verify(const struct job_disk *d, uint32_t pass)
{
	if (ends_untold(d))
		return DW_VERIFY_FULL;
	return can_compare(&d->plan) ? pass_verify(d, pass) : DW_VERIFY_OFF;
}

const char *job_not_comparing(const struct job_disk *d)
{
	const struct dw_disk_plan *p = &d->plan;
	const struct dw_pattern *last = &p->pass[p->n_passes - 1].pattern;
	const struct {
		bool holds;
		const char *why;
	} all[] = {
		{ !d->caps.scsi || d->caps.self.nvme, "it takes no SCSI command" },
		{ dw_profile_of(&d->info)->soft_length, "it is behind a bridge" },
		{ !d->caps.verify, "it does not know the command VERIFY" },
		{ p->operation, "it erases itself" },
		{ p->zones, "it is host-managed" },
		{ d->cache.unflushed, "no command flushes its cache" },
		{ !dw_pattern_repeats(last, p->block_size),
		  "its last pass is not the same in every block" },
		{ dw_plants_strata(p->blocks) < DW_PLANTS_STRATA,
		  "it has too few blocks" },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(all); i++)
		if (all[i].holds)
			return all[i].why;
	return NULL;
}

/* If the disk cannot compare its blocks itself, all are read. */
static void plan_compare(struct job_disk *d)
{
	struct dw_disk_plan *p = &d->plan;
	uint32_t last = p->n_passes - 1u;

	d->choice.not_compared = NULL;
	p->compare = 0;
	if (asked_verify(d->job, d->choice.method, d->choice.method->n_passes - 1u) !=
		    DW_VERIFY_DEVICE ||
	    p->pass[last].verify == DW_VERIFY_OFF)
		return;
	d->choice.not_compared = job_not_comparing(d);
	if (!d->choice.not_compared && p->pass[last].verify == DW_VERIFY_FULL)
		d->choice.not_compared = "it is so small that reading it takes as long";
	if (d->choice.not_compared)
		p->pass[last].verify = DW_VERIFY_FULL;
	else
		p->compare = d->caps.rw16 ? COMPARE_MOST : UINT16_MAX;
}

static void plan_verify(struct job_disk *d)
{
	struct dw_disk_plan *p = &d->plan;
	uint32_t last = d->choice.method->n_passes - 1u;

	for (uint32_t i = 0; i <= last; i++)
		p->pass[i].verify = own_verify(d, i);
	d->choice.raised =
		!ends_untold(d) && p->pass[last].verify == DW_VERIFY_FULL &&
		asked_verify(d->job, d->choice.method, last) == DW_VERIFY_SAMPLE;
	plan_compare(d);
	if (p->planted && p->pass[p->n_passes - 1].verify == DW_VERIFY_OFF)
		p->pass[p->n_passes - 1].verify = DW_VERIFY_SAMPLE; /* they are read */
	p->cycle = d->cache.unflushed && job_cycle_possible(d);
	/* what was in its cache may be lost since the job was stopped */
	if (!p->cycle && !(d->earlier.resume && d->earlier.resume->power_cycle))
		return;
	p->pass[p->n_passes - 1].verify = DW_VERIFY_FULL;
	d->choice.raised = false;
}

void job_choose_verify(struct dw_job *job, enum dw_verify_kind kind)
{
	bool same = dw_spec_verify(&job->spec) == kind;

	if (job->spec.verify != DW_VERIFY_AUTO || job_reached(job, JOB_BEGUN))
		return;
	job->spec.verify_chosen = job->result.spec.verify_chosen = kind;
	for (uint32_t i = 0; i < job->n_disks && !same; i++)
		plan_verify(job->disk[i]);
}

static bool offers(const struct dw_self_erase *caps, unsigned int operation)
{
	return caps->operations & 1u << operation;
}

static const char *offered(const struct dw_caps *caps, char *buf, size_t size)
{
	size_t n = 0;

	snprintf(buf, size, "nothing of the kind");
	for (unsigned int o = 1; o < DW_OPERATION_COUNT && n < size; o++)
		if (offers(&caps->self, o))
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "",
					      dw_operation_name(o));
	return buf;
}

/* A disk that does not support what the user chose is never erased by a weaker way instead. */
static int check_operation(const struct dw_job *job, const struct job_disk *d,
			   struct dw_verdict *v)
{
	uint8_t operation = d->choice.method->operation;
	const char *why = dw_operation_secures(operation) ? d->caps.self.not_secure
							  : d->caps.self.not_offered;
	char list[160];

	if (d->choice.method->optional && d->device)
		return refuse(v,
			      "method %s is for simulations; name one of sanitize-*, or "
			      "one that overwrites",
			      d->choice.method->name);
	/* A full verification after a power cycle proves an overwrite, but not every
	 * operation. */
	if (d->cache.unflushed)
		return refuse(
			v,
			"it does not do SYNCHRONIZE CACHE, and has no FUA: nothing would "
			"prove the method %s; choose one that overwrites",
			d->choice.method->name);
	if (!offers(&d->caps.self, operation) && !d->choice.method->optional)
		return refuse(v,
			      "it does not offer %s%s (it offers %s%s%s); choose another "
			      "method",
			      dw_operation_blocks(operation) ? "" : "SANITIZE by ",
			      dw_operation_name(operation),
			      offered(&d->caps, list, sizeof(list)), why ? ": " : "",
			      why ? why : "");
	if (!dw_operation_foretold(operation) && dw_spec_wants_all(&job->spec))
		return refuse(
			v,
			"what a %s leaves cannot be foretold, so not all blocks can be "
			"compared with it; choose another verification: blocks that "
			"were read before are read again in any case",
			dw_operation_name(operation));
	if (dw_operation_blocks(operation) && d->paths)
		return refuse(v,
			      "it has several paths, and %s wants one: leave one of "
			      "them, or choose another method",
			      dw_operation_name(operation));
	/* All units are disks of the job, or it would not get here. Another controller may belong
	 * to another host, which has not been asked. */
	if ((job_units_number(d) > 1 || job_units_known(d)) &&
	    d->caps.self.controllers <= 1)
		return 0;
	if (d->device && d->device->n_units > 1 && d->caps.self.nvme &&
	    (dw_self_whole(&d->caps.self, operation) || d->caps.self.controllers > 1))
		return refuse(
			v,
			"its NVM subsystem has %u namespaces and %u controllers%s%s, and "
			"%s may reach all of them; choose a method that overwrites",
			d->caps.self.namespaces, d->caps.self.controllers,
			d->device->units[0] ? ", of which here are also " : "",
			d->device->units,
			dw_operation_blocks(operation) ? "Format NVM" : "Sanitize");
	if (d->device && d->device->n_units > 1 && !d->caps.self.nvme)
		return refuse(
			v,
			"its device has %u logical units (%s as well), and %s may reach "
			"all of them; choose a method that overwrites%s",
			d->device->n_units,
			d->device->units[0] ? d->device->units : "some without a node",
			dw_operation_secures(operation) ? dw_operation_name(operation)
							: "SANITIZE",
			dw_operation_secures(operation)
				? ""
				: ", or name all of them in one \"diskwipe erase\"");
	return 0;
}

static void plan_operation(const struct job_disk *d, struct dw_disk_plan *p)
{
	uint8_t operation = d->choice.method->operation;

	if (!operation || !offers(&d->caps.self, operation))
		return;
	p->operation = operation;
	p->operation_ns = job_operation_ns(&d->caps, operation);
}

uint32_t job_plan_permit(const struct dw_disk_plan *p)
{
	static const uint32_t permit[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = DW_OPCLASS_OVERWRITE,
		[DW_OPERATION_BLOCK_ERASE] = DW_OPCLASS_BLOCK_ERASE,
		[DW_OPERATION_CRYPTO_ERASE] = DW_OPCLASS_CRYPTO_ERASE,
		[DW_OPERATION_FORMAT_USER] = DW_OPCLASS_NVME_FORMAT,
		[DW_OPERATION_FORMAT_CRYPTO] = DW_OPCLASS_NVME_CRYPTO,
	};

	return p->verify_only ? 0 : permit[p->operation];
}

/* a copy, as the device may be closed before the result is reported */
static int keep_zones(struct job_disk *d)
{
	free(d->choice.zones);
	d->choice.zones = d->caps.zones ? malloc(sizeof(*d->choice.zones)) : NULL;
	if (d->choice.zones)
		*d->choice.zones = *d->caps.zones;
	return d->caps.zones && !d->choice.zones ? -ENOMEM : 0;
}

int job_plan_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict)
{
	const struct dw_caps *caps = &d->caps;
	struct dw_disk_plan *p = &d->plan;
	const char *why;

	/* of one that erases itself nothing else is known yet; its flush tells, at the end */
	if (!job->spec.verify_only && !(d->device && d->device->sanitize.running) &&
	    check_abilities(d, ret_verdict))
		return 1;
	if (job_choose_method(job, d, ret_verdict))
		return 1;
	if (!job->spec.verify_only && d->choice.method->operation &&
	    check_operation(job, d, ret_verdict))
		return 1;
	if (keep_zones(d))
		return -ENOMEM;
	*p = (struct dw_disk_plan){
		.blocks = caps->blocks,
		.block_size = caps->block_size,
		.physical = UINT32_C(1) << caps->physical_exp,
		.wce = d->cache.off ? DW_NO : caps->cache.wce,
		.fua = caps->fua,
		.zones = d->choice.zones,
		.n_passes = d->choice.method->n_passes,
		.seed = job->spec.seed,
		.verify_only = job->spec.verify_only,
	};
	plan_operation(d, p);
	if (plan_order(job, d))
		return refuse(ret_verdict, "the state file has no order of its blocks");
	why = plan_command(job, caps, p);
	if (why && job->spec.command == DW_COMMAND_WRITE_SAME && !p->verify_only)
		return refuse(ret_verdict, "%s; choose the command write, or auto", why);
	plan_depth(job, d, p);
	plan_limits(job, caps, p);
	p->percent = dw_sample_floor(p->blocks, p->block_size, p->data_max,
				     job_percent_asked(d));
	if (dw_caps_switch_cache(caps, job->spec.write_cache))
		p->wce = DW_YES; /* from the start of the job on */
	plan_over(d, p);
	plan_resume(d);
	for (uint32_t i = 0; i < d->choice.method->n_passes; i++) {
		int r = resolve(job, d, i, &p->pass[i].pattern);

		if (r < 0)
			return r;
		p->pass[i].kind = p->operation ? DW_PASS_OPERATION : DW_PASS_WRITE;
	}
	plan_verify(d);
	return 0;
}

int job_plan_sources(struct dw_job *job, struct job_disk *d)
{
	uint32_t from = d->plan.verify_only ? d->plan.n_passes - 1u : d->plan.first_pass;
	int r = 0;

	for (uint32_t i = from; i < d->plan.n_passes && !r && d->device; i++)
		r = d->contents.source[i]
			    ? 0
			    : dw_source_new(&d->plan.pass[i].pattern,
					    job->key.set ? job->key.secret : NULL,
					    d->who.name, i, d->plan.block_size,
					    &d->contents.source[i]);
	d->contents.buffer_bytes = (size_t)d->plan.data_max * d->plan.block_size;
	return r;
}

uint64_t job_plan_expected_ns(const struct job_disk *d)
{
	double rate = d->caps.rotation == 1 ? 400e6 : 150e6;
	double bytes = (double)d->plan.blocks * d->plan.block_size * d->plan.n_passes;

	if (d->plan.operation)
		return d->plan.operation_ns * d->plan.n_passes;
	if (d->place.pass_ns)
		return d->place.pass_ns * d->plan.n_passes;
	return (uint64_t)(bytes / rate * 1e9);
}
