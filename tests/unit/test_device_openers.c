/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes use a disk: by descriptors, mappings, rings, and as they end. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "users.h"

static void open_elsewhere(void **state)
{
	char node[128], target[128];
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	snprintf(node, sizeof(node), "%s/node", t.root);
	machine_file(&t, "proc/4242/comm", "qemu-system-x86\n");
	snprintf(target, sizeof(target), "%s/sg4", t.root);
	if (mknod(target, S_IFCHR | 0600, makedev(21, 4)) ||
	    mknod(node, S_IFBLK | 0600, makedev(8, 64))) {
		machine_free(&t);
		skip();
	}
	machine_link(&t, "proc/4242/fd/0", "/dev/null");
	machine_link(&t, "proc/4242/fd/1", "socket:[123]");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_link(&t, "proc/4242/fd/7", node);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
		       "open in process 4242 (qemu-system-x86)", "");
	machine_link(&t, "proc/4242/fd/7", target);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
		       "open in process 4242 (qemu-system-x86)", "");
	/* character number 253:4 is a bsg node here, block number 253:4 another thing */
	unlink(target);
	assert_int_equal(0, mknod(target, S_IFBLK | 0600, makedev(253, 4)));
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	unlink(target);
	assert_int_equal(0, mknod(target, S_IFCHR | 0600, makedev(253, 4)));
	machine_link(
		&t, "sys/class/bsg/4:0:0:0",
		"../../devices/pseudo_0/adapter4/host4/target4:0:0/4:0:0:0/bsg/4:0:0:0");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
		       "open in process 4242 (qemu-system-x86) by /dev/bsg/4:0:0:0, "
		       "which reaches this disk; that process has to end",
		       "");
	machine_free(&t);
}

/* What has no descriptor of the process: a mapping, a thread's own, a ring's table. */
static void open_without_descriptor(void **state)
{
	static const char fdinfo[] =
		"pos: 0\nSqThread: -1\nUserFiles:\t3\n    0: <none>\n"
		"    1: %s\n    2: data.db\nUserBufs:\t1\n    0: sde\n";
	const char *reason = "open in process 4242 (qemu)";
	int pids = 0;
	char node[128], text[400];
	struct dw_uses uses;
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	snprintf(node, sizeof(node), "%s/node", t.root);
	machine_file(&t, "proc/4242/comm", "qemu\n");
	if (mknod(node, S_IFBLK | 0600, makedev(8, 64))) {
		machine_free(&t);
		skip();
	}
	machine_file(&t, "proc/4242/maps",
		     "1000-2000 r--p 00000000 08:01 77   /lib/libc.so\n"
		     "7f00-7f10 rw-p 00000000 00:00 0 \n"
		     "9000-a000 rw-s 00001000 00:05 321   /dev/sde (deleted)\n");
	machine_link(&t, "proc/4242/map_files/1000-2000", "/dev/null");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_link(&t, "proc/4242/map_files/9000-a000", node);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN, reason, "");
	/* what it is may be known from another process by now */
	machine_link(&t, "proc/4243/map_files/1000-5000", node);
	machine_file(&t, "proc/4243/maps",
		     "1000-5000 rw-s 00001000 00:05 321   /dev/sde (deleted)\n");
	snapshot(&t, &uses);
	for (size_t i = 0; i < uses.n; i++)
		pids += uses.v[i].kind == DW_USE_OPEN ? uses.v[i].pid : 0;
	assert_int_equal(4242 + 4243, pids);
	dw_uses_free(&uses);
	machine_file(&t, "proc/4242/maps", "");
	machine_file(&t, "proc/4243/maps", "");

	machine_file(&t, "proc/4242/task/4242/comm", "qemu\n");
	machine_link(&t, "proc/4242/task/4250/fd/9", node);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN, reason, "");
	machine_link(&t, "proc/4242/task/4250/fd/9", "/dev/null");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");

	machine_link(&t, "proc/4242/fd/5", "anon_inode:[io_uring]");
	snprintf(text, sizeof(text), fdinfo, "sdx");
	machine_file(&t, "proc/4242/fdinfo/5", text);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	snprintf(text, sizeof(text), fdinfo, "sde");
	machine_file(&t, "proc/4242/fdinfo/5", text);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN, reason, "");
	/* a path, as newer kernels have it */
	machine_link(&t, "proc/4242/root", "/");
	snprintf(text, sizeof(text), fdinfo, node);
	machine_file(&t, "proc/4242/fdinfo/5", text);
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN, reason, "");
	/* a ring that is busy for as long as one looks; newer kernels say nothing then */
	for (int i = 0; i < 2; i++) {
		machine_file(&t, "proc/4242/fdinfo/5",
			     i ? "pos:\t0\nflags:\t02\n"
			       : "UserFiles:\t2\nUserBufs:\t0\n");
		snapshot(&t, &uses);
		assert_non_null(
			strstr(uses.unseen, "process 4242 (qemu) cannot be looked into"));
		dw_uses_free(&uses);
	}
	machine_free(&t);
}

/* With a block node that processes may have open; only root can make one. */
static void machine_with_node(struct machine *t, char node[128])
{
	machine_new(t);
	machine_load(t, "stacks.tree");
	snprintf(node, 128, "%s/node", t->root);
	if (mknod(node, S_IFBLK | 0600, makedev(8, 64))) {
		machine_free(t);
		skip();
	}
}

/* A descriptor that only names the node, as anybody may have it. */
static void named_only(void **state)
{
	char node[128];
	struct machine t;

	machine_with_node(&t, node);
	machine_file(&t, "proc/4242/comm", "sh\n");
	machine_link(&t, "proc/4242/fd/7", node);
	machine_file(&t, "proc/4242/fdinfo/7",
		     "pos:\t0\nflags:\t012100000\nmnt_id:\t9\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	machine_file(&t, "proc/4242/fdinfo/7", "pos:\t0\nflags:\t02100000\nmnt_id:\t9\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN, "open in process 4242 (sh)",
		       "");
	machine_free(&t);
}

/* A thread of the kernel is not looked into; a process whose name looks like its line is. */
static void kernel_threads(void **state)
{
	static const char *const pretend[] = {
		"4242 (x) I 2 0 0 0 -1 69238880 0) S 1 0 0 0 -1 4194560 0 0 0 0\n",
		/* 14 characters, and then the kernel goes on in the next line */
		"4242 ()I1-1-1-1-1-2\n) S 1 0 0 0 -1 4194560 0 0 0 0\n",
	};
	char node[128];
	struct machine t;

	machine_with_node(&t, node);
	machine_file(&t, "proc/4242/comm", "kworker/0:1\n");
	machine_link(&t, "proc/4242/fd/7", node);
	machine_file(&t, "proc/4242/stat",
		     "4242 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0\n");
	expect_verdict(&t, makedev(8, 64), DW_REFUSAL_NONE, "", "");
	for (size_t i = 0; i < sizeof(pretend) / sizeof(pretend[0]); i++) {
		machine_file(&t, "proc/4242/stat", pretend[i]);
		expect_verdict(&t, makedev(8, 64), DW_REFUSAL_OPEN,
			       "open in process 4242 (kworker/0:1)", "");
	}
	machine_free(&t);
}

/* The names in the table of a ring are believed of who could have opened a disk. */
static void rings_of_anybody(void **state)
{
	static const char user[] =
		"Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n"
		"Groups:\t24 46 \nCapPrm:\t0000000000000000\n";
	static const struct {
		const char *status, *user_ns;
		unsigned int mode, owner, group;
		bool believed;
	} rows[] = {
		{ user, "user:[1]", 0660, 0, 6, false },
		{ user, "user:[1]", 0664, 0, 6, true },
		{ user, "user:[1]", 0660, 1000, 6, true },
		{ user, "user:[1]", 0060, 1000, 6, false },
		{ user, "user:[1]", 0660, 0, 1000, true },
		{ user, "user:[1]", 0660, 0, 46, true },
		{ user, "user:[1]", 0600, 0, 46, false },
		{ "Uid:\t7 7 7 7\nCapPrm:\t0000000000000002\n", "user:[1]", 0660, 0, 6,
		  true },
		/* root where he made himself root, and root as he is here */
		{ "Uid:\t7 7 7 7\nCapPrm:\t000001ffffffffff\n", "user:[2]", 0660, 0, 6,
		  false },
		{ "Uid:\t0 0 0 0\nCapPrm:\t0000000000000000\n", "user:[2]", 0660, 0, 6,
		  true },
		{ NULL, "user:[1]", 0660, 0, 6, true }, /* it cannot be told */
	};
	char node[128];
	struct dw_uses uses;
	struct dw_verdict v;
	struct machine t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		snprintf(node, sizeof(node), "%s/sde", t.dev);
		mkdir(t.dev, 0755);
		if (mknod(node, S_IFBLK | 0600, makedev(8, 64)) ||
		    chown(node, rows[i].owner, rows[i].group) ||
		    chmod(node, rows[i].mode)) {
			machine_free(&t);
			skip();
		}
		machine_link(&t, "proc/self/ns/user", "user:[1]");
		machine_link(&t, "proc/4242/ns/user", rows[i].user_ns);
		if (rows[i].status)
			machine_file(&t, "proc/4242/status", rows[i].status);
		machine_link(&t, "proc/4242/fd/5", "anon_inode:[io_uring]");
		machine_file(&t, "proc/4242/fdinfo/5", "UserFiles:\t1\n    0: sde\n");
		assert_int_equal(rows[i].believed, judge(&t, makedev(8, 64), &v));
		machine_file(&t, "proc/4242/fdinfo/5", "UserFiles:\t1\n");
		uses = (struct dw_uses){ 0 };
		assert_int_equal(0, dw_uses_openers(&t.m, &uses));
		assert_int_equal(rows[i].believed, uses.unseen[0] != 0);
		dw_uses_free(&uses);
		machine_free(&t);
	}
}

/* Who may open a character node of an NVMe disk could have opened a disk as well. */
static void rings_beside_nvme(void **state)
{
	static const char *const rows[] = { "nvme/nvme0", "nvme-generic/ng0n1" };
	char path[128];
	struct dw_verdict v;
	struct machine t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		machine_new(&t);
		machine_load(&t, "stacks.tree");
		snprintf(path, sizeof(path), "sys/class/%s/device/vendor", rows[i]);
		machine_file(&t, path, "0x1b36\n");
		snprintf(path, sizeof(path), "%s%s", t.dev, strchr(rows[i], '/'));
		mkdir(t.dev, 0755);
		if (mknod(path, S_IFCHR | 0660, makedev(241, 0)) || chown(path, 0, 46)) {
			machine_free(&t);
			skip();
		}
		machine_link(&t, "proc/self/ns/user", "user:[1]");
		machine_link(&t, "proc/4242/ns/user", "user:[1]");
		machine_file(&t, "proc/4242/status",
			     "Uid:\t1000\t1000\t1000\t1000\nGroups:\t24 46 \n"
			     "CapPrm:\t0000000000000000\n");
		machine_link(&t, "proc/4242/fd/5", "anon_inode:[io_uring]");
		machine_file(&t, "proc/4242/fdinfo/5", "UserFiles:\t1\n    0: sde\n");
		assert_true(judge(&t, makedev(8, 64), &v));
		machine_free(&t);
	}
}

/** struct ring_case - @other: fdinfo of a ring that another process has open, NULL = none does */
struct ring_case {
	const char *other, *user_ns;
	bool hidden;
};

static void add_mapper(struct machine *t, const char *pid, const char *user_ns)
{
	static const char maps[] =
		"1000-2000 rw-s 00000000 00:0f 1234   anon_inode:[io_uring]\n"
		"2000-3000 rw-s 10000000 00:0f 1234   anon_inode:[io_uring]\n";
	char path[40];

	snprintf(path, sizeof(path), "proc/%s/comm", pid);
	machine_file(t, path, "sh\n");
	snprintf(path, sizeof(path), "proc/%s/maps", pid);
	machine_file(t, path, maps);
	snprintf(path, sizeof(path), "proc/%s/ns/user", pid);
	machine_link(t, path, user_ns);
	snprintf(path, sizeof(path), "proc/%s/status", pid);
	machine_file(t, path, "Uid:\t1000\t1000\nCapPrm:\t000001ffffffffff\n");
}

static void add_opener(struct machine *t, const char *pid, const char *fdinfo)
{
	char path[40];

	if (!fdinfo)
		return;
	snprintf(path, sizeof(path), "proc/%s/fd/5", pid);
	machine_link(t, path, "anon_inode:[io_uring]");
	snprintf(path, sizeof(path), "proc/%s/fdinfo/5", pid);
	machine_file(t, path, fdinfo);
}

/* Folders are listed by name, by age, or by neither: @order has each of both processes first. */
static void look_at_ring(const struct ring_case *c, int order)
{
	const char *mapper = order & 1 ? "43" : "42", *opener = order & 1 ? "42" : "43";
	struct dw_uses uses = { 0 };
	char unseen[120] = "";
	struct machine t;

	machine_new(&t);
	machine_load(&t, "stacks.tree");
	machine_link(&t, "proc/self/ns/user", "user:[1]");
	if (order & 2)
		add_opener(&t, opener, c->other);
	add_mapper(&t, mapper, c->user_ns);
	if (!(order & 2))
		add_opener(&t, opener, c->other);
	if (c->hidden)
		snprintf(unseen, sizeof(unseen),
			 "process %s (sh) has an io_uring without a descriptor, which "
			 "cannot be looked into",
			 mapper);
	assert_int_equal(0, dw_uses_openers(&t.m, &uses));
	assert_string_equal(unseen, uses.unseen);
	dw_uses_free(&uses);
	machine_free(&t);
}

/* A ring that is mapped, and of which nobody has a descriptor any more. One that another process
 * has open is read there; that of somebody who cannot open a disk has none in it. */
static void rings_that_are_mapped(void **state)
{
	static const struct ring_case rows[] = {
		{ NULL, "user:[1]", true },
		{ "ino:\t1234\nUserFiles:\t0\n", "user:[1]", false },
		{ "ino:\t1235\nUserFiles:\t0\n", "user:[1]", true },
		{ NULL, "user:[2]", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int order = 0; order < 4; order++)
			look_at_ring(&rows[i], order);
}

static void *nothing(void *arg)
{
	return arg;
}

/* Neither does a thread that ends. */
static void threads_that_end(void **state)
{
	char from[32], to[32];
	struct machine t;
	pthread_t thread;
	pid_t churn;

	machine_new(&t);
	churn = fork();
	if (!churn) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			if (!pthread_create(&thread, NULL, nothing, NULL))
				pthread_join(thread, NULL);
	}
	snprintf(from, sizeof(from), "proc/%d", churn);
	snprintf(to, sizeof(to), "/proc/%d", churn);
	machine_link(&t, from, to);
	for (int i = 0; i < 500; i++) {
		struct dw_uses uses = { 0 };

		assert_int_equal(0, dw_uses_openers(&t.m, &uses));
		assert_string_equal("", uses.unseen);
		dw_uses_free(&uses);
	}
	kill(churn, SIGKILL);
	waitpid(churn, NULL, 0);
	machine_free(&t);
}

/* Processes that end while they are looked at hide nothing. */
static void processes_that_end(void **state)
{
	_Atomic pid_t *now = mmap(NULL, sizeof(*now), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char from[32], to[32], link[PATH_MAX];
	struct machine t;
	pid_t churn, pid;

	assert_true(now != MAP_FAILED);
	machine_new(&t);
	churn = fork();
	if (!churn) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (pid_t child;; waitpid(child, NULL, 0)) {
			child = fork();
			if (!child)
				_exit(execlp("true", "true",
					     NULL)); /* maps what is new */
			*now = child;
		}
	}
	for (int i = 0; i < 100; i++) {
		while (!(pid = *now))
			sched_yield();
		snprintf(from, sizeof(from), "proc/%d", pid);
		snprintf(to, sizeof(to), "/proc/%d", pid);
		machine_link(&t, from, to);
		while (pid == *now) {
			struct dw_uses uses = { 0 };

			assert_int_equal(0, dw_uses_openers(&t.m, &uses));
			assert_string_equal("", uses.unseen);
			dw_uses_free(&uses);
		}
		snprintf(link, sizeof(link), "%s/%d", t.m.proc, pid);
		assert_return_code(unlink(link), errno);
	}
	kill(churn, SIGKILL);
	waitpid(churn, NULL, 0);
	munmap((void *)now, sizeof(*now));
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_elsewhere),
		cmocka_unit_test(open_without_descriptor),
		cmocka_unit_test(named_only),
		cmocka_unit_test(kernel_threads),
		cmocka_unit_test(rings_of_anybody),
		cmocka_unit_test(rings_beside_nvme),
		cmocka_unit_test(rings_that_are_mapped),
		cmocka_unit_test(processes_that_end),
		cmocka_unit_test(threads_that_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
