/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The agent that holds a private key: draft-miller-ssh-agent, 4.5. It is waited for, as it may
 * ask its user. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/util.h"
#include "proof/ssh.h"

#define SIGN_REQUEST  13
#define SIGN_RESPONSE 14
#define TYPE          "ssh-ed25519"

static int call_agent(void)
{
	const char *path = getenv("SSH_AUTH_SOCK");
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd;

	if (!path || !*path || strlen(path) >= sizeof(at.sun_path))
		return -ENOKEY;
	memcpy(at.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0)
		return fd;
	close(fd);
	return -ENOKEY;
}

/* An agent that goes away while it is asked is as none: who asks has no key. */
static int agent_error(int error)
{
	return error == ECONNRESET || error == EPIPE ? -ENOKEY : -error;
}

static int receive(int fd, uint8_t *to, size_t len)
{
	while (len) {
		ssize_t n = recv(fd, to, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return agent_error(n ? errno : ECONNRESET);
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

static int agent_answer(int fd, struct dw_wire *ret)
{
	uint8_t head[4];
	struct dw_wire_in in = { .at = head, .left = sizeof(head) };
	int r = receive(fd, head, sizeof(head));

	if (r)
		return r;
	ret->len = dw_wire_take_u32(&in);
	if (!ret->len || ret->len > sizeof(ret->data))
		return -EBADMSG;
	return receive(fd, ret->data, ret->len);
}

int dw_agent_sign(const uint8_t key[DW_ED25519_KEY], const void *data, size_t len,
		  uint8_t ret[DW_ED25519_SIG])
{
	struct dw_wire blob = { .len = 0 }, body = { .len = 0 }, w = { .len = 0 };
	struct dw_wire_in in, outer, type, raw;
	dw_autoclose int fd = call_agent();
	const uint8_t *kind;
	ssize_t sent;
	int r;

	if (fd < 0)
		return fd;
	dw_ssh_blob(&blob, key);
	dw_wire_bytes(&body, (uint8_t[]){ SIGN_REQUEST }, 1);
	dw_wire_string(&body, blob.data, blob.len);
	dw_wire_string(&body, data, len);
	dw_wire_u32(&body, 0);
	dw_wire_string(&w, body.data, body.len);
	if (w.full || body.full)
		return -EINVAL;
	sent = send(fd, w.data, w.len, MSG_NOSIGNAL);
	if (sent != (ssize_t)w.len)
		return sent < 0 ? agent_error(errno) : -EIO;
	r = agent_answer(fd, &w);
	if (r)
		return r;
	in = (struct dw_wire_in){ .at = w.data, .left = w.len };
	kind = dw_wire_take(&in, 1);
	if (!kind || *kind != SIGN_RESPONSE)
		return -ENOKEY;
	outer = dw_wire_take_string(&in);
	type = dw_wire_take_string(&outer);
	raw = dw_wire_take_string(&outer);
	if (!dw_wire_is(&type, TYPE) || raw.left != DW_ED25519_SIG)
		return -EBADMSG;
	memcpy(ret, raw.at, DW_ED25519_SIG);
	return 0;
}
