/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hook as a transient unit of systemd: diskwiped-hook-ID.service, in a sandbox of its own, which
 * drop-ins for diskwiped-hook-.service change. systemd ends it when its time is over.
 *
 * It may have ended before systemd has answered that it starts. So the signal that tells of the end
 * is listened for first, and a reference keeps the unit until its result has been read. The signal
 * is only a hint to read that: anybody may send one.
 */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus.h"
#include "hook_run.h"

#define SYSTEMD  "org.freedesktop.systemd1"
#define AT       "/org/freedesktop/systemd1"
#define MANAGER  SYSTEMD ".Manager"
#define US_PER_S UINT64_C(1000000)
#define GRACE_S  15 /* systemd itself may be slow */

/**
 * struct unit_run - a unit that was asked for
 * @name: of it
 * @known: systemd has it
 * @over: it has ended
 * @overdue: systemd should have ended it long ago
 */
struct unit_run {
	char name[64];
	bool known;
	bool over;
	bool overdue;
	sd_bus_slot *removed;
	sd_bus_slot *start;
	sd_bus_slot *ask;
	sd_event_source *timer;
};

/** struct unit_result - what systemd says of a unit */
struct unit_result {
	char state[32];
	char result[32];
	int32_t code;
	int32_t status;
};

static void report_manager(struct hook *h, const char *method, const char *types,
			   const char *mode)
{
	const struct unit_run *u = h->run;
	sd_bus *bus = bus_system(h->s);

	if (bus)
		sd_bus_call_method_async(bus, NULL, SYSTEMD, AT, MANAGER, method, NULL,
					 NULL, types, u->name, mode);
}

static void leave_unit(struct hook *h, bool kill)
{
	struct unit_run *u = h->run;

	if (kill && u->known && !u->over)
		report_manager(h, "StopUnit", "ss", "replace");
	if (u->known)
		report_manager(h, "UnrefUnit", "s", NULL);
	sd_bus_slot_unref(u->removed);
	sd_bus_slot_unref(u->start);
	sd_bus_slot_unref(u->ask);
	sd_event_source_unref(u->timer);
	free(u);
	h->run = NULL;
}

bool unit_runs(const struct hook *h)
{
	return h->run && h->leave == leave_unit;
}

/* --- its end -------------------------------------------------------------------- */

static int read_member(sd_bus_message *m, const char *key, struct unit_result *ret)
{
	const char *text;
	int r;

	if (!strcmp(key, "ExecMainCode"))
		return sd_bus_message_read(m, "v", "i", &ret->code);
	if (!strcmp(key, "ExecMainStatus"))
		return sd_bus_message_read(m, "v", "i", &ret->status);
	if (strcmp(key, "ActiveState") != 0 && strcmp(key, "Result") != 0)
		return sd_bus_message_skip(m, "v");
	r = sd_bus_message_read(m, "v", "s", &text);
	if (r >= 0)
		snprintf(key[0] == 'A' ? ret->state : ret->result, sizeof(ret->state),
			 "%s", text);
	return r;
}

static int read_result(sd_bus_message *m, struct unit_result *ret)
{
	const char *key;
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0) {
		r = sd_bus_message_enter_container(m, 'e', "sv");
		if (r <= 0)
			return r;
		r = sd_bus_message_read(m, "s", &key);
		if (r >= 0)
			r = read_member(m, key, ret);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	return r;
}

/* It has succeeded only if its process has, and systemd says the same of the unit. */
static void judge_unit(struct hook *h, const struct unit_result *u)
{
	bool late = !strcmp(u->result, "timeout"), exited = u->code == CLD_EXITED;
	char why[128] = "";

	if (!late && exited && u->status >= 200 && u->status < 246)
		snprintf(
			why, sizeof(why),
			"exit code %d, with which systemd says that it cannot be run; see "
			"journalctl -u 'diskwiped-hook-*'",
			u->status);
	else if (!late && (!u->code || (exited && !u->status)) &&
		 strcmp(u->result, "success") != 0)
		snprintf(why, sizeof(why), "systemd says: %s", u->result);
	else if (!late && !u->code)
		snprintf(why, sizeof(why), "it has not been run");
	if (why[0])
		hook_ended(h, why);
	else
		hook_judge(h, late, u->code, u->status);
}

static int on_result(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	struct hook *h = ctx;
	struct unit_run *u = h->run;
	struct unit_result result = { 0 };

	(void)error;
	u->ask = sd_bus_slot_unref(u->ask);
	if (sd_bus_message_is_method_error(m, NULL) || read_result(m, &result) < 0) {
		hook_ended(h, "systemd cannot tell how it ended");
		return 1;
	}
	u->over = !strcmp(result.state, "inactive") || !strcmp(result.state, "failed");
	if (u->over || result.code)
		judge_unit(h, &result);
	else if (u->overdue)
		hook_judge(h, true, 0, 0);
	return 1;
}

static void ask_unit(struct hook *h)
{
	struct unit_run *u = h->run;
	char *path = NULL;
	int r;

	u->ask = sd_bus_slot_unref(u->ask); /* what it reports may be old */
	r = sd_bus_path_encode(AT "/unit", u->name, &path);
	if (r >= 0)
		r = sd_bus_call_method_async(bus_system(h->s), &u->ask, SYSTEMD, path,
					     "org.freedesktop.DBus.Properties", "GetAll",
					     on_result, h, "s", "");
	free(path);
	if (r < 0)
		hook_ended(h, strerror(-r));
}

static int on_removed(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	struct hook *h = ctx;
	const struct unit_run *u = h->run;
	const char *unit;

	(void)error;
	if (sd_bus_message_read(m, "uoss", NULL, NULL, &unit, NULL) >= 0 &&
	    !strcmp(unit, u->name))
		ask_unit(h);
	return 0;
}

static int on_overdue(sd_event_source *source, uint64_t usec, void *ctx)
{
	struct hook *h = ctx;
	struct unit_run *u = h->run;

	(void)source;
	(void)usec;
	u->overdue = true;
	ask_unit(h);
	return 0;
}

/* --- its beginning ---------------------------------------------------------------- */

/* There is a bus, but no systemd: its error is one of nobody there. */
static bool is_without_systemd(const sd_bus_error *e)
{
	static const char *const kinds[] = { SD_BUS_ERROR_SERVICE_UNKNOWN,
					     SD_BUS_ERROR_NAME_HAS_NO_OWNER };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (sd_bus_error_has_name(e, kinds[i]))
			return true;
	return e && e->name && strstr(e->name, ".Error.Spawn.");
}

static int on_start(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	struct hook *h = ctx;
	struct unit_run *u = h->run;
	const sd_bus_error *e = sd_bus_message_get_error(m);
	char why[140];

	(void)error;
	u->start = sd_bus_slot_unref(u->start);
	if (!e)
		return 1;
	if (is_without_systemd(e)) {
		u->known = false;
		leave_unit(h, false);
		child_start(h);
		return 1;
	}
	snprintf(why, sizeof(why), "systemd does not start it: %.100s", e->message);
	hook_ended(h, why);
	return 1;
}

/* What may be written in a unit, from words: b, s, t, i, u as in D-Bus. */
static int add_words(sd_bus_message *m)
{
	static const struct {
		const char *name;
		const char *type;
		const char *text;
		uint64_t number;
	} rows[] = {
		{ "Type", "s", "oneshot", 0 },
		{ "AddRef", "b", NULL, 1 },
		{ "CollectMode", "s", "inactive-or-failed", 0 },
		{ "KillSignal", "i", NULL, SIGKILL },
		{ "StandardInput", "s", "data", 0 },
		{ "StandardOutput", "s", "null", 0 },
		{ "StandardError", "s", "journal", 0 },
		{ "UMask", "u", NULL, 0077 },
		{ "NoNewPrivileges", "b", NULL, 1 },
		{ "CapabilityBoundingSet", "t", NULL, 0 },
		{ "PrivateDevices", "b", NULL, 1 },
		{ "PrivateTmp", "b", NULL, 1 },
		{ "ProtectSystem", "s", "strict", 0 },
		{ "ProtectHome", "s", "yes", 0 },
		{ "ProtectProc", "s", "invisible", 0 },
		{ "ProtectKernelTunables", "b", NULL, 1 },
		{ "ProtectKernelModules", "b", NULL, 1 },
		{ "ProtectKernelLogs", "b", NULL, 1 },
		{ "ProtectControlGroups", "b", NULL, 1 },
		{ "ProtectClock", "b", NULL, 1 },
		{ "ProtectHostname", "b", NULL, 1 },
		{ "RestrictNamespaces", "t", NULL, 0 },
		{ "RestrictRealtime", "b", NULL, 1 },
		{ "RestrictSUIDSGID", "b", NULL, 1 },
		{ "LockPersonality", "b", NULL, 1 },
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && r >= 0; i++)
		if (rows[i].text)
			r = sd_bus_message_append(m, "(sv)", rows[i].name, "s",
						  rows[i].text);
		else if (rows[i].type[0] == 't')
			r = sd_bus_message_append(m, "(sv)", rows[i].name, "t",
						  rows[i].number);
		else
			r = sd_bus_message_append(m, "(sv)", rows[i].name, rows[i].type,
						  (uint32_t)rows[i].number);
	return r;
}

static int add_input(sd_bus_message *m, const char *text)
{
	int r = sd_bus_message_open_container(m, 'r', "sv");

	if (r >= 0)
		r = sd_bus_message_append(m, "s", "StandardInputData");
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'v', "ay");
	if (r >= 0)
		r = sd_bus_message_append_array(m, 'y', text, strlen(text));
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

/* what is of this hook; a user that does not exist is one while the hook runs */
static int add_own(sd_bus_message *m, const struct hook *h, bool exists)
{
	int r = sd_bus_message_append(m, "(sv)(sv)(sv)(sv)", "User", "s", h->user,
				      "DynamicUser", "b", (int)!exists,
				      "TimeoutStartUSec", "t", h->seconds * US_PER_S,
				      "TimeoutStopUSec", "t", 5 * US_PER_S);

	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "StateDirectory", "as", 1,
					  "diskwipe-hooks");
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "SystemCallFilter", "(bas)", 1, 1,
					  "@system-service");
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "SystemCallArchitectures", "as", 1,
					  "native");
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "ExecStart", "a(sasb)", 1,
					  h->program, 1, h->program, 0);
	return r < 0 ? r : add_input(m, h->text);
}

static int describe_unit(sd_bus_message *m, const struct hook *h, bool exists)
{
	const struct unit_run *u = h->run;
	char what[300];
	int r = sd_bus_message_append(m, "ss", u->name, "fail");

	snprintf(what, sizeof(what), "Hook of diskwiped, %s: %s", h->event, h->program);
	dw_text_printable(what);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "(sv)");
	if (r >= 0)
		r = sd_bus_message_append(m, "(sv)", "Description", "s", what);
	if (r >= 0)
		r = add_words(m);
	if (r >= 0)
		r = add_own(m, h, exists);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	return r < 0 ? r : sd_bus_message_append(m, "a(sa(sv))", 0);
}

static int ask_for(struct hook *h, bool exists)
{
	struct unit_run *u = h->run;
	sd_bus *bus = bus_system(h->s);
	sd_bus_message *m = NULL;
	int r = sd_bus_match_signal_async(bus, &u->removed, SYSTEMD, AT, MANAGER,
					  "JobRemoved", on_removed, NULL, h);

	if (r >= 0)
		r = sd_bus_message_new_method_call(bus, &m, SYSTEMD, AT, MANAGER,
						   "StartTransientUnit");
	if (r >= 0)
		r = describe_unit(m, h, exists);
	if (r >= 0)
		r = sd_bus_call_async(bus, &u->start, m, on_start, h, 0);
	sd_bus_message_unref(m);
	u->known = r >= 0;
	if (r >= 0)
		r = sd_event_add_time_relative(h->s->event, &u->timer, CLOCK_MONOTONIC,
					       (h->seconds + GRACE_S) * US_PER_S, 0,
					       on_overdue, h);
	return r;
}

void unit_start(struct hook *h)
{
	const struct passwd *user = getpwnam(h->user);
	struct unit_run *u = calloc(1, sizeof(*u));
	sd_id128_t id;
	int r = u ? sd_id128_randomize(&id) : -ENOMEM;

	h->run = u;
	h->leave = leave_unit;
	if (r >= 0) {
		snprintf(u->name, sizeof(u->name),
			 "diskwiped-hook-" SD_ID128_FORMAT_STR ".service",
			 SD_ID128_FORMAT_VAL(id));
		r = user && !user->pw_uid ? -EPERM : ask_for(h, user != NULL);
	}
	if (user && !user->pw_uid)
		hook_ended(h, "its user is root, which no hook may be");
	else if (r < 0)
		hook_ended(h, strerror(-r));
}
