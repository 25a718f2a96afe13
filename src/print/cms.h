/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_CMS_H
#define DW_PRINT_CMS_H

/* Signatures as PDF has them (RFC 5652), by libcrypto. */
#include <stddef.h>
#include <stdint.h>

#include "print/certificate.h"

/** dw_cms_sign() - detached, of @data; @ret: DER, free(). DW_PAPER_OK, or DW_PAPER_FAILED and
 *  @why. */
enum dw_paper_exit dw_cms_sign(const struct dw_pdf_signing *signing,
			       const struct dw_bytes *data, uint8_t **ret,
			       size_t *ret_len, char why[DW_PAPER_WHY]);

#endif
