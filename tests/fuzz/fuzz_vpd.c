/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard INQUIRY data, every VPD page, IDENTIFY DEVICE, and Level 0 Discovery, all from the same
 * bytes. */
#include <string.h>

#include "fuzz.h"

#include "scsi/ata.h"
#include "scsi/inquiry.h"
#include "scsi/tcg.h"
#include "scsi/vpd.h"

static void designators(const uint8_t *data, size_t size)
{
	char text[DW_VPD_WWN_MAX], wwn[DW_VPD_WWN_MAX];
	struct dw_designator d;
	size_t pos = 0, before = 0, n = 0;
	int known = dw_vpd_wwn(data, size, wwn, sizeof(wwn)) == 0, seen = 0;

	while (dw_vpd_designator_next(data, size, &pos, &d) == 1) {
		FUZZ_CHECK(pos > before && pos + 4 <= size);
		FUZZ_CHECK(d.id >= data && d.id + d.len <= data + size);
		before = pos;
		n++;
		if (dw_designator_text(&d, text, sizeof(text)) == 0 && known &&
		    d.association == DW_ASSOC_UNIT)
			seen |= strcmp(text, wwn) == 0;
	}
	FUZZ_CHECK(n <= size / 4);
	FUZZ_CHECK(!known || (seen && wwn[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_vpd_provisioning provisioning;
	struct dw_vpd_character character;
	struct dw_vpd_limits limits;
	struct dw_ata_identity ata;
	struct dw_inquiry inquiry;
	enum dw_lock lock;
	char serial[32];
	size_t n;

	if (dw_inquiry_parse(data, size, &inquiry) == 0)
		FUZZ_CHECK(strlen(inquiry.vendor) <= 8 && strlen(inquiry.product) <= 16);
	if (size >= 2 && dw_vpd_check(data, size, data[1], &n) == 0)
		FUZZ_CHECK(n + 4 <= size);
	if (dw_vpd_serial(data, size, serial, sizeof(serial)) == 0)
		FUZZ_CHECK(serial[0] && strlen(serial) < sizeof(serial));
	dw_vpd_has_page(data, size, DW_VPD_LIMITS);
	designators(data, size);
	dw_vpd_limits(data, size, &limits);
	dw_vpd_character(data, size, &character);
	dw_vpd_provisioning(data, size, &provisioning);
	if (dw_tcg_lock(data, size, &lock) == 0)
		FUZZ_CHECK(size >= 48 && lock <= DW_LOCK_SHUT);
	if (dw_ata_identify(data, size, &ata) >= 0)
		FUZZ_CHECK(size >= DW_ATA_PAGE_LEN && ata.sector_size >= 512 &&
			   ata.sectors <= UINT64_MAX / ata.sector_size);
	return 0;
}
