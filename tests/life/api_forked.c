/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_forked.c - in a child of a process that has a device open, every public
 * function that needs a device returns DPR_ERROR_FORKED, whatever the dtype.
 *
 * The elementwise functions and the reductions come from their tables.
 * api_forked.sh compares the names of all but the elementwise ones, which
 * "--names" prints, with the headers.
 */
#include "tests/support/runtime_test.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array/engine/reduce_table.h"

#define N 8

/* Objects made by the parent. */
static struct {
	dpr_device *device, *other;
	dpr_event *event;
	dpr_usm *usm, *host;
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_expression *expression; /* of "x" */
	dpr_array *mask, *integers, *one, *matrix, *no_matrix;
	dpr_array *empty; /* of bool, without elements */
	dpr_array *x, *y; /* of the dtype being tested */
} made;

static int only_names, n_wrong;

static int is_wanted(const char *name)
{
	if (only_names)
		printf("%s\n", name);
	return !only_names;
}

static void judge(const char *name, dpr_status status)
{
	if (status == DPR_ERROR_FORKED)
		return;
	n_wrong++;
	printf("%s of %s%s: %s (%s)\n", name,
	       dpr_array_size(made.x) ? "" : "no ",
	       dpr_dtype_name(dpr_array_dtype(made.x)), dpr_status_name(status),
	       status ? dpr_last_error() : "");
}

/* Call @name with the arguments @args, which are in brackets, and judge its
   status. */
#define FORKED(name, args)                       \
	do {                                     \
		if (is_wanted(#name))            \
			judge(#name, name args); \
	} while (0)

static int nothing_to_do(dpr_device *device, size_t size, void *user)
{
	(void)device;
	(void)size;
	(void)user;
	return 0;
}

static void never(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
}

static void try_devices(void)
{
	static const char *const aspects[] = { "fp64" };
	dpr_plugin_report *report;
	dpr_namespace space;
	dpr_device *found;
	dpr_queue *queue;
	uint64_t value = 1;
	uintptr_t native;
	char *text;
	size_t n;

	FORKED(dpr_device_enumerate, (NULL, &found, 1, &n));
	FORKED(dpr_device_select, ("mock", &found));
	FORKED(dpr_device_select, (NULL, &found));
	FORKED(dpr_device_select_where, (aspects, 1, NULL, 0, &found));
	FORKED(dpr_namespace_info, (NULL, NULL, &space));
	FORKED(dpr_device_explain, ("mock", &text));
	FORKED(dpr_device_info, (made.device, DPR_INFO_NAME, NULL, 0, &n));
	FORKED(dpr_device_info_u64,
	       (made.device, DPR_INFO_COMPUTE_UNITS, &value));
	FORKED(dpr_device_partition_equally, (made.device, 1, &found, 1, &n));
	FORKED(dpr_device_partition_counts,
	       (made.device, &value, 1, &found, 1, &n));
	FORKED(dpr_device_partition_domain,
	       (made.device, DPR_DOMAIN_NUMA, &found, 1, &n));
	FORKED(dpr_device_queue, (made.device, &queue));
	FORKED(dpr_device_native, (made.device, DPR_NATIVE_DEVICE, &native));
	FORKED(dpr_canonical_queue, ("mock", &queue));
	FORKED(dpr_queue_create, (made.device, 0, &queue));
	FORKED(dpr_queue_from_native, (made.device, 1, 0, &queue));
	FORKED(dpr_plugins, (1, &report, &n));
	FORKED(dpr_plugin_add, ("/nowhere.so"));
	FORKED(dpr_finalize, ());
}

static void try_queues(void)
{
	uintptr_t native;
	dpr_event *event;
	dpr_times times;
	uint64_t value;

	FORKED(dpr_queue_wait, (q1));
	FORKED(dpr_queue_wait_for, (q1, 0));
	FORKED(dpr_queue_flush, (q1));
	FORKED(dpr_queue_barrier, (q1, DPR_AFTER(made.event), NULL));
	FORKED(dpr_queue_native, (q1, &native));
	FORKED(dpr_event_wait, (made.event));
	FORKED(dpr_event_wait_for, (made.event, 0));
	FORKED(dpr_events_wait, (DPR_AFTER(made.event)));
	FORKED(dpr_events_wait_for, (DPR_AFTER(made.event), 0));
	FORKED(dpr_event_times, (made.event, &times));
	FORKED(dpr_event_device_times, (made.event, &times));
	FORKED(dpr_usm_event, (made.usm, &event));
	FORKED(dpr_array_event, (made.x, &event));
	FORKED(dpr_event_duration, (made.event, &value));
	FORKED(dpr_event_on_end, (made.event, never, NULL));
	FORKED(dpr_event_native, (made.event, &native));
	FORKED(dpr_event_from_native, (made.device, 1, 0, &event));
}

static void try_memory(void)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };
	char bytes[N] = "";
	dpr_transfer plan;
	dpr_ipc ipc = { 0 };
	uintptr_t native;
	uint64_t value;
	dpr_usm *usm;
	size_t n;

	FORKED(dpr_usm_alloc, (q1, DPR_USM_DEVICE, N, &usm));
	FORKED(dpr_usm_alloc_aligned, (q1, DPR_USM_DEVICE, N, 64, &usm));
	FORKED(dpr_pool_alloc, (q1, DPR_USM_DEVICE, N, 0, &usm));
	FORKED(dpr_pool_try_alloc, (q1, DPR_USM_DEVICE, N, &usm));
	FORKED(dpr_driver_alloc, (q1, DPR_USM_DEVICE, N, 0, &usm));
	FORKED(dpr_usm_fill, (q1, made.usm, 0, "abcd", 4, 4, NULL, NULL));
	FORKED(dpr_usm_write, (q1, made.usm, 0, bytes, 4, NULL, NULL));
	FORKED(dpr_usm_read, (q1, bytes, made.usm, 0, 4, NULL, NULL));
	FORKED(dpr_usm_copy, (q1, made.usm, 0, made.usm, 4, 4, NULL, NULL));
	FORKED(dpr_usm_prefetch, (q1, made.usm, 0, 4, NULL, NULL));
	FORKED(dpr_usm_barrier, (q1, made.usm, NULL, NULL));
	FORKED(dpr_usm_advise, (q1, made.usm, 0, 4, DPR_ADVICE_NONE));
	FORKED(dpr_usm_wait, (made.usm));
	FORKED(dpr_usm_wait_for, (made.usm, 0));
	FORKED(dpr_usm_invalidate, (made.usm, DPR_ERROR_DRIVER, NULL));
	FORKED(dpr_usm_find, (bytes, &usm, &n));
	FORKED(dpr_usm_native, (made.usm, &native, &n));
	FORKED(dpr_usm_from_native, (q1, (uintptr_t)bytes, N, 0, &usm));
	FORKED(dpr_usm_export, (made.usm, &ipc));
	FORKED(dpr_usm_import, (q1, &ipc, &usm));
	FORKED(dpr_usm_borrow, (q1, (uintptr_t)bytes, N, 0, NULL, NULL, &usm));
	FORKED(dpr_usm_transfer_plan, (made.usm, q2, DPR_USM_DEVICE, N, &plan));
	FORKED(dpr_pool_get_stats, (made.device, DPR_USM_DEVICE, &stats));
	FORKED(dpr_pool_trim, (made.device, 0, &value));
	FORKED(dpr_pool_set_limit, (made.device, 1 << 20));
	FORKED(dpr_pool_get_limit, (made.device, &value));
	FORKED(dpr_pool_set_pressure, (made.device, nothing_to_do, NULL));
	FORKED(dpr_device_set_allocator, (made.device, NULL));
}

static void try_kernels(void)
{
	dpr_arg args[] = { DPR_USM_READ_WRITE(made.usm, 0),
			   DPR_ARG((uint64_t)N) };
	static const char source[] = "kernel void add_one(int *x, ulong n)";
	const dpr_image image = { .format = "mock",
				  .data = "add_one",
				  .size = sizeof("add_one") };
	enum dpr_param_kind kind;
	dpr_kernel_info info;
	dpr_program *program;
	dpr_kernel *kernel;
	uintptr_t native;
	size_t n;

	FORKED(dpr_program_from_source, (q1, source, NULL, &program));
	FORKED(dpr_program_from_images, (q1, &image, 1, NULL, &program));
	FORKED(dpr_program_build, (q1, &image, 1, NULL, &program));
	FORKED(dpr_program_binary, (made.program, NULL, 0, &n));
	FORKED(dpr_program_native, (made.program, &native));
	FORKED(dpr_kernel_from_source, (q1, source, "add_one", &kernel));
	FORKED(dpr_kernel_create, (made.program, "add_one", &kernel));
	FORKED(dpr_kernel_get_info, (made.kernel, &info));
	FORKED(dpr_kernel_param, (made.kernel, 0, &kind, &n));
	FORKED(dpr_kernel_native, (made.kernel, &native));
	FORKED(dpr_kernel_launch_usm,
	       (q1, made.kernel, DPR_RANGE1(N), NULL, NULL, args, 2));
	args[0] = DPR_ARG(made.integers);
	FORKED(dpr_kernel_launch_args,
	       (q1, made.kernel, DPR_RANGE1(N), NULL, NULL, args, 2));
}

static void try_creation(dpr_dtype dtype)
{
	const dpr_shape shape = DPR_SHAPE(N);
	const dpr_operand one = DPR_OPERAND(1), none = DPR_OPERAND(0);
	static const double data[2 * N];
	dpr_array *out;

	FORKED(dpr_empty, (shape, dtype, q1, &out));
	FORKED(dpr_zeros, (shape, dtype, q1, &out));
	FORKED(dpr_ones, (shape, dtype, q1, &out));
	FORKED(dpr_full, (shape, one, dtype, q1, &out));
	FORKED(dpr_empty_on, (shape, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_zeros_on, (shape, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_ones_on, (shape, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_full_on, (shape, one, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_empty_like, (made.x, 0, &out));
	FORKED(dpr_zeros_like, (made.x, 0, &out));
	FORKED(dpr_ones_like, (made.x, 0, &out));
	FORKED(dpr_full_like, (made.x, one, 0, &out));
	FORKED(dpr_eye, (N, N, 0, dtype, q1, &out));
	FORKED(dpr_eye_on, (N, N, 0, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_array_from_memory, (data, shape, NULL, dtype, q1, &out));
	FORKED(dpr_array_from_memory_on,
	       (data, shape, NULL, dtype, q1, DPR_USM_HOST, &out));
	if (dtype == DPR_BOOL)
		return;
	FORKED(dpr_arange, (none, one, one, dtype, q1, &out));
	FORKED(dpr_arange_on, (none, one, one, dtype, q1, DPR_USM_HOST, &out));
	if (dtype == DPR_INT64)
		return;
	FORKED(dpr_linspace, (none, one, N, dtype, q1, &out));
	FORKED(dpr_linspace_on,
	       (none, one, N, false, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_logspace, (none, one, N, one, dtype, q1, &out));
	FORKED(dpr_logspace_on,
	       (none, one, N, false, one, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_geomspace, (one, one, N, dtype, q1, &out));
	FORKED(dpr_geomspace_on,
	       (one, one, N, false, dtype, q1, DPR_USM_HOST, &out));
}

static void try_shapes(const dpr_array *matrix)
{
	const dpr_array *both[] = { made.x, made.x };
	const int64_t one = 1;
	dpr_array *out;

	FORKED(dpr_roll, (made.x, &one, DPR_AXES(0), &out));
	FORKED(dpr_stack, (both, 2, 0, &out));
	FORKED(dpr_tile, (made.x, DPR_SHAPE(2), &out));
	FORKED(dpr_repeat, (made.x, 2, 0, &out));
	FORKED(dpr_reshape_copy,
	       (made.x, DPR_SHAPE(-1), DPR_COPY_ALWAYS, &out));
	FORKED(dpr_pad,
	       (matrix, DPR_SHAPE(0, 0, 1, 1), DPR_PAD_CONSTANT, 1, &out));
	FORKED(dpr_tril, (matrix, 0, &out));
	FORKED(dpr_triu, (matrix, 0, &out));
}

static void try_indexing(void)
{
	const dpr_index all = DPR_ALL;
	const dpr_array *list = made.integers;
	dpr_array *out;

	FORKED(dpr_take, (made.x, list, 0, DPR_BOUNDS_WRAP, &out));
	FORKED(dpr_take_into, (made.x, list, 0, DPR_BOUNDS_WRAP, made.y));
	FORKED(dpr_take_along_axis, (made.x, list, 0, DPR_BOUNDS_WRAP, &out));
	FORKED(dpr_take_along_axis_into,
	       (made.x, list, 0, DPR_BOUNDS_WRAP, made.y));
	FORKED(dpr_array_index_arrays,
	       (made.x, &all, &list, 1, DPR_BOUNDS_WRAP, &out));
	FORKED(dpr_array_index_arrays_into,
	       (made.x, &all, &list, 1, DPR_BOUNDS_WRAP, made.y));
	FORKED(dpr_put, (made.y, list, 1, 0, DPR_BOUNDS_WRAP));
	FORKED(dpr_put_along_axis, (made.y, list, 1, 0, DPR_BOUNDS_WRAP));
	FORKED(dpr_array_set_index_arrays,
	       (made.y, &all, &list, 1, 1, DPR_BOUNDS_WRAP));
	FORKED(dpr_array_set_mask, (made.y, made.mask, 1));
}

/* The functions of products.h, and those of derived.h that derived.def does not
   list. */
static void try_composed(void)
{
	const dpr_operand x = DPR_OPERAND(made.x);
	const dpr_array *both[] = { made.x, made.x };
	dpr_array *out, *second;

	FORKED(dpr_isclose, (x, x, 0, 0, 0, &out));
	FORKED(dpr_isclose_into, (x, x, 0, 0, 0, made.mask));
	FORKED(dpr_allclose, (x, x, 0, 0, 0, &out));
	FORKED(dpr_allclose_into, (x, x, 0, 0, 0, made.mask));
	FORKED(dpr_vecdot, (made.x, made.x, -1, &out));
	FORKED(dpr_vecdot_into, (made.x, made.x, -1, made.one));
	FORKED(dpr_vector_norm, (made.x, NULL, 1, &out));
	FORKED(dpr_vector_norm_into, (made.x, NULL, 1, made.one));
	FORKED(dpr_outer, (made.x, made.x, &out));
	FORKED(dpr_outer_into, (made.x, made.x, made.matrix));
	FORKED(dpr_matmul, (made.x, made.x, &out));
	FORKED(dpr_matmul_into, (made.x, made.x, made.one));
	FORKED(dpr_matvec, (made.matrix, made.x, &out));
	FORKED(dpr_matvec_into, (made.matrix, made.x, made.y));
	FORKED(dpr_vecmat, (made.x, made.matrix, &out));
	FORKED(dpr_vecmat_into, (made.x, made.matrix, made.y));
	FORKED(dpr_tensordot, (made.x, made.x, 1, &out));
	FORKED(dpr_tensordot_axes, (made.x, made.x, NULL, NULL, &out));
	FORKED(dpr_einsum, ("i,i", both, 2, &out));
	FORKED(dpr_kron, (made.x, made.x, &out));
	FORKED(dpr_multi_dot, (both, 2, &out));
	FORKED(dpr_matrix_power, (made.matrix, 2, &out));
	FORKED(dpr_cross, (made.x, made.x, -1, &out));
	FORKED(dpr_cross_into, (made.x, made.x, -1, made.y));
	FORKED(dpr_trace, (made.matrix, 0, 0, &out));
	FORKED(dpr_trace_into, (made.matrix, 0, 0, made.one));
	FORKED(dpr_average, (made.x, NULL, made.x, &out));
	FORKED(dpr_average_into, (made.x, NULL, made.x, made.one));
	FORKED(dpr_one_hot, (made.integers, 2, 0, &out));
	FORKED(dpr_one_hot_into, (made.integers, 2, 0, made.matrix));
	FORKED(dpr_diff, (made.x, 0, 1, NULL, NULL, &out));
	FORKED(dpr_divmod, (x, x, &out, &second));
	FORKED(dpr_modf, (made.x, &out, &second));
	FORKED(dpr_frexp, (made.x, &out, &second));
}

static void try_linalg(void)
{
	dpr_array *x = made.matrix, *a, *b, *c;

	FORKED(dpr_cholesky, (x, 0, &a));
	FORKED(dpr_solve, (x, x, &a));
	FORKED(dpr_solve_triangular, (x, x, 0, 0, &a));
	FORKED(dpr_inv, (x, &a));
	FORKED(dpr_det, (x, &a));
	FORKED(dpr_slogdet, (x, &a, &b));
	FORKED(dpr_lu, (x, &a, &b, &c));
	FORKED(dpr_qr, (x, DPR_QR_REDUCED, &a, &b));
	FORKED(dpr_eigh, (x, 0, &a, &b));
	FORKED(dpr_eigvalsh, (x, 0, &a));
	FORKED(dpr_eig, (x, &a, &b));
	FORKED(dpr_eigvals, (x, &a));
	FORKED(dpr_svd, (x, 0, &a, &b, &c));
	FORKED(dpr_svdvals, (x, &a));
	FORKED(dpr_pinv, (x, 0.5, &a));
	FORKED(dpr_matrix_rank, (x, 0.5, &a));
	FORKED(dpr_matrix_norm, (x, DPR_NORM_FRO, 0, &a));
	FORKED(dpr_cond, (x, DPR_NORM_2, &a));
	FORKED(dpr_lstsq, (x, x, 0.5, &a, &b, &c));
}

static void try_moves(dpr_dtype dtype)
{
	const dpr_array *both[] = { made.x, made.x };
	dpr_operand x = DPR_OPERAND(made.x), value;
	double data[2 * N];
	int64_t n = N, integer;
	dpr_dl_legacy legacy = { .tensor = { .data = data,
					     .device = { DPR_DL_CPU, 0 },
					     .ndim = 1,
					     .dtype = { DPR_DL_FLOAT, 64, 1 },
					     .shape = &n } };
	const dpr_npz_entry entry = { "x", made.x };
	dpr_dlpack managed = { NULL, &legacy };
	dpr_dl_device at;
	dpr_array *out;
	char *text;

	FORKED(dpr_array_wait, (made.x));
	FORKED(dpr_array_wait_for, (made.x, 0));
	FORKED(dpr_array_to_memory, (made.x, data, sizeof(data), NULL));
	FORKED(dpr_array_set_memory, (made.y, data, NULL));
	FORKED(dpr_array_copy_to, (made.y, made.x));
	FORKED(dpr_array_item, (made.one, &value));
	FORKED(dpr_array_item_double, (made.one, data));
	FORKED(dpr_array_item_complex, (made.one, data));
	FORKED(dpr_array_item_int64, (made.one, &integer));
	FORKED(dpr_array_format, (made.x, NULL, &text));
	FORKED(dpr_array_print, (made.x, stdout));
	FORKED(dpr_array_to_device, (made.x, made.other, &out));
	FORKED(dpr_array_to_queue, (made.x, q2, &out));
	FORKED(dpr_npy_load, ("none", q1, &out));
	FORKED(dpr_npy_load_on, ("none", q1, DPR_USM_HOST, &out));
	FORKED(dpr_npy_save, (made.x, "none"));
	FORKED(dpr_npz_load, ("none", "x", q1, &out));
	FORKED(dpr_npz_load_on, ("none", "x", q1, DPR_USM_HOST, &out));
	FORKED(dpr_npz_save, (&entry, 1, DPR_NPZ_STORED, "none"));
	FORKED(dpr_asarray, (made.x, dtype, DPR_COPY_ALWAYS, &out));
	FORKED(dpr_asarray_to_device,
	       (made.x, made.other, DPR_COPY_IF_NEEDED, &out));
	FORKED(dpr_astype, (made.x, DPR_COMPLEX128, &out));
	FORKED(dpr_astype_to_device,
	       (made.x, DPR_COMPLEX128, made.other, DPR_COPY_IF_NEEDED, &out));
	FORKED(dpr_copy, (made.x, &out));
	FORKED(dpr_copy_into, (made.y, x));
	FORKED(dpr_where, (made.mask, x, x, &out));
	FORKED(dpr_where_into, (made.mask, x, x, made.y));
	FORKED(dpr_concat, (both, 2, 0, &out));
	try_shapes(made.matrix);
	FORKED(dpr_array_dlpack_device, (made.x, &at));
	FORKED(dpr_array_from_dlpack, (&managed, q1, DPR_COPY_IF_NEEDED, &out));
	FORKED(dpr_array_to_dlpack, (made.x, NULL, &managed));
}

static void try_expressions(void)
{
	dpr_binding x = { "x", DPR_OPERAND(made.x) };
	dpr_expression *expression;
	dpr_array *out;
	char *text;

	FORKED(dpr_expression_create, ("x", &expression));
	FORKED(dpr_expression_create_with, ("x", NULL, &expression));
	FORKED(dpr_expression_define, ("forked(x) = x"));
	FORKED(dpr_expression_undefine, ("forked"));
	FORKED(dpr_expression_apply, (made.expression, &x, 1, NULL, &out, 1));
	FORKED(dpr_expression_apply_into, (made.expression, &x, 1, &made.y, 1));
	FORKED(dpr_expression_explain, (made.expression, &x, 1, NULL, &text));
	FORKED(dpr_evaluate_with, ("x", &x, 1, NULL, &out));
	FORKED(dpr_evaluate_with_into, ("x", &x, 1, made.y));
}

/* Some reductions take no complex numbers. */
static void judge_reduction(const char *name, dpr_status status)
{
	if (status != DPR_ERROR_DTYPE ||
	    dpr_array_dtype(made.x) != DPR_COMPLEX128)
		judge(name, status);
}

#define FORKED_REDUCTION(name, args)                       \
	do {                                               \
		if (is_wanted(#name))                      \
			judge_reduction(#name, name args); \
	} while (0)

static void try_reductions(void)
{
	dpr_array *out;

#define REDUCTION(name, combine, sum, first, finish, text)             \
	FORKED_REDUCTION(dpr_##name, (made.x, NULL, &out));            \
	FORKED_REDUCTION(dpr_##name##_into, (made.x, NULL, made.one)); \
	REDUCE_TABLE_AS_##sum(                                         \
		FORKED_REDUCTION(dpr_##name##_as,                      \
				 (made.x, NULL, DPR_COMPLEX128, &out));)
#include "kernels/reductions.def"
#undef REDUCTION
#define GIVEN_REDUCES(x, out) (x, NULL, out)
#define GIVEN_CHOOSES(x, out) (x, NULL, out)
#define GIVEN_CORRECTS(x, out) (x, NULL, 0, out)
#define GIVEN_ALONG(x, out) (x, NULL, out)
#define DERIVED(name, form, expression, text)           \
	FORKED(dpr_##name, GIVEN_##form(made.x, &out)); \
	FORKED(dpr_##name##_into, GIVEN_##form(made.x, made.one));
#include "kernels/derived.def"
#undef DERIVED
}

/* Call the functions with arrays without elements, for which no device has
   anything to do.  made.x and made.y are such arrays. */
static void try_empty(dpr_dtype dtype)
{
	const dpr_array *both[] = { made.x, made.y };
	const dpr_shape shape = DPR_SHAPE(0);
	const dpr_operand one = DPR_OPERAND(1), x = DPR_OPERAND(made.x);
	const dpr_operand none = DPR_OPERAND(0);
	static double data[2];
	dpr_queue *queue;
	dpr_array *out;

	FORKED(dpr_empty, (shape, dtype, q1, &out));
	FORKED(dpr_zeros, (shape, dtype, q1, &out));
	FORKED(dpr_full, (shape, one, dtype, q1, &out));
	FORKED(dpr_zeros_on, (shape, dtype, q1, DPR_USM_HOST, &out));
	FORKED(dpr_ones_like, (made.x, 0, &out));
	FORKED(dpr_eye, (0, N, 0, dtype, q1, &out));
	FORKED(dpr_array_from_memory, (data, shape, NULL, dtype, q1, &out));
	if (dtype != DPR_BOOL)
		FORKED(dpr_arange, (none, none, one, dtype, q1, &out));
	if (dtype == DPR_FLOAT64)
		FORKED(dpr_linspace, (none, one, 0, dtype, q1, &out));
	FORKED(dpr_execution_queue, (both, 2, &queue));
	FORKED(dpr_array_wait, (made.x));
	FORKED(dpr_array_to_memory, (made.x, data, sizeof(data), NULL));
	FORKED(dpr_array_to_device, (made.x, made.other, &out));
	FORKED(dpr_array_to_device, (made.x, made.device, &out));
	FORKED(dpr_array_to_queue, (made.x, q2, &out));
	FORKED(dpr_array_to_queue, (made.x, q1, &out));
	FORKED(dpr_asarray, (made.x, dtype, DPR_COPY_ALWAYS, &out));
	FORKED(dpr_asarray, (made.x, dtype, DPR_COPY_NEVER, &out));
	FORKED(dpr_asarray_to_device,
	       (made.x, made.device, DPR_COPY_IF_NEEDED, &out));
	FORKED(dpr_astype, (made.x, DPR_COMPLEX128, &out));
	FORKED(dpr_copy, (made.x, &out));
	FORKED(dpr_copy_into, (made.y, x));
	FORKED(dpr_where, (made.empty, x, x, &out));
	FORKED(dpr_where_into, (made.empty, x, x, made.y));
	FORKED(dpr_concat, (both, 2, 0, &out));
	try_shapes(made.no_matrix);
	FORKED(dpr_array_dlpack_device, (made.x, &(dpr_dl_device){ 0 }));
	FORKED(dpr_array_to_dlpack,
	       (made.x, NULL, &(dpr_dlpack){ NULL, NULL }));
}

/* Call a function of the table, or with @into its _into form.  Returns 0 if it
   does not accept the dtype. */
static int try_named(const char *name, int arguments, int into)
{
	dpr_array *result = made.y, *out, **to = into ? (void *)result : &out;
	dpr_operand x = DPR_OPERAND(made.x);
	dpr_status status;
	char full[64];
	void *at;
	union {
		void *at;
		dpr_status (*of1)(dpr_operand x, dpr_array **to);
		dpr_status (*of2)(dpr_operand x, dpr_operand y, dpr_array **to);
		dpr_status (*of3)(dpr_operand x, dpr_operand y, dpr_operand z,
				  dpr_array **to);
	} call;

	snprintf(full, sizeof(full), "dpr_%s%s", name, into ? "_into" : "");
	at = dlsym(RTLD_DEFAULT, full);
	ck_assert_msg(at != NULL, "there is no %s()", full);
	call.at = at;
	status = arguments == 1   ? call.of1(x, to)
		 : arguments == 2 ? call.of2(x, x, to)
				  : call.of3(x, x, x, to);
	if (status == DPR_ERROR_DTYPE)
		return 0;
	judge(full, status);
	return 1;
}

/* Call all functions of the table.  Sets taken[i] if function i accepts the
   dtype. */
static void try_elementwise(unsigned char *taken)
{
	const char *build = getenv("top_builddir");
	char file[4096], line[512], name[32];
	int arguments;
	size_t n = 0;
	FILE *list;

	snprintf(file, sizeof(file), "%s/kernels/operations.list",
		 build ? build : ".");
	list = fopen(file, "r");
	ck_assert_msg(list != NULL, "%s is not there", file);
	while (fgets(line, sizeof(line), list)) {
		ck_assert_int_eq(sscanf(line, "%31s %d", name, &arguments), 2);
		taken[n] |= (unsigned char)try_named(name, arguments, 0);
		(void)try_named(name, arguments, 1);
		n++;
	}
	fclose(list);
	ck_assert_uint_ge(n, 40);
}

static void make_all(void)
{
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT ",opencl-c,mock",
	       1);
	start_mocks();
	made.device = dpr_queue_device(q1);
	made.other = dpr_queue_device(q2);
	made.usm = new_ints(q1, N, 1);
	CHECK_OK(
		dpr_usm_fill(q1, made.usm, 0, "abcd", 4, 4, NULL, &made.event));
	CHECK_OK(dpr_program_from_source(q1,
					 "kernel void add_one(int *x, ulong n)",
					 NULL, &made.program));
	CHECK_OK(dpr_kernel_create(made.program, "add_one", &made.kernel));
	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_BOOL, q1, &made.mask));
	CHECK_OK(dpr_ones(DPR_SHAPE(N), DPR_INT32, q1, &made.integers));
	CHECK_OK(dpr_ones(DPR_SHAPE(), DPR_COMPLEX128, q1, &made.one));
	CHECK_OK(dpr_zeros(DPR_SHAPE(0), DPR_BOOL, q1, &made.empty));
	CHECK_OK(dpr_ones(DPR_SHAPE(2, N), DPR_FLOAT32, q1, &made.matrix));
	CHECK_OK(dpr_ones(DPR_SHAPE(0, N), DPR_FLOAT32, q1, &made.no_matrix));
	CHECK_OK(dpr_expression_create("x", &made.expression));
	CHECK_OK(dpr_queue_wait(q1));
}

static const dpr_dtype dtypes[] = { DPR_BOOL, DPR_INT64, DPR_FLOAT64,
				    DPR_COMPLEX128 };
#define N_DTYPES (sizeof(dtypes) / sizeof(*dtypes))

static void try_arrays(dpr_dtype dtype)
{
	try_creation(dtype);
	try_moves(dtype);
	try_composed();
	try_linalg();
	try_indexing();
	try_expressions();
	try_reductions();
}

/* Runs in the child.  Returns the number of wrong results. */
static int try_all(dpr_array *const *arrays)
{
	unsigned char taken[256] = { 0 };
	size_t i;

	alarm(50);
	made.x = arrays[0];
	try_devices();
	try_queues();
	try_memory();
	try_kernels();
	for (i = 0; i < N_DTYPES; i++) {
		made.x = arrays[i];
		made.y = arrays[N_DTYPES + i];
		try_arrays(dtypes[i]);
		try_elementwise(taken);
		/* The same without elements. */
		made.x = arrays[2 * N_DTYPES + i];
		made.y = arrays[3 * N_DTYPES + i];
		try_empty(dtypes[i]);
		try_elementwise(taken);
	}
	for (i = 0; i < 40; i++)
		ck_assert_msg(taken[i], "operation %zu takes no dtype", i);
	fflush(stdout);
	return n_wrong;
}

START_TEST(all_functions)
{
	dpr_array *arrays[4 * N_DTYPES];
	int how = 0;
	size_t i;
	pid_t pid;

	make_all();
	for (i = 0; i < 4 * N_DTYPES; i++)
		CHECK_OK(dpr_ones(DPR_SHAPE(i < 2 * N_DTYPES ? N : 0),
				  dtypes[i % N_DTYPES], q1, &arrays[i]));
	CHECK_OK(dpr_queue_wait(q1));
	fflush(stdout);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(try_all(arrays) ? 1 : 0);
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert_msg(WIFEXITED(how) && !WEXITSTATUS(how),
		      "the child ended with 0x%x", (unsigned)how);
	for (i = 0; i < 4 * N_DTYPES; i++)
		dpr_array_release(arrays[i]);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite;
	TCase *tcase;
	SRunner *runner;
	int failed;

	if (argc > 1 && !strcmp(argv[1], "--names")) {
		only_names = 1;
		try_devices();
		try_queues();
		try_memory();
		try_kernels();
		try_arrays(DPR_FLOAT64);
		try_empty(DPR_FLOAT64);
		return 0;
	}
	suite = suite_create("forked");
	tcase = tcase_create("mocks");
	runner = srunner_create(suite);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, all_functions);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
