/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest-xstate - lets user-mode Linux run on processors with large registers.
 *
 * User-mode Linux before 6.13 keeps 2696 bytes of extended registers for each
 * of its processes.  A machine with AMX has 11008, and its kernel refuses to
 * set less than all of them, so the guest dies at its first process.  This
 * library, preloaded, widens such a request: what the guest does not know
 * (it cannot use it either) is set to its initial state.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define XSTATE_BV_OFFSET 512   /* SDM volume 1, 13.4.2: first field of the XSAVE header */
#define XSTATE_BELOW_AMX 0x3ff /* components 0-9, through PKRU */
#define XSTATE_MAX       65536

static size_t whole; /* the machine's size, once a shorter one was refused */

static long set_widened(long pid, const struct iovec *part)
{
	static unsigned char all[XSTATE_MAX];
	struct iovec iov = { all, sizeof(all) };
	uint64_t bv;

	if (!whole) {
		if (syscall(SYS_ptrace, PTRACE_GETREGSET, pid, NT_X86_XSTATE, &iov))
			return -1;
		whole = iov.iov_len;
		memset(all, 0, sizeof(all));
	}
	if (part->iov_len > whole || part->iov_len < XSTATE_BV_OFFSET + sizeof(bv)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(all, part->iov_base, part->iov_len);
	memcpy(&bv, all + XSTATE_BV_OFFSET, sizeof(bv));
	bv &= XSTATE_BELOW_AMX;
	memcpy(all + XSTATE_BV_OFFSET, &bv, sizeof(bv));
	iov.iov_len = whole;
	return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, NT_X86_XSTATE, &iov);
}

/* Takes the place of the C library's function, with its peculiar PEEK calls. */
long ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	long pid, addr, data, word, r;

	va_start(ap, request);
	pid = va_arg(ap, long);
	addr = va_arg(ap, long);
	data = va_arg(ap, long);
	va_end(ap);
	if (request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER) {
		r = syscall(SYS_ptrace, (long)request, pid, addr, &word);
		if (!r)
			errno = 0;
		return r ? r : word;
	}
	if (request == PTRACE_SETREGSET && addr == NT_X86_XSTATE && whole)
		return set_widened(pid, (const struct iovec *)data);
	r = syscall(SYS_ptrace, (long)request, pid, addr, data);
	if (r && errno == EFAULT && request == PTRACE_SETREGSET && addr == NT_X86_XSTATE)
		return set_widened(pid, (const struct iovec *)data);
	return r;
}
