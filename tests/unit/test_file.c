/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read, what is written, and over which links. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"
#include "unit.h"

#define STRANGER 12345

static char dir[64];

static int copy_all(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0600);
	char c;

	while (read(in, &c, 1) == 1)
		if (write(out, &c, 1) != 1)
			return 1;
	return 0;
}

static bool reader_comes;
static unsigned int naps;

/* Who waits for a reader of a pipe is told that the time has passed; the reader, if one comes, is
 * there by then. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	pid_t reader = naps++ || !reader_comes ? -1 : fork();

	if (!reader)
		_exit(copy_all("pipe", "got"));
	if (reader > 0)
		await_asleep(reader);
	return 0;
}

static int enter_folder(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/dw-file-XXXXXX");
	umask(0); /* as a careless service has it */
	return !mkdtemp(dir) || chdir(dir);
}

static int leave_folder(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "cd / && rm -rf %s", dir);
	return chdir("/") || system(command) != 0;
}

static void put(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(strlen(text), write(fd, text, strlen(text)));
	assert_int_equal(0, fchmod(fd, mode));
	close(fd);
}

static void holds(const char *name, const char *want)
{
	char *text = NULL;
	size_t len;

	assert_int_equal(0, dw_file_read(name, 1000, &text, &len));
	assert_string_equal(want, text);
	assert_int_equal(strlen(want), len);
	free(text);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(0, lstat(name, &st));
	return st.st_mode & 0777;
}

/* Nothing is left beside what was written. */
static void alone(void)
{
	assert_int_equal(0, system("set -- *.????????????????; [ ! -e \"$1\" ]"));
}

static void files_are_replaced(void **state)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0666, 0444 };

	assert_int_equal(0, dw_file_write("new", "text", 4));
	holds("new", "text");
	assert_int_equal(0644, mode_of("new"));
	assert_int_equal(0, link("new", "other"));
	for (size_t i = 0; i < DW_ARRAY_SIZE(modes); i++) {
		assert_int_equal(0, chmod("new", modes[i]));
		assert_int_equal(0, dw_file_write("new", "more", 4));
		assert_int_equal(modes[i], mode_of("new"));
	}
	holds("new", "more");
	holds("other", "text"); /* its inode is not written to */
	assert_int_equal(0, mkdir("sub", 0700));
	assert_int_equal(0, symlink("../dir/new", "sub/link"));
	assert_int_equal(0, symlink(".", "dir"));
	assert_int_equal(0, dw_file_write("./sub//link", "over", 4));
	holds("new", "over");
	assert_int_equal(-EISDIR, dw_file_write("sub/", "x", 1));
	assert_int_equal(-EISDIR, dw_file_write("sub", "x", 1));
	assert_int_equal(-EISDIR, dw_file_write("/", "x", 1));
	assert_int_equal(-ENOENT, dw_file_write("", "x", 1));
	assert_int_equal(-ENOENT, dw_file_write("no/x", "x", 1));
	assert_int_equal(-ENOTDIR, dw_file_write("new/x", "x", 1));
	assert_int_equal(0, symlink("loop", "loop"));
	assert_int_equal(-ELOOP, dw_file_write("loop", "x", 1));
	alone();
}

static void links_of_others(void **state)
{
	if (geteuid())
		skip();
	put("secret", "secret", 0600);
	assert_int_equal(0, mkdir("etc", 0755));
	assert_int_equal(0, symlink("secret", "trap"));
	assert_int_equal(0, lchown("trap", STRANGER, STRANGER));
	assert_int_equal(0, symlink("etc", "way"));
	assert_int_equal(0, lchown("way", STRANGER, STRANGER));
	assert_int_equal(-ELOOP, dw_file_write("trap", "x", 1));
	assert_int_equal(-ELOOP, dw_file_replace("trap", "x", 1, 0600));
	assert_int_equal(-ELOOP, dw_file_write("way/x", "x", 1));
	holds("secret", "secret");
	assert_int_equal(-1, access("etc/x", F_OK));
	/* a file of another user: a new one, no more open than it was */
	put("theirs", "x", 0666);
	assert_int_equal(0, chown("theirs", STRANGER, STRANGER));
	assert_int_equal(0, dw_file_replace("theirs", "mine", 4, 0600));
	assert_int_equal(0600, mode_of("theirs"));
	/* and a pipe of another user */
	assert_int_equal(0, mkfifo("pipe", 0666));
	assert_int_equal(0, chown("pipe", STRANGER, STRANGER));
	assert_int_equal(-EPERM, dw_file_write("pipe", "x", 1));
	alone();
}

static void other_things(void **state)
{
	static const char long_text[100000]; /* more than a stream keeps to itself */
	char text[8] = "", path[32];
	int end[2];

	assert_int_equal(0, dw_file_write("/dev/null", "x", 1));
	assert_int_equal(-ENOSPC, dw_file_write("/dev/full", "x", 1));
	assert_int_equal(-ENOSPC,
			 dw_file_write("/dev/full", long_text, sizeof(long_text)));
	assert_int_equal(-EMEDIUMTYPE, dw_file_write("/dev/random", "x", 1));
	assert_int_equal(-EINVAL, dw_file_replace("/dev/null", "x", 1, 0600));
	if (!geteuid() && !mknod("node", S_IFBLK | 0600, makedev(7, 250)))
		assert_int_equal(-EMEDIUMTYPE, dw_file_write("node", "x", 1));
	if (!geteuid() && !mknod("sg", S_IFCHR | 0600, makedev(21, 250)))
		assert_int_equal(-EMEDIUMTYPE, dw_file_write("sg", "x", 1));
	assert_int_equal(0, pipe(end));
	snprintf(path, sizeof(path), "/dev/fd/%d", end[1]);
	assert_int_equal(0, dw_file_write(path, "abc", 3));
	assert_int_equal(3, read(end[0], text, sizeof(text)));
	close(end[1]);
	close(end[0]);
	assert_int_equal(-EBADF, dw_file_write(path, "abc", 3));
	/* a pipe by name: who reads may come a little later; if nobody does, it is said */
	assert_int_equal(0, mkfifo("pipe", 0600));
	reader_comes = true;
	assert_int_equal(0, dw_file_write("pipe", "abc", 3));
	wait(NULL);
	holds("got", "abc");
	assert_int_equal(1, naps);
	reader_comes = false;
	assert_int_equal(-ENXIO, dw_file_write("pipe", "abc", 3));
	assert_true(naps > 10);
}

/* Whether it could be written, and nothing is changed by that. */
static void tried_before(void **state)
{
	static const mode_t mode = 0640;

	assert_int_equal(0, dw_file_check("new"));
	assert_int_equal(-1, access("new", F_OK));
	put("old", "old", mode);
	assert_int_equal(0, symlink("old", "link"));
	assert_int_equal(0, dw_file_check("old"));
	assert_int_equal(0, dw_file_check("link"));
	holds("old", "old");
	assert_int_equal(mode, mode_of("old"));
	assert_int_equal(-ENOENT, dw_file_check("no/x"));
	assert_int_equal(-ENOENT, dw_file_check("no/"));
	assert_int_equal(-EINVAL, dw_file_check("."));
	assert_int_equal(-EINVAL, dw_file_check("/dev/null"));
	assert_int_equal(-EINVAL, dw_file_check("/dev/fd/1"));
	assert_int_equal(0, mkfifo("pipe", 0600));
	assert_int_equal(-EINVAL, dw_file_check("pipe"));
	alone();
}

static void what_is_read(void **state)
{
	char *text, path[32];
	size_t len;
	int end[2];

	put("file", "abcdef", 0600);
	assert_int_equal(-EFBIG, dw_file_read("file", 5, &text, &len));
	holds("file", "abcdef");
	holds("/dev/null", "");
	assert_int_equal(0, mkfifo("in", 0600));
	assert_int_equal(-EINVAL, dw_file_read("in", 5, &text, &len));
	assert_int_equal(-EINVAL, dw_file_read(".", 5, &text, &len));
	assert_int_equal(-EINVAL, dw_file_read("/dev/zero", 5, &text, &len));
	assert_int_equal(-ENOENT, dw_file_read("no", 5, &text, &len));
	assert_int_equal(0, pipe(end));
	assert_int_equal(3, write(end[1], "abc", 3));
	close(end[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", end[0]);
	assert_int_equal(-EINVAL, dw_file_open(path, false));
	holds(path, "abc");
	close(end[0]);
}

/* A trace may be read while it grows, and nothing of it goes to what stood there before. */
static void at_once(void **state)
{
	struct dw_output o;

	put("old", "old", 0600);
	assert_int_equal(0, link("old", "kept"));
	assert_int_equal(0, dw_output_open(&o, "old", 0666, true));
	fputs("one", o.f);
	fflush(o.f);
	holds("old", "one");
	assert_int_equal(0600, mode_of("old"));
	assert_int_equal(0, dw_output_close(&o, true));
	holds("kept", "old");
	assert_int_equal(0, dw_output_open(&o, "kept", 0666, false));
	fputs("two", o.f);
	fflush(o.f);
	holds("kept", "old");
	assert_int_equal(0, dw_output_close(&o, false));
	holds("kept", "old");
	alone();
}

/* A key is made once, and is not written over. */
static void made_once(void **state)
{
	int fd;

	assert_int_equal(0, dw_file_make("key", "secret", 6, 0600));
	holds("key", "secret");
	assert_int_equal(0600, mode_of("key"));
	assert_int_equal(-EEXIST, dw_file_make("key", "other", 5, 0600));
	assert_int_equal(-ENOENT, dw_file_make("no/key", "other", 5, 0600));
	holds("key", "secret");
	assert_int_equal(0, symlink("key", "link"));
	assert_int_equal(-EEXIST, dw_file_make("link", "other", 5, 0600));
	holds("key", "secret");

	fd = open("key", O_RDONLY);
	assert_int_equal(0, dw_file_secret(fd));
	for (mode_t open_to = 1; open_to <= 040; open_to <<= 1) {
		assert_int_equal(0, fchmod(fd, 0600 | open_to));
		assert_int_equal(-EPERM, dw_file_secret(fd));
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_are_replaced, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(links_of_others, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(other_things, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(tried_before, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(what_is_read, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(at_once, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(made_once, enter_folder, leave_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
