/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat_plate.c - heat spreads from the hot edge of a square plate.  Prints the
 * temperatures of a few places, and the mean, after some steps.
 *
 * usage: heat [SIDE [STEPS]]
 */
#include <config.h>

#include <dpr/dpr.h>

#include <stdlib.h>

static const char text[] =
	"u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] "
	"+ u[1:-1,:-2] - 4*u[1:-1,1:-1])";

/* A plate with a hot edge, and its inside, which the steps write. */
static dpr_status make_plate(int side, dpr_array **plate, dpr_array **inside)
{
	dpr_array *edge = NULL;
	dpr_status status;

	if ((status = dpr_zeros(DPR_SHAPE(side, side), DPR_FLOAT32, NULL, plate)) ||
	    (status = dpr_array_view(*plate, &edge, DPR_AT(0))) ||
	    (status = dpr_evaluate_into("edge*0 + 100", edge, "edge", edge)))
		goto out;
	status = dpr_array_view(*plate, inside, DPR_SLICE(1, -1, 1),
				DPR_SLICE(1, -1, 1));
out:
	dpr_array_release(edge);
	return status;
}

/* Print a temperature of every eighth part of the middle column, and the mean. */
static dpr_status print(const dpr_array *plate, int side)
{
	double value;
	dpr_status status = DPR_OK;
	dpr_array *place = NULL;

	for (int i = 0; i < side && !status; i += side / 8) {
		status = dpr_array_view(plate, &place, DPR_AT(i),
					DPR_AT(side / 2));
		if (!status)
			status = dpr_array_item_double(place, &value);
		if (!status)
			printf("row %3d: %6.2f\n", i, value);
		dpr_array_release(place);
		place = NULL;
	}
	if (status ||
	    (status = dpr_evaluate("mean(u)", NULL, &place, "u", plate)) ||
	    (status = dpr_array_item_double(place, &value)))
		goto out;
	printf("mean: %6.2f\n", value);
out:
	dpr_array_release(place);
	return status;
}

int main(int argc, char **argv)
{
	const int side = argc > 1 ? atoi(argv[1]) : 64;
	const int steps = argc > 2 ? atoi(argv[2]) : 300;
	dpr_array *plate[2] = { NULL, NULL }, *inside[2] = { NULL, NULL };
	dpr_status status = DPR_OK;

	if (side < 8 || steps < 1) {
		fputs("usage: heat [SIDE [STEPS]]\n", stderr);
		return 2;
	}
	printf("%s %s: side %d, %d steps\n", PACKAGE_NAME, PACKAGE_VERSION, side,
	       steps);
	for (int k = 0; k < 2 && !status; k++)
		status = make_plate(side, &plate[k], &inside[k]);
	for (int i = 0; i < steps && !status; i++)
		status = dpr_evaluate_into(text, inside[(i + 1) % 2], "u",
					   plate[i % 2], "k", 0.25);
	if (!status)
		status = print(plate[steps % 2], side);
	if (status)
		fprintf(stderr, "heat: %s\n", dpr_last_error());
	for (int k = 0; k < 2; k++) {
		dpr_array_release(inside[k]);
		dpr_array_release(plate[k]);
	}
	return status != DPR_OK;
}
