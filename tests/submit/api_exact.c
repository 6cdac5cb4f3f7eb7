/* SPDX-License-Identifier: Apache-2.0 */
/* api_exact.c - a launch without a local size runs exactly the work-items that
   were asked for, on every device: kernels without a bounds check. */
#include <dpr/backend.h>

#include "tests/support/runtime_test.h"

#define GUARD 512 /* ints behind those that the range covers */
#define LARGE 1000003
/* The largest prime that is tried in each dimension. */
#define COMMON 65537

static const uint64_t sizes[] = { 1, 2, 7, 97, 255, 257, 1009, COMMON, LARGE };

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* mark: count the visits of each work-item, and store the global size.  cover:
   a grid-stride loop over n ints. */
static const char source[] =
	"kernel void mark(global int *x, global ulong *seen)\n"
	"{\n"
	"	size_t i = get_global_id(0), j = get_global_id(1),\n"
	"	       k = get_global_id(2);\n"
	"	x[(k * get_global_size(1) + j) * get_global_size(0) + i]++;\n"
	"	if (i + j + k == 0)\n"
	"		for (uint d = 0; d < 3; d++)\n"
	"			seen[d] = get_global_size(d);\n"
	"}\n"
	"kernel void cover(global int *x, ulong n)\n"
	"{\n"
	"	for (ulong i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"		x[i]++;\n"
	"}\n";

/* --- The same kernels in this machine's code ------------------------------ */

static void *memory_of(const void *arg)
{
	return *(void *const *)arg;
}

static void run_mark(const void *const *args, const uint64_t global[3],
		     const uint64_t local[3], const uint64_t group[3])
{
	int *x = memory_of(args[0]);
	uint64_t i, j, k;

	for (k = group[2] * local[2]; k < (group[2] + 1) * local[2]; k++)
		for (j = group[1] * local[1]; j < (group[1] + 1) * local[1];
		     j++)
			for (i = group[0] * local[0];
			     i < (group[0] + 1) * local[0]; i++)
				x[(k * global[1] + j) * global[0] + i]++;
	if (!group[0] && !group[1] && !group[2])
		memcpy(memory_of(args[1]), global, 3 * sizeof(*global));
}

static void run_cover(const void *const *args, const uint64_t global[3],
		      const uint64_t local[3], const uint64_t group[3])
{
	int *x = memory_of(args[0]);
	uint64_t n, i, id;

	memcpy(&n, args[1], sizeof(n));
	for (id = group[0] * local[0]; id < (group[0] + 1) * local[0]; id++)
		for (i = id; i < n; i += global[0])
			x[i]++;
}

static const dprp_param of_mark[] = { { DPRP_ARG_MEM, 0, sizeof(void *) },
				      { DPRP_ARG_MEM, 0, sizeof(void *) } };
static const dprp_param of_cover[] = { { DPRP_ARG_MEM, 0, sizeof(void *) },
				       { DPRP_ARG_VALUE, 0, 8 } };
static const dprp_native_kernel kernels[] = {
	{ "mark", run_mark, 2, 0, of_mark },
	{ "cover", run_cover, 2, 0, of_cover }
};
static const dprp_native_module module = { sizeof(module), 2, 0, kernels };

/* --- Launches ------------------------------------------------------------- */

/* Whether the device takes images of this format. */
static bool takes(const char *format)
{
	char all[4096];
	size_t size = 0, i;

	if (dpr_device_info(test_device, DPR_INFO_FORMATS, all, sizeof(all),
			    &size))
		return false;
	for (i = 0; i < size; i += strlen(&all[i]) + 1)
		if (!strcmp(&all[i], format))
			return true;
	return false;
}

static dpr_kernel *kernel_of(const char *name)
{
	const dpr_image image = { DPRP_NATIVE_FORMAT, NULL, &module,
				  sizeof(module) };
	dpr_program *program;
	dpr_kernel *kernel;

	if (takes("opencl-c"))
		CHECK_OK(dpr_program_from_source(test_queue, source, NULL,
						 &program));
	else
		CHECK_OK(dpr_program_from_images(test_queue, &image, 1, NULL,
						 &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	return kernel;
}

/* The number of ints of @x that are not 1 among the first @n, or not 0 among
   the guard behind. */
static uint64_t count_wrong(dpr_usm *x, uint64_t n)
{
	const size_t bytes = (size_t)(n + GUARD) * sizeof(int);
	int *values = malloc(bytes);
	uint64_t wrong = 0, i;

	ck_assert_ptr_nonnull(values);
	CHECK_OK(dpr_usm_read(test_queue, values, x, 0, bytes, NULL, NULL));
	for (i = 0; i < n + GUARD; i++)
		wrong += values[i] != (i < n);
	free(values);
	return wrong;
}

static uint64_t size_of(const dpr_range *range, int i)
{
	return (uint32_t)i < range->dims ? range->global[i] : 1;
}

/* Launch mark over @range. */
static void try_exact(dpr_kernel *mark, dpr_range range)
{
	const uint64_t n =
		size_of(&range, 0) * size_of(&range, 1) * size_of(&range, 2);
	dpr_usm *x = new_ints(test_queue, (size_t)n + GUARD, 0);
	dpr_usm *seen = new_ints(test_queue, 6, 0);
	const dpr_arg args[] = { DPR_USM_READ_WRITE(x, 0),
				 DPR_USM_READ_WRITE(seen, 0) };
	uint64_t global[3], wrong;
	int i;

	CHECK_OK(dpr_kernel_launch_usm(test_queue, mark, range, NULL, NULL,
				       args, 2));
	CHECK_OK(dpr_usm_read(test_queue, global, seen, 0, sizeof(global), NULL,
			      NULL));
	wrong = count_wrong(x, n);
	for (i = 0; i < 3; i++)
		if (global[i] != size_of(&range, i))
			wrong++;
	ck_assert_msg(!wrong,
		      "%llu x %llu x %llu: %llu wrong, global sizes %llu %llu "
		      "%llu",
		      (unsigned long long)size_of(&range, 0),
		      (unsigned long long)size_of(&range, 1),
		      (unsigned long long)size_of(&range, 2),
		      (unsigned long long)wrong, (unsigned long long)global[0],
		      (unsigned long long)global[1],
		      (unsigned long long)global[2]);
	dpr_usm_release(seen);
	dpr_usm_release(x);
}

/* Whether to leave out a size: the largest takes long where little is asked
   for, or where a driver in software runs the work. */
static bool leaves_out_size(uint64_t n)
{
	return n == LARGE &&
	       (getenv("DPR_TEST_SMALL") ||
		!strcmp(dpr_device_backend(test_device), "level_zero"));
}

/* The largest prime that the second and third dimension take. */
static uint64_t largest_prime(void)
{
	uint64_t most[3] = { 0, 0, 0 };
	size_t size;

	if (dpr_device_info(test_device, DPR_INFO_MAX_WORK_GROUPS, most,
			    sizeof(most), &size))
		return UINT64_MAX;
	return most[1] ? most[1] : UINT64_MAX;
}

START_TEST(exact)
{
	const uint64_t largest = largest_prime();
	dpr_kernel *mark = kernel_of("mark");
	size_t i;

	for (i = 0; i < N_SIZES; i++)
		if (!leaves_out_size(sizes[i]))
			try_exact(mark, DPR_RANGE1(sizes[i]));
	for (i = 0; i < N_SIZES && sizes[i] <= COMMON; i++) {
		try_exact(mark, DPR_RANGE2(sizes[i], 3));
		try_exact(mark, DPR_RANGE3(sizes[i], 2, 3));
		if (sizes[i] > largest)
			continue;
		try_exact(mark, DPR_RANGE2(4, sizes[i]));
		try_exact(mark, DPR_RANGE3(3, sizes[i], 1));
		try_exact(mark, DPR_RANGE3(1, 5, sizes[i]));
	}
	try_exact(mark, DPR_RANGE2(97, 97));
	try_exact(mark, DPR_RANGE3(7, 11, 13));
	try_exact(mark, DPR_RANGE3(64, 24, 10));
	dpr_kernel_release(mark);
}
END_TEST

/* Fewer work-items than elements, and more. */
START_TEST(grid_stride)
{
	static const uint64_t items[] = { 1, 97, 1000, 1009, 30011 };
	const uint64_t n = 20011;
	dpr_kernel *cover = kernel_of("cover");
	dpr_usm *x;
	size_t i;

	for (i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		x = new_ints(test_queue, (size_t)n + GUARD, 0);
		const dpr_arg args[] = { DPR_USM_READ_WRITE(x, 0), DPR_ARG(n) };

		CHECK_OK(dpr_kernel_launch_usm(test_queue, cover,
					       DPR_RANGE1(items[i]), NULL, NULL,
					       args, 2));
		ck_assert_uint_eq(count_wrong(x, n), 0);
		dpr_usm_release(x);
	}
	dpr_kernel_release(cover);
}
END_TEST

/* A padded range runs at least the work-items that were asked for. */
START_TEST(padded)
{
	const uint64_t n = 1009;
	const dpr_range range = dpr_range_padded(DPR_RANGE1(n));
	dpr_kernel *mark = kernel_of("mark");
	dpr_usm *x = new_ints(test_queue, 8192, 0);
	dpr_usm *seen = new_ints(test_queue, 6, 0);
	const dpr_arg args[] = { DPR_USM_READ_WRITE(x, 0),
				 DPR_USM_READ_WRITE(seen, 0) };
	uint64_t global[3];

	CHECK_OK(dpr_kernel_launch_usm(test_queue, mark, range, NULL, NULL,
				       args, 2));
	CHECK_OK(dpr_usm_read(test_queue, global, seen, 0, sizeof(global), NULL,
			      NULL));
	ck_assert_uint_ge(global[0], n);
	/* The mock rounds to 64. */
	if (!strncmp(dpr_device_backend(test_device), "mock", 4))
		ck_assert_uint_eq(global[0], 1024);
	ck_assert_uint_le(global[0], 8192);
	ck_assert_int_eq(first_int(test_queue, x), 1);
	dpr_usm_release(seen);
	dpr_usm_release(x);
	dpr_kernel_release(mark);
}
END_TEST

static Suite *exact_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("exact");

	tcase_set_timeout(tcase, 300);
	if (takes("opencl-c") || takes(DPRP_NATIVE_FORMAT)) {
		tcase_add_test(tcase, exact);
		tcase_add_test(tcase, grid_stride);
		tcase_add_test(tcase, padded);
	}
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK2_FORMATS", DPRP_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK_BARE_FORMATS", DPRP_NATIVE_FORMAT, 1);
	return run_on_all(exact_suite);
}
