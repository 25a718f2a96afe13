/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_STRIPE_H
#define DISKWIPE_STRIPE_H

/*
 * Stripe sets: md raid0, striped logical volumes and device-mapper stripes. A set is erased by
 * its members, each as a whole disk, never through the set: that would leave what lies beside
 * it, and stop at the set's slowest member.
 */
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/disk.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct dw_stripe_member - a part of a set
 * @disk: the disk that it is, or lies on; @disk.sg and @disk.block name it
 * @part: the member's own node, where it is not the whole disk: "/dev/sda2"; else empty
 * @start_bytes: where the set's data begin on @part or the disk
 */
struct dw_stripe_member {
	struct dw_disk_info disk;
	char part[64];
	uint64_t start_bytes;
};

/**
 * struct dw_stripe - a set that is active
 * @node: its node, "/dev/md0", "/dev/dm-1"
 * @what: for people: "md array /dev/md0", "LVM volume group vg"
 * @release: the command that stops it, or empty
 * @bytes: its size
 * @chunk_bytes: what lies together on one member
 * @member: in the order of the set
 * @n: members, at least one
 */
struct dw_stripe {
	char node[64];
	char what[160];
	char release[160];
	uint64_t bytes;
	uint32_t chunk_bytes;
	struct dw_stripe_member *member;
	size_t n;
};

/**
 * dw_stripe_open() - the set that a node stands for
 * @path: a block node, or a link to one
 * @ret: the set; dw_stripe_free()
 *
 * Reads sysfs, and the table of a device-mapper map by its control node; no command is sent and
 * no disk opened.
 *
 * Return: 0; 1 when it is no stripe set; negative errno.
 */
DW_PUBLIC int dw_stripe_open(const char *path, struct dw_stripe **ret);

/** dw_stripe_free() - free it; NULL is allowed. */
DW_PUBLIC void dw_stripe_free(struct dw_stripe *s);

/**
 * struct dw_stripe_advice - what the models say of a set; rates in bytes per second
 * @want: what its members could take together; 0 = their rate is not known
 * @link: what they share, 0 = not known, or more than they want
 * @aggregate, @speedup: what they get, and that over the rate of one
 * @full_at: members at which the link is full
 * @run: members to erase at once: the fewest that fill the link
 * @request_bytes, @balance: a request of this length through the set, and how evenly its
 *	members have to do with it, 1 = equally
 * @whole_bytes: the shortest request that all have the same part in
 * @depth, @busy: four requests a member, and how busy that keeps them
 * @depth_90: requests that keep them busy 90 % of the time
 * @misaligned: first member whose chunks do not begin at a physical block; @n = none
 */
struct dw_stripe_advice {
	double want;
	double link;
	double aggregate;
	double speedup;
	double full_at;
	size_t run;
	uint64_t request_bytes;
	double balance;
	uint64_t whole_bytes;
	double depth;
	double busy;
	double depth_90;
	size_t misaligned;
};

/**
 * dw_stripe_advise() - by the models of the review of disk striping (Digital Review, 1990)
 * @s: the set
 * @rate: of one member, bytes per second, 0 = not known
 * @link: of what the members share, 0 = not known
 * @ret: the advice
 */
DW_PUBLIC void dw_stripe_advise(const struct dw_stripe *s, double rate, double link,
				struct dw_stripe_advice *ret);

#ifdef __cplusplus
}
#endif

#endif
