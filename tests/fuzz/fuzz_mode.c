/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MODE SENSE replies for both CDB sizes. The list that is built from a reply must read
 * back, as a reply, with the WCE that was asked for.
 */
#include <string.h>

#include "fuzz.h"

#include "base/be.h"
#include "scsi/mode.h"

static void write_cache(const uint8_t *data, size_t size, unsigned int cdb, bool wce)
{
	struct dw_mode_caching was, is;
	uint8_t list[512];
	const struct dw_mode_reply reply = { data, size, cdb };
	int r = dw_mode_fill_wce(&reply, wce, list, sizeof(list));

	if (r < 0)
		return;
	FUZZ_CHECK((size_t)r <= sizeof(list) && (size_t)r <= size);
	if (cdb == 6 && r > 256)
		return;
	FUZZ_CHECK(dw_mode_caching(data, size, cdb, &was) == 0);
	/* MODE DATA LENGTH is reserved in a list and needed in a reply. */
	if (cdb == 6)
		list[0] = (uint8_t)(r - 1);
	else
		dw_put_be16(list, (uint16_t)(r - 2));
	FUZZ_CHECK(dw_mode_caching(list, (size_t)r, cdb, &is) == 0);
	FUZZ_CHECK(is.wce == wce && is.rcd == was.rcd);
}

static void pages(const uint8_t *data, size_t size, unsigned int cdb)
{
	struct dw_mode_recovery recovery;
	struct dw_mode_control control;
	struct dw_mode_header h;
	const uint8_t *page;
	size_t n;

	if (dw_mode_header_parse(data, size, cdb, &h) == 0)
		FUZZ_CHECK(h.pages_at <= h.end && h.end <= size);
	for (unsigned int code = 0; code < 0x40; code++) {
		if (dw_mode_page_find(data, size, cdb, (uint8_t)code, code & 1, &page,
				      &n) < 0)
			continue;
		FUZZ_CHECK(page >= data && page + n <= data + size && n >= 2);
	}
	dw_mode_recovery(data, size, cdb, &recovery);
	dw_mode_control(data, size, cdb, &control);
	write_cache(data, size, cdb, true);
	write_cache(data, size, cdb, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pages(data, size, 6);
	pages(data, size, 10);
	return 0;
}
