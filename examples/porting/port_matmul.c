/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_matmul.c - matrices from host memory, their product, an operation on
 * each element, and the result back in host memory.
 */
#include <dpr/dpr.h>

enum { M = 2, K = 3, N = 2 };

int main(void)
{
	const float a[M][K] = { { 1, 2, 3 }, { 4, 5, 6 } };
	const float b[K][N] = { { 1, -1 }, { 0, 2 }, { 2, -3 } };
	dpr_array *da = NULL, *db = NULL, *product = NULL, *dc = NULL;
	dpr_queue *queue = NULL;
	dpr_status status;
	float c[M][N];

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_array_from_memory(a, DPR_SHAPE(M, K), NULL,
					    DPR_FLOAT32, queue, &da)) ||
	    (status = dpr_array_from_memory(b, DPR_SHAPE(K, N), NULL,
					    DPR_FLOAT32, queue, &db)) ||
	    (status = dpr_matmul(da, db, &product)) ||
	    (status = dpr_evaluate("maximum(p, 0) + 1", NULL, &dc, "p",
				   product)) ||
	    (status = dpr_array_to_memory(dc, c, sizeof(c), NULL)))
		fprintf(stderr, "port_matmul: %s\n", dpr_last_error());
	for (int i = 0; i < M && !status; i++)
		printf("%g %g\n", (double)c[i][0], (double)c[i][1]);
	dpr_array_release(dc);
	dpr_array_release(product);
	dpr_array_release(db);
	dpr_array_release(da);
	return status != DPR_OK;
}
