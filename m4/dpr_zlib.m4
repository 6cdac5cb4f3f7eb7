# SPDX-License-Identifier: Apache-2.0
# DPR_ZLIB: find zlib, for .npz files and for deflated SPIR-V and PTX.  Sets
# ZLIB_CFLAGS, ZLIB_LIBS and the conditional HAVE_ZLIB.  Without zlib, .npz files
# are not supported, and SPIR-V and PTX are in the library as they are.
# --with-zlib makes a missing zlib an error, --without-zlib leaves it out.

AC_DEFUN([DPR_ZLIB], [
AC_ARG_WITH([zlib],
	[AS_HELP_STRING([--without-zlib], [no .npz files, a larger library])],
	[], [with_zlib=auto])
ZLIB_CFLAGS= ZLIB_LIBS= dpr_have_zlib=no
AS_IF([test "x$with_zlib" = xno], [dpr_zlib_summary="left out (--without-zlib)"], [
	AC_CHECK_HEADER([zlib.h], [
		AC_CHECK_LIB([z], [inflateInit2_], [
			dpr_have_zlib=yes
			ZLIB_CFLAGS=-DHAVE_ZLIB=1
			ZLIB_LIBS=-lz])])
	AS_IF([test $dpr_have_zlib = yes], [dpr_zlib_summary="by zlib"],
		[test "x$with_zlib" = xyes],
		[AC_MSG_ERROR([zlib was not found (Debian: zlib1g-dev)])],
		[dpr_zlib_summary="left out: no zlib.h (Debian: zlib1g-dev)"])])
AC_SUBST([ZLIB_CFLAGS])
AC_SUBST([ZLIB_LIBS])
AM_CONDITIONAL([HAVE_ZLIB], [test $dpr_have_zlib = yes])
])
