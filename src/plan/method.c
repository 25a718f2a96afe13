/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of erasure methods. A scheme that leaves a character open ("a character, its
 * complement") takes 00 and ff, and aa where it asks for one more. The schemes of many
 * passes are here because contracts still ask for them; what each is worth stands beside
 * it: NIST SP 800-88 counts every host overwrite as "clear", whatever its number of passes.
 */
#include <errno.h>
#include <string.h>

#include "plan/method.h"

#define C1(a)                                                                            \
	{                                                                                \
		.kind = DW_PATTERN_CONST, .len = 1, .byte = { a }                        \
	}
#define C3(a, b, c)                                                                      \
	{                                                                                \
		.kind = DW_PATTERN_CONST, .len = 3, .byte = { a, b, c }                  \
	}
#define RANDOM                                                                           \
	{                                                                                \
		.kind = DW_PATTERN_RANDOM                                                \
	}
#define RANDOM_BYTE                                                                      \
	{                                                                                \
		.kind = DW_PATTERN_RANDOM_BYTE                                           \
	}
#define COMPLEMENT                                                                       \
	{                                                                                \
		.kind = DW_PATTERN_COMPLEMENT                                            \
	}

#define PASSES(...)                                                                      \
	.n_passes = sizeof((struct dw_pattern[]){ __VA_ARGS__ }) /                       \
		    sizeof(struct dw_pattern),                                           \
	.pass = { __VA_ARGS__ }

#define LEGACY_CLEAR                                                                     \
	"legacy; one pass of zeros is worth as much (NIST SP 800-88 calls both Clear)"

static const struct dw_method methods[] = {
	{ "zero", "one pass of zeros",
	  "enough for every magnetic disk of this century; NIST Clear",
	  PASSES(C1(0x00)) },
	{ "one", "one pass of ones", "as one pass of zeros; NIST Clear",
	  PASSES(C1(0xff)) },
	{ "random", "one pass of AES-128-CTR keystream",
	  "as one pass of zeros; cannot be compressed or deduplicated away",
	  PASSES(RANDOM) },
	{ "nist-clear", "NIST SP 800-88 Clear by overwriting",
	  "the current guideline's Clear; Purge needs SANITIZE, not writes",
	  PASSES(C1(0x00)), .verify = DW_VERIFY_SAMPLE },
	{ "dod-short", "DoD 5220.22-M (E), three passes",
	  LEGACY_CLEAR "; dropped from the NISPOM in 2006",
	  PASSES(C1(0x00), C1(0xff), RANDOM), .verify = DW_VERIFY_FULL },
	{ "dod-ece", "DoD 5220.22-M (ECE), seven passes",
	  LEGACY_CLEAR "; dropped from the NISPOM in 2006",
	  PASSES(C1(0x00), C1(0xff), RANDOM, C1(0xaa), C1(0x00), C1(0xff), RANDOM),
	  .verify = DW_VERIFY_FULL },
	{ "hmg-baseline", "HMG Infosec Standard 5, baseline",
	  "withdrawn; as one pass of zeros, fully verified", PASSES(C1(0x00)),
	  .verify = DW_VERIFY_FULL },
	{ "hmg-enhanced", "HMG Infosec Standard 5, enhanced", "withdrawn; " LEGACY_CLEAR,
	  PASSES(C1(0xff), C1(0x00), RANDOM), .verify = DW_VERIFY_FULL },
	{ "bsi-vsitr", "BSI VSITR, seven passes",
	  "superseded by BSI CON.6; " LEGACY_CLEAR,
	  PASSES(C1(0x00), C1(0xff), C1(0x00), C1(0xff), C1(0x00), C1(0xff), C1(0xaa)) },
	{ "schneier", "Schneier (1996), seven passes", LEGACY_CLEAR,
	  PASSES(C1(0xff), C1(0x00), RANDOM, RANDOM, RANDOM, RANDOM, RANDOM) },
	{ "gutmann", "Gutmann (1996), 35 passes",
	  "made for MFM and RLL encodings of the 1980s; " LEGACY_CLEAR,
	  PASSES(RANDOM, RANDOM, RANDOM, RANDOM, C1(0x55), C1(0xaa), C3(0x92, 0x49, 0x24),
		 C3(0x49, 0x24, 0x92), C3(0x24, 0x92, 0x49), C1(0x00), C1(0x11), C1(0x22),
		 C1(0x33), C1(0x44), C1(0x55), C1(0x66), C1(0x77), C1(0x88), C1(0x99),
		 C1(0xaa), C1(0xbb), C1(0xcc), C1(0xdd), C1(0xee), C1(0xff),
		 C3(0x92, 0x49, 0x24), C3(0x49, 0x24, 0x92), C3(0x24, 0x92, 0x49),
		 C3(0x6d, 0xb6, 0xdb), C3(0xb6, 0xdb, 0x6d), C3(0xdb, 0x6d, 0xb6), RANDOM,
		 RANDOM, RANDOM, RANDOM) },
	{ "afssi-5020", "US Air Force AFSSI-5020 clear", LEGACY_CLEAR,
	  PASSES(C1(0x00), C1(0xff), C1(0xaa)), .verify = DW_VERIFY_SAMPLE,
	  .verify_percent = 10 },
	{ "ops-ii", "RCMP TSSIT OPS-II, seven passes", "withdrawn; " LEGACY_CLEAR,
	  PASSES(C1(0x00), C1(0xff), C1(0x00), C1(0xff), C1(0x00), C1(0xff), RANDOM),
	  .verify = DW_VERIFY_FULL },
	{ "ar-380-19", "US Army AR 380-19, three passes", LEGACY_CLEAR,
	  PASSES(RANDOM_BYTE, C1(0x00), COMPLEMENT) },
	{ "bmb21-2019", "BMB21-2019, six passes", LEGACY_CLEAR,
	  PASSES(C1(0xff), C1(0x00), RANDOM, RANDOM, RANDOM, C1(0xff)) },
	{ "sanitize-overwrite", "overwriting with zeros by the disk itself (SANITIZE)",
	  "NIST Purge of a magnetic disk; needs no bus, reaches what writes do not",
	  PASSES(C1(0x00)), .operation = DW_OPERATION_OVERWRITE },
	{ "sanitize-block", "block erase by the disk itself (SANITIZE)",
	  "NIST Purge of flash; takes seconds to minutes", PASSES(C1(0x00)),
	  .operation = DW_OPERATION_BLOCK_ERASE },
	{ "sanitize-crypto", "change of the key by the disk itself (SANITIZE)",
	  "NIST Purge if all data were encrypted by the disk, which only its maker knows",
	  PASSES(C1(0x00)), .operation = DW_OPERATION_CRYPTO_ERASE },
	{ "ata-normal", "normal SECURITY ERASE UNIT by the ATA disk itself",
	  "NIST Clear; sets a password for the time of the erase", PASSES(C1(0x00)),
	  .operation = DW_OPERATION_ATA_NORMAL },
	{ "ata-enhanced", "enhanced SECURITY ERASE UNIT by the ATA disk itself",
	  "NIST Purge of a magnetic disk; sets a password for the time of the erase",
	  PASSES(C1(0x00)), .operation = DW_OPERATION_ATA_ENHANCED },
	{ "nvme-format", "erase of user data by the NVMe disk itself (Format NVM)",
	  "NIST Clear", PASSES(C1(0x00)), .operation = DW_OPERATION_FORMAT_USER },
	{ "nvme-format-crypto", "change of the key by the NVMe disk itself (Format NVM)",
	  "NIST Clear, possibly Purge if all data were encrypted by the disk",
	  PASSES(C1(0x00)), .operation = DW_OPERATION_FORMAT_CRYPTO },
	{ "sanitize", "sanitize-overwrite where it is simulated, else zeros",
	  "for simulations of racks in which only some disks can do it", PASSES(C1(0x00)),
	  .operation = DW_OPERATION_OVERWRITE, .optional = true },
	{ "auto", "of each disk the shortest way that reaches the level asked for",
	  "NIST Clear, or Purge if that is asked for; says which way it took",
	  PASSES(C1(0x00)), .chosen = true },
};

const struct dw_method *dw_method_find(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

const struct dw_method *dw_method_next(const struct dw_method *m)
{
	const struct dw_method *end = methods + sizeof(methods) / sizeof(methods[0]);

	if (!m)
		return methods;
	return m + 1 < end ? m + 1 : NULL;
}

int dw_method_custom(const char *list, struct dw_method *ret_method)
{
	struct dw_method m = {
		.name = "custom",
		.title = "list of patterns",
		.worth = "one pass of zeros is worth as much (NIST SP 800-88 Clear)",
	};
	char item[16];

	for (const char *at = list;; at++) {
		size_t len = strcspn(at, ",");
		struct dw_pattern p;

		if (len >= sizeof(item))
			return -EINVAL;
		memcpy(item, at, len);
		item[len] = '\0';
		if (dw_pattern_parse(item, &p) < 0)
			return -EINVAL;
		if (p.kind == DW_PATTERN_COMPLEMENT &&
		    (m.n_passes == 0 || m.pass[m.n_passes - 1].kind == DW_PATTERN_RANDOM))
			return -EINVAL;
		if (m.n_passes == DW_PASSES_MAX)
			return -E2BIG;
		m.pass[m.n_passes++] = p;
		at += len;
		if (!*at)
			break;
	}
	*ret_method = m;
	return 0;
}
