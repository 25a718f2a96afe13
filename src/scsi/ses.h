/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_SES_H
#define DW_SCSI_SES_H

/*
 * SCSI Enclosure Services: the pages by which an enclosure reports which slots it has, what is in
 * them, which of their lights are on, and what SAS address each sees. As for all replies, @len is
 * what was really transferred.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_SES_SLOTS 256
#define DW_SES_TYPES 64
#define DW_SES_NAME  32

#define DW_SES_HEADER  8 /* bytes of a page before its elements */
#define DW_SES_ELEMENT 4 /* bytes of an element of page 02h */

/* Diagnostic pages (SES). */
enum dw_ses_page {
	DW_SES_CONFIGURATION = 0x01,
	DW_SES_STATUS = 0x02, /* sent: Enclosure Control */
	DW_SES_NAMES = 0x07,  /* Element Descriptor */
	DW_SES_ADDITIONAL = 0x0a,
};

/* Lights of a slot. */
enum dw_ses_light { DW_SES_LOCATE, DW_SES_FAULT };

/* What is in a slot, by its element status code. */
enum dw_ses_presence { DW_SES_UNKNOWN, DW_SES_EMPTY, DW_SES_OCCUPIED };

/**
 * struct dw_ses_slot - a device slot or array device slot element
 * @name: its descriptor without blanks at its ends; without one its number among all slots
 * @at: offset of its element in the pages of status and control
 * @element: its number among all elements but the overall ones
 * @overall: the same, the overall ones counted
 * @presence: enum dw_ses_presence
 * @locate, @fault: the lights; a fault that is sensed counts too
 * @number: DEVICE SLOT NUMBER, -1 = not reported
 * @address: SAS addresses of its phys, 0 = none
 */
struct dw_ses_slot {
	char name[DW_SES_NAME];
	uint16_t at;
	uint16_t element;
	uint16_t overall;
	uint8_t presence;
	bool locate;
	bool fault;
	int16_t number;
	uint64_t address[2];
};

/**
 * struct dw_ses - an enclosure
 * @id: ENCLOSURE LOGICAL IDENTIFIER of the primary one
 * @type, @n_types: element types in their order, and how many elements each has
 * @slot, @n: its slots in the order of their elements
 */
struct dw_ses {
	uint64_t id;
	struct {
		uint8_t code;
		uint8_t count;
	} type[DW_SES_TYPES];
	size_t n_types;
	struct dw_ses_slot slot[DW_SES_SLOTS];
	size_t n;
};

/**
 * dw_ses_configuration() - read page 01h: which elements there are
 * @ret: filled; further pages add to it
 *
 * Return: 0; -EBADMSG when it is not this page, or cut off.
 */
int dw_ses_configuration(const uint8_t *data, size_t len, struct dw_ses *ret);

/** dw_ses_status() - add page 02h. Return: 0; -EBADMSG when it is not this page, or reports fewer
 *  elements than there are, or says that it could not tell. */
int dw_ses_status(const uint8_t *data, size_t len, struct dw_ses *s);

/** dw_ses_names() - add page 07h; slots that it does not reach keep their numbers.
 *  Return: 0; -EBADMSG when it is not this page. */
int dw_ses_names(const uint8_t *data, size_t len, struct dw_ses *s);

/** dw_ses_addresses() - add page 0Ah, of which only SAS descriptors are read.
 *  Return: 0; -EBADMSG when it is not this page. */
int dw_ses_addresses(const uint8_t *data, size_t len, struct dw_ses *s);

/**
 * dw_ses_find() - the slot that alone sees one of these SAS addresses
 * @s: the enclosure with its page 0Ah
 * @address, @n: of the ports of one disk; zeros are none
 *
 * Return: the slot; NULL when none sees one, or more than one does.
 */
const struct dw_ses_slot *dw_ses_find(const struct dw_ses *s, const uint64_t *address,
				      size_t n);

/**
 * dw_ses_control() - the Enclosure Control page that sets one light and leaves all else
 * @status, @len: page 02h as it was just read
 * @slot: the slot
 * @light: enum dw_ses_light
 * @on: what it shall be
 * @ret: room for @len bytes
 *
 * Return: bytes of the page; -EBADMSG when @status does not reach the slot.
 */
int dw_ses_control(const uint8_t *status, size_t len, const struct dw_ses_slot *slot,
		   enum dw_ses_light light, bool on, uint8_t *ret);

#endif
