#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The decisions of ./quickstart: when to install and to configure, when a run of
# the tests is no success, and on which devices to compute.  All programs that it
# starts are stand-ins, so nothing is installed or built.
# shellcheck disable=SC2016 # the stand-ins expand these
set -u
src=$(cd "${top_srcdir:-.}" && pwd) || exit 99
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr quickstart.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree bin=$tmp/bin
mkdir -p "$tree/tests/build" "$bin"
cp "$src/quickstart" "$tree" || exit 99
calls=$tmp/calls
export calls bin
bad=0

complain() {
	bad=$((bad + 1))
	echo "check-quickstart: $*"
	sed 's/^/    /' "$tmp/out"
}

# stand_in NAME: a program that does what standard input says.
stand_in() {
	{
		echo '#!/bin/sh'
		cat
	} >"$bin/$1" && chmod +x "$bin/$1"
}

# Whether a package is installed: a file of its name.  Libraries that the dynamic
# linker has are lines of "libraries".
for name in cc c++ gcc autoconf automake libtoolize spirv-val cmake abidiff; do
	echo 'exit 0' | stand_in "$name"
done
# No other program is found.
for name in sh cat date dirname env grep mkdir nproc sed tail; do
	ln -s "$(command -v $name)" "$bin/$name"
done
echo 'exit 1' | stand_in sudo
echo 'cat "$bin/libraries"' | stand_in ldconfig
echo '[ "$*" = "--exists check >= 0.15" ] && [ -e "$bin/check" ]' |
	stand_in pkg-config
echo 'echo "apt-get $*" >>"$calls"' | stand_in apt-get
echo '[ "$3" != check ]' | stand_in apt-cache
echo 'echo 0' | stand_in id
stand_in make <<'END'
echo "make $*" >>"$calls"
END
cat >"$tree/configure" <<'END'
#!/bin/sh
echo "configure $*" >>"$calls"
: >Makefile
yes='#'
[ ! -e "$bin/check" ] || yes=
echo "S[\"HAVE_CHECK_TRUE\"]=\"$yes\"" >config.status
END
mkdir -p "$tree/build/tools"
cat >"$tree/build/tools/dpr" <<'END'
#!/bin/sh
echo "dpr $*" >>"$calls"
[ "$1" != devices ] || cat "$bin/devices"
END
echo 'true' >"$tree/tests/build/show-totals.sh"
chmod +x "$tree/configure" "$tree/build/tools/dpr" \
	"$tree/tests/build/show-totals.sh"

# quick STATUS [ARGUMENT...]
quick() {
	want=$1
	shift
	: >"$calls"
	(
		cd "$tree" && PATH=$bin OCL_ICD_VENDORS=$bin \
			./quickstart "$@" >"$tmp/out" 2>&1
	)
	got=$?
	[ $got = "$want" ] || complain "quickstart $*: status $got, not $want"
}

# did WORDS, did_not WORDS: whether a stand-in was called so.
did() {
	grep -qF -- "$1" "$calls" || complain "not done: $1"
}

did_not() {
	! grep -qF -- "$1" "$calls" || complain "done: $1"
}

says() {
	grep -qF -- "$1" "$tmp/out" || complain "it does not say: $1"
}

echo 'libOpenCL.so.1' >"$bin/libraries"
printf '%s\n' 'opencl:cpu:0  a CPU' 'host:cpu:0    a CPU' >"$bin/devices"

# Each device computes.
quick 0
did 'configure --quiet'
did '--device opencl:cpu:0'
did '--device host:cpu:0'
did_not apt-get
quick 0
did_not configure
echo 'host:cpu:0    a CPU' >"$bin/devices"
quick 1
says 'no device of opencl'
printf '%s\n' 'cuda:gpu:0  a GPU' 'opencl:cpu:0  a CPU' 'host:cpu:0  a CPU' \
	>"$bin/devices"
quick 0
did '--device cuda:gpu:0'

# Without Check a run of the tests fails and says why.
quick 1 check
did 'make -C build'
says 'the unit tests were left out'

# Once Check is installed, configure runs again, a single time.
: >"$bin/check"
quick 0 check
did 'configure --quiet'
quick 0 check
did_not configure
quick 0
did_not configure
CFLAGS=-Os quick 0
did 'CFLAGS=-Os'

# With a GPU's driver a checkout needs LLVM; a release has the kernels.
echo 'libcuda.so.1' >>"$bin/libraries"
quick 0
did 'install -y --no-install-recommends clang-15 llvm-15 llvm-spirv-15'
mkdir "$tree/kernels"
: >"$tree/kernels/spirv_steps.bin"
quick 0
did_not apt-get
[ $bad = 0 ] || exit 1
echo 'check-quickstart: all well'
