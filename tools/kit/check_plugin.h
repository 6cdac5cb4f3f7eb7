/* SPDX-License-Identifier: Apache-2.0 */
/* check_plugin.h - dpr check-plugin: whether a plugin keeps the contract. */
#ifndef TOOLS_CHECK_PLUGIN_H
#define TOOLS_CHECK_PLUGIN_H

/* Run the command.  Returns the exit status. */
int check_plugin_main(int argc, char **argv);

#endif
