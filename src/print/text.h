/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_TEXT_H
#define DW_PRINT_TEXT_H

/* Text of records, which disks and people wrote, as each medium takes it. */
#include <stddef.h>
#include <stdio.h>

/** paper_csv() - as a cell (RFC 4180), between quotes. A cell that a spreadsheet would take for a
 *  formula (see dw_text_is_formula()) begins with an apostrophe. What a reader cannot see and a
 *  program may obey (control characters, overrides of direction, no UTF-8) is "?". */
void paper_csv(FILE *f, const char *text);

/** paper_json() - as a string of JSON, between quotes; what could be obeyed is "?". */
void paper_json(FILE *f, const char *text);

/** paper_zpl() - as data of a field that has ^FH: all but letters, digits, blanks and ".-" is "_"
 *  and two digits, so that no byte begins a command. */
void paper_zpl(FILE *f, const char *text);

/** paper_fit() - at most @most characters, the last of them "..." if that is not all; what could be
 *  obeyed is "?". Returns @buf. */
const char *paper_fit(const char *text, size_t most, char *buf, size_t size);

/** paper_characters() - of UTF-8. */
size_t paper_characters(const char *text);

#endif
