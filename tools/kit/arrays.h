/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.h - arrays on the devices of a plugin, through the public API, and
   what their elements should be. */
#ifndef TOOLS_ARRAYS_H
#define TOOLS_ARRAYS_H

#include <dpr/dpr.h>

#include "tools/kit/kit.h"

/* A device of the plugin. */
struct arrays {
	dpr_device *device;
	dpr_queue *queue;
};

/* Start the library with this plugin alone, and call @check for each device
   that the check is about.  @kernels: devices for which arrays have no kernels
   are left out; if none is left, the check is skipped. */
void arrays_each(struct kit *kit, bool kernels,
		 void (*check)(const struct arrays *on));

/* Say what is called next, on which device. */
void arrays_step(const struct arrays *on, const char *call, const char *args,
		 ...) __attribute__((format(printf, 3, 4)));
/* End the check with a finding unless the call has succeeded. */
void arrays_need(dpr_status status);
/* Make a call: ARRAYS_CALL(on, dpr_add(x, y, &z), "dpr_add", "float32"). */
#define ARRAYS_CALL(on, call, ...) \
	(arrays_step((on), __VA_ARGS__), arrays_need(call))

/* A number, of which an element of a real dtype has only the first part. */
struct arrays_number {
	double re, im;
};

/* Element @i of an operand: a whole number of -5 to 6, or 0 to 11, so that sums
   and products are exact in every dtype.  Operands differ by @salt. */
struct arrays_number arrays_value(dpr_dtype dtype, int64_t i, int salt);
/* Store an element, which the dtype holds exactly; load one. */
void arrays_store(dpr_dtype dtype, void *bytes, int64_t i,
		  struct arrays_number value);
struct arrays_number arrays_load(dpr_dtype dtype, const void *bytes, int64_t i);

/* Host memory of some bytes.  Ends the check if there is none. */
void *arrays_bytes(size_t size);
/* Make an array with the elements arrays_value(). */
dpr_array *arrays_make(const struct arrays *on, dpr_dtype dtype,
		       dpr_shape shape, int salt);

/* What the elements of a result should be, in C order. */
typedef struct arrays_number (*arrays_wanted)(int64_t i, const void *user);
/* Read the result and report a finding if elements are wrong.  @rule: which is
   broken then.  @ulps: how much they may be off, in units in the last place; 0:
   nothing.  Releases the array. */
void arrays_check(dpr_array *x, const char *rule, double ulps,
		  arrays_wanted wanted, const void *user);

#endif
