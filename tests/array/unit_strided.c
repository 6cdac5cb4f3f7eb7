/* SPDX-License-Identifier: Apache-2.0 */
/* Copies within host memory compared with a copy element by element, and the
   threads that do large copies. */
#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array/data/strided.h"
#include "core/array/layout/layout.h"
#include "core/base/crew.h"
#include "tests/support/random.h"

/* One side of a copy. */
struct side {
	int64_t stride[DPR_MAX_RANK];
	int64_t low, high; /* element offsets, relative to first */
	unsigned char *bytes;
	char *first;
	size_t size;
};

struct copy {
	int rank;
	int64_t dim[DPR_MAX_RANK], count;
	size_t item;
	struct side to, from;
};

/* @n, or a tenth of it with DPR_TEST_SMALL. */
static int rounds(int n)
{
	return getenv("DPR_TEST_SMALL") ? n / 10 : n;
}

/* Random extents: either up to DPR_MAX_RANK short axes, or up to 5 of which one
   or two may be long; rarely an extent of 0. */
static void any_shape(struct random *r, struct copy *c, int64_t most)
{
	bool deep = !random_between(r, 0, 3);

	c->rank = (int)random_between(r, 0, deep ? DPR_MAX_RANK : 5);
	c->count = 1;
	for (int k = 0; k < c->rank; k++) {
		int64_t longest = deep                       ? 3
				  : random_between(r, 0, 2)  ? 18
				  : random_between(r, 0, 20) ? 700
							     : most;

		c->dim[k] = random_between(r, 1, longest);
		if (c->count * c->dim[k] > most)
			c->dim[k] = 1;
		if (!random_between(r, 0, 400))
			c->dim[k] = 0;
		c->count *= c->dim[k];
	}
}

/* Random strides: positive and negative, axes in any order, gaps and, with
   @repeats, strides of 0.  The memory is filled with @byte; its first and last
   elements belong to the copy. */
static void any_side(struct random *r, const struct copy *c, struct side *s,
		     bool repeats, int byte)
{
	int64_t step = random_between(r, 0, 2) ? 1 : random_between(r, 1, 3);
	size_t odd = (size_t)random_between(r, 0, 15);
	int order[DPR_MAX_RANK];

	s->low = s->high = 0;
	for (int k = 0; k < c->rank; k++) {
		int j = (int)random_between(r, 0, k);

		order[k] = order[j];
		order[j] = k;
	}
	for (int k = 0; k < c->rank; k++) {
		int axis = order[k];
		int64_t span;

		s->stride[axis] = random_between(r, 0, 3) ? step : -step;
		if (repeats && !random_between(r, 0, 4))
			s->stride[axis] = 0;
		else
			step *= c->dim[axis] > 0 ? c->dim[axis] : 1;
		if (!random_between(r, 0, 6))
			step += random_between(r, 1, 4);
		span = (c->dim[axis] - 1) * s->stride[axis];
		if (c->count && span < 0)
			s->low += span;
		else if (c->count)
			s->high += span;
	}
	s->size = (size_t)(s->high - s->low + 1) * c->item + odd;
	s->bytes = malloc(s->size);
	ck_assert_ptr_nonnull(s->bytes);
	memset(s->bytes, byte, s->size);
	s->first = (char *)s->bytes + odd - s->low * (int64_t)c->item;
}

/* Make the same copy element by element in C order, into @want. */
static void walk(const struct copy *c, unsigned char *want)
{
	char *to = (char *)want + (c->to.first - (char *)c->to.bytes);
	int64_t at[DPR_MAX_RANK] = { 0 }, item = (int64_t)c->item;
	int64_t there = 0, here = 0;

	memset(want, 0xee, c->to.size);
	for (int64_t i = 0; i < c->count; i++) {
		memcpy(to + there * item, c->from.first + here * item, c->item);
		for (int k = c->rank - 1; k >= 0; k--) {
			there += c->to.stride[k];
			here += c->from.stride[k];
			if (++at[k] < c->dim[k])
				break;
			there -= c->dim[k] * c->to.stride[k];
			here -= c->dim[k] * c->from.stride[k];
			at[k] = 0;
		}
	}
}

static void run(const struct copy *c)
{
	strided_copy(c->rank, c->dim, c->item, c->to.first, c->to.stride,
		     c->from.first, c->from.stride);
}

static void one_copy(struct random *r, int64_t most)
{
	struct copy c = { .item = (size_t)1 << random_between(r, 0, 4) };
	unsigned char *want;

	any_shape(r, &c, most / (int64_t)c.item);
	any_side(r, &c, &c.to, false, 0xee);
	any_side(r, &c, &c.from, true, 0);
	for (size_t i = 0; i < c.from.size; i++)
		c.from.bytes[i] = (unsigned char)(random_next(r) >> 32);
	want = malloc(c.to.size);
	ck_assert_ptr_nonnull(want);
	walk(&c, want);
	run(&c);
	ck_assert_msg(!memcmp(want, c.to.bytes, c.to.size),
		      "rank %d, %lld elements of %zu bytes", c.rank,
		      (long long)c.count, c.item);
	free(want);
	free(c.to.bytes);
	free(c.from.bytes);
}

START_TEST(any_layout_is_copied)
{
	struct random r = { 7 };

	for (int i = 0; i < rounds(6000); i++)
		one_copy(&r, 100000);
}
END_TEST

/* Copies so large that several threads share them. */
START_TEST(any_large_layout_is_copied)
{
	struct random r = { 8 };

	for (int i = 0; i < rounds(120); i++)
		one_copy(&r, 9000000);
}
END_TEST

/* Transpose blocks of each item size.  The sides include the largest block, one
   less and one more.  Every element must arrive at its place. */
START_TEST(transposed_blocks_of_all_sizes)
{
	static const int64_t sides[] = { 1,  7,  8,  31,  32, 33,
					 63, 64, 65, 128, 129 };
	enum { N = sizeof(sides) / sizeof(sides[0]) };
	int wrong = 0;

	for (size_t item = 1; item <= 16; item *= 2)
		for (int i = 0; i < N * N; i++) {
			int64_t dim[] = { sides[i / N], sides[i % N] };
			int64_t to[] = { dim[1], 1 }, from[] = { 1, dim[0] };
			size_t n = (size_t)(dim[0] * dim[1]);
			char *x = malloc(n * item), *y = malloc(n * item);

			ck_assert(x && y);
			for (size_t k = 0; k < n * item; k++)
				x[k] = (char)(k * 31 + k / 251);
			strided_copy(2, dim, item, y, to, x, from);
			for (int64_t k = 0; k < dim[0] * dim[1]; k++) {
				int64_t source =
					k % dim[1] * dim[0] + k / dim[1];

				wrong += memcmp(y + (size_t)k * item,
						x + (size_t)source * item,
						item) != 0;
			}
			ck_assert_int_eq(wrong, 0);
			free(x);
			free(y);
		}
}
END_TEST

/* If several elements are written to one place, the place must hold one whole
   element.  This must also hold for an element across two cache lines, which no
   processor writes at once. */
START_TEST(shared_places_hold_one_element)
{
	enum { ROWS = 1 << 18, COLUMNS = 4 };
	static uint64_t x[ROWS][COLUMNS][2];
	static _Alignas(64) uint64_t memory[2 * COLUMNS + 1];
	const int64_t dim[] = { ROWS, COLUMNS }, to[] = { 0, 1 };
	const int64_t from[] = { COLUMNS, 1 };
	const uint64_t *y = memory + 1;

	for (uint64_t i = 0; i < ROWS; i++)
		for (int k = 0; k < COLUMNS; k++)
			x[i][k][0] = x[i][k][1] = i + 1;
	for (int round = 0; round < rounds(50); round++) {
		strided_copy(2, dim, 16, (char *)(memory + 1), to, (char *)x,
			     from);
		for (int k = 0; k < COLUMNS; k++) {
			ck_assert_uint_eq(y[2 * k], y[2 * k + 1]);
			ck_assert(y[2 * k] >= 1 && y[2 * k] <= ROWS);
		}
	}
}
END_TEST

/* --- Threads ------------------------------------------------------------ */

enum { JOBS = 1000 };
static atomic_int counts[JOBS];

static void count_job(void *state, size_t i)
{
	atomic_int *total = state;

	atomic_fetch_add(&counts[i], 1);
	atomic_fetch_add(total, 1);
}

static void run_crew(unsigned threads)
{
	atomic_int total = 0;

	memset(counts, 0, sizeof(counts));
	crew_run(threads, JOBS, count_job, &total);
	ck_assert_int_eq(total, JOBS);
	for (int i = 0; i < JOBS; i++)
		ck_assert_int_eq(counts[i], 1);
}

static int count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	ck_assert_ptr_nonnull(tasks);
	while (readdir(tasks))
		n++;
	closedir(tasks);
	return n - 2;
}

START_TEST(every_job_is_done_once)
{
	int before;

	/* Start once before counting: ThreadSanitizer adds a thread of its own
	   with the first. */
	run_crew(2);
	before = count_threads();
	run_crew(0);
	run_crew(1);
	run_crew(5);
	run_crew(1000);
	/* A joined thread may still be listed for a moment. */
	while (count_threads() > before)
		usleep(1000);
}
END_TEST

START_TEST(a_child_has_threads_of_its_own)
{
	int status;
	pid_t child;

	run_crew(4);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		run_crew(4);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void wait_job(void *state, size_t i)
{
	atomic_int *begun = state;

	(void)i;
	atomic_fetch_add(begun, 1);
	usleep(1000);
}

static void *cancelled_main(void *arg)
{
	crew_run(4, 100, wait_job, arg);
	return NULL;
}

/* The threads use the stack of the caller until they end: cancelling the caller
   has to wait for them. */
START_TEST(who_waits_for_threads_is_not_cancelled)
{
	atomic_int begun = 0;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, cancelled_main, &begun),
			 0);
	while (!begun)
		usleep(100);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	ck_assert_int_eq(begun, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("strided");
	TCase *tcase = tcase_create("strided");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, any_layout_is_copied);
	tcase_add_test(tcase, any_large_layout_is_copied);
	tcase_add_test(tcase, transposed_blocks_of_all_sizes);
	tcase_add_test(tcase, shared_places_hold_one_element);
	tcase_add_test(tcase, every_job_is_done_once);
	tcase_add_test(tcase, a_child_has_threads_of_its_own);
	tcase_add_test(tcase, who_waits_for_threads_is_not_cancelled);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
