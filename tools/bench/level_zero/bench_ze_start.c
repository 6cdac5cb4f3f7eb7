/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze_start.c - programs that use Level Zero alone. */
#include "tools/bench/level_zero/bench_ze_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/start/bench_start.h"
#include "tools/bench/bench_values.h"
#include "tools/bench/level_zero/bench_ze.h"

/* --- In the bench ------------------------------------------------------------
 */

/* Write the module in the form into which the driver has built it. */
static bool write_native(const struct bench_ze *b, int fd,
			 struct message *message)
{
	unsigned char *bytes;
	size_t size = 0;
	bool written;
	int code = b->ze.zeModuleGetNativeBinary(b->module, &size, NULL);

	if (code)
		return bench_ze_failed(message, "zeModuleGetNativeBinary",
				       code);
	bytes = malloc(size);
	if (!bytes)
		return message_set(message, "no memory for a module");
	code = b->ze.zeModuleGetNativeBinary(b->module, &size, bytes);
	written = !code && write(fd, bytes, size) == (ssize_t)size;
	free(bytes);
	if (code)
		return bench_ze_failed(message, "zeModuleGetNativeBinary",
				       code);
	return written || message_set(message, "cannot write a module");
}

bool bench_ze_start(struct bench *bench, struct bench_side *side,
		    struct message *message)
{
	char place[32];
	int fd;

	if (bench->ze->is_part)
		return bench_side_none(side, "a part of a device");
	fd = memfd_create("module", MFD_CLOEXEC);
	if (fd < 0)
		return message_set(message, "no file for a module");
	if (!write_native(bench->ze, fd, message)) {
		close(fd);
		return false;
	}
	strcpy(side->name, "a native module, Level Zero alone");
	snprintf(place, sizeof(place), "%u:%u", bench->ze->driver_index,
		 bench->ze->index);
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", "--start-module", place },
			.input = fd },
		side, message);
}

bool bench_ze_start_init(struct bench *bench, struct bench_side *side,
			 struct message *message)
{
	(void)bench;
	strcpy(side->name, "a program that only calls zeInit");
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", "--start-ze", "init" },
			.input = -1,
			.whole = true },
		side, message);
}

/* --- The children
 * ---------------------------------------------------------------
 */

/* The objects of the simplest program: one context, one list, one kernel. */
struct plain {
	struct bench_ze b;
	void *kernel, *pool, *events[4];
	void *x, *y, *out;
};

static bool read_module(struct bench_ze *b, struct message *message)
{
	struct stat info;
	void *bytes = MAP_FAILED;

	if (!fstat(0, &info))
		bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE,
			     0, 0);
	if (bytes == MAP_FAILED)
		return message_set(message,
				   "there is no module on standard input");
	return bench_ze_make_module(b, ZE_FORMAT_NATIVE, bytes,
				    (size_t)info.st_size, message);
}

static bool plain_open(struct plain *p, unsigned driver, unsigned index,
		       struct message *message)
{
	const struct ze_context_desc desc = { .head = { ZE_STYPE_CONTEXT_DESC,
							NULL } };
	struct bench_ze *b = &p->b;
	int code = b->ze.zeInit(0);

	if (code)
		return bench_ze_failed(message, "zeInit", code);
	if (!bench_ze_find(b, driver, index, message))
		return false;
	code = b->ze.zeContextCreate(b->handle, &desc, &b->context);
	if (code)
		return bench_ze_failed(message, "zeContextCreate", code);
	if (!bench_ze_make_list(b, message) || !read_module(b, message))
		return false;
	p->kernel = bench_ze_kernel(b, "add", message);
	return p->kernel &&
	       bench_ze_make_events(b, &p->pool, p->events, 4, message);
}

static int alloc(const struct plain *p, void **memory)
{
	const struct ze_memory_desc desc = { .head = { ZE_STYPE_MEMORY_DESC,
						       NULL } };

	return p->b.ze.zeMemAllocDevice(p->b.context, &desc,
					BENCH_CALLS_SMALL * sizeof(float), 64,
					p->b.device, memory);
}

static int set_arguments(const struct plain *p)
{
	const struct ze_entries *ze = &p->b.ze;
	void *const pointers[3] = { p->x, p->y, p->out };
	const int n = BENCH_CALLS_SMALL;
	int code = ze->zeKernelSetGroupSize(p->kernel, BENCH_CALLS_SMALL, 1, 1);

	for (uint32_t i = 0; i < 3 && !code; i++)
		code = ze->zeKernelSetArgumentValue(
			p->kernel, i, sizeof(pointers[i]), &pointers[i]);
	return code ? code
		    : ze->zeKernelSetArgumentValue(p->kernel, 3, sizeof(n), &n);
}

static bool plain_run(struct plain *p, float *sum, struct message *message)
{
	static const struct ze_groups one = { 1, 1, 1 };
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL];
	const struct ze_entries *ze = &p->b.ze;
	void **e = p->events, *list = p->b.list;
	int code;

	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	code = alloc(p, &p->x);
	code = code ? code : alloc(p, &p->y);
	code = code ? code : alloc(p, &p->out);
	code = code ? code : set_arguments(p);
	code = code ? code
		    : ze->zeCommandListAppendMemoryCopy(
			      list, p->x, x, sizeof(x), e[0], 0, NULL);
	code = code ? code
		    : ze->zeCommandListAppendMemoryCopy(
			      list, p->y, y, sizeof(y), e[1], 0, NULL);
	code = code ? code
		    : ze->zeCommandListAppendLaunchKernel(list, p->kernel, &one,
							  e[2], 2, &e[0]);
	code = code ? code
		    : ze->zeCommandListAppendMemoryCopy(
			      list, sum, p->out, sizeof(x), e[3], 1, &e[2]);
	code = code ? code : ze->zeEventHostSynchronize(e[3], UINT64_MAX);
	return code ? bench_ze_failed(message, "add", code) : true;
}

static void plain_close(struct plain *p)
{
	const struct ze_entries *ze = &p->b.ze;
	void *const memory[3] = { p->x, p->y, p->out };

	bench_ze_drop_events(&p->b, p->pool, p->events, 4);
	for (int i = 0; i < 3; i++)
		if (memory[i])
			ze->zeMemFree(p->b.context, memory[i]);
	if (p->kernel)
		ze->zeKernelDestroy(p->kernel);
	if (p->b.module)
		ze->zeModuleDestroy(p->b.module);
	if (p->b.list)
		ze->zeCommandListDestroy(p->b.list);
	if (p->b.context)
		ze->zeContextDestroy(p->b.context);
}

int bench_ze_start_child(const char *place, int fd)
{
	struct message message = MESSAGE_NONE;
	struct plain p = { .kernel = NULL };
	float sum[BENCH_CALLS_SMALL];
	unsigned driver, index;
	int status;
	bool ok = sscanf(place, "%u:%u", &driver, &index) == 2;

	if (!ok)
		message_record(&message, "%s is not DRIVER:DEVICE", place);
	ok = ok && bench_ze_load(&p.b.ze, &message) &&
	     plain_open(&p, driver, index, &message) &&
	     plain_run(&p, sum, &message) &&
	     bench_values_check_add(sum, BENCH_CALLS_SMALL, 0,
				    "the driver's add", &message);
	/* Write this before cleaning up: the measured time ends with the
	   result. */
	status = bench_start_finish(ok, fd, &message);
	plain_close(&p);
	return status;
}

int bench_ze_start_child_init(const char *argument, int fd)
{
	struct message message = MESSAGE_NONE;
	struct ze_entries ze;
	bool ok = bench_ze_load(&ze, &message);
	int code = ok ? ze.zeInit(0) : 0;

	(void)argument;
	(void)fd;
	if (code)
		ok = bench_ze_failed(&message, "zeInit", code);
	if (!ok)
		fprintf(stderr, "dpr bench: %s\n", message_text(&message));
	message_clear(&message);
	return !ok;
}
