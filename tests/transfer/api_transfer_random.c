/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_transfer_random.c - a thousand random transfers between all devices,
 * compared with a model in host memory.  Only the library's tracking puts the
 * transfers in order.
 *
 * usage: api_transfer_random [SEED]
 */
#include <time.h>

#include "tests/support/random.h"
#include "tests/support/runtime_test.h"

#define TRANSFERS 1000
#define PER_DEVICE 3
#define MOST (MAX_DEVICES * PER_DEVICE)
#define LARGEST ((size_t)9 << 20)

static uint64_t seed;
static struct random r;
static size_t n_blocks;

static struct block {
	dpr_queue *queue;
	dpr_usm *usm;
	unsigned char *model;
	size_t size;
} blocks[MOST];

static dpr_device *devices[MAX_DEVICES];
static size_t n_devices;

static size_t below(size_t n)
{
	return (size_t)(random_next(&r) >> 16) % n;
}

/* Sizes of every magnitude are equally likely; the largest take a few
   chunks. */
static size_t some_size(size_t most)
{
	size_t size = 1 + below((size_t)1 << below(below(20) ? 18 : 24));

	return size < most ? size : most;
}

static void start(const char *memory)
{
	static const dpr_usm_kind kinds[PER_DEVICE] = { DPR_USM_DEVICE,
							DPR_USM_SHARED,
							DPR_USM_HOST };

	printf("seed %llu, memory %s\n", (unsigned long long)seed, memory);
	fflush(stdout);
	r.state = seed;
	setenv("DPR_OPTION_OPENCL_MEMORY", memory, 1);
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK2_KINDS", "device", 1);
	use_mock_devices();
	CHECK_OK(dpr_device_enumerate(NULL, devices, MAX_DEVICES, &n_devices));
	for (size_t i = 0; i < n_devices; i++)
		for (int k = 0; k < PER_DEVICE; k++) {
			struct block *b = &blocks[n_blocks];

			b->queue = queue_of(devices[i]);
			b->size = LARGEST >> below(10);
			/* Some devices do not have every kind of memory. */
			if (dpr_usm_alloc(b->queue, kinds[k], b->size, &b->usm))
				continue;
			b->model = calloc(1, b->size);
			ck_assert_ptr_nonnull(b->model);
			CHECK_OK(dpr_usm_fill(b->queue, b->usm, 0, "\0", 1,
					      b->size, NULL, NULL));
			n_blocks++;
		}
	ck_assert_uint_gt(n_blocks, 4);
}

static void start_addresses(void)
{
	start("svm-fine");
}

static void start_buffers(void)
{
	start("buffer");
}

static void check_range(const struct block *b, size_t offset, size_t size)
{
	unsigned char *bytes = malloc(size);
	size_t i;

	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_usm_read(b->queue, bytes, b->usm, offset, size, NULL,
			      NULL));
	for (i = 0; i < size && bytes[i] == b->model[offset + i]; i++)
		;
	ck_assert_msg(i == size, "byte %zu of %s is %d, not %d", offset + i,
		      dpr_queue_name(b->queue), i < size ? bytes[i] : 0,
		      i < size ? b->model[offset + i] : 0);
	free(bytes);
}

static void random_copy(struct block *to, struct block *from)
{
	size_t size = some_size(to->size < from->size ? to->size : from->size);
	size_t a = below(from->size - size + 1);
	size_t b = below(to->size - size + 1);
	dpr_queue *queue = below(8)   ? to->queue
			   : below(2) ? from->queue
				      : queue_of(devices[below(n_devices)]);
	dpr_event *done = NULL;

	if (to == from && b < a + size && a < b + size) {
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    dpr_usm_copy(queue, to->usm, b, from->usm, a, size,
					 NULL, NULL));
		return;
	}
	CHECK_OK(dpr_usm_copy(queue, to->usm, b, from->usm, a, size, NULL,
			      below(3) ? NULL : &done));
	memcpy(to->model + b, from->model + a, size);
	if (done && !below(4))
		CHECK_OK(dpr_event_wait(done));
	dpr_event_release(done);
}

static void random_write(struct block *to)
{
	size_t size = some_size(to->size), offset = below(to->size - size + 1);

	for (size_t i = 0; i < size; i++)
		to->model[offset + i] = (unsigned char)(i * 3 + size);
	CHECK_OK(dpr_usm_write(to->queue, to->usm, offset, to->model + offset,
			       size, NULL, NULL));
}

static void random_fill(struct block *to)
{
	unsigned char byte = (unsigned char)below(256);
	size_t size = some_size(to->size), offset = below(to->size - size + 1);

	memset(to->model + offset, byte, size);
	CHECK_OK(dpr_usm_fill(to->queue, to->usm, offset, &byte, 1, size, NULL,
			      NULL));
}

/* Move a view of every second row of a block to another device, and check
   it. */
static void random_view(const struct block *from)
{
	int64_t columns = 1 + (int64_t)below(50);
	int64_t rows = 1 + (int64_t)below(from->size / 4 / 50 / 2);
	int64_t strides[2] = { 2 * columns, 1 };
	dpr_device *device = devices[below(n_devices)];
	dpr_array *view, *moved;
	int32_t *have;

	rows = rows > 3000 ? 3000 : rows;
	CHECK_OK(dpr_array_over(from->usm, 0, DPR_SHAPE(rows, columns), strides,
				DPR_INT32, &view));
	CHECK_OK(dpr_array_to_device(view, device, &moved));
	have = malloc((size_t)(rows * columns) * 4);
	ck_assert_ptr_nonnull(have);
	CHECK_OK(dpr_array_to_memory(moved, have, dpr_array_nbytes(moved),
				     NULL));
	for (int64_t i = 0; i < rows; i++)
		ck_assert_msg(!memcmp(have + i * columns,
				      from->model + 4 * i * strides[0],
				      (size_t)columns * 4),
			      "row %lld from %s to %s", (long long)i,
			      dpr_queue_name(from->queue),
			      dpr_device_selector(device));
	free(have);
	dpr_array_release(view);
	dpr_array_release(moved);
}

START_TEST(transfers)
{
	int n = getenv("DPR_TEST_SMALL") ? TRANSFERS / 10 : TRANSFERS;

	for (int i = 0; i < n; i++) {
		struct block *to = &blocks[below(n_blocks)];
		struct block *from = &blocks[below(n_blocks)];
		size_t size;

		switch (below(16)) {
		case 0: random_write(to); break;
		case 1: random_fill(to); break;
		case 2: random_view(from); break;
		case 3:
			size = some_size(to->size);
			check_range(to, below(to->size - size + 1), size);
			break;
		default: random_copy(to, from);
		}
	}
	for (size_t i = 0; i < n_blocks; i++) {
		check_range(&blocks[i], 0, blocks[i].size);
		dpr_usm_release(blocks[i].usm);
		free(blocks[i].model);
	}
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("transfer random");
	TCase *plain = tcase_create("addresses");
	TCase *buffers = tcase_create("buffers");
	SRunner *runner;
	int failed;

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
	tcase_add_checked_fixture(plain, start_addresses, NULL);
	tcase_set_timeout(plain, 120);
	tcase_add_test(plain, transfers);
	suite_add_tcase(suite, plain);
	tcase_add_checked_fixture(buffers, start_buffers, NULL);
	tcase_set_timeout(buffers, 120);
	tcase_add_test(buffers, transfers);
	suite_add_tcase(suite, buffers);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
