/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cuda_start.c - programs that use NVIDIA's driver without dpr. */
#include "tools/bench/start/bench_cuda_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cuda.h"
#include "tools/bench/start/bench_start.h"
#include "tools/bench/bench_values.h"

/* --- In the bench ------------------------------------------------------------
 */

/* Assemble the kernels for the current context, and write them to @fd. */
static bool write_cubin(const struct bench_cuda *cuda, int fd,
			struct message *message)
{
	const struct cuda_entries *cu = &cuda->cu;
	void *link, *cubin;
	size_t size = 0;
	bool written;
	int code = cu->cuLinkCreate(0, NULL, NULL, &link);

	if (code)
		return bench_cuda_failed(message, "cuLinkCreate", code);
	code = cu->cuLinkAddData(
		link, CUDA_JIT_INPUT_PTX, (void *)(uintptr_t)bench_calls_ptx,
		strlen(bench_calls_ptx) + 1, "bench", 0, NULL, NULL);
	code = code ? code : cu->cuLinkComplete(link, &cubin, &size);
	written = !code && write(fd, cubin, size) == (ssize_t)size;
	cu->cuLinkDestroy(link);
	if (code)
		return bench_cuda_failed(message, "cuLinkComplete", code);
	return written || message_set(message, "cannot write a cubin");
}

/* Open a file with the kernels' cubin.  -1 with a message. */
static int open_cubin(const struct bench_cuda *cuda, struct message *message)
{
	int fd = memfd_create("cubin", MFD_CLOEXEC);
	int code = cuda->cu.cuCtxPushCurrent(cuda->context);
	bool ok = fd >= 0 && !code;
	void *was;

	if (!ok)
		message_record(message, "cannot make a file and a context "
					"for a cubin");
	else
		ok = write_cubin(cuda, fd, message);
	if (!code)
		cuda->cu.cuCtxPopCurrent(&was);
	if (ok)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool bench_cuda_start_cubin(struct bench *bench, struct bench_side *side,
			    struct message *message)
{
	char device[16];
	int fd;

	if (bench->cuda->is_part)
		return bench_side_none(side, "a part of a device");
	fd = open_cubin(bench->cuda, message);
	if (fd < 0)
		return false;
	strcpy(side->name, "a cubin, the driver alone");
	snprintf(device, sizeof(device), "%d", bench->cuda->device);
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", "--start-cubin", device },
			.input = fd },
		side, message);
}

bool bench_cuda_start_init(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	(void)bench;
	strcpy(side->name, "a program that only calls cuInit");
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", "--start-cuda", "init" },
			.input = -1,
			.whole = true },
		side, message);
}

/* --- The children ------------------------------------------------------------
 */

int bench_cuda_start_child_init(const char *argument, int fd)
{
	struct message message = MESSAGE_NONE;
	struct cuda_entries cu;
	bool ok = bench_cuda_load(&cu, &message);
	int code = ok ? cu.cuInit(0) : 0;

	(void)argument;
	(void)fd;
	if (code)
		ok = bench_cuda_failed(&message, "cuInit", code);
	if (!ok)
		fprintf(stderr, "dpr bench: %s\n", message_text(&message));
	message_clear(&message);
	return !ok;
}

/* The objects of the simplest program: one context, one stream, one kernel. */
struct plain {
	struct cuda_entries cu;
	int device;
	void *context, *stream, *library, *kernel;
	uint64_t x, y, out;
};

static bool read_cubin(void **cubin, struct message *message)
{
	struct stat info;

	*cubin = MAP_FAILED;
	if (!fstat(0, &info))
		*cubin = mmap(NULL, (size_t)info.st_size, PROT_READ,
			      MAP_PRIVATE, 0, 0);
	return *cubin != MAP_FAILED ||
	       message_set(message, "there is no cubin on standard input");
}

static bool plain_open(struct plain *p, int device, const void *cubin,
		       struct message *message)
{
	const size_t size = BENCH_CALLS_SMALL * sizeof(float);
	const struct cuda_entries *cu = &p->cu;
	int code = cu->cuInit(0);

	code = code ? code : cu->cuDeviceGet(&p->device, device);
	code = code ? code
		    : cu->cuDevicePrimaryCtxRetain(&p->context, p->device);
	code = code ? code : cu->cuCtxPushCurrent(p->context);
	code = code ? code
		    : cu->cuStreamCreateWithPriority(
			      &p->stream, CUDA_STREAM_NON_BLOCKING, 0);
	code = code ? code
		    : cu->cuLibraryLoadData(&p->library, cubin, NULL, NULL, 0,
					    NULL, NULL, 0);
	code = code ? code
		    : cu->cuLibraryGetKernel(&p->kernel, p->library, "add");
	code = code ? code : cu->cuMemAlloc(&p->x, size);
	code = code ? code : cu->cuMemAlloc(&p->y, size);
	code = code ? code : cu->cuMemAlloc(&p->out, size);
	return code ? bench_cuda_failed(message, "start", code) : true;
}

static bool plain_run(struct plain *p, float *sum, struct message *message)
{
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL];
	const struct cuda_entries *cu = &p->cu;
	int code, n = BENCH_CALLS_SMALL;
	void *arguments[] = { &p->x, &p->y, &p->out, &n };

	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	code = cu->cuMemcpyAsync(p->x, (uintptr_t)x, sizeof(x), p->stream);
	code = code ? code
		    : cu->cuMemcpyAsync(p->y, (uintptr_t)y, sizeof(y),
					p->stream);
	code = code ? code
		    : cu->cuLaunchKernel(p->kernel, 1, 1, 1, BENCH_CALLS_SMALL,
					 1, 1, 0, p->stream, arguments, NULL);
	code = code ? code
		    : cu->cuMemcpyAsync((uintptr_t)sum, p->out, sizeof(x),
					p->stream);
	code = code ? code : cu->cuStreamSynchronize(p->stream);
	return code ? bench_cuda_failed(message, "add", code) : true;
}

static void plain_close(struct plain *p)
{
	const struct cuda_entries *cu = &p->cu;
	void *was;

	if (p->out)
		cu->cuMemFree(p->out);
	if (p->y)
		cu->cuMemFree(p->y);
	if (p->x)
		cu->cuMemFree(p->x);
	if (p->library)
		cu->cuLibraryUnload(p->library);
	if (p->stream)
		cu->cuStreamDestroy(p->stream);
	if (p->context) {
		cu->cuCtxPopCurrent(&was);
		cu->cuDevicePrimaryCtxRelease(p->device);
	}
}

int bench_cuda_start_child_cubin(const char *device, int fd)
{
	struct message message = MESSAGE_NONE;
	struct plain p = { .context = NULL };
	float sum[BENCH_CALLS_SMALL];
	void *cubin;
	int status;
	bool ok;

	ok = read_cubin(&cubin, &message) && bench_cuda_load(&p.cu, &message) &&
	     plain_open(&p, atoi(device), cubin, &message) &&
	     plain_run(&p, sum, &message) &&
	     bench_values_check_add(sum, BENCH_CALLS_SMALL, 0,
				    "the driver's add", &message);
	/* Write this before cleaning up: the measured time ends with the
	   result. */
	status = bench_start_finish(ok, fd, &message);
	plain_close(&p);
	return status;
}
