/* SPDX-License-Identifier: Apache-2.0 */
/* unit_pool.c - memory pools from inside: the heap against a model; host memory
   that runs out at each allocation; and a hot path without driver calls and
   without heap allocations. */
#include "tests/support/runtime_test.h"

#include "core/base/mem.h"
#include "core/runtime/memory/pool.h"
#include "tests/support/random.h"

#define SLABS 5
#define MOST 400
#define LANES 2

/* A heap without a driver, and the blocks taken from it. */
static struct heap heap;
static struct slab slabs[SLABS];
static struct lane lanes[LANES];
static uint64_t done[LANES], ticket[LANES];
static struct {
	struct block *block;
	struct heap_want want;
	uintptr_t at;
} taken[MOST];
static size_t n_taken;
static dpr_usm somebody;

static size_t below(struct random *random, size_t n)
{
	return (size_t)random_between(random, 0, (int64_t)n - 1);
}

static void add_slab(int i, size_t size, uintptr_t address, int small)
{
	slabs[i] = (struct slab){ .address = (void *)address,
				  .size = size,
				  .align = 128,
				  .small = small };
	ck_assert(heap_reserve(&heap));
	heap_add(&heap, &slabs[i]);
}

static void set_up(void)
{
	int i;

	for (i = 0; i < LANES; i++)
		heap_lane_init(&lanes[i]);
}

/* Check all that must hold between calls. */
static void check_heap(void)
{
	size_t held = 0, used = 0, unused = 0, pending = 0, n_free = 0, i;
	size_t n_used = 0, listed = 0;
	const struct block *b;
	int wrong = 0, bin, small;

	for (i = 0; i < SLABS; i++) {
		size_t at = 0;

		for (b = slabs[i].first; b; b = b->after) {
			wrong |= b->offset != at || b->slab != &slabs[i] ||
				 !b->size;
			wrong |= (b->after ? b->after->before : b) != b;
			/* Neighbours that are both free, or both in one lane,
			   must have merged. */
			wrong |= !b->usm && b->after && !b->after->usm &&
				 b->lane == b->after->lane;
			at += b->size;
			n_used += b->usm != NULL;
			n_free += !b->usm;
			used += b->usm ? b->size : 0;
			pending += !b->usm && b->lane ? b->size : 0;
			unused += !b->usm && !b->lane ? b->size : 0;
		}
		wrong |= slabs[i].first && at != slabs[i].size;
		held += slabs[i].first ? slabs[i].size : 0;
	}
	for (small = 0; small < 2; small++)
		for (bin = 0; bin < SLAB_BINS; bin++) {
			for (b = heap.bins[small].list[bin]; b; b = b->bin_next)
				listed++;
			for (i = 0; i < LANES; i++)
				for (b = lanes[i].bins[small].list[bin]; b;
				     b = b->bin_next)
					listed++;
		}
	ck_assert_int_eq(wrong, 0);
	ck_assert_uint_eq(held, heap.held);
	ck_assert_uint_eq(used, heap.used);
	ck_assert_uint_eq(unused, heap.free);
	ck_assert_uint_eq(pending, heap.pending);
	ck_assert_uint_eq(pending, lanes[0].bytes + lanes[1].bytes);
	ck_assert_uint_eq(n_used, heap.n_used);
	ck_assert_uint_eq(n_free, heap.n_free);
	ck_assert_uint_eq(listed, n_free);
}

/* Check that taken block @n is inside its slab, is aligned, and overlaps no
   other. */
static void check_block(size_t n)
{
	const struct block *b = taken[n].block;
	uintptr_t at = (uintptr_t)b->slab->address + b->offset;
	size_t align = taken[n].want.align ? taken[n].want.align : 128, i;
	int wrong = 0;

	wrong |= b->offset + b->size > b->slab->size;
	wrong |= b->size < taken[n].want.size || at % align;
	wrong |= b->slab->small != taken[n].want.small;
	for (i = 0; i < n_taken; i++)
		wrong |= i != n && taken[i].at < at + b->size &&
			 at < taken[i].at + taken[i].block->size;
	taken[n].at = at;
	ck_assert_int_eq(wrong, 0);
}

static void take(struct random *random)
{
	struct heap_want want = { .size = 1 + below(random, 60000) };
	uint64_t lane = below(random, 3);
	struct block *block;

	want.small = want.size < 20000;
	if (!below(random, 5))
		want.align = (size_t)1 << below(random, 15);
	if (!below(random, 5))
		want.size = SLAB_GRANULE * (1 + below(random, 300));
	ck_assert(heap_reserve(&heap));
	block = heap_take(&heap, lane < LANES ? &lanes[lane] : NULL, &want);
	if (!block)
		return;
	/* A block that work of another queue still uses must not be taken. */
	if (block->lane)
		ck_assert(lane < LANES && block->lane == &lanes[lane]);
	block->usm = &somebody;
	taken[n_taken].block = block;
	taken[n_taken].want = want;
	check_block(n_taken++);
}

static void give(struct random *random)
{
	size_t i = below(random, n_taken);
	uint64_t lane = below(random, 3);

	if (lane < LANES)
		heap_give(&heap, taken[i].block, &lanes[lane], ++ticket[lane],
			  done[lane]);
	else
		heap_give(&heap, taken[i].block, NULL, 0, 0);
	taken[i] = taken[--n_taken];
}

static void settle(struct random *random)
{
	uint64_t lane = below(random, LANES);
	const struct block *b;

	done[lane] += below(random, ticket[lane] - done[lane] + 1);
	heap_settle(&heap, &lanes[lane], done[lane], SIZE_MAX);
	for (b = lanes[lane].oldest; b; b = b->lane_next)
		ck_assert_uint_gt(b->ticket, done[lane]);
}

START_TEST(structure)
{
	struct random random;
	const char *seed = getenv("DPR_TEST_SEED");
	int i, steps = getenv("DPR_TEST_SMALL") ? 2000 : 20000;

	random.state = seed ? strtoull(seed, NULL, 10) : 4711 + (uint64_t)_i;
	printf("structure: DPR_TEST_SEED=%llu\n",
	       (unsigned long long)random.state);
	for (i = 0; i < SLABS; i++)
		/* One slab is badly aligned, one has an odd size. */
		add_slab(i, i == 2 ? 300001 : (size_t)1 << 20,
			 ((uintptr_t)i + 1) << 32 | (i == 3 ? 128 : 0), i % 2);
	for (i = 0; i < steps; i++) {
		uint64_t what = below(&random, 16);

		if (!what)
			settle(&random);
		else if (n_taken < MOST && (what < 9 || !n_taken))
			take(&random);
		else
			give(&random);
		if (i % 16 == 0)
			check_heap();
	}
	while (n_taken)
		give(&random);
	for (i = 0; i < LANES; i++)
		heap_settle(&heap, &lanes[i], ticket[i], SIZE_MAX);
	check_heap();
	/* All free blocks have merged again. */
	ck_assert_uint_eq(heap.used + heap.pending, 0);
	ck_assert_uint_eq(heap.n_free, SLABS);
	ck_assert_uint_eq(heap_largest(&heap), (size_t)1 << 20);
	for (i = 0; i < SLABS; i++) {
		ck_assert(heap_slab_is_idle(&slabs[i]));
		heap_remove(&heap, &slabs[i]);
	}
	ck_assert_uint_eq(heap.held + heap.free, 0);
	heap_fini(&heap);
}
END_TEST

static struct block *taking(struct lane *lane, size_t size, int small)
{
	struct heap_want want = { .size = size, .small = small };
	struct block *block;

	ck_assert(heap_reserve(&heap));
	block = heap_take(&heap, lane, &want);
	if (block)
		block->usm = &somebody;
	return block;
}

/* If several free blocks are large enough, the smallest is taken. */
START_TEST(best_fit)
{
	static const size_t sizes[] = { 9, 30, 10, 31, 12, 29, 11, 28 };
	struct block *keep[8], *holes[8], *b;
	int i;

	add_slab(0, (size_t)1 << 20, 1 << 30, 0);
	for (i = 0; i < 8; i++) {
		holes[i] = taking(NULL, sizes[i] * 1024, 0);
		keep[i] = taking(NULL, 512, 0);
	}
	for (i = 0; i < 8; i++)
		heap_give(&heap, holes[i], NULL, 0, 0);
	b = taking(NULL, 11 * 1024 - 300, 0);
	ck_assert_uint_eq(b->offset, keep[6]->offset - 11 * 1024);
	b = taking(NULL, 29 * 1024, 0);
	ck_assert_uint_eq(b->offset, keep[5]->offset - 29 * 1024);
	/* A larger block is divided, and its rest stays free. */
	b = taking(NULL, 25 * 1024, 0);
	ck_assert_uint_eq(b->size, 25 * 1024);
	ck_assert_ptr_null(b->after->usm);
	ck_assert_uint_eq(b->after->size, 3 * 1024);
	check_heap();
	heap_fini(&heap);
}
END_TEST

/* A list is searched only up to a bound, unless the request is thorough. */
START_TEST(a_long_list)
{
	struct heap_want want = { .size = 21 * 512 };
	struct block *holes[41];
	int i;

	add_slab(0, (size_t)1 << 20, 1 << 30, 0);
	for (i = 0; i < 41; i++) {
		/* The block given back first is searched last. */
		holes[i] = taking(NULL, i ? 20 * 512 : 21 * 512, 0);
		ck_assert_ptr_nonnull(taking(NULL, 512, 0));
	}
	ck_assert_ptr_nonnull(taking(NULL, heap.free, 0));
	for (i = 0; i < 41; i++)
		heap_give(&heap, holes[i], NULL, 0, 0);
	ck_assert(heap_reserve(&heap));
	ck_assert_ptr_null(heap_take(&heap, NULL, &want));
	want.thorough = 1;
	ck_assert_ptr_eq(heap_take(&heap, NULL, &want), holes[0]);
	heap_fini(&heap);
}
END_TEST

/* A block in a lane serves only the lane's queue.  Among the lane's and the
   free blocks, the best fit is taken. */
START_TEST(lanes_are_apart)
{
	struct block *a, *b, *c;

	add_slab(0, (size_t)1 << 20, 1 << 30, 1);
	a = taking(NULL, 100 << 10, 1);
	b = taking(NULL, 50 << 10, 1);
	c = taking(NULL, heap.free, 1);
	ck_assert_ptr_nonnull(c);
	heap_give(&heap, a, &lanes[0], 7, 3);
	ck_assert_ptr_null(taking(NULL, 512, 1));
	ck_assert_ptr_null(taking(&lanes[1], 512, 1));
	a = taking(&lanes[0], 100 << 10, 1);
	ck_assert_uint_eq(a->ticket, 7);
	heap_give(&heap, a, &lanes[0], 8, 3);
	heap_give(&heap, b, NULL, 0, 0);
	/* The free block fits better than a part of the lane's larger block. */
	b = taking(&lanes[0], 50 << 10, 1);
	ck_assert_uint_eq(b->offset, 100 << 10);
	ck_assert_ptr_null(b->lane);
	heap_give(&heap, b, &lanes[0], 9, 3);
	/* The block has merged with its neighbour, and has the later ticket. */
	ck_assert_uint_eq(lanes[0].oldest->size, lanes[0].bytes);
	ck_assert_uint_eq(lanes[0].oldest->ticket, 9);
	heap_settle(&heap, &lanes[0], 8, SIZE_MAX);
	ck_assert_ptr_null(taking(NULL, 512, 1));
	heap_settle(&heap, &lanes[0], 9, SIZE_MAX);
	ck_assert_ptr_nonnull(taking(NULL, 140 << 10, 1));
	check_heap();
	heap_fini(&heap);
}
END_TEST

/* A block whose work is done becomes free.  It does not merge with a block that
   has a later ticket. */
START_TEST(merging_frees_what_is_over)
{
	struct block *a, *b;

	add_slab(0, (size_t)1 << 20, 1 << 30, 1);
	a = taking(NULL, 100 << 10, 1);
	b = taking(NULL, 50 << 10, 1);
	ck_assert_ptr_nonnull(taking(NULL, heap.free, 1));
	heap_give(&heap, a, &lanes[0], 7, 3);
	heap_give(&heap, b, &lanes[0], 20, 7);
	ck_assert_uint_eq(heap.free, 100 << 10);
	ck_assert_uint_eq(heap.pending, 50 << 10);
	ck_assert_ptr_null(taking(NULL, 101 << 10, 1));
	ck_assert_ptr_nonnull(taking(NULL, 100 << 10, 1));
	check_heap();
	heap_fini(&heap);
}
END_TEST

static void each_entry(uint64_t *calls)
{
	int i;

	for (i = 0; i < MOCK_N_ENTRIES; i++)
		calls[i] = mock->calls((enum mock_entry)i);
}

/* Allocating and releasing a megabyte from a warm pool makes no driver call and
   no heap allocation, with and without work that uses it. */
START_TEST(hot_path)
{
	uint64_t before[MOCK_N_ENTRIES], after[MOCK_N_ENTRIES], heap_before;
	dpr_usm *usm, *other, *first;
	int i, value = 3;

	usm = new_ints(q1, 250000, 1);
	first = usm;
	other = new_usm(q1, DPR_USM_DEVICE, 1000000);
	dpr_usm_release(usm);
	each_entry(before);
	heap_before = mem_fault_count();
	for (i = 0; i < 1000; i++) {
		usm = new_usm(q1, DPR_USM_DEVICE, 1000000);
		/* Each time it is the same block. */
		ck_assert_ptr_eq(usm, first);
		dpr_usm_release(usm);
	}
	each_entry(after);
	ck_assert_uint_eq(mem_fault_count(), heap_before);
	ck_assert_mem_eq(before, after, sizeof(before));
	/* Now queued work uses the block each time. */
	mock->hold(1);
	for (i = 0; i < 10; i++) {
		usm = new_usm(q1, DPR_USM_DEVICE, 1000000);
		CHECK_OK(dpr_usm_fill(q1, usm, 0, &value, 4, 4, NULL, NULL));
		dpr_usm_release(usm);
	}
	each_entry(after);
	ck_assert_uint_eq(after[MOCK_mem_alloc], before[MOCK_mem_alloc]);
	ck_assert_uint_eq(after[MOCK_queue_barrier],
			  before[MOCK_queue_barrier]);
	ck_assert_uint_eq(after[MOCK_event_status], before[MOCK_event_status]);
	mock->hold(0);
	dpr_usm_release(other);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* Objects in hot_path_whole.  On its device, a kernel argument cannot point
   into memory, so the pool reuses objects of the driver as a whole. */
#define WHOLE 3

static void start_whole(void)
{
	setenv("DPR_OPTION_MOCK_ADDRESSES", "0", 1);
	start_mocks();
}

static void start_aligned(void)
{
	setenv("DPR_OPTION_MOCK_OFFSET_ALIGN", "4096", 1);
	start_mocks();
}

START_TEST(hot_path_whole)
{
	static const size_t sizes[WHOLE] = { 100, 1000000, 3000000 };
	uint64_t before[MOCK_N_ENTRIES], after[MOCK_N_ENTRIES], heap_before;
	dpr_usm *usm[WHOLE];
	int i, k, value = 3;

	for (k = 0; k < WHOLE; k++) {
		usm[k] = new_usm(q1, DPR_USM_DEVICE, sizes[k]);
		CHECK_OK(dpr_usm_fill(q1, usm[k], 0, &value, 4, 4, NULL, NULL));
	}
	for (k = 0; k < WHOLE; k++)
		dpr_usm_release(usm[k]);
	CHECK_OK(dpr_queue_wait(q1));
	ck_assert_uint_eq(mock->live(MOCK_MEM), WHOLE);
	each_entry(before);
	heap_before = mem_fault_count();
	for (i = 0; i < 1000; i++) {
		/* A slightly smaller request takes the same object. */
		for (k = 0; k < WHOLE; k++)
			usm[k] = new_usm(q1, DPR_USM_DEVICE,
					 sizes[k] - (size_t)i % 90);
		for (k = 0; k < WHOLE; k++)
			dpr_usm_release(usm[(k + i) % WHOLE]);
	}
	each_entry(after);
	ck_assert_uint_eq(mem_fault_count(), heap_before);
	ck_assert_mem_eq(before, after, sizeof(before));
	/* Now queued work uses the object each time. */
	mock->hold(1);
	for (i = 0; i < 30; i++) {
		k = i % WHOLE;
		heap_before = mem_fault_count();
		usm[k] = new_usm(q1, DPR_USM_DEVICE, sizes[k]);
		ck_assert_uint_eq(mem_fault_count(), heap_before);
		CHECK_OK(dpr_usm_fill(q1, usm[k], 0, &value, 4, 4, NULL, NULL));
		each_entry(before);
		heap_before = mem_fault_count();
		dpr_usm_release(usm[k]);
		ck_assert_uint_eq(mem_fault_count(), heap_before);
		each_entry(after);
		ck_assert_mem_eq(before, after, sizeof(before));
	}
	ck_assert_uint_eq(mock->live(MOCK_MEM), WHOLE);
	mock->hold(0);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* Each allocation of host memory, or of the driver, fails in turn: the call
   fails or succeeds, and the statistics stay consistent. */
static void check_sums(uint64_t used)
{
	dpr_pool_stats s = { .struct_size = sizeof(s) };

	CHECK_OK(dpr_pool_get_stats(dpr_queue_device(q1), DPR_USM_DEVICE, &s));
	ck_assert_uint_eq(s.held, s.used + s.pending + s.free);
	ck_assert_uint_eq(s.used, used);
	ck_assert_uint_eq(s.held, mock->bytes());
	ck_assert_uint_eq(s.device_held, s.held);
	ck_assert_uint_eq(s.driver_allocations - s.driver_frees,
			  mock->live(MOCK_MEM));
}

START_TEST(faults)
{
	static const size_t sizes[] = { 100, 3000000, 20000000 };
	size_t size = sizes[_i % 3];
	int by_driver = _i >= 3, n, failed = 0;
	dpr_usm *usm = NULL;

	for (n = 0; n < 12; n++) {
		dpr_status status;

		if (by_driver)
			mock->fail(MOCK_mem_alloc, 1, (uint64_t)n,
				   n & 1 ? DPR_RC_OOM_HOST : DPR_RC_OOM_DEVICE,
				   0);
		else
			mem_fault_after((uint64_t)n);
		status = dpr_usm_alloc(q1, DPR_USM_DEVICE, size, &usm);
		mem_fault_clear();
		failed += status != DPR_OK;
		ck_assert_int_eq(!usm, !!status);
		ck_assert(!status || status == DPR_ERROR_OUT_OF_MEMORY ||
			  status == DPR_ERROR_OUT_OF_DEVICE_MEMORY);
		if (status)
			check_sums(0);
		dpr_usm_release(usm);
		check_sums(0);
		CHECK_OK(dpr_pool_trim(dpr_queue_device(q1), 0, NULL));
		check_sums(0);
		ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
		mock->reset();
	}
	ck_assert_int_gt(failed, 0);
	ck_assert_int_lt(failed, 12);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Without host memory for a lane, the block stays pending, but is not lost. */
START_TEST(no_memory_for_a_lane)
{
	dpr_usm *usm = new_usm(q1, DPR_USM_DEVICE, 1000);
	dpr_pool_stats s = { .struct_size = sizeof(s) };
	int value = 1;

	mock->hold(1);
	CHECK_OK(dpr_usm_fill(q1, usm, 0, &value, 4, 4, NULL, NULL));
	mem_fault_after(0);
	dpr_usm_release(usm);
	mem_fault_clear();
	CHECK_OK(dpr_pool_get_stats(dpr_queue_device(q1), DPR_USM_DEVICE, &s));
	ck_assert_uint_eq(s.used, 0);
	ck_assert_uint_eq(s.pending, 1024);
	mock->hold(0);
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_OK(dpr_pool_get_stats(dpr_queue_device(q1), DPR_USM_DEVICE, &s));
	ck_assert_uint_eq(s.pending, 0);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pool");
	TCase *structures = tcase_create("structure");
	TCase *objects = tcase_create("objects");
	TCase *whole = tcase_create("whole"),
	      *aligned = tcase_create("aligned");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(structures, set_up, NULL);
	tcase_set_timeout(structures, 60);
	tcase_add_loop_test(structures, structure, 0, 4);
	tcase_add_test(structures, best_fit);
	tcase_add_test(structures, a_long_list);
	tcase_add_test(structures, lanes_are_apart);
	tcase_add_test(structures, merging_frees_what_is_over);
	suite_add_tcase(suite, structures);
	tcase_add_checked_fixture(objects, start_mocks, NULL);
	tcase_set_timeout(objects, 60);
	tcase_add_test(objects, hot_path);
	tcase_add_loop_test(objects, faults, 0, 6);
	tcase_add_test(objects, no_memory_for_a_lane);
	suite_add_tcase(suite, objects);
	tcase_add_checked_fixture(whole, start_whole, NULL);
	tcase_set_timeout(whole, 60);
	tcase_add_test(whole, hot_path_whole);
	suite_add_tcase(suite, whole);
	tcase_add_checked_fixture(aligned, start_aligned, NULL);
	tcase_set_timeout(aligned, 60);
	tcase_add_test(aligned, hot_path_whole);
	suite_add_tcase(suite, aligned);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
