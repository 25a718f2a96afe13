/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A service made of words, for the tests of its client: what it says stands in a file, and
 * every call is written to another. The types of its properties are those of the interface
 * file, so that a client that goes by other ones fails.
 *
 *	fake-service INTERFACE.xml SCRIPT LOG (listen PATH | bus ADDRESS)
 *
 * A line of the script is KEY=VALUE fields separated by tabs after its first words:
 *	manager | disk ID | job ID	an object, or more of its properties
 *	record				of Records, in the order of the file
 *	error METHOD NAME TEXT		the method fails so
 *	text METHOD FILE		the text that Plan or Result answers with
 *	on METHOD			what follows is not yet so: until that call was answered;
 *					GetManagedObjects is how a client reads the station
 *	notice JOB DISK TEXT		the signal
 *	drop				close the connections
 *	hang METHOD			no answer to that method
 *	unit PROPERTY TEXT		it is systemd as well, and says that of the service's unit
 * Submit and SubmitPlan answer with the job "new". It ends with its parent.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#define NAME        "io.github.diskwipe.Diskwipe1"
#define ROOT        "/io/github/diskwipe/Diskwipe1"
#define OBJECTS_MAX 128
#define FIELDS_MAX  64
#define LINES_MAX   1024
#define BUSES_MAX   8

struct object {
	char interface[16]; /* "Disk" */
	char path[128];
	char *field[FIELDS_MAX]; /* "KEY=VALUE" */
	size_t n;
};

static struct object objects[OBJECTS_MAX];
static size_t n_objects;
static char *lines[LINES_MAX], *interfaces;
static size_t n_lines, at_line;
static sd_bus *buses[BUSES_MAX];
static const char *log_file;
static sd_event *loop;

static void must(int r, const char *what)
{
	if (r >= 0)
		return;
	fprintf(stderr, "fake-service: %s: %s\n", what, strerror(-r));
	exit(99);
}

static char *read_all(const char *path)
{
	char *text = calloc(1, 1 << 20);
	FILE *f = fopen(path, "r");

	if (!f || !text)
		must(-ENOENT, path);
	if (!fread(text, 1, (1 << 20) - 1, f) && ferror(f))
		must(-EIO, path);
	fclose(f);
	return text;
}

static void note(const char *text)
{
	FILE *f = fopen(log_file, "a");

	if (f)
		fprintf(f, "%s\n", text);
	if (f)
		fclose(f);
}

/* The type of a property as the interface file has it. */
static char type_of(const char *interface, const char *property, char *ret_whole)
{
	char head[96], row[96];
	const char *at;

	snprintf(head, sizeof(head), "<interface name=\"" NAME ".%.15s\">", interface);
	snprintf(row, sizeof(row), "<property name=\"%.40s\" type=\"", property);
	at = strstr(interfaces, head);
	at = at ? strstr(at, row) : NULL;
	if (!at || (strstr(strstr(interfaces, head), "</interface>") < at)) {
		fprintf(stderr, "fake-service: no property %s.%s\n", interface, property);
		exit(99);
	}
	at += strlen(row);
	sprintf(ret_whole, "%.*s", (int)strcspn(at, "\""), at);
	return ret_whole[0];
}

static void path_of(const char *kind, const char *id, char *buf, size_t size)
{
	if (!strcmp(id, "/"))
		snprintf(buf, size, "/");
	else
		snprintf(buf, size, ROOT "/%s/%s", kind, id);
}

static int append_paths(sd_bus_message *m, const char *ids)
{
	char copy[512], path[128], *word, *save = NULL;
	int r = sd_bus_message_open_container(m, 'a', "o");

	snprintf(copy, sizeof(copy), "%s", ids);
	for (word = strtok_r(copy, ",", &save); word && r >= 0;
	     word = strtok_r(NULL, ",", &save)) {
		path_of("disk", word, path, sizeof(path));
		r = sd_bus_message_append_basic(m, 'o', path);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

/* A value of a type as text, in a variant. */
static int append_value(sd_bus_message *m, const char *type, const char *value)
{
	char path[128];
	int r = sd_bus_message_open_container(m, 'v', type);

	if (r < 0)
		return r;
	switch (type[0]) {
	case 's':
		r = sd_bus_message_append(m, "s", value);
		break;
	case 'o':
		path_of("job", value, path, sizeof(path));
		r = sd_bus_message_append(m, "o", path);
		break;
	case 't':
		r = sd_bus_message_append(m, "t", (uint64_t)strtoull(value, NULL, 10));
		break;
	case 'u':
		r = sd_bus_message_append(m, "u", (uint32_t)strtoul(value, NULL, 10));
		break;
	case 'i':
		r = sd_bus_message_append(m, "i", (int32_t)strtol(value, NULL, 10));
		break;
	case 'b':
		r = sd_bus_message_append(m, "b", !strcmp(value, "true"));
		break;
	case 'd':
		r = sd_bus_message_append(m, "d", strtod(value, NULL));
		break;
	default:
		if (!strcmp(type, "ao"))
			r = append_paths(m, value);
		else
			r = sd_bus_message_append(m, "as", 1, value);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_properties(sd_bus_message *m, const struct object *o)
{
	int r = sd_bus_message_open_container(m, 'a', "{sv}");

	for (size_t i = 0; i < o->n && r >= 0; i++) {
		char key[48], type[8];
		const char *value = strchr(o->field[i], '=');

		snprintf(key, sizeof(key), "%.*s", (int)(value - o->field[i]),
			 o->field[i]);
		type_of(o->interface, key, type);
		r = sd_bus_message_open_container(m, 'e', "sv");
		if (r >= 0)
			r = sd_bus_message_append(m, "s", key);
		if (r >= 0)
			r = append_value(m, type, value + 1);
		if (r >= 0)
			r = sd_bus_message_close_container(m);
	}
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_object(sd_bus_message *m, const struct object *o)
{
	char interface[64];
	int r = sd_bus_message_open_container(m, 'e', "oa{sa{sv}}");

	snprintf(interface, sizeof(interface), NAME ".%.15s", o->interface);
	if (r >= 0)
		r = sd_bus_message_append(m, "o", o->path);
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "{sa{sv}}");
	if (r >= 0)
		r = sd_bus_message_open_container(m, 'e', "sa{sv}");
	if (r >= 0)
		r = sd_bus_message_append(m, "s", interface);
	if (r >= 0)
		r = append_properties(m, o);
	for (int i = 0; i < 3 && r >= 0; i++)
		r = sd_bus_message_close_container(m);
	return r;
}

static void tell_changed(const struct object *o)
{
	char interface[64];

	snprintf(interface, sizeof(interface), NAME ".%.15s", o->interface);
	for (size_t i = 0; i < BUSES_MAX; i++)
		if (buses[i])
			sd_bus_emit_signal(
				buses[i], o->path, "org.freedesktop.DBus.Properties",
				"PropertiesChanged", "sa{sv}as", interface, 0, 0);
}

static struct object *find_object(const char *interface, const char *path)
{
	struct object *o;

	for (size_t i = 0; i < n_objects; i++)
		if (!strcmp(objects[i].path, path))
			return &objects[i];
	if (n_objects == OBJECTS_MAX)
		must(-ENOSPC, "objects");
	o = &objects[n_objects++];
	snprintf(o->interface, sizeof(o->interface), "%s", interface);
	snprintf(o->path, sizeof(o->path), "%s", path);
	return o;
}

static void set_field(struct object *o, const char *field)
{
	size_t len = strcspn(field, "=") + 1;

	for (size_t i = 0; i < o->n; i++)
		if (!strncmp(o->field[i], field, len)) {
			free(o->field[i]);
			o->field[i] = strdup(field);
			return;
		}
	if (o->n == FIELDS_MAX)
		must(-ENOSPC, "fields");
	o->field[o->n++] = strdup(field);
}

static void take_object(const char *kind, const char *id, char *fields)
{
	char path[128], *word, *save = NULL;
	const char *interface = !strcmp(kind, "disk")  ? "Disk"
				: !strcmp(kind, "job") ? "Job"
						       : "Manager";
	struct object *o;

	if (interface[0] == 'M')
		snprintf(path, sizeof(path), ROOT "/Manager");
	else
		path_of(kind, id, path, sizeof(path));
	o = find_object(interface, path);
	for (word = strtok_r(fields, "\t", &save); word;
	     word = strtok_r(NULL, "\t", &save))
		set_field(o, word);
	tell_changed(o);
}

static void send_notice(char *words)
{
	char job[128], disk[128], *save = NULL;

	path_of("job", strtok_r(words, " ", &save), job, sizeof(job));
	path_of("disk", strtok_r(NULL, " ", &save), disk, sizeof(disk));
	for (size_t i = 0; i < BUSES_MAX; i++)
		if (buses[i])
			sd_bus_emit_signal(buses[i], job, NAME ".Job", "Notice", "os",
					   disk, save);
}

static void drop_all(void)
{
	for (size_t i = 0; i < BUSES_MAX; i++)
		buses[i] = sd_bus_flush_close_unref(buses[i]);
}

static bool is_lookup(const char *line)
{
	return !strncmp(line, "record\t", 7) || !strncmp(line, "error ", 6) ||
	       !strncmp(line, "text ", 5) || !strncmp(line, "hang ", 5) ||
	       !strncmp(line, "unit ", 5);
}

static void take_line(const char *line)
{
	char copy[4096], *word, *id, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", line);
	if (is_lookup(line) || !line[0] || line[0] == '#')
		return;
	if (!strcmp(line, "drop")) {
		drop_all();
		return;
	}
	if (!strncmp(line, "notice ", 7)) {
		send_notice(copy + 7);
		return;
	}
	word = strtok_r(copy, " \t", &save);
	id = strcmp(word, "manager") ? strtok_r(NULL, "\t", &save) : save;
	take_object(word, id, save);
}

/* Up to the next line that waits for something. */
static void go_on(void)
{
	for (; at_line < n_lines; at_line++) {
		const char *line = lines[at_line];

		if (!strncmp(line, "on ", 3))
			break;
		take_line(line);
	}
}

static void step_by_call(const char *method)
{
	if (at_line == n_lines || strncmp(lines[at_line], "on ", 3) != 0 ||
	    strcmp(lines[at_line] + 3, method) != 0)
		return;
	at_line++;
	go_on();
}

/* The rest of the line that begins with these two words. */
static const char *find_line(const char *what, const char *method)
{
	char head[64];

	snprintf(head, sizeof(head), "%s %s ", what, method);
	for (size_t i = 0; i < n_lines; i++)
		if (!strncmp(lines[i], head, strlen(head)))
			return lines[i] + strlen(head);
	return NULL;
}

/* Any value inside a message as text, in the order in which it stands there. */
static void dump(sd_bus_message *m, char *buf, size_t size)
{
	const char *contents;
	char type;

	while (sd_bus_message_peek_type(m, &type, &contents) > 0) {
		size_t len = strlen(buf);
		union {
			const char *s;
			uint64_t t;
			uint32_t u;
			int32_t i;
		} v;

		if (strchr("av{er(", type)) {
			must(sd_bus_message_enter_container(m, type, contents), "enter");
			dump(m, buf, size);
			must(sd_bus_message_exit_container(m), "exit");
			continue;
		}
		must(sd_bus_message_read_basic(m, type, &v), "argument");
		if (type == 's' || type == 'o')
			snprintf(buf + len, size - len, " %s", v.s);
		else if (type == 't')
			snprintf(buf + len, size - len, " %llu", (unsigned long long)v.t);
		else if (type == 'u')
			snprintf(buf + len, size - len, " %u", v.u);
		else
			snprintf(buf + len, size - len, " %d", v.i);
	}
}

static int answer_objects(sd_bus_message *call, const char *method)
{
	sd_bus_message *m = NULL;

	must(sd_bus_message_new_method_return(call, &m), "answer");
	must(sd_bus_message_open_container(m, 'a', "{oa{sa{sv}}}"), "answer");
	for (size_t i = 0; i < n_objects; i++)
		must(append_object(m, &objects[i]), "object");
	must(sd_bus_message_close_container(m), "answer");
	must(sd_bus_send(NULL, m, NULL), "answer");
	sd_bus_message_unref(m);
	step_by_call(method);
	return 1;
}

static const char *record_type(const char *key)
{
	static const char *const types[][2] = {
		{ "capacity", "t" },        { "started", "t" },
		{ "ended", "t" },           { "uid", "u" },
		{ "max_temperature", "i" }, { "heat_pause_seconds", "d" },
		{ "do_not_reuse", "b" },    { "simulated", "b" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(key, types[i][0]))
			return types[i][1];
	return "s";
}

static void append_record(sd_bus_message *m, const char *line)
{
	char copy[2048], *word, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", line);
	must(sd_bus_message_open_container(m, 'a', "{sv}"), "record");
	for (word = strtok_r(copy, "\t", &save); word;
	     word = strtok_r(NULL, "\t", &save)) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		must(sd_bus_message_open_container(m, 'e', "sv"), "record");
		must(sd_bus_message_append(m, "s", word), "record");
		must(append_value(m, record_type(word), value), "record");
		must(sd_bus_message_close_container(m), "record");
	}
	must(sd_bus_message_close_container(m), "record");
}

static int answer_records(sd_bus_message *call)
{
	sd_bus_message *m = NULL;

	must(sd_bus_message_new_method_return(call, &m), "answer");
	must(sd_bus_message_open_container(m, 'a', "a{sv}"), "answer");
	for (size_t i = 0; i < n_lines; i++)
		if (!strncmp(lines[i], "record\t", 7))
			append_record(m, lines[i] + 7);
	must(sd_bus_message_close_container(m), "answer");
	must(sd_bus_send(NULL, m, NULL), "answer");
	sd_bus_message_unref(m);
	return 1;
}

static int answer_text(sd_bus_message *call, const char *method)
{
	const char *file = find_line("text", method);
	char *text = file ? read_all(file) : strdup("{}");
	int r;

	if (!strcmp(method, "Plan"))
		r = sd_bus_reply_method_return(call, "ss", "digest", text);
	else
		r = sd_bus_reply_method_return(call, "s", text);
	free(text);
	return r < 0 ? r : 1;
}

static int answer_error(sd_bus_message *call, const char *method)
{
	const char *what = find_line("error", method);
	char name[128], word[80];
	size_t len;

	if (!what)
		return 0;
	len = strcspn(what, " ");
	snprintf(word, sizeof(word), "%.*s", (int)(len < 72 ? len : 72), what);
	snprintf(name, sizeof(name), "%.40s%.72s",
		 memchr(what, '.', len) ? "" : NAME ".Error.", word);
	must(sd_bus_reply_method_errorf(call, name, "%s", what + len + 1), "error");
	return 1;
}

static bool is_hung(const char *method)
{
	for (size_t i = 0; i < n_lines; i++)
		if (!strncmp(lines[i], "hang ", 5) && !strcmp(lines[i] + 5, method))
			return true;
	return false;
}

static void log_call(sd_bus_message *call, const char *method)
{
	const char *path = sd_bus_message_get_path(call);
	char line[8192] = "";
	char args[8000] = "";

	dump(call, args, sizeof(args));
	snprintf(line, sizeof(line), "%s %s%s", method, strrchr(path, '/') + 1, args);
	note(line);
}

/* A property of the unit; whether a job is on its way is none of the texts. */
static int answer_unit(sd_bus_message *call)
{
	const char *interface, *property, *text;

	if (sd_bus_message_read(call, "ss", &interface, &property) < 0)
		return 0;
	if (!strcmp(property, "Job"))
		return sd_bus_reply_method_return(call, "v", "(uo)", 0U, "/");
	text = find_line("unit", property);
	return sd_bus_reply_method_return(call, "v", "s", text ? text : "");
}

static int on_call(sd_bus_message *call, void *data, sd_bus_error *ret)
{
	const char *method = sd_bus_message_get_member(call);

	if (!sd_bus_message_is_method_call(call, NULL, NULL))
		return 0;
	if (!strcmp(method, "Hello"))
		return sd_bus_reply_method_return(call, "s", ":1.1");
	if (is_hung(method))
		return 1;
	if (!strcmp(method, "Get"))
		return answer_unit(call);
	if (!strcmp(method, "GetManagedObjects"))
		return find_line("error", method) ? answer_error(call, method)
						  : answer_objects(call, method);
	if (strncmp(sd_bus_message_get_interface(call) ?: "", NAME, strlen(NAME)) != 0)
		return 0;
	log_call(call, method);
	if (answer_error(call, method))
		return 1;
	step_by_call(method);
	if (!strcmp(method, "Records"))
		return answer_records(call);
	if (!strcmp(method, "Plan") || !strcmp(method, "Result"))
		return answer_text(call, method);
	if (!strcmp(method, "Submit") || !strcmp(method, "SubmitPlan"))
		return sd_bus_reply_method_return(call, "o", ROOT "/job/new");
	return sd_bus_reply_method_return(call, "");
}

static void keep(sd_bus *bus)
{
	must(sd_bus_add_filter(bus, NULL, on_call, NULL), "filter");
	must(sd_bus_attach_event(bus, loop, 0), "loop");
	for (size_t i = 0; i < BUSES_MAX; i++) {
		if (buses[i] && sd_bus_is_open(buses[i]) <= 0)
			buses[i] = sd_bus_flush_close_unref(buses[i]);
		if (!buses[i]) {
			buses[i] = bus;
			return;
		}
	}
	must(-ENOSPC, "connections");
}

static int on_connect(sd_event_source *s, int fd, uint32_t events, void *data)
{
	sd_id128_t id;
	sd_bus *bus = NULL;
	int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	must(peer < 0 ? -errno : 0, "accept");
	must(sd_id128_randomize(&id), "id");
	must(sd_bus_new(&bus), "bus");
	must(sd_bus_set_fd(bus, peer, peer), "bus");
	must(sd_bus_set_server(bus, 1, id), "bus");
	must(sd_bus_start(bus), "bus");
	keep(bus);
	return 0;
}

static void listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 8))
		must(-errno, path);
	must(sd_event_add_io(loop, NULL, fd, 1 /* EPOLLIN */, on_connect, NULL), path);
}

static void join_bus(const char *address)
{
	sd_bus *bus = NULL;

	must(sd_bus_new(&bus), "bus");
	must(sd_bus_set_address(bus, address), "bus");
	must(sd_bus_set_bus_client(bus, 1), "bus");
	must(sd_bus_start(bus), "bus");
	keep(bus);
	must(sd_bus_request_name(bus, NAME, 0), "name");
	if (find_line("unit", "LoadState"))
		must(sd_bus_request_name(bus, "org.freedesktop.systemd1", 0), "systemd");
}

int main(int argc, char **argv)
{
	char *script, *line, *save = NULL;

	if (argc != 6)
		return 98;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	interfaces = read_all(argv[1]);
	script = read_all(argv[2]);
	log_file = argv[3];
	for (line = strtok_r(script, "\n", &save); line && n_lines < LINES_MAX;
	     line = strtok_r(NULL, "\n", &save))
		lines[n_lines++] = line;
	must(sd_event_new(&loop), "loop");
	go_on();
	if (!strcmp(argv[4], "listen"))
		listen_at(argv[5]);
	else
		join_bus(argv[5]);
	puts("ready");
	fflush(stdout);
	return sd_event_loop(loop) < 0;
}
