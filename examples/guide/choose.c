/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - the devices that a selector matches, and what they can do. */
#include <dpr/dpr.h>

static void describe(const dpr_device *device)
{
	uint64_t units = 0;

	/* A driver need not report a value: then the count stays 0. */
	if (dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units))
		fprintf(stderr, "choose: %s\n", dpr_last_error());
	printf("%s (%s): %d units, fp64: %s\n", dpr_device_selector(device),
	       dpr_device_name(device), (int)units,
	       dpr_device_has(device, "fp64") ? "yes" : "no");
}

int main(int argc, char **argv)
{
	const char *selector = argc > 1 ? argv[1] : NULL;
	dpr_device *chosen, *all[16];
	size_t count;

	if (dpr_device_enumerate(selector, all, 16, &count) ||
	    dpr_device_select(selector, &chosen)) {
		fprintf(stderr, "choose: %s\n", dpr_last_error());
		return 1;
	}
	for (size_t i = 0; i < count && i < 16; i++)
		describe(all[i]);
	printf("chosen: %s\n", dpr_device_selector(chosen));
	return 0;
}
