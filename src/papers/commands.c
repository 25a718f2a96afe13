/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many commands an erasure takes and how many bytes they are on the bus (Tikhomirov,
 * equations 3.1-3.4, 3.15-3.19), and the transfer length that shares out a buffer (4.3).
 *
 * A command covers blocks * sector bytes of the disk, the last one less; on the bus it is
 * its CDB and its data. A row of the matrix F (3.4) has the bytes of WRITE, WRITE SAME and
 * set-up commands; a command whose data is all that it covers is a WRITE. Set-up commands
 * are CDBs without data.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "papers/model.h"

double dw_thesis_commands(double bytes, double sector, double blocks)
{
	return ceil(ceil(bytes / sector) / blocks);
}

static int run_commands(struct dw_model_call *call)
{
	double sector = dw_call_number(call, "sector");
	double blocks = dw_call_number(call, "blocks");
	double cdb = dw_call_number(call, "cdb"),
	       payload = dw_call_number(call, "payload");
	double setup = dw_call_number(call, "setup_commands") * cdb;
	double n = dw_thesis_commands(dw_call_number(call, "bytes"), sector, blocks);
	double wire = n * (cdb + payload);
	size_t disks = (size_t)dw_call_number(call, "disks");
	double *f = calloc(3 * disks, sizeof(*f));

	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < disks; i++) {
		f[3 * i + (payload < blocks * sector)] = wire;
		f[3 * i + 2] = setup;
	}
	dw_out_number(call, "commands", n);
	dw_out_number(call, "command_bytes", cdb + payload);
	dw_out_number(call, "wire_bytes", wire);
	dw_out_matrix(call, "f_matrix", f, disks, 3);
	dw_out_number(call, "f_total_bytes", (double)disks * (wire + setup));
	free(f);
	return 0;
}

static const struct dw_model_key commands_keys[] = {
	{ "bytes", "bytes", .above = true, .needed = 1, .help = "capacity of a disk" },
	{ "blocks", "", DW_MODEL_WHOLE, .min = 1, .needed = 1,
	  .help = "blocks that one command covers" },
	{ "sector", "bytes", DW_MODEL_WHOLE, .min = 1, .fallback = "512",
	  .help = "size of a block" },
	{ "payload", "bytes", .needed = 1, .help = "data of one command on the bus" },
	{ "cdb", "bytes", DW_MODEL_WHOLE, .fallback = "10", .help = "size of a CDB" },
	{ "disks", "", DW_MODEL_WHOLE, .min = 1, .max = 100000, .fallback = "1",
	  .help = "number of equal disks" },
	{ "setup_commands", "", DW_MODEL_WHOLE, .fallback = "0",
	  .help = "further commands to each disk" },
};

const struct dw_model dw_model_commands = {
	.name = "commands",
	.paper = "Tikhomirov",
	.summary = "Commands of an erasure and their bytes on the bus.",
	.outputs = "commands command_bytes wire_bytes f_matrix[][] f_total_bytes",
	.keys = commands_keys,
	.n_keys = DW_ARRAY_SIZE(commands_keys),
	.run = run_commands,
};

static int run_length(struct dw_model_call *call)
{
	double blocks = dw_call_number(call, "buffer") /
			(dw_call_number(call, "sector") * dw_call_number(call, "disks"));
	double power = 1;

	while (2 * power <= blocks)
		power *= 2;
	while (power > blocks)
		power /= 2;
	dw_out_number(call, "blocks", blocks);
	dw_out_number(call, "blocks_pow2", power);
	return 0;
}

static const struct dw_model_key length_keys[] = {
	{ "buffer", "bytes", .above = true, .needed = 1, .help = "of the controller" },
	{ "sector", "bytes", DW_MODEL_WHOLE, .min = 1, .fallback = "512",
	  .help = "size of a block" },
	{ "disks", "", DW_MODEL_WHOLE, .min = 1, .needed = 1, .help = "that share it" },
};

const struct dw_model dw_model_length = {
	.name = "length",
	.paper = "Tikhomirov",
	.summary = "Transfer length that shares a controller's buffer among disks.",
	.outputs = "blocks blocks_pow2",
	.keys = length_keys,
	.n_keys = DW_ARRAY_SIZE(length_keys),
	.run = run_length,
};
