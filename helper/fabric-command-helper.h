/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_HELPER_H
#define FABRIC_COMMAND_HELPER_H

#include "fabric-command-application.h"
#include "fabric-command-queues.h"
#include "fabric-helper.h"

#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * Gives hosts of a fabric command queues, and applications that use them.
 *
 * @code
 * FabricCommandHelper commands;
 * commands.SetAttribute("Queues", UintegerValue(4)); // of ns3::FabricCommandQueues
 * commands.Install(fabric, 0);
 * commands.Install(fabric, 3);                       // both ends need them
 * commands.SetApplicationAttribute("Bytes", UintegerValue(256));
 * commands.InstallInitiator(fabric, 0, 3, 1);        // queue 1 of host 0 writes to host 3
 * @endcode
 */
class FabricCommandHelper
{
  public:
    FabricCommandHelper();

    /// @param name attribute of ns3::FabricCommandQueues
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// @param name attribute of ns3::FabricCommandApplication
    void SetApplicationAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param host number of the host that gets command queues
     * @throws std::invalid_argument with a sentence if a setting is wrong
     */
    Ptr<FabricCommandQueues> Install(const FabricContainer& fabric, uint32_t host) const;

    /**
     * @param from number of the host that issues commands
     * @param to number of the host that is their target
     * @param queue of the first one
     */
    Ptr<FabricCommandApplication> InstallInitiator(const FabricContainer& fabric,
                                                   uint32_t from,
                                                   uint32_t to,
                                                   uint32_t queue = 0) const;

  private:
    ObjectFactory m_queues;      ///< Makes ns3::FabricCommandQueues.
    ObjectFactory m_application; ///< Makes the applications.
};

} // namespace ns3

#endif // FABRIC_COMMAND_HELPER_H
