/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock_icd.h - an OpenCL driver for tests, loaded by the real ICD loader: 17
 * platforms, one of them with 17 devices, several broken in their own way.
 * Memory is from malloc, commands run when they are enqueued, kernels are known
 * by name.  Calls are counted, and some are recorded.
 */
#ifndef MOCK_ICD_H
#define MOCK_ICD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS 1
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOCK_EXPORT __attribute__((visibility("default")))

enum { MOCK_PLATFORMS = 17, MOCK_MANY_DEVICES = 17 };

/* The platforms, in order; the rest are plain ones of OpenCL 1.2. */
enum mock_persona {
	MOCK_MANY, /* 17 devices; number 4 answers no query */
	MOCK_USM, /* unified shared memory; SVM calls are forbidden */
	MOCK_COARSE, /* coarse-grained SVM, NVIDIA's attributes */
	MOCK_BROKEN, /* clGetDeviceIDs fails */
	MOCK_OLD, /* 1.2, its device claims 3.0: no 2.x call */
	MOCK_ANCIENT, /* 1.1 */
	MOCK_EMPTY, /* no device */
	MOCK_POCL, /* a CPU device like PoCL 5's */
	MOCK_PLAIN
};

/* A device without native kernels, or who runs them: a thread with the usual or
   with a small stack, the thread that enqueues them, or another process. */
enum mock_native {
	MOCK_NATIVE_NONE,
	MOCK_NATIVE_THREAD,
	MOCK_NATIVE_SMALL,
	MOCK_NATIVE_CALLER,
	MOCK_NATIVE_ELSEWHERE
};

/* Buffers over memory of the program or of clSVMAlloc(): refused, that memory,
   or a copy of it. */
enum mock_over { MOCK_OVER_REFUSED, MOCK_OVER_SAME, MOCK_OVER_COPY };

/* For the test, which gets it with dlsym() from the loaded driver. */
struct mock_report {
	unsigned forbidden; /* calls that this platform must not get */
	unsigned set_args; /* calls that set an argument of a kernel */
	unsigned enqueues; /* commands that were enqueued */
	int live; /* objects that are not released yet */
	bool fine; /* the test sets it: MOCK_POCL has fine-grained SVM */
	/* The test sets these: where MOCK_POCL runs native kernels, and the
	   error of the next native kernel that is enqueued. */
	enum mock_native native;
	cl_int refuse_native;
	enum mock_over over; /* the test sets it */
	char trace[65536]; /* names of the calls of interest, one per line */
};

MOCK_EXPORT extern struct mock_report mock_report;

struct _cl_platform_id {
	const cl_icd_dispatch *dispatch;
	enum mock_persona persona;
	unsigned index;
};

struct _cl_device_id {
	const cl_icd_dispatch *dispatch;
	cl_platform_id platform;
	unsigned index;
};

/* The first member of every counted object. */
struct mock_object {
	const cl_icd_dispatch *dispatch;
	int refs;
};

void mock_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Fill a persona's table with the functions of mock_icd_run.c. */
void mock_fill_run(cl_icd_dispatch *table, enum mock_persona persona);
void *mock_extension(enum mock_persona persona, const char *name);
/* Answer a clGet...Info call with @value. */
cl_int mock_put(const void *value, size_t size, size_t room, void *out,
	size_t *size_ret);

#endif
