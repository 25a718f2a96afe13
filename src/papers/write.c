/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk written by WRITE(10) without a write cache misses the sector after each command
 * and waits a revolution for it (Tikhomirov, tables 5.4 and 5.5):
 *
 *	t_W = t_WS + (n_W - n_WS) loss 60/rpm
 */
#include "base/util.h"
#include "papers/model.h"

static int run_write(struct dw_model_call *call)
{
	double bytes = dw_call_number(call, "bytes");
	double sector = dw_call_number(call, "sector");
	double n_w = dw_thesis_commands(bytes, sector, dw_call_number(call, "blocks"));
	double n_ws =
		dw_thesis_commands(bytes, sector, dw_call_number(call, "ws_blocks"));
	double turn = 60 / dw_call_number(call, "rpm");
	double seconds = dw_call_number(call, "t_write_same_s") +
			 (n_w - n_ws) * dw_call_number(call, "loss_revolutions") * turn;

	if (seconds <= 0)
		return dw_call_fail(call, "commands longer than ws_blocks would take no"
					  " time at all");
	dw_out_number(call, "seconds", seconds);
	dw_out_number(call, "mb_per_s", bytes / 1e6 / seconds);
	return 0;
}

static const struct dw_model_key keys[] = {
	{ "t_write_same_s", "s", .above = true, .needed = 1,
	  .help = "time of the disk with WRITE SAME" },
	{ "bytes", "bytes", .above = true, .needed = 1, .help = "capacity of the disk" },
	{ "blocks", "", DW_MODEL_WHOLE, .min = 1, .needed = 1,
	  .help = "blocks of one WRITE" },
	{ "sector", "bytes", DW_MODEL_WHOLE, .min = 1, .fallback = "512",
	  .help = "size of a block" },
	{ "rpm", "1/min", .above = true, .needed = 1, .help = "speed of the spindle" },
	{ "loss_revolutions", "", .fallback = "1", .help = "lost by each command" },
	{ "ws_blocks", "", DW_MODEL_WHOLE, .min = 1, .fallback = "65536",
	  .help = "blocks of one WRITE SAME" },
};

const struct dw_model dw_model_write = {
	.name = "write",
	.paper = "Tikhomirov",
	.summary = "Time of a disk with WRITE, from its time with WRITE SAME.",
	.outputs = "seconds mb_per_s",
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_write,
};
