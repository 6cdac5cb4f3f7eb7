/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin without libdpr: memory, copies, fills and hints,
   on each memory path that the machine's driver has. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "opencl_support.h"

static const char *const paths[] = { "usm", "svm-fine", "svm-coarse",
				     "buffer" };
enum { N_PATHS = 4, BYTES = 4096 };
static struct bench benches[N_PATHS];

static const uint32_t kinds[] = { DPRP_MEM_DEVICE, DPRP_MEM_SHARED,
				  DPRP_MEM_HOST };

static bool has_kind(const struct bench *bench, uint32_t kind)
{
	return bench_u64(bench, bench->device,
			 kind == DPRP_MEM_DEVICE   ? DPR_INFO_ASPECT_USM_DEVICE
			 : kind == DPRP_MEM_SHARED ? DPR_INFO_ASPECT_USM_SHARED
						   : DPR_INFO_ASPECT_USM_HOST);
}

static void pattern(unsigned char *bytes, size_t n, unsigned seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = (unsigned char)(seed >> 16);
	}
}

/* Get the open bench of a path.  If the path does not exist, return from the
   test. */
#define BENCH(i)                                 \
	const struct bench *bench = &benches[i]; \
	if (!bench->instance)                    \
	return

/* Check that bytes are read as they were written, also at odd offsets. */
static void check_bytes(const struct bench *bench, dprp_mem *mem)
{
	unsigned char in[BYTES], out[BYTES];

	pattern(in, BYTES, 1);
	bench_put(bench, mem, 0, in, BYTES);
	bench_get(bench, mem, 0, out, BYTES);
	ck_assert_mem_eq(in, out, BYTES);
	bench_put(bench, mem, 17, in, 100);
	bench_get(bench, mem, 16, out, 102);
	ck_assert_uint_eq(out[0], in[16]);
	ck_assert_mem_eq(out + 1, in, 100);
	ck_assert_uint_eq(out[101], in[117]);
}

START_TEST(kinds_as_claimed)
{
	BENCH(_i);
	dprp_mem_desc desc = { .struct_size = sizeof(desc), .size = BYTES };
	bool addresses =
		bench_u64(bench, bench->device, DPR_INFO_ASPECT_ADDRESSES);
	size_t k, need;

	ck_assert(has_kind(bench, DPRP_MEM_DEVICE));
	for (k = 0; k < 3; k++) {
		unsigned char out[BYTES];
		void *address = NULL;
		uint64_t value = 0;
		dprp_mem *mem = NULL;

		desc.kind = kinds[k];
		if (!has_kind(bench, kinds[k])) {
			FAILS(bench->plugin->mem->alloc(bench->context,
							bench->device, &desc,
							&mem),
			      DPR_RC_UNSUPPORTED, paths[_i]);
			ck_assert_ptr_null(mem);
			continue;
		}
		mem = bench_alloc(bench, kinds[k], BYTES);
		OK(bench->plugin->mem->info(mem, DPRP_MEM_INFO_KIND, &value, 8,
					    &need));
		ck_assert_uint_eq(value, kinds[k]);
		if (addresses) {
			OK(bench->plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS,
						    &address, sizeof(address),
						    &need));
			ck_assert_ptr_nonnull(address);
		} else {
			FAILS(bench->plugin->mem->info(
				      mem, DPRP_MEM_INFO_ADDRESS, &address,
				      sizeof(address), &need),
			      DPR_RC_UNSUPPORTED, "address");
		}
		FAILS(bench->plugin->mem->info(mem, 99, NULL, 0, &need),
		      DPR_RC_UNSUPPORTED, "99");
		check_bytes(bench, mem);
		/* The host can access host and shared memory directly. */
		if (kinds[k] != DPRP_MEM_DEVICE) {
			bench_get(bench, mem, 0, out, BYTES);
			ck_assert_mem_eq(address, out, BYTES);
			memset(address, 7, BYTES);
			bench_get(bench, mem, 0, out, BYTES);
			ck_assert_uint_eq(out[0], 7);
			ck_assert_uint_eq(out[BYTES - 1], 7);
		}
		bench->plugin->mem->free(mem);
	}
}
END_TEST

START_TEST(alignment)
{
	BENCH(_i);
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 100 };
	dprp_mem *mem = NULL;
	uint64_t align;

	for (align = 1; align <= 65536; align *= 2) {
		void *address = NULL;
		size_t need;

		desc.align = align;
		if (strcmp(paths[_i], "buffer") == 0) {
			if (align <= bench_u64(bench, bench->device,
					       DPR_INFO_MEM_BASE_ALIGN)) {
				OK(bench->plugin->mem->alloc(bench->context,
							     bench->device,
							     &desc, &mem));
				bench->plugin->mem->free(mem);
			} else {
				FAILS(bench->plugin->mem->alloc(bench->context,
								bench->device,
								&desc, &mem),
				      DPR_RC_UNSUPPORTED, "MEM_BASE_ALIGN");
			}
			continue;
		}
		OK(bench->plugin->mem->alloc(bench->context, bench->device,
					     &desc, &mem));
		OK(bench->plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS,
					    &address, sizeof(address), &need));
		ck_assert_uint_eq((uintptr_t)address % align, 0);
		bench->plugin->mem->free(mem);
	}
}
END_TEST

/* Whether the system was asked to use large pages at @address. */
static bool has_large_pages(const void *address)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long begin, end;
	char line[512], *flags;
	bool here = false, asked = false;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		flags = strstr(line, "VmFlags:");
		if (flags)
			asked |= here && strstr(flags, " hg");
		else if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			here = (uintptr_t)address >= begin &&
			       (uintptr_t)address < end;
	}
	fclose(file);
	return asked;
}

/* Large allocations use large pages: with small ones, accesses would wait for
   address translation. */
START_TEST(large_pages)
{
	BENCH(_i);
	enum { SIZE = 8 << 20 };
	void *address = NULL;
	dprp_mem *mem;
	size_t need;

	if (!bench_u64(bench, bench->device, DPR_INFO_ASPECT_HOST_MEMORY))
		return;
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) ||
	    access("/proc/self/smaps", R_OK)) {
		printf("not tried: the system has no large pages, or does not "
		       "report them\n");
		return;
	}
	mem = bench_alloc(bench, DPRP_MEM_DEVICE, SIZE);
	OK(bench->plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS, &address,
				    sizeof(address), &need));
	ck_assert(has_large_pages((char *)address + SIZE / 2));
	bench->plugin->mem->free(mem);
}
END_TEST

START_TEST(bad_allocations)
{
	BENCH(_i);
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE };
	dprp_mem *mem = NULL;
	char largest[32];

	snprintf(largest, sizeof(largest), "%llu",
		 (unsigned long long)bench_u64(bench, bench->device,
					       DPR_INFO_MAX_ALLOC_SIZE));
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
					&mem),
	      DPR_RC_INVALID, "0 bytes");
	desc.size = 64;
	desc.align = 3;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
					&mem),
	      DPR_RC_INVALID, "alignment of 3 bytes");
	desc.align = 0;
	desc.kind = 77;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
					&mem),
	      DPR_RC_UNSUPPORTED, "unknown");
	desc.kind = DPRP_MEM_DEVICE;
	desc.flags = 4;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
					&mem),
	      DPR_RC_UNSUPPORTED, "flags");
	desc.flags = 0;
	desc.kind = DPRP_MEM_IMPORT_HOST;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
					&mem),
	      DPR_RC_INVALID, "import");
	desc.kind = DPRP_MEM_DEVICE;
	desc.size = UINT64_C(1) << 46;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
					&mem),
	      DPR_RC_OOM_DEVICE, largest);
	desc.size = UINT64_MAX;
	desc.align = 4096;
	host_table_clear();
	ck_assert_int_ne(bench->plugin->mem->alloc(bench->context,
						   bench->device, &desc, &mem),
			 DPR_RC_OK);
	ck_assert_ptr_null(mem);
}
END_TEST

/* The caller's memory can be imported only if the driver accepts any
   address. */
START_TEST(imported_memory)
{
	BENCH(_i);
	static unsigned char mine[BYTES], out[BYTES];
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .size = BYTES,
			       .kind = DPRP_MEM_IMPORT_HOST,
			       .host_ptr = mine };
	dprp_mem *mem = NULL;
	void *address = NULL;
	size_t need;

	if (!bench_u64(bench, bench->device, DPR_INFO_ASPECT_USM_SYSTEM)) {
		FAILS(bench->plugin->mem->alloc(bench->context, bench->device,
						&desc, &mem),
		      DPR_RC_UNSUPPORTED, "imported host");
		return;
	}
	OK(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
				     &mem));
	OK(bench->plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS, &address,
				    sizeof(address), &need));
	ck_assert_ptr_eq(address, mine);
	pattern(mine, BYTES, 21);
	bench_get(bench, mem, 0, out, BYTES);
	ck_assert_mem_eq(mine, out, BYTES);
	bench->plugin->mem->free(mem);
}
END_TEST

/* A longer struct of a newer caller is accepted as long as the new members are
   zero. */
START_TEST(structs_grow)
{
	BENCH(_i);
	struct {
		dprp_mem_desc desc;
		uint64_t more;
	} grown = { .desc = { .struct_size = sizeof(grown),
			      .kind = DPRP_MEM_DEVICE,
			      .size = 64 } };
	dprp_mem *mem = NULL;

	OK(bench->plugin->mem->alloc(bench->context, bench->device, &grown.desc,
				     &mem));
	bench->plugin->mem->free(mem);
	grown.more = 1;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device,
					&grown.desc, &mem),
	      DPR_RC_UNSUPPORTED, "does not know");
	grown.desc.struct_size = 8;
	FAILS(bench->plugin->mem->alloc(bench->context, bench->device,
					&grown.desc, &mem),
	      DPR_RC_ABI, "8 bytes");
	ck_assert_ptr_null(mem);
}
END_TEST

START_TEST(ranges_are_checked)
{
	BENCH(_i);
	dprp_mem *mem = bench_alloc(bench, DPRP_MEM_DEVICE, 64);
	unsigned char bytes[64] = { 0 };
	dprp_event *event = NULL;

	FAILS(bench->plugin->queue->write(bench->queue, mem, 1, bytes, 64, NULL,
					  NULL),
	      DPR_RC_INVALID, "outside");
	FAILS(bench->plugin->queue->read(bench->queue, mem, 65, bytes, 0, NULL,
					 NULL),
	      DPR_RC_INVALID, "outside");
	FAILS(bench->plugin->queue->copy(bench->queue, mem, UINT64_MAX, mem, 0,
					 2, NULL, NULL),
	      DPR_RC_INVALID, "outside");
	FAILS(bench->plugin->queue->fill(bench->queue, mem, 60, 8, bytes, 4,
					 NULL, NULL),
	      DPR_RC_INVALID, "outside");
	/* A write of no bytes has an event, too. */
	OK(bench->plugin->queue->write(bench->queue, mem, 64, bytes, 0, NULL,
				       &event));
	bench_done(bench, event);
	bench->plugin->mem->free(mem);
}
END_TEST

START_TEST(copies_between_kinds)
{
	BENCH(_i);
	unsigned char in[BYTES], out[BYTES];
	size_t i, j;

	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			dprp_event *event = NULL;
			dprp_mem *a, *b;

			if (!has_kind(bench, kinds[i]) ||
			    !has_kind(bench, kinds[j]))
				continue;
			a = bench_alloc(bench, kinds[i], BYTES);
			b = bench_alloc(bench, kinds[j], BYTES);
			pattern(in, BYTES, (unsigned)(i * 3 + j));
			bench_put(bench, a, 0, in, BYTES);
			OK(bench->plugin->queue->copy(bench->queue, b, 0, a, 0,
						      BYTES, NULL, NULL));
			OK(bench->plugin->queue->copy(bench->queue, b, 5, a, 99,
						      1001, NULL, &event));
			bench_done(bench, event);
			bench_get(bench, b, 0, out, BYTES);
			ck_assert_mem_eq(out, in, 5);
			ck_assert_mem_eq(out + 5, in + 99, 1001);
			ck_assert_mem_eq(out + 1006, in + 1006, BYTES - 1006);
			bench->plugin->mem->free(a);
			bench->plugin->mem->free(b);
		}
}
END_TEST

START_TEST(fills)
{
	BENCH(_i);
	static const size_t sizes[] = {
		1, 2, 3, 4, 8, 12, 16, 32, 64, 128, 129
	};
	size_t k, s, i;

	for (k = 0; k < 3; k++)
		for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			unsigned char bytes[129], out[129 * 5];
			size_t size = sizes[s], whole = size * 5;
			dprp_event *event = NULL;
			dprp_mem *mem;
			dprp_rc rc;

			if (!has_kind(bench, kinds[k]))
				continue;
			mem = bench_alloc(bench, kinds[k], whole);
			pattern(bytes, size, (unsigned)s);
			memset(out, 0xee, sizeof(out));
			bench_put(bench, mem, 0, out, whole);
			rc = bench->plugin->queue->fill(bench->queue, mem, size,
							size * 3, bytes, size,
							NULL, &event);
			if (size & (size - 1)) {
				ck_assert_int_eq(rc, DPR_RC_NO_PATH);
				ck_assert_ptr_null(event);
				bench->plugin->mem->free(mem);
				continue;
			}
			ck_assert_msg(rc == DPR_RC_OK, "%zu bytes: %s", size,
				      host_table_error());
			memset(bytes, 0, sizeof(bytes));
			pattern(bytes, size, (unsigned)s);
			bench_done(bench, event);
			bench_get(bench, mem, 0, out, whole);
			ck_assert_uint_eq(out[size - 1], 0xee);
			for (i = 1; i < 4; i++)
				ck_assert_mem_eq(out + i * size, bytes, size);
			ck_assert_uint_eq(out[4 * size], 0xee);
			bench->plugin->mem->free(mem);
		}
}
END_TEST

START_TEST(unaligned_fill_has_no_path)
{
	BENCH(_i);
	dprp_mem *mem = bench_alloc(bench, DPRP_MEM_DEVICE, 64);
	uint32_t value = 1;

	FAILS(bench->plugin->queue->fill(bench->queue, mem, 2, 8, &value, 4,
					 NULL, NULL),
	      DPR_RC_NO_PATH, "fill");
	bench->plugin->mem->free(mem);
}
END_TEST

START_TEST(hints_keep_the_bytes)
{
	BENCH(_i);
	dprp_mem *mem = bench_alloc(bench, DPRP_MEM_DEVICE, BYTES);
	unsigned char in[BYTES], out[BYTES];
	dprp_event *event = NULL;
	uint32_t advice;

	pattern(in, BYTES, 5);
	bench_put(bench, mem, 0, in, BYTES);
	OK(bench->plugin->queue->prefetch(bench->queue, mem, 0, BYTES, NULL,
					  &event));
	bench_done(bench, event);
	for (advice = 0; advice <= 3; advice++)
		OK(bench->plugin->queue->advise(bench->queue, mem, 0, BYTES,
						advice));
	FAILS(bench->plugin->queue->advise(bench->queue, mem, 0, BYTES, 1000),
	      DPR_RC_UNSUPPORTED, "advice");
	bench_get(bench, mem, 0, out, BYTES);
	ck_assert_mem_eq(in, out, BYTES);
	bench->plugin->mem->free(mem);
}
END_TEST

/* Between memory of two contexts, a copy uses the host's address or answers
   NO_PATH. */
START_TEST(copies_between_contexts)
{
	BENCH(_i);
	struct bench other = *bench;
	unsigned char in[BYTES], out[BYTES];
	dprp_event *event = NULL;
	dprp_mem *a, *b;
	dprp_rc rc;

	other.context = NULL;
	other.queue = NULL;
	bench_use(&other, bench->device);
	a = bench_alloc(bench, DPRP_MEM_DEVICE, BYTES);
	b = bench_alloc(&other, DPRP_MEM_DEVICE, BYTES);
	pattern(in, BYTES, 9);
	bench_put(bench, a, 0, in, BYTES);
	rc = bench->plugin->queue->copy(other.queue, b, 0, a, 0, BYTES, NULL,
					&event);
	if (rc == DPR_RC_OK) {
		ck_assert_uint_eq(bench_u64(bench, bench->device,
					    DPR_INFO_ASPECT_HOST_MEMORY),
				  1);
		bench_done(&other, event);
		bench_get(&other, b, 0, out, BYTES);
		ck_assert_mem_eq(in, out, BYTES);
	} else {
		ck_assert_int_eq(rc, DPR_RC_NO_PATH);
	}
	bench->plugin->mem->free(a);
	bench->plugin->mem->free(b);
	bench->plugin->queue->destroy(other.queue);
	bench->plugin->context->destroy(other.context);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;
	const char *why = NULL;
	int i, rc, open = 0;

	for (i = 0; i < N_PATHS; i++) {
		if (bench_open(&benches[i], paths[i], bench_platform(), &why))
			open++;
		else
			printf("path %s: %.80s\n", paths[i], why);
	}
	if (!open) {
		printf("needs %s\n", bench_platform());
		return 77;
	}
	suite = suite_create("opencl memory");
	tcase = tcase_create("memory");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, kinds_as_claimed, 0, N_PATHS);
	tcase_add_loop_test(tcase, alignment, 0, N_PATHS);
	tcase_add_loop_test(tcase, large_pages, 0, N_PATHS);
	tcase_add_loop_test(tcase, bad_allocations, 0, N_PATHS);
	tcase_add_loop_test(tcase, imported_memory, 0, N_PATHS);
	tcase_add_loop_test(tcase, structs_grow, 0, N_PATHS);
	tcase_add_loop_test(tcase, ranges_are_checked, 0, N_PATHS);
	tcase_add_loop_test(tcase, copies_between_kinds, 0, N_PATHS);
	tcase_add_loop_test(tcase, fills, 0, N_PATHS);
	tcase_add_loop_test(tcase, unaligned_fill_has_no_path, 0, N_PATHS);
	tcase_add_loop_test(tcase, hints_keep_the_bytes, 0, N_PATHS);
	tcase_add_loop_test(tcase, copies_between_contexts, 0, N_PATHS);
	suite_add_tcase(suite, tcase);
	rc = bench_run(suite);
	for (i = 0; i < N_PATHS; i++)
		if (benches[i].instance)
			bench_close(&benches[i]);
	return rc;
}
