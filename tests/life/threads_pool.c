/* SPDX-License-Identifier: Apache-2.0 */
/* threads_pool.c - jobs of api_threads on the memory pools that all other jobs
   use: trimming, limits, pressure callbacks and statistics. */
#include "tests/life/threads.h"

#define GENEROUS                                                     \
	(UINT64_C(1) << 50) /* bytes: too high to make anything fail \
			     */

static atomic_ullong n_pressed; /* calls of pressed() */
static int mark;

static dpr_usm *filled(const struct place *place, dpr_usm_kind kind,
		       size_t size, int32_t value)
{
	dpr_usm *usm;

	OK(dpr_usm_alloc(place->queue, kind, size, &usm));
	OK(dpr_usm_fill(place->queue, usm, 0, &value, 4, size, NULL, NULL));
	return usm;
}

static void check_last(dpr_usm *usm, size_t size, int32_t want)
{
	int32_t value = 0;

	OK(dpr_usm_read(dpr_usm_queue(usm), &value, usm, size - 4, 4, NULL,
			NULL));
	SAME(value, want);
}

/* Give slabs back to the driver while work uses memory next to what was
   freed. */
void job_trim(void)
{
	const struct place *place = pick_place();
	size_t size = (size_t)pick(1, 1 << 18) * 4;
	dpr_usm_kind kind = pick_kind(place);
	int32_t value = (int32_t)pick(0, 1 << 20);
	dpr_usm *kept = filled(place, kind, size, value);
	dpr_device *device = pick(0, 7) ? place->device : faulty_device;
	uint64_t freed = 1;

	dpr_usm_release(filled(place, kind, size, ~value));
	switch (pick(0, 2)) {
	case 0: OK(dpr_pool_trim(device, 0, &freed)); break;
	case 1: OK(dpr_pool_trim(device, 1 << 20, NULL)); break;
	case 2:
		/* This frees blocks whose work is done, but gives no slab
		   back. */
		OK(dpr_pool_trim(device, UINT64_MAX, &freed));
		SAME((long long)freed, 0);
		break;
	}
	check_last(kept, size, value);
	dpr_usm_release(kept);
}

static void check_limit(uint64_t limit)
{
	if (limit && limit != GENEROUS)
		BAD("the limit is %llu", (unsigned long long)limit);
}

/* Other threads set the limit, too, but only to the same two values. */
void job_limit(void)
{
	const struct place *place = pick_place();
	uint64_t limit = 1;
	dpr_usm *usm;

	OK(dpr_pool_set_limit(place->device, GENEROUS));
	usm = filled(place, pick_kind(place), 4096, 5);
	OK(dpr_pool_get_limit(place->device, &limit));
	check_limit(limit);
	check_last(usm, 4096, 5);
	OK(dpr_pool_set_limit(place->device, 0));
	dpr_usm_release(usm);
}

/* Free nothing: the allocation fails if memory is short, as without a
   callback. */
static int pressed(dpr_device *device, size_t size, void *user)
{
	if (!device || !size || user != &mark)
		BAD("pressure of %zu bytes with %p", size, user);
	atomic_fetch_add(&n_pressed, 1);
	return 0;
}

void job_pressure(void)
{
	const struct place *place = pick_place();
	dpr_array *x;

	OK(dpr_pool_set_pressure(place->device, pressed, &mark));
	OK(dpr_arange(3, 1003, 1, DPR_INT32, place->queue, &x));
	check_steps(x, 3, 1);
	if (pick(0, 1))
		OK(dpr_pool_set_pressure(place->device, NULL, NULL));
	dpr_array_release(x);
}

static dpr_pool_stats stats_of(dpr_device *device, dpr_usm_kind kind)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };

	OK(dpr_pool_get_stats(device, kind, &stats));
	return stats;
}

/* Returns why the members of @s contradict each other, or NULL. */
static const char *contradiction(const dpr_pool_stats *s)
{
	if (s->held != s->used + s->pending + s->free)
		return "held is not the sum of used, pending and free";
	if (s->largest_free > s->free)
		return "more is free in one piece than in all";
	if (s->held > s->peak_held || s->used > s->peak_used)
		return "there is more than there ever was";
	if (s->hits > s->requests)
		return "more requests were served than made";
	if (s->driver_frees > s->driver_allocations)
		return "more was given back than came";
	if (!s->slabs != !s->held)
		return "slabs without bytes, or bytes without slabs";
	return NULL;
}

/* Returns why @after cannot come after @before, or NULL. */
static const char *step_back(const dpr_pool_stats *before,
			     const dpr_pool_stats *after)
{
	if (after->requests <= before->requests)
		return "an allocation was not counted";
	if (after->hits < before->hits ||
	    after->driver_allocations < before->driver_allocations ||
	    after->driver_frees < before->driver_frees)
		return "a count went down";
	if (after->peak_held < before->peak_held ||
	    after->peak_used < before->peak_used ||
	    after->device_peak_held < before->device_peak_held)
		return "a peak went down";
	return NULL;
}

/* Check statistics while other threads use the pool. */
void job_statistics(void)
{
	const struct place *place = pick_place();
	dpr_usm_kind kind = pick_kind(place);
	size_t size = (size_t)pick(1, 5000) * 4;
	dpr_pool_stats before = stats_of(place->device, kind), after;
	dpr_usm *usm = filled(place, kind, size, 9);
	const char *why;

	after = stats_of(place->device, kind);
	why = contradiction(&before);
	why = why ? why : contradiction(&after);
	why = why ? why : step_back(&before, &after);
	if (!why && after.used < size)
		why = "an allocation is not in use";
	if (!why && !after.blocks)
		why = "an allocation is in no block";
	if (why)
		BAD("%s: %s", dpr_device_selector(place->device), why);
	check_limit(after.limit);
	check_last(usm, size, 9);
	dpr_usm_release(usm);
}

void threads_pool_end(void)
{
	size_t i;

	for (i = 0; i < n_places; i++) {
		OK(dpr_pool_set_pressure(places[i].device, NULL, NULL));
		OK(dpr_pool_set_limit(places[i].device, 0));
		SAME((long long)stats_of(places[i].device, DPR_USM_DEVICE)
			     .limit,
		     0);
	}
	printf("%llu calls under pressure\n", (unsigned long long)n_pressed);
}
