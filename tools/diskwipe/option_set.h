/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_OPTION_SET_H
#define DISKWIPE_OPTION_SET_H

/* What an option does with its argument: for the rows of the table, whose @member and @at some
 * go by. */
#include "options.h"

cli_setter cli_set_spec;
cli_setter cli_set_text;
cli_setter cli_set_number;
cli_setter cli_set_minutes;
cli_setter cli_set_label;
cli_setter cli_set_asset;
cli_setter cli_set_controller;
cli_setter cli_set_active;
cli_setter cli_set_station;
cli_setter cli_set_replace;
cli_setter cli_set_without;
cli_setter cli_set_controller_buffer;
cli_setter cli_set_level;
cli_setter cli_set_method;
cli_setter cli_set_verify;
cli_setter cli_set_flush_every;
cli_setter cli_set_background;
cli_setter cli_set_others;
cli_setter cli_set_mirror;
cli_setter cli_set_order;
cli_setter cli_set_rate;
cli_setter cli_set_paths;
cli_setter cli_set_misalign;
cli_setter cli_set_exclude;
cli_setter cli_set_help;
cli_setter cli_set_color;
cli_setter cli_set_progress;
cli_setter cli_set_priority;
cli_setter cli_set_block_size;
cli_setter cli_set_select;

#endif
