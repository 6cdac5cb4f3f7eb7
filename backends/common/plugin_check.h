/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_check.h - our names for what authors of backends get from
   <dpr/backend-help.h>: checks of the core's structs. */
#ifndef PLUGIN_CHECK_H
#define PLUGIN_CHECK_H

#include <dpr/backend-help.h>

#define plugin_check_ext dprh_check_ext
#define plugin_check_queue dprh_check_queue
#define plugin_check_copy dprh_check_copy
#define plugin_check_mem dprh_check_mem
#define plugin_check_build_flags dprh_check_build_flags

#endif
