/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_images.c - compiling the engine's kernels with a driver.
 *
 * usage: unit_images SELECTOR FORMAT [STEP [FOLDER]]: on each device of
 * SELECTOR, build a kernel for each step and dtype, and for each reduction and
 * dtype, or every STEP-th, in FORMAT ("spirv", "opencl-c").  Nothing is
 * launched, so the driver need not have a device that can run code.  With
 * FOLDER, what is compiled is also written there, for other compilers.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/engine/text/emit_text.h"
#include "kernels/images.h"
#include "tests/engine/emit_cases.h"
#include "tests/engine/emit_stages.h"
#include "tests/support/devices.h"

static const char *format, *folder;
static int step = 1;

static bool has_fp64(void)
{
	uint64_t fp64 = 0;

	return !dpr_device_info_u64(test_device, DPR_INFO_ASPECT_FP64, &fp64) &&
	       fp64;
}

/* Write a module to a file of the folder. */
static void keep(const char *name, unsigned type, const struct text *module)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s-%u", folder, name, type);
	file = fopen(path, "wb");
	ck_assert_msg(file, "%s cannot be written", path);
	ck_assert_uint_eq(fwrite(module->bytes, 1, module->size, file),
			  module->size);
	ck_assert_int_eq(fclose(file), 0);
}

static void build_kernel(const struct graph *graph,
			 const struct schedule *schedule, unsigned number)
{
	const bool is_text = strcmp(format, "opencl-c") == 0;
	dpr_image one = { format, NULL, NULL, 0 };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	struct text module = { 0 };
	char name[GRAPH_NAME];

	schedule_name(graph, schedule, name);
	ck_assert(
		(is_text ? emit_text_kernel(graph, schedule, name, &module)
			 : emit_spirv_kernel(graph, schedule, name, &module)));
	one.data = module.bytes;
	one.size = module.size;
	if (folder)
		keep(name, number, &module);
	ck_assert_msg(!dpr_program_from_images(
			      test_queue, &one, 1,
			      is_text ? "-cl-std=CL1.2 -w" : NULL, &program) &&
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
	struct schedule schedule;

	for (int i = 0; i < EMIT_STEPS; i++) {
		if (!emit_step(&graph, i) || graph.n_scalars ||
		    (!fp64 && uses_double(&graph)) || n++ % step)
			continue;
		schedule = emit_schedule(built % EMIT_SCHEDULES, &graph);
		build_kernel(&graph, &schedule,
			     (unsigned)(built % EMIT_SCHEDULES));
		built++;
	}
	printf("%s: %d of %d kernels were built from %s\n",
	       dpr_device_selector(test_device), built, n, format);
	ck_assert_int_gt(built, 0);
}
END_TEST

/* Each reduction of each dtype in one of its shapes in turn. */
START_TEST(reduce_table_are_taken)
{
	const bool fp64 = has_fp64();
	int n = 0, built = 0;
	struct graph graph;
	struct schedule schedule;

	for (int i = 0; i < EMIT_REDUCTIONS; i += EMIT_REDUCE_SHAPES) {
		if (!emit_reduction(&graph, &schedule,
				    i + n % EMIT_REDUCE_SHAPES, NULL) ||
		    (!fp64 && uses_double(&graph)) || n++ % (1 + step / 8))
			continue;
		build_kernel(&graph, &schedule, (unsigned)n);
		built++;
	}
	printf("%s: %d of %d reductions were built from %s\n",
	       dpr_device_selector(test_device), built, n, format);
	ck_assert_int_gt(built, 0);
}
END_TEST

/* Rows in stages. */
START_TEST(rows_are_taken)
{
	const bool fp64 = has_fp64();
	int n = 0, built = 0;
	struct graph graph;
	struct schedule schedule;

	for (int i = 0; i < EMIT_STAGES; i++) {
		if (!emit_stages(&graph, &schedule, i) ||
		    (!fp64 && uses_double(&graph)) || n++ % (7 + step / 2))
			continue;
		build_kernel(&graph, &schedule, (unsigned)n);
		built++;
	}
	printf("%s: %d of %d kernels of rows were built from %s\n",
	       dpr_device_selector(test_device), built, n, format);
	ck_assert_int_gt(built, 0);
}
END_TEST

static Suite *images_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *engine = tcase_create("engine"),
	      *reductions = tcase_create("reductions"),
	      *rows = tcase_create("rows");

	tcase_set_timeout(engine, 600);
	tcase_add_test(engine, engine_is_taken);
	suite_add_tcase(suite, engine);
	tcase_set_timeout(reductions, 600);
	tcase_add_test(reductions, reduce_table_are_taken);
	suite_add_tcase(suite, reductions);
	tcase_set_timeout(rows, 600);
	tcase_add_test(rows, rows_are_taken);
	suite_add_tcase(suite, rows);
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
	if (!images_have_spirv()) {
		printf("skipped: this build has no kernels in SPIR-V\n");
		return 77;
	}
	return run_on_selected(images_suite, argv[1]);
}
