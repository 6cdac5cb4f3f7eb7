# SPDX-License-Identifier: Apache-2.0
# The host backend: pkglib_LTLIBRARIES += backends/libdpr-host.la, with
# plugin_cppflags, plugin_ldflags and plugin_libs, if HAVE_HOST_BACKEND.
