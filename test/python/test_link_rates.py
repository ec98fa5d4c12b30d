# SPDX-License-Identifier: GPL-2.0-only
"""FC-12: ways over links of different rates, and loads that are told over slow ones."""
import pytest

from programs import summary_of

TELLS = "--ns3::FabricSwitch::NeighbourLoads=true"


def leaves(folder, spines, hosts):
    """@return a file with two leaves of hosts of 100 Gb/s, whose links to spines have these rates in Gb/s."""
    first = 2 * hosts
    links = [f"{host} {first + host // hosts} 100Gbps 100ns" for host in range(first)]
    links += [f"{first + leaf} {first + 2 + spine} {rate}Gbps 100ns" for leaf in (0, 1) for spine, rate in enumerate(spines)]
    switches = range(first, first + 2 + len(spines))
    file = folder / "leaves.txt"
    file.write_text("\n".join([f"{switches[-1] + 1} {len(switches)} {len(links)}", " ".join(map(str, switches)), *links]) + "\n")
    return file


@pytest.mark.parametrize("options", [(), (TELLS,)])
@pytest.mark.parametrize("spines", [(10, 400), (400, 10)])
def test_fc12_a_flow_takes_the_faster_of_two_idle_links(spines, options, tmp_path):
    file = leaves(tmp_path, spines, 1)
    for mode in ((), ("--lookahead=off",), ("--threads=2",)):
        summary = summary_of(tmp_path / "-".join(("run", *mode)), "fabric-permutation", f"--topology={file}", "--pattern=shift", "--bytes=1MiB", *options, *mode)
        assert summary["completion_time", ""] == pytest.approx(86.16e-6, rel=0.001)


@pytest.mark.parametrize("spines", [(400, 100), (50, 400, 50)])
@pytest.mark.parametrize("options", [(), ("--ns3::FabricSwitch::UnorderedClasses=1",), (TELLS,)])
def test_fc12_links_of_different_rates_carry_what_equal_ones_do(spines, options, tmp_path):
    load = ("--pattern=shift", "--bytes=4KiB", "--load=0.5", "--warmUp=100us", "--duration=200us")
    accepted = [summary_of(tmp_path / name, "fabric-permutation", f"--topology={leaves(tmp_path, rates, 5)}", *load, *options)["accepted_load", ""]
                for name, rates in {"equal": (250, 250), "mixed": spines}.items()]
    assert accepted[1] == pytest.approx(accepted[0], rel=0.02)


@pytest.mark.parametrize("rates", [(100, 50, 50, 50), (50, 100, 200, 100)])
def test_pr4_accepted_load_is_by_the_rates_of_all_hosts(rates, tmp_path):
    file = tmp_path / "mixed.txt"
    file.write_text("\n".join(["5 1 4", "4", *(f"{host} 4 {rate}Gbps 100ns" for host, rate in enumerate(rates))]) + "\n")
    summary = summary_of(tmp_path / "run", "fabric-permutation", f"--topology={file}", "--pattern=uniform", "--bytes=4096", "--load=0.3", "--duration=200us")
    assert summary["accepted_load", ""] == pytest.approx(summary["goodput", ""] / sum(rates) / 1e9)
    assert summary["goodput", ""] == pytest.approx(4 * 0.3 * rates[0] * 1e9 * 4096 / 4120, rel=0.15)  # each offers the load of the first one's link


@pytest.mark.parametrize("rate, time", [("100Mbps", "100ms"), ("10Mbps", "1s"), ("100Gbps", "100us")])
def test_fc12_slow_fabrics_are_told_as_much_as_fast_ones(rate, time, tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", "--k=4", "--pattern=uniform", "--bytes=4KiB", "--load=0.95", f"--linkRate={rate}", f"--warmUp={time}",
                         f"--duration={time}", TELLS)
    assert summary["accepted_load", ""] == pytest.approx(0.95, rel=0.03)
