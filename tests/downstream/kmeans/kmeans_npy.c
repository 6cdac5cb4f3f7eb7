/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans_npy.c - finds clusters among the points in a .npy file of shape (n,
 * d), of any dtype of numbers.  Each line of the output is the number of points
 * of a cluster, and its centre.
 *
 * usage: kmeans POINTS.npy CLUSTERS
 */
#include <dpr/dpr.h>

#include <stdlib.h>

enum { STEPS = 100, MAX_VALUES = 1000 };

/* Each point has weight 1 for its nearest centre. */
static const char text[] =
	"p = points[:, None];"
	"d = sum((p - centres)**2, axis=2);"
	"near = astype(d == min(d, axis=1, keepdims=True), float32);"
	"count = sum(near, axis=0)[:, None];"
	"new = sum(near[:, :, None]*p, axis=0)/count;"
	"new, count, max(abs(new - centres))";

/* Load the points as float32. */
static dpr_status load(const char *file, dpr_array **points)
{
	dpr_array *stored;
	dpr_status status = dpr_npy_load(DPR_FILE(file), NULL, &stored);

	*points = NULL;
	if (status)
		return status;
	status = dpr_evaluate("astype(x, float32)", NULL, points, "x", stored);
	dpr_array_release(stored);
	return status;
}

/* Move the centres until they stay.  *@count is the size of each cluster. */
static dpr_status find(const dpr_array *points, dpr_array **centres, dpr_array **count)
{
	dpr_expression *step;
	double moved = 1;
	dpr_status status = dpr_expression_create(text, &step);

	for (int i = 0; i < STEPS && moved > 0 && !status; i++) {
		const dpr_binding bindings[] = {
			{ "points", DPR_OPERAND(points) },
			{ "centres", DPR_OPERAND(*centres) }
		};
		dpr_array *made[3];

		status = dpr_expression_apply(step, bindings, 2, NULL, made, 3);
		if (status)
			break;
		dpr_array_release(*centres);
		dpr_array_release(*count);
		*centres = made[0];
		*count = made[1];
		status = dpr_array_item_double(made[2], &moved);
		dpr_array_release(made[2]);
	}
	dpr_expression_release(step);
	return status;
}

static dpr_status print(const dpr_array *centres, const dpr_array *count, int n)
{
	const int width = (int)(dpr_array_size(centres) / n);
	float middle[MAX_VALUES], size[MAX_VALUES];
	dpr_status status;

	if ((status = dpr_array_to_memory(centres, middle,
					  sizeof(float) * n * width, NULL)) ||
	    (status = dpr_array_to_memory(count, size, sizeof(float) * n, NULL)))
		return status;
	for (int i = 0; i < n; i++) {
		printf("%5.0f points:", (double)size[i]);
		for (int k = 0; k < width; k++)
			printf(" %7.2f", (double)middle[i * width + k]);
		putchar('\n');
	}
	return DPR_OK;
}

int main(int argc, char **argv)
{
	const int n = argc == 3 ? atoi(argv[2]) : 0;
	dpr_array *points = NULL, *centres = NULL, *count = NULL;
	dpr_status status;

	if (n < 1 || n > 100) {
		fputs("usage: kmeans POINTS.npy CLUSTERS\n", stderr);
		return 2;
	}
	/* The first points are the first centres. */
	if ((status = load(argv[1], &points)) ||
	    (status = dpr_array_view(points, &centres, DPR_SLICE(0, n, 1))) ||
	    (status = find(points, &centres, &count)) ||
	    (status = print(centres, count, n)))
		fprintf(stderr, "kmeans: %s\n", dpr_last_error());
	dpr_array_release(count);
	dpr_array_release(centres);
	dpr_array_release(points);
	return status != DPR_OK;
}
