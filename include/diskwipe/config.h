/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_CONFIG_H
#define DISKWIPE_CONFIG_H

/*
 * The configuration: /etc/diskwipe/diskwipe.conf, then diskwipe.conf.d/NAME.conf beside it
 * in the order of their names. What cannot be understood is an error, because a protected
 * disk behind a misspelt key would not be protected.
 */
#include <diskwipe/disk.h>
#include <diskwipe/error.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_config;

/**
 * dw_config_load() - read the configuration
 * @path: the main file; NULL = /etc/diskwipe/diskwipe.conf, which may be missing
 * @ret: dw_config_free()
 * @err: on failure the file, its line and what is wrong there
 *
 * Return: 0; -EINVAL for what is not understood; negative errno of reading.
 */
DW_PUBLIC int dw_config_load(const char *path, struct dw_config **ret,
			     struct dw_error *err);

/** dw_config_free() - free it; NULL is accepted. */
DW_PUBLIC void dw_config_free(struct dw_config *c);

/** dw_config_protects() - whether an entry of protect means that disk, however it is spelt:
 *  one that means none of a machine's disks protects nothing there. */
DW_PUBLIC bool dw_config_protects(const char *entry, const struct dw_disk_info *info);

/**
 * dw_config_protect() - [safety] protect: serials, WWNs, slots and nodes never to be erased
 * Return: NULL-terminated list for struct dw_rules, owned by @c, never NULL.
 */
DW_PUBLIC const char *const *dw_config_protect(const struct dw_config *c);

#ifdef __cplusplus
}
#endif

#endif
