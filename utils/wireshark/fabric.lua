-- SPDX-License-Identifier: GPL-2.0-only
-- Wireshark dissector for the pcap files of FabricHelper::EnablePcap (doc/wire-format.rst), link type 147 (USER0), and for
-- packets of the reliable transport in UDP datagrams (ns3::FabricUdpTransport).
--
--   wireshark -X lua_script:fabric.lua FILE.pcap
--
-- or put this file into Wireshark's folder of personal Lua plugins.

local fabric = Proto("fabric", "Fabric")
local transport = Proto("fabric_transport", "Fabric reliable transport")
local fgfc = Proto("fabric_fgfc", "Fabric fine-grain flow control")

local UDP_PORT = 4792 -- default of ns3::FabricUdpTransport::Port
local LEAD, HEADER, FCS = 4, 20, 4

local frame_types = { [0] = "native", "Ethernet", "IPv4", "IPv6", "reliable transport", [8] = "ACK", [9] = "credit" }
local ack_types = { [0] = "normal", "new endpoint congestion", "persistent endpoint congestion", "headroom", "reroute",
    "link congestion", "lost", "check" }
local packet_types = { [0] = "pull request", "push solicited request", "pull data", "push grant", "push solicited data",
    "push unsolicited data", "error response", "ACK", "NACK", "connect", "accept", "refuse", "close", "closed", "reset" }
local nack_codes = { [0] = "none", "no resource", "not ready", "bad CID", "in error", "error heard", "duplicate",
    "credit wanted", "credit", "credit only", "credit heard",
    "congestion (CNP)", "trimmed" }
local statuses = { [0] = "ok", "retry limit", "target not ready", "bad CID", "connection reset", "remote error", "refused",
    "flushed" }

local f = {
    version = ProtoField.uint8("fabric.capture.version", "Version"),
    sent = ProtoField.bool("fabric.capture.sent", "Sent by the port"),
    ethernet = ProtoField.bool("fabric.capture.ethernet", "Ethernet frame"),
    ethertype = ProtoField.uint16("fabric.capture.ethertype", "EtherType", base.HEX),
    src = ProtoField.uint16("fabric.src", "Source"),
    dst = ProtoField.uint16("fabric.dst", "Destination"),
    lane = ProtoField.uint8("fabric.lane", "Virtual lane"),
    channel = ProtoField.uint8("fabric.vc", "Virtual channel"),
    class = ProtoField.uint8("fabric.ftag", "Traffic class tag"),
    flow = ProtoField.uint16("fabric.flow_id", "Flow ID"),
    position = ProtoField.uint32("fabric.data_flow", "Position (256 B)"),
    vni = ProtoField.uint16("fabric.vni", "Virtual network"),
    length = ProtoField.uint16("fabric.length", "Payload length"),
    type = ProtoField.uint8("fabric.type", "Frame type", base.DEC, frame_types),
    last = ProtoField.bool("fabric.flags.last", "Last frame of its message"),
    marked = ProtoField.bool("fabric.flags.marked", "Met congestion"),
    known_severity = ProtoField.uint8("fabric.known_severity", "Severity that the sender knows"),
    check = ProtoField.uint32("fabric.check", "Header check", base.HEX),
    check_ok = ProtoField.bool("fabric.check.ok", "Header check is right"),
    fcs = ProtoField.uint32("fabric.fcs", "FCS", base.HEX),
    fcs_ok = ProtoField.bool("fabric.fcs.ok", "FCS is right"),
    count = ProtoField.uint8("fabric.ack.count", "ACKs"),
    ack_flow_id = ProtoField.uint16("fabric.ack.flow_id", "Flow ID"),
    ack_type = ProtoField.uint8("fabric.ack.type", "Type", base.DEC, ack_types),
    ack_flow = ProtoField.uint8("fabric.ack.flow", "Position, severity, credit or switches"),
    channels = ProtoField.uint8("fabric.credit.channels", "Virtual channels"),
    freed = ProtoField.uint32("fabric.credit.freed", "Bytes that became free"),
    ack_crc_ok = ProtoField.bool("fabric.ack.crc.ok", "CRC is right"),
    payload = ProtoField.bytes("fabric.payload", "Payload"),
}
fabric.fields = f

local t = {
    version = ProtoField.uint8("fabric_transport.version", "Version"),
    type = ProtoField.uint8("fabric_transport.type", "Type", base.DEC, packet_types),
    nack = ProtoField.uint8("fabric_transport.nack", "NACK code", base.DEC, nack_codes),
    status = ProtoField.uint8("fabric_transport.status", "Status", base.DEC, statuses),
    ordered = ProtoField.bool("fabric_transport.flags.ordered", "Ordered connection"),
    request_psn = ProtoField.bool("fabric_transport.flags.request_psn", "PSN of the request window"),
    marked = ProtoField.bool("fabric_transport.flags.marked", "Met congestion"),
    has_echo = ProtoField.bool("fabric_transport.flags.echo", "Echo holds a time"),
    probe = ProtoField.bool("fabric_transport.flags.probe", "Probe"),
    long_echo = ProtoField.bool("fabric_transport.flags.long_echo", "Echo of a packet as long as any"),
    credit = ProtoField.uint8("fabric_transport.flags.credit", "Requests need credits", base.DEC,
        { [0] = "no", "yes, 0 at first", "yes, 1 at first", "yes, 16 at first" }),
    cid = ProtoField.uint24("fabric_transport.cid", "Destination CID"),
    source = ProtoField.uint24("fabric_transport.source_cid", "Source CID"),
    psn = ProtoField.uint32("fabric_transport.psn", "PSN"),
    sent = ProtoField.uint64("fabric_transport.sent", "Sent at (ps)"),
    rsn = ProtoField.uint32("fabric_transport.rsn", "RSN"),
    ssn = ProtoField.uint32("fabric_transport.ssn", "SSN"),
    length = ProtoField.uint32("fabric_transport.length", "Length of the transaction"),
    tag = ProtoField.uint64("fabric_transport.tag", "Tag", base.HEX),
    offset = ProtoField.uint32("fabric_transport.offset", "Offset"),
    amount = ProtoField.uint32("fabric_transport.amount", "Amount"),
    request_base = ProtoField.uint32("fabric_transport.request_base", "Expected request PSN"),
    data_base = ProtoField.uint32("fabric_transport.data_base", "Expected data PSN"),
    marks = ProtoField.uint16("fabric_transport.marks", "Marked packets seen"),
    echo = ProtoField.uint64("fabric_transport.echo", "Time echoed (ps)"),
    requests_acked = ProtoField.uint64("fabric_transport.requests_acked", "Requests acknowledged", base.HEX),
    data_acked = ProtoField.bytes("fabric_transport.data_acked", "Data acknowledged"),
    data_received = ProtoField.bytes("fabric_transport.data_received", "Data received"),
    request_window = ProtoField.uint16("fabric_transport.request_window", "Request window"),
    data_window = ProtoField.uint16("fabric_transport.data_window", "Data window"),
    request_span = ProtoField.uint16("fabric_transport.request_span", "Request span"),
    mtu = ProtoField.uint16("fabric_transport.mtu", "MTU"),
    check = ProtoField.uint32("fabric_transport.check", "Header check", base.HEX),
    check_ok = ProtoField.bool("fabric_transport.check.ok", "Header check is right"),
    payload = ProtoField.bytes("fabric_transport.payload", "Payload"),
}
transport.fields = t

local fgfc_forms = { [0] = "native", "VLAN", "IPv4", "IPv6" }
local g = {
    oui = ProtoField.uint24("fabric_fgfc.oui", "OUI", base.HEX),
    id = ProtoField.uint16("fabric_fgfc.id", "Protocol id"),
    version = ProtoField.uint8("fabric_fgfc.version", "Version"),
    form = ProtoField.uint8("fabric_fgfc.form", "Form", base.DEC, fgfc_forms),
    class = ProtoField.uint8("fabric_fgfc.ftag", "Traffic class tag"),
    pause = ProtoField.uint32("fabric_fgfc.pause", "Pause (ns)"),
    credit = ProtoField.uint16("fabric_fgfc.credit", "Credit (256 B)"),
    dst = ProtoField.uint16("fabric_fgfc.dst", "Destination"),
    vni = ProtoField.uint16("fabric_fgfc.vni", "Virtual network"),
    vlan = ProtoField.uint16("fabric_fgfc.vlan", "VLAN"),
    process = ProtoField.uint32("fabric_fgfc.process", "Process"),
    ip_src = ProtoField.ipv4("fabric_fgfc.ip.src", "IP source"),
    ip_dst = ProtoField.ipv4("fabric_fgfc.ip.dst", "IP destination"),
    ipv6_src = ProtoField.ipv6("fabric_fgfc.ipv6.src", "IP source"),
    ipv6_dst = ProtoField.ipv6("fabric_fgfc.ipv6.dst", "IP destination"),
    protocol = ProtoField.uint8("fabric_fgfc.protocol", "Protocol above IP"),
    srcport = ProtoField.uint16("fabric_fgfc.srcport", "Source port"),
    dstport = ProtoField.uint16("fabric_fgfc.dstport", "Destination port"),
    label = ProtoField.uint24("fabric_fgfc.label", "Flow label", base.HEX, nil, 0xFFFFF),
}
fgfc.fields = g

local wrong_check = ProtoExpert.new("fabric.wrong_check", "A check is wrong: the frame is damaged", expert.group.CHECKSUM,
    expert.severity.ERROR)
local too_short = ProtoExpert.new("fabric.too_short", "The frame is shorter than its header says", expert.group.MALFORMED,
    expert.severity.ERROR)
local cut_off = ProtoExpert.new("fabric.cut_off", "The capture has the beginning of the frame only", expert.group.UNDECODED,
    expert.severity.NOTE)
fabric.experts = { wrong_check, too_short, cut_off }
local wrong_header = ProtoExpert.new("fabric_transport.wrong_check", "The header check is wrong", expert.group.CHECKSUM,
    expert.severity.ERROR)
local short_packet = ProtoExpert.new("fabric_transport.too_short", "The header is not all there", expert.group.MALFORMED,
    expert.severity.ERROR)
transport.experts = { wrong_header, short_packet }
local short_fgfc = ProtoExpert.new("fabric_fgfc.too_short", "The frame is shorter than its form says", expert.group.MALFORMED,
    expert.severity.ERROR)
fgfc.experts = { short_fgfc }

-- Lua has had operators for bits since 5.3, Wireshark's library works in all versions.
local band, bor, bxor, rshift, lshift = bit.band, bit.bor, bit.bxor, bit.rshift, bit.lshift

local crc_table = {}
for byte = 0, 255 do
    local crc = byte
    for _ = 1, 8 do
        crc = band(crc, 1) == 1 and bxor(rshift(crc, 1), 0x82F63B78) or rshift(crc, 1)
    end
    crc_table[byte] = crc
end

-- Bytes at the end of what Wireshark's dissectors are given that the capture does not have, 0 for a whole frame: our own
-- dissectors below them take no zeros for a packet's bytes.
local missing = 0

-- Bytes of a buffer that stand in the capture.
local function captured(buffer)
    return math.max(0, buffer:len() - missing)
end

-- CRC-32C of a range of bytes, as 0 to 2^32 - 1.
local function crc32c(range)
    local crc = 0xFFFFFFFF
    local bytes = range:bytes()
    for i = 0, bytes:len() - 1 do
        crc = bxor(rshift(crc, 8), crc_table[band(bxor(crc, bytes:get_index(i)), 0xFF)])
    end
    return bxor(crc, 0xFFFFFFFF) % 0x100000000
end

-- CRC of an ACK: x^3 + x + 1, start of all ones, over 22 bits.
local function crc3(value)
    local crc = 7
    for place = 21, 0, -1 do
        local top = bxor(band(rshift(crc, 2), 1), band(rshift(value, place), 1))
        crc = band(lshift(crc, 1), 7)
        if top == 1 then crc = bxor(crc, 3) end
    end
    return crc
end

local function add_check(tree, field, field_ok, expert, range, covered)
    local item = tree:add(field, range)
    local is_right = crc32c(covered) == range:uint()
    tree:add(field_ok, range, is_right):set_generated()
    if not is_right then item:add_proto_expert_info(expert) end
    return is_right
end

-- Parts of a transport header by their names, in the order on the wire: bytes, and what adds them.
local parts = {
    { "source", 3, function(tree, r) tree:add(t.source, r) end },
    { "psn", 4, function(tree, r) tree:add(t.psn, r) end },
    { "sent", 8, function(tree, r) tree:add(t.sent, r) end },
    { "rsn", 4, function(tree, r) tree:add(t.rsn, r) end },
    { "ssn", 4, function(tree, r) tree:add(t.ssn, r) end },
    { "length", 12, function(tree, r) tree:add(t.length, r(0, 4)) tree:add(t.tag, r(4, 8)) end },
    { "offset", 4, function(tree, r) tree:add(t.offset, r) end },
    { "amount", 4, function(tree, r) tree:add(t.amount, r) end },
    { "bases", 8, function(tree, r) tree:add(t.request_base, r(0, 4)) tree:add(t.data_base, r(4, 4)) end },
    { "echo", 10, function(tree, r) tree:add(t.marks, r(0, 2)) tree:add(t.echo, r(2, 8)) end },
    { "bitmaps", 40, function(tree, r)
        tree:add(t.requests_acked, r(0, 8))
        tree:add(t.data_acked, r(8, 16))
        tree:add(t.data_received, r(24, 16))
    end },
    { "settings", 8, function(tree, r)
        tree:add(t.request_window, r(0, 2))
        tree:add(t.data_window, r(2, 2))
        tree:add(t.request_span, r(4, 2))
        tree:add(t.mtu, r(6, 2))
    end },
}

local function set(names)
    local has = {}
    for name in names:gmatch("%a+") do has[name] = true end
    return has
end

local window = "psn sent rsn bases echo "
local parts_of_type = {
    [0] = set(window .. "length"),
    set(window .. "ssn length"),
    set(window .. "offset amount"),
    set(window .. "ssn offset amount"),
    set(window .. "ssn length offset amount"),
    set(window .. "length offset amount"),
    set(window),
    set("bases echo bitmaps"),
    {}, -- NACK: by its code
    set("source bases settings"),
    set("source bases settings"),
    set("source"),
    set("source bases echo"),
    set("source"),
    set("source"),
}
local parts_of_nack = { [0] = {}, set("psn"), set("rsn amount"), set("source"), set("psn rsn"), set("psn rsn"),
    set("psn"), set("rsn"), set("rsn"), set("rsn"), set("rsn"), {}, set("psn sent") }
local NACK = 8

-- Says why the next bytes of a header can't be shown: the capture was cut, or else the packet is too short.
local function end_early(tree, there, reported, needed, expert)
    if there >= needed then return false end
    tree:add_proto_expert_info(reported < needed and expert or cut_off)
    return true
end

-- `reported` is how long the packet was, of which the buffer may have the beginning only.
local function dissect_transport(buffer, reported, pinfo, root)
    local there = captured(buffer)
    if there < 6 then return 0 end
    local version, kind = rshift(buffer(0, 1):uint(), 4), band(buffer(0, 1):uint(), 0xF)
    local code, status = rshift(buffer(1, 1):uint(), 4), band(buffer(1, 1):uint(), 0xF)
    local has = kind == NACK and parts_of_nack[code] or parts_of_type[kind]
    if version ~= 1 or not has then return 0 end
    local flags = buffer(2, 1)
    pinfo.cols.protocol = "Fabric RT"
    pinfo.cols.info:append(" " .. packet_types[kind])
    local tree = root:add(transport, buffer(0, there))
    tree:append_text(": " .. packet_types[kind])
    tree:add(t.version, buffer(0, 1), version)
    tree:add(t.type, buffer(0, 1), kind)
    if kind == NACK then tree:add(t.nack, buffer(1, 1), code) end
    tree:add(t.status, buffer(1, 1), status)
    for place, field in ipairs({ t.ordered, t.request_psn, t.marked, t.has_echo, t.probe }) do
        tree:add(field, flags, band(rshift(flags:uint(), place - 1), 1) == 1)
    end
    tree:add(t.long_echo, flags, band(rshift(flags:uint(), 6), 1) == 1)
    tree:add(t.credit, flags, bor(band(rshift(flags:uint(), 5), 1), band(rshift(flags:uint(), 6), 2)))
    tree:add(t.cid, buffer(3, 3))
    local at = 6
    for _, part in ipairs(parts) do
        local name, size, add = part[1], part[2], part[3]
        if has[name] then
            if end_early(tree, there, reported, at + size, short_packet) then return there end
            if name == "psn" then pinfo.cols.info:append(" psn=" .. buffer(at, 4):uint()) end
            add(tree, buffer(at, size))
            at = at + size
        end
    end
    if end_early(tree, there, reported, at + 4, short_packet) then return there end
    add_check(tree, t.check, t.check_ok, wrong_header, buffer(at, 4), buffer(0, at))
    at = at + 4
    if there > at then tree:add(t.payload, buffer(at, there - at)) end
    return there
end

function transport.dissector(buffer, pinfo, root)
    return dissect_transport(buffer, buffer:reported_len(), pinfo, root)
end

-- Bits of a buffer from bit `from` on, most significant first; at most 25.
local function bits(buffer, from, count)
    return buffer:range(0):bitfield(from, count)
end

local function dissect_acks(buffer, pinfo, tree)
    local count = bits(buffer, 20, 6)
    tree:add(f.type, buffer(2, 1), rshift(buffer(2, 1):uint(), 4))
    tree:add(f.count, buffer(2, 2), count)
    local size = 5 + math.floor((25 * count + 7) / 8)
    pinfo.cols.info:append(count == 0 and "greeting" or (count .. (count == 1 and " ACK" or " ACKs")))
    for i = 0, count - 1 do
        local from = 40 + 25 * i
        local first, last = math.floor(from / 8), math.floor((from + 24) / 8)
        if last >= buffer:len() then return end
        local range = buffer(first, last - first + 1)
        local flow, kind, amount = bits(buffer, from, 11), bits(buffer, from + 11, 3), bits(buffer, from + 14, 8)
        local is_right = crc3(flow * 2048 + kind * 256 + amount) == bits(buffer, from + 22, 3)
        local item = tree:add(range, string.format("ACK %d: flow %d, %s, %d", i, flow, ack_types[kind] or "unknown", amount))
        item:add(f.ack_flow_id, range, flow)
        item:add(f.ack_type, range, kind)
        item:add(f.ack_flow, range, amount)
        item:add(f.ack_crc_ok, range, is_right):set_generated()
        if not is_right then item:add_proto_expert_info(wrong_check) end
    end
    if buffer:len() >= size + FCS then
        add_check(tree, f.fcs, f.fcs_ok, wrong_check, buffer(size, FCS), buffer(0, size))
    end
end

local function dissect_credits(buffer, pinfo, tree)
    local channels = bits(buffer, 20, 6)
    tree:add(f.type, buffer(2, 1), rshift(buffer(2, 1):uint(), 4))
    tree:add(f.channels, buffer(2, 2), channels)
    pinfo.cols.info:append("credit")
    local size = 5 + 4 * channels
    if buffer:len() < size + FCS then return end
    for channel = 0, channels - 1 do
        tree:add(f.freed, buffer(5 + 4 * channel, 4))
    end
    add_check(tree, f.fcs, f.fcs_ok, wrong_check, buffer(size, FCS), buffer(0, size))
end

local ETHERTYPE_IPV4, ETHERTYPE_IPV6, TCP, UDP = 0x0800, 0x86DD, 6, 17

-- Bytes of the beginning of a packet that Wireshark's dissectors need, so that they show nothing that is not there: the headers
-- of TCP and UDP. Options are left out, but for a SYN: without its window scale TCP's windows would be taken for full. What else
-- has checksums over all, or headers that can't be told, is needed whole.
local function needed_bytes(ethertype, packet, length)
    local there, protocol, at = packet:len(), nil, nil
    if ethertype == ETHERTYPE_IPV4 and there >= 20 then
        protocol, at = packet(9, 1):uint(), 4 * band(packet(0, 1):uint(), 0xF)
        if band(packet(6, 2):uint(), 0x1FFF) ~= 0 then return at end -- a later fragment
    elseif ethertype == ETHERTYPE_IPV6 and there >= 40 then
        protocol, at = packet(6, 1):uint(), 40
    end
    if protocol == UDP then return at + 8 end
    if protocol == TCP and there >= at + 20 then
        local is_syn = band(packet(at + 13, 1):uint(), 2) ~= 0
        return at + (is_syn and 4 * rshift(packet(at + 12, 1):uint(), 4) or 20)
    end
    return length
end

-- Hands a packet on to a dissector of Wireshark. Lua can't make a buffer that is reported as longer than what was captured, from
-- which the dissectors of IP and TCP would take lengths, so that what was cut off stands there as zeros.
local function hand_on(dissector, packet, length, pinfo, root)
    missing = length - packet:len()
    local buffer
    if missing == 0 then
        buffer = packet:tvb()
    else
        local bytes = packet:bytes()
        bytes:set_size(length)
        buffer = bytes:tvb("Packet, zeros where it was cut off")
    end
    dissector:call(buffer, pinfo, root)
    missing = 0
end

-- `payload` is what was captured of a packet of `length` bytes.
local function dissect_payload(kind, ethertype, payload, length, pinfo, root, tree)
    local dissector = ethertype ~= 0 and DissectorTable.get("ethertype"):get_dissector(ethertype)
    if kind == 4 then
        dissect_transport(payload:tvb(), length, pinfo, root)
    elseif dissector and payload:len() >= needed_bytes(ethertype, payload, length) then
        hand_on(dissector, payload, length, pinfo, root)
    else
        tree:add(f.payload, payload)
    end
end

local function dissect_data(buffer, ethertype, reported, pinfo, root, tree)
    if end_early(tree, buffer:len(), reported, HEADER, too_short) then return end
    local flags, kind, length = bits(buffer, 118, 2), bits(buffer, 115, 3), bits(buffer, 101, 14)
    tree:add(f.src, buffer(0, 2))
    tree:add(f.dst, buffer(2, 2))
    tree:add(f.lane, buffer(4, 1), bits(buffer, 32, 4))
    tree:add(f.channel, buffer(4, 1), bits(buffer, 36, 2))
    tree:add(f.class, buffer(4, 2), bits(buffer, 38, 4))
    tree:add(f.flow, buffer(5, 2), bits(buffer, 42, 11))
    tree:add(f.position, buffer(6, 5), bits(buffer, 53, 16) * 65536 + bits(buffer, 69, 16))
    tree:add(f.vni, buffer(10, 3), bits(buffer, 85, 16))
    tree:add(f.length, buffer(12, 3), length)
    tree:add(f.type, buffer(14, 1), kind)
    tree:add(f.last, buffer(14, 1), band(flags, 1) == 1)
    tree:add(f.marked, buffer(14, 1), band(flags, 2) == 2)
    tree:add(f.known_severity, buffer(15, 1))
    local is_right = add_check(tree, f.check, f.check_ok, wrong_check, buffer(16, 4), buffer(0, 16))
    pinfo.cols.src = tostring(bits(buffer, 0, 16))
    pinfo.cols.dst = tostring(bits(buffer, 16, 16))
    pinfo.cols.info:append(string.format("%s, flow %d, %d bytes%s", frame_types[kind] or "unknown", bits(buffer, 42, 11),
        length, is_right and "" or ", damaged"))
    local there = math.min(length, buffer:len() - HEADER)
    if not end_early(tree, buffer:len(), reported, HEADER + length + FCS, too_short) then
        add_check(tree, f.fcs, f.fcs_ok, wrong_check, buffer(HEADER + length, FCS), buffer(0, HEADER + length))
    end
    if there > 0 then
        dissect_payload(kind, ethertype, buffer(HEADER, there), math.min(length, reported - HEADER), pinfo, root, tree)
    end
end

-- Bytes of Ethernet frames that say all: the header, and of a pause what comes before its zeros; of fine-grain flow control the
-- fields that all forms have.
local ETHERNET_NEEDS = 14 + 24

local function dissect_ethernet(frame, reported, pinfo, root, tree)
    if frame:len() == reported then
        hand_on(Dissector.get("eth_withfcs"), frame, reported, pinfo, root)
        return
    end
    tree:add_proto_expert_info(cut_off)
    if frame:len() >= ETHERNET_NEEDS then
        local content = math.min(frame:len(), reported - FCS)
        hand_on(Dissector.get("eth_withoutfcs"), frame(0, content), reported - FCS, pinfo, root)
    end
end

-- After the OUI Extended EtherType: frames of other OUIs are Wireshark's.
local ETHERTYPE_OUI_EXTENDED, FGFC_OUI = 0x88B7, 0x024642
local others_of_oui = Dissector.get("ieee802a")

-- Adds fields that follow each other. @return where the last one ends; nil, as for those behind, if the frame ends before
local function add_fields(tree, buffer, at, fields)
    if not at then return nil end
    for _, field in ipairs(fields) do
        if end_early(tree, captured(buffer), buffer:reported_len(), at + field[2], short_fgfc) then return nil end
        tree:add(field[1], buffer(at, field[2]))
        at = at + field[2]
    end
    return at
end

function fgfc.dissector(buffer, pinfo, root)
    if captured(buffer) < 24 or buffer(0, 3):uint() ~= FGFC_OUI or buffer(3, 3):uint() ~= 0x000101 then
        return others_of_oui:call(buffer, pinfo, root)
    end
    local form, pause = buffer(6, 1):uint(), buffer(8, 4):uint()
    pinfo.cols.protocol = "Fabric FGFC"
    pinfo.cols.info = string.format("%s flow to %d %s, credit %d", fgfc_forms[form] or "unknown", buffer(14, 2):uint(),
        pause == 0 and "goes on" or "pauses for " .. pause .. " ns", buffer(12, 2):uint())
    local tree = root:add(fgfc, buffer())
    local at = add_fields(tree, buffer, 0, { { g.oui, 3 }, { g.id, 2 }, { g.version, 1 }, { g.form, 1 }, { g.class, 1 },
        { g.pause, 4 }, { g.credit, 2 }, { g.dst, 2 }, { g.vni, 2 }, { g.vlan, 2 }, { g.process, 4 } })
    local ports = { { g.protocol, 1 }, { g.srcport, 2 }, { g.dstport, 2 } }
    if form == 2 then
        at = add_fields(tree, buffer, at, { { g.ip_src, 4 }, { g.ip_dst, 4 } })
        add_fields(tree, buffer, at, ports)
    elseif form == 3 then
        at = add_fields(tree, buffer, at, { { g.ipv6_src, 16 }, { g.ipv6_dst, 16 } })
        at = add_fields(tree, buffer, at, ports)
        add_fields(tree, buffer, at, { { g.label, 3 } })
    end
    return buffer:len()
end

function fabric.dissector(buffer, pinfo, root)
    missing = 0 -- also after a dissector that ended with an error
    if buffer:len() < LEAD or buffer(0, 1):uint() ~= 1 then return 0 end
    local flags, ethertype = buffer(1, 1):uint(), buffer(2, 2):uint()
    local is_sent = band(flags, 1) == 1
    pinfo.cols.protocol = "Fabric"
    pinfo.cols.info = is_sent and "sent: " or "received: "
    local tree = root:add(fabric, buffer())
    tree:add(f.version, buffer(0, 1))
    tree:add(f.sent, buffer(1, 1), is_sent)
    tree:add(f.ethernet, buffer(1, 1), band(flags, 2) == 2)
    tree:add(f.ethertype, buffer(2, 2))
    local reported = buffer:reported_len() - LEAD
    if end_early(tree, buffer:len() - LEAD, reported, 4, too_short) then return buffer:len() end
    local frame = buffer(LEAD):tvb()
    if band(flags, 2) == 2 then
        dissect_ethernet(frame(), reported, pinfo, root, tree)
    elseif frame(0, 2):uint() == 0 and rshift(frame(2, 1):uint(), 4) == 9 then
        dissect_credits(frame, pinfo, tree)
    elseif frame(0, 2):uint() == 0 then
        dissect_acks(frame, pinfo, tree)
    else
        dissect_data(frame, ethertype, reported, pinfo, root, tree)
    end
    return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, fabric)
DissectorTable.get("udp.port"):add(UDP_PORT, transport)
DissectorTable.get("ethertype"):add(ETHERTYPE_OUI_EXTENDED, fgfc)
