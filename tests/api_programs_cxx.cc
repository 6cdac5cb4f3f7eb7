/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that the API was designed from, in C++, and what only C++ can
   get wrong: overloads. */
#include <complex>

#include "tests/programs.h"

static int overloads()
{
	const short small = -1;
	const unsigned long large = 1;
	const dpr_array *none = nullptr;
	dpr_array *some = nullptr;

	return DPR_OPERAND(small).kind == DPR_OPERAND_INT &&
	       DPR_OPERAND(large).kind == DPR_OPERAND_UINT &&
	       DPR_OPERAND(true).kind == DPR_OPERAND_BOOL &&
	       DPR_OPERAND(1.5f).kind == DPR_OPERAND_FLOAT &&
	       DPR_OPERAND(std::complex<float>(1, 2)).as.c[1] == 2 &&
	       DPR_OPERAND(none).kind == DPR_OPERAND_ARRAY &&
	       DPR_ARG(none).access == DPR_READ &&
	       DPR_ARG(some).access == DPR_READ_WRITE &&
	       DPR_ARG(large).size == sizeof(large) &&
	       DPR_ARG(true).size == 1;
}

int main()
{
	if (!overloads()) {
		fprintf(stderr, "an overload makes something else\n");
		return 1;
	}
	return run_programs();
}
