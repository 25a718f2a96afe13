/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_DISKWIPE_H
#define DISKWIPE_DISKWIPE_H

/* The whole public interface. */
#include <diskwipe/background.h>
#include <diskwipe/bench.h>
#include <diskwipe/config.h>
#include <diskwipe/disk.h>
#include <diskwipe/doctor.h>
#include <diskwipe/engine.h>
#include <diskwipe/error.h>
#include <diskwipe/file.h>
#include <diskwipe/format.h>
#include <diskwipe/health.h>
#include <diskwipe/identity.h>
#include <diskwipe/job.h>
#include <diskwipe/level.h>
#include <diskwipe/planfile.h>
#include <diskwipe/predict.h>
#include <diskwipe/proof.h>
#include <diskwipe/public.h>
#include <diskwipe/result.h>
#include <diskwipe/simulate.h>
#include <diskwipe/spec.h>
#include <diskwipe/station.h>
#include <diskwipe/stripe.h>
#include <diskwipe/trace.h>
#include <diskwipe/units.h>

#ifdef __cplusplus
extern "C" {
#endif

/** dw_version() - "0.1.0"; static. */
DW_PUBLIC const char *dw_version(void);

#ifdef __cplusplus
}
#endif

#endif
