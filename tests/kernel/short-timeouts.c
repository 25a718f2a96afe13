/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD: each command that the program sends to a disk by SG_IO has $TIMEOUT_SHARE times less
 * time than the program gives it, so that a test need not wait for a minute to see the kernel's
 * error handler at work.
 */
#include <scsi/sg.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static unsigned int share = 1;

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("TIMEOUT_SHARE");

	if (text && atoi(text) > 0)
		share = (unsigned int)atoi(text);
}

static unsigned int shorter(unsigned int ms)
{
	return ms / share ? ms / share : 1;
}

/* how the program sends commands by sg: src/transport/sg.c */
EXPORT ssize_t write(int fd, const void *buf, size_t len)
{
	struct sg_io_hdr hdr;

	if (len == sizeof(hdr) && ((const struct sg_io_hdr *)buf)->interface_id == 'S') {
		hdr = *(const struct sg_io_hdr *)buf;
		hdr.timeout = shorter(hdr.timeout);
		buf = &hdr;
	}
	return syscall(SYS_write, fd, buf, len);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct sg_io_hdr *hdr;
	unsigned int timeout;
	va_list ap;
	void *at;
	int r;

	va_start(ap, request);
	at = va_arg(ap, void *);
	va_end(ap);
	if (request != SG_IO)
		return (int)syscall(SYS_ioctl, fd, request, at);
	hdr = at;
	timeout = hdr->timeout;
	hdr->timeout = shorter(timeout);
	r = (int)syscall(SYS_ioctl, fd, request, at);
	hdr->timeout = timeout;
	return r;
}
