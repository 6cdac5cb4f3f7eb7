/* SPDX-License-Identifier: Apache-2.0 */
/* host_device.c - the device and its parts. */
#include "host.h"

#include <string.h>

dprp_rc host_device_count(dprp_instance *instance, uint32_t *n)
{
	(void)instance;
	*n = 1;
	return DPR_RC_OK;
}

dprp_rc host_device_get(dprp_instance *instance, uint32_t index,
			dprp_device **out)
{
	*out = NULL;
	if (index)
		return dprh_fail(
			&instance->host, DPR_RC_INVALID, 0,
			"host: device %u does not exist; there is only device 0",
			index);
	*out = &instance->root;
	return DPR_RC_OK;
}

void host_device_fini(dprp_device *device)
{
	dprh_team_destroy(device->team);
	dprh_free(&device->instance->host, device->cpus.ids);
	pthread_mutex_destroy(&device->lock);
}

dprp_rc host_device_team(dprp_device *device, struct dprh_team **out)
{
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&device->lock);
	if (!device->team)
		rc = dprh_team_create(
			&device->instance->host, &device->cpus, device->units,
			true, "; DPR_OPTION_HOST_THREADS can ask for fewer",
			&device->team);
	*out = device->team;
	pthread_mutex_unlock(&device->lock);
	return rc;
}

/* The CPU of compute unit @unit.  There may be more units than CPUs. */
static uint32_t unit_cpu(const dprp_device *device, uint64_t unit)
{
	return device->cpus.ids[unit % device->cpus.n];
}

/* Put the NUMA node of each of @device's units into @node, which the caller
   frees. */
static dprp_rc unit_nodes(dprp_device *device, uint32_t **node, uint32_t *n)
{
	struct dprh_cpus used = device->cpus;
	uint32_t *of_cpu, i;

	/* With fewer units than CPUs the last CPUs have no unit. */
	if (used.n > device->units)
		used.n = device->units;
	*node = host_util_alloc(device->instance,
				(device->units + device->cpus.n) *
					sizeof(**node));
	if (!*node)
		return DPR_RC_OOM_HOST;
	of_cpu = *node + device->units;
	*n = host_cpu_nodes(device->instance, &used, of_cpu);
	for (i = 0; i < device->units; i++)
		(*node)[i] = of_cpu[i % used.n];
	return DPR_RC_OK;
}

uint32_t host_device_nodes(dprp_device *device)
{
	uint32_t *node, n;

	if (unit_nodes(device, &node, &n))
		return 1;
	dprh_free(&device->instance->host, node);
	return n;
}

/* Make the sub-device of the units i for which units[i] is @part; NULL if
   memory runs out. */
static dprp_device *part_create(dprp_device *device, uint32_t how,
				const uint32_t *units, uint32_t part)
{
	dprp_instance *instance = device->instance;
	dprp_device *sub = host_util_alloc(instance, sizeof(*sub));
	uint32_t i;

	if (!sub)
		return NULL;
	pthread_mutex_init(&sub->lock, NULL);
	sub->instance = instance;
	sub->parent = device;
	sub->index = part;
	sub->how = how;
	sub->cpus.ids = host_util_alloc(instance,
					device->units * sizeof(*sub->cpus.ids));
	if (!sub->cpus.ids) {
		host_device_fini(sub);
		dprh_free(&instance->host, sub);
		return NULL;
	}
	for (i = 0; i < device->units; i++)
		if (units[i] == part)
			sub->cpus.ids[sub->cpus.n++] = unit_cpu(device, i);
	sub->units = sub->cpus.n;
	return sub;
}

/* Put the number of each unit's part into @part; UINT32_MAX: the unit is in no
   part.  Returns the number of parts; 0 if the units cannot be divided in this
   way. */
static uint32_t units_divide(const dprp_device *device,
			     const dprp_partition *how, uint32_t *part)
{
	uint64_t unit = 0, next = 0, count;
	uint32_t n = 0, parts = how->n_counts;

	if (how->how == DPR_PARTITION_EQUALLY) {
		if (how->n_counts != 1 || !how->counts[0])
			return 0;
		parts = (uint32_t)(device->units / how->counts[0]);
	}
	for (n = 0; n < parts; n++) {
		count = how->how == DPR_PARTITION_EQUALLY ? how->counts[0]
							  : how->counts[n];
		if (!count || count > device->units - next)
			return 0;
		for (next += count; unit < next; unit++)
			part[unit] = n;
	}
	for (; unit < device->units; unit++)
		part[unit] = UINT32_MAX;
	return n;
}

/* Find out which unit belongs to which part.  The caller frees @part. */
static dprp_rc units_assign(dprp_device *device, const dprp_partition *how,
			    uint32_t **part, uint32_t *n)
{
	dprp_instance *instance = device->instance;
	dprp_rc rc;

	if (how->how == DPR_PARTITION_DOMAIN) {
		if (how->domain != DPR_DOMAIN_NUMA &&
		    how->domain != DPR_DOMAIN_NEXT)
			return dprh_fail(
				&instance->host, DPR_RC_UNSUPPORTED, 0,
				"host: partition: the only domain is NUMA");
		rc = unit_nodes(device, part, n);
		if (!rc && *n < 2) {
			dprh_free(&instance->host, *part);
			rc = dprh_fail(
				&instance->host, DPR_RC_UNSUPPORTED, 0,
				"host: partition: the device has one NUMA node");
		}
		return rc;
	}
	if (how->how != DPR_PARTITION_EQUALLY &&
	    how->how != DPR_PARTITION_COUNTS)
		return dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
				 "host: partition: %u is not a way to divide",
				 how->how);
	*part = host_util_alloc(instance, device->units * sizeof(**part));
	if (!*part)
		return DPR_RC_OOM_HOST;
	*n = units_divide(device, how, *part);
	if (*n)
		return DPR_RC_OK;
	dprh_free(&instance->host, *part);
	return dprh_fail(
		&instance->host, DPR_RC_INVALID, 0,
		"host: partition: %u compute units cannot be divided that way",
		device->units);
}

dprp_rc host_device_partition(dprp_device *device,
			      const dprp_partition *partition,
			      dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_instance *instance = device->instance;
	uint32_t *part, parts, i;
	dprp_partition how;
	dprp_device *sub;
	dprp_rc rc;

	rc = dprh_take(&instance->host, "dprp_partition", &how, sizeof(how),
		       partition);
	if (!rc)
		rc = units_assign(device, &how, &part, &parts);
	if (rc)
		return rc;
	for (i = 0; i < parts && i < capacity; i++) {
		sub = part_create(device, how.how, part, i);
		if (!sub) {
			rc = DPR_RC_OOM_HOST;
			break;
		}
		/* If this fails half-way, close() frees the sub-devices that
		   were made. */
		pthread_mutex_lock(&instance->lock);
		sub->next = instance->subs;
		instance->subs = sub;
		pthread_mutex_unlock(&instance->lock);
		out[i] = sub;
	}
	dprh_free(&instance->host, part);
	if (!rc)
		*n = parts;
	return rc;
}

dprp_rc host_device_peer(dprp_device *from, dprp_device *to, uint32_t *caps)
{
	(void)from;
	(void)to;
	*caps = DPRP_PEER_COPY;
	return DPR_RC_OK;
}

dprp_rc host_device_clocks(dprp_device *device, uint64_t *device_ns,
			   uint64_t *host_ns)
{
	(void)device;
	*device_ns = dprh_now();
	*host_ns = *device_ns;
	return DPR_RC_OK;
}
