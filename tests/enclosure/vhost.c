/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vhost-user protocol from the back end's side: one front end (user-mode
 * Linux or QEMU) connects, shares its memory, and hands over the rings' file
 * descriptors. The connection's end is the guest's end. The back end channel is
 * offered because user-mode Linux cannot set up its interrupt without it; it is
 * accepted and never used.
 */
#include "vhost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <linux/virtio_ring.h>

enum {
	GET_FEATURES = 1,
	SET_FEATURES = 2,
	SET_OWNER = 3,
	SET_MEM_TABLE = 5,
	SET_VRING_NUM = 8,
	SET_VRING_ADDR = 9,
	SET_VRING_BASE = 10,
	GET_VRING_BASE = 11,
	SET_VRING_KICK = 12,
	SET_VRING_CALL = 13,
	SET_VRING_ERR = 14,
	GET_PROTOCOL_FEATURES = 15,
	SET_PROTOCOL_FEATURES = 16,
	GET_QUEUE_NUM = 17,
	SET_VRING_ENABLE = 18,
	SET_BACKEND_REQ_FD = 21,
	GET_CONFIG = 24,
};

#define F_PROTOCOL    (1ull << 30)
#define P_MQ          (1ull << 0)
#define P_REPLY_ACK   (1ull << 3)
#define P_BACKEND_REQ (1ull << 5)
#define P_CONFIG      (1ull << 9)
#define P_ALL         (P_MQ | P_REPLY_ACK | P_BACKEND_REQ | P_CONFIG)

#define FLAG_VERSION    0x1u
#define FLAG_REPLY      0x4u
#define FLAG_NEED_REPLY 0x8u
#define NO_FD           0x100u
#define FDS_MAX         8

struct header {
	uint32_t request, flags, size;
};

struct region {
	uint64_t guest_addr, size, user_addr, mmap_offset;
};

/* what a message may carry; sizes are checked before a member is looked at */
struct message {
	struct header h;
	union {
		uint64_t u64;
		struct {
			uint32_t index, num;
		} state;
		struct {
			uint32_t index, flags;
			uint64_t desc, used, avail, log;
		} addr;
		struct {
			uint32_t n, padding;
			struct region r[FDS_MAX];
		} mem;
		struct {
			uint32_t offset, size, flags;
			uint8_t data[256];
		} config;
		uint8_t bytes[512];
	} p;
	int fd[FDS_MAX];
	size_t n_fd;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void end(struct dw_vhost *v)
{
	v->ended = true;
}

/* takes ownership of all descriptors, wanted or not */
static void take_fds(struct message *m, struct msghdr *h)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->n_fd = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		if (m->n_fd > FDS_MAX)
			m->n_fd = FDS_MAX;
		memcpy(m->fd, CMSG_DATA(c), m->n_fd * sizeof(int));
	}
}

static int receive(int fd, struct message *m)
{
	union {
		char buf[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec v = { &m->h, sizeof(m->h) };
	struct msghdr h = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &h, MSG_CMSG_CLOEXEC | MSG_WAITALL);

	m->n_fd = 0;
	if (n <= 0)
		return n ? -errno : -ECONNRESET;
	take_fds(m, &h);
	memset(&m->p, 0, sizeof(m->p));
	if ((size_t)n != sizeof(m->h) || m->h.size > sizeof(m->p) ||
	    (m->h.flags & 3) != FLAG_VERSION)
		return -EPROTO;
	if (m->h.size && recv(fd, &m->p, m->h.size, MSG_WAITALL) != (ssize_t)m->h.size)
		return -EPROTO;
	return 0;
}

static int reply(int fd, struct message *m, uint32_t size)
{
	struct iovec v[2] = { { &m->h, sizeof(m->h) }, { &m->p, size } };
	struct msghdr h = { .msg_iov = v, .msg_iovlen = 2 };
	ssize_t n = (ssize_t)(sizeof(m->h) + size);

	m->h.flags = FLAG_VERSION | FLAG_REPLY;
	m->h.size = size;
	return sendmsg(fd, &h, MSG_NOSIGNAL) == n ? 0 : -EPIPE;
}

static int take_fd(struct message *m)
{
	int fd = m->n_fd ? m->fd[0] : -1;

	if (m->n_fd)
		m->fd[0] = -1;
	return fd;
}

static void drop_memory(struct dw_memory *mem)
{
	while (mem->n)
		munmap(mem->r[mem->n - 1].map, mem->r[mem->n - 1].map_len), mem->n--;
}

static bool map_region(struct dw_region *to, const struct region *r, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !r->size || r->mmap_offset % 4096 ||
	    r->mmap_offset > (uint64_t)st.st_size ||
	    r->size > (uint64_t)st.st_size - r->mmap_offset)
		return false;
	to->map_len = r->size;
	to->map = mmap(NULL, to->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)r->mmap_offset);
	if (to->map == MAP_FAILED)
		return false;
	to->host = to->map;
	to->guest_addr = r->guest_addr;
	to->user_addr = r->user_addr;
	to->size = r->size;
	return true;
}

/* commands point into the old memory: they end before it goes */
static int set_memory(struct dw_vhost *v, struct message *m)
{
	struct dw_memory *mem = &v->hba.mem;
	uint32_t i, n = m->p.mem.n;

	if (n > FDS_MAX || n > m->n_fd || m->h.size < 8 + n * sizeof(struct region))
		return -EPROTO;
	dw_rack_drop(v->hba.rack);
	drop_memory(mem);
	for (i = 0; i < n; i++, mem->n++)
		if (!map_region(&mem->r[i], &m->p.mem.r[i], m->fd[i]))
			return -EINVAL;
	for (i = 0; i < DW_HBA_QUEUES; i++)
		dw_vring_map(&v->hba.q[i], mem);
	return 0;
}

static void stop_kick(struct dw_vhost_queue *q)
{
	dw_loop_remove(q->vhost->loop, &q->kick);
	close_fd(&q->kick_fd);
}

static void kicked(void *arg)
{
	struct dw_vhost_queue *q = arg;
	uint64_t count;

	if (read(q->kick_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		stop_kick(q);
	else
		dw_hba_run(&q->vhost->hba, q->index);
}

static void set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static int set_kick(struct dw_vhost *v, struct dw_vhost_queue *q, int fd)
{
	struct dw_vring *ring = &v->hba.q[q->index];

	stop_kick(q);
	if (fd < 0)
		return 0;
	set_nonblock(fd);
	q->kick_fd = fd;
	q->kick = (struct dw_source){ fd, kicked, q };
	ring->event_idx = v->hba.features >> VIRTIO_RING_F_EVENT_IDX & 1;
	dw_vring_map(ring, &v->hba.mem);
	dw_hba_run(&v->hba, q->index);
	return dw_loop_add(v->loop, &q->kick);
}

static int set_call(struct dw_vhost_queue *q, int fd)
{
	close_fd(&q->call_fd);
	q->call_fd = fd;
	if (fd >= 0)
		set_nonblock(fd);
	return 0;
}

static struct dw_vhost_queue *queue(struct dw_vhost *v, uint64_t index)
{
	return index < DW_HBA_QUEUES ? &v->q[index] : NULL;
}

static int vring_fd(struct dw_vhost *v, struct message *m)
{
	struct dw_vhost_queue *q = queue(v, m->p.u64 & 0xff);
	int fd = m->p.u64 & NO_FD ? -1 : take_fd(m);

	if (!q) {
		close_fd(&fd);
		return -EINVAL;
	}
	if (m->h.request == SET_VRING_KICK)
		return set_kick(v, q, fd);
	return set_call(q, fd);
}

static int vring_state(struct dw_vhost *v, struct message *m)
{
	struct dw_vhost_queue *q = queue(v, m->p.state.index);
	struct dw_vring *ring;

	if (!q)
		return -EINVAL;
	ring = &v->hba.q[q->index];
	switch (m->h.request) {
	case SET_VRING_NUM:
		ring->num = m->p.state.num;
		break;
	case SET_VRING_BASE:
		ring->last_avail = ring->used_idx = (uint16_t)m->p.state.num;
		ring->signalled = ring->used_idx;
		break;
	case SET_VRING_ENABLE:
		ring->enabled = m->p.state.num;
		if (ring->enabled && q->kick_fd >= 0)
			dw_hba_run(&v->hba, q->index);
		break;
	default:
		ring->desc_user = m->p.addr.desc;
		ring->avail_user = m->p.addr.avail;
		ring->used_user = m->p.addr.used;
		dw_vring_map(ring, &v->hba.mem);
	}
	return 0;
}

static int get_vring_base(struct dw_vhost *v, struct message *m)
{
	struct dw_vhost_queue *q = queue(v, m->p.state.index);

	if (!q)
		return -EINVAL;
	stop_kick(q);
	dw_rack_drop(v->hba.rack);
	m->p.state.num = v->hba.q[q->index].last_avail;
	v->hba.q[q->index].desc = NULL;
	return reply(v->conn.fd, m, sizeof(m->p.state)) ? -EPIPE : 1;
}

static int get_config(struct dw_vhost *v, struct message *m)
{
	uint32_t offset = m->p.config.offset, size = m->p.config.size;
	uint8_t all[512];

	if (size > sizeof(m->p.config.data) || offset > 256)
		return -EINVAL;
	dw_hba_config(&v->hba, all, sizeof(all));
	memcpy(m->p.config.data, all + offset, size);
	return reply(v->conn.fd, m, 12 + size) ? -EPIPE : 1;
}

static int get_u64(struct dw_vhost *v, struct message *m, uint64_t value)
{
	m->p.u64 = value;
	return reply(v->conn.fd, m, sizeof(m->p.u64)) ? -EPIPE : 1;
}

/* returns 1 when an answer has gone out already */
static int handle(struct dw_vhost *v, struct message *m)
{
	switch (m->h.request) {
	case GET_FEATURES:
		return get_u64(v, m, dw_hba_features() | F_PROTOCOL);
	case SET_FEATURES:
		v->hba.features = m->p.u64;
		return 0;
	case GET_PROTOCOL_FEATURES:
		return get_u64(v, m, P_ALL);
	case SET_PROTOCOL_FEATURES:
		v->protocol = m->p.u64;
		return 0;
	case GET_QUEUE_NUM:
		return get_u64(v, m, DW_HBA_QUEUES);
	case SET_MEM_TABLE:
		return set_memory(v, m);
	case SET_VRING_NUM:
	case SET_VRING_BASE:
	case SET_VRING_ENABLE:
	case SET_VRING_ADDR:
		return vring_state(v, m);
	case GET_VRING_BASE:
		return get_vring_base(v, m);
	case SET_VRING_KICK:
	case SET_VRING_CALL:
		return vring_fd(v, m);
	case SET_BACKEND_REQ_FD:
		close_fd(&v->backend_fd);
		v->backend_fd = take_fd(m);
		return 0;
	case GET_CONFIG:
		return get_config(v, m);
	case SET_OWNER:
	case SET_VRING_ERR:
	default:
		return 0;
	}
}

static void incoming(void *arg)
{
	struct dw_vhost *v = arg;
	struct message m = { 0 };
	int e = receive(v->conn.fd, &m);
	size_t i;
	bool asked = m.h.flags & FLAG_NEED_REPLY;

	if (e) {
		end(v);
	} else {
		e = handle(v, &m); /* may be what switches acknowledgements on */
		if (e == -EPIPE || e == -EPROTO)
			end(v);
		else if (e <= 0 && asked && v->protocol & P_REPLY_ACK)
			get_u64(v, &m, e ? 1 : 0);
	}
	for (i = 0; i < m.n_fd; i++)
		close_fd(&m.fd[i]);
}

static void accepted(void *arg)
{
	struct timeval patience = { .tv_sec = 5 };
	struct dw_vhost *v = arg;
	int fd = accept4(v->listen.fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (v->conn.fd >= 0) { /* one guest at a time */
		close(fd);
		return;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	v->conn = (struct dw_source){ fd, incoming, v };
	if (dw_loop_add(v->loop, &v->conn))
		end(v);
}

static int listen_on(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	strcpy(a.sun_path, path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 4) < 0) {
		int e = -errno;

		close(fd);
		return e;
	}
	return fd;
}

/**
 * dw_vhost_init - listen for a guest
 * @v: back end to fill
 * @l: loop, borrowed
 * @r: enclosure, borrowed
 * @path: of the socket; an old one is replaced
 *
 * Return: 0 or a negative errno.
 */
int dw_vhost_init(struct dw_vhost *v, struct dw_loop *l, struct dw_rack *r,
		  const char *path)
{
	unsigned int i;
	int fd;

	memset(v, 0, sizeof(*v));
	v->loop = l;
	v->conn.fd = v->listen.fd = v->backend_fd = -1;
	dw_hba_init(&v->hba, r);
	for (i = 0; i < DW_HBA_QUEUES; i++)
		v->q[i] = (struct dw_vhost_queue){ .vhost = v,
						   .index = i,
						   .kick.fd = -1,
						   .kick_fd = -1,
						   .call_fd = -1 };
	if (strlen(path) >= sizeof(v->path))
		return -ENAMETOOLONG;
	strcpy(v->path, path);
	fd = listen_on(path);
	if (fd < 0)
		return fd;
	v->listen = (struct dw_source){ fd, accepted, v };
	return dw_loop_add(l, &v->listen);
}

/**
 * dw_vhost_deinit - close everything and remove the socket
 * @v: back end
 */
void dw_vhost_deinit(struct dw_vhost *v)
{
	int conn = v->conn.fd, fd = v->listen.fd;
	unsigned int i;

	dw_rack_drop(v->hba.rack);
	for (i = 0; i < DW_HBA_QUEUES; i++) {
		stop_kick(&v->q[i]);
		close_fd(&v->q[i].call_fd);
	}
	drop_memory(&v->hba.mem);
	dw_loop_remove(v->loop, &v->conn);
	dw_loop_remove(v->loop, &v->listen);
	close_fd(&conn);
	close_fd(&fd);
	close_fd(&v->backend_fd);
	if (v->path[0])
		unlink(v->path);
}

/**
 * dw_vhost_notify - tell the guest about all answers since the last time
 * @v: back end
 */
void dw_vhost_notify(struct dw_vhost *v)
{
	uint64_t one = 1;
	unsigned int i;

	for (i = 0; i < DW_HBA_QUEUES; i++) {
		if (!dw_vring_notify(&v->hba.q[i]) || v->q[i].call_fd < 0)
			continue;
		if (write(v->q[i].call_fd, &one, sizeof(one)) < 0 && errno == EPIPE)
			end(v);
	}
}
