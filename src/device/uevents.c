/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's own events, straight from its socket: they come without udevd, and a lost one
 * shows. They go to the network namespaces that the initial user namespace owns, and to no
 * other, without any sign of it there.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/util.h"
#include "device/node.h"
#include "device/uevents.h"

#define KERNEL_GROUP    1u
#define ROOM_BYTES      (4 * 1024 * 1024)
#define INITIAL_USER_NS UINT64_C(0xeffffffd) /* its inode, since Linux 3.8 */

struct dw_uevents {
	int fd;
};

/* Does the network namespace belong to the initial user namespace? */
static bool is_reported(void)
{
	dw_autoclose int net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	dw_autoclose int user = net < 0 ? -1 : ioctl(net, NS_GET_USERNS);
	struct stat st;

	/* an owner that is not to be seen stands above this process */
	return user < 0 || fstat(user, &st) || st.st_ino == INITIAL_USER_NS;
}

void dw_uevents_free(struct dw_uevents *e)
{
	if (!e)
		return;
	dw_closep(&e->fd);
	free(e);
}

int dw_uevents_new(struct dw_uevents **ret)
{
	struct sockaddr_nl any = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	struct dw_uevents *e;
	int room = ROOM_BYTES;

	if (!is_reported())
		return -ENOTSUP;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       NETLINK_KOBJECT_UEVENT);
	if (e->fd < 0 || bind(e->fd, (struct sockaddr *)&any, sizeof(any))) {
		dw_uevents_free(e);
		return -ENOTSUP;
	}
	if (setsockopt(e->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(e->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	*ret = e;
	return 0;
}

int dw_uevents_fd(const struct dw_uevents *e)
{
	return e->fd;
}

/* The value of a key, or NULL; the lines end in 0 each. */
static const char *uevent_value(const char *msg, size_t len, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = msg; p < msg + len; p += strlen(p) + 1)
		if (!strncmp(p, key, n) && p[n] == '=')
			return p + n + 1;
	return NULL;
}

/* ".../0:0:3:0", or ".../0:0:3:0/block/sdd" */
static bool read_address(char *path, bool block, struct dw_disk_info *ret)
{
	char *end = block ? strstr(path, "/block/") : NULL;

	if (block && !end)
		return false;
	if (end)
		*end = '\0';
	end = strrchr(path, '/');
	return end && dw_node_address(end + 1, ret);
}

static bool is_yes(const char *value)
{
	return value && !strcmp(value, "1");
}

static enum dw_unit_news attention(const char *ua)
{
	if (!strcmp(ua, "POWER_ON_RESET_OCCURRED"))
		return DW_UNIT_RESET;
	if (!strcmp(ua, "INQUIRY_DATA_HAS_CHANGED") ||
	    !strcmp(ua, "REPORTED_LUNS_DATA_HAS_CHANGED"))
		return DW_UNIT_DOUBTED;
	return DW_UNIT_ALTERED;
}

/* What a change of a device means; other actions of a device are of its coming and going. */
static enum dw_unit_news meaning(const char *msg, size_t len, bool block)
{
	const char *action = uevent_value(msg, len, "ACTION");
	const char *ua = uevent_value(msg, len, "SDEV_UA");

	if (!action)
		return DW_UNIT_NOTHING;
	if (strcmp(action, "change"))
		return block ? DW_UNIT_NOTHING : DW_UNIT_DOUBTED;
	if (ua)
		return attention(ua);
	if (is_yes(uevent_value(msg, len, "SDEV_MEDIA_CHANGE")) ||
	    is_yes(uevent_value(msg, len, "DISK_MEDIA_CHANGE")))
		return DW_UNIT_DOUBTED;
	return is_yes(uevent_value(msg, len, "RESIZE")) ? DW_UNIT_ALTERED
							: DW_UNIT_NOTHING;
}

enum dw_unit_news dw_uevent_parse(char *msg, size_t len, struct dw_disk_info *ret)
{
	const char *subsystem = uevent_value(msg, len, "SUBSYSTEM");
	const char *type = uevent_value(msg, len, "DEVTYPE");
	char *path = (char *)uevent_value(msg, len, "DEVPATH");
	bool block = subsystem && !strcmp(subsystem, "block");
	enum dw_unit_news news;

	if (!path || !type || !subsystem ||
	    strcmp(type, block ? "disk" : "scsi_device") ||
	    (!block && strcmp(subsystem, "scsi")))
		return DW_UNIT_NOTHING;
	news = meaning(msg, len, block); /* before the path is cut */
	return news && read_address(path, block, ret) ? news : DW_UNIT_NOTHING;
}

enum dw_unit_news dw_uevents_next(struct dw_uevents *e, struct dw_disk_info *ret)
{
	struct sockaddr_nl from = { 0 };
	char msg[8192];

	for (;;) {
		socklen_t from_len = sizeof(from);
		ssize_t n = recvfrom(e->fd, msg, sizeof(msg) - 1, 0,
				     (struct sockaddr *)&from, &from_len);
		enum dw_unit_news news;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ENOBUFS ? DW_UNIT_LOST : DW_UNIT_NOTHING;
		msg[n] = '\0';
		if (from_len < sizeof(from) || from.nl_pid) /* not the kernel */
			continue;
		news = dw_uevent_parse(msg, (size_t)n, ret);
		if (news != DW_UNIT_NOTHING)
			return news;
	}
}
