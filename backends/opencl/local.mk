# SPDX-License-Identifier: Apache-2.0
# The OpenCL backend: pkglib_LTLIBRARIES += backends/libdpr-opencl.la, with
# plugin_cppflags, plugin_ldflags and plugin_libs, if HAVE_OPENCL_BACKEND.
