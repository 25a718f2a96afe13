/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dw-enclosure: a shelf of SCSI disks that does not exist. It listens on a
 * vhost-user socket, prints "ready", serves one guest and ends with it.
 */
#include "config.h"
#include "ctl.h"
#include "vhost.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define START_MAX 64

struct options {
	const char *config, *socket, *dir;
	const char *lines[START_MAX], *start[START_MAX];
	size_t n_lines, n_start;
	uint64_t timeout_ns;
};

struct program {
	struct options opt;
	struct dw_rack rack;
	struct dw_loop loop;
	struct dw_vhost vhost;
	struct dw_ctl ctl;
	struct dw_source sig;
	int dir_fd;
	bool stop;
};

static int usage(FILE *f, int status)
{
	fputs("usage: dw-enclosure --socket PATH --dir RUNDIR [--config FILE] [-c LINE]...\n"
	      "                    [--start COMMAND]... [--timeout SECONDS]\n"
	      "       dw-enclosure ctl SOCKET|RUNDIR COMMAND\n"
	      "\n"
	      "Serves one guest over vhost-user, prints \"ready\" once it listens, and ends\n"
	      "with the guest. RUNDIR gets disk-NN.img, stats.json, ctl.sock and ctl/.\n",
	      f);
	return status;
}

static int complain(const char *what, int e)
{
	fprintf(stderr, "dw-enclosure: %s: %s\n", what, strerror(-e));
	return 1;
}

static bool parse(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "config", required_argument, NULL, 'f' },
		{ "socket", required_argument, NULL, 's' },
		{ "dir", required_argument, NULL, 'd' },
		{ "start", required_argument, NULL, 'a' },
		{ "timeout", required_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "c:", longs, NULL)) != -1) {
		if (c == 'f')
			o->config = optarg;
		else if (c == 's')
			o->socket = optarg;
		else if (c == 'd')
			o->dir = optarg;
		else if (c == 'a' && o->n_start < START_MAX)
			o->start[o->n_start++] = optarg;
		else if (c == 'c' && o->n_lines < START_MAX)
			o->lines[o->n_lines++] = optarg;
		else if (c == 't')
			o->timeout_ns = (uint64_t)(strtod(optarg, NULL) * 1e9);
		else
			return false;
	}
	return optind == argc && o->socket && o->dir;
}

static int configure(struct program *p)
{
	unsigned int line;
	size_t i;
	int e;

	dw_rack_init(&p->rack);
	if (p->opt.config) {
		e = dw_config_file(&p->rack, p->opt.config, &line);
		if (e) {
			fprintf(stderr, "dw-enclosure: %s:%u: %s\n", p->opt.config, line,
				strerror(-e));
			return 1;
		}
	}
	for (i = 0; i < p->opt.n_lines; i++)
		if (dw_config_line(&p->rack, p->opt.lines[i]))
			return complain(p->opt.lines[i], -EINVAL);
	return 0;
}

static void on_signal(void *arg)
{
	struct program *p = arg;

	p->stop = true;
}

static int catch_signals(struct program *p)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	p->sig = (struct dw_source){ fd, on_signal, p };
	return dw_loop_add(&p->loop, &p->sig);
}

static int power_on(struct program *p)
{
	size_t i;
	int e;

	if (mkdir(p->opt.dir, 0755) < 0 && errno != EEXIST)
		return complain(p->opt.dir, -errno);
	p->dir_fd = open(p->opt.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->dir_fd < 0)
		return complain(p->opt.dir, -errno);
	e = dw_rack_start(&p->rack, p->dir_fd, dw_loop_now());
	if (e)
		return complain("disks", e);
	for (i = 0; i < p->opt.n_start; i++)
		if (dw_ctl_exec(&p->rack, p->opt.start[i], stderr))
			return complain(p->opt.start[i], -EINVAL);
	return 0;
}

static int serve(struct program *p)
{
	uint64_t end = UINT64_MAX, next;
	int e = 0;

	if (p->opt.timeout_ns)
		end = dw_loop_now() + p->opt.timeout_ns;
	puts("ready");
	fflush(stdout);
	while (!e && !p->stop && !p->vhost.ended) {
		dw_rack_advance(&p->rack, dw_loop_now());
		dw_vhost_notify(&p->vhost);
		next = dw_rack_next(&p->rack);
		e = dw_loop_wait(&p->loop, next < end ? next : end);
		if (dw_loop_now() >= end) {
			fputs("dw-enclosure: timeout\n", stderr);
			return 124;
		}
	}
	return e ? complain("loop", e) : 0;
}

static void report(struct program *p)
{
	int fd = openat(p->dir_fd, "stats.json", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return;
	dw_stats_print(&p->rack, f);
	fclose(f);
}

static int run(struct program *p)
{
	int e = dw_loop_init(&p->loop), status;

	if (e || (e = catch_signals(p)))
		return complain("loop", e);
	e = dw_ctl_init(&p->ctl, &p->loop, &p->rack, p->opt.dir);
	if (e) {
		status = complain("control", e);
	} else if ((e = dw_vhost_init(&p->vhost, &p->loop, &p->rack, p->opt.socket))) {
		status = complain(p->opt.socket, e);
	} else {
		status = serve(p);
		dw_vhost_deinit(&p->vhost);
		report(p);
	}
	dw_ctl_deinit(&p->ctl);
	close(p->sig.fd);
	dw_loop_deinit(&p->loop);
	return status;
}

int main(int argc, char **argv)
{
	static struct program p;
	int status;

	if (argc == 4 && !strcmp(argv[1], "ctl")) {
		status = dw_ctl_client(argv[2], argv[3]);
		if (status == -EINVAL)
			return 1;
		return status ? complain(argv[2], status) : 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	if (!parse(&p.opt, argc, argv))
		return usage(stderr, 1);
	status = configure(&p);
	if (!status)
		status = power_on(&p);
	if (!status)
		status = run(&p);
	dw_rack_deinit(&p.rack);
	if (p.dir_fd > 0)
		close(p.dir_fd);
	return status;
}
