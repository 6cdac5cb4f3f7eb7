/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_images.c - compiling the modules of the array kernels with a driver.
 *
 * usage: unit_images SELECTOR FORMAT [STEP [FOLDER]]: on each device of
 * SELECTOR, build every module, or every STEP-th, from its image in FORMAT
 * ("spirv", "opencl-c"), and get its kernels; of "spirv" also the kernels of
 * the engine, one for each step and dtype, and for each reduction and dtype.
 * Nothing is launched, so the driver need not have a device that can run code.
 * With FOLDER, the images are also written there, for other compilers.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/launch/modules.h"
#include "tests/engine/emit_cases.h"
#include "tests/support/devices.h"

static const char *format, *folder;
static int step = 1;

static const char *const kernel_names[] = {
#define NAME(name) #name,
	MODULES_KERNEL_MAP(NAME)
#undef NAME
};

static bool has_fp64(void)
{
	uint64_t fp64 = 0;

	return !dpr_device_info_u64(test_device, DPR_INFO_ASPECT_FP64, &fp64) &&
	       fp64;
}

/* A device without fp64 is not given these modules. */
static bool needs_fp64(unsigned type)
{
	return type == DPR_FLOAT64 || type == DPR_COMPLEX128;
}

static struct image image_of(enum images_family family, unsigned type)
{
	/* All types of a family have the same source text. */
	if (strcmp(format, "opencl-c") == 0)
		return images_native(family, type).data ? images_source(family)
							: (struct image){ 0 };
	return images_spirv(family, type);
}

/* Get all kernels that the program has.  Returns their number. */
static int kernels_of(dpr_program *program)
{
	int found = 0;

	for (size_t i = 0; i < MODULES_KERNELS; i++) {
		dpr_kernel *kernel = NULL;
		dpr_status status =
			dpr_kernel_create(program, kernel_names[i], &kernel);

		ck_assert_msg(!status || status == DPR_ERROR_NOT_FOUND,
			      "%s: %s", kernel_names[i], dpr_last_error());
		found += !status;
		dpr_kernel_release(kernel);
	}
	return found;
}

/* Write a module to a file of the folder. */
static void keep(const char *name, unsigned type, struct image image)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s-%u", folder, name, type);
	file = fopen(path, "wb");
	ck_assert_msg(file, "%s cannot be written", path);
	ck_assert_uint_eq(fwrite(image.data, 1, image.size, file), image.size);
	ck_assert_int_eq(fclose(file), 0);
}

static void build(enum images_family family, unsigned type, struct image image)
{
	const dpr_image one = { format, NULL, image.data, image.size };
	dpr_program *program = NULL;
	dpr_status status;
	char options[64];

	snprintf(options, sizeof(options),
		 "-cl-std=CL1.2 -w -DDPR_CPU=0 -DDPR_DTYPE=%u", type);
	status = dpr_program_from_images(
		test_queue, &one, 1,
		strcmp(format, "opencl-c") == 0 ? options : NULL, &program);
	ck_assert_msg(!status, "%s of type %u: %s", images_family_name(family),
		      type, dpr_last_error());
	ck_assert_msg(kernels_of(program) > 0, "%s of type %u: no kernels",
		      images_family_name(family), type);
	dpr_program_release(program);
}

START_TEST(modules_are_taken)
{
	const bool fp64 = has_fp64();
	int n = 0, built = 0;

	for (int family = 0; family < IMAGES_FAMILIES; family++)
		for (unsigned type = 0; type < IMAGES_TYPES; type++) {
			struct image image =
				image_of((enum images_family)family, type);

			if (!image.data || (!fp64 && needs_fp64(type)))
				continue;
			if (n++ % step)
				continue;
			if (folder)
				keep(images_family_name(
					     (enum images_family)family),
				     type, image);
			build((enum images_family)family, type, image);
			built++;
		}
	printf("%s: %d of %d modules were built from %s\n",
	       dpr_device_selector(test_device), built, n, format);
	ck_assert_int_gt(built, 0);
}
END_TEST

/* --- Kernels of the engine -------------------------------------------------
 */

static void build_kernel(const struct graph *graph, const struct frame *frame,
			 unsigned number)
{
	dpr_image one = { "spirv", NULL, NULL, 0 };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	struct text module = { 0 };
	char name[GRAPH_NAME];

	frame_name(graph, frame, name);
	ck_assert(emit_spirv_kernel(graph, frame, name, &module));
	one.data = module.bytes;
	one.size = module.size;
	if (folder)
		keep(name, number, (struct image){ one.data, one.size });
	ck_assert_msg(
		!dpr_program_from_images(test_queue, &one, 1, NULL, &program) &&
			!dpr_kernel_create(program, name, &kernel),
		"%s: %s", name, dpr_last_error());
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	text_fini(&module);
}

static bool uses_double(const struct graph *graph)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph_is_double(&graph->step[i]))
			return true;
	return false;
}

START_TEST(engine_is_taken)
{
	const bool fp64 = has_fp64();
	int n = 0, built = 0;
	struct graph graph;
	struct frame frame;

	if (strcmp(format, "spirv") != 0)
		return;
	for (int i = 0; i < EMIT_STEPS; i++) {
		if (!emit_step(&graph, i) || graph.n_scalars ||
		    (!fp64 && uses_double(&graph)) || n++ % step)
			continue;
		frame = emit_frame(built % EMIT_FRAMES, &graph);
		build_kernel(&graph, &frame, (unsigned)(built % EMIT_FRAMES));
		built++;
	}
	printf("%s: %d of %d kernels of the engine were built from SPIR-V\n",
	       dpr_device_selector(test_device), built, n);
	ck_assert_int_gt(built, 0);
}
END_TEST

/* Each reduction of each dtype in one of its shapes in turn. */
START_TEST(reductions_are_taken)
{
	const bool fp64 = has_fp64();
	int n = 0, built = 0;
	struct graph graph;
	struct frame frame;

	if (strcmp(format, "spirv") != 0)
		return;
	for (int i = 0; i < EMIT_FOLDS; i += EMIT_FOLD_SHAPES) {
		if (!emit_fold(&graph, &frame, i + n % EMIT_FOLD_SHAPES,
			       NULL) ||
		    (!fp64 && uses_double(&graph)) || n++ % (1 + step / 8))
			continue;
		build_kernel(&graph, &frame, (unsigned)n);
		built++;
	}
	printf("%s: %d of %d reductions were built from SPIR-V\n",
	       dpr_device_selector(test_device), built, n);
	ck_assert_int_gt(built, 0);
}
END_TEST

static Suite *images_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *images = tcase_create("images"),
	      *engine = tcase_create("engine"),
	      *reductions = tcase_create("reductions");

	tcase_set_timeout(images, 600);
	tcase_add_test(images, modules_are_taken);
	suite_add_tcase(suite, images);
	tcase_set_timeout(engine, 600);
	tcase_add_test(engine, engine_is_taken);
	suite_add_tcase(suite, engine);
	tcase_set_timeout(reductions, 600);
	tcase_add_test(reductions, reductions_are_taken);
	suite_add_tcase(suite, reductions);
	return suite;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		printf("usage: unit_images SELECTOR FORMAT [STEP [FOLDER]]\n");
		return EXIT_FAILURE;
	}
	format = argv[2];
	if (argc > 3 && atoi(argv[3]) > 1)
		step = atoi(argv[3]);
	folder = argc > 4 ? argv[4] : NULL;
	if (!images_steps_spirv().data) {
		printf("skipped: this build has no kernels in SPIR-V\n");
		return 77;
	}
	return run_on_selected(images_suite, argv[1]);
}
