/* SPDX-License-Identifier: Apache-2.0 */
/* calls_matrix.c - arithmetic of small matrices, by loops. */
#include "tools/kit/calls/calls_job.h"

void calls_zeros(struct calls_matrix *x, int64_t rows, int64_t columns)
{
	x->rows = rows;
	x->columns = columns;
	for (int64_t i = 0; i < rows * columns; i++)
		x->at[i] = 0;
}

void calls_identity(struct calls_matrix *x, int64_t rows, int64_t columns)
{
	calls_zeros(x, rows, columns);
	for (int64_t i = 0; i < rows && i < columns; i++)
		*calls_at(x, i, i) = 1;
}

static double complex element(const struct calls_matrix *x, bool turn,
			      int64_t i, int64_t j)
{
	return turn ? conj(x->at[j + i * x->rows]) : x->at[i + j * x->rows];
}

void calls_product(const struct calls_matrix *a, bool turn_a,
		   const struct calls_matrix *b, bool turn_b,
		   struct calls_matrix *out)
{
	const int64_t inner = turn_a ? a->rows : a->columns;

	calls_zeros(out, turn_a ? a->columns : a->rows,
		    turn_b ? b->rows : b->columns);
	for (int64_t j = 0; j < out->columns; j++)
		for (int64_t i = 0; i < out->rows; i++)
			for (int64_t p = 0; p < inner; p++)
				*calls_at(out, i, j) +=
					element(a, turn_a, i, p) *
					element(b, turn_b, p, j);
}

void calls_clear_triangle(struct calls_matrix *x, bool above)
{
	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			if (above ? i < j : i > j)
				*calls_at(x, i, j) = 0;
}

void calls_reflect(const struct calls_matrix *reflectors, int64_t column,
		   double complex tau, struct calls_matrix *x)
{
	for (int64_t j = 0; j < x->columns; j++) {
		double complex sum = *calls_at(x, column, j);

		for (int64_t i = column + 1; i < x->rows; i++)
			sum += element(reflectors, true, column, i) *
			       *calls_at(x, i, j);
		*calls_at(x, column, j) -= tau * sum;
		for (int64_t i = column + 1; i < x->rows; i++)
			*calls_at(x, i, j) -=
				tau * element(reflectors, false, i, column) *
				sum;
	}
}
