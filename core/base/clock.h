/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time of waits and traces. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* In nanoseconds: CLOCK_MONOTONIC now, and now + @timeout (DPR_FOREVER if that
   overflows). */
uint64_t clock_now(void);
uint64_t clock_deadline(uint64_t timeout);

#endif
