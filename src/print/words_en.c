/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* English. */
#include "print/words.h"

const struct dw_words dw_words_en = {
	.code = "en",
	.word = {
		[DW_WORD_CERTIFICATE] = "Certificate of erasure",
		[DW_WORD_RECORD_EXCEPTIONS] = "Record of an incomplete erasure",
		[DW_WORD_RECORD_NOT_ERASED] = "Record of a disk that was not erased",
		[DW_WORD_RECORD_CHECK] = "Record of a check",
		[DW_WORD_SUMMARY] = "Summary",
		[DW_WORD_ERASED] = "Erased",
		[DW_WORD_EXCEPTIONS_LOUD] = "NOT COMPLETELY ERASED",
		[DW_WORD_NOT_ERASED] = "NOT ERASED",
		[DW_WORD_AS_EXPECTED] = "AS EXPECTED",
		[DW_WORD_SAYS_ERASED] =
			("Every block that a host can reach was erased, by the "
			"method and with the verification stated below."),
		[DW_WORD_SAYS_OVERWRITTEN] =
			("Every block that a host can reach was overwritten, by "
			"the method and with the verification stated below."),
		[DW_WORD_SAYS_EXCEPTIONS] =
			("Some blocks of this disk are not known to be erased. It "
			"may still hold data. This is no certificate."),
		[DW_WORD_SAYS_NOT_ERASED] =
			("This disk was not erased. Treat it as if all of its data "
			"were still there. This is no certificate."),
		[DW_WORD_SAYS_SIMULATION] =
			("This was a simulation. No disk was touched. This is no "
			"certificate."),
		[DW_WORD_SAYS_AS_EXPECTED] =
			("This disk was read and compared. It held what was "
			"expected. Nothing was written. This is no certificate."),
		[DW_WORD_DISK] = "Disk",
		[DW_WORD_ERASURE] = "Erasure",
		[DW_WORD_VERIFICATION] = "Verification",
		[DW_WORD_TIMES] = "Times (UTC)",
		[DW_WORD_PLACE] = "Who and where",
		[DW_WORD_EXCEPTIONS] = "Blocks that are not known to be erased",
		[DW_WORD_NOTES] = "Limits",
		[DW_WORD_PROOF] = "Proof",
		[DW_WORD_MODEL] = "Model",
		[DW_WORD_SERIAL] = "Serial number",
		[DW_WORD_WWN] = "World wide name",
		[DW_WORD_FIRMWARE] = "Firmware",
		[DW_WORD_INTERFACE] = "Interface",
		[DW_WORD_CAPACITY] = "Capacity",
		[DW_WORD_BLOCKS] = "Blocks",
		[DW_WORD_HIDDEN] = "Hidden capacity",
		[DW_WORD_FOUND] = "Found on it",
		[DW_WORD_HEALTH_BEFORE] = "Health before",
		[DW_WORD_HEALTH_AFTER] = "Health after",
		[DW_WORD_OUTCOME] = "Outcome",
		[DW_WORD_REASON] = "Reason",
		[DW_WORD_METHOD] = "Method",
		[DW_WORD_WHY_METHOD] = "Why this method",
		[DW_WORD_LEVEL] = "Level (NIST SP 800-88)",
		[DW_WORD_WHY_LEVEL] = "Why no higher level",
		[DW_WORD_STANDARD_NIST] = "NIST SP 800-88r2",
		[DW_WORD_STANDARD_NIST_TEXT] =
			("verification: see there; validation, whether that is enough "
			"for the data that were there: for who signs below"),
		[DW_WORD_STANDARD_IEEE] = "IEEE 2883-2022",
		[DW_WORD_STANDARD_IEEE_TEXT] =
			"nothing is claimed by it but what the disk attests",
		[DW_WORD_LEVEL_TABLE] = "Table of levels",
		[DW_WORD_ATTESTED] = "What the disk attests",
		[DW_WORD_ATTESTED_YES] =
			"that it has purged as IEEE 2883 defines that (NVMe: PREQ, PRGD)",
		[DW_WORD_ATTESTED_NO] =
			"nothing, though it was told to purge (IEEE 2883; NVMe: PREQ)",
		[DW_WORD_COMMAND] = "Command",
		[DW_WORD_PASSES] = "Passes",
		[DW_WORD_AMOUNT] = "Written",
		[DW_WORD_ERRORS] = "Errors",
		[DW_WORD_ASKED] = "Asked for",
		[DW_WORD_DONE] = "Done",
		[DW_WORD_BOUND] = "What it proves",
		[DW_WORD_COMPARED] = "By the disk itself",
		[DW_WORD_MEDIUM] = "Read from",
		[DW_WORD_MISMATCHES] = "Blocks that differed",
		[DW_WORD_SECOND] = "Second check",
		[DW_WORD_STARTED] = "Started",
		[DW_WORD_FINISHED] = "Finished",
		[DW_WORD_DURATION] = "Duration",
		[DW_WORD_FORECAST] = "Forecast",
		[DW_WORD_OPERATOR] = "Operator",
		[DW_WORD_BAY] = "Bay",
		[DW_WORD_LABEL] = "Label",
		[DW_WORD_HOST] = "Host",
		[DW_WORD_HOST_SERIAL] = "Serial of the host",
		[DW_WORD_ASSET] = "Asset tag of the host",
		[DW_WORD_STATION] = "Station",
		[DW_WORD_ASKED_BY] = "Asked for by",
		[DW_WORD_CUSTOMER] = "Customer",
		[DW_WORD_ORDER] = "Order",
		[DW_WORD_DISK_ASSET] = "Asset tag",
		[DW_WORD_DEVICE] = "Device",
		[DW_WORD_TOOL] = "Program",
		[DW_WORD_RECORD_ID] = "Record",
		[DW_WORD_SEQUENCE] = "Number in the ledger",
		[DW_WORD_HASH] = "SHA-256",
		[DW_WORD_KEY] = "Signed by the key",
		[DW_WORD_CHAIN] = "Chain",
		[DW_WORD_HEAD] = "End of the ledger",
		[DW_WORD_IN_CHAIN] =
			("The ledger was whole and in order when this paper was "
			"made."),
		[DW_WORD_BY_ITSELF] =
			("The record was checked by itself, not its place in a "
			"ledger."),
		[DW_WORD_LATER] = "Later attempt",
		[DW_WORD_LATER_TEXT] = "record %s: not erased, or not as expected",
		[DW_WORD_OWN_SIGNERS] = "Who may sign was taken from the ledger itself.",
		[DW_WORD_NONE] = "none",
		[DW_WORD_NOT_KNOWN] = "not known",
		[DW_WORD_NO_HIDDEN] = "none found",
		[DW_WORD_HIDDEN_LEFT] = "%s hidden, not erased",
		[DW_WORD_CLEAR] = "Clear",
		[DW_WORD_PURGE] = "Purge",
		[DW_WORD_NO_LEVEL] = "none reached",
		[DW_WORD_VERIFIED_NONE] = "nothing was read back",
		[DW_WORD_VERIFIED_PART] = "less than was asked for: %s blocks were read",
		[DW_WORD_VERIFIED_SAMPLE] =
			"a random sample: %s blocks were read and compared",
		[DW_WORD_VERIFIED_PLACES] =
			"%s places were read before and after; all have changed",
		[DW_WORD_VERIFIED_FULL] = "every block: %s blocks were read and compared",
		[DW_WORD_BOUND_TEXT] =
			("With 99 % confidence at most %s of a million blocks "
			"differ."),
		[DW_WORD_BOUND_TOO_HIGH] =
			"The sample is too small to prove anything about the other blocks.",
		[DW_WORD_COMPARED_TEXT] =
			("%s blocks compared; it found %s of %s planted differences. At "
			 "most %s of a million ranges can have been skipped (99 %)."),
		[DW_WORD_FROM_MEDIUM] = "the medium",
		[DW_WORD_FROM_CACHE] = "the disk, perhaps its cache",
		[DW_WORD_SECOND_BY] = "by %s, record %s",
		[DW_WORD_SECOND_OF] = "of record %s of %s, drawn in record %s",
		[DW_WORD_MORE] = "and %s more",
		[DW_WORD_ERRORS_TEXT] = "%s retried, %s split, %s timeouts, %s resets",
		[DW_WORD_COMMANDS_TEXT] = "%s bytes in %s commands",
		[DW_WORD_BLOCKS_TEXT] = "%s of %s bytes",
		[DW_WORD_FIRST_BLOCK] = "First block",
		[DW_WORD_COUNT] = "Blocks",
		[DW_WORD_KIND] = "Kind",
		[DW_WORD_SENSE] = "Sense",
		[DW_WORD_TOTAL] = "Erased capacity",
		[DW_WORD_ALL_DISKS] = "Disks",
		[DW_WORD_EARLIER] = "EARLIER ATTEMPT",
		[DW_WORD_EARLIER_ATTEMPTS] = "Earlier attempts",
		[DW_WORD_NAME] = "Name",
		[DW_WORD_TITLE] = "Title",
		[DW_WORD_DATE] = "Date",
		[DW_WORD_LOCATION] = "Location",
		[DW_WORD_SIGNATURE] = "Signature",
		[DW_WORD_ERASED_BY] = "Carried out by",
		[DW_WORD_VERIFIED_BY] = "Checked by",
		[DW_WORD_HOW_TO_CHECK] =
			("The record and its signature are attached to this PDF. "
			"“diskwipe records verify --signers=FILE record.json” "
			"checks them, and so does ssh-keygen -Y verify (namespace "
			"diskwipe-record)."),
		[DW_WORD_PAGE] = "Page %s of %s",
	},
};
