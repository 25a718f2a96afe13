/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_week SEED [DAYS] [--show]
 *
 * The service lives, is killed and stopped, and lives again, until the time is over; then nothing
 * comes any more, and everything has to end. From the second day on it has one long life, in which
 * it must not grow; shorter times have none. Exit code 1: something was wrong, and is told.
 */
#include "week.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL (30 * HOUR)

int diskwiped_main(int argc, char **argv);

struct week *week;

/* splitmix64: each stream by itself, so that one more draw of one does not change the others */
uint64_t week_draw(enum week_stream of, uint64_t n)
{
	uint64_t z = week->rng[of] += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return n ? z % n : 0;
}

bool week_odds(enum week_stream of, unsigned percent)
{
	return week_draw(of, 100) < percent;
}

void week_wrong(const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (week->n_wrong++ < 20)
		printf("day %.3f: %s\n", (double)week->now / DAY, text);
	fflush(stdout);
}

/* --- lives --------------------------------------------------------------------- */

static _Noreturn void live(void)
{
	char conf[192], safety[192], state[192], socket[192];
	char *argv[] = { (char *)"diskwiped",
			 (char *)"-c",
			 conf,
			 (char *)"--safety",
			 safety,
			 (char *)"--state-dir",
			 state,
			 (char *)"--socket",
			 socket,
			 (char *)"--no-bus",
			 NULL };
	int code;

	snprintf(conf, sizeof(conf), "%s/diskwiped.conf", week->folder);
	snprintf(safety, sizeof(safety), "%s/diskwipe.conf", week->folder);
	snprintf(state, sizeof(state), "%s/state", week->folder);
	snprintf(socket, sizeof(socket), "%s/bus", week->folder);
	setenv("JOURNAL_STREAM", "model", 1);
	optind = 1;
	week_life();
	code = diskwiped_main(10, argv);
	callers_close();
	exit(code);
}

static void judge_death(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	int wanted = week->life_end == LIFE_KILLED   ? 137
		     : week->life_end == LIFE_BROKEN ? 1
						     : 0;

	if (code != wanted)
		week_wrong("the service has ended with %d, not %d", code, wanted);
}

static void live_until(uint64_t at, enum life_end how)
{
	int status = 0;
	pid_t pid;

	week->life_began = week->now;
	week->life_ends = at;
	week->life_end = how;
	week->count.lives++;
	week->count.kills += how == LIFE_KILLED;
	week->count.stops += how == LIFE_STOPPED;
	week->count.breaks += how == LIFE_BROKEN;
	fflush(stdout);
	pid = fork();
	if (!pid)
		live();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		week_wrong("no process");
	else
		judge_death(status);
	proof_life();
	week->life_began = 0;
	for (int i = 0; i < week->n_disks; i++)
		week->disk[i].claimed = week->disk[i].moving = false;
}

/* without a service things go on coming and going */
static void pass_time(uint64_t until)
{
	while (station_next() < until) {
		if (station_next() > week->now)
			week->now = station_next();
		station_advance();
	}
	if (week->now < until)
		week->now = until;
}

static enum life_end draw_end(void)
{
	uint64_t n = week_draw(OF_LIVES, 100);

	return n < 65 ? LIFE_KILLED : n < 95 ? LIFE_STOPPED : LIFE_BROKEN;
}

/* some end as soon as they have begun */
static uint64_t draw_life(void)
{
	return week_draw(OF_LIVES, week_odds(OF_LIVES, 20) ? 20 * SECOND : 2 * HOUR);
}

static void draw_lives(uint64_t until)
{
	while (week->now < until && !week->n_wrong) {
		live_until(week->now + draw_life(), draw_end());
		pass_time(week->now +
			  week_draw(OF_LIVES, week_odds(OF_LIVES, 80) ? MINUTE : HOUR));
	}
}

/* Each start looks at what is there once more: a disk that came while the switch was off may get
 * its job then. The last one finds nothing to do, and no file of what is over. */
static void end_all(void)
{
	unsigned jobs, lives = 0;

	do {
		if (++lives > 4)
			week_wrong("each start begins something again");
		jobs = week->n_jobs;
		live_until(week->now + TAIL, LIFE_LAST);
		pass_time(week->now + RETURN + HOUR); /* the wall's clock may be behind */
	} while ((week->n_jobs > jobs || lives < 2) && !week->n_wrong);
}

static void run(void)
{
	bool is_long = week->ends >= 4 * DAY;

	draw_lives(is_long ? DAY : week->ends);
	if (is_long && !week->n_wrong) {
		week->life_long = true;
		live_until(week->ends - 12 * HOUR, LIFE_STOPPED);
		week->life_long = false;
		judge_growth();
		draw_lives(week->ends);
	}
	week->quiet = true;
	end_all();
	if (!week->n_wrong)
		judge_record();
	if (!week->n_wrong)
		judge_proof();
}

/* --- the beginning, the end ------------------------------------------------------- */

static void tell(void)
{
	const struct week_counts *c = &week->count;
	struct week_sample mean;

	printf("week %llu: %.1f days, %u arrivals, %u pulls, %u returns, %u exchanges, "
	       "%u with other contents\n",
	       (unsigned long long)week->seed, (double)week->ends / DAY, c->arrivals,
	       c->pulls, c->returns, c->exchanges, c->refits);
	printf("  %u lives: %u killed, %u stopped, %u by the engine; %u reloads, the "
	       "medium full %u times, %u jumps of the clock\n",
	       c->lives, c->kills, c->stops, c->breaks, c->reloads, c->full, c->jumps);
	printf("  %u orders, %u refused: %u erased, %u with exceptions, %u failed, "
	       "%u stopped, %u removed; %u examined, %u hooks, %u motors\n",
	       c->orders, c->refusals, c->outcomes[DW_OUTCOME_ERASED],
	       c->outcomes[DW_OUTCOME_EXCEPTIONS], c->outcomes[DW_OUTCOME_FAILED],
	       c->outcomes[DW_OUTCOME_STOPPED], c->outcomes[DW_OUTCOME_REMOVED],
	       c->examined, c->hooks, c->motors);
	printf("  %u calls, %u acknowledged; %u jobs\n", c->asked, c->acknowledged,
	       week->n_jobs);
	if (week->records)
		printf("  %u signed records, %u of them of the audit trail; %u long lives\n",
		       c->records, c->audits, week->n_lives);
	for (uint64_t at = DAY; judge_mean(at, &mean); at += 12 * HOUR)
		printf("  day %.1f to %.1f: %llu KiB resident, %llu blocks of the heap\n",
		       (double)at / DAY, (double)at / DAY + 1,
		       (unsigned long long)mean.rss_kib, (unsigned long long)mean.blocks);
}

static int make_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	const char *in = !access("/dev/shm", W_OK) ? "/dev/shm" : tmp ? tmp : "/tmp";
	char state[160];

	snprintf(week->folder, sizeof(week->folder), "%.90s/week.XXXXXX", in);
	if (!mkdtemp(week->folder))
		return -1;
	snprintf(state, sizeof(state), "%s/state", week->folder);
	return mkdir(state, 0700);
}

static void remove_folder(void)
{
	char command[192];

	snprintf(command, sizeof(command), "rm -rf '%s'", week->folder);
	if (system(command))
		fprintf(stderr, "%s is left\n", week->folder);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	unsigned wrong;
	bool show = argc > 2 && !strcmp(argv[argc - 1], "--show");

	week = mmap(NULL, sizeof(*week), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (week == MAP_FAILED)
		return 1;
	week->seed = seed;
	week->show = show;
	week->ends =
		(uint64_t)((argc > 2 && !(show && argc == 3) ? atof(argv[2]) : 1) * DAY);
	for (int i = 0; i < 4; i++)
		week->rng[i] = (seed * 4 + (uint64_t)i) * UINT64_C(0x2545f4914f6cdd1d);
	week->now = 7 * HOUR - MINUTE;
	if (make_folder() < 0 || !proof_build() || station_build() < 0) {
		perror("week");
		return 1;
	}
	run();
	if (show)
		printf("its files: %s\n", week->folder);
	else
		remove_folder();
	tell();
	if (week->n_wrong)
		printf("seed %llu FAILED; again: %s %llu %.1f --show\n",
		       (unsigned long long)seed, argv[0], (unsigned long long)seed,
		       (double)week->ends / DAY);
	wrong = week->n_wrong;
	munmap(week, sizeof(*week));
	return wrong ? 1 : 0;
}
