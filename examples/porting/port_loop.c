/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_loop.c - loops over a grid as expressions: the mean of four neighbours,
 * 100 times, and the largest change of the last time.
 */
#include <dpr/dpr.h>

enum { N = 34, STEPS = 100 };

static const char means[] =
	"(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:]) / 4";

int main(void)
{
	static float grid[N][N];
	dpr_array *u[2] = { NULL, NULL }, *inside[2] = { NULL, NULL };
	dpr_array *change = NULL;
	dpr_status status = DPR_OK;
	double largest;

	for (int j = 0; j < N; j++)
		grid[0][j] = 100;
	for (int k = 0; k < 2 && !status; k++)
		if (!(status =
			      dpr_array_from_memory(grid, DPR_SHAPE(N, N), NULL,
						    DPR_FLOAT32, NULL, &u[k])))
			status = dpr_array_view(u[k], &inside[k],
						DPR_SLICE(1, -1, 1),
						DPR_SLICE(1, -1, 1));
	/* The grids take turns: one is read, the other is written. */
	for (int step = 0; step < STEPS && !status; step++)
		status = dpr_evaluate_into(means, inside[(step + 1) % 2], "u",
					   u[step % 2]);
	if (!status &&
	    !(status = dpr_evaluate("max(abs(u - v))", NULL, &change, "u", u[0],
				    "v", u[1])) &&
	    !(status = dpr_array_item_double(change, &largest)) &&
	    !(status = dpr_array_to_memory(u[STEPS % 2], grid, sizeof(grid),
					   NULL)))
		printf("%.3f %.3f, change %.4f\n", (double)grid[1][N / 2],
		       (double)grid[8][N / 2], largest);
	if (status)
		fprintf(stderr, "port_loop: %s\n", dpr_last_error());
	dpr_array_release(change);
	for (int k = 0; k < 2; k++) {
		dpr_array_release(inside[k]);
		dpr_array_release(u[k]);
	}
	return status != DPR_OK;
}
