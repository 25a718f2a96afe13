/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_PLANS_H
#define DW_SERVICE_PLANS_H

#include "service.h"

/**
 * struct kept_plan - of Plan, for SubmitPlan
 * @digest: plan_digest()
 * @options: all of them, as they were resolved then
 * @active: of the configuration then
 * @disk, @asset: @n, with the tag of its owner each; owned
 */
struct kept_plan {
	char digest[65];
	char options[JOB_OPTIONS];
	uint32_t active;
	struct dw_disk_info *disk;
	struct asset_tag *asset;
	size_t n;
};

/** plan_text() - the document of a plan, with a forecast if there is one; owned by the caller,
 *  NULL = no memory. */
char *plan_text(const struct kept_plan *p, const struct dw_job_spec *spec);

/** plan_digest() - SHA-256 of the document @text, and of the tags of its disks if any has one: both
 *  are what is agreed to. 0 or -ENOMEM. */
int plan_digest(struct kept_plan *p, const char *text);

/** plan_keep() - keep a plan, whose disks and tags are owned from now on; returns its digest. */
const char *plan_keep(const struct kept_plan *plan);

/** plan_find() - the newest plan of that digest, NULL = none is kept. */
const struct kept_plan *plan_find(const char *digest);

#endif
