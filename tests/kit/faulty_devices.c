/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_devices.c - faults of contexts, divisions and clocks. */
#include <signal.h>

#include "tests/kit/faulty.h"

static dprp_rc any_partition(dprp_device *device, const dprp_partition *how,
			     dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_partition known = *how;

	if (known.how > DPR_PARTITION_DOMAIN)
		known.how = DPR_PARTITION_EQUALLY;
	return faulty.mock->device->partition(device, &known, out, capacity, n);
}

static void any_way(void)
{
	faulty.device.partition = any_partition;
}

static dprp_rc more_partition(dprp_device *device, const dprp_partition *how,
			      dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_rc rc =
		faulty.mock->device->partition(device, how, out, capacity, n);

	if (!rc)
		out[capacity] = device;
	return rc;
}

static void too_many_parts(void)
{
	faulty.device.partition = more_partition;
}

static dprp_rc unset_partition(dprp_device *device, const dprp_partition *how,
			       dprp_device **out, uint32_t capacity,
			       uint32_t *n)
{
	uint32_t hidden;

	(void)n;
	return faulty.mock->device->partition(device, how, out, capacity,
					      &hidden);
}

static void unset_number(void)
{
	faulty.device.partition = unset_partition;
}

static dprp_rc root_partition(dprp_device *device, const dprp_partition *how,
			      dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_rc rc =
		faulty.mock->device->partition(device, how, out, capacity, n);
	uint32_t i;

	for (i = 0; !rc && *n <= capacity && i < *n; i++)
		out[i] = device;
	return rc;
}

static void parts_are_root(void)
{
	faulty.device.partition = root_partition;
}

/* Parts of the same size are one device. */
static dprp_rc alike_partition(dprp_device *device, const dprp_partition *how,
			       dprp_device **out, uint32_t capacity,
			       uint32_t *n)
{
	dprp_rc rc =
		faulty.mock->device->partition(device, how, out, capacity, n);
	uint32_t i;

	if (how->how == DPR_PARTITION_EQUALLY)
		for (i = 1; !rc && *n <= capacity && i < *n; i++)
			out[i] = out[0];
	return rc;
}

static void same_part(void)
{
	faulty.device.partition = alike_partition;
}

static dprp_rc micro_clocks(dprp_device *device, uint64_t *device_ns,
			    uint64_t *host_ns)
{
	dprp_rc rc = faulty.mock->device->clocks(device, device_ns, host_ns);

	*device_ns /= 1000;
	return rc;
}

static void microseconds(void)
{
	faulty.device.clocks = micro_clocks;
}

static dprp_rc other_clocks(dprp_device *device, uint64_t *device_ns,
			    uint64_t *host_ns)
{
	dprp_rc rc = faulty.mock->device->clocks(device, device_ns, host_ns);

	*host_ns += UINT64_C(3600000000000);
	return rc;
}

static void other_clock(void)
{
	faulty.device.clocks = other_clocks;
}

static dprp_context *only;

static dprp_rc same_create(dprp_instance *instance, dprp_device *root,
			   const dprp_ext *ext, dprp_context **out)
{
	dprp_rc rc = DPR_RC_OK;

	if (!only)
		rc = faulty.mock->context->create(instance, root, ext, &only);
	*out = only;
	return rc;
}

static void one_context(void)
{
	faulty.context.create = same_create;
}

static void crash_destroy(dprp_context *context)
{
	(void)context;
	raise(SIGSEGV);
}

static void context_crash(void)
{
	faulty.context.destroy = crash_destroy;
}

const struct fault faulty_devices_faults[] = {
	{ "any_way", any_way },
	{ "too_many_parts", too_many_parts },
	{ "unset_number", unset_number },
	{ "parts_are_root", parts_are_root },
	{ "same_part", same_part },
	{ "microseconds", microseconds },
	{ "other_clock", other_clock },
	{ "one_context", one_context },
	{ "context_crash", context_crash },
	{ NULL, NULL },
};
