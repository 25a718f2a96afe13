/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans that callers got, kept in a ring until they are submitted by their digest. */
#include "plans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/sha.h>

#define PLANS_MAX 32

static struct kept_plan kept_plans[PLANS_MAX];
static unsigned int next_plan;

static void describe_entry(const struct dw_disk_info *i, struct dw_plan_entry *ret)
{
	*ret = (struct dw_plan_entry){ .capacity_bytes = i->blocks * i->block_size,
				       .block_size = i->block_size };
	snprintf(ret->device, sizeof(ret->device), "%s", i->sg[0] ? i->sg : i->block);
	memcpy(ret->vendor, i->vendor, sizeof(ret->vendor));
	memcpy(ret->model, i->model, sizeof(ret->model));
	memcpy(ret->serial, i->serial, sizeof(ret->serial));
	memcpy(ret->wwn, i->wwn, sizeof(ret->wwn));
}

char *plan_text(const struct kept_plan *p, const struct dw_job_spec *spec)
{
	struct dw_plan_doc doc = { .spec = *spec, .n = p->n };
	struct dw_station *station = NULL;
	struct dw_forecast *f = NULL;
	char *text = NULL;

	if (!dw_station_describe(p->disk, p->n, &station, NULL) &&
	    !dw_forecast_station(spec, station, NULL, &f, NULL) && f->n == p->n)
		doc.forecast = f;
	if (f && spec->verify == DW_VERIFY_AUTO) {
		snprintf(f->verify_chosen, sizeof(f->verify_chosen), "full");
		snprintf(f->verify_why, sizeof(f->verify_why),
			 "the service has no measured speeds");
	}
	doc.entry = calloc(p->n + 1, sizeof(*doc.entry));
	for (size_t i = 0; i < p->n && doc.entry; i++)
		describe_entry(&p->disk[i], &doc.entry[i]);
	if (doc.entry)
		text = dw_plan_json(&doc);
	free(doc.entry);
	dw_forecast_free(f);
	dw_station_free(station);
	return text;
}

int plan_digest(struct kept_plan *p, const char *text)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char *all = NULL;
	size_t len = 0;
	bool tagged = false;
	FILE *f = open_memstream(&all, &len);

	if (!f)
		return -ENOMEM;
	fputs(text, f);
	for (size_t i = 0; i < p->n; i++)
		tagged |= p->asset && p->asset[i].text[0];
	for (size_t i = 0; i < p->n && tagged; i++)
		fprintf(f, "%s\n", p->asset[i].text);
	if (fclose(f)) {
		free(all);
		return -ENOMEM;
	}
	SHA256((const unsigned char *)all, len, digest);
	free(all);
	for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++)
		snprintf(p->digest + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

const char *plan_keep(const struct kept_plan *plan)
{
	struct kept_plan *p = &kept_plans[next_plan++ % PLANS_MAX];

	free(p->disk);
	free(p->asset);
	*p = *plan;
	return p->digest;
}

const struct kept_plan *plan_find(const char *digest)
{
	/* the newest first */
	for (unsigned int i = 0; i < PLANS_MAX; i++) {
		const struct kept_plan *p = &kept_plans[(next_plan - 1 - i) % PLANS_MAX];

		if (p->n && !strcmp(p->digest, digest))
			return p;
	}
	return NULL;
}
