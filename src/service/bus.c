/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections. Each of them has the same objects; on the socket there is no daemon between, so that
 * signals are sent on each, and the two methods that clients call on a daemon are answered.
 */
#include "bus.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "hooks.h"
#include "metrics.h"
#include "report.h"
#include "simulated.h"
#include "view.h"

#define PEERS_MAX 64
#define ROOTS_MAX 16 /* more of them, so that nobody can keep root out */
#define STEPS                                                                            \
	8 /* of a connection that begins: the end of the authentication, a message */
#define UNREAD_MAX 256                      /* messages that a client has not taken */
#define SILENCE_US (UINT64_C(10) * 1000000) /* who connects also speaks */
#define DISK_FACE  BUS_NAME ".Disk"
#define JOB_FACE   BUS_NAME ".Job"

/**
 * struct peer - a process that is connected to the socket
 * @bus: NULL until its first byte tells D-Bus from HTTP; until then it has @fd, @first and @silence
 * @spoke: it has sent a message; a client that waits for the answer to its hello takes a signal
 *	before that for an error
 */
struct peer {
	struct bus *b;
	sd_bus *bus;
	int fd;
	sd_event_source *first;
	sd_event_source *silence;
	bool spoke;
	struct peer *next;
};

/**
 * struct bus - both ways
 * @socket: its path; empty = systemd has handed it over
 * @vtable: made of the tables of properties and methods
 */
struct bus {
	struct service *s;
	sd_bus *system;
	int listener;
	char socket[108];
	sd_event_source *accepting;
	sd_event_source *after;
	struct peer *peers;
	size_t n_peers;
	sd_bus_vtable disk_vtable[64];
	sd_bus_vtable job_vtable[64];
};

/* --- properties ------------------------------------------------------------- */

static int append_value(sd_bus_message *m, const struct property *p, const void *view)
{
	return sd_bus_message_append_basic(m, p->type, (const char *)view + p->offset);
}

static const struct property *row_of(const struct property *rows, const char *name)
{
	while (rows->name && strcmp(rows->name, name) != 0)
		rows++;
	return rows->name ? rows : NULL;
}

static int get_disk(sd_bus *bus, const char *path, const char *face, const char *name,
		    sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	struct svc_disk *d = ctx;

	return append_value(reply, row_of(disk_properties(), name), d->view);
}

static int get_job(sd_bus *bus, const char *path, const char *face, const char *name,
		   sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	struct svc_job *j = ctx;

	return append_value(reply, row_of(job_properties(), name), j->view);
}

static int get_objects(sd_bus *bus, const char *path, const char *face, const char *name,
		       sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	struct svc_job *j = ctx;
	char buf[PATH_SIZE];
	int r = sd_bus_message_open_container(reply, 'a', "o");

	for (size_t i = 0; i < j->n && r >= 0; i++)
		if (job_current(j, j->attempt[i]->disk) == j->attempt[i])
			r = sd_bus_message_append(reply, "o",
						  disk_path(j->attempt[i]->disk, buf));
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* An object shows what was last compared; one that was never shown, what is true now. */
static bool has_view(struct service *s, struct svc_disk *d)
{
	if (!d->view) {
		d->view = calloc(1, sizeof(*d->view));
		if (d->view)
			disk_look(s, d, d->view);
	}
	return d->view != NULL;
}

static bool has_job_view(struct service *s, struct svc_job *j)
{
	if (!j->view) {
		j->view = calloc(1, sizeof(*j->view));
		if (j->view)
			job_look(s, j, j->view);
	}
	return j->view != NULL;
}

static int find_disk_object(sd_bus *bus, const char *path, const char *face, void *ctx,
			    void **ret, sd_bus_error *error)
{
	struct service *s = ctx;
	struct svc_disk *d;

	if (strncmp(path, DISK_PATH "/", strlen(DISK_PATH "/")) != 0)
		return 0;
	d = disk_find(s, path + strlen(DISK_PATH "/"));
	if (!d || !has_view(s, d))
		return 0;
	*ret = d;
	return 1;
}

static struct svc_job *job_at(struct service *s, const char *path)
{
	char buf[PATH_SIZE];

	for (struct svc_job *j = s->jobs; j; j = j->next)
		if (!strcmp(job_path(j->row.id, buf), path))
			return j;
	return NULL;
}

static int find_job_object(sd_bus *bus, const char *path, const char *face, void *ctx,
			   void **ret, sd_bus_error *error)
{
	struct service *s = ctx;
	struct svc_job *j = job_at(s, path);

	if (!j || !has_job_view(s, j))
		return 0;
	*ret = j;
	return 1;
}

static int name_disks(sd_bus *bus, const char *prefix, void *ctx, char ***ret,
		      sd_bus_error *error)
{
	struct service *s = ctx;
	size_t n = 0;
	char **list, buf[PATH_SIZE];

	for (struct svc_disk *d = s->disks; d; d = d->next)
		n++;
	list = calloc(n + 1, sizeof(*list));
	n = 0;
	for (struct svc_disk *d = s->disks; d && list; d = d->next)
		list[n++] = strdup(disk_path(d, buf));
	*ret = list;
	return list ? 0 : -ENOMEM;
}

static int name_jobs(sd_bus *bus, const char *prefix, void *ctx, char ***ret,
		     sd_bus_error *error)
{
	struct service *s = ctx;
	size_t n = 0;
	char **list, buf[PATH_SIZE];

	for (struct svc_job *j = s->jobs; j; j = j->next)
		n++;
	list = calloc(n + 1, sizeof(*list));
	n = 0;
	for (struct svc_job *j = s->jobs; j && list; j = j->next)
		list[n++] = strdup(job_path(j->row.id, buf));
	*ret = list;
	return list ? 0 : -ENOMEM;
}

/* --- tables ------------------------------------------------------------------ */

static const char *signature_of(char type)
{
	static const char all[] = "s\0o\0t\0u\0i\0d\0b";

	for (const char *c = all; c < all + sizeof(all) - 1; c += 2)
		if (*c == type)
			return c;
	return "s";
}

static size_t add_properties(sd_bus_vtable *v, size_t n, const struct property *rows,
			     sd_bus_property_get_t get)
{
	for (; rows->name; rows++)
		v[n++] = (sd_bus_vtable)SD_BUS_PROPERTY(
			rows->name, signature_of(rows->type), get, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE);
	return n;
}

static void make_tables(struct bus *b)
{
	const sd_bus_vtable *methods;
	size_t n = 0, n_methods = job_methods(&methods);

	b->disk_vtable[n++] = (sd_bus_vtable)SD_BUS_VTABLE_START(0);
	n = add_properties(b->disk_vtable, n, disk_properties(), get_disk);
	b->disk_vtable[n] = (sd_bus_vtable)SD_BUS_VTABLE_END;
	n = 0;
	b->job_vtable[n++] = (sd_bus_vtable)SD_BUS_VTABLE_START(0);
	n = add_properties(b->job_vtable, n, job_properties(), get_job);
	b->job_vtable[n++] =
		(sd_bus_vtable)SD_BUS_PROPERTY("Objects", "ao", get_objects, 0, 0);
	for (size_t i = 0; i < n_methods; i++)
		b->job_vtable[n++] = methods[i];
	b->job_vtable[n] = (sd_bus_vtable)SD_BUS_VTABLE_END;
}

static int attach(struct bus *b, sd_bus *bus)
{
	struct service *s = b->s;
	int r = sd_bus_add_object_manager(bus, NULL, ROOT_PATH);

	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, MANAGER_PATH, BUS_NAME ".Manager",
					     manager_table(), s);
	if (r >= 0 && s->simulation)
		r = sd_bus_add_object_vtable(bus, NULL, MANAGER_PATH,
					     BUS_NAME ".Simulation", simulated_table(),
					     s);
	if (r >= 0)
		r = sd_bus_add_fallback_vtable(bus, NULL, DISK_PATH, DISK_FACE,
					       b->disk_vtable, find_disk_object, s);
	if (r >= 0)
		r = sd_bus_add_fallback_vtable(bus, NULL, JOB_PATH, JOB_FACE,
					       b->job_vtable, find_job_object, s);
	if (r >= 0)
		r = sd_bus_add_node_enumerator(bus, NULL, DISK_PATH, name_disks, s);
	if (r >= 0)
		r = sd_bus_add_node_enumerator(bus, NULL, JOB_PATH, name_jobs, s);
	return r;
}

/* --- signals ------------------------------------------------------------------- */

/** struct bus_walk - over all connections: the system bus, then the peers */
struct bus_walk {
	struct bus *b;
	struct peer *at;
	bool begun;
};

static sd_bus *each_bus(struct bus_walk *w)
{
	sd_bus *bus;

	if (!w->begun) {
		w->begun = true;
		w->at = w->b->peers;
		if (w->b->system)
			return w->b->system;
	}
	while (w->at && !w->at->spoke)
		w->at = w->at->next;
	if (!w->at)
		return NULL;
	bus = w->at->bus;
	w->at = w->at->next;
	return bus;
}

/* @emit: sd_bus_emit_object_added() or _removed() */
static void report_object(struct bus *b, const char *path,
			  int (*emit)(sd_bus *bus, const char *path))
{
	struct bus_walk w = { .b = b };
	sd_bus *bus;

	while ((bus = each_bus(&w)))
		emit(bus, path);
}

static void report_changes(struct bus *b, const char *path, const char *face,
			   const struct property *rows, const void *old, const void *new)
{
	struct bus_walk w = { .b = b };
	char *names[64];
	sd_bus *bus;
	size_t n = 0;

	for (; rows->name; rows++)
		if (memcmp((const char *)old + rows->offset,
			   (const char *)new + rows->offset, rows->size) != 0)
			names[n++] = (char *)rows->name;
	names[n] = NULL;
	while (n && (bus = each_bus(&w)))
		sd_bus_emit_properties_changed_strv(bus, path, face, names);
}

static void refresh_disk(struct bus *b, struct svc_disk *d)
{
	struct disk_view now, old;
	char path[PATH_SIZE];

	disk_path(d, path);
	if (!d->announced) {
		d->announced = has_view(b->s, d);
		report_object(b, path, sd_bus_emit_object_added);
	}
	disk_look(b->s, d, &now);
	if (!d->view)
		return;
	old = *d->view;
	*d->view = now;
	report_changes(b, path, DISK_FACE, disk_properties(), &old, &now);
}

/* a station keeps many that have ended, and nothing of them changes */
static bool is_reported_as_ended(const struct svc_job *j)
{
	return j->announced && j->view && j->row.ended &&
	       j->view->end_time == j->row.ended;
}

static void refresh_job(struct bus *b, struct svc_job *j)
{
	struct job_view now, old;
	char path[PATH_SIZE];

	if (is_reported_as_ended(j))
		return;
	job_path(j->row.id, path);
	if (!j->announced) {
		j->announced = has_job_view(b->s, j);
		report_object(b, path, sd_bus_emit_object_added);
	}
	job_look(b->s, j, &now);
	if (!j->view)
		return;
	old = *j->view;
	*j->view = now;
	report_changes(b, path, JOB_FACE, job_properties(), &old, &now);
}

void bus_refresh(struct service *s)
{
	struct bus *b = s->bus;

	if (!b)
		return;
	for (struct svc_disk *d = s->disks; d; d = d->next)
		refresh_disk(b, d);
	for (struct svc_job *j = s->jobs; j; j = j->next)
		refresh_job(b, j);
}

void bus_disk_gone(struct service *s, const struct svc_disk *d)
{
	char path[PATH_SIZE];

	if (s->bus && d->announced)
		report_object(s->bus, disk_path(d, path), sd_bus_emit_object_removed);
}

void bus_job_gone(struct service *s, const struct svc_job *job)
{
	char path[PATH_SIZE];

	if (s->bus && job->announced)
		report_object(s->bus, job_path(job->row.id, path),
			      sd_bus_emit_object_removed);
}

void bus_completed(struct service *s, struct svc_job *job)
{
	struct bus_walk w = { .b = s->bus };
	char path[PATH_SIZE];
	sd_bus *bus;

	if (!s->bus)
		return;
	job_path(job->row.id, path);
	bus_refresh(s);
	while (job->view && (bus = each_bus(&w)))
		sd_bus_emit_signal(bus, path, JOB_FACE, "Completed", "bs", !job_code(job),
				   job->view->message);
}

void bus_remark(struct service *s, const struct svc_attempt *a, const char *text)
{
	struct bus_walk w = { .b = s->bus };
	char path[PATH_SIZE], disk[PATH_SIZE], clean[256];
	sd_bus *bus;

	snprintf(clean, sizeof(clean), "%s", text);
	dw_text_printable(clean);
	job_path(a->row.job, path);
	disk_path(a->disk, disk);
	while (s->bus && (bus = each_bus(&w)))
		sd_bus_emit_signal(bus, path, JOB_FACE, "Notice", "os", disk, clean);
}

/* --- the socket ------------------------------------------------------------------ */

static void listen_no_more(struct peer *p)
{
	p->first = sd_event_source_disable_unref(p->first);
	p->silence = sd_event_source_disable_unref(p->silence);
}

static void drop_peer(struct peer *p)
{
	struct peer **at = &p->b->peers;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->b->n_peers--;
	listen_no_more(p);
	sd_bus_close_unref(p->bus);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

static int peer_left(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	(void)m;
	(void)error;
	drop_peer(ctx);
	return 1;
}

static int peer_speaks(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	struct peer *p = ctx;

	(void)m;
	(void)error;
	p->spoke = true;
	return 0;
}

/* clients that expect a daemon say hello to it */
static int answer_hello(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	(void)ctx;
	(void)error;
	return sd_bus_reply_method_return(m, "s", ":1.0");
}

static const sd_bus_vtable daemon_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Hello", "", "s", answer_hello, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

/* from here on the connection has the descriptor, however this ends */
static int open_connection(struct peer *p, int fd)
{
	int r = sd_bus_new(&p->bus);

	if (r >= 0)
		r = sd_bus_set_fd(p->bus, fd, fd);
	if (r < 0)
		close(fd);
	return r;
}

static int open_peer(struct bus *b, struct peer *p, int fd)
{
	sd_id128_t id;
	int r = open_connection(p, fd);

	if (r >= 0)
		r = sd_id128_randomize(&id);
	if (r >= 0)
		r = sd_bus_set_server(p->bus, 1, id);
	if (r >= 0)
		r = sd_bus_negotiate_creds(p->bus, 1,
					   SD_BUS_CREDS_EUID | SD_BUS_CREDS_PID);
	if (r >= 0)
		r = sd_bus_add_object_vtable(p->bus, NULL, "/org/freedesktop/DBus",
					     "org.freedesktop.DBus", daemon_vtable, p);
	if (r >= 0)
		r = attach(b, p->bus);
	if (r >= 0)
		r = sd_bus_add_filter(p->bus, NULL, peer_speaks, p);
	if (r >= 0)
		r = sd_bus_match_signal(p->bus, NULL, NULL, "/org/freedesktop/DBus/Local",
					"org.freedesktop.DBus.Local", "Disconnected",
					peer_left, p);
	if (r >= 0)
		r = sd_bus_start(p->bus);
	return r < 0 ? r : sd_bus_attach_event(p->bus, b->s->event, 0);
}

/* D-Bus or HTTP? */
static int first_byte(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
	struct peer *p = ctx;

	(void)source;
	(void)events;
	listen_no_more(p);
	p->fd = -1;
	if (metrics_serve(p->b->s, fd) || open_peer(p->b, p, fd) < 0)
		drop_peer(p);
	return 0;
}

static int kept_silent(sd_event_source *source, uint64_t usec, void *ctx)
{
	(void)source;
	(void)usec;
	drop_peer(ctx);
	return 0;
}

/* nobody is waited for: what a client does not send costs no other one time */
static void admit(struct bus *b, int fd, uint32_t uid)
{
	size_t most = PEERS_MAX + (uid ? 0 : ROOTS_MAX);
	struct peer *p = b->n_peers < most ? calloc(1, sizeof(*p)) : NULL;
	int r;

	if (!p) {
		close(fd);
		return;
	}
	*p = (struct peer){ .b = b, .fd = fd, .next = b->peers };
	b->peers = p;
	b->n_peers++;
	r = sd_event_add_io(b->s->event, &p->first, fd, EPOLLIN, first_byte, p);
	if (r >= 0)
		r = sd_event_add_time_relative(b->s->event, &p->silence, CLOCK_MONOTONIC,
					       SILENCE_US, 0, kept_silent, p);
	if (r < 0)
		drop_peer(p);
}

/* A message that came together with the end of the authentication waits in sd-bus until more comes,
 * and the client waits for its answer. */
static void begin_to_speak(struct peer *p)
{
	sd_bus *bus = sd_bus_ref(p->bus);

	for (int i = 0; i < STEPS && sd_bus_process(bus, NULL) > 0; i++)
		;
	sd_bus_unref(bus);
}

static int look_after_peers(sd_event_source *source, void *ctx)
{
	struct bus *b = ctx;
	struct peer *next;
	uint64_t unread;

	(void)source;
	for (struct peer *p = b->peers; p; p = next) {
		next = p->next;
		if (!p->bus)
			continue;
		if (sd_bus_get_n_queued_write(p->bus, &unread) >= 0 &&
		    unread > UNREAD_MAX)
			drop_peer(p); /* what it does not read would fill the memory */
		else if (!p->spoke)
			begin_to_speak(p);
	}
	return 0;
}

static int came(sd_event_source *source, int listener, uint32_t events, void *ctx)
{
	struct bus *b = ctx;
	uint32_t uid;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)source;
	(void)events;
	if (fd < 0)
		return 0;
	if (!access_admits(b->s->settings, fd, &uid)) {
		report_denied(&(struct store_caller){ .uid = uid }, "the socket");
		close(fd);
		return 0;
	}
	admit(b, fd, uid);
	return 0;
}

/* It belongs to the group from the first moment on; nobody needs the right to give files away. */
static int bind_as(int fd, const struct sockaddr_un *a, gid_t group)
{
	mode_t before = umask(0117);
	int r = setresgid((gid_t)-1, group, (gid_t)-1) < 0 ? -errno : 0;

	if (!r && bind(fd, (const struct sockaddr *)a, sizeof(*a)) < 0)
		r = -errno;
	if (setresgid((gid_t)-1, getgid(), (gid_t)-1) < 0 && !r)
		r = -errno;
	umask(before);
	return r;
}

static int listen_at(struct bus *b, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const struct group *g = getgrnam(b->s->settings->group);
	int r;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (b->listener < 0)
		return -errno;
	unlink(path);
	r = bind_as(b->listener, &a, g ? g->gr_gid : getgid());
	if (r < 0)
		return r;
	snprintf(b->socket, sizeof(b->socket), "%s", path);
	return listen(b->listener, 64) < 0 ? -errno : 0;
}

static int open_socket(struct bus *b, const char *path)
{
	int r = 0;

	if (sd_listen_fds(1) == 1 &&
	    sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, NULL, 0) > 0) {
		b->listener = SD_LISTEN_FDS_START;
		fcntl(b->listener, F_SETFD, FD_CLOEXEC);
	} else {
		r = listen_at(b, path);
	}
	if (r < 0)
		return r;
	r = sd_event_add_post(b->s->event, &b->after, look_after_peers, b);
	if (r < 0)
		return r;
	return sd_event_add_io(b->s->event, &b->accepting, b->listener, EPOLLIN, came, b);
}

/* --- the system bus ----------------------------------------------------------------- */

static int system_left(sd_bus_message *m, void *ctx, sd_bus_error *error)
{
	struct bus *b = ctx;
	sd_bus *bus = b->system;

	(void)m;
	(void)error;
	service_note(b->s,
		     "the connection to the system bus is lost; the socket goes on");
	b->system = NULL;
	hooks_unbound();
	sd_bus_close_unref(bus);
	return 1;
}

static int open_system(struct bus *b, const char *address)
{
	int r = address ? sd_bus_new(&b->system) : sd_bus_open_system(&b->system);

	if (address && r >= 0) {
		r = sd_bus_set_address(b->system, address);
		if (r >= 0)
			r = sd_bus_set_bus_client(b->system, 1);
		if (r >= 0)
			r = sd_bus_start(b->system);
	}
	if (r >= 0)
		r = attach(b, b->system);
	if (r >= 0)
		r = sd_bus_match_signal(
			b->system, NULL, NULL, "/org/freedesktop/DBus/Local",
			"org.freedesktop.DBus.Local", "Disconnected", system_left, b);
	if (r >= 0)
		r = sd_bus_request_name(b->system, BUS_NAME, 0);
	if (r >= 0)
		r = sd_bus_attach_event(b->system, b->s->event, 0);
	if (r < 0) {
		sd_bus_close_unref(b->system);
		b->system = NULL;
	}
	return r;
}

int bus_new(struct service *s, const char *socket, const char *address, struct bus **ret,
	    char why[256])
{
	struct bus *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return -ENOMEM;
	*b = (struct bus){ .s = s, .listener = -1 };
	make_tables(b);
	r = open_socket(b, socket);
	if (r < 0) {
		snprintf(why, 256, "%.180s: %s", socket, strerror(-r));
		bus_free(b);
		return r;
	}
	if (!address || address[0]) {
		r = open_system(b, address);
		if (r < 0)
			service_note(s, "no system bus: %s; clients use the socket %s",
				     strerror(-r), socket);
	}
	*ret = b;
	return 0;
}

void bus_free(struct bus *b)
{
	if (!b)
		return;
	while (b->peers) {
		if (b->peers->bus)
			sd_bus_flush(b->peers->bus);
		drop_peer(b->peers);
	}
	if (b->system)
		sd_bus_flush_close_unref(b->system);
	sd_event_source_unref(b->accepting);
	sd_event_source_unref(b->after);
	if (b->listener >= 0)
		close(b->listener);
	if (b->socket[0])
		unlink(b->socket);
	free(b);
}

sd_bus *bus_system(const struct service *s)
{
	return s->bus ? s->bus->system : NULL;
}
