/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bays, disks, and who puts them in and takes them out: by day, at what the lights say, and at
 * times in the middle of the work. A disk that comes back may stand elsewhere, and may carry
 * something new; where one was another may be in no time, behind the same node.
 */
#include "week.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PATIENCE (20 * MINUTE) /* in which what may be erased begins */

static const char *const contents[] = { "ext4", "gpt, vfat", "LVM2_member", "ntfs",
					"linux_raid_member" };
static const char *const later_contents[] = { "xfs", "btrfs", "swap" };

/* --- disks ------------------------------------------------------------------- */

static struct week_disk *disk_in(int place)
{
	return week->place[place].disk < 0 ? NULL : &week->disk[week->place[place].disk];
}

struct week_disk *station_by_serial(const char *serial)
{
	for (int i = 0; i < week->n_disks; i++)
		if (!strcmp(week->disk[i].info.serial, serial))
			return &week->disk[i];
	return NULL;
}

struct week_disk *station_disk(const struct dw_disk_info *info)
{
	for (int p = 0; p < PLACES; p++) {
		struct week_disk *d = disk_in(p);

		if (d && !strcmp(d->info.serial, info->serial) &&
		    !strcmp(d->info.sg, info->sg))
			return d;
	}
	return NULL;
}

void station_erased(struct week_disk *d)
{
	if (d->done >= (d->at_end ? d->info.blocks : START))
		d->signature[0] = '\0';
}

static enum disk_kind draw_kind(void)
{
	uint64_t n = week_draw(OF_STATION, 100);

	return n < 3    ? DISK_MOUNTED
	       : n < 5  ? DISK_PROTECTED
	       : n < 7  ? DISK_WRITE_PROTECTED
	       : n < 8  ? DISK_ZONED
	       : n < 10 ? DISK_NAMELESS
			: DISK_USUAL;
}

static void draw_faults(struct week_disk *d)
{
	uint64_t n = week_draw(OF_STATION, 100);

	d->fault = n < 4 ? FAULT_BLOCKS : n < 8 ? FAULT_DEAD : FAULT_NONE;
	d->fault_at = week_draw(OF_STATION, d->info.blocks) + 1;
	d->failing = week_odds(OF_STATION, 4);
	d->hot_from = d->hot_until = 0;
	if (week_odds(OF_STATION, week->summer ? 60 : 6)) {
		d->hot_from = week->now + week_draw(OF_STATION, 2 * HOUR);
		d->hot_until = d->hot_from + week_draw(OF_STATION, HOUR);
	}
}

static void fill(struct week_disk *d, const char *signature)
{
	snprintf(d->signature, sizeof(d->signature), "%s", signature);
	d->at_end = strstr(signature, "raid_member") != NULL;
	d->contents++;
	d->done = 0;
	d->hole = false;
	d->finished = false;
}

static struct week_disk *new_disk(enum disk_kind kind)
{
	static const uint64_t gigabytes[] = { 9, 18, 36, 73, 146, 300, 300 };
	int n = week->n_disks;
	struct week_disk *d = &week->disk[n];

	if (n == DISKS)
		abort();
	week->n_disks++;
	*d = (struct week_disk){
		.place = -1, .before = -1, .kind = kind, .returns = NEVER
	};
	d->info = (struct dw_disk_info){ .block_size = 512,
					 .physical_block_size = 4096,
					 .rotation = 7200,
					 .wce = 1,
					 .scsi = true };
	d->info.blocks = gigabytes[week_draw(OF_STATION, 7)] * 1953125;
	d->rate = 120000 + week_draw(OF_STATION, 360000);
	d->expected = NEVER;
	snprintf(d->info.vendor, sizeof(d->info.vendor), "MODEL");
	snprintf(d->info.model, sizeof(d->info.model), "M%llu",
		 (unsigned long long)d->info.blocks / 1953125);
	snprintf(d->info.revision, sizeof(d->info.revision), "0001");
	snprintf(d->info.transport, sizeof(d->info.transport), "sas");
	if (kind != DISK_NAMELESS) {
		snprintf(d->info.serial, sizeof(d->info.serial), "S%06d", n);
		snprintf(d->info.wwn, sizeof(d->info.wwn), "0x5000c5%010x", 0x1000 + n);
	}
	fill(d, contents[week_draw(OF_STATION, 5)]);
	draw_faults(d);
	return d;
}

/* --- coming and going ----------------------------------------------------------- */

/* the lowest numbers that are free, as the kernel has it */
static int free_node(void)
{
	for (int n = 0;; n++) {
		bool taken = false;

		for (int p = 0; p < PLACES; p++) {
			const struct week_disk *d = disk_in(p);

			taken |= d && minor(d->info.sg_dev) == (unsigned)n;
		}
		if (!taken)
			return n;
	}
}

static void connect_disk(struct week_disk *d, int place)
{
	struct dw_disk_info *i = &d->info;
	int n = free_node();

	snprintf(i->sg, sizeof(i->sg), "/dev/sg%d", n);
	snprintf(i->block, sizeof(i->block), "/dev/sd%c%c", 'a' + n / 26, 'a' + n % 26);
	i->sg_dev = makedev(21, n);
	i->block_dev = makedev(8, 16 * n);
	i->host = (uint32_t)(place / PER_HOST);
	i->target = (uint32_t)(place % PER_HOST);
	snprintf(i->host_driver, sizeof(i->host_driver), "mpt3sas");
	i->slot[0] = '\0';
	if (place < BAYS)
		snprintf(i->slot, sizeof(i->slot), "enc%u:Slot %02u", i->host, i->target);
	week->place[place].disk = (int)(d - week->disk);
	d->before = d->place;
	d->place = place;
}

static bool may_begin_unasked(const struct week_disk *d, int place)
{
	return week->place[place].action == PLACE_ERASE && week->unattended &&
	       d->kind == DISK_USUAL && !(d->failing && week->refuse_failing) &&
	       !d->hooked;
}

/* the latest order on it has ended so, and nobody has asked for anything else */
static bool was_pulled_at_work(const struct week_disk *d)
{
	const struct week_order *last = NULL;

	for (unsigned i = 0; i < week->n_orders; i++)
		if (week->order[i].disk == d - week->disk)
			last = &week->order[i];
	return d->cut_off && last && last->outcome == DW_OUTCOME_REMOVED && last->told &&
	       d->contents == d->job_contents && !callers_job(last->job)->touched &&
	       week->now - d->left < RETURN - HOUR;
}

static void put_in(struct week_disk *d, int place)
{
	struct week_place *p = &week->place[place];
	bool fresh = !d->came, goes_on = !fresh && was_pulled_at_work(d);

	connect_disk(d, place);
	week->count.arrivals += fresh;
	week->count.returns += !fresh;
	d->came = week->now;
	d->returns = NEVER;
	d->opened_until = d->ready_at = 0;
	if (week_odds(OF_STATION, 20))
		d->opened_until = week->now + week_draw(OF_STATION, 6 * SECOND);
	if (week_odds(OF_STATION, 20))
		d->ready_at = week->now + week_draw(OF_STATION, 40 * SECOND);
	d->stopped = d->moving = false;
	d->expected =
		(fresh || goes_on) && may_begin_unasked(d, place) ? week->now : NEVER;
	p->pull = NEVER;
	if (week_odds(OF_STATION, 15))
		p->pull = week->now + week_draw(OF_STATION, week_odds(OF_STATION, 30)
								    ? MINUTE
								    : 2 * HOUR);
	p->next = week->now + 5 * MINUTE + week_draw(OF_STATION, 10 * MINUTE);
	if (p->pull < p->next)
		p->next = p->pull;
	hotplug_event();
}

static void take_out(int place)
{
	struct week_disk *d = disk_in(place);
	struct week_place *p = &week->place[place];

	p->disk = -1;
	p->pull = NEVER;
	d->before = d->place;
	d->place = -1;
	d->left = week->now;
	d->expected = NEVER;
	week->count.pulls++;
	d->cut_off = engine_lost(d) || (d->cut_off && p->action == PLACE_ERASE);
	hotplug_event();
	if (week_odds(OF_STATION, d->finished ? 15 : 70))
		d->returns = week->now + SECOND +
			     week_draw(OF_STATION, week_odds(OF_STATION, 40) ? 10 * MINUTE
									     : 6 * HOUR);
	d->refits = d->finished || week_odds(OF_STATION, 15);
	p->next = week->now + 20 * SECOND + week_draw(OF_STATION, 2 * HOUR);
	if (!week_odds(OF_STATION, 12))
		return;
	p->next = week->now + week_draw(OF_STATION, SECOND);
	week->count.exchanges++;
}

static bool by_day(void)
{
	uint64_t hour = week->now % DAY / HOUR;

	return hour >= 7 && hour < 19;
}

static struct week_disk *who_comes(void)
{
	for (int i = 0; i < week->n_disks; i++) {
		struct week_disk *d = &week->disk[i];

		if (d->place >= 0 || d->returns > week->now)
			continue;
		if (d->refits) {
			fill(d, later_contents[week_draw(OF_STATION, 3)]);
			draw_faults(d);
			week->count.refits++;
			d->refits = false;
		}
		return d;
	}
	return new_disk(draw_kind());
}

/* somebody comes by */
static void visit(int place)
{
	struct week_place *p = &week->place[place];
	struct week_disk *d = disk_in(place);
	bool over;

	if (week->quiet) { /* a job that followed its disk to where none is erased waits there */
		if (d && p->action != PLACE_ERASE && p->action != PLACE_QUEUE)
			take_out(place);
		p->next = NEVER;
		return;
	}
	p->next = week->now + 5 * MINUTE + week_draw(OF_STATION, 25 * MINUTE);
	if (!d) {
		if (by_day())
			put_in(who_comes(), place);
		return;
	}
	over = p->light[DW_LIGHT_LOCATE] || p->light[DW_LIGHT_FAULT];
	d->finished = p->light[DW_LIGHT_LOCATE];
	if (week->now >= p->pull || (over && by_day()) ||
	    (!d->claimed && week->now - d->came > 5 * HOUR && by_day()))
		take_out(place);
	else if (p->pull < p->next)
		p->next = p->pull;
}

/* --- the configuration -------------------------------------------------------------- */

static const char *group_name(void)
{
	const struct group *g = getgrgid(getegid());

	return g ? g->gr_name : "root";
}

static int write_settings(void)
{
	static const char *const words[] = { "none", "offer", "queue", "erase" };
	static const char *const options[] = { "", "verify=full\n",
					       "method=dod-short\n" };
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/diskwiped.conf", week->folder);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	fprintf(f, "[station]\nname = week\ngroup = %s\n", group_name());
	if (week->records)
		fprintf(f, "records = %s/records\nrecord-key = %s/record.key\n",
			week->folder, week->folder);
	fprintf(f, "[erase]\nmethod = zero\n");
	fprintf(f, "[queue]\nactive = 12\nreturn-within = %llus\n",
		(unsigned long long)(RETURN / SECOND));
	fprintf(f, "[policy]\nunattended = %s\n", week->unattended ? "yes" : "no");
	fprintf(f, "[bays]\nspin-down = %s\n", week->spin_down ? "yes" : "no");
	fprintf(f, "[health]\nfailing = %s\n", week->refuse_failing ? "refuse" : "erase");
	if (week->hooks)
		fprintf(f, "[hooks]\npre-erase = /pre\npost-erase = /post\n");
	if (week->metrics)
		fprintf(f, "[metrics]\ntextfile = %s/metrics.prom\n", week->folder);
	for (int i = 0; i < BAYS; i++)
		fprintf(f, "[bay %d]\nslot = enc%d:Slot %02d\naction = %s\n%s", i,
			i / PER_HOST, i % PER_HOST, words[week->place[i].action],
			options[i % 5 % 3]);
	return fclose(f) ? -errno : 0;
}

static void own_disk(int place)
{
	struct week_disk *d = new_disk(DISK_MOUNTED);

	d->fault = FAULT_NONE;
	connect_disk(d, place);
	d->came = 1;
	week->place[place].next = NEVER;
}

int station_build(void)
{
	char path[160];
	FILE *f;

	week->unattended = true;
	week->summer = week_odds(OF_STATION, 20);
	week->spin_down = week_odds(OF_STATION, 50);
	week->refuse_failing = week_odds(OF_STATION, 50);
	week->hooks = week_odds(OF_STATION, 50);
	week->metrics = week_odds(OF_STATION, 20);
	week->etas = week_odds(OF_STATION, 15);
	week->switch_at = week_draw(OF_STATION, DAY);
	week->full_at = week->now + HOUR + week_draw(OF_STATION, HOUR);
	week->jump_at = week_draw(OF_STATION, 2 * DAY);
	for (int i = 0; i < PLACES; i++) {
		int n = i % 16;

		week->place[i] = (struct week_place){
			.disk = -1,
			.action = i >= BAYS ? PLACE_NONE
				  : n < 11  ? PLACE_ERASE
				  : n < 13  ? PLACE_QUEUE
				  : n < 15  ? PLACE_OFFER
					    : PLACE_NONE,
			.next = 7 * HOUR + week_draw(OF_STATION, 3 * HOUR),
			.pull = NEVER,
		};
	}
	own_disk(BAYS);
	own_disk(BAYS + 1);
	snprintf(path, sizeof(path), "%s/diskwipe.conf", week->folder);
	f = fopen(path,
		  "we"); /* none is protected by the file: the model says which are */
	if (!f || fclose(f))
		return -errno;
	return write_settings();
}

/* the reload is the service's to make; it has a minute for that */
static void turn_switch(void)
{
	week->unattended = !week->unattended;
	week->unattended_at = week->now;
	week->count.reloads++;
	week->switch_at = week->now + week_draw(OF_STATION, !week->unattended ? 2 * HOUR
							    : week->summer    ? HOUR
									      : DAY);
	if (!week->unattended)
		for (int i = 0; i < week->n_disks; i++)
			week->disk[i].expected = NEVER;
	if (write_settings() < 0)
		abort();
	week_reload();
}

/* --- what must not happen --------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* In a bay whose disks are erased stands one that may be, and the service has had its time. */
static void check_stalls(void)
{
	week->check_at = week->now + MINUTE;
	for (int p = 0; p < BAYS; p++) {
		const struct week_disk *d = disk_in(p);
		uint64_t since;

		if (!d || d->expected == NEVER)
			continue;
		since = later(d->expected, week->life_began);
		since = later(since, week->full_until);
		since = later(since, d->ready_at);
		if (week->now > since + PATIENCE && week->life_began)
			week_wrong("STALL: disk %s in bay %d may be erased, and nothing "
				   "has begun",
				   d->info.serial, p);
	}
}

/* --- time -------------------------------------------------------------------------------- */

uint64_t station_next(void)
{
	uint64_t next = week->check_at;

	for (int p = 0; p < PLACES; p++)
		if (week->place[p].next < next)
			next = week->place[p].next;
	return next;
}

static void nuisances(void)
{
	if (week->life_long && week->now >= week->sample_at) {
		judge_sample();
		week->sample_at = week->now + HOUR;
	}
	if (week->now >= week->switch_at && !(week->quiet && week->unattended))
		turn_switch();
	if (week->now >= week->full_at && !week->quiet) {
		week->full_until = week->now + week_draw(OF_STATION, 4 * MINUTE);
		week->full_at = week->now + HOUR + week_draw(OF_STATION, 5 * HOUR);
		week->count.full++;
	}
	if (week->now >= week->jump_at) { /* by minutes, in either direction */
		week->wall += week_draw(OF_STATION, 10 * MINUTE);
		week->wall -= week->wall > 5 * MINUTE ? 5 * MINUTE : 0;
		week->jump_at = week->now + week_draw(OF_STATION, 2 * DAY);
		week->count.jumps++;
	}
}

void station_advance(void)
{
	for (int p = 0; p < PLACES; p++)
		if (week->place[p].next <= week->now)
			visit(p);
	if (week->now < week->check_at)
		return;
	nuisances();
	check_stalls();
	if (week->quiet && week->life_began && engine_idle() && callers_satisfied())
		week->life_ends = week->now;
}

/* --- what a discovery finds ------------------------------------------------------------------ */

static void refuse(struct dw_verdict *v, enum dw_refusal why, const char *reason)
{
	v->refusal = why;
	snprintf(v->reason, sizeof(v->reason), "%s", reason);
}

static void judge_disk(const struct week_disk *d, struct dw_disk *ret)
{
	struct dw_verdict *v = &ret->verdict;

	ret->info = d->info;
	snprintf(v->signatures, sizeof(v->signatures), "%s", d->signature);
	if (d->stopped || week->now < d->ready_at) {
		ret->info.blocks = 0;
		v->signatures[0] = '\0';
		refuse(v, DW_REFUSAL_NO_MEDIUM, "it is not ready");
		if (d->stopped)
			snprintf(v->release, sizeof(v->release), "sg_start --start %s",
				 d->info.sg);
	} else if (d->claimed || week->now < d->opened_until) {
		refuse(v, d->claimed ? DW_REFUSAL_BUSY : DW_REFUSAL_OPEN,
		       "somebody has it");
	} else if (d->kind == DISK_MOUNTED) {
		refuse(v, DW_REFUSAL_MOUNTED, "mounted at /srv");
	} else if (d->kind == DISK_PROTECTED) {
		refuse(v, DW_REFUSAL_PROTECTED, "protected by configuration");
	} else if (d->kind == DISK_WRITE_PROTECTED) {
		refuse(v, DW_REFUSAL_WRITE_PROTECTED, "write-protected");
	} else if (d->kind == DISK_ZONED) {
		refuse(v, DW_REFUSAL_ZONED, "host-managed zones");
	}
}

struct dw_disk *station_list(size_t *ret)
{
	struct dw_disk *list = calloc(PLACES, sizeof(*list));

	*ret = 0;
	for (int p = 0; p < PLACES && list; p++)
		if (disk_in(p))
			judge_disk(disk_in(p), &list[(*ret)++]);
	return list;
}
