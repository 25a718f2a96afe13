/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the native tests share: an enclosure in memory, driven in virtual time
 * through the same calls as the virtio side uses.
 */
#include "rig.h"

#include "../ctl.h"

#include <stdlib.h>
#include <unistd.h>

static void on_event(void *arg, enum dw_event event, unsigned int port, uint16_t asc)
{
	struct rig *g = arg;

	(void)asc;
	g->note.event = event;
	g->note.port = port;
	g->notes++;
}

/**
 * rig_start - power on, with the unit attentions of that still pending
 * @g: rig to fill
 * @lines: configuration, ended by NULL
 */
void rig_start(struct rig *g, const char *const *lines)
{
	memset(g, 0, sizeof(*g));
	dw_rack_init(&g->rack);
	for (; *lines; lines++)
		assert_int_equal(dw_config_line(&g->rack, *lines), 0);
	g->now = RIG_T0;
	g->rack.event = on_event;
	g->rack.event_arg = g;
	assert_int_equal(dw_rack_start(&g->rack, -1, g->now), 0);
}

/**
 * rig_quiet - take away all pending unit attentions
 * @g: rig
 */
void rig_quiet(struct rig *g)
{
	unsigned int i;

	for (i = 0; i < DW_PORTS_MAX; i++)
		g->rack.port[i].n_ua = 0;
}

/**
 * rig_stop - power off
 * @g: rig
 */
void rig_stop(struct rig *g)
{
	dw_rack_drop(&g->rack);
	assert_int_equal(g->rack.in_flight, 0);
	dw_rack_deinit(&g->rack);
}

static void on_done(struct dw_task *t, void *arg)
{
	(void)t;
	*(bool *)arg = true;
}

/**
 * rig_send - send a command and do not wait
 * @g: rig; done is set by its answer
 * @t: command to fill
 * @port: number
 * @cdb: 16 bytes
 * @out: data to the disk or NULL, borrowed until the answer
 * @in: room for data from the disk or NULL, likewise
 */
void rig_send(struct rig *g, struct dw_task *t, unsigned int port, const uint8_t *cdb,
	      struct iovec *out, struct iovec *in)
{
	static uint64_t tag;

	memset(t, 0, sizeof(*t));
	t->lun[0] = 1;
	t->lun[1] = (uint8_t)port;
	t->lun[2] = 0x40;
	t->tag = ++tag;
	memcpy(t->cdb, cdb, 16);
	t->out = (struct dw_iov){ .v = out, .n = out ? 1 : 0 };
	t->in = (struct dw_iov){ .v = in, .n = in ? 1 : 0 };
	t->out_len = out ? out->iov_len : 0;
	t->in_len = in ? in->iov_len : 0;
	t->done = on_done;
	t->arg = &g->done;
	g->done = false;
	dw_rack_submit(&g->rack, t, g->now);
}

static void wait_done(struct rig *g)
{
	while (!g->done) {
		uint64_t next = dw_rack_next(&g->rack);

		assert_true(next != UINT64_MAX);
		if (next > g->now)
			g->now = next;
		dw_rack_advance(&g->rack, g->now);
	}
}

/**
 * rig_lun - a command to a logical unit of the first target, which ends at once
 * @g: rig, its task holds the answer
 * @lun: number
 * @cdb: 16 bytes
 * @b: room for data from the disk, or NULL
 * @n: bytes of it
 */
void rig_lun(struct rig *g, uint8_t lun, const uint8_t *cdb, void *b, size_t n)
{
	struct iovec v = { b, n };

	memset(&g->task, 0, sizeof(g->task));
	g->task.lun[0] = 1;
	g->task.lun[3] = lun;
	memcpy(g->task.cdb, cdb, 16);
	if (n) {
		g->task.in = (struct dw_iov){ .v = &v, .n = 1 };
		g->task.in_len = n;
	}
	g->task.done = on_done;
	g->task.arg = &g->done;
	g->done = false;
	dw_rack_submit(&g->rack, &g->task, g->now);
	assert_true(g->done);
}

/**
 * rig_in - a command that reads
 * @g: rig, its task holds the answer
 * @port: number
 * @cdb: 16 bytes
 * @buf: room for data
 * @len: bytes of it
 */
void rig_in(struct rig *g, unsigned int port, const uint8_t *cdb, void *buf, size_t len)
{
	struct iovec v = { buf, len };

	rig_send(g, &g->task, port, cdb, NULL, &v);
	wait_done(g);
}

/**
 * rig_out - a command that writes
 * @g: rig, its task holds the answer
 * @port: number
 * @cdb: 16 bytes
 * @buf: data
 * @len: bytes of it
 */
void rig_out(struct rig *g, unsigned int port, const uint8_t *cdb, const void *buf,
	     size_t len)
{
	struct iovec v = { (void *)(uintptr_t)buf, len };

	rig_send(g, &g->task, port, cdb, &v, NULL);
	wait_done(g);
}

/**
 * rig_none - a command without data
 * @g: rig, its task holds the answer
 * @port: number
 * @cdb: 16 bytes
 */
void rig_none(struct rig *g, unsigned int port, const uint8_t *cdb)
{
	rig_send(g, &g->task, port, cdb, NULL, NULL);
	wait_done(g);
}

/**
 * rig_write - WRITE (16) of one byte over and over
 * @g: rig, its task holds the answer
 * @port: number
 * @lba: first block
 * @nlb: blocks
 * @byte: content
 */
void rig_write(struct rig *g, unsigned int port, uint64_t lba, uint32_t nlb, uint8_t byte)
{
	size_t len = nlb * g->rack.port[port].lu->conf.block_bytes;
	uint8_t cdb[16] = { 0x8a }, *buf = malloc(len + 1);

	assert_non_null(buf);
	memset(buf, byte, len);
	be_put64(cdb + 2, lba);
	be_put32(cdb + 10, nlb);
	rig_out(g, port, cdb, buf, len);
	free(buf);
}

/**
 * rig_byte - first byte of a block, by READ (16), which must be good
 * @g: rig
 * @port: number
 * @lba: block
 *
 * Return: the byte.
 */
uint8_t rig_byte(struct rig *g, unsigned int port, uint64_t lba)
{
	uint8_t cdb[16] = { 0x88 }, buf[4224];

	be_put64(cdb + 2, lba);
	be_put32(cdb + 10, 1);
	rig_in(g, port, cdb, buf, g->rack.port[port].lu->conf.block_bytes);
	rig_good(g);
	return buf[0];
}

/**
 * rig_medium - first byte of a block, past the cache, as seen from outside
 * @g: rig
 * @lu: number of the logical unit
 * @lba: block
 *
 * Return: the byte.
 */
uint8_t rig_medium(struct rig *g, unsigned int lu, uint64_t lba)
{
	uint64_t off = lba * g->rack.lu[lu]->conf.block_bytes;
	uint8_t b = 0;

	assert_int_equal(pread(g->rack.lu[lu]->data_fd, &b, 1, (off_t)off), 1);
	return b;
}

/**
 * rig_good - the last command ended good
 * @g: rig
 */
void rig_good(const struct rig *g)
{
	assert_int_equal(g->task.response, 0);
	assert_int_equal(g->task.status, 0);
	assert_int_equal(g->task.sense_len, 0);
}

/**
 * rig_sense - the last command ended with this fixed format sense data
 * @g: rig
 * @key: sense key
 * @asc: ASC and ASCQ
 */
void rig_sense(const struct rig *g, uint8_t key, uint16_t asc)
{
	const uint8_t *s = g->task.sense;

	assert_int_equal(g->task.response, 0);
	assert_int_equal(g->task.status, 0x02);
	assert_int_equal(s[0] & 0x7f, 0x70);
	assert_int_equal(s[2], key);
	assert_int_equal(be_get16(s + 12), asc);
}

/**
 * rig_told - a control command has this answer
 * @g: rig
 * @line: command
 * @want: answer
 */
void rig_told(struct rig *g, const char *line, const char *want)
{
	char *answer = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&answer, &len);

	assert_non_null(f);
	dw_ctl_exec(&g->rack, line, f);
	fclose(f);
	assert_string_equal(answer, want);
	free(answer);
}

/**
 * rig_after_ms - virtual time goes on
 * @g: rig
 * @ms: by so much
 */
void rig_after_ms(struct rig *g, uint64_t ms)
{
	g->now += ms * 1000000;
	dw_rack_advance(&g->rack, g->now);
}
