/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FILE_FILE_H
#define DW_FILE_FILE_H

/* Every file that is named by a user goes through here; see <diskwipe/file.h>. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <diskwipe/file.h>

/**
 * struct dw_place - where a file is, or would be
 * @dir: its folder, O_PATH; -1 = none
 * @name: in that folder; no link
 * @exists: there is something, and this is it:
 * @st: as it was found
 */
struct dw_place {
	int dir;
	char name[NAME_MAX + 1];
	bool exists;
	struct stat st;
};

/** dw_place_find() - follow @path as open would, except over links that neither root nor the
 *  caller owns. 0; -ELOOP; -ENOLINK when a link leads nowhere; -EISDIR; another negative
 *  errno. close() @ret->dir after 0. */
int dw_place_find(const char *path, struct dw_place *ret);

/** dw_place_sync() - make what was done to the folder durable; 0 or negative errno. */
int dw_place_sync(const struct dw_place *p);

/** dw_file_owned() - by root or the caller. */
bool dw_file_owned(uid_t uid);

/** dw_file_secret() - of an open file: may others read it? 0; -EKEYREJECTED: it is of neither root
 *  nor the caller; -EPERM: they may; another negative errno. */
int dw_file_secret(int fd);

/** dw_file_make() - a new file with @mode, less the umask, whole and durable, or none; 0; -EEXIST:
 *  there is something already; another negative errno. */
int dw_file_make(const char *path, const char *text, size_t len, mode_t mode);

/** dw_file_descriptor() - which one a path stands for (/dev/stdin, /dev/fd/N); else -1. */
int dw_file_descriptor(const char *path);

/** dw_file_open() - for reading, never waiting for somebody to open the other end; with
 *  @streams also pipes and terminals that are given as descriptors. The descriptor; -EINVAL
 *  for what is not read; another negative errno. */
int dw_file_open(const char *path, bool streams);

/** dw_file_replace() - as dw_file_write(), but regular files only (-EINVAL), and with @mode,
 *  less the umask, where there is none yet. */
int dw_file_replace(const char *path, const char *text, size_t len, mode_t mode);

/**
 * struct dw_output - a file that is being written
 * @f: what to write to
 * @at: where it will be
 * @temp: its name until then; empty = it is there
 */
struct dw_output {
	FILE *f;
	struct dw_place at;
	char temp[NAME_MAX + 1];
};

/**
 * dw_output_open() - begin to write
 * @o: dw_output_close()
 * @path: its name
 * @mode: of a new file, less the umask
 * @at_once: it stands at its name from now on and may be read while it grows; else it
 *	comes there when it is whole
 *
 * Return: 0; -EMEDIUMTYPE for what is not written to; another negative errno.
 */
int dw_output_open(struct dw_output *o, const char *path, mode_t mode, bool at_once);

/** dw_output_close() - the end of it. With @keep it comes to its name, unless any of it was
 *  not written; else the old file stands. 0 or negative errno. */
int dw_output_close(struct dw_output *o, bool keep);

/** dw_scratch_new() - an empty folder of nobody else's, in $TMPDIR or /tmp; malloc'd, NULL with
 *  errno. dw_scratch_free(). */
char *dw_scratch_new(void);

/** dw_scratch_empty() - remove all that is in a folder, on its file system; 0 or negative errno. */
int dw_scratch_empty(const char *dir);

/** dw_scratch_free() - remove it with all that is in it; NULL is accepted. */
void dw_scratch_free(char *dir);

/**
 * dw_shell_command() - a command that can be typed as it stands
 * @verb: command and options
 * @arg: one argument, quoted as a shell needs it: names come from strangers' disks
 * @ret, @len: the command; empty when it does not fit or @arg cannot be shown
 * Return: @ret.
 */
const char *dw_shell_command(const char *verb, const char *arg, char *ret, size_t len);

#endif
