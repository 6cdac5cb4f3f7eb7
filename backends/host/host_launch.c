/* SPDX-License-Identifier: Apache-2.0 */
/* host_launch.c - a launch: its range, and its arguments for each member. */
#include "host.h"

static const struct dprh_sizes most = { HOST_PARAMETER_BYTES,
					HOST_LOCAL_MEMORY };

/*
 * Memory of a launch behind its command: one block for each member, or a single
 * one if there is no local memory.
 */
dprp_rc host_launch_size(dprp_queue *queue, const dprp_kernel *kernel,
			 const dprp_launch *launch, struct host_sizes *sizes,
			 size_t *size)
{
	dprp_rc rc = dprh_native_check(&queue->instance->host, kernel->native,
				       launch, &most, &sizes->native);

	if (!rc && kernel->call.routine)
		rc = library_calls_plan(&queue->instance->libraries,
					&kernel->call, launch, queue->team->n,
					&sizes->plan);
	if (rc)
		return rc;
	*size = DPRH_ALIGN + dprh_native_size(launch, &sizes->native) *
				     (sizes->native.local ? queue->team->n : 1);
	if (kernel->call.routine)
		*size += library_calls_size(launch) +
			 library_calls_workspace(&sizes->plan);
	return DPR_RC_OK;
}

static void *address_of(dprp_mem *mem)
{
	return mem->address;
}

dprp_rc host_launch_init(dprp_queue *queue, const dprp_kernel *kernel,
			 const dprp_launch *launch,
			 const struct host_sizes *sizes, void *memory,
			 struct dprh_native_launch *out)
{
	const dprp_host *host = &queue->instance->host;
	unsigned char *block;
	uint32_t m, members;
	size_t size;
	dprp_rc rc;

	rc = dprh_range_of(host, launch, HOST_MAX_WORK_GROUP,
			   dprh_team_items(queue->team->n, launch),
			   &out->range);
	if (rc)
		return rc;
	block = (unsigned char *)dprh_round_up((uintptr_t)memory, DPRH_ALIGN);
	size = dprh_native_size(launch, &sizes->native);
	members = sizes->native.local ? queue->team->n : 1;
	out->run = kernel->native->run;
	out->args = (const void *const *)block;
	out->args_stride = sizes->native.local ? size / sizeof(void *) : 0;
	for (m = 0; m < members; m++)
		dprh_native_pack(launch, &sizes->native, address_of,
				 block + m * size);
	if (kernel->call.routine)
		library_calls_init(
			&kernel->call, launch, &sizes->plan, block + size,
			block + size + library_calls_size(launch), out);
	return DPR_RC_OK;
}
