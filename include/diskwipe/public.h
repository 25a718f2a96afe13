/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_PUBLIC_H
#define DISKWIPE_PUBLIC_H

/* What the shared library exports: the functions that are declared with this, no others. */
#define DW_PUBLIC __attribute__((visibility("default")))

#endif
