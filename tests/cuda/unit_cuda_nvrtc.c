/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cuda_nvrtc.c - how the CUDA backend finds and uses NVRTC, with a library
   in place of it: through the public API with the option, and through the ABI.
   There the host decides which libraries exist. */
#include "tests/cuda/cuda_api.h"
#include "tests/cuda/fake_nvrtc.h"
#include "tests/cuda/plugin_host.h"

static const char source[] = "kernel void mix(global uint *x, uint value)\n"
			     "{\n\t*x = *x * 3 + value;\n}\n";

static struct fake_nvrtc *fake;
static void *fake_library;
static char fake_path[4096];

static void open_fake(void)
{
	const char *build = getenv("top_builddir");

	snprintf(fake_path, sizeof(fake_path),
		 "%s/tests/cuda/driver/.libs/libfake_nvrtc.so",
		 build ? build : ".");
	fake_library = dlopen(fake_path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(fake_library != NULL, "%s", dlerror());
	fake = dlsym(fake_library, FAKE_NVRTC_SYMBOL);
	ck_assert_ptr_nonnull(fake);
	found_library = fake_library;
	fake->cubin = mock->cubin(test_ptx, &fake->cubin_size);
	ck_assert_ptr_nonnull(fake->cubin);
	fake->ptx = test_ptx;
	mock->kernel("mix", mix_function);
}

/* Free what open_fake() has made, and check that nothing is left. */
static void close_fake(void)
{
	finish_all();
	ck_assert_int_eq(fake->programs, 0);
	free((void *)(uintptr_t)fake->cubin);
}

/* --- With the option ------------------------------------------------------ */

static dpr_queue *start(void)
{
	setenv("DPR_OPTION_CUDA_NVRTC", fake_path, 1);
	use_backends(NULL);
	return queue_of(get_device("cuda:0"));
}

/* Let NVRTC know only these two architectures; 0: only the first one. */
static void set_archs(int first, int second)
{
	fake->archs[0] = first;
	fake->archs[1] = second;
	fake->n_archs = 1 + !!second;
}

/* Build the source; its kernel must work. */
static void check_builds(dpr_queue *queue, const char *log)
{
	dpr_program *program;
	dpr_kernel *mix;
	dpr_usm *usm;

	CHECK_OK(dpr_program_from_source(queue, source, NULL, &program));
	ck_assert_str_eq(dpr_program_log(program), log);
	CHECK_OK(dpr_kernel_create(program, "mix", &mix));
	dpr_program_release(program);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	launch(queue, mix, usm, 4);
	ck_assert_int_eq(get_int(queue, usm, 0), 7);
	dpr_usm_release(usm);
	dpr_kernel_release(mix);
}

static void check_fails(dpr_queue *queue, dpr_status status, const char *part)
{
	dpr_program *program;

	CHECK_FAILS(status,
		    dpr_program_from_source(queue, source, NULL, &program));
	CHECK_TEXT(part);
	ck_assert_ptr_null(program);
	ck_assert_int_eq(fake->programs, 0);
}

/* If NVRTC knows the device, it makes a cubin, and the driver compiles
   nothing. */
START_TEST(a_cubin_for_the_device)
{
	dpr_queue *queue = start();

	fake->log = "<source>(2): warning: a warning\n";
	check_builds(queue, fake->log);
	ck_assert_ptr_nonnull(
		strstr(fake->options, "--gpu-architecture=sm_90\n"));
	ck_assert_int_eq(fake->cubins, 1);
	ck_assert_int_eq(fake->ptxs, 0);
	ck_assert_uint_eq(mock->calls("cuLinkCreate"), 0);
	ck_assert_uint_eq(get_number(get_device("cuda:0"),
				     DPR_INFO_ASPECT_ONLINE_COMPILER),
			  1);
	close_fake();
}
END_TEST

/* If the device is newer than NVRTC, PTX for the newest device that NVRTC knows
   goes to the driver. */
START_TEST(ptx_for_a_newer_device)
{
	dpr_queue *queue;

	set_archs(80, 75);
	queue = start();
	check_builds(queue, "");
	ck_assert_ptr_nonnull(
		strstr(fake->options, "--gpu-architecture=compute_80\n"));
	ck_assert_int_eq(fake->cubins, 0);
	ck_assert_int_eq(fake->ptxs, 1);
	ck_assert_uint_eq(mock->calls("cuLinkCreate"), 1);
	close_fake();
}
END_TEST

START_TEST(a_device_too_old_for_nvrtc)
{
	dpr_queue *queue;

	set_archs(100, 120);
	queue = start();
	check_fails(queue, DPR_ERROR_UNSUPPORTED,
		    "NVRTC 13.0 makes no code for compute capability 9.0: "
		    "install NVRTC 12 (cuda-nvrtc-12-9)");
	close_fake();
}
END_TEST

START_TEST(ptx_too_new_for_the_driver)
{
	dpr_queue *queue;

	set_archs(80, 0);
	fake->ptx = ".version 19.0\n.target sm_80\n.address_size 64\n";
	queue = start();
	check_fails(queue, DPR_ERROR_UNSUPPORTED,
		    "the PTX is newer than the driver, which is for CUDA 13.0");
	close_fake();
}
END_TEST

/* The log of a failed compilation is in the error's text. */
START_TEST(a_source_that_is_wrong)
{
	dpr_queue *queue = start();

	fake->fail = "nvrtcCompileProgram";
	fake->result = 6; /* NVRTC_ERROR_COMPILATION */
	fake->log = "<source>(3): error: identifier \"y\" is undefined\n";
	check_fails(queue, DPR_ERROR_BUILD,
		    "<source>(3): error: identifier \"y\" is undefined\n");
	CHECK_TEXT("cuda:gpu:0");
	/* Without a log the text has the call. */
	fake->log = NULL;
	check_fails(queue, DPR_ERROR_BUILD, "cuda:gpu:0: nvrtcCompileProgram");
	fake->log = "a warning\n";
	fake->fail = NULL;
	check_builds(queue, fake->log);
	close_fake();
}
END_TEST

/* The compiler does not say that images are the reason; the backend does. */
START_TEST(a_source_with_images)
{
	static const char images[] =
		"kernel void f(global int *x,\n\tread_only image2d_t y)\n{\n}\n";
	dpr_queue *queue = start();
	dpr_program *program;

	fake->fail = "nvrtcCompileProgram";
	fake->result = 6;
	CHECK_FAILS(DPR_ERROR_BUILD,
		    dpr_program_from_source(queue, images, NULL, &program));
	CHECK_TEXT("<source>(2): error: the CUDA backend does not support "
		   "images and samplers");
	close_fake();
}
END_TEST

/* Each call of a compilation fails: with no memory, and with another error
   whose text has the name of the call. */
START_TEST(a_call_of_nvrtc_fails)
{
	static const char *const calls[2][4] = {
		{ "nvrtcCreateProgram", "nvrtcCompileProgram",
		  "nvrtcGetCUBINSize", "nvrtcGetCUBIN" },
		{ "nvrtcCreateProgram", "nvrtcCompileProgram",
		  "nvrtcGetPTXSize", "nvrtcGetPTX" },
	};
	char text[64];
	dpr_queue *queue;
	int i;

	if (_i)
		set_archs(80, 0);
	queue = start();
	for (i = 0; i < 4; i++) {
		fake->fail = calls[_i][i];
		fake->result = 1;
		snprintf(text, sizeof(text), "%s: NVRTC_ERROR_OUT_OF_MEMORY",
			 fake->fail);
		check_fails(queue, DPR_ERROR_OUT_OF_MEMORY, text);
		fake->result = 5;
		snprintf(text, sizeof(text), "%s: an unknown error (5)",
			 fake->fail);
		check_fails(queue, DPR_ERROR_DRIVER, text);
	}
	fake->fail = NULL;
	check_builds(queue, "");
	close_fake();
}
END_TEST

/* A log that cannot be read does not fail the build. */
START_TEST(a_log_that_is_lost)
{
	dpr_queue *queue = start();

	fake->log = "a warning\n";
	fake->fail = _i ? "nvrtcGetProgramLog" : "nvrtcGetProgramLogSize";
	fake->result = 5;
	check_builds(queue, "");
	close_fake();
}
END_TEST

#define PLAIN                                                             \
	"--gpu-architecture=sm_90\n--device-as-default-execution-space\n" \
	"--std=c++20\n--diag-suppress=177,550,2361\n"
#define PRECISE "--prec-div=true\n--prec-sqrt=true\n"
#define LOOSE "--prec-div=false\n--prec-sqrt=false\n"

/* The options of OpenCL C in the words of NVRTC. */
START_TEST(options)
{
	static const struct {
		const char *given;
		uint64_t flags;
		const char *wanted;
	} list[] = {
		{ "", 0, PLAIN PRECISE "--ftz=false\n--fmad=true\n" },
		{ "-cl-fast-relaxed-math", 0,
		  PLAIN "--use_fast_math\n--fmad=true\n" },
		{ "-cl-fast-relaxed-math", DPR_BUILD_ROUNDED,
		  PLAIN PRECISE "--ftz=true\n--fmad=true\n" },
		{ "-cl-fast-relaxed-math "
		  "-cl-fp32-correctly-rounded-divide-sqrt",
		  0, PLAIN PRECISE "--ftz=true\n--fmad=true\n" },
		{ "-cl-unsafe-math-optimizations", 0,
		  PLAIN LOOSE "--ftz=false\n--fmad=true\n" },
		{ "-cl-unsafe-math-optimizations", DPR_BUILD_ROUNDED,
		  PLAIN PRECISE "--ftz=false\n--fmad=true\n" },
		{ "-cl-denorms-are-zero", 0,
		  PLAIN PRECISE "--ftz=true\n--fmad=true\n" },
		{ "-g -w -I /some/where", 0,
		  PLAIN PRECISE
		  "--ftz=false\n--fmad=true\n--generate-line-info\n"
		  "--disable-warnings\n--include-path=/some/where\n" },
	};
	const dpr_image image = { "opencl-c", NULL, source,
				  sizeof(source) - 1 };
	dpr_build_options with = { .struct_size = sizeof(with) };
	dpr_queue *queue = start();
	dpr_program *program;
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		with.compiler = list[i].given;
		with.flags = list[i].flags;
		CHECK_OK(dpr_program_build(queue, &image, 1, &with, &program));
		ck_assert_str_eq(fake->options, list[i].wanted);
		dpr_program_release(program);
	}
	close_fake();
}
END_TEST

/* A library that does not list its abilities is not used. */
START_TEST(a_library_that_says_nothing)
{
	static const char *const calls[] = { "nvrtcVersion",
					     "nvrtcGetNumSupportedArchs",
					     "nvrtcGetSupportedArchs" };
	dpr_queue *queue = start();
	int i;

	fake->result = 5;
	for (i = 0; i < 4; i++) {
		fake->fail = i < 3 ? calls[i] : NULL;
		fake->n_archs = i < 3;
		check_fails(queue, DPR_ERROR_UNSUPPORTED,
			    "is not NVRTC or does not load");
		ck_assert_uint_eq(get_number(get_device("cuda:0"),
					     DPR_INFO_ASPECT_ONLINE_COMPILER),
				  0);
	}
	/* It is tried again each time. */
	set_archs(90, 0);
	check_builds(queue, "");
	close_fake();
}
END_TEST

/* --- Arguments in local memory --- */

#define HEAD ".version 7.0\n.target sm_60\n.address_size 64\n"
#define HIDDEN \
	HEAD ".visible .entry k_int(.param .u32 a, .param .u64 b)\n{\nret;\n}\n"
#define POINTER \
	HEAD ".visible .entry k_int(.param .u64 a, .param .u64 b)\n{\nret;\n}\n"

/* Kernels k_int(local int *, global int *), and what the compiler makes of
   them.  NULL: the argument is taken. */
static const struct {
	const char *source, *ptx, *refusal, *older_refusal;
} locals[] = {
	{ "kernel void k_int(local int *a, global int *b) { *b = *a; }", HIDDEN,
	  NULL, NULL },
	{ "#define L local\nkernel void k_int(L int *a, global int *b)"
	  " { *b = *a; }",
	  HIDDEN, NULL, NULL },
	{ "#define A local int *a\nkernel void k_int(A, global int *b)"
	  " { *b = *a; }",
	  HIDDEN, NULL, NULL },
	{ "#define K(T) kernel void k_##T(local T *a, global T *b)"
	  " { *b = *a; }\nK(int)",
	  HIDDEN, NULL, NULL },
	/* Not seen by the rewriter: an address is wanted, not an offset. */
	{ "#define L(T) local T\nkernel void k_int(L(int) *a, global int *b)"
	  " { *b = *a; }",
	  POINTER, "must have the word local in the parameter itself",
	  "write the word local in the parameter itself" },
	{ "#define L\n#undef L\n#define L local\n"
	  "kernel void k_int(L int *a, global int *b) { *b = *a; }",
	  POINTER, "must have the word local in the parameter itself",
	  "write the word local in the parameter itself" },
	/* A value. */
	{ "kernel void k_int(int a, global int *b) { *b = a; }", HIDDEN,
	  "argument 0 is local memory, its parameter is a value",
	  "argument 0 is local memory, its parameter is a value" },
	{ "#define N int a\nkernel void k_int(N, global int *b) { *b = a; }",
	  HIDDEN, "must have the word local in the parameter itself",
	  "write the word local in the parameter itself" },
};
#define LOCALS (sizeof(locals) / sizeof(locals[0]))

static unsigned given;

static int k_int_function(const struct cumock_run *run)
{
	__atomic_store_n(&given, run->shared, __ATOMIC_RELAXED);
	return 0;
}

/* With a driver that tells the sizes of parameters, and with an older one. */
START_TEST(local_arguments)
{
	const size_t at = (size_t)_i / 2;
	const char *refusal =
		_i % 2 ? locals[at].older_refusal : locals[at].refusal;
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_status status;
	dpr_arg args[2];
	dpr_usm *usm;

	if (_i % 2)
		mock->settings->version = 12030;
	free((void *)(uintptr_t)fake->cubin);
	fake->cubin = mock->cubin(locals[at].ptx, &fake->cubin_size);
	mock->kernel("k_int", k_int_function);
	queue = start();
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_program_from_source(queue, locals[at].source, NULL,
					 &program));
	CHECK_OK(dpr_kernel_create(program, "k_int", &kernel));
	args[0] = DPR_LOCAL(64);
	args[1] = dpr_arg_usm(usm);
	status = dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1), NULL, NULL,
				       args, 2);
	ck_assert_msg(!status == !refusal, "%s\n%s", dpr_last_error(),
		      locals[at].source);
	if (refusal)
		CHECK_TEXT(refusal);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_uint_eq(__atomic_load_n(&given, __ATOMIC_RELAXED),
			  refusal ? 0 : 64);
	dpr_usm_release(usm);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	close_fake();
}
END_TEST

/* --- Without the option --------------------------------------------------- */

/* Build the source: pick it, and make a module, which is destroyed. */
static dprp_rc build(dprp_sink log)
{
	dprp_module *module;
	const dprp_rc rc = build_image("opencl-c", source, sizeof(source) - 1,
				       log, &module);

	if (module)
		opened.plugin->module->destroy(module);
	return rc;
}

static void check_missing(const char *part)
{
	ck_assert_int_eq(build((dprp_sink){ 0 }), DPR_RC_UNSUPPORTED);
	ck_assert_msg(strstr(host_table_error(), part) != NULL,
		      "no \"%s\" in: %s", part, host_table_error());
}

static const struct {
	int version;
	const char *names[4];
	const char *missing;
} places[] = {
	{ 13000,
	  { "libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
	    "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12" },
	  "OpenCL C needs NVRTC, which is not installed: install "
	  "cuda-nvrtc-13-0 from NVIDIA's repository for the system, or "
	  "nvidia-cuda-nvrtc with pip and set DPR_OPTION_CUDA_NVRTC to the "
	  "path of its libnvrtc.so.13" },
	{ 12040,
	  { "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12",
	    "libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13" },
	  "install cuda-nvrtc-12-4 from NVIDIA's repository for the system, "
	  "or nvidia-cuda-nvrtc-cu12 with pip and set DPR_OPTION_CUDA_NVRTC "
	  "to the path of its libnvrtc.so.12" },
};

/* The driver's version of NVRTC is preferred, then the other one, each by its
   name alone and in the toolkit's usual folder. */
START_TEST(names_of_nvrtc)
{
	char wanted[sizeof(asked)] = "";
	int i;

	mock->settings->version = places[_i].version;
	for (i = 0; i < 4; i++) {
		snprintf(wanted + strlen(wanted),
			 sizeof(wanted) - strlen(wanted), "%s\n",
			 places[_i].names[i]);
		found = places[_i].names[i];
		open_plugin();
		ck_assert_int_eq(build((dprp_sink){ 0 }), DPR_RC_OK);
		ck_assert_str_eq(asked, wanted);
		/* It stays open. */
		ck_assert_int_eq(build((dprp_sink){ 0 }), DPR_RC_OK);
		ck_assert_str_eq(asked, wanted);
		close_plugin();
	}
	found = NULL;
	open_plugin();
	check_missing(places[_i].missing);
	ck_assert_int_eq(strncmp(asked, wanted, strlen(wanted)), 0);
	close_plugin();
	close_fake();
}
END_TEST

/* A library that lacks an entry is not used. */
START_TEST(entries_of_nvrtc)
{
	static const char *const names[] = {
		"nvrtcVersion",           "nvrtcGetNumSupportedArchs",
		"nvrtcGetSupportedArchs", "nvrtcCreateProgram",
		"nvrtcDestroyProgram",    "nvrtcCompileProgram",
		"nvrtcGetProgramLogSize", "nvrtcGetProgramLog",
		"nvrtcGetPTXSize",        "nvrtcGetPTX",
		"nvrtcGetCUBINSize",      "nvrtcGetCUBIN",
		"nvrtcGetErrorString",
	};
	size_t i;

	found = "libnvrtc.so.13";
	open_plugin();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		lacking = names[i];
		check_missing("OpenCL C needs NVRTC");
	}
	lacking = NULL;
	ck_assert_int_eq(build((dprp_sink){ 0 }), DPR_RC_OK);
	close_plugin();
	close_fake();
}
END_TEST

/* Each allocation of the plugin fails, while NVRTC is opened and used.  Only a
   message may be lost. */
START_TEST(memory_runs_out)
{
	struct host_table_text log;
	uint64_t n;
	bool more = true;
	dprp_rc rc;

	if (_i)
		set_archs(80, 0);
	found = "libnvrtc.so.13";
	fake->log = "a warning\n";
	for (n = 1; more; n++) {
		memset(&log, 0, sizeof(log));
		open_plugin();
		allocated = 0;
		fails_at = n;
		rc = build(host_table_sink(&log));
		more = allocated >= n;
		fails_at = 0;
		if (rc || !more)
			ck_assert_int_eq(rc,
					 more ? DPR_RC_OOM_HOST : DPR_RC_OK);
		else
			ck_assert_ptr_null(log.text);
		close_plugin();
		free(log.text);
	}
	ck_assert_uint_gt(n, 10);
	close_fake();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("unit_cuda_nvrtc", &tcase);

	use_backends(NULL);
	tcase_add_checked_fixture(tcase, open_fake, NULL);
	tcase_add_test(tcase, a_cubin_for_the_device);
	tcase_add_test(tcase, ptx_for_a_newer_device);
	tcase_add_test(tcase, a_device_too_old_for_nvrtc);
	tcase_add_test(tcase, ptx_too_new_for_the_driver);
	tcase_add_test(tcase, a_source_that_is_wrong);
	tcase_add_test(tcase, a_source_with_images);
	tcase_add_loop_test(tcase, a_call_of_nvrtc_fails, 0, 2);
	tcase_add_loop_test(tcase, a_log_that_is_lost, 0, 2);
	tcase_add_test(tcase, options);
	tcase_add_test(tcase, a_library_that_says_nothing);
	tcase_add_loop_test(tcase, local_arguments, 0, 2 * (int)LOCALS);
	tcase_add_loop_test(tcase, names_of_nvrtc, 0, 2);
	tcase_add_test(tcase, entries_of_nvrtc);
	tcase_add_loop_test(tcase, memory_runs_out, 0, 2);
	return run_all(runner);
}
