#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Write the C file of a native unit.  The name of the file names the unit:
# native_dtype_12.c, native_cast64_12.c, native_move_4.c.
# usage: native-source.sh FILE
name=${1##*/native_}
name=${name%.c}
type=${name##*_}
echo "/* Written by kernels/native-source.sh. */"
case $name in
dtype_*) printf '#define NATIVE_UNIT 1\n#define DPR_DTYPE %s\n' "$type" ;;
cast64_*) printf '#define NATIVE_UNIT 2\n#define DPR_DTYPE %s\n' "$type"
	echo '#define DPR_DOUBLE 1' ;;
move_*) printf '#define NATIVE_UNIT 3\n#define DPR_DTYPE 8\n'
	echo "#define DPR_ITEM $type" ;;
*) echo "native-source.sh: $1 is none of the units" >&2
	exit 1 ;;
esac
echo '#include "kernels/native_unit.h"'
