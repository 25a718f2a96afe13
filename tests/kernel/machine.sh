# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An emulated machine: QEMU without acceleration, with the distribution's kernel and this
# machine's files. Sourced by whatever needs a host adapter that user-mode Linux has not.
# The caller sets top, and defines die and skip.

readonly cache=${DISKWIPE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/diskwipe}
machine_modules=(virtio_pci 9pnet_virtio 9p overlay sg sd_mod)

# The kernel without its wrapping, as QEMU starts it by itself where it can (PVH): an emulator takes longer
# to unpack it than to start it. The header says where it lies (Documentation/arch/x86/boot.rst).
find_kernel() {
	local packed=$linux/boot/vmlinuz-$version new sectors begin length unpack=(zstd -dc)
	kernel=$linux/boot/vmlinux-$version
	[[ ! $kernel -nt $packed ]] || return 0
	find "$linux/boot" -name 'vmlinux-*.*.new' -mmin +60 -delete 2>/dev/null
	new=$(mktemp "$kernel.XXXXXX.new" 2>/dev/null) || { kernel=$packed; return; }
	! grep -qx CONFIG_KERNEL_XZ=y "$linux/boot/config-$version" || unpack=(xz --single-stream -dc)
	sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$packed")
	read -r begin length < <(od -An -tu4 -j $((0x248)) -N 8 "$packed")
	# behind it is its length, in four bytes
	if grep -qx CONFIG_PVH=y "$linux/boot/config-$version" &&
		dd if="$packed" bs=1M skip=$(((sectors + 1) * 512 + begin)) count=$((length - 4)) \
			iflag=skip_bytes,count_bytes status=none | "${unpack[@]}" >"$new" 2>/dev/null &&
		[[ $(head -c 4 "$new" | tr -d '\0') == $'\177ELF' ]] &&
		chmod 644 "$new" && mv "$new" "$kernel"; then
		return
	fi
	rm -f "$new"
	kernel=$packed
}

# Finds what is to start: sets linux, version and kernel.
find_machine() {
	linux=$cache/linux
	version=$(ls "$linux/lib/modules" 2>/dev/null)
	if ! command -v qemu-system-x86_64 >/dev/null || [[ -z $version ]]; then
		skip 'no QEMU or no kernel package here (tools/dev/setup qemu installs them)'
	fi
	PATH=$PATH:/usr/sbin:/sbin
	find_kernel
}

# Copies a module and what it needs, unpacked here: not every kernel does it.
copy_module() { # FOLDER MODULE [PARAMETER...]
	local root=$1/root module=$2 what path m
	shift 2
	modprobe -d "$linux" -S "$version" --show-depends "$module" >"$root/../depends" ||
		die "no module $module"
	while read -r what path _; do
		m=${path##*/}
		m=${m%.xz}
		[[ $what == insmod && ! -e $root/modules/$m ]] || continue
		case $path in
		*.xz) xz -dc "$path" >"$root/modules/$m" ;;
		*) cp "$path" "$root/modules/" ;;
		esac
		if [[ ${m//-/_} == "${module//-/_}.ko" ]]; then
			echo "$m $*"
		else
			echo "$m"
		fi >>"$root/modules/order"
	done <"$root/../depends"
}

# The machine's first files: busybox, what it takes to see this machine's, and the modules.
# A MODULE may have parameters behind it, all in one word. The script runs as root, with
# these settings in its environment.
make_initramfs() { # FOLDER SCRIPT MODULE... -- NAME=VALUE...
	local folder=$1 root=$1/root script=$2 settings=''
	shift 2
	mkdir -p "$root"/{bin,modules,proc,sys,dev,lower,upper,new}
	cp "$(command -v busybox)" "$root/bin/busybox"
	[[ -f $linux/lib/modules/$version/modules.dep.bin ]] || depmod -b "$linux" "$version" ||
		die 'depmod failed'
	set -- "${machine_modules[@]}" "$@"
	while [[ $1 != -- ]]; do
		# shellcheck disable=SC2086
		copy_module "$folder" $1
		shift
	done
	shift
	(($#)) && printf -v settings ' %q' "$@"
	cat >"$root/init" <<TEXT
#!/bin/busybox sh
export PATH=/bin
busybox mount -t proc none /proc
busybox --install -s /bin
mount -t sysfs none /sys; mount -t devtmpfs none /dev
ln -s /proc/self/fd /dev/fd
while read m; do
	set -- \$m
	insmod /modules/"\$@"
done </modules/order
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro machine /lower
mount -t tmpfs none /upper; mkdir /upper/up /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/up,workdir=/upper/work none /new
for d in proc sys dev; do mount --move /\$d /new/\$d; done
mount -t tmpfs none /new/run
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
env$settings chroot /new /bin/bash '$script' >/new/dev/ttyS1 2>&1 </new/dev/null
echo "status \$?" >/new/dev/ttyS1
sync
echo b >/new/proc/sysrq-trigger
sleep 10
TEXT
	chmod 755 "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$folder/initramfs"
}

# Of the processor's features those are off for which an emulator pays in each copy of memory, access
# and call, and the kernel does not zero each page that it takes. One processor: with two,
# unaccelerated machines have been seen to fail by themselves. Where others have the processor, a kernel
# finds that its timer does not work, and panics, or that its clock cannot be right: it is not to look. Nor
# does it test its ciphers.
# What the script says goes to standard output and to FOLDER/out, with its status last.
run_machine() { # FOLDER SECONDS MEMORY-MIB QEMU-OPTION...
	local folder=$1 limit=$2 memory=$3
	local words='console=ttyS0 quiet loglevel=4 oops=panic panic=-1 norandmaps mitigations=off init_on_alloc=0'
	words+=' no_timer_check tsc=reliable nowatchdog cryptomgr.notests'
	shift 3
	timeout --kill-after=5 "$limit" qemu-system-x86_64 -accel tcg -cpu max,erms=off,smap=off,la57=off \
		-smp 1 -m "$memory" -object "memory-backend-memfd,id=ram,size=${memory}M,share=on" \
		-machine q35,memory-backend=ram -nodefaults -display none -no-reboot \
		-kernel "$kernel" -initrd "$folder/initramfs" \
		-append "$words" \
		-virtfs local,path=/,mount_tag=machine,security_model=none,readonly=on,multidevs=remap \
		-serial "file:$folder/kernel.log" -serial stdio "$@" </dev/null 2>"$folder/qemu.log" |
		tr -d '\r' | tee "$folder/out" | grep --line-buffered -v '^status '
	return "${PIPESTATUS[0]}"
}

# How the script ended: its exit status, nothing if it did not, "kernel" after a kernel's error.
machine_status() { # FOLDER
	if grep -qE 'Oops|BUG:|WARNING:|Call Trace' "$1/kernel.log"; then
		echo kernel
	else
		sed -n 's/^status //p' "$1/out" | tail -1
	fi
}
