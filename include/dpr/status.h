/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - the status that a function returns, and the text of an error. */
#ifndef DPR_STATUS_H
#define DPR_STATUS_H

#include <dpr/base.h>

DPR_BEGIN_DECLS

/*
 * Every status: name, value, one sentence.  Values are part of the ABI and are
 * never reused.
 */
/* clang-format off */
#define DPR_STATUS_MAP(X) \
	X(OK, 0, "success") \
	X(ERROR_INVALID_ARGUMENT, -1, "an argument is not allowed here") \
	X(ERROR_OUT_OF_MEMORY, -2, "the host is out of memory") \
	X(ERROR_OUT_OF_DEVICE_MEMORY, -3, "the device is out of memory") \
	X(ERROR_UNSUPPORTED, -4, "the device or backend cannot do this") \
	X(ERROR_NOT_FOUND, -5, "no such device, kernel, key or file") \
	X(ERROR_BUSY, -6, "objects are still alive or in use") \
	X(ERROR_TIMEOUT, -7, "the time limit of a wait has passed") \
	X(ERROR_SHUTDOWN, -8, "the library has been finalized") \
	X(ERROR_FORKED, -9, "drivers were opened before fork()") \
	X(ERROR_BUILD, -10, "the program did not build") \
	X(ERROR_DEVICE_LOST, -11, "the device no longer responds") \
	X(ERROR_ENVIRONMENT, -12, "an environment variable has a bad value") \
	X(ERROR_SELECTOR, -13, "the selector is malformed") \
	X(ERROR_PLUGIN, -14, "a backend plugin cannot be used") \
	X(ERROR_DRIVER, -15, "the driver refused a call") \
	X(ERROR_OVERFLOW, -16, "a number does not fit its type") \
	X(ERROR_LAYOUT, -17, "the array's layout cannot be used here") \
	X(ERROR_DTYPE, -18, "the dtype cannot be used here") \
	X(ERROR_SHAPE, -19, "the shapes do not match") \
	X(ERROR_EXECUTION_PLACEMENT, -20, "operands are on different queues") \
	X(ERROR_INDEX, -21, "an index or axis is out of range") \
	X(ERROR_INTERNAL, -22, "dpr or a plugin broke its own rules") \
	X(ERROR_EXISTS, -23, "there is one of this name already") \
	X(ERROR_FILE, -24, "a file cannot be read or written") \
	X(ERROR_LINALG, -25, "a matrix has no such result: it is singular or not " \
		"positive definite, or an iteration did not converge")
/* clang-format on */

/* What a function returns, from DPR_STATUS_MAP. */
typedef enum dpr_status {
#define DPR__X(name, value, text) DPR_##name = value,
	DPR_STATUS_MAP(DPR__X)
#undef DPR__X
		DPR_STATUS_FORCE_INT = 0x7fffffff /* keeps the size of an int */
} dpr_status;

/*
 * The name of @status, for instance "DPR_ERROR_BUSY"; "unknown status" for any
 * other number.  Static text.  Never fails.
 */
DPR_API const char *dpr_status_name(dpr_status status);

/* One sentence on @status.  Static text.  Never fails. */
DPR_API const char *dpr_status_text(dpr_status status);

/*
 * The error of this thread's last failed call: the operation, the object, the
 * driver's own code and its name, and what to do.  It may be long (a build log,
 * a load report).  Success does not clear it.  "" before the first failure.
 * The text is lent until another call fails in this thread, or the thread ends.
 */
DPR_API const char *dpr_last_error(void);

DPR_END_DECLS

#endif
