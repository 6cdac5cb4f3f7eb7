/* SPDX-License-Identifier: Apache-2.0 */
/* new_plugin.h - dpr new-plugin: start a backend from the installed template.
 */
#ifndef TOOLS_NEW_PLUGIN_H
#define TOOLS_NEW_PLUGIN_H

int new_plugin_main(int argc, char **argv);

#endif
