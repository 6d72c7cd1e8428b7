"""Two servers under the same load, turn by turn, and what the one costs in terms of the other."""

from collections.abc import Callable
from statistics import median, quantiles

from msgspec import Struct

from bench.load import Load, Result, generate
from bench.servers import HOST, Server

# No round sends more than this, however fast the servers are.
MOST_REQUESTS = 1_000_000


class Plan(Struct, frozen=True):
    """How long to look: `rounds` times each server, `seconds` each time.

    Many short rounds beat a few long ones: two neighbouring rounds see the machine in the same mood.
    """

    rounds: int = 15
    seconds: float = 1.0
    connections: int = 16


class Run(Struct, frozen=True):
    """One server in one round."""

    load: Result
    cpu_us: float


class Ratio(Struct, frozen=True):
    """The median over the rounds, and the quartiles to either side: half of the rounds lie between them."""

    lower: float
    median: float
    upper: float

    @classmethod
    def of(cls, values: list[float]) -> "Ratio":
        return cls(*quantiles(values, n=4, method="inclusive"))


class Answer(Struct, frozen=True):
    """What a question found: how much of the floor's speed the product reaches, and how much it should.

    `speed` compares requests per second. `cpu` compares processor time per request, so that both are better the
    higher they are; it hardly moves when something else runs on the machine.
    """

    question: str
    target: float
    speed: Ratio
    cpu: Ratio
    product: list[Run]
    floor: list[Run]


def compare(
    question: str,
    target: float,
    product: Server,
    floor: Server,
    paths: list[str],
    headers: dict[str, str],
    plan: Plan,
    floor_paths: list[str] | None = None,
    floor_headers: dict[str, str] | None = None,
) -> Answer:
    """Measure two servers turn by turn. The second is asked the same, unless it has paths and headers of its own."""

    def turn(server: Server) -> Run:
        ours = server is product
        asked = paths if ours else floor_paths or paths
        sent = headers if ours else floor_headers or headers
        load = Load(HOST, server.port, asked, sent, plan.connections, plan.seconds, MOST_REQUESTS)
        before = server.cpu_seconds()
        result = generate(load)
        return Run(result, (server.cpu_seconds() - before) / result.requests * 1_000_000)

    for server in (product, floor):
        turn(server)  # the first round fills caches, and is not counted
    rounds = [(turn(product), turn(floor)) for _ in range(plan.rounds)]
    return Answer(
        question,
        target,
        Ratio.of([ours.load.per_second / least.load.per_second for ours, least in rounds]),
        Ratio.of([least.cpu_us / ours.cpu_us for ours, least in rounds]),
        [ours for ours, _ in rounds],
        [least for _, least in rounds],
    )


def typical(runs: list[Run], figure: Callable[[Run], float]) -> float:
    return median(figure(run) for run in runs)
