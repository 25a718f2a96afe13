/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffers that go to the kernel: whole pages of their own, so that direct I/O needs no
 * copy, and locked where the limit allows it, so that no keystream reaches a swap device.
 */
#include <sys/mman.h>

#include "data/data.h"

static size_t whole_pages(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

void *dw_buffer_new(size_t bytes)
{
	void *p;

	if (bytes == 0 || bytes > SIZE_MAX - 4095)
		return NULL;
	p = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	mlock2(p, whole_pages(bytes), MLOCK_ONFAULT);
	return p;
}

/**
 * dw_buffer_free() - give the pages back
 * @p: from dw_buffer_new(), or NULL
 * @bytes: as given there
 */
void dw_buffer_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, whole_pages(bytes));
}
