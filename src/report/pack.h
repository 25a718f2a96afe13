/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_PACK_H
#define DW_REPORT_PACK_H

/* Files compressed by zstd (RFC 8878), as streams. The end of one may be missing. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** dw_pack_named() - a name that ends in ".zst" is that of a compressed file. */
bool dw_pack_named(const char *path);

/** dw_pack_is() - do these first bytes of a file begin a compressed one? */
bool dw_pack_is(const void *text, size_t len);

/**
 * dw_pack() - a stream whose text goes compressed to another
 * @under: borrowed until the new one is closed, and left open then
 * @ret: fclose() writes the end
 *
 * Return: 0; -ENOMEM; -ENOTSUP when the program is built without libzstd.
 */
int dw_pack(FILE *under, FILE **ret);

/**
 * dw_unpack() - read what may be compressed
 * @f: at its first byte; closed with @ret, and on an error
 * @ret: @f itself where it is not compressed
 *
 * Return: 0; -ENOMEM; -ENOTSUP when the program is built without libzstd. Damage is a read
 * error (EIO) of @ret; a missing end is the end.
 */
int dw_unpack(FILE *f, FILE **ret);

#endif
