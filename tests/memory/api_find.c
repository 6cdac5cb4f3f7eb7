/* SPDX-License-Identifier: Apache-2.0 */
/* api_find.c - finding memory by address, with allocations inside one
   another. */
#include "tests/support/runtime_test.h"

/* Wrap memory in a native object.  The objects of these tests lie in
   allocations, in each other, and around them: the innermost must be found, and
   after its release the next one outwards. */
static dpr_usm *over(char *address, size_t size)
{
	dpr_usm *usm = NULL;

	/* The mock also takes addresses that the host must not access. */
	CHECK_OK(dpr_usm_from_native(q1, (uintptr_t)address, size, 0, &usm));
	return usm;
}

static void finds_at(char *at, const dpr_usm *usm, size_t offset)
{
	dpr_usm *found = NULL;
	size_t where = 0;

	CHECK_OK(dpr_usm_find(at, &found, &where));
	ck_assert_ptr_eq(found, usm);
	ck_assert_uint_eq(where, offset);
	dpr_usm_release(found);
}

START_TEST(finds_the_innermost)
{
	dpr_usm *a = new_usm(q1, DPR_USM_DEVICE, 5000), *found;
	dpr_usm *b = new_usm(q1, DPR_USM_DEVICE, 1000);
	char *pa = dpr_usm_address(a), *pb = dpr_usm_address(b);
	dpr_usm *whole, *part, *inner, *more, *same;

	ck_assert_ptr_eq(pb, pa + 5120);
	part = over(pa + 1000, 2000);
	/* Just around the part, and in the next block. */
	finds_at(pa + 999, a, 999);
	finds_at(pa + 1000, part, 0);
	finds_at(pa + 2999, part, 1999);
	finds_at(pa + 3000, a, 3000);
	finds_at(pb + 10, b, 10);
	inner = over(pa + 1000, 100);
	same = over(pa, 5000);
	finds_at(pa + 1099, inner, 99);
	finds_at(pa + 1100, part, 100);
	finds_at(pa + 3000, same, 3000);
	/* This object begins with a block and reaches into the next one. */
	more = over(pa, 5121);
	finds_at(pa + 500, same, 500);
	finds_at(pa + 5000, more, 5000);
	finds_at(pb, b, 0);
	dpr_usm_release(inner);
	finds_at(pa + 1099, part, 99);
	whole = over(pa - 64, 1 << 20);
	finds_at(pb + 999, b, 999);
	finds_at(pb + 1000, whole, 6184);
	dpr_usm_release(part);
	dpr_usm_release(same);
	finds_at(pa + 1099, a, 1099);
	dpr_usm_release(a);
	finds_at(pa + 1099, more, 1099);
	dpr_usm_release(more);
	finds_at(pa + 1099, whole, 1163);
	dpr_usm_release(whole);
	CHECK_FAILS(DPR_ERROR_NOT_FOUND, dpr_usm_find(pa, &found, NULL));
	finds_at(pb + 999, b, 999);
	dpr_usm_release(b);
}
END_TEST

/* Many objects, some nested, that come and go in random order. */
START_TEST(finds_among_many)
{
	enum { MANY = 300 };
	static char base[1 << 16];
	struct {
		dpr_usm *usm;
		size_t at, size;
	} list[MANY] = { 0 }, *best;
	uint32_t random = 1;
	int i, j;

	for (i = 0; i < 4000; i++) {
		dpr_usm *found = NULL;
		size_t where;

		random = random * 1664525 + 1013904223;
		j = (int)(random >> 8) % MANY;
		if (list[j].usm) {
			dpr_usm_release(list[j].usm);
			list[j].usm = NULL;
		} else {
			list[j].at = random >> 17;
			list[j].size = 1 + (random >> 5) % 3000;
			list[j].usm = over(base + list[j].at, list[j].size);
		}
		where = (random >> 3) % 36000;
		for (best = NULL, j = 0; j < MANY; j++)
			if (list[j].usm && where >= list[j].at &&
			    where - list[j].at < list[j].size &&
			    (!best || list[j].at > best->at ||
			     (list[j].at == best->at &&
			      list[j].size < best->size)))
				best = &list[j];
		ck_assert_int_eq(dpr_usm_find(base + where, &found, NULL),
				 best ? DPR_OK : DPR_ERROR_NOT_FOUND);
		/* If two objects have the same range, either may be found. */
		ck_assert_ptr_eq(dpr_usm_address(found),
				 best ? base + best->at : NULL);
		ck_assert_uint_eq(dpr_usm_size(found), best ? best->size : 0);
		dpr_usm_release(found);
	}
	for (j = 0; j < MANY; j++)
		dpr_usm_release(list[j].usm);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("find");
	TCase *tcase = tcase_create("find");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, finds_the_innermost);
	tcase_add_test(tcase, finds_among_many);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
