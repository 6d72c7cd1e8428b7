"""`python -m bench`: ask every question, print one table, and keep the figures in `bench/results/`."""

import os
import platform
import signal
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import apsw
import click
import msgspec
from msgspec import Struct

from bench import growth, identity
from bench.compare import Answer, Plan, Ratio, typical
from sitehive.backends.database.sqlite.connection import connect

RESULTS = Path(__file__).parent / "results"
PARTS = ("sitehive", "granian", "uvloop", "msgspec", "apsw", "limits", "structlog", "prometheus-client")
SYNCHRONOUS = ("off", "normal", "full", "extra")
ROW = "{:<26}{:>8}{:>21}{:>21}{:>11}{:>9}{:>9}{:>9}{:>16}{:>16}{:>6}"
HEAD = ROW.format(
    "question",
    "target",
    "speed ratio",
    "cpu ratio",
    "sitehive/s",
    "floor/s",
    "cpu µs",
    "floor",
    "p50/p99 ms",
    "floor",
    "load",
)


class Record(Struct, frozen=True):
    """The figures, and what one must know of a run to compare it with another."""

    date: str
    machine: str
    cpus: int
    versions: dict[str, str]
    durability: str
    plan: Plan
    answers: list[Answer]


@click.command()
@click.option("--rounds", type=click.IntRange(2, 100), default=Plan().rounds, show_default=True)
@click.option("--seconds", type=click.FloatRange(0.1, 60), default=Plan().seconds, show_default=True)
@click.option("--connections", type=click.IntRange(1, 1_000), default=Plan().connections, show_default=True)
@click.option("--posts", type=click.IntRange(2_000), default=growth.LARGE, show_default=True, help="In the large site.")
def main(rounds: int, seconds: float, connections: int, posts: int) -> None:
    """Measure the product against the floor, and print ratios: the median round, and quartiles."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that servers are stopped even when this is
    plan = Plan(rounds, seconds, connections)
    answers = [*identity.ask(plan), *growth.ask(plan, posts)]
    click.echo(HEAD)
    for answer in answers:
        click.echo(line(answer))
    click.echo(f"\nkept in {os.path.relpath(keep(plan, answers))}")


def line(answer: Answer) -> str:
    ours, least = answer.product, answer.floor
    return ROW.format(
        answer.question,
        f"{answer.target:.0%}",
        spread(answer.speed),
        spread(answer.cpu),
        f"{typical(ours, lambda run: run.load.per_second):,.0f}",
        f"{typical(least, lambda run: run.load.per_second):,.0f}",
        f"{typical(ours, lambda run: run.cpu_us):.0f}",
        f"{typical(least, lambda run: run.cpu_us):.0f}",
        *(
            f"{typical(runs, lambda run: run.load.p50_ms):.1f} / {typical(runs, lambda run: run.load.p99_ms):.1f}"
            for runs in (ours, least)
        ),
        f"{max(run.load.busy for run in (*ours, *least)):.0%}",
    )


def spread(ratio: Ratio) -> str:
    return f"{ratio.median:.0%} ({ratio.lower:.0%} to {ratio.upper:.0%})"


def keep(plan: Plan, answers: list[Answer]) -> Path:
    moment = datetime.now(UTC)
    record = Record(
        date=moment.isoformat(timespec="seconds"),
        machine=f"{platform.system()} {platform.release()} {platform.machine()}",
        cpus=os.cpu_count() or 0,
        versions={
            "python": platform.python_version(),
            "sqlite": apsw.sqlite_lib_version(),
            **{part: version(part) for part in PARTS},
        },
        durability=durability(),
        plan=plan,
        answers=answers,
    )
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{moment:%Y-%m-%dT%H%M%SZ}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2))
    return path


def durability() -> str:
    """What the writer asks of the disk, read off a connection opened as the product opens it."""
    with tempfile.TemporaryDirectory() as folder:
        connection = connect(Path(folder) / "probe.db", writes=True)
        level, journal = (
            connection.execute(f"pragma {name}").fetchall()[0][0] for name in ("synchronous", "journal_mode")
        )
        connection.close()
    return f"journal_mode={journal}, synchronous={SYNCHRONOUS[int(str(level))]}"


if __name__ == "__main__":
    main()
