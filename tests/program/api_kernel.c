/* SPDX-License-Identifier: Apache-2.0 */
/* api_kernel.c - programs, kernels and launches on every device that compiles
   OpenCL C. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#define N 1000

static dpr_queue *queue;

static void check_status(dpr_status status, dpr_status expected)
{
	if (status != expected)
		ck_abort_msg("%s instead of %s: %s", dpr_status_name(status),
			     dpr_status_name(expected), dpr_last_error());
}

static void check_ok(dpr_status status)
{
	check_status(status, DPR_OK);
}

/* Check that the call failed with @expected, and that the text contains
   @part. */
static void check_error(dpr_status status, dpr_status expected,
			const char *part)
{
	check_status(status, expected);
	if (!strstr(dpr_last_error(), part))
		ck_abort_msg("no \"%s\" in: %s", part, dpr_last_error());
}

static const char source[] =
	"typedef struct { float a; int pad; long b; } pair;\n"
	"kernel void axpy(float a, global const float *x, global float *y,"
	"	ulong n)\n"
	"{ ulong i = get_global_id(0); if (i < n) y[i] += a * x[i]; }\n"
	"kernel void scalars(char c, uchar uc, short s, ushort us, int i,"
	"	uint ui, long l, ulong ul, float f, global long *out)\n"
	"{ if (get_global_id(0) == 0) out[0] = c + uc + s + us + i + ui + l +"
	"	(long)ul + (long)f; }\n"
	"kernel void structure(pair p, global float *out)\n"
	"{ if (get_global_id(0) == 0) { out[0] = p.a; out[1] = (float)p.b; } }\n"
	"kernel void reverse(global int *x, local int *tile)\n"
	"{ size_t i = get_local_id(0), n = get_local_size(0);"
	"	tile[i] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
	"	x[get_global_id(0)] = tile[n - 1 - i]; }\n"
	"kernel void shout(global int *x, local int *a, local int *b)\n"
	"{ local int own[256]; size_t i = get_local_id(0);"
	"	own[i] = a[i] = b[i] = x[i]; barrier(CLK_LOCAL_MEM_FENCE);"
	"	x[i] = own[0] + a[0] + b[0]; }\n"
	"kernel void where(global int *x, uint nx, uint ny, uint nz)\n"
	"{ size_t i = get_global_id(0), j = get_global_id(1),"
	"	k = get_global_id(2);"
	"	if (i < nx && j < ny && k < nz)"
	"		x[(k * ny + j) * nx + i] = (int)(i + 10 * j + 100 * k); }\n";

static dpr_usm *usm_of(const void *data, size_t size)
{
	dpr_usm *usm;

	check_ok(dpr_usm_alloc(queue, DPR_USM_DEVICE, size, &usm));
	check_ok(dpr_usm_write(queue, usm, 0, data, size, NULL, NULL));
	return usm;
}

static dpr_kernel *kernel_of(const char *name)
{
	dpr_kernel *kernel;

	check_ok(dpr_kernel_from_source(queue, source, name, &kernel));
	return kernel;
}

START_TEST(launches)
{
	float x[N], y[N];
	dpr_usm *ux, *uy;
	dpr_kernel *axpy;
	int i;

	for (i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	ux = usm_of(x, sizeof(x));
	uy = usm_of(y, sizeof(y));
	axpy = kernel_of("axpy");
	check_ok(dpr_kernel_launch(queue, axpy, DPR_RANGE1(N), NULL, NULL,
				   DPR_ARG(2.0f), DPR_ARG(ux), DPR_ARG(uy),
				   DPR_ARG((uint64_t)N)));
	/* The kernel and memory may be released while the launch is under
	   way. */
	dpr_kernel_release(axpy);
	dpr_usm_release(ux);
	check_ok(dpr_usm_read(queue, y, uy, 0, sizeof(y), NULL, NULL));
	for (i = 0; i < N; i++)
		ck_assert(y[i] == 1 + 2 * (float)i);
	dpr_usm_release(uy);
}
END_TEST

START_TEST(values)
{
	struct {
		float a;
		int pad;
		int64_t b;
	} pair = { 1.5f, 0, 1LL << 40 };
	float parts[2] = { 0, 0 };
	int64_t sum = 0;
	dpr_kernel *kernel;
	dpr_usm *out;

	out = usm_of(&sum, sizeof(sum));
	kernel = kernel_of("scalars");
	check_ok(dpr_kernel_launch(
		queue, kernel, DPR_RANGE1(1), NULL, NULL,
		DPR_ARG((signed char)-1), DPR_ARG((unsigned char)255),
		DPR_ARG((short)-1000), DPR_ARG((unsigned short)65535),
		DPR_ARG(-100000), DPR_ARG(4000000000u), DPR_ARG(1LL << 40),
		DPR_ARG(1ULL << 41), DPR_ARG(7.0f), DPR_ARG(out)));
	check_ok(dpr_usm_read(queue, &sum, out, 0, sizeof(sum), NULL, NULL));
	ck_assert_int_eq(sum, -1LL + 255 - 1000 + 65535 - 100000 + 4000000000 +
				      (1LL << 40) + (1LL << 41) + 7);
	dpr_kernel_release(kernel);
	dpr_usm_release(out);

	out = usm_of(parts, sizeof(parts));
	kernel = kernel_of("structure");
	check_ok(dpr_kernel_launch(queue, kernel, DPR_RANGE1(1), NULL, NULL,
				   DPR_STRUCT(pair), DPR_ARG(out)));
	check_ok(dpr_usm_read(queue, parts, out, 0, sizeof(parts), NULL, NULL));
	ck_assert(parts[0] == 1.5f && parts[1] == (float)(1LL << 40));
	dpr_kernel_release(kernel);
	dpr_usm_release(out);
}
END_TEST

START_TEST(ranges)
{
	enum { NX = 7, NY = 5, NZ = 3 };
	dpr_range range = dpr_range_local(DPR_RANGE1(64), 16, 1, 1);
	int x[64], cube[NX * NY * NZ], i, j, k;
	dpr_kernel *kernel;
	dpr_event *done;
	dpr_usm *usm;

	for (i = 0; i < 64; i++)
		x[i] = i;
	usm = usm_of(x, sizeof(x));
	kernel = kernel_of("reverse");
	check_ok(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				   DPR_ARG(usm), DPR_LOCAL(16 * sizeof(int))));
	check_ok(dpr_usm_read(queue, x, usm, 0, sizeof(x), NULL, NULL));
	for (i = 0; i < 64; i++)
		ck_assert_int_eq(x[i], i / 16 * 16 + 15 - i % 16);
	/* A launch without work-items runs nothing, but returns an event. */
	check_ok(dpr_kernel_launch(queue, kernel, DPR_RANGE1(0), NULL, &done,
				   DPR_ARG(usm), DPR_LOCAL(16)));
	check_ok(dpr_event_wait(done));
	dpr_event_release(done);
	range = dpr_range_local(DPR_RANGE1(65), 16, 1, 1);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(64)),
		    DPR_ERROR_INVALID_ARGUMENT, "does not divide");
	range = DPR_RANGE3(UINT64_MAX, 2, 1);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(64)),
		    DPR_ERROR_INVALID_ARGUMENT, "2^64");
	range.dims = 4;
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(64)),
		    DPR_ERROR_INVALID_ARGUMENT, "4 dimensions");
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);

	memset(cube, 0xff, sizeof(cube));
	usm = usm_of(cube, sizeof(cube));
	kernel = kernel_of("where");
	check_ok(dpr_kernel_launch(queue, kernel, DPR_RANGE3(NX, NY, NZ), NULL,
				   NULL, DPR_ARG(usm), DPR_ARG(NX + 0u),
				   DPR_ARG(NY + 0u), DPR_ARG(NZ + 0u)));
	check_ok(dpr_usm_read(queue, cube, usm, 0, sizeof(cube), NULL, NULL));
	for (k = 0; k < NZ; k++)
		for (j = 0; j < NY; j++)
			for (i = 0; i < NX; i++)
				ck_assert_int_eq(cube[(k * NY + j) * NX + i],
						 i + 10 * j + 100 * k);
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
}
END_TEST

/* The text has the limit, which a driver's code does not. */
START_TEST(too_large_groups)
{
	dpr_kernel *kernel = kernel_of("reverse");
	dpr_kernel_info info;
	dpr_range range;
	int x[64] = { 0 };
	dpr_usm *usm = usm_of(x, sizeof(x));
	char text[80];

	range = dpr_range_local(DPR_RANGE1(1u << 28), 1u << 28, 1, 1);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(64)),
		    DPR_ERROR_INVALID_ARGUMENT,
		    "launch reverse: the local size 268435456 of dimension 0 "
		    "is too large; ");
	check_ok(dpr_kernel_get_info(kernel, &info));
	range.dims = 2;
	range.global[0] = range.local[0] = info.max_work_group_size;
	range.global[1] = range.local[1] = 2;
	snprintf(text, sizeof(text), "most %llu for this kernel",
		 (unsigned long long)info.max_work_group_size);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(64)),
		    DPR_ERROR_INVALID_ARGUMENT, text);
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
}
END_TEST

/* The core refuses this, as a driver may not: PoCL ends the process. */
START_TEST(too_much_local_memory)
{
	dpr_range range = dpr_range_local(DPR_RANGE1(1), 1, 1, 1);
	dpr_kernel *kernel = kernel_of("shout");
	int one = 1, x = 0;
	dpr_usm *usm = usm_of(&one, sizeof(one));
	char sentence[64];
	dpr_kernel_info info;
	uint64_t most, left;

	check_ok(dpr_device_info_u64(dpr_queue_device(queue),
				     DPR_INFO_LOCAL_MEM_SIZE, &most));
	check_ok(dpr_kernel_get_info(kernel, &info));
	left = most - info.local_size;
	snprintf(sentence, sizeof(sentence), "has only %llu",
		 (unsigned long long)most);
	check_ok(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				   DPR_ARG(usm), DPR_LOCAL(1024),
				   DPR_LOCAL(left - 1024)));
	check_ok(dpr_usm_read(queue, &x, usm, 0, sizeof(x), NULL, NULL));
	ck_assert_int_eq(x, 3);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(1024),
				      DPR_LOCAL(left - 1023)),
		    DPR_ERROR_INVALID_ARGUMENT, sentence);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL((size_t)1 << 40),
				      DPR_LOCAL(4)),
		    DPR_ERROR_INVALID_ARGUMENT, sentence);
	check_error(dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				      DPR_ARG(usm), DPR_LOCAL(SIZE_MAX),
				      DPR_LOCAL(SIZE_MAX)),
		    DPR_ERROR_INVALID_ARGUMENT, sentence);
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
}
END_TEST

START_TEST(wrong_arguments)
{
	float x[4] = { 0 };
	dpr_usm *usm = usm_of(x, sizeof(x));
	dpr_kernel *axpy = kernel_of("axpy");
	dpr_event *done = (dpr_event *)x;
	dpr_range range = DPR_RANGE1(4);
	dpr_arg odd = DPR_ARG(1);

	check_error(dpr_kernel_launch(queue, axpy, range, NULL, &done,
				      DPR_ARG(1.0f), DPR_ARG(usm),
				      DPR_ARG(usm)),
		    DPR_ERROR_INVALID_ARGUMENT,
		    "3 arguments are given, the kernel takes 4");
	ck_assert_ptr_null(done);
	check_error(dpr_kernel_launch(queue, axpy, range, NULL, NULL,
				      DPR_ARG(1.0), DPR_ARG(usm), DPR_ARG(usm),
				      DPR_ARG(4ULL)),
		    DPR_ERROR_INVALID_ARGUMENT,
		    "argument 0 has 8 bytes, its parameter has 4");
	check_error(dpr_kernel_launch(queue, axpy, range, NULL, NULL,
				      DPR_ARG(1.0f), DPR_ARG(1ULL),
				      DPR_ARG(usm), DPR_ARG(4ULL)),
		    DPR_ERROR_INVALID_ARGUMENT,
		    "argument 1 is a value, its parameter is memory");
	check_error(dpr_kernel_launch(queue, axpy, range, NULL, NULL,
				      DPR_ARG(1.0f), DPR_LOCAL(8), DPR_ARG(usm),
				      DPR_ARG(4ULL)),
		    DPR_ERROR_INVALID_ARGUMENT, "argument 1 is local memory");
	check_error(dpr_kernel_launch(queue, axpy, range, NULL, NULL,
				      DPR_ARG(1.0f), DPR_USM_AT(usm, 16),
				      DPR_ARG(usm), DPR_ARG(4ULL)),
		    DPR_ERROR_INVALID_ARGUMENT,
		    "byte 16, but the allocation has only 16");
	check_error(dpr_kernel_launch(queue, axpy, range, NULL, NULL,
				      DPR_ARG(1.0f), DPR_ARG((dpr_usm *)NULL),
				      DPR_ARG(usm), DPR_ARG(4ULL)),
		    DPR_ERROR_INVALID_ARGUMENT, "NULL");
	odd.kind = 99;
	check_error(dpr_kernel_launch(queue, axpy, range, NULL, NULL, odd,
				      DPR_ARG(usm), DPR_ARG(usm),
				      DPR_ARG(4ULL)),
		    DPR_ERROR_INVALID_ARGUMENT, "kind 99");
	check_error(
		dpr_kernel_launch_args(NULL, axpy, range, NULL, NULL, NULL, 0),
		DPR_ERROR_INVALID_ARGUMENT, "queue is NULL");
	check_error(
		dpr_kernel_launch_args(queue, NULL, range, NULL, NULL, NULL, 0),
		DPR_ERROR_INVALID_ARGUMENT, "kernel is NULL");
	dpr_kernel_release(axpy);
	dpr_usm_release(usm);
}
END_TEST

/* The first line of the text has the kernel and the line of the source. */
START_TEST(place_of_an_error)
{
	static const char wrong[] = "kernel void one(global int *x) { }\n"
				    "kernel void two(global int *x)\n"
				    "{\n"
				    "\tx[0] = nosuchname;\n"
				    "}\n";
	dpr_program *program;

	check_error(dpr_program_from_source(queue, wrong, NULL, &program),
		    DPR_ERROR_BUILD,
		    " failed in kernel two, line 4: x[0] = nosuchname;\n");
	ck_assert_ptr_null(program);
}
END_TEST

/* The text lists the kernels, and has the driver's code once. */
START_TEST(missing_kernel)
{
	dpr_program *program;
	dpr_kernel *kernel;

	check_ok(dpr_program_from_source(queue, source, NULL, &program));
	check_error(dpr_kernel_create(program, "axpi", &kernel),
		    DPR_ERROR_NOT_FOUND,
		    "no kernel axpi; it has axpy, scalars, structure, reverse, "
		    "shout, where");
	/* The driver's code is there once. */
	ck_assert_ptr_null(strstr(dpr_last_error(), "(-46)"));
	ck_assert_ptr_null(kernel);
	dpr_program_release(program);
}
END_TEST

START_TEST(programs)
{
	dpr_image image = { NULL, NULL, NULL, 0 };
	dpr_program *program, *again;
	enum dpr_param_kind kind;
	dpr_kernel_info info;
	dpr_kernel *kernel;
	size_t size;
	void *binary;

	check_error(dpr_program_from_source(queue, "kernel void f( {", NULL,
					    &program),
		    DPR_ERROR_BUILD, "error");
	ck_assert_ptr_null(program);
	check_error(dpr_program_from_source(queue, "", NULL, &program),
		    DPR_ERROR_INVALID_ARGUMENT, "the source is empty");
	ck_assert_ptr_null(program);
	check_error(dpr_program_from_source(queue, NULL, NULL, &program),
		    DPR_ERROR_INVALID_ARGUMENT, "the source is NULL");
	check_error(dpr_kernel_from_source(queue, "", "f", &kernel),
		    DPR_ERROR_INVALID_ARGUMENT, "the source is empty");
	image.format = "morse";
	image.data = "...";
	image.size = 3;
	check_error(dpr_program_from_images(queue, &image, 1, NULL, &program),
		    DPR_ERROR_UNSUPPORTED, "opencl-c");
	check_ok(
		dpr_program_from_source(queue, source, "-DUNUSED=1", &program));
	check_ok(dpr_kernel_create(program, "axpy", &kernel));
	check_ok(dpr_kernel_get_info(kernel, &info));
	ck_assert_uint_eq(info.n_args, 4);
	ck_assert_uint_gt(info.max_work_group_size, 0);
	check_ok(dpr_kernel_param(kernel, 0, &kind, &size));
	ck_assert_int_eq(kind, DPR_PARAM_VALUE);
	ck_assert_uint_eq(size, 4);
	check_ok(dpr_kernel_param(kernel, 1, &kind, &size));
	ck_assert_int_eq(kind, DPR_PARAM_MEMORY);
	check_status(dpr_kernel_param(kernel, 4, &kind, &size),
		     DPR_ERROR_INVALID_ARGUMENT);
	/* Build its binary as a second program; the kernel keeps the first one
	   alive. */
	check_ok(dpr_program_binary(program, NULL, 0, &size));
	ck_assert_uint_gt(size, 0);
	binary = malloc(size);
	check_status(dpr_program_binary(program, binary, size - 1, &size),
		     DPR_ERROR_INVALID_ARGUMENT);
	check_ok(dpr_program_binary(program, binary, size, &size));
	image.format = dpr_program_binary_format(program);
	image.data = binary;
	image.size = size;
	check_ok(dpr_program_from_images(queue, &image, 1, NULL, &again));
	dpr_program_release(program);
	ck_assert_str_eq(dpr_kernel_name(kernel), "axpy");
	dpr_kernel_release(kernel);
	check_ok(dpr_kernel_create(again, "axpy", &kernel));
	dpr_kernel_release(kernel);
	dpr_program_release(again);
	free(binary);
}
END_TEST

START_TEST(built_once)
{
	dpr_kernel *a = kernel_of("axpy"), *b = kernel_of("axpy"), *c;

	ck_assert_ptr_eq(a, b);
	check_ok(dpr_kernel_from_source(
		queue, "kernel void axpy(float a) { (void)a; }", "axpy", &c));
	ck_assert_ptr_ne(a, c);
	dpr_kernel_release(a);
	dpr_kernel_release(b);
	dpr_kernel_release(c);
}
END_TEST

/* Eight threads launch one kernel, each with its own arguments.  Check's
   assertions work only in the main thread, so a worker keeps its first error
   for that thread. */
struct worker {
	pthread_t thread;
	dpr_kernel *axpy;
	int id, wrong;
	char error[400];
};

static void keep_error(struct worker *worker, dpr_status status)
{
	if (status && !worker->error[0])
		snprintf(worker->error, sizeof(worker->error), "%s",
			 dpr_last_error());
}

static void *work(void *user)
{
	struct worker *worker = user;
	float x[64], y[64] = { 0 };
	dpr_usm *ux = NULL, *uy = NULL;
	int i;

	for (i = 0; i < 64; i++)
		x[i] = (float)worker->id;
	keep_error(worker,
		   dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(x), &ux));
	keep_error(worker,
		   dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(y), &uy));
	keep_error(worker,
		   dpr_usm_write(queue, ux, 0, x, sizeof(x), NULL, NULL));
	keep_error(worker,
		   dpr_usm_write(queue, uy, 0, y, sizeof(y), NULL, NULL));
	for (i = 1; i <= 50; i++)
		keep_error(worker, dpr_kernel_launch(queue, worker->axpy,
						     DPR_RANGE1(64), NULL, NULL,
						     DPR_ARG((float)i),
						     DPR_ARG(ux), DPR_ARG(uy),
						     DPR_ARG((uint64_t)64)));
	keep_error(worker,
		   dpr_usm_read(queue, y, uy, 0, sizeof(y), NULL, NULL));
	for (i = 0; i < 64; i++)
		worker->wrong += y[i] != (float)(worker->id * 1275);
	dpr_usm_release(ux);
	dpr_usm_release(uy);
	return NULL;
}

START_TEST(threads)
{
	struct worker workers[8];
	int i;

	for (i = 0; i < 8; i++) {
		workers[i].axpy = kernel_of("axpy");
		workers[i].id = i;
		workers[i].wrong = 0;
		workers[i].error[0] = 0;
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work,
						&workers[i]),
				 0);
	}
	for (i = 0; i < 8; i++) {
		pthread_join(workers[i].thread, NULL);
		dpr_kernel_release(workers[i].axpy);
		ck_assert_msg(!workers[i].error[0], "%s", workers[i].error);
		ck_assert_int_eq(workers[i].wrong, 0);
	}
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("kernel");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, launches);
	tcase_add_test(t, values);
	tcase_add_test(t, ranges);
	tcase_add_test(t, too_large_groups);
	tcase_add_test(t, too_much_local_memory);
	tcase_add_test(t, wrong_arguments);
	tcase_add_test(t, place_of_an_error);
	tcase_add_test(t, missing_kernel);
	tcase_add_test(t, programs);
	tcase_add_test(t, built_once);
	tcase_add_test(t, threads);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	dpr_device *devices[64];
	size_t count, i, tried = 0;
	int failed = 0;

	if (dpr_device_enumerate("+online_compiler", devices, 64, &count)) {
		printf("no list of devices: %s\n", dpr_last_error());
		return 1;
	}
	for (i = 0; i < count && i < 64; i++) {
		SRunner *runner;

		/* The mocks compile nothing. */
		if (!strncmp(dpr_device_backend(devices[i]), "mock", 4))
			continue;
		if (dpr_device_queue(devices[i], &queue)) {
			printf("%s\n", dpr_last_error());
			return 1;
		}
		runner = srunner_create(suite(dpr_device_selector(devices[i])));
		/* Without fork(): drivers do not survive it. */
		srunner_set_fork_status(runner, CK_NOFORK);
		srunner_run_all(runner, CK_NORMAL);
		failed += srunner_ntests_failed(runner);
		srunner_free(runner);
		tried++;
	}
	if (!tried) {
		printf("skipped: no device with a compiler\n");
		return 77;
	}
	return failed != 0;
}
