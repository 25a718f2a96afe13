/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_FIGURES_H
#define DW_PRINT_FIGURES_H

/*
 * The figures of a report. Each has a function that says whether and how high it is drawn.
 */
#include "print/axes.h"
#include "print/findings.h"

#define FIGURES_MAX  13
#define FIGURE_EACH  24  /* disks that get a panel of their own */
#define FIGURE_ROWS  48  /* disks that get a row with their name */
#define FIGURE_HEAT  100 /* rows of a heat map */
#define FIGURE_LEFT  76.0
#define FIGURE_RIGHT 24.0
#define FIGURE_FOOT  44.0 /* below a panel: marks and title of its axis */

/** struct report - what the figures draw */
struct report {
	struct run run;
	struct findings findings;
	struct plot_figure figure[FIGURES_MAX];
	size_t n_figures;
};

/** figure_add() - room for one more figure, its data the report; never fails: there is room
 *  for all that exist. */
struct plot_figure *figure_add(struct report *r, double height, const char *title);

/** figure_report() - the report of a figure. */
const struct report *figure_report(const struct plot_figure *f);

/** figure_disks() - when each disk ended and what it did until then. */
void figure_disks(struct report *r);

/** figure_total() - rate of all disks over time, beside the limit they share. */
void figure_total(struct report *r);

/** figure_nodes() - use of each bus, controller and link over time. */
void figure_nodes(struct report *r);

/** figure_rates() - rate of each disk over time. */
void figure_rates(struct report *r);

/** figure_places() - rate of each disk over its addresses, with the fitted zone curve. */
void figure_places(struct report *r);

/** figure_lengths() - rate against transfer length. */
void figure_lengths(struct report *r);

/** figure_schedule() - the matrix H. */
void figure_schedule(struct report *r);

/** figure_service() - how long commands took. */
void figure_service(struct report *r);

/** figure_errors() - what did not end well, by disk. */
void figure_errors(struct report *r);

/** figure_forecast() - predicted against measured. */
void figure_forecast(struct report *r);

/** figure_legend() - device, model, serial number and size of each disk. */
void figure_legend(struct report *r);

/**
 * struct figure_panels - panels in a grid
 * @columns, @rows: of the grid
 * @w, @h: of a panel's plane
 */
struct figure_panels {
	size_t columns;
	size_t rows;
	double w;
	double h;
};

/** figure_panels() - a grid for @n panels, and the height of it all. */
double figure_panels(size_t n, struct figure_panels *ret);

/** figure_panel() - the plane of panel @i; marks of x are written below the lowest of each
 *  column alone, those of y beside the first column. */
struct plot_box figure_panel(const struct figure_panels *g, size_t i);

/**
 * struct figure_heat - a heat map of disks
 * @value: of a disk at a column; no number = nothing
 * @ctx: for it
 * @top: value that is darkest
 */
struct figure_heat {
	const struct report *report;
	struct plot_box box;
	size_t columns;
	double (*value)(const struct figure_heat *h, size_t disk, size_t column);
	const void *ctx;
	double top;
};

/** struct figure_top - of the cells of a map that are not empty: the value that FIGURE_USUAL of
 *  them do not exceed, and the largest; both 1 at least */
struct figure_top {
	double usual;
	double most;
};

#define FIGURE_USUAL 0.95 /* share of the cells that a colour scale is made for */

/** figure_heat_top() - what a map's colours should reach to, so that single cells do not make all
 *  others pale; -ENOMEM. */
int figure_heat_top(const struct figure_heat *h, struct figure_top *ret);

/** figure_heat_height() - of a map of all disks of a run. */
double figure_heat_height(const struct run *run);

/** figure_heat_draw() - rows are disks, or the mean of several where there are too many. */
void figure_heat_draw(struct plot *p, const struct figure_heat *h);

/** figure_disk_color() - red for a disk that is worth a look, else ink. */
uint32_t figure_disk_color(const struct report *r, size_t disk);

/** figure_label() - a disk's label in at most @most characters; returns @buf. */
const char *figure_label(const struct report *r, size_t disk, size_t most, char *buf,
			 size_t size);

/** figure_name() - a disk's name for its panel: with its share beside the peers' if that is
 *  worth a look; returns @buf. */
const char *figure_name(const struct report *r, size_t disk, char *buf, size_t size);

#endif
