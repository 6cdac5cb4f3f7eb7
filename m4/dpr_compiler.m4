# SPDX-License-Identifier: Apache-2.0
# What the compiler and linker are asked for.  Nothing here touches CFLAGS or
# LDFLAGS: those belong to whoever runs configure.

# DPR_CC_FLAG(FLAG): append FLAG to DPR_CFLAGS if the compiler takes it.
AC_DEFUN([DPR_CC_FLAG], [
	AS_VAR_PUSHDEF([cache], [dpr_cv_cc_flag_$1])
	AC_CACHE_CHECK([whether $CC accepts $1], [cache], [
		dpr_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -Werror $1"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [AS_VAR_SET([cache], [yes])],
			[AS_VAR_SET([cache], [no])])
		CFLAGS=$dpr_save_CFLAGS])
	AS_VAR_IF([cache], [yes], [DPR_CFLAGS="$DPR_CFLAGS $1"])
	AS_VAR_POPDEF([cache])
])

# DPR_LD_FLAG(VARIABLE, FLAG): set VARIABLE to FLAG if the linker takes it.
AC_DEFUN([DPR_LD_FLAG], [
	AS_VAR_PUSHDEF([cache], [dpr_cv_ld_flag_$2])
	AC_CACHE_CHECK([whether the linker accepts $2], [cache], [
		dpr_save_LDFLAGS=$LDFLAGS
		LDFLAGS="$LDFLAGS $2"
		AC_LINK_IFELSE([AC_LANG_PROGRAM], [AS_VAR_SET([cache], [yes])],
			[AS_VAR_SET([cache], [no])])
		LDFLAGS=$dpr_save_LDFLAGS])
	AS_VAR_IF([cache], [yes], [$1=$2])
	AS_VAR_POPDEF([cache])
	AC_SUBST([$1])
])

# What machines dpr is for.  Others are refused before anything else is looked for.
AC_DEFUN([DPR_MACHINE], [
	AC_CHECK_SIZEOF([void *])
	AS_IF([test "$ac_cv_sizeof_void_p" != 8], [AC_MSG_ERROR(
		[dpr needs a 64-bit machine: pointers of $CC have $ac_cv_sizeof_void_p bytes, and the interface of plugins and the array kernels need 8])])
	AC_C_BIGENDIAN([dpr_order=big], [dpr_order=little], [dpr_order=unknown],
		[dpr_order=mixed])
	AS_IF([test $dpr_order != little], [AC_MSG_ERROR(
		[dpr needs a little-endian machine: the byte order of $CC is $dpr_order, and the interface of plugins and the compiled kernels have the low byte first])])
])

AC_DEFUN([DPR_COMPILER], [
	DPR_CFLAGS=-std=gnu11
	m4_foreach_w([flag], [-pthread -fvisibility=hidden -fsigned-char -Wall -Wextra
		-Wshadow -Wstrict-prototypes -Wmissing-prototypes
		-Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla
		-Wundef -Wformat=2],
		[DPR_CC_FLAG(flag)])

	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror],
			[make compiler warnings errors (for developers)])],
		[], [enable_werror=no])
	AS_IF([test "x$enable_werror" = xyes],
		[DPR_CFLAGS="$DPR_CFLAGS -Werror"])

	dnl For kernels as C: vectorise, but change no result.
	dpr_project_CFLAGS=$DPR_CFLAGS
	DPR_CFLAGS=
	m4_foreach_w([flag], [-ftree-vectorize -fvect-cost-model=dynamic
		-fno-unswitch-loops -ffp-contract=off -fno-math-errno
		-fno-trapping-math -Wno-unused-function -Wno-unused-variable
		-Wno-unknown-pragmas],
		[DPR_CC_FLAG(flag)])
	AC_SUBST([DPR_NATIVE_CFLAGS], [$DPR_CFLAGS])
	DPR_CFLAGS=
	DPR_CC_FLAG([-ffp-contract=fast])
	AC_SUBST([DPR_FUSED_CFLAGS], [$DPR_CFLAGS])
	dnl For kernels and the program dpr: no exception passes through their functions.
	DPR_CFLAGS=
	m4_foreach_w([flag], [-fno-asynchronous-unwind-tables -fno-unwind-tables],
		[DPR_CC_FLAG(flag)])
	AC_SUBST([DPR_NO_UNWIND_CFLAGS], [$DPR_CFLAGS])
	dnl For code that need not be fast.  -Os would have no effect before the -O2 of
	dnl CFLAGS.
	DPR_CFLAGS=
	m4_foreach_w([flag], [-fno-inline-functions -fno-inline-small-functions
		-fno-partial-inlining -fno-ipa-cp -fno-align-functions
		-fno-align-loops -fno-align-jumps -fno-align-labels
		-freorder-blocks-algorithm=simple],
		[DPR_CC_FLAG(flag)])
	AC_SUBST([DPR_SMALL_CFLAGS], [$DPR_CFLAGS])
	DPR_CFLAGS=$dpr_project_CFLAGS

	DPR_LD_FLAG([DPR_Z_NODELETE], [-Wl,-z,nodelete])
	DPR_LD_FLAG([DPR_Z_DEFS], [-Wl,-z,defs])
	DPR_LD_FLAG([DPR_BSYMBOLIC], [-Wl,-Bsymbolic])
	DPR_LD_FLAG([DPR_BSYMBOLIC_FUNCTIONS], [-Wl,-Bsymbolic-functions])

	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers=LIST],
			[build with -fsanitize=LIST, for instance address,undefined])],
		[], [enable_sanitizers=no])
	dpr_sanitizers=none
	AS_CASE([$enable_sanitizers], [no], [],
		[yes], [dpr_sanitizers=address,undefined],
		[dpr_sanitizers=$enable_sanitizers])
	AS_IF([test "x$dpr_sanitizers" != xnone], [
		DPR_LDFLAGS="-fsanitize=$dpr_sanitizers"
		DPR_CFLAGS="$DPR_CFLAGS $DPR_LDFLAGS -fno-omit-frame-pointer"
		DPR_CFLAGS="$DPR_CFLAGS -fno-sanitize-recover=undefined"
		dnl The sanitizer's run-time library is in the program, and so are
		dnl the symbols that a plugin needs of it.
		DPR_Z_DEFS=
		AC_MSG_CHECKING([whether $DPR_LDFLAGS works])
		dpr_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS $DPR_LDFLAGS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])],
			[AC_MSG_ERROR([the compiler cannot build with $DPR_LDFLAGS])])
		CFLAGS=$dpr_save_CFLAGS])
	AM_CONDITIONAL([SANITIZERS], [test "x$dpr_sanitizers" != xnone])
	AC_SUBST([dpr_sanitizers])
	AC_SUBST([DPR_CFLAGS])
	AC_SUBST([DPR_LDFLAGS])

	dnl Without version scripts libtool's own symbol list does the hiding.
	AC_CACHE_CHECK([whether the linker takes version scripts],
		[dpr_cv_version_script], [
		echo 'DPR_0 { global: main; local: *; };' >conftest.map
		dpr_save_LDFLAGS=$LDFLAGS
		LDFLAGS="$LDFLAGS -Wl,--version-script=conftest.map"
		AC_LINK_IFELSE([AC_LANG_PROGRAM], [dpr_cv_version_script=yes],
			[dpr_cv_version_script=no])
		LDFLAGS=$dpr_save_LDFLAGS
		rm -f conftest.map])
	AM_CONDITIONAL([VERSION_SCRIPT], [test $dpr_cv_version_script = yes])
])
