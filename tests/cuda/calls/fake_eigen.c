/* SPDX-License-Identifier: Apache-2.0 */
/* fake_eigen.c - eigenvalues and singular values, by simple methods (see
   fake_impl.h). */
#include "tests/cuda/calls/fake_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 60

/* A rotation of two columns: p becomes c p - s q, and q becomes
   conj(s) p + c q, where `turn` has first turned q. */
struct rotation {
	double c, s;
	double complex turn;
};

/* The rotation that makes `off`, the element above the diagonal, 0. */
static struct rotation rotation_of(double app, double aqq, double complex off)
{
	const double size = cabs(off), tau = (aqq - app) / (2 * size);
	const double t = copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau));
	const double c = 1 / sqrt(1 + t * t);

	return (struct rotation){ c, t * c, conj(off) / size };
}

/* Rotate @n elements, @step apart, of two columns or rows. */
static void rotate(struct rotation r, double complex *p, double complex *q,
		   int64_t n, int64_t step)
{
	for (int64_t i = 0; i < n * step; i += step) {
		const double complex a = p[i], b = q[i] * r.turn;

		p[i] = r.c * a - r.s * b;
		q[i] = r.s * a + r.c * b;
	}
}

/* Sort columns of @x, @rows long, by their numbers. */
static void sort(double *w, double complex *x, int64_t n, int64_t rows,
		 double complex *y, int64_t rows_y, bool down)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t best = i;
		double kept = w[i];

		for (int64_t k = i + 1; k < n; k++)
			if (down ? w[k] > w[best] : w[k] < w[best])
				best = k;
		w[i] = w[best];
		w[best] = kept;
		for (int64_t r = 0; best != i && r < rows; r++) {
			const double complex z = x[r + i * rows];

			x[r + i * rows] = x[r + best * rows];
			x[r + best * rows] = z;
		}
		for (int64_t r = 0; best != i && y && r < rows_y; r++) {
			const double complex z = y[r + i * rows_y];

			y[r + i * rows_y] = y[r + best * rows_y];
			y[r + best * rows_y] = z;
		}
	}
}

static void set_identity(double complex *v, int64_t n)
{
	for (int64_t i = 0; i < n * n; i++)
		v[i] = i / n == i % n;
}

static bool are_finite(const double complex *a, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (!isfinite(creal(a[i])) || !isfinite(cimag(a[i])))
			return false;
	return true;
}

int fake_syev(double complex *a, int64_t n, bool upper, double *w)
{
	double complex *v = calloc((size_t)(n * n), sizeof(*v));
	bool rotated = true;

	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < n; i++)
			if (upper ? i > j : i < j)
				a[i + j * n] = conj(a[j + i * n]);
	if (!v || !are_finite(a, n * n)) {
		free(v);
		return 1;
	}
	set_identity(v, n);
	for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
		rotated = false;
		for (int64_t q = 1; q < n; q++)
			for (int64_t p = 0; p < q; p++) {
				const double app = creal(a[p + p * n]);
				const double aqq = creal(a[q + q * n]);
				const double complex off = a[p + q * n];
				struct rotation r;

				if (cabs(off) <=
				    DBL_EPSILON * DBL_EPSILON +
					    DBL_EPSILON / 8 *
						    sqrt(fabs(app * aqq)))
					continue;
				rotated = true;
				r = rotation_of(app, aqq, off);
				rotate(r, a + p * n, a + q * n, n, 1);
				rotate(r, v + p * n, v + q * n, n, 1);
				r.turn = conj(r.turn);
				rotate(r, a + p, a + q, n, n);
			}
	}
	for (int64_t i = 0; i < n; i++)
		w[i] = creal(a[i + i * n]);
	sort(w, v, n, n, NULL, 0, false);
	memcpy(a, v, (size_t)(n * n) * sizeof(*v));
	free(v);
	return 0;
}

/* --- Singular values ------------------------------------------------------ */

static double complex product(const double complex *x, const double complex *y,
			      int64_t n)
{
	double complex sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += conj(x[i]) * y[i];
	return sum;
}

/* Make column @j of u orthogonal to those before. */
static void add_column(double complex *u, int64_t m, int64_t j)
{
	double complex *x = u + j * m;
	double size = 0;

	for (int64_t unit = 0; size < 0.1 && unit < m; unit++) {
		for (int64_t i = 0; i < m; i++)
			x[i] = i == unit;
		for (int turn = 0; turn < 2; turn++)
			for (int64_t c = 0; c < j; c++) {
				const double complex z =
					product(u + c * m, x, m);

				for (int64_t i = 0; i < m; i++)
					x[i] -= z * u[i + c * m];
			}
		size = sqrt(creal(product(x, x, m)));
	}
	for (int64_t i = 0; i < m; i++)
		x[i] /= size;
}

int fake_gesvd(const double complex *a, int64_t m, int64_t n, double *s,
	       double complex *u, double complex *vh)
{
	double complex *v = calloc((size_t)(n * n), sizeof(*v));
	bool rotated = true;

	if (!v || !are_finite(a, m * n)) {
		free(v);
		return 1;
	}
	set_identity(v, n);
	memcpy(u, a, (size_t)(m * n) * sizeof(*u));
	for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
		rotated = false;
		for (int64_t q = 1; q < n; q++)
			for (int64_t p = 0; p < q; p++) {
				double complex *x = u + p * m, *y = u + q * m;
				const double xx = creal(product(x, x, m));
				const double yy = creal(product(y, y, m));
				const double complex off = product(x, y, m);
				struct rotation r;

				if (cabs(off) <= DBL_EPSILON * sqrt(xx * yy))
					continue;
				rotated = true;
				r = rotation_of(xx, yy, off);
				rotate(r, x, y, m, 1);
				rotate(r, v + p * n, v + q * n, n, 1);
			}
	}
	for (int64_t j = 0; j < n; j++)
		s[j] = sqrt(creal(product(u + j * m, u + j * m, m)));
	sort(s, u, n, m, v, n, true);
	for (int64_t j = 0; j < m; j++)
		if (j < n && s[j] > 0)
			for (int64_t i = 0; i < m; i++)
				u[i + j * m] /= s[j];
		else
			add_column(u, m, j);
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < n; i++)
			vh[i + j * n] = conj(v[j + i * n]);
	free(v);
	return 0;
}

/* --- Eigenvalues of any matrix -------------------------------------------- */

/* Make h zero below the diagonal under the first one, by reflections, which
   are gathered in q. */
static void make_hessenberg(double complex *h, double complex *q, int64_t n,
			    double complex *v)
{
	for (int64_t p = 0; p + 2 < n; p++) {
		double complex *x = h + p * n;
		double size =
			sqrt(creal(product(x + p + 1, x + p + 1, n - p - 1)));
		double norm;

		if (size == 0)
			continue;
		memset(v, 0, (size_t)n * sizeof(*v));
		memcpy(v + p + 1, x + p + 1, (size_t)(n - p - 1) * sizeof(*v));
		v[p + 1] += cabs(v[p + 1]) > 0
				    ? v[p + 1] / cabs(v[p + 1]) * size
				    : size;
		norm = sqrt(creal(product(v, v, n)));
		for (int64_t i = 0; i < n; i++)
			v[i] /= norm;
		for (int64_t j = 0; j < n; j++) {
			const double complex z = 2 * product(v, h + j * n, n);

			for (int64_t i = 0; i < n; i++)
				h[i + j * n] -= v[i] * z;
		}
		for (int64_t i = 0; i < n; i++) {
			double complex z = 0, y = 0;

			for (int64_t j = 0; j < n; j++) {
				z += h[i + j * n] * v[j];
				y += q[i + j * n] * v[j];
			}
			for (int64_t j = 0; j < n; j++) {
				h[i + j * n] -= 2 * z * conj(v[j]);
				q[i + j * n] -= 2 * y * conj(v[j]);
			}
		}
	}
}

/* The value of the last two rows that is next to the last element. */
static double complex shift_of(const double complex *h, int64_t n, int64_t hi)
{
	const double complex a = h[hi - 1 + (hi - 1) * n];
	const double complex b = h[hi - 1 + hi * n];
	const double complex c = h[hi + (hi - 1) * n], d = h[hi + hi * n];
	const double complex half = (a + d) / 2;
	const double complex root = csqrt(half * half - (a * d - b * c));

	return cabs(half + root - d) < cabs(half - root - d) ? half + root
							     : half - root;
}

/* A step of the QR method for rows lo to hi. */
static void step(double complex *h, double complex *q, int64_t n, int64_t lo,
		 int64_t hi, double complex shift, double complex *turns)
{
	for (int64_t i = lo; i <= hi; i++)
		h[i + i * n] -= shift;
	for (int64_t k = lo; k < hi; k++) {
		const double complex a = h[k + k * n], b = h[k + 1 + k * n];
		const double size = hypot(cabs(a), cabs(b));
		const double complex c = size > 0 ? a / size : 1;
		const double complex s = size > 0 ? b / size : 0;

		turns[2 * k] = c;
		turns[2 * k + 1] = s;
		for (int64_t j = k; j < n; j++) {
			const double complex x = h[k + j * n];
			const double complex y = h[k + 1 + j * n];

			h[k + j * n] = conj(c) * x + conj(s) * y;
			h[k + 1 + j * n] = c * y - s * x;
		}
	}
	for (int64_t k = lo; k < hi; k++)
		for (int64_t i = 0; i < n; i++) {
			const double complex c = turns[2 * k];
			const double complex s = turns[2 * k + 1];
			const double complex x = h[i + k * n];
			const double complex y = h[i + (k + 1) * n];
			const double complex v = q[i + k * n];
			const double complex w = q[i + (k + 1) * n];

			if (i <= k + 1) {
				h[i + k * n] = c * x + s * y;
				h[i + (k + 1) * n] = conj(c) * y - conj(s) * x;
			}
			q[i + k * n] = c * v + s * w;
			q[i + (k + 1) * n] = conj(c) * w - conj(s) * v;
		}
	for (int64_t i = lo; i <= hi; i++)
		h[i + i * n] += shift;
}

/* Make h an upper triangle.  Returns false if that takes too long. */
static bool make_triangle(double complex *h, double complex *q, int64_t n,
			  double complex *turns)
{
	int tries = 0;

	for (int64_t hi = n - 1; hi > 0;) {
		int64_t lo = hi;

		while (lo > 0 &&
		       cabs(h[lo + (lo - 1) * n]) >
			       DBL_EPSILON * (cabs(h[lo + lo * n]) +
					      cabs(h[lo - 1 + (lo - 1) * n])))
			lo--;
		if (lo > 0)
			h[lo + (lo - 1) * n] = 0;
		if (lo == hi) {
			hi--;
			tries = 0;
			continue;
		}
		if (++tries > 300)
			return false;
		step(h, q, n, lo, hi,
		     tries % 10 ? shift_of(h, n, hi)
				: cabs(h[hi + (hi - 1) * n]),
		     turns);
	}
	return true;
}

/* The vectors of a triangle t, times q. */
static void find_vectors(const double complex *t, const double complex *q,
			 int64_t n, double complex *x, double complex *v)
{
	for (int64_t j = 0; j < n; j++) {
		double size;

		for (int64_t i = j; i >= 0; i--) {
			double complex sum = 0, by = t[i + i * n];

			for (int64_t p = i + 1; p <= j; p++)
				sum -= t[i + p * n] * x[p];
			by -= t[j + j * n];
			if (cabs(by) < DBL_EPSILON)
				by = DBL_EPSILON;
			x[i] = i == j ? 1 : sum / by;
		}
		for (int64_t i = 0; i < n; i++) {
			v[i + j * n] = 0;
			for (int64_t p = 0; p <= j; p++)
				v[i + j * n] += q[i + p * n] * x[p];
		}
		size = sqrt(creal(product(v + j * n, v + j * n, n)));
		for (int64_t i = 0; i < n; i++)
			v[i + j * n] /= size;
	}
}

/* Make a vector real. */
static void make_real(double complex *v, int64_t n)
{
	double complex most = v[0];

	for (int64_t i = 1; i < n; i++)
		most = cabs(v[i]) > cabs(most) ? v[i] : most;
	for (int64_t i = 0; i < n; i++)
		v[i] = creal(v[i] * conj(most) / cabs(most));
}

/* Put the values of a real matrix in order: real ones as real numbers, and
   pairs, whose second values are then left out. */
static void make_pairs(const double complex *w, const double complex *v,
		       int64_t n, double complex *to_w, double complex *to_v)
{
	int64_t to = 0;
	double size = 0;

	for (int64_t i = 0; i < n; i++)
		size = fmax(size, cabs(w[i]));
	for (int64_t i = 0; i < n && to < n; i++) {
		const bool is_real = fabs(cimag(w[i])) <= 1e-11 * size;

		if (!is_real && cimag(w[i]) < 0)
			continue;
		to_w[to] = is_real ? creal(w[i]) : w[i];
		memcpy(to_v + to * n, v + i * n, (size_t)n * sizeof(*v));
		if (is_real)
			make_real(to_v + to * n, n);
		to++;
		if (is_real || to == n)
			continue;
		to_w[to] = conj(w[i]);
		for (int64_t r = 0; r < n; r++)
			to_v[r + to * n] = conj(v[r + i * n]);
		to++;
	}
}

int fake_geev(const double complex *a, int64_t n, bool is_real,
	      double complex *w, double complex *v)
{
	const size_t size = (size_t)(n * n);
	double complex *all = calloc(3 * size + 4 * (size_t)n, sizeof(*all));
	double complex *h = all, *q = h + size, *x = q + size, *line = x + size;
	int info = 1;

	if (!all)
		return 1;
	memcpy(h, a, size * sizeof(*h));
	set_identity(q, n);
	if (are_finite(a, n * n)) {
		make_hessenberg(h, q, n, line);
		info = !make_triangle(h, q, n, line);
	}
	if (!info) {
		find_vectors(h, q, n, line, x);
		for (int64_t i = 0; i < n; i++)
			line[i] = w[i] = h[i + i * n];
		memcpy(v, x, size * sizeof(*v));
		if (is_real)
			make_pairs(line, x, n, w, v);
	}
	free(all);
	return info;
}
