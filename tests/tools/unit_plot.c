/* SPDX-License-Identifier: Apache-2.0 */
/* unit_plot.c - drawings of numbers in a terminal, and commands for gnuplot. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/eval/plot_draw.h"

/* Draw @n numbers in @rows rows (0: not an image), and compare the text. */
static void compare(const double *values, size_t n, size_t rows,
		    bool is_histogram, int width, bool unicode,
		    const char *expected)
{
	const struct plot_numbers numbers = {
		values,    n,           rows ? rows : 1, rows ? n / rows : n,
		rows != 0, is_histogram
	};
	struct plot_screen screen = { NULL, width, 4, unicode };
	char *text;
	size_t size;

	screen.to = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(screen.to);
	ck_assert(plot_draw_text(&numbers, &screen));
	fclose(screen.to);
	ck_assert_str_eq(text, expected);
	free(text);
}

#define DRAW(rows, is_histogram, width, unicode, expected, ...)         \
	do {                                                            \
		const double values[] = { __VA_ARGS__ };                \
                                                                        \
		compare(values, sizeof(values) / sizeof(*values), rows, \
			is_histogram, width, unicode, expected);        \
	} while (0)

START_TEST(lines)
{
	DRAW(0, false, 19, false,
	     "         3       .'\n"
	     "               .'  \n"
	     "             .'    \n"
	     "         0 .'      \n"
	     "4 elements from 0 to 3\n",
	     0, 1, 2, 3);
	DRAW(0, false, 19, true,
	     "         3       \xe2\x96\x84\xe2\x96\x80\n"
	     "               \xe2\x96\x84\xe2\x96\x80  \n"
	     "             \xe2\x96\x84\xe2\x96\x80    \n"
	     "         0 \xe2\x96\x84\xe2\x96\x80      \n"
	     "4 elements from 0 to 3\n",
	     0, 1, 2, 3);
	/* A column that stands for several numbers shows them all. */
	DRAW(0, false, 19, false,
	     "         1 ::::::::\n"
	     "           ::::::::\n"
	     "           ::::::::\n"
	     "        -1 ::::::::\n"
	     "16 elements from -1 to 1\n",
	     1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1);
	/* The range of these is more than a double holds. */
	DRAW(0, false, 19, false,
	     "    1e+308 '.      \n"
	     "             '.    \n"
	     "               '.  \n"
	     "   -1e+308       '.\n"
	     "2 elements from -1e+308 to 1e+308\n",
	     1e308, -1e308);
}
END_TEST

START_TEST(odd_lines)
{
	DRAW(0, false, 19, false,
	     "                   \n"
	     "         5 ........\n"
	     "                   \n"
	     "                   \n"
	     "3 elements from 5 to 5\n",
	     5, 5, 5);
	DRAW(0, false, 31, false,
	     "         1                  '''\n"
	     "                               \n"
	     "                               \n"
	     "         0 ...                 \n"
	     "              ?????^^^^vvvvv   \n"
	     "5 elements from 0 to 1, 1 NaN (?), 1 infinite (^), "
	     "1 minus infinite (v)\n",
	     0, (double)NAN, HUGE_VAL, -HUGE_VAL, 1);
	DRAW(0, false, 19, false,
	     "                   \n"
	     "                   \n"
	     "                   \n"
	     "                   \n"
	     "           ????????\n"
	     "1 element, 1 NaN (?)\n",
	     (double)NAN);
	compare(NULL, 0, 0, false, 80, false, "0 elements\n");
}
END_TEST

START_TEST(images)
{
	DRAW(2, false, 80, false,
	     "  ::==\n"
	     "??^^@@\n"
	     "2 x 3 elements from 0 to 5, 1 NaN (?), 1 infinite (^)\n",
	     0, 1, 2, (double)NAN, HUGE_VAL, 5);
	/* A cell is the mean of its numbers: two columns of four. */
	DRAW(2, false, 2, false,
	     " @\n"
	     "2 x 4 elements from 0 to 1\n",
	     0, 0, 1, 1, 0, 0, 1, 1);
	DRAW(1, false, 80, true,
	     "  \xe2\x96\x91\xe2\x96\x91\xe2\x96\x92\xe2\x96\x92"
	     "\xe2\x96\x93\xe2\x96\x93\xe2\x96\x88\xe2\x96\x88\n"
	     "1 x 5 elements from 0 to 4\n",
	     0, 1, 2, 3, 4);
	DRAW(2, false, 80, false,
	     "++++\n"
	     "++++\n"
	     "2 x 2 elements from 7 to 7\n",
	     7, 7, 7, 7);
	/* No more lines than the screen has. */
	DRAW(16, false, 80, false,
	     " \n"
	     ".\n"
	     ":\n"
	     "+\n"
	     "16 x 1 elements from 0 to 45\n",
	     0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 10, 10, 15, 15, 15, 45);
}
END_TEST

START_TEST(histograms)
{
	DRAW(0, true, 50, false,
	     "         1 ################## 2\n"
	     "         2 ######### 1\n"
	     "         3 ########################### 3\n"
	     "      -inf 1\n"
	     "       NaN 1\n"
	     "8 elements from 1 to 3, 1 NaN (?), 1 minus infinite (v)\n",
	     1, 1, 2, 3, 3, 3, (double)NAN, -HUGE_VAL);
	/* Parts of a block: 8 characters for the longest bar. */
	DRAW(0, true, 31, true,
	     "         0 \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
	     "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88 3\n"
	     "         1 \xe2\x96\x88\xe2\x96\x88\xe2\x96\x8b 1\n"
	     "4 elements from 0 to 1\n",
	     0, 0, 0, 1);
	DRAW(0, true, 31, false,
	     "       0.5 ######## 2\n"
	     "2 elements from 0.5 to 0.5\n",
	     0.5, 0.5);
	compare(NULL, 0, 0, true, 80, false, "0 elements\n");
}
END_TEST

START_TEST(sixteen_bins)
{
	double values[160];
	char expected[1000] = "", line[60];

	for (int i = 0; i < 160; i++)
		values[i] = i / 10.0;
	for (int k = 0; k < 16; k++) {
		snprintf(line, sizeof(line), "%10.4g ######## 10\n",
			 15.9 * k / 16);
		strcat(expected, line);
	}
	strcat(expected, "160 elements from 0 to 15.9\n");
	compare(values, 160, 0, true, 31, false, expected);
}
END_TEST

/* The commands for gnuplot of a drawing, to be freed. */
static char *commands(const struct plot_numbers *numbers, const char *terminal,
		      const char *title)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	plot_draw_commands(numbers, terminal, title, to);
	fclose(to);
	return text;
}

START_TEST(gnuplot)
{
	const double values[] = { 1, (double)NAN, 0.25, HUGE_VAL };
	struct plot_numbers numbers = { values, 4, 2, 2, false, false };
	char *text = commands(&numbers, "svg", "it's\n_x_");

	ck_assert_ptr_nonnull(strstr(text, "set title 'it''s _x_' noenhanced"));
	ck_assert_ptr_nonnull(strstr(text, "<< END\n1\nNaN\n0.25\nNaN\nEND\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "4 elements from 0.25 to 1, 1 NaN (?), 1 inf"));
	ck_assert_ptr_nonnull(strstr(text, "with lines"));
	free(text);
	numbers.is_image = true;
	text = commands(&numbers, "png", "x");
	ck_assert_ptr_nonnull(strstr(text, "<< END\n1 NaN\n0.25 NaN\nEND\n"));
	ck_assert_ptr_nonnull(strstr(text, "matrix with image"));
	ck_assert_ptr_nonnull(strstr(text, "set terminal png "));
	free(text);
	numbers.is_image = false;
	numbers.is_histogram = true;
	text = commands(&numbers, "svg", "x");
	/* Sixteen bins of 0.75 / 16, by their middles. */
	ck_assert_ptr_nonnull(
		strstr(text, "<< END\n0.2734375 1\n0.3203125 0\n"));
	ck_assert_ptr_nonnull(strstr(text, "0.9765625 1\nEND\n"));
	ck_assert_ptr_nonnull(strstr(text, "set boxwidth 0.046875\n"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plot");
	TCase *tcase = tcase_create("plot");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, lines);
	tcase_add_test(tcase, odd_lines);
	tcase_add_test(tcase, images);
	tcase_add_test(tcase, histograms);
	tcase_add_test(tcase, sixteen_bins);
	tcase_add_test(tcase, gnuplot);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
