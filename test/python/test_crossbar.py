# SPDX-License-Identifier: GPL-2.0-only
"""SW-4 to SW-9, SW-13: fabric-crossbar, what both crossbars carry, and its picture."""
import matplotlib.pyplot as plt
import pytest

from fabric_sim import ResultError, read_run
from fabric_sim.plots.crossbar import draw
from programs import read_csv, run, run_well, summary_of

SWITCH = "--ns3::FabricSwitch::"


def figures(folder, *options):
    """@return throughput, mean and 99th percentile of the latency, s"""
    summary = summary_of(folder, "fabric-crossbar", "--check=true", *options)
    return summary["throughput", ""], summary["latency", "stat=mean"], summary["latency", "stat=p99"]


def both(folder, *options):
    """@return figures of the ideal crossbar, and of tiles"""
    return [figures(folder / crossbar, f"--crossbar={crossbar}", *options) for crossbar in ("ideal", "tiled")]


@pytest.mark.parametrize("frame", [64, 1000, 4096])
@pytest.mark.parametrize("ports", [64, 7])
def test_sw4_permutations_are_the_same(frame, ports, tmp_path):
    ideal, tiled = both(tmp_path, "--pattern=permutation", f"--frameBytes={frame}", f"--ports={ports}", "--duration=20us")
    assert tiled == ideal


def test_sw4_a_permutation_fills_all_links(tmp_path):
    for throughput, _, _ in both(tmp_path, "--pattern=permutation", "--load=1", "--warmUp=40us", "--duration=100us"):
        assert throughput > 0.96  # at random times a link is idle until its host's queue has grown


def test_sw4_uniform_traffic_at_95_percent_comes_through_with_both(tmp_path):
    ideal, tiled = both(tmp_path, "--duration=200us")
    assert tiled[0] == pytest.approx(ideal[0], abs=0.003) and tiled[0] > 0.93
    assert ideal[1] < tiled[1] < 1.06 * ideal[1]


def test_sw4_what_is_alone_takes_its_ideal_time(tmp_path):
    """Ideal completion times are those of an empty fabric, with tiles too."""
    run_well("fabric-permutation", "--k=4", "--bytes=4096", "--pattern=shift", SWITCH + "Crossbar=tiled", f"--out={tmp_path}")
    slowdowns = [float(row["slowdown"]) for row in read_csv(tmp_path / "messages.csv")]
    assert len(slowdowns) == 16 and min(slowdowns) == pytest.approx(1, abs=1e-9)


def test_sw4_at_little_load_latency_is_the_same(tmp_path):
    ideal, tiled = both(tmp_path, "--load=0.1", "--duration=100us")
    assert tiled[1] == pytest.approx(ideal[1], rel=0.002)


def test_sw3_a_hotspot_blocks_no_others(tmp_path):
    """No frame is granted that its output has no room for, so none to host 0 stands in the way of others."""
    ideal, tiled = both(tmp_path, "--pattern=hotspot", "--duration=100us", "--flowChannels=off")
    assert tiled[0] == pytest.approx(ideal[0], abs=0.005)


@pytest.mark.parametrize("arguments, words", [
    ([f"{SWITCH}AgeQueuePlaces=255"], "AgeQueuePlaces is 255; allowed is at least 256"),
    ([f"{SWITCH}Latency=49ns"], "Latency is 49000 ps, and with Crossbar=tiled CrossbarTransit is a part of it; allowed is at least 50000 ps"),
    (["--crossbar=ideal", f"{SWITCH}CrossbarRows=2"], "CrossbarRows is of a crossbar of tiles, and Crossbar is ideal; allowed is its default, or Crossbar=tiled"),
])
def test_pr4_settings_that_do_not_go_together(arguments, words):
    done = run("fabric-crossbar", *arguments)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1


# Value by value throughput at full load rises or falls, and nowhere by much.
RANGES = {
    "CrossbarSpeedup": ([1, 1.1, 1.25, 1.5, 2, 8], 0.02, []),
    "CrossbarTileBuffer": ([4120, 5000, 6500, 8240, 30000], 0.1, [f"{SWITCH}CrossbarTilePorts=16"]),  # two tiles; one frame, or two
    "CrossbarOutputBuffer": ([9024, 12400, 13500, 16480, 20600, 24720, 40000], 0.12, []),
}


@pytest.mark.parametrize("attribute", RANGES)
def test_sw5_more_of_an_attribute_carries_more(attribute, tmp_path):
    values, step, others = RANGES[attribute]
    carried = [figures(tmp_path / str(value), "--load=1", "--ports=32", "--duration=60us", f"{SWITCH}{attribute}={value}", *others)[0] for value in values]
    assert carried[-1] > carried[0] + 0.002
    for less, more in zip(carried, carried[1:]):
        assert -0.002 < more - less < step


@pytest.mark.parametrize("attribute, values", [("CrossbarRows", [1, 2, 4]), ("CrossbarTilePorts", [1, 2, 8])])
def test_sw5_rows_and_ports_of_tiles_count(attribute, values, tmp_path):
    """With fewer rows an output is fed by fewer buses; with more ports in a tile more share a bus."""
    latencies = {figures(tmp_path / str(value), "--load=0.9", "--ports=32", f"{SWITCH}{attribute}={value}")[1] for value in values}
    assert len(latencies) == len(values)


def test_sw1_transit_is_a_part_of_the_latency(tmp_path):
    options = ["--load=0.05", "--ports=4"]
    short, long = (figures(tmp_path / time, *options, f"{SWITCH}CrossbarTransit={time}")[1] for time in ("0ns", "350ns"))
    assert short == pytest.approx(long, rel=0.02)


def test_sw8_few_places_hold_requests_back(tmp_path):
    """With a place for each input, queues wait at their inputs for their turns there; no frame is lost and all ports are used."""
    few = figures(tmp_path / "few", "--load=0.9", "--ports=16", f"{SWITCH}AgeQueuePlaces=16", f"{SWITCH}AgeQueueFixedPlaces=1")
    many = figures(tmp_path / "many", "--load=0.9", "--ports=16")
    assert few[0] == pytest.approx(many[0], abs=0.03)


def test_pf9_the_picture(tmp_path):
    runs = []
    for crossbar in ("ideal", "tiled"):
        for load in (0.3, 0.8):
            folder = tmp_path / f"{crossbar}-{load}"
            run_well("fabric-crossbar", "--ports=8", f"--crossbar={crossbar}", f"--load={load}", f"--out={folder}")
            runs.append(read_run(folder, "fabric-crossbar"))
    figure = draw(*runs)
    carried, latency = figure.axes
    assert carried.get_legend_handles_labels()[1] == ["uniform, ideal", "uniform, tiles"]
    assert len(latency.lines) == 4
    plt.close(figure)
    run_well("fabric-crossbar", "--ports=9", f"--out={tmp_path / 'other'}")
    with pytest.raises(ResultError, match="different --ports or --frameBytes"):
        draw(runs[0], read_run(tmp_path / "other", "fabric-crossbar"))
