/* SPDX-License-Identifier: Apache-2.0 */

/* The fields of dpr_strided. */
struct strided {
	long offset;
	int rank, pad;
	long shape[8], stride[8];
};

/* The step from each element to the next one of its row. */
kernel void slope(global const float *x, struct strided s, global float *y)
{
	size_t j = get_global_id(0), i = get_global_id(1);
	size_t width = get_global_size(0);

	x += s.offset + (long)i * s.stride[0] + (long)j * s.stride[1];
	y[i * width + j] = x[s.stride[1]] - x[0];
}
