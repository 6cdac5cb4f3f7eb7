/* SPDX-License-Identifier: Apache-2.0 */
/* api_cuda_memory.c - memory of the CUDA backend: fills and copies between all
   kinds and devices, whose calls never wait; and parts of a device. */
#include "tests/cuda/cuda_api.h"

#include "tests/support/no_bytes.h"

#define SIZE 4096

static const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_SHARED,
				      DPR_USM_HOST };

/* Check that no call since the last check has waited for work.  Calls that are
   made to wait do not count. */
static void check_no_wait(const char *what)
{
	struct cumock_wait waits[64];
	size_t n = mock->waits(waits, 64), i;

	for (i = 0; i < n && i < 64; i++)
		ck_assert_msg(
			!strcmp(waits[i].entry, "cuEventSynchronize") ||
				!strcmp(waits[i].entry, "cuStreamSynchronize"),
			"%s: %s has waited", what, waits[i].entry);
}

/* Read the memory to the host, and check its bytes. */
static void check_bytes(dpr_queue *queue, dpr_usm *usm, size_t size,
			const unsigned char *expected, const char *what)
{
	unsigned char *got;
	dpr_usm *pinned = NULL;
	size_t i;

	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_HOST, size, &pinned));
	CHECK_OK(dpr_usm_copy(queue, pinned, 0, usm, 0, size, NULL, NULL));
	CHECK_OK(dpr_usm_wait(pinned));
	got = dpr_usm_address(pinned);
	/* An assertion for each byte would be too slow. */
	for (i = 0; i < size && got[i] == expected[i];)
		i++;
	ck_assert_msg(i == size, "%s: byte %zu is %u, not %u", what, i,
		      i < size ? got[i] : 0, i < size ? expected[i] : 0);
	dpr_usm_release(pinned);
}

/* Fill with patterns of every size while work is held: the calls must not
   wait. */
START_TEST(fills_of_all_kinds)
{
	unsigned char pattern[128], expected[SIZE];
	dpr_queue *queue;
	dpr_usm *usm;
	size_t kind, size, i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	for (i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)(i * 7 + 1);
	for (kind = 0; kind < 3; kind++) {
		CHECK_OK(dpr_usm_alloc(queue, kinds[kind], SIZE, &usm));
		CHECK_OK(dpr_queue_wait(queue));
		for (size = 1; size <= sizeof(pattern); size++) {
			size_t all = SIZE / size * size;

			mock->waits(NULL, 0);
			mock->hold(true);
			CHECK_OK(dpr_usm_fill(queue, usm, 0, pattern, size, all,
					      NULL, NULL));
			mock->hold(false);
			check_no_wait("a fill");
			for (i = 0; i < all; i++)
				expected[i] = pattern[i % size];
			check_bytes(queue, usm, all, expected, "a fill");
		}
		dpr_usm_release(usm);
	}
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* Copy a part at odd offsets while work is held. */
static void copy_held(dpr_queue *queue, dpr_usm *to, dpr_usm *from,
		      const char *what)
{
	unsigned char expected[SIZE];
	int four = 4, five = 5;

	memset(expected, 0, sizeof(expected));
	CHECK_OK(dpr_usm_fill(dpr_usm_queue(from), from, 0, &four, 1, SIZE,
			      NULL, NULL));
	CHECK_OK(dpr_usm_fill(dpr_usm_queue(to), to, 0, &five, 1, SIZE, NULL,
			      NULL));
	CHECK_OK(dpr_usm_wait(to));
	CHECK_OK(dpr_usm_wait(from));
	mock->waits(NULL, 0);
	mock->hold(true);
	CHECK_OK(dpr_usm_copy(queue, to, 17, from, 33, 1001, NULL, NULL));
	mock->hold(false);
	check_no_wait(what);
	memset(expected, 5, sizeof(expected));
	memset(expected + 17, 4, 1001);
	check_bytes(dpr_usm_queue(to), to, SIZE, expected, what);
}

/* Copy ordinary memory to the device and back while work is held. */
static void move_ordinary(dpr_queue *queue, size_t size)
{
	unsigned char *from = malloc(size), *to = calloc(1, size);
	dpr_event *written, *read;
	dpr_usm *usm;

	ck_assert(from && to);
	memset(from, 7, size);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, size, &usm));
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "a", 1, size, NULL, NULL));
	CHECK_OK(dpr_queue_wait(queue));
	mock->waits(NULL, 0);
	mock->hold(true);
	CHECK_OK(dpr_usm_fill(queue, usm, 0, "b", 1, size, NULL, NULL));
	CHECK_OK(dpr_usm_write(queue, usm, 0, from, size, NULL, &written));
	CHECK_OK(dpr_usm_read(queue, to, usm, 0, size, NULL, &read));
	usleep(20000);
	ck_assert_int_ne(dpr_event_get_state(read), DPR_EVENT_COMPLETE);
	mock->hold(false);
	CHECK_OK(dpr_event_wait(read));
	check_no_wait("a copy of ordinary memory");
	ck_assert_mem_eq(to, from, size);
	dpr_event_release(written);
	dpr_event_release(read);
	dpr_usm_release(usm);
	free(from);
	free(to);
}

/* Ordinary memory is never given to the driver's copies, which would wait for
   the work that is held. */
START_TEST(ordinary_memory)
{
	dpr_queue *queue;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	move_ordinary(queue, 64);
	move_ordinary(queue, (size_t)5 << 20);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

START_TEST(copies_among_all_kinds)
{
	dpr_queue *queue;
	dpr_usm *to, *from;
	char what[64];
	int i, j;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			snprintf(what, sizeof(what), "a copy from %d to %d", i,
				 j);
			CHECK_OK(dpr_usm_alloc(queue, kinds[i], SIZE, &from));
			CHECK_OK(dpr_usm_alloc(queue, kinds[j], SIZE, &to));
			copy_held(queue, to, from, what);
			dpr_usm_release(from);
			dpr_usm_release(to);
		}
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* Copy between two devices, which can access each other's memory if @can. */
static void copy_peers(bool can)
{
	dpr_queue *q[2];
	dpr_usm *usm[2];
	int i;

	mock->settings->devices[0].peers[1] = can;
	mock->settings->devices[1].peers[0] = can;
	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		q[i] = new_queue(get_device(i ? "cuda:1" : "cuda:0"), 0);
		usm[i] = new_ints(q[i], DPR_USM_DEVICE, 1024, i + 1);
	}
	CHECK_OK(dpr_usm_copy(q[0], usm[0], 0, usm[1], 0, 2048, NULL, NULL));
	CHECK_OK(dpr_usm_copy(q[1], usm[1], 2048, usm[0], 2048, 2048, NULL,
			      NULL));
	ck_assert_int_eq(get_int(q[0], usm[0], 511), 2);
	ck_assert_int_eq(get_int(q[0], usm[0], 512), 1);
	ck_assert_int_eq(get_int(q[1], usm[1], 512), 1);
	ck_assert_int_eq(mock->calls("cuCtxEnablePeerAccess") > 0, can);
	/* The driver is asked for peer access only once per pair. */
	mock->forget_calls();
	CHECK_OK(dpr_usm_copy(q[0], usm[0], 0, usm[1], 0, 2048, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q[0]));
	ck_assert_uint_eq(mock->calls("cuDeviceCanAccessPeer"), 0);
	for (i = 0; i < 2; i++) {
		dpr_usm_release(usm[i]);
		dpr_queue_release(q[i]);
	}
	finish_all();
}

START_TEST(copies_between_peers)
{
	copy_peers(true);
}
END_TEST

START_TEST(copies_between_strangers)
{
	copy_peers(false);
}
END_TEST

/* The driver gets hints about managed memory alone. */
START_TEST(hints)
{
	dpr_event *done = NULL;
	dpr_queue *queue;
	dpr_usm *usm;
	int kind, advice;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	for (kind = 0; kind < 3; kind++) {
		uint64_t managed = kinds[kind] == DPR_USM_SHARED;

		CHECK_OK(dpr_usm_alloc(queue, kinds[kind], SIZE, &usm));
		mock->forget_calls();
		CHECK_OK(dpr_usm_prefetch(queue, usm, 64, 128, NULL, &done));
		CHECK_OK(dpr_event_wait(done));
		dpr_event_release(done);
		ck_assert_uint_eq(mock->calls("cuMemPrefetchAsync"), managed);
		for (advice = 0; advice < 4; advice++) {
			mock->forget_calls();
			CHECK_OK(dpr_usm_advise(queue, usm, 64, 128,
						(enum dpr_usm_advice)advice));
			/* NONE withdraws two kinds of advice. */
			ck_assert_uint_eq(mock->calls("cuMemAdvise"),
					  managed * (advice ? 1 : 2));
		}
		mock->fail("cuMemAdvise", 1, 999);
		CHECK_FAILS(managed ? DPR_ERROR_DRIVER : DPR_OK,
			    dpr_usm_advise(queue, usm, 64, 128,
					   DPR_ADVICE_PREFER_HOST));
		if (managed)
			CHECK_TEXT("cuMemAdvise: CUDA_ERROR_UNKNOWN");
		mock->fail(NULL, 0, 0);
		dpr_usm_release(usm);
	}
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

START_TEST(memory_runs_out)
{
	dpr_queue *queue;
	dpr_usm *usm = NULL;

	mock->settings->devices[0].memory = 64 << 20;
	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(queue, DPR_USM_DEVICE, 65 << 20, &usm));
	usm = new_ints(queue, DPR_USM_DEVICE, 8 << 20, 3);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(queue, DPR_USM_DEVICE, 48 << 20,
				  &(dpr_usm *){ NULL }));
	ck_assert_int_eq(get_int(queue, usm, 77), 3);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* --- Parts --- */

static uint64_t units_of(dpr_device *device)
{
	uint64_t units = 0;
	size_t need;

	CHECK_OK(dpr_device_info(device, DPR_INFO_COMPUTE_UNITS, &units,
				 sizeof(units), &need));
	return units;
}

/* Run a kernel and a copy on a part, with memory of the whole device. */
static void use_part(dpr_device *part, dpr_usm *usm, int times)
{
	dpr_queue *queue = new_queue(part, 0);
	dpr_kernel *mix = new_kernel(queue, "mix");
	int i;

	for (i = 0; i < times; i++)
		launch(queue, mix, usm, 1);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
}

START_TEST(parts_of_a_device)
{
	const uint64_t counts[] = { 20, 40 }, many[] = { 100, 40 };
	dpr_device *device, *parts[16], *again[8];
	dpr_usm *usm;
	dpr_queue *queue;
	size_t n;

	use_backends(NULL);
	device = get_device("cuda:0");
	queue = queue_of(device);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_usm_wait(usm));
	CHECK_OK(dpr_device_partition_equally(device, 8, parts, 16, &n));
	ck_assert_uint_eq(n, 15);
	ck_assert_uint_eq(units_of(parts[14]), 8);
	CHECK_OK(dpr_device_partition_equally(device, 60, parts, 16, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(parts[0]), 64);
	use_part(parts[0], usm, 2);
	/* Divide a part again. */
	CHECK_OK(dpr_device_partition_equally(parts[1], 24, again, 8, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(again[1]), 24);
	use_part(again[1], usm, 1);
	CHECK_OK(dpr_device_partition_counts(device, counts, 2, parts, 16, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(parts[0]), 24);
	ck_assert_uint_eq(units_of(parts[1]), 40);
	use_part(parts[1], usm, 1);
	ck_assert_int_ne(
		dpr_device_partition_counts(device, many, 2, parts, 16, &n),
		DPR_OK);
	ck_assert_int_eq(get_int(queue, usm, 0), 40);
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

/* Divide by counts; the second part must have @units.  Use both parts. */
static void check_counts(dpr_device *device, dpr_usm *usm, uint64_t first,
			 uint64_t second, uint64_t units)
{
	const uint64_t counts[] = { first, second };
	dpr_device *parts[2];
	size_t n;

	CHECK_OK(dpr_device_partition_counts(device, counts, 2, parts, 2, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(parts[0]), (first + 7) / 8 * 8);
	ck_assert_uint_eq(units_of(parts[1]), units);
	use_part(parts[0], usm, 1);
	use_part(parts[1], usm, 1);
}

/* The driver divides 132 units into 15 groups of 8 and a rest of 12. */
START_TEST(parts_of_all_units)
{
	const uint64_t counts[] = { 24, 108 };
	dpr_device *device, *whole, *part, *parts[2];
	dpr_usm *usm;
	size_t n;

	use_backends(NULL);
	device = get_device("cuda:0");
	usm = new_ints(queue_of(device), DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_usm_wait(usm));
	CHECK_OK(dpr_device_partition_equally(device, 132, &whole, 1, &n));
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(units_of(whole), 132);
	CHECK_OK(dpr_device_partition_equally(device, 129, &part, 1, &n));
	ck_assert_ptr_eq(part, whole);
	use_part(whole, usm, 1);
	/* Divide the part again. */
	CHECK_OK(dpr_device_partition_equally(whole, 64, parts, 2, &n));
	ck_assert_uint_eq(n, 2);
	use_part(parts[1], usm, 1);
	check_counts(device, usm, 64, 68, 68);
	check_counts(device, usm, 3, 124, 124);
	check_counts(device, usm, 120, 12, 12);
	/* If groups of 8 are not enough, the rest of 12 joins the last part. */
	check_counts(device, usm, 60, 64, 68);
	ck_assert_int_eq(get_int(queue_of(device), usm, 0), (59049 - 1) / 2);
	/* Let the driver refuse to join groups. */
	mock->fail("cuDevResourceGenerateDesc", 2, 915);
	CHECK_FAILS(
		DPR_ERROR_UNSUPPORTED,
		dpr_device_partition_counts(device, counts, 2, parts, 2, &n));
	CHECK_TEXT("cuDevResourceGenerateDesc: "
		   "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION");
	ck_assert_uint_eq(n, 0);
	mock->fail(NULL, 0, 0);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_device_partition_counts(
			    device, (const uint64_t[]){ 112, 8, 8, 4 }, 4,
			    parts, 2, &n));
	CHECK_TEXT("the 132 multiprocessors into 15 groups of 8 and a rest of "
		   "12");
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

START_TEST(no_parts_with_an_older_driver)
{
	dpr_device *parts[4];
	size_t n;

	mock->settings->version = 12030;
	use_backends(NULL);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_device_partition_equally(get_device("cuda:0"), 8, parts,
						 4, &n));
	finish_all();
}
END_TEST

/* A program that shares the primary context can reset it: dpr's queue is lost
   then. */
START_TEST(a_reset_of_the_context)
{
	dpr_usm *usm;
	dpr_queue *queue;
	dpr_event *done = NULL;
	dpr_status status;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_queue_wait(queue));
	mock->reset_context(0);
	status = dpr_usm_fill(queue, usm, 0, "\1\0\0", 4, 4, NULL, &done);
	if (!status)
		status = dpr_event_wait(done);
	ck_assert_msg(status == DPR_ERROR_DEVICE_LOST, "%s: %s",
		      dpr_status_name(status), dpr_last_error());
	CHECK_TEXT("CUDA_ERROR_CONTEXT_IS_DESTROYED");
	dpr_event_release(done);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	(void)!dpr_finalize();
	ck_assert_int_eq(mock->live(CUMOCK_RETAINS), 0);
}
END_TEST

/* Copy between two host allocations, after and before kernels on the device,
   when the driver has no device memory for the copy: it answers @code. */
static void copy_without_memory(dpr_queue *queue, dpr_kernel *mix, int code)
{
	enum { N = 2 << 20 };
	dpr_usm *from = new_ints(queue, DPR_USM_HOST, N, 5), *to;
	const int *got;

	to = new_ints(queue, DPR_USM_HOST, N, 1);
	CHECK_OK(dpr_queue_wait(queue));
	mock->forget_calls();
	mock->waits(NULL, 0);
	mock->hold(true);
	launch(queue, mix, from, 1);
	mock->fail("cuMemAllocAsync", 1, code);
	CHECK_OK(dpr_usm_copy(queue, to, 0, from, 0, N * sizeof(int), NULL,
			      NULL));
	ck_assert_ptr_nonnull(mock->failed());
	mock->fail(NULL, 0, 0);
	launch(queue, mix, to, 2);
	launch(queue, mix, from, 3);
	ck_assert_uint_eq(mock->waits(NULL, 0), 0);
	mock->hold(false);
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_uint_eq(mock->calls("cuLaunchHostFunc"), 1);
	got = dpr_usm_address(to);
	ck_assert_int_eq(got[0], (5 * 3 + 1) * 3 + 2);
	ck_assert_int_eq(got[N - 1], 5);
	dpr_usm_release(from);
	dpr_usm_release(to);
}

START_TEST(host_copies_on_a_full_device)
{
	dpr_kernel *mix;
	dpr_queue *queue;
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(queue, "mix");
	for (i = 0; i < 2; i++) {
		copy_without_memory(queue, mix, 2);   /* OUT_OF_MEMORY */
		copy_without_memory(queue, mix, 801); /* NOT_SUPPORTED */
	}
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* A size of 0 is an ordered operation that moves nothing. */
START_TEST(no_bytes)
{
	dpr_queue *queue;
	dpr_usm *usm;
	int flags;

	use_backends(NULL);
	for (flags = DPR_QUEUE_IN_ORDER; flags <= DPR_QUEUE_OUT_OF_ORDER;
	     flags++) {
		queue = new_queue(get_device("cuda:0"), (uint32_t)flags);
		CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, 100, &usm));
		no_bytes_on(queue, usm);
		dpr_usm_release(usm);
		dpr_queue_release(queue);
	}
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		fills_of_all_kinds,
		ordinary_memory,
		copies_among_all_kinds,
		copies_between_peers,
		copies_between_strangers,
		hints,
		memory_runs_out,
		parts_of_a_device,
		parts_of_all_units,
		no_parts_with_an_older_driver,
		a_reset_of_the_context,
		host_copies_on_a_full_device,
		no_bytes,
	};

	use_backends(NULL);
	return run_tests("api_cuda_memory", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
