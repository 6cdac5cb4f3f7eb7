/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stencil.c - a kernel that runs on every device: as a function of this program
 * on CPUs, as OpenCL C on others.  Heat spreads in a plate, with fixed edges.
 */
#include <dpr/dpr.h>

enum { N = 66, STEPS = 400 };

/* One point of the plate: the mean of its neighbours.  The range leaves out the
   edges. */
static inline void spread(dpr_native_item at, const float *in, float *out)
{
	const uint64_t i = (at.global_id[1] + 1) * N + at.global_id[0] + 1;

	out[i] = 0.25f * (in[i - 1] + in[i + 1] + (in[i - N] + in[i + N]));
}
DPR_NATIVE_ITEMS(spread_kernel, spread, DPR_NATIVE_POINTER(const float),
		 DPR_NATIVE_POINTER(float))

static const char text[] =
	"kernel void spread(global const float *in, global float *out)\n"
	"{\n"
	"	size_t i = (get_global_id(1) + 1) * N + get_global_id(0) + 1;\n"
	"	out[i] = 0.25f * (in[i - 1] + in[i + 1] + (in[i - N] + in[i + N]));\n"
	"}\n";

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("spread",
							      spread_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

static dpr_status make_kernel(dpr_queue *queue, dpr_kernel **out)
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", NULL, text,
				       sizeof(text) - 1 } };
	dpr_build_options options = { .struct_size = sizeof(options),
				      .compiler = "-DN=66" };
	dpr_program *program = NULL;
	dpr_status status =
		dpr_program_build(queue, images, 2, &options, &program);

	*out = NULL;
	if (!status)
		status = dpr_kernel_create(program, "spread", out);
	dpr_program_release(program);
	return status;
}

int main(void)
{
	static float plate[N][N];
	dpr_array *x[2] = { NULL, NULL };
	dpr_kernel *kernel = NULL;
	dpr_queue *queue = NULL;
	dpr_status status = dpr_canonical_queue(NULL, &queue);

	for (int j = 0; j < N; j++)
		plate[0][j] = 100;
	for (int k = 0; k < 2 && !status; k++)
		status = dpr_array_from_memory(plate, DPR_SHAPE(N, N), NULL,
					       DPR_FLOAT32, queue, &x[k]);
	if (!status)
		status = make_kernel(queue, &kernel);
	for (int step = 0; step < STEPS && !status; step++) {
		const dpr_array *from = x[step % 2];

		status = dpr_kernel_launch(
			queue, kernel, DPR_RANGE2(N - 2, N - 2), NULL, NULL,
			DPR_ARG(from), DPR_ARG(x[(step + 1) % 2]));
	}
	if (!status)
		status = dpr_array_to_memory(x[STEPS % 2], plate, sizeof(plate),
					     NULL);
	if (status)
		fprintf(stderr, "stencil: %s\n", dpr_last_error());
	for (int i = 0; i < N && !status; i += 8)
		printf("%6.2f %6.2f %6.2f\n", plate[i][0], plate[i][N / 4],
		       plate[i][N / 2]);
	dpr_kernel_release(kernel);
	dpr_array_release(x[0]);
	dpr_array_release(x[1]);
	if (status == DPR_ERROR_UNSUPPORTED)
		return 77; /* the device takes neither image */
	/* It is the same on both sides of the middle. */
	return status || plate[8][10] != plate[8][N - 11] ||
	       !(plate[8][N / 2] > 20);
}
