/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_mock_clblast.c - products by CLBlast, with a library in place of it,
 * on the mock driver: the choice of the library, values, calls, refused
 * arguments, and each failure.
 */
#include "tests/opencl/opencl_mock.h"
#include "tests/opencl/calls/clblast_test.h"

/* Where memory comes from: buffers, or SVM under a buffer. */
static const struct {
	const char *path, *platform;
} places[] = { { "buffer", "Mock plain" }, { "svm-coarse", "Mock coarse" } };
#define PLACES ((int)(sizeof(places) / sizeof(places[0])))

static void start(const char *library, const char *path, const char *platform)
{
	const char *const options[] = { "MEMORY", path, "BLAS", library, NULL };
	const char *why = NULL;

	report->trace[0] = 0;
	report->forbidden = 0;
	report->over = MOCK_OVER_SAME;
	fake->after = fake->clears = 0;
	if (!bench_open_list(&bench, options, platform, &why))
		ck_abort_msg("%s: %s", platform, why);
}

static void stop(void)
{
	close_all(&bench);
	check_misuses();
}

/* --- The library ---------------------------------------------------------- */

static bool lists_calls(void)
{
	char list[256] = "";
	size_t need = 0;
	bool found = false;

	OK(bench.plugin->device->info(bench.device, DPR_INFO_FORMATS, list,
				      sizeof(list), &need));
	for (const char *at = list; at < list + need; at += strlen(at) + 1)
		found = found || !strcmp(at, DPRP_CALLS_FORMAT);
	return found;
}

START_TEST(no_library)
{
	static const struct {
		const char *option, *text;
		bool listed;
	} list[] = {
		{ NULL,
		  "CLBlast is used only if DPR_OPTION_OPENCL_BLAS names it: "
		  "libclblast.so.1",
		  true },
		{ "none", "", false },
		{ "/no/such/libclblast.so.1",
		  "DPR_OPTION_OPENCL_BLAS=/no/such/libclblast.so.1: this is no "
		  "library; it must be an absolute path",
		  true },
		{ "libOpenCL.so.1",
		  "DPR_OPTION_OPENCL_BLAS=libOpenCL.so.1: this library has no "
		  "CLBlastSgemm",
		  true },
	};
	dprp_module *module = NULL;

	start(list[_i].option, "buffer", "Mock plain");
	ck_assert(lists_calls() == list[_i].listed);
	for (int turn = 0; turn < 2; turn++)
		FAILS(try_routine("gemm float32", NULL, &module),
		      DPR_RC_UNSUPPORTED, list[_i].text);
	stop();
}
END_TEST

START_TEST(no_routine)
{
	static const char *const names[] = { "gemm float16", "gemm int32",
					     "gemm", "potrf float32" };
	dprp_module *module = NULL;

	start(fake_path, "buffer", "Mock plain");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		FAILS(try_routine(names[i], NULL, &module), DPR_RC_UNSUPPORTED,
		      names[i]);
	stop();
	ck_assert_int_eq(fake->clears, 0);
}
END_TEST

/* Where the driver's buffers are not the memory below them. */
START_TEST(no_buffers)
{
	dprp_module *module = NULL;

	start(fake_path, "svm-coarse", "Mock coarse");
	report->over = _i ? MOCK_OVER_COPY : MOCK_OVER_REFUSED;
	for (int turn = 0; turn < 2; turn++)
		FAILS(try_routine("gemm float32", NULL, &module),
		      DPR_RC_UNSUPPORTED, "DPR_OPTION_OPENCL_MEMORY=buffer");
	stop();
}
END_TEST

START_TEST(no_overlap)
{
	dprp_module *module = NULL;

	start(fake_path, "buffer", "Portable Computing Language");
	FAILS(try_routine("gemm float32", NULL, &module), DPR_RC_UNSUPPORTED,
	      "PoCL 4 and 5");
	stop();
}
END_TEST

/* --- Values --------------------------------------------------------------- */

/* Products.  Extents of the batch that are 0 here stand for 1. */
/* clang-format off */
static const dprp_gemm cases[] = {
	{ .m = 3, .n = 4, .k = 5, .lda = 5, .ldb = 4, .ldc = 4 },
	{ .m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1 },
	{ .m = 3, .n = 4, .k = 5, .lda = 3, .ldb = 4, .ldc = 4,
	  .flags = DPRP_GEMM_A_TRANSPOSED },
	{ .m = 3, .n = 4, .k = 5, .lda = 5, .ldb = 5, .ldc = 4,
	  .flags = DPRP_GEMM_B_TRANSPOSED },
	/* Offsets, and gaps between rows. */
	{ .m = 3, .n = 2, .k = 4, .lda = 9, .ldb = 7, .ldc = 6,
	  .flags = DPRP_GEMM_A_TRANSPOSED | DPRP_GEMM_B_TRANSPOSED,
	  .offset_a = 3, .offset_b = 17, .offset_c = 5 },
	/* A batch of one axis, with the same b. */
	{ .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3,
	  .batch = { 0, 6 }, .stride_a = { 9, 4 }, .stride_c = { 9, 8 } },
	/* As many products as a launch may have. */
	{ .m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2,
	  .batch = { 2, 4, 0, 4 }, .stride_a = { 60, 12, 0, 4 },
	  .stride_b = { 0, 4, 0, 20 }, .stride_c = { 4, 8, 0, 40 } },
	/* Backwards. */
	{ .m = 2, .n = 3, .k = 2, .lda = 2, .ldb = 3, .ldc = 3,
	  .offset_a = 40, .batch = { 0, 0, 0, 4 },
	  .stride_a = { 0, 0, 0, -4 }, .stride_b = { 0, 0, 0, 6 },
	  .stride_c = { 0, 0, 0, 6 } },
	/* A single row needs no distance between rows. */
	{ .m = 1, .n = 3, .k = 2, .lda = INT64_C(1) << 31, .ldb = 3,
	  .ldc = INT64_C(1) << 40 },
};
/* clang-format on */
#define CASES (sizeof(cases) / sizeof(cases[0]))

static dprp_gemm case_of(size_t i)
{
	dprp_gemm v = cases[i];

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		v.batch[d] += !v.batch[d];
	return v;
}

START_TEST(values)
{
	const int place = _i % PLACES, routine = _i / PLACES;
	struct operands o;
	dprp_kernel *kernel;
	dprp_event *event;

	start(fake_path, places[place].path, places[place].platform);
	kernel = new_gemm(routines[routine].name);
	for (size_t i = 0; i < CASES; i++) {
		const dprp_gemm v = case_of(i);

		make_operands(routines[routine].dtype, &o);
		fake->products = 0;
		OK(try_gemm(bench.queue, kernel, &o, &v, NULL, &event));
		bench_done(&bench, event);
		check_result(&o, &v);
		ck_assert_int_eq(fake->products,
				 v.batch[0] * v.batch[1] * v.batch[3]);
		drop_operands(&o);
	}
	drop_kernel(kernel);
	stop();
	ck_assert_int_eq(fake->clears, 1);
}
END_TEST

/* Operands that begin inside their memory. */
START_TEST(offsets)
{
	const dprp_gemm v = blas_plain;
	struct operands o;
	dprp_kernel *kernel;
	dprp_gemm shifted = v;

	start(fake_path, places[_i].path, places[_i].platform);
	kernel = new_gemm("gemm float64");
	make_operands(DPR_FLOAT64, &o);
	for (int odd = 0; odd < 2; odd++) {
		const dprp_arg args[] = { arg_mem(o.x[0], 24),
					  arg_mem(o.x[1], 40),
					  arg_mem(o.x[2], odd ? 4 : 56),
					  arg_value(&v, sizeof(v)) };

		host_table_clear();
		ck_assert_int_eq(bench_launch(&bench, bench.queue, kernel, 1, 0,
					      args, 4, NULL, NULL),
				 odd ? DPR_RC_UNSUPPORTED : DPR_RC_OK);
		ck_assert(!odd || strstr(host_table_error(), "a multiple"));
	}
	shifted.offset_a = 3;
	shifted.offset_b = 5;
	shifted.offset_c = 7;
	check_result(&o, &shifted);
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* --- Order ---------------------------------------------------------------- */

/* A barrier waits for dependencies, and with profiling the times of the event
   begin at its end. */
START_TEST(barriers)
{
	const dprp_gemm v = blas_plain;
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_event *first, *second;
	dprp_queue *plain;
	struct operands o;
	dprp_kernel *kernel;

	start(fake_path, "buffer", "Mock plain");
	kernel = new_gemm("gemm float32");
	make_operands(DPR_FLOAT32, &o);
	plain = bench_queue(&bench, bench.device, 0);
	OK(try_gemm(plain, kernel, &o, &v, NULL, &first));
	ck_assert(!traced("barrier"));
	OK(try_gemm(bench.queue, kernel, &o, &v, NULL, &second));
	ck_assert(traced("barrier after 0"));
	OK(bench.plugin->event->wait(&second, 1, UINT64_MAX));
	ck_assert_uint_eq(bench_state(&bench, second, &state, NULL),
			  DPRP_EVENT_DONE);
	/* The mock's times are 1000, 1001, 1002 and 1003. */
	ck_assert_uint_eq(state.t_queued, 1000);
	ck_assert_uint_eq(state.t_start, 1003);
	ck_assert_uint_eq(state.t_end, 1003);
	bench.plugin->event->destroy(second);
	OK(try_gemm(plain, kernel, &o, &v, first, &second));
	ck_assert(traced("barrier after 1"));
	bench_done(&bench, first);
	bench_done(&bench, second);
	bench.plugin->queue->destroy(plain);
	check_result(&o, &v);
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* --- What is refused ------------------------------------------------------ */

/* Launch a product that is blas_plain but for one number. */
START_TEST(numbers)
{
	static const struct {
		size_t offset;
		int64_t number;
		dprp_rc rc;
		const char *text;
	} list[] = {
#define INVALID DPR_RC_INVALID, "an extent is below 1"
#define LARGE DPR_RC_UNSUPPORTED, "up to 2147483647"
		{ offsetof(dprp_gemm, m), 0, INVALID },
		{ offsetof(dprp_gemm, n), 0, INVALID },
		{ offsetof(dprp_gemm, k), -1, INVALID },
		{ offsetof(dprp_gemm, lda), 4, INVALID },
		{ offsetof(dprp_gemm, ldb), 3, INVALID },
		{ offsetof(dprp_gemm, ldc), 3, INVALID },
		{ offsetof(dprp_gemm, flags), 4, INVALID },
		{ offsetof(dprp_gemm, batch[2]), 0, INVALID },
		{ offsetof(dprp_gemm, offset_a), -1, DPR_RC_INVALID,
		  "begins before its memory" },
		{ offsetof(dprp_gemm, offset_b), INT32_MAX, LARGE },
		{ offsetof(dprp_gemm, offset_c), INT64_MAX, LARGE },
		{ offsetof(dprp_gemm, lda), INT64_C(1) << 31, LARGE },
		{ offsetof(dprp_gemm, ldb), INT64_MAX, LARGE },
		/* CLBlast pads its copies. */
		{ offsetof(dprp_gemm, m), INT64_C(1) << 24, LARGE },
		{ offsetof(dprp_gemm, batch[1]), 33, DPR_RC_UNSUPPORTED,
		  "many small products" },
		{ offsetof(dprp_gemm, offset_a), ROOM, DPR_RC_INVALID,
		  "matrix a is larger than its memory (-1011)" },
	};
	dprp_gemm v = blas_plain;
	dprp_event *event = NULL;
	struct operands o;
	dprp_kernel *kernel;

	memcpy((char *)&v + list[_i].offset, &list[_i].number,
	       sizeof(list[_i].number));
	start(fake_path, "buffer", "Mock plain");
	kernel = new_gemm("gemm float32");
	make_operands(DPR_FLOAT32, &o);
	FAILS(try_gemm(bench.queue, kernel, &o, &v, NULL, &event), list[_i].rc,
	      list[_i].text);
	ck_assert_ptr_null(event);
	v = blas_plain;
	OK(try_gemm(bench.queue, kernel, &o, &v, NULL, NULL));
	check_result(&o, &v);
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST
#define NUMBERS 16

START_TEST(vectors)
{
	dprp_gemm v = blas_plain;
	struct operands o;
	dprp_kernel *kernel;

	start(fake_path, "buffer", "Mock plain");
	kernel = new_gemm("gemm float32");
	make_operands(DPR_FLOAT32, &o);
	v.m = 1;
	v.k = v.lda = v.n = v.ldb = v.ldc = 300;
	FAILS(try_gemm(bench.queue, kernel, &o, &v, NULL, NULL),
	      DPR_RC_UNSUPPORTED, "a vector");
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* Memory over which no buffer can be made, and no memory. */
START_TEST(memory)
{
	static const dprp_mem_desc aligned = { .struct_size = sizeof(aligned),
					       .kind = DPRP_MEM_DEVICE,
					       .size = 4096,
					       .align = 65536 };
	const dprp_gemm v = blas_plain;
	dprp_mem *mem[8];
	struct operands o;
	dprp_kernel *kernel;
	unsigned refused = 0;
	int n;

	start(fake_path, "svm-coarse", "Mock coarse");
	kernel = new_gemm("gemm float32");
	make_operands(DPR_FLOAT32, &o);
	for (n = 0; n < 8; n++) {
		struct operands with = o;
		dprp_rc rc;

		OK(bench.plugin->mem->alloc(bench.context, bench.device,
					    &aligned, &mem[n]));
		with.x[1] = mem[n];
		rc = try_gemm(bench.queue, kernel, &with, &v, NULL, NULL);
		ck_assert(rc == DPR_RC_OK || rc == DPR_RC_UNSUPPORTED);
		refused += rc == DPR_RC_UNSUPPORTED;
	}
	/* Eight blocks of malloc() do not all begin at 65536. */
	ck_assert_uint_gt(refused, 0);
	ck_assert_ptr_nonnull(strstr(host_table_error(), "none can be made"));
	while (n)
		bench.plugin->mem->free(mem[--n]);
	mem[0] = o.x[0];
	o.x[0] = NULL;
	FAILS(try_gemm(bench.queue, kernel, &o, &v, NULL, NULL), DPR_RC_INVALID,
	      "argument 0");
	o.x[0] = mem[0];
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* --- Failures ------------------------------------------------------------- */

START_TEST(statuses)
{
	static const struct {
		int status;
		dprp_rc first, later; /* of the first product, of others */
		const char *text;
	} list[] = {
		{ -4, DPR_RC_OOM_DEVICE, DPR_RC_OOM_DEVICE,
		  "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
		{ -6, DPR_RC_OOM_HOST, DPR_RC_OOM_HOST,
		  "CL_OUT_OF_HOST_MEMORY" },
		{ -11, DPR_RC_UNSUPPORTED, DPR_RC_NATIVE,
		  "CL_BUILD_PROGRAM_FAILURE" },
		{ -54, DPR_RC_UNSUPPORTED, DPR_RC_NATIVE,
		  "CL_INVALID_WORK_GROUP_SIZE" },
		{ -2046, DPR_RC_UNSUPPORTED, DPR_RC_NATIVE,
		  "too little local memory" },
		{ -2044, DPR_RC_UNSUPPORTED, DPR_RC_NATIVE, "no float64" },
		{ -2039, DPR_RC_NATIVE, DPR_RC_NATIVE,
		  "an unexpected exception" },
		{ -12345, DPR_RC_NATIVE, DPR_RC_NATIVE, "an unknown error" },
	};
	const size_t n = sizeof(list) / sizeof(list[0]);
	dprp_event *event = NULL;
	struct operands o;
	dprp_kernel *kernel;

	start(fake_path, "buffer", "Mock plain");
	kernel = new_gemm("gemm float32");
	make_operands(DPR_FLOAT32, &o);
	for (size_t i = 0; i < 2 * n; i++) {
		const bool first = i % 2;

		fake->result = list[i / 2].status;
		fake->after = first ? 1 : 3;
		FAILS(try_gemm(bench.queue, kernel, &o, &blas_batch, NULL,
			       i % 3 ? &event : NULL),
		      first ? list[i / 2].first : list[i / 2].later,
		      list[i / 2].text);
		ck_assert_ptr_nonnull(
			strstr(host_table_error(), "CLBlastSgemm: "));
		ck_assert_ptr_null(event);
	}
	OK(try_gemm(bench.queue, kernel, &o, &blas_batch, NULL, NULL));
	check_result(&o, &blas_batch);
	drop_operands(&o);
	drop_kernel(kernel);
	stop();
}
END_TEST

/* Build a routine and compute with it. */
static dprp_rc build_and_compute(const struct operands *o)
{
	dprp_module *module = NULL;
	dprp_kernel *kernel = NULL;
	dprp_event *event = NULL;
	dprp_rc rc = try_routine("gemm float32", NULL, &module);

	if (!rc)
		rc = bench.plugin->module->kernel(module, "gemm", &kernel);
	if (!rc)
		rc = try_gemm(bench.queue, kernel, o, &blas_batch, NULL,
			      &event);
	if (!rc)
		bench_done(&bench, event);
	if (kernel)
		drop_kernel(kernel);
	if (module)
		bench.plugin->module->destroy(module);
	return rc;
}

/* Each allocation fails in turn, the first product's among them. */
START_TEST(allocations)
{
	dprp_rc rc = DPR_RC_OOM_HOST;
	unsigned long n = 0;
	struct operands o;

	for (; rc; n++) {
		ck_assert_uint_lt(n, 200);
		start(fake_path, places[_i].path, places[_i].platform);
		make_operands(DPR_FLOAT32, &o);
		host_table_fail_alloc(bench.table, n + 1);
		rc = build_and_compute(&o);
		host_table_fail_alloc(bench.table, 0);
		ck_assert(!rc || rc == DPR_RC_OOM_HOST);
		OK(build_and_compute(&o));
		check_result(&o, &blas_batch);
		drop_operands(&o);
		stop();
	}
	/* The library, the module, the kernel and the event. */
	ck_assert_uint_gt(n, 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("opencl_mock_clblast");
	TCase *tcase = tcase_create("all");

	if (!is_mock_there())
		return 77;
	if (!load_fake()) {
		printf("needs %s\n", fake_path);
		return 1;
	}
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, no_library, 0, 4);
	tcase_add_test(tcase, no_routine);
	tcase_add_loop_test(tcase, no_buffers, 0, 2);
	tcase_add_test(tcase, no_overlap);
	tcase_add_loop_test(tcase, values, 0, PLACES * ROUTINES);
	tcase_add_loop_test(tcase, offsets, 0, PLACES);
	tcase_add_test(tcase, barriers);
	tcase_add_loop_test(tcase, numbers, 0, NUMBERS);
	tcase_add_test(tcase, vectors);
	tcase_add_test(tcase, memory);
	tcase_add_test(tcase, statuses);
	tcase_add_loop_test(tcase, allocations, 0, PLACES);
	return bench_run(suite);
}
