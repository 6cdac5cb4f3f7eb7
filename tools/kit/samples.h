/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - the kernels of the checks, in each format that they come in. */
#ifndef TOOLS_SAMPLES_H
#define TOOLS_SAMPLES_H

#include "tools/kit/kit.h"

enum { SAMPLES = 4 };

/* What the native kernels local_sum and store give if their local memory, or
   their value, is not aligned as it must be. */
enum { SAMPLES_UNALIGNED = -64 };
/* What the native kernel own_local gives for a group whose local memory another
   group has changed. */
enum { SAMPLES_SHARED = -1 };

struct samples_store {
	int64_t index;
	int32_t value, pad;
};

/* All images: "native-<this>", opencl-c, spirv, ptx. */
extern const dprp_image samples_all[SAMPLES];

/* Make a module of the best image that the plugin takes, and keep it in
   kit->module.  Ends the check if it takes none. */
void samples_open(struct kit *kit);
/* Make a module of one image.  Returns what create() does. */
dprp_rc samples_make(struct kit *kit, const dprp_image *image,
		     dprp_module **out);
/* Whether the plugin takes an image, by pick(). */
bool samples_fits(struct kit *kit, const dprp_image *image);
/* Get a kernel of kit->module.  Ends the check if there is none. */
dprp_kernel *samples_kernel(struct kit *kit, const char *name);
/* The same if the device takes an image.  NULL: it takes none. */
dprp_kernel *samples_try(struct kit *kit, const char *name);
void samples_drop(struct kit *kit, dprp_kernel *kernel);
/* Whether a native kernel has got a value that is not aligned as it must be. */
bool samples_unaligned(void);
/* Whether kit->module is native code of this process. */
bool samples_is_native(const struct kit *kit);
/* Whether kit->module has a kernel with local memory as an argument. */
bool samples_has_local(const struct kit *kit);

dprp_arg samples_mem(dprp_mem *mem, uint64_t offset);
dprp_arg samples_value(const void *value, uint64_t size);
dprp_arg samples_local(uint64_t size);
/* Launch, as work_copy() copies. */
void samples_launch(struct kit *kit, dprp_queue *queue, dprp_kernel *kernel,
		    const dprp_launch *launch, dprp_event *const *after,
		    uint32_t n, dprp_event **event);
/* Launch a kernel of one dimension. */
void samples_run(struct kit *kit, dprp_queue *queue, dprp_kernel *kernel,
		 uint64_t global, const dprp_arg *args, uint32_t n_args,
		 dprp_event **event);
/* Launch add_one on @n elements. */
void samples_add_one(struct kit *kit, dprp_queue *queue, dprp_kernel *kernel,
		     dprp_mem *mem, uint64_t n, dprp_event **event);

#endif
