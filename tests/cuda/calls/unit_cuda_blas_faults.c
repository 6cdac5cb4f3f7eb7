/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_blas_faults.c - failures with cuBLAS, with a library in place of
 * it, on the mock of NVIDIA's driver: missing libraries, wrong arguments, each
 * call and allocation.  Through the ABI: the library names that are tried.
 */
#include "tests/cuda/calls/blas_test.h"
#include "tests/cuda/plugin_host.h"
#include "tests/support/driver_faults.h"

static dpr_status try_build(dpr_queue *on, const char *name)
{
	const dpr_image image = { "calls-1", NULL, name, strlen(name) };
	dpr_program *program;
	dpr_status status = dpr_program_build(on, &image, 1, NULL, &program);

	ck_assert(!status == (program != NULL));
	dpr_program_release(program);
	return status;
}

START_TEST(no_library)
{
	static const struct {
		const char *option, *text;
	} list[] = {
		{ "none", "DPR_OPTION_CUDA_BLAS=none" },
		{ "/no/such/libcublas.so.13",
		  "DPR_OPTION_CUDA_BLAS=/no/such/libcublas.so.13: this is no "
		  "library; it must be an absolute path" },
		{ NULL, "libfake_nvrtc.so: this library is not cuBLAS of CUDA "
			"12 or newer" },
	};
	const char *build = getenv("top_builddir");
	char path[4096];

	snprintf(path, sizeof(path),
		 "%s/tests/cuda/driver/.libs/libfake_nvrtc.so",
		 build ? build : ".");
	use_libraries(list[_i].option ? list[_i].option : path, NULL);
	for (int turn = 0; turn < 2; turn++) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    try_build(queue_of(get_device("cuda:0")),
				      "gemm float32"));
		CHECK_TEXT(list[_i].text);
	}
	ck_assert_int_eq(fake->made, 0);
	stop();
}
END_TEST

/* Launch blas_plain with one number changed: it is refused. */
static void check_refused(dpr_queue *on, dpr_kernel *kernel,
			  const struct operands *o, size_t offset,
			  int64_t number)
{
	dprp_gemm v = blas_plain;

	memcpy((char *)&v + offset, &number, sizeof(number));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    try_gemm(on, kernel, o->x, &v, NULL));
	CHECK_TEXT("an extent is below 1, a leading dimension too small, or a "
		   "flag unknown");
}

START_TEST(wrong_numbers)
{
	static const struct {
		size_t offset;
		int64_t number;
	} list[] = {
		{ offsetof(dprp_gemm, m), 0 },
		{ offsetof(dprp_gemm, n), 0 },
		{ offsetof(dprp_gemm, k), -1 },
		{ offsetof(dprp_gemm, lda), 4 },
		{ offsetof(dprp_gemm, ldb), 3 },
		{ offsetof(dprp_gemm, ldc), 3 },
		{ offsetof(dprp_gemm, flags), 4 },
		{ offsetof(dprp_gemm, batch[2]), 0 },
	};
	struct operands o;
	dpr_kernel *kernel;
	dpr_queue *on;

	use_libraries(fake_path, NULL);
	on = queue_of(get_device("cuda:0"));
	kernel = new_gemm(on, "gemm float32");
	make_operands(on, DPR_FLOAT32, &o);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		check_refused(on, kernel, &o, list[i].offset, list[i].number);
	ck_assert_int_eq(fake->products + fake->batches, 0);
	CHECK_OK(compute_on(on, kernel));
	drop_operands(&o);
	dpr_kernel_release(kernel);
	stop();
}
END_TEST

START_TEST(what_is_refused)
{
	static const char name[] = "gemm float32";
	const dpr_image image = { "calls-1", NULL, name, sizeof(name) - 1 };
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_device *parts[2];
	dpr_queue *on;
	uintptr_t handle;
	size_t n = 0;

	use_libraries(fake_path, NULL);
	on = queue_of(get_device("cuda:0"));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, try_build(on, "gemm int32"));
	CHECK_TEXT("there is no routine \"gemm int32\"");
	CHECK_OK(dpr_program_build(on, &image, 1, NULL, &program));
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_kernel_create(program, "gemm float32", &kernel));
	CHECK_TEXT("it has gemm");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_native(program, &handle));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_binary(program, NULL, 0, &n));
	CHECK_TEXT("a routine of a library has no binary");
	CHECK_OK(dpr_kernel_create(program, "gemm", &kernel));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_kernel_native(kernel, &handle));
	CHECK_OK(dpr_device_partition_equally(get_device("cuda:0"), 64, parts,
					      2, &n));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, try_build(queue_of(parts[0]), name));
	CHECK_TEXT("cuBLAS is not used on a part of a device");
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	stop();
}
END_TEST

/* Build the routine, and compute products on a new queue, by four calls.  They
   write to the memory's beginning, which is looked at after a failure. */
static dpr_status try_products(void)
{
	static const char name[] = "gemm float32";
	const dpr_image image = { "calls-1", NULL, name, sizeof(name) - 1 };
	/* clang-format off */
	const dprp_gemm v = { .m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2,
			      .ldc = 2, .offset_a = 16, .offset_b = 44,
			      .batch = { 1, 1, 1, 4 },
			      .stride_a = { 0, 0, 0, 4 },
			      .stride_b = { 0, 0, 0, -4 },
			      .stride_c = { 0, 0, 0, 4 } };
	/* clang-format on */
	dpr_usm *const x[3] = { usm, usm, usm };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *made = NULL;
	dpr_event *done = NULL;
	dpr_status status, waited;

	status = dpr_queue_create(dpr_queue_device(queue), 0, &made);
	if (!status)
		status = dpr_program_build(made, &image, 1, NULL, &program);
	if (!status)
		status = dpr_kernel_create(program, "gemm", &kernel);
	if (!status) {
		status = try_gemm(made, kernel, x, &v, &done);
		status = finish(status, done);
	}
	/* A failure that is not reported here would be reported at the end. */
	waited = made ? dpr_queue_wait(made) : DPR_OK;
	if (!status)
		status = waited;
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_queue_release(made);
	return status;
}

/* The calls of the driver, and those of cuBLAS. */
static const struct faulty_driver drivers[] = {
	{ "cuda:0",
	  "cuda:1",
	  { 999, 2 },
	  fail_driver,
	  failed_in_driver,
	  delay_work,
	  true },
	{ "cuda:0",
	  "cuda:1",
	  { 14, 3 },
	  fail_library,
	  failed_in_library,
	  delay_work,
	  true },
};

START_TEST(calls_fail)
{
	const struct attempt attempt = { "products", try_products };

	use_libraries(fake_path, NULL);
	faults_begin(&drivers[_i]);
	faults_try_all(&drivers[_i], &attempt);
	faults_end();
	stop();
}
END_TEST

/* A launch of several calls fails at a later call.  When it returns, the work of
   the earlier calls is over, because the core takes the memory for unused. */
START_TEST(no_work_is_left)
{
	struct operands o;
	const dprp_gemm v = blas_batch;
	dpr_kernel *kernel;
	dpr_queue *on;

	use_libraries(fake_path, NULL);
	on = new_queue(get_device("cuda:0"), 0);
	kernel = new_gemm(on, "gemm float32");
	CHECK_OK(compute_on(on, kernel));
	make_operands(on, DPR_FLOAT32, &o);
	delay_work(20 * LATE_US);
	fail_library(4, 14);
	CHECK_FAILS(DPR_ERROR_DRIVER, try_gemm(on, kernel, o.x, &v, NULL));
	ck_assert_uint_eq(mock->pending(), 0);
	ck_assert_str_eq(fake->failed, "cublasGemmStridedBatchedEx");
	delay_work(0);
	drop_operands(&o);
	dpr_kernel_release(kernel);
	dpr_queue_release(on);
	stop();
}
END_TEST

/* The status of each failure, and its text. */
START_TEST(statuses)
{
	static const struct {
		const char *entry;
		int result;
		dpr_status status;
		const char *text;
	} list[] = {
		{ "cublasCreate_v2", 1, DPR_ERROR_UNSUPPORTED,
		  "cublasCreate_v2 of cuBLAS 13.1.2: "
		  "CUBLAS_STATUS_NOT_INITIALIZED (1), with the driver of CUDA "
		  "13.0 on Mock H200 0" },
		{ "cublasCreate_v2", 3, DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		  "CUBLAS_STATUS_ALLOC_FAILED (3)" },
		{ "cublasSetMathMode", 14, DPR_ERROR_DRIVER,
		  "cublasSetMathMode of cuBLAS 13.1.2" },
		{ "cublasSetStream_v2", 99, DPR_ERROR_DRIVER,
		  "an unknown status (99)" },
		{ "cublasGemmEx", 13, DPR_ERROR_DRIVER,
		  "cublasGemmEx of cuBLAS 13.1.2: "
		  "CUBLAS_STATUS_EXECUTION_FAILED (13)" },
		{ "cublasGemmEx", 15, DPR_ERROR_UNSUPPORTED,
		  "CUBLAS_STATUS_NOT_SUPPORTED (15)" },
	};

	use_libraries(fake_path, NULL);
	faults_begin(&drivers[1]);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		fake->fail = list[i].entry;
		fake->result = list[i].result;
		CHECK_FAILS(list[i].status, try_products());
		CHECK_TEXT(list[i].text);
	}
	fake->fail = NULL;
	CHECK_OK(try_products());
	faults_end();
	stop();
}
END_TEST

/* Without memory for its workspace, cuBLAS says that it is not initialized. */
START_TEST(too_little_memory)
{
	dpr_usm *most;

	mock->settings->devices[0].memory = 256 << 20;
	use_libraries(fake_path, NULL);
	faults_begin(&drivers[1]);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, 224 << 20, &most));
	fake->fail = "cublasCreate_v2";
	fake->result = 1;
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY, try_products());
	dpr_usm_release(most);
	faults_end();
	stop();
}
END_TEST

/* After a fault of the device a product fails with this fault. */
START_TEST(a_lost_device)
{
	struct operands o;
	dpr_kernel *kernel;
	const dprp_gemm v = blas_plain;
	dpr_queue *on;
	dpr_status status;

	use_libraries(fake_path, NULL);
	on = new_queue(get_device("cuda:0"), 0);
	kernel = new_gemm(on, "gemm float32");
	CHECK_OK(compute_on(on, kernel));
	make_operands(on, DPR_FLOAT32, &o);
	mock->lose(0, 700);
	status = try_gemm(on, kernel, o.x, &v, NULL);
	if (!status)
		status = dpr_queue_wait(on);
	ck_assert_msg(status == DPR_ERROR_DEVICE_LOST, "%s: %s",
		      dpr_status_name(status), dpr_last_error());
	CHECK_TEXT("CUDA_ERROR_ILLEGAL_ADDRESS");
	drop_operands(&o);
	dpr_kernel_release(kernel);
	dpr_queue_release(on);
	stop();
}
END_TEST

/* --- Through the ABI ------------------------------------------------------ */

/* The plugin with a queue and memory. */
static dprp_queue *abi_queue;
static dprp_mem *abi_mem;

static void open_all(void)
{
	const dprp_queue_desc queue_desc = { .struct_size =
						     sizeof(queue_desc) };
	const dprp_mem_desc mem_desc = { .struct_size = sizeof(mem_desc),
					 .kind = DPRP_MEM_DEVICE,
					 .size = 4096 };
	uint64_t got;

	found_library = fake_library;
	open_plugin();
	ck_assert(!opened.plugin->queue->create(opened.context, opened.device,
						&queue_desc, &got, &abi_queue));
	ck_assert(!opened.plugin->mem->alloc(opened.context, opened.device,
					     &mem_desc, &abi_mem));
	*asked = '\0';
}

static void close_all(void)
{
	opened.plugin->mem->free(abi_mem);
	opened.plugin->queue->destroy(abi_queue);
	close_plugin();
	ck_assert_int_eq(fake->handles, 0);
}

/* Launch a product of 1 x 1 matrices, with this leading dimension. */
static dprp_rc launch_one(dprp_kernel *kernel, int64_t lda)
{
	const dprp_gemm v = { .m = 1,
			      .n = 1,
			      .k = 1,
			      .lda = lda,
			      .ldb = 1,
			      .ldc = 1,
			      .offset_b = 1,
			      .offset_c = 2,
			      .batch = { 1, 1, 1, 1 } };
	dprp_arg args[4];
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .global = { 1 },
				     .n_args = 4,
				     .args = args };
	dprp_rc rc;

	memset(args, 0, sizeof(args));
	for (int i = 0; i < 3; i++) {
		args[i].kind = DPRP_ARG_MEM;
		args[i].u.m.mem = abi_mem;
	}
	args[3].kind = DPRP_ARG_VALUE;
	args[3].size = sizeof(v);
	args[3].u.value = &v;
	rc = opened.plugin->queue->launch(abi_queue, kernel, &launch, NULL,
					  NULL);
	return rc ? rc : opened.plugin->queue->finish(abi_queue);
}

/* Build a routine and launch it. */
static dprp_rc run_one(int64_t lda)
{
	static const char name[] = "gemm float32";
	const dprp_module_ops *ops = opened.plugin->module;
	dprp_module *module = NULL;
	dprp_kernel *kernel = NULL;
	dprp_rc rc = build_image("calls-1", name, sizeof(name) - 1,
				 (dprp_sink){ 0 }, &module);

	if (!rc)
		rc = ops->kernel(module, "gemm", &kernel);
	if (!rc)
		rc = launch_one(kernel, lda);
	ck_assert_int_eq(host_table_error_rc(), rc);
	if (kernel)
		ops->kernel_destroy(kernel);
	if (module)
		ops->destroy(module);
	return rc;
}

static void check_error(dprp_rc wanted, const char *part, int64_t lda)
{
	ck_assert_int_eq(run_one(lda), wanted);
	ck_assert_msg(strstr(host_table_error(), part) != NULL,
		      "no \"%s\" in: %s", part, host_table_error());
}

static const struct {
	int version;
	const char *names[4];
	const char *missing;
} places[] = {
	{ 13000,
	  { "libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13",
	    "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.12" },
	  "there is no cuBLAS: install libcublas-13-0 from NVIDIA's repository "
	  "for the system, or nvidia-cublas with pip and set "
	  "DPR_OPTION_CUDA_BLAS to the path of its libcublas.so.13" },
	{ 12040,
	  { "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.12" },
	  "install libcublas-12-4 from NVIDIA's repository for the system, or "
	  "nvidia-cublas-cu12 with pip and set DPR_OPTION_CUDA_BLAS to the "
	  "path of its libcublas.so.12" },
};

/* The driver's version of cuBLAS is preferred; a driver of CUDA 12 takes no
   other. */
START_TEST(names_of_cublas)
{
	char wanted[sizeof(asked)] = "";

	mock->settings->version = places[_i].version;
	for (int i = 0; i < 4 && places[_i].names[i]; i++) {
		snprintf(wanted + strlen(wanted),
			 sizeof(wanted) - strlen(wanted), "%s\n",
			 places[_i].names[i]);
		found = places[_i].names[i];
		open_all();
		ck_assert_int_eq(run_one(1), DPR_RC_OK);
		ck_assert_str_eq(asked, wanted);
		/* It stays open. */
		ck_assert_int_eq(run_one(1), DPR_RC_OK);
		ck_assert_str_eq(asked, wanted);
		close_all();
	}
	found = NULL;
	open_all();
	check_error(DPR_RC_UNSUPPORTED, places[_i].missing, 1);
	ck_assert_str_eq(asked, wanted);
	close_all();
	check_faults();
	check_mock();
}
END_TEST

/* A library that lacks an entry is not used; without the entries for integers
   of 64 bits only large numbers are refused. */
START_TEST(entries_of_cublas)
{
	static const char *const names[] = {
		"cublasCreate_v2",     "cublasDestroy_v2",
		"cublasSetStream_v2",  "cublasSetMathMode",
		"cublasGetProperty",   "cublasGetStatusName",
		"cublasGemmEx",        "cublasGemmStridedBatchedEx",
		"cublasSgetrfBatched", "cublasDgetrfBatched",
		"cublasCgetrfBatched", "cublasZgetrfBatched",
		"cublasSgetrsBatched", "cublasDgetrsBatched",
		"cublasCgetrsBatched", "cublasZgetrsBatched",
		"cublasStrsm_v2",      "cublasDtrsm_v2",
		"cublasCtrsm_v2",      "cublasZtrsm_v2",
		"cublasStrsmBatched",  "cublasDtrsmBatched",
		"cublasCtrsmBatched",  "cublasZtrsmBatched",
		"cublasGemmEx_64",     "cublasGemmStridedBatchedEx_64",
	};

	found = "libcublas.so.13";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		lacking = names[i];
		open_all();
		if (!strstr(names[i], "_64")) {
			check_error(DPR_RC_UNSUPPORTED,
				    "libcublas lacks an entry of CUDA 12", 1);
		} else {
			ck_assert_int_eq(run_one(1), DPR_RC_OK);
			check_error(DPR_RC_UNSUPPORTED,
				    "a number is above 2147483647, the most "
				    "that cuBLAS 13.1.2 takes",
				    INT64_C(1) << 31);
		}
		close_all();
	}
	lacking = NULL;
	check_faults();
	check_mock();
}
END_TEST

/* Each allocation of the plugin fails. */
START_TEST(memory_runs_out)
{
	bool more = true;
	uint64_t n;
	dprp_rc rc;

	found = "libcublas.so.13";
	for (n = 1; more; n++) {
		open_all();
		allocated = 0;
		fails_at = n;
		rc = run_one(1);
		more = allocated >= n;
		fails_at = 0;
		ck_assert_int_eq(rc, more ? DPR_RC_OOM_HOST : DPR_RC_OK);
		ck_assert_int_eq(run_one(1), DPR_RC_OK);
		close_all();
	}
	ck_assert_uint_gt(n, 5);
	check_faults();
	check_mock();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("unit_cuda_blas_faults", &tcase);

	use_backends(NULL);
	tcase_add_checked_fixture(tcase, open_fake, NULL);
	tcase_add_loop_test(tcase, no_library, 0, 3);
	tcase_add_test(tcase, wrong_numbers);
	tcase_add_test(tcase, what_is_refused);
	tcase_add_loop_test(tcase, calls_fail, 0, 2);
	tcase_add_test(tcase, no_work_is_left);
	tcase_add_test(tcase, statuses);
	tcase_add_test(tcase, too_little_memory);
	tcase_add_test(tcase, a_lost_device);
	tcase_add_loop_test(tcase, names_of_cublas, 0, 2);
	tcase_add_test(tcase, entries_of_cublas);
	tcase_add_test(tcase, memory_runs_out);
	return run_all(runner);
}
