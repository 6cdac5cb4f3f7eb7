/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_cuda_two.c - two GPUs: a fault on one GPU while the other works, copies
 * in each direction, threads on both, and calls that are refused because they
 * mix two devices.
 *
 * It is built twice: api_cuda_two runs on NVIDIA's driver, and is skipped
 * without two GPUs; api_cuda_two_mock runs on the mock (ON_MOCK is 1).
 */
#include "tests/cuda/cuda_cards.h"
#include "tests/support/placement.h"
#include "tests/support/random.h"

static size_t size_or_small(size_t size, size_t small)
{
	return ON_MOCK || getenv("DPR_TEST_SMALL") ? small : size;
}

/* --- A fault --- */

/* The answers of the second GPU after the fault of the first. */
struct answers {
	dpr_status under_way, launch, alloc, create;
	int value; /* the result of the work under way and of the launch */
	char text[256];
};

static dpr_status keep_text(struct answers *answers, dpr_status status)
{
	if (status && !*answers->text)
		snprintf(answers->text, sizeof(answers->text), "%s",
			 dpr_last_error());
	return status;
}

/* Use the second GPU, and keep what it answers.  All of this may fail. */
static void ask_second(struct answers *answers, dpr_queue *queue, dpr_usm *usm,
		       dpr_kernel *mix, dpr_event *under_way)
{
	dpr_usm *more = NULL;
	dpr_queue *made = NULL;
	dpr_status status;

	answers->under_way = keep_text(answers, dpr_event_wait(under_way));
	status = try_launch(queue, mix, usm, 4, NULL);
	if (!status)
		status = dpr_usm_read(queue, &answers->value, usm, 0,
				      sizeof(answers->value), NULL, NULL);
	if (!status)
		status = dpr_queue_wait(queue);
	answers->launch = keep_text(answers, status);
	answers->alloc = keep_text(
		answers, dpr_usm_alloc(queue, DPR_USM_DEVICE, 64 << 20, &more));
	dpr_usm_release(more);
	status = dpr_queue_create(dpr_queue_device(queue), 0, &made);
	if (!status)
		status = dpr_usm_fill(made, usm, 0, "\1\0\0", 4, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(made);
	answers->create = keep_text(answers, status);
	dpr_queue_release(made);
}

/* Check the answers of the mock, which are known; print those of NVIDIA's
   driver. */
static void judge(const struct answers *answers, int expected, bool spread)
{
	const dpr_status wanted = spread ? DPR_ERROR_DEVICE_LOST : DPR_OK;

	const char *value = answers->launch              ? "unknown"
			    : answers->value == expected ? "right"
							 : "wrong";

	printf("after CUDA_ERROR_ILLEGAL_ADDRESS on %s, %s answers: work under "
	       "way %s, new launch %s, allocation %s, new queue %s; its value "
	       "is %s; first error: %s\n",
	       cards[0], cards[1], dpr_status_name(answers->under_way),
	       dpr_status_name(answers->launch),
	       dpr_status_name(answers->alloc),
	       dpr_status_name(answers->create), value,
	       *answers->text ? answers->text : "none");
	fflush(stdout);
	/* If both calls succeeded, the result must be right. */
	if (!answers->under_way && !answers->launch)
		ck_assert_int_eq(answers->value, expected);
	if (!ON_MOCK)
		return;
	/* If the fault spreads, it may meet the work or come after its end. */
	if (!spread)
		ck_assert_int_eq(answers->under_way, DPR_OK);
	ck_assert_int_eq(answers->launch, wanted);
	ck_assert_int_eq(answers->alloc, wanted);
	ck_assert_int_eq(answers->create, wanted);
}

static int chain_of(int value, uint32_t n)
{
	uint32_t x = (uint32_t)value;

	for (; n; n--)
		x = x * 3 + 1;
	return (int)x;
}

/* Cause a fault on the first GPU.  @spread: the mock lets it affect all GPUs of
   the process. */
static void fault_on_one(bool spread)
{
	const uint32_t n = ON_MOCK ? 100000 : 100000000;
	struct answers answers = { 0 };
	dpr_kernel *fault, *chain, *mix;
	dpr_event *faulted = NULL, *under_way = NULL;
	dpr_queue *q[2];
	dpr_usm *usm[2];
	dpr_arg args[1];
	int i;

	if (mock)
		mock->settings->spread = spread;
	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		q[i] = new_queue(get_device(cards[i]), 0);
		usm[i] = new_ints(q[i], DPR_USM_DEVICE, 4, i);
		CHECK_OK(dpr_queue_wait(q[i]));
	}
	fault = new_kernel(q[0], "fault");
	chain = new_kernel(q[1], "chain");
	mix = new_kernel(q[1], "mix");
	args[0] = DPR_USM_READ_WRITE(usm[0], 0);
	if (mock)
		mock->hold(true);
	CHECK_OK(try_launch(q[1], chain, usm[1], n, &under_way));
	CHECK_OK(dpr_kernel_launch_usm(q[0], fault, DPR_RANGE1(1), NULL,
				       &faulted, args, 1));
	if (mock)
		mock->hold(false);
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST, dpr_event_wait(faulted));
	CHECK_TEXT("CUDA_ERROR_ILLEGAL_ADDRESS");
	ask_second(&answers, q[1], usm[1], mix, under_way);
	judge(&answers, (int)((uint32_t)chain_of(1, n) * 3 + 4), spread);
	/* The first GPU stays lost. */
	CHECK_FAILS(DPR_ERROR_DEVICE_LOST,
		    dpr_usm_alloc(q[0], DPR_USM_DEVICE, 64 << 20,
				  &(dpr_usm *){ NULL }));
	/* All objects can be released, and the process can end. */
	dpr_event_release(faulted);
	dpr_event_release(under_way);
	dpr_kernel_release(fault);
	dpr_kernel_release(chain);
	dpr_kernel_release(mix);
	for (i = 0; i < 2; i++) {
		dpr_usm_release(usm[i]);
		dpr_queue_release(q[i]);
	}
	(void)!dpr_finalize();
	if (mock)
		check_mock();
}

START_TEST(a_fault_of_one)
{
	fault_on_one(false);
}
END_TEST

#if ON_MOCK
START_TEST(a_fault_that_spreads)
{
	fault_on_one(true);
}
END_TEST
#endif

/* --- Threads --- */

/* In each round, copy to one GPU, to the other, and back. */
static void *go_around(void *number)
{
	struct random numbers = { (uint64_t)(uintptr_t)number + 1 };
	int rounds = (int)size_or_small(200, 25), first, round, i;
	dpr_queue *q[2];
	dpr_kernel *mix[2];
	dpr_usm *usm[2];
	uint32_t expected;

	for (i = 0; i < 2; i++) {
		q[i] = new_queue(get_device(cards[i]),
				 random_next(&numbers) &
					 DPR_QUEUE_OUT_OF_ORDER);
		mix[i] = new_kernel(q[i], "mix");
	}
	for (round = 0; round < rounds; round++) {
		first = (int)(random_next(&numbers) >> 40 & 1);
		for (i = 0; i < 2; i++)
			usm[i] = new_ints(q[i], DPR_USM_DEVICE, 1024, round);
		expected = (uint32_t)round;
		for (i = 0; i < 4; i++) {
			int here = (first + i) & 1;

			launch(q[here], mix[here], usm[here], 5);
			expected = expected * 3 + 5;
			CHECK_OK(dpr_usm_copy(q[i / 2 & 1], usm[!here], 0,
					      usm[here], 0, 4096, NULL, NULL));
		}
		ck_assert_uint_eq((uint32_t)get_int(q[0], usm[0], 0), expected);
		ck_assert_uint_eq((uint32_t)get_int(q[1], usm[1], 0), expected);
		dpr_usm_release(usm[0]);
		dpr_usm_release(usm[1]);
	}
	for (i = 0; i < 2; i++) {
		CHECK_OK(dpr_queue_wait(q[i]));
		dpr_kernel_release(mix[i]);
		dpr_queue_release(q[i]);
	}
	return NULL;
}

START_TEST(eight_threads_on_two)
{
	if (mock)
		mock->settings->order = CUMOCK_RANDOM;
	use_backends(NULL);
	run_on_eight_threads(go_around);
	finish_all();
}
END_TEST

/* --- Copies --- */

/* Copy @size bytes from 3 of @from to @offset of @to; the rest of @to must stay
   9. */
static void copy_one(dpr_queue *queue, dpr_usm *to, size_t offset,
		     dpr_usm *from, size_t size, size_t all)
{
	dpr_queue *target = dpr_usm_queue(to);
	unsigned char *bytes = malloc(all);
	const int nine = 9;
	dpr_transfer plan;
	size_t i;

	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_usm_transfer_plan(from, target, DPR_USM_DEVICE, size,
				       &plan));
	ck_assert_int_eq(plan.path, DPR_TRANSFER_PEER);
	for (i = 0; i < all; i++)
		bytes[i] = (unsigned char)(i * 131 + i / 4099);
	CHECK_OK(dpr_usm_write(dpr_usm_queue(from), from, 0, bytes, all, NULL,
			       NULL));
	CHECK_OK(dpr_usm_fill(target, to, 0, &nine, 1, all, NULL, NULL));
	CHECK_OK(dpr_usm_copy(queue, to, offset, from, 3, size, NULL, NULL));
	memset(bytes, 0, all);
	CHECK_OK(dpr_usm_read(target, bytes, to, 0, all, NULL, NULL));
	for (i = 0; i < all; i++) {
		size_t at = i - offset + 3;
		unsigned char wanted =
			i < offset || i >= offset + size
				? 9
				: (unsigned char)(at * 131 + at / 4099);

		if (bytes[i] != wanted)
			ck_abort_msg("%zu bytes: byte %zu is %u, not %u", size,
				     i, bytes[i], wanted);
	}
	free(bytes);
}

/* Copy from each GPU to the other, on a queue of either. */
static void copy_all(void)
{
	const size_t sizes[] = { 1, 4096, 100001,
				 size_or_small(64 << 20, 1 << 20) };
	dpr_queue *q[2];
	dpr_usm *usm[2];
	size_t all = size_or_small(64 << 20, 1 << 20) + 64, s;
	int i;

	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		q[i] = new_queue(get_device(cards[i]), 0);
		CHECK_OK(dpr_usm_alloc(q[i], DPR_USM_DEVICE, all, &usm[i]));
	}
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (i = 0; i < 4; i++)
			copy_one(q[i >> 1], usm[i & 1], 17, usm[!(i & 1)],
				 sizes[s], all);
	for (i = 0; i < 2; i++) {
		dpr_usm_release(usm[i]);
		dpr_queue_release(q[i]);
	}
	finish_all();
}

START_TEST(copies_both_ways)
{
	copy_all();
}
END_TEST

#if ON_MOCK
/* The driver copies even if neither GPU can access the other's memory. */
START_TEST(copies_without_access)
{
	mock->settings->devices[0].peers[1] = false;
	mock->settings->devices[1].peers[0] = false;
	copy_all();
}
END_TEST
#endif

START_TEST(arrays_move)
{
	const float values[] = { 1, 2, 3, 4, 5 };
	float got[5] = { 0 };
	dpr_array *x, *y, *back;
	int i;

	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		CHECK_OK(dpr_array_from_memory(
			values, DPR_SHAPE(5), NULL, DPR_FLOAT32,
			queue_of(get_device(cards[i])), &x));
		CHECK_OK(dpr_array_to_device(x, get_device(cards[!i]), &y));
		dpr_array_release(x);
		ck_assert_ptr_eq(dpr_array_device(y), get_device(cards[!i]));
		CHECK_OK(dpr_array_to_device(y, get_device(cards[i]), &back));
		dpr_array_release(y);
		CHECK_OK(dpr_array_to_memory(back, got, sizeof(got), NULL));
		ck_assert_mem_eq(got, values, sizeof(values));
		dpr_array_release(back);
	}
	finish_all();
}
END_TEST

/* --- Placement --- */

/* Memory of one GPU cannot be imported on the other. */
START_TEST(memory_of_the_other_one)
{
	dpr_usm *usm, *made = NULL;
	dpr_ipc ipc;

	use_backends(NULL);
	usm = new_ints(queue_of(get_device(cards[_i])), DPR_USM_DEVICE, 64, 7);
	CHECK_OK(dpr_usm_wait(usm));
	CHECK_OK(dpr_usm_export(usm, &ipc));
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_usm_import(queue_of(get_device(cards[!_i])), &ipc, &made));
	CHECK_TEXT(_i ? "belongs to device cuda:gpu:1"
		      : "belongs to device cuda:gpu:0");
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

START_TEST(another_device_is_refused)
{
	dpr_array *x1, *x2;

	use_backends(NULL);
	x1 = ones(queue_of(get_device(cards[0])));
	x2 = ones(queue_of(get_device(cards[1])));
	check_refusal(x1, x2,
		      "x1 on %s (canonical), x2 on %s (canonical); move one "
		      "with dpr_array_to_device(x1, <%s>, &moved)",
		      cards[0], cards[1], cards[1]);
	dpr_array_release(x1);
	dpr_array_release(x2);
	finish_all();
}
END_TEST

/* Make a part of half of the GPU. */
static dpr_device *half_of(const char *card)
{
	dpr_device *whole = get_device(card), *parts[2];
	uint64_t units, unit;
	size_t n;

	CHECK_OK(dpr_device_info_u64(whole, DPR_INFO_COMPUTE_UNITS, &units));
	CHECK_OK(dpr_device_info_u64(whole, DPR_INFO_PARTITION_UNIT, &unit));
	CHECK_OK(dpr_device_partition_equally(whole, units / 2 / unit * unit,
					      parts, 2, &n));
	ck_assert_uint_ge(n, 2);
	return parts[1];
}

START_TEST(parts_of_another_device_are_refused)
{
	dpr_device *parts[2];
	dpr_array *x[2];
	int i;

	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		parts[i] = half_of(cards[i]);
		x[i] = ones(queue_of(parts[i]));
	}
	check_refusal(x[0], x[1],
		      "x1 on %s (canonical), x2 on %s (canonical); move one "
		      "with dpr_array_to_device(x1, <%s>, &moved)",
		      dpr_device_selector(parts[0]),
		      dpr_device_selector(parts[1]),
		      dpr_device_selector(parts[1]));
	for (i = 0; i < 2; i++)
		dpr_array_release(x[i]);
	finish_all();
}
END_TEST

static Suite *two_suite(void)
{
	Suite *suite = suite_create("api_cuda_two");
	TCase *tcase = tcase_create("api_cuda_two");

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, a_fault_of_one);
#if ON_MOCK
	tcase_add_test(tcase, a_fault_that_spreads);
	tcase_add_test(tcase, copies_without_access);
#endif
	tcase_add_test(tcase, eight_threads_on_two);
	tcase_add_test(tcase, copies_both_ways);
	tcase_add_test(tcase, arrays_move);
	tcase_add_loop_test(tcase, memory_of_the_other_one, 0, 2);
	tcase_add_test(tcase, another_device_is_refused);
	tcase_add_test(tcase, parts_of_another_device_are_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	/* Let the mock share memory with another process. */
	setenv("DPR_TEST_CUDA_IPC", "1", 1);
	use_backends(NULL);
	return run_on_cards(two_suite(), count_cards(), 2);
}
