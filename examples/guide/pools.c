/* SPDX-License-Identifier: Apache-2.0 */
/* pools.c - kinds of memory, and what a pool does with memory that is released. */
#include <dpr/dpr.h>
#include <string.h>

#define SIZE ((size_t)8 << 20)

/* guide: stats */
static dpr_status report(const char *when, const dpr_device *device)
{
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };
	dpr_status status;

	status = dpr_pool_get_stats(device, DPR_USM_DEVICE, &stats);
	if (!status)
		printf("%-14s used %2d MiB, requests %d, hits %d\n", when,
		       (int)(stats.used >> 20), (int)stats.requests,
		       (int)stats.hits);
	return status;
}
/* guide: end */

/* guide: kinds */
static dpr_status kinds(dpr_queue *queue)
{
	dpr_usm *host = NULL, *device = NULL;
	char text[6] = "";
	dpr_status status;

	if ((status = dpr_usm_alloc(queue, DPR_USM_HOST, 6, &host)) ||
	    (status = dpr_usm_alloc(queue, DPR_USM_DEVICE, 6, &device)))
		goto out;
	/* The host writes through the address, and the device copies. */
	if (dpr_usm_address(host))
		memcpy(dpr_usm_address(host), "hello", 6);
	else if ((status = dpr_usm_write(queue, host, 0, "hello", 6, NULL,
					 NULL)))
		goto out;
	if ((status = dpr_usm_copy(queue, device, 0, host, 0, 6, NULL, NULL)) ||
	    (status = dpr_usm_read(queue, text, device, 0, 6, NULL, NULL)))
		goto out;
	printf("%s\n", text);
out:
	dpr_usm_release(device);
	dpr_usm_release(host);
	return status;
}
/* guide: end */

int main(void)
{
	dpr_usm *first = NULL, *second = NULL;
	dpr_device *device;
	dpr_status status;
	dpr_queue *queue;
	uint64_t freed;

	if ((status = dpr_device_select(NULL, &device)) ||
	    (status = dpr_device_queue(device, &queue)))
		goto out;

	/* guide: again */
	if ((status = dpr_usm_alloc(queue, DPR_USM_DEVICE, SIZE, &first)) ||
	    (status = report("allocated:", device)))
		goto out;
	dpr_usm_release(first);
	first = NULL;
	if ((status = report("released:", device)) ||
	    (status = dpr_usm_alloc(queue, DPR_USM_DEVICE, SIZE, &second)) ||
	    (status = report("again:", device)))
		goto out;
	dpr_usm_release(second);
	second = NULL;
	if ((status = dpr_pool_trim(device, 0, &freed)))
		goto out;
	printf("trimmed: %s\n", freed >= SIZE ? "yes" : "no");
	/* guide: end */

	status = kinds(queue);
out:
	if (status)
		fprintf(stderr, "pools: %s\n", dpr_last_error());
	dpr_usm_release(second);
	dpr_usm_release(first);
	return status != DPR_OK;
}
