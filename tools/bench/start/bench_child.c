/* SPDX-License-Identifier: Apache-2.0 */
/* bench_child.c - the programs that rows start as processes. */
#include "tools/bench/start/bench_child.h"

#include <stddef.h>
#include <string.h>

#include "tools/bench/level_zero/bench_ze_start.h"
#include "tools/bench/start/bench_cuda_start.h"
#include "tools/bench/start/bench_first.h"
#include "tools/bench/start/bench_start.h"

bool bench_child_run(int argc, char **argv, int *status)
{
	static const struct {
		const char *word;
		int (*run)(const char *argument, int fd);
	} children[] = {
		{ "--start-ours", bench_start_child_ours },
		{ "--start-ten", bench_start_child_ten },
		{ "--first-call", bench_first_child },
		{ "--start-driver", bench_start_child_driver },
		{ "--start-cubin", bench_cuda_start_child_cubin },
		{ "--start-cuda", bench_cuda_start_child_init },
		{ "--start-module", bench_ze_start_child },
		{ "--start-ze", bench_ze_start_child_init },
	};

	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		if (argc == 3 && !strcmp(argv[1], children[i].word)) {
			*status = children[i].run(argv[2], 1);
			return true;
		}
	return false;
}
