/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SG_IO transport on a real SCSI stack; run as root in the guest by
 * tests/kernel/t-transport.sh, on disks whose content may go. Every block is read back by
 * another way than it was written, and says which place of which buffer it came from.
 *
 *   test_sgio /dev/sgN            the tests
 *   test_sgio -l BYTES -t MIB -q DEPTH [-a AHEAD] [-r] /dev/sgN...
 *                                 rate and processor time of constant (-r: other) writes
 */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/open.h"
#include "transport/transport.h"

#define BS      512u
#define POOL    (4u << 20)
#define ALL     (DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE)
#define SLOTS   160
#define PATIENT (60 * DW_NS_PER_S)

static const char *disk_name;

static uint8_t *page_buffer(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

/* Every eight bytes tell which buffer and which place in it they are. */
static uint8_t *tagged_buffer(uint64_t tag, size_t size)
{
	uint8_t *p = page_buffer(size);

	for (size_t i = 0; i < size; i += 8)
		dw_put_be64(p + i, tag << 48 | i);
	return p;
}

static int open_sibling(const char *sg_name, int flags)
{
	char path[300];
	struct dirent *entry;
	DIR *dir;
	int fd = -1;

	snprintf(path, sizeof(path), "/sys/class/scsi_generic/%s/device/block",
		 strrchr(sg_name, '/') + 1);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/dev/%.100s", entry->d_name);
		fd = dw_disk_open(path, O_RDWR | flags);
	}
	if (dir)
		closedir(dir);
	return fd;
}

struct rig {
	struct dw_transport *t;
	struct dw_target target;
	uint32_t disk;
	int look_fd; /* another way to the content */
	struct dw_cmd cmd[SLOTS];
	uint64_t used[(SLOTS + 63) / 64];
	unsigned int out;
	unsigned int bad;
	uint64_t blocks;       /* of the disk, whatever the transport was told */
	unsigned int mixed_up; /* answers that are not of their command */
	struct dw_completion last_bad;
	uint64_t
		tag; /* of a buffer that begins at LBA 0: what is read is looked at at once */
};

static void rig_submit(struct rig *rig, struct dw_cmd cmd);
static void rig_wait(struct rig *rig, unsigned int until);

static void rig_capacity(struct rig *rig)
{
	uint8_t reply[32];
	struct dw_cmd cmd = { .dir = DW_DIR_IN,
			      .data = reply,
			      .data_len = sizeof(reply),
			      .timeout_ms = 20000 };

	cmd.cdb_len = (uint8_t)dw_cdb_read_capacity16(cmd.cdb, sizeof(reply));
	for (int i = 0; i < 3; i++) { /* unit attentions first */
		rig->bad = 0;
		rig_submit(rig, cmd);
		rig_wait(rig, 0);
		rig->t->ops->unfence(rig->t, rig->disk);
		if (!rig->bad)
			break;
	}
	assert_int_equal(rig->bad, 0);
	rig->target.blocks = rig->blocks = dw_get_be64(reply) + 1;
	assert_int_equal(dw_get_be32(reply + 8), BS);
}

static void rig_attach(struct rig *rig, uint32_t depth)
{
	rig->target.depth = depth;
	assert_int_equal(rig->t->ops->attach(rig->t, &rig->target, &rig->disk), 0);
}

static void rig_start(struct rig *rig, const char *name, int sg_flags, bool sibling)
{
	memset(rig, 0, sizeof(*rig));
	rig->target = (struct dw_target){
		.sg_fd = dw_disk_open(name, O_RDWR | sg_flags),
		.blk_fd = sibling ? open_sibling(name, O_EXCL) : -1,
		.permits = ALL,
		.block_size = BS,
		.max_bytes = POOL,
	};
	rig->look_fd = open_sibling(name, O_DIRECT);
	assert_true(rig->target.sg_fd >= 0);
	assert_true(rig->look_fd >= 0);
	assert_int_equal(rig->target.blk_fd >= 0, sibling);
	assert_int_equal(dw_sgio_new(NULL, &rig->t), 0);
	rig_attach(rig, 1);
	rig_capacity(rig);
	rig->mixed_up = 0;
	rig->t->ops->detach(rig->t, rig->disk); /* now the capacity is known */
}

static void rig_stop(struct rig *rig)
{
	rig->t->ops->free(rig->t);
	close(rig->target.sg_fd);
	if (rig->target.blk_fd >= 0)
		close(rig->target.blk_fd);
	close(rig->look_fd);
}

static void check_answer(uint64_t tag, const struct dw_cmd *cmd)
{
	const uint8_t *data = cmd->data;
	struct dw_cdb_extent x;

	assert_int_equal(dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x), 0);
	for (uint32_t i = 0; i < cmd->data_len; i += 8)
		assert_int_equal(dw_get_be64(data + i), tag << 48 | (x.lba * BS + i));
}

/* A command fails if it leads beyond the end. One that was not sent has no answer. */
static bool is_mixed_up(const struct rig *rig, const struct dw_completion *done)
{
	struct dw_cdb_extent x;

	return !done->err && !dw_cdb_parse(done->cmd->cdb, done->cmd->cdb_len, &x) &&
	       (x.lba + x.nlb > rig->blocks) != (done->status != 0);
}

static void rig_take(struct rig *rig, const struct dw_completion *done)
{
	size_t i = (size_t)(done->cmd - rig->cmd);

	if (rig->tag && done->cmd->dir == DW_DIR_IN)
		check_answer(rig->tag, done->cmd);
	rig->used[i / 64] &= ~(UINT64_C(1) << (i % 64));
	rig->out--;
	rig->mixed_up += is_mixed_up(rig, done);
	if (done->err || done->status || done->resid) {
		rig->bad++;
		rig->last_bad = *done;
	}
}

/* Reap until at most @until commands are out. */
static void rig_wait(struct rig *rig, unsigned int until)
{
	struct dw_completion done[32];
	int n;

	rig->t->ops->flush(rig->t);
	while (rig->out > until) {
		n = rig->t->ops->reap(rig->t, done, 32,
				      rig->t->ops->now(rig->t) + PATIENT);
		assert_true(n > 0);
		for (int i = 0; i < n; i++)
			rig_take(rig, &done[i]);
	}
}

static void rig_submit(struct rig *rig, struct dw_cmd cmd)
{
	size_t i = 0;

	if (rig->out == SLOTS)
		rig_wait(rig, SLOTS - 1);
	while (rig->used[i / 64] & UINT64_C(1) << (i % 64))
		i++;
	assert_true(i < SLOTS);
	rig->cmd[i] = cmd;
	while (rig->t->ops->submit(rig->t, rig->disk, &rig->cmd[i]) == -EAGAIN)
		rig_wait(rig, rig->out - 1);
	rig->used[i / 64] |= UINT64_C(1) << (i % 64);
	rig->out++;
}

static struct dw_cmd extent(uint8_t verb, uint64_t lba, uint32_t nlb, void *data)
{
	const struct dw_cdb_extent x = { .verb = verb, .lba = lba, .nlb = nlb };
	struct dw_cmd cmd = { .data = data, .timeout_ms = 60000 };

	cmd.cdb_len = (uint8_t)dw_cdb_fill_extent(cmd.cdb, 16, &x);
	cmd.dir = verb == DW_EXTENT_READ ? DW_DIR_IN : DW_DIR_OUT;
	cmd.data_len = verb == DW_EXTENT_WRITE_SAME ? BS : nlb * BS;
	if (verb == DW_EXTENT_SYNC) {
		cmd.dir = DW_DIR_NONE;
		cmd.data_len = 0;
		cmd.data = NULL;
	}
	return cmd;
}

static struct dw_cmd constant(uint64_t lba, uint32_t nlb, void *data, uint32_t pattern)
{
	struct dw_cmd cmd = extent(DW_EXTENT_WRITE, lba, nlb, data);

	cmd.flags = DW_CMD_CONST;
	cmd.pattern = pattern;
	return cmd;
}

/* Which place of which buffer every block must hold: tag and offset, 0 = anything. */
struct expected {
	uint64_t tag;
	uint64_t offset;
};

static void expect_write(struct expected *map, uint64_t lba, uint32_t nlb, uint64_t tag)
{
	for (uint32_t i = 0; i < nlb; i++)
		map[lba + i] = (struct expected){ tag, (uint64_t)i * BS };
}

static void check_disk(struct rig *rig, const struct expected *map)
{
	uint8_t *buf = page_buffer(POOL);
	uint64_t lba = 0;

	while (lba < rig->target.blocks) {
		ssize_t n = pread(rig->look_fd, buf, POOL, (off_t)(lba * BS));

		assert_true(n > 0 && n % BS == 0);
		for (ssize_t b = 0; b < n / BS; b++, lba++) {
			for (uint32_t i = 0; i < BS && map[lba].tag; i += 8)
				assert_int_equal(dw_get_be64(buf + b * BS + i),
						 map[lba].tag << 48 |
							 (map[lba].offset + i));
		}
	}
	munmap(buf, POOL);
}

static uint32_t dice(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* The whole disk in pieces of random length, two patterns and data of its own mixed. */
static void fill_disk(struct rig *rig, struct expected *map, uint32_t max_nlb,
		      uint64_t seed, bool constants_only)
{
	uint8_t *pool[3] = { tagged_buffer(1, POOL), tagged_buffer(2, POOL),
			     tagged_buffer(3, POOL) };
	uint64_t lba = 0;

	while (lba < rig->target.blocks) {
		uint32_t nlb = 1 + dice(&seed) % max_nlb;
		uint32_t which = dice(&seed) % (constants_only ? 2 : 3);

		if (dice(&seed) % 3 == 0)
			nlb = max_nlb;
		nlb = (uint32_t)dw_min_u64(nlb, rig->target.blocks - lba);
		rig_submit(rig, which < 2 ? constant(lba, nlb, pool[which], which + 1)
					  : extent(DW_EXTENT_WRITE, lba, nlb, pool[2]));
		expect_write(map, lba, nlb, which + 1);
		lba += nlb;
	}
	rig_submit(rig, extent(DW_EXTENT_SYNC, 0, 0, NULL));
	rig_wait(rig, 0);
	for (int i = 0; i < 3; i++)
		munmap(pool[i], POOL);
}

static void fill_and_check(struct rig *rig, uint32_t depth, uint32_t max_nlb,
			   bool constants_only, const char *path)
{
	struct expected *map = calloc(rig->target.blocks, sizeof(*map));

	rig_attach(rig, depth);
	fill_disk(rig, map, max_nlb, depth * 77 + max_nlb, constants_only);
	assert_int_equal(rig->bad, 0);
	if (path)
		assert_string_equal(dw_sgio_path(rig->t, rig->disk), path);
	check_disk(rig, map);
	rig->t->ops->detach(rig->t, rig->disk);
	free(map);
}

/* The longest command, and so sg's reserve buffer. Kernels begin with 512 KiB, later ones with
 * 4 MiB, and what is longer than that has no room in a pool. */
static void set_max_sectors_kb(unsigned int kb)
{
	char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/scsi_generic/%s/device/block",
		 strrchr(disk_name, '/') + 1);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/block/%.30s/queue/max_sectors_kb",
			 entry->d_name);
		f = fopen(path, "w");
		if (f)
			fprintf(f, "%u", kb);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
}

/* Several writes in flight out of reserve buffers: no block may be another's, or zero. */
static void test_constant(void **state)
{
	const uint32_t kb = 512;
	struct rig rig;

	set_max_sectors_kb(kb);
	rig_start(&rig, disk_name, 0, true);
	for (uint32_t depth = 1; depth <= 4; depth++)
		fill_and_check(&rig, depth, kb * 2, true, "sg-mmap");
	set_max_sectors_kb(4096);
	for (uint32_t depth = 1; depth <= 4; depth++)
		fill_and_check(&rig, depth, POOL / BS, true, "sg-mmap");
	set_max_sectors_kb(kb);
	rig_stop(&rig);
}

static void test_mixed(void **state)
{
	const uint32_t kb = 512;
	struct rig rig;

	set_max_sectors_kb(kb);
	rig_start(&rig, disk_name, 0, true);
	for (uint32_t depth = 1; depth <= 4; depth++)
		fill_and_check(&rig, depth, kb * 2, false, NULL);
	/* longer than the reserve buffer may be: the block sibling takes them */
	fill_and_check(&rig, 2, kb * 4, false, NULL);
	rig_stop(&rig);
}

/* Without a sibling, and with sg held exclusively, which lets nobody open it again. */
static void test_fallbacks(void **state)
{
	struct rig rig;

	rig_start(&rig, disk_name, 0, false);
	fill_and_check(&rig, 3, 256, false, NULL);
	rig_stop(&rig);
	rig_start(&rig, disk_name, O_EXCL, false);
	fill_and_check(&rig, 3, 256, true, "sg-copy");
	rig_stop(&rig);
	rig_start(&rig, disk_name, O_EXCL, true);
	fill_and_check(&rig, 3, 256, true, NULL);
	rig_stop(&rig);
	rig_start(&rig, disk_name, 0, true);
	close(rig.target.sg_fd);
	rig.target.sg_fd = -1;
	fill_and_check(&rig, 20, 256, true, NULL);
	rig_stop(&rig);
}

/* More commands at once than sg takes per descriptor. */
static void test_deep(void **state)
{
	struct rig rig;

	rig_start(&rig, disk_name, O_EXCL, false);
	fill_and_check(&rig, 40, 128, true, "sg-copy");
	rig_stop(&rig);
}

static atomic_bool crowded;

static void *crowd(void *arg)
{
	while (atomic_load(&crowded))
		;
	return arg;
}

/* What is read is what was read, though writes use the same descriptor, and its reserve buffer
 * between two reads. Others want the processor as well, so that a thread stands still anywhere;
 * where it does is luck: a race shows in some runs, and what is right fails in none. */
static void test_answers(void **state)
{
	const uint32_t n = 1500, most = 32;
	uint8_t *whole = tagged_buffer(5, POOL), *buf = page_buffer(SLOTS * most * BS);
	pthread_t thread[4];
	uint64_t seed = 11;
	struct rig rig;

	atomic_store(&crowded, true);
	for (size_t i = 0; i < DW_ARRAY_SIZE(thread); i++)
		assert_int_equal(pthread_create(&thread[i], NULL, crowd, NULL), 0);
	rig_start(&rig, disk_name, O_EXCL, false);
	rig_attach(&rig, 8);
	for (uint32_t lba = 0; lba < POOL / BS; lba += 128)
		rig_submit(&rig, extent(DW_EXTENT_WRITE, lba, 128, whole + lba * BS));
	rig_wait(&rig, 0);
	rig.tag = 5;
	for (uint32_t i = 0; i < n; i++) {
		rig_submit(&rig,
			   extent(DW_EXTENT_READ, dice(&seed) % (POOL / BS - most),
				  1 + dice(&seed) % most, buf + i % SLOTS * most * BS));
		for (uint32_t k = 0; k < 3; k++) /* reads by themselves go one by one */
			rig_submit(&rig, extent(DW_EXTENT_WRITE, POOL / BS + 64 * k,
						1 + dice(&seed) % most, whole));
	}
	rig_wait(&rig, 0);
	assert_int_equal(rig.bad, 0);
	rig.t->ops->detach(rig.t, rig.disk);
	rig_stop(&rig);
	atomic_store(&crowded, false);
	for (size_t i = 0; i < DW_ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	munmap(whole, POOL);
	munmap(buf, SLOTS * most * BS);
}

/* How long a command of scsi_debug takes. Return: it has the disk. */
static bool set_delay(const char *ns)
{
	int fd = open("/sys/bus/pseudo/drivers/scsi_debug/ndelay", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, ns, strlen(ns)) > 0;

	close(fd);
	return done;
}

/* Several commands are with the disk when one of them fails: each answer is its own command's. */
static void test_whose(void **state)
{
	uint8_t *data = tagged_buffer(6, POOL);
	uint64_t seed = 12;
	struct rig rig;

	rig_start(&rig, disk_name, O_EXCL, false);
	rig.target.blocks += 8; /* or nothing that fails would be sent */
	rig_attach(&rig, 8);
	assert_true(set_delay("5000000"));
	for (uint32_t round = 0; round < 100; round++) {
		uint32_t beyond = dice(&seed) % 8;

		for (uint32_t i = 0; i < 8; i++)
			rig_submit(&rig,
				   extent(DW_EXTENT_WRITE,
					  i == beyond ? rig.blocks : 8 * i, 8, data));
		rig.bad = 0;
		rig_wait(&rig, 0);
		assert_int_not_equal(rig.bad, 0);
		rig.t->ops->unfence(rig.t, rig.disk);
	}
	assert_true(set_delay("100000"));
	assert_int_equal(rig.mixed_up, 0);
	rig.t->ops->detach(rig.t, rig.disk);
	rig_stop(&rig);
	munmap(data, POOL);
}

static void test_read_and_same(void **state)
{
	uint8_t *one = tagged_buffer(9, POOL), *buf = page_buffer(POOL);
	struct dw_cmd cmd;
	struct rig rig;

	rig_start(&rig, disk_name, 0, true);
	rig_attach(&rig, 2);
	cmd = extent(DW_EXTENT_WRITE_SAME, 10, 300, one);
	cmd.flags = DW_CMD_CONST;
	cmd.pattern = 9;
	rig_submit(&rig, cmd);
	rig_submit(&rig, extent(DW_EXTENT_READ, 10, 300, buf));
	rig_wait(&rig, 0);
	rig_submit(&rig, extent(DW_EXTENT_READ, 10, 300, buf));
	rig_wait(&rig, 0);
	assert_int_equal(rig.bad, 0);
	for (uint32_t i = 0; i < 300; i++)
		assert_memory_equal(buf + i * BS, one, BS);
	rig_submit(&rig, constant(0, 64, one, 9));
	rig_submit(&rig, extent(DW_EXTENT_READ, 0, 8, buf)); /* short: goes through sg */
	rig_submit(&rig, constant(64, 64, one, 9));
	rig_wait(&rig, 0);
	rig_submit(&rig, extent(DW_EXTENT_READ, 0, 128, buf));
	rig_wait(&rig, 0);
	assert_int_equal(rig.bad, 0);
	assert_memory_equal(buf, one, 64 * BS);
	assert_memory_equal(buf + 64 * BS, one, 64 * BS);
	rig.t->ops->detach(rig.t, rig.disk);
	rig_stop(&rig);
	munmap(one, POOL);
	munmap(buf, POOL);
}

/* Too long for the way is an errno of the host, and no fault of the disk. */
static void test_too_long(void **state)
{
	const uint32_t nlb = (40u << 20) / BS;
	uint8_t *buf = page_buffer((size_t)nlb * BS);
	struct rig rig;

	rig_start(&rig, disk_name, 0, true);
	assert_true(rig.target.blocks >= nlb);
	rig_attach(&rig, 1);
	for (uint32_t pattern = 0; pattern < 2; pattern++) {
		struct dw_cmd cmd = extent(DW_EXTENT_WRITE, 0, nlb, buf);

		cmd.flags = pattern ? DW_CMD_CONST : 0;
		rig_submit(&rig, cmd);
		rig_wait(&rig, 0);
		assert_int_equal(rig.bad, pattern + 1);
		assert_true(rig.last_bad.err == -EINVAL || rig.last_bad.err == -EIO ||
			    rig.last_bad.err == -ENOMEM);
		rig.t->ops->unfence(rig.t, rig.disk);
	}
	rig_submit(&rig, constant(0, 64, buf, 1));
	rig_wait(&rig, 0);
	assert_int_equal(rig.bad, 2);
	rig.t->ops->detach(rig.t, rig.disk);
	rig_stop(&rig);
	munmap(buf, (size_t)nlb * BS);
}

/* Last: the disk is gone after it. */
static void test_removed(void **state)
{
	uint8_t *one = tagged_buffer(9, POOL);
	char path[100];
	struct rig rig;
	FILE *f;

	rig_start(&rig, disk_name, 0, true);
	rig_attach(&rig, 3);
	for (uint32_t i = 0; i < 40; i++) {
		rig_submit(&rig, constant(i * 64, 64, one, 1));
		if (i != 20)
			continue;
		snprintf(path, sizeof(path), "/sys/class/scsi_generic/%s/device/delete",
			 strrchr(disk_name, '/') + 1);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs("1", f);
		fclose(f);
	}
	rig_wait(&rig, 0);
	assert_true(rig.bad >= 19 - 3);
	rig.t->ops->unfence(rig.t, rig.disk);
	rig_submit(&rig, constant(0, 64, one, 1));
	rig_wait(&rig, 0);
	assert_true(rig.last_bad.err == -ENODEV || rig.last_bad.err == -ENXIO);
	rig.t->ops->detach(rig.t, rig.disk);
	rig_stop(&rig);
	munmap(one, POOL);
}

struct options {
	uint32_t len;
	uint64_t total;
	uint32_t depth;
	uint32_t ahead;
	bool other;
};

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec * 1e-6;
}

static int bench_disk(struct dw_transport *t, const char *name, const struct options *o,
		      struct dw_target *ret)
{
	uint32_t handle;

	*ret = (struct dw_target){
		.sg_fd = dw_disk_open(name, O_RDWR),
		.blk_fd = open_sibling(name, O_EXCL),
		.permits = ALL,
		.block_size = BS,
		.blocks = UINT64_MAX >> 16,
		.depth = o->depth,
	};
	if (ret->sg_fd < 0 || t->ops->attach(t, ret, &handle) < 0)
		return -1;
	return (int)handle;
}

struct bench_disk {
	struct dw_target target;
	int handle;
	uint64_t left;
	uint64_t lba;
	struct dw_cmd cmd[SLOTS];
	uint32_t n_free;
	struct dw_cmd *free[SLOTS];
};

static void bench_feed(struct dw_transport *t, struct bench_disk *d,
		       const struct options *o, uint8_t *data)
{
	struct dw_cmd *cmd;

	while (d->left && d->n_free) {
		cmd = d->free[d->n_free - 1];
		*cmd = constant(d->lba, o->len / BS, data, 1);
		if (o->other)
			cmd->flags = 0;
		cmd->cookie = (uint64_t)(uintptr_t)d;
		if (t->ops->submit(t, (uint32_t)d->handle, cmd) < 0)
			return;
		d->n_free--;
		d->left--;
		d->lba = (d->lba + o->len / BS) % (64 << 11);
	}
}

static int bench(const struct options *o, int n, char **names)
{
	struct bench_disk *disks = calloc((size_t)n, sizeof(*disks));
	struct dw_completion done[64];
	uint8_t *data = tagged_buffer(1, POOL);
	uint64_t begin, out = 0, calls = 0;
	struct dw_transport *t;
	struct rusage usage;
	double gb, wall, cpu;

	if (dw_sgio_new(NULL, &t) < 0)
		return 1;
	for (int i = 0; i < n; i++) {
		disks[i].handle = bench_disk(t, names[i], o, &disks[i].target);
		if (disks[i].handle < 0)
			return 1;
		disks[i].left = o->total / o->len;
		out += disks[i].left;
		for (uint32_t k = 0; k < o->depth + o->ahead; k++)
			disks[i].free[disks[i].n_free++] = &disks[i].cmd[k];
	}
	begin = t->ops->now(t);
	for (int i = 0; i < n; i++)
		bench_feed(t, &disks[i], o, data);
	t->ops->flush(t);
	while (out) {
		int r = t->ops->reap(t, done, 64, UINT64_MAX);

		calls++;
		for (int i = 0; i < r; i++) {
			struct bench_disk *d = (void *)(uintptr_t)done[i].cookie;

			if (done[i].err || done[i].status) {
				fprintf(stderr, "err %d status %02x\n", done[i].err,
					done[i].status);
				return 1;
			}
			d->free[d->n_free++] = done[i].cmd;
			out--;
			bench_feed(t, d, o, data);
		}
		t->ops->flush(t);
	}
	wall = (double)(t->ops->now(t) - begin) * 1e-9;
	getrusage(RUSAGE_SELF, &usage);
	cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	gb = (double)o->total * n * 1e-9;
	printf("%s n=%d len=%u q=%u: %.2f GB/s, %.4f CPU s/GB, %.1f CPU ms, %llu reaps\n",
	       dw_sgio_path(t, 0), n, o->len, o->depth, gb / wall, cpu / gb, cpu * 1e3,
	       (unsigned long long)calls);
	t->ops->free(t);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant),  cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_fallbacks), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_answers),   cmocka_unit_test(test_whose),
		cmocka_unit_test(test_too_long),  cmocka_unit_test(test_read_and_same),
		cmocka_unit_test(test_removed),
	};
	struct options o = { .len = 1 << 20, .depth = 1, .ahead = 1 };
	int c;

	while ((c = getopt(argc, argv, "l:t:q:a:r")) != -1) {
		if (c == 'l')
			o.len = (uint32_t)strtoul(optarg, NULL, 0);
		else if (c == 't')
			o.total = strtoull(optarg, NULL, 0) << 20;
		else if (c == 'q')
			o.depth = (uint32_t)strtoul(optarg, NULL, 0);
		else if (c == 'a')
			o.ahead = (uint32_t)strtoul(optarg, NULL, 0);
		else if (c == 'r')
			o.other = true;
		else
			return 64;
	}
	if (optind == argc) {
		fprintf(stderr, "no disk named; see tests/kernel/t-transport.sh\n");
		return 77;
	}
	if (o.total)
		return bench(&o, argc - optind, argv + optind);
	disk_name = argv[optind];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
