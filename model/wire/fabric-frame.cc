/* SPDX-License-Identifier: GPL-2.0-only */

// Compiles the descriptor by itself: it must not lean on what another header includes.
#include "fabric-frame.h"
