/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cuda_local.c - arguments in local memory on CUDA.  The driver gives a
   kernel more than 48 KiB only if that was requested for it.  There is no
   compiler for OpenCL C here, so the program is a binary like those that the
   plugin makes of OpenCL C. */
#include "backends/cuda/rewrite/cuda_table.h"

#include "tests/cuda/cuda_api.h"
#include "tests/support/backend_host_table.h"

#define KIB 1024u
/* Bytes of local memory per work-group of an H200. */
#define MOST 232448u

static const char ptx[] = ".version 7.0\n.target sm_60\n.address_size 64\n"
			  ".visible .entry spread(.param .u32 at)\n"
			  "{\nret;\n}\n";

static unsigned given;

static int spread_function(const struct cumock_run *run)
{
	__atomic_store_n(&given, run->shared, __ATOMIC_RELAXED);
	return 0;
}

/* Write the plugin's binary of the PTX, with the argument in local memory. */
static void write_binary(dpr_queue *queue, const dprp_host *host,
			 struct cuda_text *out)
{
	dpr_image image = { "ptx", NULL, ptx, sizeof(ptx) };
	struct cuda_table table = { .strings.host = host };
	struct cuda_binary binary;
	dpr_program *program;
	size_t size;
	void *bytes;

	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	ck_assert_str_eq(dpr_program_binary_format(program), "cuda-binary");
	CHECK_OK(dpr_program_binary(program, NULL, 0, &size));
	bytes = malloc(size);
	ck_assert_ptr_nonnull(bytes);
	CHECK_OK(dpr_program_binary(program, bytes, size, &size));
	dpr_program_release(program);
	ck_assert_ptr_null(cuda_table_read(&table, bytes, size, &binary));
	table.locals = true;
	ck_assert_uint_eq(table.n, 1);
	ck_assert_uint_eq(table.list->n_params, 1);
	table.list->params[0] = (dprp_param){ .kind = DPRP_ARG_LOCAL };
	cuda_table_write(&table, &binary, out);
	ck_assert(!out->failed);
	cuda_table_free(&table);
	free(bytes);
}

static dpr_kernel *make_kernel(dpr_queue *queue)
{
	struct host_table *host = host_table_new();
	struct cuda_text text = { .host = host_table_host(host) };
	dpr_image image = { "cuda-binary", NULL, NULL, 0 };
	dpr_program *program;
	dpr_kernel *kernel;

	mock->kernel("spread", spread_function);
	write_binary(queue, host_table_host(host), &text);
	image.data = text.bytes;
	image.size = text.size;
	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "spread", &kernel));
	dpr_program_release(program);
	cuda_text_free(&text);
	host_table_free(host);
	return kernel;
}

static dpr_status spread(dpr_queue *queue, dpr_kernel *kernel, size_t bytes)
{
	dpr_arg args[1] = { DPR_LOCAL(bytes) };

	return dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1), NULL, NULL,
				     args, 1);
}

static void check_spread(dpr_queue *queue, dpr_kernel *kernel, unsigned bytes,
			 uint64_t asked)
{
	CHECK_OK(spread(queue, kernel, bytes));
	CHECK_OK(dpr_queue_wait(queue));
	ck_assert_uint_eq(__atomic_load_n(&given, __ATOMIC_RELAXED), bytes);
	ck_assert_uint_eq(mock->calls("cuKernelSetAttribute"), asked);
}

START_TEST(local_memory)
{
	dpr_kernel *kernel;
	dpr_queue *queue;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	kernel = make_kernel(queue);
	check_spread(queue, kernel, 16, 0);
	check_spread(queue, kernel, 48 * KIB, 0);
	/* The most is requested, once. */
	check_spread(queue, kernel, 48 * KIB + 16, 1);
	check_spread(queue, kernel, 100 * KIB, 1);
	check_spread(queue, kernel, MOST, 1);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    spread(queue, kernel, MOST + 16));
	CHECK_TEXT("spread");
	CHECK_TEXT("local memory");
	ck_assert_uint_eq(mock->calls("cuKernelSetAttribute"), 1);
	/* After the refusal, the kernel still works. */
	check_spread(queue, kernel, MOST, 1);
	dpr_kernel_release(kernel);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { local_memory };

	use_backends(NULL);
	return run_tests("unit_cuda_local", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
