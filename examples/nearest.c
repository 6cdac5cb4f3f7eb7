/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.c - k nearest neighbours: points get the label that most of the
 * nearest labelled points have.  The distances are computed once.  Then, k times,
 * the nearest labelled point of each point votes, and is put out of reach.
 */
#include <dpr/dpr.h>

#include <math.h>

enum { KNOWN = 300, POINTS = 1000, LABELS = 3, NEIGHBOURS = 5 };

static const float middles[LABELS][2] = { { 0, 0 }, { 4, 0 }, { 2, 3 } };

static const char distances[] = "sum((points[:, None] - known)**2, axis=2)";
static const char vote[] = "i = argmin(d, axis=1, keepdims=True);"
			   "i, votes + one_hot(labels[i[:, 0]], 3)";

/* Points around the middles: point i belongs to middle i % LABELS. */
static dpr_status make_points(int n, int seed, dpr_array **out)
{
	static float points[POINTS][2];

	for (int i = 0; i < n; i++)
		for (int k = 0; k < 2; k++)
			points[i][k] = middles[i % LABELS][k] - 1 +
				       (float)((i + seed) * (7 + 4 * k) % 101) / 50;
	return dpr_array_from_memory(points, DPR_SHAPE(n, 2), NULL, DPR_FLOAT32,
				     NULL, out);
}

/* Let the nearest labelled point of each point vote. */
static dpr_status count_votes(const dpr_expression *e, dpr_array *d,
			      const dpr_array *labels, dpr_array **votes)
{
	const dpr_binding bindings[] = { { "d", DPR_OPERAND(d) },
					 { "labels", DPR_OPERAND(labels) },
					 { "votes", DPR_OPERAND(*votes) } };
	dpr_array *made[2];
	dpr_status status = dpr_expression_apply(e, bindings, 3, NULL, made, 2);

	if (status)
		return status;
	dpr_array_release(*votes);
	*votes = made[1];
	status = dpr_put_along_axis(d, made[0], INFINITY, 1, DPR_BOUNDS_WRAP);
	dpr_array_release(made[0]);
	return status;
}

/* Count the points that get the label of their middle. */
static dpr_status run(int64_t *right)
{
	dpr_array *known = NULL, *points = NULL, *labels = NULL, *d = NULL;
	dpr_array *votes = NULL, *count = NULL;
	dpr_expression *e = NULL;
	dpr_status status;

	if ((status = make_points(KNOWN, 0, &known)) ||
	    (status = make_points(POINTS, 50, &points)) ||
	    (status = dpr_evaluate("index(0, x)[:, 0] % 3", NULL, &labels, "x",
				   known)) ||
	    (status = dpr_evaluate(distances, NULL, &d, "points", points,
				   "known", known)) ||
	    (status = dpr_zeros(DPR_SHAPE(POINTS, LABELS), DPR_INT32, NULL,
				&votes)) ||
	    (status = dpr_expression_create(vote, &e)))
		goto out;
	for (int k = 0; k < NEIGHBOURS && !status; k++)
		status = count_votes(e, d, labels, &votes);
	if (!status)
		status = dpr_evaluate(
			"count_nonzero(argmax(votes, axis=1) == "
			"index(0, x)[:, 0] % 3)",
			NULL, &count, "votes", votes, "x", points);
	if (!status)
		status = dpr_array_item_int64(count, right);
out:
	dpr_expression_release(e);
	dpr_array_release(count);
	dpr_array_release(votes);
	dpr_array_release(d);
	dpr_array_release(labels);
	dpr_array_release(points);
	dpr_array_release(known);
	return status;
}

int main(void)
{
	int64_t right = 0;

	if (run(&right)) {
		fprintf(stderr, "nearest: %s\n", dpr_last_error());
		return 1;
	}
	printf("%d of %d points get the label of their middle\n", (int)right,
	       POINTS);
	return right != POINTS;
}
