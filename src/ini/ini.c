/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines are counted as they are read, and reading stops at the first fault, so that the line of a
 * fault is known. inih splits the lines.
 */
#include "ini/ini.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <diskwipe/units.h>

#include "base/error.h"
#include "base/util.h"
#include "file/file.h"

const char *const dw_ini_no_yes[] = { "no", "yes", NULL };

int dw_ini_wrong(struct dw_ini *ini, const char *key, const char *format, ...)
{
	char reason[sizeof(ini->err->reason)], subject[sizeof(ini->err->subject)];
	va_list args;

	if (ini->failed)
		return -EINVAL;
	ini->failed = true;
	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	snprintf(subject, sizeof(subject), "[%.60s] %.60s", ini->section, key ? key : "");
	dw_error_content(ini->err, key ? subject : NULL, "%s", reason);
	dw_error_in(ini->err, ini->path, ini->line);
	return -EINVAL;
}

bool dw_ini_in(const char *list, const char *section)
{
	size_t len = strlen(section);

	if (strchr(section, '|')) /* two of them are none */
		return false;
	for (; list; list = strchr(list, '|') ? strchr(list, '|') + 1 : NULL)
		if (!strncmp(list, section, len) && (list[len] == '|' || !list[len]))
			return len > 0;
	return false;
}

int dw_ini_size(const char *text, bool rate, uint64_t *ret)
{
	char s[48];
	size_t n = 0;

	for (; *text && n + 1 < sizeof(s); text++)
		if (*text != ' ' && *text != '\t')
			s[n++] = *text;
	s[n] = '\0';
	if (rate && n > 2 && !strcmp(s + n - 2, "/s"))
		s[n - 2] = '\0';
	return *text ? -EINVAL : dw_size_parse(s, ret);
}

int dw_ini_share(const char *text, double *ret)
{
	double percent;
	int r = dw_percent_parse(text, &percent);

	if (!r)
		*ret = percent / 100;
	return r;
}

/* Appends a word to the list "a, b"; a list that is full ends with "...". */
static void join(char *to, size_t size, const char *word)
{
	size_t used = strlen(to);

	if (used + strlen(word) + sizeof(", ...") < size)
		snprintf(to + used, size - used, "%s%s", used ? ", " : "", word);
	else if (used && to[used - 1] != '.')
		snprintf(to + used, size - used, ", ...");
}

static int wrong_key(struct dw_ini *ini, const char *kind, const char *name)
{
	char names[170] = "";

	for (size_t i = 0; i < ini->n_keys; i++)
		if (ini->key[i].name && dw_ini_in(ini->key[i].section, kind))
			join(names, sizeof(names), ini->key[i].name);
	return dw_ini_wrong(ini, NULL, "unknown key %.40s; there are %s", name, names);
}

static int wrong_section(struct dw_ini *ini)
{
	const char *last = "";
	char names[150] = "";

	for (size_t i = 0; i < ini->n_keys; i++) {
		const char *section = ini->key[i].section;

		if (!strchr(section, '|') && strcmp(section, last) != 0)
			join(names, sizeof(names), section);
		last = section;
	}
	return dw_ini_wrong(ini, NULL, "unknown section [%.60s]; there are %s",
			    ini->section, names);
}

static int take_word(struct dw_ini *ini, const struct dw_ini_key *k, const char *value,
		     void *at)
{
	char names[120] = "";
	unsigned int i = 0;

	while (k->words[i] && strcmp(value, k->words[i]) != 0)
		join(names, sizeof(names), k->words[i++]);
	if (!k->words[i] && i == 2)
		return dw_ini_wrong(ini, k->name, "'%.40s' is neither %s nor %s", value,
				    k->words[0], k->words[1]);
	if (!k->words[i])
		return dw_ini_wrong(ini, k->name, "'%.40s' is none of %s", value, names);
	if (k->size == sizeof(bool))
		*(bool *)at = i;
	else
		memcpy(at, &i, sizeof(i));
	return 0;
}

static int take_text(struct dw_ini *ini, const struct dw_ini_key *k, const char *value,
		     char *at)
{
	if (k->kind == DW_INI_PATH && value[0] != '/' && (value[0] || k->min))
		return dw_ini_wrong(ini, k->name, "'%.40s' is not an absolute path",
				    value);
	if (strlen(value) >= k->size)
		return dw_ini_wrong(ini, k->name, "longer than %zu characters",
				    k->size - 1);
	/* a file that is written from it would have a comment there */
	if (value[0] == ';')
		return dw_ini_wrong(ini, k->name, "begins like a remark");
	memcpy(at, value, strlen(value) + 1);
	return 0;
}

static int parse_number(const struct dw_ini_key *k, const char *value, uint64_t *ret)
{
	int r;

	if (k->kind == DW_INI_SIZE || k->kind == DW_INI_RATE)
		return dw_ini_size(value, k->kind == DW_INI_RATE, ret);
	if (k->kind == DW_INI_NUMBER)
		return dw_number_parse(value, ret);
	r = dw_duration_parse(value, ret);
	if (k->kind == DW_INI_SECONDS)
		*ret /= DW_NS_PER_S;
	return r;
}

static int take_number(struct dw_ini *ini, const struct dw_ini_key *k, const char *value,
		       void *at)
{
	static const char *const names[] = { [DW_INI_NUMBER] = "number",
					     [DW_INI_SIZE] = "size",
					     [DW_INI_RATE] = "rate",
					     [DW_INI_TIME] = "time",
					     [DW_INI_SECONDS] = "time" };
	uint64_t room = k->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
	uint64_t n = 0, most = k->max ? k->max : room;
	uint32_t small;

	if (parse_number(k, value, &n) < 0 || n < k->min || n > most) {
		if (!k->max)
			return dw_ini_wrong(ini, k->name, "'%.40s' is not a %s", value,
					    names[k->kind]);
		return dw_ini_wrong(ini, k->name, "'%.40s' is not a %s of %llu to %llu%s",
				    value, names[k->kind], (unsigned long long)k->min,
				    (unsigned long long)k->max,
				    k->kind == DW_INI_SECONDS ? " seconds" : "");
	}
	small = (uint32_t)n;
	memcpy(at, k->size == sizeof(n) ? (void *)&n : (void *)&small, k->size);
	return 0;
}

static int take_value(struct dw_ini *ini, const struct dw_ini_key *k, const char *name,
		      const char *value)
{
	void *at = (char *)ini->at + k->offset;

	switch (k->kind) {
	case DW_INI_TEXT:
	case DW_INI_PATH:
		return take_text(ini, k, value, at);
	case DW_INI_WORD:
		return take_word(ini, k, value, at);
	case DW_INI_SHARE:
		if (!dw_ini_share(value, at))
			return 0;
		return dw_ini_wrong(ini, k->name, "'%.40s' is not a share like 2%%",
				    value);
	case DW_INI_OWN:
		return ini->take(ini, k, name, value, at);
	default:
		return take_number(ini, k, value, at);
	}
}

/* A section "disk bay" describes the disk named bay. */
static int begin_section(struct dw_ini *ini, const char *section, char *kind)
{
	const char *name = section + strlen(kind);
	bool known = false, named = dw_ini_in(ini->named, kind);

	snprintf(ini->section, sizeof(ini->section), "%s", section);
	ini->given = 0;
	for (size_t i = 0; i < ini->n_keys && !known; i++)
		known = dw_ini_in(ini->key[i].section, kind);
	if (!known)
		return wrong_section(ini);
	name += strspn(name, " ");
	if (named && !name[0])
		return dw_ini_wrong(ini, NULL, "a section is called [%s NAME]", kind);
	if (!named && section[strlen(kind)])
		return dw_ini_wrong(ini, NULL, "[%s] has no name", kind);
	ini->at = ini->object ? ini->object(ini, kind, name) : ini->data;
	return ini->at ? 0 : dw_ini_wrong(ini, NULL, "out of memory");
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
	struct dw_ini *ini = user;
	char kind[sizeof(ini->section)];

	if (ini->failed)
		return 0;
	snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(section, " "), section);
	if ((!ini->at || strcmp(section, ini->section) != 0) &&
	    begin_section(ini, section, kind) < 0)
		return 0;
	for (size_t i = 0; i < ini->n_keys; i++) {
		const struct dw_ini_key *k = &ini->key[i];

		if (!dw_ini_in(k->section, kind) || (k->name && strcmp(k->name, name)))
			continue;
		if (ini->once && !k->many && ini->given & UINT64_C(1) << i)
			return dw_ini_wrong(ini, NULL, "%s is given twice", name) == 0;
		ini->given |= UINT64_C(1) << i;
		return take_value(ini, k, name, value) == 0;
	}
	return wrong_key(ini, kind, name) == 0;
}

/* Without this check inih would read the rest of a long line as another line. */
static char *read_line(char *buf, int size, void *user)
{
	struct dw_ini *ini = user;

	if (ini->failed || !fgets(buf, size, ini->f))
		return NULL;
	ini->line++;
	if (strlen(buf) + 1 == (size_t)size && buf[size - 2] != '\n')
		dw_ini_wrong(ini, NULL, "the line is too long");
	return buf;
}

static int parse(struct dw_ini *ini)
{
	int line = ini_parse_stream(read_line, ini, handle, ini);

	if (ini->failed)
		return -EINVAL;
	if (line < 0 || ferror(ini->f))
		return dw_error_file(ini->err, line == -2 ? -ENOMEM : -EIO, ini->path,
				     "cannot be read");
	if (!line)
		return 0;
	ini->line = (uint64_t)line;
	return dw_ini_wrong(ini, NULL,
			    "not understood: neither [section] nor key = value");
}

static int check_trust(int fd, const char *path, struct dw_error *err)
{
	char fix[128], reason[sizeof(fix) + 48];
	struct stat st;
	bool foreign, open_to_all;

	if (fstat(fd, &st))
		return dw_error_file(err, -errno, path, strerror(errno));
	foreign = !dw_file_owned(st.st_uid);
	open_to_all = st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && st.st_gid != 0);
	if (geteuid() != 0 || S_ISCHR(st.st_mode) || !(foreign || open_to_all))
		return 0;
	dw_shell_command(foreign ? "chown root" : "chmod go-w", path, fix, sizeof(fix));
	snprintf(reason, sizeof(reason), "%s; to fix it: %s",
		 foreign ? "owned by another user" : "writable by others", fix);
	return dw_error_file(err, -EPERM, path, reason);
}

static int read_file(struct dw_ini *ini, const char *path, bool streams, bool trusted)
{
	int fd = dw_file_open(path, streams), r;

	ini->path = path;
	ini->line = 0;
	ini->at = NULL;
	if (fd < 0)
		return dw_error_file(ini->err, fd, path, dw_file_error(fd));
	r = trusted ? check_trust(fd, path, ini->err) : 0;
	ini->f = r ? NULL : fdopen(fd, "r");
	if (!ini->f) {
		close(fd);
		return r ? r : dw_error_system(ini->err, -ENOMEM, NULL);
	}
	r = parse(ini);
	fclose(ini->f);
	return r;
}

int dw_ini_read(struct dw_ini *ini, const char *path, bool streams)
{
	return read_file(ini, path, streams, false);
}

static int is_conf(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".conf");
}

static int read_folder(struct dw_ini *ini, const char *dir)
{
	struct dirent **names;
	char path[PATH_MAX];
	int n = scandir(dir, &names, is_conf, alphasort), r = 0;

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return dw_error_file(ini->err, -errno, dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		/* a file that protects disks is read, or is an error */
		if (!r && snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name) >=
				  (int)sizeof(path))
			r = dw_error_file(ini->err, -ENAMETOOLONG, dir,
					  strerror(ENAMETOOLONG));
		if (!r)
			r = read_file(ini, path, false, true);
		free(names[i]);
	}
	free(names);
	return r;
}

int dw_ini_read_trusted(struct dw_ini *ini, const char *path, bool required)
{
	char dir[PATH_MAX];
	int r = read_file(ini, path, false, true);

	if (r == -ENOENT && !required) {
		dw_error_clear(ini->err);
		r = 0;
	}
	snprintf(dir, sizeof(dir), "%s.d", path);
	return r ? r : read_folder(ini, dir);
}
