/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libzstd behind stdio: fopencookie() makes streams of its two contexts. */
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <zstd.h>

#include "report/pack.h"

#define LEVEL 3 /* a trace in a fifth of its space or less */
#define ROOM  ((size_t)128 << 10)

/**
 * struct pack - one stream of either direction
 * @under: the compressed file
 * @in: what was read of it and is not used up; readers only
 * @ended: nothing more can be read
 * @room: for the compressed side
 */
struct pack {
	FILE *under;
	ZSTD_CCtx *c;
	ZSTD_DCtx *d;
	ZSTD_inBuffer in;
	bool ended;
	char room[ROOM];
};

static void pack_free(struct pack *p)
{
	ZSTD_freeCCtx(p->c);
	ZSTD_freeDCtx(p->d);
	free(p);
}

/* One step of the compressor, its output written; what it still holds, or negative errno. */
static ssize_t compress_step(struct pack *p, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	ZSTD_outBuffer out = { p->room, ROOM, 0 };
	size_t left = ZSTD_compressStream2(p->c, &out, in, how);

	if (ZSTD_isError(left))
		return -EIO;
	errno = 0;
	if (fwrite(p->room, 1, out.pos, p->under) != out.pos)
		return errno ? -errno : -EIO;
	return (ssize_t)left;
}

static ssize_t pack_write(void *cookie, const char *text, size_t len)
{
	ZSTD_inBuffer in = { text, len, 0 };

	while (in.pos < in.size) {
		ssize_t r = compress_step(cookie, &in, ZSTD_e_continue);

		if (r < 0) {
			errno = (int)-r;
			return 0;
		}
	}
	return (ssize_t)len;
}

static int pack_end(void *cookie)
{
	ZSTD_inBuffer none = { NULL, 0, 0 };
	ssize_t r;

	do
		r = compress_step(cookie, &none, ZSTD_e_end);
	while (r > 0);
	pack_free(cookie);
	errno = (int)-r;
	return r < 0 ? EOF : 0;
}

/* What is left of the file is enough for no more text: 0, the end. */
static ssize_t unpack_read(void *cookie, char *text, size_t len)
{
	struct pack *p = cookie;
	ZSTD_outBuffer out = { text, len, 0 };

	while (!out.pos && !p->ended) {
		if (p->in.pos == p->in.size) {
			p->in = (ZSTD_inBuffer){ p->room,
						 fread(p->room, 1, ROOM, p->under), 0 };
			p->ended = !p->in.size;
		}
		if (ferror(p->under) ||
		    ZSTD_isError(ZSTD_decompressStream(p->d, &out, &p->in))) {
			errno = EIO;
			return -1;
		}
	}
	return (ssize_t)out.pos;
}

static int unpack_end(void *cookie)
{
	struct pack *p = cookie;
	int r = fclose(p->under);

	pack_free(p);
	return r;
}

int dw_pack(FILE *under, FILE **ret)
{
	struct pack *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->under = under;
	p->c = ZSTD_createCCtx();
	*ret = p->c && !ZSTD_isError(ZSTD_CCtx_setParameter(p->c, ZSTD_c_compressionLevel,
							    LEVEL))
		       ? fopencookie(p, "w",
				     (cookie_io_functions_t){ .write = pack_write,
							      .close = pack_end })
		       : NULL;
	if (*ret)
		return 0;
	pack_free(p);
	return -ENOMEM;
}

int dw_unpack(FILE *f, FILE **ret)
{
	int first = getc(f);
	char byte = (char)first;
	struct pack *p;

	ungetc(first, f);
	*ret = f;
	if (first == EOF || !dw_pack_is(&byte, 1))
		return 0;
	p = calloc(1, sizeof(*p));
	*ret = NULL;
	if (p) {
		p->under = f;
		p->d = ZSTD_createDCtx();
		if (p->d)
			*ret = fopencookie(
				p, "r",
				(cookie_io_functions_t){ .read = unpack_read,
							 .close = unpack_end });
	}
	if (*ret)
		return 0;
	if (p)
		pack_free(p);
	fclose(f);
	return -ENOMEM;
}
