/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes of disks are opened here, and nowhere else. */
#include "transport/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#define LOWEST (STDERR_FILENO + 1)

/* O_PATH: read and write fail with EBADF, as they did before. A descriptor that another thread
 * opened in the meantime is not touched. */
static int take_up_standard(void)
{
	for (;;) {
		int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return -errno;
		if (fd >= LOWEST) {
			close(fd);
			return 0;
		}
	}
}

static bool standard_is_closed(void)
{
	for (int fd = 0; fd < LOWEST; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			return true;
	return false;
}

/* of the process: what one part of it has promised, no other part can take back */
static atomic_bool forbidden;

void dw_disk_open_never(void)
{
	atomic_store(&forbidden, true);
}

int dw_disk_open(const char *path, int flags)
{
	int r = standard_is_closed() ? take_up_standard() : 0, fd;

	if (atomic_load(&forbidden))
		return -EPERM;
	if (r)
		return r;
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fd < LOWEST) { /* closed by another thread in between */
		close(fd);
		return -EBADF;
	}
	return fd;
}
