/* SPDX-License-Identifier: Apache-2.0 */
/* dpr.h - everything but the plugin ABI (dpr/backend.h). */
#ifndef DPR_DPR_H
#define DPR_DPR_H

#include <dpr/array.h>
#include <dpr/array_kernels.h>
#include <dpr/base.h>
#include <dpr/cache.h>
#include <dpr/creation.h>
#include <dpr/device.h>
#include <dpr/dlpack.h>
#include <dpr/dtype.h>
#include <dpr/elementwise.h>
#include <dpr/event.h>
#include <dpr/expression.h>
#include <dpr/file.h>
#include <dpr/info.h>
#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/native.h>
#include <dpr/operand.h>
#include <dpr/placement.h>
#include <dpr/pool.h>
#include <dpr/program.h>
#include <dpr/queue.h>
#include <dpr/reduce.h>
#include <dpr/runtime.h>
#include <dpr/status.h>
#include <dpr/usm.h>
#include <dpr/version.h>

#endif
