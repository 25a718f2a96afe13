/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "print/words.h"

#define ENGLISH(name, text) [DW_WORD_##name] = (text),

static const struct dw_words english = { "en", { DW_WORDS_OF(ENGLISH) } };

static const struct dw_words *const languages[] = { &english, &dw_words_de };

const struct dw_words *dw_words_find(const char *code)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(languages); i++)
		if (!strcmp(languages[i]->code, code))
			return languages[i];
	return NULL;
}
