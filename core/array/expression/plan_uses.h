/* SPDX-License-Identifier: Apache-2.0 */
/* plan_uses.h - counts the uses of the steps of a plan. */
#ifndef ARRAY_PLAN_USES_H
#define ARRAY_PLAN_USES_H

#include "core/array/expression/plan.h"

/* Set how often each step of a new plan is used, and its `orders`. */
void plan_uses_count(struct plan *plan);

#endif
