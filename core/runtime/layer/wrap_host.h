/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_host.h - the host table that a plugin gets while a layer is around
   it. */
#ifndef RUNTIME_WRAP_HOST_H
#define RUNTIME_WRAP_HOST_H

#include "core/runtime/layer/layered.h"

/* Fill layer->host, whose functions call those of the core. */
void wrap_host_install(struct layer *layer);

#endif
