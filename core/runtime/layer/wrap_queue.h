/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_queue.h - the entries of queues. */
#ifndef RUNTIME_WRAP_QUEUE_H
#define RUNTIME_WRAP_QUEUE_H

#include "core/runtime/layer/passage.h"

/* Put wrappers in place of the plugin's entries. */
void wrap_queue_install(struct layer *layer, dprp_queue_ops *ops);

#endif
