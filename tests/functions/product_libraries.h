/* SPDX-License-Identifier: Apache-2.0 */
/* product_libraries.h - the tests of a program with other libraries for
   products of matrices: none, a fake one, and a missing one. */
#ifndef TESTS_PRODUCT_LIBRARIES_H
#define TESTS_PRODUCT_LIBRARIES_H

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/functions/fake_cblas.h"
#include "tests/functions/product_values.h"

#define NO_LIBRARY "/no/such/library.so"

/* The counts of the fake library.  Set in child processes that use the fake. */
static struct fake_cblas *fake;

/* The option that names the library of the test device, if it is a CPU. */
static inline const char *blas_option(void)
{
	const char *format = dpr_array_kernel_format(test_device);

	if (is_on("host"))
		return "DPR_OPTION_HOST_BLAS";
	return is_on("opencl") && format && !strncmp(format, "native-", 7)
		       ? "DPR_OPTION_OPENCL_BLAS"
		       : NULL;
}

/* Run the tests of a device in a child process, with this library.  The child
   is made before any driver is open.  Returns whether a test failed; without
   the backend none does. */
static inline bool failed_with(const char *selector, const char *option,
			       const char *library, bool is_fake,
			       int (*run)(const char *selector))
{
	const pid_t child = fork();
	void *opened;
	int status;

	if (child < 0)
		return true;
	if (child > 0)
		return waitpid(child, &status, 0) != child ||
		       !WIFEXITED(status) ||
		       (WEXITSTATUS(status) && WEXITSTATUS(status) != 77);
	printf("%s=%s\n", option, library);
	setenv(option, library, 1);
	if (is_fake) {
		opened = dlopen(library, RTLD_NOW);
		fake = opened ? dlsym(opened, "fake_cblas") : NULL;
		if (!fake) {
			printf("%s\n", dlerror());
			exit(EXIT_FAILURE);
		}
	}
	exit(run(selector));
}

/* Whether a process, which ends while products are under way, ends wrongly: the
   fake library tells. */
static inline bool exit_failed(const char *selector, const char *option,
			       const char *library)
{
	enum { MANY = 4, SIDE = 300, GOOD = 17 };
	/* The process releases nothing.  Static pointers are no leaks. */
	static dpr_array *x, *y[MANY];
	const pid_t child = fork();
	dpr_device *device;
	dpr_queue *queue;
	int status;

	if (child > 0) {
		if (waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		    (WEXITSTATUS(status) == GOOD || WEXITSTATUS(status) == 77))
			return false;
		printf("%s: a process that ends has status %#x\n", selector,
		       (unsigned)status);
		return true;
	}
	setenv(option, library, 1);
	if (dpr_device_select(selector, &device) == DPR_ERROR_NOT_FOUND)
		exit(77);
	if (!dpr_device_queue(device, &queue) &&
	    !dpr_full_on(DPR_SHAPE(SIDE, SIDE), dpr_operand_float(2),
			 DPR_FLOAT32, queue, DPR_USM_DEVICE, &x))
		for (int i = 0; i < MANY; i++)
			if (dpr_matmul(x, x, &y[i]))
				exit(EXIT_FAILURE);
	exit(GOOD);
}

/* Run the tests of each CPU with each library.  Returns whether one failed. */
static inline bool libraries_failed(int (*run)(const char *selector))
{
	static const char *const devices[][2] = {
		{ "host:cpu:0", "DPR_OPTION_HOST_BLAS" },
		{ "opencl:cpu:0", "DPR_OPTION_OPENCL_BLAS" },
	};
	const char *folder = getenv("top_builddir");
	char path[4096];
	bool failed = false;

	if (!folder)
		return false;
	snprintf(path, sizeof(path), "%s/tests/functions/.libs/fake_cblas.so",
		 folder);
	for (int i = 0; !failed && i < 2; i++) {
		const char *device = devices[i][0], *option = devices[i][1];

		failed = failed_with(device, option, "none", false, run) ||
			 failed_with(device, option, path, true, run) ||
			 failed_with(device, option, NO_LIBRARY, false, run) ||
			 exit_failed(device, option, path);
	}
	return failed;
}

#endif
