/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures.h - the kernels that the driver's compiler has refused.
 *
 * It would refuse them again, after as long as before.  The newest are
 * remembered until dpr_finalize().  Any thread may call these functions.
 */
#ifndef ARRAY_FAILURES_H
#define ARRAY_FAILURES_H

#include <stddef.h>

#include <dpr/status.h>

/* Fail as the kernel with these bytes as its key has failed, with the same
   text; DPR_OK: nothing is known of it. */
dpr_status failures_tell(const void *key, size_t size);

/* Note how making the kernel ended, with the thread's last error.  Only what
   the compiler has said is remembered: anything else may end another way next
   time, as may a compiler that was ended without a word. */
void failures_note(const void *key, size_t size, dpr_status status);

#endif
