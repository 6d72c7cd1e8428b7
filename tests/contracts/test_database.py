"""What every `kernel.database.Database` promises."""

import asyncio
from typing import Any

import pytest

from sitehive.kernel.database import Database, Queries, UniqueViolation
from sitehive.kernel.errors import Invalid
from tests.contracts.things import INSERT, add, adding, names, thing


async def test_what_is_committed_is_there_for_the_reader(database: Database) -> None:
    await add(database, "a", "b")
    assert await names(database.reader) == ["a", "b"]


async def test_what_is_not_yet_committed_is_not(database: Database) -> None:
    async def work(db: Queries) -> list[str]:
        await db.run(INSERT, thing("a"))
        assert await names(db) == ["a"]
        return await names(database.reader)

    assert await database.write(work) == []


async def test_a_write_answers_what_its_work_answers(database: Database) -> None:
    async def work(db: Queries) -> Any:
        return await db.one("select 1, 'two'")

    assert tuple(await database.write(work)) == (1, "two")


@pytest.mark.parametrize("failure", [RuntimeError("no"), Invalid("no"), KeyError("no")], ids=lambda e: type(e).__name__)
async def test_a_failure_passes_through_and_leaves_nothing(database: Database, failure: Exception) -> None:
    with pytest.raises(type(failure)) as raised:
        await database.write(adding("a", "b", then=failure))
    assert raised.value is failure
    assert await names(database.reader) == []


async def test_of_writes_side_by_side_only_those_that_fail_are_undone(database: Database) -> None:
    writes = [
        database.write(adding(f"{number:02d}", f"{number:02d}-too", then=RuntimeError("no") if number % 2 else None))
        for number in range(20)
    ]
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert [isinstance(outcome, RuntimeError) for outcome in outcomes] == [bool(number % 2) for number in range(20)]
    assert await names(database.reader) == sorted(
        f"{number:02d}{end}" for number in range(0, 20, 2) for end in ("", "-too")
    )


CLASHES = {
    "insert": (INSERT, thing("taken"), {"name"}),
    "insert several columns": (INSERT, thing("new", 7), {"kind", "number"}),
    "update": ("update things set name = :name where name = 'free'", {"name": "taken"}, {"name"}),
    "update several columns": ("update things set number = 7 where name = 'free'", {}, {"kind", "number"}),
    "insert and answer": (f"{INSERT} returning name", thing("taken"), {"name"}),
}


@pytest.fixture
async def taken(database: Database) -> Database:
    async def work(db: Queries) -> None:
        await db.run(INSERT, thing("taken", 7))
        await db.run(INSERT, thing("free"))

    await database.write(work)
    return database


@pytest.mark.parametrize(("sql", "params", "columns"), CLASHES.values(), ids=CLASHES)
@pytest.mark.parametrize("method", ["run", "one", "all"])
async def test_a_clash_names_its_columns(
    taken: Database, method: str, sql: str, params: dict[str, object], columns: set[str]
) -> None:
    async def work(db: Queries) -> None:
        await getattr(db, method)(sql, params)

    with pytest.raises(UniqueViolation) as clash:
        await taken.write(work)
    assert clash.value.columns == columns
    assert await names(taken.reader) == ["free", "taken"]


async def test_the_same_name_in_another_site_is_no_clash(taken: Database) -> None:
    async def work(db: Queries) -> int:
        return await db.run(INSERT, thing("taken", 7, site_id=2))

    assert await taken.write(work) == 1


async def test_a_clash_can_be_answered_with_another_refusal(taken: Database) -> None:
    async def work(db: Queries) -> None:
        await db.run(INSERT, thing("before"))
        try:
            await db.run(INSERT, thing("taken"))
        except UniqueViolation as clash:
            raise Invalid.field(", ".join(clash.columns), "is already taken") from None

    with pytest.raises(Invalid) as refusal:
        await taken.write(work)
    assert refusal.value.details is not None
    assert [fault.field for fault in refusal.value.details] == ["name"]
    assert await names(taken.reader) == ["free", "taken"]
    await add(taken, "after")
    assert await names(taken.reader) == ["after", "free", "taken"]


async def test_a_constraint_that_is_no_clash_is_not_called_one(database: Database) -> None:
    async def work(db: Queries) -> None:
        await db.run(INSERT, {**thing("a"), "name": None})

    with pytest.raises(Exception, match=r"(?i)not[- ]null") as raised:
        await database.write(work)
    assert not isinstance(raised.value, UniqueViolation)


CHANGES = {
    "an insert of one": (INSERT, thing("new"), 1),
    "an insert of several": ("insert into things select 2, name, kind, number from things", {}, 3),
    "an insert that gives way": (f"{INSERT} on conflict (site_id, name) do nothing", thing("a"), 0),
    "an update of all": ("update things set number = 1, kind = name", {}, 3),
    "an update of some": ("update things set number = 1, kind = name where name <> :name", {"name": "a"}, 2),
    "an update of none": ("update things set number = 1 where name = 'z'", {}, 0),
    "a delete": ("delete from things where name in (:one, :two)", {"one": "a", "two": "b"}, 2),
    "a delete of none": ("delete from things where name = 'z'", {}, 0),
}


@pytest.mark.parametrize(("sql", "params", "changed"), CHANGES.values(), ids=CHANGES)
async def test_run_answers_how_many_rows_it_changed(
    database: Database, sql: str, params: dict[str, object], changed: int
) -> None:
    await add(database, "a", "b", "c")

    async def work(db: Queries) -> int:
        return await db.run(sql, params)

    assert await database.write(work) == changed


async def test_a_parameter_may_be_used_twice(database: Database) -> None:
    await add(database, "a", "b")
    row = await database.reader.one(
        "select count(*), :other from things where name = :name or kind = :name or name < :name",
        {"name": "b", "other": "x"},
    )
    assert row is not None
    assert tuple(row) == (2, "x")


TEXTS = ["", "'; drop table things; --", '" or 1=1 --', ":name :site_id ::text $1 ?1 @a %s {0}", "\\ \\\\ \\'", "%_%",
         "line\nbreak\r\n\ttab", "Zoë 中文 עברית 🐝👩‍👩‍👧", "e\u0301 \u200b \u2028", "x" * 100_000]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
async def test_a_text_comes_back_as_it_was(database: Database, text: str) -> None:
    await add(database, text, "other")
    row = await database.reader.one("select name from things where name = :text", {"text": text})
    assert row is not None
    assert row[0] == text
    assert len(await names(database.reader)) == 2


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), None])
async def test_a_number_comes_back_as_it_was(database: Database, number: int | None) -> None:
    async def work(db: Queries) -> None:
        await db.run(INSERT, thing("a", number))

    await database.write(work)
    rows = await database.reader.all("select number from things")
    assert [tuple(row) for row in rows] == [(number,)]


async def test_nothing_found_is_none_or_nothing(database: Database) -> None:
    assert await database.reader.one("select name from things") is None
    assert list(await database.reader.all("select name from things")) == []


async def test_a_reader_writes_nothing_and_locks_nothing(database: Database) -> None:
    with pytest.raises(TypeError):
        await database.reader.run(INSERT, thing("a"))
    with pytest.raises(TypeError):
        await database.reader.lock(1, "a")
    assert await names(database.reader) == []
