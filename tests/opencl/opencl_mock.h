/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_mock.h - shared by the tests of the OpenCL plugin on the mock driver
 * behind the real ICD loader.
 */
#ifndef TESTS_OPENCL_MOCK_H
#define TESTS_OPENCL_MOCK_H

#include <dlfcn.h>
#include <stdio.h>

#include "opencl_support.h"
#include "tests/opencl/icd/mock_icd.h"

static struct mock_report *report;

/* Let the ICD loader find only the mock. */
static inline bool use_mock(void)
{
	const char *build = getenv("top_builddir");
	char so[4096], dir[4096];
	void *driver;

	snprintf(so, sizeof(so), "%s/tests/opencl/icd/.libs/mock_icd.so",
		 build ? build : ".");
	driver = dlopen(so, RTLD_NOW | RTLD_LOCAL);
	report = driver ? dlsym(driver, "mock_report") : NULL;
	return report && bench_use_driver(so, "mock_vendors", dir);
}

/* Open a bench with the device of a platform. */
static inline struct bench open_on(const char *path, const char *platform)
{
	struct bench bench;
	const char *why = NULL;

	report->trace[0] = 0;
	report->forbidden = 0;
	if (!bench_open(&bench, path, platform, &why))
		ck_abort_msg("%s: %s", platform ? platform : "any", why);
	return bench;
}

/* Close the bench, and check that the driver has no object left. */
static inline void close_all(struct bench *bench)
{
	bench_close(bench);
	ck_assert_int_eq(report->live, 0);
	ck_assert_uint_eq(report->forbidden, 0);
}

static inline bool traced(const char *line)
{
	return strstr(report->trace, line) != NULL;
}

/* Whether the ICD loader finds the mock driver: some read only fixed folders.
 */
static inline bool loader_shows_mock(void)
{
	cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *);
	void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	cl_uint n = 0;

	if (!loader)
		return false;
	*(void **)&get = dlsym(loader, "clGetPlatformIDs");
	return get && get(0, NULL, &n) == CL_SUCCESS && n >= 17;
}

/* Whether the tests can run.  If not, prints what is missing. */
static inline bool is_mock_there(void)
{
	const char *why = NULL;

	if (!host_table_plugin("opencl", &why) || !use_mock()) {
		printf("needs the plugin and the mock driver: %s\n",
		       why ? why : "no mock_icd.so");
		return false;
	}
	if (!loader_shows_mock()) {
		printf("needs an ICD loader that reads OCL_ICD_VENDORS\n");
		return false;
	}
	return true;
}

#endif
