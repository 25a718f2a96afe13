/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MODE SENSE and MODE SELECT (SPC-4, 6.9 to 6.12): the pages a disk program
 * looks at, with the few bits it may change. A page is filled from the
 * parameters, or from the mask of what is changeable, by the same function, and
 * a select compares the two to refuse everything else.
 */
#include "cmd.h"

#include "be.h"

#include <string.h>
#include <linux/virtio_scsi.h>

enum { PC_CURRENT, PC_CHANGEABLE, PC_DEFAULT, PC_SAVED };

static void put_recovery(const struct dw_mode *m, uint8_t *p)
{
	p[2] = (uint8_t)((m->awre ? 0x80 : 0) | (m->arre ? 0x40 : 0));
}

static void get_recovery(struct dw_mode *m, const uint8_t *p)
{
	m->awre = p[2] & 0x80;
	m->arre = p[2] & 0x40;
}

static void put_caching(const struct dw_mode *m, uint8_t *p)
{
	p[2] = m->wce ? 0x04 : 0;
}

static void get_caching(struct dw_mode *m, const uint8_t *p)
{
	m->wce = p[2] & 0x04;
}

static void put_control(const struct dw_mode *m, uint8_t *p)
{
	p[2] = m->dsense ? 0x04 : 0;
	p[4] = m->swp ? 0x08 : 0;
}

static void get_control(struct dw_mode *m, const uint8_t *p)
{
	m->dsense = p[2] & 0x04;
	m->swp = p[4] & 0x08;
}

static void put_exceptions(const struct dw_mode *m, uint8_t *p)
{
	(void)m;
	(void)p;
}

static void get_exceptions(struct dw_mode *m, const uint8_t *p)
{
	(void)m;
	(void)p;
}

static const struct page {
	uint8_t code;
	uint8_t len; /* PAGE LENGTH */
	void (*put)(const struct dw_mode *m, uint8_t *p);
	void (*get)(struct dw_mode *m, const uint8_t *p);
} pages[] = {
	{ 0x01, 10, put_recovery, get_recovery },
	{ 0x08, 18, put_caching, get_caching },
	{ 0x0a, 10, put_control, get_control },
	{ 0x1c, 10, put_exceptions, get_exceptions },
};

#define N_PAGES (sizeof(pages) / sizeof(pages[0]))

static struct dw_mode values(const struct dw_lu *lu, unsigned int pc)
{
	struct dw_mode m = lu->device->mode;

	if (pc == PC_CHANGEABLE)
		m = (struct dw_mode){ true, true, true, true, true };
	else if (pc == PC_DEFAULT)
		m = (struct dw_mode){ .wce = lu->conf.wce,
				      .dsense = lu->conf.dsense,
				      .awre = true,
				      .arre = true };
	else if (pc == PC_SAVED)
		m = lu->device->saved;
	return m;
}

static size_t put_page(const struct page *page, const struct dw_mode *m, uint8_t *p)
{
	memset(p, 0, page->len + 2u);
	p[0] = (uint8_t)(0x80 | page->code); /* saveable */
	p[1] = page->len;
	page->put(m, p);
	return page->len + 2u;
}

static size_t put_pages(const struct dw_lu *lu, uint8_t code, unsigned int pc, uint8_t *p)
{
	struct dw_mode m = values(lu, pc);
	size_t i, n = 0;

	for (i = 0; i < N_PAGES; i++)
		if (code == 0x3f || pages[i].code == code)
			n += put_page(&pages[i], &m, p + n);
	return n;
}

static size_t put_block(const struct dw_lu *lu, bool is_long, unsigned int pc, uint8_t *p)
{
	uint32_t bs = (uint32_t)lu->conf.block_bytes;
	/* a translation knows nothing of what an ATA disk hides */
	bool told = !lu->conf.ata && !lu->conf.untold;
	uint64_t n = pc == PC_DEFAULT && told ? lu->native : lu->blocks;

	if (pc == PC_CURRENT && lu->pending_bytes) {
		bs = (uint32_t)lu->pending_bytes;
		n = lu->pending_blocks;
	}
	if (is_long) {
		be_put64(p, n);
		be_put32(p + 12, bs);
		return 16;
	}
	be_put32(p, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n);
	be_put32(p + 4, bs & 0xffffff);
	return 8;
}

static uint8_t device_specific(const struct dw_lu *lu)
{
	return (uint8_t)((lu->conf.wp || lu->device->mode.swp ? 0x80 : 0) |
			 (lu->conf.dpofua ? 0x10 : 0));
}

static bool sense_ok(struct dw_cmd *c)
{
	uint8_t code = c->cdb[2] & 0x3f, sub = c->cdb[3], scrap[128];

	if (sub && sub != 0xff)
		dw_cmd_field(c, 3);
	else if (!put_pages(c->lu, code, PC_CURRENT, scrap))
		dw_cmd_field(c, 2);
	return c->task->status == SAM_GOOD;
}

/**
 * dw_run_mode_sense - MODE SENSE (6), (10)
 * @c: command
 */
void dw_run_mode_sense(struct dw_cmd *c)
{
	bool ten = c->cdb[0] == 0x5a, dbd = c->cdb[1] & 0x08;
	bool is_long = ten && (c->cdb[1] & 0x10);
	size_t head = ten ? 8 : 4, block = 0, n;
	uint8_t b[256] = { 0 };

	if (!sense_ok(c))
		return;
	if (!dbd && !c->lu->conf.bare)
		block = put_block(c->lu, is_long, c->cdb[2] >> 6, b + head);
	n = head + block;
	n += put_pages(c->lu, c->cdb[2] & 0x3f, c->cdb[2] >> 6, b + n);
	if (ten) {
		be_put16(b, (uint16_t)(n - 2));
		b[3] = device_specific(c->lu);
		b[4] = is_long && block ? 0x01 : 0;
		be_put16(b + 6, (uint16_t)block);
	} else {
		b[0] = (uint8_t)(n - 1);
		b[2] = device_specific(c->lu);
		b[3] = (uint8_t)block;
	}
	dw_cmd_reply(c, b, n, ten ? be_get16(c->cdb + 7) : c->cdb[4]);
}

static const struct page *find_page(uint8_t code)
{
	size_t i;

	for (i = 0; i < N_PAGES; i++)
		if (pages[i].code == code)
			return &pages[i];
	return NULL;
}

/* one page of the list at offset @at; bits that may not change must be as they are */
static bool take_page(struct dw_cmd *c, const uint8_t *list, size_t at, size_t len,
		      struct dw_mode *m)
{
	struct dw_mode all = values(c->lu, PC_CHANGEABLE);
	const struct page *page = find_page(list[at] & 0x3f);
	uint8_t now[64], mask[64];
	size_t i, n;

	if (!page || (list[at] & 0x40) || at + 2 > len || list[at + 1] != page->len) {
		dw_cmd_list_field(c, (uint16_t)at);
		return false;
	}
	n = put_page(page, &c->lu->device->mode, now);
	put_page(page, &all, mask);
	if (at + n > len) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return false;
	}
	for (i = 2; i < n; i++) {
		if (!((list[at + i] ^ now[i]) & ~mask[i]))
			continue;
		dw_cmd_list_field(c, (uint16_t)(at + i));
		return false;
	}
	page->get(m, list + at);
	return true;
}

static void apply(struct dw_cmd *c, const struct dw_mode *m, bool save)
{
	struct dw_lu *lu = c->lu;
	bool changed = memcmp(&lu->device->mode, m, sizeof(*m)) != 0;

	if (lu->device->mode.wce && !m->wce && dw_rack_flush(c->rack, lu)) {
		dw_cmd_check(c, KEY_HARDWARE, ASC_INTERNAL);
		return;
	}
	lu->device->mode = *m;
	if (save)
		lu->device->saved = *m;
	if (changed)
		dw_rack_mode(c->rack, lu, (int)c->port->id);
}

/* what a block descriptor asks for; 0 = as it is, UINT64_MAX blocks = all there are */
struct wanted {
	uint64_t blocks, bytes;
};

/* block lengths that a format can make */
static bool length_known(const struct dw_lu *lu, uint64_t bytes)
{
	static const uint16_t lengths[] = { 512, 520, 528, 4096, 4160, 4224 };
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (lengths[i] == bytes)
			return lu->conf.format && !lu->conf.ata;
	return false;
}

static bool block_ok(const struct dw_cmd *c, const uint8_t *d, size_t n,
		     struct wanted *ret_w)
{
	const struct dw_lu *lu = c->lu;
	struct wanted w = { 0 };

	if (n != 0 && n != 8 && n != 16)
		return false;
	if (n == 8)
		w = (struct wanted){ be_get32(d), be_get32(d + 4) & 0xffffff };
	if (n == 16)
		w = (struct wanted){ be_get64(d), be_get32(d + 12) };
	if (n == 8 && w.blocks == UINT32_MAX)
		w.blocks = UINT64_MAX;
	if (n && w.bytes != lu->conf.block_bytes) {
		*ret_w = w;
		return length_known(lu, w.bytes) &&
		       (w.blocks == UINT64_MAX || w.blocks <= lu->medium_bytes / w.bytes);
	}
	if (w.blocks == UINT64_MAX)
		w.blocks = lu->native;
	w.bytes = 0;
	*ret_w = w;
	return w.blocks <= lu->native;
}

/* another number of blocks (SBC-3, 6.4.2.1): what lies beyond stays on the medium */
static void clip(struct dw_cmd *c, uint64_t blocks)
{
	c->lu->pending_bytes = c->lu->pending_blocks = 0;
	if (!blocks || blocks == c->lu->blocks)
		return;
	if (c->lu->conf.deaf == 2)
		c->lu->conf.untold = true;
	if (c->lu->conf.deaf == 1 || c->lu->conf.deaf == 2)
		return;
	dw_lu_clip(c->lu, c->lu->conf.deaf ? c->lu->native + 1000 : blocks);
	dw_rack_pace(c->rack, c->lu);
	dw_rack_ua(c->rack, c->lu, ASC_CAPACITY_CHANGED, (int)c->port->id);
}

/**
 * dw_run_mode_select - MODE SELECT (6), (10)
 * @c: command
 */
void dw_run_mode_select(struct dw_cmd *c)
{
	bool ten = c->cdb[0] == 0x55;
	size_t len = ten ? be_get16(c->cdb + 7) : c->cdb[4], head = ten ? 8 : 4, at,
	       block;
	struct dw_mode m = c->lu->device->mode;
	struct wanted w = { 0 };
	uint8_t list[512];

	if (!len)
		return;
	if (!(c->cdb[1] & 0x10)) { /* PF */
		dw_cmd_field(c, 1);
		return;
	}
	if (len < head || len > sizeof(list)) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return;
	}
	if (!dw_cmd_params(c, list, len))
		return;
	block = ten ? be_get16(list + 6) : list[3];
	at = head + block;
	if (at > len) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LIST_LENGTH);
		return;
	}
	if (!block_ok(c, list + head, block, &w)) {
		dw_cmd_list_field(c, (uint16_t)head);
		return;
	}
	for (; at < len; at += list[at + 1] + 2u)
		if (!take_page(c, list, at, len, &m))
			return;
	apply(c, &m, c->cdb[1] & 0x01);
	if (w.bytes) { /* for the next format */
		const uint64_t other = c->lu->conf.selects;

		c->lu->pending_bytes = other ? other : w.bytes;
		c->lu->pending_blocks = w.blocks == UINT64_MAX || other ? 0 : w.blocks;
	} else if (block) {
		clip(c, w.blocks);
	}
}
