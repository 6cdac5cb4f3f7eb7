/* SPDX-License-Identifier: Apache-2.0 */
/* eval.h - dpr eval. */
#ifndef TOOLS_EVAL_H
#define TOOLS_EVAL_H

/* Run "dpr eval".  argv[0] is "eval".  Returns the exit status: 0, 1 after a
   failure, 2 for a wrong command line. */
int eval_main(int argc, char **argv);

#endif
