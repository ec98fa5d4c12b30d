/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOSS_PAST_H
#define FABRIC_LOSS_PAST_H

#include "fabric-reorder-window.h"
#include "fabric-resend-history.h"
#include "fabric-spray-window.h"

#include <memory>
#include <optional>

namespace ns3::fabric
{

/// What a connection has learned of losses and late packets.
class LossPast
{
  public:
    /// Packets take any of several ways.
    void Spray()
    {
        m_spray.emplace();
    }

    /// A packet has come later than one that was sent after it. @param late by so much, ps
    void Measure(TimePs late)
    {
        m_spray ? m_spray->Measure(late) : m_reorder.Measure(late);
    }

    /// @copydoc SprayWindow::Deliver()
    void Deliver(uint32_t packets, TimePs now, TimePs rtt)
    {
        if (m_spray)
        {
            m_spray->Deliver(packets, now, rtt);
        }
    }

    /// @copydoc ReorderWindow::Recover()
    void Recover(TimePs now, TimePs rtt)
    {
        m_reorder.Recover(now, rtt);
    }

    /// @return how late a packet may be, ps
    TimePs Tolerance(const SprayWindow::Way& way) const
    {
        return m_spray ? m_spray->Length(way) : m_reorder.Length();
    }

    /// @return packets that were taken for lost, made with the first one
    ResendHistory& MakeResends()
    {
        if (!m_resends)
        {
            m_resends = std::make_unique<ResendHistory>();
        }
        return *m_resends;
    }

    /// @return packets that were taken for lost; nullptr if none ever was
    ResendHistory* GetResends() const
    {
        return m_resends.get();
    }

  private:
    ReorderWindow m_reorder;                  ///< Where packets come in order as a rule.
    std::optional<SprayWindow> m_spray;       ///< Where they take several ways.
    std::unique_ptr<ResendHistory> m_resends; ///< None while nothing was lost.
};

} // namespace ns3::fabric

#endif // FABRIC_LOSS_PAST_H
