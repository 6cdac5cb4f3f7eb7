/* SPDX-License-Identifier: Apache-2.0 */
/* fake_help.h - on the mock driver: what the plugin's own kernels do
   (backends/cuda/calls/calls.ptx). */
#ifndef TESTS_CUDA_FAKE_HELP_H
#define TESTS_CUDA_FAKE_HELP_H

/* Give the mock, which is this library, a function for each kernel. */
void fake_help_install(void *mock_library);

#endif
