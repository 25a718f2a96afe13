/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_PUBLISH_H
#define DW_SERVICE_PUBLISH_H

/* Files for others to read, that are of this moment: figures, and the wall screen. */
#include <stddef.h>

/**
 * publish_file() - replace a file that everybody may read
 * @path: its name; a link there is replaced and not followed
 * @text, @len: what it holds
 *
 * A reader finds the old file or the new one. Neither is made durable: after a power failure the
 * next one is written.
 *
 * Return: 0 or negative errno.
 */
int publish_file(const char *path, const char *text, size_t len);

#endif
