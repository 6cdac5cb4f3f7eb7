#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of the runtime and of arrays on the Level Zero backend, with the real
# loader and the software driver of tests/zecpu.  The driver ends a program at the
# first misuse.  At the end of a program it also reports how much was executed.  A
# program that passes without executing anything counts as failed.  So does a
# program that skips, because this script has looked for its needs before.
#
# usage: zecpu-suite.sh [modes [MODE...] | whole]
#
# Without an argument: some programs, in mode plain.  "modes": some programs in
# some modes, or in those given.  "whole": all programs, in all modes that can
# be combined from the words below, which takes more than an hour.
#
#   plain    commands run in submission order, for older drivers
#   reverse  of the commands that can run, the last one starts first
#   random   the next command is chosen at random (DPR_TEST_SEED repeats a run)
#   delay    each command begins late
#   guard    the host cannot touch device memory, nor bytes behind memory
#   newer    lists in order, counted events and what else newer drivers have
#   layers   the loader's validation and tracing; not with newer, for these
#            layers do not know it
#   two      two drivers: the loader hands out handles of its own
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
some='reverse+guard delay+newer two+layers reverse+delay+guard+newer+two'
build=$(cd "${top_builddir:-.}" && pwd)
driver=$build/tests/zecpu/driver/.libs/libzecpu.so
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-zecpu.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

# The programs, with their arguments.
#
# Column 1: where a program runs besides "whole".
#   s  without an argument
#   m  in all of the modes
#   e  in the last of the modes alone.  The program is about values.  Only the
#      order of commands, and memory that the host cannot touch, can change them,
#      and the last mode has both
#
# Column 2: what the program needs, and how it ends.
#   c  needs a compiler of OpenCL C
#   a  needs array kernels as SPIR-V
#   h  needs other backends beside: host, and the mocks where it looks for them
#   1  needs one driver.  Of several, the loader hands out handles of its own, and
#      frees them at exit() while other threads are still inside
#   l  its processes end with dpr_finalize(), and leave no object of the driver
#   v  is about values, so a sanitizer has nothing to say of it
#
# Column 3: settings with ; between, and + for each blank.  -: there are none.
#
# These tests are not in the list:
#   tests that run on the mocks or on host alone
#   api_native, api_wrapped, unit_plain: about OpenCL; this folder has tests of
#       Level Zero's own
#   api_local: its rounds end with OpenCL
#   unit_images: builds modules and runs none
#   the other case of unit_streams: for the kernels of a CPU
#
# The device without fp64 has no part in tests of expressions: they compute in
# float64.
programs() {
	cat <<-'END'
		sm l   -                        queue/api_queue
		sm l   -                        memory/api_usm
		sm c   -                        program/api_kernel
		sm cl  -                        program/api_native_kernels
		sm chl -                        submit/api_overlap
		sm cl  -                        submit/api_exact
		sm hl  CK_RUN_CASE=pairs        submit/api_held
		sm hl  CK_RUN_CASE=real         submit/api_held_chains
		sm hl  CK_RUN_CASE=all+devices  transfer/api_transfer
		sm hl  -                        transfer/api_transfer_random
		sm ah1 -                        life/api_exit
		sm cah -                        life/api_threads
		sm a   -                        array/api_array
		sm ca  -                        array/api_array_launch
		sm al  DPR_TEST_DEVICES=level_zero:0  array/api_expression
		sm alv DPR_TEST_DEVICES=level_zero:0;DPR_TEST_EXPRESSIONS=10 array/api_expression_random
		e  a   -                        expression/api_index_texts
		e  a   -                        expression/api_masks
		e  a   -                        expression/api_numbers
		e  al  DPR_TEST_DEVICES=level_zero:0  expression/api_one_read
		e  a   -                        expression/api_shape_texts
		sm al  DPR_TEST_DEVICES=level_zero:0  expression/api_softmax
		m  al  DPR_TEST_DEVICES=level_zero:0  expression/unit_exponents
		sm av  DPR_TEST_DEVICES=level_zero:0  engine/api_index
		m  al  DPR_TEST_DEVICES=level_zero:0  engine/unit_iota
		sm a   -                        array/api_memory
		sm a   -                        array/api_placement
		sm a   -                        transfer/api_copy_to
		sm a   -                        array/api_print
		sm al  -                        array/api_programs
		sm a   -                        array/api_view
		sm a   -                        array/unit_array_faults
		e  a   -                        kernels/api_accuracy
		e  a   -                        engine/api_compare
		e  a   -                        engine/api_bools
		s  av  DPR_TEST_DEVICES=level_zero:0  expression/api_bits
		e  a   -                        functions/api_argmax
		e  a   -                        functions/api_composed
		e  a   -                        functions/api_derived
		e  a   -                        functions/api_two_results
		e  a   -                        functions/api_vectors
		e  a   -                        functions/api_einsum
		e  a   -                        functions/api_matmul
		e  ah  -                        linalg/api_linalg_calls
		s  av  DPR_TEST_DEVICES=level_zero:0  functions/api_operands
		e  a   -                        functions/api_products
		e  a   -                        functions/api_shape_copies
		e  a   -                        functions/api_shape_views
		e  a   -                        functions/api_spacing
		e  a   -                        functions/api_take
		e  a   -                        functions/api_tensordot
		e  a   -                        kernels/api_halves
		e  a   -                        kernels/api_integers
		e  a   -                        kernels/api_quotient
		e  a   -                        kernels/api_short_rows
		sm av  -                        kernels/api_special
		m  a   -                        engine/api_steps
		e  a   -                        kernels/api_ulp
		e  a   -                        kernels/api_ulp_double
		e  a   CK_RUN_CASE=rules        kernels/api_rules level_zero
		s  av  CK_RUN_CASE=values       kernels/api_rules level_zero
		sm av  CK_RUN_CASE=transposes   kernels/unit_streams level_zero
		sm alv DPR_TEST_DEVICES=level_zero:0  engine/unit_many_axes
		s  al  DPR_TEST_DEVICES=level_zero:0  engine/unit_cast_copy_fill
		s  al  DPR_TEST_DEVICES=level_zero:0  indexing/unit_put
		m  a   -                        indexing/api_put
		e  a   -                        indexing/api_launches
		-  al  DPR_TEST_DEVICES=level_zero:0;DPR_TEST_EVERY=1 engine/unit_engine
		s  alv DPR_TEST_DEVICES=level_zero:0;DPR_TEST_TURNS=1;DPR_TEST_EVERY=60 engine/unit_reduce 10 2
		-  al  DPR_TEST_DEVICES=level_zero:0;DPR_TEST_EVERY=1 engine/unit_reduce
		s  alv DPR_TEST_DEVICES=level_zero:0;DPR_TEST_EVERY=12 engine/unit_rows
		-  al  DPR_TEST_DEVICES=level_zero:0;DPR_TEST_EVERY=1 engine/unit_rows
		s  a   ZECPU_MAX_ARGUMENTS=1024 engine/unit_limits level_zero:0
		s  av  -                        kernels/api_numerics level_zero 12 16 each
		s  clv -                        level_zero/api_ze_same
		s  alv -                        engine/unit_emit_spirv_run
		s  1   ZECPU_REVERSE=1;ZECPU_DELAY_US=50;ASAN_OPTIONS=intercept_tls_get_addr=0:detect_leaks=0:use_sigaltstack=0 ../tools/dpr check-plugin level_zero
		e  a   DPR_TEST_TURNS=1         kernels/api_numerics level_zero 0 4 each
		e  a   DPR_TEST_TURNS=1         kernels/api_numerics level_zero 1 4 each
		e  a   DPR_TEST_TURNS=1         kernels/api_numerics level_zero 2 4 each
		e  a   DPR_TEST_TURNS=1         kernels/api_numerics level_zero 3 4 each
		-  a   -                        kernels/api_numerics level_zero 0 4
		-  a   -                        kernels/api_numerics level_zero 1 4
		-  a   -                        kernels/api_numerics level_zero 2 4
		-  a   -                        kernels/api_numerics level_zero 3 4
		-  a   -                        kernels/api_rules level_zero
	END
}

# settings MODE: those of the environment.
settings() {
	echo "$1" | tr + '\n' | while read -r word; do
		case $word in
		reverse) echo ZECPU_REVERSE=1 ;;
		random) echo ZECPU_REVERSE=1 "ZECPU_SEED=$seed" ;;
		delay) echo ZECPU_DELAY_US=100 ;;
		guard) echo ZECPU_PROTECT=1 ZECPU_GUARD=1 ;;
		newer)
			echo ZECPU_IN_ORDER=1 ZECPU_COUNTER=1 \
				ZECPU_HOST_SYNC=1 ZECPU_IMPORT=1
			;;
		layers)
			echo ZE_ENABLE_TRACING_LAYER=1 \
				ZE_ENABLE_VALIDATION_LAYER=1 \
				ZE_ENABLE_PARAMETER_VALIDATION=1
			;;
		two) echo "ZE_ENABLE_ALT_DRIVERS=$driver,$tmp/second.so" ;;
		esac
	done
}

# all_modes: every one that can be made of the words.
all_modes() {
	for order in plain reverse random; do
		for late in '' +delay; do
			for memory in '' +guard; do
				for loader in '' +newer +layers; do
					for drivers in '' +two; do
						echo "$order$late$memory$loader$drivers"
					done
				done
			done
		done
	done
}

if [ ! -e "$build/backends/.libs/libdpr-level_zero.so" ]; then
	echo "needs the Level Zero backend, which was not built"
	exit 77
fi
"$build/tests/level_zero/api_ze_states" able || exit $?
DPR_TEST_BACKENDS=level_zero
DPR_BACKEND=level_zero
ZE_ENABLE_ALT_DRIVERS=$driver
ZECPU_STRICT=1
export DPR_TEST_BACKENDS DPR_BACKEND ZE_ENABLE_ALT_DRIVERS ZECPU_STRICT
DPR_TEST_SMALL=1
export DPR_TEST_SMALL
seed=${DPR_TEST_SEED:-$(date +%s)}
. "${top_srcdir:-.}/tests/support/jobs.sh"

# What is not here, with c, a and v as above.
lacks=
[ "${dpr_sanitizers:-none}" = none ] || lacks=v
"$build/tools/dpr" devices --verbose >"$tmp/devices" || exit 1
if ! grep -q '^  formats .*opencl-c' "$tmp/devices"; then
	lacks=${lacks}c
	echo "left out is what needs a compiler of OpenCL C: ocloc, or clang" \
		"and llvm-spirv"
fi
if ! grep -q '^#define HAVE_KERNEL_IMAGES 1' "$build/config.h"; then
	lacks=${lacks}a
	echo "left out is what needs array kernels as SPIR-V, which this" \
		"build has not"
fi
# The plugins of a program with other backends beside.
mkdir "$tmp/plugins" "$tmp/reports" &&
	cp "$driver" "$tmp/second.so" &&
	ln -s "$build/backends/.libs/libdpr-level_zero.so" "$tmp/plugins" ||
	exit 99
[ ! -e "$build/backends/.libs/libdpr-host.so" ] ||
	ln -s "$build/backends/.libs/libdpr-host.so" "$tmp/plugins"

# total WORD [LIBRARY] <REPORTS: print the sum of the numbers after WORD.
total() {
	awk -v word="$1" -v library="${2-}" '
		library == "" || $1 == library {
			for (i = 2; i < NF; i += 2)
				if ($i == word)
					n += $(i + 1)
		}
		END { print n + 0 }'
}

# run MODE NEEDS SETTING PROGRAM [ARGUMENT...]
run() {
	mode=$1 needs=$2 setting=$3 program=$4
	shift 4
	name="$mode $program${1:+ $*}"
	report=$tmp/$begun.report
	started=$(date +%s)
	case $needs in
	*h*)
		unset DPR_BACKEND
		DPR_PLUGIN_PATH=$tmp/plugins
		export DPR_PLUGIN_PATH
		;;
	esac
	if [ "$setting" != - ]; then
		for one in $(echo "$setting" | tr ';' ' '); do
			one=$(echo "$one" | tr + ' ')
			export "${one?}"
		done
	fi
	# shellcheck disable=SC2046 # settings are words
	env $(settings "$mode") ZECPU_REPORT="$report" timeout 600 \
		"$build/tests/$program" "$@" >"$tmp/$begun.out" 2>&1
	rc=$?
	touch "$report"
	commands=$(total commands <"$report")
	if [ $rc -ne 0 ]; then
		cat "$tmp/$begun.out"
		echo "FAIL: $name: exit $rc"
	elif [ "$commands" -eq 0 ]; then
		cat "$tmp/$begun.out"
		echo "FAIL: $name: the driver has executed nothing"
	else
		case $needs in
		*l*) [ "$(total left <"$report")" -eq 0 ] || {
			cat "$tmp/$begun.out" "$report"
			echo "FAIL: $name: objects are left"
			return 1
		} ;;
		esac
		cat "$report" >>"$tmp/reports/$mode"
		echo "$name: $commands commands," \
			"$(total kernels <"$report") of them kernels," \
			"$(total left <"$report") left," \
			"$(($(date +%s) - started)) s"
		return 0
	fi
	return 1
}

# start MODE LETTERS: run the programs of the list with a mark among the letters.
start() {
	programs >"$tmp/programs"
	while read -r sets needs setting command; do
		case $sets in *["$2"]*) ;; *) continue ;; esac
		case $1$needs in *two*1*) continue ;; esac
		[ -z "$lacks" ] || case $needs in *["$lacks"]*) continue ;; esac
		# shellcheck disable=SC2086 # a command is words
		job run "$1" "$needs" "$setting" $command </dev/null
	done <"$tmp/programs"
}

# proven MODE: check that the driver really ran in this mode.
proven() {
	touch "$tmp/reports/$1"
	if [ "$(total commands <"$tmp/reports/$1")" -eq 0 ]; then
		echo "FAIL: $1: nothing was run"
		failed=1
	fi
	case $1 in
	*reverse* | *random*)
		if [ "$(total overtook <"$tmp/reports/$1")" -eq 0 ]; then
			echo "FAIL: $1: no command has overtaken another one"
			failed=1
		fi
		;;
	esac
	case $1 in
	*layers*)
		# shellcheck disable=SC2046 # settings are words
		if ! env $(settings "$1") LD_DEBUG=files \
			"$build/tools/dpr" devices 2>&1 >"$tmp/devices" |
			grep -q 'init: .*libze_validation_layer'; then
			echo "FAIL: $1: the loader has no validation layer"
			failed=1
		fi
		;;
	esac
	case $1 in
	*two*)
		for library in libzecpu.so second.so; do
			[ "$(total commands $library <"$tmp/reports/$1")" \
				-gt 0 ] && continue
			echo "FAIL: $1: $library has executed nothing"
			failed=1
		done
		;;
	esac
	echo "$1: $(total commands <"$tmp/reports/$1") commands," \
		"$(total kernels <"$tmp/reports/$1") of them kernels," \
		"$(total overtook <"$tmp/reports/$1") overtook an older one"
}

# The modes run one after the other, and share the cache of built programs.
modes=plain set=s ends=
case ${1-} in
modes)
	shift
	modes=${*:-$some} set=m ends=e
	;;
whole) modes=$(all_modes) set=sme- ;;
esac
last=${modes##* }
for mode in $modes; do
	case $mode in *random*) echo "DPR_TEST_SEED=$seed" ;; esac
	case $mode in
	"$last") start "$mode" "$set$ends" ;;
	*) start "$mode" "$set" ;;
	esac
	all_of_them || :
	proven "$mode"
done
exit $failed
