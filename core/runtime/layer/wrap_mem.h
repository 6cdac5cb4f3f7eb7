/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_mem.h - the entries of memory. */
#ifndef RUNTIME_WRAP_MEM_H
#define RUNTIME_WRAP_MEM_H

#include "core/runtime/layer/passage.h"

/* Put wrappers in place of the plugin's entries. */
void wrap_mem_install(struct layer *layer, dprp_mem_ops *ops);

#endif
