/* SPDX-License-Identifier: Apache-2.0 */
/* routines.c - routines that a backend takes from a library. */
#include "core/array/products/routines.h"

#include <string.h>

#include "core/array/engine/target.h"
#include "core/array/launch/once_built.h"
#include "kernels/libraries.h"

/* The name of the kernel is the first word of the routine's name. */
static dpr_status build(dpr_queue *queue, const struct once_built_key *key,
			dpr_program **program, dpr_kernel **kernel)
{
	const dpr_image image = { .format = DPRP_CALLS_FORMAT,
				  .data = key->name,
				  .size = strlen(key->name) };
	char name[16] = "";
	dpr_status status;

	memcpy(name, key->name, strcspn(key->name, " "));
	status = dpr_program_build(queue, &image, 1, NULL, program);
	return status ? status : dpr_kernel_create(*program, name, kernel);
}

dpr_status routines_get(dpr_queue *queue, const char *name, dpr_kernel **out)
{
	const struct once_built_key key = { name, 0 };

	*out = NULL;
	if (!target_of(dpr_queue_device(queue))->has_calls)
		return DPR_OK;
	return once_built_get(queue, &key, build, out);
}
