/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwiped: the service of an erase station. One thread has the bus, the store and the policy, and
 * waits for events; the engine has another one (works.c).
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "bus.h"
#include "files.h"
#include "hooks.h"
#include "hotplug.h"
#include "metrics.h"
#include "prove.h"
#include "report.h"
#include "simulated.h"
#include "wall.h"

#define US_PER_S         UINT64_C(1000000)
#define METRICS_US       (15 * US_PER_S)
#define CONFIG           "/etc/diskwipe/diskwiped.conf"
#define SILENCE_S        600 /* the store may take that long; the watchdog counts no longer */
#define HEAP_KEPT        (128 * 1024) /* bytes, as at the start of a process */
#define SIMULATED_FOLDER "it is a simulated station's: give another --state-dir"
#define TRIM_US          (600 * US_PER_S)

enum { EXIT_OK = 0, EXIT_USAGE = 1 };

/** struct options - of the command line */
struct service_options {
	const char *config;
	const char *safety;
	const char *state_dir;
	const char *socket;
	const char *bus;      /* NULL = the system's, empty = none */
	bool check;           /* the store against the records, and no more */
	const char *signers;  /* of the records; NULL = the list that is with them */
	const char *simulate; /* topology file; NULL = the disks of the machine */
	uint64_t shrink;      /* divides its capacities */
};

/* when this thread went round last, for the watchdog that the other one feeds */
static _Atomic int64_t went_round;

static const char usage[] =
	"Usage: diskwiped [OPTION...]\n"
	"Serves an erase station: jobs of several callers, hot-plug, records.\n\n"
	"  -c, --config=FILE     default /etc/diskwipe/diskwiped.conf, which may be missing\n"
	"      --safety=FILE     protected disks, default /etc/diskwipe/diskwipe.conf\n"
	"      --state-dir=DIR   default /var/lib/diskwipe\n"
	"      --socket=PATH     default /run/diskwipe/bus, or what systemd hands over\n"
	"      --bus=ADDRESS     another bus than the system's\n"
	"      --no-bus          the socket only\n"
	"      --check           compare its database with the signed records, and exit\n"
	"      --signers=FILE    with --check: who may sign, not the list that is with them\n"
	"      --simulate=FILE   the disks of a topology file, in a --state-dir of its own\n"
	"      --shrink=N        with --simulate: divide the capacities by N\n"
	"  -h, --help            this text\n"
	"  -V, --version         the version\n\n"
	"Signals: TERM and INT flush and stop, jobs go on at the next start; HUP reads the\n"
	"configuration again. Exit codes: 0 ended by a signal; 1 it could not start, or the\n"
	"engine failed; 5 --check found a difference. See diskwiped(8).\n";

uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * US_PER_S + (uint64_t)t.tv_nsec / 1000;
}

uint64_t steady_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * US_PER_S + (uint64_t)t.tv_nsec / 1000;
}

static int64_t steady_seconds(void)
{
	return (int64_t)(steady_us() / US_PER_S);
}

static void add_note(struct service *s, const char *text)
{
	if (s->n_notes == NOTES)
		memmove(s->note[0], s->note[1], sizeof(s->note) - sizeof(s->note[0]));
	else
		s->n_notes++;
	snprintf(s->note[s->n_notes - 1], sizeof(s->note[0]), "%.255s", text);
	dw_text_printable(s->note[s->n_notes - 1]);
}

void service_note(struct service *s, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_note(s, text);
	report_note(text);
}

int service_stored(struct service *s, int r)
{
	if (r < 0 && !s->trouble)
		service_note(
			s,
			"the record cannot be written: %s; what is under way goes on, "
			"and is put on record as soon as that is possible",
			store_error(s->store));
	else if (r >= 0 && s->trouble)
		service_note(s, "the record can be written again");
	s->trouble = r < 0;
	return r;
}

/* what is in force: of a simulated station not all that is in the file */
static int load_settings(const struct service *s, struct settings **ret,
			 struct dw_error *err)
{
	int r = settings_load(s->from.settings, s->from.required,
			      s->from.safety[0] ? s->from.safety : NULL, ret, err);

	if (!r && (s->simulation || simulated_claims(s->state_dir)))
		simulated_settings(s, *ret);
	return r;
}

int service_reload(struct service *s, char why[DW_ERROR_TEXT])
{
	struct settings *new = NULL;
	char note[DW_ERROR_TEXT + 64];
	struct dw_error err = { 0 };
	int r = load_settings(s, &new, &err);

	if (r < 0) {
		snprintf(note, sizeof(note), "the configuration stays as it was: %s",
			 dw_error_text(&err, why));
		add_note(s, note);
		report_settings(note, false);
		return r;
	}
	settings_unref(s->settings);
	s->settings = new;
	wall_settings(s);
	report_settings("the configuration was read again", true);
	files_expect(s);
	disks_look(s);
	service_kick(s);
	return 0;
}

/* --- time ------------------------------------------------------------------------ */

static bool is_idle(const struct service *s)
{
	for (const struct svc_job *j = s->jobs; j; j = j->next)
		if (!j->row.ended)
			return false;
	return !disks_unsettled(s) && !disks_left(s) && !prove_left(s->prove);
}

static bool is_under_way(const struct service *s)
{
	for (const struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++)
			if (attempt_at_engine(j->attempt[i]->state) ||
			    attempt_claimed(j->attempt[i]->state))
				return true;
	return false;
}

/* What one caller has asked for leaves holes between what stays, and the next one makes others. */
static void trim_heap(struct service *s)
{
	if (steady_us() - s->trimmed_at < TRIM_US)
		return;
	s->trimmed_at = steady_us();
	malloc_trim(0);
}

static int on_tick(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct service *s = ctx;

	(void)usec;
	atomic_store(&went_round, steady_seconds());
	jobs_tick(s);
	reconcile(s);
	prove_round(s);
	bus_refresh(s);
	bus_inhibit(s, is_under_way(s));
	trim_heap(s);
	if (now_us() - s->metrics_at >= METRICS_US || now_us() < s->metrics_at ||
	    is_idle(s)) { /* which is the last time for now */
		s->metrics_at = now_us();
		metrics_file(s);
	}
	if (s->stopping && !is_under_way(s))
		sd_event_exit(s->event, 0);
	if (is_idle(s) && !s->stopping)
		return 0;
	sd_event_source_set_time_relative(source, US_PER_S);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

void service_kick(struct service *s)
{
	int on = SD_EVENT_OFF;

	if (!s->tick || sd_event_source_get_enabled(s->tick, &on) < 0 ||
	    on != SD_EVENT_OFF)
		return;
	sd_event_source_set_time_relative(s->tick, US_PER_S / 10);
	sd_event_source_set_enabled(s->tick, SD_EVENT_ONESHOT);
}

/* The watchdog hears the engine's thread: no disk makes that wait. A store on a slow disk makes
 * this one wait, and that alone is no reason to kill what erases. */
static void feed_watchdog(void *ctx)
{
	struct service *s = ctx;

	if (is_idle(s) || steady_seconds() - atomic_load(&went_round) < SILENCE_S)
		sd_notify(0, "WATCHDOG=1");
}

/* --- what comes -------------------------------------------------------------------- */

static int on_works(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	struct service *s = ctx;
	struct works_event e;

	(void)source;
	(void)fd;
	(void)events;
	while (works_next(s->works, &e)) {
		if (e.kind == WORKS_FOUND) {
			disks_found(s, &e);
			free(e.disk);
		} else {
			jobs_event(s, &e);
		}
	}
	return 0;
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *si, void *ctx)
{
	struct service *s = ctx;

	(void)source;
	(void)si;
	if (s->stopping)
		return 0;
	s->stopping = true;
	works_stop(s->works);
	service_kick(s);
	/* last: whoever waits for it sees no more work */
	sd_notify(0, "STOPPING=1\nSTATUS=flushing");
	return 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *si,
		     void *ctx)
{
	char why[DW_ERROR_TEXT];

	(void)source;
	(void)si;
	sd_notify(0, "RELOADING=1");
	service_reload(ctx, why);
	sd_notify(0, "READY=1");
	return 0;
}

static int add_sources(struct service *s)
{
	int r = sd_event_add_io(s->event, NULL, works_fd(s->works), EPOLLIN, on_works, s);

	if (r >= 0)
		r = sd_event_add_signal(s->event, NULL, SIGTERM, on_stop, s);
	if (r >= 0)
		r = sd_event_add_signal(s->event, NULL, SIGINT, on_stop, s);
	if (r >= 0)
		r = sd_event_add_signal(s->event, NULL, SIGHUP, on_hangup, s);
	if (r >= 0)
		r = sd_event_add_time_relative(s->event, &s->tick, CLOCK_MONOTONIC, 0, 0,
					       on_tick, s);
	return r;
}

/* --- the beginning, the end ---------------------------------------------------------- */

static int fail(int r, const char *what, const char *why)
{
	fprintf(stderr, "diskwiped: %s: %s\n", what, why);
	return r;
}

static int open_store(struct service *s)
{
	char path[256], note[STORE_NOTE];
	int r;

	if (mkdir(s->state_dir, 0700) < 0 && errno != EEXIST)
		return fail(-errno, s->state_dir, strerror(errno));
	if (!s->simulation && simulated_claims(s->state_dir))
		return fail(-EBUSY, s->state_dir, SIMULATED_FOLDER);
	snprintf(path, sizeof(path), "%s/station.db", s->state_dir);
	r = dw_seal_break(path);
	if (r < 0)
		return fail(r, path, "its seal cannot be removed");
	r = store_open(path, &s->store, note);
	if (r == -EBUSY)
		return fail(r, path, "another diskwiped uses it");
	if (r < 0)
		return fail(r, path, note);
	if (note[0])
		service_note(s, "%s", note);
	r = store_claim(s->store, s->simulation != NULL);
	if (r == -EBUSY)
		return fail(r, path,
			    s->simulation ? "it is a real station's" : SIMULATED_FOLDER);
	return r < 0 ? fail(r, path, store_error(s->store)) : 0;
}

static int open_all(struct service *s, const struct service_options *o)
{
	char text[DW_ERROR_TEXT], why[256] = "";
	struct dw_error err = { 0 };
	int r = o->simulate
			? simulated_open(s, o->simulate, o->shrink ? o->shrink : 1, text)
			: 0;

	if (r < 0) {
		fprintf(stderr, "diskwiped: %s\n", text);
		return r;
	}
	r = load_settings(s, &s->settings, &err);
	if (r < 0)
		return fail(r, "configuration", dw_error_text(&err, text));
	s->prove = prove_new();
	if (!s->prove)
		return fail(-ENOMEM, "the records", strerror(ENOMEM));
	r = open_store(s);
	if (r < 0)
		return r;
	r = o->simulate ? simulated_begin(s, &err) : 0;
	if (r < 0)
		return fail(r, "the key of its records", dw_error_text(&err, text));
	r = sd_event_default(&s->event);
	if (r >= 0)
		r = works_new(s->simulation, &s->works);
	if (r < 0)
		return fail(r, "the engine", strerror(-r));
	r = jobs_load(s);
	if (r < 0)
		return fail(r, "the jobs on record", store_error(s->store));
	r = bus_new(s, s->socket, o->simulate ? "" : o->bus, &s->bus, why);
	if (r < 0)
		return fail(r, "the socket", why);
	r = add_sources(s);
	if (r >= 0)
		r = reconciler_new(s);
	if (r >= 0)
		r = hotplug_new(s);
	if (r >= 0)
		r = wall_new(s);
	return r < 0 ? fail(r, "events", strerror(-r)) : 0;
}

static int serve(struct service *s)
{
	uint64_t unused;
	int r;

	atomic_store(&went_round, steady_seconds());
	if (sd_watchdog_enabled(0, &unused) > 0)
		works_beat(s->works, feed_watchdog, s);
	disks_look(s);
	sd_notify(0, "READY=1\nSTATUS=serving");
	r = sd_event_loop(s->event);
	return r ? EXIT_USAGE : EXIT_OK;
}

/* What was closed is signed as it is. */
static void close_store(struct service *s)
{
	char path[256];

	if (!s->store)
		return;
	store_close(s->store);
	s->store = NULL;
	snprintf(path, sizeof(path), "%s/station.db", s->state_dir);
	seal_store(s, path);
}

static void close_all(struct service *s)
{
	hotplug_free(s);
	hooks_free();
	if (s->bus)
		bus_refresh(s);
	bus_inhibit(s, false);
	wall_free(s);
	bus_free(s->bus);
	s->bus = NULL;
	works_free(s->works);
	reconciler_free(s);
	settings_unref(s->look.settings);
	jobs_free(s);
	disks_forget(s);
	for (struct svc_disk *d = s->disks, *next; d; d = next) {
		next = d->next;
		free(d->view);
		free(d);
	}
	prove_stop(s);
	prove_free(s->prove);
	close_store(s);
	settings_unref(s->settings);
	dw_simulation_free(s->simulation);
	sd_event_source_unref(s->tick);
	sd_event_source_unref(s->late);
	sd_event_unref(s->event);
}

static int wrong_usage(const char *why)
{
	fprintf(stderr, "diskwiped: %s; see --help\n", why);
	return -EINVAL;
}

/* A simulated station shares neither folder, nor bus, nor socket with a real one. */
static int check_usage(const struct service_options *o)
{
	if (o->signers && !o->check)
		return wrong_usage("--signers is for --check");
	if (o->shrink && !o->simulate)
		return wrong_usage("--shrink is for --simulate");
	if (!o->simulate)
		return 1;
	if (o->check)
		return wrong_usage("--check needs no --simulate");
	if (!o->state_dir)
		return wrong_usage(
			"--simulate needs a folder of its own: --state-dir=DIR");
	if (o->socket || (o->bus && o->bus[0]) || sd_listen_fds(0) > 0)
		return wrong_usage(
			"--simulate has its own socket, bus in its folder, and "
			"no other bus");
	return 1;
}

enum { SAFETY = 256, STATE_DIR, SOCKET, BUS, NO_BUS, CHECK, SIGNERS, SIMULATE, SHRINK };
static const struct option longs[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "safety", required_argument, NULL, SAFETY },
	{ "state-dir", required_argument, NULL, STATE_DIR },
	{ "socket", required_argument, NULL, SOCKET },
	{ "bus", required_argument, NULL, BUS },
	{ "no-bus", no_argument, NULL, NO_BUS },
	{ "check", no_argument, NULL, CHECK },
	{ "signers", required_argument, NULL, SIGNERS },
	{ "simulate", required_argument, NULL, SIMULATE },
	{ "shrink", required_argument, NULL, SHRINK },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};
static int parse(int argc, char **argv, struct service_options *o)
{
	int c;

	while ((c = getopt_long(argc, argv, "c:hV", longs, NULL)) >= 0)
		switch (c) {
		case 'c':
			o->config = optarg;
			break;
		case SAFETY:
			o->safety = optarg;
			break;
		case STATE_DIR:
			o->state_dir = optarg;
			break;
		case SOCKET:
			o->socket = optarg;
			break;
		case BUS:
			o->bus = optarg;
			break;
		case NO_BUS:
			o->bus = "";
			break;
		case CHECK:
			o->check = true;
			break;
		case SIGNERS:
			o->signers = optarg;
			break;
		case SIMULATE:
			o->simulate = optarg;
			break;
		case SHRINK:
			if (dw_number_parse(optarg, &o->shrink) < 0)
				o->shrink = 0;
			if (!o->shrink)
				return wrong_usage("--shrink is a number, 1 or more");
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			printf("diskwiped %s\n", dw_version());
			return 0;
		default:
			return -EINVAL;
		}
	if (optind < argc) {
		fprintf(stderr, "diskwiped: %s: it takes no arguments; see --help\n",
			argv[optind]);
		return -EINVAL;
	}
	return check_usage(o);
}

/* handled by the event loop only, and by no thread */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* It lives for months. By itself, libc keeps more and more of what was freed once a large message
 * was: the bounds stay where they are in the beginning. */
static void bound_heap(void)
{
	mallopt(M_MMAP_THRESHOLD, HEAP_KEPT);
	mallopt(M_TRIM_THRESHOLD, HEAP_KEPT);
}

/* A disk takes several descriptors. */
static void raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Nothing is opened but to read it. */
static int check(struct service *s, const char *signers)
{
	char path[256], text[DW_ERROR_TEXT];
	struct dw_error err = { 0 };
	int code;

	if (load_settings(s, &s->settings, &err) < 0) {
		fail(-EINVAL, "configuration", dw_error_text(&err, text));
		return EXIT_USAGE;
	}
	snprintf(path, sizeof(path), "%s/station.db", s->state_dir);
	code = compare_all(path, s->settings->records, signers);
	settings_unref(s->settings);
	return code;
}

/* Those of a simulated station are all in its folder. */
static void find_files(struct service *s, const struct service_options *o)
{
	const char *dir = o->state_dir ? o->state_dir : "/var/lib/diskwipe";
	bool own = o->simulate || simulated_claims(dir);

	snprintf(s->state_dir, sizeof(s->state_dir), "%s", dir);
	snprintf(s->from.safety, sizeof(s->from.safety), "%s",
		 o->safety ? o->safety : "");
	s->from.required = o->config && strcmp(o->config, CONFIG) != 0;
	snprintf(s->from.settings, sizeof(s->from.settings), "%s%s", own ? dir : "",
		 own ? "/diskwiped.conf" : CONFIG);
	if (o->config)
		snprintf(s->from.settings, sizeof(s->from.settings), "%s", o->config);
	snprintf(s->socket, sizeof(s->socket), "%s%s", own ? dir : "",
		 own ? "/bus" : "/run/diskwipe/bus");
	if (o->socket)
		snprintf(s->socket, sizeof(s->socket), "%s", o->socket);
}

int main(int argc, char **argv)
{
	struct service_options o = { .config = NULL };
	struct service s = { .inhibitor = -1 };
	int r = parse(argc, argv, &o), code = EXIT_USAGE;

	if (r <= 0)
		return r ? EXIT_USAGE : EXIT_OK;
	bound_heap();
	raise_files();
	block_signals();
	umask(0077);
	prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L); /* keys of random passes are in memory */
	find_files(&s, &o);
	if (o.check)
		return check(&s, o.signers);
	methods_of(&s);
	if (open_all(&s, &o) >= 0)
		code = serve(&s);
	close_all(&s);
	return code;
}
