/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One disk makes many events, and a shelf that is switched on makes hundreds: the disks are looked
 * for when none has come for a while, and at the latest some seconds after the first.
 */
#include "hotplug.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-device.h>

#define QUIET_US  (UINT64_C(400) * 1000)
#define LATEST_US (UINT64_C(3) * 1000000)
#define BUFFER    (16 << 20) /* of events that wait: a shelf makes thousands in a second */
#define BLIND_US  (UINT64_C(30) * 1000000)

struct hotplug {
	struct service *s;
	sd_device_monitor *monitor;
	sd_event_source *timer;
	uint64_t first_us; /* CLOCK_MONOTONIC of the oldest event, 0 = none */
};

static int look_now(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct hotplug *h = ctx;

	h->first_us = 0;
	disks_look(h->s);
	if (h->monitor)
		return 0;
	sd_event_source_set_time_relative(source, BLIND_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int device_changed(sd_device_monitor *m, sd_device *device, void *ctx)
{
	struct hotplug *h = ctx;
	uint64_t now, at;

	(void)m;
	(void)device;
	if (sd_event_now(h->s->event, CLOCK_MONOTONIC, &now) < 0)
		return 0;
	if (!h->first_us)
		h->first_us = now;
	at = now + QUIET_US;
	if (at > h->first_us + LATEST_US)
		at = h->first_us + LATEST_US;
	sd_event_source_set_time(h->timer, at);
	return sd_event_source_set_enabled(h->timer, SD_EVENT_ONESHOT);
}

static int listen_to_udev(struct hotplug *h)
{
	int r = sd_device_monitor_new(&h->monitor);

	if (r >= 0)
		r = sd_device_monitor_filter_add_match_subsystem_devtype(h->monitor,
									 "block", "disk");
	if (r >= 0)
		r = sd_device_monitor_filter_add_match_subsystem_devtype(
			h->monitor, "scsi_generic", NULL);
	if (r >= 0)
		sd_device_monitor_set_receive_buffer_size(h->monitor, BUFFER);
	if (r >= 0)
		r = sd_device_monitor_attach_event(h->monitor, h->s->event);
	if (r >= 0)
		r = sd_device_monitor_start(h->monitor, device_changed, h);
	if (r < 0)
		h->monitor = sd_device_monitor_unref(h->monitor);
	return r;
}

/* the monitor hears udevd, which may not be there */
static bool has_udev(void)
{
	struct stat st;

	return !stat("/run/udev/control", &st);
}

static int simulated_moved(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	uint64_t n;

	(void)source;
	(void)events;
	if (read(fd, &n, sizeof(n)) > 0)
		disks_look(ctx);
	return 0;
}

int hotplug_new(struct service *s)
{
	struct hotplug *h;

	if (s->simulation)
		return sd_event_add_io(s->event, NULL, dw_simulation_fd(s->simulation),
				       EPOLLIN, simulated_moved, s);
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->s = s;
	s->hotplug = h;
	if (!has_udev() || listen_to_udev(h) < 0)
		service_note(s, "no udev: disks are looked for every 30 s");
	return sd_event_add_time_relative(s->event, &h->timer, CLOCK_MONOTONIC,
					  h->monitor ? QUIET_US : BLIND_US, 0, look_now,
					  h);
}

void hotplug_free(struct service *s)
{
	struct hotplug *h = s->hotplug;

	if (!h)
		return;
	sd_device_monitor_unref(h->monitor);
	sd_event_source_unref(h->timer);
	free(h);
	s->hotplug = NULL;
}
