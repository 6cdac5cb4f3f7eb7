/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_cuda_one.c - one GPU: memory of another process, operands on two of its
 * queues and parts, which must be refused, and a part with all of the GPU's
 * units.
 *
 * It is built twice: api_cuda_one runs on NVIDIA's driver, on each of at most
 * two GPUs, and is skipped without any; api_cuda_one_mock runs on the mock
 * (ON_MOCK is 1).  A test starts "api_cuda_one N" as another process, which
 * imports memory of GPU N.
 */
#include "tests/cuda/cuda_cards.h"
#include "tests/support/other_process.h"
#include "tests/support/placement.h"

static int chain_of(int value, uint32_t n)
{
	uint32_t x = (uint32_t)value;

	for (; n; n--)
		x = x * 3 + 1;
	return (int)x;
}

/* --- Another process --- */

#define SHARED 1000

/* The other process must read i * 3, and answers with i * 5.  Check's macros
   work only in tests. */
static int run_importer(const char *number)
{
	int values[SHARED], i;
	dpr_queue *queue;
	dpr_usm *usm;
	dpr_ipc ipc;

	if (ON_MOCK && !load_mock())
		return 1;
	if (read(0, &ipc, sizeof(ipc)) != sizeof(ipc))
		return 2;
	use_backends(NULL);
	if (dpr_canonical_queue(cards[*number == '1'], &queue) ||
	    dpr_usm_import(queue, &ipc, &usm)) {
		printf("import: %s\n", dpr_last_error());
		return 3;
	}
	if (dpr_usm_size(usm) != sizeof(values) ||
	    dpr_usm_get_kind(usm) != DPR_USM_DEVICE)
		return 4;
	if (dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL, NULL))
		return 5;
	for (i = 0; i < SHARED; i++) {
		if (values[i] != i * 3)
			return 6;
		values[i] = i * 5;
	}
	if (dpr_usm_write(queue, usm, 0, values, sizeof(values), NULL, NULL) ||
	    dpr_usm_wait(usm))
		return 7;
	dpr_usm_release(usm);
	if (dpr_finalize())
		return 8;
	return mock && mock->misuse(NULL, 0) ? 9 : 0;
}

START_TEST(memory_of_another_process)
{
	int values[SHARED], i;
	dpr_usm *before, *usm;
	dpr_queue *queue;
	dpr_ipc ipc;

	use_backends(NULL);
	CHECK_OK(dpr_canonical_queue(cards[_i], &queue));
	before = new_ints(queue, DPR_USM_DEVICE, SHARED, 7);
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(values), &usm));
	for (i = 0; i < SHARED; i++)
		values[i] = i * 3;
	CHECK_OK(dpr_usm_write(queue, usm, 0, values, sizeof(values), NULL,
			       NULL));
	CHECK_OK(dpr_usm_wait(usm));
	CHECK_OK(dpr_usm_export(usm, &ipc));
	ck_assert_str_eq(ipc.backend, "cuda");
	run_other_process(_i ? "1" : "0", &ipc, sizeof(ipc));
	CHECK_OK(dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL,
			      NULL));
	for (i = 0; i < SHARED; i++)
		ck_assert_int_eq(values[i], i * 5);
	ck_assert_int_eq(get_int(queue, before, SHARED - 1), 7);
	dpr_usm_release(before);
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

/* --- Queues and parts --- */

START_TEST(another_queue_is_refused)
{
	dpr_queue *other;
	dpr_array *x1, *x2;

	use_backends(NULL);
	other = new_queue(get_device(cards[_i]), 0);
	x1 = ones(queue_of(get_device(cards[_i])));
	x2 = ones(other);
	check_refusal(x1, x2,
		      "x1 on %s (canonical), x2 on %s; move one with "
		      "dpr_array_to_device(x2, <%s>, &moved)",
		      cards[_i], dpr_queue_name(other), cards[_i]);
	dpr_array_release(x1);
	dpr_array_release(x2);
	dpr_queue_release(other);
	finish_all();
}
END_TEST

/* Operands are refused on a part and its sibling.  The results of both are
   visible to the whole GPU. */
START_TEST(another_part_is_refused)
{
	dpr_device *whole, *parts[2];
	dpr_array *x[2];
	uint64_t units, unit;
	dpr_kernel *mix;
	dpr_usm *usm;
	size_t n;
	int i;

	use_backends(NULL);
	whole = get_device(cards[_i]);
	CHECK_OK(dpr_device_info_u64(whole, DPR_INFO_COMPUTE_UNITS, &units));
	CHECK_OK(dpr_device_info_u64(whole, DPR_INFO_PARTITION_UNIT, &unit));
	CHECK_OK(dpr_device_partition_equally(whole, units / 2 / unit * unit,
					      parts, 2, &n));
	ck_assert_uint_ge(n, 2);
	for (i = 0; i < 2; i++)
		x[i] = ones(queue_of(parts[i]));
	check_refusal(x[0], x[1],
		      "x1 on %s (canonical), x2 on %s (canonical); move one "
		      "with dpr_array_to_device(x1, <%s>, &moved)",
		      dpr_device_selector(parts[0]),
		      dpr_device_selector(parts[1]),
		      dpr_device_selector(parts[1]));
	usm = new_ints(queue_of(whole), DPR_USM_DEVICE, 4, 2);
	for (i = 0; i < 2; i++) {
		dpr_array_release(x[i]);
		mix = new_kernel(queue_of(parts[i]), "mix");
		launch(queue_of(parts[i]), mix, usm, 1);
		dpr_kernel_release(mix);
	}
	ck_assert_int_eq(get_int(queue_of(whole), usm, 0), chain_of(2, 2));
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

/* Run a kernel on a part. */
static void use_part(dpr_device *part, dpr_usm *usm)
{
	dpr_queue *queue = new_queue(part, 0);
	dpr_kernel *mix = new_kernel(queue, "mix");

	launch(queue, mix, usm, 1);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_kernel_release(mix);
	dpr_queue_release(queue);
}

/* One part with all units, and two that have all, whatever the group size. */
START_TEST(parts_of_all_units)
{
	dpr_device *device, *parts[2];
	uint64_t units, unit, counts[2];
	dpr_status status;
	dpr_usm *usm;
	size_t n, i;

	use_backends(NULL);
	device = get_device(cards[_i]);
	usm = new_ints(queue_of(device), DPR_USM_DEVICE, 4, 1);
	CHECK_OK(dpr_usm_wait(usm));
	CHECK_OK(dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units));
	CHECK_OK(dpr_device_info_u64(device, DPR_INFO_PARTITION_UNIT, &unit));
	CHECK_OK(dpr_device_partition_equally(device, units, parts, 2, &n));
	ck_assert_uint_eq(n, 1);
	use_part(parts[0], usm);
	counts[0] = 2 * unit;
	counts[1] = units - 2 * unit;
	status = dpr_device_partition_counts(device, counts, 2, parts, 2, &n);
	printf("%s: %d and %d of %d units, in groups of %d: %s\n", cards[_i],
	       (int)counts[0], (int)counts[1], (int)units, (int)unit,
	       status ? dpr_last_error() : "two parts");
	fflush(stdout);
	/* NVIDIA's driver may refuse this, the mock may not. */
	ck_assert(!status || (!ON_MOCK && status == DPR_ERROR_UNSUPPORTED));
	for (i = 0; i < n; i++)
		use_part(parts[i], usm);
	ck_assert_int_eq(get_int(queue_of(device), usm, 0),
			 chain_of(1, 1 + (uint32_t)n));
	dpr_usm_release(usm);
	finish_all();
}
END_TEST

static Suite *one_suite(int cards_here)
{
	Suite *suite = suite_create("api_cuda_one");
	TCase *tcase = tcase_create("api_cuda_one");
	int n = cards_here < 2 ? cards_here : 2;

	tcase_add_checked_fixture(tcase, start, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, memory_of_another_process, 0, n);
	tcase_add_loop_test(tcase, another_queue_is_refused, 0, n);
	tcase_add_loop_test(tcase, another_part_is_refused, 0, n);
	tcase_add_loop_test(tcase, parts_of_all_units, 0, n);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(int argc, char **argv)
{
	int n;

	/* Let the mock share memory with another process. */
	setenv("DPR_TEST_CUDA_IPC", "1", 1);
	if (argc > 1)
		return run_importer(argv[1]);
	use_backends(NULL);
	n = count_cards();
	return run_on_cards(one_suite(n), n, 1);
}
