/* SPDX-License-Identifier: Apache-2.0 */
/* plot.h - dpr eval --plot: arrays as drawings. */
#ifndef TOOLS_PLOT_H
#define TOOLS_PLOT_H

#include <stdbool.h>

#include <dpr/array.h>

#include "tools/shared/message.h"

/* What --plot asks for. */
struct plot_wish {
	bool is_wanted, is_histogram;
	const char *file; /* a .svg or .png file; NULL: the terminal */
};

/* Read the value of --plot, which may be NULL: "hist", a file, or both with a
   comma between them. */
bool plot_read(const char *text, struct plot_wish *wish,
	       struct message *message);

/* Draw @x on standard output, or into the file of @wish by gnuplot.  @title
   stands above the drawing in a file. */
bool plot_array(const dpr_array *x, const struct plot_wish *wish,
		const char *title, struct message *message);

#endif
