/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults_files.c - arrays from and to files with faults. */
#include <unistd.h>

#include "tests/support/faults.h"

/* Check that @x has the elements 0, 1, ... and release it. */
static dpr_status counted(dpr_status status, dpr_array *x)
{
	int32_t have[42];

	MADE(status, x);
	if (!status)
		status = dpr_array_to_memory(x, have, sizeof(have), NULL);
	for (int i = 0; !status && i < 42; i++)
		ck_assert_int_eq(have[i], i);
	dpr_array_release(x);
	return status;
}

/* Save an array to a stream and load it again. */
static dpr_status try_stream(void)
{
	FILE *file = tmpfile();
	dpr_array *x = NULL;
	dpr_status status;

	ck_assert_ptr_nonnull(file);
	status = dpr_npy_save(matrix, file);
	rewind(file);
	if (!status)
		status = dpr_npy_load(file, q1, &x);
	fclose(file);
	return counted(status, x);
}

/* Replace a file, and load it into HOST memory. */
static dpr_status try_name(void)
{
	char name[] = "/tmp/dpr-faults.XXXXXX";
	const int fd = mkstemp(name);
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;

	ck_assert_int_ge(fd, 0);
	close(fd);
	status = dpr_npy_save(turned, name);
	if (!status)
		status = dpr_npy_load_on(name, q1, DPR_USM_HOST, &x);
	ck_assert_int_eq(unlink(name), 0);
	MADE(status, x);
	if (!status)
		status = dpr_permute_dims(x, NULL, &y);
	dpr_array_release(x);
	return counted(status, y);
}

static const struct attempt list[] = {
	{ "stream", try_stream },
	{ "name", try_name },
};

int main(void)
{
	return run_faults(list, sizeof(list) / sizeof(*list), NULL);
}
