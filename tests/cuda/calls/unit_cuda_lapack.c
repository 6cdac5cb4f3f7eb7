/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_cuda_lapack.c - cuSOLVER in the CUDA backend, with a library in place of
 * it, on the mock of NVIDIA's driver: calls, order, workspaces, refused
 * arguments, each call and allocation that fails.  Through the ABI: the library
 * names that are tried.  api_cuda_lapack.c has the values.
 */
#include "tests/cuda/calls/fake_test.h"
#include "tests/cuda/plugin_host.h"
#include "tests/functions/lapack_job.h"
#include "tests/support/driver_faults.h"

/* Use cuSOLVER on the first device. */
static void start(void)
{
	use_libraries(fake_path, fake_path);
	test_queue = queue_of(get_device("cuda:0"));
}

/* --- Which calls are made ------------------------------------------------- */

/* A system of equations with @n rows, @count times. */
static void begin_system(struct job *job, int64_t n, int64_t count)
{
	begin(job, 1, n, n, 2, count);
	fill(job, add(job, 'd', n, n, false));
	make_definite(&job->args[0]);
	fill(job, add(job, 'd', n, 2, false));
	add(job, 'i', 1, 1, false);
}

/* How many calls for a batch and for one matrix a system takes. */
static const struct {
	int64_t n, count;
	bool packed;
	int batches, singles;
} cases[] = {
	{ 4, 1, true, 0, 1 },   { 4, 2, true, 2, 0 },   { 4, 2, false, 0, 2 },
	{ 128, 1, true, 0, 1 }, { 128, 2, true, 2, 0 }, { 192, 2, true, 0, 2 },
	{ 192, 3, true, 2, 0 },
};

START_TEST(calls_that_are_made)
{
	struct job job;

	start();
	lapack_is_packed = cases[_i].packed;
	begin_system(&job, cases[_i].n, cases[_i].count);
	solve(&job, "gesv");
	ck_assert_int_eq(fake->batch_calls, cases[_i].batches);
	ck_assert_int_eq(fake->singles, cases[_i].singles);
	end(&job);
	stop();
}
END_TEST

/* Eigenvalues of a packed batch are one call, if cuSOLVER has the entry. */
START_TEST(eigenvalues_of_a_batch)
{
	struct job job;

	start();
	lapack_is_packed = _i;
	begin(&job, 0, 0, 5, 0, 3);
	fill(&job, add(&job, 'f', 5, 5, false));
	make_definite(&job.args[0]);
	add(&job, 'f', 5, 1, false);
	add(&job, 'i', 1, 1, false);
	solve(&job, "syevd");
	ck_assert_int_eq(fake->batch_calls, _i ? 1 : 0);
	ck_assert_int_eq(fake->singles, _i ? 0 : 3);
	end(&job);
	stop();
}
END_TEST

/* Singular values of a packed batch of small matrices are one call. */
static const struct {
	int64_t m, n;
	bool packed;
	int batches, singles;
} svds[] = {
	{ 5, 3, true, 1, 0 },  { 32, 32, true, 1, 0 }, { 3, 5, false, 0, 3 },
	{ 33, 2, true, 0, 3 }, { 2, 33, true, 0, 3 },
};

START_TEST(singular_values_of_a_batch)
{
	const int64_t m = svds[_i].m, n = svds[_i].n, min = m < n ? m : n;
	struct job job;

	start();
	lapack_is_packed = svds[_i].packed;
	begin(&job, 2, m, n, 0, 3);
	fill(&job, add(&job, 'c', m, n, false));
	add(&job, 'f', min, 1, false);
	add(&job, 'c', m, min, false);
	add(&job, 'c', min, n, false);
	add(&job, 'i', 1, 1, false);
	job.v.flags = DPRP_LAPACK_VECTORS;
	solve(&job, "gesdd");
	ck_assert_int_eq(fake->batch_calls, svds[_i].batches);
	ck_assert_int_eq(fake->singles, svds[_i].singles);
	/* A matrix that is not finite has no result. */
	fill(&job, &job.args[0]);
	set(&job.args[0], 1, 0, n - 1, NAN);
	CHECK_OK(launch_job(&job, "gesdd"));
	for (int64_t p = 0; p < 3; p++)
		ck_assert_int_eq(info_of(&job, p) > 0, p == 1);
	end(&job);
	stop();
}
END_TEST

/* Our own kernels are loaded once for all routines of a context. */
START_TEST(kernels_are_loaded_once)
{
	dpr_program *first, *second;
	int64_t loaded;

	start();
	CHECK_OK(build("potrf", 0, &first));
	dpr_program_release(first);
	loaded = mock->live(CUMOCK_LIBRARIES);
	ck_assert_int_ge(loaded, 1);
	CHECK_OK(build("gesdd", 1, &second));
	ck_assert_int_eq(mock->live(CUMOCK_LIBRARIES), loaded);
	dpr_program_release(second);
	ck_assert_int_eq(mock->live(CUMOCK_LIBRARIES), loaded);
	stop();
}
END_TEST

/* --- Workspaces and order ------------------------------------------------- */

/* Workspaces that are larger than the handle's are not kept. */
START_TEST(large_workspaces)
{
	static const size_t sizes[][2] = {
		{ 0, 0 },        { 1 << 20, 1 << 20 },   { 40 << 20, 0 },
		{ 0, 40 << 20 }, { 40 << 20, 40 << 20 }, { 2 << 20, 0 }
	};
	int64_t kept = 0;
	struct job job;

	start();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fake->more_device = sizes[i][0];
		fake->more_host = sizes[i][1];
		begin_system(&job, 5, 1);
		solve(&job, "gesv");
		end(&job);
		kept = i ? kept : mock->live(CUMOCK_MEMORY);
		ck_assert_int_eq(mock->live(CUMOCK_MEMORY), kept);
	}
	stop();
}
END_TEST

#define QUEUES 12

/* Launch a system on another queue. */
static void submit_on(dpr_queue *on, struct job *job, dpr_kernel *kernel)
{
	dpr_arg args[4];

	for (int i = 0; i < 3; i++)
		args[i] = dpr_arg_usm_use(job->args[i].usm, 0, DPR_READ_WRITE);
	args[3] = dpr_arg_bytes(&job->v, sizeof(job->v));
	CHECK_OK(dpr_kernel_launch_usm(on, kernel, dpr_range1(1), NULL, NULL,
				       args, 4));
}

/* Many queues share handles, whose workspaces have the pivots: a stream waits
   for the work of the stream before it, and so does the host, which has a workspace,
   too.  The mock mixes the streams, and is slow. */
START_TEST(queues_share_workspaces)
{
	static struct job jobs[QUEUES], first;
	struct matrix a[QUEUES], b[QUEUES], x;
	dpr_queue *list[QUEUES];
	dpr_program *program;
	dpr_kernel *kernel;

	mock->settings->order = CUMOCK_RANDOM;
	mock->settings->seed = (unsigned)_i + 1;
	start();
	CHECK_OK(build("gesv", 1, &program));
	CHECK_OK(dpr_kernel_create(program, "gesv", &kernel));
	/* The driver loads kernels at the first launch, for which it waits. */
	begin_system(&first, 20, 1);
	solve(&first, "gesv");
	end(&first);
	for (int i = 0; i < QUEUES; i++) {
		list[i] = new_queue(get_device("cuda:0"), 0);
		begin_system(&jobs[i], 20 + i, 1);
		/* Rows are exchanged, in another way in each matrix. */
		for (int64_t r = 0; r < 20 + i; r++)
			set(&jobs[i].args[0], 0, r, r, real_of((uint64_t)r));
		a[i] = matrix_of(&jobs[i].args[0], 0);
		b[i] = matrix_of(&jobs[i].args[1], 0);
	}
	delay_work(LATE_US);
	for (int i = 0; i < QUEUES; i++)
		submit_on(list[i], &jobs[i], kernel);
	ck_assert_int_eq(fake->solvers, 8);
	delay_work(0);
	for (int i = 0; i < QUEUES; i++) {
		CHECK_OK(dpr_queue_wait(list[i]));
		x = matrix_of(&jobs[i].args[1], 0);
		check_near(&jobs[i],
			   difference(&a[i], false, &x, 20 + i, &b[i]), "gesv");
		free(a[i].at);
		free(b[i].at);
		free(x.at);
		end(&jobs[i]);
		dpr_queue_release(list[i]);
	}
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	stop();
}
END_TEST

/* While another library captures a graph, nothing that breaks it is called. */
START_TEST(during_a_capture)
{
	struct job job;

	start();
	begin_system(&job, 5, 1);
	solve(&job, "gesv");
	mock->capture(true);
	CHECK_OK(launch_job(&job, "gesv"));
	fake->more_host = 1 << 20;
	CHECK_OK(launch_job(&job, "gesv"));
	mock->capture(false);
	end(&job);
	stop();
}
END_TEST

/* If the program has reset the context, its handles are not touched. */
START_TEST(a_context_that_was_reset)
{
	struct job job;

	use_libraries(fake_path, fake_path);
	test_queue = new_queue(get_device("cuda:0"), 0);
	begin_system(&job, 5, 1);
	solve(&job, "gesv");
	end(&job);
	mock->reset_context(0);
	dpr_queue_release(test_queue);
	CHECK_OK(dpr_finalize());
	check_faults();
	ck_assert_int_eq(fake->handles, 2);
	ck_assert_int_eq(fake->params, 1);
}
END_TEST

/* --- What is refused ------------------------------------------------------ */

START_TEST(no_library)
{
	static const struct {
		const char *option, *text;
	} list[] = {
		{ "none", "DPR_OPTION_CUDA_LAPACK=none" },
		{ "/no/such/libcusolver.so.12",
		  "DPR_OPTION_CUDA_LAPACK=/no/such/libcusolver.so.12: this is "
		  "no library; it must be an absolute path" },
		{ NULL, "libfake_nvrtc.so: this library is not cuSOLVER of "
			"CUDA 12 or newer" },
	};
	const char *top = getenv("top_builddir");
	dpr_program *program;
	char path[4096];

	snprintf(path, sizeof(path),
		 "%s/tests/cuda/driver/.libs/libfake_nvrtc.so",
		 top ? top : ".");
	use_libraries(fake_path, list[_i].option ? list[_i].option : path);
	test_queue = queue_of(get_device("cuda:0"));
	for (int turn = 0; turn < 2; turn++) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, build("potrf", 0, &program));
		CHECK_TEXT(list[_i].text);
	}
	ck_assert_int_eq(fake->solvers, 0);
	stop();
}
END_TEST

/* Without cuBLAS there are only the routines that do not use it. */
START_TEST(no_cublas)
{
	static const char *const with[] = { "getrf", "gesv", "trtrs" };
	static const char *const without[] = { "potrf", "geqrf", "orgqr",
					       "syevd", "geev",  "gesdd" };
	dpr_program *program;

	use_libraries("none", fake_path);
	test_queue = queue_of(get_device("cuda:0"));
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED, build(with[i], 0, &program));
		CHECK_TEXT("DPR_OPTION_CUDA_BLAS=none");
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		CHECK_OK(build(without[i], 0, &program));
		dpr_program_release(program);
	}
	ck_assert_int_eq(fake->made, 0);
	stop();
}
END_TEST

START_TEST(what_is_refused)
{
	const dpr_image image = { "calls-1", NULL, "potrf float16", 13 };
	dpr_device *parts[2];
	dpr_program *program;
	dpr_kernel *kernel;
	struct job job;
	size_t n = 0;

	start();
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_build(test_queue, &image, 1, NULL, &program));
	CHECK_TEXT("there is no routine \"potrf float16\"");
	CHECK_OK(build("potrf", 0, &program));
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_kernel_create(program, "dpr_copy", &kernel));
	CHECK_TEXT("it has potrf");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_binary(program, NULL, 0, &n));
	dpr_program_release(program);
	begin(&job, 1, 4, 4, 4, 1);
	fill(&job, add(&job, 'd', 4, 4, false));
	add(&job, 'd', 4, 1, false);
	add(&job, 'i', 1, 1, false);
	job.v.leading[0] = INT64_C(1) << 31;
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, launch_job(&job, "orgqr"));
	CHECK_TEXT("a number is above 2147483647, the most that cuSOLVER "
		   "12.0.9 takes");
	check_gaps(&job);
	end(&job);
	begin(&job, 1, 4, 1, 0, 1);
	fill(&job, add(&job, 'd', 4, 1, false));
	for (int i = 0; i < 3; i++)
		add(&job, 'd', 4, 4, false);
	add(&job, 'i', 1, 1, false);
	job.v.m = job.v.leading[0] = job.v.leading[2] = INT64_C(1) << 40;
	job.v.flags = DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, launch_job(&job, "gesdd"));
	CHECK_TEXT("gesdd: no matrix is that large");
	end(&job);
	CHECK_OK(dpr_device_partition_equally(get_device("cuda:0"), 64, parts,
					      2, &n));
	test_queue = queue_of(parts[0]);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, build("potrf", 0, &program));
	CHECK_TEXT("cuSOLVER is not used on a part of a device");
	stop();
}
END_TEST

/* --- Calls that fail ------------------------------------------------------ */

/* A launch of each routine for float32 in 256 bytes of memory: argument i
   begins at number 8 i of its own dtype, and info is at the end. */
static const struct {
	const char *name;
	int n_mem;
	int64_t m, n, k, flags;
	bool packed;
} attempts[] = {
	{ "potrf", 2, 0, 2, 0, 0, false },
	{ "potrf", 2, 0, 2, 0, 0, true },
	{ "getrf", 3, 2, 1, 0, 0, false },
	{ "getrf", 3, 2, 2, 0, 0, true },
	{ "gesv", 3, 0, 2, 1, 0, false },
	{ "gesv", 3, 0, 2, 1, 0, true },
	{ "trtrs", 3, 0, 2, 1, 0, false },
	{ "trtrs", 3, 0, 2, 1, 0, true },
	{ "geqrf", 3, 2, 2, 0, 0, false },
	{ "orgqr", 3, 2, 2, 2, 0, false },
	{ "syevd", 3, 0, 2, 0, DPRP_LAPACK_VECTORS, false },
	{ "syevd", 3, 0, 2, 0, 0, true },
	{ "geev", 4, 0, 2, 0, DPRP_LAPACK_VECTORS, true },
	{ "gesdd", 5, 1, 2, 0, DPRP_LAPACK_VECTORS, true },
	{ "gesdd", 5, 2, 2, 0, DPRP_LAPACK_VECTORS, true },
};
#define ATTEMPTS ((int)(sizeof(attempts) / sizeof(attempts[0])))
static int chosen; /* the attempt */

static dpr_status launch_attempt(dpr_queue *on, dpr_kernel *kernel)
{
	const int n_mem = attempts[chosen].n_mem;
	const bool packed = attempts[chosen].packed;
	dprp_lapack v = { .m = attempts[chosen].m,
			  .n = attempts[chosen].n,
			  .k = attempts[chosen].k,
			  .count = 2,
			  .flags = attempts[chosen].flags };
	dpr_arg args[DPRP_LAPACK_ARGS + 1];
	dpr_event *done = NULL;
	dpr_status status;

	for (int i = 0; i < n_mem; i++) {
		const bool vector = i == 1 && attempts[chosen].n_mem > 2;

		v.offset[i] = 8 * i;
		v.leading[i] = 2;
		v.stride[i] = vector && packed ? 2 : 4;
		args[i] = dpr_arg_usm_use(usm, 0, DPR_READ_WRITE);
	}
	v.offset[n_mem - 1] = 60;
	v.stride[n_mem - 1] = packed ? 1 : 2;
	args[n_mem] = dpr_arg_bytes(&v, sizeof(v));
	status = dpr_kernel_launch_usm(on, kernel, dpr_range1(1), NULL, &done,
				       args, (size_t)n_mem + 1);
	return finish(status, done);
}

static dpr_status try_routine(void)
{
	char text[40];
	const dpr_image image = { "calls-1", NULL, text,
				  strlen(attempts[chosen].name) + 8 };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *made = NULL;
	dpr_status status, waited;

	snprintf(text, sizeof(text), "%s float32", attempts[chosen].name);
	status = dpr_queue_create(dpr_queue_device(queue), 0, &made);
	if (!status)
		status = dpr_program_build(made, &image, 1, NULL, &program);
	if (!status)
		status = dpr_kernel_create(program, attempts[chosen].name,
					   &kernel);
	if (!status)
		status = launch_attempt(made, kernel);
	/* A failure that is not reported here would be reported at the end. */
	waited = made ? dpr_queue_wait(made) : DPR_OK;
	if (!status)
		status = waited;
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_queue_release(made);
	return status;
}

/* The calls of the driver, and those of both libraries. */
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
	  { 14, 2 },
	  fail_library,
	  failed_in_library,
	  delay_work,
	  true },
};

START_TEST(calls_fail)
{
	const struct attempt attempt = { attempts[_i / 2].name, try_routine };

	chosen = _i / 2;
	use_libraries(fake_path, fake_path);
	faults_begin(&drivers[_i % 2]);
	faults_try_all(&drivers[_i % 2], &attempt);
	faults_end();
	stop();
}
END_TEST

/* A launch of several calls fails at a later call.  When it returns, the work
   of the earlier calls is over, because the core takes the memory for unused.
 */
START_TEST(no_work_is_left)
{
	struct job job;

	start();
	begin_system(&job, 5, 4);
	solve(&job, "gesv");
	delay_work(20 * LATE_US);
	fake->fail = "cusolverDnXgetrs";
	fake->result = 7;
	CHECK_FAILS(DPR_ERROR_DRIVER, launch_job(&job, "gesv"));
	ck_assert_uint_eq(mock->pending(), 0);
	delay_work(0);
	fake->fail = NULL;
	end(&job);
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
		{ "cusolverDnCreate", 1, DPR_ERROR_UNSUPPORTED,
		  "cusolverDnCreate of cuSOLVER 12.0.9: "
		  "CUSOLVER_STATUS_NOT_INITIALIZED (1), with the driver of "
		  "CUDA 13.0 on Mock H200 0" },
		{ "cusolverDnCreate", 4, DPR_ERROR_UNSUPPORTED,
		  "CUSOLVER_STATUS_ARCH_MISMATCH (4)" },
		{ "cusolverDnCreateParams", 2, DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		  "cusolverDnCreateParams of cuSOLVER 12.0.9: "
		  "CUSOLVER_STATUS_ALLOC_FAILED (2)" },
		{ "cusolverDnXgetrf_bufferSize", 3, DPR_ERROR_DRIVER,
		  "CUSOLVER_STATUS_INVALID_VALUE (3)" },
		{ "cusolverDnXgetrf", 6, DPR_ERROR_DRIVER,
		  "CUSOLVER_STATUS_EXECUTION_FAILED (6)" },
		{ "cusolverDnXgetrf", 9, DPR_ERROR_UNSUPPORTED,
		  "cusolverDnXgetrf of cuSOLVER 12.0.9: "
		  "CUSOLVER_STATUS_NOT_SUPPORTED (9)" },
		{ "cusolverDnXgetrs", 7, DPR_ERROR_DRIVER,
		  "CUSOLVER_STATUS_INTERNAL_ERROR (7)" },
		{ "cusolverDnXgetrs", 99, DPR_ERROR_DRIVER,
		  "an unknown status (99)" },
	};

	chosen = 4;
	use_libraries(fake_path, fake_path);
	faults_begin(&drivers[1]);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		fake->fail = list[i].entry;
		fake->result = list[i].result;
		CHECK_FAILS(list[i].status, try_routine());
		CHECK_TEXT(list[i].text);
	}
	fake->fail = NULL;
	CHECK_OK(try_routine());
	faults_end();
	stop();
}
END_TEST

/* --- Through the ABI ------------------------------------------------------ */

/* Make a module of a routine. */
static dprp_rc make_routine(const char *name)
{
	dprp_module *module;
	const dprp_rc rc = build_image("calls-1", name, strlen(name),
				       (dprp_sink){ 0 }, &module);

	if (module)
		opened.plugin->module->destroy(module);
	return rc;
}

static void check_error(const char *routine, const char *part)
{
	ck_assert_int_eq(make_routine(routine), DPR_RC_UNSUPPORTED);
	ck_assert_msg(strstr(host_table_error(), part) != NULL,
		      "no \"%s\" in: %s", part, host_table_error());
}

static const struct {
	int version;
	const char *blas, *names[4];
	const char *missing;
} places[] = {
	{ 13000,
	  "libcublas.so.13",
	  { "libcusolver.so.12", "/usr/local/cuda/lib64/libcusolver.so.12",
	    "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so.11" },
	  "there is no cuSOLVER: install libcusolver-13-0 from NVIDIA's "
	  "repository for the system, or nvidia-cusolver with pip and set "
	  "DPR_OPTION_CUDA_LAPACK to the path of its libcusolver.so.12" },
	{ 12040,
	  "libcublas.so.12",
	  { "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so.11" },
	  "install libcusolver-12-4 from NVIDIA's repository for the system, "
	  "or nvidia-cusolver-cu12 with pip and set DPR_OPTION_CUDA_LAPACK to "
	  "the path of its libcusolver.so.11" },
};

/* The driver's version of cuSOLVER is preferred; a driver of CUDA 12 takes no
   other. */
START_TEST(names_of_cusolver)
{
	char wanted[sizeof(asked)] = "";

	mock->settings->version = places[_i].version;
	found_library = fake_library;
	found_too = places[_i].blas;
	for (int i = 0; i < 4 && places[_i].names[i]; i++) {
		snprintf(wanted + strlen(wanted),
			 sizeof(wanted) - strlen(wanted), "%s\n",
			 places[_i].names[i]);
		found = places[_i].names[i];
		open_plugin();
		ck_assert_int_eq(make_routine("gesdd float64"), DPR_RC_OK);
		ck_assert_str_eq(asked, wanted);
		/* It stays open. */
		ck_assert_int_eq(make_routine("potrf float64"), DPR_RC_OK);
		ck_assert_str_eq(asked, wanted);
		/* cuBLAS is opened by the first routine that uses it. */
		ck_assert_int_eq(make_routine("gesv float64"), DPR_RC_OK);
		ck_assert_ptr_nonnull(strstr(asked, places[_i].blas));
		close_plugin();
	}
	found = NULL;
	open_plugin();
	check_error("potrf float32", places[_i].missing);
	close_plugin();
	check_faults();
	check_mock();
}
END_TEST

/* A library that lacks an entry is not used, but for two entries. */
START_TEST(entries_of_cusolver)
{
	static const char *const names[] = {
		"cusolverDnCreate",
		"cusolverDnDestroy",
		"cusolverDnSetStream",
		"cusolverGetProperty",
		"cusolverDnCreateParams",
		"cusolverDnDestroyParams",
		"cusolverDnXpotrf",
		"cusolverDnXpotrf_bufferSize",
		"cusolverDnXgetrf",
		"cusolverDnXgetrf_bufferSize",
		"cusolverDnXgetrs",
		"cusolverDnXgeqrf",
		"cusolverDnXsyevd",
		"cusolverDnXgesvd",
		"cusolverDnSorgqr",
		"cusolverDnZungqr",
		"cusolverDnCungqr_bufferSize",
		"cusolverDnDpotrfBatched",
		"cusolverDnCreateGesvdjInfo",
		"cusolverDnDestroyGesvdjInfo",
		"cusolverDnSgesvdjBatched",
		"cusolverDnZgesvdjBatched_bufferSize",
	};

	found_library = fake_library;
	found = "libcusolver.so.12";
	found_too = "libcublas.so.13";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		lacking = names[i];
		open_plugin();
		check_error("getrf complex64",
			    "libcusolver lacks an entry of CUDA 12: set "
			    "DPR_OPTION_CUDA_LAPACK to the path of another "
			    "libcusolver.so.12");
		close_plugin();
	}
	lacking = "cusolverDnXgeev";
	open_plugin();
	check_error("geev float32",
		    "cuSOLVER 12.0.9 has no geev: CUDA 12.6 and newer have it");
	ck_assert_int_eq(make_routine("syevd float32"), DPR_RC_OK);
	close_plugin();
	lacking = "cusolverDnXsyevBatched";
	open_plugin();
	ck_assert_int_eq(make_routine("syevd float32"), DPR_RC_OK);
	close_plugin();
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

	found_library = fake_library;
	found = "libcusolver.so.12";
	found_too = "libcublas.so.13";
	for (n = 1; more; n++) {
		open_plugin();
		allocated = 0;
		fails_at = n;
		rc = make_routine("gesv float32");
		more = allocated >= n;
		fails_at = 0;
		ck_assert_int_eq(rc, more ? DPR_RC_OOM_HOST : DPR_RC_OK);
		ck_assert_int_eq(make_routine("gesv float32"), DPR_RC_OK);
		close_plugin();
	}
	ck_assert_uint_gt(n, 8);
	check_faults();
	check_mock();
}
END_TEST

int main(void)
{
	const int n_cases = (int)(sizeof(cases) / sizeof(cases[0]));
	TCase *tcase;
	SRunner *runner = new_runner("unit_cuda_lapack", &tcase);

	use_backends(NULL);
	tcase_add_checked_fixture(tcase, open_fake, NULL);
	tcase_add_loop_test(tcase, calls_that_are_made, 0, n_cases);
	tcase_add_loop_test(tcase, eigenvalues_of_a_batch, 0, 2);
	tcase_add_loop_test(tcase, singular_values_of_a_batch, 0,
			    (int)(sizeof(svds) / sizeof(svds[0])));
	tcase_add_test(tcase, kernels_are_loaded_once);
	tcase_add_test(tcase, large_workspaces);
	tcase_add_loop_test(tcase, queues_share_workspaces, 0, 4);
	tcase_add_test(tcase, during_a_capture);
	tcase_add_test(tcase, a_context_that_was_reset);
	tcase_add_loop_test(tcase, no_library, 0, 3);
	tcase_add_test(tcase, no_cublas);
	tcase_add_test(tcase, what_is_refused);
	tcase_add_loop_test(tcase, calls_fail, 0, 2 * ATTEMPTS);
	tcase_add_test(tcase, no_work_is_left);
	tcase_add_test(tcase, statuses);
	tcase_add_loop_test(tcase, names_of_cusolver, 0, 2);
	tcase_add_test(tcase, entries_of_cusolver);
	tcase_add_test(tcase, memory_runs_out);
	return run_all(runner);
}
