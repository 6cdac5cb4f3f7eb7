/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_part.c - parts of a device: its tiles, which are the driver's sub-devices.
 * A division equally or by counts is possible only if its parts are tiles.
 */
#include "ze_objects.h"

/* The number of tiles that the division gives; 0: its parts would not be
   tiles. */
static uint32_t count_parts(const dprp_device *device,
			    const dprp_partition *how)
{
	uint32_t i;

	switch (how->how) {
	case DPR_PARTITION_DOMAIN:
		return how->domain == DPR_DOMAIN_NUMA ||
				       how->domain == DPR_DOMAIN_NEXT
			       ? device->n_tiles
			       : 0;
	case DPR_PARTITION_EQUALLY:
		return device->tile_units &&
				       how->counts[0] == device->tile_units
			       ? device->n_tiles
			       : 0;
	case DPR_PARTITION_COUNTS:
		for (i = 0; i < how->n_counts; i++)
			if (!device->tile_units ||
			    how->counts[i] != device->tile_units)
				return 0;
		return how->n_counts <= device->n_tiles ? how->n_counts : 0;
	default: return 0;
	}
}

static dprp_rc refuse(const dprp_device *device, const dprp_partition *how)
{
	const dprp_host *host = device->instance->host;

	if (!device->n_tiles)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "the driver cannot divide %s further",
				 device->properties.name);
	if (how->how == DPR_PARTITION_DOMAIN)
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"%s cannot be divided by this domain: its %u tiles "
			"are NUMA domains, and it can be divided by no other",
			device->properties.name, (unsigned)device->n_tiles);
	return dprh_fail(
		host, DPR_RC_UNSUPPORTED, 0,
		"%s can only be divided into its %u tiles, of %u units each",
		device->properties.name, (unsigned)device->n_tiles,
		(unsigned)device->tile_units);
}

/* Make the parts, linked by next.  After a failure there are none. */
static dprp_rc make_parts(dprp_device *device, const dprp_partition *how,
			  uint32_t n, dprp_device **out)
{
	dprp_instance *instance = device->instance;
	dprp_device *made = NULL, *part;
	dprp_rc rc = DPR_RC_OK;
	uint32_t i;

	for (i = 0; i < n && !rc; i++) {
		rc = ze_device_make(device->driver, device, device->tiles[i],
				    &part);
		if (rc)
			break;
		part->made_how = how->how;
		if (how->how == DPR_PARTITION_DOMAIN)
			part->made_domain = DPR_DOMAIN_NUMA;
		part->next = made;
		made = part;
		out[i] = part;
	}
	pthread_mutex_lock(&instance->lock);
	while ((part = made)) {
		made = part->next;
		if (rc) {
			ze_device_free(part);
			continue;
		}
		part->next = instance->parts;
		instance->parts = part;
	}
	pthread_mutex_unlock(&instance->lock);
	return rc;
}

dprp_rc ze_part_divide(dprp_device *device, const dprp_partition *theirs,
		       dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_partition how;
	uint32_t parts;
	dprp_rc rc = dprh_take(device->instance->host, "dprp_partition", &how,
			       sizeof(how), theirs);

	*n = 0;
	if (rc)
		return rc;
	parts = count_parts(device, &how);
	if (!parts)
		return refuse(device, &how);
	if (parts <= capacity)
		rc = make_parts(device, &how, parts, out);
	if (!rc)
		*n = parts;
	return rc;
}
