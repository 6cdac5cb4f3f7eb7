/* SPDX-License-Identifier: Apache-2.0 */

/* lend.c - arrays to and from another library in this process, by DLPack. */
#include <dpr/dpr.h>

/* guide: consumer */
/* This stands for another library: it adds what a tensor in host memory has. */
static double their_sum(const dpr_dl_tensor *tensor)
{
	const float *x = (const float *)((const char *)tensor->data +
					 tensor->byte_offset);
	double sum = 0;

	for (int64_t i = 0; i < tensor->shape[0]; i++)
		sum += (double)x[tensor->strides ? i * tensor->strides[0] : i];
	return sum;
}
/* guide: end */

/* guide: lend */
static dpr_status lend(const dpr_array *x)
{
	const dpr_dlpack_options options = {
		.struct_size = sizeof(options),
		.version = { DPR_DLPACK_MAJOR, DPR_DLPACK_MINOR },
		.device = { DPR_DL_CPU, 0 },
	};
	dpr_dlpack tensor;
	dpr_status status = dpr_array_to_dlpack(x, &options, &tensor);

	if (status)
		return status;
	printf("they see %g\n", their_sum(&tensor.versioned->tensor));
	dpr_dlpack_release(&tensor);
	return DPR_OK;
}
/* guide: end */

/* guide: producer */
/* This is the other library's memory, and how it gets the memory back. */
static float theirs[] = { 1, 2, 3, 4 };
static int64_t their_shape[] = { 4 };

static int is_back;

static void give_back(dpr_dl_versioned *self)
{
	(void)self;
	is_back = 1;
}

static dpr_dl_versioned their_tensor = {
	.version = { 1, 0 },
	.deleter = give_back,
	.tensor = { .data = theirs,
		    .device = { DPR_DL_CPU, 0 },
		    .ndim = 1,
		    .dtype = { DPR_DL_FLOAT, 32, 1 },
		    .shape = their_shape },
};
/* guide: end */

/* guide: borrow */
static dpr_status borrow(dpr_queue *queue)
{
	const dpr_dlpack tensor = { .versioned = &their_tensor };
	dpr_array *x = NULL, *y = NULL;
	dpr_status status =
		dpr_array_from_dlpack(&tensor, queue, DPR_COPY_IF_NEEDED, &x);

	if (status)
		return status; /* the tensor is still theirs */
	if (!(status = dpr_multiply(x, 10, &y)))
		status = dpr_array_print(y, stdout);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}
/* guide: end */

int main(void)
{
	dpr_queue *queue = NULL;
	dpr_array *x = NULL;
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_linspace(1, 4, 4, DPR_FLOAT32, queue, &x)) ||
	    (status = lend(x)) || (status = borrow(queue)))
		fprintf(stderr, "lend: %s\n", dpr_last_error());
	dpr_array_release(x);
	if (!status)
		status = dpr_finalize();
	printf("their memory is %s\n", is_back ? "back" : "lost");
	return status || !is_back;
}
