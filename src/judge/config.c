/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration files: which disks are protected. */
#include "diskwipe/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "ini/ini.h"
#include "judge/protect.h"
#include "judge/verdict.h"

#define DEFAULT_PATH "/etc/diskwipe/diskwipe.conf"

struct dw_config {
	char **protect;
	size_t n_protect;
};

static int append_protected(struct dw_config *c, const char *item)
{
	char **v = reallocarray(c->protect, c->n_protect + 2, sizeof(*v));

	if (!v)
		return -ENOMEM;
	c->protect = v;
	v[c->n_protect + 1] = NULL;
	v[c->n_protect] = strdup(item);
	return v[c->n_protect++] ? 0 : -ENOMEM;
}

static int take_item(struct dw_ini *ini, char *item)
{
	const char *wrong;
	size_t n;

	item += strspn(item, " \t");
	n = strlen(item);
	while (n && (item[n - 1] == ' ' || item[n - 1] == '\t'))
		n--;
	item[n] = '\0';
	if (!n)
		return 0;
	wrong = dw_protect_check(item);
	if (wrong)
		return dw_ini_wrong(ini, NULL, "%.40s: %s", item, wrong);
	if (append_protected(ini->data, item) < 0)
		return dw_ini_wrong(ini, NULL, "out of memory");
	return 0;
}

/* Items are separated by commas; the key may be repeated. */
static int take_protect(struct dw_ini *ini, const struct dw_ini_key *k, const char *name,
			const char *value, void *at)
{
	dw_autofree char *copy = strdup(value);
	char *save, *item;
	int r = copy ? 0 : dw_ini_wrong(ini, NULL, "out of memory");

	for (item = copy ? strtok_r(copy, ",", &save) : NULL; item && !r;
	     item = strtok_r(NULL, ",", &save))
		r = take_item(ini, item);
	return r;
}

static const struct dw_ini_key keys[] = {
	{ .section = "safety", .name = "protect", .kind = DW_INI_OWN },
};

int dw_config_load(const char *path, struct dw_config **ret, struct dw_error *err)
{
	struct dw_error none;
	struct dw_ini ini = { .key = keys,
			      .n_keys = DW_ARRAY_SIZE(keys),
			      .take = take_protect,
			      .err = err ? err : &none };
	int r;

	dw_error_clear(ini.err);
	ini.data = calloc(1, sizeof(struct dw_config));
	if (!ini.data)
		return dw_error_system(err, -ENOMEM, NULL);
	r = dw_ini_read_trusted(&ini, path ? path : DEFAULT_PATH, path);
	if (r)
		dw_config_free(ini.data);
	else
		*ret = ini.data;
	return dw_error_system(err, r, NULL);
}

void dw_config_free(struct dw_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_protect; i++)
		free(c->protect[i]);
	free(c->protect);
	free(c);
}

bool dw_config_protects(const char *entry, const struct dw_disk_info *info)
{
	return dw_protect_means(&dw_machine_self, entry, info);
}

const char *const *dw_config_protect(const struct dw_config *c)
{
	static const char *const none[] = { NULL };

	return c->protect ? (const char *const *)c->protect : none;
}
