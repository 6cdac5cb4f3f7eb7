// SPDX-License-Identifier: Apache-2.0
// l2_distance_cxx.cc - the distances of many points from a point, in C++.
#include <dpr/dpr.h>

int main()
{
	dpr_array *points = nullptr, *one = nullptr, *distance = nullptr;
	dpr_status status;

	if ((status = dpr_ones(DPR_SHAPE(4, 3), DPR_FLOAT32, NULL, &points)) ||
	    (status = dpr_arange(0, 3, 1, DPR_FLOAT32, NULL, &one)) ||
	    (status = dpr_evaluate("sqrt(sum((p*k - q)**2, axis=-1))", &distance,
				   "p", points, "k", 2.0, "q", one)) ||
	    (status = dpr_array_print(distance, stdout)))
		fprintf(stderr, "l2_distance_cxx: %s\n", dpr_last_error());
	dpr_array_release(distance);
	dpr_array_release(one);
	dpr_array_release(points);
	return status != DPR_OK;
}
