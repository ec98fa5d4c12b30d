/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_HELPER_H
#define FABRIC_PIO_HELPER_H

#include "fabric-helper.h"
#include "fabric-pio-application.h"
#include "fabric-pio.h"

#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * Lets hosts of a fabric send by programmed I/O.
 *
 * @code
 * FabricPioHelper pio;
 * pio.SetAttribute("Blocks", UintegerValue(128)); // of ns3::FabricPio
 * pio.Install(fabric, 0);
 * pio.SetApplicationAttribute("Bytes", UintegerValue(256));
 * pio.InstallSender(fabric, 0, 3);                // thread 0 of host 0 sends to host 3
 * @endcode
 */
class FabricPioHelper
{
  public:
    FabricPioHelper();

    /// @param name attribute of ns3::FabricPio
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// @param name attribute of ns3::FabricPioApplication
    void SetApplicationAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param host number of the host that gets send contexts
     * @throws std::invalid_argument with a sentence if a setting is wrong
     */
    Ptr<FabricPio> Install(const FabricContainer& fabric, uint32_t host) const;

    /**
     * @param from number of the host that sends; it has a FabricPio
     * @param to number of the host that receives
     * @param thread of the sender
     */
    Ptr<FabricPioApplication> InstallSender(const FabricContainer& fabric,
                                            uint32_t from,
                                            uint32_t to,
                                            uint32_t thread = 0) const;

  private:
    ObjectFactory m_pio;         ///< Makes ns3::FabricPio.
    ObjectFactory m_application; ///< Makes the applications.
};

} // namespace ns3

#endif // FABRIC_PIO_HELPER_H
