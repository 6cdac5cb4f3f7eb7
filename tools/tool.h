/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - the subcommands of dpr.  argv[0] is the subcommand's name; each
 * returns the exit status: 0, 1 after a failure, 2 for a wrong command line.
 */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

int tool_cache(int argc, char **argv);
int tool_devices(int argc, char **argv);
int tool_doctor(int argc, char **argv);
int tool_eval(int argc, char **argv);

#endif
