/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - shared by the files of fuzz. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

/* End the process: print the current input, for which @what is not true. */
void fuzz_die(const char *what) __attribute__((noreturn));

#define CHECK(condition)                      \
	do {                                  \
		if (!(condition))             \
			fuzz_die(#condition); \
	} while (0)

/* Targets: each gets a zero-terminated text. */
void fuzz_expression(char *text, size_t size);
void fuzz_definition(char *text, size_t size);
void fuzz_emit(char *text, size_t size);
void fuzz_npy_header(char *text, size_t size);
void fuzz_npy_file(char *text, size_t size);
void fuzz_trace(char *text, size_t size);

/* Make a valid .npy file, because a seed text cannot contain zero bytes.
   Returns its size. */
size_t fuzz_npy_sound(unsigned char *out);

/* The same for .npz files, in @room bytes. */
void fuzz_npz_file(char *text, size_t size);
size_t fuzz_npz_sound(unsigned char *out, size_t room, bool deflates);

#endif
