/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_EXIT_STATUS_H
#define DISKWIPE_EXIT_STATUS_H

/** enum cli_exit - exit statuses of diskwipe, as its man page has them */
enum cli_exit {
	CLI_EXIT_OK = 0,
	CLI_EXIT_USAGE = 1,   /* usage, configuration, or an operation that failed */
	CLI_EXIT_REFUSED = 2, /* refused, not confirmed, nothing left */
	CLI_EXIT_SOME = 3,
	CLI_EXIT_ALL = 4,
	CLI_EXIT_MISMATCH = 5,
	CLI_EXIT_STOPPED = 6,
	CLI_EXIT_PERMISSION = 7,  /* refused, and all of it for want of rights */
	CLI_EXIT_UNREACHABLE = 8, /* the service cannot be reached, or has gone */
	CLI_EXIT_UNFINISHED = 9,  /* no head names the last record of a ledger */
};

#endif
