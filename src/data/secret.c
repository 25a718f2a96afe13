/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "data/secret.h"

#include <sys/mman.h>

#include "data/crypto.h"

void *dw_secret_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (madvise(p, size, MADV_DONTDUMP)) {
		munmap(p, size);
		return NULL;
	}
	(void)mlock(p, size);
	return p;
}

void dw_secret_free(void *p, size_t size)
{
	if (!p)
		return;
	dw_crypto_cleanse(p, size);
	munmap(p, size);
}
