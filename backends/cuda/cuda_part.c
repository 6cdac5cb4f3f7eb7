/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_part.c - parts of a device: multiprocessors with a green context of
 * their own.
 *
 * The driver splits a set of multiprocessors into groups of one size and a
 * rest; only groups of the same split can be joined.  An equal division is one
 * split, whose groups are the parts.  A division by counts is a split into the
 * smallest groups, which are then joined; if too few of them are left for a
 * part, it gets the rest as well.  A part with all multiprocessors needs no
 * split.
 */
#include "cuda_objects.h"

/* Whether the driver has all entries that parts need. */
static bool has_parts(const dprp_device *device)
{
	const struct cuda_api *cu = &device->instance->cu;

	return cu->cuDeviceGetDevResource && cu->cuDevSmResourceSplitByCount &&
	       cu->cuDevResourceGenerateDesc && cu->cuGreenCtxCreate &&
	       cu->cuGreenCtxDestroy && cu->cuGreenCtxGetDevResource &&
	       cu->cuCtxFromGreenCtx && cu->cuGreenCtxStreamCreate;
}

/* Make the green context of a part. */
static dprp_rc open_locked(dprp_device *part)
{
	dprp_instance *instance = part->instance;
	CUgreenCtx green = NULL;
	dprp_rc rc;

	if (part->green)
		return DPR_RC_OK;
	rc = CUDA_TRY_ON(part, cuGreenCtxCreate, &green, part->desc, part->id,
			 CU_GREEN_CTX_DEFAULT_STREAM);
	if (rc)
		return rc;
	rc = CUDA_TRY_ON(part, cuCtxFromGreenCtx, &part->green_cu, green);
	if (rc)
		instance->cu.cuGreenCtxDestroy(green);
	else
		part->green = green;
	return rc;
}

dprp_rc cuda_part_open(dprp_device *part, CUgreenCtx *green, CUcontext *cu)
{
	dprp_rc rc;

	pthread_mutex_lock(&part->instance->lock);
	rc = open_locked(part);
	*green = part->green;
	*cu = part->green_cu;
	pthread_mutex_unlock(&part->instance->lock);
	return rc;
}

void cuda_part_free(dprp_device *part)
{
	dprp_instance *instance = part->instance;

	if (part->green)
		instance->cu.cuGreenCtxDestroy(part->green);
	dprh_free(instance->host, part);
}

/* Get the multiprocessors of a device in a form that can be split.  For a part
   this needs a green context, which is made if there is none yet. */
static dprp_rc ask_resource_locked(dprp_device *device, CUdevResource *all)
{
	dprp_rc rc;

	memset(all, 0, sizeof(*all));
	if (device->root == device)
		return CUDA_TRY(device->instance, cuDeviceGetDevResource,
				device->id, all, CU_DEV_RESOURCE_TYPE_SM);
	rc = open_locked(device);
	if (rc)
		return rc;
	return CUDA_TRY_ON(device, cuGreenCtxGetDevResource, device->green, all,
			   CU_DEV_RESOURCE_TYPE_SM);
}

/* The groups that the multiprocessors of a device were split into. */
struct groups {
	CUdevResource *list; /* memory of the host */
	unsigned n;          /* of one size */
	unsigned rest; /* 1 if one more group, the rest, follows them; else 0 */
};

/* Make one group of all multiprocessors. */
static dprp_rc take_all_locked(dprp_device *device, struct groups *out)
{
	const dprp_host *host = device->instance->host;
	dprp_rc rc;

	out->list = dprh_alloc(host, 1, sizeof(*out->list));
	if (!out->list)
		return dprh_no_memory(host, "parts of a device");
	rc = ask_resource_locked(device, out->list);
	if (rc)
		return rc;
	out->n = 1;
	return DPR_RC_OK;
}

/* Split a device into groups of at least @count multiprocessors.  The caller
   frees *@out, after a failure too. */
static dprp_rc split_locked(dprp_device *device, uint32_t count,
			    struct groups *out)
{
	const dprp_host *host = device->instance->host;
	CUdevResource all, rest;
	unsigned n;
	dprp_rc rc = ask_resource_locked(device, &all);

	if (rc || count > all.sm.smCount)
		return rc;
	n = all.sm.smCount / (count ? count : 1);
	out->list = dprh_alloc(host, n + 1, sizeof(*out->list));
	if (!out->list)
		return dprh_no_memory(host, "parts of a device");
	memset(&rest, 0, sizeof(rest));
	rc = CUDA_TRY_ON(device, cuDevSmResourceSplitByCount, out->list, &n,
			 &all, &rest, 0, count);
	if (rc)
		return rc;
	out->n = n;
	out->rest = rest.type == CU_DEV_RESOURCE_TYPE_SM && rest.sm.smCount > 0;
	out->list[n] = rest;
	return DPR_RC_OK;
}

uint32_t cuda_part_unit(dprp_device *device)
{
	dprp_instance *instance = device->instance;
	struct groups groups = { 0 };
	uint32_t unit;

	if (!has_parts(device))
		return 0;
	pthread_mutex_lock(&instance->lock);
	if (!device->unit && !split_locked(device, 1, &groups) && groups.n)
		device->unit = groups.list[0].sm.smCount;
	dprh_free(instance->host, groups.list);
	unit = device->unit;
	pthread_mutex_unlock(&instance->lock);
	return unit;
}

/* A division in progress. */
struct division {
	dprp_device *device;
	const dprp_partition *how;
	struct groups groups;
	uint32_t at;       /* the next group */
	dprp_device **out; /* NULL: only count */
	uint32_t capacity, n;
	dprp_device *made; /* linked by next */
};

/* Make a part of the next @n groups. */
static dprp_rc make_part(struct division *d, uint32_t n)
{
	dprp_device *parent = d->device, *part;
	CUdevResource *first = d->groups.list + d->at;
	uint32_t i;

	part = dprh_alloc(parent->instance->host, 1, sizeof(*part));
	if (!part)
		return dprh_no_memory(parent->instance->host,
				      "parts of a device");
	*part = *parent;
	part->green = NULL;
	part->green_cu = NULL;
	part->parent = parent;
	part->made_how = d->how->how;
	part->units = 0;
	for (i = 0; i < n; i++)
		part->units += first[i].sm.smCount;
	part->next = d->made;
	d->made = part;
	d->out[d->n] = part;
	/* Only this call tells whether the driver can make the part. */
	return CUDA_TRY_ON(parent, cuDevResourceGenerateDesc, &part->desc,
			   first, n);
}

/* The number of groups, from the next one on, that have @count multiprocessors
   together; 0: too few are left. */
static uint32_t groups_for(const struct division *d, uint64_t count)
{
	const struct groups *groups = &d->groups;
	bool equally = d->how->how == DPR_PARTITION_EQUALLY;
	uint32_t n = groups->n + (equally ? 0 : groups->rest), end = d->at;
	uint64_t sum = 0;

	while (end < n && sum < count)
		sum += groups->list[end++].sm.smCount;
	return sum < count ? 0 : end - d->at;
}

/* Make one part of at least @count multiprocessors.  *@used is the number of
   its groups; 0: there are not enough, and no part was made. */
static dprp_rc take_part(struct division *d, uint64_t count, uint32_t *used)
{
	dprp_rc rc = DPR_RC_OK;

	*used = groups_for(d, count);
	if (!*used)
		return DPR_RC_OK;
	if (d->n < d->capacity)
		rc = make_part(d, *used);
	d->n++;
	d->at += *used;
	return rc;
}

static dprp_rc take_equal(struct division *d)
{
	uint32_t used = 1;
	dprp_rc rc = DPR_RC_OK;

	while (used && !rc)
		rc = take_part(d, d->how->counts[0], &used);
	return rc;
}

static dprp_rc take_counts(struct division *d)
{
	const struct groups *groups = &d->groups;
	uint32_t i, used;
	dprp_rc rc;

	for (i = 0; i < d->how->n_counts; i++) {
		rc = take_part(d, d->how->counts[i], &used);
		if (rc)
			return rc;
		if (used)
			continue;
		return dprh_fail(
			d->device->instance->host, DPR_RC_UNSUPPORTED, 0,
			"the driver divides the %u multiprocessors into %u "
			"groups of %u and a rest of %u, which cannot be "
			"joined into these parts",
			(unsigned)d->device->units, groups->n,
			groups->list[0].sm.smCount,
			groups->rest ? groups->list[groups->n].sm.smCount : 0);
	}
	return DPR_RC_OK;
}

/* Keep the parts of a division, or drop them after a failure. */
static void end_division(struct division *d, dprp_rc rc)
{
	dprp_instance *instance = d->device->instance;
	bool keep = !rc && d->n <= d->capacity;
	dprp_device *part;

	while ((part = d->made)) {
		d->made = part->next;
		if (keep) {
			part->next = instance->parts;
			instance->parts = part;
			continue;
		}
		cuda_part_free(part);
	}
	dprh_free(instance->host, d->groups.list);
}

static dprp_rc divide_locked(struct division *d)
{
	dprp_device *device = d->device;
	bool equally = d->how->how == DPR_PARTITION_EQUALLY;
	uint64_t count = d->how->counts[0];
	dprp_rc rc;

	if (count > device->units)
		return DPR_RC_OK;
	if (count == device->units)
		rc = take_all_locked(device, &d->groups);
	else
		rc = split_locked(device, equally ? (uint32_t)count : 1,
				  &d->groups);
	if (!rc && d->groups.n)
		rc = equally ? take_equal(d) : take_counts(d);
	end_division(d, rc);
	return rc;
}

dprp_rc cuda_part_divide(dprp_device *device, const dprp_partition *theirs,
			 dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_instance *instance = device->instance;
	dprp_partition how;
	struct division d = {
		.device = device, .how = &how, .out = out, .capacity = capacity
	};
	dprp_rc rc = dprh_take(instance->host, "dprp_partition", &how,
			       sizeof(how), theirs);

	*n = 0;
	if (rc)
		return rc;
	if (how.how != DPR_PARTITION_EQUALLY && how.how != DPR_PARTITION_COUNTS)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "a GPU can be divided only equally "
				 "or by counts of multiprocessors");
	if (!has_parts(device))
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "this driver cannot divide a GPU: "
				 "that needs green contexts (CUDA "
				 "12.5)");
	pthread_mutex_lock(&instance->lock);
	rc = divide_locked(&d);
	pthread_mutex_unlock(&instance->lock);
	if (!rc)
		*n = d.n;
	return rc;
}
