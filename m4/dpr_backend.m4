# SPDX-License-Identifier: Apache-2.0
# Which backends are built, and the tools that kernels and tests want.

# DPR_BACKEND(NAME, TEXT, [HEADER...], [INCLUDE-DIRECTORY...])
#
# Adds --with-NAME (underscores as dashes), which is yes, no, auto (the
# default) or a directory that holds include/.  The backend needs every HEADER,
# looked for where the compiler looks and then in each INCLUDE-DIRECTORY.
# Under auto a missing header leaves the backend out; after an explicit
# --with-NAME it is an error.
#
# Results: the conditional and the macro HAVE_<NAME>_BACKEND, the substitution
# <NAME>_CPPFLAGS, and a line in dpr_backend_summary.
AC_DEFUN([DPR_BACKEND], [
	m4_pushdef([NAME], m4_toupper([$1]))
	m4_pushdef([OPTION], m4_translit([$1], [_], [-]))
	AC_ARG_WITH(OPTION,
		[AS_HELP_STRING([--without-]OPTION, [leave out: $2])],
		[], [AS_VAR_SET([with_$1], [auto])])
	NAME[]_CPPFLAGS=
	dpr_found=yes
	AS_CASE([$with_$1],
		[no], [dpr_found="no: --without-OPTION"],
		[yes|auto], [dpr_dirs="m4_normalize([$4])"],
		[dpr_dirs=$with_$1/include])
	m4_ifval(m4_normalize([$3]), [
	AS_IF([test "$dpr_found" = yes], [
		AC_MSG_CHECKING([for m4_normalize([$3])])
		dpr_found="no: m4_normalize([$3]) not found"
		dpr_save_CPPFLAGS=$CPPFLAGS
		for dpr_dir in compiler $dpr_dirs; do
			AS_IF([test "$dpr_dir" = compiler], [dpr_flag=],
				[dpr_flag=-I$dpr_dir])
			CPPFLAGS="$dpr_save_CPPFLAGS $dpr_flag"
			AC_PREPROC_IFELSE([AC_LANG_SOURCE(
				m4_foreach_w([header], [$3], [[#include <]header[>
]]))],
				[NAME[]_CPPFLAGS=$dpr_flag; dpr_found=yes; break])
		done
		CPPFLAGS=$dpr_save_CPPFLAGS
		AC_MSG_RESULT([$dpr_found])])])
	AS_CASE([$with_$1:$dpr_found], [no:*|auto:*|*:yes], [],
		[AC_MSG_ERROR([the OPTION backend was asked for, but $dpr_found])])
	AS_IF([test "$dpr_found" = yes],
		[dpr_any_backend=yes
		AC_DEFINE([HAVE_]NAME[_BACKEND], [1],
			[Define to 1 if this backend is built: $2.])])
	AM_CONDITIONAL([HAVE_]NAME[_BACKEND], [test "$dpr_found" = yes])
	AC_SUBST(NAME[_CPPFLAGS])
	AS_VAR_APPEND([dpr_backend_summary],
		["m4_ifset([DPR_BACKEND_SEEN], [
])      m4_format([%-15s], [$1]) $dpr_found"])
	m4_define([DPR_BACKEND_SEEN], [1])
	m4_popdef([OPTION])
	m4_popdef([NAME])
])

# The toolkit's headers for the CUDA backend.  The backend does not need them: it
# has its own declarations.  The headers must know all entries that the backend
# uses, those of CUDA 12.5.  Results: CUDA_CPPFLAGS, with the macro HAVE_CUDA_TOOLKIT if
# they are there, and dpr_cuda_summary.
AC_DEFUN([DPR_CUDA_TOOLKIT], [
	AC_MSG_CHECKING([for CUDA's cuda.h and cudaTypedefs.h, 12.5 or newer])
	AS_CASE([$with_cuda],
		[no], [dpr_dirs=],
		[yes|auto], [dpr_dirs="compiler ${CUDA_HOME:+$CUDA_HOME/include}
			/usr/local/cuda/include /opt/cuda/include"],
		[dpr_dirs=$with_cuda/include])
	dpr_cuda_summary=
	dpr_save_CPPFLAGS=$CPPFLAGS
	for dpr_dir in $dpr_dirs; do
		AS_IF([test "$dpr_dir" = compiler], [dpr_flag=],
			[dpr_flag=-I$dpr_dir])
		CPPFLAGS="$dpr_save_CPPFLAGS $dpr_flag"
		AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <cuda.h>
#include <cudaTypedefs.h>
]])], [], [continue])
		AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <cuda.h>
#if CUDA_VERSION < 12050
#error too old
#endif
]])],
			[CUDA_CPPFLAGS="-DHAVE_CUDA_TOOLKIT $dpr_flag"
			dpr_cuda_summary="the toolkit's ($dpr_dir)"
			break],
			[dpr_cuda_old="; those in $dpr_dir are too old"])
	done
	CPPFLAGS=$dpr_save_CPPFLAGS
	AS_IF([test -z "$dpr_cuda_summary"],
		[dpr_cuda_summary="our own$dpr_cuda_old (looked in" dpr_dirs=`echo $dpr_dirs`
		AS_VAR_APPEND([dpr_cuda_summary], [" $dpr_dirs)"])])
	AS_IF([test "$with_cuda" = no], [dpr_cuda_summary="none: --without-cuda"])
	AC_MSG_RESULT([$dpr_cuda_summary])
	AC_SUBST([CUDA_CPPFLAGS])
])

# DPR_LLVM_VERSION(VARIABLE, TOOL): the major version of one of LLVM's tools.
AC_DEFUN([DPR_LLVM_VERSION], [
	$1=`$2 --version 2>/dev/null |
		sed -n ['s/.*version \([0-9][0-9]*\)\..*/\1/p'] | sed 1q`
])

# What turns kernels into SPIR-V and PTX.  All of it is optional: the OpenCL
# and host backends take the sources.  The tools are of one version of LLVM:
# the one of KERNEL_CLANG, or the first of the list that is there.  Releases are
# made with 15; what the others write is as valid, and differs.  16 is not among
# them: Debian has no llvm-spirv of it, so it was not tried.
AC_DEFUN([DPR_KERNEL_TOOLS], [
	AC_ARG_VAR([KERNEL_CLANG], [clang that compiles kernels (15, 17, 18 or 19)])
	AC_ARG_VAR([KERNEL_OPT], [LLVM opt of the same version])
	AC_ARG_VAR([LLVM_SPIRV], [LLVM to SPIR-V translator of the same version])
	AC_ARG_VAR([LIBCLC_DIR], [directory of libclc's nvptx64--nvidiacl.bc])
	AC_ARG_VAR([SPIRV_VAL], [SPIR-V validator])
	AC_ARG_VAR([PTXAS], [NVIDIA's PTX assembler, to check PTX])
	dpr_llvm_known="15 19 18 17"
	AC_MSG_CHECKING([which LLVM compiles kernels])
	dpr_llvm=
	dpr_asked=$KERNEL_CLANG
	AS_IF([test -n "$KERNEL_CLANG"],
		[DPR_LLVM_VERSION([dpr_llvm], [$KERNEL_CLANG])],
		[for dpr_version in $dpr_llvm_known; do
			AS_IF([clang-$dpr_version --version >/dev/null 2>&1 &&
				opt-$dpr_version --version >/dev/null 2>&1 &&
				llvm-spirv-$dpr_version --version >/dev/null 2>&1],
				[dpr_llvm=$dpr_version; break])
		done
		AS_IF([test -z "$dpr_llvm"],
			[DPR_LLVM_VERSION([dpr_llvm], [clang])])])
	AC_MSG_RESULT([${dpr_llvm:-none}])
	AC_CHECK_PROGS([KERNEL_CLANG], [clang-$dpr_llvm clang])
	AC_CHECK_PROGS([KERNEL_OPT], [opt-$dpr_llvm opt])
	AC_CHECK_PROGS([LLVM_SPIRV], [llvm-spirv-$dpr_llvm llvm-spirv])
	AC_CHECK_PROGS([SPIRV_VAL], [spirv-val])
	AC_PATH_PROGS([PTXAS], [ptxas], [], [$PATH:/usr/local/cuda/bin])

	dpr_missing=
	AS_CASE([" $dpr_llvm_known "], [*" ${dpr_llvm:-none} "*], [],
		[dpr_missing=" clang, opt, llvm-spirv and libclc of one version"
		AS_VAR_APPEND([dpr_missing], [", 15, 17, 18 or 19"])
		AS_IF([test -n "$dpr_llvm"],
			[AS_VAR_APPEND([dpr_missing],
				["; $KERNEL_CLANG is of version $dpr_llvm"])],
			[test -n "$dpr_asked" && test "$dpr_asked" != no],
			[AS_VAR_APPEND([dpr_missing],
				["; $KERNEL_CLANG is no such clang"])])])
	for dpr_tool in "${KERNEL_OPT:-opt}" "${LLVM_SPIRV:-llvm-spirv}"; do
		DPR_LLVM_VERSION([dpr_version], [$dpr_tool])
		AS_IF([test -z "$dpr_missing" &&
			test "$dpr_version" != "$dpr_llvm"],
			[dpr_missing=" ${dpr_tool%-*[0-9]}-$dpr_llvm"])
	done
	AS_IF([test -z "$dpr_missing"], [
		AC_MSG_CHECKING([for a libclc with which they make SPIR-V and PTX])
		dpr_dirs=${LIBCLC_DIR:-"/usr/lib/clc /usr/share/clc"}
		LIBCLC_DIR= dpr_tried=
		echo 'kernel void k(global float *p) { *p = sin(*p); }' \
			>conftest.cl
		for dpr_dir in $dpr_dirs; do
			AS_IF([test -f "$dpr_dir/nvptx64--nvidiacl.bc"],
				[dpr_tried=$dpr_dir], [continue])
			AS_IF([KERNEL_CLANG=$KERNEL_CLANG \
				KERNEL_OPT=$KERNEL_OPT LLVM_SPIRV=$LLVM_SPIRV \
				SPIRV_VAL=$SPIRV_VAL LIBCLC_DIR=$dpr_dir \
				$SHELL "$srcdir/kernels/try-compilers.sh" \
				./conftest >&AS_MESSAGE_LOG_FD 2>&1],
				[LIBCLC_DIR=$dpr_dir; break])
		done
		rm -f conftest.*
		AC_MSG_RESULT([${LIBCLC_DIR:-no}])
		AS_IF([test -n "$LIBCLC_DIR"], [],
			[test -z "$dpr_tried"],
			[dpr_missing=" libclc-$dpr_llvm"],
			[dpr_missing=" libclc-$dpr_llvm, or one that fits"
			AS_VAR_APPEND([dpr_missing],
				["; that in $dpr_tried does not (config.log)"])])])
	AS_CASE([$dpr_asked:$dpr_missing], [:*|no:*|*:], [],
		[AC_MSG_WARN([$KERNEL_CLANG compiles no kernels: they want$dpr_missing])])
	AM_CONDITIONAL([HAVE_KERNEL_COMPILERS], [test -z "$dpr_missing"])
	dnl The software Level Zero driver of the tests has its tools at run time.
	AS_IF([test -z "$dpr_missing"], [ZECPU_LLVM=$dpr_llvm], [ZECPU_LLVM=15])
	AC_SUBST([ZECPU_LLVM])
	dpr_images=yes
	AS_IF([test -z "$dpr_missing"],
		[dpr_kernel_summary="sources, SPIR-V and PTX, by $KERNEL_CLANG"],
		[test -f "$srcdir/kernels/spirv_steps.bin"],
		[dpr_kernel_summary="sources, SPIR-V and PTX, as released"],
		[dpr_images=no
		dpr_kernel_summary="sources only; SPIR-V and PTX want$dpr_missing"])
	AM_CONDITIONAL([HAVE_KERNEL_IMAGES], [test $dpr_images = yes])
	AS_IF([test $dpr_images = yes],
		[AC_DEFINE([HAVE_KERNEL_IMAGES], [1],
			[Define if kernels/ has spirv_steps.bin, templates.ptx and the routines.])])
	dnl They are embedded deflated where the library has zlib to inflate them.
	AC_ARG_VAR([KERNEL_GZIP], [gzip that deflates SPIR-V and PTX])
	AC_CHECK_PROGS([KERNEL_GZIP], [gzip])
	dpr_deflated=no
	AS_IF([test $dpr_images = yes && test $dpr_have_zlib = yes &&
		echo dpr | ${KERNEL_GZIP:-false} -9n >/dev/null 2>&1],
		[dpr_deflated=yes
		AS_VAR_APPEND([dpr_kernel_summary], [", deflated"])
		AC_DEFINE([EMBED_DEFLATED], [1],
			[Define if these files are embedded deflated.])])
	AM_CONDITIONAL([EMBED_DEFLATED], [test $dpr_deflated = yes])
])

# Libraries that only tests and examples use.
AC_DEFUN([DPR_TEST_TOOLS], [
	dpr_check_summary="left out: no Check >= 0.15 (libcheck)"
	PKG_CHECK_MODULES([CHECK], [check >= 0.15],
		[have_check=yes; dpr_check_summary="with Check"], [have_check=no])
	AM_CONDITIONAL([HAVE_CHECK], [test $have_check = yes])

	AC_CHECK_HEADER([clblast_c.h],
		[have_clblast=yes; dpr_clblast_summary="built"],
		[have_clblast=no; dpr_clblast_summary="left out: no clblast_c.h"],
		[#define CL_TARGET_OPENCL_VERSION 120
])
	AM_CONDITIONAL([HAVE_CLBLAST], [test $have_clblast = yes])

	dnl The software Level Zero driver of the tests, and programs that reach
	dnl it through the loader.
	AC_CHECK_HEADER([level_zero/ze_ddi.h],
		[AC_CHECK_LIB([ze_loader], [zeInit], [have_ze_loader=yes],
			[have_ze_loader=no])],
		[have_ze_loader=no])
	AM_CONDITIONAL([HAVE_ZE_LOADER], [test $have_ze_loader = yes])
])
