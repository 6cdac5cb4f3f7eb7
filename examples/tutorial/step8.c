/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step8.c - heat in a plate on several devices, compared with the exact
 * solution.  The result becomes a picture, plate.ppm, and an array file,
 * plate.npy.
 *
 * usage: step8 [SELECTOR [SELECTOR ...]]
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

/* guide: exact */
/* The inside at time t.  At the start the left half is warmer than the slope,
   the right half colder; the difference vanishes exponentially. */
static const char formula[] =
	"c = x[1:-1]; r = y[1:-1];"
	"100*(1 - r) + 30*exp(-5*pi**2*t)*sin(2*pi*c)*sin(pi*r)";

static dpr_status set_inside(dpr_array *plate, const dpr_array *x,
			     const dpr_array *y, double t)
{
	dpr_array *inside;
	dpr_status status = dpr_array_view(plate, &inside, DPR_SLICE(1, -1, 1),
					   DPR_SLICE(1, -1, 1));

	if (!status)
		status = dpr_evaluate_into(formula, inside, "x", x, "y", y, "t",
					   t);
	dpr_array_release(inside);
	return status;
}
/* guide: end */

/* Make the plate as it is at time @t, on the default device. */
static dpr_status make_plate(double t, dpr_array **out)
{
	dpr_array *plate = NULL, *x = NULL, *y = NULL;
	dpr_status status;

	*out = NULL;
	if ((status = dpr_zeros(DPR_SHAPE(N, N), DPR_FLOAT32, NULL, &plate)) ||
	    (status = dpr_linspace(0, 1, N, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_expand_dims(x, -1, &y)) ||
	    (status = set_edges(plate, y)) ||
	    (status = set_inside(plate, x, y, t)))
		goto out;
	*out = dpr_array_retain(plate);
out:
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_array_release(plate);
	return status;
}

enum { STEPS = 400, MOST = 4 };

/* Four rows of a strip.  It computes the rows from FIRST to LAST.  ABOVE and
   BELOW are copies of its neighbours' rows, or edges of the plate. */
enum { ABOVE, FIRST, LAST, BELOW };

/* A strip: two grids, which take turns, with the inside and the four rows of
   each. */
struct strip {
	dpr_queue *queue;
	dpr_array *grid[2], *inside[2], *row[2][4];
};

/* Make a strip on @device of the rows of @plate from @top up to @end. */
static dpr_status make_strip(dpr_device *device, const dpr_array *plate,
			     int64_t top, int64_t end, struct strip *strip)
{
	static const int place[] = { 0, 1, -2, -1 };
	dpr_array *rows = NULL, *here = NULL;
	dpr_status status;

	if ((status = dpr_queue_create(device, DPR_QUEUE_IN_ORDER,
				       &strip->queue)) ||
	    (status = dpr_array_view(plate, &rows, DPR_SLICE(top, end, 1))) ||
	    (status = dpr_array_to_queue(rows, strip->queue, &here)))
		goto out;
	for (int k = 0; k < 2 && !status; k++) {
		if ((status = dpr_copy(here, &strip->grid[k])) ||
		    (status = dpr_array_view(strip->grid[k], &strip->inside[k],
					     DPR_SLICE(1, -1, 1),
					     DPR_SLICE(1, -1, 1))))
			goto out;
		for (int r = 0; r < 4 && !status; r++)
			status = dpr_array_view(strip->grid[k],
						&strip->row[k][r],
						DPR_AT(place[r]));
	}
out:
	dpr_array_release(here);
	dpr_array_release(rows);
	return status;
}

static void release_strip(struct strip *strip)
{
	for (int k = 0; k < 2; k++) {
		for (int r = 0; r < 4; r++)
			dpr_array_release(strip->row[k][r]);
		dpr_array_release(strip->inside[k]);
		dpr_array_release(strip->grid[k]);
	}
	dpr_queue_release(strip->queue);
}

static const char rule[] =
	"u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] "
	"+ u[1:-1,:-2] - 4*u[1:-1,1:-1])";

/* Compute the inside of grid @next of all @n strips from their other grids. */
static dpr_status step(const dpr_expression *heat, struct strip *strip, int n,
		       int next)
{
	dpr_status status = DPR_OK;

	for (int i = 0; i < n && !status; i++) {
		const dpr_binding bindings[] = {
			{ "u", DPR_OPERAND(strip[i].grid[!next]) },
			{ "k", DPR_OPERAND(0.25) }
		};

		status = dpr_expression_apply_into(heat, bindings, 2,
						   &strip[i].inside[next], 1);
	}
	for (int i = 1; i < n && !status; i++) {
		struct strip *upper = &strip[i - 1], *lower = &strip[i];

		status = dpr_array_copy_to(lower->row[next][ABOVE],
					   upper->row[next][LAST]);
		if (!status)
			status = dpr_array_copy_to(upper->row[next][BELOW],
						   lower->row[next][FIRST]);
	}
	return status;
}

/* The first row that strip @i of @n computes. */
static int64_t first_row(int i, int n)
{
	return 1 + i * (N - 2) / n;
}

/* Compute all steps from @start on @n devices, and put the strips together. */
static dpr_status run_on(dpr_device *const *device, int n,
			 const dpr_array *start, dpr_array **out)
{
	struct strip strip[MOST] = { 0 };
	dpr_expression *heat = NULL;
	dpr_array *rows;
	dpr_status status;

	status = dpr_copy(start, out);
	for (int i = 0; i < n && !status; i++)
		status = make_strip(device[i], start, first_row(i, n) - 1,
				    first_row(i + 1, n) + 1, &strip[i]);
	if (!status)
		status = dpr_expression_create(rule, &heat);
	for (int i = 1; i <= STEPS && !status; i++)
		status = step(heat, strip, n, i % 2);
	for (int i = 0; i < n && !status; i++) {
		status = dpr_array_view(
			*out, &rows,
			DPR_SLICE(first_row(i, n), first_row(i + 1, n), 1),
			DPR_SLICE(1, -1, 1));
		if (!status)
			status = dpr_array_copy_to(rows,
						   strip[i].inside[STEPS % 2]);
		dpr_array_release(rows);
	}
	dpr_expression_release(heat);
	for (int i = 0; i < n; i++)
		release_strip(&strip[i]);
	return status;
}

/* guide: picture */
/* Red, green and blue of each point, from blue at 0 degrees to red at 100. */
static const char colours[] =
	"place = u[:, :, None]/25 - 3 + astype(arange(3), float32);"
	"astype(255*clip(1.5 - abs(place), 0, 1) + 0.5, uint8)";

static dpr_status draw(const dpr_array *plate, uint8_t pixels[N][N][3])
{
	dpr_array *picture;
	dpr_status status = dpr_evaluate(colours, NULL, &picture, "u", plate);

	if (!status)
		status = dpr_array_to_memory(picture, pixels,
					     sizeof(uint8_t[N][N][3]), NULL);
	dpr_array_release(picture);
	return status;
}

/* Write a file in the format PPM.  Return whether that went well. */
static bool write_picture(const char *name, uint8_t pixels[N][N][3])
{
	FILE *file = fopen(name, "wb");
	bool good;

	if (!file)
		return false;
	good = fprintf(file, "P6\n%d %d\n255\n", N, N) > 0 &&
	       fwrite(pixels, sizeof(uint8_t[N][N][3]), 1, file) == 1;
	return fclose(file) == 0 && good;
}
/* guide: end */

/* Print each fourth row of @plate, with a letter for each second point. */
static dpr_status show(const dpr_array *plate)
{
	float degrees[N / 4 + 1][N / 2 + 1];
	dpr_array *points;
	dpr_status status = dpr_array_view(plate, &points, DPR_SLICE(0, N, 4),
					   DPR_SLICE(0, N, 2));

	if (!status)
		status = dpr_array_to_memory(points, degrees, sizeof(degrees),
					     NULL);
	for (int i = 0; i <= N / 4 && !status; i++) {
		for (int j = 0; j <= N / 2; j++)
			putchar(".,:;+*xX#%@"[(int)(degrees[i][j] / 10 +
						    0.0625F)]);
		putchar('\n');
	}
	dpr_array_release(points);
	return status;
}

/* guide: run */
static dpr_status run(dpr_device *const *device, int n, uint8_t pixels[N][N][3],
		      double *error)
{
	const double end = STEPS * 0.25 / ((N - 1) * (N - 1));
	dpr_array *start = NULL, *plate = NULL, *exact = NULL, *most = NULL;
	dpr_status status;

	if ((status = make_plate(0, &start)) ||
	    (status = run_on(device, n, start, &plate)) ||
	    (status = make_plate(end, &exact)) ||
	    (status = dpr_evaluate("max(abs(u - v))", NULL, &most, "u", plate,
				   "v", exact)) ||
	    (status = dpr_array_item_double(most, error)) ||
	    (status = dpr_npy_save(plate, DPR_FILE("plate.npy"))) ||
	    (status = draw(plate, pixels)))
		goto out;
	status = show(plate);
out:
	dpr_array_release(most);
	dpr_array_release(exact);
	dpr_array_release(plate);
	dpr_array_release(start);
	return status;
}
/* guide: end */

/* Select the devices that the arguments name; without any, the default device
   twice. */
static dpr_status select_devices(int argc, char **argv, dpr_device **device,
				 int *n)
{
	dpr_status status = DPR_OK;

	*n = argc < 2 ? 2 : argc - 1 < MOST ? argc - 1 : MOST;
	for (int i = 0; i < *n && !status; i++) {
		status = dpr_device_select(argc < 2 ? NULL : argv[1 + i],
					   &device[i]);
		if (!status)
			printf("strip %d is on %s\n", i,
			       dpr_device_selector(device[i]));
	}
	return status;
}

int main(int argc, char **argv)
{
	static uint8_t pixels[N][N][3];
	dpr_device *device[MOST];
	double error = 0;
	int n;

	if (select_devices(argc, argv, device, &n) ||
	    run(device, n, pixels, &error) || dpr_finalize()) {
		fprintf(stderr, "step8: %s\n", dpr_last_error());
		return 1;
	}
	if (!write_picture("plate.ppm", pixels)) {
		perror("plate.ppm");
		return 1;
	}
	printf("the largest error is %.3f degrees\n", error);
	return !(error < 0.01);
}
