/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_CAPTURE_H
#define FABRIC_SWITCH_CAPTURE_H

#include "fabric-capture-format.h"
#include "fabric-capture-order.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/pcap-file-wrapper.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

namespace fabric
{
struct AckBatch;
struct CreditOrder;
struct FgfcOrder;
struct PauseOrder;
} // namespace fabric

class FabricDevice;
class FabricSwitch;

/**
 * Writes what passes ports of a switch, and ports of its hosts, to pcap files: data frames, ACK
 * frames, pauses, frames of fine-grain flow control and credit frames (WL-9). It is aggregated to
 * the switch and a sink of its trace sources, so the switch advances by single instants (DP-5).
 *
 * The time of a record is when the first bit of the frame passes the port. A host's file is made at
 * the other end of its cable, with the time at its own end.
 */
class FabricSwitchCapture : public Object
{
  public:
    static TypeId GetTypeId();
    FabricSwitchCapture();
    ~FabricSwitchCapture() override;

    /**
     * Begins the file of a port.
     *
     * @param device a port of a switch, or a host's device, with a link
     * @throws std::invalid_argument with a sentence if there is no link, or the file can't be
     * written
     */
    static void Start(Ptr<FabricDevice> device, const std::string& file);

  protected:
    void DoDispose() override;

  private:
    /// ACKs of a frame of which more may come.
    struct OpenAcks
    {
        fabric::TimePs time;   ///< At which they were told, ps.
        FabricAckHeader frame; ///< The ACKs.
    };

    /// A file, and what will be written to it.
    struct Capture
    {
        bool isHost;                ///< Of the host at the port, and not of the port.
        Ptr<PcapFileWrapper> file;  ///< Is written.
        fabric::CaptureOrder order; ///< Not written yet.
    };

    /// What is known of a port.
    struct Port
    {
        std::vector<Capture> captures;                   ///< Files; empty for none.
        std::array<std::optional<OpenAcks>, 2> openAcks; ///< By direction.
        bool isPausedByPriority{false}; ///< Whether the switch at the other end does so.
    };

    /**
     * Writes earlier frames of a port, in order.
     *
     * @param firstBit of a frame that has come in and is put next, ps; NEVER for none
     * @return whether the port has a file
     */
    bool Begin(uint32_t port, fabric::TimePs now, fabric::TimePs firstBit = fabric::NEVER);
    /**
     * Puts a record into a file.
     *
     * @param delay of the link, ps
     * @param time of its first bit at the switch, ps
     * @param direction as the switch sees it
     */
    static void Put(Capture& capture,
                    fabric::TimePs delay,
                    fabric::TimePs time,
                    fabric::CaptureDirection direction,
                    fabric::CaptureOrder::Bytes bytes);
    /// Puts an ACK frame or an Ethernet frame into the files of a port, see Put().
    void PutControl(uint32_t port,
                    fabric::TimePs time,
                    fabric::CaptureDirection direction,
                    const fabric::CaptureOrder::Bytes& bytes);
    /// Puts a data frame into the files of a port, see Put().
    void PutData(uint32_t port,
                 fabric::TimePs time,
                 fabric::CaptureDirection direction,
                 fabric::Frame frame);
    /// @return propagation delay of a port's link, ps
    fabric::TimePs DelayOf(uint32_t port) const;
    /// @return MAC address of a port
    Mac48Address AddressOf(uint32_t port) const;
    /// Notes ACKs; those that are told at the same time are one frame.
    void NoteAcks(uint32_t port,
                  fabric::CaptureDirection direction,
                  const fabric::AckBatch& acks,
                  fabric::TimePs now);
    /// The ACK frame of a direction is complete.
    void EndAcks(uint32_t port, fabric::CaptureDirection direction);
    /// Writes a record to a file.
    static void Write(PcapFileWrapper& file,
                      const fabric::CaptureOrder::Key& key,
                      const fabric::CaptureOrder::Bytes& bytes);
    /// Writes all that has not been written.
    void Close();

    // Sinks of the switch's trace sources.
    void Send(uint32_t port, const fabric::Frame& frame, Time now);
    void Arrive(uint32_t port, const fabric::Frame& frame, Time now);
    void SendAcks(uint32_t port, const fabric::AckBatch& acks, Time now);
    void ArriveAcks(uint32_t port, const fabric::AckBatch& acks, Time now);
    void Pause(uint32_t port, const fabric::PauseOrder& order, Time now);
    void Fgfc(uint32_t port, const fabric::FgfcOrder& order, Time now);
    void SendCredits(uint32_t port, const fabric::CreditOrder& order, Time now);
    /**
     * Sink of the switch at the other end of a link, since that alone sees the frame.
     *
     * @param port here
     * @param peerPort there, of which this is to hear
     * @param sender port that sends it
     */
    static void ArriveCredits(FabricSwitchCapture* capture,
                              uint32_t port,
                              uint32_t peerPort,
                              uint32_t sender,
                              const fabric::CreditOrder& order,
                              Time now);

    void TakeHostCredits(uint32_t port, const fabric::CreditOrder& order, Time start);
    /// Puts a credit frame into the files of a port. @param start of its first bit at its sender
    void PutCredits(uint32_t port,
                    fabric::CaptureDirection direction,
                    const fabric::CreditOrder& order,
                    Time start);

    /// Credit frames and pauses that come to a port are told of by the switch that sends them, if
    /// any.
    void HearPeer(uint32_t port);
    /// As ArriveCredits().
    static void ArrivePause(FabricSwitchCapture* capture,
                            uint32_t port,
                            uint32_t peerPort,
                            uint32_t sender,
                            const fabric::PauseOrder& order,
                            Time now);
    void TakeHostPause(uint32_t port, const fabric::PauseOrder& order);
    /// Puts a pause frame into the files of a port. @param perPriority whether it speaks of single
    /// priorities @param source of who sends it, see Put()
    void PutPause(uint32_t port,
                  fabric::TimePs time,
                  fabric::CaptureDirection direction,
                  const fabric::PauseOrder& order,
                  bool perPriority,
                  Mac48Address source);

    /// Becomes part of a switch.
    void Attach(FabricSwitch* fabricSwitch);

    FabricSwitch* m_switch{nullptr}; ///< Whose ports they are.
    std::vector<Port> m_ports;       ///< By number.
};

} // namespace ns3

#endif // FABRIC_SWITCH_CAPTURE_H
