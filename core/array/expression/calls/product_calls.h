/* SPDX-License-Identifier: Apache-2.0 */
/* product_calls.h - the functions of dpr/products.h in expressions. */
#ifndef ARRAY_PRODUCT_CALLS_H
#define ARRAY_PRODUCT_CALLS_H

#include "core/array/expression/builtins.h"

dpr_status product_calls_kron(struct function_call *call);
dpr_status product_calls_matmul(struct function_call *call);
dpr_status product_calls_matrix_power(struct function_call *call);
dpr_status product_calls_matvec(struct function_call *call);
dpr_status product_calls_multi_dot(struct function_call *call);
dpr_status product_calls_tensordot(struct function_call *call);
dpr_status product_calls_vecmat(struct function_call *call);

#endif
