/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Health, bays and motors by the public library, for the kernel tests: prints JSON.
 *
 *	health-tool health NODE [thorough] | bays
 *	health-tool light SLOT locate|fault on|off
 *	health-tool spin NODE up|down
 *
 * Exit status: 0; 1 the call failed, and the error's name is on stderr; 64 usage.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/health.h>

static int print(json_t *j)
{
	if (!j)
		return 1;
	json_dumpf(j, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(j);
	return 0;
}

static int end(int r)
{
	if (r)
		fprintf(stderr, "%s\n", strerrorname_np(-r));
	return r != 0;
}

static int do_health(const char *node, bool thorough)
{
	struct dw_health h;
	char text[128];
	int r = dw_disk_health(node, thorough ? DW_HEALTH_THOROUGH : 0, &h);

	if (r)
		return end(r);
	return print(json_pack(
		"{ss si si sb si si sI sI sI sI}", "text",
		dw_health_text(&h, text, sizeof(text)), "asc", h.asc, "ascq", h.ascq,
		"refused", h.refused, "temperature", h.temperature, "limit",
		h.temperature_limit, "hours", (json_int_t)h.power_on_hours, "grown",
		(json_int_t)h.grown_defects, "read_errors", (json_int_t)h.read_errors,
		"write_errors", (json_int_t)h.write_errors));
}

static int do_bays(void)
{
	struct dw_bay *bay;
	size_t n;
	int r = dw_bays_list(&bay, &n);

	if (r)
		return end(r);
	for (size_t i = 0; i < n; i++)
		print(json_pack("{ss ss si si si si ss ss}", "slot", bay[i].slot, "name",
				bay[i].name, "number", bay[i].number, "state",
				bay[i].state, "locate", bay[i].locate, "fault",
				bay[i].fault, "sg", bay[i].sg, "block", bay[i].block));
	free(bay);
	return 0;
}

static int do_light(char **a)
{
	return end(dw_bay_light(a[0],
				strcmp(a[1], "fault") ? DW_LIGHT_LOCATE : DW_LIGHT_FAULT,
				!strcmp(a[2], "on")));
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc >= 3 && !strcmp(verb, "health"))
		return do_health(argv[2], argc > 3);
	if (argc == 2 && !strcmp(verb, "bays"))
		return do_bays();
	if (argc == 5 && !strcmp(verb, "light"))
		return do_light(argv + 2);
	if (argc == 4 && !strcmp(verb, "spin"))
		return end(dw_disk_spin(argv[2], !strcmp(argv[3], "up")));
	fputs("usage: health-tool health|bays|light|spin ...\n", stderr);
	return 64;
}
