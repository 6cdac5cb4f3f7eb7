/* SPDX-License-Identifier: Apache-2.0 */
/* show_cache.h - dpr cache. */
#ifndef TOOLS_SHOW_CACHE_H
#define TOOLS_SHOW_CACHE_H

/* Run "dpr cache".  argv[0] is "cache".  Returns the exit status: 0, 1 after a
   failure, 2 for a wrong command line. */
int show_cache_main(int argc, char **argv);

#endif
