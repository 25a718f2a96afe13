/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many blocks of memory the process holds. What leaks a few bytes with each disk is nothing in
 * its resident memory for weeks, and is a block each time. The functions of libc do the work, by
 * the names that it has for programs that replace them; a sanitizer has its own, and counts.
 */
#include "week.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                   \
	!__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer)

#define EXPORT __attribute__((visibility("default")))

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static _Atomic int64_t blocks;

static void *counted(void *p)
{
	blocks += p != NULL;
	return p;
}

EXPORT void *malloc(size_t n)
{
	return counted(__libc_malloc(n));
}

EXPORT void *calloc(size_t n, size_t size)
{
	return counted(__libc_calloc(n, size));
}

EXPORT void *realloc(void *p, size_t n)
{
	void *to = __libc_realloc(p, n);

	if (!p)
		return counted(to);
	blocks -= !to && !n;
	return to;
}

EXPORT void *memalign(size_t align, size_t n)
{
	return counted(__libc_memalign(align, n));
}

EXPORT void *aligned_alloc(size_t align, size_t n)
{
	return counted(__libc_memalign(align, n));
}

EXPORT int posix_memalign(void **ret, size_t align, size_t n)
{
	*ret = counted(__libc_memalign(align, n));
	return *ret ? 0 : ENOMEM;
}

EXPORT void free(void *p)
{
	blocks -= p != NULL;
	__libc_free(p);
}

int64_t week_blocks(void)
{
	return blocks;
}

#else

int64_t week_blocks(void)
{
	return 0;
}

#endif
