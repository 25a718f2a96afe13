/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may do what. On the socket that is decided once, when a process connects, by what the kernel
 * reports of it. On the system bus root may do everything and polkit answers for all others;
 * without
 * polkit they may do nothing. Polkit may wait for a person, whom somebody need not be: a user has
 * few questions that wait, and the last places are for users who have none. What cannot be done
 * whoever asks is refused without a question.
 */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus.h"
#include "report.h"

#define POLKIT      "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_FACE "org.freedesktop.PolicyKit1.Authority"
#define GROUPS_MAX  256
#define WAIT_US     (UINT64_C(120) * 1000000) /* somebody types a password */
#define PENDING_MAX 64                        /* calls that polkit is asked about */
#define RESERVE     16 /* of these, for users of whom no other one is */
#define OWN_MAX     8  /* of one user */

/** struct pending - a call that polkit is asked about; in a list of all of them */
struct pending {
	struct pending *next;
	struct service *s;
	sd_bus_message *m;
	access_go *go;
	struct store_caller who;
	char action[64];
};

static struct pending *asked;

static bool is_member(int fd, gid_t group)
{
	gid_t list[GROUPS_MAX];
	socklen_t len = sizeof(list);
	struct ucred c;
	socklen_t c_len = sizeof(c);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &c_len) < 0)
		return false;
	if (c.gid == group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, list, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(list[0]); i++)
		if (list[i] == group)
			return true;
	return false;
}

bool access_admits(const struct settings *settings, int fd, uint32_t *ret_uid)
{
	socklen_t len = sizeof(struct ucred);
	const struct group *g;
	struct ucred c;

	*ret_uid = UINT32_MAX;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) < 0)
		return false;
	*ret_uid = c.uid;
	if (!c.uid || (settings->simulated &&
		       c.uid == geteuid())) /* groups may be asked of the network */
		return true;
	g = getgrnam(settings->group);
	return g && is_member(fd, g->gr_gid);
}

/* only reported, never decided by: a process may call itself anything */
static void read_proc(uint32_t pid, const char *file, char *buf, size_t size)
{
	char path[64];
	FILE *f;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(buf, (int)size, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

static int find_caller(sd_bus_message *m, struct store_caller *ret)
{
	const char *sender = sd_bus_message_get_sender(m);
	sd_bus_creds *creds = NULL;
	char login[24];
	uint64_t number;
	pid_t pid = 0;
	uid_t uid;
	int r = sd_bus_query_sender_creds(m, SD_BUS_CREDS_EUID | SD_BUS_CREDS_PID,
					  &creds);

	*ret = (struct store_caller){ .uid = UINT32_MAX, .loginuid = UINT32_MAX };
	if (r >= 0)
		r = sd_bus_creds_get_euid(creds, &uid);
	if (r >= 0) {
		ret->uid = uid;
		if (sd_bus_creds_get_pid(creds, &pid) >= 0)
			ret->pid = (uint32_t)pid;
		read_proc(ret->pid, "comm", ret->comm, sizeof(ret->comm));
		dw_text_printable(ret->comm);
		read_proc(ret->pid, "loginuid", login, sizeof(login));
		if (!dw_number_parse(login, &number) && number < UINT32_MAX)
			ret->loginuid = (uint32_t)number;
		snprintf(ret->bus, sizeof(ret->bus), "%s", sender ? sender : "");
	}
	sd_bus_creds_unref(creds);
	return r;
}

static int deny(const struct store_caller *who, const char *action, sd_bus_error *error)
{
	report_denied(who, action);
	return sd_bus_error_setf(error, ERROR("NotAuthorized"),
				 "not allowed: polkit action io.github.diskwipe.%s",
				 action);
}

static void forget(struct pending *p)
{
	struct pending **at = &asked;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	sd_bus_message_unref(p->m);
	free(p);
}

/* why polkit is not asked one more question of that user; NULL = it is */
static const char *has_no_room(uint32_t uid)
{
	unsigned own = 0, all = 0;

	for (const struct pending *p = asked; p; p = p->next) {
		all++;
		own += p->who.uid == uid;
	}
	if (own >= OWN_MAX)
		return "too many of your calls wait for polkit";
	return all >= PENDING_MAX - (own ? RESERVE : 0) ? "too many calls wait for polkit"
							: NULL;
}

static int judged(sd_bus_message *answer, void *ctx, sd_bus_error *unused)
{
	struct pending *p = ctx;
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int yes = 0, challenge = 0, r;

	(void)unused;
	if (!sd_bus_message_is_method_error(answer, NULL) &&
	    sd_bus_message_enter_container(answer, 'r', "bba{ss}") >= 0)
		sd_bus_message_read(answer, "bb", &yes, &challenge);
	r = yes ? p->go(p->s, p->m, &p->who, &error) : deny(&p->who, p->action, &error);
	if (sd_bus_error_is_set(&error))
		sd_bus_reply_method_error(p->m, &error);
	else if (r < 0)
		sd_bus_reply_method_errno(p->m, r, NULL);
	sd_bus_error_free(&error);
	forget(p);
	return 1;
}

static int ask_polkit(struct pending *p, sd_bus_error *error)
{
	sd_bus_message *call = NULL;
	char action[96];
	uint32_t flags = sd_bus_message_get_allow_interactive_authorization(p->m) > 0;
	sd_bus *bus = sd_bus_message_get_bus(p->m);
	int r = sd_bus_message_new_method_call(bus, &call, POLKIT, POLKIT_PATH,
					       POLKIT_FACE, "CheckAuthorization");

	snprintf(action, sizeof(action), "io.github.diskwipe.%s", p->action);
	if (r >= 0)
		r = sd_bus_message_append(call, "(sa{sv})sa{ss}us", "system-bus-name", 1,
					  "name", "s", p->who.bus, action, 0, flags, "");
	if (r >= 0)
		r = sd_bus_call_async(bus, NULL, call, judged, p, WAIT_US);
	sd_bus_message_unref(call);
	if (r < 0)
		sd_bus_error_set_errno(error, r);
	return r;
}

static int ask_about(const struct pending *call, const char *action, sd_bus_error *error)
{
	const char *why = has_no_room(call->who.uid);
	struct pending *p;
	int r;

	if (why)
		return sd_bus_error_set(error, ERROR("Busy"), why);
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = *call;
	sd_bus_message_ref(p->m);
	snprintf(p->action, sizeof(p->action), "%s", action);
	p->next = asked;
	asked = p;
	r = ask_polkit(p, error);
	if (r < 0)
		forget(p);
	return r < 0 ? r : 1;
}

int access_check(struct service *s, sd_bus_message *m, const char *action, access_go *go,
		 sd_bus_error *error)
{
	struct pending call = { .s = s, .m = m, .go = go };
	int r = find_caller(m, &call.who);

	if (r < 0)
		return sd_bus_error_setf(error, ERROR("NotAuthorized"),
					 "who asks is not known");
	/* on the socket it was let in when it connected */
	if (!call.who.uid || !sd_bus_message_get_sender(m))
		return go(s, m, &call.who, error);
	r = go(s, m, NULL, error);
	if (r >= 0)
		r = sd_bus_message_rewind(m, 1);
	return r < 0 ? r : ask_about(&call, action, error);
}
