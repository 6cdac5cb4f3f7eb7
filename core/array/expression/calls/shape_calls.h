/* SPDX-License-Identifier: Apache-2.0 */
/* shape_calls.h - the functions of shapes in expressions. */
#ifndef ARRAY_SHAPE_CALLS_H
#define ARRAY_SHAPE_CALLS_H

#include "core/array/expression/builtins.h"

/* Each of these is `run` of a struct function. */
dpr_status shape_calls_atleast_1d(struct function_call *call);
dpr_status shape_calls_atleast_2d(struct function_call *call);
dpr_status shape_calls_atleast_3d(struct function_call *call);
dpr_status shape_calls_broadcast_to(struct function_call *call);
dpr_status shape_calls_concat(struct function_call *call);
dpr_status shape_calls_diagonal(struct function_call *call);
dpr_status shape_calls_expand_dims(struct function_call *call);
dpr_status shape_calls_flip(struct function_call *call);
dpr_status shape_calls_matrix_transpose(struct function_call *call);
dpr_status shape_calls_moveaxis(struct function_call *call);
dpr_status shape_calls_permute_dims(struct function_call *call);
dpr_status shape_calls_repeat(struct function_call *call);
dpr_status shape_calls_reshape(struct function_call *call);
dpr_status shape_calls_roll(struct function_call *call);
dpr_status shape_calls_rot90(struct function_call *call);
dpr_status shape_calls_squeeze(struct function_call *call);
dpr_status shape_calls_stack(struct function_call *call);
dpr_status shape_calls_swapaxes(struct function_call *call);
dpr_status shape_calls_tile(struct function_call *call);
dpr_status shape_calls_tril(struct function_call *call);
dpr_status shape_calls_triu(struct function_call *call);

#endif
