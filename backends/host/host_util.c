/* SPDX-License-Identifier: Apache-2.0 */
/* host_util.c - memory and waiting, for all files. */
#include "host.h"

void *host_util_alloc(dprp_instance *instance, size_t size)
{
	void *block = dprh_alloc(&instance->host, 1, size);

	if (!block)
		dprh_fail(&instance->host, DPR_RC_OOM_HOST, 0,
			  "host: out of memory: %zu bytes", size);
	return block;
}

void host_util_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

void host_util_spin(const atomic_uint *value, unsigned what, bool equal)
{
	const uint64_t end = dprh_spin_end();
	unsigned i = 0;

	while ((atomic_load(value) == what) != equal && dprh_spin(++i, end))
		;
}

void host_util_spin_upto(const atomic_uint_fast64_t *count, uint64_t upto)
{
	const uint64_t end = dprh_spin_end();
	unsigned i = 0;

	while (atomic_load(count) < upto && dprh_spin(++i, end))
		;
}
