/* SPDX-License-Identifier: Apache-2.0 */
/* send.c - launches a kernel. */
#include "core/array/engine/send.h"

#include <string.h>

#include "core/array/engine/native/vmcode.h"
#include "core/base/call_stack.h"
#include "core/base/status.h"

/* the most bytes of a native program (vmcode.h) together with its words */
#define MOST_PROGRAM 8192

dpr_range send_range(uint64_t items, unsigned group)
{
	const uint64_t groups = (items + group - 1) / group;

	return dpr_range_local(dpr_range1(groups * group), group, 1, 1);
}

/* Launch the kernel with @bytes as the last argument. */
static dpr_status launch_with(const struct send *send, const dpr_range *range,
			      const void *bytes, size_t size)
{
	dpr_arg *last = &send->args[send->n_args];
	dpr_status status;
	bool titled;

	last->kind = DPR_ARG_BYTES_AT;
	last->access = 0;
	last->size = size;
	last->as.bytes = bytes;
	titled = call_stack_title_begin(send->what);
	status =
		dpr_kernel_launch_usm(send->queue, send->made->kernel, *range,
				      NULL, NULL, send->args, send->n_args + 1);
	call_stack_title_end(titled);
	return status;
}

/* Launch native code.  The last argument is a copy of the program, whose last
   bytes are the words of this launch. */
static dpr_status launch_program(const struct send *send)
{
	_Alignas(8) char program[MOST_PROGRAM];
	const size_t size = send->made->code.size;
	const size_t words = send->n_words * sizeof(send->words[0]);
	dpr_range range;

	if (size > sizeof(program))
		return fail(DPR_ERROR_UNSUPPORTED,
			    "%s: too many steps for one kernel", send->what);
	memcpy(program, send->made->code.bytes, size - words);
	memcpy(program + size - words, send->words, words);
	range = vmcode_range(program, send->target->cores);
	return launch_with(send, &range, program, size);
}

dpr_status send_launch(const struct send *send, const dpr_range *range)
{
	if (send->made->code.size)
		return launch_program(send);
	return launch_with(send, range, send->words,
			   send->n_words * sizeof(send->words[0]));
}
