/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport/sg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* read() has to wait, and for the right completion */
int dw_sg_prepare(int fd)
{
	int flags = fcntl(fd, F_GETFL), by_number = 1;

	if (flags < 0)
		return -errno;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return 1;
	if ((flags & O_NONBLOCK) && (ioctl(fd, SG_SET_FORCE_PACK_ID, &by_number) < 0 ||
				     fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0))
		return -errno;
	return 0;
}

int dw_sg_exchange(int fd, struct sg_io_hdr *hdr)
{
	static atomic_uint number;

	hdr->pack_id = (int)(atomic_fetch_add(&number, 1) & INT_MAX);
	if (write(fd, hdr, sizeof(*hdr)) < 0)
		return -errno;
	while (read(fd, hdr, sizeof(*hdr)) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Locks by descriptor, of which there are few; two disks that share a lock may wait for each
 * other. Who wants it alone goes first, or many others would keep it out. */
#define LOCKS 1024
static pthread_rwlock_t reserve[LOCKS] = {
	[0 ... LOCKS - 1] = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
};

static pthread_rwlock_t *reserve_of(int fd)
{
	return &reserve[(unsigned int)fd % LOCKS];
}

void dw_sg_share(int fd)
{
	pthread_rwlock_rdlock(reserve_of(fd));
}

void dw_sg_take(int fd)
{
	pthread_rwlock_wrlock(reserve_of(fd));
}

void dw_sg_leave(int fd)
{
	pthread_rwlock_unlock(reserve_of(fd));
}
