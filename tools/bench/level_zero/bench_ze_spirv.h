/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze_spirv.h - the kernels "add", "add_walk", "nothing" and "sum" as
   SPIR-V. */
#ifndef TOOLS_BENCH_ZE_SPIRV_H
#define TOOLS_BENCH_ZE_SPIRV_H

#include <stddef.h>
#include <stdint.h>

extern const uint32_t bench_ze_spirv[];
extern const size_t bench_ze_spirv_size; /* in bytes */

#endif
