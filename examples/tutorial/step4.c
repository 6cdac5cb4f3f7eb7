/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step4.c - one step of heat in the plate of step3.c: an expression reads one
 * grid by five views, and writes the inside of another one.
 */
#include <dpr/dpr.h>

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

/* Make the plate at the start. */
static dpr_status make_start(dpr_array **out)
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

/* guide: plate */
/* Two grids, which take turns, and the inside of each. */
struct plate {
	dpr_array *grid[2], *inside[2];
};

static dpr_status make_plate(struct plate *plate)
{
	dpr_status status = make_start(&plate->grid[0]);

	if (!status)
		status = dpr_copy(plate->grid[0], &plate->grid[1]);
	for (int k = 0; k < 2 && !status; k++)
		status = dpr_array_view(plate->grid[k], &plate->inside[k],
					DPR_SLICE(1, -1, 1),
					DPR_SLICE(1, -1, 1));
	return status;
}

static void release_plate(struct plate *plate)
{
	for (int k = 0; k < 2; k++) {
		dpr_array_release(plate->inside[k]);
		dpr_array_release(plate->grid[k]);
	}
}
/* guide: end */

/* guide: step */
static const char rule[] =
	"u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] "
	"+ u[1:-1,:-2] - 4*u[1:-1,1:-1])";

/* Compute the inside of grid @next from the other grid. */
static dpr_status step(const dpr_expression *heat, struct plate *plate,
		       int next)
{
	const dpr_binding bindings[] = { { "u",
					   DPR_OPERAND(plate->grid[!next]) },
					 { "k", DPR_OPERAND(0.25) } };

	return dpr_expression_apply_into(heat, bindings, 2,
					 &plate->inside[next], 1);
}
/* guide: end */

/* Print each eighth point of the middle row. */
static dpr_status show(const char *when, const dpr_array *plate)
{
	const dpr_print_options options = { .struct_size = sizeof(options),
					    .precision = 2 };
	char *text = NULL;
	dpr_array *points;
	dpr_status status = dpr_array_view(plate, &points, DPR_AT(N / 2),
					   DPR_SLICE(0, N, 8));

	if (!status)
		status = dpr_array_format(points, &options, &text);
	if (!status)
		printf("%s: %s\n", when, text);
	dpr_free(text);
	dpr_array_release(points);
	return status;
}

/* guide: run */
static dpr_status run(void)
{
	struct plate plate = { 0 };
	dpr_expression *heat = NULL;
	dpr_status status;

	if ((status = make_plate(&plate)) ||
	    (status = dpr_expression_create(rule, &heat)) ||
	    (status = show("before", plate.grid[0])) ||
	    (status = step(heat, &plate, 1)))
		goto out;
	status = show("after", plate.grid[1]);
out:
	dpr_expression_release(heat);
	release_plate(&plate);
	return status;
}
/* guide: end */

int main(void)
{
	if (run() || dpr_finalize()) {
		fprintf(stderr, "step4: %s\n", dpr_last_error());
		return 1;
	}
	return 0;
}
