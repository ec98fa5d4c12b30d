/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-buffer-settings.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

void
BufferSettings::Validate() const
{
    if (shares.lossyChannels == 0 && KeptBytes() > shares.totalBytes)
    {
        throw std::invalid_argument("ReservedBytes: " + std::to_string(shares.reservedBytesPerVc) +
                                    " bytes for each of " + std::to_string(shares.virtualChannels) +
                                    " virtual channels are more than BufferBytes (" +
                                    std::to_string(shares.totalBytes) + ")");
    }
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (vcOfClass[c] >= shares.virtualChannels)
        {
            throw std::invalid_argument("ClassToVc: class " + std::to_string(c) +
                                        " uses virtual channel " + std::to_string(vcOfClass[c]) +
                                        ", but VirtualChannels is " +
                                        std::to_string(shares.virtualChannels));
        }
        const bool isLossy = (lossyClasses >> c & 1) != 0;
        if (isLossy != shares.IsLossy(vcOfClass[c]))
        {
            throw std::invalid_argument(
                "LossyClasses: class " + std::to_string(c) + " is " +
                (isLossy ? "lossy" : "lossless") + ", and others on its virtual channel " +
                std::to_string(vcOfClass[c]) +
                " are not; allowed are channels of their own (VirtualChannels, ClassToVc)");
        }
    }
    if (KeptBytes() > shares.totalBytes)
    {
        throw std::invalid_argument(
            "LossyDropBytes: " + std::to_string(lossyBytes) +
            " bytes for each lossy virtual channel, and ReservedBytes for each of the others, are "
            "more than BufferBytes (" +
            std::to_string(shares.totalBytes) + ")");
    }
    if (trim.IsOn())
    {
        ValidateTrimming();
    }
}

void
BufferSettings::ValidateTrimming() const
{
    if ((trim.classes & ~lossyClasses) != 0)
    {
        throw std::invalid_argument("TrimClasses is " + std::to_string(trim.classes) +
                                    "; allowed are classes of LossyClasses (" +
                                    std::to_string(lossyClasses) + ")");
    }
    const std::string header = "TrimHeaderClass: class " + std::to_string(trim.headerClass);
    if ((lossyClasses >> trim.headerClass & 1) == 0)
    {
        throw std::invalid_argument(header +
                                    " is lossless, and headers have no credits; allowed "
                                    "are classes of LossyClasses (" +
                                    std::to_string(lossyClasses) + ")");
    }
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (trim.Trims(c) && vcOfClass[c] == vcOfClass[trim.headerClass])
        {
            throw std::invalid_argument(
                header + " has the virtual channel of class " + std::to_string(c) +
                ", whose frames are trimmed, and headers would wait behind them; allowed are "
                "classes on other channels (VirtualChannels, ClassToVc)");
        }
    }
    if (trim.thresholdBytes + WireBytes(trim.keptBytes) > lossyBytes)
    {
        throw std::invalid_argument(
            "TrimBytes: " + std::to_string(trim.thresholdBytes) + " bytes, and a header of " +
            std::to_string(WireBytes(trim.keptBytes)) + ", are more than LossyDropBytes (" +
            std::to_string(lossyBytes) + ")");
    }
}

void
BufferSettings::SetLossyChannels()
{
    for (uint32_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if ((lossyClasses >> c & 1) != 0)
        {
            shares.lossyChannels |= static_cast<uint16_t>(1U << vcOfClass[c]);
        }
    }
}

} // namespace ns3::fabric
