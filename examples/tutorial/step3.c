/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step3.c - a plate as a grid of temperatures.  Its edges and its inside are
 * views; each is written by a call of its own.
 */
#include <dpr/dpr.h>

/* guide: edges */
enum { N = 65 };

/* Write the edges of @plate: 100 degrees above, 0 below, and along both sides
   what is between.  @y has the height of each row. */
static dpr_status set_edges(dpr_array *plate, const dpr_array *y)
{
	dpr_array *top = NULL, *sides = NULL, *slope = NULL;
	dpr_status status;

	if ((status = dpr_array_view(plate, &top, DPR_AT(0))) ||
	    (status = dpr_copy_into(top, 100)) ||
	    (status = dpr_array_view(plate, &sides, DPR_ALL,
				     DPR_SLICE(0, N, N - 1))) ||
	    (status = dpr_evaluate("100*(1 - y)", NULL, &slope, "y", y)))
		goto out;
	status = dpr_copy_into(sides, slope);
out:
	dpr_array_release(slope);
	dpr_array_release(sides);
	dpr_array_release(top);
	return status;
}
/* guide: end */

/* guide: inside */
/* At the start the left half is warmer than the slope, the right one colder. */
static const char formula[] = "c = x[1:-1]; r = y[1:-1];"
			      "100*(1 - r) + 30*sin(2*pi*c)*sin(pi*r)";

static dpr_status set_inside(dpr_array *plate, const dpr_array *x,
			     const dpr_array *y)
{
	dpr_array *inside;
	dpr_status status = dpr_array_view(plate, &inside, DPR_SLICE(1, -1, 1),
					   DPR_SLICE(1, -1, 1));

	if (!status)
		status = dpr_evaluate_into(formula, inside, "x", x, "y", y);
	dpr_array_release(inside);
	return status;
}
/* guide: end */

/* guide: plate */
/* Make the plate at the start. */
static dpr_status make_plate(dpr_array **out)
{
	dpr_array *plate = NULL, *x = NULL, *y = NULL;
	dpr_status status;

	*out = NULL;
	if ((status = dpr_zeros(DPR_SHAPE(N, N), DPR_FLOAT32, NULL, &plate)) ||
	    (status = dpr_linspace(0, 1, N, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_expand_dims(x, -1, &y)) ||
	    (status = set_edges(plate, y)) ||
	    (status = set_inside(plate, x, y)))
		goto out;
	*out = dpr_array_retain(plate);
out:
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_array_release(plate);
	return status;
}
/* guide: end */

/* Print each eighth point of each eighth row. */
static dpr_status show(const dpr_array *plate)
{
	const dpr_print_options options = { .struct_size = sizeof(options),
					    .precision = 1 };
	char *text = NULL;
	dpr_array *points;
	dpr_status status = dpr_array_view(plate, &points, DPR_SLICE(0, N, 8),
					   DPR_SLICE(0, N, 8));

	if (!status)
		status = dpr_array_format(points, &options, &text);
	if (!status)
		puts(text);
	dpr_free(text);
	dpr_array_release(points);
	return status;
}

int main(void)
{
	dpr_array *plate;
	dpr_status status = make_plate(&plate);

	if (!status)
		status = show(plate);
	dpr_array_release(plate);
	if (status || dpr_finalize()) {
		fprintf(stderr, "step3: %s\n", dpr_last_error());
		return 1;
	}
	return 0;
}
