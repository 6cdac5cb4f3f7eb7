/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode.h - kernels for devices that take native code.  No compiler is needed:
 * a launch passes a program to one of the kernels of kernels/vm.h.
 */
#ifndef ARRAY_VMCODE_H
#define ARRAY_VMCODE_H

#include <dpr/launch.h>

#include "core/array/engine/schedule.h"
#include "core/base/text.h"
#include "kernels/images.h"

/* The module with the kernels of all graphs, in DPR_NATIVE_FORMAT. */
struct image vmcode_image(void);

/* Write the name of the kernel for @graph in this module.  Its parameters are
   the pointers of schedule.h, and the bytes of a program. */
#define VMCODE_NAME 16
void vmcode_name(const struct graph *graph, char name[VMCODE_NAME]);

/*
 * Append the program of @graph and @schedule to @out, which must be empty.  The
 * program ends with the @words of a launch (NULL: all are 0), 8 bytes for each
 * of schedule_words().  Another launch needs only other words.
 *
 * Returns false if memory runs out (then @out has failed), or if a reduction
 * computes too many values at a time.
 */
bool vmcode_program(const struct graph *graph, const struct schedule *schedule,
		    const uint64_t *words, struct text *out);

/* The longest row that a program of SCHEDULE_STAGES may have. */
int64_t vmcode_longest_row(const void *program);

/* The range of a launch of @program, which ends with its words, on a device
   with @cores cores. */
dpr_range vmcode_range(const void *program, uint64_t cores);

#endif
