/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ini/ini.h"

#define NS_PER_S     UINT64_C(1000000000)
#define OPTIONS_SIZE sizeof(((struct settings *)0)->options)

_Static_assert(OPTIONS_SIZE == sizeof(((struct bay *)0)->options), "set_option()");

static int set_option(struct dw_ini *ini, char *options, const char *name,
		      const char *value)
{
	size_t used = strlen(options);
	struct dw_job_spec spec;
	struct dw_error wrong;
	char key[48];

	snprintf(key, sizeof(key), "%s", name);
	for (char *c = key; *c; c++)
		*c = *c == '-' ? '_' : *c;
	dw_job_spec_init(&spec);
	if (spec_option(&spec, key, value, &wrong) < 0)
		return dw_ini_wrong(ini, wrong.subject, "%s", wrong.reason);
	if (used + strlen(key) + strlen(value) + 3 > OPTIONS_SIZE)
		return dw_ini_wrong(ini, name, "too many options");
	sprintf(options + used, "%s=%s\n", key, value);
	return 0;
}

/* a number of degrees, or "off" */
static int set_degrees(struct dw_ini *ini, int32_t *to, const char *name,
		       const char *value)
{
	uint64_t n = 0;

	if (strcmp(value, "off") != 0 &&
	    (dw_number_parse(value, &n) < 0 || n < 1 || n > 150))
		return dw_ini_wrong(ini, name,
				    "'%.40s' is neither off nor 1 to 150 degrees", value);
	*to = n ? (int32_t)n : DEGREES_NEVER;
	return 0;
}

static int set_spin_up(struct dw_ini *ini, struct settings *s, const char *name,
		       const char *value)
{
	uint64_t ns = 0;

	s->spin_up = strcmp(value, "no") != 0;
	if (!s->spin_up)
		return 0;
	if (dw_duration_parse(value, &ns) < 0 || ns > 600 * NS_PER_S)
		return dw_ini_wrong(ini, name,
				    "'%.40s' is neither no nor a time of at most 10min",
				    value);
	s->spin_up_seconds = ns / NS_PER_S;
	return 0;
}

/* Named again, by a later file, it is that list alone. */
static int read_assets(struct dw_ini *ini, struct dw_assets *to, const char *name,
		       const char *value)
{
	struct dw_error wrong;
	char text[DW_ERROR_TEXT];

	dw_assets_deinit(to);
	if (!value[0])
		return 0;
	if (value[0] != '/')
		return dw_ini_wrong(ini, name, "'%.40s' is not an absolute path", value);
	if (dw_assets_read(value, to, &wrong))
		return dw_ini_wrong(ini, name, "%s", dw_error_text(&wrong, text));
	return 0;
}

enum own_key { KEY_OPTION, KEY_DEGREES, KEY_SPIN_UP, KEY_ASSETS };

static int take_own(struct dw_ini *ini, const struct dw_ini_key *k, const char *name,
		    const char *value, void *at)
{
	switch ((enum own_key)k->own) {
	case KEY_DEGREES:
		return set_degrees(ini, at, name, value);
	case KEY_SPIN_UP:
		return set_spin_up(ini, ini->data, name, value);
	case KEY_ASSETS:
		return read_assets(ini, at, name, value);
	default: /* "verify-percent = 2" is the line "verify_percent=2" */
		return set_option(ini, at, name, value);
	}
}

static struct bay *bay_of(struct dw_ini *ini, const char *name)
{
	struct settings *s = ini->data;
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

static void *object_of(struct dw_ini *ini, const char *section, const char *name)
{
	return !strcmp(section, "bay") ? (void *)bay_of(ini, name) : ini->data;
}

#define KEY(section, name, kind, member, ...)                                            \
	DW_INI_KEY(section, name, kind, struct settings, member, __VA_ARGS__)
#define BAY(name, kind, member, ...)                                                     \
	DW_INI_KEY("bay", name, kind, struct bay, member, __VA_ARGS__)

static const char *const action_words[] = { "none", "offer", "queue", "erase", NULL };
static const char *const failing_words[] = { "erase", "refuse", NULL };

static const struct dw_ini_key keys[] = {
	KEY("station", "name", TEXT, station),
	KEY("station", "group", TEXT, group),
	KEY("station", "records", PATH, records),
	KEY("station", "assets", OWN, assets, .own = KEY_ASSETS),
	KEY("station", "record-key", PATH, record_key),
	KEY("erase", NULL, OWN, options, .own = KEY_OPTION),
	KEY("queue", "active", NUMBER, active, .max = 100000),
	KEY("queue", "return-within", SECONDS, return_seconds),
	KEY("policy", "unattended", WORD, unattended, .words = dw_ini_no_yes),
	KEY("hooks", "pre-erase", PATH, hook_pre),
	KEY("hooks", "post-erase", PATH, hook_post),
	KEY("hooks", "on-event", PATH, hook_event),
	KEY("hooks", "user", TEXT, hook_user),
	KEY("hooks", "timeout", SECONDS, hook_seconds, .min = 1, .max = 3600),
	KEY("metrics", "textfile", PATH, textfile),
	KEY("wall", "folder", PATH, wall),
	KEY("temperature", "warn", OWN, heat.warn, .own = KEY_DEGREES),
	KEY("temperature", "pause", OWN, heat.pause, .own = KEY_DEGREES),
	KEY("temperature", "every", SECONDS, heat_seconds, .min = 1, .max = 86400),
	KEY("health", "failing", WORD, refuse_failing, .words = failing_words),
	KEY("bays", "lights", WORD, lights, .words = dw_ini_no_yes),
	KEY("bays", "spin-down", WORD, spin_down, .words = dw_ini_no_yes),
	KEY("bays", "spin-up", OWN, spin_up, .own = KEY_SPIN_UP),
	BAY("slot", TEXT, slot),
	BAY("phy", TEXT, phy),
	BAY("address", TEXT, address),
	BAY("action", WORD, action, .words = action_words),
	BAY(NULL, OWN, options, .own = KEY_OPTION),
};

_Static_assert(sizeof(keys) / sizeof(*keys) <= DW_INI_KEYS_MAX, "struct dw_ini.given");

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
	struct dw_ini ini = { .key = keys,
			      .n_keys = sizeof(keys) / sizeof(*keys),
			      .named = "bay",
			      .object = object_of,
			      .take = take_own,
			      .err = err };
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
	snprintf(s->group, sizeof(s->group), "diskwipe-operators");
	snprintf(s->hook_user, sizeof(s->hook_user), "diskwipe-hooks");
	ini.data = s;
	r = dw_config_load(safety, &s->config, err);
	if (!r)
		r = dw_ini_read_trusted(&ini, path, required);
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
	dw_assets_deinit(&s->assets);
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
