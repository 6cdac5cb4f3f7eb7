/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step5.c - many steps of heat, timed by events, on a queue that keeps times.
 * The plan of an expression says how many kernels compute it.
 */
#include <inttypes.h>

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

/* Make the plate at the start, on @queue. */
static dpr_status make_start(dpr_queue *queue, dpr_array **out)
{
	dpr_array *plate = NULL, *x = NULL, *y = NULL;
	dpr_status status;

	*out = NULL;
	if ((status = dpr_zeros(DPR_SHAPE(N, N), DPR_FLOAT32, queue, &plate)) ||
	    (status = dpr_linspace(0, 1, N, DPR_FLOAT32, queue, &x)) ||
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

/* Two grids, which take turns, and the inside of each. */
struct plate {
	dpr_array *grid[2], *inside[2];
};

static dpr_status make_plate(dpr_queue *queue, struct plate *plate)
{
	dpr_status status = make_start(queue, &plate->grid[0]);

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

/* guide: steps */
enum { STEPS = 400 };

/* Compute all steps, and how many nanoseconds they took on the device. */
static dpr_status run_steps(const dpr_expression *heat, struct plate *plate,
			    uint64_t *nanoseconds)
{
	dpr_event *first = NULL, *last = NULL;
	dpr_times begin, end;
	dpr_status status;

	if ((status = step(heat, plate, 1)) ||
	    (status = dpr_array_event(plate->grid[1], &first)))
		goto out;
	for (int i = 2; i <= STEPS && !status; i++)
		status = step(heat, plate, i % 2);
	if (status ||
	    (status = dpr_array_event(plate->grid[STEPS % 2], &last)) ||
	    (status = dpr_event_device_times(first, &begin)) ||
	    (status = dpr_event_device_times(last, &end)))
		goto out;
	*nanoseconds = end.ended - begin.started;
out:
	dpr_event_release(last);
	dpr_event_release(first);
	return status;
}
/* guide: end */

/* guide: explain */
/* Print how a step is computed. */
static dpr_status explain(const dpr_expression *heat, const dpr_array *u)
{
	const dpr_binding bindings[] = { { "u", DPR_OPERAND(u) },
					 { "k", DPR_OPERAND(0.25) } };
	char *plan;
	dpr_status status =
		dpr_expression_explain(heat, bindings, 2, NULL, &plan);

	if (!status)
		fputs(plan, stdout);
	dpr_free(plan);
	return status;
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
	dpr_queue *queue = NULL;
	uint64_t nanoseconds;
	dpr_device *device;
	dpr_status status;

	if ((status = dpr_device_select(NULL, &device)) ||
	    (status = dpr_queue_create(device, DPR_QUEUE_PROFILING, &queue)) ||
	    (status = make_plate(queue, &plate)) ||
	    (status = dpr_expression_create(rule, &heat)) ||
	    (status = explain(heat, plate.grid[0])) ||
	    (status = show("before", plate.grid[0])) ||
	    (status = run_steps(heat, &plate, &nanoseconds)) ||
	    (status = show("after", plate.grid[STEPS % 2])))
		goto out;
	printf("%d steps took %" PRIu64 " us\n", STEPS, nanoseconds / 1000);
out:
	dpr_expression_release(heat);
	release_plate(&plate);
	dpr_queue_release(queue);
	return status;
}
/* guide: end */

int main(void)
{
	if (run() || dpr_finalize()) {
		fprintf(stderr, "step5: %s\n", dpr_last_error());
		return 1;
	}
	return 0;
}
