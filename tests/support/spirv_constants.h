/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_constants.h - a SPIR-V 1.2 module with specialization constants.
 *
 * Its kernel add_one(uint *x) stores constant 3 to *x.  Specialization
 * constants by id, with their defaults: 3 is a uint (5), 9 a ulong (6), 1 a
 * bool (true), 200 a ushort (8).
 */
#ifndef TESTS_SPIRV_CONSTANTS_H
#define TESTS_SPIRV_CONSTANTS_H

#include <stdint.h>

/* clang-format off */
static const uint32_t spirv_constants[] = {
	/* Header: magic, version, generator, bound, 0. */
	0x07230203, 0x00010200, 0, 16, 0,
	/* Capabilities Addresses, Linkage, Kernel, Int64, Int16. */
	0x00020011, 4, 0x00020011, 5, 0x00020011, 6,
	0x00020011, 11, 0x00020011, 22,
	/* Import "OpenCL.std"; memory model Physical64 OpenCL. */
	0x0005000b, 1, 0x6e65704f, 0x732e4c43, 0x00006474, 0x0003000e,
	2, 2,
	/* Entry point 2, "add_one"; source OpenCL C 1.2. */
	0x0005000f, 6, 2, 0x5f646461, 0x00656e6f, 0x00030003,
	3, 102000,
	/* SpecId of %3, %4, %5, %6. */
	0x00040047, 3, 1, 3, 0x00040047, 4,
	1, 9, 0x00040047, 5, 1, 1,
	0x00040047, 6, 1, 200,
	/* Types: %7 void, %8 uint, %9 ulong, %10 bool, %11 ushort. */
	0x00020013, 7, 0x00040015, 8, 32, 0,
	0x00040015, 9, 64, 0, 0x00020014, 10,
	0x00040015, 11, 16, 0,
	/* The constants %3 to %6. */
	0x00040032, 8, 3, 5, 0x00050032, 9,
	4, 6, 0, 0x00030030, 10, 5,
	0x00040032, 11, 6, 8,
	/* Types: %12 a pointer to global uint, %13 void (%12). */
	0x00040020, 12, 5, 8, 0x00040021, 13,
	7, 12,
	/* The function: it stores %3 through its parameter %14. */
	0x00050036, 7, 2, 0, 13, 0x00030037,
	12, 14, 0x000200f8, 15, 0x0005003e, 14,
	3, 2, 4, 0x000100fd, 0x00010038,
};
/* clang-format on */

#endif
