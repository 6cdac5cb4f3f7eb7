/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kalman.c - a batch of Kalman filters, which one expression moves.  Each
 * follows a body at a steady speed, seen inexactly.  A LAPACK is needed.
 */
#include <dpr/dpr.h>

#include <math.h>
#include <stdio.h>

enum { FILTERS = 100, STEPS = 40 };

/* The state x is a position and a speed, and p its covariance.  f adds the
   speed to the position, and h takes the position.  The results are x and p
   after a measurement z.  The gain is the transposed of s^-1 h m. */
static const char text[] =
	"f = eye(4, dtype=float32) + eye(4, k=2, dtype=float32);"
	"h = eye(2, 4, dtype=float32);"
	"ahead = f @ x;"
	"m = f @ p @ matrix_transpose(f) + 0.0001*eye(4, dtype=float32);"
	"s = h @ m @ matrix_transpose(h) + 0.06*eye(2, dtype=float32);"
	"gain = matrix_transpose(solve(s, h @ m));"
	"ahead + gain @ (z - h @ ahead), m - gain @ h @ m";

/* Along x if @i is even, along y of the same body if it is odd. */
static float speed(int i)
{
	return (i % 2 ? 0.5f : 1) + (float)(i % 2 ? -(i / 2) : i / 2) / 100;
}

/* Where the bodies are seen in each step: on their ways, but for an error. */
static dpr_status measure(dpr_array **out)
{
	static float z[STEPS][2 * FILTERS];

	for (int t = 0; t < STEPS; t++)
		for (int i = 0; i < 2 * FILTERS; i++) {
			const int off = (i / 2 + 1) * (7 + i % 2) * t % 17 - 8;

			z[t][i] = speed(i) * (float)t + (float)off / 20;
		}
	return dpr_array_from_memory(z, DPR_SHAPE(STEPS, FILTERS, 2, 1), NULL,
				     DPR_FLOAT32, NULL, out);
}

/* Move the states and covariances @now on by measurement @t. */
static dpr_status step(const dpr_expression *kalman, const dpr_array *all,
		       int t, dpr_array *now[2])
{
	dpr_array *z;
	dpr_status status = dpr_array_view(all, &z, DPR_AT(t));

	if (status)
		return status;
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(now[0]) },
					 { "p", DPR_OPERAND(now[1]) },
					 { "z", DPR_OPERAND(z) } };

	status = dpr_expression_apply_into(kalman, bindings, 3, now, 2);
	dpr_array_release(z);
	return status;
}

int main(void)
{
	static float x[FILTERS][4];
	dpr_array *z = NULL, *now[2] = { NULL, NULL };
	dpr_expression *kalman = NULL;
	float off = 0;
	dpr_status status = dpr_expression_create(text, &kalman);

	/* Nothing is known of a speed.  0*x: a matrix for each filter. */
	if (!status && !(status = measure(&z)) &&
	    !(status = dpr_zeros(DPR_SHAPE(FILTERS, 4, 1), DPR_FLOAT32, NULL,
				 &now[0])))
		status = dpr_evaluate("100*eye(4, dtype=float32) + 0*x", NULL,
				      &now[1], "x", now[0]);
	for (int t = 0; t < STEPS && !status; t++)
		status = step(kalman, z, t, now);
	if (!status)
		status = dpr_array_to_memory(now[0], x, sizeof(x), NULL);
	if (status)
		fprintf(stderr, "kalman: %s\n", dpr_last_error());
	for (int i = 0; i < FILTERS && !status; i++) {
		const float *v = x[i];

		off = fmaxf(off, fabsf(v[2] - speed(2 * i)));
		off = fmaxf(off, fabsf(v[3] - speed(2 * i + 1)));
		if (i % 30 == 0)
			printf("%5.1f %5.1f, speed %5.2f %5.2f\n", (double)v[0],
			       (double)v[1], (double)v[2], (double)v[3]);
	}
	dpr_array_release(now[0]);
	dpr_array_release(now[1]);
	dpr_expression_release(kalman);
	dpr_array_release(z);
	/* Without a LAPACK nothing solves. */
	return status == DPR_ERROR_UNSUPPORTED ? 77 : status || !(off < 0.1f);
}
