# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# LIO disks, for tests that boot with `--lio`. Sourced after lib.sh.
#
# A backstore (what holds the data) is exported by a target as a LUN, which is
# then a disk here. By configfs that takes milliseconds, by targetcli seconds.

lio_root=/sys/kernel/config/target
lio_luns=0

lio_backstore() { # KIND NAME CONTROL
	local d=$lio_root/core/$1_0/$2
	mkdir -p "$lio_root" "$lio_root/core/$1_0" "$d"
	printf '%s' "$3" >"$d/control"
	echo 1 >"$d/enable"
	# LIO builds the name from the first 25 hex digits of the serial number.
	printf '%s' "$2" | md5sum | cut -c1-32 >"$d/wwn/vpd_unit_serial"
}

# A disk on a file, in memory here. SIZE in bytes. Takes WRITE SAME.
lio_fileio() { # NAME SIZE [FILE]
	local file=${3:-/run/lio-$1}
	[[ -e $file ]] || truncate -s "$2" "$file"
	lio_backstore fileio "$1" "fd_dev_name=$file,fd_dev_size=$2,fd_buffered_io=1"
}

# A disk in kernel memory. SIZE in bytes. Refuses WRITE SAME.
lio_ramdisk() { # NAME SIZE
	modprobe -q target_core_mod
	lio_backstore rd_mcp "$1" "rd_pages=$((($2 + 4095) / 4096))"
}

# Exports a backstore by target TARGET (1, 2, ...): one backstore exported by
# two targets is one disk with two paths. Sets lio_lun.
lio_export() { # KIND NAME [TARGET]
	local t=${3:-1} tpg
	tpg=$lio_root/loopback/naa.500140500000000$t/tpgt_1
	if [[ ! -d $tpg ]]; then
		mkdir -p "$tpg"
		echo "naa.50014050000001$t$t" >"$tpg/nexus"
	fi
	lio_lun=$lio_luns
	lio_luns=$((lio_luns + 1))
	mkdir -p "$tpg/lun/lun_$lio_lun"
	ln -s "$lio_root/core/$1_0/$2" "$tpg/lun/lun_$lio_lun/$2"
	settle
}

# Takes a LUN away, as a pulled cable would; lio_export brings it back.
lio_unexport() { # NAME LUN [TARGET]
	local lun=$lio_root/loopback/naa.500140500000000${3:-1}/tpgt_1/lun/lun_$2
	rm "$lun/$1"
	rmdir "$lun"
}

# Does LIO answer REPORT SUPPORTED OPERATION CODES? Then diskwipe knows beforehand that a
# ramdisk has no WRITE SAME, and has no occasion to find out; since about Linux 6.2.
lio_tells_opcodes() { sg_opcodes "$1" >/dev/null 2>&1; }

# WRITE SAME to a fileio and a ramdisk LUN: the second falls back to WRITE, by a refusal
# while it runs or by asking for `auto`. Leaves the result of both, or of the last, in $T/out.
erase_lio_same() { # FILEIO-SG RAMDISK-SG
	if lio_tells_opcodes "$2"; then
		expect 2 dw --yes --json --command=write-same "$2"
		assert_match 'does not support WRITE SAME' "$T/out"
		erase 0 --command=write-same --verify=full -- "$1"
		assert_result 1 '.command == "write-same"'
		erase 0 --command=auto --verify=full -- "$2"
		assert_result 1 '.command == "write"'
	else
		erase 0 --command=write-same --verify=full -- "$1" "$2"
		assert_result 2
		assert_json "$T/out" '[.disks[].command] == ["write-same", "write"]'
		assert_match "^$2: WRITE SAME refused: using WRITE" "$T/err"
		assert_no_match "^$1: WRITE SAME refused" "$T/err"
	fi
}

# What targetcli needs to run here.
lio_targetcli_environment() {
	export HOME=/root
	mkdir -p /run/dbus /etc/target /etc/rtslib-fb-target /var/target
	[[ -S /run/dbus/system_bus_socket ]] || dbus-daemon --system --fork
	# shellcheck disable=SC2154 # lib.sh sets it
	export PYTHONPATH=$stack/usr/lib/python3/dist-packages
	GI_TYPELIB_PATH=$(printf '%s:' "$stack"/usr/lib/*-linux-gnu/girepository-1.0)
	export GI_TYPELIB_PATH
}

# Runs targetcli commands from stdin. It ends with 0 whatever happened, so the
# caller looks for the disks. Names of targets must begin with naa.5.
lio_targetcli() {
	lio_targetcli_environment
	/usr/bin/python3 "$(command -v targetcli)"
	settle
}
