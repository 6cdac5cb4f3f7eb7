#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs api_examples, which is about the default device, on host and on OpenCL.
set -u
program=${top_builddir:-.}/tests/functions/api_examples
ran=no
for device in host opencl; do
	if [ ! -e "${top_builddir:-.}/backends/.libs/libdpr-$device.so" ]; then
		echo "$device: was not built"
		continue
	fi
	DPR_DEVICE=$device "$program"
	case $? in
	0) ran=yes ;;
	77) ;;
	*) echo "api_examples failed with DPR_DEVICE=$device"; exit 1 ;;
	esac
done
[ $ran = yes ] || exit 77
