/* SPDX-License-Identifier: Apache-2.0 */
/* api_wrapped.c - arrays over buffers that the program has created with OpenCL,
   on devices for which dpr allocates another kind of memory. */
#include <dlfcn.h>
#include <stdlib.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* Declared here, so that no vendor's header is needed. */
static void *(*create_buffer)(void *, uint64_t, size_t, void *, int32_t *);
static int32_t (*release_buffer)(void *);

enum { CL_MEM_READ_WRITE = 1 << 0, CL_MEM_USE_HOST_PTR = 1 << 3 };

static int load_opencl(void)
{
	void *file = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!file) {
		printf("skipped: %s\n", dlerror());
		return 0;
	}
	*(void **)(void *)&create_buffer = dlsym(file, "clCreateBuffer");
	*(void **)(void *)&release_buffer = dlsym(file, "clReleaseMemObject");
	if (create_buffer && release_buffer)
		return 1;
	printf("skipped: libOpenCL has no buffers\n");
	return 0;
}

/* Make an array of @count float32 over a new OpenCL buffer, which uses @memory
   if that is not NULL.  Free both with drop_buffer(). */
static dpr_array *over_buffer(int64_t count, void *memory, void **buffer)
{
	const size_t size = (size_t)count * sizeof(float);
	uintptr_t context;
	int32_t err = 1;
	dpr_array *x;
	dpr_usm *usm;

	CHECK_OK(dpr_device_native(test_device, DPR_NATIVE_CONTEXT, &context));
	*buffer = create_buffer((void *)context,
				CL_MEM_READ_WRITE |
					(memory ? CL_MEM_USE_HOST_PTR : 0),
				size, memory, &err);
	ck_assert_int_eq(err, 0);
	CHECK_OK(dpr_usm_from_native(test_queue, (uintptr_t)*buffer, size, 0,
				     &usm));
	CHECK_OK(dpr_array_over(usm, 0, DPR_SHAPE(count), NULL, DPR_FLOAT32,
				&x));
	dpr_usm_release(usm);
	return x;
}

static void drop_buffer(dpr_array *x, void *buffer)
{
	dpr_array_release(x);
	CHECK_OK(dpr_queue_wait(test_queue));
	ck_assert_int_eq(release_buffer(buffer), 0);
}

/* Memory with addresses may let a kernel's pointer begin anywhere, but a buffer
   does not: views must work all the same. */
START_TEST(views_of_a_buffer)
{
	dpr_array *x, *view, *y;
	float found[999];
	void *buffer;
	int i;

	x = over_buffer(1000, NULL, &buffer);
	CHECK_OK(dpr_copy_into(x, 3));
	CHECK_OK(dpr_array_view(x, &view, DPR_SLICE(1, 1000, 1)));
	CHECK_OK(dpr_multiply(view, 2, &y));
	CHECK_OK(dpr_array_to_memory(y, found, sizeof(found), NULL));
	for (i = 0; i < 999; i++)
		ck_assert_float_eq(found[i], 6);
	CHECK_OK(dpr_add_into(view, 1, view));
	CHECK_OK(dpr_array_to_memory(view, found, sizeof(found), NULL));
	for (i = 0; i < 999; i++)
		ck_assert_float_eq(found[i], 4);
	dpr_array_release(y);
	dpr_array_release(view);
	drop_buffer(x, buffer);
}
END_TEST

/* Whether all elements of @x are equal to @value. */
static int is_all(const dpr_array *x, int value)
{
	dpr_array *equal, *all;
	unsigned char yes = 0;

	CHECK_OK(dpr_equal(x, value, &equal));
	CHECK_OK(dpr_all(equal, NULL, &all));
	CHECK_OK(dpr_array_to_memory(all, &yes, sizeof(yes), NULL));
	dpr_array_release(equal);
	dpr_array_release(all);
	return yes;
}

/* Large results bypass the caches in whole lines.  In this memory they begin in
   the middle of a cache line. */
START_TEST(results_in_memory_of_any_address)
{
	enum { ROWS = 2304, COLUMNS = 4096, BEGIN = 16 };
	const size_t size = (size_t)ROWS * COLUMNS * sizeof(float);
	char *memory = aligned_alloc(4096, size + 4096);
	dpr_array *x, *table, *ones, *transposed;
	void *buffer;

	ck_assert_ptr_nonnull(memory);
	x = over_buffer((int64_t)ROWS * COLUMNS, memory + BEGIN, &buffer);
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(ROWS, COLUMNS), &table));
	CHECK_OK(dpr_ones(DPR_SHAPE(COLUMNS, ROWS), DPR_FLOAT32, test_queue,
			  &ones));
	CHECK_OK(dpr_matrix_transpose(ones, &transposed));
	CHECK_OK(dpr_copy_into(table, 0));
	CHECK_OK(dpr_copy_into(table, transposed));
	ck_assert(is_all(table, 1));
	CHECK_OK(dpr_add_into(table, table, table));
	ck_assert(is_all(table, 2));
	dpr_array_release(transposed);
	dpr_array_release(ones);
	dpr_array_release(table);
	drop_buffer(x, buffer);
	free(memory);
}
END_TEST

static Suite *wrapped_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("wrapped");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, views_of_a_buffer);
	tcase_add_test(tcase, results_in_memory_of_any_address);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	dpr_device *devices[MAX_DEVICES];
	size_t count;

	if (!load_opencl())
		return 77;
	if (dpr_device_enumerate("opencl", devices, MAX_DEVICES, &count)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	return run_on_devices(wrapped_suite, devices,
			      count < MAX_DEVICES ? count : MAX_DEVICES);
}
