/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_native_kernels.c - programs with a native image and OpenCL C, on every
 * device and on OpenCL CPUs without native kernels: the choice of the image,
 * arguments of all kinds, positions of work-items, and groups with local
 * memory.
 */
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/backend.h>

#include "tests/support/runtime_test.h"

/* --- The layouts are those of the plugins' interface ---------------------- */

#define SAME_SIZE(name)                                           \
	_Static_assert(sizeof(dpr_##name) == sizeof(dprp_##name), \
		       "the size of " #name)
#define SAME_PLACE(ours, theirs, member)                                     \
	_Static_assert(offsetof(ours, member) == offsetof(theirs, member) && \
			       sizeof(((ours *)0)->member) ==                \
				       sizeof(((theirs *)0)->member),        \
		       #ours "." #member)

_Static_assert(sizeof(dpr_native_param) == sizeof(dprp_param), "the size");
SAME_PLACE(dpr_native_param, dprp_param, kind);
SAME_PLACE(dpr_native_param, dprp_param, reserved);
SAME_PLACE(dpr_native_param, dprp_param, size);
SAME_SIZE(native_kernel);
SAME_PLACE(dpr_native_kernel, dprp_native_kernel, name);
SAME_PLACE(dpr_native_kernel, dprp_native_kernel, run);
SAME_PLACE(dpr_native_kernel, dprp_native_kernel, n_params);
SAME_PLACE(dpr_native_kernel, dprp_native_kernel, reserved);
SAME_PLACE(dpr_native_kernel, dprp_native_kernel, params);
SAME_SIZE(native_module);
SAME_PLACE(dpr_native_module, dprp_native_module, struct_size);
SAME_PLACE(dpr_native_module, dprp_native_module, n_kernels);
SAME_PLACE(dpr_native_module, dprp_native_module, reserved);
SAME_PLACE(dpr_native_module, dprp_native_module, kernels);
_Static_assert((int)DPR_NATIVE_PARAM_VALUE == (int)DPRP_ARG_VALUE, "values");
_Static_assert((int)DPR_NATIVE_PARAM_POINTER == (int)DPRP_ARG_MEM, "memory");
_Static_assert((int)DPR_NATIVE_PARAM_LOCAL == (int)DPRP_ARG_LOCAL, "local");
_Static_assert(_Generic((dpr_native_run)0, dprp_native_run : 1), "functions");

/* --- The kernels, as functions and as text -------------------------------- */

struct pair {
	int32_t a;
	int64_t b;
};

/* Write the number of the image: 1 for native code, 2 for text. */
static inline void image(dpr_native_item at, int *out)
{
	out[at.global_id[0]] = 1;
}
DPR_NATIVE_ITEMS(image_kernel, image, DPR_NATIVE_POINTER(int))

/* Write where the work-item is: 16 numbers. */
static inline void place(dpr_native_item at, uint64_t *out)
{
	uint64_t i = at.global_id[0] +
		     at.global_size[0] * (at.global_id[1] +
					  at.global_size[1] * at.global_id[2]);
	int d;

	for (d = 0; d < 3; d++) {
		out[16 * i + d] = at.global_id[d];
		out[16 * i + 3 + d] = at.local_id[d];
		out[16 * i + 6 + d] = at.group_id[d];
		out[16 * i + 9 + d] = at.global_size[d];
		out[16 * i + 12 + d] = at.local_size[d];
	}
}
DPR_NATIVE_ITEMS(place_kernel, place, DPR_NATIVE_POINTER(uint64_t))

/* Arguments of all kinds. */
static inline void kinds(dpr_native_item at, int *out, const int *x,
			 const int *base, dpr_strided view, struct pair pair,
			 int8_t c, uint16_t s, float f, uint64_t u)
{
	const int64_t i = (int64_t)at.global_id[0];

	out[i] = x[i] + 10 * base[view.offset + i * view.stride[0]] + pair.a +
		 (int)pair.b + c + s + (int)f + (int)u;
}
DPR_NATIVE_ITEMS(kinds_kernel, kinds, DPR_NATIVE_POINTER(int),
		 DPR_NATIVE_POINTER(const int), DPR_NATIVE_POINTER(const int),
		 DPR_NATIVE_VALUE(dpr_strided), DPR_NATIVE_VALUE(struct pair),
		 DPR_NATIVE_VALUE(int8_t), DPR_NATIVE_VALUE(uint16_t),
		 DPR_NATIVE_VALUE(float), DPR_NATIVE_VALUE(uint64_t))

/* Each group reverses its part of x, in local memory, and writes the sum. */
static inline void groups(dpr_native_group at, int *x, int *sum, int *part,
			  int *total)
{
	const uint64_t n = at.local_size[0];
	uint64_t i;

	for (i = 0; i < n; i++)
		part[i] = x[at.first[0] + i];
	*total = 0;
	for (i = 0; i < n; i++)
		x[at.first[0] + i] = part[n - 1 - i];
	for (i = 0; i < n; i++)
		*total += part[i];
	sum[at.group_id[0]] = *total;
}
DPR_NATIVE_GROUPS(groups_kernel, groups, DPR_NATIVE_POINTER(int),
		  DPR_NATIVE_POINTER(int), DPR_NATIVE_LOCAL(int),
		  DPR_NATIVE_LOCAL(int))

/* As many parameters as there can be. */
static inline void many(dpr_native_item at, int *out, int a, int b, int c,
			int d, int e, int f, int g, int h, int i, int j, int k,
			int l, int m, int n, int o)
{
	out[at.global_id[0]] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f +
			       7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
			       12 * l + 13 * m + 14 * n + 15 * o;
}
DPR_NATIVE_ITEMS(many_kernel, many, DPR_NATIVE_POINTER(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int), DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_VALUE(int))

static const char text[] =
	"kernel void image(global int *out) { out[get_global_id(0)] = 2; }\n"
	"kernel void place(global ulong *out)\n"
	"{\n"
	"	ulong i = get_global_id(0) + get_global_size(0) *\n"
	"		(get_global_id(1) + get_global_size(1) *\n"
	"		get_global_id(2));\n"
	"	for (int d = 0; d < 3; d++) {\n"
	"		out[16 * i + d] = get_global_id(d);\n"
	"		out[16 * i + 3 + d] = get_local_id(d);\n"
	"		out[16 * i + 6 + d] = get_group_id(d);\n"
	"		out[16 * i + 9 + d] = get_global_size(d);\n"
	"		out[16 * i + 12 + d] = get_local_size(d);\n"
	"	}\n"
	"}\n"
	"struct strided { long offset; int rank, pad; long shape[8], stride[8]; };\n"
	"struct pair { int a; long b; };\n"
	"kernel void kinds(global int *out, global const int *x,\n"
	"	global const int *base, struct strided view, struct pair pair,\n"
	"	char c, ushort s, float f, ulong u)\n"
	"{\n"
	"	long i = get_global_id(0);\n"
	"	out[i] = x[i] + 10 * base[view.offset + i * view.stride[0]] +\n"
	"		pair.a + (int)pair.b + c + s + (int)f + (int)u;\n"
	"}\n"
	"kernel void groups(global int *x, global int *sum, local int *part,\n"
	"	local int *total)\n"
	"{\n"
	"	size_t n = get_local_size(0), i = get_local_id(0), k;\n"
	"	part[i] = x[get_global_id(0)];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	x[get_global_id(0)] = part[n - 1 - i];\n"
	"	if (i)\n"
	"		return;\n"
	"	*total = 0;\n"
	"	for (k = 0; k < n; k++)\n"
	"		*total += part[k];\n"
	"	sum[get_group_id(0)] = *total;\n"
	"}\n"
	"kernel void many(global int *out, int a, int b, int c, int d, int e,\n"
	"	int f, int g, int h, int i, int j, int k, int l, int m, int n,\n"
	"	int o)\n"
	"{\n"
	"	out[get_global_id(0)] = a + 2 * b + 3 * c + 4 * d + 5 * e +\n"
	"		6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +\n"
	"		12 * l + 13 * m + 14 * n + 15 * o;\n"
	"}\n";

static const dpr_native_kernel kernels[] = {
	DPR_NATIVE_ENTRY("image", image_kernel),
	DPR_NATIVE_ENTRY("place", place_kernel),
	DPR_NATIVE_ENTRY("kinds", kinds_kernel),
	DPR_NATIVE_ENTRY("groups", groups_kernel),
	DPR_NATIVE_ENTRY("many", many_kernel),
};
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

/* --- What the tests share ------------------------------------------------- */

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

/* Build both images, with the text first if @text_first. */
static dpr_kernel *kernel_of(const char *name, bool text_first)
{
	const dpr_image native = DPR_NATIVE_IMAGE(module);
	const dpr_image source = { "opencl-c", NULL, text, sizeof(text) - 1 };
	const dpr_image images[] = { text_first ? source : native,
				     text_first ? native : source };
	dpr_program *program;
	dpr_kernel *kernel;

	CHECK_OK(dpr_program_build(test_queue, images, 2, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	return kernel;
}

static dpr_array *ints(int64_t n)
{
	dpr_array *x;

	CHECK_OK(dpr_arange(0, (double)n, 1, DPR_INT32, test_queue, &x));
	return x;
}

/* Read @x and release it. */
static void read_ints(dpr_array *x, int *values)
{
	CHECK_OK(dpr_array_to_memory(x, values, dpr_array_nbytes(x), NULL));
	dpr_array_release(x);
}

/* --- Tests ---------------------------------------------------------------- */

/* Native code where the device takes it, whatever comes first. */
START_TEST(which_image)
{
	const int expected = takes(DPR_NATIVE_FORMAT) ? 1 : 2;
	int values[8], order, wrong = 0;

	ck_assert_str_eq(DPR_NATIVE_FORMAT, DPRP_NATIVE_FORMAT);
	for (order = 0; order < 2; order++) {
		dpr_kernel *kernel = kernel_of("image", order);
		dpr_array *x = ints(8);

		CHECK_OK(dpr_kernel_launch(test_queue, kernel, DPR_RANGE1(7),
					   NULL, NULL, DPR_ARG(x)));
		read_ints(x, values);
		wrong += values[0] != expected || values[6] != expected ||
			 values[7] != 7;
		dpr_kernel_release(kernel);
	}
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Count the numbers that work-item @i of the range @global has written wrong.
 */
static int wrong_place(const uint64_t *seen, uint64_t i,
		       const uint64_t global[3], const uint64_t local[3])
{
	int d, wrong = 0;

	for (d = 0; d < 3; d++) {
		const uint64_t id = i % global[d];

		i /= global[d];
		wrong += seen[d] != id || seen[3 + d] != id % local[d] ||
			 seen[6 + d] != id / local[d] ||
			 seen[9 + d] != global[d] || seen[12 + d] != local[d];
	}
	return wrong;
}

START_TEST(places)
{
	static const uint64_t global[3][3] = { { 60, 1, 1 },
					       { 12, 10, 1 },
					       { 4, 6, 10 } };
	static const uint64_t local[3][3] = { { 12, 1, 1 },
					      { 6, 5, 1 },
					      { 2, 3, 5 } };
	dpr_kernel *kernel = kernel_of("place", false);
	uint64_t *seen = malloc(240 * 16 * sizeof(*seen)), i;
	int dims, wrong = 0;

	ck_assert_ptr_nonnull(seen);
	for (dims = 1; dims <= 3; dims++) {
		const uint64_t *g = global[dims - 1], *l = local[dims - 1];
		dpr_range range = dpr_range_local(dpr_range3(g[0], g[1], g[2]),
						  l[0], l[1], l[2]);
		dpr_array *out;

		range.dims = (uint32_t)dims;
		CHECK_OK(dpr_zeros(DPR_SHAPE(240 * 16), DPR_UINT64, test_queue,
				   &out));
		CHECK_OK(dpr_kernel_launch(test_queue, kernel, range, NULL,
					   NULL, DPR_ARG(out)));
		CHECK_OK(dpr_array_to_memory(out, seen, dpr_array_nbytes(out),
					     NULL));
		for (i = 0; i < g[0] * g[1] * g[2]; i++)
			wrong += wrong_place(&seen[16 * i], i, g, l);
		dpr_array_release(out);
	}
	ck_assert_int_eq(wrong, 0);
	free(seen);
	dpr_kernel_release(kernel);
}
END_TEST

/* Without a local size native code gets large groups, also of a range without
   a large power of two. */
START_TEST(default_groups)
{
	enum { N = 100000 };
	dpr_kernel *kernel = kernel_of("place", false);
	uint64_t seen[16];
	dpr_array *out;

	CHECK_OK(dpr_empty(DPR_SHAPE(N * 16), DPR_UINT64, test_queue, &out));
	CHECK_OK(dpr_kernel_launch(test_queue, kernel, DPR_RANGE1(N), NULL,
				   NULL, DPR_ARG(out)));
	CHECK_OK(dpr_usm_read(test_queue, seen, dpr_array_usm(out),
			      (N - 1) * sizeof(seen), sizeof(seen), NULL,
			      NULL));
	ck_assert_uint_eq(seen[0], N - 1);
	/* The power of two is 32. */
	if (takes(DPR_NATIVE_FORMAT))
		ck_assert_uint_ge(seen[12], 250);
	ck_assert_uint_eq(N % seen[12], 0);
	dpr_array_release(out);
	dpr_kernel_release(kernel);
}
END_TEST

START_TEST(all_kinds)
{
	const struct pair pair = { 100, 2000 };
	dpr_kernel *kernel = kernel_of("kinds", false);
	dpr_array *x = ints(20), *whole = ints(40), *out = ints(20), *view;
	const dpr_array *in = x;
	int values[20], i, wrong = 0;

	CHECK_OK(dpr_array_view(whole, &view, DPR_SLICE(1, 40, 2)));
	CHECK_OK(dpr_kernel_launch(
		test_queue, kernel, DPR_RANGE1(20), NULL, NULL, DPR_ARG(out),
		DPR_ARG(in), DPR_STRIDED(view), DPR_STRUCT(pair),
		DPR_ARG((signed char)-3), DPR_ARG((unsigned short)40000),
		DPR_ARG(7.0f), DPR_ARG((unsigned long long)5)));
	read_ints(out, values);
	for (i = 0; i < 20; i++)
		wrong += values[i] != i + 10 * (1 + 2 * i) + 42109;
	ck_assert_int_eq(wrong, 0);
	dpr_array_release(view);
	dpr_array_release(whole);
	dpr_array_release(x);
	dpr_kernel_release(kernel);
}
END_TEST

START_TEST(local_memory)
{
	enum { GROUP = 16, GROUPS = 100, N = GROUP * GROUPS };
	dpr_kernel *kernel = kernel_of("groups", false);
	dpr_array *x = ints(N), *sum = ints(GROUPS);
	int values[N], sums[GROUPS], i, wrong = 0;

	CHECK_OK(dpr_kernel_launch(
		test_queue, kernel, dpr_range_local(DPR_RANGE1(N), GROUP, 1, 1),
		NULL, NULL, DPR_ARG(x), DPR_ARG(sum),
		DPR_LOCAL(GROUP * sizeof(int)), DPR_LOCAL(sizeof(int))));
	read_ints(x, values);
	read_ints(sum, sums);
	for (i = 0; i < N; i++)
		wrong += values[i] != i / GROUP * GROUP + GROUP - 1 - i % GROUP;
	for (i = 0; i < GROUPS; i++)
		wrong += sums[i] != GROUP * GROUP * i + GROUP * (GROUP - 1) / 2;
	ck_assert_int_eq(wrong, 0);
	dpr_kernel_release(kernel);
}
END_TEST

START_TEST(sixteen_parameters)
{
	dpr_kernel *kernel = kernel_of("many", false);
	dpr_array *x = ints(3);
	dpr_arg args[16] = { DPR_ARG(x) };
	int values[3], i, sum = 0;

	for (i = 1; i < 16; i++) {
		args[i] = DPR_ARG(1 << i);
		sum += i << i;
	}
	CHECK_OK(dpr_kernel_launch_args(test_queue, kernel, DPR_RANGE1(3), NULL,
					NULL, args, 16));
	read_ints(x, values);
	ck_assert_int_eq(values[0], sum);
	ck_assert_int_eq(values[2], sum);
	dpr_kernel_release(kernel);
}
END_TEST

/* The signature of native code is known, so that it is checked. */
START_TEST(wrong_arguments)
{
	dpr_kernel *kernel = kernel_of("groups", false);
	dpr_array *x = ints(4);
	dpr_array *y = x;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch(test_queue, kernel, DPR_RANGE1(4), NULL,
				      NULL, DPR_ARG(x), DPR_ARG(y)));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch(test_queue, kernel, DPR_RANGE1(4), NULL,
				      NULL, DPR_ARG(x), DPR_ARG(y), DPR_ARG(x),
				      DPR_LOCAL(4)));
	dpr_kernel_release(kernel);
	kernel = kernel_of("kinds", false);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch(test_queue, kernel, DPR_RANGE1(4), NULL,
				      NULL, DPR_ARG(x), DPR_ARG(x),
				      DPR_STRIDED(x), DPR_ARG(1), DPR_ARG(1),
				      DPR_ARG(1), DPR_ARG(1), DPR_ARG(1)));
	dpr_kernel_release(kernel);
	dpr_array_release(x);
}
END_TEST

/* A device that takes native code alone refuses text, and the error names the
   remedy. */
START_TEST(text_refused)
{
	dpr_program *program;
	dpr_status status =
		dpr_program_from_source(test_queue, text, NULL, &program);

	ck_assert_int_eq(status, DPR_ERROR_UNSUPPORTED);
	CHECK_TEXT("dpr/native.h");
	CHECK_TEXT("PoCL");
}
END_TEST

static Suite *native_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("native");

	tcase_set_timeout(tcase, 300);
	if (takes("opencl-c") || takes(DPR_NATIVE_FORMAT)) {
		tcase_add_test(tcase, which_image);
		tcase_add_test(tcase, places);
		tcase_add_test(tcase, default_groups);
		tcase_add_test(tcase, all_kinds);
		tcase_add_test(tcase, local_memory);
		tcase_add_test(tcase, sixteen_parameters);
	}
	if (takes(DPR_NATIVE_FORMAT))
		tcase_add_test(tcase, wrong_arguments);
	if (!strcmp(dpr_device_backend(test_device), "host"))
		tcase_add_test(tcase, text_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* Run the tests in a process where OpenCL CPUs take no native code. */
static int run_with_text(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		setenv("DPR_OPTION_OPENCL_NATIVE", "no", 1);
		exit(run_on_selected(native_suite, "opencl:cpu"));
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status))
		return EXIT_FAILURE;
	return WEXITSTATUS(status);
}

int main(void)
{
	static const char formats[] = DPR_NATIVE_FORMAT ",opencl-c";
	const char *devices = getenv("DPR_TEST_DEVICES");
	int failed = devices ? 0 : run_with_text();

	if (failed && failed != 77)
		return failed;
	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK2_FORMATS", DPR_NATIVE_FORMAT, 1);
	setenv("DPR_OPTION_MOCK_BARE_FORMATS", formats, 1);
	return run_on_all(native_suite);
}
