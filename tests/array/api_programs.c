/* SPDX-License-Identifier: Apache-2.0 */
/* The example programs that the API was designed from, in C. */
#include "tests/support/programs.h"

int main(void)
{
	return run_programs();
}
