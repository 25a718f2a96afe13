/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to the service. On the system bus it is asked for by name, and the bus starts it. If
 * its unit cannot start, the bus would say nothing for 25 seconds; so systemd is asked
 * meanwhile. Without the name on a bus there is the private socket, where the service answers
 * directly. What it reports by signals is only a hint to look again.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/bus.h"
#include "client/unit.h"
#include "signals.h"

#define SOCKET       "unix:path=/run/diskwipe/bus"
#define ERROR_PREFIX CLI_BUS_NAME ".Error."
#define DBUS_ERROR   "org.freedesktop.DBus.Error."
#define UNIT_ERROR   "org.freedesktop.systemd1."
#define START_IT     "start it: systemctl start diskwiped"
#define UNIT         "diskwiped.service"
#define SEE_UNIT     "; see systemctl status diskwiped"
#define CALL_USEC    (120 * UINT64_C(1000000))
#define START_USEC   (30 * UINT64_C(1000000))
#define ASK_USEC     UINT64_C(200000)
#define FIND_MS      5000                /* a service that does not answer is none */
#define IDLE_LOOKS   3                   /* systemd may not have heard of it yet */
#define CALM_NS      UINT64_C(250000000) /* between two readings */

int cli_bus_fail(struct cli_client *k, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->why, sizeof(k->why), format, args);
	va_end(args);
	return code;
}

static bool is_gone(int r)
{
	return r == -ENOTCONN || r == -ECONNRESET || r == -EPIPE || r == -ESHUTDOWN ||
	       r == -ECHILD;
}

static int explain_errno(struct cli_client *k, int r)
{
	if (is_gone(r))
		return cli_bus_fail(
			k, CLI_EXIT_UNREACHABLE,
			"the service has closed the connection: it has ended (journalctl "
			"-u diskwiped), or it admits only root and its operators");
	if (r == -ECANCELED)
		return cli_bus_fail(k, CLI_EXIT_UNREACHABLE,
				    "nobody waits for the answer of the service");
	if (r == -ETIMEDOUT)
		return cli_bus_fail(k, CLI_EXIT_UNREACHABLE,
				    "the service does not answer; see systemctl status "
				    "diskwiped");
	return cli_bus_fail(k, CLI_EXIT_USAGE, "the service cannot be asked: %s",
			    strerror(-r));
}

/* What the service says may begin as we would. */
static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/*
 * A name that ends with a dot stands for all that begin with it: systemd and the bus have many
 * for a service that cannot be started.
 */
static bool is_error(const char *name, const char *known)
{
	size_t len = strlen(known);

	return known[len - 1] == '.' ? begins_with(name, known) : !strcmp(name, known);
}

int cli_bus_explain(struct cli_client *k, int r, const sd_bus_error *e)
{
	static const struct {
		const char *name;
		enum cli_exit code;
		const char *before;
		const char *after;
	} known[] = {
		{ ERROR_PREFIX "NotAuthorized", CLI_EXIT_PERMISSION,
		  "not allowed: ", "; ask as root, or as an operator of the station" },
		{ DBUS_ERROR "AccessDenied", CLI_EXIT_PERMISSION,
		  "not allowed: ", "; ask as root, or as an operator of the station" },
		{ DBUS_ERROR "InteractiveAuthorizationRequired", CLI_EXIT_PERMISSION,
		  "not allowed: ", "; ask as root, or on a terminal" },
		{ ERROR_PREFIX "Refused", CLI_EXIT_REFUSED, "refused: ", "" },
		{ ERROR_PREFIX "Busy", CLI_EXIT_REFUSED, "busy: ", "" },
		{ ERROR_PREFIX "NotFound", CLI_EXIT_REFUSED, "not found: ", "" },
		{ ERROR_PREFIX "Invalid", CLI_EXIT_USAGE, "", "" },
		{ DBUS_ERROR "ServiceUnknown", CLI_EXIT_UNREACHABLE,
		  "no service here: ", "; " START_IT },
		{ DBUS_ERROR "NameHasNoOwner", CLI_EXIT_UNREACHABLE,
		  "no service here: ", "; " START_IT },
		{ DBUS_ERROR "NoReply", CLI_EXIT_UNREACHABLE,
		  "the service does not answer: ", SEE_UNIT },
		{ DBUS_ERROR "Timeout", CLI_EXIT_UNREACHABLE,
		  "the service does not answer: ", SEE_UNIT },
		{ DBUS_ERROR "TimedOut", CLI_EXIT_UNREACHABLE,
		  "the service does not answer: ", SEE_UNIT },
		{ DBUS_ERROR "Disconnected", CLI_EXIT_UNREACHABLE,
		  "the service has gone: ", "; see journalctl -u diskwiped" },
		{ UNIT_ERROR "UnitMasked", CLI_EXIT_UNREACHABLE,
		  "the service is masked: ",
		  "; systemctl unmask diskwiped, then " START_IT },
		{ UNIT_ERROR "NoSuchUnit", CLI_EXIT_UNREACHABLE,
		  "the service is not installed: ",
		  "; install diskwiped, then systemctl daemon-reload" },
		{ UNIT_ERROR, CLI_EXIT_UNREACHABLE,
		  "the service cannot be started: ", SEE_UNIT },
		{ DBUS_ERROR "Spawn.", CLI_EXIT_UNREACHABLE,
		  "the bus cannot start the service: ",
		  "; " START_IT ", or see journalctl -u diskwiped" },
	};
	const char *text;

	if (!e || !e->name || is_gone(r))
		return explain_errno(k, r);
	text = e->message ? e->message : e->name;
	for (size_t i = 0; i < CLI_ARRAY_SIZE(known); i++)
		if (is_error(e->name, known[i].name))
			return cli_bus_fail(
				k, known[i].code, "%s%s%s",
				begins_with(text, known[i].before) ? "" : known[i].before,
				text, known[i].after);
	return cli_bus_fail(k, CLI_EXIT_USAGE, "the service says: %s", text);
}

const char *cli_client_why(const struct cli_client *k)
{
	return k->why;
}

/* Whether systemd has given up on the unit, or is about to try again in vain: why. One that
 * failed earlier and is about to be started has not. */
static bool unit_failed(sd_bus *bus, char *ret_why, size_t size)
{
	struct cli_unit u = cli_unit_read(bus);
	bool failed = !strcmp(u.sub, "auto-restart") ||
		      (!strcmp(u.active, "failed") && !u.has_job);

	if (failed)
		snprintf(ret_why, size, "%s, Result=%s", u.active, u.result);
	return failed;
}

/* Nobody starts it. */
static bool unit_is_idle(sd_bus *bus)
{
	struct cli_unit u = cli_unit_read(bus);

	return !strcmp(u.active, "inactive") && !u.has_job;
}

static int print_unit_failed(struct cli_client *k, const char *why)
{
	return cli_bus_fail(k, CLI_EXIT_UNREACHABLE,
			    "the service cannot start (%s); see journalctl -u diskwiped, "
			    "then systemctl restart diskwiped",
			    why);
}

/* A name in a list that the bus itself answers with. */
static bool bus_lists(sd_bus *bus, const char *method)
{
	sd_bus_message *m = NULL;
	const char *name;
	bool found = false;

	if (sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
			       "org.freedesktop.DBus", method, NULL, &m, "") >= 0 &&
	    sd_bus_message_enter_container(m, 'a', "s") >= 0)
		while (!found && sd_bus_message_read(m, "s", &name) > 0)
			found = !strcmp(name, CLI_BUS_NAME);
	sd_bus_message_unref(m);
	return found;
}

struct starting {
	bool done;
	sd_bus_error error;
};

static int on_started(sd_bus_message *m, void *data, sd_bus_error *ret)
{
	struct starting *s = data;

	s->done = true;
	if (sd_bus_message_is_method_error(m, NULL))
		sd_bus_error_copy(&s->error, sd_bus_message_get_error(m));
	return 1;
}

static int await_start(struct cli_client *k, sd_bus *bus, struct starting *s)
{
	uint64_t begin = cli_clock_ns(), end = begin + START_USEC * 1000;
	unsigned idle = 0;
	char why[96];
	int r = 0;

	while (!s->done && r >= 0) {
		r = sd_bus_process(bus, NULL);
		if (r)
			continue;
		if (cli_clock_ns() > end)
			return explain_errno(k, -ETIMEDOUT);
		r = sd_bus_wait(bus, ASK_USEC); /* the bus asks systemd to start it */
		if (r == -EINTR || cli_bus_given_up(k, begin))
			return cli_bus_fail(k, CLI_EXIT_UNREACHABLE,
					    "stopped while the service started");
		if (!r && unit_failed(bus, why, sizeof(why)))
			return print_unit_failed(k, why);
		if (!r && unit_is_idle(bus) && ++idle == IDLE_LOOKS)
			return cli_bus_fail(
				k, CLI_EXIT_UNREACHABLE,
				"the service is stopped, and the bus still waits for "
				"an earlier start of it; " START_IT
				", or see journalctl -u diskwiped");
	}
	if (r < 0)
		return explain_errno(k, r);
	if (!s->error.name)
		return 0;
	if (unit_failed(bus, why, sizeof(why)))
		return print_unit_failed(k, why);
	return cli_bus_explain(k, -EIO, &s->error);
}

static int start_by_bus(struct cli_client *k, sd_bus *bus)
{
	struct starting s = { .error = SD_BUS_ERROR_NULL };
	sd_bus_slot *slot = NULL;
	int r = sd_bus_call_method_async(bus, &slot, "org.freedesktop.DBus",
					 "/org/freedesktop/DBus", "org.freedesktop.DBus",
					 "StartServiceByName", on_started, &s, "su",
					 CLI_BUS_NAME, 0U);

	r = r < 0 ? explain_errno(k, r) : await_start(k, bus, &s);
	sd_bus_slot_unref(slot);
	sd_bus_error_free(&s.error);
	return r;
}

/* Whether systemd has a unit of the service; its variable for other folders counts. */
static bool is_installed(void)
{
	const char *const usual = "/etc/systemd/system:/run/systemd/system:"
				  "/usr/local/lib/systemd/system:/usr/lib/systemd/system:"
				  "/lib/systemd/system";
	const char *at = getenv("SYSTEMD_UNIT_PATH");
	char path[PATH_MAX];

	for (at = at && *at ? at : usual; *at; at += *at == ':') {
		int len = (int)strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s/" UNIT, len, at);
		if (!access(path, F_OK))
			return true;
		at += len;
	}
	return false;
}

static const char *how_to_start(void)
{
	if (is_installed())
		return START_IT;
	return "no unit " UNIT " is here: install the package diskwiped, or do without "
	       "it: diskwipe erase DEVICE...";
}

/* The system bus, if the service is there or can be. 0 with @ret NULL: it is not. */
static int by_system_bus(struct cli_client *k, sd_bus **ret)
{
	sd_bus *bus = NULL;
	char why[96];
	int r = 0;

	*ret = NULL;
	if (sd_bus_open_system(&bus) < 0)
		return 0;
	if (!bus_lists(bus, "ListNames")) {
		if (k->only_running)
			r = cli_bus_fail(k, CLI_EXIT_UNREACHABLE,
					 "the service does not run; " START_IT);
		else if (bus_lists(bus, "ListActivatableNames"))
			r = start_by_bus(k, bus);
		else if (access("/run/diskwipe/bus", F_OK) &&
			 unit_failed(bus, why, sizeof(why)))
			r = print_unit_failed(k, why);
		else
			bus = sd_bus_flush_close_unref(bus);
	}
	if (r)
		bus = sd_bus_flush_close_unref(bus);
	*ret = bus;
	return r;
}

static int not_at(struct cli_client *k, const char *address, int r)
{
	if (r == -EACCES || r == -EPERM)
		return cli_bus_fail(
			k, CLI_EXIT_PERMISSION,
			"not allowed to reach the service at %s: ask as root, or as an "
			"operator of the station",
			address);
	if (r == -EINVAL)
		return cli_bus_fail(k, CLI_EXIT_USAGE,
				    "%s: not the address of a bus, like %s", address,
				    SOCKET);
	return cli_bus_fail(k, CLI_EXIT_UNREACHABLE, "no service at %s: %s; %s", address,
			    strerror(-r), k->address ? "see --bus" : how_to_start());
}

/* The service answers as a bus would: greeting and all. */
static int by_address(struct cli_client *k, const char *address, sd_bus **ret)
{
	sd_bus *bus = NULL;
	int r = strchr(address, ':') ? sd_bus_new(&bus) : -EINVAL;

	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(bus, 1);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0) {
		sd_bus_close_unref(bus);
		return not_at(k, address, r);
	}
	*ret = bus;
	return 0;
}

static void keep_notice(struct cli_client *k, sd_bus_message *m)
{
	struct cli_notice **end = &k->notice;
	const char *disk, *text;

	if (sd_bus_message_read(m, "os", &disk, &text) < 0)
		return;
	while (*end)
		end = &(*end)->next;
	*end = cli_allocate(1, sizeof(**end));
	(*end)->disk = strdup(disk);
	(*end)->text = strdup(text);
}

/* What a signal says is read again as properties; only remarks are nowhere else. */
static int on_message(sd_bus_message *m, void *data, sd_bus_error *ret)
{
	struct cli_client *k = data;
	const char *path = sd_bus_message_get_path(m);

	if (sd_bus_message_is_signal(m, "org.freedesktop.DBus", "NameOwnerChanged"))
		k->changed = true;
	if (!sd_bus_message_is_signal(m, NULL, NULL) || !path ||
	    strncmp(path, CLI_BUS_PATH, sizeof(CLI_BUS_PATH) - 1) != 0)
		return 0;
	k->changed = true;
	if (sd_bus_message_is_signal(m, CLI_BUS_NAME ".Job", "Notice"))
		keep_notice(k, m);
	return 0;
}

/* Without a bus in between nobody answers this, and all signals come anyway. */
static int add_match(sd_bus *bus, const char *rule)
{
	return sd_bus_call_method_async(bus, NULL, "org.freedesktop.DBus",
					"/org/freedesktop/DBus", "org.freedesktop.DBus",
					"AddMatch", NULL, NULL, "s", rule);
}

static int subscribe(struct cli_client *k)
{
	int r = sd_bus_add_filter(k->bus, NULL, on_message, k);

	if (r >= 0)
		r = add_match(k->bus, "type='signal',sender='" CLI_BUS_NAME
				      "',path_namespace='" CLI_BUS_PATH "'");
	if (r >= 0)
		r = add_match(k->bus,
			      "type='signal',sender='org.freedesktop.DBus',member="
			      "'NameOwnerChanged',arg0='" CLI_BUS_NAME "'");
	return r < 0 ? explain_errno(k, r) : 0;
}

/* What was asked has been answered, or nobody waits for it: flushing would wait for the service. */
static void disconnect(struct cli_client *k)
{
	k->bus = sd_bus_close_unref(k->bus);
}

int cli_client_connect(struct cli_client *k)
{
	int r = 0;

	disconnect(k);
	if (k->address)
		r = by_address(k, k->address, &k->bus);
	else
		r = by_system_bus(k, &k->bus);
	if (!r && !k->bus)
		r = by_address(k, SOCKET, &k->bus);
	if (r)
		return r;
	sd_bus_set_allow_interactive_authorization(k->bus, isatty(STDIN_FILENO));
	sd_bus_set_method_call_timeout(k->bus, CALL_USEC);
	k->changed = true;
	return subscribe(k);
}

static struct cli_client *client_new(const char *address)
{
	struct cli_client *k = cli_allocate(1, sizeof(*k));

	if (address)
		k->address = strdup(address);
	return k;
}

void cli_client_set_waiting(struct cli_client *k, unsigned int limit_ms,
			    cli_client_waiting *waiting, void *ctx)
{
	k->limit_ns = (uint64_t)limit_ms * 1000000;
	k->waiting = waiting;
	k->waiting_ctx = ctx;
}

bool cli_bus_given_up(struct cli_client *k, uint64_t since_ns)
{
	return k->waiting &&
	       k->waiting(k->waiting_ctx,
			  (unsigned int)((cli_clock_ns() - since_ns) / 1000000));
}

void cli_client_free(struct cli_client *k)
{
	char *disk, *text;

	if (!k)
		return;
	disconnect(k);
	while (cli_client_notice(k, &disk, &text)) {
		free(disk);
		free(text);
	}
	free(k->address);
	free(k);
}

/* With the address of --bus or the environment. */
static struct cli_client *client_of(const struct cli *c)
{
	const char *address = c->bus ? c->bus : getenv("DISKWIPE_BUS_ADDRESS");

	return client_new(address && *address ? address : NULL);
}

static bool is_stopped(void *ctx, unsigned int waited_ms)
{
	return cli_signals_stop() != 0;
}

struct cli_client *cli_client_find(const struct cli *c)
{
	struct cli_client *k = client_of(c);

	k->only_running = true;
	cli_client_set_waiting(k, FIND_MS, is_stopped, NULL);
	if (!cli_client_connect(k))
		return k;
	cli_client_free(k);
	return NULL;
}

int cli_client_open(struct cli *c, struct cli_client **ret)
{
	struct cli_client *k = client_of(c);
	int r = cli_client_connect(k);

	if (r) {
		cli_fail(c, (enum cli_exit)r, "%s", k->why);
		cli_client_free(k);
		return r;
	}
	*ret = k;
	return 0;
}

bool cli_client_notice(struct cli_client *k, char **ret_disk, char **ret_text)
{
	struct cli_notice *n = k->notice;

	if (!n)
		return false;
	*ret_disk = n->disk;
	*ret_text = n->text;
	k->notice = n->next;
	free(n);
	return true;
}

/* Takes what has come; does not wait. 1 = something has changed since the last
 * cli_client_read(), 0 = nothing; negative errno = the service is out of reach. */
static int client_changed(struct cli_client *k)
{
	int r;

	if (!k->bus)
		return -ENOTCONN;
	do
		r = sd_bus_process(k->bus, NULL);
	while (r > 0);
	if (r >= 0 && sd_bus_is_open(k->bus) <= 0)
		r = -ENOTCONN;
	if (r < 0) {
		explain_errno(k, r);
		return r;
	}
	return k->changed;
}

/* Milliseconds until the bus wants to be looked after, or @end; -1 = no limit. */
static int time_left(struct cli_client *k, uint64_t end, uint64_t now)
{
	uint64_t usec = UINT64_MAX, until = end;

	if (k->changed && k->read_ns + CALM_NS < until)
		until = k->read_ns + CALM_NS;
	if (sd_bus_get_timeout(k->bus, &usec) > 0 && usec < until / 1000)
		until = usec * 1000;
	if (until == UINT64_MAX)
		return -1;
	return until > now ? (int)((until - now + 999999) / 1000000) : 0;
}

static int wait_once(struct cli_client *k, int input, uint64_t end)
{
	struct pollfd fds[] = { { .fd = sd_bus_get_fd(k->bus) },
				{ .fd = input, .events = POLLIN } };
	int r = sd_bus_get_events(k->bus);

	if (r < 0)
		return r;
	fds[0].events = (short)r;
	r = poll(fds, CLI_ARRAY_SIZE(fds), time_left(k, end, cli_clock_ns()));
	if (r < 0)
		return -errno;
	return fds[1].revents ? CLI_CLIENT_INPUT : 0;
}

int cli_client_wait(struct cli_client *k, int input, int timeout_ms)
{
	uint64_t end = UINT64_MAX;

	if (timeout_ms >= 0)
		end = cli_clock_ns() + (uint64_t)timeout_ms * 1000000;
	for (;;) {
		int r = client_changed(k), mask;

		if (r < 0)
			return r;
		mask = r && cli_clock_ns() >= k->read_ns + CALM_NS ? CLI_CLIENT_CHANGED
								   : 0;
		r = wait_once(k, input, mask ? 0 : end);
		if (r == -EINTR)
			return 0;
		if (r < 0)
			return r;
		mask |= r;
		if (mask || cli_clock_ns() >= end)
			return mask;
	}
}
