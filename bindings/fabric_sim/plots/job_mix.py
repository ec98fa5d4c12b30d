# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-collectives with jobs of different kinds: how many times as long each job takes beside the others as alone, for each placement."""
from . import style
from .collective_times import panels_of
from .placements import draw_multiples, looks_of
from .. import results

OF_PANEL = ("placement", "onlyJobs")  # options in which the runs of a panel may differ
COLUMNS = ("job", "collective", "hosts", "bytes", "time_s")


def jobs_of(run):
    """@return a row for each job that ran, by its number"""
    return {row.job: row for row in run.table("jobs.csv", COLUMNS).itertuples()}


def place_of(run):
    """@return what says on which hosts the jobs of a run are"""
    return run.option("placement"), run.manifest["seed"], run.manifest["run"]


def slowdowns(runs):
    """@return lists of multiples by job and placement, of runs of all jobs and of each alone on the same hosts"""
    alone = {(place_of(run), job): row.time_s for run in runs if len(run.option("onlyJobs")) == 1 for job, row in jobs_of(run).items()}
    found = {}
    for run in runs:
        for job, row in jobs_of(run).items() if not run.option("onlyJobs") else ():
            if (place_of(run), job) not in alone:
                raise results.ResultError(f"{run.folder}: there is no run with --onlyJobs={job} and its --placement and --RngRun")
            found.setdefault((job, run.option("placement")), []).append(row.time_s / alone[place_of(run), job])
    if not found:
        raise results.ResultError(f"{runs[0].folder} and others: there is no run of all jobs, without --onlyJobs")
    return found


def draw_panel(axes, runs):
    """Draws the runs of a file of jobs on a topology."""
    found = slowdowns(runs)
    whole = next(run for run in runs if not run.option("onlyJobs"))
    jobs = list(jobs_of(whole).values())
    labels = [f"{row.collective}\n{row.hosts} hosts, {results.size_text(row.bytes)}" for row in jobs]
    draw_multiples(axes, labels, looks_of(runs), lambda place, placement: found.get((jobs[place].job, placement)))
    style.from_zero(axes)
    axes.set_title(f"{whole.option('topology')}, {whole.option('transport')}", fontsize=10)


def draw(*runs):
    """@return the figure of any number of runs, a panel for each topology"""
    return style.row_of_panels(panels_of(runs, OF_PANEL), draw_panel, (5.2, 4), "time beside the other jobs,\nas a multiple of that alone", title="placement")


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
