/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_control.c - the table with which a test controls the driver. */
#include "zecpu_impl.h"

static int64_t control_live(enum zecpu_object kind)
{
	return atomic_load(&zecpu.live[kind]);
}

static const struct zecpu_control control = {
	.violations = zecpu_check_violations,
	.violation = zecpu_check_violation,
	.forget_violations = zecpu_check_forget,
	.calls = zecpu_check_calls,
	.forget_calls = zecpu_check_forget_calls,
	.fail = zecpu_check_fail,
	.failed = zecpu_check_failed,
	.set = zecpu_check_set,
	.get = zecpu_check_get,
	.hold = zecpu_engine_hold,
	.step = zecpu_engine_step,
	.pending = zecpu_engine_pending,
	.executed = zecpu_engine_executed,
	.lose = zecpu_device_lose,
	.live = control_live,
	.lists = zecpu_list_count,
	.modules = zecpu_module_count,
	.build_flags = zecpu_module_flags,
	.compiled = zecpu_exec_compiled,
	.unable = zecpu_exec_unable,
};

__attribute__((visibility("default"))) const struct zecpu_control *zecpuControl(
	void)
{
	return &control;
}
