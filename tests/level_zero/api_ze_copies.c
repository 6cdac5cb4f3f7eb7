/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_copies.c - copies between devices of three backends in one process:
   two root devices, a tile and a second driver of Level Zero (all on the
   software driver), PoCL, and the host.  Allocations and arrays are copied in
   every direction. */
#include "tests/level_zero/level_zero_test.h"
#include "tests/support/layouts.h"
#include "tests/support/random.h"

#define SMALL 100001
#define LARGE (((size_t)9 << 20) + 5)
#define HOPS 120

static const char *const selectors[] = {
	"level_zero:gpu:0", "level_zero:gpu:0.1",
	"level_zero:gpu:1", "level_zero:gpu:2", /* of driver 2 */
	"host:cpu:0",       "opencl:cpu:0",
};
enum { TILE = 1, PEER, SECOND, HOST, OPENCL };
enum { MOST = sizeof(selectors) / sizeof(selectors[0]) };

static dpr_queue *queues[MOST];
static int n_queues;

static void start(void)
{
	dpr_device *device;
	int i;

	open_second_driver();
	use_backends("opencl,host");
	for (i = 0; i < MOST; i++)
		if (i != OPENCL)
			queues[i] = queue_of(get_device(selectors[i]));
	n_queues = OPENCL;
	if (dpr_device_select(selectors[OPENCL], &device)) {
		printf("without opencl: %s\n", dpr_last_error());
		fflush(stdout);
		return;
	}
	queues[n_queues++] = queue_of(device);
}

/* Let commands that can run start late, and the last one first. */
static void reverse(void)
{
	zecpu->set("REVERSE", 1);
	zecpu->set("DELAY_US", 20);
	zecpu2->set("REVERSE", 1);
	zecpu2->set("DELAY_US", 20);
}

/* --- Allocations ------------------------------------------------------------
 */

static dpr_usm *new_memory(dpr_queue *queue, dpr_usm_kind kind, size_t size)
{
	dpr_usm *usm = NULL;

	CHECK_OK(dpr_usm_alloc(queue, kind, size, &usm));
	return usm;
}

static unsigned char byte_of(size_t i)
{
	return (unsigned char)(i * 131 + i / 4099);
}

/* Check that @size bytes of @to, from byte 17 on, are those of the source from
   byte 3 on.  All other bytes are 9. */
static void check_copied(dpr_usm *to, size_t size, size_t all,
			 unsigned char *bytes, const char *what)
{
	size_t i;

	memset(bytes, 0, all);
	CHECK_OK(
		dpr_usm_read(dpr_usm_queue(to), bytes, to, 0, all, NULL, NULL));
	for (i = 0; i < all; i++) {
		unsigned char wanted =
			i < 17 || i >= 17 + size ? 9 : byte_of(i - 17 + 3);

		if (bytes[i] != wanted)
			ck_abort_msg("%s, %zu bytes: byte %zu is %u, not %u",
				     what, size, i, bytes[i], wanted);
	}
}

/* Copy twice, on the queue of each side.  Nothing waits before the bytes are
   read. */
static void copy_twice(dpr_usm *to, dpr_usm *from, size_t size, size_t all)
{
	unsigned char *bytes = malloc(all);
	const unsigned char nine = 9;
	char what[200];
	size_t i;
	int k;

	ck_assert_ptr_nonnull(bytes);
	for (k = 0; k < 2; k++) {
		dpr_queue *queue = dpr_usm_queue(k ? to : from);

		snprintf(what, sizeof(what),
			 "kind %d of %s to kind %d of %s on %s",
			 (int)dpr_usm_get_kind(from),
			 dpr_queue_name(dpr_usm_queue(from)),
			 (int)dpr_usm_get_kind(to),
			 dpr_queue_name(dpr_usm_queue(to)),
			 dpr_queue_name(queue));
		for (i = 0; i < all; i++)
			bytes[i] = byte_of(i);
		CHECK_OK(dpr_usm_write(dpr_usm_queue(from), from, 0, bytes, all,
				       NULL, NULL));
		CHECK_OK(dpr_usm_fill(dpr_usm_queue(to), to, 0, &nine, 1, all,
				      NULL, NULL));
		CHECK_OK(
			dpr_usm_copy(queue, to, 17, from, 3, size, NULL, NULL));
		/* Later work on the source does not disturb the copy. */
		CHECK_OK(dpr_usm_fill(dpr_usm_queue(from), from, 0, &nine, 1,
				      all, NULL, NULL));
		check_copied(to, size, all, bytes, what);
	}
	free(bytes);
}

/* Check that the transfer plan takes the best path between two of the
   devices. */
static void check_path(int a, int b, const dpr_usm *from, size_t size)
{
	const int one = a == TILE ? 0 : a, other = b == TILE ? 0 : b;
	dpr_transfer plan;

	CHECK_OK(dpr_usm_transfer_plan(from, queues[b], DPR_USM_DEVICE, size,
				       &plan));
	if (one == other)
		ck_assert_int_eq(plan.path, DPR_TRANSFER_SAME_DEVICE);
	else if (one >= HOST || other >= HOST)
		ck_assert_int_eq(plan.path, DPR_TRANSFER_DIRECT);
	else if (one == SECOND || other == SECOND)
		ck_assert_int_eq(plan.path, DPR_TRANSFER_PINNED);
	else
		ck_assert_int_eq(plan.path, DPR_TRANSFER_PEER);
}

/* The last size is copied in several chunks if it goes through host memory. */
START_TEST(device_memory)
{
	static const size_t sizes[] = { 1, 4096, SMALL, LARGE };
	dpr_usm *from, *to;
	int a, b, s;

	start();
	for (a = 0; a < n_queues; a++)
		for (b = 0; b < n_queues; b++) {
			const bool is_staged = a < HOST && b < HOST &&
					       (a == SECOND) != (b == SECOND);
			const int n = is_staged ? 4 : 3;

			from = new_memory(queues[a], DPR_USM_DEVICE,
					  sizes[n - 1] + 64);
			to = new_memory(queues[b], DPR_USM_DEVICE,
					sizes[n - 1] + 64);
			check_path(a, b, from, SMALL);
			for (s = 0; s < n; s++)
				copy_twice(to, from, sizes[s], sizes[s] + 64);
			dpr_usm_release(from);
			dpr_usm_release(to);
		}
	finish_all();
}
END_TEST

START_TEST(every_kind)
{
	static const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_HOST,
					      DPR_USM_SHARED };
	dpr_usm *usm[MOST][3], *to;
	int a, b, i, k;

	start();
	if (_i)
		reverse();
	for (a = 0; a < n_queues; a++)
		for (i = 0; i < 3; i++)
			usm[a][i] = new_memory(queues[a], kinds[i], 5000);
	for (a = 0; a < n_queues; a++)
		for (b = 0; b < n_queues; b++)
			for (i = 0; i < 3; i++)
				for (k = 0; k < 3; k++) {
					to = new_memory(queues[b], kinds[k],
							5000);
					copy_twice(to, usm[a][i], 4000, 5000);
					dpr_usm_release(to);
				}
	for (a = 0; a < n_queues; a++)
		for (i = 0; i < 3; i++)
			dpr_usm_release(usm[a][i]);
	finish_all();
}
END_TEST

/* Copy from device to device without waits and events.  Each device sets one of
   the ints. */
START_TEST(a_chain)
{
	int values[HOPS], expected[HOPS] = { 0 }, at = 0, hop;
	struct random numbers = { 5 };
	dpr_usm *usm[MOST];

	start();
	if (_i)
		reverse();
	for (hop = 0; hop < n_queues; hop++)
		usm[hop] = new_ints(queues[hop], DPR_USM_DEVICE, HOPS, 0);
	for (hop = 0; hop < HOPS; hop++) {
		int next = (int)(random_next(&numbers) >> 33) % n_queues;
		const int value = hop * 7 + 1;

		expected[hop] = value;
		CHECK_OK(dpr_usm_fill(
			queues[at], usm[at], (size_t)hop * sizeof(value),
			&value, sizeof(value), sizeof(value), NULL, NULL));
		if (next != at)
			CHECK_OK(dpr_usm_copy(queues[hop & 1 ? at : next],
					      usm[next], 0, usm[at], 0,
					      sizeof(values), NULL, NULL));
		at = next;
	}
	CHECK_OK(dpr_usm_read(queues[at], values, usm[at], 0, sizeof(values),
			      NULL, NULL));
	for (hop = 0; hop < HOPS; hop++)
		ck_assert_int_eq(values[hop], expected[hop]);
	for (hop = 0; hop < n_queues; hop++)
		dpr_usm_release(usm[hop]);
	finish_all();
}
END_TEST

/* --- Arrays -----------------------------------------------------------------
 */

#define ROWS 300
#define COLUMNS 1000

/* Move @x to the device of queue @b. */
static dpr_array *move(const dpr_array *x, int b)
{
	dpr_array *y = NULL;

	CHECK_OK(dpr_array_to_device(x, dpr_queue_device(queues[b]), &y));
	ck_assert_ptr_eq(dpr_array_queue(y), queues[b]);
	ck_assert_int_eq(dpr_array_dtype(y), dpr_array_dtype(x));
	ck_assert_int_eq(dpr_array_rank(y), dpr_array_rank(x));
	ck_assert_mem_eq(dpr_array_shape(y), dpr_array_shape(x),
			 (size_t)dpr_array_rank(x) * sizeof(int64_t));
	return y;
}

/* Move every layout of @x from device @a to device @b, and compare it with the
   same layout on the host. */
static void move_layouts(const dpr_array *const *x, int a, int b)
{
	unsigned char expected[LAYOUTS_ELEMENTS * 16],
		got[LAYOUTS_ELEMENTS * 16];
	dpr_array *view, *y, *reference;
	size_t bytes;
	int k;

	for (k = 0; k < LAYOUTS_COUNT; k++) {
		view = layouts_make(x[a], k);
		y = move(view, b);
		reference = layouts_make(x[HOST], k);
		bytes = (size_t)dpr_array_size(y) * dpr_array_itemsize(y);
		CHECK_OK(dpr_array_to_memory(reference, expected,
					     sizeof(expected), NULL));
		CHECK_OK(dpr_array_to_memory(y, got, sizeof(got), NULL));
		ck_assert_msg(!memcmp(expected, got, bytes),
			      "layout %d of %s from %s to %s", k,
			      dpr_dtype_name(dpr_array_dtype(y)),
			      dpr_queue_name(queues[a]),
			      dpr_queue_name(queues[b]));
		dpr_array_release(reference);
		dpr_array_release(y);
		dpr_array_release(view);
	}
}

START_TEST(small_arrays)
{
	static const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_INT8,
					    DPR_COMPLEX128 };
	unsigned char data[LAYOUTS_ELEMENTS * 16];
	struct random numbers = { 99 };
	dpr_array *x[MOST];
	int a, b;
	size_t i, t;

	start();
	if (_i)
		reverse();
	for (t = 0; t < (_i ? 1 : sizeof(dtypes) / sizeof(dtypes[0])); t++) {
		for (i = 0; i < sizeof(data); i++)
			data[i] = (unsigned char)(random_next(&numbers) >> 40);
		for (a = 0; a < n_queues; a++)
			CHECK_OK(dpr_array_from_memory(data, DPR_SHAPE(4, 5, 6),
						       NULL, dtypes[t],
						       queues[a], &x[a]));
		for (a = 0; a < n_queues; a++)
			for (b = 0; b < n_queues; b++)
				move_layouts((const dpr_array *const *)x, a, b);
		for (a = 0; a < n_queues; a++)
			dpr_array_release(x[a]);
	}
	finish_all();
}
END_TEST

/* The number of elements i that are not @step * i + @first. */
static int count_wrong(const float *data, int n, int step, int first)
{
	int wrong = 0, i;

	for (i = 0; i < n; i++)
		wrong += data[i] != (float)(step * i + first);
	return wrong;
}

/* Move every fourth column of a matrix, and the whole matrix.  The source is
   overwritten as soon as the calls have returned. */
START_TEST(large_arrays)
{
	static float data[ROWS * COLUMNS], zeros[ROWS * COLUMNS];
	dpr_array *x, *view, *all, *part;
	int a, b, i;

	start();
	for (a = 0; a < n_queues; a++)
		for (b = 0; b < n_queues; b++) {
			if (dpr_device_root(dpr_queue_device(queues[a])) ==
			    dpr_device_root(dpr_queue_device(queues[b])))
				continue;
			for (i = 0; i < ROWS * COLUMNS; i++)
				data[i] = (float)i;
			CHECK_OK(dpr_array_from_memory(
				data, DPR_SHAPE(ROWS, COLUMNS), NULL,
				DPR_FLOAT32, queues[a], &x));
			CHECK_OK(dpr_array_view(x, &view, DPR_ALL,
						DPR_SLICE(1, COLUMNS, 4)));
			all = move(x, b);
			part = move(view, b);
			CHECK_OK(dpr_usm_write(queues[a], dpr_array_usm(x), 0,
					       zeros, sizeof(zeros), NULL,
					       NULL));
			CHECK_OK(dpr_array_to_memory(all, data, sizeof(data),
						     NULL));
			ck_assert_int_eq(
				count_wrong(data, ROWS * COLUMNS, 1, 0), 0);
			CHECK_OK(dpr_array_to_memory(part, data, sizeof(data),
						     NULL));
			ck_assert_int_eq(
				count_wrong(data, ROWS * COLUMNS / 4, 4, 1), 0);
			dpr_array_release(part);
			dpr_array_release(all);
			dpr_array_release(view);
			dpr_array_release(x);
		}
	finish_all();
}
END_TEST

int main(void)
{
	const struct test_times tests[] = {
		{ device_memory, 1 }, { every_kind, 2 },   { a_chain, 2 },
		{ small_arrays, 2 },  { large_arrays, 1 },
	};
	const int missing = find_missing();

	if (missing)
		return missing;
	return run_tests_times("api_ze_copies", tests,
			       sizeof(tests) / sizeof(tests[0]));
}
