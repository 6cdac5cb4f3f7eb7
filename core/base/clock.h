/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time of waits and traces. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC now, and now + @timeout without overflow, in nanoseconds. */
uint64_t clock_now(void);
uint64_t clock_deadline(uint64_t timeout);

#endif
