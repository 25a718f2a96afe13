/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_FILE_H
#define DISKWIPE_FILE_H

/*
 * Files by name, as a program that runs as root has to treat them. What is read is a regular
 * file, /dev/null, or a descriptor (/dev/stdin, /dev/fd/N). What is written is a regular file,
 * which is replaced by a new one, or a pipe, a terminal, /dev/null or a descriptor, which are
 * written to; never another device. No link of another user is followed on the way to it.
 */
#include <stddef.h>

#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dw_file_read() - the contents of a small file
 * @path: its name
 * @max: largest size in bytes
 * @ret_text: its bytes and a terminating 0; free()
 * @ret_len: how many
 *
 * Return: 0; -EINVAL for something that is not read, -EFBIG; another negative errno.
 */
DW_PUBLIC int dw_file_read(const char *path, size_t max, char **ret_text,
			   size_t *ret_len);

/**
 * dw_file_write() - a document as a file
 * @path: its name; a regular file is replaced, all of it or not at all, durable before this
 *	returns; its mode is kept
 * @text: the document
 * @len: its bytes
 *
 * Return: 0 or negative errno; see dw_file_error().
 */
DW_PUBLIC int dw_file_write(const char *path, const char *text, size_t len);

/**
 * dw_file_check() - whether dw_file_write() can put a regular file there; nothing is changed
 * @path: its name
 *
 * A file is made beside it and removed again, so that rights, links and file systems are tried
 * as they will be.
 *
 * Return: 0; -EINVAL: something else than a regular file is there; another negative errno.
 */
DW_PUBLIC int dw_file_check(const char *path);

/** dw_file_error() - what a negative errno of these functions means, one line. */
DW_PUBLIC const char *dw_file_error(int r);

#ifdef __cplusplus
}
#endif

#endif
