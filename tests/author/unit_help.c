/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_help.c - <dpr/backend-help.h> without its queue: structs that grow,
 * errors, answers, checks, ranges, and native kernels with their arguments.
 */
#include <check.h>
#include <stdlib.h>

#include <dpr/backend-help.h>

#include "tests/support/backend_host_table.h"

static struct host_table *table;
static const dprp_host *host;

static void setup(void)
{
	table = host_table_new();
	host = host_table_host(table);
	host_table_clear();
}

static void teardown(void)
{
	host_table_free(table); /* aborts if something was not freed */
}

/* Check that @call fails with @rc, has told the host so, and that the text has
   the words @said. */
#define CHECK_FAILS(rc, said, call)                                       \
	do {                                                              \
		host_table_clear();                                       \
		ck_assert_int_eq((call), (rc));                           \
		ck_assert_int_eq(host_table_error_rc(), (rc));            \
		ck_assert_msg(strstr(host_table_error(), (said)) != NULL, \
			      "\"%s\" lacks \"%s\"", host_table_error(),  \
			      said);                                      \
	} while (0)
#define CHECK_OK(call) ck_assert_int_eq((call), DPR_RC_OK)

/* --- Structs that grow --- */

struct old {
	size_t struct_size;
	uint64_t a;
};

struct new
{
	size_t struct_size;
	uint64_t a, b;
};

/* Keep the compiler from seeing how large a struct is. */
static const void *hide(const void *from)
{
	__asm__ volatile("" : "+r"(from));
	return from;
}

START_TEST(struct_of_another_size)
{
	struct old old = { sizeof(old), 5 }, got_old;
	struct new new = { sizeof(new), 6, 0 }, got_new;
	dprp_host newer = *host, older = *host;

	/* The core is newer and uses nothing new, or something. */
	CHECK_OK(dprh_take(host, "s", &got_old, sizeof(got_old), hide(&new)));
	ck_assert_uint_eq(got_old.a, 6);
	new.b = 1;
	CHECK_FAILS(
		DPR_RC_UNSUPPORTED, "s has a member",
		dprh_take(host, "s", &got_old, sizeof(got_old), hide(&new)));
	CHECK_OK(dprh_take(host, "s", &got_new, sizeof(got_new), &new));
	ck_assert_uint_eq(got_new.b, 1);
	/* A core of our version that gives less than it must. */
	CHECK_FAILS(
		DPR_RC_ABI, "s has 16 bytes, but the plugin needs 24",
		dprh_take(host, "s", &got_new, sizeof(got_new), hide(&old)));
	newer.abi_minor = DPRP_ABI_MINOR + 1;
	ck_assert(!dprh_core_is_older(&newer));
	if (DPRP_ABI_MINOR > 0) {
		older.abi_minor = DPRP_ABI_MINOR - 1;
		ck_assert(dprh_core_is_older(&older));
	}
	memset(&got_new, 0xff, sizeof(got_new));
	dprh_copy(&got_new, sizeof(got_new), hide(&old));
	ck_assert_uint_eq(got_new.a, 5);
	ck_assert_uint_eq(got_new.b, 0);
}
END_TEST

START_TEST(struct_that_is_filled)
{
	struct new from = { sizeof(from), 6, 7 };
	struct new to[2] = { { sizeof(struct old), 1, 2 }, { 99, 3, 4 } };

	dprh_give(&to[0], &from, sizeof(from));
	ck_assert_uint_eq(to[0].struct_size, sizeof(struct old));
	ck_assert_uint_eq(to[0].a, 6);
	ck_assert_uint_eq(to[0].b, 2);
	to[0].struct_size = sizeof(to);
	dprh_give(&to[0], &from, sizeof(from));
	ck_assert_uint_eq(to[0].struct_size, sizeof(to));
	ck_assert_uint_eq(to[0].b, 7);
	ck_assert_uint_eq(to[1].struct_size, 99);
}
END_TEST

/* Codes for a core that knows them, and for older ones. */
START_TEST(codes_by_version)
{
	dprp_host older = *host;

	ck_assert_int_eq(dprh_cannot_wait(host), DPR_RC_CANNOT_WAIT);
	ck_assert_int_eq(dprh_host_memory(host), DPR_RC_HOST_MEMORY);
	for (older.abi_minor = 0; older.abi_minor < 2; older.abi_minor++) {
		ck_assert_int_eq(dprh_cannot_wait(&older), DPR_RC_NO_PATH);
		ck_assert_int_eq(dprh_host_memory(&older), DPR_RC_NO_PATH);
	}
}
END_TEST

/* --- Errors and answers --- */

START_TEST(texts)
{
	char much[600];
	struct dprh_why why = { 0 };

	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	ck_assert_int_eq(dprh_fail(host, DPR_RC_NATIVE, -7, "drv: %d", 12),
			 DPR_RC_NATIVE);
	ck_assert_str_eq(host_table_error(), "drv: 12");
	ck_assert_int_eq(host_table_error_native(), -7);
	/* A long text is whole, but without memory it is cut off. */
	CHECK_FAILS(DPR_RC_BUILD, "end",
		    dprh_fail(host, DPR_RC_BUILD, 0, "%s end", much));
	host_table_fail_alloc(table, 1);
	CHECK_FAILS(DPR_RC_BUILD, "xxxx",
		    dprh_fail(host, DPR_RC_BUILD, 0, "%s end", much));
	ck_assert_ptr_null(strstr(host_table_error(), "end"));
	dprh_log(host, 3, "a line %s", much);
	ck_assert_ptr_nonnull(strstr(host_table_log(table), "a line xxx"));
	CHECK_FAILS(DPR_RC_OOM_HOST, "no host memory for a thing",
		    dprh_no_memory(host, "a thing"));
	ck_assert_int_eq(dprh_because(&why, DPR_RC_NATIVE, 9, "%s", much),
			 DPR_RC_NATIVE);
	ck_assert_uint_eq(strlen(why.text), sizeof(why.text) - 1);
}
END_TEST

START_TEST(zeroed_memory)
{
	unsigned char *block = dprh_alloc(host, 3, 5);
	int i, sum = 0;

	ck_assert_ptr_nonnull(block);
	for (i = 0; i < 15; i++)
		sum += block[i];
	ck_assert_int_eq(sum, 0);
	dprh_free(host, block);
	dprh_free(host, NULL);
	ck_assert_ptr_null(dprh_alloc(host, SIZE_MAX / 2, 3));
	block = dprh_alloc(host, 0, 8);
	ck_assert_ptr_nonnull(block);
	dprh_free(host, block);
	host_table_fail_alloc(table, 1);
	ck_assert_ptr_null(dprh_alloc(host, 1, 1));
}
END_TEST

START_TEST(answers)
{
	char buffer[8] = "abcdefg";
	uint64_t number;
	size_t need = 0;

	CHECK_OK(dprh_answer_text(host, "four", NULL, 0, &need));
	ck_assert_uint_eq(need, 5);
	CHECK_FAILS(DPR_RC_INVALID, "the answer has 5 bytes, the buffer 4",
		    dprh_answer_text(host, "four", buffer, 4, &need));
	ck_assert_str_eq(buffer, "abcdefg");
	CHECK_OK(dprh_answer_text(host, "four", buffer, 5, &need));
	ck_assert_str_eq(buffer, "four");
	CHECK_OK(dprh_answer_number(host, 77, &number, 8, &need));
	ck_assert_uint_eq(number, 77);
	ck_assert_uint_eq(need, 8);
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "device info: EXTENSIONS (key 12) is",
		    dprh_unknown(host, "device", DPR_INFO_EXTENSIONS));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "device info: key 899 is",
		    dprh_unknown(host, "device", 899));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "memory info: key 12 is",
		    dprh_unknown(host, "memory", 12));
}
END_TEST

START_TEST(checks)
{
	const dprp_ext ext = { .struct_size = sizeof(ext), .name = "new" };
	dprp_mem_desc mem = { .struct_size = sizeof(mem), .size = 4 };
	dprp_launch launch = { .struct_size = sizeof(launch), .dims = 4 };
	dprp_deps deps;

	CHECK_OK(dprh_check_mem(host, &mem));
	mem.flags = 1;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "memory flags 0x1",
		    dprh_check_mem(host, &mem));
	mem.flags = 0;
	mem.align = 24;
	CHECK_FAILS(DPR_RC_INVALID, "24", dprh_check_mem(host, &mem));
	mem.align = 32;
	mem.ext = &ext;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "memory extension \"new\"",
		    dprh_check_mem(host, &mem));
	mem.size = 0;
	CHECK_FAILS(DPR_RC_INVALID, "0 bytes", dprh_check_mem(host, &mem));
	CHECK_OK(dprh_check_copy(host, 0, 8, 8));
	CHECK_FAILS(DPR_RC_INVALID, "overlap", dprh_check_copy(host, 0, 7, 8));
	CHECK_OK(dprh_check_build_flags(host, 3));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "0x8",
		    dprh_check_build_flags(host, 11));
	CHECK_FAILS(DPR_RC_INVALID, "not 4",
		    dprh_check_launch(host, "k", &launch));
	CHECK_FAILS(DPR_RC_INVALID, "k has 2 parameters, not 0",
		    dprh_check_n_args(host, "k", &launch, 2));
	deps.count = 9;
	CHECK_OK(dprh_take_deps(host, NULL, &deps));
	ck_assert_uint_eq(deps.count, 0);
}
END_TEST

START_TEST(memory_info)
{
	int here = 0;
	void *at = NULL;
	uint64_t kind = 0;
	size_t need = 0;

	CHECK_OK(dprh_mem_info(host, &here, 0, DPRP_MEM_INFO_ADDRESS, &at,
			       sizeof(at), &need));
	ck_assert_ptr_eq(at, &here);
	ck_assert_uint_eq(need, sizeof(at));
	CHECK_OK(dprh_mem_info(host, NULL, DPRP_MEM_SHARED, DPRP_MEM_INFO_KIND,
			       &kind, sizeof(kind), &need));
	ck_assert_uint_eq(kind, DPRP_MEM_SHARED);
	CHECK_FAILS(DPR_RC_INVALID, "the buffer 7",
		    dprh_mem_info(host, &here, 0, DPRP_MEM_INFO_ADDRESS, &at, 7,
				  &need));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "no address",
		    dprh_mem_info(host, NULL, 1, DPRP_MEM_INFO_ADDRESS, &at,
				  sizeof(at), &need));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "memory info: key 2 is",
		    dprh_mem_info(host, &here, 0, DPRP_MEM_INFO_KIND, &kind,
				  sizeof(kind), &need));
	CHECK_FAILS(
		DPR_RC_UNSUPPORTED, "memory info: key 3 is",
		dprh_mem_info(host, &here, 1, 3, &kind, sizeof(kind), &need));
}
END_TEST

START_TEST(native_handles)
{
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "kind 1 (platform) and type 7",
		    dprh_no_native(host, DPRP_NATIVE_PLATFORM, 7));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "kind 8 (kernel) and type 0",
		    dprh_no_native(host, DPRP_NATIVE_KERNEL, 0));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "kind 9 (unknown)",
		    dprh_no_native(host, 9, 0));
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "kind 0 (unknown)",
		    dprh_no_native(host, 0, 0));
}
END_TEST

/* A struct that is one byte short, which only an older core may give. */
#define SHORT(name, take)                                     \
	do {                                                  \
		(name).struct_size--;                         \
		CHECK_FAILS(DPR_RC_ABI, "dprp_" #name, take); \
		(name).struct_size++;                         \
	} while (0)

START_TEST(taken)
{
	const dprp_ext ext = { .struct_size = sizeof(ext), .name = "new" };
	dprp_queue_desc queue_desc = { .struct_size = sizeof(queue_desc),
				       .priority = 1 };
	dprp_mem_desc mem_desc = { .struct_size = sizeof(mem_desc), .size = 4 };
	dprp_deps deps = { .struct_size = sizeof(deps), .count = 3 };
	dprp_queue_desc got_queue;
	dprp_mem_desc got_mem;
	dprp_deps got_deps;

	SHORT(deps, dprh_take_deps(host, hide(&deps), &got_deps));
	CHECK_OK(dprh_take_deps(host, hide(&deps), &got_deps));
	ck_assert_uint_eq(got_deps.count, 3);
	deps.flags = 2;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "unknown flags",
		    dprh_take_deps(host, &deps, &got_deps));

	SHORT(queue_desc, dprh_take_queue(host, hide(&queue_desc), &got_queue));
	CHECK_OK(dprh_take_queue(host, hide(&queue_desc), &got_queue));
	ck_assert_int_eq(got_queue.priority, 1);
	queue_desc.priority = 2;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "priority 2",
		    dprh_take_queue(host, &queue_desc, &got_queue));
	queue_desc.priority = 0;
	queue_desc.flags = 4;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "queue flags 0x4",
		    dprh_take_queue(host, &queue_desc, &got_queue));
	queue_desc.flags = 3;
	queue_desc.ext = &ext;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "queue extension \"new\"",
		    dprh_take_queue(host, &queue_desc, &got_queue));

	SHORT(mem_desc, dprh_take_mem(host, hide(&mem_desc), &got_mem));
	CHECK_OK(dprh_take_mem(host, hide(&mem_desc), &got_mem));
	ck_assert_uint_eq(got_mem.size, 4);
	mem_desc.size = 0;
	CHECK_FAILS(DPR_RC_INVALID, "0 bytes",
		    dprh_take_mem(host, &mem_desc, &got_mem));
}
END_TEST

START_TEST(taken_module)
{
	const dprp_ext ext = { .struct_size = sizeof(ext), .name = "new" };
	dprp_image image = { .struct_size = sizeof(image), .size = 9 };
	const dprp_image *const images[] = { &image };
	dprp_module_desc module_desc = { .struct_size = sizeof(module_desc),
					 .n_images = 1,
					 .images = images,
					 .flags = DPRP_BUILD_LARGE };
	dprp_module_desc got;
	dprp_image first = { .size = 0 };

	SHORT(module_desc,
	      dprh_take_module(host, hide(&module_desc), &got, &first));
	SHORT(image, dprh_take_module(host, &module_desc, &got, &first));
	CHECK_OK(dprh_take_module(host, hide(&module_desc), &got, &first));
	ck_assert_uint_eq(got.flags, DPRP_BUILD_LARGE);
	ck_assert_uint_eq(first.size, 9);
	module_desc.flags = 4;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "0x4",
		    dprh_take_module(host, &module_desc, &got, &first));
	module_desc.flags = 0;
	module_desc.n_images = 0;
	CHECK_FAILS(DPR_RC_INVALID, "no image",
		    dprh_take_module(host, &module_desc, &got, &first));
	module_desc.ext = &ext;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "program extension \"new\"",
		    dprh_take_module(host, &module_desc, &got, &first));
}
END_TEST

START_TEST(taken_launch)
{
	dprp_launch launch = { .struct_size = sizeof(launch), .dims = 2 };
	int one = 0;
	dprp_event *event = (dprp_event *)&one;
	dprp_launch got;

	SHORT(launch,
	      dprh_take_launch(host, "k", 0, hide(&launch), &got, &event));
	ck_assert_ptr_null(event);
	event = (dprp_event *)&one;
	CHECK_OK(dprh_take_launch(host, "k", 0, hide(&launch), &got, &event));
	ck_assert_ptr_null(event);
	ck_assert_uint_eq(got.dims, 2);
	CHECK_FAILS(DPR_RC_INVALID, "k has 1 parameters, not 0",
		    dprh_take_launch(host, "k", 1, &launch, &got, NULL));
	launch.n_args = 5;
	CHECK_OK(dprh_take_launch(host, "k", UINT32_MAX, hide(&launch), &got,
				  NULL));
	ck_assert_uint_eq(got.n_args, 5);
	launch.dims = 4;
	CHECK_FAILS(DPR_RC_INVALID, "not 4",
		    dprh_take_launch(host, "k", 5, &launch, &got, NULL));
	launch.flags = 2;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "unknown flags",
		    dprh_take_launch(host, "k", 5, &launch, &got, NULL));
}
END_TEST

/* --- Ranges --- */

static const struct {
	uint32_t dims;
	uint64_t global[3], local[3], max_group, items;
	uint64_t got_local[3], got_groups[3]; /* [0] 0: refused */
} ranges[] = {
	{ 1, { 10, 7, 7 }, { 5, 7, 7 }, 64, 1, { 5, 1, 1 }, { 2, 1, 1 } },
	{ 1, { 100 }, { 0 }, 64, 16, { 16, 1, 1 }, { 7, 1, 1 } },
	{ 1, { 100 }, { 0 }, 8, 16, { 8, 1, 1 }, { 13, 1, 1 } },
	{ 1, { 3 }, { 0 }, 64, 16, { 3, 1, 1 }, { 1, 1, 1 } },
	{ 2, { 4, 9 }, { 0 }, 64, 16, { 4, 4, 1 }, { 1, 3, 1 } },
	{ 3, { 5, 2, 2 }, { 0 }, 64, 64, { 5, 2, 2 }, { 1, 1, 1 } },
	{ 3, { 2, 2, 2 }, { 1, 2, 1 }, 2, 9, { 1, 2, 1 }, { 2, 1, 2 } },
	{ 1, { 10 }, { 3 }, 64, 1, { 0 }, { 0 } },
	{ 1, { 128 }, { 128 }, 64, 1, { 0 }, { 0 } },
	{ 2, { 16, 16 }, { 16, 16 }, 64, 1, { 0 }, { 0 } },
	{ 2, { 4, 4 }, { 4, 0 }, 64, 1, { 0 }, { 0 } },
	{ 2, { 1ull << 33, 1ull << 33 }, { 1, 1 }, 64, 1, { 0 }, { 0 } },
	{ 1, { UINT64_MAX }, { 0 }, 64, 16, { 0 }, { 0 } },
};
#define N_RANGES (int)(sizeof(ranges) / sizeof(*ranges))

START_TEST(range)
{
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = ranges[_i].dims };
	struct dprh_range got;
	int d;

	memcpy(launch.global, ranges[_i].global, sizeof(launch.global));
	memcpy(launch.local, ranges[_i].local, sizeof(launch.local));
	if (!ranges[_i].got_local[0]) {
		CHECK_FAILS(DPR_RC_INVALID, "the local size must divide",
			    dprh_range_of(host, &launch, ranges[_i].max_group,
					  ranges[_i].items, &got));
		return;
	}
	CHECK_OK(dprh_range_of(host, &launch, ranges[_i].max_group,
			       ranges[_i].items, &got));
	for (d = 0; d < 3; d++) {
		ck_assert_uint_eq(got.local[d], ranges[_i].got_local[d]);
		ck_assert_uint_eq(got.groups[d], ranges[_i].got_groups[d]);
		ck_assert_uint_eq(got.global[d], got.local[d] * got.groups[d]);
	}
	ck_assert(!dprh_launch_is_empty(&launch));
	launch.global[launch.dims - 1] = 0;
	ck_assert(dprh_launch_is_empty(&launch));
}
END_TEST

/* --- Native kernels --- */

struct dprp_mem {
	uint32_t *at;
};

static void *address(dprp_mem *mem)
{
	return mem->at;
}

static int misaligned;

/* out[group] = the bytes of `add`, plus what local memory kept. */
static void add_run(const void *const *args, const uint64_t global[3],
		    const uint64_t local[3], const uint64_t group[3])
{
	uint32_t *out = *(uint32_t *const *)args[0];
	uint32_t *scratch = *(uint32_t *const *)args[2];
	const uint16_t *add = args[1];

	misaligned += (uintptr_t)add % 16 != 0;
	misaligned += (uintptr_t)args[3] % 16 != 0;
	misaligned += (uintptr_t)scratch % 64 != 0;
	*scratch = *add + *(const unsigned char *)args[3];
	out[group[0] + group[1] * (global[0] / local[0])] = *scratch;
}

static const dprp_param add_params[] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, 2 },
	{ DPRP_ARG_LOCAL, 0, 0 },
	{ DPRP_ARG_VALUE, 0, 1 },
};
static const dprp_native_kernel kernels[] = {
	{ "add", add_run, 4, 0, add_params },
};
static const dprp_native_module module = { sizeof(module), 1, 0, kernels };

START_TEST(native_launch)
{
	static const struct dprh_sizes most = { 64, 256 };
	uint32_t memory[8] = { 0 };
	dprp_mem mem = { memory };
	const unsigned char bytes[4] = { 0, 5, 0, 3 }; /* unaligned 5 */
	dprp_arg args[4] = {
		{ .kind = DPRP_ARG_MEM, .u.m = { &mem, 4 } },
		{ .kind = DPRP_ARG_VALUE, .size = 2, .u.value = bytes + 1 },
		{ .kind = DPRP_ARG_LOCAL, .size = 4 },
		{ .kind = DPRP_ARG_VALUE, .size = 1, .u.value = bytes + 3 },
	};
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 2,
			       .n_args = 4,
			       .global = { 3, 2 },
			       .local = { 1, 1 },
			       .args = args };
	const void *const *packed;
	struct dprh_sizes sizes;
	struct dprh_range where;
	void *block;
	int i;

	CHECK_OK(dprh_native_check(host, kernels, &launch, &most, &sizes));
	ck_assert_uint_eq(sizes.values, 32);
	ck_assert_uint_eq(sizes.local, 64);
	CHECK_OK(dprh_range_of(host, &launch, 64, 64, &where));
	ck_assert_uint_eq(dprh_native_size(&launch, &sizes), 64 + 64 + 64);
	block = aligned_alloc(DPRH_ALIGN, dprh_native_size(&launch, &sizes));
	packed = dprh_native_pack(&launch, &sizes, address, block);
	dprh_native_run(kernels->run, packed, &where);
	free(block);
	ck_assert_int_eq(misaligned, 0);
	ck_assert_uint_eq(memory[0], 0);
	for (i = 1; i < 7; i++)
		ck_assert_uint_eq(memory[i], 8);
	ck_assert_uint_eq(memory[7], 0);

	launch.n_args = 3;
	CHECK_FAILS(DPR_RC_INVALID, "add has 4 parameters, not 3",
		    dprh_native_check(host, kernels, &launch, &most, &sizes));
	launch.n_args = 4;
	args[1].size = 4;
	CHECK_FAILS(DPR_RC_INVALID, "argument 1: the parameter has another",
		    dprh_native_check(host, kernels, &launch, &most, &sizes));
	args[1].kind = DPRP_ARG_LOCAL;
	CHECK_FAILS(DPR_RC_INVALID, "argument 1: the parameter is of another",
		    dprh_native_check(host, kernels, &launch, &most, &sizes));
	args[1] = args[3];
	args[1].size = 2;
	args[2].size = 257;
	CHECK_FAILS(DPR_RC_INVALID, "argument 2: the device does not have",
		    dprh_native_check(host, kernels, &launch, &most, &sizes));
	args[2].size = UINT64_MAX;
	CHECK_FAILS(DPR_RC_INVALID, "argument 2: the device does not have",
		    dprh_native_check(host, kernels, &launch, &most, &sizes));
}
END_TEST

START_TEST(native_module)
{
	const dprp_image other = { sizeof(other), "spirv", NULL, "x", 1 };
	dprp_image native = { sizeof(native), DPRP_NATIVE_FORMAT, NULL, &module,
			      sizeof(module) };
	const dprp_image *images[2] = { &other, &native };
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = images + 1 };
	const dprp_native_kernel *kernel;
	const dprp_native_module *got;
	uint32_t best = 9;
	uint64_t number;
	dprp_param params[4];
	size_t need;

	CHECK_OK(dprh_native_pick(host, images, 2, &best));
	ck_assert_uint_eq(best, 1);
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "no compiler",
		    dprh_native_pick(host, images, 1, &best));
	CHECK_OK(dprh_native_module(host, &desc, &got));
	ck_assert_ptr_eq(got, &module);
	desc.flags = 8;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "flags 0x8",
		    dprh_native_module(host, &desc, &got));
	desc.flags = DPRP_BUILD_ROUNDED | DPRP_BUILD_LARGE;
	desc.n_spec = 1;
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "constants",
		    dprh_native_module(host, &desc, &got));
	ck_assert_ptr_null(got);
	desc.n_spec = 0;
	native.size = 3;
	CHECK_FAILS(DPR_RC_INVALID, "shorter",
		    dprh_native_module(host, &desc, &got));
	CHECK_OK(dprh_native_kernel(host, &module, "add", &kernel));
	ck_assert_ptr_eq(kernel, kernels);
	CHECK_FAILS(DPR_RC_INVALID, "no kernel sub; it has add",
		    dprh_native_kernel(host, &module, "sub", &kernel));
	CHECK_OK(dprh_native_info(host, kernels, 64, DPRP_KERNEL_PARAMS, params,
				  sizeof(params), &need));
	ck_assert_uint_eq(need, sizeof(params));
	ck_assert_int_eq(memcmp(params, add_params, sizeof(params)), 0);
	CHECK_OK(dprh_native_info(host, kernels, 64, DPRP_KERNEL_MAX_WORK_GROUP,
				  &number, 8, &need));
	ck_assert_uint_eq(number, 64);
	CHECK_FAILS(DPR_RC_UNSUPPORTED, "kernel info: key 99",
		    dprh_native_info(host, kernels, 64, 99, &number, 8, &need));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("help for plugins");
	TCase *tcase = tcase_create("help");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, struct_of_another_size);
	tcase_add_test(tcase, struct_that_is_filled);
	tcase_add_test(tcase, codes_by_version);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, zeroed_memory);
	tcase_add_test(tcase, answers);
	tcase_add_test(tcase, checks);
	tcase_add_test(tcase, memory_info);
	tcase_add_test(tcase, native_handles);
	tcase_add_test(tcase, taken);
	tcase_add_test(tcase, taken_module);
	tcase_add_test(tcase, taken_launch);
	tcase_add_loop_test(tcase, range, 0, N_RANGES);
	tcase_add_test(tcase, native_launch);
	tcase_add_test(tcase, native_module);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
