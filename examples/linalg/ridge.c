/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ridge.c - ridge regression: the weights of four features that explain y best,
 * where large weights cost a penalty.  Three penalties are tried at once, as a
 * batch of matrices.  A LAPACK is needed.
 */
#include <dpr/dpr.h>

#include <math.h>
#include <stdio.h>

enum { ROWS = 400, FEATURES = 4, TRIES = 3 };

/* The weights w solve (x^T x + penalty I) w = x^T y.  The matrix is positive
   definite, so it has a factor of Cholesky. */
static const char text[] =
	"xt = matrix_transpose(x);"
	"l = cholesky(xt @ x + penalty[:, None, None]*eye(4, dtype=float32));"
	"half = solve_triangular(l, xt @ y[:, None]);"
	"solve_triangular(matrix_transpose(l), half, upper=True)";

static const float truth[FEATURES] = { 3, -2, 1, 0.5f };
static const float penalty[TRIES] = { 0.1f, 30, 300 };

/* Make x, y and penalty. */
static dpr_status make(dpr_array *made[3])
{
	static float x[ROWS][FEATURES], y[ROWS];

	for (int i = 0; i < ROWS; i++) {
		y[i] = (float)(i * 53 % 107 - 53) / 100;
		for (int k = 0; k < FEATURES; k++) {
			x[i][k] = (float)(i * (29 + 12 * k) % 97 - 48) / 48;
			y[i] += x[i][k] * truth[k];
		}
	}
	dpr_status status =
		dpr_array_from_memory(x, DPR_SHAPE(ROWS, FEATURES), NULL,
				      DPR_FLOAT32, NULL, &made[0]);

	if (!status)
		status = dpr_array_from_memory(y, DPR_SHAPE(ROWS), NULL,
					       DPR_FLOAT32, NULL, &made[1]);
	if (!status)
		status = dpr_array_from_memory(penalty, DPR_SHAPE(TRIES), NULL,
					       DPR_FLOAT32, NULL, &made[2]);
	return status;
}

int main(void)
{
	float w[TRIES][FEATURES];
	dpr_array *made[3] = { NULL, NULL, NULL }, *weights = NULL;
	dpr_status status = make(made);
	int bad = 0;

	if (!status)
		status = dpr_evaluate(text, NULL, &weights, "x", made[0], "y",
				      made[1], "penalty", made[2]);
	if (!status)
		status = dpr_array_to_memory(weights, w, sizeof(w), NULL);
	for (int i = 0; i < 3; i++)
		dpr_array_release(made[i]);
	dpr_array_release(weights);
	if (status) {
		fprintf(stderr, "ridge: %s\n", dpr_last_error());
		/* Without a LAPACK there are no factors. */
		return status == DPR_ERROR_UNSUPPORTED ? 77 : 1;
	}
	for (int i = 0; i < TRIES; i++) {
		printf("penalty %5.1f:", (double)penalty[i]);
		for (int k = 0; k < FEATURES; k++)
			printf(" %5.2f", (double)w[i][k]);
		printf("\n");
	}
	/* The least penalty finds the weights, the others make them smaller. */
	for (int k = 0; k < FEATURES; k++)
		bad |= !(fabsf(w[0][k] - truth[k]) < 0.1f);
	return bad || !(w[0][0] > w[1][0] && w[1][0] > w[2][0]);
}
