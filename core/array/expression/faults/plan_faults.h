/* SPDX-License-Identifier: Apache-2.0 */
/* plan_faults.h - error texts of plans: what was probably meant. */
#ifndef ARRAY_PLAN_FAULTS_H
#define ARRAY_PLAN_FAULTS_H

#include "core/array/expression/planner.h"

/* Each of these fails because of @node. */

/* A string that is the name of no dtype. */
dpr_status plan_faults_dtype(struct planner *p, const struct scope *scope,
			     const struct node *node);

/* A call that has @n results, where one is needed. */
dpr_status plan_faults_several(struct planner *p, const struct scope *scope,
			       const struct node *node, size_t n);

/* A call of a name that nothing has. */
dpr_status plan_faults_function(struct planner *p, const struct scope *scope,
				const struct node *node);

/* A keyword that is no parameter of the function with the signature @s. */
dpr_status plan_faults_parameter(struct planner *p, const struct scope *scope,
				 const struct node *node,
				 const struct signature *s);

#endif
