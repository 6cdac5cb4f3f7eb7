/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.h - fixtures/numerics.bin: inputs and what NumPy makes of them, the
 * same inputs as arrays of every layout, and how near a result must be.
 */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/dpr.h>

#define ORACLE_RANK 3

/* How the elements of an input lie. */
enum layout {
	LAYOUT_PLAIN,      /* C-contiguous */
	LAYOUT_STRIDED,    /* every second element of every axis */
	LAYOUT_NEGATIVE,   /* backwards along every axis */
	LAYOUT_TRANSPOSED, /* axes the other way round */
	LAYOUT_LONG,       /* 1-d, the elements again and again, 2161 in all */
	LAYOUT_COUNT
};

#define LONG_COUNT 2161

/* An input.  */
struct pool {
	char name[40];
	dpr_dtype dtype;
	int rank;
	int64_t shape[ORACLE_RANK], count;
	const unsigned char *data;
	dpr_array *layouts[LAYOUT_COUNT]; /* made when first asked for */
	struct pool *full;                /* broadcast to 12 x 12 */
};

/* A line of the fixture that says what is expected. */
struct expectation {
	char verb[12];     /* case, reduce, cast, arange, linspace */
	char function[24]; /* of case and reduce */
	char rest[80];     /* axes, or numbers */
	dpr_dtype dtype;
	const unsigned char *data;
	struct pool *operands[3];
	int n_operands;
};

/* Read the fixture; ends the test program with a message if it cannot. */
void oracle_load(void);
/* Drop the arrays and, with @all, the fixture. */
void oracle_drop(bool all);

/* The i-th expectation, NULL after the last. */
struct expectation *oracle_at(size_t i);

/* An array of the pool's elements on @queue, owned by the pool. */
dpr_array *oracle_array(struct pool *pool, enum layout layout,
			dpr_queue *queue);
/* A pool of two axes broadcast to 12 x 12. */
struct pool *oracle_full(struct pool *pool);

/* How near. */
struct tolerance {
	double ulp;    /* of the dtype; of a complex number's larger part */
	double size;   /* units are at least those of a number of this size */
	bool any_zero; /* 0 and -0 are the same */
	bool any_overflow; /* complex: anything not finite for one such */
};

/* Whether an element is as expected. */
bool oracle_near(dpr_dtype dtype, const void *found, const void *expected,
		 const struct tolerance *tolerance);

/* An element as text. */
const char *oracle_text(dpr_dtype dtype, const void *element, char out[80]);

#endif
