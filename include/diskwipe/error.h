/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_ERROR_H
#define DISKWIPE_ERROR_H

/*
 * Why a function failed. Its return value is a negative errno; a struct dw_error has what a
 * program needs to act on it: the kind, the member, file, line or disk that it is about, and
 * what is wrong with that. A program composes its own message from these, as the command line
 * does when it names an option, or takes dw_error_text().
 */
#include <stdint.h>

#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_ERROR_TEXT 640 /* bytes of the longest line */

/**
 * enum dw_error_kind - what failed
 * @DW_ERROR_NONE: nothing
 * @DW_ERROR_SYSTEM: a call of the system; @code is its errno, @subject what it was for or empty
 * @DW_ERROR_MEMBER: a member of a spec, @subject, has a value that is not possible or does not
 *	fit the others or the disks
 * @DW_ERROR_FILE: @file cannot be opened, read, written or trusted
 * @DW_ERROR_CONTENT: what is in @file, at @line, or for a document at the key @subject
 * @DW_ERROR_DISK: the disk @subject
 * @DW_ERROR_STATE: the call does not fit the job's state or its disks
 * @DW_ERROR_MODEL: the model has no answer for these values
 */
enum dw_error_kind {
	DW_ERROR_NONE,
	DW_ERROR_SYSTEM,
	DW_ERROR_MEMBER,
	DW_ERROR_FILE,
	DW_ERROR_CONTENT,
	DW_ERROR_DISK,
	DW_ERROR_STATE,
	DW_ERROR_MODEL,
};

/**
 * struct dw_error - why a function failed
 * @kind: what failed
 * @code: the negative errno that the function returned; 0 = it did not fail
 * @line: of @file, from 1; 0 = no line
 * @file: its path as it was given, cut if it is longer; empty = no file
 * @subject: by @kind; a member as it is called in its struct ("flush_bytes"), a key with its
 *	place in the document ("disks[3].serial"), a node; empty = none
 * @reason: what is wrong with it and what to do, in English, printable, without a full stop
 *
 * The caller owns it; nothing in it need be freed. Each function that takes one clears it
 * first and fills it before it returns an error; NULL is accepted where nobody wants to know.
 */
struct dw_error {
	enum dw_error_kind kind;
	int code;
	uint64_t line;
	char file[160];
	char subject[128];
	char reason[256];
};

/**
 * dw_error_text() - a line for people, "FILE:LINE: SUBJECT: REASON", of what there is
 * @e: filled by a function that failed
 * @buf: room for it
 *
 * Return: @buf. May be called from any thread.
 */
DW_PUBLIC const char *dw_error_text(const struct dw_error *e, char buf[DW_ERROR_TEXT]);

/* For programs whose own functions fail in the same way; NULL is accepted for @e. */

/** dw_error_clear() - nothing has failed yet: the first act of a function with an error. */
DW_PUBLIC void dw_error_clear(struct dw_error *e);

/**
 * dw_error_set() - say what failed
 * @e: what it had before is lost
 * @r: negative errno
 * @kind: what failed
 * @subject: as struct dw_error has it; NULL = none
 * @format: the reason; what a terminal might obey becomes '?', here and in @subject
 *
 * Return: @r.
 */
DW_PUBLIC int dw_error_set(struct dw_error *e, int r, enum dw_error_kind kind,
			   const char *subject, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/** dw_error_system() - a call of the system has failed, or there is no memory, unless more is
 *  known already; @subject: what it was for, NULL = nothing to add. Returns @r, also >= 0. */
DW_PUBLIC int dw_error_system(struct dw_error *e, int r, const char *subject);

/** dw_error_file() - a file cannot be opened, read, written or trusted; nothing is said
 *  where @r is no error. Returns @r. */
DW_PUBLIC int dw_error_file(struct dw_error *e, int r, const char *path,
			    const char *reason);

#ifdef __cplusplus
}
#endif

#endif
