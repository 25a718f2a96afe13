/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block devices without SCSI: virtio, loop, eMMC, NVMe namespaces. They get the same commands as
 * disks and return the same completions, so that the code above need not distinguish them: an I/O
 * error of a write is a medium error, a full device an LBA out of range, and a command without an
 * equivalent an invalid operation code. Facts about the device are not made up here; whoever
 * opens the device asks the kernel for them.
 */
#include "transport/blk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/be.h"
#include "scsi/cdb.h"
#include "scsi/sense.h"
#include "transport/nvme.h"

#define HOST_TIME_OUT            0x03
#define HOST_TRANSPORT_DISRUPTED 0x0e

#define ASC_WRITE_ERROR   0x0c
#define ASC_READ_ERROR    0x11
#define ASC_BAD_OPCODE    0x20
#define ASC_OUT_OF_RANGE  0x21
#define ASC_BAD_FIELD     0x24
#define ASC_WRITE_PROTECT 0x27

void dw_blk_parse(const struct dw_cmd *cmd, uint32_t block_size, struct dw_blk_op *ret)
{
	struct dw_cdb_extent x;

	*ret = (struct dw_blk_op){ .verb = DW_BLK_REFUSE, .asc = ASC_BAD_OPCODE };
	if (dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) < 0)
		return;
	ret->lba = x.lba;
	ret->offset = x.lba * block_size;
	if (x.verb == DW_EXTENT_SYNC)
		ret->verb = DW_BLK_SYNC;
	else if (x.verb != DW_EXTENT_READ && x.verb != DW_EXTENT_WRITE)
		return;
	else if (x.flags & DW_EXTENT_FUA)
		ret->asc = ASC_BAD_FIELD;
	else
		ret->verb = x.verb == DW_EXTENT_READ ? DW_BLK_READ : DW_BLK_WRITE;
}

/* Descriptor format, for its INFORMATION holds any LBA; @lba NULL = not known. */
static void sense_fill(struct dw_completion *done, uint8_t key, uint8_t asc,
		       const uint64_t *lba)
{
	done->status = DW_STATUS_CHECK_CONDITION;
	done->sense[0] = 0x72;
	done->sense[1] = key;
	done->sense[2] = asc;
	done->sense_len = 8;
	if (!lba)
		return;
	done->sense[7] = 12;
	done->sense[9] = 10;
	done->sense[10] = 0x80;
	dw_put_be64(done->sense + 12, *lba);
	done->sense_len = 20;
}

/* A removed device answers with I/O errors, and has no size any more. */
static bool is_gone(int fd)
{
	uint64_t bytes;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode))
		return false;
	return ioctl(fd, BLKGETSIZE64, &bytes) < 0 || bytes == 0;
}

static void medium_error(const struct dw_cmd *cmd, const struct dw_blk_op *op,
			 struct dw_completion *done)
{
	struct dw_cdb_extent x = { 0 };
	bool one = dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x) == 0 && x.nlb == 1;

	sense_fill(done, DW_KEY_MEDIUM_ERROR,
		   op->verb == DW_BLK_READ ? ASC_READ_ERROR : ASC_WRITE_ERROR,
		   one && op->verb != DW_BLK_SYNC ? &op->lba : NULL);
}

static void error_fill(const struct dw_cmd *cmd, const struct dw_blk_op *op, int fd,
		       int err, struct dw_completion *done)
{
	switch (err) {
	case EIO:
	case ENODATA: /* the block layer's medium error */
		if (is_gone(fd))
			done->err = -ENODEV;
		else
			medium_error(cmd, op, done);
		break;
	case ENOSPC:
		sense_fill(done, DW_KEY_ILLEGAL_REQUEST, ASC_OUT_OF_RANGE, NULL);
		break;
	case EPERM:
	case EROFS:
	case EBADF: /* opened read-only */
		sense_fill(done, DW_KEY_DATA_PROTECT, ASC_WRITE_PROTECT, NULL);
		break;
	case EBADE:
		done->status = DW_STATUS_RESERVATION_CONFLICT;
		break;
	case ETIMEDOUT:
		done->host_status = HOST_TIME_OUT;
		break;
	case ENOLINK:
		done->host_status = HOST_TRANSPORT_DISRUPTED;
		break;
	default:
		done->err = -err;
	}
}

void dw_blk_result(const struct dw_cmd *cmd, const struct dw_blk_op *op, int fd,
		   ssize_t res, struct dw_completion *done)
{
	if (op->verb == DW_BLK_REFUSE)
		sense_fill(done, DW_KEY_ILLEGAL_REQUEST, op->asc, NULL);
	else if (res < 0)
		error_fill(cmd, op, fd, (int)-res, done);
	else if (op->verb != DW_BLK_SYNC)
		done->resid = (int32_t)(cmd->data_len - (uint32_t)res);
}

int dw_blk_direct(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if (!(flags & O_DIRECT) && fcntl(fd, F_SETFL, flags | O_DIRECT) < 0)
		return -errno;
	return 0;
}

/* The descriptors and block sizes of the disks, by handle. */
struct blk_sync {
	pthread_mutex_t lock;
	const struct dw_target **targets;
	uint32_t n;
};

static const struct dw_target *blk_target(struct blk_sync *b, uint32_t handle)
{
	const struct dw_target *target;

	pthread_mutex_lock(&b->lock);
	target = b->targets[handle];
	pthread_mutex_unlock(&b->lock);
	return target;
}

static int sync_open(void *ctx, uint32_t handle, const struct dw_target *target)
{
	struct blk_sync *b = ctx;
	const struct dw_target **targets;
	int r = dw_blk_direct(target->blk_fd);

	if (r < 0)
		return r;
	pthread_mutex_lock(&b->lock);
	if (handle >= b->n) {
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		targets = reallocarray(b->targets, handle + 1, sizeof(*targets));
		if (!targets) {
			pthread_mutex_unlock(&b->lock);
			return -ENOMEM;
		}
		b->targets = targets;
		b->n = handle + 1;
	}
	b->targets[handle] = target;
	pthread_mutex_unlock(&b->lock);
	return 0;
}

static ssize_t op_run(const struct dw_blk_op *op, int fd, const struct dw_cmd *cmd)
{
	switch (op->verb) {
	case DW_BLK_READ:
		return pread(fd, cmd->data, cmd->data_len, (off_t)op->offset);
	case DW_BLK_WRITE:
		return pwrite(fd, cmd->data, cmd->data_len, (off_t)op->offset);
	case DW_BLK_SYNC:
		return fdatasync(fd);
	default:
		return 0;
	}
}

void dw_blk_run(const struct dw_target *target, struct dw_cmd *cmd,
		struct dw_completion *ret)
{
	struct dw_blk_op op;
	ssize_t n;

	if (target->nvme && dw_nvme_takes(cmd)) {
		dw_nvme_run(target, cmd, ret);
		return;
	}
	dw_blk_parse(cmd, target->block_size, &op);
	do
		n = op_run(&op, target->blk_fd, cmd);
	while (n < 0 && errno == EINTR);
	dw_blk_result(cmd, &op, target->blk_fd, n < 0 ? -errno : n, ret);
}

static void sync_send(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		      struct dw_completion *ret)
{
	dw_blk_run(blk_target(ctx, handle), cmd, ret);
}

static void sync_free(void *ctx)
{
	struct blk_sync *b = ctx;

	pthread_mutex_destroy(&b->lock);
	free(b->targets);
	free(b);
}

int dw_blk_sync_new(const struct dw_executor *executor, struct dw_transport **ret)
{
	struct blk_sync *b = calloc(1, sizeof(*b));
	const struct dw_sender sender = {
		.open = sync_open,
		.send = sync_send,
		.free = sync_free,
		.ctx = b,
	};
	int r;

	if (!b)
		return -ENOMEM;
	pthread_mutex_init(&b->lock, NULL);
	r = dw_threaded_new(&sender, executor, ret);
	if (r < 0)
		sync_free(b);
	return r;
}

int dw_blk_new(const struct dw_executor *executor, struct dw_transport **ret,
	       const char **ret_name)
{
	int r = dw_blk_uring_new(executor, ret);

	*ret_name = "io_uring";
	if (r == 0 || r == -ENOMEM)
		return r;
	*ret_name = "pwrite";
	return dw_blk_sync_new(executor, ret);
}
