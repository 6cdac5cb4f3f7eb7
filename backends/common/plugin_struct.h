/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_struct.h - our names for what authors of backends get from
   <dpr/backend-help.h>: how structs grow, and answers to info. */
#ifndef PLUGIN_STRUCT_H
#define PLUGIN_STRUCT_H

#include <dpr/backend-help.h>

#define plugin_struct_copy dprh_copy
#define plugin_struct_may_lack dprh_core_is_older
#define plugin_struct_take dprh_take
#define plugin_struct_give dprh_give
#define plugin_struct_answer dprh_answer

#endif
