/* SPDX-License-Identifier: Apache-2.0 */
/* calls_lapack.c - LAPACK's routines: each in every dtype, shape and layout, by
   residuals; flags that it does not have; NaN. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/kit/calls/calls_job.h"

static const struct calls_case cases[] = {
	{ "one number", 1, 1, 1, 1, CALLS_TIGHT, CALLS_ALONE, 0 },
	{ "one matrix", 5, 5, 2, 1, CALLS_TIGHT, CALLS_ALONE, 0 },
	{ "a batch", 3, 3, 3, 20, CALLS_TIGHT, CALLS_ALONE, 0 },
	{ "a batch with gaps", 4, 4, 3, 4, CALLS_GAPS, CALLS_ALONE, 0 },
	{ "a batch with strides below 0", 3, 3, 2, 3, CALLS_BACK, CALLS_ALONE,
	  0 },
	{ "matrices that interlock", 4, 4, 2, 3, CALLS_INTERLOCK, CALLS_ALONE,
	  0 },
	{ "more rows", 7, 4, 3, 3, CALLS_GAPS, CALLS_ALONE, 0 },
	{ "more columns", 4, 7, 3, 3, CALLS_BACK, CALLS_ALONE, 0 },
	{ "larger matrices", 40, 40, 40, 2, CALLS_GAPS, CALLS_ALONE, 0 },
	{ "larger matrices of more rows", 40, 21, 9, 2, CALLS_INTERLOCK,
	  CALLS_ALONE, 0 },
	{ "larger matrices of more columns", 21, 40, 9, 2, CALLS_GAPS,
	  CALLS_ALONE, 0 },
	{ "between copies on a busy queue", 5, 5, 2, 2, CALLS_GAPS, CALLS_LATE,
	  0 },
	{ "beside the same on another queue", 40, 40, 5, 2, CALLS_GAPS,
	  CALLS_BESIDE, 0 },
};

/* A batch with a matrix of NaN, or with a wrong flag. */
static const struct calls_case batch = { .about = "a batch",
					 .m = 4,
					 .n = 4,
					 .k = 4,
					 .count = 3,
					 .layout = CALLS_GAPS };

static const struct calls_routine *const routines[] = {
	&calls_potrf_routine, &calls_getrf_routine, &calls_getri_routine,
	&calls_gesv_routine,  &calls_trtrs_routine, &calls_geqrf_routine,
	&calls_orgqr_routine, &calls_syevd_routine, &calls_geev_routine,
	&calls_gesdd_routine,
};

static void prepare(struct calls_job *job, struct kit *kit,
		    const struct calls_routine *routine,
		    const struct calls_type *type, const struct calls_case *at,
		    int way)
{
	calls_begin(job, kit, routine, type, at);
	routine->prepare(job, way);
	calls_add(job, 'i', 1, 1);
}

/* Look at the results of the problems that have some. */
static void check_others(struct calls_job *job,
			 const struct calls_routine *routine)
{
	for (int64_t p = 0; p < job->at->count; p++)
		if (p != job->bad)
			routine->check(job, p);
}

static void try_case(struct kit *kit, const struct calls_routine *routine,
		     const struct calls_type *type, const struct calls_case *at)
{
	struct calls_job job;

	for (int way = 0; way < routine->ways; way++) {
		prepare(&job, kit, routine, type, at, way);
		if (calls_run(&job)) {
			check_others(&job, routine);
			if (job.bad >= 0 && routine->has_factors)
				routine->check(&job, job.bad);
		}
		calls_end(&job);
	}
}

/* The cases that are drawn for a routine and a dtype. */
#define DRAWS 6

/* Draw a case that fits.  The seed of the first one is the caller's. */
static struct calls_case draw(const struct calls_routine *routine, int number)
{
	static char about[60];
	const char *given = getenv("DPR_TEST_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	struct calls_job draws = { .seed = seed * DRAWS + (uint64_t)number };
	struct calls_case at = { .about = about, .layout = CALLS_DRAWN };

	snprintf(about, sizeof(about), "drawn by DPR_TEST_SEED=%llu",
		 ULL(seed));
	do {
		const int64_t most = calls_draw(&draws, 2) ? CALLS_MOST : 6;

		at.m = 1 + calls_draw(&draws, most);
		at.n = calls_draw(&draws, 3) ? 1 + calls_draw(&draws, most)
					     : at.m;
	} while (!routine->fits(&at));
	at.k = 1 + calls_draw(&draws, 12);
	at.count = 1 + calls_draw(&draws, 5);
	at.seed = draws.seed;
	return at;
}

/* Try a routine in each dtype.  Order does not depend on the dtype, so the
   first one is enough for that. */
static void try_routine(struct kit *kit, const struct calls_routine *routine)
{
	unsigned tried = 0;

	calls_need(kit);
	for (int t = 0; t < CALLS_TYPES; t++) {
		if (!calls_open(kit, routine->name, &calls_types[t]))
			continue;
		for (size_t i = 0; i < KIT_COUNT(cases); i++)
			if (routine->fits(&cases[i]) &&
			    (!tried || cases[i].time == CALLS_ALONE))
				try_case(kit, routine, &calls_types[t],
					 &cases[i]);
		for (int i = 0; i < DRAWS; i++) {
			const struct calls_case at = draw(routine, i);

			try_case(kit, routine, &calls_types[t], &at);
		}
		calls_close(kit);
		tried++;
	}
	if (!tried)
		note_skip("there is no %s here: %s", routine->name,
			  note_error_text());
}

/* Call @try for each routine that the plugin has, in the first dtype. */
static void try_all(struct kit *kit,
		    void (*try)(struct kit *kit,
				const struct calls_routine *routine,
				const struct calls_type *type))
{
	unsigned tried = 0;

	calls_need(kit);
	for (size_t i = 0; i < KIT_COUNT(routines); i++)
		for (int t = 0; t < CALLS_TYPES; t++)
			if (calls_open(kit, routines[i]->name,
				       &calls_types[t])) {
				try(kit, routines[i], &calls_types[t]);
				calls_close(kit);
				tried++;
				break;
			}
	if (!tried)
		note_skip("there is no routine of LAPACK here: %s",
			  note_error_text());
}

/* Flags that the routine does not have. */
static void try_flags(struct kit *kit, const struct calls_routine *routine,
		      const struct calls_type *type)
{
	static const int64_t both =
		DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED;
	struct calls_job job;

	for (int64_t flag = 1; flag <= 64; flag *= 2) {
		if (routine->flags & flag && flag != DPRP_LAPACK_CONJUGATED)
			continue;
		prepare(&job, kit, routine, type, &batch, 0);
		job.v.flags = routine->flags & flag ? both : flag;
		calls_refused(&job, DPR_RC_INVALID, "X3");
		calls_end(&job);
	}
}

/* NaN and infinity in a matrix: the routine returns, and the other matrices
   have their results. */
static void try_not_finite(struct kit *kit, const struct calls_routine *routine,
			   const struct calls_type *type)
{
	static const double numbers[] = { NAN, INFINITY, -INFINITY };
	struct calls_job job;

	for (size_t i = 0; i < KIT_COUNT(numbers); i++)
		for (int way = 0; way < routine->ways; way++) {
			prepare(&job, kit, routine, type, &batch, way);
			job.bad = 1;
			job.bad_info = -1;
			for (int64_t k = 0; k < 16; k++)
				calls_put_one(&job, 0, 1, k % 4, k / 4,
					      numbers[i]);
			if (calls_run(&job))
				check_others(&job, routine);
			calls_end(&job);
		}
}

void calls_potrf(struct kit *kit)
{
	try_routine(kit, &calls_potrf_routine);
}

void calls_getrf(struct kit *kit)
{
	try_routine(kit, &calls_getrf_routine);
}

void calls_getri(struct kit *kit)
{
	try_routine(kit, &calls_getri_routine);
}

void calls_gesv(struct kit *kit)
{
	try_routine(kit, &calls_gesv_routine);
}

void calls_trtrs(struct kit *kit)
{
	try_routine(kit, &calls_trtrs_routine);
}

void calls_geqrf(struct kit *kit)
{
	try_routine(kit, &calls_geqrf_routine);
}

void calls_orgqr(struct kit *kit)
{
	try_routine(kit, &calls_orgqr_routine);
}

void calls_syevd(struct kit *kit)
{
	try_routine(kit, &calls_syevd_routine);
}

void calls_geev(struct kit *kit)
{
	try_routine(kit, &calls_geev_routine);
}

void calls_gesdd(struct kit *kit)
{
	try_routine(kit, &calls_gesdd_routine);
}

void calls_flags(struct kit *kit)
{
	try_all(kit, try_flags);
}

void calls_not_finite(struct kit *kit)
{
	note_rule("X4");
	try_all(kit, try_not_finite);
}
