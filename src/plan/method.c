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

#define LEGACY_CLEAR                                                                     \
	"legacy; one pass of zeros is worth as much (NIST SP 800-88 calls both Clear)"

static const struct dw_method methods[] = {
	{
		.name = "zero",
		.title = "one pass of zeros",
		.worth = "enough for every magnetic disk of this century; NIST Clear",
		.n_passes = 1,
		.pass = { C1(0x00) },
	},
	{
		.name = "one",
		.title = "one pass of ones",
		.worth = "as one pass of zeros; NIST Clear",
		.n_passes = 1,
		.pass = { C1(0xff) },
	},
	{
		.name = "random",
		.title = "one pass of AES-128-CTR keystream",
		.worth =
			"as one pass of zeros; cannot be compressed or deduplicated away",
		.n_passes = 1,
		.pass = { RANDOM },
	},
	{
		.name = "nist-clear",
		.title = "NIST SP 800-88 Clear by overwriting",
		.worth =
			"the current guideline's Clear; Purge needs SANITIZE, not writes",
		.n_passes = 1,
		.verify = DW_VERIFY_SAMPLE,
		.pass = { C1(0x00) },
	},
	{
		.name = "dod-short",
		.title = "DoD 5220.22-M (E), three passes",
		.worth = LEGACY_CLEAR "; dropped from the NISPOM in 2006",
		.n_passes = 3,
		.verify = DW_VERIFY_FULL,
		.pass = { C1(0x00), C1(0xff), RANDOM },
	},
	{
		.name = "dod-ece",
		.title = "DoD 5220.22-M (ECE), seven passes",
		.worth = LEGACY_CLEAR "; dropped from the NISPOM in 2006",
		.n_passes = 7,
		.verify = DW_VERIFY_FULL,
		.pass = { C1(0x00), C1(0xff), RANDOM, C1(0xaa), C1(0x00), C1(0xff),
			  RANDOM },
	},
	{
		.name = "hmg-baseline",
		.title = "HMG Infosec Standard 5, baseline",
		.worth = "withdrawn; as one pass of zeros, fully verified",
		.n_passes = 1,
		.verify = DW_VERIFY_FULL,
		.pass = { C1(0x00) },
	},
	{
		.name = "hmg-enhanced",
		.title = "HMG Infosec Standard 5, enhanced",
		.worth = "withdrawn; " LEGACY_CLEAR,
		.n_passes = 3,
		.verify = DW_VERIFY_FULL,
		.pass = { C1(0xff), C1(0x00), RANDOM },
	},
	{
		.name = "bsi-vsitr",
		.title = "BSI VSITR, seven passes",
		.worth = "superseded by BSI CON.6; " LEGACY_CLEAR,
		.n_passes = 7,
		.pass = { C1(0x00), C1(0xff), C1(0x00), C1(0xff), C1(0x00), C1(0xff),
			  C1(0xaa) },
	},
	{
		.name = "schneier",
		.title = "Schneier (1996), seven passes",
		.worth = LEGACY_CLEAR,
		.n_passes = 7,
		.pass = { C1(0xff), C1(0x00), RANDOM, RANDOM, RANDOM, RANDOM, RANDOM },
	},
	{
		.name = "gutmann",
		.title = "Gutmann (1996), 35 passes",
		.worth = "made for MFM and RLL encodings of the 1980s; " LEGACY_CLEAR,
		.n_passes = 35,
		.pass = { RANDOM,
			  RANDOM,
			  RANDOM,
			  RANDOM,
			  C1(0x55),
			  C1(0xaa),
			  C3(0x92, 0x49, 0x24),
			  C3(0x49, 0x24, 0x92),
			  C3(0x24, 0x92, 0x49),
			  C1(0x00),
			  C1(0x11),
			  C1(0x22),
			  C1(0x33),
			  C1(0x44),
			  C1(0x55),
			  C1(0x66),
			  C1(0x77),
			  C1(0x88),
			  C1(0x99),
			  C1(0xaa),
			  C1(0xbb),
			  C1(0xcc),
			  C1(0xdd),
			  C1(0xee),
			  C1(0xff),
			  C3(0x92, 0x49, 0x24),
			  C3(0x49, 0x24, 0x92),
			  C3(0x24, 0x92, 0x49),
			  C3(0x6d, 0xb6, 0xdb),
			  C3(0xb6, 0xdb, 0x6d),
			  C3(0xdb, 0x6d, 0xb6),
			  RANDOM,
			  RANDOM,
			  RANDOM,
			  RANDOM },
	},
	{
		.name = "afssi-5020",
		.title = "US Air Force AFSSI-5020 clear",
		.worth = LEGACY_CLEAR,
		.n_passes = 3,
		.verify = DW_VERIFY_SAMPLE,
		.verify_percent = 10,
		.pass = { C1(0x00), C1(0xff), C1(0xaa) },
	},
	{
		.name = "ops-ii",
		.title = "RCMP TSSIT OPS-II, seven passes",
		.worth = "withdrawn; " LEGACY_CLEAR,
		.n_passes = 7,
		.verify = DW_VERIFY_FULL,
		.pass = { C1(0x00), C1(0xff), C1(0x00), C1(0xff), C1(0x00), C1(0xff),
			  RANDOM },
	},
	{
		.name = "ar-380-19",
		.title = "US Army AR 380-19, three passes",
		.worth = LEGACY_CLEAR,
		.n_passes = 3,
		.pass = { RANDOM_BYTE, C1(0x00), COMPLEMENT },
	},
	{
		.name = "bmb21-2019",
		.title = "BMB21-2019, six passes",
		.worth = LEGACY_CLEAR,
		.n_passes = 6,
		.pass = { C1(0xff), C1(0x00), RANDOM, RANDOM, RANDOM, C1(0xff) },
	},
	{
		.name = "sanitize-overwrite",
		.title = "overwriting with zeros by the disk itself (SANITIZE)",
		.worth =
			"NIST Purge of a magnetic disk; needs no bus, reaches what writes do "
			"not",
		.n_passes = 1,
		.operation = DW_OPERATION_OVERWRITE,
		.pass = { C1(0x00) },
	},
	{
		.name = "sanitize-block",
		.title = "block erase by the disk itself (SANITIZE)",
		.worth = "NIST Purge of flash; takes seconds to minutes",
		.n_passes = 1,
		.operation = DW_OPERATION_BLOCK_ERASE,
		.pass = { C1(0x00) },
	},
	{
		.name = "sanitize-crypto",
		.title = "change of the key by the disk itself (SANITIZE)",
		.worth =
			"NIST Purge if all data were encrypted by the disk, which only its "
			"maker knows",
		.n_passes = 1,
		.operation = DW_OPERATION_CRYPTO_ERASE,
		.pass = { C1(0x00) },
	},
	{
		.name = "ata-normal",
		.title = "normal SECURITY ERASE UNIT by the ATA disk itself",
		.worth = "NIST Clear; sets a password for the time of the erase",
		.n_passes = 1,
		.operation = DW_OPERATION_ATA_NORMAL,
		.pass = { C1(0x00) },
	},
	{
		.name = "ata-enhanced",
		.title = "enhanced SECURITY ERASE UNIT by the ATA disk itself",
		.worth =
			"NIST Purge of a magnetic disk; sets a password for the time of the "
			"erase",
		.n_passes = 1,
		.operation = DW_OPERATION_ATA_ENHANCED,
		.pass = { C1(0x00) },
	},
	{
		.name = "nvme-format",
		.title = "erase of user data by the NVMe disk itself (Format NVM)",
		.worth = "NIST Clear",
		.n_passes = 1,
		.operation = DW_OPERATION_FORMAT_USER,
		.pass = { C1(0x00) },
	},
	{
		.name = "nvme-format-crypto",
		.title = "change of the key by the NVMe disk itself (Format NVM)",
		.worth =
			"NIST Clear, possibly Purge if all data were encrypted by the disk",
		.n_passes = 1,
		.operation = DW_OPERATION_FORMAT_CRYPTO,
		.pass = { C1(0x00) },
	},
	{
		.name = "sanitize",
		.title = "sanitize-overwrite where it is simulated, else zeros",
		.worth = "for simulations of racks in which only some disks can do it",
		.n_passes = 1,
		.operation = DW_OPERATION_OVERWRITE,
		.optional = true,
		.pass = { C1(0x00) },
	},
	{
		.name = "auto",
		.title = "of each disk the shortest way that reaches the level asked for",
		.worth =
			"NIST Clear, or Purge if that is asked for; says which way it took",
		.n_passes = 1,
		.chosen = true,
		.pass = { C1(0x00) },
	},
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
