/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_faults_linalg.c - linear algebra with faults: on the mock, through the
 * memory of the host backend, and on the host itself.
 */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/linalg.h>

#include "tests/support/faults.h"

/* Add the absolute values of @x to *@sum, and release @x. */
static dpr_status add(dpr_status status, dpr_array *x, double *sum)
{
	float v[32];
	size_t n;

	MADE(status, x);
	if (status)
		return status;
	n = (size_t)dpr_array_size(x);
	status = dpr_array_to_memory(x, v, sizeof(v), NULL);
	for (size_t i = 0; !status && i < n; i++)
		*sum += dpr_array_dtype(x) == DPR_COMPLEX64
				? hypot((double)v[2 * i], (double)v[2 * i + 1])
			: dpr_array_dtype(x) == DPR_INT64
				? (double)((const int64_t *)(const void *)v)[i]
				: fabs((double)v[i]);
	dpr_array_release(x);
	return status;
}

/* Check that the absolute values of all results add up to @want, and release
   the results. */
static dpr_status adds_to(dpr_status status, dpr_array *const *x, int n,
			  double want)
{
	const dpr_status made = status;
	double sum = 0;

	for (int i = 0; i < n; i++) {
		const dpr_status one = add(made, x[i], &sum);

		status = status ? status : one;
	}
	if (!status)
		ck_assert_msg(fabs(sum - want) < 1e-5 * want, "%g, not %g", sum,
			      want);
	return status;
}

/* The matrix of these attempts. */
static dpr_status make(dpr_queue *queue, dpr_array **out)
{
	static const float two[] = { 2, 1, 1, 3 };

	return dpr_array_from_memory(two, DPR_SHAPE(2, 2), NULL, DPR_FLOAT32,
				     queue, out);
}

#define WITH_MATRIX(name, queue, call, n, want)                    \
	static dpr_status try_##name(void)                         \
	{                                                          \
		dpr_array *m = NULL, *x[3] = { NULL, NULL, NULL }; \
		dpr_status status = make(queue, &m);               \
                                                                   \
		if (!status)                                       \
			status = adds_to(call, x, n, want);        \
		dpr_array_release(m);                              \
		return status;                                     \
	}
#define NO_RTOL dpr_operand_none()

WITH_MATRIX(cholesky, q1, dpr_cholesky(m, 0, &x[0]), 1, 3.70245917)
WITH_MATRIX(solve, q1, dpr_solve(m, m, &x[0]), 1, 2)
WITH_MATRIX(triangular, q1, dpr_solve_triangular(m, m, 0, 0, &x[0]), 1, 7.0 / 3)
WITH_MATRIX(inv, q1, dpr_inv(m, &x[0]), 1, 1.4)
WITH_MATRIX(power, q1, dpr_matrix_power(m, -3, &x[0]), 1, 0.72)
WITH_MATRIX(det, q1, dpr_det(m, &x[0]), 1, 5)
WITH_MATRIX(slogdet, q1, dpr_slogdet(m, &x[0], &x[1]), 2, 2.6094379)
WITH_MATRIX(lu, q1, dpr_lu(m, &x[0], &x[1], &x[2]), 3, 10)
WITH_MATRIX(qr, q1, dpr_qr(m, DPR_QR_REDUCED, &x[0], &x[1]), 2, 9.3914855)
WITH_MATRIX(eigh, q1, dpr_eigh(m, 0, &x[0], &x[1]), 2, 7.7527638)
WITH_MATRIX(eigvalsh, q1, dpr_eigvalsh(m, 0, &x[0]), 1, 5)
WITH_MATRIX(eig, q1, dpr_eig(m, &x[0], &x[1]), 2, 7.7527638)
WITH_MATRIX(eigvals, q1, dpr_eigvals(m, &x[0]), 1, 5)
WITH_MATRIX(svd, q1, dpr_svd(m, 1, &x[0], &x[1], &x[2]), 3, 10.5055277)
WITH_MATRIX(svdvals, q1, dpr_svdvals(m, &x[0]), 1, 5)
WITH_MATRIX(pinv, q1, dpr_pinv(m, NO_RTOL, &x[0]), 1, 1.4)
WITH_MATRIX(rank, q1, dpr_matrix_rank(m, 0.01, &x[0]), 1, 2)
WITH_MATRIX(norm, q1, dpr_matrix_norm(m, DPR_NORM_FRO, 0, &x[0]), 1, 3.8729833)
WITH_MATRIX(cond, q1, dpr_cond(m, DPR_NORM_1, &x[0]), 1, 3.2)
WITH_MATRIX(lstsq, q1, dpr_lstsq(m, m, NO_RTOL, &x[0], &x[1], &x[2]), 3, 9)
WITH_MATRIX(text, q1,
	    dpr_evaluate("u, s, vh = svd(m); sum(s)", NULL, &x[0], "m", m), 1,
	    5)

/* The view is so large that a kernel packs it before the move to the host. */
static dpr_status try_packed(void)
{
	dpr_array *x, *y = NULL, *det = NULL;
	dpr_status status = dpr_eye(70, 70, 0, DPR_FLOAT32, q1, &x);

	if (status)
		return status;
	status = dpr_matrix_transpose(x, &y);
	if (!status)
		status = adds_to(dpr_det(y, &det), &det, 1, 1);
	dpr_array_release(x);
	dpr_array_release(y);
	return status;
}

static dpr_queue *host(void)
{
	dpr_queue *queue = NULL;

	return dpr_canonical_queue("host", &queue) ? NULL : queue;
}

WITH_MATRIX(host_solve, host(), dpr_solve(m, m, &x[0]), 1, 2)
WITH_MATRIX(host_svd, host(), dpr_svd(m, 1, &x[0], &x[1], &x[2]), 3, 10.5055277)

static const struct attempt list[] = {
	{ "cholesky", try_cholesky },
	{ "solve", try_solve },
	{ "solve_triangular", try_triangular },
	{ "inv", try_inv },
	{ "matrix_power", try_power },
	{ "det", try_det },
	{ "slogdet", try_slogdet },
	{ "lu", try_lu },
	{ "qr", try_qr },
	{ "eigh", try_eigh },
	{ "eigvalsh", try_eigvalsh },
	{ "eig", try_eig },
	{ "eigvals", try_eigvals },
	{ "svd", try_svd },
	{ "svdvals", try_svdvals },
	{ "pinv", try_pinv },
	{ "matrix_rank", try_rank },
	{ "matrix_norm", try_norm },
	{ "cond", try_cond },
	{ "lstsq", try_lstsq },
	{ "a text", try_text },
	{ "det, packed", try_packed },
	{ "solve on the host", try_host_solve },
	{ "svd on the host", try_host_svd },
};

/* Whether there is a host backend with a LAPACK, which a child process finds
   out. */
static bool has_lapack(void)
{
	const pid_t child = fork();
	dpr_array *m = NULL, *x = NULL;
	dpr_status status;
	int code;

	if (child > 0)
		return waitpid(child, &code, 0) == child && WIFEXITED(code) &&
		       !WEXITSTATUS(code);
	status = make(host(), &m);
	if (!status)
		status = dpr_inv(m, &x);
	dpr_array_release(m);
	dpr_array_release(x);
	if (status)
		printf("skipped: no LAPACK: %s\n", dpr_last_error());
	exit(status ? EXIT_FAILURE : EXIT_SUCCESS);
}

int main(void)
{
	static char host_plugin[4096];
	const char *folder = getenv("DPR_PLUGIN_PATH");

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!has_lapack())
		return 77;
	snprintf(host_plugin, sizeof(host_plugin), ":%s/libdpr-host.so",
		 folder ? folder : ".");
	beside_mocks = host_plugin;
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
