/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks of a station as the library would describe them. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "client/listed.h"
#include "client/target.h"

static enum dw_refusal refusal_of(const char *name)
{
	for (int i = 0; i < DW_REFUSAL_COUNT && name[0]; i++)
		if (!strcmp(dw_refusal_name((enum dw_refusal)i), name))
			return (enum dw_refusal)i;
	return name[0] ? DW_REFUSAL_ERROR : DW_REFUSAL_NONE;
}

#define COPY(to, from) snprintf(to, sizeof(to), "%.*s", (int)sizeof(to) - 1, from)

/* @number: its place in the list, for a node that this program cannot see: two disks must not
 * be taken for one, nor one for two */
static void fill_info(const struct cli_station_disk *d, size_t number,
		      struct dw_disk_info *ret)
{
	struct stat st;

	COPY(ret->sg, d->device);
	COPY(ret->block, d->block);
	COPY(ret->serial, d->serial);
	COPY(ret->wwn, d->wwn);
	COPY(ret->vendor, d->vendor);
	COPY(ret->model, d->model);
	COPY(ret->revision, d->revision);
	COPY(ret->transport, d->transport);
	COPY(ret->slot, d->slot);
	ret->block_size = d->block_size ? d->block_size : 512;
	ret->blocks = d->capacity / ret->block_size;
	ret->scsi = sscanf(d->address, "%u:%u:%u:%" SCNu64, &ret->host, &ret->channel,
			   &ret->target, &ret->lun) == 4;
	ret->sg_dev = ~(dev_t)0 - 2 * number;
	ret->block_dev = d->block[0] ? ~(dev_t)0 - 2 * number - 1 : 0;
	if (!stat(d->device, &st) && S_ISCHR(st.st_mode))
		ret->sg_dev = st.st_rdev;
	if (!stat(d->block, &st) && S_ISBLK(st.st_mode))
		ret->block_dev = st.st_rdev;
}

/* A disk that another job has cannot be had as well, whatever the judgement on it is. */
static void fill_verdict(const struct cli_station_disk *d, struct dw_verdict *ret)
{
	bool busy = strcmp(d->job, "/") != 0 && !d->outcome[0];
	char name[CLI_QUOTED];

	ret->refusal = refusal_of(d->refusal);
	COPY(ret->reason, d->reason);
	COPY(ret->release, d->release);
	COPY(ret->signatures, d->signatures);
	if (ret->refusal == DW_REFUSAL_NONE && busy) {
		ret->refusal = DW_REFUSAL_BUSY;
		COPY(ret->reason, "a job of the service has it already");
		snprintf(ret->release, sizeof(ret->release), "diskwipe cancel %.128s",
			 cli_quote(cli_station_disk_name(d), name));
	}
}

void cli_station_list(struct cli *c, const struct cli_station *s)
{
	c->pick.listed = cli_allocate(s->n_disks + 1, sizeof(*c->pick.listed));
	for (size_t i = 0; i < s->n_disks; i++) {
		const struct cli_station_disk *d = &s->disk[i];
		struct dw_disk *to = &c->pick.listed[c->pick.n_listed];

		if (!d->device[0] && !d->block[0])
			continue;
		*to = (struct dw_disk){ 0 };
		fill_info(d, i, &to->info);
		fill_verdict(d, &to->verdict);
		c->pick.n_listed++;
	}
}
