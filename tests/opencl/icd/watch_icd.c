/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_icd.c - Oclgrind as an OpenCL driver, with workarounds for the tests.
 *
 * Oclgrind 21.10 records for each buffer which bytes are initialized.  A write
 * to a part of a buffer, a fill or a copy makes this record wrong, and kernels
 * that read the bytes later are blamed.  So after each of these, the whole
 * buffer is written once more with its own contents.  If a new buffer gets the
 * number of a released one, Oclgrind assumes the old size.  So buffers are
 * never released.  Oclgrind runs commands when they are flushed, but stops if
 * more than one thread flushes.  So only the thread that loaded the driver
 * flushes; other threads' commands run when a thread waits.
 *
 * WATCH_ICD_DRIVER names Oclgrind's library.  WATCH_ICD_PLANT="old=>new"
 * replaces the text old by new in all programs, to prove that a fault in a
 * kernel is reported; WATCH_ICD_PLANTED names a file that is made if old was
 * found.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>
#include <CL/cl_icd.h>

#define EXPORT __attribute__((visibility("default")))

/* The beginning of every object of a driver. */
struct _cl_platform_id {
	cl_icd_dispatch *dispatch;
};

static cl_icd_dispatch own; /* Oclgrind's entries */
static void *driver;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t first; /* the thread that loaded the driver */

/*
 * After @before, which wrote a part of @mem: write all of @mem, or of its
 * parent, with its own contents.  Releases @before.
 */
static cl_int write_all(cl_command_queue queue, cl_mem mem, cl_event before,
			cl_event *done)
{
	cl_mem parent = NULL;
	void *bytes = NULL;
	size_t size = 0;
	cl_int err;

	err = own.clGetMemObjectInfo(mem, CL_MEM_ASSOCIATED_MEMOBJECT,
				     sizeof(parent), &parent, NULL);
	if (parent)
		mem = parent;
	if (!err)
		err = own.clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof(size),
					     &size, NULL);
	bytes = malloc(size);
	if (!err && !bytes)
		err = CL_OUT_OF_HOST_MEMORY;
	if (!err)
		err = own.clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, size,
					      bytes, 1, &before, NULL);
	if (!err)
		err = own.clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, size,
					       bytes, 0, NULL, done);
	free(bytes);
	own.clReleaseEvent(before);
	return err;
}

static CL_API_ENTRY cl_int CL_API_CALL
write_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
	     size_t offset, size_t size, const void *from, cl_uint n,
	     const cl_event *after, cl_event *done)
{
	cl_event event;
	cl_int err = own.clEnqueueWriteBuffer(queue, mem, blocking, offset,
					      size, from, n, after, &event);

	return err ? err : write_all(queue, mem, event, done);
}

static CL_API_ENTRY cl_int CL_API_CALL
fill_buffer(cl_command_queue queue, cl_mem mem, const void *pattern,
	    size_t pattern_size, size_t offset, size_t size, cl_uint n,
	    const cl_event *after, cl_event *done)
{
	cl_event event;
	cl_int err = own.clEnqueueFillBuffer(queue, mem, pattern, pattern_size,
					     offset, size, n, after, &event);

	return err ? err : write_all(queue, mem, event, done);
}

static CL_API_ENTRY cl_int CL_API_CALL
copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
	    size_t to_offset, size_t size, cl_uint n, const cl_event *after,
	    cl_event *done)
{
	cl_event event;
	cl_int err = own.clEnqueueCopyBuffer(queue, from, to, from_offset,
					     to_offset, size, n, after, &event);

	return err ? err : write_all(queue, to, event, done);
}

static CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context,
						     cl_mem_flags flags,
						     size_t size, void *memory,
						     cl_int *error)
{
	cl_mem mem = own.clCreateBuffer(context, flags, size, memory, error);

	if (mem)
		own.clRetainMemObject(mem);
	return mem;
}

/* Join the texts, with the change of WATCH_ICD_PLANT.  To be freed. */
static char *plant(cl_uint n, const char **texts, const size_t *lengths)
{
	const char *change = getenv("WATCH_ICD_PLANT"), *found;
	const char *mark = getenv("WATCH_ICD_PLANTED");
	const char *arrow = change ? strstr(change, "=>") : NULL;
	char *all = strdup(""), *old;
	size_t size = 0, done = 0;
	FILE *file;

	for (cl_uint i = 0; all && i < n; i++) {
		const size_t length =
			lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
		char *more = realloc(all, size + length + 1);

		if (!more)
			break;
		all = more;
		memcpy(all + size, texts[i], length);
		size += length;
		all[size] = 0;
	}
	if (!all || !arrow)
		return all;
	old = strndup(change, (size_t)(arrow - change));
	while (old && *old && (found = strstr(all + done, old))) {
		const size_t before = (size_t)(found - all);
		char *mended = malloc(strlen(all) + strlen(arrow));

		if (!mended)
			break;
		sprintf(mended, "%.*s%s%s", (int)before, all, arrow + 2,
			found + strlen(old));
		done = before + strlen(arrow + 2);
		free(all);
		all = mended;
	}
	file = done && mark ? fopen(mark, "w") : NULL;
	if (file)
		fclose(file);
	free(old);
	return all;
}

static CL_API_ENTRY cl_program CL_API_CALL create_program(cl_context context,
							  cl_uint n,
							  const char **texts,
							  const size_t *lengths,
							  cl_int *error)
{
	char *all = plant(n, texts, lengths);
	const char *text = all;
	cl_program program = all ? own.clCreateProgramWithSource(
					   context, 1, &text, NULL, error)
				 : NULL;

	if (!all && error)
		*error = CL_OUT_OF_HOST_MEMORY;
	free(all);
	return program;
}

static CL_API_ENTRY cl_int CL_API_CALL flush(cl_command_queue queue)
{
	if (!pthread_equal(pthread_self(), first))
		return CL_SUCCESS;
	return own.clFlush(queue);
}

static void start(void)
{
	const char *path = getenv("WATCH_ICD_DRIVER");
	clIcdGetPlatformIDsKHR_fn platforms;
	cl_platform_id platform;

	driver = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!driver)
		return;
	*(void **)&platforms = dlsym(driver, "clIcdGetPlatformIDsKHR");
	if (!platforms || platforms(1, &platform, NULL))
		return;
	own = *platform->dispatch;
	first = pthread_self();
	platform->dispatch->clCreateProgramWithSource = create_program;
	platform->dispatch->clCreateBuffer = create_buffer;
	platform->dispatch->clEnqueueWriteBuffer = write_buffer;
	platform->dispatch->clEnqueueFillBuffer = fill_buffer;
	platform->dispatch->clEnqueueCopyBuffer = copy_buffer;
	platform->dispatch->clFlush = flush;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL
clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	clIcdGetPlatformIDsKHR_fn call = NULL;

	pthread_once(&once, start);
	if (own.clEnqueueWriteBuffer)
		*(void **)&call = dlsym(driver, "clIcdGetPlatformIDsKHR");
	return call ? call(room, platforms, count) : CL_PLATFORM_NOT_FOUND_KHR;
}

EXPORT CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddress(const char *name)
{
	void *(*call)(const char *) = NULL;

	if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		return (void *)clIcdGetPlatformIDsKHR;
	pthread_once(&once, start);
	if (driver)
		*(void **)&call =
			dlsym(driver, "clGetExtensionFunctionAddress");
	return call ? call(name) : NULL;
}
