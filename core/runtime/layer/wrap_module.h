/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_module.h - the entries of modules and kernels. */
#ifndef RUNTIME_WRAP_MODULE_H
#define RUNTIME_WRAP_MODULE_H

#include "core/runtime/layer/passage.h"

/* Put wrappers in place of the plugin's entries. */
void wrap_module_install(struct layer *layer, dprp_module_ops *ops);

#endif
