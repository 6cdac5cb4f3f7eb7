# SPDX-License-Identifier: Apache-2.0
# dpr.m4 - for packages whose programs use dpr.

# DPR_CHECK([MINIMUM-VERSION], [IF-FOUND], [IF-NOT-FOUND], [BACKENDS])
#
# Finds an installed dpr by pkg-config (PKG_CONFIG_PATH).  Substitutes DPR_CFLAGS
# and DPR_LIBS, and DPR_VERSION.  BACKENDS is a list of names, as in
# [host opencl]: dpr counts as found only if the plugin of each is installed.
# DPR_ERRORS is a sentence that says what is missing.  Without IF-NOT-FOUND,
# configure ends with this sentence.
#
#	DPR_CHECK([0.1])
#	DPR_CHECK([0.1], [have_dpr=yes], [have_dpr=no], [opencl])
AC_DEFUN([DPR_CHECK], [
	DPR_ERRORS=
	PKG_CHECK_MODULES([DPR], [dpr]m4_ifval([$1], [[ >= $1]]),
		[DPR_VERSION=`$PKG_CONFIG --modversion dpr`],
		[DPR_ERRORS=$DPR_PKG_ERRORS
		AS_IF([test -z "$DPR_ERRORS"],
			[DPR_ERRORS="there is no pkg-config, which finds dpr"])])
	AC_SUBST([DPR_VERSION])
	m4_ifval([$4], [AS_IF([test -z "$DPR_ERRORS"], [
		dpr_plugindir=`$PKG_CONFIG --variable=plugindir dpr`
		for dpr_backend in $4; do
			AC_MSG_CHECKING([for dpr's backend $dpr_backend])
			AS_IF([test -f "$dpr_plugindir/libdpr-$dpr_backend.so"],
				[AC_MSG_RESULT([yes])],
				[AC_MSG_RESULT([no])
				DPR_ERRORS="dpr $DPR_VERSION is installed without its backend $dpr_backend: there is no $dpr_plugindir/libdpr-$dpr_backend.so"
				break])
		done])])
	AS_IF([test -z "$DPR_ERRORS"], [m4_default([$2], [:])],
		[m4_default([$3], [AC_MSG_ERROR([$DPR_ERRORS])])])
])
