/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_FUZZ_H
#define DW_TESTS_FUZZ_H

/*
 * What every fuzzer shares. A fuzzer is one file with LLVMFuzzerTestOneInput(); it is
 * linked with libFuzzer (-Dfuzz=true) or with replay.c, which runs a corpus.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/**
 * LLVMFuzzerTestOneInput() - put one input through the parser
 * @data: the input
 * @size: its length in bytes
 *
 * Return: 0; a finding ends the process.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * fuzz_file() - an input as a file, for parsers that open one themselves
 * @name: its name in a folder that is the process's own and goes with it
 * @data, @size: its content
 *
 * Return: its path, until the next call; the process ends where it cannot be written.
 */
const char *fuzz_file(const char *name, const void *data, size_t size);

/* What must hold whatever the input is; kept in builds without assertions. */
#define FUZZ_CHECK(condition)                                                            \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
			abort();                                                         \
		}                                                                        \
	} while (0)

#endif
