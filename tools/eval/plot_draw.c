/* SPDX-License-Identifier: Apache-2.0 */
/* plot_draw.c - drawing numbers in a terminal, and for gnuplot. */
#include "tools/eval/plot_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LABEL = 11, /* characters in front of a line or bar */
	BINS = 16,
	TALL = 16 /* lines of the plot of a vector */
};

/* --- The range -------------------------------------------------------------
 */

struct plot_range plot_draw_range(const struct plot_numbers *numbers)
{
	struct plot_range range = { HUGE_VAL, -HUGE_VAL, 0, 0, 0, 0 };

	for (size_t i = 0; i < numbers->n; i++) {
		const double x = numbers->values[i];

		if (isnan(x)) {
			range.nan++;
		} else if (isinf(x)) {
			range.above += x > 0;
			range.below += x < 0;
		} else {
			range.finite++;
			range.low = x < range.low ? x : range.low;
			range.high = x > range.high ? x : range.high;
		}
	}
	return range;
}

/* Where @x lies between the ends of the range, from 0 to 1.  Halves keep the
   difference of large numbers finite.  All of a constant lies in the middle. */
static double place_of(const struct plot_range *range, double x)
{
	const double whole = range->high / 2 - range->low / 2;

	return whole > 0 ? (x / 2 - range->low / 2) / whole : 0.5;
}

/* The step, from 0 to n - 1, in which @x lies. */
static int step_of(const struct plot_range *range, double x, int n)
{
	const int step = (int)(place_of(range, x) * n);

	return step < n ? step : n - 1;
}

static void print_range(const struct plot_numbers *numbers,
			const struct plot_range *range, FILE *to)
{
	if (numbers->is_image)
		fprintf(to, "%zu x %zu", numbers->rows, numbers->columns);
	else
		fprintf(to, "%zu", numbers->n);
	fprintf(to, " element%s", numbers->n == 1 ? "" : "s");
	if (range->finite)
		fprintf(to, " from %.6g to %.6g", range->low, range->high);
	if (range->nan)
		fprintf(to, ", %zu NaN (?)", range->nan);
	if (range->above)
		fprintf(to, ", %zu infinite (^)", range->above);
	if (range->below)
		fprintf(to, ", %zu minus infinite (v)", range->below);
}

/* The mark of a number that is not finite. */
static char mark_of(double x)
{
	return isnan(x) ? '?' : x > 0 ? '^' : 'v';
}

/* The numbers of cell @at of @cells along an axis of @n numbers. */
static void part_of(size_t n, size_t cells, size_t at, size_t *begin,
		    size_t *end)
{
	if (cells >= n) {
		*begin = at * n / cells;
		*end = *begin + 1;
	} else {
		*begin = n / cells * at + n % cells * at / cells;
		*end = n / cells * (at + 1) + n % cells * (at + 1) / cells;
	}
}

/* --- A line ----------------------------------------------------------------
 */

/* What a column of the terminal shows: half lines from `low` to `high`, counted
   from the bottom, or nothing if low is -1; and a mark, or a blank. */
struct column {
	int low, high;
	char mark;
};

static void widen(struct column *column, int level)
{
	if (column->low < 0 || level < column->low)
		column->low = level;
	if (column->high < level)
		column->high = level;
}

static void add_number(struct column *column, const struct plot_range *range,
		       double x, int levels)
{
	if (isfinite(x))
		widen(column, step_of(range, x, levels));
	else if (column->mark != '?')
		column->mark = mark_of(x);
}

/* Column @c of @width, which is more than there are numbers: a number between
   the two nearest ones. */
static void interpolate(const struct plot_numbers *numbers, int c, int width,
			struct column *column, const struct plot_range *range,
			int levels)
{
	const double at = (double)c * (double)(numbers->n - 1) / (width - 1);
	const size_t i = (size_t)at;
	const double part = at - (double)i;
	const double a = numbers->values[i];
	const double b = i + 1 < numbers->n ? numbers->values[i + 1] : a;

	if (isfinite(a) && isfinite(b))
		add_number(column, range, a * (1 - part) + b * part, levels);
	else
		add_number(column, range, part < 0.5 ? a : b, levels);
}

static void fill_columns(const struct plot_numbers *numbers,
			 const struct plot_range *range, struct column *columns,
			 int width, int levels)
{
	const size_t n = numbers->n;

	for (int c = 0; c < width; c++) {
		struct column *column = &columns[c];
		size_t i, end;

		*column = (struct column){ -1, -1, ' ' };
		if (n < (size_t)width) {
			interpolate(numbers, c, width, column, range, levels);
			continue;
		}
		part_of(n, (size_t)width, (size_t)c, &i, &end);
		for (; i < end; i++)
			add_number(column, range, numbers->values[i], levels);
	}
	/* Join each column to the one before it. */
	for (int c = 1; c < width; c++) {
		const struct column before = columns[c - 1];

		if (columns[c].low < 0 || before.low < 0)
			continue;
		if (before.high < columns[c].low - 1)
			widen(&columns[c], before.high + 1);
		else if (before.low > columns[c].high + 1)
			widen(&columns[c], before.low - 1);
	}
}

/* The character of a cell: bit 0 is its upper half, bit 1 its lower half. */
static const char *half_block(unsigned bits, bool unicode)
{
	static const char *const blocks[] = { " ", "\xe2\x96\x80",
					      "\xe2\x96\x84", "\xe2\x96\x88" };
	static const char *const ascii[] = { " ", "'", ".", ":" };

	return (unicode ? blocks : ascii)[bits];
}

static void print_line_row(const struct column *columns, int width, int row,
			   const struct plot_screen *screen)
{
	for (int c = 0; c < width; c++) {
		const struct column *column = &columns[c];
		const int bottom = 2 * row, top = bottom + 1;
		const unsigned bits =
			(column->low <= top && top <= column->high ? 1u : 0) |
			(column->low <= bottom && bottom <= column->high ? 2u
									 : 0);

		fputs(half_block(column->low < 0 ? 0 : bits, screen->unicode),
		      screen->to);
	}
	fputc('\n', screen->to);
}

static bool draw_line(const struct plot_numbers *numbers,
		      const struct plot_range *range,
		      const struct plot_screen *screen)
{
	const int width = screen->width - LABEL > 8 ? screen->width - LABEL : 8;
	const int lines = screen->height < TALL ? screen->height : TALL;
	struct column *columns = calloc((size_t)width, sizeof(*columns));
	bool marked = false;

	if (!columns)
		return false;
	fill_columns(numbers, range, columns, width, 2 * lines);
	for (int row = lines - 1; row >= 0; row--) {
		const bool is_flat = range->low == range->high;
		const double label = row ? range->high : range->low;

		if (range->finite &&
		    (is_flat ? row == lines / 2 : row == lines - 1 || !row))
			fprintf(screen->to, "%*.4g ", LABEL - 1, label);
		else
			fprintf(screen->to, "%*s", LABEL, "");
		print_line_row(columns, width, row, screen);
	}
	for (int c = 0; c < width; c++)
		marked = marked || columns[c].mark != ' ';
	if (marked) {
		fprintf(screen->to, "%*s", LABEL, "");
		for (int c = 0; c < width; c++)
			fputc(columns[c].mark, screen->to);
		fputc('\n', screen->to);
	}
	free(columns);
	return true;
}

/* --- An image --------------------------------------------------------------
 */

/* Print the mean of the numbers in a cell as a shade.  A number that is not
   finite is seen only where no other is. */
static void print_cell(const struct plot_numbers *numbers,
		       const struct plot_range *range, const size_t *rows,
		       const size_t *columns, const struct plot_screen *screen)
{
	static const char *const blocks[] = { " ", "\xe2\x96\x91",
					      "\xe2\x96\x92", "\xe2\x96\x93",
					      "\xe2\x96\x88" };
	static const char shades[] = " .:-=+*#%@";
	double sum = 0, x = 0;
	size_t n = 0;
	char mark = ' ';

	for (size_t i = rows[0]; i < rows[1]; i++)
		for (size_t j = columns[0]; j < columns[1]; j++) {
			x = numbers->values[i * numbers->columns + j];
			if (isfinite(x)) {
				sum += place_of(range, x);
				n++;
			} else if (mark != '?') {
				mark = mark_of(x);
			}
		}
	if (!n) {
		fputc(mark, screen->to);
		return;
	}
	sum /= (double)n;
	if (screen->unicode)
		fputs(blocks[sum < 1 ? (int)(sum * 5) : 4], screen->to);
	else
		fputc(shades[sum < 1 ? (int)(sum * 10) : 9], screen->to);
}

/* Draw an image.  A character is twice as tall as it is wide. */
static void draw_image(const struct plot_numbers *numbers,
		       const struct plot_range *range,
		       const struct plot_screen *screen)
{
	const double shape = (double)numbers->rows / (double)numbers->columns;
	double width = (double)screen->width, height;
	size_t rows[2], columns[2];

	if (width > 2 * (double)numbers->columns)
		width = 2 * (double)numbers->columns;
	height = round(width * shape / 2);
	if (height > screen->height) {
		height = screen->height;
		width = round(2 * height / shape);
	}
	width = width < 1 ? 1 : width;
	height = height < 1 ? 1 : height;
	for (size_t r = 0; r < (size_t)height; r++) {
		part_of(numbers->rows, (size_t)height, r, &rows[0], &rows[1]);
		for (size_t c = 0; c < (size_t)width; c++) {
			part_of(numbers->columns, (size_t)width, c, &columns[0],
				&columns[1]);
			print_cell(numbers, range, rows, columns, screen);
		}
		fputc('\n', screen->to);
	}
}

/* --- A histogram -----------------------------------------------------------
 */

struct bins {
	struct plot_range range;
	int n;
	bool is_whole; /* each bin is one whole number */
	size_t counts[BINS], most;
};

/* Whole numbers of which there are few get a bin each. */
static void count_bins(const struct plot_numbers *numbers, struct bins *bins)
{
	const struct plot_range *range = &bins->range;

	memset(bins, 0, sizeof(*bins));
	bins->range = plot_draw_range(numbers);
	bins->is_whole = range->finite && range->high - range->low < BINS;
	for (size_t i = 0; i < numbers->n && bins->is_whole; i++)
		bins->is_whole = !isfinite(numbers->values[i]) ||
				 numbers->values[i] == rint(numbers->values[i]);
	bins->n = range->low == range->high ? 1 : BINS;
	if (bins->is_whole)
		bins->n = (int)(range->high - range->low) + 1;
	for (size_t i = 0; i < numbers->n; i++) {
		const double x = numbers->values[i];
		size_t *count;

		if (!isfinite(x))
			continue;
		count = &bins->counts[bins->is_whole
					      ? (int)(x - range->low)
					      : step_of(range, x, bins->n)];
		if (++*count > bins->most)
			bins->most = *count;
	}
}

/* The lower end of a bin, or its number. */
static double bin_start(const struct bins *bins, int k)
{
	const struct plot_range *range = &bins->range;
	const double part = (double)k / bins->n;

	return bins->is_whole ? range->low + k
			      : range->low * (1 - part) + range->high * part;
}

/* Print a bar of @eighths of characters.  A count that is not 0 is seen. */
static void print_bar(double eighths, bool unicode, FILE *to)
{
	int n = (int)round(eighths);

	if (!unicode) {
		for (n = (n + 4) / 8; n > 0; n--)
			fputc('#', to);
		if (eighths > 0 && eighths < 4)
			fputc('.', to);
		return;
	}
	if (!n && eighths > 0)
		n = 1;
	for (; n >= 8; n -= 8)
		fputs("\xe2\x96\x88", to);
	if (n)
		fprintf(to, "\xe2\x96%c", 0x90 - n);
}

static void print_count(const char *label, size_t count, FILE *to)
{
	if (count)
		fprintf(to, "%*s %zu\n", LABEL - 1, label, count);
}

static void draw_histogram(const struct plot_numbers *numbers,
			   const struct plot_screen *screen)
{
	const int room = screen->width - LABEL - 12;
	const int width = room > 8 ? room : 8;
	struct bins bins;

	count_bins(numbers, &bins);
	for (int k = 0; k < bins.n && bins.range.finite; k++) {
		fprintf(screen->to, "%*.4g ", LABEL - 1, bin_start(&bins, k));
		print_bar(8.0 * width * (double)bins.counts[k] /
				  (double)bins.most,
			  screen->unicode, screen->to);
		fprintf(screen->to, " %zu\n", bins.counts[k]);
	}
	print_count("-inf", bins.range.below, screen->to);
	print_count("inf", bins.range.above, screen->to);
	print_count("NaN", bins.range.nan, screen->to);
}

bool plot_draw_text(const struct plot_numbers *numbers,
		    const struct plot_screen *screen)
{
	const struct plot_range range = plot_draw_range(numbers);

	if (numbers->n && numbers->is_histogram)
		draw_histogram(numbers, screen);
	else if (numbers->n && numbers->is_image)
		draw_image(numbers, &range, screen);
	else if (numbers->n && !draw_line(numbers, &range, screen))
		return false;
	print_range(numbers, &range, screen->to);
	fputc('\n', screen->to);
	return true;
}

/* --- Commands for gnuplot --------------------------------------------------
 */

/* Write a text between quotes of gnuplot. */
static void write_text(const char *text, FILE *to)
{
	fputc('\'', to);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', to);
		fputc((unsigned char)*text < 0x20 ? ' ' : *text, to);
	}
	fputc('\'', to);
}

static void write_numbers(const struct plot_numbers *numbers, FILE *to)
{
	size_t columns = numbers->is_image ? numbers->columns : 1;

	for (size_t i = 0; i < numbers->n; i++) {
		if (isfinite(numbers->values[i]))
			fprintf(to, "%.9g", numbers->values[i]);
		else
			fputs("NaN", to);
		fputc((i + 1) % columns ? ' ' : '\n', to);
	}
}

static void write_bins(const struct plot_numbers *numbers, double *width,
		       FILE *to)
{
	struct bins bins;

	count_bins(numbers, &bins);
	*width = bins.is_whole || bins.n == 1
			 ? 1
			 : bin_start(&bins, 1) - bin_start(&bins, 0);
	for (int k = 0; k < bins.n; k++)
		fprintf(to, "%.9g %zu\n",
			bin_start(&bins, k) +
				(bins.n == 1 || bins.is_whole ? 0 : *width / 2),
			bins.counts[k]);
}

void plot_draw_commands(const struct plot_numbers *numbers,
			const char *terminal, const char *title, FILE *to)
{
	const struct plot_range range = plot_draw_range(numbers);
	double width = 1;

	/* Not every gnuplot can write PNG with cairo. */
	if (!strcmp(terminal, "png"))
		fputs("if (strstrt(GPVAL_TERMINALS, 'pngcairo')) "
		      "set terminal pngcairo size 800, 500; "
		      "else set terminal png size 800, 500\n",
		      to);
	else
		fputs("set terminal svg size 800, 500 background '#ffffff'\n",
		      to);
	fputs("set encoding utf8\nset title ", to);
	write_text(title, to);
	fputs(" noenhanced\nset xlabel '", to);
	print_range(numbers, &range, to);
	fputs("' noenhanced\n$numbers << END\n", to);
	if (numbers->is_histogram)
		write_bins(numbers, &width, to);
	else
		write_numbers(numbers, to);
	fputs("END\n", to);
	if (range.low == range.high && !numbers->is_histogram)
		fprintf(to, "set %srange [%.9g : %.9g]\n",
			numbers->is_image ? "cb" : "y",
			range.low - fabs(range.low) / 2 - 0.5,
			range.low + fabs(range.low) / 2 + 0.5);
	if (numbers->is_histogram)
		fprintf(to,
			"set style fill solid 0.7\nset boxwidth %.9g\n"
			"set yrange [0:]\n"
			"plot $numbers using 1:2 with boxes notitle\n",
			width);
	else if (numbers->is_image)
		fprintf(to,
			"set palette defined (0 '#ffffff', 1 '#08306b')\n"
			"set xrange [-0.5 : %zu.5]\nset yrange [%zu.5 : -0.5]\n"
			"plot $numbers matrix with image notitle\n",
			numbers->columns - 1, numbers->rows - 1);
	else
		fprintf(to,
			"plot $numbers using 0:1 with %s linewidth 2 "
			"linecolor '#08519c' notitle\n",
			numbers->n == 1 ? "points pointtype 7" : "lines");
}
