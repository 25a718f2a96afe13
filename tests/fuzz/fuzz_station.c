/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Station files: what is accepted can be written down and then means the same. */
#include <string.h>

#include "fuzz.h"

#include "diskwipe/station.h"
#include "../unit/error_line.h"

static void again(const struct dw_station *s)
{
	struct dw_error err = { 0 };
	char *text = dw_station_text(s), *second;
	struct dw_station *t;

	FUZZ_CHECK(text && text[0] && text[strlen(text) - 1] == '\n');
	if (dw_station_load(fuzz_file("again", text, strlen(text)), &t, &err) != 0)
		fprintf(stderr, "%s\n%s", error_line(&err), text);
	FUZZ_CHECK(err.kind == DW_ERROR_NONE);
	FUZZ_CHECK(dw_station_disks(t) == dw_station_disks(s));
	FUZZ_CHECK(!strcmp(dw_station_title(t), dw_station_title(s)));
	second = dw_station_text(t);
	FUZZ_CHECK(second && !strcmp(second, text));
	free(second);
	free(text);
	dw_station_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_station *s;
	struct dw_error err = { 0 };

	if (dw_station_load(fuzz_file("station", data, size), &s, &err) < 0) {
		FUZZ_CHECK(is_whole_error(&err, err.code));
		return 0;
	}
	FUZZ_CHECK(dw_station_disks(s) >= 1);
	again(s);
	dw_station_free(s);
	return 0;
}
