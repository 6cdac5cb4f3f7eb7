/* SPDX-License-Identifier: Apache-2.0 */

/* slope.c - a kernel over rows and columns of any view; its OpenCL C is a file. */
#include <dpr/dpr.h>

#include <stdlib.h>

/* guide: function */
static inline void slope(dpr_native_item at, const float *x, dpr_strided s,
			 float *y)
{
	const uint64_t j = at.global_id[0], i = at.global_id[1];

	x += s.offset + (int64_t)i * s.stride[0] + (int64_t)j * s.stride[1];
	y[i * at.global_size[0] + j] = x[s.stride[1]] - x[0];
}
DPR_NATIVE_ITEMS(slope_kernel, slope, DPR_NATIVE_POINTER(const float),
		 DPR_NATIVE_VALUE(dpr_strided), DPR_NATIVE_POINTER(float))
/* guide: end */

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("slope",
							      slope_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

/* Read all of @name; the caller frees the text.  NULL: it cannot be read. */
static char *read_file(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	char *text = malloc(1 << 16);

	*size = 0;
	if (file && text)
		*size = fread(text, 1, 1 << 16, file);
	if (file)
		fclose(file);
	if (!*size) {
		free(text);
		text = NULL;
	}
	return text;
}

static dpr_status make_kernel(dpr_queue *queue, const char *name,
			      dpr_kernel **out)
{
	dpr_program *program = NULL;
	dpr_status status;
	size_t size;
	char *text = read_file(name, &size);

	if (!text) {
		perror(name);
		return DPR_ERROR_FILE;
	}
	/* guide: build */
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", NULL, text, size } };

	status = dpr_program_build(queue, images, 2, NULL, &program);
	free(text);
	/* guide: end */
	if (!status)
		status = dpr_kernel_create(program, "slope", out);
	dpr_program_release(program);
	return status;
}

int main(int argc, char **argv)
{
	const float table[] = { 1, 2, 4, 7, 10, 20, 40, 70 };
	dpr_queue *queue = NULL;
	dpr_kernel *kernel = NULL;
	dpr_array *x = NULL, *columns = NULL, *y = NULL;
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = make_kernel(queue, argc > 1 ? argv[1] : "slope.cl",
				  &kernel)) ||
	    (status = dpr_array_from_memory(table, DPR_SHAPE(2, 4), NULL,
					    DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_matrix_transpose(x, &columns)) ||
	    (status = dpr_empty(DPR_SHAPE(4, 1), DPR_FLOAT32, queue, &y)))
		goto out;
	/* guide: launch */
	const dpr_array *in = columns; /* 4 rows of 2 */

	status = dpr_kernel_launch(queue, kernel, DPR_RANGE2(1, 4), NULL, NULL,
				   DPR_STRIDED(in), DPR_ARG(y));
	/* guide: end */
	if (!status)
		status = dpr_array_print(y, stdout);
out:
	if (status)
		fprintf(stderr, "slope: %s\n", dpr_last_error());
	dpr_array_release(y);
	dpr_array_release(columns);
	dpr_array_release(x);
	dpr_kernel_release(kernel);
	return status != DPR_OK;
}
