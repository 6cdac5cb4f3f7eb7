/* SPDX-License-Identifier: Apache-2.0 */
/* api_cuda_programs.c - the forms of code that the CUDA backend takes: PTX,
   cubins and its own binaries; and how it refuses them. */
#include "tests/cuda/cuda_api.h"

#define HEAD ".version 7.0\n.target sm_60\n.address_size 64\n"

static dpr_queue *start(void)
{
	use_backends(NULL);
	mock->kernel("mix", mix_function);
	return queue_of(get_device("cuda:0"));
}

static dpr_image ptx_image(const char *text, const char *target)
{
	return (dpr_image){ "ptx", target, text, strlen(text) + 1 };
}

/* Make a cubin of test_ptx; free its data. */
static dpr_image cubin_image(const char *target)
{
	dpr_image image = { "cubin", target, NULL, 0 };

	image.data = mock->cubin(test_ptx, &image.size);
	ck_assert_ptr_nonnull(image.data);
	return image;
}

static void free_image(const dpr_image *image)
{
	free((void *)(uintptr_t)image->data);
}

/* The kernel "mix" of the program must work. */
static void check_mix(dpr_queue *queue, dpr_program *program)
{
	dpr_kernel *mix;
	dpr_usm *usm;

	CHECK_OK(dpr_kernel_create(program, "mix", &mix));
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	launch(queue, mix, usm, 4);
	ck_assert_int_eq(get_int(queue, usm, 0), 7);
	dpr_usm_release(usm);
	dpr_kernel_release(mix);
}

static dpr_program *build(dpr_queue *queue, const dpr_image *image)
{
	dpr_program *program = NULL;

	CHECK_OK(dpr_program_from_images(queue, image, 1, NULL, &program));
	return program;
}

static void check_refused(dpr_queue *queue, const dpr_image *image,
			  dpr_status status, const char *part)
{
	dpr_program *program;

	CHECK_FAILS(status,
		    dpr_program_from_images(queue, image, 1, NULL, &program));
	CHECK_TEXT(part);
	ck_assert_ptr_null(program);
}

/* --- Forms of code -------------------------------------------------------- */

START_TEST(a_cubin)
{
	dpr_queue *queue = start();
	dpr_image image = cubin_image("sm_90");
	dpr_program *program = build(queue, &image);

	free_image(&image);
	check_mix(queue, program);
	ck_assert_uint_eq(mock->calls("cuLinkCreate"), 0);
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 1);
	dpr_program_release(program);
	finish_all();
}
END_TEST

/* A cubin runs on devices of the same major number that are not older, PTX on
   all that are not older.  A letter restricts both to one kind of device. */
START_TEST(targets)
{
	static const struct {
		const char *target;
		bool cubin, ptx;
	} list[] = {
		{ NULL, true, true },       { "", true, true },
		{ "sm_90", true, true },    { "compute_90", true, true },
		{ "sm_90a", true, true },   { "sm_80", false, true },
		{ "sm_80a", false, false }, { "compute_60", false, true },
		{ "sm_91", false, false },  { "sm_100", false, false },
		{ "sm_", false, false },    { "gfx90a", false, false },
	};
	dpr_queue *queue = start();
	dpr_image image[2] = { cubin_image(NULL), ptx_image(test_ptx, NULL) };
	char part[128];
	size_t i;
	int j;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		for (j = 0; j < 2; j++) {
			image[j].target = list[i].target;
			if (j ? list[i].ptx : list[i].cubin) {
				dpr_program_release(build(queue, &image[j]));
				continue;
			}
			snprintf(part, sizeof(part),
				 "the program's %s is for %s, but the device "
				 "is sm_90",
				 image[j].format, list[i].target);
			check_refused(queue, &image[j], DPR_ERROR_UNSUPPORTED,
				      part);
		}
	free_image(&image[0]);
	finish_all();
}
END_TEST

/* A cubin is preferred to PTX, which the driver has to compile. */
START_TEST(the_best_image)
{
	dpr_queue *queue = start();
	dpr_image images[2] = { ptx_image(test_ptx, "sm_60"),
				cubin_image("sm_90") };
	dpr_program *program;

	CHECK_OK(dpr_program_from_images(queue, images, 2, NULL, &program));
	ck_assert_uint_eq(mock->calls("cuLinkCreate"), 0);
	dpr_program_release(program);
	images[1].target = "sm_80";
	CHECK_OK(dpr_program_from_images(queue, images, 2, NULL, &program));
	ck_assert_uint_eq(mock->calls("cuLinkCreate"), 1);
	check_mix(queue, program);
	dpr_program_release(program);
	free_image(&images[1]);
	finish_all();
}
END_TEST

/* A program's binary needs no compiler, and runs on its kind of device alone.
 */
START_TEST(a_binary)
{
	dpr_image ptx = ptx_image(test_ptx, NULL), image = ptx;
	dpr_program *program, *again;
	dpr_queue *queue;
	void *bytes;

	mock->settings->devices[1].major = 8;
	queue = start();
	program = build(queue, &ptx);
	ck_assert_str_eq(dpr_program_binary_format(program), "cuda-binary");
	image.format = "cuda-binary";
	CHECK_OK(dpr_program_binary(program, NULL, 0, &image.size));
	image.data = bytes = malloc(image.size);
	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_program_binary(program, bytes, image.size, &image.size));
	dpr_program_release(program);
	mock->forget_calls();
	again = build(queue, &image);
	check_mix(queue, again);
	ck_assert_uint_eq(mock->calls("cuLinkCreate"), 0);
	dpr_program_release(again);
	check_refused(
		queue_of(get_device("cuda:1")), &image,
		DPR_ERROR_INVALID_ARGUMENT,
		"a binary of a program: it is for another kind of device");
	free(bytes);
	finish_all();
}
END_TEST

/* --- Code that is refused ------------------------------------------------- */

START_TEST(a_part_of_a_cubin)
{
	dpr_queue *queue = start();
	dpr_image image = cubin_image(NULL);

	image.size = 60;
	check_refused(queue, &image, DPR_ERROR_BUILD,
		      "the image is not a whole cubin (an ELF file for CUDA)");
	ck_assert_ptr_null(strstr(dpr_last_error(), "driver"));
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 0);
	free_image(&image);
	finish_all();
}
END_TEST

/* The driver's log is in the error's text, and without one the name of its
   error. */
START_TEST(ptx_that_is_wrong)
{
	dpr_image wrong = ptx_image(
		HEAD ".visible .entry k()\n{\nmock_error %r1;\nret;\n}\n",
		NULL);
	dpr_image right = ptx_image(test_ptx, NULL);
	dpr_queue *queue = start();

	check_refused(queue, &wrong, DPR_ERROR_BUILD,
		      "ptxas application ptx input, line 6; error   : Not a "
		      "name of any known instruction: 'mock_error'");
	mock->fail("cuLinkAddData", 1, 218);
	check_refused(queue, &right, DPR_ERROR_BUILD, "CUDA_ERROR_INVALID_PTX");
	mock->fail("cuLinkComplete", 1, 200);
	check_refused(queue, &right, DPR_ERROR_BUILD,
		      "CUDA_ERROR_INVALID_IMAGE");
	mock->fail("cuLinkComplete", 1, 2);
	check_refused(queue, &right, DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		      "cuLinkComplete: CUDA_ERROR_OUT_OF_MEMORY");
	ck_assert_int_eq(mock->live(CUMOCK_LINKS), 0);
	dpr_program_release(build(queue, &right));
	finish_all();
}
END_TEST

/* The first version of PTX that a driver does not know. */
START_TEST(ptx_newer_than_the_driver)
{
	static const struct {
		int version;
		const char *ptx, *part;
	} list[] = {
		{ 12020, ".version 8.3\n.target sm_60\n",
		  "the PTX is newer than the driver, which is for CUDA 12.2" },
		{ 13000, ".version 9.1\n.target sm_60\n",
		  "the PTX is newer than the driver, which is for CUDA 13.0" },
	};
	dpr_image image = ptx_image(list[_i].ptx, NULL);

	mock->settings->version = list[_i].version;
	check_refused(start(), &image, DPR_ERROR_UNSUPPORTED, list[_i].part);
	finish_all();
}
END_TEST

/* If the driver does not load the code, the text says so for each form. */
START_TEST(code_that_does_not_load)
{
	dpr_queue *queue = start();
	dpr_image image[2] = { cubin_image(NULL), ptx_image(test_ptx, NULL) };
	dpr_program *program;

	mock->fail("cuLibraryLoadData", 1, 209);
	check_refused(queue, &image[_i], DPR_ERROR_BUILD,
		      "cuLibraryLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU (209): "
		      "the code is not for this device (sm_90) or this driver");
	mock->fail("cuLibraryLoadData", 1, 2);
	check_refused(queue, &image[_i], DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		      "cuLibraryLoadData: CUDA_ERROR_OUT_OF_MEMORY");
	program = build(queue, &image[_i]);
	check_mix(queue, program);
	dpr_program_release(program);
	free_image(&image[0]);
	finish_all();
}
END_TEST

/* Correct rounding cannot be had of a cubin, nor of PTX that says otherwise. */
START_TEST(rounding_that_cannot_be_had)
{
	dpr_queue *queue = start();
	dpr_build_options rounded = { .struct_size = sizeof(rounded),
				      .flags = DPR_BUILD_ROUNDED };
	dpr_image cubin = cubin_image(NULL), ptx = ptx_image(test_ptx, NULL);
	dpr_image loose =
		ptx_image(HEAD ".visible .entry k()\n{\n"
			       "div.approx.f32 %f1, %f2, %f3;\nret;\n}\n",
			  NULL);
	dpr_program *program;

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_build(queue, &cubin, 1, &rounded, &program));
	CHECK_TEXT("a cubin does not say how it rounds; give PTX");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_build(queue, &loose, 1, &rounded, &program));
	CHECK_TEXT("the PTX has div.approx; compile it without fast math");
	CHECK_OK(dpr_program_build(queue, &ptx, 1, &rounded, &program));
	dpr_program_release(program);
	dpr_program_release(build(queue, &loose));
	free_image(&cubin);
	finish_all();
}
END_TEST

/* Only kernels from OpenCL C have arguments in local memory.  The core refuses
   the argument if it knows the parameters; for a cubin on an older driver the
   backend does. */
START_TEST(no_local_arguments)
{
	static const char text[] =
		HEAD ".visible .entry nothing(.param .u32 at)\n{\nret;\n}\n";
	dpr_arg args[1] = { DPR_LOCAL(64) };
	dpr_image image = ptx_image(text, NULL);
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_queue *queue;

	if (_i) {
		mock->settings->version = 12030;
		image.format = "cubin";
		image.data = mock->cubin(text, &image.size);
	}
	queue = start();
	program = build(queue, &image);
	CHECK_OK(dpr_kernel_create(program, "nothing", &kernel));
	CHECK_FAILS(_i ? DPR_ERROR_UNSUPPORTED : DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1), NULL,
					  NULL, args, 1));
	CHECK_TEXT(_i ? "argument 0 of kernel nothing: a kernel from PTX or a "
			"cubin cannot have a local memory argument: declare "
			"the array in the kernel, or give the program as "
			"OpenCL C"
		      : "argument 0 is local memory, but the kernel does not "
			"say that its parameter is");
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), 0);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	if (_i)
		free_image(&image);
	finish_all();
}
END_TEST

/* --- Loaded code ---------------------------------------------------------- */

static void await_unloads(uint64_t n)
{
	/* Without end, if the test's own limit did not end it. */
	while (mock->calls("cuLibraryUnload") < n)
		usleep(1000);
	ck_assert_uint_eq(mock->calls("cuLibraryUnload"), n);
}

/* A device and its parts load the same code once.  It is unloaded with its last
   program. */
START_TEST(the_same_code_twice)
{
	dpr_program *programs[4];
	dpr_queue *queue = start(), *part, *far;
	dpr_image cubin = cubin_image(NULL), ptx = ptx_image(test_ptx, NULL);
	dpr_device *parts[2];
	size_t n;
	int i;

	CHECK_OK(dpr_device_partition_equally(get_device("cuda:0"), 64, parts,
					      2, &n));
	part = queue_of(parts[0]);
	far = queue_of(get_device("cuda:1"));
	programs[0] = build(queue, &ptx);
	/* The driver makes the same cubin of the PTX. */
	programs[1] = build(queue, &cubin);
	programs[2] = build(part, &ptx);
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 1);
	programs[3] = build(far, &ptx);
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 2);
	dpr_program_release(programs[0]);
	check_mix(queue, programs[1]);
	check_mix(part, programs[2]);
	check_mix(far, programs[3]);
	dpr_program_release(programs[1]);
	ck_assert_uint_eq(mock->calls("cuLibraryUnload"), 0);
	dpr_program_release(programs[2]);
	await_unloads(1);
	dpr_program_release(programs[3]);
	await_unloads(2);
	for (i = 0; i < 2; i++)
		programs[i] = build(queue, &cubin);
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 3);
	for (i = 0; i < 2; i++)
		dpr_program_release(programs[i]);
	free_image(&cubin);
	finish_all();
}
END_TEST

/* Code that differs in its last bytes is other code. */
START_TEST(other_code)
{
	static const char one[] = HEAD ".visible .entry first()\n{\nret;\n}\n",
			  two[] = HEAD ".visible .entry other()\n{\nret;\n}\n";
	dpr_image images[2] = { ptx_image(one, NULL), ptx_image(two, NULL) };
	dpr_program *programs[2];
	dpr_queue *queue = start();
	dpr_kernel *kernel;
	int i;

	for (i = 0; i < 2; i++)
		programs[i] = build(queue, &images[i]);
	ck_assert_uint_eq(mock->calls("cuLibraryLoadData"), 2);
	CHECK_OK(dpr_kernel_create(programs[1], "other", &kernel));
	dpr_kernel_release(kernel);
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_kernel_create(programs[0], "other", &kernel));
	CHECK_TEXT("the program has no kernel other; it has ");
	for (i = 0; i < 2; i++)
		dpr_program_release(programs[i]);
	finish_all();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("api_cuda_programs", &tcase);

	use_backends(NULL);
	tcase_add_test(tcase, a_cubin);
	tcase_add_test(tcase, targets);
	tcase_add_test(tcase, the_best_image);
	tcase_add_test(tcase, a_binary);
	tcase_add_test(tcase, a_part_of_a_cubin);
	tcase_add_test(tcase, ptx_that_is_wrong);
	tcase_add_loop_test(tcase, ptx_newer_than_the_driver, 0, 2);
	tcase_add_loop_test(tcase, code_that_does_not_load, 0, 2);
	tcase_add_test(tcase, rounding_that_cannot_be_had);
	tcase_add_loop_test(tcase, no_local_arguments, 0, 2);
	tcase_add_test(tcase, the_same_code_twice);
	tcase_add_test(tcase, other_code);
	return run_all(runner);
}
