/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** struct settings_reader - a file that is being read; @failed: @err says what is wrong */
struct settings_reader {
	struct settings *s;
	struct dw_error *err;
	const char *file;
	FILE *f;
	uint64_t lines;
	bool too_long;
	bool failed;
};

static int complain(struct settings_reader *r, const char *section, const char *name,
		    const char *why)
{
	r->failed = true;
	dw_error_set(r->err, -EINVAL, DW_ERROR_CONTENT, NULL, "[%.40s] %.40s: %s",
		     section, name, why);
	snprintf(r->err->file, sizeof(r->err->file), "%s", r->file);
	return 0;
}

static int set(char *to, size_t size, const char *value)
{
	if (strlen(value) >= size)
		return -ENAMETOOLONG;
	snprintf(to, size, "%s", value);
	return 0;
}

static int set_path(char *to, size_t size, const char *value)
{
	return value[0] && value[0] != '/' ? -EINVAL : set(to, size, value);
}

static int set_yes(bool *to, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return -EINVAL;
	*to = value[0] == 'y';
	return 0;
}

static int set_seconds(uint64_t *to, const char *value)
{
	uint64_t ns;

	if (dw_duration_parse(value, &ns) < 0)
		return -EINVAL;
	*to = ns / UINT64_C(1000000000);
	return 0;
}

/* "verify-percent = 2" is the line "verify_percent=2" */
static int add_option(struct settings_reader *r, char *options, size_t size,
		      const char *name, const char *value)
{
	size_t used = strlen(options);
	struct dw_job_spec spec;
	char key[48];

	if (set(key, sizeof(key), name) < 0)
		return -EINVAL;
	for (char *c = key; *c; c++)
		*c = *c == '-' ? '_' : *c;
	dw_job_spec_init(&spec);
	if (spec_option(&spec, key, value, r->err) < 0) {
		r->failed = true;
		snprintf(r->err->file, sizeof(r->err->file), "%s", r->file);
		return 0;
	}
	if (used + strlen(key) + strlen(value) + 3 > size)
		return -ENAMETOOLONG;
	snprintf(options + used, size - used, "%s=%s\n", key, value);
	return 0;
}

static int in_station(struct settings_reader *r, const char *name, const char *value)
{
	if (!strcmp(name, "name"))
		return set(r->s->station, sizeof(r->s->station), value);
	if (!strcmp(name, "group"))
		return set(r->s->group, sizeof(r->s->group), value);
	if (!strcmp(name, "records"))
		return set_path(r->s->records, sizeof(r->s->records), value);
	if (!strcmp(name, "record-key"))
		return set_path(r->s->record_key, sizeof(r->s->record_key), value);
	return -ENOENT;
}

static int in_queue(struct settings_reader *r, const char *name, const char *value)
{
	uint64_t n;

	if (!strcmp(name, "return-within"))
		return set_seconds(&r->s->return_seconds, value);
	if (strcmp(name, "active") != 0)
		return -ENOENT;
	if (dw_number_parse(value, &n) < 0 || n > 100000)
		return -EINVAL;
	r->s->active = (uint32_t)n;
	return 0;
}

static int in_policy(struct settings_reader *r, const char *name, const char *value)
{
	return strcmp(name, "unattended") != 0 ? -ENOENT
					       : set_yes(&r->s->unattended, value);
}

static int in_hooks(struct settings_reader *r, const char *name, const char *value)
{
	struct settings *s = r->s;
	uint64_t seconds;

	if (!strcmp(name, "pre-erase"))
		return set_path(s->hook_pre, sizeof(s->hook_pre), value);
	if (!strcmp(name, "post-erase"))
		return set_path(s->hook_post, sizeof(s->hook_post), value);
	if (!strcmp(name, "on-event"))
		return set_path(s->hook_event, sizeof(s->hook_event), value);
	if (!strcmp(name, "user"))
		return set(s->hook_user, sizeof(s->hook_user), value);
	if (strcmp(name, "timeout") != 0)
		return -ENOENT;
	if (set_seconds(&seconds, value) < 0 || !seconds || seconds > 3600)
		return -EINVAL;
	s->hook_seconds = (uint32_t)seconds;
	return 0;
}

static int in_metrics(struct settings_reader *r, const char *name, const char *value)
{
	if (strcmp(name, "textfile") != 0)
		return -ENOENT;
	return set_path(r->s->textfile, sizeof(r->s->textfile), value);
}

/* a number of degrees, or "off" */
static int set_degrees(int32_t *to, const char *value)
{
	uint64_t n;

	if (!strcmp(value, "off")) {
		*to = DEGREES_NEVER;
		return 0;
	}
	if (dw_number_parse(value, &n) < 0 || n < 1 || n > 150)
		return -EINVAL;
	*to = (int32_t)n;
	return 0;
}

static int in_temperature(struct settings_reader *r, const char *name, const char *value)
{
	uint64_t seconds;

	if (!strcmp(name, "warn"))
		return set_degrees(&r->s->heat.warn, value);
	if (!strcmp(name, "pause"))
		return set_degrees(&r->s->heat.pause, value);
	if (strcmp(name, "every") != 0)
		return -ENOENT;
	if (set_seconds(&seconds, value) < 0 || !seconds || seconds > 86400)
		return -EINVAL;
	r->s->heat_seconds = seconds;
	return 0;
}

static int in_health(struct settings_reader *r, const char *name, const char *value)
{
	if (strcmp(name, "failing") != 0)
		return -ENOENT;
	if (strcmp(value, "erase") != 0 && strcmp(value, "refuse") != 0)
		return -EINVAL;
	r->s->refuse_failing = value[0] == 'r';
	return 0;
}

static int in_bays(struct settings_reader *r, const char *name, const char *value)
{
	uint64_t seconds;

	if (!strcmp(name, "lights"))
		return set_yes(&r->s->lights, value);
	if (!strcmp(name, "spin-down"))
		return set_yes(&r->s->spin_down, value);
	if (strcmp(name, "spin-up") != 0)
		return -ENOENT;
	r->s->spin_up = strcmp(value, "no") != 0;
	if (!r->s->spin_up)
		return 0;
	if (set_seconds(&seconds, value) < 0 || seconds > 600)
		return -EINVAL;
	r->s->spin_up_seconds = seconds;
	return 0;
}

static struct bay *bay_of(struct settings *s, const char *name)
{
	struct bay *b;

	for (size_t i = 0; i < s->n_bays; i++)
		if (!strcmp(s->bay[i].name, name))
			return &s->bay[i];
	b = realloc(s->bay, (s->n_bays + 1) * sizeof(*b));
	if (!b)
		return NULL;
	s->bay = b;
	b = &s->bay[s->n_bays++];
	*b = (struct bay){ .action = BAY_OFFER };
	snprintf(b->name, sizeof(b->name), "%s", name);
	return b;
}

static int set_action(struct bay *b, const char *value)
{
	static const char *const words[] = { "none", "offer", "queue", "erase" };

	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(words[i], value)) {
			b->action = (enum bay_action)i;
			return 0;
		}
	return -EINVAL;
}

static int in_bay(struct settings_reader *r, const char *bay, const char *name,
		  const char *value)
{
	struct bay *b;

	if (!bay[0] || strlen(bay) >= sizeof(b->name))
		return -ENOENT;
	b = bay_of(r->s, bay);
	if (!b)
		return -ENOMEM;
	if (!strcmp(name, "slot"))
		return set(b->slot, sizeof(b->slot), value);
	if (!strcmp(name, "phy"))
		return set(b->phy, sizeof(b->phy), value);
	if (!strcmp(name, "address"))
		return set(b->address, sizeof(b->address), value);
	if (!strcmp(name, "action"))
		return set_action(b, value);
	return add_option(r, b->options, sizeof(b->options), name, value);
}

static int line(void *ctx, const char *section, const char *name, const char *value)
{
	struct settings_reader *r = ctx;
	int code = -ENOENT;

	if (r->failed) /* the first fault is the one that is told */
		return 0;
	if (!strcmp(section, "station"))
		code = in_station(r, name, value);
	else if (!strcmp(section, "erase"))
		code = add_option(r, r->s->options, sizeof(r->s->options), name, value);
	else if (!strcmp(section, "queue"))
		code = in_queue(r, name, value);
	else if (!strcmp(section, "policy"))
		code = in_policy(r, name, value);
	else if (!strcmp(section, "hooks"))
		code = in_hooks(r, name, value);
	else if (!strcmp(section, "metrics"))
		code = in_metrics(r, name, value);
	else if (!strcmp(section, "temperature"))
		code = in_temperature(r, name, value);
	else if (!strcmp(section, "health"))
		code = in_health(r, name, value);
	else if (!strcmp(section, "bays"))
		code = in_bays(r, name, value);
	else if (!strncmp(section, "bay ", 4))
		code = in_bay(r, section + 4, name, value);
	if (code == -ENOENT)
		return complain(r, section, name, "there is no such key");
	if (code < 0)
		return complain(r, section, name, "its value is not understood");
	return !r->failed;
}

/* the parser would take the rest of a line that is too long for another line */
static char *next_line(char *buf, int size, void *ctx)
{
	struct settings_reader *r = ctx;
	size_t n;

	if (r->too_long || !fgets(buf, size, r->f))
		return NULL;
	r->lines++;
	n = strlen(buf);
	r->too_long = n + 1 == (size_t)size && buf[n - 1] != '\n';
	return buf;
}

/* who may write it decides what is erased without a question */
static const char *why_not_trusted(FILE *f)
{
	struct stat st;

	if (fstat(fileno(f), &st) < 0)
		return strerror(errno);
	if (geteuid() != 0)
		return NULL;
	if (st.st_uid != 0)
		return "it belongs to another user; chown root";
	if (st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && st.st_gid != 0))
		return "it is writable by others; chmod go-w";
	return NULL;
}

static int parse_settings(struct settings_reader *r)
{
	int at = ini_parse_stream(next_line, r, line, r);

	if (r->failed) {
		r->err->line = at > 0 ? (uint64_t)at : 0;
		return -EINVAL;
	}
	if (at < 0 || ferror(r->f))
		return dw_error_file(r->err, at == -2 ? -ENOMEM : -EIO, r->file,
				     "cannot be read");
	if (!at && !r->too_long)
		return 0;
	dw_error_set(r->err, -EINVAL, DW_ERROR_CONTENT, NULL,
		     r->too_long ? "a line is too long" : "neither a section nor a key");
	snprintf(r->err->file, sizeof(r->err->file), "%s", r->file);
	r->err->line = at ? (uint64_t)at : r->lines;
	return -EINVAL;
}

static int read_settings(struct settings *s, const char *path, bool required,
			 struct dw_error *err)
{
	struct settings_reader r = { .s = s, .err = err, .file = path };
	const char *why;
	int code;

	r.f = fopen(path, "re");
	if (!r.f)
		return errno == ENOENT && !required
			       ? 0
			       : dw_error_file(err, -errno, path, strerror(errno));
	why = why_not_trusted(r.f);
	code = why ? dw_error_file(err, -EPERM, path, why) : parse_settings(&r);
	fclose(r.f);
	return code;
}

static int read_all(struct settings *s, const char *path, bool required,
		    struct dw_error *err)
{
	char pattern[512];
	glob_t g;
	int r = read_settings(s, path, required, err);

	snprintf(pattern, sizeof(pattern), "%.480s.d/*.conf", path);
	if (r < 0 || glob(pattern, 0, NULL, &g))
		return r;
	for (size_t i = 0; i < g.gl_pathc && !r; i++)
		r = read_settings(s, g.gl_pathv[i], true, err);
	globfree(&g);
	return r;
}

static int wrong_bay(const struct bay *b, const char *path, const char *why,
		     struct dw_error *err)
{
	dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, NULL, "[bay %.60s]: %s", b->name,
		     why);
	snprintf(err->file, sizeof(err->file), "%s", path);
	return -EINVAL;
}

/* A bay that says none of them would be every place of the machine. Of two that say the same the
 * second would be never. */
static int check_bays(const struct settings *s, const char *path, struct dw_error *err)
{
	for (size_t i = 0; i < s->n_bays; i++) {
		const struct bay *b = &s->bay[i];

		if (!b->slot[0] && !b->phy[0] && !b->address[0])
			return wrong_bay(b, path,
					 "it needs slot=, phy= or address=", err);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(b->slot, s->bay[k].slot) &&
			    !strcmp(b->phy, s->bay[k].phy) &&
			    !strcmp(b->address, s->bay[k].address))
				return wrong_bay(b, path, "another bay is the same place",
						 err);
	}
	return 0;
}

/* Each option is known by now; whether they fit together, and which methods there are, is for the
 * library to say. A bay whose options do not would never erase a disk. */
static int check_options(const struct settings *s, const char *of_bay,
			 struct dw_error *err)
{
	char all[sizeof(s->options) + sizeof(s->bay->options)];
	struct dw_job_spec spec;
	struct dw_job *job = NULL;
	int r;

	snprintf(all, sizeof(all), "%s%s", s->options, of_bay);
	dw_job_spec_init(&spec);
	r = spec_options(&spec, all, err);
	if (!r)
		r = dw_job_new(NULL, &spec, &job, err);
	dw_job_free(job);
	return r;
}

static int check_all_options(const struct settings *s, const char *path,
			     struct dw_error *err)
{
	int r = check_options(s, "", err);

	for (size_t i = 0; i < s->n_bays && !r; i++)
		r = check_options(s, s->bay[i].options, err);
	if (r < 0)
		snprintf(err->file, sizeof(err->file), "%s", path);
	return r;
}

int settings_load(const char *path, bool required, const char *safety,
		  struct settings **ret, struct dw_error *err)
{
	struct settings *s = calloc(1, sizeof(*s));
	int r;

	dw_error_clear(err);
	if (!s)
		return dw_error_system(err, -ENOMEM, NULL);
	*s = (struct settings){ .return_seconds = UINT64_C(24) * 3600,
				.hook_seconds = 30,
				.heat_seconds = 60,
				.heat = { DEGREES_OF_DISK, DEGREES_OF_DISK },
				.lights = true,
				.spin_up = true,
				.spin_up_seconds = 2,
				.refs = 1 };
	gethostname(s->station, sizeof(s->station) - 1);
	set(s->group, sizeof(s->group), "diskwipe-operators");
	set(s->hook_user, sizeof(s->hook_user), "diskwipe-hooks");
	r = dw_config_load(safety, &s->config, err);
	if (!r)
		r = read_all(s, path, required, err);
	if (!r && !s->records[0] != !s->record_key[0]) {
		r = dw_error_set(err, -EINVAL, DW_ERROR_CONTENT, NULL,
				 "[station]: records= and record-key= belong together");
		snprintf(err->file, sizeof(err->file), "%s", path);
	}
	if (!r)
		r = check_bays(s, path, err);
	if (!r)
		r = check_all_options(s, path, err);
	if (r < 0) {
		settings_unref(s);
		return r;
	}
	s->rules.protect = dw_config_protect(s->config);
	*ret = s;
	return 0;
}

struct settings *settings_ref(struct settings *s)
{
	s->refs++;
	return s;
}

void settings_unref(struct settings *s)
{
	if (!s || --s->refs)
		return;
	dw_config_free(s->config);
	free(s->bay);
	free(s);
}

static bool matches(const char *pattern, const char *text)
{
	return !pattern[0] || (text[0] && !fnmatch(pattern, text, FNM_NOESCAPE));
}

const struct bay *settings_bay(const struct settings *s, const struct dw_disk_info *info)
{
	char address[64] = "";

	if (info->scsi)
		snprintf(address, sizeof(address), "%u:%u:%u:%llu", info->host,
			 info->channel, info->target, (unsigned long long)info->lun);
	for (size_t i = 0; i < s->n_bays; i++)
		if (matches(s->bay[i].slot, info->slot) &&
		    matches(s->bay[i].phy, info->phy) &&
		    matches(s->bay[i].address, address))
			return &s->bay[i];
	return NULL;
}
