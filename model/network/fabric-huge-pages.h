/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HUGE_PAGES_H
#define FABRIC_HUGE_PAGES_H

#include <cstddef>

namespace ns3::fabric
{

/**
 * Has the heap grow by huge pages. A large fabric is visited all over the place, and with pages of
 * 4 KiB the processor looks up addresses most of the time: an incast of 1000 hosts takes a quarter
 * less with pages of 2 MiB.
 *
 * Only what is allocated afterwards by the calling thread stands in them, and only pages that are
 * touched take memory. The heap keeps what is freed of it. Does nothing where the C library is
 * another than GNU's, or the system has no huge pages on demand; the system may also have none
 * left.
 *
 * @param bytes that are going to be allocated
 */
void PreferHugePages(std::size_t bytes);

} // namespace ns3::fabric

#endif // FABRIC_HUGE_PAGES_H
