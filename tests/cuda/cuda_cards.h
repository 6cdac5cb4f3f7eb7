/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_cards.h - for tests that are built twice: for the GPUs with NVIDIA's
 * driver, of which a machine may have too few, and for the mock (ON_MOCK is 1).
 */
#ifndef TESTS_CUDA_CARDS_H
#define TESTS_CUDA_CARDS_H

#include <sys/wait.h>

#include "tests/cuda/cuda_api.h"

static const char *const cards[2] = { "cuda:gpu:0", "cuda:gpu:1" };

static inline void start(void)
{
	if (ON_MOCK)
		open_mock();
}

/* Count the GPUs.  If there is none, print the backend's reason. */
static inline int count_here(void)
{
	dpr_plugin_report *list = NULL;
	size_t n = 0, i;

	if (ON_MOCK && !load_mock()) {
		printf("%s\n", dlerror());
		return 0;
	}
	use_backends(NULL);
	if (dpr_plugins(1, &list, &n))
		printf("%s\n", dpr_last_error());
	for (i = 0; i < n; i++)
		if (*list[i].text)
			printf("%s: %s\n", list[i].name, list[i].text);
	dpr_free(list);
	if (dpr_device_enumerate("cuda:gpu", NULL, 0, &n))
		printf("%s\n", dpr_last_error());
	return (int)n;
}

/* Count the GPUs in a child process: the driver does not survive fork(), and
   each test runs in a fork of this process. */
static inline int count_cards(void)
{
	pid_t child;
	int status, n;

	fflush(stdout);
	child = fork();
	if (!child) {
		n = count_here();
		fflush(stdout);
		_exit(n < 100 ? n : 100);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Run the suite, for which @least GPUs are needed, and @n were counted.  Frees
   the suite in any case. */
static inline int run_on_cards(Suite *suite, int n, int least)
{
	SRunner *runner = srunner_create(suite);
	int result = EXIT_FAILURE;

	if (n < 0 || (ON_MOCK && n < least)) {
		printf("%d GPUs were found\n", n);
	} else if (n < least) {
		printf("skipped: needs %s with NVIDIA's driver, and finds %d\n",
		       least > 1 ? "two GPUs" : "a GPU", n);
		result = 77;
	} else {
		srunner_run_all(runner, CK_NORMAL);
		if (!srunner_ntests_failed(runner))
			result = EXIT_SUCCESS;
	}
	srunner_free(runner);
	return result;
}

#endif
