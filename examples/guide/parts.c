/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - each half of a CPU sums half of an array. */
#include <dpr/dpr.h>

#define N 1000

/* Compute the sum of elements @from to @to of @x on @part. */
static dpr_status sum_on(dpr_device *part, const dpr_array *x, int64_t from,
			 int64_t to)
{
	dpr_array *view = NULL, *here = NULL, *sum = NULL;
	dpr_status status;
	double value;

	if ((status = dpr_array_view(x, &view, DPR_SLICE(from, to, 1))) ||
	    (status = dpr_array_to_device(view, part, &here)) ||
	    (status = dpr_sum(here, NULL, &sum)) ||
	    (status = dpr_array_item_double(sum, &value)))
		goto out;
	printf("%d to %d: %.0f, copied: %s\n", (int)from, (int)to - 1, value,
	       dpr_array_usm(here) == dpr_array_usm(x) ? "no" : "yes");
out:
	dpr_array_release(sum);
	dpr_array_release(here);
	dpr_array_release(view);
	return status;
}

int main(void)
{
	dpr_device *whole, *half[2];
	dpr_array *x = NULL;
	dpr_status status;
	dpr_queue *queue;
	uint64_t units;
	size_t count;

	/* guide: divide */
	if ((status = dpr_device_select("cpu", &whole)) ||
	    (status = dpr_device_info_u64(whole, DPR_INFO_COMPUTE_UNITS,
					  &units)) ||
	    (status = dpr_device_partition_equally(whole, units / 2, half, 2,
						   &count)))
		goto out;
	/* guide: end */
	if ((status = dpr_device_queue(whole, &queue)) ||
	    (status = dpr_arange(0, N, 1, DPR_INT64, queue, &x)) ||
	    (status = sum_on(half[0], x, 0, N / 2)) ||
	    (status = sum_on(half[1], x, N / 2, N)))
		goto out;
out:
	if (status)
		fprintf(stderr, "parts: %s\n", dpr_last_error());
	dpr_array_release(x);
	return status != DPR_OK;
}
