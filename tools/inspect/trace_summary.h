/* SPDX-License-Identifier: Apache-2.0 */
/* trace_summary.h - dpr trace-summary. */
#ifndef TOOLS_TRACE_SUMMARY_H
#define TOOLS_TRACE_SUMMARY_H

/* Run "dpr trace-summary".  argv[0] is "trace-summary".  Returns the exit
   status: 0, 1 after a failure, 2 for a wrong command line. */
int trace_summary_main(int argc, char **argv);

#endif
