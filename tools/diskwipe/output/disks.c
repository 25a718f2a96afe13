/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of disks: the list with its choice of columns, the question's list, and what a
 * disk can do.
 */
#include <stddef.h>

#include "output/columns.h"
#include "output/out.h"

static void put(char *buf, size_t size, const char *text)
{
	snprintf(buf, size, "%s", text);
}

/* the text at the column's member */
static void member_text(const struct cli_cell *x, char *buf, size_t size)
{
	put(buf, size, (const char *)x->found + x->member);
}

static void device_text(const struct cli_cell *x, char *buf, size_t size)
{
	put(buf, size, cli_disk_node(&x->found->info));
}

static void address_text(const struct cli_cell *x, char *buf, size_t size)
{
	if (!x->found->info.scsi)
		put(buf, size, "");
	else
		snprintf(buf, size, "%u:%u:%u:%llu", x->found->info.host,
			 x->found->info.channel, x->found->info.target,
			 (unsigned long long)x->found->info.lun);
}

static void size_text(const struct cli_cell *x, char *buf, size_t size)
{
	cli_size_text(x->c, cli_disk_bytes(&x->found->info), buf, size);
}

static void block_size_text(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%u", x->found->info.block_size);
}

static void physical_text(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%u", x->found->info.physical_block_size);
}

static void protection_text(const struct cli_cell *x, char *buf, size_t size)
{
	snprintf(buf, size, "%u", x->found->info.pi_type);
}

static void rotation_text(const struct cli_cell *x, char *buf, size_t size)
{
	if (x->found->info.rotation > 1)
		snprintf(buf, size, "%u", x->found->info.rotation);
	else
		put(buf, size, x->found->info.rotation ? "none" : "");
}

static void cache_text(const struct cli_cell *x, char *buf, size_t size)
{
	if (x->found->info.wce < 0)
		put(buf, size, "");
	else
		put(buf, size, x->found->info.wce ? "on" : "off");
}

static void verdict_text(const struct cli_cell *x, char *buf, size_t size)
{
	put(buf, size,
	    x->found->verdict.refusal ? dw_refusal_name(x->found->verdict.refusal)
				      : "erasable");
}

/* "/dev/sg1 and /dev/sg3" */
static void other_nodes(const struct dw_disk *d, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < d->n_others && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					i == 0                 ? ""
					: i + 1 == d->n_others ? " and "
							       : ", ",
					d->other[i].sg[0] ? d->other[i].sg
							  : d->other[i].block);
}

static void reason_text(const struct cli_cell *x, char *buf, size_t size)
{
	const struct dw_disk *d = x->found;
	char nodes[320];

	put(buf, size, d->verdict.reason);
	if (d->verdict.refusal || !d->n_others)
		return;
	other_nodes(d, nodes, sizeof(nodes));
	snprintf(buf, size, "presumed one disk with %s, to be proven after the claim",
		 nodes);
}

#define MEMBER(member) member_text, offsetof(struct dw_disk, member)

static const struct cli_choice columns[] = {
	{ { "device", "the node it is called by: sg, else block", true, false, false, 0 },
	  device_text },
	{ { "sg", "SCSI generic node", false, false, false, 0 }, MEMBER(info.sg) },
	{ { "block", "block node", true, false, false, 2 }, MEMBER(info.block) },
	{ { "address", "host:channel:target:lun", false, false, false, 0 },
	  address_text },
	{ { "vendor", "vendor", false, false, false, 0 }, MEMBER(info.vendor) },
	{ { "model", "model", true, false, true, 3 }, MEMBER(info.model) },
	{ { "revision", "firmware revision", false, false, false, 0 },
	  MEMBER(info.revision) },
	{ { "serial", "serial number", true, false, false, 0 }, MEMBER(info.serial) },
	{ { "wwn", "world wide name", false, false, false, 0 }, MEMBER(info.wwn) },
	{ { "size", "capacity", true, true, false, 0 }, size_text },
	{ { "block-size", "logical block size in bytes", false, true, false, 0 },
	  block_size_text },
	{ { "physical-block-size", "physical block size in bytes", false, true, false,
	    0 },
	  physical_text },
	{ { "protection", "protection information type", false, true, false, 0 },
	  protection_text },
	{ { "rotation", "revolutions per minute, none = no rotating medium", false, true,
	    false, 0 },
	  rotation_text },
	{ { "write-cache", "volatile write cache", false, false, false, 0 }, cache_text },
	{ { "transport", "sas, sata, usb ...", true, false, false, 1 },
	  MEMBER(info.transport) },
	{ { "slot", "enclosure and slot", false, false, true, 0 }, MEMBER(info.slot) },
	{ { "phy", "phy of the SAS adapter or expander", false, false, true, 0 },
	  MEMBER(info.phy) },
	{ { "driver", "kernel driver of the host", false, false, false, 0 },
	  MEMBER(info.host_driver) },
	{ { "signatures", "contents: file systems, partition tables and the like", false,
	    false, true, 0 },
	  MEMBER(verdict.signatures) },
	{ { "verdict", "erasable, or the kind of reason why not", true, false, false, 0 },
	  verdict_text },
	{ { "reason", "why it may not be erased, or what is presumed", true, false, true,
	    0 },
	  reason_text },
	{ { "release", "the command that would release it", false, false, true, 0 },
	  MEMBER(verdict.release) },
};

int cli_table_disks(struct cli *c, const struct dw_disk *disks, size_t n)
{
	struct cli_choices k = { columns, CLI_ARRAY_SIZE(columns) };
	int r = cli_columns_begin(c, &k);

	if (r)
		return r;
	for (size_t i = 0; i < n; i++)
		cli_columns_line(&k, (struct cli_cell){ .c = c, .found = &disks[i] },
				 disks[i].verdict.refusal ? NULL : "green");
	cli_table_end(k.table);
	return 0;
}

void cli_table_question(const struct cli *c, FILE *f, const struct dw_disk *disks,
			size_t n)
{
	static const struct cli_column heads[] = {
		{ "DEVICE", false, false },   { "BLOCK", false, false },
		{ "MODEL", false, true },     { "SERIAL", false, false },
		{ "SIZE", true, false },      { "CONTENTS", false, true },
		{ "FINISH", true, false, 1 },
	};
	const struct dw_forecast *forecast =
		c->predict.forecast && c->predict.forecast->n == n ? c->predict.forecast
								   : NULL;
	struct cli_table *t = cli_table_new(
		f, heads, CLI_ARRAY_SIZE(heads) - (forecast ? 0 : 1), true, false);

	for (size_t i = 0; i < n; i++) {
		const struct dw_disk_info *info = &disks[i].info;
		char text[DW_UNIT_TEXT];

		cli_table_line(t, NULL);
		cli_table_add(t, "%s", cli_disk_node(info));
		cli_table_add(t, "%s", cli_or_dash(info->block));
		cli_table_add(t, "%s%s%s", info->vendor, info->vendor[0] ? " " : "",
			      info->model);
		cli_table_add(t, "%s", cli_or_dash(info->serial));
		cli_table_add(t, "%s",
			      dw_size_format(cli_disk_bytes(info), text, sizeof(text)));
		cli_table_add(t, "%s", cli_or_dash(disks[i].verdict.signatures));
		if (!forecast)
			continue;
		if (forecast->disk[i].vague)
			snprintf(text, sizeof(text), "unknown");
		else
			dw_duration_format((uint64_t)(forecast->disk[i].finish * 1e9),
					   text, sizeof(text));
		cli_table_add(t, "%s", text);
	}
	cli_table_end(t);
	for (size_t i = 0; i < n; i++) {
		char nodes[320];

		if (disks[i].info.hidden_blocks)
			fprintf(f,
				"%s hides %llu blocks, which will not be touched: it will "
				"not be called erased.\n",
				cli_disk_node(&disks[i].info),
				(unsigned long long)disks[i].info.hidden_blocks);
		if (!disks[i].n_others)
			continue;
		other_nodes(&disks[i], nodes, sizeof(nodes));
		fprintf(f,
			"%s is presumed one disk with %s: what is written through one must be"
			" read back\nthrough the others before anything else is written;"
			" if not, none of them is erased.\n",
			cli_disk_node(&disks[i].info), nodes);
	}
}

void cli_table_inspection(struct cli *c, const struct dw_inspection *can)
{
	static const struct cli_column heads[] = { { "WHAT", false, false },
						   { "VALUE", false, false },
						   { "FROM", false, false } };
	struct cli_table *t = cli_table_new(stdout, heads, CLI_ARRAY_SIZE(heads),
					    !c->show.no_headings, false);

	for (size_t i = 0; i < can->n; i++) {
		cli_table_line(t, NULL);
		cli_table_add(t, "%s", can->line[i].key);
		cli_table_add(t, "%s", can->line[i].value);
		cli_table_add(t, "%s", can->line[i].source);
	}
	cli_table_end(t);
}

void cli_table_columns(void)
{
	cli_columns_help(columns, CLI_ARRAY_SIZE(columns));
}
