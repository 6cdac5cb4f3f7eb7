/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax_regression.c - learns which of three clusters a point belongs to.  The
 * model has a weight for each coordinate and class, and one for each class.
 * Gradient descent makes the weights better: a step is one expression.
 */
#include <dpr/dpr.h>

enum { POINTS = 3000, FEATURES = 3, CLASSES = 3, STEPS = 200 };

/* Row i of p has the probabilities of the classes of point i.  The results are
   the better weights, the loss, and the part of the points whose most probable
   class is their own. */
static const char text[] =
	"t = sum(x[:, :, None]*w, axis=1);"
	"e = exp(t - max(t, axis=1, keepdims=True));"
	"p = e/sum(e, axis=1, keepdims=True);"
	"gradient = mean(x[:, :, None]*(p - own)[:, None], axis=0);"
	"right = sum(p*own, axis=1);"
	"w - rate*gradient, -mean(log(right)),"
	"mean(astype(right == max(p, axis=1), float32))";

/* Points around the middles of the clusters, and the class of each.  The last
   feature of a point is 1. */
static void make_points(float x[POINTS][FEATURES], int32_t class[POINTS])
{
	static const float middles[CLASSES][2] = { { 0, 0 },
						   { 1, 0 },
						   { 0.5F, 0.8F } };

	for (int i = 0; i < POINTS; i++) {
		class[i] = i % CLASSES;
		for (int k = 0; k < 2; k++)
			x[i][k] = middles[class[i]][k] - 0.4F +
				  (float)(i * (7 + 4 * k) % 101) / 125;
		x[i][2] = 1;
	}
}

/* Make *@w better by one step. */
static dpr_status step(const dpr_expression *regression, const dpr_array *x,
		       const dpr_array *own, dpr_array **w, double *loss,
		       double *right)
{
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(x) },
					 { "own", DPR_OPERAND(own) },
					 { "w", DPR_OPERAND(*w) },
					 { "rate", DPR_OPERAND(2.0) } };
	dpr_array *made[3];
	dpr_status status =
		dpr_expression_apply(regression, bindings, 4, NULL, made, 3);

	if (status)
		return status;
	dpr_array_release(*w);
	*w = made[0];
	status = dpr_array_item_double(made[1], loss);
	if (!status)
		status = dpr_array_item_double(made[2], right);
	dpr_array_release(made[1]);
	dpr_array_release(made[2]);
	return status;
}

static dpr_status learn(double *loss, double *right)
{
	static float points[POINTS][FEATURES];
	static int32_t classes[POINTS];
	dpr_array *x = NULL, *class = NULL, *own = NULL, *w = NULL;
	dpr_expression *regression = NULL;
	dpr_status status;

	make_points(points, classes);
	/* own: 1 for the class of a point, 0 for all others. */
	if ((status = dpr_array_from_memory(points, DPR_SHAPE(POINTS, FEATURES),
					    NULL, DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_array_from_memory(classes, DPR_SHAPE(POINTS), NULL,
					    DPR_INT32, NULL, &class)) ||
	    (status = dpr_evaluate("astype(c[:, None] == arange(3), float32)",
				   NULL, &own, "c", class)) ||
	    (status = dpr_zeros(DPR_SHAPE(FEATURES, CLASSES), DPR_FLOAT32, NULL,
				&w)) ||
	    (status = dpr_expression_create(text, &regression)))
		goto out;
	for (int i = 0; i < STEPS && !status; i++) {
		status = step(regression, x, own, &w, loss, right);
		if (!status && i % 50 == 0)
			printf("step %3d: loss %.3f, right %.3f\n", i, *loss,
			       *right);
	}
out:
	dpr_expression_release(regression);
	dpr_array_release(w);
	dpr_array_release(own);
	dpr_array_release(class);
	dpr_array_release(x);
	return status;
}

int main(void)
{
	double loss = 0, right = 0;

	if (learn(&loss, &right)) {
		fprintf(stderr, "softmax_regression: %s\n", dpr_last_error());
		return 1;
	}
	printf("in the end: loss %.3f, right %.3f\n", loss, right);
	return !(loss < 0.2 && right > 0.97);
}
