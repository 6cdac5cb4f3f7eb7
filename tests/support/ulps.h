/* SPDX-License-Identifier: Apache-2.0 */
/* ulps.h - the error of a float32 in units in the last place. */
#ifndef TESTS_ULPS_H
#define TESTS_ULPS_H

#include <math.h>

/* The error of @got.  A NaN on one side only, and a wrong infinity or sign of
   0, is an infinite one. */
static inline double ulps(float got, double truth)
{
	int exponent;

	if (isnan(truth) || isnan(got))
		return isnan(truth) && isnan(got) ? 0 : HUGE_VAL;
	if (isinf((float)truth) || isinf(got))
		return got == (float)truth ? 0 : HUGE_VAL;
	if (truth == 0)
		return got == 0 && !signbit(got) == !signbit(truth) ? 0
								    : HUGE_VAL;
	frexp(truth, &exponent);
	exponent = exponent < -125 ? -125 : exponent;
	return fabs((double)got - truth) / ldexp(1, exponent - 24);
}

#endif
