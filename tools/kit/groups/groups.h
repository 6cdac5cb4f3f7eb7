/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h - the groups of dpr check-plugin, in the order in which they run. */
#ifndef TOOLS_GROUPS_H
#define TOOLS_GROUPS_H

#include "tools/kit/kit.h"

extern const struct kit_group group_descriptor;
extern const struct kit_group group_open;
extern const struct kit_group group_outputs;
extern const struct kit_group group_info;
extern const struct kit_group group_devices;
extern const struct kit_group group_memory;
extern const struct kit_group group_copies;
extern const struct kit_group group_order;
extern const struct kit_group group_events;
extern const struct kit_group group_finish;
extern const struct kit_group group_modules;
extern const struct kit_group group_kernels;
extern const struct kit_group group_calls;
extern const struct kit_group group_promptness;
extern const struct kit_group group_loss;
extern const struct kit_group group_host_alloc;
extern const struct kit_group group_threads;
extern const struct kit_group group_exit;
extern const struct kit_group group_arrays;

#endif
