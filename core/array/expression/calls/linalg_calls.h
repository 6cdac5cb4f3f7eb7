/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_calls.h - linear algebra in expressions. */
#ifndef ARRAY_LINALG_CALLS_H
#define ARRAY_LINALG_CALLS_H

#include "core/array/expression/builtins.h"

/* Each of these is `run` of a struct function. */
dpr_status linalg_calls_cholesky(struct function_call *call);
dpr_status linalg_calls_cond(struct function_call *call);
dpr_status linalg_calls_det(struct function_call *call);
dpr_status linalg_calls_eig(struct function_call *call);
dpr_status linalg_calls_eigh(struct function_call *call);
dpr_status linalg_calls_eigvals(struct function_call *call);
dpr_status linalg_calls_eigvalsh(struct function_call *call);
dpr_status linalg_calls_inv(struct function_call *call);
dpr_status linalg_calls_lstsq(struct function_call *call);
dpr_status linalg_calls_lu(struct function_call *call);
dpr_status linalg_calls_matrix_norm(struct function_call *call);
dpr_status linalg_calls_matrix_rank(struct function_call *call);
dpr_status linalg_calls_pinv(struct function_call *call);
dpr_status linalg_calls_qr(struct function_call *call);
dpr_status linalg_calls_slogdet(struct function_call *call);
dpr_status linalg_calls_solve(struct function_call *call);
dpr_status linalg_calls_solve_triangular(struct function_call *call);
dpr_status linalg_calls_svd(struct function_call *call);
dpr_status linalg_calls_svdvals(struct function_call *call);

/* The function part(results, k), which plan.c calls: result @k of a call that
   has several. */
extern const struct function linalg_calls_part;

#endif
