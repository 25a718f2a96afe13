/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_SYSFS_H
#define DW_DEVICE_SYSFS_H

/*
 * Reading the kernel's file trees. Every function that looks at the machine takes a
 * struct dw_machine, so that the tests can hand in recorded trees; the program itself
 * knows only dw_machine_self, and nothing in its environment can change that.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct dw_machine - where a machine's trees are
 * @sys, @proc, @dev, @etc: folders without a slash at the end
 * @live: they are this machine's, and the kernel can be asked by other ways too
 */
struct dw_machine {
	const char *sys;
	const char *proc;
	const char *dev;
	const char *etc;
	bool live;
};

/* This machine: /sys, /proc, /dev, /etc. */
extern const struct dw_machine dw_machine_self;

/**
 * dw_path() - put a path together
 * @ret: PATH_MAX bytes
 * Return: 0 or -ENAMETOOLONG.
 */
int dw_path(char ret[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** dw_path_base() - what follows the last slash; points into @path. */
const char *dw_path_base(const char *path);

/** dw_path_parent() - cut the last component off, in place; "" when there is none. */
void dw_path_parent(char *path);

/**
 * dw_sysfs_text() - an attribute's first line, without blanks at either end
 * @dir, @attr: folder and file in it
 * @ret: @len bytes; "" on error
 * Return: 0 or negative errno.
 */
int dw_sysfs_text(const char *dir, const char *attr, char *ret, size_t len);

/**
 * dw_sysfs_starved() - was there no room to read something, since this thread asked last?
 *
 * A file or folder that could not be opened for want of descriptors or memory looks as one that is
 * not there. Who concludes from what is not there asks before he looks, and afterwards.
 *
 * Return: 0; -EMFILE, -ENFILE or -ENOMEM.
 */
int dw_sysfs_starved(void);

/** dw_sysfs_u64() - a decimal attribute. Return: false when there is none. */
bool dw_sysfs_u64(const char *dir, const char *attr, uint64_t *ret);

/** dw_sysfs_dev() - the "major:minor" of the file dev in @dir; 0 = none. */
dev_t dw_sysfs_dev(const char *dir);

/** dw_sysfs_has() - there is an entry @name in @dir. */
bool dw_sysfs_has(const char *dir, const char *name);

/**
 * dw_sysfs_write() - store a decimal number in an attribute
 * Return: 0 or negative errno.
 */
int dw_sysfs_write(const char *dir, const char *attr, uint64_t value);

/**
 * dw_sysfs_real() - where a node's folder really is
 * @m: the machine
 * @block: a block device's number, else a character device's
 * @dev: the number
 * @ret: PATH_MAX bytes
 * Return: 0, -ENODEV or another negative errno.
 */
int dw_sysfs_real(const struct dw_machine *m, bool block, dev_t dev, char ret[PATH_MAX]);

/**
 * dw_sysfs_first() - the first entry of a folder whose name begins so
 * @dir: folder
 * @prefix: begin of the name, "" = any
 * @ret, @len: the name
 * Return: false when there is none.
 */
bool dw_sysfs_first(const char *dir, const char *prefix, char *ret, size_t len);

/**
 * dw_sysfs_each() - call @fn for each entry but those that begin with a dot
 * @fn: gets the folder and the name; returns 0 to continue
 * Return: 0, what @fn returned, or negative errno of the folder.
 */
int dw_sysfs_each(const char *dir,
		  int (*fn)(void *ctx, const char *dir, const char *name), void *ctx);

/** dw_sysfs_each_folder() - the same for those entries that are folders themselves; links are not.
 *  A disk has forty entries, of which its partitions and its nodes are folders. */
int dw_sysfs_each_folder(const char *dir,
			 int (*fn)(void *ctx, const char *dir, const char *name),
			 void *ctx);

#endif
