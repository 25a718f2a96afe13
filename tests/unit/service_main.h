/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TEST_SERVICE_MAIN_H
#define DW_TEST_SERVICE_MAIN_H

/** SERVICE_NOW - where the clocks of service_main.c stand, microseconds. */
#define SERVICE_NOW UINT64_C(1700000000000000)

#endif
