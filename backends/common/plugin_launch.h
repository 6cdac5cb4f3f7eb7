/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_launch.h - our names for what authors of backends get from
   <dpr/backend-help.h>: checks of a launch, and the choice of a local size. */
#ifndef PLUGIN_LAUNCH_H
#define PLUGIN_LAUNCH_H

#include <dpr/backend-help.h>

#define plugin_launch_check dprh_check_launch
#define plugin_launch_check_args dprh_check_n_args
#define plugin_launch_is_empty dprh_launch_is_empty
#define plugin_launch_choose dprh_choose_local

#endif
