/* SPDX-License-Identifier: Apache-2.0 */
/* unit_local_size.c - the local size that is chosen for a launch without one.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/submit/local_size.h"

#define NONE UINT64_MAX

static const struct kernel_limits no_limits = {
	.groups = { NONE, NONE, NONE },
	.local = { NONE, NONE, NONE },
	.group = NONE,
};
static const struct kernel_limits gpu = {
	.groups = { 2147483647, 65535, 65535 },
	.local = { 1024, 1024, 64 },
	.group = 1024,
};
/* A driver that compiles for each local size. */
static const struct kernel_limits compiles = {
	.groups = { NONE, NONE, NONE },
	.local = { 4096, 4096, 4096 },
	.group = 4096,
	.compiles = true,
};
/* Native code, on two and on many threads. */
static const struct kernel_limits native = {
	.groups = { NONE, NONE, NONE },
	.local = { 4096, 4096, 4096 },
	.group = 4096,
	.threads = 2,
};
static const struct kernel_limits native_many = {
	.groups = { NONE, 65535, 65535 },
	.local = { 8192, 8192, 64 },
	.group = 8192,
	.threads = 64,
};
static const struct kernel_limits native_narrow = {
	.groups = { NONE, NONE, NONE },
	.local = { 128, 128, 128 },
	.group = 128,
	.threads = 1,
};
static const struct kernel_limits narrow = {
	.groups = { NONE, NONE, NONE },
	.local = { 48, 4, 1 },
	.group = 40,
};
static const struct kernel_limits single = {
	.groups = { NONE, NONE, NONE },
	.local = { NONE, NONE, NONE },
	.group = 1,
};
static const struct kernel_limits sized = {
	.groups = { NONE, NONE, NONE },
	.local = { 1024, 1024, 64 },
	.group = 1024,
	.required = { 12, 2, 1 },
};

static const struct {
	const struct kernel_limits *limits;
	uint32_t dims;
	uint64_t global[3];
	uint64_t local[3]; /* local[0] == 0: none, and local[1] is `which` */
} cases[] = {
	/* The largest power of two, up to 256. */
	{ &no_limits, 1, { 1 }, { 1 } },
	{ &no_limits, 1, { 256 }, { 256 } },
	{ &no_limits, 1, { 1 << 20 }, { 256 } },
	{ &no_limits, 1, { 1000 }, { 8 } },
	{ &no_limits, 1, { 48 }, { 16 } },
	{ &narrow, 1, { 1 << 20 }, { 32 } },
	{ &single, 1, { 1 << 20 }, { 1 } },
	/* Another divisor where that is below 8. */
	{ &no_limits, 1, { 7 }, { 7 } },
	{ &no_limits, 1, { 97 }, { 97 } },
	{ &no_limits, 1, { 255 }, { 255 } },
	{ &no_limits, 1, { 1020 }, { 255 } },
	{ &no_limits, 1, { 3 * 65537 }, { 3 } },
	{ &no_limits, 1, { 10000001 }, { 11 } },
	{ &single, 1, { 97 }, { 1 } },
	{ &gpu, 1, { 1009 }, { 1 } },
	{ &gpu, 1, { 2 * 1009 }, { 2 } },
	{ &narrow, 1, { 97 }, { 1 } },
	/* Few sizes where each is compiled. */
	{ &compiles, 1, { 4096 }, { 256 } },
	{ &compiles, 1, { 97 }, { 1 } },
	{ &compiles, 1, { 255 }, { 15 } },
	{ &compiles, 1, { 1009 }, { 1 } },
	{ &compiles, 1, { 10000001 }, { 11 } },
	/* Native code: large divisors, but enough groups for all threads. */
	{ &native, 1, { 1 }, { 1 } },
	{ &native, 1, { 1 << 24 }, { 4096 } },
	{ &native, 1, { 10000000 }, { 4000 } },
	{ &native, 1, { 10000008 }, { 72 } },
	{ &native, 1, { 1 << 16 }, { 2048 } },
	{ &native, 1, { 4096 }, { 256 } },
	{ &native, 1, { 1000 }, { 250 } },
	{ &native, 1, { 1009 }, { 1 } },
	{ &native_many, 1, { 1 << 24 }, { 4096 } },
	{ &native_many, 1, { 1 << 20 }, { 1024 } },
	{ &native_narrow, 1, { 1 << 20 }, { 128 } },
	{ &native, 2, { 4096, 4096 }, { 4096, 1 } },
	{ &native, 2, { 1000, 1000 }, { 1000, 4 } },
	{ &native, 2, { 3, 1 << 20 }, { 3, 1024 } },
	{ &native, 3, { 7, 11, 13 }, { 7, 11, 1 } },
	{ &native_many, 2, { 16, 65535 * 64 }, { 16, 255 } },
	/* Two and three dimensions. */
	{ &no_limits, 2, { 1024, 1024 }, { 32, 8 } },
	{ &no_limits, 2, { 1024, 97 }, { 256, 1 } },
	{ &no_limits, 2, { 97, 1024 }, { 1, 256 } },
	{ &no_limits, 2, { 97, 101 }, { 97, 1 } },
	{ &no_limits, 2, { 3, 5 }, { 3, 5 } },
	{ &no_limits, 3, { 64, 64, 64 }, { 32, 8, 1 } },
	{ &no_limits, 3, { 16, 2, 64 }, { 16, 2, 8 } },
	{ &no_limits, 3, { 7, 11, 13 }, { 7, 11, 1 } },
	{ &gpu, 3, { 1, 1, 1 << 20 }, { 1, 1, 64 } },
	{ &narrow, 2, { 64, 64 }, { 32, 1 } },
	{ &narrow, 3, { 4, 4, 4 }, { 4, 4, 1 } },
	/* Local sizes that the number of work-groups demands. */
	{ &gpu, 2, { 1, 100000 }, { 1, 32 } },
	{ &gpu, 2, { 64, 3 * 65535 }, { 64, 3 } },
	{ &gpu, 3, { 1024, 1, 65535 * 64 }, { 4, 1, 64 } },
	{ &gpu, 2, { 1, 65537 }, { 0, 1 } },
	{ &gpu, 3, { 1, 1, 1000003 }, { 0, 2 } },
	{ &gpu, 3, { 1, 65535 * 64, 65535 * 64 }, { 0, 2 } },
	{ &gpu, 1, { UINT64_C(4294967311) }, { 0, 0 } },
	/* The size that the kernel requires. */
	{ &sized, 2, { 24, 8 }, { 12, 2 } },
	{ &sized, 3, { 12, 2, 7 }, { 12, 2, 1 } },
	{ &sized, 2, { 24, 7 }, { 0, 1 } },
	{ &sized, 1, { 24 }, { 0, 1 } },
	{ &sized, 1, { 25 }, { 0, 0 } },
};

START_TEST(chosen)
{
	uint64_t local[3] = { 0 }, items = 1;
	uint32_t which = 9, i;
	bool good = true;
	uint64_t got;

	got = local_size_choose(cases[_i].limits, cases[_i].dims,
				cases[_i].global, local, &which);
	if (!cases[_i].local[0]) {
		ck_assert_uint_eq(got, 0);
		ck_assert_uint_eq(which, cases[_i].local[1]);
		return;
	}
	for (i = 0; i < cases[_i].dims; i++) {
		good = good && local[i] == cases[_i].local[i];
		items *= local[i];
	}
	ck_assert_msg(good, "case %d: %d %d %d", _i, (int)local[0],
		      (int)local[1], (int)local[2]);
	ck_assert_uint_eq(got, items);
}
END_TEST

/* Whether a chosen size divides, and is within the limits. */
static bool admissible(const struct kernel_limits *limits, uint32_t dims,
		       const uint64_t global[3], const uint64_t local[3],
		       uint64_t items)
{
	uint64_t all = 1;
	uint32_t i;

	for (i = 0; i < dims; i++) {
		if (!local[i] || global[i] % local[i] ||
		    local[i] > limits->local[i] ||
		    global[i] / local[i] > limits->groups[i])
			return false;
		all *= local[i];
	}
	return all == items && all <= limits->group;
}

/* All small ranges of one and two dimensions. */
START_TEST(divides)
{
	static const struct kernel_limits *all[] = {
		&no_limits, &gpu,    &compiles,    &narrow,
		&single,    &native, &native_many, &native_narrow
	};
	uint64_t global[3] = { 1, 1, 1 }, local[3], items, wrong = 0;
	uint32_t which;
	size_t k;

	for (k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		for (global[0] = 1; global[0] <= 300; global[0]++)
			for (global[1] = 1; global[1] <= 300; global[1] += 7) {
				items = local_size_choose(all[k], 2, global,
							  local, &which);
				wrong += !admissible(all[k], 2, global, local,
						     items);
			}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* Where the driver compiles for each local size, ranges of any length need few
   of them. */
START_TEST(few_sizes)
{
	bool used[4097] = { false };
	uint64_t global[3] = { 1, 1, 1 }, local[3];
	uint32_t which;
	int n = 0, i;

	for (global[0] = 1; global[0] <= 200000; global[0]++) {
		local_size_choose(&compiles, 1, global, local, &which);
		used[local[0]] = true;
	}
	for (i = 0; i <= 4096; i++)
		n += used[i];
	ck_assert_int_le(n, 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unit_local_size");
	TCase *tcase = tcase_create("choice");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, chosen, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, divides);
	tcase_add_test(tcase, few_sizes);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
