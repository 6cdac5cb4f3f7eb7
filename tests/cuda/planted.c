/* SPDX-License-Identifier: Apache-2.0 */
/*
 * planted.c - a program with one fault, which sanitizer.sh must detect:
 * "planted memcheck" writes to an illegal address, "planted racecheck" has a
 * data race in local memory, "planted initcheck" reads uninitialized memory.
 * "planted nothing" runs a kernel without a fault.  Ends with 77 if there is no
 * GPU, and with 1 if the kernel cannot be launched.  Whether the kernel
 * succeeds does not matter.
 */
#include <stdio.h>
#include <string.h>

#include <dpr/dpr.h>

#define SIZE (64u << 20)
#define THREADS 128

static const char ptx[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry nothing(.param .u64 .ptr .global .align 4 x)\n"
	"{\nret;\n}\n"
	".visible .entry memcheck(.param .u64 .ptr .global .align 4 x)\n"
	"{\n.reg .u64 %a; .reg .u32 %r;\n"
	"mov.u64 %a, 16;\nmov.u32 %r, 1;\nst.global.u32 [%a], %r;\nret;\n}\n"
	".visible .entry racecheck(.param .u64 .ptr .global .align 4 x)\n"
	"{\n.reg .u64 %a, %b; .reg .u32 %r, %s, %n, %v;\n"
	".shared .align 4 .b8 all[512];\n"
	"ld.param.u64 %a, [x];\nmov.u32 %r, %tid.x;\nmov.u32 %s, all;\n"
	"mad.lo.u32 %n, %r, 4, %s;\nst.shared.u32 [%n], %r;\n"
	"xor.b32 %v, %r, 64;\nmad.lo.u32 %n, %v, 4, %s;\n"
	"ld.shared.u32 %v, [%n];\n"
	"mad.wide.u32 %b, %r, 4, %a;\nst.global.u32 [%b], %v;\nret;\n}\n"
	".visible .entry initcheck(.param .u64 .ptr .global .align 4 x)\n"
	"{\n.reg .u64 %a; .reg .u32 %r;\n"
	"ld.param.u64 %a, [x];\nld.global.u32 %r, [%a+1024];\n"
	"st.global.u32 [%a], %r;\nret;\n}\n";

int main(int argc, char **argv)
{
	dpr_image image = { "ptx", NULL, ptx, sizeof(ptx) };
	const char *name = argc > 1 ? argv[1] : "nothing";
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *queue = NULL;
	dpr_usm *usm = NULL;
	dpr_status status;
	dpr_arg args[1];

	if (dpr_canonical_queue("cuda:gpu", &queue)) {
		printf("%s\n", dpr_last_error());
		return 77;
	}
	status = dpr_program_from_images(queue, &image, 1, NULL, &program);
	if (!status)
		status = dpr_kernel_create(program, name, &kernel);
	if (!status)
		status = dpr_usm_alloc(queue, DPR_USM_DEVICE, SIZE, &usm);
	if (!status) {
		args[0] = DPR_USM_READ_WRITE(usm, 0);
		status = dpr_kernel_launch_usm(
			queue, kernel,
			dpr_range_local(DPR_RANGE1(THREADS), THREADS, 1, 1),
			NULL, NULL, args, 1);
	}
	if (status)
		printf("%s: %s\n", name, dpr_last_error());
	else if (dpr_queue_wait(queue))
		printf("%s has failed: %s\n", name, dpr_last_error());
	dpr_usm_release(usm);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	(void)!dpr_finalize();
	return status != DPR_OK;
}
