/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SG_IO, by whichever way costs least:
 *
 * sg-mmap. sg keeps a reserve buffer per descriptor, which SG_FLAG_MMAP_IO makes it use.
 * The first WRITE of a constant pattern carries it there (with a data pointer it is copied),
 * and every further one sends it as it stands (without one): nothing is copied and no page
 * is pinned, at any length. Without the flag, a NULL pointer sends fresh zero pages
 * whenever the reserve buffer is busy, and reports GOOD; with it, sg answers EBUSY or
 * ENOMEM instead. Any other command with data that goes through the descriptor overwrites
 * the buffer, so each of a disk's threads opens a descriptor of its own for this and uses
 * it for nothing else.
 *
 * sd-direct. The block sibling pins the caller's pages: no copy, any data.
 *
 * sg-copy. The kernel copies; the way for small transfers, and for disks that have no block
 * sibling because their blocks are of no size that the block layer knows. Blocks that are to be
 * compared are copied here, out of the descriptor's reserve buffer.
 *
 * What a way cannot do is remembered per disk. That a transfer is too long for the way
 * taken is not hidden: the errno goes up, and the caller learns the length from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "transport/guard.h"
#include "transport/lane.h"
#include "transport/open.h"
#include "transport/path_end.h"
#include "transport/sg.h"
#include "transport/spared.h"
#include "transport/stamp.h"
#include "transport/threaded.h"

#ifndef SG_FLAG_MMAP_IO
#define SG_FLAG_MMAP_IO 4
#endif
#ifndef SG_FLAG_Q_AT_TAIL
#define SG_FLAG_Q_AT_TAIL 0x10
#endif

#define PAGE       4096u
#define DIRECT_MIN (32u << 10) /* shorter writes are not worth pinning pages */

/**
 * struct tap - one thread's descriptor for its disk's reserve buffer; that thread's own
 * @fd: -1 = not open
 * @size: bytes of the reserve buffer
 * @pattern: what it holds
 * @filled: how many bytes of that
 * @refused: shortest length that could not be had
 */
struct tap {
	int fd;
	uint32_t size;
	uint32_t pattern;
	uint32_t filled;
	uint32_t refused;
};

/**
 * struct outlet - a disk
 * @target: borrowed from the transport; only its descriptors and block size are used
 * @no_mmap: its reserve buffer is not to be had
 * @no_direct: its block sibling does not take SG_IO
 * @read_only: its sg descriptor cannot write, and sends nothing that does harm twice
 * @path: the latest way
 * @lease: how much may be written before it reports again who it is
 * @window: the reserve buffer of the target's sg descriptor, once a read went through it; for who
 *	has taken it
 * @taps: by thread
 */
struct outlet {
	const struct dw_target *target;
	atomic_bool no_mmap;
	atomic_bool no_direct;
	bool read_only;
	_Atomic(const char *) path;
	struct dw_lease lease;
	uint8_t *window;
	uint32_t window_len;
	struct tap taps[DW_DEPTH_MAX];
};

struct sgio {
	pthread_mutex_t lock; /* guards the table, not the outlets */
	struct outlet **outlets;
	uint32_t n;
};

static struct outlet *outlet_of(struct sgio *sg, uint32_t handle)
{
	struct outlet *outlet;

	pthread_mutex_lock(&sg->lock);
	outlet = handle < sg->n ? sg->outlets[handle] : NULL;
	pthread_mutex_unlock(&sg->lock);
	return outlet;
}

static void header_fill(struct sg_io_hdr *hdr, struct dw_cmd *cmd,
			struct dw_completion *done)
{
	static const int direction[] = {
		[DW_DIR_NONE] = SG_DXFER_NONE,
		[DW_DIR_OUT] = SG_DXFER_TO_DEV,
		[DW_DIR_IN] = SG_DXFER_FROM_DEV,
	};

	memset(hdr, 0, sizeof(*hdr));
	hdr->interface_id = 'S';
	hdr->dxfer_direction = cmd->data_len ? direction[cmd->dir] : SG_DXFER_NONE;
	hdr->cmd_len = cmd->cdb_len;
	hdr->cmdp = cmd->cdb;
	hdr->mx_sb_len = DW_SENSE_MAX;
	hdr->sbp = done->sense;
	hdr->dxfer_len = cmd->data_len;
	hdr->dxferp = cmd->data_len ? cmd->data : NULL;
	hdr->timeout = cmd->timeout_ms;
	hdr->flags = SG_FLAG_Q_AT_TAIL;
}

static void header_read(const struct sg_io_hdr *hdr, struct dw_completion *done)
{
	done->status = hdr->status;
	done->host_status = hdr->host_status;
	done->driver_status = hdr->driver_status;
	done->sense_len = hdr->sb_len_wr;
	done->resid = hdr->resid;
}

/* Counts errors as the kernel does, so that errors that were reported to others can be found
 * (ioerr_cnt). */
static void count_error(const struct outlet *outlet, const struct sg_io_hdr *hdr)
{
	if (outlet->target->errors && (hdr->status || hdr->host_status))
		atomic_fetch_add(outlet->target->errors, 1);
}

/* One command, until it has ended. */
static int exchange(const struct outlet *outlet, int fd, struct sg_io_hdr *hdr)
{
	if (fd != outlet->target->blk_fd && !outlet->read_only)
		return dw_sg_exchange(fd, hdr);
	return ioctl(fd, SG_IO, hdr) < 0 ? -errno : 0;
}

/* sg takes 16 commands per descriptor at once and answers EDOM to the next. */
static int sg_io(const struct outlet *outlet, int fd, struct sg_io_hdr *hdr)
{
	const struct timespec moment = { .tv_nsec = (long)DW_NS_PER_MS };
	int r;

	for (;;) {
		r = exchange(outlet, fd, hdr);
		/* EBUSY: another has the reserve buffer */
		if (r == -EDOM || (r == -EBUSY && (hdr->flags & SG_FLAG_MMAP_IO)))
			nanosleep(&moment, NULL);
		else if (r != -EINTR)
			break;
	}
	if (!r)
		count_error(outlet, hdr);
	return r;
}

static void tap_close(struct tap *tap)
{
	if (tap->fd >= 0)
		close(tap->fd);
	tap->fd = -1;
	tap->size = 0;
	tap->filled = 0;
}

/*
 * Open the disk once more. The number behind /dev/sgN belongs to the disk as long as any
 * descriptor of it is open, so this is the same disk or ENODEV, whatever came and went.
 * O_NONBLOCK: where somebody holds it with O_EXCL, fail and do not wait.
 */
static int tap_open(struct tap *tap, int sg_fd, uint32_t len)
{
	char path[32];
	int size = (int)PAGE;

	while ((uint32_t)size < len)
		size *= 2;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", sg_fd);
	tap_close(tap);
	tap->fd = dw_disk_open(path, O_RDWR);
	if (tap->fd < 0)
		return tap->fd;
	if (ioctl(tap->fd, SG_SET_RESERVED_SIZE, &size) < 0 ||
	    ioctl(tap->fd, SG_GET_RESERVED_SIZE, &size) < 0)
		return -errno;
	tap->size = (uint32_t)size;
	return tap->size >= len ? dw_sg_prepare(tap->fd) : -ENOMEM;
}

/* Bring up a reserve buffer that the command's data fit in. */
static int tap_ready(struct tap *tap, int sg_fd, const struct dw_cmd *cmd)
{
	if (tap->refused && cmd->data_len >= tap->refused)
		return -ENOMEM;
	if (tap->fd >= 0 && tap->size >= cmd->data_len)
		return 0;
	return tap_open(tap, sg_fd, cmd->data_len);
}

static bool tap_holds(const struct tap *tap, const struct dw_cmd *cmd)
{
	return tap->filled >= cmd->data_len && tap->pattern == cmd->pattern;
}

static bool page_equal(const uint8_t *a, const uint8_t *b, size_t offset, size_t len)
{
	return memcmp(a + offset, b + offset, dw_min_u64(PAGE, len - offset)) == 0;
}

/*
 * A command took its data to the disk by way of the reserve buffer: see whether they are
 * there, else put them there. Positive when they were not and the command has to be
 * repeated. Only the pages looked at are ever mapped, and not for long: they would count
 * as this program's memory, and each costs a page fault.
 */
static int tap_confirm(struct tap *tap, const struct dw_cmd *cmd)
{
	size_t len = cmd->data_len, last = (len - 1) / PAGE * PAGE;
	size_t middle = last / PAGE / 2 * PAGE;
	uint8_t *buf =
		mmap(NULL, last + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, tap->fd, 0);
	bool there;

	if (buf == MAP_FAILED)
		return -errno;
	there = page_equal(buf, cmd->data, 0, len) &&
		page_equal(buf, cmd->data, middle, len) &&
		page_equal(buf, cmd->data, last, len);
	if (!there)
		memcpy(buf, cmd->data, len);
	munmap(buf, last + PAGE);
	tap->pattern = cmd->pattern;
	tap->filled = cmd->data_len;
	return there ? 0 : 1;
}

/* Send out of the reserve buffer; the first time with a given pattern, into it before. */
static int tap_send(const struct outlet *outlet, struct tap *tap, struct dw_cmd *cmd,
		    struct dw_completion *done)
{
	bool holds = tap_holds(tap, cmd);
	struct sg_io_hdr hdr;
	int r;

	do {
		header_fill(&hdr, cmd, done);
		hdr.flags |= SG_FLAG_MMAP_IO;
		if (holds)
			hdr.dxferp = NULL;
		else
			tap->filled = 0;
		r = exchange(outlet, tap->fd, &hdr);
		if (r < 0)
			return r;
		count_error(outlet, &hdr);
		r = holds ? 0 : tap_confirm(tap, cmd);
		holds = true;
	} while (r > 0);
	if (r == 0)
		header_read(&hdr, done);
	return r;
}

/* Positive when this way is closed and another is to be tried. */
static int send_mmap(struct outlet *outlet, struct tap *tap, struct dw_cmd *cmd,
		     struct dw_completion *done)
{
	int r = tap_ready(tap, outlet->target->sg_fd, cmd);

	if (r == 0)
		r = tap_send(outlet, tap, cmd, done);
	if (r < 0)
		tap_close(tap);
	if (r == 0) {
		atomic_store(&outlet->path, "sg-mmap");
		return 0;
	}
	if (r == -ENODEV || r == -ENXIO)
		return r;
	if (r == -ENOMEM || r == -EINVAL || r == -EIO)
		tap->refused = cmd->data_len;
	else
		atomic_store(&outlet->no_mmap, true);
	return 1;
}

/* Map the descriptor's reserve buffer, as long as any read of the disk will be. */
static int window_open(struct outlet *outlet, uint32_t len)
{
	int fd = outlet->target->sg_fd, size = (int)PAGE;

	if (len <= outlet->window_len)
		return 0;
	if (outlet->window_len) /* sg fixes its size with the first mapping */
		return -ENOMEM;
	while ((uint32_t)size < dw_max_u64(len, outlet->target->max_bytes))
		size *= 2;
	if (ioctl(fd, SG_SET_RESERVED_SIZE, &size) < 0 ||
	    ioctl(fd, SG_GET_RESERVED_SIZE, &size) < 0)
		return -errno;
	size -= size % (int)PAGE;
	if ((uint32_t)size < len)
		return -ENOMEM;
	outlet->window =
		mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (outlet->window == MAP_FAILED)
		return -errno;
	outlet->window_len = (uint32_t)size;
	return 0;
}

/*
 * Blocks to be compared. sg copies a buffer of its own over ours, whatever has arrived in it,
 * so that the stamp in ours (stamp.h) tells nothing, and SG_DXFER_TO_FROM_DEV, which would
 * take it over before, fails since Linux 6.1. So the buffer of sg's is stamped itself. There is
 * one, and until the blocks are copied it is this command's: another would put its own data there,
 * and what is compared would be what was written, and not what was read.
 */
static int read_window(struct outlet *outlet, const struct dw_cmd *cmd,
		       struct sg_io_hdr *hdr)
{
	struct dw_cmd inside = *cmd;
	int fd = outlet->target->sg_fd, r;

	dw_sg_take(fd);
	r = window_open(outlet, cmd->data_len);
	if (!r) {
		inside.data = outlet->window;
		dw_stamp(&inside);
		hdr->flags |= SG_FLAG_MMAP_IO;
		hdr->dxferp = NULL;
		r = sg_io(outlet, fd, hdr);
	}
	if (!r)
		memcpy(cmd->data, outlet->window, cmd->data_len);
	dw_sg_leave(fd);
	return r;
}

static int send_shared(const struct outlet *outlet, struct sg_io_hdr *hdr)
{
	int fd = outlet->target->sg_fd, r;

	if (!hdr->dxfer_len)
		return sg_io(outlet, fd, hdr);
	dw_sg_share(fd);
	r = sg_io(outlet, fd, hdr);
	dw_sg_leave(fd);
	return r;
}

/* The way for everything else. */
static int send_copy(struct outlet *outlet, struct dw_cmd *cmd,
		     struct dw_completion *done)
{
	bool sg = outlet->target->sg_fd >= 0;
	struct sg_io_hdr hdr;
	int r;

	header_fill(&hdr, cmd, done);
	if (sg && dw_stamped(cmd))
		r = read_window(outlet, cmd, &hdr);
	else if (sg)
		r = send_shared(outlet, &hdr);
	else
		r = sg_io(outlet, outlet->target->blk_fd, &hdr);
	if (r < 0)
		return r;
	header_read(&hdr, done);
	if (cmd->data_len > outlet->target->block_size)
		atomic_store(&outlet->path, sg ? "sg-copy" : "sd-copy");
	return 0;
}

static bool can_direct(const struct outlet *outlet, const struct dw_cmd *cmd)
{
	return outlet->target->blk_fd >= 0 && cmd->data_len > 0 &&
	       (cmd->dir == DW_DIR_IN || cmd->data_len >= DIRECT_MIN) &&
	       cmd->data_len % 512 == 0 && (uintptr_t)cmd->data % PAGE == 0 &&
	       !atomic_load(&outlet->no_direct);
}

/* Positive when the block sibling does not do SG_IO (for us). */
static int send_direct(struct outlet *outlet, struct dw_cmd *cmd,
		       struct dw_completion *done)
{
	struct sg_io_hdr hdr;
	int r;

	header_fill(&hdr, cmd, done);
	r = sg_io(outlet, outlet->target->blk_fd, &hdr);
	if (outlet->target->sg_fd >= 0 && (r == -EPERM || r == -ENOTTY || r == -EACCES)) {
		atomic_store(&outlet->no_direct, true);
		return 1;
	}
	if (r < 0)
		return r;
	header_read(&hdr, done);
	atomic_store(&outlet->path, "sd-direct");
	return 0;
}

static bool can_mmap(const struct outlet *outlet, const struct dw_cmd *cmd)
{
	return (cmd->flags & DW_CMD_CONST) && cmd->dir == DW_DIR_OUT &&
	       cmd->data_len > outlet->target->block_size && outlet->target->sg_fd >= 0 &&
	       !atomic_load(&outlet->no_mmap);
}

static void send_by_any(struct outlet *outlet, uint32_t worker, struct dw_cmd *cmd,
			struct dw_completion *ret)
{
	int r = 1;

	if (can_mmap(outlet, cmd))
		r = send_mmap(outlet, &outlet->taps[worker], cmd, ret);
	if (r > 0 && can_direct(outlet, cmd))
		r = send_direct(outlet, cmd, ret);
	if (r > 0)
		r = send_copy(outlet, cmd, ret);
	ret->err = r;
}

/* Sends a command of an identification for the lease. */
static void send_question(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret)
{
	struct outlet *outlet = ctx;
	struct dw_spared *spared = outlet->target->spared;

	*ret = (struct dw_completion){ .cmd = cmd };
	if (dw_spared_keeps(spared, cmd, ret))
		return;
	ret->err = send_copy(outlet, cmd, ret);
	dw_spared_note(spared, cmd, ret);
}

static void sgio_send(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		      struct dw_completion *ret)
{
	struct outlet *outlet = outlet_of(ctx, handle);
	uint64_t bytes = dw_guard_destroys(outlet->target, cmd);
	struct dw_spared *spared = outlet->target->spared;

	if (dw_spared_keeps(spared, cmd, ret))
		return;
	if (bytes && !dw_lease_enter(&outlet->lease, bytes, ret->start_ns, send_question,
				     outlet, ret))
		return;
	send_by_any(outlet, worker, cmd, ret);
	dw_spared_note(spared, cmd, ret);
	if (bytes)
		dw_lease_leave(&outlet->lease, bytes, !dw_path_attention(ret));
}

static void outlet_free(struct outlet *outlet)
{
	for (size_t i = 0; i < DW_DEPTH_MAX; i++)
		tap_close(&outlet->taps[i]);
	if (outlet->window_len)
		munmap(outlet->window, outlet->window_len);
	dw_lease_deinit(&outlet->lease);
	free(outlet);
}

static int sgio_open(void *ctx, uint32_t handle, const struct dw_target *target)
{
	struct sgio *sg = ctx;
	struct outlet *outlet = calloc(1, sizeof(*outlet)), **table;
	uint32_t n = handle + 1;
	int r = target->sg_fd < 0 ? 0 : dw_sg_prepare(target->sg_fd);

	if (!outlet)
		return -ENOMEM;
	if (r < 0) {
		free(outlet);
		return r;
	}
	outlet->target = target;
	outlet->read_only = r > 0;
	dw_lease_init(&outlet->lease, target->lease);
	atomic_store(&outlet->path, "none");
	for (size_t i = 0; i < DW_DEPTH_MAX; i++)
		outlet->taps[i].fd = -1;
	pthread_mutex_lock(&sg->lock);
	if (n > sg->n) {
		table = reallocarray(sg->outlets, n, sizeof(struct outlet *));
		if (!table) {
			pthread_mutex_unlock(&sg->lock);
			outlet_free(outlet);
			return -ENOMEM;
		}
		memset(table + sg->n, 0, (n - sg->n) * sizeof(struct outlet *));
		sg->outlets = table;
		sg->n = n;
	}
	sg->outlets[handle] = outlet;
	pthread_mutex_unlock(&sg->lock);
	return 0;
}

static void sgio_close(void *ctx, uint32_t handle)
{
	struct sgio *sg = ctx;
	struct outlet *outlet = outlet_of(sg, handle);

	if (!outlet)
		return;
	pthread_mutex_lock(&sg->lock);
	sg->outlets[handle] = NULL;
	pthread_mutex_unlock(&sg->lock);
	outlet_free(outlet);
}

static void sgio_free(void *ctx)
{
	struct sgio *sg = ctx;

	pthread_mutex_destroy(&sg->lock);
	free(sg->outlets);
	free(sg);
}

int dw_sgio_sender(struct dw_sender *ret)
{
	struct sgio *sg = calloc(1, sizeof(*sg));

	if (!sg)
		return -ENOMEM;
	pthread_mutex_init(&sg->lock, NULL);
	*ret = (struct dw_sender){
		.open = sgio_open,
		.send = sgio_send,
		.close = sgio_close,
		.free = sgio_free,
		.ctx = sg,
	};
	return 0;
}

int dw_sgio_new(const struct dw_executor *executor, struct dw_transport **ret)
{
	struct dw_sender sender;
	int r = dw_sgio_sender(&sender);

	if (r < 0)
		return r;
	r = dw_threaded_new(&sender, executor, ret);
	if (r < 0)
		sgio_free(sender.ctx);
	return r;
}

const char *dw_sgio_way(void *ctx, uint32_t handle)
{
	struct outlet *outlet = outlet_of(ctx, handle);

	return outlet ? atomic_load(&outlet->path) : "none";
}

/* A path may be closed meanwhile: the table stays locked. */
void dw_sgio_doubt(void *ctx, uint32_t handle)
{
	struct sgio *sg = ctx;

	pthread_mutex_lock(&sg->lock);
	if (handle < sg->n && sg->outlets[handle])
		dw_lease_doubt(&sg->outlets[handle]->lease);
	pthread_mutex_unlock(&sg->lock);
}

uint64_t dw_sgio_unproven(void *ctx, uint32_t handle)
{
	struct sgio *sg = ctx;
	uint64_t bytes = 0;

	pthread_mutex_lock(&sg->lock);
	if (handle < sg->n && sg->outlets[handle])
		bytes = dw_lease_unproven(&sg->outlets[handle]->lease);
	pthread_mutex_unlock(&sg->lock);
	return bytes;
}

void *dw_sgio_sender_of(struct dw_transport *t)
{
	return dw_threaded_ctx(t);
}

const char *dw_sgio_path(struct dw_transport *t, uint32_t handle)
{
	return dw_sgio_way(dw_threaded_ctx(t), handle);
}
