/* SPDX-License-Identifier: Apache-2.0 */
/* causes.c - mistakes, and what the library says about each. */
#include <dpr/dpr.h>
#include <string.h>

/* guide: shape */
/* Rows of 5 numbers, and 4 numbers: the shapes do not match. */
static dpr_status shape(void)
{
	dpr_array *x = NULL, *y = NULL, *sum = NULL;
	dpr_status status;

	if ((status = dpr_zeros(DPR_SHAPE(3, 5), DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_zeros(DPR_SHAPE(4), DPR_FLOAT32, NULL, &y)))
		goto out;
	status = dpr_add(x, y, &sum);
	printf("%s: %s\n", dpr_status_name(status), dpr_status_text(status));
out:
	dpr_array_release(sum);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}
/* guide: end */

/* guide: later */
/* The write is submitted without a wait, and fails later. */
static dpr_status later(void)
{
	static const int numbers[4] = { 1, 2, 3, 4 };
	dpr_event *written = NULL;
	dpr_usm *memory = NULL;
	dpr_status status;
	dpr_queue *queue;
	const char *text;
	int first = 0;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(numbers),
				    &memory)) ||
	    (status = dpr_usm_write(queue, memory, 0, numbers, sizeof(numbers),
				    NULL, &written)))
		goto out;
	status = dpr_event_wait(written);
	dpr_event_error(written, NULL, &text);
	printf("the event: %s\n", text);
	status = dpr_usm_read(queue, &first, memory, 0, sizeof(first), NULL,
			      NULL);
	if (!status)
		printf("the first number: %d\n", first);
out:
	dpr_event_release(written);
	dpr_usm_release(memory);
	return status;
}
/* guide: end */

/* guide: handles */
/* x is released twice, and y never. */
static dpr_status handles(void)
{
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;

	if ((status = dpr_zeros(DPR_SHAPE(3), DPR_FLOAT32, NULL, &x)) ||
	    (status = dpr_sin(x, &y)))
		return status;
	dpr_array_release(x);
	dpr_array_release(x);
	return DPR_OK;
}
/* guide: end */

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "shape";
	dpr_status status;

	if (!strcmp(what, "shape"))
		status = shape();
	else if (!strcmp(what, "later"))
		status = later();
	else
		status = handles();
	if (status)
		fprintf(stderr, "causes: %s\n", dpr_last_error());
	return status != DPR_OK;
}
