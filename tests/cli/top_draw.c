/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of `diskwipe top` without a terminal. Lines of the standard input are commands:
 * "read FILE", "later SECONDS" for what is read then, "size WIDTH HEIGHT", "key CHARACTER or NAME",
 * "type TEXT", "wall", "draw". A drawn screen ends with a line "--"; an action is told with the
 * disks it is about.
 */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "station_text.h"
#include "top/keys.h"
#include "top/layout.h"

const char cli_name[] = "top-draw";

static const struct {
	const char *name;
	int key;
} keys[] = {
	{ "Enter", TOP_KEY_ENTER },
	{ "Escape", TOP_KEY_ESCAPE },
	{ "Erase", TOP_KEY_ERASE },
	{ "Up", TOP_KEY_UP },
	{ "Down", TOP_KEY_DOWN },
	{ "Left", TOP_KEY_LEFT },
	{ "Right", TOP_KEY_RIGHT },
	{ "PageUp", TOP_KEY_PAGE_UP },
	{ "PageDown", TOP_KEY_PAGE_DOWN },
	{ "Home", TOP_KEY_HOME },
	{ "End", TOP_KEY_END },
	{ "Space", ' ' },
	{ "Other", TOP_KEY_OTHER },
};

static struct cli_station station;
static struct top top;
static struct top_page page;
static unsigned width = 80, height = 24;

static int key_of(const char *name)
{
	for (size_t i = 0; i < CLI_ARRAY_SIZE(keys); i++)
		if (!strcmp(keys[i].name, name))
			return keys[i].key;
	return (unsigned char)name[0];
}

static void press(int key)
{
	static const char *const name[] = { "",      "quit",   "redraw", "asked",
					    "pause", "resume", "cancel", "start" };
	enum top_action action;

	top_layout(&top, width, height, &page);
	action = top_key(&top, key);
	if (action == TOP_ACT_NONE)
		return;
	printf("action %s", name[action]);
	for (size_t i = 0; i < top.n_targets; i++)
		printf(" %s", top.target[i].label);
	puts("");
}

/* Line @y as text in the locale's encoding, without blanks at its end; malloc'd. */
static char *page_text(const struct top_page *p, unsigned y)
{
	const struct top_cell *line = p->cell + (size_t)y * p->width;
	char *text = malloc((size_t)p->width * MB_CUR_MAX + 1);
	mbstate_t state = { 0 };
	size_t len = 0;

	if (!text)
		return NULL;
	for (unsigned x = 0; x < p->width; x++) {
		size_t n = line[x].c ? wcrtomb(text + len, line[x].c, &state) : 0;

		len += n <= MB_CUR_MAX ? n : 0;
	}
	while (len && text[len - 1] == ' ')
		len--;
	text[len] = '\0';
	return text;
}

static void draw(void)
{
	top_layout(&top, width, height, &page);
	for (unsigned y = 0; y < height; y++) {
		char *text = page_text(&page, y);

		puts(text ? text : "no memory");
		free(text);
	}
	puts("--");
}

static void obey(char *line, uint64_t *now_us)
{
	char *what = strchr(line, ' ');

	what = what ? what + 1 : line + strlen(line);
	if (!strncmp(line, "read ", 5)) {
		struct cli_station old = station;

		station = (struct cli_station){ 0 };
		if (station_text_read(what, &station))
			exit(99);
		top_update(&top, &station, *now_us);
		cli_station_deinit(&old);
	} else if (!strncmp(line, "later ", 6)) {
		*now_us += strtoull(what, NULL, 10) * 1000000;
	} else if (!strncmp(line, "size ", 5)) {
		if (sscanf(what, "%u %u", &width, &height) != 2)
			exit(99);
	} else if (!strncmp(line, "key ", 4)) {
		press(key_of(what));
	} else if (!strncmp(line, "type ", 5)) {
		for (; *what; what++)
			press((unsigned char)*what);
	} else if (!strncmp(line, "away ", 5)) {
		snprintf(top.away, sizeof(top.away), "%s", what);
	} else if (!strncmp(line, "forecast ", 9)) {
		snprintf(top.forecast, sizeof(top.forecast), "%s", what);
	} else if (!strcmp(line, "wall")) {
		top.mode = TOP_WALL;
	} else if (!strcmp(line, "draw")) {
		draw();
	} else {
		exit(99);
	}
}

int main(int argc, char **argv)
{
	uint64_t now_us = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	size_t size = 0;
	char *line = NULL;

	setlocale(LC_CTYPE, "");
	top_init(&top);
	snprintf(top.how, sizeof(top.how), "method zero");
	top.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	top.now_us = now_us;
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		obey(line, &now_us);
		fflush(stdout);
	}
	free(line);
	top_deinit(&top);
	top_page_deinit(&page);
	cli_station_deinit(&station);
	return 0;
}
