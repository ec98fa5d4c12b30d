# SPDX-License-Identifier: GPL-2.0-only
"""WL-9: what tshark shows of captures with the project's dissector is what stands in the files."""
import collections
import functools
import os
import shutil
import struct
import subprocess

import pytest

from programs import ROOT, run_well

DISSECTOR = ROOT / "utils/wireshark/fabric.lua"
TSHARK = os.environ.get("FABRIC_TSHARK") or shutil.which("tshark")
LEAD, HEADER, FCS = 4, 20, 4

needs_tshark = pytest.mark.skipif(not TSHARK, reason="there is no tshark: install the package of that name (utils/setup.sh does)")


def read_capture(path):
    """@return time in ns, size and bytes of each record"""
    data = path.read_bytes()
    magic, _, _, _, _, _, link_type = struct.unpack_from("<IHHiIII", data)
    assert (magic, link_type) == (0xA1B23C4D, 147)
    at, records = 24, []
    while at < len(data):
        seconds, fraction, included, size = struct.unpack_from("<IIII", data, at)
        records.append((seconds * 10**9 + fraction, size, data[at + 16:at + 16 + included]))
        at += 16 + included
    return records


def bits(data, first, count):
    """@return a field, numbered as in the manual"""
    end = (first + count + 7) // 8
    return int.from_bytes(data[:end], "big") >> (8 * end - first - count) & ((1 << count) - 1)


def shown(path, *fields, only=""):
    """@return the fields of each frame that tshark shows, as texts"""
    arguments = [TSHARK, "-X", f"lua_script:{DISSECTOR}", "-r", path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a",
                 "-o", "eth.check_fcs:TRUE"]
    arguments += ["-Y", only] if only else []
    for field in fields:
        arguments += ["-e", field]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "Lua" not in done.stderr, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def shown_by_field(path, *fields):
    """@return the fields of each frame that tshark shows, as dictionaries"""
    return [dict(zip(fields, row, strict=True)) for row in shown(path, *fields)]


FINDINGS = ("_ws.malformed", "_ws.expert.severity", "_ws.expert.message")


def shown_of_each(paths, folder, *fields):
    """
    Shows captures by one call of tshark, which takes longer to start than to show some thousand frames. It follows streams of TCP from one
    capture into the next, so what it finds wrong is asked of captures without TCP only.

    @param folder for a capture of all frames
    @return the fields of each frame that tshark shows as dictionaries, by path
    """
    captures = {path: path.read_bytes() for path in sorted(paths)}
    headers = sorted({data[:24] for data in captures.values()})
    assert len({header[:16] + header[20:] for header in headers}) == 1, "they may differ in the size that records are cut at only"
    joined = folder / "joined.pcap"
    joined.write_bytes(headers[-1][:16] + struct.pack("<I", 65535) + headers[-1][20:] + b"".join(data[24:] for data in captures.values()))
    frames = shown_by_field(joined, "tcp.stream", *fields)
    assert set(fields).isdisjoint(FINDINGS) or not any(frame["tcp.stream"] for frame in frames)
    following = iter(frames)
    found = {path: [next(following) for _ in read_capture(path)] for path in captures}
    assert next(following, None) is None
    return found


def data_fields(record):
    """@return what tshark should show of a data frame, by the tables of the manual"""
    frame = record[LEAD:]
    sent = "1" if record[1] & 1 else ""
    return [sent] + [str(bits(frame, first, count)) for first, count in
                     ((0, 16), (16, 16), (32, 4), (36, 2), (38, 4), (42, 11), (53, 32), (85, 16), (101, 14), (115, 3))]


def cut_at(size):
    """@return the option for captures with the first bytes of each record"""
    return f"--ns3::PcapFileWrapper::CaptureSize={size}"


@pytest.fixture(scope="module")
def incast(tmp_path_factory):
    """Captures of an incast, whole and cut off."""
    folder = tmp_path_factory.mktemp("incast")
    arguments = ["--k=4", "--senders=6", "--bytes=64KiB"]
    whole = run_well("fabric-incast", *arguments, f"--pcap={folder}/whole")
    cut = run_well("fabric-incast", *arguments, f"--pcap={folder}/cut", cut_at(64))
    assert whole == cut == run_well("fabric-incast", *arguments)
    return folder


def test_frames_that_are_cut_off_keep_their_size(incast):
    for path in incast.glob("whole-*.pcap"):
        whole = read_capture(path)
        cut = read_capture(incast / path.name.replace("whole", "cut"))
        assert [(time, size, data[:64]) for time, size, data in whole] == cut
        assert all(size == len(data) for _, size, data in whole)
        assert [time for time, _, _ in whole] == sorted(time for time, _, _ in whole)


@needs_tshark
@pytest.mark.parametrize("name", ["whole-16-0", "whole-16-3", "cut-16-3"])
def test_tshark_shows_data_frames(incast, name):
    path = incast / f"{name}.pcap"
    fields = ("sent fabric.src fabric.dst fabric.lane fabric.vc fabric.ftag fabric.flow_id fabric.data_flow fabric.vni fabric.length "
              "fabric.type").replace("sent", "fabric.capture.sent").split()
    rows = shown(path, *fields, "fabric.check.ok", "fabric.fcs.ok", only="fabric.src")
    expected = [data_fields(data) for _, _, data in read_capture(path) if data[LEAD:LEAD + 2] != b"\0\0"]
    assert [[{"1": "1", "True": "1"}.get(row[0], "")] + row[1:11] for row in rows] == expected
    checks = collections.Counter(tuple(row[11:]) for row in rows)
    assert set(checks) == {("1", "" if name.startswith("cut") else "1")}


@needs_tshark
def test_tshark_shows_acks(incast):
    path = incast / "whole-16-3.pcap"
    rows = shown(path, "fabric.ack.count", "fabric.ack.flow_id", "fabric.ack.type", "fabric.ack.flow", "fabric.ack.crc.ok",
                 "fabric.fcs.ok", only="fabric.ack.count")
    expected = []
    for _, _, data in read_capture(path):
        frame = data[LEAD:]
        if frame[:2] == b"\0\0":
            starts = [40 + 25 * i for i in range(bits(frame, 20, 6))]
            fields = [",".join(str(bits(frame, start + first, count)) for start in starts) for first, count in
                      ((0, 11), (11, 3), (14, 8))]
            expected.append([str(len(starts)), *fields, ",".join("1" for _ in starts), "1"])
    assert rows == expected and len(rows) > 100


@needs_tshark
def test_damage_is_shown(incast, tmp_path):
    data = bytearray((incast / "whole-16-3.pcap").read_bytes())
    data[24 + 16 + LEAD + 8] ^= 0x10  # in the header of the first frame
    damaged = tmp_path / "damaged.pcap"
    damaged.write_bytes(data)
    rows = shown(damaged, "frame.number", "fabric.check.ok", "fabric.wrong_check", only="fabric.check.ok == 0 || fabric.wrong_check")
    assert len(rows) == 1 and rows[0][:2] == ["1", "0"] and rows[0][2]


WARNING = 0x600000  # Wireshark's severity; errors are above it


def errors(frames):
    """@return those of some frames, with FINDINGS, in which tshark finds something wrong"""
    return [frame for frame in frames if frame["_ws.malformed"] or
            any(int(severity, 0) >= WARNING for severity in frame["_ws.expert.severity"].split(",") if severity)]


TCP_FIELDS = ("tcp.srcport", "tcp.seq_raw", "tcp.ack_raw", "tcp.len")


@pytest.fixture(scope="module")
def tcp(tmp_path_factory):
    """A function that returns a capture of TCP, cut at a size or whole, and what tshark shows of it."""
    folder = tmp_path_factory.mktemp("tcp")
    fields = ("frame.number", *TCP_FIELDS, "tcp.analysis.flags", "fabric.cut_off", "fabric.src", "frame.cap_len", *FINDINGS)

    @functools.cache
    def captured(size=None):
        path = folder / f"{size}-16-0.pcap"
        run_well("fabric-permutation", "--k=4", "--bytes=200000", "--transport=tcp", f"--pcap={folder}/{size}", *[cut_at(size)] * (size is not None))
        return path, shown_by_field(path, *fields)

    return captured


def segments(frames):
    """@return the frames with payload of TCP"""
    return [frame for frame in frames if int(frame["tcp.len"] or 0) > 0]


def headers_of_tcp(frames):
    return [[frame[field] for field in TCP_FIELDS] for frame in segments(frames)]


@needs_tshark
@pytest.mark.parametrize("size", [5, 20, 24, 64, 90, 140])
def test_a_cut_capture_of_tcp_has_no_losses_and_all_lengths(tcp, size):
    """Of what was cut off the headers say all; headers that are cut themselves are shown as bytes, and nothing is called damaged."""
    (_, whole), (path, cut) = tcp(), tcp(size)
    assert sum(int(frame["tcp.len"]) for frame in segments(whole)) == 400000
    assert headers_of_tcp(cut) == (headers_of_tcp(whole) if size >= 64 else [])
    assert not errors(whole) and not errors(cut)
    assert not [frame for frame in segments(cut) if frame["tcp.analysis.flags"]]
    cuts = [str(number) for number, (_, length, data) in enumerate(read_capture(path), 1) if len(data) < length and data[LEAD:LEAD + 2] != b"\0\0"]
    assert size == 5 or cuts == [frame["frame.number"] for frame in cut
                                 if frame["fabric.cut_off"] and (frame["fabric.src"] or int(frame["frame.cap_len"]) < 24)]
    assert not [frame for frame in whole if frame["fabric.cut_off"]]


TRANSPORT = ("--over=fabric", "--senders=4", "--count=8", "--bytes=64KiB")
TRANSPORT_CUTS = (20, 30, 64, 90)


@pytest.fixture(scope="module")
def cut_transport(tmp_path_factory):
    """Frames that tshark shows of captures of the transport at all ports, by the size that they are cut at."""
    folder = tmp_path_factory.mktemp("transport")
    for size in TRANSPORT_CUTS:
        run_well("fabric-transport", *TRANSPORT, f"--pcap={folder}/{size}", cut_at(size))
    frames = shown_of_each(folder.glob("*.pcap"), folder, "fabric_transport.type", "fabric_transport.check.ok", *FINDINGS)
    return {size: [frame for path in frames if path.name.startswith(f"{size}-") for frame in frames[path]] for size in TRANSPORT_CUTS}


@needs_tshark
@pytest.mark.parametrize("size", TRANSPORT_CUTS)
def test_cut_packets_of_the_transport_are_not_damaged(cut_transport, size):
    frames = cut_transport[size]
    assert frames and not errors(frames)
    assert not [frame for frame in frames if frame["fabric_transport.check.ok"] == "0"]
    assert size < 64 or len([frame for frame in frames if frame["fabric_transport.type"]]) > 50


@needs_tshark
def test_frames_that_are_too_short_are_still_told(incast, tmp_path):
    """A record whose length on the wire is less than its header says is malformed, however much was captured."""
    data = bytearray((incast / "whole-16-3.pcap").read_bytes())
    included, size = struct.unpack_from("<II", data, 24 + 8)
    struct.pack_into("<II", data, 24 + 8, included - 1, size - 1)
    del data[24 + 16 + included - 1]
    short = tmp_path / "short.pcap"
    short.write_bytes(data)
    assert shown(short, "frame.number", only="fabric.too_short") == [["1"]]


PAUSED = ("--sources=3", "--duration=100us", "--flowChannels=off", "--ns3::FabricSwitch::EdgeFlowControl=priority-pause")
CONTROL_CUTS = (30, 42, 60, 66)


@pytest.fixture(scope="module")
def cut_control(tmp_path_factory):
    """Frames that tshark shows of pauses and of fine-grain flow control at all ports, by the size that they are cut at."""
    folder = tmp_path_factory.mktemp("control")
    for size in CONTROL_CUTS:
        run_well("fabric-chain", *PAUSED, f"--pcap={folder}/{size}-pauses", cut_at(size))
        run_well("fabric-transport", *TRANSPORT, "--protocol=tcp", f"--pcap={folder}/{size}-orders", cut_at(size))
    fields = ("macc", "macc.opcode", "eth.fcs.status", "fabric_fgfc", "fabric_fgfc.dst", "fabric_fgfc.ip.src", *FINDINGS)
    paths = set(folder.glob("*.pcap"))
    with_tcp = set(folder.glob("66-orders*"))
    frames = shown_of_each(paths - with_tcp, folder, *fields) | {path: shown_by_field(path, *fields) for path in with_tcp}
    return {size: {path: frames[path] for path in frames if path.name.startswith(f"{size}-")} for size in CONTROL_CUTS}


@needs_tshark
@pytest.mark.parametrize("size", CONTROL_CUTS)
def test_cut_pauses_and_frames_of_flow_control_are_shown_as_far_as_they_go(cut_control, size):
    def all_of(name):
        return [frame for path, frames in cut_control[size].items() if name in path.name for frame in frames]

    pauses = {(frame["macc.opcode"], frame["eth.fcs.status"]) for frame in all_of("pauses") if frame["macc"]}
    orders = [frame for frame in all_of("orders") if frame["fabric_fgfc"]]
    assert all_of("pauses") and all_of("orders") and not errors(all_of("pcap"))
    assert pauses == ({("0x0101", "")} if size >= 42 else set())
    assert bool(orders) == (size >= 42) and all(bool(frame["fabric_fgfc.ip.src"]) == (size >= 60) for frame in orders)


@needs_tshark
def test_pauses_are_those_of_ethernet(tmp_path):
    run_well("fabric-chain", *PAUSED, f"--pcap={tmp_path}/p")
    frames = shown_of_each(tmp_path.glob("p-*.pcap"), tmp_path, "macc", "eth.dst", "macc.opcode", "eth.fcs.status")
    pauses = {(frame["eth.dst"], frame["macc.opcode"], frame["eth.fcs.status"]) for each in frames.values() for frame in each if frame["macc"]}
    assert pauses == {("01:80:c2:00:00:01", "0x0101", "1")}


@needs_tshark
def test_tshark_shows_credit_frames(tmp_path):
    """What a port was told of is what it has sent, less what is under way; counts only rise."""
    run_well("fabric-incast", "--k=4", "--senders=6", "--bytes=64KiB", f"--pcap={tmp_path}/c", "--ns3::FabricChannel::CreditFrames=true")
    fields = ("fabric.type", "fabric.credit.channels", "fabric.credit.freed", "fabric.fcs.ok")
    shown_frames = 0
    for path, frames in shown_of_each(tmp_path.glob("c-*.pcap"), tmp_path, *fields).items():
        rows = [[frame[field] for field in fields] for frame in frames if frame["fabric.credit.channels"]]
        credits = [data for _, _, data in read_capture(path) if data[LEAD:LEAD + 2] == b"\0\0" and data[LEAD + 2] >> 4 == 9]
        assert rows == [["9", "1", str(bits(data[LEAD:], 40, 32)), "1"] for data in credits], path.name
        for is_sent in (0, 1):
            freed = [bits(data[LEAD:], 40, 32) for data in credits if data[1] & 1 == is_sent]
            others = [size - LEAD for _, size, data in read_capture(path)
                      if data[1] & 1 != is_sent and data[LEAD:LEAD + 2] != b"\0\0"]
            assert freed == sorted(freed) and len(set(freed)) == len(freed)
            untold = sum(others) - freed[-1] if freed else 0
            assert 0 <= untold <= 2 * 4120, "at the end nearly all that came the other way has left"
        shown_frames += len(rows)
    assert shown_frames > 100


@needs_tshark
def test_packets_of_the_transport_are_shown(tmp_path):
    run_well("fabric-transport", "--senders=2", "--count=20", "--bytes=16KiB", f"--pcap={tmp_path}/t")
    types = collections.Counter()
    fields = ("fabric_transport.type", "fabric_transport.check.ok")
    for path, frames in shown_of_each(tmp_path.glob("t-*.pcap"), tmp_path, "fabric.type", *fields).items():
        records = [data for _, _, data in read_capture(path) if data[LEAD:LEAD + 2] != b"\0\0"]
        packets = [data[LEAD + HEADER:-FCS] for data in records if bits(data[LEAD:], 115, 3) == 4]
        rows = [[frame[field] for field in fields] for frame in frames if frame["fabric.type"] == "4"]
        assert rows == [[str(packet[0] & 15), "1"] for packet in packets], path.name
        types.update(row[0] for row in rows)
    assert {"9", "10", "7"} <= set(types) and sum(types.values()) > 50, types  # connect, accept, ACK


FGFC = ("form", "ftag", "pause", "credit", "dst", "vni", "vlan", "process")
FGFC_IPV4 = ("ip.src", "ip.dst", "protocol", "srcport", "dstport")


def fgfc_fields(record):
    """@return what tshark should show of a frame of fine-grain flow control, by the tables of the manual"""
    content = record[LEAD + 14:]
    assert content[:6] == bytes.fromhex("024642000101")
    fields = [str(value) for value in struct.unpack_from(">BBIHHHHI", content, 6)]
    if content[6] == 2:
        pair = [".".join(map(str, content[at:at + 4])) for at in (24, 28)]
        return fields + pair + [str(value) for value in struct.unpack_from(">BHH", content, 32)]
    return fields + [""] * len(FGFC_IPV4)


@needs_tshark
@pytest.mark.parametrize("protocol, form", [("rt", "0"), ("tcp", "2")])
def test_tshark_shows_fine_grain_flow_control(tmp_path, protocol, form):
    run_well("fabric-transport", "--over=fabric", f"--protocol={protocol}", "--senders=4", "--count=8", "--bytes=64KiB",
             f"--pcap={tmp_path}/f")
    forms, restrained, lifted = collections.Counter(), set(), set()
    fields = (*(f"fabric_fgfc.{field}" for field in FGFC + FGFC_IPV4), "eth.dst", "eth.fcs.status")
    for path, frames in shown_of_each(tmp_path.glob("f-*.pcap"), tmp_path, "fabric_fgfc", *fields).items():
        records = [data for _, _, data in read_capture(path) if data[1] & 2]
        rows = [[frame[field] for field in fields] for frame in frames if frame["fabric_fgfc"]]
        hosts = [":".join(f"{byte:02x}" for byte in data[LEAD:LEAD + 6]) for data in records]
        assert rows == [fgfc_fields(data) + [host, "1"] for data, host in zip(records, hosts)], path.name
        assert all(size == LEAD + 64 for _, size, data in read_capture(path) if data[1] & 2)
        for row in rows:
            forms[row[0]] += 1
            (lifted if row[2] == "0" else restrained).add(row[4])
    assert set(forms) == {form} and restrained and lifted <= restrained, forms
