/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What systemd says of the service, and what doctor makes of it. */
#include "client/unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/doctor.h"

#define UNIT   "diskwiped.service"
#define SOCKET "/run/diskwipe/bus"

static void unit_property(sd_bus *bus, const char *unit, const char *interface,
			  const char *name, char buf[32])
{
	char *text = NULL;

	if (sd_bus_get_property_string(bus, "org.freedesktop.systemd1", unit, interface,
				       name, NULL, &text) >= 0)
		snprintf(buf, 32, "%s", text);
	free(text);
}

static bool has_job(sd_bus *bus, const char *unit, const char *interface)
{
	sd_bus_message *m = NULL;
	uint32_t id = 0;

	if (sd_bus_get_property(bus, "org.freedesktop.systemd1", unit, interface, "Job",
				NULL, &m, "(uo)") >= 0)
		(void)sd_bus_message_read(m, "(uo)", &id, NULL);
	sd_bus_message_unref(m);
	return id != 0;
}

struct cli_unit cli_unit_read(sd_bus *bus)
{
	static const char interface[] = "org.freedesktop.systemd1.Unit";
	struct cli_unit u = { 0 };
	char *unit = NULL;

	if (sd_bus_path_encode("/org/freedesktop/systemd1/unit", UNIT, &unit) < 0)
		return u;
	unit_property(bus, unit, interface, "LoadState", u.load);
	unit_property(bus, unit, interface, "ActiveState", u.active);
	unit_property(bus, unit, interface, "SubState", u.sub);
	unit_property(bus, unit, "org.freedesktop.systemd1.Service", "Result", u.result);
	u.has_job = has_job(bus, unit, interface);
	free(unit);
	return u;
}

__attribute__((format(printf, 2, 4))) static bool
found(struct dw_finding *f, const char *text, const char *advice, ...)
{
	va_list args;

	*f = (struct dw_finding){ .key = "service", .subject = "diskwiped" };
	snprintf(f->advice, sizeof(f->advice), "%s", advice);
	va_start(args, advice);
	vsnprintf(f->text, sizeof(f->text), text, args);
	va_end(args);
	return true;
}

/* Of a unit that is there; what it does between two states is no fault, and a
 * socket that listens starts it. */
static bool judge(const struct cli_unit *u, struct dw_finding *f)
{
	if (!u->load[0] || !strcmp(u->load, "not-found"))
		return false;
	if (!strcmp(u->load, "masked"))
		return found(f, "the service is masked: nothing can start it",
			     "systemctl unmask diskwiped, then systemctl enable --now "
			     "diskwiped");
	if (strcmp(u->load, "loaded") != 0)
		return found(f, "its unit cannot be loaded (%s)",
			     "systemctl status diskwiped says which line; then systemctl "
			     "daemon-reload",
			     u->load);
	if (!strcmp(u->active, "failed") || !strcmp(u->sub, "auto-restart"))
		return found(f, "the service has failed (Result=%s)",
			     "journalctl -u diskwiped says why; then systemctl restart "
			     "diskwiped",
			     u->result);
	if (!strcmp(u->active, "inactive") && !u->has_job && access(SOCKET, F_OK))
		return found(
			f, "the service is installed and does not run",
			"systemctl enable --now diskwiped, if disks are to be erased "
			"by it");
	return false;
}

/* Without a bus the socket is the only way. */
static bool judge_socket(struct dw_finding *f)
{
	if (!access(SOCKET, W_OK) || errno != EACCES)
		return false;
	return found(f, "its socket " SOCKET " does not admit this user",
		     "ask as root, or as one of its group: usermod -aG "
		     "diskwipe-operators NAME, then log in again");
}

bool cli_client_doctor(struct dw_finding *ret)
{
	struct cli_unit u;
	sd_bus *bus = NULL;

	if (sd_bus_open_system(&bus) < 0)
		return judge_socket(ret);
	sd_bus_set_method_call_timeout(bus, 5 * UINT64_C(1000000));
	u = cli_unit_read(bus);
	sd_bus_flush_close_unref(bus);
	return judge(&u, ret);
}
