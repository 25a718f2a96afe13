/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_UTIL_H
#define DW_BASE_UTIL_H

/*
 * Small words that every layer uses: array size, minimum, cleanup attributes.
 * The cleanup attributes stay inside the library; no public header shows one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DW_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define DW_NS_PER_S      UINT64_C(1000000000)
#define DW_NS_PER_MS     UINT64_C(1000000)
#define DW_KIB           UINT64_C(1024)
#define DW_MIB           (UINT64_C(1024) * DW_KIB)
#define DW_GIB           (UINT64_C(1024) * DW_MIB)

#define dw_container_of(ptr, type, member)                                               \
	((type *)((char *)(ptr)-offsetof(type, member)))

static inline uint64_t dw_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t dw_max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* -1, 0 or 1, as qsort() wants it */
static inline int dw_compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline void dw_freep(void *p)
{
	free(*(void **)p);
}

static inline void dw_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/** dw_lacks_room() - does an error say that the process or the machine has no more memory or open
 *  files, and so nothing of what was asked for? */
static inline bool dw_lacks_room(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

/**
 * dw_grow() - more room for an array; what is new is zero
 * @array: address of the pointer to it, or to NULL
 * @from, @to: items before and after, @to > @from
 * @size: of an item, bytes
 *
 * Return: 0 or -ENOMEM, which leaves the array as it is.
 */
static inline int dw_grow(void *array, size_t from, size_t to, size_t size)
{
	char *v;

	memcpy(&v, array, sizeof(v));
	v = reallocarray(v, to, size);
	if (!v)
		return -ENOMEM;
	memset(v + from * size, 0, (to - from) * size);
	memcpy(array, &v, sizeof(v));
	return 0;
}

/**
 * dw_room() - room for one more item in an array that doubles; what is new is zero
 * @array: address of the pointer to it, or to NULL
 * @n: items in use
 * @cap: items that there is room for
 * @size: of an item, bytes
 *
 * Return: 0 or -ENOMEM, which leaves the array as it is.
 */
static inline int dw_room(void *array, size_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? 2 * *cap : 16;

	if (n < *cap)
		return 0;
	if (dw_grow(array, *cap, more, size) < 0)
		return -ENOMEM;
	*cap = more;
	return 0;
}

/* Free the pointed-to memory, or close the descriptor, when the name leaves scope. */
#define dw_autofree  __attribute__((cleanup(dw_freep)))
#define dw_autoclose __attribute__((cleanup(dw_closep)))

/** dw_text_utf8() - put '?' for each byte that is no UTF-8; in place, returns @text. */
char *dw_text_utf8(char *text);

#endif
