/* SPDX-License-Identifier: Apache-2.0 */
/* files_device.h - a device of the mock with a format of its own.  Its kernels
   are in files, and a file names a kernel of the mock. */
#ifndef TESTS_FILES_DEVICE_H
#define TESTS_FILES_DEVICE_H

#include "tests/support/loader_files.h"
#include "tests/support/runtime_test.h"

/* Bring the kernel's file, or take it away. */
static inline void bring(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "mock-kernels/mock/%s", name);
	files_write(path, name, strlen(name), 0644);
}

static inline void take_away(const char *name)
{
	char path[8192];

	snprintf(path, sizeof(path), "%s/mock-kernels/mock/%s", files_folder,
		 name);
	ck_assert_int_eq(unlink(path), 0);
}

static inline void make_kernel_folders(void)
{
	char path[8192];

	snprintf(path, sizeof(path), "%s/mock-kernels", files_folder);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/mock-kernels/mock", files_folder);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

/* Set q1 to the queue of a device that lists @formats, and has the @n kernels
   @names. */
static inline void start_kernel_files(const char *formats,
				      const char *const *names, size_t n)
{
	char path[8192];
	dpr_device *device;

	files_setup();
	files_copy("libdpr-mock.so", "libdpr-mock.so", 0755);
	make_kernel_folders();
	for (size_t i = 0; i < n; i++)
		bring(names[i]);
	snprintf(path, sizeof(path), "%s/libdpr-mock.so", files_folder);
	setenv("DPR_PLUGINS", path, 1);
	setenv("DPR_BACKEND", "mock", 1);
	setenv("DPR_OPTION_MOCK_TYPE", "accelerator", 1);
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	CHECK_OK(dpr_device_select("mock", &device));
	CHECK_OK(dpr_device_queue(device, &q1));
}

static inline void end_kernel_files(void)
{
	CHECK_OK(dpr_finalize());
	files_teardown();
}

#endif
