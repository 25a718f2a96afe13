/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_DISK_H
#define DISKWIPE_DISK_H

/*
 * Disks of the machine: discovery, facts, and the verdict whether one may be erased.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_SERIAL_MAX     72
#define DW_WWN_MAX        72
#define DW_PATHS_MAX      8 /* paths to one unit */
#define DW_OPERATIONS_MAX 16

/* What hides a part of a disk. */
enum dw_hidden {
	DW_HIDDEN_NONE,
	DW_HIDDEN_MODE_SELECT, /* the default values of MODE SENSE have more blocks */
	DW_HIDDEN_HPA,         /* a host protected area, ATA SET MAX ADDRESS */
	DW_HIDDEN_AMA,         /* ATA SET ACCESSIBLE MAX ADDRESS EXT */
	DW_HIDDEN_ADAPTER, /* the adapter or bridge shows less than IDENTIFY DEVICE says */
	DW_HIDDEN_ELEMENT, /* they are on storage elements, heads for instance, that were removed */
	DW_HIDDEN_DCO,       /* an ATA device configuration overlay */
	DW_HIDDEN_NAMESPACE, /* NVMe: in detached namespaces, or in none */
	DW_HIDDEN_COUNT,
};

struct dw_disk_info;

/** dw_hidden_name() - "mode-select", "hpa", "ama", "adapter", "element", "dco"; empty for
 *  DW_HIDDEN_NONE; static. */
DW_PUBLIC const char *dw_hidden_name(enum dw_hidden by);

/** dw_disk_restorable() - of the hidden blocks of a disk those that a command may show again: 0 of
 *  removed storage elements, and where an adapter hides them. */
DW_PUBLIC uint64_t dw_disk_restorable(const struct dw_disk_info *info);

/**
 * struct dw_disk_info - what a disk is; all text NUL-terminated, empty = unknown
 * @sg, @block, @bsg: its nodes, e.g. "/dev/sg3", "/dev/sdb"; empty = none
 * @sg_dev, @block_dev: their device numbers, 0 = none
 * @host, @channel, @target, @lun: H:C:T:L; valid with @scsi
 * @vendor, @model, @revision, @serial: trimmed
 * @wwn: preferred association-0 designator of VPD 83h, "0x5000c500..."
 * @blocks, @block_size: capacity and logical block size in bytes
 * @physical_block_size: bytes
 * @hidden_blocks: blocks beyond @blocks that the disk has, at least, and does not show; 0 = none
 *	are known
 * @hidden_by: enum dw_hidden: what hides them
 * @pi_type: protection type 0..3
 * @rotation: RPM; 1 = no rotating medium; 0 = unknown
 * @wce: volatile write cache: 1 on, 0 off, -1 unknown
 * @peripheral_type: SPC device type; 0 = direct access
 * @zoned: 0 no, 1 host-aware, 2 device-managed, 3 host-managed
 * @units: logical units of its device, 0 = not counted
 * @controllers: of its NVM subsystem, 0 = it has none, or they are not counted
 * @operations, @whole, @operation_seconds: by what it erases itself, what of that reaches all
 *	units of its device, and the time that it states; opaque, for dw_disk_ways() and
 *	dw_disks_whole()
 * @lbpme: logical block provisioning management enabled
 * @scsi: driven by SCSI commands
 * @logical_volume: a RAID controller's logical volume, not a physical disk
 * @removable: removable medium
 * @operating: it works on a SANITIZE by itself: it tells no capacity and cannot be read
 * @one_too_many: it tells one block more than it has: its last block does not exist, and @blocks is
 *	without it
 * @name_shared: another disk of the machine, at another port, says the same serial number and WWN,
 *	so that they are no name for later
 * @password_left: it is on record on this machine as one that may have our ATA password, of an
 *	erase that was cut off; DW_PASSWORD_WAY
 * @transport: "sas", "sata", "spi", "fc", "iscsi", "usb", "virtio", "nvme", "" ...
 * @slot: enclosure slot, "ENCLOSURE:SLOT"
 * @phy: of the adapter or expander to which its cable or backplane leads, "ADDRESS:PHY" with the
 *	SAS address of that; of several the first
 * @host_driver: kernel driver of the host, e.g. "mpt3sas"
 * @designators: digest of all association-0 designators of VPD 83h, 0 = none
 * @aliases: every association-0 designator of VPD 83h as text, each with a newline
 * @map, @map_dev: the dm-multipath map that holds it, "/dev/dm-0"; empty, 0 = none
 *
 * Flat, as a row of a list is: each member is a column, or a key of diskwipe-json(5). What decides
 * whether two are one disk is not asked of this but of struct dw_identity.
 */
struct dw_disk_info {
	char sg[32];
	char block[64];
	char bsg[48];
	dev_t sg_dev;
	dev_t block_dev;
	uint32_t host;
	uint32_t channel;
	uint32_t target;
	uint64_t lun;
	char vendor[16];
	char model[48];
	char revision[16];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	uint64_t blocks;
	uint64_t hidden_blocks;
	uint32_t block_size;
	uint32_t physical_block_size;
	uint8_t pi_type;
	uint8_t hidden_by;
	uint16_t rotation;
	int8_t wce;
	uint8_t peripheral_type;
	uint8_t zoned;
	uint8_t units;
	uint8_t controllers;
	uint16_t operations;
	uint16_t whole;
	uint32_t operation_seconds[DW_OPERATIONS_MAX];
	bool lbpme;
	bool scsi;
	bool logical_volume;
	bool removable;
	bool operating;
	bool password_left;
	bool one_too_many;
	bool name_shared;
	char transport[16];
	char slot[64];
	char phy[24];
	char host_driver[24];
	uint64_t designators;
	char aliases[256];
	char map[64];
	dev_t map_dev;
};

/** DW_PASSWORD_WAY - what is said of such a disk, and how it is unlocked. */
#define DW_PASSWORD_WAY                                                                  \
	"it may be locked by our ATA password: erase it here again; or hdparm "          \
	"--user-master u --security-unlock diskwipe NODE, then --security-disable"

enum dw_refusal {
	DW_REFUSAL_NONE,       /* may be erased */
	DW_REFUSAL_MISSING,    /* no such node */
	DW_REFUSAL_NOT_A_DISK, /* not a device node, or not a direct-access disk */
	DW_REFUSAL_NO_MEDIUM,  /* not ready, no capacity */
	DW_REFUSAL_MOUNTED,
	DW_REFUSAL_SWAP,
	DW_REFUSAL_HOLDER,   /* dm, md, LVM, bcache, multipath, LIO backstore */
	DW_REFUSAL_OPEN,     /* open in another process */
	DW_REFUSAL_SYSTEM,   /* holds the root or boot file system */
	DW_REFUSAL_RESERVED, /* reservation of another initiator */
	DW_REFUSAL_WRITE_PROTECTED,
	DW_REFUSAL_CHANGED,   /* identity or capacity is not what was planned */
	DW_REFUSAL_ZONED,     /* host-managed */
	DW_REFUSAL_LOGICAL,   /* logical volume of a RAID controller, without --logical */
	DW_REFUSAL_PROTECTED, /* by configuration */
	DW_REFUSAL_NOT_UNIQUE, /* another node has the same identity */
	DW_REFUSAL_BUSY,       /* claimed, and nobody found who holds it */
	DW_REFUSAL_CONFIGURED, /* not in use, but the running system will use it */
	DW_REFUSAL_UNSEEN,     /* what would use it could not be looked at */
	DW_REFUSAL_ERROR,      /* could not be examined */
	DW_REFUSAL_PURGE,      /* the level that is asked for cannot be reached */
	DW_REFUSAL_PERMISSION, /* not with the rights that the program has */
	DW_REFUSAL_ADDRESSES,  /* two of its addresses are one block */
	DW_REFUSAL_COUNT,
};

/**
 * struct dw_verdict - may this disk be erased?
 * @refusal: enum dw_refusal; DW_REFUSAL_NONE = yes
 * @reason: one line for people, without the device name: "mounted at /srv"
 * @release: the command that would release it ("umount /srv"), or empty
 * @passes: nobody has to do anything about it: the disk spins up
 * @foreign: it is mounted, but in namespaces of other users alone; the machine does not use it
 * @signatures: inactive signatures found ("ext4, LVM2_member"), or empty: shown before
 *	the question, never a reason to refuse
 */
struct dw_verdict {
	enum dw_refusal refusal;
	char reason[256];
	char release[256];
	char signatures[128];
	bool foreign;
	bool passes;
};

/**
 * struct dw_rules - what the user and the configuration allow
 * @logical: logical volumes of RAID controllers may be erased
 * @unformatted: disks whose format is corrupt or goes on, which have no capacity, may be formatted
 * @protect: NULL-terminated list of serials, WWNs and slots that may never be erased; borrowed
 */
struct dw_rules {
	bool logical;
	bool unformatted;
	const char *const *protect;
};

/** struct dw_path_node - another node that is presumed to lead to the same unit */
struct dw_path_node {
	char sg[32];
	char block[64];
	dev_t sg_dev;
	dev_t block_dev;
};

/**
 * struct dw_disk - a row of the list
 * @other, @n_others: nodes that dw_disk_same_unit() as far as they say: presumed paths to
 *	one unit, to be proven after the claim
 */
struct dw_disk {
	struct dw_disk_info info;
	struct dw_verdict verdict;
	struct dw_path_node other[DW_PATHS_MAX - 1];
	uint32_t n_others;
};

/** dw_refusal_name() - "mounted", "swap", ...: stable keys; static. */
DW_PUBLIC const char *dw_refusal_name(enum dw_refusal r);

/**
 * dw_disks_list() - every disk of the machine with its verdict
 * @rules: as for an erase; NULL = defaults
 * @ret: array of disks in the order of H:C:T:L, then block nodes; free()
 * @ret_n: their number
 *
 * Sends read-class commands only. Works without udevd.
 *
 * Return: 0 or negative errno.
 */
DW_PUBLIC int dw_disks_list(const struct dw_rules *rules, struct dw_disk **ret,
			    size_t *ret_n);

/**
 * dw_disk_examine() - one disk named by any of its nodes
 * @path: /dev/sgN, /dev/sdX, a link to one, a block node, a dm-multipath map
 * @rules: NULL = defaults
 * @ret: facts and verdict; for a node that is missing or no disk the verdict says so
 *
 * Return: 0 or negative errno.
 */
DW_PUBLIC int dw_disk_examine(const char *path, const struct dw_rules *rules,
			      struct dw_disk *ret);

/**
 * dw_disk_users() - who uses a disk, without asking the disk
 * @path: any of its nodes
 * @ret: DW_REFUSAL_NONE = nobody who could be found, or a refusal for a user; dw_disk_examine() may
 *	have another one, since it reads the disk and asks its other paths. Of everything else this
 *	knows nothing, so that it allows nothing
 *
 * No command is sent, so that a disk that sleeps does so afterwards.
 *
 * Return: 0; -ENOENT, -ENODEV, -ENOTBLK: it is no disk's node; negative errno.
 */
DW_PUBLIC int dw_disk_users(const char *path, struct dw_verdict *ret);

/** dw_disk_same_node() - two descriptions of one unit: the same device numbers. */
DW_PUBLIC bool dw_disk_same_node(const struct dw_disk_info *a,
				 const struct dw_disk_info *b);

/** dw_disk_same_unit() - all association-0 designators, serial, capacity, vendor and model
 *  agree, none of the first three is missing, and their ways to the machine do not tell them
 *  apart: presumed paths to one unit. Clones pass this test; only the marker after the claim tells
 *  them apart. */
DW_PUBLIC bool dw_disk_same_unit(const struct dw_disk_info *a,
				 const struct dw_disk_info *b);

/** dw_disk_looks_alike() - neither says serial or WWN, all else agrees, and their ways to the
 *  machine do not tell them apart: perhaps one disk behind two nodes. */
DW_PUBLIC bool dw_disk_looks_alike(const struct dw_disk_info *a,
				   const struct dw_disk_info *b);

/**
 * dw_disks_refuse_duplicates() - nodes of one identity: paths to one unit, or refused
 * @disks: examined disks, e.g. those that were named; two spellings of one node are one
 * @n: their number
 *
 * Nodes that are presumed one unit get each other in @other. What refuses one of them
 * refuses all. Of others with DW_SAME_MEDIUM those whose ways to the machine tell them
 * apart have their name_shared set; the rest become DW_REFUSAL_NOT_UNIQUE, unless they are refused
 * already.
 */
DW_PUBLIC void dw_disks_refuse_duplicates(struct dw_disk *disks, size_t n);

/**
 * struct dw_inspection - limits and abilities, one line each, for people and programs
 * @n: lines in use
 * @line: key (stable), value (text) and where it came from ("VPD B0h", "sysfs", "probe")
 */
struct dw_inspection {
	size_t n;
	struct {
		char key[32];
		char value[96];
		char source[32];
	} line[64];
};

/**
 * dw_disk_capture() - what a SCSI device answers, as a file that can be played again
 * @path: any of its nodes
 * @anonymous: serial numbers and world wide names become others of the same length
 * @ret: text in the language of tests/enclosure, in the form of tests/devices; free()
 *
 * Asks what dw_disk_inspect() asks, then for each page of vital product data, of mode parameters
 * and of the log that the device names, and for the commands that it knows. No block of the disk
 * is in it. A question without an answer is the last.
 *
 * Return: 0; -EOPNOTSUPP for what does not speak SCSI; negative errno.
 */
DW_PUBLIC int dw_disk_capture(const char *path, bool anonymous, char **ret);

/** dw_disk_inspect() - open, probe with harmless commands, describe. 0 or negative errno. */
DW_PUBLIC int dw_disk_inspect(const char *path, struct dw_disk_info *ret_info,
			      struct dw_inspection *ret);

#ifdef __cplusplus
}
#endif

#endif
