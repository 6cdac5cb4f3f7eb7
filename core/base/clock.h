/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time of waits and traces. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Times of CLOCK_MONOTONIC in nanoseconds: now, and now + @timeout.  The
   deadline is DPR_FOREVER if the sum overflows. */
uint64_t clock_now(void);
uint64_t clock_deadline(uint64_t timeout);

#endif
