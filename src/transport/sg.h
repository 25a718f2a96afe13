/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_SG_H
#define DW_TRANSPORT_SG_H

/*
 * Commands by write() and read() of an sg descriptor. write() sends a command, and read() returns
 * its completion, found by its number. SG_IO of sg does both at once, and begins again when a
 * stop signal, a tracer or the freezer of a suspend interrupts it: the command is sent twice, and
 * the first may reach the disk when the job has long ended. SG_IO of a block device is not
 * interrupted.
 *
 * The kernel accepts a write() only with the credentials that the node was opened with: a process
 * that has changed its user or capabilities since gets EPERM.
 */
#include <scsi/sg.h>

/** dw_sg_prepare() - before the first exchange, and as often as you like. 0; 1 it is open for
 *  reading alone, and what it can send with SG_IO does no harm twice; -errno. */
int dw_sg_prepare(int fd);

/** dw_sg_exchange() - one command of a descriptor that is prepared, until it has ended; others may
 *  be on their way, also from other threads. @hdr: as for SG_IO; the number is filled in.
 *  0; -errno: it was not sent, or it was and the disk went (-ENODEV). */
int dw_sg_exchange(int fd, struct sg_io_hdr *hdr);

/**
 * dw_sg_share(), dw_sg_take() - before a command with data goes by an sg descriptor
 *
 * sg has one reserve buffer for each descriptor, and puts the data of any command into it that
 * finds it free. Who has it mapped takes it, and has it alone until he leaves it, with what it
 * holds. All others share the descriptor; where nothing is mapped nobody waits.
 */
void dw_sg_share(int fd);
void dw_sg_take(int fd);

/** dw_sg_leave() - after either. */
void dw_sg_leave(int fd);

#endif
