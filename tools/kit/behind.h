/* SPDX-License-Identifier: Apache-2.0 */
/* behind.h - a plugin behind the layer "check", for a check of dpr
   check-plugin. */
#ifndef TOOLS_BEHIND_H
#define TOOLS_BEHIND_H

#include <dpr/backend.h>

/* Put the layer around the plugin of this process, which gets the services of
   @host.  Returns the descriptor to use in place of @plugin: the layer sees
   each call.  Called once. */
const dprp_plugin *behind_install(const dprp_plugin *plugin,
				  const dprp_host *host);

/* Take a line of the library's log: a finding of the layer around a plugin that
   the library has opened. */
void behind_read(const char *line);

#endif
