/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures.h - remembers kernels that the driver's compiler has refused.
 *
 * Compiling a refused kernel a second time would take as long as the first
 * time, and would fail as well.  The newest failures are remembered until
 * dpr_finalize().  Any thread may call these functions.
 */
#ifndef ARRAY_FAILURES_H
#define ARRAY_FAILURES_H

#include <stddef.h>

#include <dpr/status.h>

/* If making the kernel with this key has failed before, fail with the text of
   the earlier failure.  DPR_OK: no failure is known. */
dpr_status failures_tell(const void *key, size_t size);

/* Record that making the kernel with this key ended with @status.  The text to
   remember is dpr_last_error().  Only a refusal with a message from the
   compiler is remembered, because any other failure may not occur again. */
void failures_note(const void *key, size_t size, dpr_status status);

#endif
