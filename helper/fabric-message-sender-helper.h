/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_SENDER_HELPER_H
#define FABRIC_MESSAGE_SENDER_HELPER_H

#include "fabric-helper.h"

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{

/**
 * Puts applications on the hosts of a fabric that send messages to other hosts.
 *
 * @code
 * FabricMessageSenderHelper sender(4096); // bytes of each message
 * sender.SendOnEvery(MicroSeconds(1));    // without it: one message
 * sender.Install(fabric, 0, 3);           // from host 0 to host 3
 * @endcode
 */
class FabricMessageSenderHelper
{
  public:
    explicit FabricMessageSenderHelper(uint64_t bytes);

    /// @param name attribute of ns3::FabricMessageSender
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// Lets senders send until the run ends. @param interval between the messages of one
    void SendOnEvery(Time interval);

    /**
     * @param from number of the host that sends
     * @param to number of the host that receives
     * @throws std::invalid_argument with a sentence if there is no such host
     */
    Ptr<Application> Install(const FabricContainer& fabric, uint32_t from, uint32_t to) const;

  private:
    ObjectFactory m_factory; ///< Makes the applications.
};

} // namespace ns3

#endif // FABRIC_MESSAGE_SENDER_HELPER_H
