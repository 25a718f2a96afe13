/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BUS_PROPERTIES_H
#define DW_BUS_PROPERTIES_H

/*
 * The properties of disks and jobs on the bus, once for the service and its client. A row: the name
 * in packaging/dbus, the type of D-Bus (T is a t that is a time), the member of the structs, which
 * is the key in JSON as well, and the bytes of a text in the service's.
 */
#define BUS_DISK_PROPERTIES(ROW)                                                         \
	ROW(Device, s, device, 64)                                                       \
	ROW(Block, s, block, 64)                                                         \
	ROW(Serial, s, serial, DW_SERIAL_MAX)                                            \
	ROW(WWN, s, wwn, DW_WWN_MAX)                                                     \
	ROW(Vendor, s, vendor, 16)                                                       \
	ROW(Model, s, model, 48)                                                         \
	ROW(Revision, s, revision, 16)                                                   \
	ROW(Capacity, t, capacity, 0)                                                    \
	ROW(BlockSize, u, block_size, 0)                                                 \
	ROW(Transport, s, transport, 16)                                                 \
	ROW(Address, s, address, 48)                                                     \
	ROW(Slot, s, slot, 64)                                                           \
	ROW(Bay, s, bay, 64)                                                             \
	ROW(Signatures, s, signatures, 128)                                              \
	ROW(Refusal, s, refusal, 32)                                                     \
	ROW(Reason, s, reason, 256)                                                      \
	ROW(Release, s, release, 256)                                                    \
	ROW(State, s, state, 16)                                                         \
	ROW(Job, o, job, 96)                                                             \
	ROW(Outcome, s, outcome, 32)                                                     \
	ROW(Message, s, message, 256)                                                    \
	ROW(Progress, d, progress, 0)                                                    \
	ROW(Bytes, t, bytes, 0)                                                          \
	ROW(BytesTotal, t, bytes_total, 0)                                               \
	ROW(Rate, t, rate, 0)                                                            \
	ROW(Errors, t, errors, 0)                                                        \
	ROW(BadBlocks, u, bad_blocks, 0)                                                 \
	ROW(Pass, u, pass, 0)                                                            \
	ROW(Passes, u, passes, 0)                                                        \
	ROW(StartTime, T, start_time, 0)                                                 \
	ROW(ExpectedStartTime, T, expected_start_time, 0)                                \
	ROW(ExpectedEndTime, T, expected_end_time, 0)                                    \
	ROW(Temperature, i, temperature, 0)                                              \
	ROW(Health, s, health, 128)

#define BUS_JOB_PROPERTIES(ROW)                                                          \
	ROW(Operation, s, operation, 16)                                                 \
	ROW(Progress, d, progress, 0)                                                    \
	ROW(ProgressValid, b, progress_valid, 0)                                         \
	ROW(Bytes, t, bytes, 0)                                                          \
	ROW(Rate, t, rate, 0)                                                            \
	ROW(StartTime, T, start_time, 0)                                                 \
	ROW(ExpectedEndTime, T, expected_end_time, 0)                                    \
	ROW(StartedByUID, u, uid, 0)                                                     \
	ROW(Cancelable, b, cancelable, 0)                                                \
	ROW(Id, s, id, 40)                                                               \
	ROW(State, s, state, 16)                                                         \
	ROW(Outcome, s, outcome, 32)                                                     \
	ROW(ExitCode, i, exit_code, 0)                                                   \
	ROW(Priority, i, priority, 0)                                                    \
	ROW(Label, s, label, 64)                                                         \
	ROW(Method, s, method, 32)                                                       \
	ROW(Verify, s, verify, 24)                                                       \
	ROW(SubmitTime, T, submit_time, 0)                                               \
	ROW(ExpectedStartTime, T, expected_start_time, 0)                                \
	ROW(EndTime, T, end_time, 0)                                                     \
	ROW(Disks, u, disks, 0)                                                          \
	ROW(DisksDone, u, disks_done, 0)                                                 \
	ROW(Message, s, message, 256)

/** enum bus_type - a row's type as a character */
enum bus_type {
	BUS_s = 's',
	BUS_o = 'o',
	BUS_t = 't',
	BUS_T = 'T',
	BUS_u = 'u',
	BUS_i = 'i',
	BUS_d = 'd',
	BUS_b = 'b',
};

#endif
