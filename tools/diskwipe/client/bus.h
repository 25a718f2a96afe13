/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_BUS_H
#define DISKWIPE_CLIENT_BUS_H

/* What the files of the client share; nobody else sees sd-bus. */
#include <systemd/sd-bus.h>

#include "client/client.h"
#include "client/table.h"

#define CLI_BUS_NAME    "io.github.diskwipe.Diskwipe1"
#define CLI_BUS_PATH    "/io/github/diskwipe/Diskwipe1"
#define CLI_BUS_MANAGER CLI_BUS_PATH "/Manager"

/** struct cli_notice - a remark of the service about a disk */
struct cli_notice {
	char *disk;
	char *text;
	struct cli_notice *next;
};

/**
 * struct cli_client - a connection to the service
 * @address: where it was asked for, NULL = the usual places
 * @only_running: it is not started
 * @changed: since the last reading, which was at @read_ns of the monotonic clock
 * @notice: remarks that were not taken, the oldest first
 * @waiting, @waiting_ctx, @limit_ns: of cli_client_set_waiting(), NULL = wait in one piece
 * @why: of cli_client_why()
 */
struct cli_client {
	char *address;
	sd_bus *bus;
	bool only_running;
	bool changed;
	uint64_t read_ns;
	struct cli_notice *notice;
	cli_client_waiting *waiting;
	void *waiting_ctx;
	uint64_t limit_ns;
	char why[512];
};

/** cli_bus_fail() - remember why; returns @code. */
int cli_bus_fail(struct cli_client *k, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** cli_bus_given_up() - the caller is told that it waits since @since_ns of the monotonic clock:
 *  true = it does not want to any more. */
bool cli_bus_given_up(struct cli_client *k, uint64_t since_ns);

/** cli_bus_explain() - the exit code of a call that ended with @r and @e, and why. */
int cli_bus_explain(struct cli_client *k, int r, const sd_bus_error *e);

/** cli_bus_call() - send it and wait; @m is released. @ret: may be NULL. 0 or an exit code. */
int cli_bus_call(struct cli_client *k, sd_bus_message *m, sd_bus_message **ret);

/** cli_bus_properties() - read an a{sv} into the struct @at, which is zeroed before; what is
 *  missing there is zero or empty. 0 or a negative errno. */
int cli_bus_properties(sd_bus_message *m, enum cli_table_kind kind, void *at);

/** cli_bus_properties_free() - free the texts in @at. */
void cli_bus_properties_free(enum cli_table_kind kind, void *at);

#endif
