/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_CLI_STATION_TEXT_H
#define TESTS_CLI_STATION_TEXT_H

/*
 * A station made of words: a line begins with "manager", "disk ID" or "job ID"; then come the
 * properties of the service as KEY=VALUE, separated by tabs. \xHH stands for a byte. A disk's Job
 * is the ID of one, or "/".
 */
#include "client/client.h"

/** station_text_read() - what stands in @path; what was in @s is freed. 0 or negative errno. */
int station_text_read(const char *path, struct cli_station *s);

#endif
