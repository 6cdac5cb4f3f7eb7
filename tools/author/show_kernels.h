/* SPDX-License-Identifier: Apache-2.0 */
/* show_kernels.h - dpr kernels: the array kernels that an author may bring. */
#ifndef TOOLS_SHOW_KERNELS_H
#define TOOLS_SHOW_KERNELS_H

int show_kernels_main(int argc, char **argv);

#endif
