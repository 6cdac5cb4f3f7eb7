#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs dpr, dpr devices and dpr doctor as a user does, with test plugins:
# output, JSON, exit statuses, and plugins that crash, hang or exit.
set -u
me=check-tools
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"

mkdir "$tmp/p" && chmod 755 "$tmp" "$tmp/p" || exit 99
cp "$plugins/libdpr-mock.so" "$plugins/libdpr-mock2.so" "$tmp/p" || exit 99
cp "$plugins/bad.so" "$tmp/p/libdpr-bad.so" || exit 99
for v in $(env | sed -n 's/^\(DPR_[A-Z0-9_]*\)=.*/\1/p'); do
	unset "$v"
done
DPR_PLUGIN_PATH=$tmp/p
DPR_CACHE_DIR=off
export DPR_PLUGIN_PATH DPR_CACHE_DIR

# The program.
run 2
says err 'usage: dpr COMMAND'
run 0 --version
says out 'dpr '
run 0 --help
says out 'devices'
says out 'doctor'
run 2 nonsense
says err 'no command "nonsense"'
grep -q 'did you mean' "$tmp/err" && complain 'something is near nonsense'
silent out
run 2 evl
says err 'no command "evl"; did you mean "eval"?'
run 2 benhc x
says err 'did you mean "bench"?'
run 2 help doctr
says err 'did you mean "doctor"?'
run 0 help
says out 'usage: dpr COMMAND'
run 0 -h
says out 'usage: dpr COMMAND'
for command in bench cache check-plugin devices doctor eval kernels new-plugin \
	trace-summary; do
	run 0 help $command
	says out "usage: dpr $command"
	silent err
done
for command in devices doctor; do
	run 0 $command --help
	says out "usage: dpr $command"
	run 2 $command --nonsense
	says err "usage: dpr $command"
done

# Output that cannot be written is a failure.
if [ -w /dev/full ]; then
	for command in --version --help 'bench --help' cache 'cache --help' \
		devices 'devices --json' doctor 'doctor --env'; do
		# shellcheck disable=SC2086
		"$dpr" $command >/dev/full 2>"$tmp/err"
		[ $? -eq 1 ] || complain "dpr $command >/dev/full: not 1"
		says err 'the output cannot be written'
	done
fi

# Devices.
run 0 devices
silent err
says out 'mock:gpu:0         mock device 0, 4 units, 1.0 GiB'
says out 'bad:accelerator:1'
[ "$(wc -l <"$tmp/out")" = 4 ] || complain "not 4 devices"
run 0 devices mock2
says out 'compute_units              4'
says out 'type                       gpu'
says out 'uuid                       not available'
says out 'global_mem_size            1.0 GiB (1073741824)'
says out 'array_kernels              '
# An invalid answer of a plugin is reported as such.
run 0 devices bad:accelerator:0
says out 'vendor_id                  device info VENDOR_ID of bad:accelerator:0: device->info of backend bad returned 3 bytes that are not a valid value, against rule V6 of dpr/backend.h'
run 0 devices --json bad:accelerator:0
says out '"vendor_id": null'
says out '"device info VENDOR_ID of bad:accelerator:0: device->info of backend bad returned 3 bytes that are not a valid value, against rule V6 of dpr/backend.h"'
is_json
run 0 devices --json mock:gpu:0
says out '"errors": []'
run 0 devices 'mock:gpu:0/counts:1+2.1'
says out 'selector                   mock:gpu:0/counts:1+2.1'
run 0 devices -e '!bad'
says out 'dropped by "!bad"'
run 1 devices cpu
silent out
says err 'no device matches "cpu"'
says err 'available: mock:gpu:0'
! grep -q DPR_PLUGINS "$tmp/err" || complain "DPR_PLUGINS is not set"
with "DPR_PLUGINS=$tmp/p/libdpr-mock.so" 1 devices cpu
says err 'since DPR_PLUGINS is set; DPR_PLUGIN_PATH adds to the search'
run 1 devices gpuu
says err 'column 1: unknown word "gpuu"; did you mean "gpu"?'
run 2 devices gpu cpu
says err 'more than one selector'
run 0 devices --json
says out '"selector": "mock:gpu:0"'
says out '"type": "gpu"'
says out '"parent": null'
is_json
run 0 devices --json 'gpu:0/equally:1.2'
says out '"parent": "mock:gpu:0"'
is_json
with DPR_OPTION_MOCK_UUID=00112233445566778899aabbccddeeff 0 devices -j mock
says out '"uuid": "00112233-4455-6677-8899-aabbccddeeff"'
is_json
export DPR_OPTION_MOCK_PCI=0:3b:0.0
with DPR_OPTION_MOCK2_PCI=0:3b:0.0 0 devices
unset DPR_OPTION_MOCK_PCI
says out 'same device as mock2:gpu:0'
with DPR_BACKEND=mokc 1 devices
says err 'did you mean "mock"?'

# A name that is not UTF-8, with all characters that JSON must escape.
with "DPR_OPTION_MOCK_FORMATS=$(printf 'a"\\\t\377\303\251')" 0 devices -j mock
says out 'a\"\\\u0009\ufffdé'
is_json

# Doctor.
run 0 doctor
silent err
says out 'bad          ready     2 devices,'
says out "file: $tmp/p/libdpr-mock.so (DPR_PLUGIN_PATH)"
says out 'VENDOR_ID of bad:accelerator:0: device->info of backend bad returned 3 bytes'
says out 'VENDOR_ID of bad:accelerator:1: device->info of backend bad returned 3 bytes'
with DPR_OPTION_MOCK_CUT=8 0 doctor --isolate
says out 'VENDOR_ID of bad:accelerator:0: device->info of backend bad returned 3 bytes'
says out 'note: device->info returned 4 bytes that are not a valid TYPE of device 0'
run 0 doctor --json
says out '"stage": "ready"'
is_json
with DPR_TEST_BAD=open_warns 0 doctor
says out 'note: half of it is left out: too old'
with DPR_OPTION_MOCK_DRIVER=0 0 doctor
says out 'mock         absent'
says out 'why:  mock: DRIVER=0: no driver'
says out 'do:   set the option DRIVER to 1'
says out 'A backend that is not in this list has no plugin here'
with DPR_BACKEND='^mock,^mock2,^bad' 1 doctor
says out 'There is no device.'
with "DPR_PLUGIN_PATH=$tmp/nosuch:$tmp/p" 0 doctor
says out "file: $tmp/nosuch (DPR_PLUGIN_PATH)"
says out 'why:  No such file or directory'
says out 'do:   correct the directory in DPR_PLUGIN_PATH'
with "DPR_PLUGIN_PATH=$tmp/nosuch:$tmp/p" 0 doctor --isolate
says out 'why:  No such file or directory'
with "DPR_PLUGINS=$tmp/none.so" 1 doctor
says out 'Nothing can be used:'
says out 'No such file'
with "DPR_PLUGINS=$tmp/none.so" 1 doctor --isolate
says out 'Nothing can be used:'
run 2 doctor argument
run 2 doctor --timeout=0
says err '1 to 3600'

# With --isolate, the bad plugin is named and the others work.
for what in load_crash open_crash open_exit; do
	with "DPR_TEST_BAD=$what" 0 doctor --isolate --timeout=20
	says out 'bad          crashed'
	says out 'DPR_BACKEND=^bad'
	says out 'mock         ready'
	says out 'mock2        ready'
done
with DPR_TEST_BAD=open_hang 0 doctor -i -t 1
says out 'bad          hung'
says out 'hung for 1 seconds while entering open of'
says out 'mock2        ready'
with DPR_TEST_BAD=open_crash 0 doctor -i -j
says out '"stage": "crashed"'
is_json
run 0 doctor --isolate
says out 'bad          ready     2 devices,'

# Variables.
export DPR_DEVICE=gpu
with DPR_BACKNED=x 1 doctor --env
unset DPR_DEVICE
says out 'DPR_DEVICE=gpu'
says out 'DPR_BACKNED=x'
says out 'did you mean DPR_BACKEND?'
with DPR_BACKEND=mokc 0 doctor --env
says out 'no plugin file was found for "mokc"'
run 0 doctor --env --json
says out '"name": "DPR_LOG"'
is_json

# Built programs.
run 0 cache
says out 'not used: DPR_CACHE_DIR is off'
with "DPR_CACHE_DIR=$tmp/none" 0 cache
says out "directory: $tmp/none"
says out 'files: 0, 0 KiB of 262144 KiB'
mkdir -m 700 "$tmp/kept" && : >"$tmp/kept/0123456789abcdef0123456789abcdef.bin"
with "DPR_CACHE_DIR=$tmp/kept" 0 cache --json clear
says out '"removed": 1'
is_json
with DPR_CACHE_DIR=relative 1 cache
says err 'an absolute directory, or off'
run 2 cache nonsense

# Array kernels for a format of one's own.
run 0 kernels
[ "$(sort -u "$tmp/out" | wc -l)" -ge 1000 ] || complain 'hardly any kernel'
says out strided_where_uint64
run 0 kernels --list
says out 'flat_add_int8(global char *x0, global const char *x1, '
says out '    count, is_number1, number1, is_number2, number2'
says out '    16 per work-item'
run 0 kernels --json
says out '"name": "reduce_all_bool"'
is_json
run 0 kernels --source strided_cast_int8_float32
says out 'kernel void strided_cast_int8_float32(global float *x0, '
run 0 kernels --source reduce_sum_int8
says out 'kernel void reduce_sum_int8(global long *x0, global const char *x1, '
run 0 kernels --list
says out 'matmul_uint32(global const T *a, global const T *b, global T *c, '
says out '    m, n, k, offset[3], row[3], column[3], tiles, '
run 0 kernels --source matmul_float16
says out '#define ROUTINE matmul_float16'
run 1 kernels --source flat_nonsense
says err 'no kernel flat_nonsense'
silent out
run 2 kernels --source flat_add_int8 --json
run 2 kernels nonsense
run 2 kernels --nonsense
says err 'usage: dpr kernels'
run 0 kernels --help
says out 'usage: dpr kernels'

finish
