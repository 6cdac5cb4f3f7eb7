/* SPDX-License-Identifier: Apache-2.0 */
/* api_exact_cuda.c - on a mock of NVIDIA's driver a launch without a local size
   runs exactly the work-items that were asked for, within CUDA's limits of
   grids and blocks. */
#include "tests/cuda/cuda_api.h"

#define GUARD 512 /* ints behind those that the range covers */
#define MOST 1000003

static const char text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry mark(.param .u64 .ptr .global .align 4 x, "
	".param .u64 .ptr .global .align 8 seen)\n{\nret;\n}\n"
	".visible .entry sized(.param .u64 .ptr .global .align 4 x, "
	".param .u64 .ptr .global .align 8 seen)\n"
	".reqntid 12, 2, 1\n{\nret;\n}\n";

/* Count a visit of each work-item, and store the global size. */
static int mark_function(const struct cumock_run *run)
{
	uint64_t n = 1, *seen, i;
	int *x;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&seen, run->params + 8, sizeof(seen));
	if (!mock->reaches(run->device, seen, 3 * sizeof(*seen)))
		return 700; /* CUDA_ERROR_ILLEGAL_ADDRESS */
	for (i = 0; i < 3; i++) {
		seen[i] = (uint64_t)run->grid[i] * run->block[i];
		n *= seen[i];
	}
	if (!mock->reaches(run->device, x, n * sizeof(*x)))
		return 700;
	for (i = 0; i < n; i++)
		x[i]++;
	return 0;
}

static dpr_queue *queue;
static dpr_usm *x, *seen;

static dpr_kernel *start(const char *name)
{
	const dpr_image image = { "ptx", NULL, text, sizeof(text) };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;

	use_backends(NULL);
	mock->kernel("mark", mark_function);
	mock->kernel("sized", mark_function);
	queue = queue_of(get_device("cuda:0"));
	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	x = new_ints(queue, DPR_USM_DEVICE, MOST + GUARD, 0);
	seen = new_ints(queue, DPR_USM_DEVICE, 6, 0);
	return kernel;
}

static void stop(dpr_kernel *kernel)
{
	dpr_usm_release(seen);
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	finish_all();
}

static dpr_status try(dpr_kernel *kernel, dpr_range range)
{
	const dpr_arg args[] = { DPR_USM_READ_WRITE(x, 0),
				 DPR_USM_READ_WRITE(seen, 0) };

	return dpr_kernel_launch_usm(queue, kernel, range, NULL, NULL, args, 2);
}

static void check_exact(dpr_kernel *kernel, dpr_range range)
{
	static int values[MOST + GUARD];
	uint64_t global[3], n = 1, wrong = 0, i;

	for (i = 0; i < range.dims; i++)
		n *= range.global[i];
	CHECK_OK(dpr_usm_fill(queue, x, 0, "", 1, sizeof(values), NULL, NULL));
	CHECK_OK(try(kernel, range));
	CHECK_OK(dpr_usm_read(queue, values, x, 0, sizeof(values), NULL, NULL));
	CHECK_OK(dpr_usm_read(queue, global, seen, 0, sizeof(global), NULL,
			      NULL));
	for (i = 0; i < MOST + GUARD; i++)
		wrong += values[i] != (i < n);
	for (i = 0; i < 3; i++)
		wrong += global[i] != (i < range.dims ? range.global[i] : 1);
	ck_assert_msg(!wrong,
		      "%llu x %llu x %llu: %llu wrong, global sizes %llu %llu "
		      "%llu",
		      (unsigned long long)range.global[0],
		      (unsigned long long)range.global[1],
		      (unsigned long long)range.global[2],
		      (unsigned long long)wrong, (unsigned long long)global[0],
		      (unsigned long long)global[1],
		      (unsigned long long)global[2]);
}

static void check_refused(dpr_kernel *kernel, dpr_range range, const char *part)
{
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, try(kernel, range));
	CHECK_TEXT(part);
	CHECK_TEXT("DPR_RANGE_PADDED");
}

START_TEST(exact)
{
	static const uint64_t sizes[] = { 1,   2,    7,     97,  255,
					  257, 1009, 65537, MOST };
	dpr_kernel *mark = start("mark");
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_exact(mark, DPR_RANGE1(sizes[i]));
	for (i = 0; sizes[i] <= 65537; i++) {
		check_exact(mark, DPR_RANGE2(sizes[i], 3));
		check_exact(mark, DPR_RANGE3(sizes[i], 2, 3));
	}
	for (i = 0; sizes[i] < 65537; i++) {
		check_exact(mark, DPR_RANGE2(4, sizes[i]));
		check_exact(mark, DPR_RANGE3(3, sizes[i], 1));
		check_exact(mark, DPR_RANGE3(1, 5, sizes[i]));
	}
	/* More work-items than the device takes work-groups. */
	check_exact(mark, DPR_RANGE2(1, 2 * 65535));
	check_exact(mark, DPR_RANGE3(1, 1, 4 * 65535));
	stop(mark);
}
END_TEST

/* With 65535 work-groups at most in the second and third dimension, a larger
   prime has no local size. */
START_TEST(too_many_groups)
{
	dpr_kernel *mark = start("mark");

	check_refused(mark, DPR_RANGE2(1, 65537),
		      "no local size divides the 65537 work-items of dimension "
		      "1 into at most 65535 work-groups");
	check_refused(mark, DPR_RANGE3(1, 1, 65537),
		      "the 65537 work-items of dimension 2");
	CHECK_OK(try(mark, dpr_range_padded(DPR_RANGE2(1, 65537))));
	CHECK_OK(dpr_queue_wait(queue));
	stop(mark);
}
END_TEST

/* A kernel that requires a local size gets that. */
START_TEST(a_required_size)
{
	dpr_kernel *sized = start("sized");

	check_exact(sized, DPR_RANGE2(24, 6));
	check_exact(sized, DPR_RANGE3(12, 2, 7));
	check_refused(sized, DPR_RANGE2(24, 7),
		      "the local size 2 that the kernel requires does not "
		      "divide the 7 work-items of dimension 1");
	stop(sized);
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("api_exact_cuda", &tcase);

	use_backends(NULL);
	tcase_add_test(tcase, exact);
	tcase_add_test(tcase, too_many_groups);
	tcase_add_test(tcase, a_required_size);
	return run_all(runner);
}
