/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.h - values for the specialization constants of a program.
 *
 * The core checks the values itself, so that a wrong one is refused in the same
 * words on every backend.
 */
#ifndef RUNTIME_SPEC_H
#define RUNTIME_SPEC_H

#include <stddef.h>

#include <dpr/backend.h>
#include <dpr/program.h>

/* Values in the form of the ABI, in the order of their ids; no id comes
   twice. */
struct spec {
	dprp_spec *list; /* NULL: none */
	size_t n;
};

/*
 * Copy the program's list of @n values to @out, which points to the same bytes.
 * DPR_ERROR_INVALID_ARGUMENT: an id comes twice, or a value is NULL or has a
 * size other than 1, 2, 4 or 8 bytes.
 */
dpr_status spec_take(const dpr_spec *given, size_t n, struct spec *out);
void spec_fini(struct spec *spec);

/* Check that the SPIR-V module at @data, of @size bytes, has every constant of
   @spec, with the given size.  DPR_ERROR_INVALID_ARGUMENT: a constant is
   missing or has another size; the text names it. */
dpr_status spec_check(const struct spec *spec, const void *data, size_t size);

#endif
