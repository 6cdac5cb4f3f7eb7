/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharpen.c - sharpens a grey image (PGM, as text) by a kernel of its own: as a
 * function of this program on CPUs, as OpenCL C on other devices.
 *
 * usage: filter <IN.pgm >OUT.pgm
 */
#include <dpr/dpr.h>

#include <stdlib.h>

/* One pixel: five times itself, less its four neighbours.  Beyond the edge is the
   edge's own pixel. */
static inline void sharpen(dpr_native_item at, int width, int height, const int *in,
			   int *out)
{
	const int x = (int)at.global_id[0], y = (int)at.global_id[1];
	const int *row = in + y * width;
	const int *above = y ? row - width : row;
	const int *below = y < height - 1 ? row + width : row;
	const int left = row[x ? x - 1 : x];
	const int right = row[x < width - 1 ? x + 1 : x];
	const int sum = 5 * row[x] - above[x] - below[x] - left - right;

	out[y * width + x] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
}
DPR_NATIVE_ITEMS(sharpen_kernel, sharpen, DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_POINTER(const int),
		 DPR_NATIVE_POINTER(int))

static const char text[] =
	"kernel void sharpen(int width, int height, global const int *in,\n"
	"	global int *out)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	global const int *row = in + y * width;\n"
	"	global const int *above = y ? row - width : row;\n"
	"	global const int *below = y < height - 1 ? row + width : row;\n"
	"	int left = row[x ? x - 1 : x];\n"
	"	int right = row[x < width - 1 ? x + 1 : x];\n"
	"	int sum = 5 * row[x] - above[x] - below[x] - left - right;\n"
	"	out[y * width + x] = clamp(sum, 0, 255);\n"
	"}\n";

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("sharpen",
							      sharpen_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

struct image {
	int width, height, *pixels;
};

static int read_image(FILE *from, struct image *image)
{
	int most, n;

	if (fscanf(from, "P2 %d %d %d", &image->width, &image->height, &most) != 3 ||
	    image->width < 1 || image->height < 1 || image->width > 10000 ||
	    image->height > 10000 || most != 255)
		return -1;
	n = image->width * image->height;
	image->pixels = malloc(sizeof(int) * n);
	for (int i = 0; i < n && image->pixels; i++)
		if (fscanf(from, "%d", &image->pixels[i]) != 1)
			return -1;
	return image->pixels ? 0 : -1;
}

static void write_image(const struct image *image)
{
	printf("P2\n%d %d\n255\n", image->width, image->height);
	for (int i = 0; i < image->width * image->height; i++)
		printf("%d%c", image->pixels[i],
		       (i + 1) % image->width ? ' ' : '\n');
}

/* The kernel, on the device of a queue. */
static dpr_status make_kernel(dpr_queue *queue, dpr_kernel **kernel)
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", NULL, text, sizeof(text) - 1 } };
	dpr_program *program = NULL;
	dpr_status status = dpr_program_build(queue, images, 2, NULL, &program);

	if (!status)
		status = dpr_kernel_create(program, "sharpen", kernel);
	dpr_program_release(program);
	return status;
}

static dpr_status filter(struct image *image)
{
	const int64_t width = image->width, height = image->height;
	dpr_array *in = NULL, *out = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *queue = NULL;
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_array_from_memory(image->pixels, DPR_SHAPE(height, width),
					    NULL, DPR_INT32, queue, &in)) ||
	    (status = dpr_empty(DPR_SHAPE(height, width), DPR_INT32, queue, &out)) ||
	    (status = make_kernel(queue, &kernel)) ||
	    (status = dpr_kernel_launch(queue, kernel, DPR_RANGE2(width, height),
					NULL, NULL, DPR_ARG(image->width),
					DPR_ARG(image->height), DPR_ARG(in),
					DPR_ARG(out))))
		goto out;
	status = dpr_array_to_memory(out, image->pixels,
				     sizeof(int) * width * height, NULL);
out:
	dpr_kernel_release(kernel);
	dpr_array_release(out);
	dpr_array_release(in);
	return status;
}

int main(void)
{
	struct image image = { 0 };
	dpr_status status = DPR_OK;

	if (read_image(stdin, &image)) {
		fputs("filter: the input is no PGM image as text\n", stderr);
		free(image.pixels);
		return 2;
	}
	status = filter(&image);
	if (status)
		fprintf(stderr, "filter: %s\n", dpr_last_error());
	else
		write_image(&image);
	free(image.pixels);
	return status != DPR_OK;
}
