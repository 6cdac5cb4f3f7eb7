/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_arrays.c - arrays with faults. */
#include "tests/support/faults.h"

/* Check that @x has the elements first + step * i in C order, and release
   it. */
static dpr_status steps(dpr_status status, dpr_array *const *x, int64_t first,
			int64_t step)
{
	static int32_t have[300000];
	int64_t i;

	MADE(status, *x);
	if (!status) {
		ck_assert_int_le(dpr_array_size(*x), 300000);
		status = dpr_array_to_memory(*x, have, sizeof(have), NULL);
	}
	for (i = 0; !status && i < dpr_array_size(*x); i++)
		if (have[i] != first + step * i)
			ck_abort_msg("element %d is %d", (int)i, have[i]);
	dpr_array_release(*x);
	return status;
}

/* Check that @x has a single element, @want, and release @x. */
static dpr_status number(dpr_status status, dpr_array *const *x, int64_t want)
{
	dpr_operand value;

	MADE(status, *x);
	if (!status)
		status = dpr_array_item(*x, &value);
	if (!status)
		ck_assert_int_eq(value.as.i, want);
	dpr_array_release(*x);
	return status;
}

static dpr_status try_full(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_full(DPR_SHAPE(3, 4), 5, DPR_INT32, q1, &x);
	return steps(status, &x, 5, 0);
}

static dpr_status try_arange(void)
{
	dpr_array *x;
	dpr_status status = dpr_arange(2, 20, 3, DPR_INT32, q1, &x);

	return steps(status, &x, 2, 3);
}

static dpr_status try_eye(void)
{
	dpr_array *x;
	dpr_status status = dpr_eye(1, 1, 0, DPR_INT32, q1, &x);

	return steps(status, &x, 1, 0);
}

/* Copy from and to host memory with gaps. */
static dpr_status try_memory(void)
{
	static int32_t from[40], to[60];
	const int64_t gaps[] = { 2 }, wide[] = { 3 };
	dpr_status status;
	dpr_array *x;

	for (int i = 0; i < 40; i++)
		from[i] = i;
	status = dpr_array_from_memory(from, DPR_SHAPE(20), gaps, DPR_INT32, q1,
				       &x);
	MADE(status, x);
	if (!status)
		status = dpr_array_to_memory(x, to, sizeof(to), wide);
	if (!status)
		ck_assert_int_eq(to[57], 38);
	dpr_array_release(x);
	return status;
}

static dpr_status try_over(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_array_over(dpr_array_usm(matrix), 3, DPR_SHAPE(5), NULL,
				DPR_INT32, &x);
	return steps(status, &x, 3, 1);
}

static dpr_status try_view(void)
{
	dpr_array *x;
	dpr_status status = dpr_array_view(matrix, &x, DPR_AT(2), DPR_ALL);

	return steps(status, &x, 14, 1);
}

static dpr_status try_reshape(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_reshape_copy(transposed, DPR_SHAPE(7, 6),
					     DPR_COPY_ALWAYS, &x);

	MADE(status, x);
	if (!status)
		status = dpr_permute_dims(matrix, NULL, &y);
	dpr_array_release(x);
	dpr_array_release(y);
	return status;
}

static dpr_status try_copy(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_copy(transposed, &x);

	MADE(status, x);
	if (!status)
		status = dpr_matrix_transpose(x, &y);
	dpr_array_release(x);
	return status ? status : steps(status, &y, 0, 1);
}

static dpr_status try_astype(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_astype(matrix, DPR_FLOAT32, &x);

	MADE(status, x);
	if (!status)
		status = dpr_astype(x, DPR_INT32, &y);
	dpr_array_release(x);
	return status ? status : steps(status, &y, 0, 1);
}

static dpr_status try_concat(void)
{
	const dpr_array *list[] = { matrix, matrix };
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_concat(list, 2, 0, &x);

	MADE(status, x);
	if (!status)
		status = dpr_array_view(x, &y, DPR_SLICE(6, 12, 1));
	dpr_array_release(x);
	return status ? status : steps(status, &y, 0, 1);
}

/* Source and target overlap, so the copy goes through a temporary. */
static dpr_status try_copy_into(void)
{
	dpr_array *x = NULL, *from = NULL, *to = NULL;
	dpr_status status = dpr_arange(0, 100, 1, DPR_INT32, q1, &x);

	if (!status)
		status = dpr_array_view(x, &from, DPR_SLICE(0, 99, 1));
	if (!status)
		status = dpr_array_view(x, &to, DPR_SLICE(1, 100, 1));
	if (!status)
		status = dpr_copy_into(to, from);
	dpr_array_release(from);
	dpr_array_release(x);
	if (status) {
		dpr_array_release(to);
		return status;
	}
	return steps(status, &to, 0, 1);
}

/* Assign to every second element, from host memory and from an array on q2. */
static dpr_status try_assign(void)
{
	const int32_t values[50] = { 7 };
	dpr_array *x = NULL, *from = NULL, *to = NULL;
	dpr_status status = dpr_arange(0, 100, 1, DPR_INT32, q1, &x);

	if (!status)
		status = dpr_array_view(x, &to, DPR_SLICE(0, 100, 2));
	if (!status)
		status = dpr_arange(0, 50, 1, DPR_INT32, q2, &from);
	if (!status)
		status = dpr_array_set_memory(to, values, NULL);
	if (!status)
		status = dpr_array_copy_to(to, from);
	dpr_array_release(from);
	dpr_array_release(x);
	if (!status)
		return steps(status, &to, 0, 1);
	dpr_array_release(to);
	return status;
}

static dpr_status try_add(void)
{
	dpr_array *x;
	dpr_status status = dpr_add(matrix, matrix, &x);

	return steps(status, &x, 0, 2);
}

/* Add with broadcasting and two dtypes, into an existing array. */
static dpr_status try_add_into(void)
{
	dpr_array *row, *x = NULL;
	dpr_status status = dpr_ones(DPR_SHAPE(7), DPR_INT8, q1, &row);

	if (!status)
		status = dpr_empty_like(matrix, DPR_INT32, &x);
	if (!status)
		status = dpr_add_into(matrix, row, x);
	dpr_array_release(row);
	if (status) {
		dpr_array_release(x);
		return status;
	}
	return steps(status, &x, 1, 1);
}

static dpr_status try_where(void)
{
	dpr_array *is, *x = NULL;
	dpr_status status = dpr_greater_equal(matrix, 0, &is);

	MADE(status, is);
	if (!status)
		status = dpr_where(is, matrix, -1, &x);
	dpr_array_release(is);
	return status ? status : steps(status, &x, 0, 1);
}

static dpr_status try_sum(void)
{
	dpr_array *x;
	dpr_status status = dpr_sum(large, NULL, &x);

	return number(status, &x, INT64_C(300000) * 299999 / 2);
}

/* Reduce a non-contiguous array along one axis. */
static dpr_status try_max(void)
{
	dpr_array *x;
	dpr_status status = dpr_max(transposed, DPR_AXES(0), &x);

	return steps(status, &x, 6, 7);
}

static dpr_status try_mean(void)
{
	dpr_operand value;
	dpr_array *x;
	dpr_status status = dpr_mean(matrix, NULL, &x);

	MADE(status, x);
	if (!status)
		status = dpr_array_item(x, &value);
	if (!status)
		ck_assert(value.as.f > 20.4 && value.as.f < 20.6);
	dpr_array_release(x);
	return status;
}

static dpr_status try_to_device(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_array_to_device(transposed, dpr_queue_device(q2), &x);
	MADE(status, x);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_array_to_device(far, dpr_queue_device(q1), &x);
	return steps(status, &x, 0, 1);
}

/* Moved through the ring of host memory, in more than one piece. */
static dpr_status try_large(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_array_to_device(large, dpr_queue_device(q2), &x);
	return steps(status, &x, 0, 1);
}

static dpr_status try_to_part(void)
{
	dpr_array *x;
	dpr_status status = dpr_array_to_device(matrix, part, &x);

	return steps(status, &x, 0, 1);
}

static dpr_status try_to_queue(void)
{
	dpr_array *x;
	dpr_status status = dpr_array_to_queue(matrix, other, &x);

	return steps(status, &x, 0, 1);
}

static dpr_status try_format(void)
{
	char *text;
	dpr_status status = dpr_array_format(transposed, NULL, &text);

	MADE(status, text);
	if (!status)
		ck_assert_ptr_nonnull(strstr(text, "[ 6, 13, 20")
					      ? text
					      : strstr(text, "[ 6 13 20"));
	dpr_free(text);
	return status;
}

static dpr_status try_print(void)
{
	FILE *nowhere = fopen("/dev/null", "w");
	dpr_status status = dpr_array_print(far, nowhere);

	fclose(nowhere);
	return status;
}

/* A refusal keeps its status, whether or not there is memory for its text. */
static dpr_status try_refusal(void)
{
	dpr_array *x;
	dpr_status status = dpr_add(matrix, far, &x);

	ck_assert_ptr_null(x);
	ck_assert_int_eq(status, DPR_ERROR_EXECUTION_PLACEMENT);
	return DPR_OK;
}

/* Make arrays with undefined elements, of zeros, and of ones. */
static dpr_status try_fixed(void)
{
	const dpr_shape shape = DPR_SHAPE(3, 4);
	dpr_array *x;
	dpr_status status = dpr_empty(shape, DPR_INT32, q1, &x);

	MADE(status, x);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_zeros(shape, DPR_INT32, q1, &x);
	status = steps(status, &x, 0, 0);
	if (status)
		return status;
	status = dpr_ones(shape, DPR_INT32, q1, &x);
	return steps(status, &x, 1, 0);
}

/* Do the same as try_fixed(), with a given kind of memory. */
static dpr_status try_fixed_on(void)
{
	const dpr_shape shape = DPR_SHAPE(3, 4);
	dpr_array *x;
	dpr_status status;

	status = dpr_empty_on(shape, DPR_INT32, q1, DPR_USM_HOST, &x);
	MADE(status, x);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_zeros_on(shape, DPR_INT32, q1, DPR_USM_SHARED, &x);
	status = steps(status, &x, 0, 0);
	if (status)
		return status;
	status = dpr_ones_on(shape, DPR_INT32, q1, DPR_USM_HOST, &x);
	status = steps(status, &x, 1, 0);
	if (status)
		return status;
	status = dpr_full_on(shape, 5, DPR_INT32, q1, DPR_USM_SHARED, &x);
	return steps(status, &x, 5, 0);
}

static dpr_status try_like(void)
{
	dpr_array *x;
	dpr_status status = dpr_zeros_like(transposed, DPR_INT32, &x);

	status = steps(status, &x, 0, 0);
	if (status)
		return status;
	status = dpr_ones_like(transposed, DPR_DTYPE_DEFAULT, &x);
	status = steps(status, &x, 1, 0);
	if (status)
		return status;
	status = dpr_full_like(transposed, 5, DPR_INT32, &x);
	return steps(status, &x, 5, 0);
}

static dpr_status try_ranges_on(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_arange_on(2, 20, 3, DPR_INT32, q1, DPR_USM_HOST, &x);
	status = steps(status, &x, 2, 3);
	if (status)
		return status;
	status = dpr_eye_on(1, 1, 0, DPR_INT32, q1, DPR_USM_SHARED, &x);
	return steps(status, &x, 1, 0);
}

/* The array itself, then one of another dtype, then a copy. */
static dpr_status try_asarray(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_asarray(matrix, DPR_DTYPE_DEFAULT, DPR_COPY_NEVER, &x);
	ck_assert(status || x == matrix);
	status = steps(status, &x, 0, 1);
	if (status)
		return status;
	status = dpr_asarray(matrix, DPR_FLOAT32, DPR_COPY_IF_NEEDED, &x);
	MADE(status, x);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_asarray(matrix, DPR_INT32, DPR_COPY_ALWAYS, &x);
	ck_assert(status || x != matrix);
	return steps(status, &x, 0, 1);
}

static dpr_status try_asarray_to_device(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status;

	status = dpr_asarray_to_device(transposed, dpr_queue_device(q2),
				       DPR_COPY_IF_NEEDED, &x);
	MADE(status, x);
	if (!status)
		status = dpr_matrix_transpose(x, &y);
	dpr_array_release(x);
	status = status ? status : steps(status, &y, 0, 1);
	if (status)
		return status;
	status = dpr_asarray_to_device(matrix, dpr_queue_device(q1),
				       DPR_COPY_ALWAYS, &x);
	return steps(status, &x, 0, 1);
}

static dpr_status try_astype_to_device(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_astype_to_device(matrix, DPR_INT8, dpr_queue_device(q2),
				      DPR_COPY_IF_NEEDED, &x);
	MADE(status, x);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_astype_to_device(matrix, DPR_INT64, dpr_queue_device(q2),
				      DPR_COPY_IF_NEEDED, &x);
	MADE(status, x);
	dpr_array_release(x);
	return status;
}

static dpr_status try_memory_on(void)
{
	static const int32_t from[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 };
	const int64_t back[] = { -1 };
	dpr_array *x;
	dpr_status status;

	status = dpr_array_from_memory_on(from + 9, DPR_SHAPE(10), back,
					  DPR_INT32, q1, DPR_USM_SHARED, &x);
	return steps(status, &x, 0, 1);
}

static dpr_status try_index(void)
{
	const dpr_index at[] = { DPR_AT(1), DPR_NEW_AXIS, DPR_ELLIPSIS };
	dpr_array *x;
	dpr_status status = dpr_array_index(matrix, at, 3, &x);

	return steps(status, &x, 7, 1);
}

static dpr_status try_axes(void)
{
	dpr_array *x, *y = NULL, *z = NULL;
	dpr_status status = dpr_expand_dims(matrix, 1, &x);

	MADE(status, x);
	if (!status) {
		status = dpr_broadcast_to(x, DPR_SHAPE(6, 1, 7), &y);
		MADE(status, y);
	}
	if (!status) {
		status = dpr_squeeze(y, DPR_AXES(1), &z);
		MADE(status, z);
	}
	dpr_array_release(x);
	dpr_array_release(y);
	return status ? status : steps(status, &z, 0, 1);
}

/* Check that @x is one bool with the value @want, and release it. */
static dpr_status truth(dpr_status status, dpr_array *x, uint8_t want)
{
	uint8_t have = 2;

	MADE(status, x);
	if (!status)
		status = dpr_array_to_memory(x, &have, sizeof(have), NULL);
	if (!status)
		ck_assert_uint_eq(have, want);
	dpr_array_release(x);
	return status;
}

static dpr_status try_truth(void)
{
	dpr_array *x;
	dpr_status status = dpr_all(transposed, NULL, &x);

	status = truth(status, x, 0);
	if (status)
		return status;
	status = dpr_any(large, NULL, &x);
	return truth(status, x, 1);
}

static dpr_status try_min(void)
{
	dpr_array *x;
	dpr_status status = dpr_min(transposed, DPR_AXES(0), &x);

	return steps(status, &x, 0, 7);
}

static dpr_status try_sum_as(void)
{
	dpr_array *x;
	dpr_status status =
		dpr_sum_as(matrix, DPR_AXES_KEPT(0, 1), DPR_INT32, &x);

	return number(status, &x, 42 * 41 / 2);
}

static dpr_status dropped(dpr_status status, dpr_array *const *x)
{
	MADE(status, *x);
	dpr_array_release(*x);
	return status;
}

/* Each reduction, over the other axis. */
#define REDUCTION(name, combine, sum, first, finish, text)               \
	static dpr_status try_rows_##name(void)                          \
	{                                                                \
		dpr_array *x;                                            \
		dpr_status status = dpr_##name(transposed, DPR_AXES(1), &x); \
                                                                         \
		return dropped(status, &x);                              \
	}
#include "kernels/reductions.def"
#undef REDUCTION

static dpr_status try_execution_queue(void)
{
	const dpr_array *list[] = { matrix, transposed, large };
	dpr_queue *queue;
	dpr_status status = dpr_execution_queue(list, 3, &queue);

	MADE(status, queue);
	ck_assert(status || queue == q1);
	return status;
}

static dpr_status try_usm_barrier(void)
{
	dpr_event *done;
	dpr_status status = dpr_usm_barrier(other, usm, NULL, &done);

	MADE(status, done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

static dpr_status try_event(void)
{
	dpr_event *done;
	dpr_status status = dpr_array_event(matrix, &done);

	MADE(status, done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	if (status)
		return status;
	status = dpr_usm_event(usm, &done);
	MADE(status, done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

/* Make 0, 1, ... 9 in HOST memory, which DLPack supports. */
static dpr_status make_host_array(dpr_array **x)
{
	static const int32_t values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	return dpr_array_from_memory_on(values, DPR_SHAPE(10), NULL, DPR_INT32,
					q1, DPR_USM_HOST, x);
}

/* Export @x with @options, and check its last element. */
static dpr_status export_with(dpr_dlpack_options *options, const dpr_array *x)
{
	dpr_dlpack managed;
	dpr_status status = dpr_array_to_dlpack(x, options, &managed);

	MADE(status, managed.versioned);
	if (!status)
		ck_assert_int_eq(((int32_t *)managed.versioned->tensor.data)[9],
				 9);
	dpr_dlpack_release(&managed);
	return status;
}

static dpr_status try_to_dlpack(void)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 0 } };
	dpr_array *x;
	dpr_status status = make_host_array(&x);

	if (!status)
		status = export_with(&options, x);
	/* If the barrier on the consumer's stream fails after the call has
	   returned, only dpr_finalize() can report that. */
	closing_failed = 1;
	options.order = DPR_DLPACK_STREAM;
	if (!status)
		status = dpr_queue_native(other, &options.stream);
	if (!status)
		status = dpr_array_wait(x);
	if (!status)
		status = export_with(&options, x);
	dpr_array_release(x);
	return status;
}

static dpr_status try_dlpack_copy(void)
{
	dpr_dlpack_options options = { .struct_size = sizeof(options),
				       .version = { 1, 0 },
				       .device = { DPR_DL_CPU, 0 } };
	dpr_array *x;
	dpr_status status = make_host_array(&x);

	if (!status)
		status = export_with(&options, x);
	options.device.type = 12;
	options.copy = DPR_COPY_ALWAYS;
	if (!status)
		status = export_with(&options, x);
	dpr_array_release(x);
	return status;
}

/* The memory of two foreign tensors, and how often it is lent.  One tensor is
   not aligned.  dpr gives a tensor back once; if the import fails, the caller
   keeps the tensor. */
static _Alignas(16) char lent[2][48];
static int lent_out;

static void take_back(dpr_dl_versioned *self)
{
	(void)self;
	lent_out--;
}

static dpr_status import_as(int32_t type, dpr_copy_mode copy, bool is_odd)
{
	static int64_t n = 10;
	static dpr_dl_versioned foreign;
	dpr_dlpack managed = { &foreign, NULL };
	char *at = lent[is_odd] + 2 * is_odd;
	dpr_array *x;
	dpr_status status;

	for (int i = 0; i < 10; i++)
		memcpy(at + 4 * i, &(int32_t){ 2 + 3 * i }, 4);
	foreign =
		(dpr_dl_versioned){ .version = { 1, 0 },
				    .deleter = take_back,
				    .tensor = { .data = at,
						.device = { type, 0 },
						.ndim = 1,
						.dtype = { DPR_DL_INT, 32, 1 },
						.shape = &n } };
	lent_out++;
	status = dpr_array_from_dlpack(&managed, q1, copy, &x);
	if (status)
		dpr_dlpack_release(&managed);
	return steps(status, &x, 2, 3);
}

static dpr_status try_from_dlpack(void)
{
	dpr_status status = import_as(12, DPR_COPY_NEVER, false);

	if (!status)
		status = import_as(12, DPR_COPY_ALWAYS, false);
	if (!status)
		status = import_as(DPR_DL_CPU, DPR_COPY_IF_NEEDED, false);
	if (!status)
		status = import_as(12, DPR_COPY_IF_NEEDED, true);
	/* Memory that still has work is given back by a later call. */
	ck_assert_int_ge(lent_out, 0);
	return status;
}

static const struct attempt list[] = {
	{ "full", try_full },
	{ "arange", try_arange },
	{ "eye", try_eye },
	{ "strided", try_memory },
	{ "over", try_over },
	{ "view", try_view },
	{ "reshape", try_reshape },
	{ "copy", try_copy },
	{ "astype", try_astype },
	{ "concat", try_concat },
	{ "copy into", try_copy_into },
	{ "assign", try_assign },
	{ "add", try_add },
	{ "add into", try_add_into },
	{ "where", try_where },
	{ "sum", try_sum },
	{ "max", try_max },
	{ "mean", try_mean },
	{ "to device", try_to_device },
	{ "large", try_large },
	{ "to part", try_to_part },
	{ "to queue", try_to_queue },
	{ "format", try_format },
	{ "print", try_print },
	{ "refusal", try_refusal },
	{ "fixed", try_fixed },
	{ "fixed on", try_fixed_on },
	{ "like", try_like },
	{ "ranges on", try_ranges_on },
	{ "asarray", try_asarray },
	{ "asarray to", try_asarray_to_device },
	{ "astype to", try_astype_to_device },
	{ "memory on", try_memory_on },
	{ "index", try_index },
	{ "axes", try_axes },
	{ "truth", try_truth },
	{ "min", try_min },
	{ "sum as", try_sum_as },
#define REDUCTION(name, combine, sum, first, finish, text) \
	{ "rows " #name, try_rows_##name },
#include "kernels/reductions.def"
#undef REDUCTION
	{ "exec queue", try_execution_queue },
	{ "usm barrier", try_usm_barrier },
	{ "event", try_event },
	{ "to dlpack", try_to_dlpack },
	{ "dlpack copy", try_dlpack_copy },
	{ "from dlpack", try_from_dlpack },
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
