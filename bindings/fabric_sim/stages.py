# SPDX-License-Identifier: GPL-2.0-only
"""Where the frames of messages are at each time, from their host through the switches to their destination."""
import collections
from typing import Any

import pandas

from .calls import connect
from .model import ns

COLUMNS = ["src", "dst", "message", "frame", "bytes", "stage", "place", "begin_s", "end_s"]


class _Frame:
    """A frame on its way."""

    def __init__(self, message, number, size):
        self.message = message
        self.number = number
        self.size = size
        self.since = message.sent_at  # ps


class _Message:
    """What is known of a message whose frames are on their way."""

    def __init__(self, message):
        self.src, self.dst, self.sequence, self.sent_at = message.src - 1, message.dst - 1, message.sequence, message.sentAt
        self.frames = 0


class Stages:
    """
    Records the stages of native messages in a run:

        with Run(k=4) as run:
            stages = Stages(run.fabric, src=3)
            ...
            run.until_delivered(8)
            plots.message_stages(stages.table())

    In the stage `host` a frame waits in its host, crosses its link and the first switch; in `queue` it waits in a switch; in `link` it crosses
    a link and the switch behind it, up to its output queues, or the link to its destination, up to its last byte. All switches are traced, which takes
    time: some microseconds for each frame and switch.
    """

    def __init__(self, fabric: Any, src: int | None = None, dst: int | None = None) -> None:
        """
        @param fabric the FabricContainer of a Run or of a helper
        @param src only messages of this host
        @param dst only messages to this host
        """
        self._src, self._dst = src, dst
        self._rows: list[tuple] = []
        self._messages: dict[tuple, _Message] = {}
        self._links: dict[tuple, collections.deque] = collections.defaultdict(collections.deque)  # frames on them
        self._queues: dict[tuple, collections.deque] = collections.defaultdict(collections.deque)  # frames in switches
        self._table = fabric.network.GetMessages()
        self._names = {nodes.Get(i).GetId(): f"{kind} {i}" for kind, nodes in (("host", fabric.hosts), ("switch", fabric.switches))
                       for i in range(nodes.GetN())}
        self._last_links = {host: (fabric.hostLinks[host].GetRate(), fabric.hostLinks[host].GetDelay()) for host in range(fabric.hosts.GetN())}
        for i in range(fabric.switches.GetN()):
            self._listen(fabric.GetSwitch(i))

    def table(self) -> pandas.DataFrame:
        """@return a row for each stage of each frame that has ended: source, destination and number of the message, the frame's number and bytes, times"""
        return pandas.DataFrame(self._rows, columns=COLUMNS).sort_values(["begin_s", "src", "message", "frame", "end_s"], ignore_index=True)

    def _listen(self, switch):
        ports: dict[int, tuple] = {}
        name = f"switch {switch.GetNumber()}"

        def peer(port):
            """@return the name of what a port is linked to"""
            if port not in ports:
                device = switch.GetPort(port)
                ends = [device.GetChannel().GetDevice(i).GetNode().GetId() for i in range(2)]
                ports[port] = self._names[next(end for end in ends if end != device.GetNode().GetId())]
            return ports[port]

        def take(port, message, frame):
            """@return a frame that comes off a link, and where it was"""
            source = peer(port)
            if not source.startswith("host"):
                return self._links[source, name, message].popleft(), "link", f"{source} to {name}"
            message.frames += 1
            return _Frame(message, message.frames - 1, frame.payload), "host", source

        def arrived(port, frame, now):
            if message := self._message(frame):
                found, stage, place = take(port, message, frame)
                self._add(found, stage, place, frame.time)
                self._queues[name, message, frame.time].append(found)

        def dropped(port, frame, cause, now):
            if message := self._message(frame):
                waiting = self._queues[name, message, frame.time]
                if waiting:
                    waiting.popleft()
                else:
                    take(port, message, frame)

        def sent(port, frame, now):
            if message := self._message(frame):
                target, time = peer(port), now.GetPicoSeconds()
                found = self._queues[name, message, frame.time].popleft()
                self._add(found, "queue", name, time)
                if target.startswith("host"):
                    rate, delay = self._last_links[message.dst]
                    self._add(found, "link", f"{name} to {target}", time + rate.TxTime(ns.fabric.WireBytes(frame.payload)) + delay)
                else:
                    self._links[name, target, message].append(found)
        connect(switch, "Arrive", arrived)
        connect(switch, "Send", sent)
        connect(switch, "Drop", dropped)

    def _message(self, frame) -> Any:
        """@return what is known of the message of a frame, None if it is not asked for"""
        if (frame.kind != ns.fabric.FrameKind.MESSAGE or (self._src is not None and frame.src != self._src + 1)
                or (self._dst is not None and frame.dst != self._dst + 1)):
            return None
        message = self._table.At(frame.handle)
        return self._messages.setdefault((message.src, message.sequence), _Message(message))

    def _add(self, frame, stage, place, end):
        """A stage of a frame ends."""
        message = frame.message
        self._rows.append((message.src, message.dst, message.sequence, frame.number, frame.size, stage, place, frame.since * 1e-12, end * 1e-12))
        frame.since = end
