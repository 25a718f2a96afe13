/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verdict on a disk. No refusal can be overridden but in the way that it names itself. The
 * order is from what cannot be erased at all to what may change by itself.
 */
#include "judge/verdict.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "file/file.h"
#include "device/lun.h"
#include "device/node.h"
#include "device/open.h"
#include "file/password.h"
#include "judge/wants.h"
#include "judge/protect.h"
#include "judge/reading.h"
#include "scsi/inquiry.h"
#include "scsi/tcg.h"

static const char *const refusal_names[] = {
	[DW_REFUSAL_NONE] = "none",
	[DW_REFUSAL_MISSING] = "missing",
	[DW_REFUSAL_NOT_A_DISK] = "not-a-disk",
	[DW_REFUSAL_NO_MEDIUM] = "no-medium",
	[DW_REFUSAL_MOUNTED] = "mounted",
	[DW_REFUSAL_SWAP] = "swap",
	[DW_REFUSAL_HOLDER] = "holder",
	[DW_REFUSAL_OPEN] = "open",
	[DW_REFUSAL_SYSTEM] = "system",
	[DW_REFUSAL_RESERVED] = "reserved",
	[DW_REFUSAL_WRITE_PROTECTED] = "write-protected",
	[DW_REFUSAL_CHANGED] = "changed",
	[DW_REFUSAL_ZONED] = "zoned",
	[DW_REFUSAL_LOGICAL] = "logical-volume",
	[DW_REFUSAL_PROTECTED] = "protected",
	[DW_REFUSAL_NOT_UNIQUE] = "not-unique",
	[DW_REFUSAL_BUSY] = "busy",
	[DW_REFUSAL_CONFIGURED] = "configured",
	[DW_REFUSAL_UNSEEN] = "unseen",
	[DW_REFUSAL_ERROR] = "error",
	[DW_REFUSAL_PURGE] = "purge-unavailable",
	[DW_REFUSAL_PERMISSION] = "permission",
	[DW_REFUSAL_ADDRESSES] = "addresses-wrap",
};

_Static_assert(DW_ARRAY_SIZE(refusal_names) == DW_REFUSAL_COUNT, "a refusal has no name");

const char *dw_refusal_name(enum dw_refusal r)
{
	return (size_t)r < DW_REFUSAL_COUNT ? refusal_names[r] : "unknown";
}

void dw_verdict_vset(struct dw_verdict *v, enum dw_refusal refusal, const char *format,
		     va_list ap)
{
	v->refusal = refusal;
	v->release[0] = '\0';
	v->foreign = false;
	vsnprintf(v->reason, sizeof(v->reason), format, ap);
	dw_text_printable(v->reason);
}

int dw_verdict_set(struct dw_verdict *v, enum dw_refusal refusal, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	dw_verdict_vset(v, refusal, format, ap);
	va_end(ap);
	return 1;
}

void dw_verdict_of_error(int err, struct dw_verdict *ret)
{
	switch (-err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		dw_verdict_set(ret, DW_REFUSAL_MISSING, "no such device");
		break;
	case ENOTBLK:
		dw_verdict_set(ret, DW_REFUSAL_NOT_A_DISK, "not a disk's device node");
		break;
	case ENOMEDIUM:
		dw_verdict_set(ret, DW_REFUSAL_NO_MEDIUM, "not ready, or no medium");
		break;
	case EMSGSIZE:
		dw_verdict_set(ret, DW_REFUSAL_ERROR,
			       "its host adapter takes no commands of 16 bytes, which a "
			       "disk beyond 2^32 blocks needs; use another adapter");
		break;
	case EFBIG:
		dw_verdict_set(
			ret, DW_REFUSAL_ERROR,
			"it has more than 2^32 blocks, and its bridge does not answer "
			"READ CAPACITY(16), so that nobody knows how many; connect it "
			"without that bridge");
		break;
	case EBADE:
		dw_verdict_set(ret, DW_REFUSAL_RESERVED, "reserved by another initiator");
		break;
	case EROFS:
		dw_verdict_set(ret, DW_REFUSAL_WRITE_PROTECTED, "read-only");
		break;
	case EACCES:
	case EPERM:
		dw_verdict_set(ret, DW_REFUSAL_PERMISSION, "permission denied: %s",
			       geteuid() ? "needs root (or the group of the device): run "
					   "with sudo"
					 : "root is not allowed to open it; a container "
					   "needs --privileged");
		break;
	case EMFILE:
		dw_verdict_set(ret, DW_REFUSAL_ERROR,
			       "this process has as many files open as it may; raise its "
			       "hard limit (ulimit -Hn, LimitNOFILE=) and try again");
		break;
	case ENFILE:
		dw_verdict_set(ret, DW_REFUSAL_ERROR,
			       "the machine has as many files open as it may; raise "
			       "fs.file-max and try again");
		break;
	case EBUSY:
		dw_verdict_set(ret, DW_REFUSAL_BUSY,
			       "somebody else holds it exclusively");
		break;
	default:
		dw_verdict_set(ret, DW_REFUSAL_ERROR, "cannot be examined: %s",
			       strerror(-err));
		break;
	}
}

void dw_verdict_not_ready(const struct dw_device *d, struct dw_verdict *ret)
{
	const struct dw_sense *s = &d->not_ready;
	char text[160];

	if (!s->key)
		return;
	dw_verdict_set(ret, DW_REFUSAL_NO_MEDIUM, "%s",
		       dw_sense_text(s, text, sizeof(text)));
	if (s->asc == 0x31 && s->ascq == 0x03)
		dw_shell_command("sg_sanitize --fail",
				 d->info.sg[0] ? d->info.sg : d->info.block, ret->release,
				 sizeof(ret->release));
	if (dw_device_unformatted(d) && s->key == DW_KEY_MEDIUM_ERROR)
		dw_shell_command("diskwipe format",
				 d->info.sg[0] ? d->info.sg : d->info.block, ret->release,
				 sizeof(ret->release));
	/* becoming ready; waiting for a turn to spin up (SPC) */
	ret->passes = s->key == DW_KEY_NOT_READY && s->asc == 0x04 &&
		      (s->ascq == 0x01 || s->ascq == 0x11);
	/* initializing command required */
	if (s->asc == 0x04 && s->ascq == 0x02)
		dw_shell_command("sg_start --start",
				 d->info.sg[0] ? d->info.sg : d->info.block, ret->release,
				 sizeof(ret->release));
}

void dw_verdict_offline(const struct dw_machine *m, const struct dw_disk_info *info,
			struct dw_verdict *ret)
{
	char dir[PATH_MAX], file[PATH_MAX], state[24];

	if (dw_node_scsi_dir(m, info, dir) ||
	    dw_sysfs_text(dir, "state", state, sizeof(state)) ||
	    (strcmp(state, "offline") != 0 && strcmp(state, "transport-offline") != 0))
		return;
	dw_verdict_set(ret, DW_REFUSAL_ERROR,
		       "the kernel has set it offline, since it did not answer and could "
		       "not be reset; look at its cable and power");
	if (!dw_path(file, "%s/state", dir))
		dw_shell_command("echo running | tee", file, ret->release,
				 sizeof(ret->release));
}

static bool is_read_only(const struct dw_machine *m, const struct dw_disk_info *info)
{
	char dir[PATH_MAX];
	uint64_t ro = 0;

	return !dw_node_block_dir(m, info, dir) && dw_sysfs_u64(dir, "ro", &ro) && ro;
}

static bool judge_kind(const struct dw_device *d, const struct dw_rules *rules,
		       struct dw_verdict *v)
{
	const struct dw_disk_info *info = &d->info;
	bool format = rules && rules->unformatted && dw_device_unformatted(d);

	bool zoned =
		info->peripheral_type == DW_TYPE_ZONED || info->zoned == DW_ZONED_MANAGED;

	if (zoned && (!d->caps.zones || (rules && rules->unformatted)))
		dw_verdict_set(v, DW_REFUSAL_ZONED, "host-managed zoned disk: %s",
			       d->caps.zones          ? "it is not formatted here"
			       : d->caps.not_zoned[0] ? d->caps.not_zoned
						      : "its zones are not known");
	else if (info->scsi && info->peripheral_type &&
		 info->peripheral_type != DW_TYPE_ZONED)
		dw_verdict_set(v, DW_REFUSAL_NOT_A_DISK,
			       "not a disk (%s, SCSI type %02Xh)",
			       dw_device_type_name(info->peripheral_type),
			       info->peripheral_type);
	else if (info->scsi && dw_lun_management(info->model))
		dw_verdict_set(v, DW_REFUSAL_NOT_A_DISK,
			       "the management LUN of an array (%s), not a disk",
			       info->model);
	else if (!format && dw_device_unformatted(d))
		dw_verdict_not_ready(d, v);
	else if (!format && (!info->blocks || !info->block_size))
		dw_verdict_set(v, DW_REFUSAL_NO_MEDIUM, "no capacity");
	return v->refusal != DW_REFUSAL_NONE;
}

static bool judge_state(const struct dw_machine *m, const struct dw_device *d,
			const struct dw_rules *rules, struct dw_verdict *v)
{
	if (d->info.scsi && d->caps.write_protect) {
		dw_verdict_set(v, DW_REFUSAL_WRITE_PROTECTED,
			       "write-protected by the disk");
	} else if (d->caps.lock == DW_LOCK_SHUT) {
		dw_verdict_set(
			v, DW_REFUSAL_WRITE_PROTECTED,
			"locked by its own encryption; unlock it, or revert it with "
			"the PSID on its label");
	} else if (d->caps.lock == DW_LOCK_DENIES) {
		dw_verdict_set(
			v, DW_REFUSAL_WRITE_PROTECTED,
			"locked by its own security: it denies access to its blocks; unlock it, "
			"or power-cycle it and revert it with the PSID on its label; if it "
			"denies them then as well, set it apart");
	} else if (d->caps.self.security.locked && !dw_password_known(&d->info)) {
		dw_verdict_set(
			v, DW_REFUSAL_WRITE_PROTECTED,
			"locked by an ATA password that is none of ours; unlock it with "
			"that (hdparm --security-unlock), or destroy it");
	} else if (is_read_only(m, &d->info)) {
		dw_verdict_set(v, DW_REFUSAL_WRITE_PROTECTED,
			       "set read-only in the kernel");
		dw_shell_command("blockdev --setrw", d->info.block, v->release,
				 sizeof(v->release));
	} else if (d->info.logical_volume && !(rules && rules->logical)) {
		dw_verdict_set(v, DW_REFUSAL_LOGICAL,
			       "logical volume of a RAID controller (%s)",
			       d->info.host_driver[0] ? d->info.host_driver : "unknown");
	}
	return v->refusal != DW_REFUSAL_NONE;
}

/* O_EXCL detects uses without other traces: ZFS, and future ones. */
static void judge_held(struct dw_device *d, const char *pool, struct dw_verdict *v)
{
	if (!dw_device_in_use(d))
		return;
	if (pool[0]) {
		dw_verdict_set(v, DW_REFUSAL_HOLDER, "in use by ZFS pool %.100s", pool);
		dw_shell_command("zpool export", pool, v->release, sizeof(v->release));
	} else {
		dw_verdict_set(v, DW_REFUSAL_BUSY,
			       "held by the kernel or a process that could not be found");
	}
}

static int judge_disk(const struct dw_machine *m, struct dw_device *d,
		      const struct dw_uses *uses, const struct dw_rules *rules,
		      const char *pool, struct dw_verdict *ret)
{
	int r;

	if (judge_kind(d, rules, ret))
		return 1;
	r = dw_inuse_judge(m, uses, &d->info, ret);
	if (!r && d->info.scsi && !d->changed.reserved)
		r = dw_reservation_check(d, ret);
	if (r)
		return r;
	if (!judge_state(m, d, rules, ret))
		judge_held(d, pool, ret);
	return ret->refusal != DW_REFUSAL_NONE;
}

int dw_verdict_judge(const struct dw_machine *m, struct dw_device *d,
		     const struct dw_uses *uses, const struct dw_rules *rules,
		     bool signatures, struct dw_verdict *ret)
{
	const char *entry = dw_protect_find(m, &d->info, rules ? rules->protect : NULL);
	struct dw_signatures found = { 0 };
	struct dw_tags tags = { 0 };
	bool unread = false;
	int r = 0;

	*ret = (struct dw_verdict){ 0 };
	signatures = signatures && d->blk_fd >= 0 && d->info.blocks;
	if (signatures)
		unread = !dw_reading_begin(d->info.block_dev);
	if (signatures && !unread) {
		r = dw_signatures_read(d->blk_fd, &found, &tags);
		dw_reading_end(d->info.block_dev);
		strcpy(d->claim.signatures, found.text);
		strcpy(ret->signatures, found.text);
	}
	if (entry)
		dw_verdict_set(ret, DW_REFUSAL_PROTECTED,
			       "protected by the configuration (%.100s)", entry);
	else if (!r)
		r = judge_disk(m, d, uses, rules, found.pool, ret);
	if (!r && ret->refusal == DW_REFUSAL_NONE)
		r = dw_wants_judge(m, uses, &d->info, &tags, ret);
	if (!r && ret->refusal == DW_REFUSAL_NONE)
		dw_inuse_judge_unseen(uses, ret);
	/* what it carries may be a reason, too */
	if (!r && ret->refusal == DW_REFUSAL_NONE && unread)
		dw_verdict_set(ret, DW_REFUSAL_BUSY,
			       "this program has just claimed or released it");
	free(tags.v);
	return r < 0 ? r : 0;
}
