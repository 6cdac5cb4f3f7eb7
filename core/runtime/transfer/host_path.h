/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_path.h - transfers from and to host memory that a plugin does not take
 * as it is.
 *
 * With such memory the driver's call would block, or the driver would have to
 * copy the memory.  So the core moves the bytes through chunks of HOST memory,
 * or has the plugin import the pages; see backend.h, queue->write.
 */
#ifndef RUNTIME_HOST_PATH_H
#define RUNTIME_HOST_PATH_H

#include "core/runtime/submit/held.h"
#include "core/runtime/transfer/staging.h"

/* The function `carry` of operations that write, read or fill. */
void host_path_carry(struct held *held, bool here);

/*
 * Take a chunk to submit with a transfer of @size bytes, which uses it if the
 * plugin of @queue does not take the host memory.  Returns NULL if the plugin
 * takes any memory as far as is known, if the transfer is too large, or if
 * there is no chunk.  In these cases host_path_carry() does the transfer if the
 * plugin does not.
 */
struct chunk *host_path_chunk(const dpr_queue *queue, size_t size);

#endif
