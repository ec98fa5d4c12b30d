/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-edge-flow-table.h"
#include "fabric-flow-rules.h"
#include "fabric-function-case.h"
#include "fabric-refusal.h"
#include "fabric-test-seeds.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a key of TCP over IPv4 from 10.9.8.7 port 4000 to 10.1.2.3 port 80 at location 5
FlowKey
TcpKey()
{
    FlowKey key;
    key.ipSource = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 8, 7};
    key.ipDestination = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3};
    key.macSource = {2, 0, 0, 0, 0, 1};
    key.macDestination = {2, 0, 0, 0, 0, 5};
    key.destination = 5;
    key.vlan = 300;
    key.sourcePort = 4000;
    key.destinationPort = 80;
    key.protocol = 6;
    return key;
}

/// @return a key of UDP over IPv6 from 2001:db8::1 to 2001:db8:1::2 with flow label 0x12345
FlowKey
UdpKey()
{
    FlowKey key;
    key.ipSource = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    key.ipDestination = {0x20, 1, 0xd, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    key.destination = 7;
    key.flowLabel = 0x12345;
    key.sourcePort = 4000;
    key.destinationPort = 4791;
    key.protocol = 17;
    return key;
}

/// @return a key of native messages of a process to location 9
FlowKey
NativeKey(uint32_t process)
{
    FlowKey key;
    key.destination = 9;
    key.vni = 7;
    key.trafficClass = 3;
    key.process = process;
    return key;
}

/// Each condition is for the frames that it says, and for no others.
void
TestConditions(FunctionCase& test)
{
    struct Case
    {
        const char* condition; ///< Of a rule.
        bool tcp;              ///< Whether the rule is for TcpKey().
        bool udp;              ///< Whether for UdpKey().
        bool native;           ///< Whether for NativeKey(0x1234).
    };

    for (const Case& one :
         {Case{"", true, true, true},
          Case{"dst=5", true, false, false},
          Case{"dst=0x5/0xd", true, true, false},
          Case{"vni=7", false, false, true},
          Case{"vni=0", true, true, false},
          Case{"class=3", false, false, true},
          Case{"class=0/12", true, true, true},
          Case{"vlan=300", true, false, false},
          Case{"protocol=6", true, false, false},
          Case{"protocol=17", false, true, false},
          Case{"port.src=4000", true, true, false},
          Case{"port.dst=80", true, false, false},
          Case{"port.src=4000 port.dst=4791", false, true, false},
          Case{"label=0x12345", false, true, false},
          Case{"label=0x12300/0xfff00", false, true, false},
          Case{"process=4660", false, false, true},
          Case{"process=0x200/0xf00", false, false, true},
          Case{"ipv4.dst=10.1.0.0/16", true, false, false},
          Case{"ipv4.dst=10.1.2.3", true, false, false},
          Case{"ipv4.dst=10.1.2.2/31", true, false, false},
          Case{"ipv4.dst=10.1.2.2", false, false, false},
          Case{"ipv4.dst=0.0.0.0/0", true, false, false},
          Case{"ipv4.src=10.0.0.7/255.0.0.255", true, false, false},
          Case{"ipv6.src=2001:db8::1", false, true, false},
          Case{"ipv6.dst=2001:db8::/32", false, true, false},
          Case{"ipv6.dst=2001:db8:1::/48", false, true, false},
          Case{"ipv6.dst=2001:db8:0:0:0:0:0:0/48", false, false, false},
          Case{"ipv6.dst=::2/::ffff", false, true, false},
          Case{"ipv6.src=::", false, false, true},
          Case{"mac.src=02:00:00:00:00:01", true, false, false},
          Case{"mac.dst=02:00:00:00:00:00/40", true, false, false},
          Case{"mac.dst=0:0:0:0:0:1/0:0:0:0:0:1", true, false, false},
          Case{" ipv4.dst=10.0.0.0/8\tprotocol=6  port.dst=80 ", true, false, false}})
    {
        const FlowRules rules = ParseFlowRules(std::string(one.condition) + "->all");
        test.ExpectEqual(rules.size(), 1, one.condition);
        test.ExpectEqual(rules[0].Matches(TcpKey()), one.tcp, Text(one.condition, ", TCP"));
        test.ExpectEqual(rules[0].Matches(UdpKey()), one.udp, Text(one.condition, ", UDP"));
        test.ExpectEqual(rules[0].Matches(NativeKey(0x1234)),
                         one.native,
                         Text(one.condition, ", native"));
    }
}

/// What a rule names behind the arrow tells flows apart, and nothing else does.
void
TestFieldsOfRules(FunctionCase& test)
{
    for (const auto& [text, mask] : std::vector<std::pair<std::string, FlowKey>>{
             {"-> all", FlowKey::MaskOf(FLOW_ALL)},
             {"->none", FlowKey::MaskOf(0)},
             {"-> mac , vlan", FlowKey::MaskOf(FLOW_MAC | FLOW_VLAN)},
             {"-> mac.src,mac.dst", FlowKey::MaskOf(FLOW_MAC)},
             {"-> ip,protocol,ports", FlowKey::MaskOf(FLOW_FIVE_TUPLE)},
             {"-> ipv4.src,ipv6.dst", FlowKey::MaskOf(FLOW_IP)},
             {"-> port.src,port.dst", FlowKey::MaskOf(FLOW_PORTS)},
             {"-> label,process", FlowKey::MaskOf(FLOW_LABEL | FLOW_PROCESS)}})
    {
        FlowKey bits = FlowKey::MaskOf(FLOW_ALL);
        bits.flowLabel = 0xfffff;
        bits.vlan = 0xfff;
        const FlowKey pattern = ParseFlowRules(text).at(0).pattern | FlowKey::MaskOf(0);
        test.Expect((pattern & bits) == (mask & bits), text);
    }
    const FlowRules parts = ParseFlowRules("-> ipv4.dst/24, process/0xff00, mac.dst/24");
    const FlowKey::Ip subnet{0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0xff,
                             0};
    test.Expect(parts.at(0).pattern.ipDestination == subnet, "a prefix of an IPv4 address");
    test.ExpectEqual(parts.at(0).pattern.process, 0xff00, "bits of a number");
    test.Expect(parts.at(0).pattern.macDestination == FlowKey::Mac{0xff, 0xff, 0xff, 0, 0, 0},
                "a prefix of a MAC address");
    test.Expect(ParseFlowRules("").empty() && ParseFlowRules(" \n").empty(), "no rules");
    test.ExpectEqual(ParseFlowRules("dst=1 -> none;dst=2 -> none;-> process").size(), 3, "three");
    test.ExpectEqual(ParseFlowRules("dst=5 vni=0 -> none; dst=5 -> all").size(), 2, "a wider one");
}

/// What is wrong gets a sentence: where, what, and what is allowed.
void
TestWrongRules(FunctionCase& test)
{
    for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
             {"dst=5", "rule 1: 'dst=5' has no arrow, allowed: conditions and fields with '->'"},
             {"-> none;", "rule 2: '' has no arrow"},
             {"dst -> none", "'dst' is no condition, allowed: field=value"},
             {"dts=5 -> none",
              "'dts' is no header field, allowed: dst, vni, class, vlan, protocol"},
             {"ports=5 -> none", "'ports' is no header field"},
             {"dst=5 -> ", "rule 1: '': '' is no header field, allowed: vlan, protocol"},
             {"dst=5 -> process,", "'' is no header field"},
             {"dst=5 -> src", "'src' is no header field"},
             {"-> dst", "'dst' always tells flows apart, allowed: vlan"},
             {"-> all,process", "'all' stands beside other fields"},
             {"-> process,none", "'none' stands beside other fields"},
             {"dst=65536 -> none", "'65536' is no number for dst, allowed: 0 to 65535"},
             {"dst= -> none", "'' is no number for dst"},
             {"dst=-1 -> none", "'-1' is no number for dst"},
             {"dst=+1 -> none", "'+1' is no number for dst"},
             {"class=16 -> none", "allowed: 0 to 15"},
             {"vlan=4096 -> none", "allowed: 0 to 4095"},
             {"label=0x100000 -> none", "allowed: 0 to 1048575"},
             {"process=4294967296 -> none", "allowed: 0 to 4294967295"},
             {"protocol=6/x -> none", "'x' is no number for protocol"},
             {"protocol=6/ -> none", "'' is no number for protocol"},
             {"protocol=0x -> none", "'0x' is no number for protocol"},
             {"protocol=6/2 -> none", "'protocol=6/2' has bits outside of its mask"},
             {"protocol=0/0 -> none", "'protocol=0/0' holds for all frames"},
             {"ipv6.dst=::/0 -> none", "holds for all frames"},
             {"ipv4.dst=10.1.0.0/15 -> none", "has bits outside of its mask"},
             {"ipv4.dst=10.1.0.0/33 -> none", "'33' is no address for ipv4.dst"},
             {"ipv4.dst=10.1.0 -> none",
              "'10.1.0' is no address for ipv4.dst, allowed: addresses "
              "such as 10.1.2.3"},
             {"ipv4.dst=10.1.0.256 -> none", "is no address for ipv4.dst"},
             {"ipv4.dst=10.1.0.0000 -> none", "is no address for ipv4.dst"},
             {"ipv6.dst=1::2::3 -> none", "is no address for ipv6.dst"},
             {"ipv6.dst=1:2:3:4:5:6:7:8:9 -> none", "is no address for ipv6.dst"},
             {"ipv6.dst=1:2:3:4:5:6::8 -> all;ipv6.dst=1:2:3:4::5:6:7:8 -> none",
              "rule 2: 'ipv6.dst=1:2:3:4::5:6:7:8': '1:2:3:4::5:6:7:8' is no address"},
             {"mac.dst=02:00:00:00:00 -> none", "is no address for mac.dst"},
             {"dst=1 dst=2 -> none", "'dst=2' is about a field that has a condition already"},
             {"ipv4.dst=10.0.0.0/8 ipv6.dst=::/96 -> none", "has a condition already"},
             {"dst=5 -> none; dst=5 vni=7 -> process",
              "rule 2: it is never used, since rule 1 is for all of its frames and comes first, "
              "allowed: narrower rules before wider ones"},
             {"-> none; protocol=6 -> all", "rule 2: it is never used"},
             {"dst=1 -> none; process=4/4 -> none; process=6/6 -> all", "since rule 2 is"},
             {"ipv4.dst=10.0.0.0/8 -> none; ipv4.dst=10.1.0.0/16 -> all", "never used"}})
    {
        const std::string sentence = Refusal([rules = text] { ParseFlowRules(rules); });
        test.Expect(sentence.find("FlowRules: rule ") == 0 &&
                        sentence.find(what) != std::string::npos,
                    Text("'", text, "': '", sentence, "'"));
    }
    std::string many = "dst=0 -> none";
    for (std::size_t i = 1; i < MOST_FLOW_RULES; ++i)
    {
        many += ";dst=" + std::to_string(i) + "->none";
    }
    test.ExpectEqual(ParseFlowRules(many).size(), 1024, "so many are allowed");
    test.Expect(Refusal([&many] {
                    ParseFlowRules(many + ";-> all");
                }).find("rule 1025: too many, allowed: at most 1024") != std::string::npos,
                "and no more");
}

/// Whatever a text is, it gives rules or a sentence.
void
TestMalformedRules(FunctionCase& test)
{
    const std::vector<std::string> pieces{"dst",
                                          "vni=7",
                                          "class",
                                          "=",
                                          "/",
                                          "->",
                                          ";",
                                          ",",
                                          " ",
                                          "none",
                                          "all",
                                          "ipv4.dst",
                                          "10.1.0.0",
                                          "/16",
                                          "ipv6.src",
                                          "2001:db8::1",
                                          "::",
                                          ":",
                                          "mac.src",
                                          "02:00:00:00:00:01",
                                          "0x",
                                          "ff",
                                          "65536",
                                          "-1",
                                          "ports",
                                          "process",
                                          "\t",
                                          "\n",
                                          std::string(1, '\0'),
                                          "\xff"};
    const TestSeeds seeds(4000);
    uint32_t refused = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        std::string text = random() % 2 == 0 ? "dst=5 vni=7 -> process; -> ip,ports" : "";
        for (uint32_t i = random() % 12; i > 0; --i)
        {
            const std::size_t at = random() % (text.size() + 1);
            text.insert(at, pieces[random() % pieces.size()]);
        }
        const std::string sentence = Refusal([&text] { ParseFlowRules(text); });
        refused += sentence.empty() ? 0 : 1;
        test.Expect(sentence.empty() || (sentence.find("FlowRules: rule ") == 0 &&
                                         sentence.find(", allowed: ") != std::string::npos &&
                                         sentence.find('\n') == std::string::npos),
                    Text("seed ", seed, ": ", sentence));
    }
    test.Expect(refused > seeds.count / 2, Text(refused, " refused"));
}

/// A slow reading of rules, field by field, beside which tables are held.
class RuleModel
{
  public:
    /// Fields by name, of a key.
    using Fields = std::map<std::string, uint32_t>;

    /// A rule, field by field.
    struct Rule
    {
        std::map<std::string, std::pair<uint32_t, uint32_t>> conditions; ///< Values and masks.
        std::map<std::string, uint32_t> told; ///< Masks behind the arrow.
    };

    /// @return the rule in words
    static std::string TextOf(const Rule& rule)
    {
        std::string text;
        for (const auto& [name, condition] : rule.conditions)
        {
            text += name + "=" + std::to_string(condition.first) + "/" +
                    std::to_string(condition.second) + " ";
        }
        text += "->";
        std::string comma = " ";
        for (const auto& [name, mask] : rule.told)
        {
            text += comma + name + "/" + std::to_string(mask);
            comma = ",";
        }
        return rule.told.empty() ? text + " none" : text;
    }

    /// @return what is equal for keys that share a channel
    std::vector<uint32_t> ChannelOf(const Fields& key) const
    {
        for (std::size_t i = 0; i < rules.size(); ++i)
        {
            bool matches = true;
            for (const auto& [name, condition] : rules[i].conditions)
            {
                matches = matches && (key.at(name) & condition.second) == condition.first;
            }
            if (matches)
            {
                return Channel(static_cast<uint32_t>(i), key, rules[i].told);
            }
        }
        std::map<std::string, uint32_t> all;
        for (const auto& [name, value] : key)
        {
            all[name] = 0xffffffff;
        }
        return Channel(static_cast<uint32_t>(rules.size()), key, all);
    }

    std::vector<Rule> rules; ///< The first that matches counts.

  private:
    static std::vector<uint32_t> Channel(uint32_t rule,
                                         const Fields& key,
                                         const std::map<std::string, uint32_t>& told)
    {
        std::vector<uint32_t> channel{rule, key.at("dst"), key.at("vni"), key.at("class")};
        for (const auto& [name, mask] : told)
        {
            channel.push_back(key.at(name) & mask);
        }
        return channel;
    }
};

/// @return a key with these fields
FlowKey
KeyOf(const RuleModel::Fields& fields)
{
    FlowKey key;
    key.destination = static_cast<LocationId>(fields.at("dst"));
    key.vni = static_cast<uint16_t>(fields.at("vni"));
    key.trafficClass = static_cast<uint8_t>(fields.at("class"));
    key.vlan = static_cast<uint16_t>(fields.at("vlan"));
    key.protocol = static_cast<uint8_t>(fields.at("protocol"));
    key.sourcePort = static_cast<uint16_t>(fields.at("port.src"));
    key.destinationPort = static_cast<uint16_t>(fields.at("port.dst"));
    key.flowLabel = fields.at("label");
    key.process = fields.at("process");
    return key;
}

/// Random rules: which keys share a channel is what the slow reading says.
std::string
FindFaultOfRules(uint32_t seed)
{
    std::mt19937 random(seed);
    const std::vector<std::string> told{"vlan",
                                        "protocol",
                                        "port.src",
                                        "port.dst",
                                        "label",
                                        "process"};
    std::vector<std::string> names{"dst", "vni", "class"};
    names.insert(names.end(), told.begin(), told.end());
    RuleModel model;
    std::string text;
    for (uint32_t i = random() % 5; i > 0; --i)
    {
        RuleModel::Rule rule;
        for (uint32_t conditions = random() % 3; conditions > 0; --conditions)
        {
            const uint32_t mask = 1 + random() % 3;
            rule.conditions[names[random() % names.size()]] = {random() & mask, mask};
        }
        for (uint32_t parts = random() % 3; parts > 0; --parts)
        {
            rule.told[told[random() % told.size()]] = random() % 4;
        }
        const std::string longer = text + (text.empty() ? "" : ";") + RuleModel::TextOf(rule);
        const std::string sentence = Refusal([&longer] { ParseFlowRules(longer); });
        if (sentence.empty())
        {
            model.rules.push_back(rule);
            text = longer;
        }
        else if (sentence.find("never used") == std::string::npos)
        {
            return longer + ": " + sentence;
        }
    }
    EdgeFlowTable table;
    for (const FlowRule& rule : ParseFlowRules(text))
    {
        table.AddTernary(rule);
    }
    std::map<std::vector<uint32_t>, FlowId> ids;
    for (uint32_t i = 0; i < 200; ++i)
    {
        RuleModel::Fields fields;
        for (const std::string& name : names)
        {
            fields[name] = random() % 4;
        }
        const FlowId id = table.Classify(KeyOf(fields)).value();
        const auto [known, isNew] = ids.emplace(model.ChannelOf(fields), id);
        if (known->second != id || (isNew && id != ids.size()))
        {
            return text + ": key " + std::to_string(i) + " has id " + std::to_string(id);
        }
    }
    return "";
}

/// See FindFaultOfRules().
void
TestAgainstModel(FunctionCase& test)
{
    const TestSeeds seeds(1000);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string fault = FindFaultOfRules(seed);
        test.Expect(fault.empty(), Text("seed ", seed, ": ", fault));
    }
}

/// The suite.
class FlowRulesSuite : public FunctionSuite
{
  public:
    FlowRulesSuite()
        : FunctionSuite("fabric-flow-rules", kUnit)
    {
        Add("FC-2 a condition is for the frames that it says", TestConditions);
        Add("FC-2 a rule tells flows apart by the fields that it names", TestFieldsOfRules);
        Add("FC-2 wrong rules get a sentence", TestWrongRules);
        Add("FC-2 any text gives rules or a sentence", TestMalformedRules);
        Add("FC-2 random rules and keys against a slow reading of them", TestAgainstModel);
    }
};

const FlowRulesSuite g_flowRulesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
