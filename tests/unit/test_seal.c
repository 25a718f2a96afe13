/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seal of a file: each byte of it counts, and who signed. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"

struct fixture {
	char dir[48];
	char key[64];
	char file[64];
	char signers[64];
};

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(strlen(text), fwrite(text, 1, strlen(text), f));
	assert_int_equal(0, fclose(f));
}

/* The line of who may sign with a new key. */
static char *make_key(const char *path)
{
	char *line = NULL;

	assert_int_equal(0, dw_record_key(path, "station@example.org", &line, NULL));
	return line;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char *line;

	assert_non_null(f);
	snprintf(f->dir, sizeof(f->dir), "/tmp/dw-seal-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->key, sizeof(f->key), "%s/key", f->dir);
	snprintf(f->file, sizeof(f->file), "%s/file", f->dir);
	snprintf(f->signers, sizeof(f->signers), "%s/signers", f->dir);
	line = make_key(f->key);
	write_text(f->signers, line);
	free(line);
	write_text(f->file, "what it says");
	assert_int_equal(0, dw_seal_write(f->file, f->key, NULL));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	remove_tree(f->dir);
	free(f);
	return 0;
}

static int look(const struct fixture *f)
{
	struct dw_error err;

	return dw_seal_check(f->file, f->signers, 0, &err);
}

static void as_it_was(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(0, look(f));
	write_text(f->file, "");
	assert_int_equal(1, look(f));
	assert_int_equal(0, dw_seal_write(f->file, f->key, NULL));
	assert_int_equal(0, look(f));
	assert_int_equal(-ENOENT, dw_seal_write("/nowhere/file", f->key, NULL));
	assert_int_equal(-ENOENT, dw_seal_write(f->file, "/nowhere/key", NULL));
}

/* A file of several blocks, by sha256sum, too; and what cannot be read is no empty file. */
static void of_any_size(void **state)
{
	static const size_t sizes[] = { 1, 16383, 16384, 16385, 49152, 100003 };
	struct fixture *f = *state;
	char command[256];
	struct dw_error err;

	for (size_t i = 0; i < DW_ARRAY_SIZE(sizes); i++) {
		char *text = calloc(1, sizes[i] + 1);

		assert_non_null(text);
		for (size_t k = 0; k < sizes[i]; k++)
			text[k] = (char)('a' + k % 23);
		write_text(f->file, text);
		assert_int_equal(0, dw_seal_write(f->file, f->key, NULL));
		assert_int_equal(0, look(f));
		snprintf(command, sizeof(command),
			 "cd %s && sha256sum --status -c file.sha256", f->dir);
		assert_int_equal(0, system(command)); /* NOLINT(cert-env33-c) */
		text[sizes[i] - 1] = '.';
		write_text(f->file, text);
		assert_int_equal(1, look(f));
		free(text);
	}
	assert_int_equal(-EINVAL, dw_seal_write(f->dir, f->key, &err));
	assert_int_equal(-EIO, dw_seal_write("/proc/self/mem", f->key, &err));
}

/* Each byte of the file, of its seal, and of the signature, another. */
static void each_byte(void **state)
{
	static const char *const ends[] = { "", ".sha256", ".sha256.sig" };
	struct fixture *f = *state;

	for (size_t e = 0; e < 3; e++) {
		char path[96], *text, *bad;
		size_t len;

		snprintf(path, sizeof(path), "%s%s", f->file, ends[e]);
		assert_int_equal(0, dw_file_read(path, 4096, &text, &len));
		for (size_t i = 0; i < len; i++) {
			bad = strdup(text);
			assert_non_null(bad);
			bad[i] = bad[i] == 'x' ? 'y' : 'x';
			write_text(path, bad);
			free(bad);
			assert_int_equal(1, look(f));
		}
		write_text(path, text);
		free(text);
		assert_int_equal(0, look(f));
	}
}

static void who_signed(void **state)
{
	struct fixture *f = *state;
	struct dw_error err;
	char other[96], *line;

	snprintf(other, sizeof(other), "%s/other", f->dir);
	line = make_key(other);
	assert_int_equal(0, dw_seal_write(f->file, other, NULL));
	assert_int_equal(1, look(f));
	write_text(f->signers, line);
	free(line);
	assert_int_equal(0, look(f));
	assert_int_equal(-ENOENT, dw_seal_check(f->file, "/nowhere/signers", 0, &err));
}

/* A seal is of one name; without one nothing is said, with half a one it is bad. */
static void which_file(void **state)
{
	struct fixture *f = *state;
	char a[96], b[96], sig[128];
	struct dw_error err;

	snprintf(b, sizeof(b), "%s/other", f->dir);
	write_text(b, "what it says");
	assert_int_equal(-ENOENT, dw_seal_check(b, f->signers, 0, &err));
	for (size_t i = 0; i < 2; i++) {
		const char *end = i ? ".sha256.sig" : ".sha256";

		snprintf(a, sizeof(a), "%s%s", f->file, end);
		snprintf(sig, sizeof(sig), "%s%s", b, end);
		assert_int_equal(0, rename(a, sig));
	}
	assert_int_equal(1, dw_seal_check(b, f->signers, 0, &err));
	assert_int_equal(-ENOENT, look(f));
	assert_int_equal(0, dw_seal_write(f->file, f->key, NULL));
	snprintf(sig, sizeof(sig), "%s.sha256.sig", f->file);
	assert_int_equal(0, unlink(sig));
	assert_int_equal(1, look(f));
	assert_int_equal(0, dw_seal_break(f->file));
	assert_int_equal(-ENOENT, look(f));
	assert_int_equal(0, dw_seal_break(f->file));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(as_it_was, setup, teardown),
		cmocka_unit_test_setup_teardown(of_any_size, setup, teardown),
		cmocka_unit_test_setup_teardown(each_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(who_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(which_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
