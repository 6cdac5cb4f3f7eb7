/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_host_alloc.c - faults where host memory is short. */
#include <string.h>

#include "tests/kit/faulty.h"

static void *get(size_t size)
{
	return faulty.given->alloc(faulty.given->self, size);
}

static void give_back(void *block)
{
	faulty.given->free(faulty.given->self, block);
}

#define CREATE_ARGS                                 \
	dprp_context *context, dprp_device *device, \
		const dprp_queue_desc *desc, uint64_t *got, dprp_queue **out

static dprp_rc right_create(CREATE_ARGS)
{
	return faulty.mock->queue->create(context, device, desc, got, out);
}

static dprp_rc leaky_create(CREATE_ARGS)
{
	void *block = get(100);
	dprp_rc rc;

	if (!block)
		return faulty_fail(DPR_RC_OOM_HOST);
	rc = right_create(context, device, desc, got, out);
	if (!rc)
		give_back(block);
	return rc;
}

static void leaks_on_failure(void)
{
	faulty.queue.create = leaky_create;
}

static dprp_rc careless_create(CREATE_ARGS)
{
	char *block = get(100);

	block[0] = 1;
	give_back(block);
	return right_create(context, device, desc, got, out);
}

static void unchecked(void)
{
	faulty.queue.create = careless_create;
}

static dprp_rc other_create(CREATE_ARGS)
{
	dprp_rc rc = right_create(context, device, desc, got, out);

	return rc == DPR_RC_OOM_HOST ? faulty_fail(DPR_RC_INTERNAL) : rc;
}

static void other_code(void)
{
	faulty.queue.create = other_create;
}

static dprp_rc ok_create(CREATE_ARGS)
{
	right_create(context, device, desc, got, out);
	return DPR_RC_OK;
}

static void ok_anyway(void)
{
	faulty.queue.create = ok_create;
}

static dprp_rc twice_create(CREATE_ARGS)
{
	void *first = get(100), *second = get(100);

	give_back(first);
	if (!second)
		give_back(first);
	if (!first || !second) {
		give_back(second);
		return faulty_fail(DPR_RC_OOM_HOST);
	}
	give_back(second);
	return right_create(context, device, desc, got, out);
}

static void frees_twice(void)
{
	faulty.queue.create = twice_create;
}

static dprp_rc long_create(CREATE_ARGS)
{
	char *block = get(100);

	if (!block)
		return faulty_fail(DPR_RC_OOM_HOST);
	memset(block, 0, 104);
	give_back(block);
	return right_create(context, device, desc, got, out);
}

static void writes_past_block(void)
{
	faulty.queue.create = long_create;
}

const struct fault faulty_host_alloc_faults[] = {
	{ "leaks_on_failure", leaks_on_failure },
	{ "unchecked", unchecked },
	{ "other_code", other_code },
	{ "ok_anyway", ok_anyway },
	{ "frees_twice", frees_twice },
	{ "writes_past_block", writes_past_block },
	{ NULL, NULL },
};
