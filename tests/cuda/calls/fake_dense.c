/* SPDX-License-Identifier: Apache-2.0 */
/* fake_dense.c - factors and solutions, in plain loops (see fake_impl.h). */
#include "tests/cuda/calls/fake_impl.h"

#include <math.h>

int fake_potrf(double complex *a, int64_t n, bool upper)
{
	/* Element (i, j) of the lower factor, or (j, i) of the upper one. */
#define AT(i, j) a[upper ? (j) + (i)*n : (i) + (j)*n]
	for (int64_t j = 0; j < n; j++) {
		double d = creal(AT(j, j));

		for (int64_t p = 0; p < j; p++)
			d -= pow(cabs(AT(j, p)), 2);
		/* NaN is not larger. */
		if (!(d > 0))
			return (int)j + 1;
		d = sqrt(d);
		AT(j, j) = d;
		for (int64_t i = j + 1; i < n; i++) {
			double complex sum = AT(i, j);

			for (int64_t p = 0; p < j; p++)
				sum -= AT(i, p) * conj(AT(j, p));
			AT(i, j) = sum / d;
		}
	}
#undef AT
	return 0;
}

static void exchange(double complex *a, int64_t rows, int64_t columns,
		     int64_t i, int64_t k)
{
	for (int64_t j = 0; j < columns && i != k; j++) {
		const double complex kept = a[i + j * rows];

		a[i + j * rows] = a[k + j * rows];
		a[k + j * rows] = kept;
	}
}

/* Like those of cuSOLVER, the factors show no NaN. */
int fake_getrf(double complex *a, int64_t m, int64_t n, int64_t *pivots)
{
	int info = 0;

	for (int64_t i = 0; i < m * n; i++)
		if (isnan(creal(a[i])) || isnan(cimag(a[i])))
			a[i] = 0;
	for (int64_t p = 0; p < (m < n ? m : n); p++) {
		int64_t best = p;

		for (int64_t i = p + 1; i < m; i++)
			if (cabs(a[i + p * m]) > cabs(a[best + p * m]))
				best = i;
		pivots[p] = best + 1;
		exchange(a, m, n, p, best);
		if (a[p + p * m] == 0) {
			info = info ? info : (int)p + 1;
			continue;
		}
		for (int64_t i = p + 1; i < m; i++)
			a[i + p * m] /= a[p + p * m];
		for (int64_t j = p + 1; j < n; j++)
			for (int64_t i = p + 1; i < m; i++)
				a[i + j * m] -= a[i + p * m] * a[p + j * m];
	}
	return info;
}

void fake_trsm(const double complex *a, int64_t n, bool upper, int op,
	       bool unit, double complex *b, int64_t k)
{
	/* Whether the triangle that is solved is the upper one. */
	const bool backwards = upper != (op != 0);

	for (int64_t c = 0; c < k; c++)
		for (int64_t s = 0; s < n; s++) {
			const int64_t i = backwards ? n - 1 - s : s;
			const int64_t from = backwards ? i + 1 : 0;
			const int64_t to = backwards ? n : i;
			double complex sum = b[i + c * n];

			for (int64_t p = from; p < to; p++) {
				const double complex z =
					op ? a[p + i * n] : a[i + p * n];

				sum -= (op == 2 ? conj(z) : z) * b[p + c * n];
			}
			if (!unit)
				sum /= op == 2 ? conj(a[i + i * n])
					       : a[i + i * n];
			b[i + c * n] = sum;
		}
}

void fake_getrs(const double complex *a, int64_t n, int op,
		const int64_t *pivots, double complex *b, int64_t k)
{
	if (op) {
		fake_trsm(a, n, true, op, false, b, k);
		fake_trsm(a, n, false, op, true, b, k);
		for (int64_t i = n - 1; i >= 0; i--)
			exchange(b, n, k, i, pivots[i] - 1);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		exchange(b, n, k, i, pivots[i] - 1);
	fake_trsm(a, n, false, 0, true, b, k);
	fake_trsm(a, n, true, 0, false, b, k);
}

/* Apply I - tau v v^H to a column, where v is 1 at @from and below that what
   column @v has. */
static void reflect(const double complex *v, int64_t m, int64_t from,
		    double complex tau, double complex *column)
{
	double complex sum = column[from];

	for (int64_t i = from + 1; i < m; i++)
		sum += conj(v[i]) * column[i];
	sum *= tau;
	column[from] -= sum;
	for (int64_t i = from + 1; i < m; i++)
		column[i] -= v[i] * sum;
}

void fake_geqrf(double complex *a, int64_t m, int64_t n, double complex *tau)
{
	for (int64_t p = 0; p < (m < n ? m : n); p++) {
		double complex *v = a + p * m;
		double below = 0, beta;

		for (int64_t i = p + 1; i < m; i++)
			below += pow(cabs(v[i]), 2);
		tau[p] = 0;
		if (below == 0 && cimag(v[p]) == 0)
			continue;
		beta = -copysign(sqrt(below + pow(cabs(v[p]), 2)), creal(v[p]));
		tau[p] = (beta - v[p]) / beta;
		for (int64_t i = p + 1; i < m; i++)
			v[i] /= v[p] - beta;
		v[p] = beta;
		for (int64_t j = p + 1; j < n; j++)
			reflect(v, m, p, conj(tau[p]), a + j * m);
	}
}

void fake_orgqr(double complex *a, int64_t m, int64_t n, int64_t k,
		const double complex *tau)
{
	for (int64_t j = k; j < n; j++)
		for (int64_t i = 0; i < m; i++)
			a[i + j * m] = i == j;
	for (int64_t p = k - 1; p >= 0; p--) {
		double complex *v = a + p * m;

		for (int64_t j = p + 1; j < n; j++)
			reflect(v, m, p, tau[p], a + j * m);
		for (int64_t i = 0; i < m; i++)
			v[i] = i < p ? 0 : i == p ? 1 - tau[p] : -tau[p] * v[i];
	}
}
