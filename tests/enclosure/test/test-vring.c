/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtio side: a request through a ring by hand, events, task management,
 * and rings full of nonsense, which must do no harm.
 */
#include "../hba.h"
#include "../loop.h"
#include "rig.h"

#include <stdlib.h>

#include <linux/virtio_scsi.h>

#define GUEST 0x10000u /* where the guest believes its memory to be */
#define NUM   16u

struct bench {
	struct rig g;
	struct dw_hba hba;
	uint8_t *mem;
};

enum { MEM = 1 << 20, RING = 4096 };

static struct vring_desc *desc(struct bench *b, unsigned int q)
{
	return (void *)(b->mem + q * RING);
}

static struct vring_avail *avail(struct bench *b, unsigned int q)
{
	return (void *)(b->mem + q * RING + 1024);
}

static struct vring_used *used(struct bench *b, unsigned int q)
{
	return (void *)(b->mem + q * RING + 2048);
}

static void start(struct bench *b)
{
	unsigned int q;

	rig_start(&b->g, (const char *const[]){ "enclosure fast=1", "disk 0 blocks=1000",
						"disk 1", NULL });
	rig_quiet(&b->g);
	dw_hba_init(&b->hba, &b->g.rack);
	b->mem = aligned_alloc(4096, MEM);
	assert_non_null(b->mem);
	memset(b->mem, 0, MEM);
	b->hba.mem.n = 1;
	b->hba.mem.r[0] = (struct dw_region){
		.guest_addr = GUEST, .user_addr = GUEST, .size = MEM, .host = b->mem
	};
	for (q = 0; q < 3; q++) {
		struct dw_vring *r = &b->hba.q[q];

		r->num = NUM;
		r->desc_user = GUEST + q * RING;
		r->avail_user = GUEST + q * RING + 1024;
		r->used_user = GUEST + q * RING + 2048;
		assert_true(dw_vring_map(r, &b->hba.mem));
	}
}

static void stop(struct bench *b)
{
	rig_stop(&b->g);
	free(b->mem);
}

static void put(struct bench *b, unsigned int q, unsigned int i, uint32_t at,
		uint32_t len, uint16_t flags)
{
	desc(b, q)[i] = (struct vring_desc){ GUEST + at, len, flags, (uint16_t)(i + 1) };
}

static void offer(struct bench *b, unsigned int q, uint16_t head)
{
	struct vring_avail *a = avail(b, q);

	a->ring[a->idx % NUM] = head;
	a->idx++;
}

/* INQUIRY of disk 0: request at 64K, response at 68K, data at 72K */
static void offer_inquiry(struct bench *b)
{
	struct virtio_scsi_cmd_req *r = (void *)(b->mem + 65536);

	memset(r, 0, sizeof(*r));
	r->lun[0] = 1;
	r->lun[2] = 0x40;
	r->cdb[0] = 0x12;
	r->cdb[4] = 96;
	put(b, 2, 0, 65536, sizeof(*r), VRING_DESC_F_NEXT);
	put(b, 2, 1, 69632, sizeof(struct virtio_scsi_cmd_resp),
	    VRING_DESC_F_NEXT | VRING_DESC_F_WRITE);
	put(b, 2, 2, 73728, 96, VRING_DESC_F_WRITE);
	offer(b, 2, 0);
}

static void request(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	offer_inquiry(&b);
	dw_hba_run(&b.hba, 2);
	assert_int_equal(used(&b, 2)->idx, 1);
	assert_int_equal(used(&b, 2)->ring[0].id, 0);
	assert_int_equal(used(&b, 2)->ring[0].len,
			 sizeof(struct virtio_scsi_cmd_resp) + 96);
	assert_memory_equal(b.mem + 73728 + 8, "ENCLOS  ", 8);
	assert_true(dw_vring_notify(&b.hba.q[2]));
	assert_false(dw_vring_notify(&b.hba.q[2]));
	stop(&b);
}

static void indirect_and_event_index(void **state)
{
	struct bench b;
	uint16_t *used_event;

	(void)state;
	start(&b);
	b.hba.q[2].event_idx = true;
	used_event = &avail(&b, 2)->ring[NUM];
	*used_event = 1; /* tell me after the second */
	offer_inquiry(&b);
	memcpy(b.mem + 81920, desc(&b, 2), 3 * sizeof(struct vring_desc));
	put(&b, 2, 0, 81920, 3 * sizeof(struct vring_desc), VRING_DESC_F_INDIRECT);
	dw_hba_run(&b.hba, 2);
	assert_int_equal(used(&b, 2)->idx, 1);
	assert_false(dw_vring_notify(&b.hba.q[2]));
	offer(&b, 2, 0);
	dw_hba_run(&b.hba, 2);
	assert_int_equal(used(&b, 2)->idx, 2);
	assert_true(dw_vring_notify(&b.hba.q[2]));
	stop(&b);
}

static void hot_plug_event(void **state)
{
	struct virtio_scsi_event *e;
	struct bench b;

	(void)state;
	start(&b);
	dw_rack_gone(&b.g.rack, 1, false); /* before there is a buffer for it */
	put(&b, 1, 0, 65536, sizeof(*e), VRING_DESC_F_WRITE);
	offer(&b, 1, 0);
	dw_hba_run(&b.hba, 1);
	e = (void *)(b.mem + 65536);
	assert_int_equal(e->event, VIRTIO_SCSI_T_TRANSPORT_RESET);
	assert_int_equal(e->reason, VIRTIO_SCSI_EVT_RESET_REMOVED);
	assert_int_equal(e->lun[1], 1);
	assert_int_equal(e->lun[2], 0);
	offer(&b, 1, 0);
	dw_rack_resize(&b.g.rack, 0, 500, false);
	assert_int_equal(e->event, VIRTIO_SCSI_T_PARAM_CHANGE);
	assert_int_equal(e->reason, 0x092a);
	stop(&b);
}

static uint8_t manage(struct bench *b, uint32_t subtype, unsigned int target)
{
	struct virtio_scsi_ctrl_tmf_req *r = (void *)(b->mem + 65536);

	*r = (struct virtio_scsi_ctrl_tmf_req){ .subtype = subtype,
						.lun = { 1, (uint8_t)target, 0x40 } };
	b->mem[69632] = 0xff;
	put(b, 0, 0, 65536, sizeof(*r), VRING_DESC_F_NEXT);
	put(b, 0, 1, 69632, 1, VRING_DESC_F_WRITE);
	offer(b, 0, 0);
	dw_hba_run(&b->hba, 0);
	return b->mem[69632];
}

static void task_management(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	assert_int_equal(manage(&b, VIRTIO_SCSI_T_TMF_LOGICAL_UNIT_RESET, 0),
			 VIRTIO_SCSI_S_FUNCTION_SUCCEEDED);
	assert_int_equal(b.g.rack.port[0].ua[0], ASC_DEVICE_RESET);
	assert_int_equal(b.g.rack.port[1].n_ua, 0);
	assert_int_equal(manage(&b, VIRTIO_SCSI_T_TMF_ABORT_TASK_SET, 1),
			 VIRTIO_SCSI_S_FUNCTION_SUCCEEDED);
	assert_int_equal(manage(&b, VIRTIO_SCSI_T_TMF_ABORT_TASK, 9),
			 VIRTIO_SCSI_S_BAD_TARGET);
	assert_int_equal(manage(&b, 77, 0), VIRTIO_SCSI_S_FUNCTION_REJECTED);
	stop(&b);
}

static void broken_rings(void **state)
{
	struct bench b;
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		start(&b);
		offer_inquiry(&b);
		if (i == 0)
			desc(&b, 2)[2].flags |=
				VRING_DESC_F_NEXT; /* 3 is empty: its next 0 */
		if (i == 0)
			desc(&b, 2)[3] = desc(&b, 2)[2], desc(&b, 2)[3].next = 2;
		if (i == 1)
			avail(&b, 2)->idx = 40;
		if (i == 2)
			avail(&b, 2)->ring[0] = NUM;
		if (i == 3)
			desc(&b, 2)[1].addr = ~0ull;
		if (i == 4)
			desc(&b, 2)[2].flags = 0; /* out after in */
		if (i == 5)
			desc(&b, 2)[1].len = MEM;
		dw_hba_run(&b.hba, 2);
		assert_int_equal(used(&b, 2)->idx, 0);
		assert_null(b.hba.q[2].desc);
		assert_false(dw_vring_notify(&b.hba.q[2]));
		stop(&b);
	}
}

static void memory_bounds(void **state)
{
	struct dw_memory m = { .n = 1 };
	uint8_t byte;

	(void)state;
	m.r[0] = (struct dw_region){
		.guest_addr = 4096, .user_addr = 1 << 20, .size = 4096, .host = &byte
	};
	assert_ptr_equal(dw_memory_guest(&m, 4096, 4096), &byte);
	assert_null(dw_memory_guest(&m, 4096, 4097));
	assert_null(dw_memory_guest(&m, 4095, 1));
	assert_null(dw_memory_guest(&m, 8191, ~0ull));
	assert_null(dw_memory_guest(&m, ~0ull, 2));
	assert_ptr_equal(dw_memory_user(&m, 1 << 20, 1), &byte);
}

/* a guest gone mad: random rings, random memory; only the bounds are asked */
static void nonsense(void **state)
{
	uint64_t rng = 7;
	struct bench b;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 300; i++) {
		start(&b);
		offer_inquiry(&b);
		for (k = 0; k < 40; k++)
			b.mem[dw_rng_next(&rng) % (i % 2 ? 3 * RING : 80000)] =
				(uint8_t)dw_rng_next(&rng);
		for (k = 0; k < 3; k++) {
			unsigned int hop;

			for (hop = 0; hop < NUM; hop++)
				desc(&b, k)[hop].addr = GUEST + dw_rng_next(&rng) % MEM;
			avail(&b, k)->idx = (uint16_t)(dw_rng_next(&rng) % (NUM + 2));
		}
		dw_rack_gone(&b.g.rack, 1, false);
		for (k = 0; k < 3; k++)
			dw_hba_run(&b.hba, k);
		dw_rack_advance(&b.g.rack, dw_loop_now());
		stop(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request),
		cmocka_unit_test(indirect_and_event_index),
		cmocka_unit_test(hot_plug_event),
		cmocka_unit_test(task_management),
		cmocka_unit_test(broken_rings),
		cmocka_unit_test(memory_bounds),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
