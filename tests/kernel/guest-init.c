/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-init - PID 1 of the guest that `guest` boots.
 *
 * The guest's root is the machine's own file tree, read-only, under a tmpfs
 * overlay.  The runner leaves a job file (NUL-terminated records, a letter and
 * a text each) in a folder named by $guest_job; this program works it off in
 * one go: modules, overlay, mounts, disks, the command.  The command's stdout
 * and stderr are pipes here, relayed to two console lines, so that it sees no
 * terminal unless one was asked for.  Status and kernel log go back as files
 * in the same folder.  It is static and forks only what it must: in this guest
 * a fork and exec costs 25 ms.
 *
 *   m PATH [ARGS]  load a module         o            build the overlay root
 *   w DIR          DIR is writable       e VAR=VALUE  environment
 *   c DIR          working directory     u            start udevd
 *   s              wait for disks        i FILE       stdin
 *   t ROWS COLS    command on a terminal a ARG        argument of the command
 *   p PROGRAM      a service manager     d DIR FROM   DIR holds a copy of FROM alone
 *
 * With `p`, the first record, the service manager becomes PID 1 once the root is
 * made, and one of its units starts this program again: that second process does
 * what comes after it, the disks and the command.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define MAX_ARGS          1024
#define MAX_DIRS          32
#define MODULE_COMPRESSED 4 /* MODULE_INIT_COMPRESSED_FILE */
#define SETTLE_STEP_US    10000
#define SETTLE_STABLE     3  /* steps without change when every disk is complete */
#define SETTLE_PARTIAL    40 /* the same when some disk lacks a node */
#define SETTLE_STEPS      300

static const char *job;

struct guest {
	char *argv[MAX_ARGS];
	int argc;
	int dirs[MAX_DIRS];
	int ndirs;
	const char *input;
	const char *cwd;
	struct winsize size;
	bool tty;
	bool udev;
	char *manager;
	bool second; /* started by the service manager */
};

static void complain(const char *what)
{
	dprintf(2, "guest-init: %s: %s\n", what, strerror(errno));
}

/* Power off by sysrq: an orderly way out would flush, and wait for, hung disks. */
static _Noreturn void leave(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY);

	if (fd < 0 || write(fd, "b", 1) != 1)
		reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static _Noreturn void give_up(const char *what)
{
	complain(what);
	leave();
}

static int write_file(const char *path, const void *data, size_t len)
{
	const char *p = data;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return -1;
	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n <= 0)
			break;
		p += n;
		len -= (size_t)n;
	}
	fsync(fd); /* hostfs writes back late, and nobody flushes it for us */
	close(fd);
	return len ? -1 : 0;
}

static void mount_fs(const char *type, const char *dir, const char *options)
{
	mkdir(dir, 0755);
	if (mount(type, dir, type, 0, options))
		complain(dir);
}

static void load_module(char *text)
{
	char *args = strchr(text, ' ');
	size_t len;
	int fd, flags;

	if (args)
		*args++ = '\0';
	len = strlen(text);
	flags = len > 3 && !strcmp(text + len - 3, ".ko") ? 0 : MODULE_COMPRESSED;
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0 ||
	    (syscall(SYS_finit_module, fd, args ? args : "", flags) && errno != EEXIST))
		complain(text);
	if (fd >= 0)
		close(fd);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(char *const argv[])
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		execvp(argv[0], argv);
		complain(argv[0]);
		_exit(127);
	}
	return pid < 0 ? 125 : wait_for(pid);
}

/* It becomes the root of the mount namespace: a process in a chroot makes no user namespace, and
 * a new mount namespace begins at that root. */
static void enter_overlay(void)
{
	if (mount("tmpfs", "/mnt", "tmpfs", 0, "mode=755"))
		give_up("tmpfs on /mnt");
	mkdir("/mnt/upper", 0755);
	mkdir("/mnt/work", 0755);
	mkdir("/mnt/root", 0755);
	if (mount("overlay", "/mnt/root", "overlay", 0,
		  "lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work"))
		give_up("overlay");
	if (chdir("/mnt/root") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot("."))
		give_up("chroot");
	mount_fs("proc", "/proc", "");
	mount_fs("sysfs", "/sys", "");
	mount_fs("devtmpfs", "/dev", "");
	mount_fs("devpts", "/dev/pts", "ptmxmode=0666");
	mount_fs("tmpfs", "/dev/shm", "");
	mount_fs("tmpfs", "/run", "mode=755");
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void link_modules(void)
{
	const char *dir = getenv("guest_modules");
	char to[512];

	if (!dir)
		return;
	mkdir("/lib/modules", 0755);
	snprintf(to, sizeof(to), "/lib/modules/%s", strrchr(dir, '/') + 1);
	if (symlink(dir, to) && errno != EEXIST)
		complain(to);
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
}

/* The service manager has a unit for udevd. */
static void start_udev(bool is_running)
{
	char *daemon[] = { "/lib/systemd/systemd-udevd", "--daemon",
			   "--resolve-names=never", NULL };
	char *trigger[] = { "udevadm",
			    "trigger",
			    "--action=add",
			    "--subsystem-match=block",
			    "--subsystem-match=scsi",
			    "--subsystem-match=scsi_generic",
			    NULL };

	if (!is_running)
		run(daemon);
	run(trigger);
}

static bool has_entry(const char *device, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/bus/scsi/devices/%s/%s", device, name);
	return !access(path, F_OK);
}

/* Counts SCSI disks, and those of them that still lack a node. */
static int count_disks(int *ret_lacking)
{
	DIR *dir = opendir("/sys/bus/scsi/devices");
	struct dirent *e;
	int disks = 0;

	*ret_lacking = 0;
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		disks++;
		if (!has_entry(e->d_name, "scsi_generic") ||
		    !has_entry(e->d_name, "block"))
			++*ret_lacking;
	}
	if (dir)
		closedir(dir);
	return disks;
}

/*
 * sd probes in the background.  Wait until nothing changes any more: shortly
 * when all disks have both nodes, longer when one lacks a node, as a disk that
 * no driver wants does for ever.
 */
static void settle(void)
{
	int last = -1, last_lacking = -1, same = 0;

	for (int i = 0; i < SETTLE_STEPS; i++) {
		int lacking, disks = count_disks(&lacking);

		same = disks == last && lacking == last_lacking ? same + 1 : 0;
		if (same >= (lacking || !disks ? SETTLE_PARTIAL : SETTLE_STABLE))
			return;
		last = disks;
		last_lacking = lacking;
		usleep(SETTLE_STEP_US);
	}
}

static void writable(struct guest *g, const char *dir)
{
	if (!g->second && mount("none", dir, "hostfs", 0, dir))
		give_up(dir);
	if (g->ndirs < MAX_DIRS)
		g->dirs[g->ndirs++] = open(dir, O_RDONLY | O_CLOEXEC);
}

/* A folder of the machine is hidden by another one in memory. */
static void replace_dir(char *text)
{
	char *from = strchr(text, ' ');
	char *copy[] = { "cp", "-rT", from + 1, text, NULL };

	*from = '\0';
	mount_fs("tmpfs", text, "mode=755");
	if (run(copy))
		give_up(text);
}

static void settle_udev(void)
{
	char *wait[] = { "udevadm", "settle", "-t", "60", NULL };

	run(wait);
}

/* Which of the two processes does a record, where a service manager runs. */
static bool is_mine(const struct guest *g, char kind)
{
	if (!g->manager)
		return true;
	return strchr(g->second ? "ewcusita" : "modw", kind);
}

static void work_off(struct guest *g, char kind, char *text)
{
	if (!is_mine(g, kind))
		return;
	switch (kind) {
	case 'm':
		load_module(text);
		break;
	case 'o':
		enter_overlay();
		link_modules();
		loopback_up();
		break;
	case 'w':
		writable(g, text);
		break;
	case 'e':
		putenv(strdup(text));
		break;
	case 'c':
		g->cwd = strdup(text);
		break;
	case 'u':
		g->udev = true;
		start_udev(g->second);
		break;
	case 's':
		settle();
		if (g->udev)
			settle_udev();
		break;
	case 'i':
		g->input = strdup(text);
		break;
	case 't':
		g->tty = true;
		sscanf(text, "%hu %hu", &g->size.ws_row, &g->size.ws_col);
		break;
	case 'p':
		g->manager = strdup(text);
		break;
	case 'd':
		replace_dir(text);
		break;
	case 'a':
		if (g->argc < MAX_ARGS - 1)
			g->argv[g->argc++] = strdup(text);
		break;
	default:
		errno = EINVAL;
		complain("job record");
	}
}

static void read_job(struct guest *g)
{
	char path[512], *record = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/job", job);
	f = fopen(path, "re");
	if (!f)
		give_up(path);
	while (getdelim(&record, &room, '\0', f) > 0)
		work_off(g, record[0], record + (record[1] ? 2 : 1));
	free(record);
	fclose(f);
}

static int open_console(const char *path, bool raw)
{
	struct termios t;
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		give_up(path);
	if (raw && !tcgetattr(fd, &t)) {
		cfmakeraw(&t);
		tcsetattr(fd, TCSANOW, &t);
	}
	return fd;
}

static void on_child(int sig)
{
	(void)sig;
}

/* Moves what is there from a pipe to a console. Returns false at its end. */
static bool relay(int from, int to)
{
	char buf[16384];
	ssize_t n = read(from, buf, sizeof(buf));

	for (ssize_t done = 0; done < n;) {
		ssize_t m = write(to, buf + done, (size_t)(n - done));

		if (m < 0 && errno != EINTR)
			return false;
		done += m > 0 ? m : 0;
	}
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Relays until the command ended; a daemon it left may keep the pipes open. */
static int relay_until_exit(pid_t pid, const int from[2], const int to[2])
{
	struct pollfd p[2] = { { .fd = from[0], .events = POLLIN },
			       { .fd = from[1], .events = POLLIN } };
	sigset_t none;
	int status = 0;
	bool ended = false;

	sigemptyset(&none);
	for (;;) {
		struct timespec now = { 0 };
		int st, n = ppoll(p, 2, ended ? &now : NULL, &none);
		pid_t dead;

		for (int i = 0; n > 0 && i < 2; i++)
			if (p[i].revents && !relay(p[i].fd, to[i]))
				p[i].fd = -1;
		if (ended && n <= 0)
			return WIFEXITED(status) ? WEXITSTATUS(status)
						 : 128 + WTERMSIG(status);
		while ((dead = waitpid(-1, &st, WNOHANG)) > 0)
			if (dead == pid) {
				status = st;
				ended = true;
			}
	}
}

static void enter_cwd(const struct guest *g)
{
	if (g->cwd && chdir(g->cwd))
		complain(g->cwd);
}

static _Noreturn void exec_command(const struct guest *g)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	enter_cwd(g);
	execvp(g->argv[0], g->argv);
	complain(g->argv[0]);
	_exit(errno == ENOENT ? 127 : 126);
}

static int run_on_terminal(const struct guest *g)
{
	int tty = open_console("/dev/tty1", false);
	pid_t pid;

	if (g->size.ws_col)
		ioctl(tty, TIOCSWINSZ, &g->size);
	pid = fork();
	if (pid == 0) {
		setsid();
		ioctl(tty, TIOCSCTTY, 0);
		for (int fd = 0; fd < 3; fd++)
			dup2(tty, fd);
		exec_command(g);
	}
	return wait_for(pid);
}

static int run_in_pipes(const struct guest *g)
{
	int out[2], err[2];
	const int to[2] = { open_console("/dev/tty1", true),
			    open_console("/dev/tty2", true) };
	struct sigaction sa = { .sa_handler = on_child };
	sigset_t chld;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		give_up("pipe");
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sigaction(SIGCHLD, &sa, NULL);
	pid = fork();
	if (pid == 0) {
		int in = open(g->input ? g->input : "/dev/null", O_RDONLY);

		setsid();
		if (in > 0)
			dup2(in, 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		exec_command(g);
	}
	close(out[1]);
	close(err[1]);
	const int from[2] = { out[0], err[0] };
	int status = relay_until_exit(pid, from, to);

	tcdrain(to[0]);
	tcdrain(to[1]);
	return status;
}

static void report(int status)
{
	static char log[1 << 21];
	char text[16];
	int n = klogctl(3, log, sizeof(log));

	if (mount("none", "/mnt", "hostfs", 0, job))
		give_up("report");
	write_file("/mnt/dmesg", log, n > 0 ? (size_t)n : 0);
	snprintf(text, sizeof(text), "%d\n", status);
	write_file("/mnt/status", text, strlen(text));
}

static void prepare(struct guest *g)
{
	mount("proc", "/proc", "proc", 0, "");
	/* While booting, modules ask for crypto that is not there: do not look. */
	write_file("/proc/sys/kernel/modprobe", "\n", 1);
	read_job(g);
	if (!access("/sys/kernel/config", F_OK))
		mount_fs("configfs", "/sys/kernel/config", "");
	write_file("/proc/sys/kernel/modprobe", "/sbin/modprobe\n", 15);
}

int main(void)
{
	static struct guest g;

	job = getenv("guest_job");
	if (!job)
		leave();
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	unsetenv("TMPDIR");
	g.second = getpid() != 1;
	if (g.second)
		read_job(&g);
	else
		prepare(&g);
	if (g.manager && !g.second) {
		unlink("/.dockerenv"); /* the guest is no container, if its machine is one */
		execl(g.manager, g.manager, "--system", (char *)NULL);
		give_up(g.manager);
	}
	int status = g.tty ? run_on_terminal(&g) : run_in_pipes(&g);

	report(status);
	while (g.ndirs)
		syncfs(g.dirs[--g.ndirs]);
	leave();
}
