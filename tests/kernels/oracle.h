/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.h - fixtures/numerics.bin: the inputs and NumPy's results, the same
 * inputs as arrays of every layout, and how close a result must be.
 */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/dpr.h>

#define ORACLE_RANK 3

/* How the elements of an input are laid out in memory. */
enum layout {
	LAYOUT_PLAIN,      /* C-contiguous */
	LAYOUT_STRIDED,    /* every second element of every axis */
	LAYOUT_NEGATIVE,   /* backwards along every axis */
	LAYOUT_TRANSPOSED, /* axes in reverse order */
	LAYOUT_LONG,       /* 1-d, the elements repeated up to 2161 */
	LAYOUT_COUNT
};

#define LONG_COUNT 2161

/* An input. */
struct pool {
	char name[40];
	dpr_dtype dtype;
	int rank;
	int64_t shape[ORACLE_RANK], count;
	const unsigned char *data;
	dpr_array *layouts[LAYOUT_COUNT]; /* made when first asked for */
	struct pool *full;                /* broadcast to 12 x 12 */
};

/* An expected result: one line of the fixture. */
struct expectation {
	char verb[12];     /* case, reduce, cast, arange, linspace */
	char function[24]; /* of case and reduce */
	char rest[80];     /* axes, or numbers */
	dpr_dtype dtype;
	const unsigned char *data;
	struct pool *operands[3];
	int n_operands;
};

/* Read the fixture.  Ends the test program with a message if that fails. */
void oracle_load(void);
/* Release the arrays and, with @all, also the fixture. */
void oracle_drop(bool all);

/* The i-th expectation, NULL after the last. */
struct expectation *oracle_at(size_t i);

/* An array of the pool's elements on @queue, owned by the pool. */
dpr_array *oracle_array(struct pool *pool, enum layout layout,
			dpr_queue *queue);
/* The pool itself, or if it is smaller, a copy broadcast to 12 x 12. */
struct pool *oracle_full(struct pool *pool);

/* How close a result must be. */
struct tolerance {
	double ulp;        /* allowed units; complex: of the larger part */
	double size;       /* a unit is at least that of a number this large */
	bool any_zero;     /* 0 and -0 are the same */
	bool any_overflow; /* complex: any not finite value is as good */
};

/* Whether @found is close enough to @expected. */
bool oracle_near(dpr_dtype dtype, const void *found, const void *expected,
		 const struct tolerance *tolerance);

/* An element as text. */
const char *oracle_text(dpr_dtype dtype, const void *element, char out[80]);

#endif
