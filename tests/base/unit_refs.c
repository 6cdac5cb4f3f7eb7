/* SPDX-License-Identifier: Apache-2.0 */
/* Reference counters: each call, and one last drop among threads. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/refs.h"

#define N_THREADS 4
#define N_ROUNDS 2000

START_TEST(one_thread)
{
	struct refs refs;

	refs_init(&refs);
	ck_assert_uint_eq(refs_count(&refs), 1);
	refs_take(&refs);
	ck_assert(refs_try_take(&refs));
	ck_assert_uint_eq(refs_count(&refs), 3);
	ck_assert(!refs_drop(&refs));
	ck_assert(!refs_drop(&refs));
	ck_assert(refs_drop(&refs));
	ck_assert(!refs_try_take(&refs));
	ck_assert_uint_eq(refs_count(&refs), 0);
}
END_TEST

/* What threads share in a round.  Each writes its own part without a lock, and
   drops its reference. */
struct shared {
	struct refs refs;
	unsigned part[N_THREADS];
};

static struct round {
	struct shared *shared[N_ROUNDS];
	atomic_uint freed, lost;
} rounds;

/* ThreadSanitizer reports the reads and the free here if drops do not order
   them behind the writes of the other threads. */
static void free_shared(struct shared *shared)
{
	for (int i = 0; i < N_THREADS; i++)
		if (shared->part[i] != 2)
			atomic_fetch_add(&rounds.lost, 1);
	free(shared);
	atomic_fetch_add(&rounds.freed, 1);
}

static void *use_all(void *number)
{
	const unsigned i = *(const unsigned *)number;

	for (int r = 0; r < N_ROUNDS; r++) {
		struct shared *shared = rounds.shared[r];

		refs_take(&shared->refs);
		shared->part[i] = 1;
		if (refs_drop(&shared->refs))
			abort();
		shared->part[i] = 2;
		if (refs_drop(&shared->refs))
			free_shared(shared);
	}
	return NULL;
}

START_TEST(last_of_threads)
{
	unsigned number[N_THREADS];
	pthread_t thread[N_THREADS];

	for (int r = 0; r < N_ROUNDS; r++) {
		struct shared *shared = calloc(1, sizeof(*shared));

		ck_assert_ptr_nonnull(shared);
		refs_init(&shared->refs);
		for (int i = 1; i < N_THREADS; i++)
			refs_take(&shared->refs);
		rounds.shared[r] = shared;
	}
	for (unsigned i = 0; i < N_THREADS; i++) {
		number[i] = i;
		ck_assert_int_eq(
			pthread_create(&thread[i], NULL, use_all, &number[i]),
			0);
	}
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(rounds.freed, N_ROUNDS);
	ck_assert_uint_eq(rounds.lost, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("refs");
	TCase *tcase = tcase_create("refs");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, one_thread);
	tcase_add_test(tcase, last_of_threads);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
