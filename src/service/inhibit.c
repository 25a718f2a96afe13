/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine stays on while disks are being erased: logind keeps it from being shut down or put
 * to sleep as long as a descriptor is open that it hands out. A question that is no longer wanted
 * is dropped with its answer, so that no descriptor stays open that nobody knows of.
 */
#include <fcntl.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "bus.h"
#include "service.h"

static int inhibited(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	struct service *s = ctx;
	int fd;

	(void)error;
	if (sd_bus_message_is_method_error(m, NULL) ||
	    sd_bus_message_read(m, "h", &fd) < 0) {
		s->inhibit = sd_bus_slot_unref(s->inhibit); /* asked again */
		return 1;
	}
	s->inhibitor = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return 1;
}

void bus_inhibit(struct service *s, bool on)
{
	if (!on) {
		s->inhibit = sd_bus_slot_unref(s->inhibit);
		if (s->inhibitor >= 0)
			close(s->inhibitor);
		s->inhibitor = -1;
		return;
	}
	if (s->inhibit || !bus_system(s))
		return;
	sd_bus_call_method_async(bus_system(s), &s->inhibit, "org.freedesktop.login1",
				 "/org/freedesktop/login1",
				 "org.freedesktop.login1.Manager", "Inhibit", inhibited,
				 s, "ssss", "shutdown:sleep", "diskwiped",
				 "disks are being erased", "block");
}
