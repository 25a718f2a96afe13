/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a firm wants on its papers: an ini file with the section [firm]. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "ini/ini.h"
#include "print/certificate.h"

static bool read_colour(const char *text, double ret[3])
{
	unsigned int r, g, b;
	char end;

	if (strlen(text) != 7 || sscanf(text, "#%2x%2x%2x%c", &r, &g, &b, &end) != 3)
		return false;
	ret[0] = r / 255.0;
	ret[1] = g / 255.0;
	ret[2] = b / 255.0;
	return true;
}

static int take_colour(struct dw_ini *ini, const struct dw_ini_key *k, const char *name,
		       const char *value, void *at)
{
	return read_colour(value, at)
		       ? 0
		       : dw_ini_wrong(ini, name, "'%.40s' is not #RRGGBB", value);
}

#define FIRM(kind, name, member) DW_INI_KEY("firm", name, kind, struct dw_firm, member)

static const struct dw_ini_key keys[] = {
	FIRM(TEXT, "name", name),         FIRM(TEXT, "address", address),
	FIRM(TEXT, "logo", logo),         FIRM(TEXT, "statement", statement),
	FIRM(TEXT, "signer1", signer[0]), FIRM(TEXT, "signer2", signer[1]),
	FIRM(OWN, "colour", colour),
};

/* A path that is not absolute begins at the folder of the file. False: it is too long. */
static bool place_logo(const char *path, struct dw_firm *f)
{
	const char *slash = strrchr(path, '/');
	char name[sizeof(f->logo)];

	if (!f->logo[0] || f->logo[0] == '/' || !slash)
		return true;
	memcpy(name, f->logo, sizeof(name));
	return snprintf(f->logo, sizeof(f->logo), "%.*s/%s", (int)(slash - path), path,
			name) < (int)sizeof(f->logo);
}

enum dw_paper_exit dw_firm_read(const char *path, struct dw_firm *ret,
				char why[DW_PAPER_WHY])
{
	struct dw_error err = { .code = 0 };
	struct dw_ini ini = { .key = keys,
			      .n_keys = DW_ARRAY_SIZE(keys),
			      .take = take_colour,
			      .data = ret,
			      .err = &err };
	char text[DW_ERROR_TEXT];

	*ret = (struct dw_firm){ .colour = { 0.05, 0.35, 0.30 } };
	if (path && dw_ini_read(&ini, path, true))
		snprintf(why, DW_PAPER_WHY, "%s", dw_error_text(&err, text));
	else if (path && !place_logo(path, ret))
		snprintf(why, DW_PAPER_WHY, "%.256s: the path of its logo is too long",
			 path);
	else
		return DW_PAPER_OK;
	return DW_PAPER_FAILED;
}
