/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a firm wants on its papers: an ini file with the section [firm]. */
#include <ini.h>
#include <stdio.h>
#include <string.h>

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

/* inih goes on after a 0, and returns the line of the first one. */
static int take_firm_key(void *data, const char *section, const char *name,
			 const char *value)
{
	struct dw_firm *f = data;
	const struct {
		const char *name;
		char *text;
		size_t size;
	} key[] = {
		{ "name", f->name, sizeof(f->name) },
		{ "address", f->address, sizeof(f->address) },
		{ "logo", f->logo, sizeof(f->logo) },
		{ "statement", f->statement, sizeof(f->statement) },
		{ "signer1", f->signer[0], sizeof(f->signer[0]) },
		{ "signer2", f->signer[1], sizeof(f->signer[1]) },
	};

	if (strcmp(section, "firm") != 0)
		return 0;
	if (!strcmp(name, "colour"))
		return read_colour(value, f->colour);
	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++)
		if (!strcmp(name, key[i].name))
			return snprintf(key[i].text, key[i].size, "%s", value) <
			       (int)key[i].size;
	return 0;
}

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
	int line;

	*ret = (struct dw_firm){ .colour = { 0.05, 0.35, 0.30 } };
	line = path ? ini_parse(path, take_firm_key, ret) : 0;
	if (!line && (!path || place_logo(path, ret)))
		return DW_PAPER_OK;
	if (!line)
		snprintf(why, DW_PAPER_WHY, "%.256s: the path of its logo is too long",
			 path);
	else if (line < 0)
		snprintf(why, DW_PAPER_WHY, "%.256s: it cannot be read", path);
	else
		snprintf(
			why, DW_PAPER_WHY,
			"%.256s:%d: not a key of [firm], or its value is not possible: name, "
			"address, logo, statement, signer1, signer2, colour = #RRGGBB",
			path, line);
	return DW_PAPER_FAILED;
}
