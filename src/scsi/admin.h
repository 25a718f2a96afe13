/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_ADMIN_H
#define DW_SCSI_ADMIN_H

/*
 * The admin commands of NVMe that are sent, and what each can do to a disk (NVM Express base
 * specification 1.4, section 5). There are no others.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_NVME_GET_LOG  0x02
#define DW_NVME_IDENTIFY 0x06
#define DW_NVME_FORMAT   0x80
#define DW_NVME_SANITIZE 0x84

#define DW_NVME_IDENTIFY_LEN 4096
#define DW_NVME_LOG_LEN      512
#define DW_NVME_NSID_ALL     0xffffffffu

#define DW_NVME_READ 0x02 /* an I/O command of the NVM command set */

/* CNS of Identify */
enum dw_nvme_cns {
	DW_NVME_CNS_NAMESPACE = 0x00,
	DW_NVME_CNS_CONTROLLER = 0x01,
	DW_NVME_CNS_ACTIVE = 0x02,         /* list of active namespaces */
	DW_NVME_CNS_ALLOCATED = 0x10,      /* list of allocated namespaces */
	DW_NVME_CNS_ALLOCATED_DATA = 0x11, /* of a namespace, attached or not */
	DW_NVME_CNS_CONTROLLERS = 0x13,    /* list of controllers in the subsystem */
};

/* pages of Get Log Page */
enum dw_nvme_page {
	DW_NVME_PAGE_HEALTH = 0x02,
	DW_NVME_PAGE_SANITIZE = 0x81,
};

/* SANACT of Sanitize */
enum dw_nvme_action {
	DW_NVME_BLOCK_ERASE = 2,
	DW_NVME_OVERWRITE = 3,
	DW_NVME_CRYPTO_ERASE = 4,
};

/* SES of Format NVM */
enum dw_nvme_ses {
	DW_NVME_SES_USER = 1,
	DW_NVME_SES_CRYPTO = 2,
};

/**
 * struct dw_nvme_admin - an admin command; every other field of it is 0
 * @opcode: DW_NVME_...
 * @nsid: namespace, 0 where it concerns none
 * @cdw10, @cdw11: command dwords
 * @data_len: bytes that come back, 0 = none; there are none that go out
 */
struct dw_nvme_admin {
	uint8_t opcode;
	uint32_t nsid;
	uint32_t cdw10;
	uint32_t cdw11;
	uint32_t data_len;
};

/** dw_nvme_identify() - Identify: @cns is enum dw_nvme_cns, @nsid 0 but for a namespace, or for the
 *  namespace after which a list begins. */
void dw_nvme_identify(struct dw_nvme_admin *ret, uint8_t cns, uint32_t nsid);

/** dw_nvme_get_log() - Get Log Page of the controller: the first 512 bytes of @page, enum
 *  dw_nvme_page. */
void dw_nvme_get_log(struct dw_nvme_admin *ret, uint8_t page);

/**
 * dw_nvme_sanitize() - Sanitize, with AUSE: a disk on which it failed takes further commands
 * @ret: the command
 * @action: enum dw_nvme_action; an overwrite is done once
 * @byte: what every byte becomes by an overwrite
 * @sanicap: of Identify Controller: SPRRS (bit 5), NDI (bit 29), NODMMAS (31:30)
 *
 * No-Deallocate is set where the disk obeys it and what is left can be read then: after an
 * overwrite, and where the disk reports that it makes the medium readable (NODMMAS 10b).
 * Deallocated
 * blocks tell nothing of the medium.
 *
 * PREQ (bit 11) is set where the disk knows it (SPRRS): it purges as IEEE 2883 defines that, and
 * says so in the log, or it fails.
 */
void dw_nvme_sanitize(struct dw_nvme_admin *ret, uint8_t action, uint8_t byte,
		      uint32_t sanicap);

/**
 * dw_nvme_format() - Format NVM of one namespace, which stays as it is
 * @ret: the command
 * @ses: enum dw_nvme_ses
 * @nsid: the namespace, never all of them
 * @flbas, @dps: its Formatted LBA Size and Data Protection Settings, which are kept
 */
void dw_nvme_format(struct dw_nvme_admin *ret, uint8_t ses, uint32_t nsid, uint8_t flbas,
		    uint8_t dps);

/**
 * dw_nvme_class() - what the command can do
 * @cmd: a command
 * @nsid: the namespace that is erased
 * @sanicap, @flbas, @dps: of it, see above
 *
 * Every field is compared with what the functions above make of these.
 *
 * Return: one bit of enum dw_opclass: READ, one of the ways to erase, or NEVER.
 */
uint32_t dw_nvme_class(const struct dw_nvme_admin *cmd, uint32_t nsid, uint32_t sanicap,
		       uint8_t flbas, uint8_t dps);

/** dw_nvme_attests() - does a disk of this SANICAP say of a Sanitize that it has purged? SPRRS:
 *  Sanitize Purge Request and Reporting Supported. */
bool dw_nvme_attests(uint32_t sanicap);

/** dw_nvme_bit() - the operation by @action as SANICAP names it. */
uint32_t dw_nvme_bit(uint8_t action);

#endif
