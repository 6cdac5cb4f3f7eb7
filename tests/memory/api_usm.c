/* SPDX-License-Identifier: Apache-2.0 */
/* api_usm.c - allocations and the operations on them, on every device. */
#include "tests/support/runtime_test.h"

#include "tests/support/no_bytes.h"

#define N 10007

static const dpr_usm_kind kinds[3] = { DPR_USM_DEVICE, DPR_USM_SHARED,
				       DPR_USM_HOST };

/* Returns NULL if the device does not have this kind of memory. */
static dpr_usm *of_kind(int i, size_t size)
{
	dpr_usm *usm = (dpr_usm *)&usm;
	dpr_status status = dpr_usm_alloc(test_queue, kinds[i], size, &usm);

	ck_assert(status == DPR_OK || status == DPR_ERROR_UNSUPPORTED);
	ck_assert(i || status == DPR_OK);
	ck_assert_int_eq(usm == NULL, status != DPR_OK);
	return usm;
}

static void number(unsigned char *bytes, size_t n, unsigned seed)
{
	size_t i;

	for (i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251 + seed);
}

START_TEST(round_trip)
{
	static unsigned char out[N], in[N + 2], guard[N];
	dpr_usm *a = of_kind(_i, N), *b;

	if (!a)
		return;
	b = of_kind(_i, N);
	ck_assert_uint_eq(dpr_usm_size(a), N);
	ck_assert_int_eq(dpr_usm_get_kind(a), kinds[_i]);
	ck_assert_ptr_eq(dpr_usm_queue(a), test_queue);
	number(out, N, 1);
	number(guard, N, 99);
	CHECK_OK(dpr_usm_write(test_queue, a, 0, out, N, NULL, NULL));
	CHECK_OK(dpr_usm_write(test_queue, b, 0, guard, N, NULL, NULL));
	/* Odd ranges; the bytes beside them do not change. */
	CHECK_OK(dpr_usm_copy(test_queue, b, 3, a, 17, 5001, NULL, NULL));
	CHECK_OK(dpr_usm_write(test_queue, b, 9001, out, 3, NULL, NULL));
	memcpy(guard + 3, out + 17, 5001);
	memcpy(guard + 9001, out, 3);
	memset(in, 0xa5, sizeof(in));
	CHECK_OK(dpr_usm_read(test_queue, in + 1, b, 0, N, NULL, NULL));
	ck_assert_int_eq(memcmp(in + 1, guard, N), 0);
	ck_assert_uint_eq(in[0], 0xa5);
	ck_assert_uint_eq(in[N + 1], 0xa5);
	CHECK_OK(dpr_usm_read(test_queue, in + 1, a, N - 7, 7, NULL, NULL));
	ck_assert_int_eq(memcmp(in + 1, out + N - 7, 7), 0);
	/* Copy within one allocation. */
	CHECK_OK(dpr_usm_copy(test_queue, a, 5000, a, 0, 5000, NULL, NULL));
	CHECK_OK(dpr_usm_read(test_queue, in, a, 0, N, NULL, NULL));
	ck_assert_int_eq(memcmp(in + 5000, out, 5000), 0);
	dpr_usm_release(a);
	dpr_usm_release(b);
}
END_TEST

START_TEST(host_sees_shared_and_host)
{
	dpr_usm *a = of_kind(_i, N);
	unsigned char *address, pattern = 0x5a;
	size_t i, wrong = 0;

	if (!a || !dpr_usm_address(a) || kinds[_i] == DPR_USM_DEVICE) {
		dpr_usm_release(a);
		return;
	}
	address = dpr_usm_address(a);
	CHECK_OK(dpr_usm_fill(test_queue, a, 0, &pattern, 1, N, NULL, NULL));
	CHECK_OK(dpr_queue_wait(test_queue));
	for (i = 0; i < N; i++)
		wrong += address[i] != 0x5a;
	ck_assert_uint_eq(wrong, 0);
	address[5] = 1;
	CHECK_OK(dpr_usm_read(test_queue, &pattern, a, 5, 1, NULL, NULL));
	ck_assert_uint_eq(pattern, 1);
	dpr_usm_release(a);
}
END_TEST

static const size_t patterns[] = { 1, 2, 3, 4, 7, 8, 12, 16, 100, 127, 128 };

START_TEST(fills)
{
	size_t pn = patterns[_i], size = 300000 / pn * pn, i, wrong = 0;
	static unsigned char in[300256];
	unsigned char pattern[128];
	dpr_usm *a = new_usm(test_queue, DPR_USM_DEVICE, sizeof(in));
	dpr_event *done = NULL;

	memset(in, 0x11, sizeof(in));
	CHECK_OK(dpr_usm_write(test_queue, a, 0, in, sizeof(in), NULL, NULL));
	number(pattern, pn, 40);
	CHECK_OK(dpr_usm_fill(test_queue, a, 128, pattern, pn, size, NULL,
			      _i & 1 ? &done : NULL));
	/* The call has copied the pattern. */
	memset(pattern, 0, sizeof(pattern));
	if (done)
		CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_usm_read(test_queue, in, a, 0, sizeof(in), NULL, NULL));
	number(pattern, pn, 40);
	/* Assert once after the loop: each assertion writes a note of its
	   line. */
	for (i = 0; i < sizeof(in); i++)
		wrong += in[i] != (i < 128 || i >= 128 + size
					   ? 0x11
					   : pattern[(i - 128) % pn]);
	ck_assert_uint_eq(wrong, 0);
	/* A fill smaller than one block. */
	CHECK_OK(dpr_usm_fill(test_queue, a, 0, pattern, pn, pn, NULL, NULL));
	CHECK_OK(dpr_usm_read(test_queue, in, a, 0, pn + 1, NULL, NULL));
	ck_assert_int_eq(memcmp(in, pattern, pn), 0);
	dpr_event_release(done);
	dpr_usm_release(a);
}
END_TEST

START_TEST(host_memory_may_be_reused)
{
	dpr_usm *a = new_usm(test_queue, DPR_USM_DEVICE, N);
	static unsigned char bytes[N], in[N];
	dpr_event *done;
	int i;

	for (i = 0; i < 4; i++) {
		memset(bytes, i + 1, N);
		CHECK_OK(dpr_usm_write(test_queue, a, 0, bytes, N, NULL, NULL));
		memset(bytes, 0xee, N);
		CHECK_OK(dpr_usm_read(test_queue, in, a, 0, N, NULL, &done));
		CHECK_OK(dpr_event_wait(done));
		ck_assert_uint_eq(in[0], (unsigned)i + 1);
		ck_assert_uint_eq(in[N - 1], (unsigned)i + 1);
		ck_assert_str_eq(dpr_event_name(done), "read");
		ck_assert_ptr_eq(dpr_event_queue(done), test_queue);
		dpr_event_release(done);
	}
	dpr_usm_release(a);
}
END_TEST

START_TEST(hints)
{
	dpr_usm *a = new_usm(test_queue, DPR_USM_DEVICE, N);
	dpr_event *done;

	CHECK_OK(dpr_usm_prefetch(test_queue, a, 0, N, NULL, &done));
	CHECK_OK(dpr_event_wait(done));
	CHECK_OK(dpr_usm_prefetch(test_queue, a, 5, 7, DPR_AFTER(done), NULL));
	CHECK_OK(dpr_usm_advise(test_queue, a, 0, N, DPR_ADVICE_READ_MOSTLY));
	CHECK_OK(dpr_usm_advise(test_queue, a, 0, N, DPR_ADVICE_NONE));
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_usm_advise(test_queue, a, 0, N, (enum dpr_usm_advice)9));
	dpr_event_release(done);
	dpr_usm_release(a);
}
END_TEST

START_TEST(alignment)
{
	dpr_status status = DPR_OK;
	uint64_t addresses = 0;
	dpr_usm *a;
	size_t by;

	(void)!dpr_device_info_u64(test_device, DPR_INFO_ASPECT_ADDRESSES,
				   &addresses);
	for (by = 1; by <= (size_t)2 << 20 && !status; by *= 8) {
		status = dpr_usm_alloc_aligned(test_queue, DPR_USM_DEVICE, 100,
					       by, &a);
		/* Memory without an address is aligned as the driver likes. */
		if (status == DPR_ERROR_UNSUPPORTED && !addresses)
			CHECK_TEXT("aligned");
		else
			ck_assert_int_eq(status, DPR_OK);
		if (dpr_usm_address(a))
			ck_assert_uint_eq((uintptr_t)dpr_usm_address(a) % by,
					  0);
		dpr_usm_release(a);
	}
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_usm_alloc_aligned(test_queue, DPR_USM_DEVICE, 100, 24, &a));
	ck_assert_ptr_null(a);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc_aligned(test_queue, DPR_USM_DEVICE, 100,
					  (size_t)4 << 20, &a));
}
END_TEST

START_TEST(finds)
{
	dpr_usm *list[20], *found;
	size_t offset;
	int i, local;

	for (i = 0; i < 20; i++)
		list[i] = new_usm(test_queue, DPR_USM_DEVICE,
				  100 + 50 * (size_t)i);
	for (i = 0; i < 20; i++) {
		char *address = dpr_usm_address(list[i]);

		if (!address)
			continue;
		CHECK_OK(dpr_usm_find(address, &found, &offset));
		ck_assert_ptr_eq(found, list[i]);
		ck_assert_uint_eq(offset, 0);
		dpr_usm_release(found);
		CHECK_OK(dpr_usm_find(address + 99 + 50 * i, &found, &offset));
		ck_assert_ptr_eq(found, list[i]);
		ck_assert_uint_eq(offset, 99 + 50 * (size_t)i);
		dpr_usm_release(found);
		if (dpr_usm_find(address + 100 + 50 * i, &found, &offset) ==
		    DPR_OK)
			ck_assert_ptr_ne(found, list[i]);
		dpr_usm_release(found);
	}
	CHECK_FAILS(DPR_ERROR_NOT_FOUND, dpr_usm_find(&local, &found, NULL));
	ck_assert_ptr_null(found);
	CHECK_FAILS(DPR_ERROR_NOT_FOUND, dpr_usm_find(NULL, &found, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_find(&local, NULL, NULL));
	for (i = 0; i < 20; i++)
		dpr_usm_release(list[i]);
}
END_TEST

START_TEST(bad_allocations)
{
	dpr_usm *a = (dpr_usm *)&a;
	uint64_t max;

	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(test_queue, DPR_USM_DEVICE, 0, &a));
	ck_assert_ptr_null(a);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(test_queue, (dpr_usm_kind)7, 10, &a));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(NULL, DPR_USM_DEVICE, 10, &a));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_alloc(test_queue, DPR_USM_DEVICE, 10, NULL));
	if (!dpr_device_info_u64(test_device, DPR_INFO_MAX_ALLOC_SIZE, &max) &&
	    max < SIZE_MAX) {
		char text[32];

		snprintf(text, sizeof(text), "%llu", (unsigned long long)max);
		CHECK_FAILS(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			dpr_usm_alloc(test_queue, DPR_USM_DEVICE, max + 1, &a));
		CHECK_TEXT(text);
		ck_assert_ptr_null(a);
		CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			    dpr_usm_alloc(test_queue, DPR_USM_DEVICE, SIZE_MAX,
					  &a));
	}
	dpr_usm_release(NULL);
	ck_assert_ptr_null(dpr_usm_retain(NULL));
	ck_assert_uint_eq(dpr_usm_size(NULL), 0);
	ck_assert_int_eq(dpr_usm_get_kind(NULL), DPR_USM_DEVICE);
	ck_assert_int_eq(dpr_device_get_type(NULL), DPR_DEVICE_CUSTOM);
	ck_assert_ptr_null(dpr_usm_address(NULL));
}
END_TEST

#define INVALID(call)                                          \
	do {                                                   \
		done = (dpr_event *)&done;                     \
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, call); \
		ck_assert_ptr_null(done);                      \
	} while (0)

START_TEST(bad_ranges)
{
	dpr_usm *a = new_usm(test_queue, DPR_USM_DEVICE, 100);
	dpr_queue *q = test_queue;
	char host[200] = { 0 };
	dpr_event *done;

	INVALID(dpr_usm_write(q, a, 0, host, 101, NULL, &done));
	INVALID(dpr_usm_write(q, a, 101, host, 1, NULL, &done));
	INVALID(dpr_usm_write(q, a, 100, host, 1, NULL, &done));
	INVALID(dpr_usm_write(q, a, SIZE_MAX, host, 2, NULL, &done));
	INVALID(dpr_usm_write(q, a, 2, host, SIZE_MAX, NULL, &done));
	INVALID(dpr_usm_write(q, a, 101, host, 0, NULL, &done));
	INVALID(dpr_usm_write(q, NULL, 0, host, 0, NULL, &done));
	INVALID(dpr_usm_write(q, a, 0, NULL, 1, NULL, &done));
	INVALID(dpr_usm_write(q, NULL, 0, host, 1, NULL, &done));
	INVALID(dpr_usm_write(NULL, a, 0, host, 1, NULL, &done));
	INVALID(dpr_usm_read(q, host, a, 1, 100, NULL, &done));
	INVALID(dpr_usm_read(q, NULL, a, 1, 1, NULL, &done));
	INVALID(dpr_usm_copy(q, a, 0, a, 50, 51, NULL, &done));
	INVALID(dpr_usm_copy(q, a, 0, a, 49, 50, NULL, &done));
	INVALID(dpr_usm_copy(q, a, 49, a, 0, 50, NULL, &done));
	INVALID(dpr_usm_copy(q, a, 10, a, 10, 1, NULL, &done));
	INVALID(dpr_usm_copy(q, a, SIZE_MAX - 1, a, 0, 50, NULL, &done));
	INVALID(dpr_usm_fill(q, a, 0, host, 0, 100, NULL, &done));
	INVALID(dpr_usm_fill(q, a, 0, host, 129, 100, NULL, &done));
	INVALID(dpr_usm_fill(q, a, 0, host, 3, 100, NULL, &done));
	INVALID(dpr_usm_fill(q, a, 0, NULL, 1, 100, NULL, &done));
	INVALID(dpr_usm_fill(q, a, 0, host, 0, 0, NULL, &done));
	INVALID(dpr_usm_fill(q, a, 96, host, 8, 8, NULL, &done));
	INVALID(dpr_usm_prefetch(q, a, 1, 100, NULL, &done));
	INVALID(dpr_usm_write(q, a, 0, host, 1, &(dpr_events){ 2, NULL },
			      &done));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_usm_advise(q, a, 90, 11, DPR_ADVICE_NONE));
	/* Adjacent ranges do not overlap; NULL events count as done. */
	CHECK_OK(dpr_usm_copy(q, a, 0, a, 50, 50, DPR_AFTER(NULL, NULL), NULL));
	CHECK_OK(dpr_queue_wait(q));
	dpr_usm_release(a);
}
END_TEST

/* A size of 0 is an ordered operation that moves nothing. */
START_TEST(no_bytes)
{
	dpr_usm *a = new_usm(test_queue, DPR_USM_DEVICE, 100);
	dpr_queue *queue;

	no_bytes_on(test_queue, a);
	dpr_usm_release(a);
	CHECK_OK(dpr_queue_create(test_device, DPR_QUEUE_OUT_OF_ORDER, &queue));
	a = new_usm(queue, DPR_USM_DEVICE, 100);
	no_bytes_on(queue, a);
	dpr_usm_release(a);
	dpr_queue_release(queue);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *tcase = tcase_create("usm");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, round_trip, 0, 3);
	tcase_add_loop_test(tcase, host_sees_shared_and_host, 0, 3);
	tcase_add_loop_test(tcase, fills, 0,
			    sizeof(patterns) / sizeof(patterns[0]));
	tcase_add_test(tcase, host_memory_may_be_reused);
	tcase_add_test(tcase, hints);
	tcase_add_test(tcase, alignment);
	tcase_add_test(tcase, finds);
	tcase_add_test(tcase, bad_allocations);
	tcase_add_test(tcase, bad_ranges);
	tcase_add_test(tcase, no_bytes);
	suite_add_tcase(s, tcase);
	return s;
}

int main(void)
{
	return run_on_all(suite);
}
