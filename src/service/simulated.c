/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus.h"
#include "report.h"

#define NAME "simulated"
#define KEY  "record-key"

static bool has(const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

bool simulated_claims(const char *dir)
{
	return has(dir, NAME);
}

static bool is_same_folder(const char *a, const char *b)
{
	struct stat one, two;

	if (stat(a, &one) || stat(b, &two)) /* it would become that one */
		return !strcmp(a, b);
	return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* The folders of a real station: of its state, and of the socket that clients look for. */
static bool is_real(const char *dir)
{
	return is_same_folder(dir, "/var/lib/diskwipe") ||
	       is_same_folder(dir, "/run/diskwipe");
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	bool found = !d;

	for (const struct dirent *e; d && !found && (e = readdir(d));)
		found = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (d)
		closedir(d);
	return !found;
}

/* The mark is there before anything else is: a folder is empty, or has it, or is somebody's. */
static int take_folder(const char *dir)
{
	char path[256];
	int fd;

	if (is_real(dir))
		return -EBUSY;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (is_real(dir)) /* by another spelling */
		return -EBUSY;
	if (simulated_claims(dir))
		return 0;
	if (!is_empty(dir))
		return -EBUSY;
	snprintf(path, sizeof(path), "%s/" NAME, dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int simulated_open(struct service *s, const char *file, uint64_t shrink,
		   char ret_why[DW_ERROR_TEXT])
{
	struct dw_error err = { 0 };
	int r;

	report_simulated();
	r = dw_simulation_new(file, shrink, &s->simulation, &err);

	if (r < 0) {
		dw_error_text(&err, ret_why);
		return r;
	}
	r = take_folder(s->state_dir);
	if (r == -EBUSY)
		snprintf(ret_why, DW_ERROR_TEXT,
			 "%s: it is not empty, or a real station's: give a simulated "
			 "station a folder of its own, --state-dir=DIR",
			 s->state_dir);
	else if (r < 0)
		snprintf(ret_why, DW_ERROR_TEXT, "%s: %s", s->state_dir, strerror(-r));
	return r;
}

int simulated_begin(struct service *s, struct dw_error *err)
{
	char *line = NULL;
	int r = 0;

	if (!has(s->state_dir, KEY))
		r = dw_record_key(s->settings->record_key, "simulated@diskwipe", &line,
				  err);
	free(line);
	if (!r)
		service_note(s, "no disk of this machine is touched");
	return r;
}

void simulated_settings(const struct service *s, struct settings *settings)
{
	char name[sizeof(settings->station)];

	settings->simulated = true;
	snprintf(name, sizeof(name), NAME " %.50s", settings->station);
	memcpy(settings->station, name, sizeof(name));
	snprintf(settings->records, sizeof(settings->records), "%s/records",
		 s->state_dir);
	snprintf(settings->record_key, sizeof(settings->record_key), "%s/" KEY,
		 s->state_dir);
	if (settings->wall[0])
		snprintf(settings->wall, sizeof(settings->wall), "%s/wall", s->state_dir);
	settings->textfile[0] = settings->hook_pre[0] = '\0';
	settings->hook_post[0] = settings->hook_event[0] = '\0';
}

/* --- what people do to its disks ---------------------------------------------- */

static int answer(sd_bus_message *m, const char *what, int r, sd_bus_error *error)
{
	bool pull = sd_bus_message_get_member(m)[0] == 'P';

	if (r == -ENODEV)
		return sd_bus_error_setf(
			error, ERROR("NotFound"),
			"there is no disk %s: name its serial number, WWN, "
			"slot or section",
			what);
	if (r == -EALREADY)
		return sd_bus_error_setf(error, ERROR("Invalid"), "disk %s is %s already",
					 what, pull ? "pulled" : "there");
	if (r < 0)
		return sd_bus_error_setf(error, ERROR("Invalid"), "disk %s: %s", what,
					 strerror(-r));
	return sd_bus_reply_method_return(m, "");
}

/* A bay that the configuration declares is the disk that was seen there last. */
static const char *disk_in(const struct service *s, const char *what)
{
	for (const struct svc_disk *d = s->disks; d; d = d->next)
		if (d->bay[0] && !strcmp(d->bay, what))
			return d->facts.info.serial;
	return what;
}

static int act(struct service *s, sd_bus_message *m, const struct store_caller *who,
	       sd_bus_error *error)
{
	const char *verb = sd_bus_message_get_member(m), *what;
	int32_t degrees = 0;
	int r = sd_bus_message_read(m, "s", &what);

	if (r >= 0 && verb[0] == 'H')
		r = sd_bus_message_read(m, "i", &degrees);
	if (r < 0 || !who)
		return r;
	store_audit(s->store, who, verb, NULL, what, now_us());
	what = disk_in(s, what);
	if (verb[0] == 'H')
		r = dw_simulation_heat(s->simulation, what, degrees);
	else if (verb[0] == 'P')
		r = dw_simulation_pull(s->simulation, what);
	else
		r = dw_simulation_insert(s->simulation, what);
	return answer(m, what, r, error);
}

static int on_act(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	return access_check(ctx, m, "erase", act, error);
}

static const sd_bus_vtable rows[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_NAMES("Pull", "s", SD_BUS_PARAM(disk), "", , on_act,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Insert", "s", SD_BUS_PARAM(disk), "", , on_act,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Heat", "si", SD_BUS_PARAM(disk) SD_BUS_PARAM(degrees),
				 "", , on_act, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

const sd_bus_vtable *simulated_table(void)
{
	return rows;
}
