/* SPDX-License-Identifier: Apache-2.0 */
/* retire.h - freeing allocations that were released while work used them. */
#ifndef RUNTIME_RETIRE_H
#define RUNTIME_RETIRE_H

#include "core/runtime/memory/usm.h"

/* Free it when no submission uses it any more.  Never waits, never fails. */
void retire_usm(dpr_usm *usm);

#endif
