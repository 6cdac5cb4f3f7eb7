# SPDX-License-Identifier: Apache-2.0
# Intel's own drivers on a machine without their GPUs, for the tests that source
# this.  Such a driver only records the GPU's commands, for a simulator.  Its
# API and its compiler are the real ones, but nothing is executed.
#
# A test sets $backend, $tmp (a folder of its own) and $whole (not empty: build
# every module) before it sources this, and exits with $failed.
build=${top_builddir:-.}

if [ "${dpr_sanitizers:-none}" != none ]; then
	echo "needs a build without sanitizers: they refuse RTLD_DEEPBIND, with" \
		"which the driver opens a library"
	exit 77
fi

# Let the driver pretend that a GPU is there, and discard its record.
NEOReadDebugKeys=1 SetCommandStreamReceiver=1 AUBDumpCaptureFileName=/dev/null
DPR_BACKEND=$backend DPR_TEST_BACKENDS=$backend
export NEOReadDebugKeys SetCommandStreamReceiver AUBDumpCaptureFileName \
	DPR_BACKEND DPR_TEST_BACKENDS

# as PRODUCT [NAME=VALUE...]: from now on the driver pretends that the GPU is a
# PRODUCT, with these settings.
as() {
	unset HardwareInfoOverride CreateMultipleRootDevices \
		CreateMultipleSubDevices
	ProductFamilyOverride=$1
	export ProductFamilyOverride
	shift
	for setting; do
		export "${setting?}"
	done
}
failed=0
fail() {
	echo "FAIL: $ProductFamilyOverride: $*"
	failed=1
}

# info KEY: print the first value of KEY in the output of `dpr devices -v`.
info() {
	"$build/tools/dpr" devices -v 2>"$tmp/err" |
		sed -n "s/^  $1  *//p" | head -n 1
}

# contract CHECK...: run these checks of the plugin contract, in which nothing is
# executed.
contract() {
	for check; do
		set -- "$@" --group "$check"
		shift
	done
	"$build/tools/dpr" check-plugin --once "$@" \
		"$build/backends/.libs/libdpr-$backend.so" >"$tmp/out" 2>&1
	rc=$?
	if [ $rc -ne 0 ]; then
		grep -vE ' (clean|skipped)' "$tmp/out"
		fail "check-plugin: exit $rc"
	fi
}

# modules FORMAT STEP: build every STEP-th array kernel, or all with $whole, and
# put their images into $tmp/images.
modules() {
	step=$2
	[ "$whole" ] && step=1
	rm -rf "$tmp/images"
	mkdir "$tmp/images"
	"$build/tests/kernels/unit_images" "$backend" "$1" "$step" \
		"$tmp/images" >"$tmp/out" 2>&1
	rc=$?
	cat "$tmp/out"
	[ $rc -eq 0 ] || [ $rc -eq 77 ] || fail "modules in $1: exit $rc"
}
