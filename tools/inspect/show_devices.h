/* SPDX-License-Identifier: Apache-2.0 */
/* show_devices.h - dpr devices. */
#ifndef TOOLS_SHOW_DEVICES_H
#define TOOLS_SHOW_DEVICES_H

/* Run "dpr devices".  argv[0] is "devices".  Returns the exit status: 0, 1
   after a failure, 2 for a wrong command line. */
int show_devices_main(int argc, char **argv);

#endif
