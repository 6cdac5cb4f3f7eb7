# SPDX-License-Identifier: Apache-2.0
# dpr-plugin.m4 - for packages that build a backend of dpr.

# DPR_PLUGIN([MINIMUM-VERSION])
#
# Finds an installed dpr by pkg-config (PKG_CONFIG_PATH), or ends configure.
# Adds --with-dpr-plugindir, the directory where plugins are installed; the
# default is that of dpr, whatever --prefix is.  Substitutes DPR, the program for
# "make check", dprplugindir, DPR_PLUGIN_CFLAGS (for C and C++) and
# DPR_PLUGIN_LDFLAGS, for
#
#	dprplugin_LTLIBRARIES = libdpr-NAME.la
#	libdpr_NAME_la_CFLAGS = $(DPR_PLUGIN_CFLAGS)
#	libdpr_NAME_la_LDFLAGS = $(DPR_PLUGIN_LDFLAGS)
AC_DEFUN([DPR_PLUGIN], [
	PKG_CHECK_MODULES([DPR_BACKEND],
		[dpr-backend]m4_ifval([$1], [[ >= $1]]))
	AC_ARG_WITH([dpr-plugindir],
		[AS_HELP_STRING([--with-dpr-plugindir=DIR],
			[install the plugin there, not where dpr has its own])],
		[dprplugindir=$withval],
		[dprplugindir=`$PKG_CONFIG --variable=plugindir dpr-backend`])
	AC_SUBST([dprplugindir])
	DPR=${DPR-`$PKG_CONFIG --variable=dpr dpr-backend`}
	AC_SUBST([DPR])
	DPR_PLUGIN_CFLAGS="$DPR_BACKEND_CFLAGS -fvisibility=hidden -pthread"
	AC_SUBST([DPR_PLUGIN_CFLAGS])
	DPR_PLUGIN_LDFLAGS="-module -avoid-version -shared -no-undefined"
	DPR_PLUGIN_LDFLAGS="$DPR_PLUGIN_LDFLAGS -export-symbols-regex dpr_plugin_abi1"
	DPR_PLUGIN_LDFLAGS="$DPR_PLUGIN_LDFLAGS -Wl,-z,defs -Wl,-z,nodelete"
	DPR_PLUGIN_LDFLAGS="$DPR_PLUGIN_LDFLAGS -Wl,-Bsymbolic"
	AC_SUBST([DPR_PLUGIN_LDFLAGS])
])
