/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reconciles the actual state of disks and bays with the wanted one. Each round compares the two
 * and sends the requests that bring them together. No list of pending work is kept. A disk has
 * one request at a time, and so have the lights of all bays. A light is switched only when it has
 * to change.
 */
#include <diskwipe/identity.h>

#include "reconcile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bus.h"
#include "care.h"

#define US_PER_S   UINT64_C(1000000)
#define PATIENCE   (30 * US_PER_S) /* for the health of a disk before and after its work */
#define ROUND_US   (60 * US_PER_S)
#define USERS_US   (2 * US_PER_S) /* then less and less often, up to ROUND_US */
#define LOOKS      4              /* discoveries that follow from one answer */
#define STOPS      3
#define STOP_AGAIN (2 * US_PER_S) /* the disk is busy: whoever has it open may close it */

/**
 * struct bay_lights - the lights of a bay
 * @slot: its name
 * @wanted, @shown: on or off, by enum dw_bay_light; of @shown -1 = not known
 * @broken: it was reported that they cannot be switched
 */
struct bay_lights {
	char slot[64];
	bool wanted[2];
	int8_t shown[2];
	bool broken;
	struct bay_lights *next;
};

/**
 * struct reconciler - what the rounds need
 * @care: the threads that execute requests
 * @timer: for the next round
 * @bays: the bays with lights; owned
 * @lighting: a request for a light is under way
 * @started_at: when a motor was last started, steady_us(); 0 = never
 */
struct reconciler {
	struct service *s;
	struct care *care;
	sd_event_source *timer;
	struct bay_lights *bays;
	bool lighting;
	uint64_t started_at;
};

static void no_later_than(uint64_t *next, uint64_t at)
{
	if (at < *next)
		*next = at;
}

static int request_of_disk(struct reconciler *t, const struct svc_disk *d,
			   struct care_request request)
{
	const struct dw_disk_info *i = &d->facts.info;

	snprintf(request.what, sizeof(request.what), "%s", i->sg[0] ? i->sg : i->block);
	memcpy(request.disk, d->key, sizeof(request.disk));
	return care_ask(t->care, &request);
}

static const char *serial_of(const struct svc_disk *d)
{
	const struct dw_disk_info *i = &d->facts.info;

	return i->serial[0] ? i->serial : i->wwn[0] ? i->wwn : i->sg;
}

/* the attempt that is at work on the disk, from its examination to its end; NULL = none */
static struct svc_attempt *work_on(const struct svc_disk *d)
{
	struct svc_attempt *a = d->attempt;

	return a && a->state != ATTEMPT_QUEUED && !attempt_over(a->state) ? a : NULL;
}

/* --- temperature and health ------------------------------------------------------ */

bool disk_is_hot(const struct svc_disk *d)
{
	return d->care.heat == HEAT_HOT;
}

static void report_heat(struct service *s, struct svc_disk *d, const char *text)
{
	struct svc_attempt *a = work_on(d);

	service_note(s, "disk %s is %s", serial_of(d), text);
	if (!a)
		return;
	bus_remark(s, a, text);
	snprintf(a->message, sizeof(a->message), "%s", text);
}

static void set_heat(struct service *s, struct svc_disk *d, enum heat heat,
		     const struct heat_limits *l)
{
	int degrees = d->care.health.temperature;
	enum heat before = d->care.heat;
	char text[128] = "";

	d->care.heat = heat;
	if (heat == before) {
		/* the pause so far is stored now: if the service is killed, only the rest is
		 * lost */
		if (disk_is_hot(d) && d->attempt)
			attempt_pause(s, d->attempt);
		return;
	}
	if (heat == HEAT_HOT)
		snprintf(
			text, sizeof(text),
			"too hot, %d degrees Celsius: work on it is paused until it has %d",
			degrees, l->pause - DEGREES_BACK);
	else if (before == HEAT_HOT)
		snprintf(text, sizeof(text), "cool enough, %d degrees Celsius", degrees);
	else if (heat == HEAT_WARM && l->pause != DEGREES_NEVER)
		snprintf(text, sizeof(text),
			 "warm, %d degrees Celsius: work on it is paused at %d", degrees,
			 l->pause);
	else if (heat == HEAT_WARM)
		snprintf(text, sizeof(text), "warm, %d degrees Celsius", degrees);
	if (text[0])
		report_heat(s, d, text);
	if (d->attempt)
		attempt_pause(s, d->attempt);
}

static void judge_heat(struct service *s, struct svc_disk *d)
{
	const struct dw_health *h = &d->care.health;
	struct heat_limits l = heat_limits(&s->settings->heat, h->temperature_limit);

	set_heat(s, d, heat_next(d->care.heat, h->temperature, &l), &l);
}

/* the temperature is no longer known: a pause for it would never end */
static void forget_heat(struct service *s, struct svc_disk *d)
{
	d->care.heat = HEAT_FINE;
	if (d->attempt)
		attempt_pause(s, d->attempt);
}

static void note_maximum(struct service *s, struct svc_disk *d)
{
	struct svc_attempt *a = work_on(d);
	int32_t degrees = d->care.health.temperature;

	if (!a || degrees <= a->row.max_temperature)
		return;
	a->row.max_temperature = degrees;
	service_stored(s, store_health(s->store, &a->row));
}

/* A thorough question may find a failing disk that a short one does not: the worse answer is
 * kept. */
static void keep_health(struct disk_care *c, const struct dw_health *h, bool thorough)
{
	struct dw_health old = c->health;
	bool failing = c->known && !thorough && old.state == DW_HEALTH_FAILING &&
		       h->state != DW_HEALTH_FAILING;

	c->health = *h;
	c->known = true;
	if (!failing)
		return;
	c->health.state = old.state;
	memcpy(c->health.text, old.text, sizeof(old.text));
}

static void take_health(struct service *s, struct svc_disk *d,
			const struct care_answer *answer)
{
	const struct dw_health *h = &answer->health;
	struct disk_care *c = &d->care;

	if (answer->r < 0) {
		c->mute |= answer->r == -EOPNOTSUPP || answer->r == -ENOTBLK;
	} else {
		keep_health(c, h, answer->request.thorough);
		note_maximum(s, d);
		judge_heat(s, d);
		if (!answer->request.thorough) {
			c->shy |= h->refused;
			c->mute |= h->refused && h->temperature == DW_TEMPERATURE_UNKNOWN;
		}
	}
	if (c->heat == HEAT_HOT && (c->mute || (c->shy && work_on(d))))
		forget_heat(s, d);
}

static bool is_stopped(const struct svc_disk *d)
{
	const struct dw_verdict *v = &d->facts.verdict;

	return v->refusal == DW_REFUSAL_NO_MEDIUM && !strncmp(v->release, "sg_start", 8);
}

/* A disk that executes SANITIZE answers little else, one in a power cycle may be absent, and one
 * that is about to be asked thoroughly is not asked twice. */
static bool may_be_asked(const struct svc_disk *d)
{
	const struct disk_care *c = &d->care;
	const struct svc_attempt *a = work_on(d);

	if (!d->present || !d->facts.info.scsi || is_stopped(d) || c->parked ||
	    c->motor || c->asking || c->mute || (a && c->shy) || disk_left(d))
		return false;
	return !a ||
	       (a->state != ATTEMPT_SETTLING && a->now.now.phase != DW_PHASE_SANITIZE &&
		a->now.now.phase != DW_PHASE_POWER_CYCLE);
}

static void ask_temperature(struct reconciler *t, struct svc_disk *d, uint64_t now,
			    uint64_t *next)
{
	if (!may_be_asked(d))
		return;
	if (now >= d->care.due) {
		d->care.asking = !request_of_disk(
			t, d, (struct care_request){ .kind = CARE_HEALTH });
		d->care.due = now + t->s->settings->heat_seconds * US_PER_S;
	}
	no_later_than(next, d->care.due);
}

/* --- before the work, and after it ------------------------------------------------- */

static const char *why_failing(const char *health)
{
	if (strncmp(health, "failing", 7) != 0)
		return "";
	return health[7] ? health + strlen("failing: ") : "it is failing";
}

/* why the disk is failing, by its latest report; empty = it is not */
static const char *why_no_reuse(const struct svc_attempt *a)
{
	const char *why = why_failing(a->row.health_after);

	return why[0] ? why : why_failing(a->row.health_before);
}

bool attempt_disk_fails(const struct svc_attempt *a)
{
	return why_no_reuse(a)[0];
}

void attempt_reason(const struct svc_attempt *a, const char *reason, char *ret,
		    size_t size)
{
	reuse_reason(reason, why_no_reuse(a), ret, size);
}

static void round_soon(struct reconciler *t)
{
	sd_event_source_set_time_relative(t->timer, 0);
	sd_event_source_set_enabled(t->timer, SD_EVENT_ONESHOT);
}

static int ask_thoroughly(struct reconciler *t, struct svc_attempt *a)
{
	struct care_request o = { .kind = CARE_HEALTH,
				  .attempt = a->row.id,
				  .asked_at = steady_us(),
				  .thorough = true };

	a->asked_at = o.asked_at;
	return request_of_disk(t, a->disk, o);
}

bool examine_before(struct service *s, struct svc_attempt *a)
{
	a->asked_at = 0;
	a->disk->care.done = false;
	if (!s->reconciler || a->flags & FLAG_EXAMINED || !a->disk->facts.info.scsi)
		return false;
	round_soon(s->reconciler);
	return true;
}

bool examine_after(struct service *s, struct svc_attempt *a)
{
	/* a disk that is left at work keeps its motor running, even when its attempt is
	 * cancelled */
	a->disk->care.done = !a->end.left_working;
	a->disk->care.stops = 0;
	return s->reconciler && !s->stopping && a->disk->present &&
	       a->disk->facts.info.scsi && !a->end.left_working &&
	       !ask_thoroughly(s->reconciler, a);
}

static void examined(struct service *s, struct svc_attempt *a, const char *motor)
{
	char why[256] = "";
	const char *failing = why_failing(a->row.health_before);

	a->asked_at = 0;
	a->flags |= FLAG_EXAMINED;
	if (motor)
		snprintf(why, sizeof(why), "%s", motor);
	else if (s->settings->refuse_failing && failing[0])
		snprintf(why, sizeof(why),
			 "the disk is failing, and failing=refuse is configured: %s",
			 failing);
	attempt_examined(s, a, why[0] ? why : NULL);
}

/* @h: NULL = there was no answer */
static void take_examination(struct service *s, struct svc_attempt *a,
			     const struct dw_health *h)
{
	if (a->state == ATTEMPT_EXAMINING) {
		if (h)
			dw_health_text(h, a->row.health_before,
				       sizeof(a->row.health_before));
		if (h)
			service_stored(s, store_health(s->store, &a->row));
		examined(s, a, NULL);
	} else if (a->state == ATTEMPT_SETTLING) {
		if (h)
			dw_health_text(h, a->row.health_after,
				       sizeof(a->row.health_after));
		a->asked_at = 0;
		attempt_settled(s, a);
	}
}

static void examine(struct reconciler *t, struct svc_disk *d, uint64_t now,
		    uint64_t *next)
{
	struct svc_attempt *a = d->attempt;

	if (!a || (a->state != ATTEMPT_EXAMINING && a->state != ATTEMPT_SETTLING))
		return;
	if (!d->present || (a->asked_at && now >= a->asked_at + PATIENCE)) {
		take_examination(t->s, a, NULL);
	} else if (a->asked_at) {
		no_later_than(next, a->asked_at + PATIENCE);
	} else if (!d->care.parked && !d->care.motor && !d->care.asking) {
		if (ask_thoroughly(t, a) < 0)
			take_examination(t->s, a, NULL);
	}
}

/* --- motors ------------------------------------------------------------------------- */

bool disk_will_spin_up(const struct service *s, const struct svc_disk *d)
{
	return is_stopped(d) && d->bay[0] && s->settings->spin_up && !d->care.started;
}

static bool was_spun_down(const struct service *s, const struct svc_disk *d)
{
	return d->care.parked || d->care.motor || s->look.began_at < d->care.woken;
}

struct svc_disk *find_spun_down(struct service *s, const struct dw_disk *found)
{
	struct svc_disk *d = s->disks;

	while (d && !(d->present && was_spun_down(s, d) && !found->info.blocks &&
		      dw_disk_same_node(&d->facts.info, &found->info) &&
		      dw_disk_match(&d->facts.info, &found->info, DW_SAME_NAME)))
		d = d->next;
	return d;
}

static void request_motor(struct reconciler *t, struct svc_disk *d, bool on)
{
	struct care_request o = { .kind = CARE_MOTOR, .on = on };

	d->care.motor = !request_of_disk(t, d, o);
	d->care.started |= on;
	if (on)
		t->started_at = steady_us();
}

static bool wants_start(const struct service *s, const struct svc_disk *d)
{
	if (!d->present || d->care.motor)
		return false;
	return (d->care.parked && d->attempt && d->attempt->state == ATTEMPT_EXAMINING) ||
	       disk_will_spin_up(s, d);
}

static bool wants_stop(const struct service *s, const struct svc_disk *d)
{
	return d->care.done && d->present && !d->care.motor && !d->care.parked &&
	       s->settings->spin_down && d->bay[0] && !disk_busy(d) && !disk_left(d) &&
	       !s->stopping;
}

static void move_motor(struct reconciler *t, struct svc_disk *d, uint64_t now,
		       uint64_t *next)
{
	uint64_t again = t->started_at + t->s->settings->spin_up_seconds * US_PER_S;

	if (wants_start(t->s, d)) {
		if (!t->started_at || now >= again)
			request_motor(t, d, true);
		else
			no_later_than(next, again);
	} else if (wants_stop(t->s, d)) {
		if (now >= d->care.due || !d->care.stops)
			request_motor(t, d, false);
		else
			no_later_than(next, d->care.due);
	}
}

static void stopped_motor(struct service *s, struct svc_disk *d, int r)
{
	struct disk_care *c = &d->care;

	c->parked = !r;
	c->done = r == -EBUSY && ++c->stops < STOPS;
	c->due = c->done ? steady_us() + STOP_AGAIN : 0;
	if (r < 0 && !c->done)
		service_note(s, "disk %s cannot be stopped: %s", serial_of(d),
			     strerror(-r));
}

static void started_motor(struct service *s, struct svc_disk *d, int r)
{
	struct svc_attempt *a = d->attempt;
	bool parked = d->care.parked;
	char why[128];

	d->care.parked = parked && r < 0;
	d->care.woken = r < 0 ? d->care.woken : steady_us();
	if (r < 0) {
		snprintf(why, sizeof(why), "its motor cannot be started: %s",
			 strerror(-r));
		service_note(s, "disk %s: %s", serial_of(d), why);
		if (parked && a && a->state == ATTEMPT_EXAMINING)
			examined(s, a, why);
	} else if (!parked) {
		disks_look(s); /* now it reports its capacity */
	}
}

/* --- users --------------------------------------------------------------------------- */

/* Most of these end without an event: a program that only reads closes the node, a file system is
 * unmounted. */
static bool is_refused_for_users(const struct svc_disk *d)
{
	enum dw_refusal why = d->facts.verdict.refusal;

	return d->present && !work_on(d) &&
	       (why == DW_REFUSAL_OPEN || why == DW_REFUSAL_BUSY ||
		why == DW_REFUSAL_MOUNTED || why == DW_REFUSAL_SWAP ||
		why == DW_REFUSAL_HOLDER);
}

/* The machine is asked, and not the disk, which may sleep. */
static void ask_users(struct reconciler *t, struct svc_disk *d, uint64_t now,
		      uint64_t *next)
{
	struct disk_users *u = &d->care.users;
	uint64_t wait;

	if (!is_refused_for_users(d)) {
		*u = (struct disk_users){ .asking = u->asking };
		return;
	}
	if (!u->since) {
		u->since = now;
		u->due = now + USERS_US;
		u->last = d->facts.verdict.refusal;
	}
	if (now >= u->due && !u->asking) {
		wait = now - u->since;
		u->due = now + (wait < ROUND_US ? wait : ROUND_US);
		u->asking = !request_of_disk(t, d,
					     (struct care_request){ .kind = CARE_USERS });
	}
	if (!u->asking)
		no_later_than(next, u->due);
}

/*
 * What follows from an answer that changed is a discovery, which decides as ever: an answer alone
 * allows nothing, and a disk in a bay that was refused for a user is not erased unasked; a job that
 * was interrupted goes on, as after any discovery. An answer may differ from the verdict for good,
 * as that of a disk whose other path is used, and a discovery asks all disks: if it finds nothing
 * new a few times, the next one waits for another answer.
 */
static void take_users(struct reconciler *t, struct svc_disk *d,
		       const struct care_answer *answer)
{
	struct disk_users *u = &d->care.users;
	uint64_t now = steady_us();

	if (answer->r < 0 || !is_refused_for_users(d))
		return;
	if (answer->used != u->last) {
		u->last = answer->used;
		u->looks = u->look_due = 0;
	} else if (answer->used != DW_REFUSAL_NONE) {
		return;
	}
	if (u->looks >= LOOKS || now < u->look_due)
		return;
	u->look_due = now + (USERS_US << u->looks++);
	disks_look(t->s);
}

/* --- lights -------------------------------------------------------------------------- */

static struct bay_lights *slot_of(struct reconciler *t, const char *slot, bool make)
{
	struct bay_lights **at = &t->bays;

	while (*at && strcmp((*at)->slot, slot) != 0)
		at = &(*at)->next;
	if (*at || !make)
		return *at;
	*at = calloc(1, sizeof(**at));
	if (!*at)
		return NULL;
	snprintf((*at)->slot, sizeof((*at)->slot), "%s", slot);
	(*at)->shown[0] = (*at)->shown[1] = -1;
	return *at;
}

/* An erased disk that carries something again must not be shown as ready to be taken out. */
static void want_lights(struct reconciler *t, const struct svc_disk *d)
{
	const struct svc_attempt *a = d->attempt;
	struct bay_lights *slot;
	bool done;

	if (!d->present || !d->facts.info.slot[0])
		return;
	slot = slot_of(t, d->facts.info.slot, a != NULL);
	if (!slot)
		return;
	done = a && a->state == ATTEMPT_ENDED &&
	       (a->row.code || !d->facts.verdict.signatures[0]);
	lights_of(done ? a->row.outcome : OUTCOME_NONE, done ? a->row.code : 0,
		  slot->wanted);
}

/* lights go off before others continue, so that no bay shows both */
static bool light_next(struct reconciler *t, bool on)
{
	struct care_request o = { .kind = CARE_LIGHT, .on = on };

	for (struct bay_lights *slot = t->bays; slot; slot = slot->next)
		for (uint8_t light = 0; light < 2; light++) {
			if (slot->wanted[light] != on || slot->shown[light] == on)
				continue;
			o.light = light;
			snprintf(o.what, sizeof(o.what), "%s", slot->slot);
			t->lighting = !care_ask(t->care, &o);
			return true;
		}
	return false;
}

static void reconcile_lights(struct reconciler *t)
{
	if (t->lighting || !t->s->settings->lights)
		return;
	for (struct bay_lights *slot = t->bays; slot; slot = slot->next)
		slot->wanted[0] = slot->wanted[1] = false;
	for (const struct svc_disk *d = t->s->disks; d; d = d->next)
		want_lights(t, d);
	if (!light_next(t, false))
		light_next(t, true);
}

/* A light that cannot be switched is not tried again until it has to change again. */
static void take_light(struct reconciler *t, const struct care_answer *answer)
{
	const struct care_request *o = &answer->request;
	struct bay_lights *slot = slot_of(t, o->what, false);

	t->lighting = false;
	if (!slot)
		return;
	slot->shown[o->light] = o->on;
	if (answer->r < 0 && !slot->broken)
		service_note(t->s, "bay %s: its lights cannot be switched: %s",
			     slot->slot, strerror(-answer->r));
	slot->broken = answer->r < 0;
}

/* --- rounds ---------------------------------------------------------------------------- */

static void take_answer(struct reconciler *t, const struct care_answer *answer)
{
	const struct care_request *o = &answer->request;
	struct svc_disk *d = disk_find(t->s, o->disk);

	if (o->kind == CARE_LIGHT) {
		take_light(t, answer);
		return;
	}
	if (!d)
		return;
	if (o->kind == CARE_MOTOR) {
		d->care.motor = false;
		if (o->on)
			started_motor(t->s, d, answer->r);
		else
			stopped_motor(t->s, d, answer->r);
		return;
	}
	if (o->kind == CARE_USERS) {
		d->care.users.asking = false;
		take_users(t, d, answer);
		return;
	}
	if (!o->thorough)
		d->care.asking = false;
	if (d->present)
		take_health(t->s, d, answer);
	/* a late answer to the question before the work must not pass for the one after it */
	if (o->attempt && d->attempt && d->attempt->row.id == o->attempt &&
	    d->attempt->asked_at == o->asked_at)
		take_examination(t->s, d->attempt, answer->r ? NULL : &answer->health);
}

static int on_answers(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	struct reconciler *t = ctx;
	struct care_answer answer;

	(void)source;
	(void)fd;
	(void)events;
	while (care_next(t->care, &answer))
		take_answer(t, &answer);
	reconcile(t->s);
	service_kick(t->s);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct reconciler *t = ctx;

	(void)source;
	(void)usec;
	reconcile(t->s);
	return 0;
}

/* Another disk may come to its place. A request that is under way is still answered. */
static void forget_care(struct service *s, struct svc_disk *d)
{
	bool hot = disk_is_hot(d);

	d->care = (struct disk_care){ .asking = d->care.asking,
				      .motor = d->care.motor,
				      .users.asking = d->care.users.asking };
	if (hot)
		forget_heat(s, d);
}

void reconcile(struct service *s)
{
	struct reconciler *t = s->reconciler;
	uint64_t now = steady_us(), next = now + ROUND_US;

	if (!t)
		return;
	for (struct svc_disk *d = s->disks; d; d = d->next) {
		if (!d->present)
			forget_care(s, d);
		move_motor(t, d, now, &next);
		ask_temperature(t, d, now, &next);
		ask_users(t, d, now, &next);
		examine(t, d, now, &next);
	}
	reconcile_lights(t);
	sd_event_source_set_time(t->timer, next);
	sd_event_source_set_enabled(t->timer, SD_EVENT_ONESHOT);
}

int reconciler_new(struct service *s)
{
	struct reconciler *t = calloc(1, sizeof(*t));
	int r = t ? care_new(s->simulation, &t->care) : -ENOMEM;

	if (r < 0) {
		free(t);
		return r;
	}
	t->s = s;
	s->reconciler = t;
	r = sd_event_add_io(s->event, NULL, care_fd(t->care), EPOLLIN, on_answers, t);
	if (r < 0)
		return r;
	return sd_event_add_time_relative(s->event, &t->timer, CLOCK_MONOTONIC, ROUND_US,
					  0, on_timer, t);
}

void reconciler_free(struct service *s)
{
	struct reconciler *t = s->reconciler;

	if (!t)
		return;
	care_free(t->care);
	sd_event_source_unref(t->timer);
	for (struct bay_lights *slot = t->bays, *next; slot; slot = next) {
		next = slot->next;
		free(slot);
	}
	free(t);
	s->reconciler = NULL;
}
