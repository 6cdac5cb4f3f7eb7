/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_faults.h - error texts of evaluations: what was probably meant. */
#ifndef ARRAY_EVALUATE_FAULTS_H
#define ARRAY_EVALUATE_FAULTS_H

#include "core/array/expression/evaluate.h"

/* Fail because @operand is not bound to a value.  The text suggests the nearest
   name. */
dpr_status evaluate_faults_unbound(struct evaluation *ev,
				   const dpr_expression_operand *operand);

/* Fail because @name is bound, and no operand has this name. */
dpr_status evaluate_faults_unused(const struct evaluation *ev,
				  const char *name);

#endif
