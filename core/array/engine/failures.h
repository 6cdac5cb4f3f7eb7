/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures.h - remembers kernels that the driver's compiler has refused.
 *
 * The compiler would refuse such a kernel again, after the same time.  The
 * newest failures are remembered until dpr_finalize().  Any thread may call
 * these functions.
 */
#ifndef ARRAY_FAILURES_H
#define ARRAY_FAILURES_H

#include <stddef.h>

#include <dpr/status.h>

/* Fail with the same text as the last time, if the kernel with this key has
   failed.  DPR_OK: no failure is known. */
dpr_status failures_tell(const void *key, size_t size);

/* Note the outcome @status of making the kernel.  The text is the thread's last
   error.  Only refusals with a message from the compiler are remembered: any
   other failure may not occur again. */
void failures_note(const void *key, size_t size, dpr_status status);

#endif
