/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tcp-stream.h"

#include "ns3/packet.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

TcpStream::~TcpStream()
{
    for (const Ptr<Socket>& socket : {m_sender, m_receiver})
    {
        if (socket)
        {
            socket->SetConnectCallback({}, {});
            socket->SetCloseCallbacks({}, {});
            socket->SetSendCallback({});
            socket->SetRecvCallback({});
        }
    }
}

void
TcpStream::SetSender(const Ptr<Socket>& socket, Callback acknowledged)
{
    m_sender = socket;
    m_room = socket->GetTxAvailable();
    m_onAcknowledged = std::move(acknowledged);
    socket->SetSendCallback(ns3::Callback<void, Ptr<Socket>, uint32_t>(
        [this](const Ptr<Socket>&, uint32_t) { HandleRoom(); }));
}

void
TcpStream::SetReceiver(const Ptr<Socket>& socket, Callback received)
{
    m_receiver = socket;
    m_onReceived = std::move(received);
    socket->SetRecvCallback(
        ns3::Callback<void, Ptr<Socket>>([this](const Ptr<Socket>&) { Read(); }));
}

void
TcpStream::Offer(uint64_t bytes)
{
    m_offered += bytes;
    Write();
}

void
TcpStream::HandleRoom()
{
    m_acknowledged = m_written - (m_room - m_sender->GetTxAvailable());
    Write();
    if (m_onAcknowledged)
    {
        m_onAcknowledged();
    }
}

void
TcpStream::Write()
{
    while (m_written < m_offered)
    {
        const uint64_t most = std::min<uint64_t>(m_sender->GetTxAvailable(), m_offered - m_written);
        const int sent =
            most == 0 ? 0 : m_sender->Send(Create<Packet>(static_cast<uint32_t>(most)));
        if (sent <= 0)
        {
            return; // the socket tells when there is room
        }
        m_written += static_cast<uint64_t>(sent);
    }
}

void
TcpStream::Read()
{
    while (const Ptr<Packet> packet = m_receiver->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break;
        }
        m_received += packet->GetSize();
    }
    m_onReceived();
}

} // namespace ns3::fabric
