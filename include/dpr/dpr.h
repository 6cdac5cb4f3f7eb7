/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpr.h - everything but the plugin ABI (dpr/backend.h).
 *
 * - array.h: arrays, views, and elements from and to host memory
 * - array_kernels.h: in which format a device gets the array functions
 * - base.h: attributes, the object types, and the rules of all functions
 * - cache.h: built programs that are kept on disk
 * - creation.h: make arrays, convert and join them, assign, where
 * - derived.h: isclose, vecdot, norms, diff and others, made of simpler ones
 * - device.h, info.h: find, select and divide devices; their properties
 * - dlpack.h: exchange arrays with other libraries
 * - dtype.h: the types of elements
 * - elementwise.h: functions that work element by element
 * - event.h: the completion, errors and times of submitted work
 * - expression.h: array expressions as text
 * - file.h: arrays from and to files, .npy and .npz
 * - indexing.h: take and put, and indexing by arrays of integers or a mask
 * - kernel.h, launch.h: kernels of one's own, and their launches
 * - linalg.h: solve, eigh, svd and other linear algebra, by a LAPACK
 * - namespace.h: what dpr can do with a device, as data
 * - native.h: kernels of one's own as C or C++ functions, for CPUs
 * - operand.h: an array or a number, as an argument
 * - placement.h: move arrays, and assign, between queues and devices
 * - pool.h: memory pools, their limits, allocators of one's own
 * - products.h: products of matrices, by a BLAS or dpr's own; einsum and others
 * - program.h: code that is built for a device
 * - queue.h: where work runs
 * - reduce.h: sum, prod, mean, var, softmax and other reductions over axes
 * - runtime.h: the library as a whole, its plugins and its log
 * - shapes.h: flip, roll, stack, tile, pad, tril and other shapes of elements
 * - status.h: what functions return, and the text of errors
 * - usm.h: unified shared memory
 * - version.h: the version
 */
#ifndef DPR_DPR_H
#define DPR_DPR_H

#include <dpr/array.h>
#include <dpr/array_kernels.h>
#include <dpr/base.h>
#include <dpr/cache.h>
#include <dpr/creation.h>
#include <dpr/derived.h>
#include <dpr/device.h>
#include <dpr/dlpack.h>
#include <dpr/dtype.h>
#include <dpr/elementwise.h>
#include <dpr/event.h>
#include <dpr/expression.h>
#include <dpr/file.h>
#include <dpr/indexing.h>
#include <dpr/info.h>
#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/linalg.h>
#include <dpr/namespace.h>
#include <dpr/native.h>
#include <dpr/operand.h>
#include <dpr/placement.h>
#include <dpr/pool.h>
#include <dpr/products.h>
#include <dpr/program.h>
#include <dpr/queue.h>
#include <dpr/reduce.h>
#include <dpr/runtime.h>
#include <dpr/shapes.h>
#include <dpr/status.h>
#include <dpr/usm.h>
#include <dpr/version.h>

#endif
