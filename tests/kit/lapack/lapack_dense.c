/* SPDX-License-Identifier: Apache-2.0 */
/* lapack_dense.c - linear algebra of small matrices, by the simplest methods.
 */
#include <math.h>

#include "tests/kit/lapack/faulty_lapack.h"

struct dense dense_identity(int64_t m, int64_t n)
{
	struct dense x = { .m = m, .n = n };

	for (int64_t i = 0; i < m && i < n; i++)
		x.v[i][i] = 1;
	return x;
}

struct dense dense_turned(const struct dense *x)
{
	struct dense y = { .m = x->n, .n = x->m };

	for (int64_t i = 0; i < x->m; i++)
		for (int64_t j = 0; j < x->n; j++)
			y.v[j][i] = conj(x->v[i][j]);
	return y;
}

void dense_transpose(struct dense *x)
{
	*x = dense_turned(x);
	for (int64_t i = 0; i < x->m; i++)
		for (int64_t j = 0; j < x->n; j++)
			x->v[i][j] = conj(x->v[i][j]);
}

/* --- Solutions ------------------------------------------------------------ */

static void exchange_rows(struct dense *x, int64_t i, int64_t k)
{
	for (int64_t j = 0; j < x->n; j++) {
		const double complex kept = x->v[i][j];

		x->v[i][j] = x->v[k][j];
		x->v[k][j] = kept;
	}
}

int64_t dense_lu(struct dense *a, int64_t *pivots)
{
	int64_t info = 0;

	for (int64_t p = 0; p < a->m && p < a->n; p++) {
		pivots[p] = p;
		for (int64_t i = p; i < a->m; i++)
			if (cabs(a->v[i][p]) > cabs(a->v[pivots[p]][p]))
				pivots[p] = i;
		exchange_rows(a, p, pivots[p]);
		if (a->v[p][p] == 0) {
			info = info ? info : p + 1;
			continue;
		}
		for (int64_t i = p + 1; i < a->m; i++) {
			a->v[i][p] /= a->v[p][p];
			for (int64_t j = p + 1; j < a->n; j++)
				a->v[i][j] -= a->v[i][p] * a->v[p][j];
		}
	}
	return info;
}

void dense_solve(const struct dense *lu, const int64_t *pivots, struct dense *b)
{
	for (int64_t i = 0; i < lu->n; i++)
		exchange_rows(b, i, pivots[i]);
	for (int64_t j = 0; j < b->n; j++) {
		for (int64_t i = 0; i < lu->n; i++)
			for (int64_t p = 0; p < i; p++)
				b->v[i][j] -= lu->v[i][p] * b->v[p][j];
		for (int64_t i = lu->n - 1; i >= 0; i--) {
			for (int64_t p = i + 1; p < lu->n; p++)
				b->v[i][j] -= lu->v[i][p] * b->v[p][j];
			b->v[i][j] /= lu->v[i][i];
		}
	}
}

/* --- QR ------------------------------------------------------------------- */

/* x = (1 - tau u u^H) x from column @from on, where u is reflector @p. */
static void reflect(const struct dense *a, int64_t p, double complex tau,
		    struct dense *x, int64_t from)
{
	for (int64_t j = from; j < x->n; j++) {
		double complex sum = x->v[p][j];

		for (int64_t i = p + 1; i < x->m; i++)
			sum += conj(a->v[i][p]) * x->v[i][j];
		x->v[p][j] -= tau * sum;
		for (int64_t i = p + 1; i < x->m; i++)
			x->v[i][j] -= tau * a->v[i][p] * sum;
	}
}

void dense_qr(struct dense *a, double complex *tau)
{
	for (int64_t p = 0; p < a->m && p < a->n; p++) {
		const double complex alpha = a->v[p][p];
		double norm = 0, beta;

		for (int64_t i = p; i < a->m; i++)
			norm += pow(cabs(a->v[i][p]), 2);
		beta = creal(alpha) > 0 ? -sqrt(norm) : sqrt(norm);
		tau[p] = 0;
		if (alpha == beta || norm == 0)
			continue;
		tau[p] = (beta - alpha) / beta;
		for (int64_t i = p + 1; i < a->m; i++)
			a->v[i][p] /= alpha - beta;
		a->v[p][p] = beta;
		reflect(a, p, conj(tau[p]), a, p + 1);
	}
}

void dense_reflect(const struct dense *a, const double complex *tau, int64_t k,
		   struct dense *q)
{
	for (int64_t p = k - 1; p >= 0; p--)
		reflect(a, p, tau[p], q, 0);
}

/* --- Singular values ------------------------------------------------------ */

/* Exchange two columns for c x - s y and s x + c y, where y is multiplied with
   @turn first. */
static void rotate(struct dense *x, int64_t p, int64_t q, double c, double s,
		   double complex turn)
{
	for (int64_t i = 0; i < x->m; i++) {
		const double complex a = x->v[i][p], b = x->v[i][q] * turn;

		x->v[i][p] = c * a - s * b;
		x->v[i][q] = s * a + c * b;
	}
}

/* Make two columns orthogonal. */
static void separate(struct dense *a, int64_t p, int64_t q, struct dense *v)
{
	double first = 0, second = 0, theta, t, c;
	double complex between = 0;

	for (int64_t i = 0; i < a->m; i++) {
		first += pow(cabs(a->v[i][p]), 2);
		second += pow(cabs(a->v[i][q]), 2);
		between += conj(a->v[i][p]) * a->v[i][q];
	}
	if (cabs(between) <= 1e-17 * sqrt(first * second))
		return;
	theta = (second - first) / (2 * cabs(between));
	t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
	c = 1 / sqrt(t * t + 1);
	rotate(a, p, q, c, t * c, conj(between) / cabs(between));
	rotate(v, p, q, c, t * c, conj(between) / cabs(between));
}

static void exchange_columns(struct dense *x, int64_t p, int64_t q)
{
	for (int64_t i = 0; i < x->m; i++) {
		const double complex kept = x->v[i][p];

		x->v[i][p] = x->v[i][q];
		x->v[i][q] = kept;
	}
}

/* Rotate columns until they are orthogonal. */
void dense_svd(struct dense *a, double *s, struct dense *v)
{
	*v = dense_identity(a->n, a->n);
	for (int turn = 0; turn < 20; turn++)
		for (int64_t p = 0; p < a->n; p++)
			for (int64_t q = p + 1; q < a->n; q++)
				separate(a, p, q, v);
	for (int64_t j = 0; j < a->n; j++) {
		s[j] = 0;
		for (int64_t i = 0; i < a->m; i++)
			s[j] += pow(cabs(a->v[i][j]), 2);
		s[j] = sqrt(s[j]);
		for (int64_t i = 0; i < a->m; i++)
			a->v[i][j] /= s[j];
	}
	for (int64_t p = 0; p < a->n; p++)
		for (int64_t q = p + 1; q < a->n; q++)
			if (s[q] > s[p]) {
				const double kept = s[p];

				s[p] = s[q];
				s[q] = kept;
				exchange_columns(a, p, q);
				exchange_columns(v, p, q);
			}
}

/* Subtract from column @j its parts along the columns before, twice, because
   the first time leaves a rounding error.  Returns the norm of the rest. */
static double make_orthogonal(struct dense *x, int64_t j)
{
	double norm = 0;

	for (int turn = 0; turn < 2; turn++)
		for (int64_t p = 0; p < j; p++) {
			double complex sum = 0;

			for (int64_t i = 0; i < x->m; i++)
				sum += conj(x->v[i][p]) * x->v[i][j];
			for (int64_t i = 0; i < x->m; i++)
				x->v[i][j] -= sum * x->v[i][p];
		}
	for (int64_t i = 0; i < x->m; i++)
		norm += pow(cabs(x->v[i][j]), 2);
	return sqrt(norm);
}

/* The unit vectors together have enough left for each new column: of one of
   them, more than 1 / m. */
void dense_complete(struct dense *x)
{
	while (x->n < x->m) {
		const int64_t j = x->n;
		double norm = 0;

		for (int64_t e = 0; norm * (double)x->m < 1; e++) {
			for (int64_t i = 0; i < x->m; i++)
				x->v[i][j] = i == e;
			norm = make_orthogonal(x, j);
		}
		for (int64_t i = 0; i < x->m; i++)
			x->v[i][j] /= norm;
		x->n++;
	}
}

/* --- Eigenvalues ---------------------------------------------------------- */

/* The eigenvalue of the last two rows and columns that is nearer to the last
   element of the diagonal. */
static double complex shift_of(const struct dense *a)
{
	const int64_t n = a->n;
	const double complex d = a->v[n - 1][n - 1];
	const double complex half = (a->v[n - 2][n - 2] - d) / 2;
	const double complex product = a->v[n - 1][n - 2] * a->v[n - 2][n - 1];
	const double complex root = csqrt(half * half + product);
	const double complex one = d + half + root, other = d + half - root;

	return cabs(one - d) < cabs(other - d) ? one : other;
}

/* a - mu = q r becomes r q + mu. */
static void step(struct dense *a, double complex mu)
{
	struct dense f = *a, q = dense_identity(a->n, a->n);
	double complex tau[DENSE_MOST];

	for (int64_t i = 0; i < a->n; i++)
		f.v[i][i] -= mu;
	dense_qr(&f, tau);
	dense_reflect(&f, tau, a->n, &q);
	for (int64_t i = 0; i < a->n; i++)
		for (int64_t j = 0; j < a->n; j++) {
			a->v[i][j] = i == j ? mu : 0;
			for (int64_t p = i; p < a->n; p++)
				a->v[i][j] += f.v[i][p] * q.v[p][j];
		}
}

/* Find the vector of a value, by solutions of a - w near w. */
static void find_vector(const struct dense *a, double complex w, int64_t column,
			struct dense *v)
{
	struct dense f = *a, x = { .m = a->n, .n = 1 };
	int64_t pivots[DENSE_MOST];

	for (int64_t i = 0; i < a->n; i++) {
		f.v[i][i] -= w + 1e-13;
		x.v[i][0] = 1 + (double)(i * 7 % 5) / 8;
	}
	dense_lu(&f, pivots);
	for (int64_t i = 0; i < a->n; i++)
		if (cabs(f.v[i][i]) < 1e-30)
			f.v[i][i] = 1e-30;
	for (int turn = 0; turn < 4; turn++) {
		double norm = 0;

		dense_solve(&f, pivots, &x);
		for (int64_t i = 0; i < a->n; i++)
			norm += pow(cabs(x.v[i][0]), 2);
		for (int64_t i = 0; i < a->n; i++)
			x.v[i][0] /= sqrt(norm);
	}
	for (int64_t i = 0; i < a->n; i++)
		v->v[i][column] = x.v[i][0];
}

/* Steps of QR with shifts, until the last row is 0 but for the diagonal. */
void dense_eigen(const struct dense *a, double complex *w, struct dense *v)
{
	struct dense left = *a;
	int steps = 0;

	while (left.n > 1) {
		double rest = 0;

		for (int64_t j = 0; j < left.n - 1; j++)
			rest += cabs(left.v[left.n - 1][j]);
		if (rest < 1e-14 || ++steps > 4000) {
			left.n--;
			left.m--;
			w[left.n] = left.v[left.n][left.n];
		} else {
			/* Now and then another shift, against a circle. */
			step(&left,
			     shift_of(&left) +
				     (steps % 8 ? 0 : rest * (0.6 + 0.4 * I)));
		}
	}
	w[0] = left.v[0][0];
	*v = dense_identity(a->n, a->n);
	for (int64_t i = 0; i < a->n; i++)
		find_vector(a, w[i], i, v);
}
