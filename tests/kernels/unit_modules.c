/* SPDX-License-Identifier: Apache-2.0 */
/* unit_modules.c - the operation table and the modules agree. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/backend.h>
#include <dpr/dpr.h>

#include "core/array/functions/elementwise.h"
#include "kernels/images.h"
#include "tests/support/devices.h"

/* Each operation is a function in SPIR-V for each dtype that it takes. */
START_TEST(every_operation_has_its_functions)
{
	struct image image;
	char name[64];

	CHECK_OK(images_steps_spirv(&image));
	/* Built without the compilers, the library has none. */
	if (!image.data)
		return;
	for (int op = 0; op < OPERATION_COUNT; op++) {
		const struct operations_entry *o = &operations_table[op];

		for (unsigned dtype = DPR_BOOL; dtype <= DPR_COMPLEX128;
		     dtype++) {
			const char kind = dpr_dtype_kind((dpr_dtype)dtype);

			if (!strchr(o->classes, kind) ||
			    strchr(o->identity, kind))
				continue;
			snprintf(name, sizeof(name), "%s_%u", o->name, dtype);
			ck_assert_msg(memmem(image.data, image.size, name,
					     strlen(name) + 1),
				      "%s: no function for %s", o->name,
				      dpr_dtype_name((dpr_dtype)dtype));
		}
	}
}
END_TEST

START_TEST(unknown_dtypes_are_told)
{
	dpr_operand none[2] = { dpr_operand_int(1), dpr_operand_int(2) };
	dpr_dtype compute, result;

	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		elementwise_dtypes(OPERATION__add, none, &compute, &result));
	ck_assert(strstr(dpr_last_error(), "add") != NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("modules");
	TCase *tcase = tcase_create("modules");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, every_operation_has_its_functions);
	tcase_add_test(tcase, unknown_dtypes_are_told);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
