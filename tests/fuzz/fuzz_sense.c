/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sense data: the parser, the text, and what decoding makes of them. */
#include <errno.h>
#include <string.h>

#include "fuzz.h"

#include "codec/encode.h"
#include "scsi/ata.h"
#include "scsi/sense.h"

/* A completion with these sense data: OK needs key 0 or 1, a bad LBA lies inside. */
static void decode(const uint8_t *data, size_t size, const struct dw_sense *s)
{
	static const struct dw_caps caps = { .blocks = UINT64_MAX, .block_size = 512 };
	static const struct dw_op op = { .verb = DW_VERB_WRITE,
					 .lba = 0x1200,
					 .nlb = 0x200 };
	struct dw_completion c = { .status = 0x02 };
	struct dw_result r;

	c.sense_len = (uint8_t)(size < DW_SENSE_MAX ? size : DW_SENSE_MAX);
	memcpy(c.sense, data, c.sense_len);
	dw_decode(&caps, &op, &c, &r);
	FUZZ_CHECK(r.class < DW_CLASS_COUNT);
	if (r.class == DW_CLASS_OK)
		FUZZ_CHECK(s && s->key <= DW_KEY_RECOVERED_ERROR && !s->deferred);
	if (r.bad_valid)
		FUZZ_CHECK(r.bad_lba >= op.lba && r.bad_lba - op.lba < op.nlb);
}

/* An address comes only from a command that ended well, and is not wider than it can be. */
static void registers(const uint8_t *data, size_t size)
{
	for (int q = DW_ATA_READ_NATIVE_MAX; q <= DW_ATA_GET_NATIVE_MAX_EXT; q++) {
		int bits = q == DW_ATA_READ_NATIVE_MAX ? 28 : 48;
		struct dw_sense s;
		uint64_t last;
		int r = dw_ata_native((enum dw_ata_question)q, data, size, &last);

		if (r && r != -ERANGE)
			continue;
		FUZZ_CHECK(last >> (r ? 24 : bits) == 0);
		FUZZ_CHECK(dw_sense_parse(data, size, &s) == 0 && !s.deferred);
		FUZZ_CHECK(s.key <= DW_KEY_RECOVERED_ERROR && s.ascq == 0x1d);
		FUZZ_CHECK(dw_ata_at_least((uint32_t)last, UINT32_MAX) >= UINT32_MAX);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_sense s;
	char text[64];

	registers(data, size);
	if (dw_sense_parse(data, size, &s) < 0) {
		decode(data, size, NULL);
		return 0;
	}
	FUZZ_CHECK(s.key <= 0x0f);
	FUZZ_CHECK(s.info_valid || s.information == 0);
	dw_sense_text(&s, text, sizeof(text));
	FUZZ_CHECK(strlen(text) < sizeof(text));
	decode(data, size, &s);
	return 0;
}
