/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_INI_INI_H
#define DW_INI_INI_H

/*
 * Files of sections and keys. A table lists the keys and the form of their values; anything else is
 * an error that names the file, the line and what is possible there. diskwiped and diskwipe-send
 * read their files with it as well, so it needs public headers only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <diskwipe/error.h>

enum dw_ini_kind {
	DW_INI_TEXT,    /* char[size] */
	DW_INI_PATH,    /* the same: absolute, or empty if @min is 0 */
	DW_INI_WORD,    /* one of @words: its place, as a bool or an enum */
	DW_INI_NUMBER,  /* uint32_t or uint64_t, like the next four */
	DW_INI_SIZE,    /* bytes */
	DW_INI_RATE,    /* bytes per second */
	DW_INI_TIME,    /* nanoseconds */
	DW_INI_SECONDS, /* a time, in whole seconds */
	DW_INI_SHARE,   /* double; "2%" is 0.02 */
	DW_INI_OWN,     /* take() of the reader parses the value */
};

/**
 * struct dw_ini_key - a row of the table
 * @section: that has it; several with '|' between them
 * @name: NULL = any that no row above has, for take()
 * @own: for take()
 * @many: may be given again in a section, also where @once of the reader is set
 * @offset, @size: of the member in the section's object
 * @min, @max: of numbers and times; @max 0 = no limit. DW_INI_PATH: with @min it is not empty
 * @words: NULL after the last
 */
struct dw_ini_key { /* NOLINT(clang-analyzer-optin.performance.Padding): a table, in its order */
	const char *section;
	const char *name;
	enum dw_ini_kind kind;
	int own;
	bool many;
	size_t offset;
	size_t size;
	uint64_t min;
	uint64_t max;
	const char *const *words;
};

/** DW_INI_KEYS_MAX - rows of a table: struct dw_ini.given has a bit for each. */
#define DW_INI_KEYS_MAX 64

#define DW_INI_AT(struct_, member)                                                       \
	.offset = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member)

#define DW_INI_KEY(section_, name_, kind_, struct_, member, ...)                         \
	{                                                                                \
		.section = (section_), .name = (name_), .kind = DW_INI_##kind_,          \
		DW_INI_AT(struct_, member), __VA_ARGS__                                  \
	}

/** dw_ini_no_yes - the words of a bool. */
extern const char *const dw_ini_no_yes[];

/**
 * struct dw_ini - a reader
 * @key, @n_keys: the table
 * @named: sections that have a name, "bay" for [bay NAME], '|' between them; NULL = none
 * @once: a key that is given again in a section is an error, else the last one counts
 * @object: where the values of a section go; NULL after dw_ini_wrong(). @name is empty without one
 * @take: a value of DW_INI_OWN; @name: of the key; @at: its member. 0, or dw_ini_wrong()
 * @data: for both
 * @err: filled by the first fault
 * @path, @line: where it is
 * @at: object of the section
 *
 * The rest belongs to the reader.
 */
struct dw_ini {
	const struct dw_ini_key *key;
	size_t n_keys;
	const char *named;
	bool once;
	void *(*object)(struct dw_ini *ini, const char *section, const char *name);
	int (*take)(struct dw_ini *ini, const struct dw_ini_key *k, const char *name,
		    const char *value, void *at);
	void *data;
	struct dw_error *err;
	const char *path;
	uint64_t line;
	void *at;

	FILE *f;
	bool failed;
	char section[64];
	uint64_t given;
};

/** dw_ini_wrong() - what is wrong with the line that is read; what was said first stands. @key: of
 *  its section, NULL = none. Returns -EINVAL. */
int dw_ini_wrong(struct dw_ini *ini, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** dw_ini_in() - @section is one of those in @list, which has '|' between them. */
bool dw_ini_in(const char *list, const char *section);

/** dw_ini_size() - a size with blanks in it, "/s" at its end if it is a @rate; 0 or -EINVAL. */
int dw_ini_size(const char *text, bool rate, uint64_t *ret);

/** dw_ini_share() - "2%" as 0.02; 0 or -EINVAL. */
int dw_ini_share(const char *text, double *ret);

/** dw_ini_read() - a file, or with @streams a pipe; @err is not cleared before. 0; -EINVAL: what is
 *  in it is wrong; another negative errno. */
int dw_ini_read(struct dw_ini *ini, const char *path, bool streams);

/**
 * dw_ini_read_trusted() - a file and the files *.conf in the folder PATH.d, in their order
 * @required: it is an error if the first is not there
 *
 * Who may write them decides what is erased: for root, files that others can change are -EPERM.
 */
int dw_ini_read_trusted(struct dw_ini *ini, const char *path, bool required);

#endif
