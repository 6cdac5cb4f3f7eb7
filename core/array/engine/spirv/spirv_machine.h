/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_machine.h - the printer (machine.h) that writes SPIR-V. */
#ifndef ARRAY_SPIRV_MACHINE_H
#define ARRAY_SPIRV_MACHINE_H

#include "core/array/engine/spirv/spirv_steps.h"

/* This printer works on a struct spirv_steps: the struct machine must be its
   first member. */
extern const struct machine_printer spirv_machine;

#endif
