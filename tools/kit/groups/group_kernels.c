/* SPDX-License-Identifier: Apache-2.0 */
/* group_kernels.c - launches: arguments, ranges, order and threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

static int32_t inside(uint64_t i, uint64_t n)
{
	return i < n;
}

static int32_t hundred(uint64_t i, uint64_t n)
{
	(void)i;
	(void)n;
	return 100;
}

/* Compare @n cells with @want(i). */
static void check_cells(struct kit *kit, dprp_mem *mem, uint64_t n,
			int32_t (*want)(uint64_t i, uint64_t n), uint64_t of,
			const char *what)
{
	int32_t *got = malloc(n * 4);
	uint64_t i;

	if (!got)
		note_skip("out of memory");
	work_read(kit, mem, 0, got, n * 4);
	for (i = 0; i < n && got[i] == want(i, of); i++)
		;
	note_step("queue->launch", "%s, format %s", what, kit->format);
	if (i < n)
		note_bad(want == hundred ? "Q11" : "Q10",
			 "each work-item once, and no other memory",
			 "cell %llu is %d, not %d", ULL(i), got[i],
			 want(i, of));
	free(got);
}

/* Ranges of many sizes: each element once, and none beyond. */
static void ranges(struct kit *kit)
{
	static const uint64_t sizes[] = { 1,    2,    63,   64,     65,
					  1000, 4096, 4097, 100003, 500000 };
	enum { MOST = 500016 };
	dprp_mem *mem = work_mem(kit, MOST * 4);
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = 2,
			       .global = { 1024, 1, 1 },
			       .local = { 32, 1, 1 } };
	dprp_kernel *kernel;
	dprp_arg args[2];
	uint64_t n;
	size_t i;

	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	for (i = 0; i < KIT_COUNT(sizes) && !note_found(); i++) {
		n = sizes[i];
		work_set(kit, mem, n + 16, 0);
		samples_add_one(kit, kit->queue, kernel, mem, n, NULL);
		work_finish(kit, kit->queue);
		check_cells(kit, mem, n + 16, inside, n,
			    "add_one, local size chosen by the plugin");
	}
	n = 1024;
	args[0] = samples_mem(mem, 0);
	args[1] = samples_value(&n, 8);
	launch.args = args;
	work_set(kit, mem, n + 16, 0);
	samples_launch(kit, kit->queue, kernel, &launch, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	check_cells(kit, mem, n + 16, inside, n, "add_one, local size 32");
	samples_drop(kit, kernel);
	work_free(kit, mem);
}

/* Two and three dimensions, with a local size and without. */
static void dimensions(struct kit *kit)
{
	static const uint64_t sizes[][6] = {
		{ 3, 1000, 1, 0, 0, 0 }, { 5, 7, 9, 0, 0, 0 },
		{ 63, 2, 64, 0, 0, 0 },  { 1, 1, 400, 0, 0, 0 },
		{ 64, 32, 2, 4, 2, 1 },  { 8, 8, 8, 2, 2, 2 },
		{ 4097, 1, 1, 0, 0, 0 }
	};
	dprp_mem *mem = work_mem(kit, 40000);
	dprp_kernel *kernel;
	size_t i;

	samples_open(kit);
	kernel = samples_kernel(kit, "visit");
	for (i = 0; i < KIT_COUNT(sizes) && !note_found(); i++) {
		const uint64_t *s = sizes[i];
		const dprp_arg args[4] = { samples_mem(mem, 0),
					   samples_value(&s[0], 8),
					   samples_value(&s[1], 8),
					   samples_value(&s[2], 8) };
		const dprp_launch launch = { .struct_size = sizeof(launch),
					     .dims = s[2] > 1 ? 3 : 2,
					     .n_args = 4,
					     .global = { s[0], s[1], s[2] },
					     .local = { s[3], s[4], s[5] },
					     .args = args };

		work_set(kit, mem, 10000, 0);
		samples_launch(kit, kit->queue, kernel, &launch, NULL, 0, NULL);
		work_finish(kit, kit->queue);
		check_cells(kit, mem, 10000, inside, s[0] * s[1] * s[2],
			    "visit in two or three dimensions");
	}
	samples_drop(kit, kernel);
	work_free(kit, mem);
}

/* --- Arguments --------------------------------------------------------------
 */

static void check_float(struct kit *kit, dprp_mem *mem, uint64_t offset)
{
	float f[64];
	int i;

	work_read(kit, mem, offset, f, sizeof(f));
	for (i = 0; i < 64 && f[i] == (float)(3 * i); i++)
		;
	note_step("queue->launch", "axpy(2.0f, x, y, 64), format %s",
		  kit->format);
	if (i < 64)
		note_bad("Q10", "y[i] + 2 * x[i]", "y[%d] is %g, not %d", i,
			 (double)f[i], 3 * i);
}

static void axpy(struct kit *kit, dprp_mem *mem, uint64_t offset)
{
	dprp_kernel *kernel = samples_kernel(kit, "axpy");
	uint64_t n = 64;
	float f[64], a = 2;
	dprp_arg args[4] = { samples_value(&a, 4), samples_mem(mem, 0),
			     samples_mem(mem, offset), samples_value(&n, 8) };
	int i;

	for (i = 0; i < 64; i++)
		f[i] = (float)i;
	work_write(kit, mem, 0, f, sizeof(f));
	work_write(kit, mem, offset, f, sizeof(f));
	samples_run(kit, kit->queue, kernel, n, args, 4, NULL);
	/* What the arguments point to is the caller's again. */
	a = 77;
	n = 0;
	memset(args, 0, sizeof(args));
	work_finish(kit, kit->queue);
	check_float(kit, mem, offset);
	samples_drop(kit, kernel);
}

static void local_sum(struct kit *kit, dprp_mem *mem, uint64_t offset)
{
	dprp_kernel *kernel = samples_kernel(kit, "local_sum");
	const uint64_t n = 16;
	const dprp_arg args[4] = { samples_mem(mem, offset),
				   samples_mem(mem, 0), samples_local(256),
				   samples_value(&n, 8) };
	int32_t x[16], sum;
	int i;

	for (i = 0; i < 16; i++)
		x[i] = i;
	work_write(kit, mem, 0, x, sizeof(x));
	samples_run(kit, kit->queue, kernel, n, args, 4, NULL);
	work_finish(kit, kit->queue);
	work_read(kit, mem, offset, &sum, 4);
	note_step("queue->launch", "local_sum, format %s", kit->format);
	if (sum == SAMPLES_UNALIGNED)
		note_bad("K12", "local memory aligned to 64 bytes",
			 "an address that is not");
	else if (sum != 120)
		note_bad("Q10", "120, by local memory", "%d", sum);
	samples_drop(kit, kernel);
}

/* Groups that run side by side, each with local memory of its own. */
static void local_own(struct kit *kit, dprp_mem *mem)
{
	enum { GROUPS = 16 };
	const dprp_arg args[2] = { samples_mem(mem, 0), samples_local(64) };
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = 2,
				     .global = { GROUPS, 1, 1 },
				     .local = { 1, 1, 1 },
				     .args = args };
	dprp_kernel *kernel = samples_kernel(kit, "own_local");
	int32_t got[GROUPS];
	int i;

	samples_launch(kit, kit->queue, kernel, &launch, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	work_read(kit, mem, 0, got, sizeof(got));
	for (i = 0; i < GROUPS && got[i] == i + 1; i++)
		;
	note_step("queue->launch", "own_local, %d groups, format %s", GROUPS,
		  kit->format);
	if (i < GROUPS && got[i] == SAMPLES_SHARED)
		note_bad("K12", "local memory of each group's own",
			 "group %d finds there what another has written", i);
	else if (i < GROUPS)
		note_bad("Q10", "each group once", "%d of group %d", got[i], i);
	samples_drop(kit, kernel);
}

/* Unknown flags of a launch. */
static void flags(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 64);
	const uint64_t n = 16;
	const dprp_arg args[2] = { samples_mem(mem, 0), samples_value(&n, 8) };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = 2,
			       .global = { n, 1, 1 },
			       .args = args };
	dprp_kernel *kernel;
	uint64_t flag;
	dprp_rc rc;

	/* A newer plugin may know more of them. */
	if (kit_is_newer(kit))
		note_skip("the plugin is newer than this tool");
	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	for (flag = 2; flag && !note_found(); flag <<= 9) {
		launch.flags = flag;
		rc = NOTE_CALL(kit->plugin->queue->launch(
				       kit->queue, kernel, &launch, NULL, NULL),
			       "queue->launch", "flags=%#llx", ULL(flag));
		/* Version 1.0 has no flags: these bytes are new to it. */
		note_want(kit->plugin->abi_minor < 1 ? "G2" : "G7", rc,
			  DPR_RC_UNSUPPORTED);
	}
	work_finish(kit, kit->queue);
	samples_drop(kit, kernel);
	work_free(kit, mem);
}

static void arguments(struct kit *kit)
{
	uint64_t align =
		kit_u64(kit, kit->device, DPR_INFO_SUB_BUFFER_ALIGN, 1);
	struct samples_store s = { 5, 42, 0 };
	dprp_mem *mem = work_mem(kit, 65536);
	uint64_t offset = align < 4 ? 1024 : (1024 + align - 1) / align * align;
	dprp_kernel *kernel;
	unsigned char odd[sizeof(s) + 1]; /* the value may be unaligned */
	dprp_arg args[2];

	if (offset > 32768)
		note_skip("SUB_BUFFER_ALIGN is %llu", ULL(align));
	samples_open(kit);
	kernel = samples_kernel(kit, "store");
	memcpy(odd + 1, &s, sizeof(s));
	args[0] = samples_mem(mem, 0);
	args[1] = samples_value(odd + 1, sizeof(s));
	work_set(kit, mem, 16, 0);
	samples_run(kit, kit->queue, kernel, 1, args, 2, NULL);
	memset(odd, 0xee, sizeof(odd));
	work_finish(kit, kit->queue);
	if (work_cell(kit, mem, 5) == SAMPLES_UNALIGNED)
		note_bad("K12", "a value aligned to 16 bytes",
			 "an address that is not");
	else if (work_cell(kit, mem, 5) != 42)
		note_bad("Q10", "42, from a struct by value", "%d",
			 work_cell(kit, mem, 5));
	samples_drop(kit, kernel);
	axpy(kit, mem, offset);
	note_step("queue->launch", "axpy(2.0f, x, y, 64), format %s",
		  kit->format);
	if (samples_unaligned() && !note_found())
		note_bad("K12", "each value aligned to 16 bytes",
			 "an address that is not");
	if (samples_is_native(kit))
		local_own(kit, mem);
	if (samples_has_local(kit))
		local_sum(kit, mem, offset);
	else
		note_tell("no kernel of the format %s has local memory as an "
			  "argument",
			  kit->format);
	work_free(kit, mem);
}

/* A 0 in the range: nothing runs, and the launch has its turn. */
static void no_items(struct kit *kit)
{
	static const uint64_t sizes[][3] = { { 0, 1, 1 },
					     { 8, 0, 1 },
					     { 8, 8, 0 } };
	struct work_long work = work_long(kit);
	dprp_mem *mem = work_mem(kit, 64);
	dprp_event *event, *before;
	const uint64_t n = 1;
	const dprp_arg args[2] = { samples_mem(mem, 0), samples_value(&n, 8) };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 3,
			       .n_args = 2,
			       .args = args };
	dprp_kernel *kernel;
	size_t i;

	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	work_set(kit, mem, 16, 7);
	for (i = 0; i < KIT_COUNT(sizes); i++) {
		memcpy(launch.global, sizes[i], sizeof(launch.global));
		work_long_begin(kit, &work, kit->queue, &before);
		samples_launch(kit, kit->queue, kernel, &launch, &before, 1,
			       &event);
		work_wait(kit, event);
		note_step("queue->launch", "a range of %llu,%llu,%llu",
			  ULL(sizes[i][0]), ULL(sizes[i][1]), ULL(sizes[i][2]));
		if (work_state(kit, before, NULL) < DPRP_EVENT_DONE)
			note_bad("K9", "an end in its turn",
				 "an end before that of its dependency");
		work_destroy(kit, event);
		work_destroy(kit, before);
		if (work_cell(kit, mem, 0) != 7)
			note_bad("K9", "nothing that runs", "the kernel ran");
	}
	samples_drop(kit, kernel);
	work_free(kit, mem);
	work_long_end(kit, &work);
}

/* Kernels use memory of each kind. */
static void memory(struct kit *kit)
{
	dprp_kernel *kernel;
	dprp_mem *mem;
	uint32_t kind;
	int32_t *at;
	int i;

	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	for (kind = DPRP_MEM_SHARED; kind <= DPRP_MEM_HOST; kind++) {
		if (!work_has_kind(kit, kind))
			continue;
		note_need("M2", work_alloc(kit, kind, 4000, 0, NULL, &mem));
		at = work_address(kit, mem);
		for (i = 0; at && i < 1000; i++)
			at[i] = 3 * i;
		samples_add_one(kit, kit->queue, kernel, mem, 1000, NULL);
		work_finish(kit, kit->queue);
		for (i = 0; at && i < 1000 && at[i] == 3 * i + 1; i++)
			;
		note_step("queue->launch", "add_one on memory of kind %u",
			  kind);
		if (at && i < 1000)
			note_bad("M7", "what the kernel has written there",
				 "the host sees %d in element %d, not %d",
				 at[i], i, 3 * i + 1);
		work_free(kit, mem);
	}
	samples_drop(kit, kernel);
}

/* --- Order and threads ------------------------------------------------------
 */

static void order(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 256);
	dprp_kernel *kernel;
	int i;

	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	work_set(kit, mem, 64, 0);
	for (i = 0; i < 500; i++)
		samples_add_one(kit, kit->queue, kernel, mem, 64, NULL);
	i = work_cell(kit, mem, 63);
	note_step("queue->launch", "add_one 500 times on an in-order queue");
	if (i != 500)
		note_bad("S5", "500", "%d", i);
	samples_drop(kit, kernel);
	work_free(kit, mem);
}

/* A brief launch has the effect of any launch: on an idle queue, behind long
   work, and behind its dependencies. */
static void brief(struct kit *kit)
{
	struct work_long work = work_long(kit);
	dprp_mem *mem = work_mem(kit, 64), *from = work_mem(kit, 64);
	const uint64_t n = 16;
	const dprp_arg args[2] = { samples_mem(mem, 0), samples_value(&n, 8) };
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = 2,
				     .global = { n, 1, 1 },
				     .args = args,
				     .flags = DPRP_LAUNCH_BRIEF };
	dprp_kernel *kernel;

	if (kit->plugin->abi_minor < 1)
		note_skip("the plugin's version of the interface has no brief "
			  "launches");
	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	work_set(kit, mem, n, 1);
	work_set(kit, from, n, 7);
	samples_launch(kit, kit->queue, kernel, &launch, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	note_step("queue->launch", "add_one, with DPRP_LAUNCH_BRIEF");
	if (work_cell(kit, mem, 15) != 2)
		note_bad("Q10", "2", "%d", work_cell(kit, mem, 15));
	work_long_begin(kit, &work, kit->queue, NULL);
	work_copy(kit, kit->queue, mem, 0, from, 0, 64, NULL, 0, NULL);
	samples_launch(kit, kit->queue, kernel, &launch, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	note_step("queue->launch", "add_one, with DPRP_LAUNCH_BRIEF, behind a "
				   "copy to its memory");
	if (work_cell(kit, mem, 15) != 8)
		note_bad("S5", "8", "%d", work_cell(kit, mem, 15));
	samples_drop(kit, kernel);
	work_free(kit, from);
	work_free(kit, mem);
	work_long_end(kit, &work);
}

/* A kernel of a sub-device's module. */
static void sub_device(struct kit *kit)
{
	const uint64_t one =
		kit_u64(kit, kit->device, DPR_INFO_PARTITION_UNIT, 1);
	const dprp_partition how = { .struct_size = sizeof(how),
				     .how = DPR_PARTITION_COUNTS,
				     .n_counts = 1,
				     .counts = &one };
	dprp_device *part = NOTE_POISON, *root = kit->device;
	dprp_queue *queue = kit->queue;
	dprp_kernel *kernel;
	dprp_mem *mem;
	uint32_t n = 0;

	if (!DPRP_HAS(kit->plugin->device, dprp_device_ops, partition) ||
	    NOTE_CALL(kit->plugin->device->partition(kit->device, &how, &part,
						     1, &n),
		      "device->partition", "COUNTS, a part") ||
	    n != 1)
		note_skip("the device cannot be divided by counts");
	kit->device = part;
	samples_open(kit);
	kit->queue = kit_queue(kit, 0, NULL);
	kernel = samples_kernel(kit, "add_one");
	mem = work_mem(kit, 400);
	work_set(kit, mem, 100, 1);
	samples_add_one(kit, kit->queue, kernel, mem, 100, NULL);
	work_finish(kit, kit->queue);
	if (work_cell(kit, mem, 99) != 2)
		note_bad("V7", "2, by a kernel on a sub-device", "%d",
			 work_cell(kit, mem, 99));
	samples_drop(kit, kernel);
	work_free(kit, mem);
	work_drop_queue(kit, kit->queue);
	kit->queue = queue;
	kit->device = root;
}

struct lane {
	struct kit *kit;
	dprp_kernel *kernel;
	dprp_queue *queue;
	dprp_mem *mem;
};

static void *run_lane(void *arg)
{
	struct lane *lane = arg;
	int i;

	for (i = 0; i < 100; i++)
		samples_add_one(lane->kit, lane->queue, lane->kernel, lane->mem,
				10000, NULL);
	work_finish(lane->kit, lane->queue);
	return NULL;
}

/* One kernel on four queues by four threads, each with memory of its own. */
static void at_once(struct kit *kit)
{
	struct lane lanes[4];
	pthread_t threads[4];
	dprp_kernel *kernel;
	size_t i, made = 0;

	samples_open(kit);
	kernel = samples_kernel(kit, "add_one");
	for (i = 0; i < 4; i++) {
		lanes[i] = (struct lane){ kit, kernel, kit_queue(kit, 0, NULL),
					  work_mem(kit, 40000) };
		work_set(kit, lanes[i].mem, 10000, 0);
	}
	for (i = 0; i < 4; i++)
		made += !pthread_create(&threads[made], NULL, run_lane,
					&lanes[i]);
	if (made < 4)
		note_skip("no thread could be made");
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 4; i++) {
		check_cells(kit, lanes[i].mem, 10000, hundred, 0,
			    "add_one 100 times, on four queues by four "
			    "threads");
		work_drop_queue(kit, lanes[i].queue);
		work_free(kit, lanes[i].mem);
	}
	samples_drop(kit, kernel);
}

static const struct kit_check checks[] = {
	{ "ranges", ranges, 0 },         { "dimensions", dimensions, 0 },
	{ "arguments", arguments, 0 },   { "no_items", no_items, 0 },
	{ "memory", memory, 0 },         { "order", order, 0 },
	{ "sub_device", sub_device, 0 }, { "at_once", at_once, 0 },
	{ "brief", brief, 0 },         { "flags", flags, 0 },
};

const struct kit_group group_kernels = {
	"kernels", "launches: arguments, ranges, order and threads", checks,
	KIT_COUNT(checks)
};
