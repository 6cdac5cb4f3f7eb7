/* SPDX-License-Identifier: Apache-2.0 */
/* form.h - the forms of a device's properties, for the layer "check" and for
   dpr check-plugin. */
#ifndef RUNTIME_FORM_H
#define RUNTIME_FORM_H

#include <stddef.h>
#include <stdint.h>

/* What is expected in place of the value of @key, a number of <dpr/info.h>.
   NULL: the value is right, or the key is unknown.  @value may be NULL: only
   the size is known. */
const char *form_bad(uint32_t key, const void *value, size_t size);

#endif
