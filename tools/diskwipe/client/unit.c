/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What systemd says of the service, and what doctor makes of it. */
#include "client/unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/bus.h"
#include "client/doctor.h"

#define UNIT   "diskwiped.service"
#define SOCKET "/run/diskwipe/bus"

#define DROP_INS "/etc/systemd/system/diskwiped.service.d"

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

static void manager_text(sd_bus *bus, const char *name, char *buf, size_t size)
{
	char *text = NULL;

	buf[0] = '\0';
	if (sd_bus_get_property_string(bus, CLI_BUS_NAME, CLI_BUS_MANAGER,
				       CLI_BUS_NAME ".Manager", name, NULL, &text) >= 0)
		snprintf(buf, size, "%s", text);
	free(text);
}

/* Whether the trouble is what the service may not write, by its sandbox or by a read-only file
 * system. */
static bool is_read_only(const char *why)
{
	return strstr(why, "ead-only") || strstr(why, "read only");
}

/* A station that is configured to sign its records and cannot is a finding. */
static bool judge_records(sd_bus *bus, const struct cli_unit *u, struct dw_finding *f)
{
	char why[512];

	if (strcmp(u->active, "active") != 0)
		return false;
	manager_text(bus, "RecordsTrouble", why, sizeof(why));
	if (!why[0])
		return false;
	found(f, "no signed records are written: %s",
	      is_read_only(why)
		      ? "diskwipe doctor --fix, as root: its sandbox is opened for that "
			"folder"
		      : "correct that, or name another folder or key in diskwiped.conf; then "
			"systemctl reload diskwiped",
	      why);
	snprintf(f->key, sizeof(f->key), "records");
	return true;
}

/* A path that systemd reads in a unit file as it is written: it has no blanks, quotes or
 * specifiers. */
static bool is_plain_path(const char *path)
{
	return path[0] == '/' && path[strspn(path, "/.")] && !strstr(path, "..") &&
	       strspn(path,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		      "/._-") == strlen(path);
}

static int make_folders(const char *path, mode_t mode)
{
	char part[300];

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(part, mode) && errno != EEXIST ? -errno : 0;
}

#define LOOKS   1500
#define LOOK_US 100000

/* Waits for at most the time that systemd gives the service to stop and to start. */
static void await_start(sd_bus *bus)
{
	for (int i = 0; i < LOOKS && cli_unit_read(bus).has_job; i++)
		usleep(LOOK_US);
}

static int restart_service(sd_bus *bus)
{
	static const char systemd[] = "org.freedesktop.systemd1";
	static const char manager[] = "/org/freedesktop/systemd1";
	static const char face[] = "org.freedesktop.systemd1.Manager";
	int r = sd_bus_call_method(bus, systemd, manager, face, "Reload", NULL, NULL, "");

	return r < 0 ? r
		     : sd_bus_call_method(bus, systemd, manager, face, "RestartUnit",
					  NULL, NULL, "ss", UNIT, "replace");
}

static int fix(struct cli *c, sd_bus *bus)
{
	char folder[256], why[512], text[400];
	int r;

	manager_text(bus, "RecordsFolder", folder, sizeof(folder));
	manager_text(bus, "RecordsTrouble", why, sizeof(why));
	if (!folder[0])
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--fix: the service does not run, or has no records= in its "
			"configuration; see diskwiped.conf(5)");
	if (why[0] && !is_read_only(why)) /* empty: it has not tried yet, perhaps */
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--fix: the sandbox of the service is not the cause: %s; correct "
			"that, then systemctl reload diskwiped",
			why);
	if (!is_plain_path(folder))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--fix: records = %s: name a folder by letters, digits, "
				"'-', '.', '_' and '/' alone",
				folder);
	snprintf(text, sizeof(text), "[Service]\nReadWritePaths=-%s\n", folder);
	r = make_folders(folder, 0755);
	if (!r)
		r = make_folders(DROP_INS, 0755);
	if (!r)
		r = dw_file_write(DROP_INS "/records.conf", text, strlen(text));
	if (r)
		return cli_fail(c, CLI_EXIT_USAGE, "--fix: " DROP_INS "/records.conf: %s",
				dw_file_error(r));
	r = restart_service(bus);
	if (r < 0)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--fix: " DROP_INS "/records.conf is written; systemd: %s; "
			"go on with: systemctl daemon-reload && systemctl restart "
			"diskwiped",
			strerror(-r));
	await_start(bus);
	if (strcmp(cli_unit_read(bus).active, "active") != 0)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--fix: " DROP_INS
				"/records.conf is written, and the service "
				"did not start; see journalctl -u diskwiped");
	cli_say(c,
		DROP_INS "/records.conf lets the service write to %s; it was restarted, "
			 "and its jobs go on",
		folder);
	return 0;
}

int cli_client_fix(struct cli *c)
{
	sd_bus *bus = NULL;
	int r = sd_bus_open_system(&bus);

	if (r < 0)
		return cli_fail(c, CLI_EXIT_UNREACHABLE, "--fix: the system bus: %s",
				strerror(-r));
	r = fix(c, bus);
	sd_bus_flush_close_unref(bus);
	return r;
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
	bool bad;

	if (sd_bus_open_system(&bus) < 0)
		return judge_socket(ret);
	sd_bus_set_method_call_timeout(bus, 5 * UINT64_C(1000000));
	u = cli_unit_read(bus);
	bad = judge(&u, ret) || judge_records(bus, &u, ret);
	sd_bus_flush_close_unref(bus);
	return bad;
}
