/* SPDX-License-Identifier: Apache-2.0 */
/* plot_draw.h - drawing numbers in a terminal, and for gnuplot. */
#ifndef TOOLS_PLOT_DRAW_H
#define TOOLS_PLOT_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The numbers in C order.  A histogram takes any number of axes, else rows and
   columns say what is drawn: a line has one row, an image has several. */
struct plot_numbers {
	const double *values;
	size_t n, rows, columns;
	bool is_image, is_histogram;
};

/* What the numbers are like. */
struct plot_range {
	double low, high;                 /* of the finite numbers */
	size_t finite, nan, above, below; /* how many; above: +inf */
};

/* Where text is drawn. */
struct plot_screen {
	FILE *to;
	int width;    /* in characters */
	int height;   /* the most lines of a line or image */
	bool unicode; /* blocks; else ASCII */
};

struct plot_range plot_draw_range(const struct plot_numbers *numbers);

/* Draw in a terminal.  Returns false if memory ran out. */
bool plot_draw_text(const struct plot_numbers *numbers,
		    const struct plot_screen *screen);

/* Write commands for gnuplot, with the numbers in them.  At least one number
   must be finite.  @terminal: "svg" or "png". */
void plot_draw_commands(const struct plot_numbers *numbers,
			const char *terminal, const char *title, FILE *to);

#endif
