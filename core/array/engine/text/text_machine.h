/* SPDX-License-Identifier: Apache-2.0 */
/* text_machine.h - the printer (machine.h) that writes OpenCL C. */
#ifndef ARRAY_TEXT_MACHINE_H
#define ARRAY_TEXT_MACHINE_H

#include "core/array/engine/text/emit_steps.h"

/* The printer's functions take a struct machine, which must be the first member
   of a struct emission. */
extern const struct machine_printer text_machine;

#endif
