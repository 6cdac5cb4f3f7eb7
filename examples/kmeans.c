/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans.c - k-means: the middles of three clusters among the points of a .npz
 * file, with an array "points" of shape (n, 2).  Without the name of a file,
 * the program writes one with points of its own.  A step is one expression.
 */
#include <dpr/dpr.h>

#include <math.h>

enum { POINTS = 3000, CLUSTERS = 3, STEPS = 50 };

/* Each point has weight 1 for its nearest centre.  The results are the new
   centres, and how far one of them has moved. */
static const char text[] =
	"p = points[:, None];"
	"d = sum((p - centres)**2, axis=2);"
	"near = astype(d == min(d, axis=1, keepdims=True), float32)[:, :, None];"
	"new = sum(near*p, axis=0)/sum(near, axis=0);"
	"new, max(abs(new - centres))";

static const float middles[CLUSTERS][2] = { { 0, 0 }, { 10, 0 }, { 5, 8 } };

/* Write points around the middles into @file. */
static dpr_status save_sample(FILE *file)
{
	static float points[POINTS][2];
	dpr_npz_entry entry = { "points", NULL };
	dpr_array *x;
	dpr_status status;

	for (int i = 0; i < POINTS; i++)
		for (int k = 0; k < 2; k++)
			points[i][k] = middles[i % CLUSTERS][k] - 1 +
				       (float)(i * (7 + 4 * k) % 101) / 50;
	status = dpr_array_from_memory(points, DPR_SHAPE(POINTS, 2), NULL,
				       DPR_FLOAT32, NULL, &x);
	if (status)
		return status;
	entry.array = x;
	status = dpr_npz_save(&entry, 1, DPR_NPZ_DEFLATED, file);
	dpr_array_release(x);
	return status;
}

/* Move *@centres by one step, and say how far they have moved. */
static dpr_status step(const dpr_expression *kmeans, const dpr_array *points,
		       dpr_array **centres, double *moved)
{
	const dpr_binding bindings[] = { { "points", DPR_OPERAND(points) },
					 { "centres", DPR_OPERAND(*centres) } };
	dpr_array *made[2];
	dpr_status status =
		dpr_expression_apply(kmeans, bindings, 2, NULL, made, 2);

	if (status)
		return status;
	dpr_array_release(*centres);
	*centres = made[0];
	status = dpr_array_item_double(made[1], moved);
	dpr_array_release(made[1]);
	return status;
}

/* Find the centres of the clusters in the file @from. */
static dpr_status find(dpr_file from, float found[CLUSTERS][2])
{
	dpr_array *points = NULL, *centres = NULL;
	dpr_expression *kmeans = NULL;
	double moved = 1;
	dpr_status status;

	if ((status = dpr_npz_load(from, "points", NULL, &points)) ||
	    (status = dpr_array_view(points, &centres,
				     DPR_SLICE(0, CLUSTERS, 1))) ||
	    (status = dpr_expression_create(text, &kmeans)))
		goto out;
	for (int i = 0; i < STEPS && moved > 1e-5 && !status; i++)
		status = step(kmeans, points, &centres, &moved);
	if (!status)
		status = dpr_array_to_memory(centres, found,
					     sizeof(float[CLUSTERS][2]), NULL);
out:
	dpr_expression_release(kmeans);
	dpr_array_release(centres);
	dpr_array_release(points);
	return status;
}

int main(int argc, char **argv)
{
	FILE *sample = argc < 2 ? tmpfile() : NULL;
	float found[CLUSTERS][2];
	dpr_status status = DPR_OK;
	int bad = 0;

	if (argc < 2)
		status = save_sample(sample);
	if (!status)
		status = find(argc < 2 ? DPR_FILE(sample) : DPR_FILE(argv[1]),
			      found);
	if (sample)
		fclose(sample);
	if (status) {
		fprintf(stderr, "kmeans: %s\n", dpr_last_error());
		/* A build without zlib has no .npz files. */
		return status == DPR_ERROR_UNSUPPORTED ? 77 : 1;
	}
	for (int i = 0; i < CLUSTERS; i++) {
		printf("%6.2f %6.2f\n", found[i][0], found[i][1]);
		for (int k = 0; k < 2 && argc < 2; k++)
			bad |= !(fabsf(found[i][k] - middles[i][k]) < 0.05f);
	}
	return bad;
}
