/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_util.h - our names for what authors of backends get from
   <dpr/backend-help.h>: memory, errors, the log and a clock. */
#ifndef PLUGIN_UTIL_H
#define PLUGIN_UTIL_H

#include <dpr/backend-help.h>

#define plugin_util_now dprh_now
#define plugin_util_nap dprh_nap
#define plugin_util_alloc dprh_alloc
#define plugin_util_free dprh_free
#define plugin_util_format dprh_format
#define plugin_util_fail dprh_fail
#define plugin_util_no_memory dprh_no_memory
#define plugin_util_log dprh_log

#endif
