"""Every `kernel.database.Dialect` finds the same texts: those that hold the needle, letter by letter."""

import random

import pytest

from sitehive.kernel.database import Database, Queries
from tests.contracts.things import add

INSERT = """
    insert into users (site_id, username, username_key, email, email_key, password, level, type, created_at)
    values (:site_id, :name, :name, :email, :email, '', 1, 1, 0)
"""
TEXTS = {
    "alice": "alice@example.com",
    "alicia": None,
    "bob": "robert@alice.example",
    "100%": None,
    "100 percent": "a_b@x",
    "snake_case": None,
    "snakeXcase": None,
    "back\\slash": "back\\\\slash@x",
    'quo"te': "'single'@x",
    '""""': None,
    "or and not near": None,
    "star*": None,
    "{brace} : colon": "^caret@x",
    "中文名字": "zoë@x",
    "🐝🐝🐝hive": None,
    "straße": None,
    "a b  c": None,
}
NEEDLES = ["a", "al", "ali", "alic", "alice", "alicex", "ice@", "%", "0%", "100", "100%", "_", "e_c", "snake_case",
           "eXc", "\\", "k\\s", "\\\\", "back\\\\", '"', '""', '"""', 'o"t', '"""""', "'", "'si", " ", "  c", " and ",
           "or and", "near", "*", "r*", "ar*", "{", "{br", "} : c", ":", ": c", "^", "^ca", "中", "文名", "文名字",
           "🐝", "🐝🐝🐝", "🐝🐝🐝🐝", "🐝hi", "ß", "raß", "ë@x", "zoe", "ALI", "@", "x", "zzz", "-", "--", "---", "(",
           "(a)", "NOT", "username_key", "username_key : a"]  # fmt: skip


@pytest.fixture
async def searched(database: Database) -> Database:
    await insert(database, 1, TEXTS)
    await insert(database, 2, {"alice": "alice@example.com", "100%": None})
    return database


async def insert(database: Database, site_id: int, texts: dict[str, str | None]) -> None:
    async def work(db: Queries) -> None:
        for name, email in texts.items():
            await db.run(INSERT, {"site_id": site_id, "name": name, "email": email})

    await database.write(work)


async def search(database: Database, columns: list[str], needle: str) -> list[str]:
    """The names found in the first site; whether it counts as a small one must make no difference."""
    outcomes = []
    for small_site in (True, False):
        found, needed = database.dialect.search("users", columns, needle, site_id=1, small_site=small_site)
        rows = await database.reader.all(
            f"select username from users where users.site_id = :site_id and {found} order by id",
            {"site_id": 1, **needed},
        )
        outcomes.append([row[0] for row in rows])
    assert outcomes[0] == outcomes[1]
    return outcomes[0]


async def test_a_search_finds_what_holds_the_text(searched: Database) -> None:
    found = {needle: await search(searched, ["username_key"], needle) for needle in NEEDLES}
    assert found == {needle: [name for name in TEXTS if needle in name] for needle in NEEDLES}


async def test_a_search_in_two_columns_finds_what_one_of_them_holds(searched: Database) -> None:
    found = {needle: await search(searched, ["username_key", "email_key"], needle) for needle in NEEDLES}
    assert found == {
        needle: [name for name, email in TEXTS.items() if needle in name or needle in (email or "")]
        for needle in NEEDLES
    }


async def test_a_search_follows_every_change(searched: Database) -> None:
    async def change(db: Queries) -> None:
        await db.run("update users set username = 'carol', username_key = 'carol' where username = 'alice'")
        await db.run("delete from users where username = 'alicia'")

    await searched.write(change)
    assert await search(searched, ["username_key"], "ali") == []
    assert await search(searched, ["username_key"], "aro") == ["carol"]


async def test_random_needles_in_random_texts(database: Database) -> None:
    chance = random.Random(1)

    def text(longest: int) -> str:
        return "".join(chance.choice("aab\"'%_\\*:{}^ é中🐝") for _ in range(chance.randint(1, longest)))

    texts = dict.fromkeys(text(12) for _ in range(300))
    await insert(database, 1, texts)
    for needle in {text(5) for _ in range(300)}:
        assert await search(database, ["username_key"], needle) == [name for name in texts if needle in name], needle


@pytest.mark.parametrize("needle", ["", "a", "%", "_", "\\", "'", "é", "中文", "abc", "A"])
async def test_contains_is_letter_by_letter_too(database: Database, needle: str) -> None:
    texts = ["abc", "xaby", "100%", "under_score", "back\\slash", "it's", "café", "cafe", "中文"]
    await add(database, *texts)
    condition = database.dialect.contains("name", "needle")
    rows = await database.reader.all(f"select name from things where {condition}", {"needle": needle})
    assert sorted(row[0] for row in rows) == sorted(name for name in texts if needle in name)


async def test_nothing_is_contained_in_nothing(database: Database) -> None:
    await insert(database, 1, {"alice": None})
    condition = database.dialect.contains("email_key", "needle")
    assert list(await database.reader.all(f"select id from users where {condition}", {"needle": "a"})) == []
