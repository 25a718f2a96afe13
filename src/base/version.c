/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The version, on its own, so that whoever only prints it links nothing else. */
#include "diskwipe/diskwipe.h"

const char *dw_version(void)
{
	return DW_VERSION;
}
