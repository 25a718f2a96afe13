/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_WORDS_H
#define DW_PRINT_WORDS_H

/*
 * The words of a paper, and what they are in English; %s and %u are the same in every language, in
 * the same order. Another language is a file, words_XX.c, and a line in words.c.
 */
#define DW_WORDS_OF(WORD)                                                                  \
	/* titles */                                                                       \
	WORD(CERTIFICATE, "Certificate of erasure")                                        \
	WORD(RECORD_EXCEPTIONS, "Record of an incomplete erasure")                         \
	WORD(RECORD_NOT_ERASED, "Record of a disk that was not erased")                    \
	WORD(RECORD_CHECK, "Record of a check")                                            \
	WORD(SUMMARY, "Summary")                                                           \
	/* loud */                                                                         \
	WORD(ERASED, "Erased")                                                             \
	WORD(EXCEPTIONS_LOUD, "NOT COMPLETELY ERASED")                                     \
	WORD(NOT_ERASED, "NOT ERASED")                                                     \
	WORD(AS_EXPECTED, "AS EXPECTED")                                                   \
	/* sentences */                                                                    \
	WORD(SAYS_ERASED,                                                                  \
	     "Every block that a host can reach was erased, by the method and with the "   \
	     "verification stated below.")                                                 \
	WORD(SAYS_OVERWRITTEN,                                                             \
	     "Every block that a host can reach was overwritten, by the method and with"   \
	     " the verification stated below.")                                            \
	WORD(SAYS_EXCEPTIONS,                                                              \
	     "Some blocks of this disk are not known to be erased. It may still hold "     \
	     "data. This is no certificate.")                                              \
	WORD(SAYS_NOT_ERASED,                                                              \
	     "This disk was not erased. Treat it as if all of its data were still "        \
	     "there. This is no certificate.")                                             \
	WORD(SAYS_SIMULATION,                                                              \
	     "This was a simulation. No disk was touched. This is no certificate.")        \
	WORD(SAYS_AS_EXPECTED,                                                             \
	     "This disk was read and compared. It held what was expected. Nothing was "    \
	     "written. This is no certificate.")                                           \
	/* headings */                                                                     \
	WORD(DISK, "Disk")                                                                 \
	WORD(ERASURE, "Erasure")                                                           \
	WORD(VERIFICATION, "Verification")                                                 \
	WORD(TIMES, "Times (UTC)")                                                         \
	WORD(PLACE, "Who and where")                                                       \
	WORD(EXCEPTIONS, "Blocks that are not known to be erased")                         \
	WORD(NOTES, "Limits")                                                              \
	WORD(PROOF, "Proof")                                                               \
	/* labels */                                                                       \
	WORD(MODEL, "Model")                                                               \
	WORD(SERIAL, "Serial number")                                                      \
	WORD(WWN, "World wide name")                                                       \
	WORD(FIRMWARE, "Firmware")                                                         \
	WORD(INTERFACE, "Interface")                                                       \
	WORD(CAPACITY, "Capacity")                                                         \
	WORD(BLOCKS, "Blocks")                                                             \
	WORD(HIDDEN, "Hidden capacity")                                                    \
	WORD(FOUND, "Found on it")                                                         \
	WORD(HEALTH_BEFORE, "Health before")                                               \
	WORD(HEALTH_AFTER, "Health after")                                                 \
	WORD(OUTCOME, "Outcome")                                                           \
	WORD(REASON, "Reason")                                                             \
	WORD(METHOD, "Method")                                                             \
	WORD(WHY_METHOD, "Why this method")                                                \
	WORD(LEVEL, "Level (NIST SP 800-88)")                                              \
	WORD(WHY_LEVEL, "Why no higher level")                                             \
	WORD(STANDARD_NIST, "NIST SP 800-88r2")                                            \
	WORD(STANDARD_NIST_TEXT,                                                           \
	     "verification: see there; validation, whether that is enough for the data "   \
	     "that were there: for who signs below")                                       \
	WORD(STANDARD_IEEE, "IEEE 2883-2022")                                              \
	WORD(STANDARD_IEEE_TEXT, "nothing is claimed by it but what the disk attests")     \
	WORD(LEVEL_TABLE, "Table of levels")                                               \
	WORD(ATTESTED, "What the disk attests")                                            \
	WORD(ATTESTED_YES,                                                                 \
	     "that it has purged as IEEE 2883 defines that (NVMe: PREQ, PRGD)")            \
	WORD(ATTESTED_NO,                                                                  \
	     "nothing, though it was told to purge (IEEE 2883; NVMe: PREQ)")               \
	WORD(COMMAND, "Command")                                                           \
	WORD(PASSES, "Passes")                                                             \
	WORD(AMOUNT, "Written")                                                            \
	WORD(ERRORS, "Errors")                                                             \
	WORD(ASKED, "Asked for")                                                           \
	WORD(DONE, "Done")                                                                 \
	WORD(BOUND, "What it proves")                                                      \
	WORD(COMPARED, "By the disk itself")                                               \
	WORD(MEDIUM, "Read from")                                                          \
	WORD(MISMATCHES, "Blocks that differed")                                           \
	WORD(SECOND, "Second check")                                                       \
	WORD(STARTED, "Started")                                                           \
	WORD(FINISHED, "Finished")                                                         \
	WORD(DURATION, "Duration")                                                         \
	WORD(FORECAST, "Forecast")                                                         \
	WORD(OPERATOR, "Operator")                                                         \
	WORD(BAY, "Bay")                                                                   \
	WORD(LABEL, "Label")                                                               \
	WORD(HOST, "Host")                                                                 \
	WORD(HOST_SERIAL, "Serial of the host")                                            \
	WORD(ASSET, "Asset tag of the host")                                               \
	WORD(STATION, "Station")                                                           \
	WORD(ASKED_BY, "Asked for by")                                                     \
	WORD(CUSTOMER, "Customer")                                                         \
	WORD(ORDER, "Order")                                                               \
	WORD(DISK_ASSET, "Asset tag")                                                      \
	WORD(DEVICE, "Device")                                                             \
	WORD(TOOL, "Program")                                                              \
	WORD(RECORD_ID, "Record")                                                          \
	WORD(SEQUENCE, "Number in the ledger")                                             \
	WORD(HASH, "SHA-256")                                                              \
	WORD(KEY, "Signed by the key")                                                     \
	WORD(CHAIN, "Chain")                                                               \
	WORD(HEAD, "End of the ledger")                                                    \
	/* values */                                                                       \
	WORD(IN_CHAIN, "The ledger was whole and in order when this paper was made.")      \
	WORD(BY_ITSELF, "The record was checked by itself, not its place in a ledger.")    \
	WORD(OWN_SIGNERS, "Who may sign was taken from the ledger itself.")                \
	WORD(LATER, "Later attempt")                                                       \
	WORD(LATER_TEXT, "record %s: not erased, or not as expected")                      \
	WORD(NONE, "none")                                                                 \
	WORD(NOT_KNOWN, "not known")                                                       \
	WORD(NO_HIDDEN, "none found")                                                      \
	WORD(HIDDEN_LEFT, "%s hidden, not erased")                                         \
	WORD(CLEAR, "Clear")                                                               \
	WORD(PURGE, "Purge")                                                               \
	WORD(NO_LEVEL, "none reached")                                                     \
	WORD(VERIFIED_NONE, "nothing was read back")                                       \
	WORD(VERIFIED_PART, "less than was asked for: %s blocks were read")                \
	WORD(VERIFIED_SAMPLE, "a random sample: %s blocks were read and compared")         \
	WORD(VERIFIED_FULL, "every block: %s blocks were read and compared")               \
	WORD(VERIFIED_PLACES, "%s places were read before and after; all have changed")    \
	WORD(BOUND_TEXT, "With 99 % confidence at most %s of a million blocks differ.")    \
	WORD(BOUND_TOO_HIGH,                                                               \
	     "The sample is too small to prove anything about the other blocks.")          \
	WORD(COMPARED_TEXT,                                                                \
	     "%s blocks compared; it found %s of %s planted differences. At most %s of "   \
	     "a million ranges can have been skipped (99 %).")                             \
	WORD(FROM_MEDIUM, "the medium")                                                    \
	WORD(FROM_CACHE, "the disk, perhaps its cache")                                    \
	WORD(SECOND_BY, "by %s, record %s")                                                \
	WORD(SECOND_OF, "of record %s of %s, drawn in record %s")                          \
	WORD(MORE, "and %s more")                                                          \
	WORD(ERRORS_TEXT, "%s retried, %s split, %s timeouts, %s resets")                  \
	WORD(COMMANDS_TEXT, "%s bytes in %s commands")                                     \
	WORD(BLOCKS_TEXT, "%s of %s bytes")                                                \
	/* tables */                                                                       \
	WORD(FIRST_BLOCK, "First block")                                                   \
	WORD(COUNT, "Blocks")                                                              \
	WORD(KIND, "Kind")                                                                 \
	WORD(SENSE, "Sense")                                                               \
	WORD(TOTAL, "Erased capacity")                                                     \
	WORD(ALL_DISKS, "Disks")                                                           \
	WORD(EARLIER, "EARLIER ATTEMPT")                                                   \
	WORD(EARLIER_ATTEMPTS, "Earlier attempts")                                         \
	/* lines to be signed */                                                           \
	WORD(NAME, "Name")                                                                 \
	WORD(TITLE, "Title")                                                               \
	WORD(DATE, "Date")                                                                 \
	WORD(LOCATION, "Location")                                                         \
	WORD(SIGNATURE, "Signature")                                                       \
	WORD(ERASED_BY, "Carried out by")                                                  \
	WORD(VERIFIED_BY, "Checked by")                                                    \
	WORD(HOW_TO_CHECK,                                                                 \
	     "The record and its signature are attached to this PDF. “diskwipe records " \
	     "verify --signers=FILE record.json” checks them, and so does ssh-keygen -Y" \
	     " verify (namespace diskwipe-record).")                                       \
	WORD(PAGE, "Page %s of %s")

#define DW_WORD_NAME_OF(name, text) DW_WORD_##name,

/** enum dw_word - of DW_WORDS_OF() */
enum dw_word { DW_WORDS_OF(DW_WORD_NAME_OF) DW_WORDS };

/** struct dw_words - a language; @code: as --language has it, and as PDF does */
struct dw_words {
	const char *code;
	const char *word[DW_WORDS];
};

extern const struct dw_words dw_words_de;

/** dw_words_find() - by its code; NULL: there is no such language. */
const struct dw_words *dw_words_find(const char *code);

#endif
