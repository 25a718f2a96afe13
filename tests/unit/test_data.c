/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keystream against bytes that "openssl kdf" and "openssl enc -aes-128-ctr" print, and
 * against AES in ECB mode over counters; constant patterns against a byte at a time; all of
 * it from many threads.
 */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/be.h"
#include "base/rng.h"
#include "base/util.h"
#include "data/data.h"
#include "data/secret.h"

#define IDENTITY "0x5000c500a1b2c3d4/ZA1234"

static const struct dw_pattern random_pattern = { .kind = DW_PATTERN_RANDOM };

static struct dw_key counting_key(void)
{
	struct dw_key key;

	for (int i = 0; i < DW_KEY_BYTES; i++)
		key.bytes[i] = (uint8_t)i;
	return key;
}

static struct dw_source *random_source(uint32_t pass, uint32_t block_size)
{
	struct dw_key key = counting_key();
	struct dw_source *s;

	assert_int_equal(
		dw_source_new(&random_pattern, &key, IDENTITY, pass, block_size, &s), 0);
	return s;
}

static struct dw_source *const_source(const char *text, uint32_t block_size)
{
	struct dw_pattern p;
	struct dw_source *s;

	assert_int_equal(dw_pattern_parse(text, &p), 0);
	assert_int_equal(dw_source_new(&p, NULL, "", 0, block_size, &s), 0);
	return s;
}

/* Key: openssl kdf -kdfopt digest:SHA256 -kdfopt hexkey:000102...1f -kdfopt
 * info:IDENTITY/2 HKDF; bytes: openssl enc -aes-128-ctr -K KEY -iv OFFSET/16 of zeros. */
static void keystream_golden(void **state)
{
	static const struct {
		uint32_t block_size;
		uint64_t lba;
		const char *hex;
	} row[] = {
		{ 512, 0,
		  "8587b46d809b11b96ccc6cd73208945ef655614e6e2c20fd35ec9f7f00b9b7e3" },
		{ 512, 15,
		  "5e81f0b1635a975eea0e7b5f3e9b2ac4048fde1ee3e14e3aa6938b37b612ba05" },
		/* the low 32 bits of the counter wrap in the middle */
		{ 32, ((UINT64_C(1) << 36) - 32) / 32,
		  "56a4e4617dd1f57c7c8c1116624163654609574fde8486d450a095edb9741237"
		  "bb53f04b7fa0131eba4fd48609c2268da7885358f52ab88bc95f4e17c5c06429" },
		/* byte 520 lies in the middle of a counter block */
		{ 520, 1, "325f1618c43b27e049a2321f8c7caf0e6b05b3bab6059938" },
	};
	static uint8_t got[1040];
	uint8_t want[64];

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		struct dw_source *s = random_source(2, row[i].block_size);
		size_t n = unhex(row[i].hex, want, sizeof(want));

		assert_int_equal(dw_source_fill(s, row[i].lba, 2, got), 0);
		assert_memory_equal(got, want, n);
		dw_source_free(s);
	}
}

/* One byte of the keystream by SP 800-38A's definition. */
static uint8_t byte_by_ecb(EVP_CIPHER_CTX *ecb, uint64_t offset)
{
	uint8_t counter[16] = { 0 }, out[16];
	int n;

	dw_put_be64(counter + 8, offset / 16);
	assert_int_equal(EVP_EncryptUpdate(ecb, out, &n, counter, 16), 1);
	assert_int_equal(n, 16);
	return out[offset % 16];
}

static void keystream_by_definition(void **state)
{
	static const uint32_t sizes[] = { 512, 520, 528, 4096, 4160, 1, 65536 };
	EVP_CIPHER_CTX *ecb = EVP_CIPHER_CTX_new();
	uint8_t key[16], *buf = malloc(1 << 20);
	struct dw_rng rng;

	unhex("D9BB1BB40F5B80E4718B3C38EEC89A57", key, sizeof(key));
	assert_int_equal(EVP_EncryptInit_ex2(ecb, EVP_aes_128_ecb(), key, NULL, NULL), 1);
	dw_rng_seed(&rng, 2);
	for (int round = 0; round < 300; round++) {
		uint32_t size = sizes[dw_rng_below(&rng, DW_ARRAY_SIZE(sizes))];
		uint64_t lba = dw_rng_next(&rng) >> dw_rng_below(&rng, 40) >> 17;
		uint32_t nlb = 1 + (uint32_t)dw_rng_below(&rng, (1 << 20) / size);
		struct dw_source *s = random_source(2, size);

		assert_int_equal(dw_source_fill(s, lba, nlb, buf), 0);
		for (int i = 0; i < 20; i++) {
			uint64_t at = dw_rng_below(&rng, (uint64_t)nlb * size);

			assert_int_equal(buf[at], byte_by_ecb(ecb, lba * size + at));
		}
		dw_source_free(s);
	}
	EVP_CIPHER_CTX_free(ecb);
	free(buf);
}

static void keys_differ(void **state)
{
	struct dw_key key = counting_key();
	uint8_t first[512], other[512];
	struct dw_source *s = random_source(2, 512);

	assert_int_equal(dw_source_fill(s, 0, 1, first), 0);
	dw_source_free(s);
	s = random_source(3, 512);
	assert_int_equal(dw_source_fill(s, 0, 1, other), 0);
	assert_memory_not_equal(first, other, 16);
	dw_source_free(s);
	assert_int_equal(dw_source_new(&random_pattern, &key, IDENTITY "5", 2, 512, &s),
			 0);
	assert_int_equal(dw_source_fill(s, 0, 1, other), 0);
	assert_memory_not_equal(first, other, 16);
	dw_source_free(s);
	key.bytes[31] ^= 1;
	assert_int_equal(dw_source_new(&random_pattern, &key, IDENTITY, 2, 512, &s), 0);
	assert_int_equal(dw_source_fill(s, 0, 1, other), 0);
	assert_memory_not_equal(first, other, 16);
	dw_source_free(s);
}

static void source_refused(void **state)
{
	static const struct dw_pattern bad[] = {
		{ .kind = DW_PATTERN_CONST, .len = 0 },
		{ .kind = DW_PATTERN_CONST, .len = 4 },
		{ .kind = DW_PATTERN_RANDOM_BYTE },
		{ .kind = DW_PATTERN_COMPLEMENT },
	};
	struct dw_key key = counting_key();
	struct dw_source *s = NULL;
	char long_name[600];
	uint8_t buf[1024];

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		assert_int_equal(dw_source_new(&bad[i], &key, "", 0, 512, &s), -EINVAL);
	assert_int_equal(dw_source_new(&random_pattern, NULL, "", 0, 512, &s), -EINVAL);
	assert_int_equal(dw_source_new(&random_pattern, &key, "", 0, 0, &s), -EINVAL);
	assert_int_equal(dw_source_new(&random_pattern, &key, "", 0, 65537, &s), -EINVAL);
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(dw_source_new(&random_pattern, &key, long_name, 0, 512, &s),
			 -EINVAL);
	assert_null(s);
	s = random_source(0, 512);
	assert_int_equal(dw_source_fill(s, UINT64_MAX / 512 + 1, 1, buf), -ERANGE);
	assert_int_equal(dw_source_fill(s, UINT64_MAX / 512, 2, buf), -ERANGE);
	assert_int_equal(dw_source_fill(s, UINT64_MAX / 512 - 1, 1, buf), 0);
	dw_source_free(s);
	dw_source_free(NULL);
}

static void constants(void **state)
{
	static const char *const names[] = { "00",     "ff",     "55",     "a55a",
					     "924924", "492492", "6db6db", "aaaaaa" };
	static const uint32_t sizes[] = { 512, 520, 4096, 3, 65536 };
	uint8_t *buf = malloc(1 << 20);
	struct dw_rng rng;

	dw_rng_seed(&rng, 3);
	for (int round = 0; round < 400; round++) {
		const char *name = names[dw_rng_below(&rng, DW_ARRAY_SIZE(names))];
		uint32_t size = sizes[dw_rng_below(&rng, DW_ARRAY_SIZE(sizes))];
		uint64_t lba = dw_rng_next(&rng) >> 17 >> dw_rng_below(&rng, 40);
		uint32_t nlb = 1 + (uint32_t)dw_rng_below(&rng, (1 << 20) / size), id,
			 bad = 7;
		struct dw_source *s = const_source(name, size);
		const uint8_t *shared = dw_source_const(s, lba, nlb * size, &id);
		struct dw_pattern p;

		dw_pattern_parse(name, &p);
		assert_true(dw_source_is_const(s));
		assert_int_equal(dw_source_is_zero(s), !strcmp(name, "00"));
		assert_non_null(shared);
		assert_int_equal((uintptr_t)shared % 4096, 0);
		assert_int_equal(dw_source_fill(s, lba, nlb, buf), 0);
		assert_memory_equal(buf, shared, (size_t)nlb * size);
		for (int i = 0; i < 20; i++) {
			uint64_t at = dw_rng_below(&rng, (uint64_t)nlb * size);

			assert_int_equal(buf[at], p.byte[(lba * size + at) % p.len]);
		}
		assert_int_equal(dw_source_check(s, lba, nlb, buf, &bad), 0);
		assert_int_equal(bad, 7);
		dw_source_free(s);
	}
	free(buf);
}

/* Equal bytes have one copy and one name, whatever pass, disk, phase or spelling. */
static void constants_are_shared(void **state)
{
	struct dw_source *a = const_source("924924", 512),
			 *b = const_source("492492", 512), *c = const_source("aa", 512),
			 *d = const_source("aaaaaa", 520),
			 *e = const_source("aaaa", 4096), *r = random_source(0, 512);
	uint32_t id_a = 0, id_b = 0, id_c = 0, id_d = 0;
	const uint8_t *p;

	/* 512 = 2 (mod 3): LBA 2 of one begins with the second byte, as LBA 0 of the other */
	p = dw_source_const(a, 2, 512, &id_a);
	assert_ptr_equal(p, dw_source_const(b, 0, 512, &id_b));
	assert_int_equal(id_a, id_b);
	assert_int_equal(p[0], 0x49);
	assert_ptr_not_equal(p, dw_source_const(a, 0, 512, &id_a));
	assert_int_not_equal(id_a, id_b);
	p = dw_source_const(c, 0, DW_CONST_MAX, &id_c);
	assert_ptr_equal(p, dw_source_const(d, 5, 520, &id_d));
	assert_int_equal(id_c, id_d);
	assert_int_not_equal(id_c, 0);
	assert_ptr_equal(p, dw_source_const(e, 0, 4096, &id_d));
	assert_int_equal(p[DW_CONST_MAX - 1], 0xaa);
	assert_null(dw_source_const(c, 0, DW_CONST_MAX + 1, &id_c));
	assert_null(dw_source_const(r, 0, 512, &id_c));
	assert_false(dw_source_is_const(r));
	assert_false(dw_source_is_zero(r));
	dw_source_free(a);
	dw_source_free(b);
	dw_source_free(c);
	dw_source_free(d);
	dw_source_free(e);
	dw_source_free(r);
}

static size_t resident_kib(const void *p, size_t len)
{
	static unsigned char map[DW_CONST_MAX / 4096];
	size_t n = 0;

	assert_int_equal(mincore((void *)p, len, map), 0);
	for (size_t i = 0; i < len / 4096; i++)
		n += map[i] & 1;
	return n * 4;
}

/* What is asked for is what is touched, and nobody can write to it. */
static void constants_are_lazy_and_read_only(void **state)
{
	static const char *const fill[] = { "01", "02", "03", "04", "05",
					    "06", "07", "08", "09" };
	struct dw_source *s;
	const void *p;
	uint32_t id;
	int fd;

	for (size_t i = 0; i < DW_ARRAY_SIZE(fill); i++) {
		s = const_source(fill[i], 512);
		assert_non_null(dw_source_const(s, 0, 512, &id));
		dw_source_free(s);
	}
	s = const_source("0a", 512); /* behind those with huge pages */
	p = dw_source_const(s, 0, 512, &id);
	assert_in_range(resident_kib(p, DW_CONST_MAX), 64, 64);
	assert_ptr_equal(dw_source_const(s, 0, 1 << 20, &id), p);
	assert_in_range(resident_kib(p, DW_CONST_MAX), 1024, 1024);
	fd = open("/dev/zero", O_RDONLY);
	assert_int_equal(read(fd, (void *)p, 1), -1);
	assert_int_equal(errno, EFAULT);
	close(fd);
	dw_source_free(s);
}

static void differences(void **state)
{
	static const uint32_t sizes[] = { 512, 520, 4096, 65536 };
	uint8_t *buf = malloc(1 << 20);
	struct dw_rng rng;

	dw_rng_seed(&rng, 4);
	for (int round = 0; round < 400; round++) {
		uint32_t size = sizes[dw_rng_below(&rng, DW_ARRAY_SIZE(sizes))];
		uint32_t nlb = 1 + (uint32_t)dw_rng_below(&rng, (1 << 20) / size);
		uint64_t lba = dw_rng_below(&rng, UINT64_C(1) << 40);
		struct dw_source *s =
			round % 2 ? random_source(1, size) : const_source("6db6db", size);
		uint32_t n_bad = (uint32_t)dw_rng_below(&rng, 4), first = nlb, got = nlb;
		int64_t differing = 0;
		static bool hit[(1 << 20) / 512];

		memset(hit, 0, sizeof(hit));
		assert_int_equal(dw_source_fill(s, lba, nlb, buf), 0);
		for (uint32_t i = 0; i < n_bad; i++) {
			uint32_t at = (uint32_t)dw_rng_below(&rng, nlb);

			if (hit[at])
				continue;
			hit[at] = true;
			differing++;
			first = at < first ? at : first;
			buf[(size_t)at * size + dw_rng_below(&rng, size)] ^= 0x10;
		}
		assert_int_equal(dw_source_check(s, lba, nlb, buf, &got), differing);
		assert_int_equal(got, first);
		dw_source_free(s);
	}
	free(buf);
}

/* A stale block of zeros, and blocks that went to a neighbour, are seen. */
static void misplaced(void **state)
{
	struct dw_source *s = random_source(0, 512);
	uint8_t buf[8 * 512];
	uint32_t first;

	assert_int_equal(dw_source_fill(s, 100, 8, buf), 0);
	assert_int_equal(dw_source_check(s, 101, 8, buf, &first), 8);
	assert_int_equal(first, 0);
	memset(buf + 3 * 512, 0, 512);
	assert_int_equal(dw_source_check(s, 100, 8, buf, &first), 1);
	assert_int_equal(first, 3);
	dw_source_free(s);
}

static void key_files(void **state)
{
	static const struct {
		const char *text;
		int r;
	} row[] = {
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F\n",
		  0 },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		  -EINVAL },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n\n",
		  -EINVAL },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f ",
		  -EINVAL },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1\n",
		  -EINVAL },
		{ "00010203g405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n",
		  -EINVAL },
		{ "", -EINVAL },
	};
	struct dw_key want = counting_key(), got = { 0 };
	char dir[] = "/tmp/dw-key-XXXXXX", path[64], check[17];
	struct stat st;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/key", dir);
	assert_int_equal(dw_key_load(path, &got), -ENOENT);
	assert_int_equal(dw_key_store(path, &want), 0);
	assert_int_equal(dw_key_store(path, &got), -EEXIST);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(dw_key_load(path, &got), 0);
	assert_memory_equal(&got, &want, sizeof(got));
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(dw_key_load(path, &got), -EPERM);
	assert_int_equal(chmod(path, 0604), 0);
	assert_int_equal(dw_key_load(path, &got), -EPERM);
	if (!geteuid()) {
		assert_int_equal(chmod(path, 0600), 0);
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(dw_key_load(path, &got), -EKEYREJECTED);
	}
	unlink(path);
	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

		assert_int_equal(write(fd, row[i].text, strlen(row[i].text)),
				 strlen(row[i].text));
		close(fd);
		assert_int_equal(dw_key_load(path, &got), row[i].r);
		assert_memory_equal(&got, &want, sizeof(got));
		unlink(path);
	}
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(dw_key_load(path, &got), -EINVAL);
	unlink(path);
	rmdir(dir);
	snprintf(path, sizeof(path), "%s/gone/key", dir);
	assert_int_equal(dw_key_store(path, &want), -ENOENT);
	/* HMAC-SHA-256 by another implementation */
	assert_string_equal(dw_key_check(&want, check), "34bf352781da11f0");
}

static void fresh_keys(void **state)
{
	struct dw_key a, b, zero = { 0 };

	assert_int_equal(dw_key_new(&a), 0);
	assert_int_equal(dw_key_new(&b), 0);
	assert_memory_not_equal(&a, &b, sizeof(a));
	dw_key_wipe(&a);
	assert_memory_equal(&a, &zero, sizeof(a));
}

static void buffers(void **state)
{
	static const size_t sizes[] = { 1, 512, 4096, 4097, 1 << 20 };

	for (size_t i = 0; i < DW_ARRAY_SIZE(sizes); i++) {
		uint8_t *p = dw_buffer_new(sizes[i]);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 4096, 0);
		assert_int_equal(p[0] | p[sizes[i] - 1], 0);
		memset(p, 0xff, sizes[i]);
		dw_buffer_free(p, sizes[i]);
	}
	assert_null(dw_buffer_new(0));
	assert_null(dw_buffer_new(SIZE_MAX));
	dw_buffer_free(NULL, 0);
}

static struct {
	int order[1000];
	int n;
	atomic_int ran;
} log_of_one;

static void note(void *arg)
{
	log_of_one.order[log_of_one.n++] = (int)(intptr_t)arg;
	atomic_fetch_add(&log_of_one.ran, 1);
}

static void count(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static void wait_for_gate(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
}

/* While the only worker is held up in the middle of the ring, more tasks come than the
 * ring holds at first. */
static void workers_in_order(void **state)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	struct dw_workers *w;
	struct dw_executor x;

	assert_int_equal(dw_workers_new(1, &w), 0);
	x = dw_workers_executor(w);
	for (int i = 0; i < 100; i++)
		x.run(x.ctx, note, (void *)(intptr_t)i);
	for (int i = 0; i < 10000 && atomic_load(&log_of_one.ran) < 100; i++)
		usleep(1000);
	pthread_mutex_lock(&gate);
	x.run(x.ctx, wait_for_gate, &gate);
	for (int i = 100; i < 900; i++)
		x.run(x.ctx, note, (void *)(intptr_t)i);
	pthread_mutex_unlock(&gate);
	dw_workers_free(w);
	assert_int_equal(log_of_one.n, 900);
	for (int i = 0; i < 900; i++)
		assert_int_equal(log_of_one.order[i], i);
	dw_workers_free(NULL);
}

static void workers_run_all(void **state)
{
	for (unsigned n = 0; n <= 40; n += 8) {
		struct dw_workers *w;
		struct dw_executor x;
		atomic_int ran = 0;

		assert_int_equal(dw_workers_new(n, &w), 0);
		x = dw_workers_executor(w);
		if (!w) {
			assert_int_equal(n, 0);
			assert_null(x.run);
			continue;
		}
		for (int i = 0; i < 2000; i++)
			x.run(x.ctx, count, &ran);
		dw_workers_free(w);
		assert_int_equal(atomic_load(&ran), 2000);
	}
}

/* On one CPU workers would only take turns with the threads of the disks. */
static void no_workers_on_one_cpu(void **state)
{
	struct dw_workers *w = NULL;
	cpu_set_t before, one;
	int cpu = sched_getcpu();

	if (sched_getaffinity(0, sizeof(before), &before) || cpu < 0)
		skip();
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(dw_workers_new(0, &w), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_null(w);
	assert_null(dw_workers_executor(w).run);
}

struct shared_task {
	struct dw_source *random;
	struct dw_source *three;
	uint64_t lba;
	atomic_int *wrong;
};

static void fill_and_check(void *arg)
{
	struct shared_task *t = arg;
	uint8_t *buf = dw_buffer_new(64 * 520);
	uint32_t first = 99, id;
	const void *p;

	if (dw_source_fill(t->random, t->lba, 64, buf) != 0 ||
	    dw_source_check(t->random, t->lba, 64, buf, &first) != 0)
		atomic_fetch_add(t->wrong, 1);
	buf[5 * 520] ^= 1;
	if (dw_source_check(t->random, t->lba, 64, buf, &first) != 1 || first != 5)
		atomic_fetch_add(t->wrong, 1);
	p = dw_source_const(t->three, t->lba, (uint32_t)(t->lba % 64 + 1) * 65536, &id);
	if (!p || dw_source_check(t->three, t->lba, 64, p, &first) != 0)
		atomic_fetch_add(t->wrong, 1);
	dw_buffer_free(buf, 64 * 520);
}

/* One source of each kind under many threads, the pool growing meanwhile. */
static void sources_from_threads(void **state)
{
	static struct shared_task task[400];
	struct dw_source *r = random_source(0, 520), *c = const_source("b6db6d", 520);
	struct dw_workers *w;
	struct dw_executor x;
	atomic_int wrong = 0;

	assert_int_equal(dw_workers_new(8, &w), 0);
	x = dw_workers_executor(w);
	for (size_t i = 0; i < DW_ARRAY_SIZE(task); i++) {
		task[i] = (struct shared_task){ r, c, i, &wrong };
		x.run(x.ctx, fill_and_check, &task[i]);
	}
	dw_workers_free(w);
	assert_int_equal(atomic_load(&wrong), 0);
	dw_source_free(r);
	dw_source_free(c);
}

/* "dd": not in core dumps. */
static void secrets_are_not_dumped(void **state)
{
	char *secret = dw_secret_new(100), line[256], head[32];
	FILE *f = fopen("/proc/self/smaps", "re");
	bool mine = false, found = false;

	assert_non_null(secret);
	assert_non_null(f);
	for (int i = 0; i < 100; i++)
		assert_int_equal(0, secret[i]);
	snprintf(head, sizeof(head), "%lx-", (unsigned long)secret);
	while (fgets(line, sizeof(line), f)) {
		if (strchr(line, '-') && strspn(line, "0123456789abcdef-") > 8)
			mine = !strncmp(line, head, strlen(head));
		if (mine && !strncmp(line, "VmFlags:", 8))
			found = strstr(line, " dd") != NULL;
	}
	fclose(f);
	assert_true(found);
	dw_secret_free(secret, 100);
	dw_secret_free(NULL, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_not_dumped),
		cmocka_unit_test(constants_are_lazy_and_read_only),
		cmocka_unit_test(keystream_golden),
		cmocka_unit_test(keystream_by_definition),
		cmocka_unit_test(keys_differ),
		cmocka_unit_test(source_refused),
		cmocka_unit_test(constants),
		cmocka_unit_test(constants_are_shared),
		cmocka_unit_test(differences),
		cmocka_unit_test(misplaced),
		cmocka_unit_test(key_files),
		cmocka_unit_test(fresh_keys),
		cmocka_unit_test(buffers),
		cmocka_unit_test(workers_in_order),
		cmocka_unit_test(workers_run_all),
		cmocka_unit_test(no_workers_on_one_cpu),
		cmocka_unit_test(sources_from_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
