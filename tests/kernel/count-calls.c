/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD: counts what a program and its libraries ask of the kernel about files, folders and
 * devices, and writes the numbers to the file $COUNT_CALLS at its end: calls, entries of folders,
 * and bytes that were read. The kernel counts what is read, as stdio reads by itself. strace(1)
 * counts as well, and takes many times as long in a guest.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_ullong calls, folder_entries;

/* calls the function of that name, which it hides */
#define COUNTED(returns, name, counter, takes, gives)                                    \
	EXPORT returns name takes;                                                       \
	EXPORT returns name takes                                                        \
	{                                                                                \
		static _Atomic(void *) found;                                            \
		returns(*real) takes;                                                    \
		void *at = atomic_load(&found);                                          \
                                                                                         \
		if (!at)                                                                 \
			at = dlsym(RTLD_NEXT, #name);                                    \
		atomic_store(&found, at);                                                \
		*(void **)&real = at;                                                    \
		atomic_fetch_add_explicit(&(counter), 1, memory_order_relaxed);          \
		return real gives;                                                       \
	}

/* the last argument may be missing: then nobody reads it */
#define COUNTED_OPEN(name, takes, passes)                                                \
	EXPORT int name takes                                                            \
	{                                                                                \
		int(*real) takes;                                                        \
		va_list ap;                                                              \
		mode_t mode;                                                             \
                                                                                         \
		va_start(ap, flags);                                                     \
		mode = va_arg(ap, mode_t);                                               \
		va_end(ap);                                                              \
		*(void **)&real = dlsym(RTLD_NEXT, #name);                               \
		atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);              \
		return real passes;                                                      \
	}

COUNTED_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
COUNTED_OPEN(openat64, (int at_fd, const char *path, int flags, ...),
	     (at_fd, path, flags, mode))

EXPORT int ioctl(int fd, unsigned long what, ...)
{
	int (*real)(int fd, unsigned long what, ...);
	va_list ap;
	void *arg;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	*(void **)&real = dlsym(RTLD_NEXT, "ioctl");
	atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
	return real(fd, what, arg);
}

COUNTED(FILE *, fopen64, calls, (const char *path, const char *mode), (path, mode))
COUNTED(DIR *, opendir, calls, (const char *path), (path))
COUNTED(struct dirent64 *, readdir64, folder_entries, (DIR * dir), (dir))
COUNTED(ssize_t, readlink, calls, (const char *path, char *to, size_t size),
	(path, to, size))
COUNTED(ssize_t, readlinkat, calls, (int at_fd, const char *path, char *to, size_t size),
	(at_fd, path, to, size))
COUNTED(int, access, calls, (const char *path, int mode), (path, mode))
COUNTED(int, stat64, calls, (const char *path, struct stat64 *to), (path, to))
COUNTED(int, lstat64, calls, (const char *path, struct stat64 *to), (path, to))
COUNTED(int, fstat64, calls, (int fd, struct stat64 *to), (fd, to))
COUNTED(int, statx, calls,
	(int at_fd, const char *path, int flags, unsigned int mask, struct statx *to),
	(at_fd, path, flags, mask, to))

/* names that a compiler has for some of these where it checks sizes */
COUNTED(int, __open64_2, calls, (const char *path, int flags), (path, flags))
COUNTED(int, __openat64_2, calls, (int at_fd, const char *path, int flags),
	(at_fd, path, flags))
COUNTED(ssize_t, __readlink_chk, calls,
	(const char *path, char *to, size_t size, size_t room), (path, to, size, room))
COUNTED(ssize_t, __readlinkat_chk, calls,
	(int at_fd, const char *path, char *to, size_t size, size_t room),
	(at_fd, path, to, size, room))

/* Without an answer nothing is told, and the test fails. */
__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("COUNT_CALLS");
	FILE *io = fopen("/proc/self/io", "r"), *f;
	unsigned long long bytes, reads;

	if (!path || !io ||
	    fscanf(io, "rchar: %llu wchar: %*u syscr: %llu", &bytes, &reads) != 2)
		return;
	fclose(io);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%llu %llu %llu\n", atomic_load(&calls) + reads,
		atomic_load(&folder_entries), bytes);
	fclose(f);
}
