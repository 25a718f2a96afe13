/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The job's secret and its file. A key file is 64 hexadecimal digits and a newline and is
 * private to its owner; whoever holds it can make every random pass of the job again, and
 * thereby verify it. Every copy on the stack is wiped.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/util.h"
#include "data/crypto.h"
#include "data/data.h"
#include "file/file.h"

#define FILE_BYTES (2 * DW_KEY_BYTES + 1)

static const char digits[] = "0123456789abcdef";

int dw_key_new(struct dw_key *ret_key)
{
	ssize_t n;

	do
		n = getrandom(ret_key->bytes, sizeof(ret_key->bytes), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(ret_key->bytes) ? 0 : -EIO;
}

void dw_key_wipe(struct dw_key *key)
{
	dw_crypto_cleanse(key, sizeof(*key));
}

static int decode(const char *text, struct dw_key *ret_key)
{
	for (size_t i = 0; i < 2 * sizeof(ret_key->bytes); i++) {
		char c = text[i] >= 'A' && text[i] <= 'F' ? (char)(text[i] | 0x20)
							  : text[i];
		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): of digits, not of d */
		const char *d = memchr(digits, c, 16);
		uint8_t *byte = &ret_key->bytes[i / 2];

		if (!d)
			return -EINVAL;
		*byte = (uint8_t)(*byte << 4 | (d - digits));
	}
	return 0;
}

static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read(fd, buf + got, size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int dw_key_load(const char *path, struct dw_key *ret_key)
{
	dw_autoclose int fd = dw_file_open(path, false);
	char text[FILE_BYTES + 1];
	struct dw_key key = { 0 };
	struct stat st;
	ssize_t n;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	r = dw_file_secret(fd);
	if (r)
		return r;
	r = -EINVAL;
	n = read_all(fd, text, sizeof(text));
	if (n < 0)
		r = (int)n;
	else if (n == FILE_BYTES && text[FILE_BYTES - 1] == '\n')
		r = decode(text, &key);
	if (r == 0)
		*ret_key = key;
	dw_key_wipe(&key);
	dw_crypto_cleanse(text, sizeof(text));
	return r;
}

int dw_key_store(const char *path, const struct dw_key *key)
{
	char text[FILE_BYTES];
	int r;

	for (size_t i = 0; i < DW_KEY_BYTES; i++) {
		text[2 * i] = digits[key->bytes[i] >> 4];
		text[2 * i + 1] = digits[key->bytes[i] & 15];
	}
	text[FILE_BYTES - 1] = '\n';
	r = dw_file_make(path, text, sizeof(text), 0600);
	dw_crypto_cleanse(text, sizeof(text));
	return r;
}

const char *dw_key_check(const struct dw_key *key, char buf[17])
{
	static const char label[] = "diskwipe key check";
	uint8_t mac[32];

	buf[0] = '\0';
	if (dw_crypto_hmac(key->bytes, sizeof(key->bytes), label, sizeof(label) - 1,
			   mac) < 0)
		return buf;
	for (size_t i = 0; i < 8; i++) {
		buf[2 * i] = digits[mac[i] >> 4];
		buf[2 * i + 1] = digits[mac[i] & 15];
	}
	buf[16] = '\0';
	return buf;
}
