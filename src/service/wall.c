/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page cannot see whether the service lives. It sees that the number of what it reads goes up,
 * so that is written also when nothing has changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <jansson.h>

#include "prove.h"
#include "publish.h"
#include "view.h"
#include "wall.h"
#include "wall_page.h"

#define EVERY_US UINT64_C(2000000)
#define TAIL                                                                             \
	4 /* characters of a serial number, as they are asked for before an erasure */
#define FILE_NAME  300
#define CALLS_WITH "diskwipeWall("

/**
 * struct wall - @folder: that is written, empty = none; @number: of what was written last;
 * @trouble: the folder could not be written, and that was reported
 */
struct wall {
	sd_event_source *timer;
	char folder[256];
	uint64_t begun;
	uint64_t number;
	bool trouble;
};

/* properties of a disk that the page shows, beside the end of its serial number */
static const char *const shown[] = {
	"Device",      "Model",   "Capacity",  "Address", "Slot",    "Bay",
	"Signatures",  "Refusal", "State",     "Job",     "Outcome", "Progress",
	"Rate",        "Errors",  "BadBlocks", "Pass",    "Passes",  "ExpectedEndTime",
	"Temperature", "Health",
};

static json_t *text_of(const char *text)
{
	char clean[512];

	snprintf(clean, sizeof(clean), "%s", text);
	dw_text_printable(clean);
	return json_string(clean);
}

static json_t *value_of(const struct property *p, const void *view)
{
	const void *at = (const char *)view + p->offset;

	switch (p->type) {
	case BUS_s:
	case BUS_o:
		return text_of(at);
	case BUS_t:
	case BUS_T:
		return json_integer((json_int_t)(*(const uint64_t *)at));
	case BUS_u:
		return json_integer(*(const uint32_t *)at);
	case BUS_i:
		return json_integer(*(const int32_t *)at);
	case BUS_d:
		return json_real(*(const double *)at);
	default:
		return json_null();
	}
}

static bool is_shown(const char *name)
{
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (!strcmp(shown[i], name))
			return true;
	return false;
}

static json_t *disk_json(const struct service *s, const struct svc_disk *d)
{
	json_t *o = json_object();
	struct disk_view view = { 0 };
	size_t len;
	int r = 0;

	disk_look(s, d, &view);
	for (const struct property *p = disk_properties(); p->name; p++)
		if (is_shown(p->name))
			r |= json_object_set_new(o, p->name, value_of(p, &view));
	len = strlen(view.serial);
	r |= json_object_set_new(o, "Serial",
				 text_of(view.serial + (len > TAIL ? len - TAIL : 0)));
	if (!r)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *station_json(const struct service *s)
{
	json_t *notes = json_array();

	if (s->trouble)
		json_array_append_new(notes, json_string("the record cannot be written"));
	return json_pack("{s:o, s:b, s:s, s:o, s:o}", "Station",
			 text_of(s->settings->station), "Simulated",
			 s->simulation != NULL, "Version", dw_version(), "RecordsTrouble",
			 text_of(prove_trouble(s->prove)), "Notes", notes);
}

/* All of it, or NULL without memory. */
static char *state_text(const struct service *s, bool stopped)
{
	json_t *disks = json_array(), *all;
	char *text;
	int r = 0;

	for (const struct svc_disk *d = s->disks; d; d = d->next)
		r |= json_array_append_new(disks, disk_json(s, d));
	if (r) {
		json_decref(disks);
		return NULL;
	}
	all = json_pack("{s:I, s:I, s:I, s:b, s:o, s:o}", "begun",
			(json_int_t)s->wall->begun, "number", (json_int_t)s->wall->number,
			"written", (json_int_t)now_us(), "stopped", stopped, "manager",
			station_json(s), "disks", disks);
	text = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(all);
	return text;
}

static int put(const struct wall *w, const char *name, const char *text, size_t len)
{
	char path[FILE_NAME];

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	return publish_file(path, text, len);
}

/* A browser reads no JSON from the disk, and runs a script from there. */
static int put_state(const struct wall *w, const char *json)
{
	size_t len = strlen(json);
	char *script = malloc(len + sizeof(CALLS_WITH ");\n"));
	int r = script ? put(w, "state.json", json, len) : -ENOMEM;

	if (!r)
		r = put(w, "state.js", script,
			(size_t)sprintf(script, CALLS_WITH "%s);\n", json));
	free(script);
	return r;
}

/* The service would wait with all that it does for a server that is away. */
static bool is_remote(const struct statfs *fs)
{
	static const unsigned long remote[] = { NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC,
						CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
						FUSE_SUPER_MAGIC, V9FS_MAGIC,
						CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC };

	for (size_t i = 0; i < sizeof(remote) / sizeof(*remote); i++)
		if ((unsigned long)fs->f_type == remote[i])
			return true;
	return false;
}

/* Whatever the umask is, everybody may read it. */
static int make_folder(const struct wall *w)
{
	bool made = mkdir(w->folder, 0755) == 0;
	struct statfs fs;
	int fd, r = 0;

	if (!made && errno != EEXIST)
		return -errno;
	fd = open(w->folder, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) < 0 || (made && fchmod(fd, 0755) < 0))
		r = -errno;
	else if (is_remote(&fs))
		r = -EREMOTE;
	close(fd);
	return r;
}

static int put_page(const struct wall *w)
{
	int r = make_folder(w);

	for (size_t i = 0; i < sizeof(wall_page) / sizeof(*wall_page) && !r; i++)
		r = put(w, wall_page[i].name, wall_page[i].text, wall_page[i].len);
	return r;
}

static void put_all(struct service *s, bool stopped)
{
	struct wall *w = s->wall;
	char page[FILE_NAME], *json;
	int r;

	w->number++;
	snprintf(page, sizeof(page), "%s/index.html", w->folder);
	r = access(page, R_OK) < 0 ? put_page(w) : 0;
	json = r ? NULL : state_text(s, stopped);
	if (!r)
		r = json ? put_state(w, json) : -ENOMEM;
	free(json);
	if (r && !w->trouble)
		service_note(s,
			     "the wall screen cannot be written to %s: %s; see [wall] in "
			     "diskwiped.conf(5)",
			     w->folder,
			     r == -EREMOTE ? "it is on another machine, which may go away"
					   : strerror(-r));
	w->trouble = r != 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct service *s = ctx;

	(void)usec;
	put_all(s, false);
	sd_event_source_set_time_relative(source, EVERY_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

void wall_settings(struct service *s)
{
	struct wall *w = s->wall;

	if (!strcmp(w->folder, s->settings->wall))
		return;
	if (w->folder[0])
		put_all(s, true);
	memcpy(w->folder, s->settings->wall, sizeof(w->folder));
	w->trouble = false;
	if (w->folder[0])
		put_page(w);
	sd_event_source_set_time_relative(w->timer, 0);
	sd_event_source_set_enabled(w->timer,
				    w->folder[0] ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

int wall_new(struct service *s)
{
	struct wall *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->begun = now_us();
	r = sd_event_add_time_relative(s->event, &w->timer, CLOCK_MONOTONIC, 0, 0,
				       on_timer, s);
	if (r >= 0)
		r = sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
	if (r < 0) {
		sd_event_source_unref(w->timer);
		free(w);
		return r;
	}
	s->wall = w;
	wall_settings(s);
	return 0;
}

void wall_free(struct service *s)
{
	if (!s->wall)
		return;
	if (s->wall->folder[0])
		put_all(s, true);
	sd_event_source_unref(s->wall->timer);
	free(s->wall);
	s->wall = NULL;
}
