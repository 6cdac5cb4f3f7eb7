/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sub_devices.c - each half of a CPU sums half of an array.  Neither has to
 * copy its half: sub-devices can access their parent's memory.
 */
#include <dpr/dpr.h>

#define N 100000

/* Compute the sum of @part on @device. */
static dpr_status sum_on(const dpr_array *part, dpr_device *device,
			 dpr_array **sum)
{
	dpr_array *here;
	dpr_status status;

	if ((status = dpr_array_to_device(part, device, &here)))
		return status;
	printf("%s shares the memory: %s\n", dpr_device_selector(device),
	       dpr_array_usm(here) == dpr_array_usm(part) ? "yes" : "no");
	status = dpr_sum(here, NULL, sum);
	dpr_array_release(here);
	return status;
}

static dpr_status run(dpr_device *device, dpr_device *const *half)
{
	dpr_array *x = NULL, *part[2] = { NULL, NULL },
		  *sum[2] = { NULL, NULL };
	dpr_array *moved = NULL, *total = NULL;
	dpr_status status;
	dpr_queue *queue;

	if ((status = dpr_device_queue(device, &queue)) ||
	    (status = dpr_arange(0, N, 1, DPR_INT64, queue, &x)) ||
	    (status = dpr_array_view(x, &part[0], DPR_SLICE(0, N / 2, 1))) ||
	    (status = dpr_array_view(x, &part[1], DPR_SLICE(N / 2, N, 1))) ||
	    (status = sum_on(part[0], half[0], &sum[0])) ||
	    (status = sum_on(part[1], half[1], &sum[1])) ||
	    (status = dpr_array_to_device(sum[0], half[1], &moved)) ||
	    (status = dpr_add(moved, sum[1], &total)))
		goto out;
	status = dpr_array_print(total, stdout);
out:
	dpr_array_release(total);
	dpr_array_release(moved);
	for (int i = 0; i < 2; i++) {
		dpr_array_release(sum[i]);
		dpr_array_release(part[i]);
	}
	dpr_array_release(x);
	return status;
}

int main(void)
{
	dpr_device *device, *half[2];
	uint64_t units;
	size_t count;

	if (dpr_device_select("cpu", &device) ||
	    dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	if (units < 2 ||
	    dpr_device_partition_equally(device, units / 2, half, 2, &count)) {
		printf("skipped: %s has %d compute unit(s) and is not divided\n",
		       dpr_device_selector(device), (int)units);
		return 77;
	}
	if (run(device, half)) {
		fprintf(stderr, "sub_devices: %s\n", dpr_last_error());
		return 1;
	}
	return 0;
}
