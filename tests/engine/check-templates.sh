#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The templates of which kernels in PTX are made: what cannot be pasted into a
# kernel is refused, by the function's name.  Kernels of every step and random
# ones are taken by NVIDIA's assembler, where it is installed, without a stack
# frame, spilled registers or calls: a sample, or all with DPR_TEST_ALL=1.
set -u
build=${top_builddir:-.}
source=${top_srcdir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-templates.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0

extract() { # FILE: as build-templates.sh does
	"${AWK:-awk}" -v out="$tmp/out" -f "$source/kernels/templates.awk" "$1"
}

# A function that has all that a template may have.
cat >"$tmp/good.ptx" <<'GOOD'
.version 6.0
.visible .const .align 4 .b8 places[8] = {1, 0, 0, 0, 2, 0, 0, 0};

	// .globl	sample_14
.visible .func  (.param .align 8 .b8 func_retval0[8]) sample_14(
	.param .align 8 .b8 sample_14_param_0[8],
	.param .b32 sample_14_param_1
)
{
	.reg .pred 	%p<2>;
	.reg .b16 	%rs<3>;
	.reg .b32 	%r<3>;
	.reg .f32 	%f<4>;
	.reg .b64 	%rd<3>;

	ld.param.f32 	%f1, [sample_14_param_0];
	mov.b64 	%rd1, sample_14_param_0;
	ld.param.f32 	%f2, [%rd1+4];
	ld.param.s8 	%rs1, [sample_14_param_1];
	setp.eq.s16 	%p1, %rs1, 0;
	{ .reg .b32 tmp; mov.b64 {tmp, %r2}, %rd2; }
	{ .reg .b32 tmp; mov.b64 {%r1, tmp}, %rd2; }
	{ .reg .b16 tmp; mov.b32 {tmp, %rs2}, %r1; }
	@%p1 bra 	$L__BB0_2;
// %bb.1:
	mov.u64 	%rd2, places;
	ld.const.u32 	%r1, [%rd2+4];
	rcp.approx.ftz.f32 	%f1, %f1;
	add.rn.f32 	%f2, %f2, 0f3F800000;
	st.param.f32 	[func_retval0+0], %f1;
	st.param.f32 	[func_retval0+4], %f2;
	ret;
$L__BB0_2:
	st.param.f32 	[func_retval0+0], %f2;
	st.param.f32 	[func_retval0+4], %f1;
	ret;
                                        // -- End function
}
GOOD
cat >"$tmp/expected" <<'EXPECTED'
{
.reg .b16 %_t16;
.reg .b32 %_t32;
.reg .pred %_p<2>;
.reg .b16 %_rs<3>;
.reg .b32 %_r<3>;
.reg .f32 %_f<4>;
.reg .b64 %_rd<3>;
mov.b32 %_f1,?0;
mov.b32 %_f2,?1;
cvt.s16.s8 %_rs1,?2;
setp.eq.s16 %_p1,%_rs1,0;
mov.b64 {%_t32,%_r2},%_rd2;
mov.b64 {%_r1,%_t32},%_rd2;
mov.b32 {%_t16,%_rs2},%_r1;
@%_p1 bra L2;
mov.u64 %_rd2,places;
ld.global.nc.u32 %_r1,[%_rd2+4];
rcp.approx.ftz.f32 %_f1,%_f1;
add.rn.f32 %_f2,%_f2,0f3F800000;
mov.b32 ?r,%_f1;
mov.b32 ?i,%_f2;
bra.uni E;
L2:
mov.b32 ?r,%_f2;
mov.b32 ?i,%_f1;
E:
}
.global .align 16 .b8 places[32]={1,0,0,0,2,0,0,0};
EXPECTED
if ! extract "$tmp/good.ptx" >"$tmp/index" ||
	! diff "$tmp/expected" "$tmp/out" ||
	! grep -q '^TEMPLATE(sample_14, 0, [0-9]*, 0 | UINT64_C(1) << 0)$' \
		"$tmp/index"; then
	echo "a function that is a template is refused, or a wrong one"
	bad=1
fi

# A kernel has extended its bytes by their dtype: a template that extends them in
# the same way takes them as they are.
for name in add_2:s8:u16.u32 add_6:u8:u16.u32 add_2:u8:u16.u8 cast_2_1:s8:u16.u32 \
	cast_1_2:s8:s16.s8 where_2:s8:s16.s8 where_2:u8:u16.u32; do
	function=${name%%:*} is_written=cvt.${name##*:}
	loaded=${name#*:}
	sed "s/sample_14/$function/g; s/_param_1/_param_0/
		s/\.b32 ${function}_param_0/.b8 other/
		/param_0\[8\]/d; /ld.param.f32/d; /mov.b64 	%rd1, /d
		s/ld\.param\.s8/ld.param.${loaded%:*}/
		s/func_retval0\[8\]/func_retval0/; /retval0+4/d" \
		"$tmp/good.ptx" >"$tmp/bytes.ptx"
	if ! extract "$tmp/bytes.ptx" >"$tmp/index" 2>"$tmp/log" ||
		! grep -q "^$is_written %_rs1,?0;" "$tmp/out"; then
		echo "$name: a byte is extended in another way"
		cat "$tmp/log" "$tmp/out"
		bad=1
	fi
done

planted=0
plant() { # WHAT TEXT IS-WRITTEN: the reason that the extraction must give
	planted=$((planted + 1))
	sed "s/^	$2/	$3/" "$tmp/good.ptx" >"$tmp/planted.ptx"
	if cmp -s "$tmp/good.ptx" "$tmp/planted.ptx"; then
		echo "$1: nothing was planted"
		bad=1
	elif extract "$tmp/planted.ptx" >"$tmp/index" 2>"$tmp/log"; then
		echo "$1: a template with that is accepted"
		bad=1
	elif ! grep -q "sample_14: .*$1" "$tmp/log"; then
		echo "$1: refused for another reason:"
		cat "$tmp/log"
		bad=1
	fi
}
add='add.rn.f32 .*;'
plant 'calls a function' "$add" 'call.uni (retval0), other, (param0);'
plant 'local memory' "$add" '.local .align 4 .b8 __local_depot0[16];'
plant 'local memory' "$add" 'ld.local.f32 %f2, [%rd1];'
plant 'contracted' "$add" 'add.f32 %f2, %f2, %f1;'
plant 'contracted' "$add" 'mul.f32 %f2, %f2, %f1;'
plant 'contracted' "$add" 'fma.f32 %f2, %f2, %f1, %f1;'
plant 'subnormal' "$add" 'add.rn.ftz.f32 %f2, %f2, %f1;'
plant 'subnormal' "$add" 'cvt.ftz.f32.f32 %f2, %f1;'
plant 'subnormal' "$add" 'sqrt.approx.ftz.f32 %f2, %f1;'
plant 'not precise' "$add" 'div.full.f32 %f2, %f2, %f1;'
plant 'not precise' "$add" 'sqrt.approx.f32 %f2, %f1;'
plant 'no template may have' "$add" 'ld.global.f32 %f2, [%rd1];'
plant 'no template may have' "$add" 'bar.sync 0;'
plant 'address of a parameter' "$add" 'add.s64 %rd2, %rd1, 4;'
plant 'which a kernel has not' "$add" 'mov.u64 %rd2, elsewhere;'
plant 'which a kernel has not' "$add" 'mov.u32 %r1, %tid.x;'
plant 'which a kernel has not' "$add" 'mov.b32 %r1, sample_14_param_1;'
plant 'not its own' 'ld.param.s8 .*;' 'ld.param.s8 %rs1, [other_param_1];'
plant 'in the middle' 'ld.param.f32 	%f2.*;' \
	'ld.param.f32 %f2, [sample_14_param_0+2];'
plant 'more parts' 'ld.param.f32 	%f1.*;' \
	'ld.param.v4.f32 {%f1, %f2, %f3, %f4}, [sample_14_param_0];'
plant 'under a condition' 'st.param.f32 	\[func_retval0+4\], %f2;' \
	'@%p1 st.param.f32 [func_retval0+4], %f2;'
plant 'no statement' "$add" '{ .reg .b32 tmp; add.s32 tmp, %r1, %r2; }'
plant 'no statement' "$add" '{ .reg .b64 tmp; mov.b64 {tmp, %r1}, %rd2; }'
plant 'which a kernel has not' "$add" 'mov.b64 {tmp, %r1}, %rd2;'
plant 'another size' 'st.param.f32 	\[func_retval0+4\], %f2;' \
	'st.param.f32 [func_retval0+4], %rd2;'
echo "$planted planted faults"

if [ -z "${PTXAS-}" ]; then
	echo "no ptxas: kernels are not assembled"
	exit $bad
fi
step=20 random=10
if [ -n "${DPR_TEST_ALL-}" ]; then
	step=1 random=300
fi
mkdir "$tmp/all"
"$build/tests/engine/unit_emit_ptx" "$tmp/all" $step $random || {
	status=$?
	[ $status -ne 77 ] && exit 1
	exit $bad
}

# assemble FOLDER ARCH: all kernels of the folder; fails if one is refused, or has
# a stack frame or spilled registers.
assemble() {
	good=0
	rm -f "$tmp/failed" "$1"/*.log
	find "$1" -name '*.ptx' -print0 | xargs -0 -P 2 -I{} sh -c \
		"'$PTXAS' -v -arch=$2 '{}' -o /dev/null >'{}.log' 2>&1 ||
			echo '{}' >>'$tmp/failed'"
	cat "$1"/*.log >"$tmp/log"
	if [ -e "$tmp/failed" ]; then
		grep 'error' "$tmp/log" | sed 5q
		good=1
	fi
	if grep 'bytes stack frame' "$tmp/log" |
		grep -v ' 0 bytes stack frame, 0 bytes spill stores'; then
		good=1
	fi
	return $good
}

# caught PATTERN: a kernel, from standard input, that must be told so.
caught() {
	rm -rf "$tmp/planted" && mkdir "$tmp/planted"
	cat >"$tmp/planted/k.ptx"
	if assemble "$tmp/planted" sm_75 >"$tmp/said" || ! grep -q "$1" "$tmp/said"
	then
		echo "a planted kernel got through: $1"
		bad=1
	fi
}
kernel=$(find "$tmp/all" -name '*.ptx' | sort | sed 1q)
sed 's/st\.global/st.nowhere/' "$kernel" | caught error
caught '256 bytes stack frame' <<'END'
.version 6.3
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
	.local .align 4 .b8 l[256];
	.reg .b32 %r<3>;
	.reg .b64 %rd<5>;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd1, %r1, 4;
	mov.u64 %rd2, l;
	add.s64 %rd3, %rd2, %rd1;
	st.local.u32 [%rd3], %r1;
	ld.local.u32 %r2, [l+16];
	ld.param.u64 %rd4, [p];
	st.global.u32 [%rd4], %r2;
	ret;
}
END

for arch in sm_90 sm_75; do
	assemble "$tmp/all" $arch || bad=1
	kernels=$(grep -c 'bytes stack frame' "$tmp/log")
	echo "$arch: $kernels kernels"
	[ "$kernels" -ge 100 ] || bad=1
done
exit $bad
