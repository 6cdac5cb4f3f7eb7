/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pca.c - principal components: the directions in which points spread most.
 * The points have five coordinates, but lie near a plane, so that two
 * components tell nearly all.  A LAPACK is needed.
 */
#include <dpr/dpr.h>

#include <stdio.h>

enum { POINTS = 500, AXES = 5, KEPT = 2 };

/* The components are the right singular vectors of the centred points.  Their
   signs are free: here the sum of a component is positive.  The results are the
   shares of the variance, the components, and what two components leave out of
   the largest coordinate. */
static const char text[] = "c = points - mean(points, axis=0);"
			   "u, s, vh = svd(c, False);"
			   "v = vh*sign(sum(vh, axis=1, keepdims=True));"
			   "flat = c @ matrix_transpose(v[:2]) @ v[:2];"
			   "s*s/sum(s*s), v, max(abs(c - flat))";

/* The plane. */
static const float plane[KEPT][AXES] = { { 4, 2, 2, 1, 0 },
					 { -1, 2, 0, 1, 2 } };

static dpr_status make_points(dpr_array **out)
{
	static float points[POINTS][AXES];

	for (int i = 0; i < POINTS; i++)
		for (int k = 0; k < AXES; k++)
			points[i][k] =
				(float)(i * 37 % 101 - 50) / 50 * plane[0][k] +
				(float)(i * 59 % 103 - 51) / 51 * plane[1][k] +
				(float)(i * (k + 3) % 11) / 100 + (float)k;
	return dpr_array_from_memory(points, DPR_SHAPE(POINTS, AXES), NULL,
				     DPR_FLOAT32, NULL, out);
}

int main(void)
{
	float share[AXES], component[AXES][AXES];
	dpr_array *points = NULL, *made[3] = { NULL, NULL, NULL };
	dpr_expression *pca = NULL;
	double left = 1;
	dpr_status status = make_points(&points);
	const dpr_binding binding = { "points", DPR_OPERAND(points) };

	if (!status)
		status = dpr_expression_create(text, &pca);
	if (!status)
		status = dpr_expression_apply(pca, &binding, 1, NULL, made, 3);
	if (!status)
		status = dpr_array_to_memory(made[0], share, sizeof(share),
					     NULL);
	if (!status)
		status = dpr_array_to_memory(made[1], component,
					     sizeof(component), NULL);
	if (!status)
		status = dpr_array_item_double(made[2], &left);
	for (int i = 0; i < 3; i++)
		dpr_array_release(made[i]);
	dpr_expression_release(pca);
	dpr_array_release(points);
	if (status) {
		fprintf(stderr, "pca: %s\n", dpr_last_error());
		/* Without a LAPACK there are no singular values. */
		return status == DPR_ERROR_UNSUPPORTED ? 77 : 1;
	}
	for (int i = 0; i < KEPT; i++) {
		printf("%4.1f %% in", 100 * (double)share[i]);
		for (int k = 0; k < AXES; k++)
			printf(" %5.2f", (double)component[i][k]);
		printf("\n");
	}
	printf("left out: %.2f\n", left);
	return !(share[0] + share[1] > 0.99f && left < 0.1);
}
