/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_machine.h - the printer (machine.h) that writes SPIR-V. */
#ifndef ARRAY_SPIRV_MACHINE_H
#define ARRAY_SPIRV_MACHINE_H

#include "core/array/engine/spirv/spirv_steps.h"

/* The printer's functions take a struct machine, which must be the first member
   of a struct spirv_steps. */
extern const struct machine_printer spirv_machine;

#endif
