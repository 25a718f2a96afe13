/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_SAY_H
#define DISKWIPE_SAY_H

/* How every program says what is wrong: one line on stderr, after the program's name. */
#include <stdarg.h>
#include <stdbool.h>

/** cli_name - of the program, before its messages; each program defines it. */
extern const char cli_name[];

/** cli_warn() - a line on stderr after the program's name, whatever is in the texts. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** cli_refuse() - a cli_warn() about why the program ends; returns @code, its exit code. */
int cli_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** cli_say_line() - @format as one line on stderr; @named: after the program's name. */
void cli_say_line(bool named, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
