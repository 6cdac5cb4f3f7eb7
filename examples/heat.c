/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat.c - heat spreads in a plate, with fixed edges: a step is one expression,
 * and one kernel, which reads a grid by five views and writes the inside of
 * another one.  stencil.c has the same as a kernel of its own.
 */
#include <dpr/dpr.h>

enum { N = 66, STEPS = 400 };

/* guide: step */
static const char text[] =
	"u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] "
	"+ u[1:-1,:-2] - 4*u[1:-1,1:-1])";

/* Compute the inside of a grid from the grid @u before. */
static dpr_status step(const dpr_expression *heat, const dpr_array *u,
		       dpr_array *inside)
{
	const dpr_binding bindings[] = { { "u", DPR_OPERAND(u) },
					 { "k", DPR_OPERAND(0.25) } };

	return dpr_expression_apply_into(heat, bindings, 2, &inside, 1);
}
/* guide: end */

int main(void)
{
	static float plate[N][N];
	dpr_array *grid[2] = { NULL, NULL }, *inside[2] = { NULL, NULL };
	dpr_expression *heat = NULL;
	dpr_status status;

	for (int j = 0; j < N; j++)
		plate[0][j] = 100;
	status = dpr_expression_create(text, &heat);
	for (int k = 0; k < 2 && !status; k++) {
		status = dpr_array_from_memory(plate, DPR_SHAPE(N, N), NULL,
					       DPR_FLOAT32, NULL, &grid[k]);
		if (!status)
			status = dpr_array_view(grid[k], &inside[k],
						DPR_SLICE(1, -1, 1),
						DPR_SLICE(1, -1, 1));
	}
	for (int i = 0; i < STEPS && !status; i++)
		status = step(heat, grid[i % 2], inside[(i + 1) % 2]);
	if (!status)
		status = dpr_array_to_memory(grid[STEPS % 2], plate,
					     sizeof(plate), NULL);
	if (status)
		fprintf(stderr, "heat: %s\n", dpr_last_error());
	for (int i = 0; i < N && !status; i += 8)
		printf("%6.2f %6.2f %6.2f\n", plate[i][0], plate[i][N / 4],
		       plate[i][N / 2]);
	for (int k = 0; k < 2; k++) {
		dpr_array_release(inside[k]);
		dpr_array_release(grid[k]);
	}
	dpr_expression_release(heat);
	/* It is the same on both sides of the middle, but for rounding. */
	return status || plate[8][10] - plate[8][N - 11] > 0.001f ||
	       plate[8][N - 11] - plate[8][10] > 0.001f ||
	       !(plate[8][N / 2] > 20);
}
