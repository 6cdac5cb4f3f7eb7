/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_warp.c - turns an image about its middle.  A pixel of the result comes
 * from a place between four pixels of the image: it is their mean, and the
 * nearest counts most.  One expression reads them by arrays of indices.
 *
 * usage: image_warp [DEGREES]
 */
#include <dpr/dpr.h>

#include <math.h>
#include <stdlib.h>

enum { SIDE = 24 };

/* (r, q): the place from which the pixel at row i and column j comes.  An index
   beyond the image counts from its other side.  Such pixels are 0. */
static const char text[] =
	"u = astype(index(0, image), float32) - middle;"
	"v = astype(index(1, image), float32) - middle;"
	"r = middle + c*u + s*v; q = middle + c*v - s*u;"
	"i = astype(floor(r), int32); j = astype(floor(q), int32);"
	"a = r - floor(r); b = q - floor(q);"
	"top = (1 - b)*image[i, j] + b*image[i, j + 1];"
	"low = (1 - b)*image[i + 1, j] + b*image[i + 1, j + 1];"
	"inside = maximum(abs(r - middle), abs(q - middle)) <= middle;"
	"where(inside, (1 - a)*top + a*low, 0)";

/* Turn @image by @degrees against the clock. */
static dpr_status turn(const dpr_array *image, double degrees, dpr_array **out)
{
	const double angle = degrees * 3.14159265358979324 / 180;

	return dpr_evaluate(text, NULL, out, "image", image, "middle",
			    (SIDE - 1) / 2.0, "c",
			    degrees == 90 ? 0.0 : cos(angle), "s", sin(angle));
}

/* A frame, open at the right, and a bar. */
static dpr_status draw(dpr_array **image)
{
	float pixels[SIDE][SIDE];

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			pixels[i][j] = (float)((i >= 4 && i < 20) &&
					       (j >= 6 && j < 18) &&
					       (j < 9 || i < 7 ||
						(i >= 11 && i < 14 && j < 15)));
	return dpr_array_from_memory(pixels, DPR_SHAPE(SIDE, SIDE), NULL,
				     DPR_FLOAT32, NULL, image);
}

/* Print each pixel as a character, darker for larger numbers. */
static dpr_status show(const dpr_array *image)
{
	float pixels[SIDE][SIDE];
	dpr_status status =
		dpr_array_to_memory(image, pixels, sizeof(pixels), NULL);

	for (int i = 0; i < SIDE && !status; i++)
		for (int j = 0; j <= SIDE; j++)
			putchar(j == SIDE ? '\n'
					  : " .:*#"[(int)(pixels[i][j] * 4)]);
	return status;
}

int main(int argc, char **argv)
{
	dpr_array *image = NULL, *turned = NULL, *quarter = NULL, *same = NULL;
	const double degrees = argc < 2 ? 30 : strtod(argv[1], NULL);
	int64_t equal = 0;

	/* A quarter of a turn moves pixels, as rot90() does. */
	if (draw(&image) || turn(image, degrees, &turned) || show(turned) ||
	    turn(image, 90, &quarter) ||
	    dpr_evaluate("all(quarter == rot90(image))", NULL, &same, "quarter",
			 quarter, "image", image) ||
	    dpr_array_item_int64(same, &equal))
		fprintf(stderr, "image_warp: %s\n", dpr_last_error());
	dpr_array_release(same);
	dpr_array_release(quarter);
	dpr_array_release(turned);
	dpr_array_release(image);
	return !equal;
}
