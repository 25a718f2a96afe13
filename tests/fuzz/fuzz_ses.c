/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of an enclosure: a configuration, then whatever follows it as each of the others. */
#include <string.h>

#include "fuzz.h"

#include "base/be.h"
#include "scsi/log.h"
#include "scsi/ses.h"

static struct dw_ses ses;
static uint8_t control[65536 + 4];

static void check(const struct dw_ses *s)
{
	FUZZ_CHECK(s->n <= DW_SES_SLOTS && s->n_types <= DW_SES_TYPES);
	for (size_t i = 0; i < s->n; i++)
		FUZZ_CHECK(memchr(s->slot[i].name, 0, sizeof(s->slot[i].name)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first = size < 4 ? size : 4 + (size_t)dw_get_be16(data + 2);
	uint64_t n;
	int r;

	dw_defects_count(data, size, true, &n);
	dw_log_has_page(data, size, DW_LOG_EXCEPTIONS);
	if (first > size || dw_ses_configuration(data, first, &ses))
		return 0;
	check(&ses);
	data += first;
	size -= first;
	dw_ses_names(data, size, &ses);
	dw_ses_addresses(data, size, &ses);
	check(&ses);
	if (dw_ses_status(data, size, &ses) == 0)
		for (size_t i = 0; i < ses.n; i++) {
			r = dw_ses_control(data, size, &ses.slot[i], DW_SES_FAULT, i & 1,
					   control);
			FUZZ_CHECK(r > 0 && (size_t)r <= size);
			FUZZ_CHECK(!(control[ses.slot[i].at + 3] & 0x20) == !(i & 1));
		}
	return 0;
}
