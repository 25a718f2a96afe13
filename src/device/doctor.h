/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_DOCTOR_H
#define DW_DEVICE_DOCTOR_H

#include "device/sysfs.h"

struct dw_finding;

/** dw_doctor_look() - dw_doctor() of any machine; of another one neither the clock nor the
 *  program's rights are looked at. */
int dw_doctor_look(const struct dw_machine *m, struct dw_finding **ret, size_t *ret_n);

#endif
