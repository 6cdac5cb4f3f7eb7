/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmcode.h - kernels for devices that take native code.
 *
 * No compiler is needed: the kernels are functions of the library
 * (kernels/vm.c).  Each launch passes a program, which the kernel interprets.
 * A program is a list of steps.  Each step calls a function that computes an
 * operation for a block of elements (kernels/vm_program.h).
 */
#ifndef ARRAY_VMCODE_H
#define ARRAY_VMCODE_H

#include <dpr/launch.h>

#include "core/array/engine/schedule.h"
#include "core/base/text.h"
#include "kernels/images.h"

/* The module whose kernels run all programs, as an image in DPR_NATIVE_FORMAT.
 */
struct image vmcode_image(void);

/* Write the name of the kernel in this module that runs programs of @graph.
   The kernel's parameters are the pointers of schedule.h, and the bytes of a
   program. */
#define VMCODE_NAME 16
void vmcode_name(const struct graph *graph, char name[VMCODE_NAME]);

/*
 * Write the program of @graph and @schedule to @out, which must be empty.  The
 * program ends with @words, the words of a launch (NULL: all are 0): 8 bytes
 * for each word of schedule_words().  To launch the program again, only the
 * words have to be replaced.
 *
 * Returns false if memory runs out; then @out->failed is set.  Also returns
 * false if a program that reduces would exceed a limit, for example because it
 * needs too many values at a time.
 */
bool vmcode_program(const struct graph *graph, const struct schedule *schedule,
		    const uint64_t *words, struct text *out);

/* The most elements of a row that @program, of SCHEDULE_STAGES, can compute. */
int64_t vmcode_longest_row(const void *program);

/* The range of a launch of @program on a device with @cores cores.  The program
   must end with the words of this launch. */
dpr_range vmcode_range(const void *program, uint64_t cores);

#endif
