/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h - dpr doctor. */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

/* Run "dpr doctor".  argv[0] is "doctor".  Returns the exit status: 0, 1 after
   a failure, 2 for a wrong command line. */
int doctor_main(int argc, char **argv);

#endif
