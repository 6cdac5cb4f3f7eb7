/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_programs.c - programs and kernels of the Level Zero backend, on the
   software driver: the images that are built, the settings of a launch, and
   calls that are refused before any driver call. */
#include <pthread.h>

#include "tests/level_zero/level_zero_test.h"
#include "tests/support/spirv_constants.h"

#define THREADS 8
#define LAUNCHES 40

static const char source[] =
	"struct pair { int a; long b; };\n"
	"kernel void mix(global int *x, struct pair p, int4 v, uchar c,\n"
	"		 local int *t, ulong n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	t[get_local_id(0)] = p.a + (int)p.b + v.w + c;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (i < n)\n"
	"		x[i] = t[get_local_id(0)] + (int)i;\n"
	"}\n"
	"kernel void add(global int *x, int value)\n"
	"{\n"
	"	if (get_global_id(0) == 0)\n"
	"		x[0] += value;\n"
	"}\n"
	"kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
	"void sized(global int *x)\n"
	"{\n"
	"	atomic_inc(x);\n"
	"}\n";

struct pair {
	int32_t a, pad;
	int64_t b;
};

static const dpr_image constants = { "spirv", NULL, spirv_constants,
				     sizeof(spirv_constants) };

static dpr_queue *queue;

static void start(void)
{
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), 0);
}

static void stop(void)
{
	dpr_queue_release(queue);
	finish_all();
}

/* Build the source, and get a kernel of it, which keeps the program alive. */
static dpr_kernel *new_kernel(const char *name)
{
	dpr_program *program;
	dpr_kernel *kernel;

	CHECK_OK(dpr_program_from_source(queue, source, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	return kernel;
}

static dpr_status add(dpr_queue *on, dpr_kernel *kernel, dpr_usm *to,
		      int32_t value)
{
	const dpr_arg args[] = { dpr_arg_usm_use(to, 0, DPR_READ_WRITE),
				 dpr_arg_i32(value) };

	return dpr_kernel_launch_usm(on, kernel, dpr_range1(1), NULL, NULL,
				     args, 2);
}

/* --- Source --------------------------------------------------------------- */

static void check_param(const dpr_kernel *kernel, uint32_t index,
			enum dpr_param_kind kind, size_t size)
{
	enum dpr_param_kind got;
	size_t bytes;

	CHECK_OK(dpr_kernel_param(kernel, index, &got, &bytes));
	ck_assert_int_eq(got, kind);
	ck_assert_uint_eq(bytes, size);
}

/* Launch "mix", and check its results. */
static void check_mix(dpr_kernel *kernel)
{
	const int32_t v[4] = { 1, 2, 3, 40 };
	const struct pair p = { 100, 0, 1000 };
	dpr_usm *x = new_ints(queue, DPR_USM_DEVICE, 1000, 0);
	const dpr_arg args[] = { dpr_arg_usm_use(x, 0, DPR_READ_WRITE),
				 dpr_arg_bytes(&p, sizeof(p)),
				 dpr_arg_bytes(v, sizeof(v)),
				 dpr_arg_u8(7),
				 dpr_arg_local(256 * 4),
				 dpr_arg_u64(1000) };
	int i;

	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(1000), NULL,
				       NULL, args, 6));
	for (i = 0; i < 1000; i += 333)
		ck_assert_int_eq(get_int(queue, x, (size_t)i), 1147 + i);
	dpr_usm_release(x);
}

START_TEST(arguments_of_every_kind)
{
	dpr_kernel_info info;
	dpr_kernel *kernel;

	start();
	kernel = new_kernel("mix");
	CHECK_OK(dpr_kernel_get_info(kernel, &info));
	ck_assert_uint_eq(info.n_args, 6);
	check_param(kernel, 0, DPR_PARAM_MEMORY, 8);
	check_param(kernel, 1, DPR_PARAM_VALUE, sizeof(struct pair));
	check_param(kernel, 2, DPR_PARAM_VALUE, 4 * sizeof(int32_t));
	check_param(kernel, 3, DPR_PARAM_VALUE, 1);
	check_param(kernel, 4, DPR_PARAM_LOCAL, 0);
	check_param(kernel, 5, DPR_PARAM_VALUE, 8);
	check_mix(kernel);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

START_TEST(errors_in_source)
{
	dpr_program *program;

	start();
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_source(
			    queue, "kernel void f(global int *x) { x[0] = y; }",
			    NULL, &program));
	CHECK_TEXT("undeclared identifier 'y'");
	CHECK_OK(dpr_program_from_source(
		queue, "kernel void f(global int *x) { x[0] = A + B; }",
		" -DA=1\t'-DB=(2 + 3)' ", &program));
	dpr_program_release(program);
	stop();
}
END_TEST

START_TEST(no_compiler)
{
	dpr_program *program;
	char formats[200];
	size_t size;

	setenv("DPR_OPTION_LEVEL_ZERO_LLVM", "/no/such/folder", 1);
	setenv("DPR_OPTION_LEVEL_ZERO_OCLOC", "/no/such/ocloc", 1);
	start();
	CHECK_OK(dpr_device_info(dpr_queue_device(queue), DPR_INFO_FORMATS,
				 formats, sizeof(formats), &size));
	ck_assert_mem_eq(formats, "spirv\0level_zero-binary", size);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_from_source(queue, source, NULL, &program));
	CHECK_TEXT("offered (opencl-c); it takes: spirv, level_zero-binary; ");
	CHECK_TEXT("ocloc is not installed");
	CHECK_TEXT("clang and llvm-spirv of the same version are not in "
		   "/no/such/folder");
	CHECK_TEXT("the driver takes no OpenCL C");
	CHECK_TEXT("install intel-ocloc");
	CHECK_OK(dpr_program_from_images(queue, &constants, 1, NULL, &program));
	dpr_program_release(program);
	stop();
}
END_TEST

/* Write a program that stands in for ocloc.  It keeps the name of its folder
   argument, and then runs @ending.  Returns the path of the program. */
static const char *write_ocloc(const char *ending)
{
	static char path[4096];
	char name[64];
	FILE *file;

	in_build(path, sizeof(path), "tests/cache");
	mkdir(path, 0755);
	snprintf(name, sizeof(name), "tests/cache/ocloc-%d", (int)getpid());
	ck_assert_ptr_nonnull(realpath(".", path));
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"#!/bin/sh\nwhile [ \"$1\" != -out_dir ]; do shift; done\n"
		"printf %%s \"$2\" >\"$0.folder\"\n%s\n",
		ending);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

/* Whatever ocloc does, its output folder is removed. */
START_TEST(an_ocloc_that_fails)
{
	static const struct {
		const char *ending, *text;
	} cases[] = {
		{ "echo x >\"$2/program.spv\"; kill $$",
		  "failed to compile the source" },
		{ "exit 0", "ocloc wrote no SPIR-V" },
		{ "echo x >\"$2/program.spv\"", "the SPIR-V module" },
	};
	const char *ocloc = write_ocloc(cases[_i].ending);
	char kept[4200], folder[256] = "";
	dpr_program *program;
	FILE *file;

	setenv("DPR_OPTION_LEVEL_ZERO_COMPILER", "ocloc", 1);
	setenv("DPR_OPTION_LEVEL_ZERO_OCLOC", ocloc, 1);
	start();
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_source(queue, source, NULL, &program));
	CHECK_TEXT(cases[_i].text);
	snprintf(kept, sizeof(kept), "%s.folder", ocloc);
	file = fopen(kept, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(folder, sizeof(folder), file));
	fclose(file);
	unlink(kept);
	unlink(ocloc);
	ck_assert_ptr_nonnull(strstr(folder, "/dpr-ocloc-"));
	ck_assert_msg(access(folder, F_OK) != 0, "%s is left", folder);
	stop();
}
END_TEST

static bool takes_source(void)
{
	char formats[200];
	size_t size;

	CHECK_OK(dpr_device_info(dpr_queue_device(queue), DPR_INFO_FORMATS,
				 formats, sizeof(formats), &size));
	return memmem(formats, size, "opencl-c", sizeof("opencl-c"));
}

/* The driver's own compiler does not report parameters. */
START_TEST(the_driver_compiles)
{
	enum dpr_param_kind kind;
	dpr_program *program;
	dpr_kernel *kernel;
	char flags[300];
	size_t bytes;

	setenv("DPR_OPTION_LEVEL_ZERO_COMPILER", "driver", 1);
	ck_assert(zecpu->set("SOURCE", 1));
	start();
	ck_assert(takes_source());
	kernel = new_kernel("mix");
	zecpu->build_flags(flags, sizeof(flags));
	ck_assert_str_eq(flags, "-cl-std=CL1.2  ");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_kernel_param(kernel, 0, &kind, &bytes));
	check_mix(kernel);
	dpr_kernel_release(kernel);
	CHECK_OK(dpr_program_from_source(queue, source, "-cl-std=CL1.1 -DA=1",
					 &program));
	zecpu->build_flags(flags, sizeof(flags));
	ck_assert_str_eq(flags, "-cl-std=CL1.1 -DA=1 ");
	dpr_program_release(program);
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_source(queue, "kernel void f() { x; }",
					    NULL, &program));
	CHECK_TEXT("undeclared identifier 'x'");
	stop();
}
END_TEST

START_TEST(the_driver_does_not_compile)
{
	setenv("DPR_OPTION_LEVEL_ZERO_COMPILER", "driver", 1);
	start();
	ck_assert(!takes_source());
	stop();
}
END_TEST

START_TEST(wrong_options)
{
	static const char *const names[] = { "OCLOC", "LLVM", "COMPILER" };
	char name[60];
	dpr_device *device;

	snprintf(name, sizeof(name), "DPR_OPTION_LEVEL_ZERO_%s", names[_i]);
	setenv(name, "relative", 1);
	use_backends(NULL);
	ck_assert_int_ne(dpr_device_select("level_zero:0", &device), DPR_OK);
	CHECK_TEXT(name);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Specialization constants, and binaries ------------------------------- */

static dpr_program *build_with(uint32_t *value, uint64_t flags)
{
	const dpr_spec spec[] = { { 3, 4, value }, { 1, 1, "" } };
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .flags = flags,
					    .spec = spec,
					    .n_spec = value ? 2 : 0 };
	dpr_program *program;

	CHECK_OK(dpr_program_build(queue, &constants, 1, &options, &program));
	return program;
}

/* Returns the value that the program's kernel stores. */
static int stored(dpr_program *program)
{
	dpr_usm *x = new_ints(queue, DPR_USM_DEVICE, 1, 0);
	const dpr_arg arg = dpr_arg_usm_use(x, 0, DPR_WRITE);
	dpr_kernel *kernel;
	int value;

	CHECK_OK(dpr_kernel_create(program, "add_one", &kernel));
	CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(1), NULL, NULL,
				       &arg, 1));
	value = get_int(queue, x, 0);
	dpr_kernel_release(kernel);
	dpr_usm_release(x);
	return value;
}

START_TEST(constants_have_their_values)
{
	uint32_t value = 77, wrong = 1;
	const dpr_spec spec = { 4, 4, &wrong };
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .spec = &spec,
					    .n_spec = 1 };
	dpr_program *program;

	start();
	program = build_with(NULL, 0);
	ck_assert_int_eq(stored(program), 5);
	dpr_program_release(program);
	program = build_with(&value, 0);
	value = 0; /* the build has copied it */
	ck_assert_int_eq(stored(program), 77);
	dpr_program_release(program);
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_program_build(queue, &constants, 1, &options, &program));
	CHECK_TEXT("no specialization constant 4");
	stop();
}
END_TEST

/* A binary keeps the values of constants, the flags and the parameter table. */
START_TEST(binaries_are_built_again)
{
	dpr_build_options options = { .struct_size = sizeof(options),
				      .flags = DPR_BUILD_ROUNDED };
	dpr_image image = { "level_zero-binary", NULL, NULL, 0 };
	dpr_program *program, *again;
	uint32_t value = 78;
	dpr_kernel *kernel;
	char *bytes;
	size_t size;

	start();
	program = build_with(&value, DPR_BUILD_ROUNDED);
	ck_assert_str_eq(dpr_program_binary_format(program), image.format);
	CHECK_OK(dpr_program_binary(program, NULL, 0, &size));
	bytes = malloc(size);
	CHECK_OK(dpr_program_binary(program, bytes, size, &size));
	dpr_program_release(program);
	image.data = bytes;
	image.size = size;
	CHECK_OK(dpr_program_build(queue, &image, 1, &options, &again));
	ck_assert_int_eq(stored(again), 78);
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_kernel_create(again, "add_two", &kernel));
	CHECK_TEXT("the program has no kernel add_two; it has ");
	CHECK_TEXT("add_one");
	CHECK_OK(dpr_kernel_create(again, "add_one", &kernel));
	check_param(kernel, 0, DPR_PARAM_MEMORY, 8);
	dpr_kernel_release(kernel);
	dpr_program_release(again);
	/* The binary was built with other flags. */
	options.flags = DPR_BUILD_ROUNDED | DPR_BUILD_LARGE;
	ck_assert_int_ne(dpr_program_build(queue, &image, 1, &options, &again),
			 DPR_OK);
	image.size--;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_program_from_images(queue, &image, 1, NULL, &again));
	CHECK_TEXT("does not have the sizes");
	free(bytes);
	stop();
}
END_TEST

START_TEST(what_the_device_lacks)
{
	static const char twice[] =
		"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
		"kernel void twice(global double *x) { x[0] *= 2; }\n";
	static const uint32_t none[] = { 0x07230203, 0x00010200, 0,
					 10,         0,          0x00020011 };
	const dpr_image cut = { "spirv", NULL, none, sizeof(none) };
	dpr_program *program;
	dpr_queue *other;

	start();
	other = new_queue(get_device("level_zero:1"), 0);
	CHECK_OK(dpr_program_from_source(queue, twice, NULL, &program));
	dpr_program_release(program);
	zecpu->forget_calls();
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_from_source(other, twice, NULL, &program));
	CHECK_TEXT("needs numbers of type double, but zecpu device 1 does");
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_images(queue, &cut, 1, NULL, &program));
	CHECK_TEXT("the SPIR-V module is cut off");
	ck_assert_uint_eq(zecpu->calls("zeModuleCreate"), 0);
	dpr_queue_release(other);
	stop();
}
END_TEST

/* A capability that the device lacks is refused before the driver sees the
   module: half (9) and atomics of 64 bits (12). */
START_TEST(capabilities_that_the_device_lacks)
{
	const uint32_t capability[] = { 9, 12 };
	const char *const texts[] = { "needs arithmetic of type half, but",
				      "needs atomics of 64 bits, but" };
	uint32_t words[sizeof(spirv_constants) / 4 + 2];
	const dpr_image image = { "spirv", NULL, words, sizeof(words) };
	dpr_program *program;

	ck_assert(zecpu->set("INT64_ATOMICS", 1 - _i));
	start();
	memcpy(words, spirv_constants, 5 * 4);
	words[5] = 0x00020011;
	words[6] = capability[_i];
	memcpy(words + 7, spirv_constants + 5, sizeof(spirv_constants) - 5 * 4);
	zecpu->forget_calls();
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_TEXT(texts[_i]);
	ck_assert_uint_eq(zecpu->calls("zeModuleCreate"), 0);
	stop();
}
END_TEST

/* The driver builds the module, but the device reports that it allows fewer
   bytes than the kernel's pointer has. */
START_TEST(too_many_bytes_of_arguments)
{
	dpr_program *program;
	dpr_kernel *kernel;

	ck_assert(zecpu->set("MAX_ARGUMENTS", 4));
	start();
	program = build_with(NULL, 0);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_kernel_create(program, "add_one", &kernel));
	CHECK_TEXT("the parameters of kernel add_one have 8 bytes, but the "
		   "device allows only 4");
	dpr_program_release(program);
	stop();
}
END_TEST

/* The flags reach the driver's compiler. */
START_TEST(flags_of_the_build)
{
	static const char large[] = "-ze-opt-greater-than-4GB-buffer-required";
	static const char rounded[] = "-cl-fp32-correctly-rounded-divide-sqrt";
	char flags[200];

	start();
	dpr_program_release(build_with(NULL, 0));
	zecpu->build_flags(flags, sizeof(flags));
	ck_assert_ptr_null(strstr(flags, large));
	ck_assert_ptr_null(strstr(flags, rounded));
	dpr_program_release(build_with(NULL, DPR_BUILD_LARGE));
	zecpu->build_flags(flags, sizeof(flags));
	ck_assert_ptr_nonnull(strstr(flags, large));
	ck_assert_ptr_null(strstr(flags, rounded));
	dpr_program_release(build_with(NULL, DPR_BUILD_ROUNDED));
	zecpu->build_flags(flags, sizeof(flags));
	ck_assert_ptr_nonnull(strstr(flags, rounded));
	stop();
}
END_TEST

/* The kernel has more bytes of parameters than the driver accepts.  The error
   has the driver's own text, but with two drivers the log cannot be read. */
START_TEST(log_of_the_driver)
{
	static const char large[] =
		"struct large { long a[300]; };\n"
		"kernel void f(global long *x, struct large s)\n"
		"{ x[0] = s.a[get_global_id(0)]; }\n";
	dpr_program *program;

	if (_i)
		open_second_driver();
	start();
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_source(queue, large, NULL, &program));
	if (_i)
		CHECK_TEXT("its log cannot be read");
	else
		CHECK_TEXT("the arguments of kernel f have");
	stop();
}
END_TEST

/* --- Launches ------------------------------------------------------------- */

START_TEST(only_what_has_changed)
{
	dpr_kernel *kernel;
	dpr_usm *x, *y;

	start();
	kernel = new_kernel("add");
	x = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	y = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	CHECK_OK(add(queue, kernel, x, 3));
	zecpu->forget_calls();
	CHECK_OK(add(queue, kernel, x, 3));
	ck_assert_uint_eq(zecpu->calls("zeCommandListAppendLaunchKernel"), 1);
	ck_assert_uint_eq(zecpu->calls("zeKernelCreate"), 0);
	ck_assert_uint_eq(zecpu->calls("zeKernelSetArgumentValue"), 0);
	ck_assert_uint_eq(zecpu->calls("zeKernelSetGroupSize"), 0);
	CHECK_OK(add(queue, kernel, x, 4));
	ck_assert_uint_eq(zecpu->calls("zeKernelSetArgumentValue"), 1);
	CHECK_OK(add(queue, kernel, y, 4));
	ck_assert_uint_eq(zecpu->calls("zeKernelSetArgumentValue"), 2);
	ck_assert_uint_eq(zecpu->calls("zeKernelCreate"), 0);
	ck_assert_uint_eq(zecpu->calls("zeKernelSetGroupSize"), 0);
	ck_assert_int_eq(get_int(queue, x, 0), 10);
	ck_assert_int_eq(get_int(queue, y, 0), 4);
	dpr_usm_release(x);
	dpr_usm_release(y);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

/* New memory at an old address is set as a new argument: the driver may have
   stored more about it than the address. */
START_TEST(memory_at_an_old_address)
{
	void *was, *is;
	dpr_kernel *kernel;
	int32_t zero = 0;
	uint64_t sets;
	dpr_usm *x;

	start();
	kernel = new_kernel("add");
	CHECK_OK(dpr_driver_alloc(queue, DPR_USM_DEVICE, 4096, 0, &x));
	was = dpr_usm_address(x);
	CHECK_OK(add(queue, kernel, x, 1));
	CHECK_OK(dpr_queue_wait(queue));
	dpr_usm_release(x);
	CHECK_OK(dpr_driver_alloc(queue, DPR_USM_DEVICE, 4096, 0, &x));
	is = dpr_usm_address(x);
	CHECK_OK(dpr_usm_fill(queue, x, 0, &zero, 4, 4096, NULL, NULL));
	sets = zecpu->calls("zeKernelSetArgumentValue");
	CHECK_OK(add(queue, kernel, x, 1));
	ck_assert_uint_eq(zecpu->calls("zeKernelSetArgumentValue"), sets + 1);
	if (was != is)
		printf("the driver gave another address, so this shows "
		       "nothing\n");
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

START_TEST(ranges_that_cannot_be)
{
	dpr_kernel *kernel, *sized;
	dpr_usm *x;

	start();
	kernel = new_kernel("add");
	sized = new_kernel("sized");
	x = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	{
		const dpr_arg args[] = { dpr_arg_usm(x), dpr_arg_i32(1) };
		const dpr_range huge = dpr_range1(UINT64_C(1) << 45);
		const dpr_range wide =
			dpr_range_local(dpr_range1(4096), 4096, 1, 1);
		const dpr_range other =
			dpr_range_local(dpr_range2(8, 8), 8, 1, 1);

		zecpu->forget_calls();
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_kernel_launch_usm(queue, kernel, huge, NULL,
						  NULL, args, 2));
		CHECK_TEXT("in dimension 0");
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_kernel_launch_usm(queue, kernel, wide, NULL,
						  NULL, args, 2));
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_kernel_launch_usm(queue, sized, other, NULL,
						  NULL, args, 1));
		CHECK_TEXT("requires work-groups of 4 x 2 x 1");
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_kernel_launch_usm(queue, sized,
						  dpr_range2(8, 3), NULL, NULL,
						  args, 1));
		CHECK_TEXT("the local size 2 that the kernel requires does not "
			   "divide the 3 work-items of dimension 1");
		CHECK_TEXT("DPR_RANGE_PADDED");
		ck_assert_uint_eq(zecpu->calls("zeKernelSetGroupSize"), 0);
		CHECK_OK(dpr_kernel_launch_usm(
			queue, sized, dpr_range_padded(dpr_range2(9, 3)), NULL,
			NULL, args, 1));
		CHECK_OK(dpr_kernel_launch_usm(queue, sized, dpr_range2(8, 6),
					       NULL, NULL, args, 1));
	}
	ck_assert_int_eq(get_int(queue, x, 0), 12 * 4 + 8 * 6);
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	dpr_kernel_release(sized);
	stop();
}
END_TEST

/* A kernel that takes smaller work-groups than the device. */
START_TEST(work_groups_of_a_kernel)
{
	const dpr_range wide = dpr_range_local(dpr_range1(128), 128, 1, 1);
	dpr_kernel_info info;
	dpr_kernel *kernel;
	dpr_usm *x;

	setenv("ZECPU_KERNEL_GROUP", "64", 1);
	start();
	kernel = new_kernel("add");
	CHECK_OK(dpr_kernel_get_info(kernel, &info));
	ck_assert_uint_eq(info.max_work_group_size, 64);
	x = new_ints(queue, DPR_USM_DEVICE, 1000, 0);
	{
		const dpr_arg args[] = { dpr_arg_usm(x), dpr_arg_i32(1) };

		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_kernel_launch_usm(queue, kernel, wide, NULL,
						  NULL, args, 2));
		CHECK_TEXT("takes at most 64 for this kernel");
		CHECK_OK(dpr_kernel_launch_usm(queue, kernel, dpr_range1(1024),
					       NULL, NULL, args, 2));
	}
	ck_assert_int_eq(get_int(queue, x, 0), 1);
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

/* --- Threads -------------------------------------------------------------- */

struct worker {
	pthread_t thread;
	dpr_kernel *kernel;
	int32_t value;
	int sum;
};

static void *work(void *user)
{
	struct worker *worker = user;
	dpr_queue *mine = new_queue(dpr_queue_device(queue), 0);
	dpr_usm *x = new_ints(mine, DPR_USM_DEVICE, 1, 0);
	int i;

	for (i = 0; i < LAUNCHES; i++)
		CHECK_OK(add(mine, worker->kernel, x, worker->value + i % 2));
	worker->sum = get_int(mine, x, 0);
	dpr_usm_release(x);
	dpr_queue_release(mine);
	return NULL;
}

/* A driver call sleeps while it uses a ze_kernel.  A second call that uses the
   same one meanwhile is counted as misuse. */
START_TEST(eight_threads_on_one_kernel)
{
	struct worker workers[THREADS];
	int i;

	zecpu->set("SLOW_US", 100);
	start();
	workers[0].kernel = new_kernel("add");
	zecpu->forget_calls();
	for (i = 0; i < THREADS; i++) {
		workers[i].kernel = workers[0].kernel;
		workers[i].value = 1000 << i;
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work,
						&workers[i]),
				 0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		ck_assert_int_eq(workers[i].sum,
				 (1000 << i) * LAUNCHES + LAUNCHES / 2);
	}
	ck_assert_uint_lt(zecpu->calls("zeKernelCreate"), THREADS);
	dpr_kernel_release(workers[0].kernel);
	stop();
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ arguments_of_every_kind, 1 },
		{ errors_in_source, 1 },
		{ no_compiler, 1 },
		{ an_ocloc_that_fails, 3 },
		{ the_driver_compiles, 1 },
		{ the_driver_does_not_compile, 1 },
		{ wrong_options, 3 },
		{ constants_have_their_values, 1 },
		{ binaries_are_built_again, 1 },
		{ what_the_device_lacks, 1 },
		{ capabilities_that_the_device_lacks, 2 },
		{ too_many_bytes_of_arguments, 1 },
		{ flags_of_the_build, 1 },
		{ log_of_the_driver, 2 },
		{ only_what_has_changed, 1 },
		{ memory_at_an_old_address, 1 },
		{ ranges_that_cannot_be, 1 },
		{ work_groups_of_a_kernel, 1 },
		{ eight_threads_on_one_kernel, 1 },
	};
	const int missing = find_missing();

	if (missing)
		return missing;
	return run_tests_times("api_ze_programs", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
