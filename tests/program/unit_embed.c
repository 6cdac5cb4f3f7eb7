/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_embed.c - files that the build embeds.  A file is inflated correctly,
 * and once: when a kernel needs it.  The bytes live until dpr_finalize().
 * Damaged bytes and a lack of memory are reported.
 */
#include "tests/support/runtime_test.h"

#include "config.h"

#include <pthread.h>
#ifdef EMBED_DEFLATED
#include <zlib.h>
#endif

#include "core/array/engine/kernel_store.h"
#include "core/array/engine/ptx/emit_ptx.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "kernels/embed.h"

enum { SIZE = 50000, THREADS = 8, TURNS = 20 };

static unsigned char whole[SIZE], bytes[2 * SIZE];
static struct embed file;

/* Make `file` anew, as the build embeds it.  @planes: as words in planes. */
static void make_file(bool planes)
{
	size_t n = SIZE;

	for (unsigned i = 0; i < SIZE; i++)
		whole[i] = (unsigned char)(i * i >> 5 | i >> 9);
	memcpy(bytes, whole, SIZE);
#ifdef EMBED_DEFLATED
	static unsigned char input[SIZE];
	z_stream z = { .next_in = input,
		       .avail_in = SIZE,
		       .next_out = bytes,
		       .avail_out = sizeof(bytes) };

	for (size_t i = 0; i < SIZE; i++)
		input[planes ? i % 4 * (SIZE / 4) + i / 4 : i] = whole[i];
	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	n = z.total_out;
	ck_assert_int_eq(deflateEnd(&z), Z_OK);
#endif
	file = (struct embed){ .name = "some.bin",
			       .begin = bytes,
			       .end = bytes + n,
			       .has_planes = planes };
}

/* --- Whole files -----------------------------------------------------------
 */

START_TEST(a_file_is_whole)
{
	const void *data, *again;
	size_t size;

	make_file(_i);
	CHECK_OK(embed_get(&file, &data, &size));
	ck_assert_uint_eq(size, SIZE);
	ck_assert_int_eq(memcmp(data, whole, SIZE), 0);
	CHECK_OK(embed_get(&file, &again, &size));
	ck_assert_ptr_eq(again, data);
	ck_assert_uint_eq(size, SIZE);
}
END_TEST

static pthread_barrier_t start;

static void *get_file(void *user)
{
	const void **data = user;
	size_t size;

	pthread_barrier_wait(&start);
	if (embed_get(&file, data, &size) || size != SIZE)
		*data = NULL;
	return NULL;
}

/* Threads that ask first at the same time get one file. */
START_TEST(threads_get_one_file)
{
	const void *data[THREADS];
	pthread_t threads[THREADS];

	for (int turn = 0; turn < TURNS; turn++) {
		const size_t held = embed_held();

		make_file(turn % 2);
		pthread_barrier_init(&start, NULL, THREADS);
		for (int i = 0; i < THREADS; i++)
			ck_assert_int_eq(pthread_create(&threads[i], NULL,
							get_file, &data[i]),
					 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		pthread_barrier_destroy(&start);
		for (int i = 0; i < THREADS; i++) {
			ck_assert_ptr_nonnull(data[i]);
			ck_assert_ptr_eq(data[i], data[0]);
		}
		ck_assert_int_eq(memcmp(data[0], whole, SIZE), 0);
#ifdef EMBED_DEFLATED
		ck_assert_uint_eq(embed_held(), held + SIZE);
#else
		ck_assert_uint_eq(embed_held(), held);
#endif
		/* Release the memory, so that the next turn inflates. */
		process_drop_kept();
		ck_assert_uint_eq(embed_held(), 0);
	}
}
END_TEST

#ifdef EMBED_DEFLATED
/* --- Failures --------------------------------------------------------------
 */

static void check_damaged(void)
{
	const size_t held = embed_held();
	const void *data = &file;
	size_t size = 1;

	CHECK_FAILS(DPR_ERROR_FILE, embed_get(&file, &data, &size));
	ck_assert_str_eq(dpr_last_error(),
			 "some.bin in libdpr cannot be inflated: the library's "
			 "file is damaged; install dpr again");
	ck_assert_ptr_null(data);
	ck_assert_uint_eq(size, 0);
	ck_assert_uint_eq(embed_held(), held);
}

/* The size at the end is that of the whole file. */
static void set_size(uint32_t size)
{
	unsigned char *at = bytes + (file.end - file.begin) - 4;

	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(size >> 8 * i);
}

START_TEST(damage_is_told)
{
	static const uint32_t sizes[] = { 0,        1,          SIZE - 1,
					  SIZE + 1, 2 * SIZE,   SIZE * 200,
					  1u << 31, UINT32_MAX, SIZE + 65536 };
	const void *data;
	size_t size, n;

	make_file(_i);
	n = (size_t)(file.end - file.begin);
	/* Bytes 4 to 9 are the time and the system, which nobody needs. */
	for (size_t i = 0; i < n; i += i < 4 || i + 20 > n ? 1 : 97) {
		if (i >= 4 && i <= 9)
			continue;
		bytes[i] ^= 0x15;
		check_damaged();
		bytes[i] ^= 0x15;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		set_size(sizes[i]);
		check_damaged();
	}
	set_size(SIZE);
	for (size_t cut = 0; cut < n; cut += cut < 20 || cut + 9 > n ? 1 : 97) {
		file.end = file.begin + cut;
		check_damaged();
	}
	/* The bytes are right again, and so is the file. */
	file.end = file.begin + n;
	CHECK_OK(embed_get(&file, &data, &size));
	ck_assert_int_eq(memcmp(data, whole, SIZE), 0);
}
END_TEST

/* Planes of a file that has no whole words are damaged. */
START_TEST(planes_are_of_words)
{
	const unsigned char three[] = { 'd', 'p', 'r' };
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)three,
		       .avail_in = sizeof(three),
		       .next_out = bytes,
		       .avail_out = sizeof(bytes) };

	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	file = (struct embed){ .name = "some.bin",
			       .begin = bytes,
			       .end = bytes + z.total_out,
			       .has_planes = true };
	ck_assert_int_eq(deflateEnd(&z), Z_OK);
	check_damaged();
}
END_TEST

START_TEST(memory_runs_out)
{
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	const void *data;
	uint64_t n = 0;
	size_t size;

	make_file(_i);
	for (; status; n++) {
		const size_t held = embed_held();

		mem_fault_once(n);
		status = embed_get(&file, &data, &size);
		mem_fault_clear();
		if (!status)
			break;
		ck_assert_int_eq(status, DPR_ERROR_OUT_OF_MEMORY);
		CHECK_TEXT("some.bin: out of host memory");
		ck_assert_ptr_null(data);
		ck_assert_uint_eq(embed_held(), held);
	}
	/* The whole file, what zlib needs, and the words of planes. */
	ck_assert_uint_ge(n, _i ? 3 : 2);
	ck_assert_int_eq(memcmp(data, whole, SIZE), 0);
}
END_TEST
#endif

/* --- Kernels ---------------------------------------------------------------
 */

/* Which file the kernels of a device are made of.  The mock builds none of these
   kernels. */
static const struct {
	const char *type, *formats, *file;
} devices[] = {
	{ "cpu", DPRP_NATIVE_FORMAT, NULL },
	{ "cpu", "opencl-c", NULL },
	{ "cpu", "spirv,opencl-c", NULL },
	{ "gpu", "opencl-c", NULL },
	{ "gpu", "ptx,opencl-c", "templates.ptx" },
	{ "gpu", "spirv,opencl-c", "spirv_steps.bin" },
};
#define DEVICES (int)(sizeof(devices) / sizeof(devices[0]))

static void start_device(int i, dpr_array **x)
{
	setenv("DPR_OPTION_MOCK_TYPE", devices[i].type, 1);
	setenv("DPR_OPTION_MOCK_FORMATS", devices[i].formats, 1);
	start_mocks();
	CHECK_OK(dpr_empty(DPR_SHAPE(5), DPR_FLOAT32, q1, x));
	ck_assert(target_of(dpr_queue_device(q1))->is_known);
	ck_assert_uint_eq(embed_held(), 0);
}

/* A file is made whole when a kernel needs it, and until dpr_finalize(). */
START_TEST(kernels_need_a_file)
{
	const bool is_native = !strcmp(devices[_i].formats, DPRP_NATIVE_FORMAT);
	dpr_array *x, *out;

	if (devices[_i].file && !emit_ptx_is_there())
		return;
	start_device(_i, &x);
	CHECK_FAILS(is_native ? DPR_OK : DPR_ERROR_BUILD, dpr_sqrt(x, &out));
	dpr_array_release(out);
#ifdef EMBED_DEFLATED
	ck_assert_int_eq(embed_held() > 0, devices[_i].file != NULL);
#else
	ck_assert_uint_eq(embed_held(), 0);
#endif
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(embed_held(), 0);
}
END_TEST

#ifdef EMBED_DEFLATED
/* A call whose kernel needs a file tells that memory ran out for the file.  The
   next call tries again. */
START_TEST(a_kernel_lacks_memory)
{
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	dpr_array *x, *out;
	char text[80];
	int told = 0;

	if (!devices[_i].file)
		return;
	snprintf(text, sizeof(text), "%s: out of host memory",
		 devices[_i].file);
	start_device(_i, &x);
	for (uint64_t n = 0; status == DPR_ERROR_OUT_OF_MEMORY; n++) {
		mem_fault_once(n);
		status = dpr_sqrt(x, &out);
		mem_fault_clear();
		told += strstr(dpr_last_error(), text) != NULL;
		ck_assert_uint_lt(n, 1000);
	}
	ck_assert_int_eq(status, DPR_ERROR_BUILD);
	ck_assert_int_ge(told, 2);
	ck_assert_uint_gt(embed_held(), 0);
	dpr_array_release(x);
	CHECK_OK(dpr_finalize());
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("embed");
	TCase *tcase = tcase_create("embed");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tcase, a_file_is_whole, 0, 2);
	tcase_add_test(tcase, threads_get_one_file);
	tcase_add_loop_test(tcase, kernels_need_a_file, 0, DEVICES);
#ifdef EMBED_DEFLATED
	tcase_add_loop_test(tcase, damage_is_told, 0, 2);
	tcase_add_loop_test(tcase, memory_runs_out, 0, 2);
	tcase_add_test(tcase, planes_are_of_words);
	tcase_add_loop_test(tcase, a_kernel_lacks_memory, 0, DEVICES);
#endif
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
