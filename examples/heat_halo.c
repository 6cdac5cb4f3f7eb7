/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat_halo.c - heat spreads in a plate, as in heat.c, on two devices: each has
 * half of the rows, and one more row, the halo, for a copy of the other's row
 * beside it.  After each step the halos are exchanged by dpr_array_copy_to(),
 * which orders itself after the step before and ahead of the next.
 */
#include <dpr/dpr.h>

#include <math.h>
#include <string.h>

enum { N = 66, STEPS = 400, ROWS = N / 2 + 1 };

static const char text[] =
	"u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] "
	"+ u[1:-1,:-2] - 4*u[1:-1,1:-1])";

/* Half of the plate, as two grids that take turns.  Each grid has views: the
   elements that a step computes, the row for the other half, and the halo. */
struct half {
	dpr_queue *queue;
	dpr_array *grid[2], *inside[2], *edge[2], *halo[2];
};

/* Make queues on the first two devices, or two on the only one. */
static dpr_status make_queues(struct half *half)
{
	dpr_device *device[2];
	dpr_status status;
	size_t count;

	if ((status = dpr_device_enumerate(NULL, device, 2, &count)))
		return status;
	if (count < 2)
		device[1] = device[0];
	for (int h = 0; h < 2 && !status; h++) {
		printf("half %d is on %s\n", h, dpr_device_selector(device[h]));
		status = dpr_queue_create(device[h], DPR_QUEUE_IN_ORDER,
					  &half[h].queue);
	}
	return status;
}

/* Make the lower half (@low 1) or the upper one of the @rows. */
static dpr_status make_grids(struct half *half, int low, const float *rows)
{
	const dpr_index inner = DPR_SLICE(1, -1, 1);
	dpr_status status = DPR_OK;

	for (int k = 0; k < 2 && !status; k++)
		if ((status = dpr_array_from_memory(
			     rows, DPR_SHAPE(ROWS, N), NULL, DPR_FLOAT32,
			     half->queue, &half->grid[k])) ||
		    (status = dpr_array_view(half->grid[k], &half->inside[k],
					     inner, inner)) ||
		    (status = dpr_array_view(half->grid[k], &half->edge[k],
					     DPR_AT(low ? 1 : -2))) ||
		    (status = dpr_array_view(half->grid[k], &half->halo[k],
					     DPR_AT(low ? 0 : -1))))
			return status;
	return status;
}

/* Compute grid @next of both halves from the other grid. */
static dpr_status step(const dpr_expression *heat, struct half *half, int next)
{
	dpr_status status = DPR_OK;

	for (int h = 0; h < 2 && !status; h++) {
		const dpr_binding bindings[] = {
			{ "u", DPR_OPERAND(half[h].grid[!next]) },
			{ "k", DPR_OPERAND(0.25) }
		};

		status = dpr_expression_apply_into(heat, bindings, 2,
						   &half[h].inside[next], 1);
	}
	for (int h = 0; h < 2 && !status; h++)
		status = dpr_array_copy_to(half[h].halo[next],
					   half[!h].edge[next]);
	return status;
}

static dpr_status run(struct half *half, float plate[N][N])
{
	dpr_expression *heat = NULL;
	dpr_status status;
	float rows[ROWS][N];

	if ((status = make_queues(half)) ||
	    (status = make_grids(&half[0], 0, plate[0])) ||
	    (status = make_grids(&half[1], 1, plate[N - ROWS])) ||
	    (status = dpr_expression_create(text, &heat)))
		goto out;
	for (int i = 1; i <= STEPS && !status; i++)
		status = step(heat, half, i % 2);
	for (int h = 0; h < 2 && !status; h++) {
		status = dpr_array_to_memory(half[h].grid[STEPS % 2], rows,
					     sizeof(rows), NULL);
		if (!status)
			memcpy(plate[h * N / 2], rows[h],
			       sizeof(float[N / 2][N]));
	}
out:
	dpr_expression_release(heat);
	return status;
}

/* The same as one loop. */
static void run_alone(float u[N][N])
{
	static float next[N][N];

	for (int s = 0; s < STEPS; s++) {
		memcpy(next, u, sizeof(next));
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				next[i][j] +=
					0.25f * (u[i + 1][j] + u[i - 1][j] +
						 u[i][j + 1] + u[i][j - 1] -
						 4 * u[i][j]);
		memcpy(u, next, sizeof(next));
	}
}

int main(void)
{
	static float plate[N][N], alone[N][N];
	struct half half[2] = { 0 };
	dpr_status status;
	int bad = 0;

	for (int j = 0; j < N; j++)
		plate[0][j] = alone[0][j] = 100;
	status = run(half, plate);
	for (int h = 0; h < 2; h++) {
		for (int k = 0; k < 2; k++) {
			dpr_array_release(half[h].halo[k]);
			dpr_array_release(half[h].edge[k]);
			dpr_array_release(half[h].inside[k]);
			dpr_array_release(half[h].grid[k]);
		}
		dpr_queue_release(half[h].queue);
	}
	if (status) {
		fprintf(stderr, "heat_halo: %s\n", dpr_last_error());
		return 1;
	}
	run_alone(alone);
	for (int i = 0; i < N; i += 8)
		printf("%6.2f %6.2f\n", plate[i][N / 4], plate[i][N / 2]);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			bad |= !(fabsf(plate[i][j] - alone[i][j]) < 0.001f);
	return bad;
}
